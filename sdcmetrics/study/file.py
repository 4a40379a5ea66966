"""The study file's entries, checked; an unknown entry is an error that names the closest one."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from sdcmetrics.errors import StudyError, did_you_mean
from sdcmetrics.microdata.arguments import MOST_PERMUTATIONS
from sdcmetrics.microdata.text_columns import DecimalMark, KindName
from sdcmetrics.study.attacks import AttackName, Attacks, Intruder
from sdcmetrics.study.distributions import Distributions
from sdcmetrics.study.prediction import LearnerName, Prediction
from sdcmetrics.study.propensity import Method, Propensity
from sdcmetrics.study.ranking import MOST_REPLICATES, Missing, RankingOptions, Strategy


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str | int | float) else value


def _alike(value: Any) -> Any:
    """Give the metrics of a list equal weights."""
    listed = _as_list(value)
    if isinstance(listed, list) and listed and all(isinstance(name, str) for name in listed):
        return dict.fromkeys(listed, 1 / len(listed))
    return value


def _size(value: Any) -> float | str | None:
    """Return a number of people, or the name of the column that says it."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if value is None or (number and 0 < value < math.inf):
        return None if value is None else float(value)
    if isinstance(value, str) and value:
        return value
    kind, msg = "size", "Expected a number above 0, or the name of a column, but got another value"
    raise PydanticCustomError(kind, msg)


_Texts = Annotated[list[str], BeforeValidator(_as_list)]
_Files = Annotated[list[str], BeforeValidator(_as_list), Field(min_length=1)]
_Number = Annotated[float, Field(allow_inf_nan=False)]
_Numbers = Annotated[list[_Number], BeforeValidator(_as_list)]
_Groups = Annotated[int, Field(ge=0)]
_Step = Annotated[float, Field(gt=0, allow_inf_nan=False)]
_Ways = Annotated[list[Annotated[int, Field(ge=1)]], BeforeValidator(_as_list)]
_Name = Annotated[str, Field(min_length=1)]
_Weight = Annotated[float, Field(ge=0, allow_inf_nan=False)]
_Weights = Annotated[dict[str, _Weight], BeforeValidator(_alike)]
_Share = Annotated[float, Field(gt=0, le=1)]
_Shares = Annotated[list[_Share], BeforeValidator(_as_list)]
DistanceName = Literal["hamming", "gower", "euclidean"]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class StudySection(_Section):
    """``[study]``: what the report says of itself."""

    title: str = "Disclosure review"
    profile: str = "default"


class DataSection(_Section):
    """``[data]``: the files."""

    original: str
    replicas: dict[_Name, _Files] = Field(min_length=1)
    holdout: str | None = None
    engine: Literal["arrow", "spark", "memory"] = "arrow"


class ReadSection(_Section):
    """``[read]``: how the files are read, where their suffix and content do not tell."""

    encoding: str | None = None
    delimiter: str | None = None
    missing: _Texts | None = None
    user_missing: bool | None = None
    kinds: dict[str, KindName] | None = None
    decimal: DecimalMark | dict[str, DecimalMark] | None = None


class RolesSection(_Section):
    """``[roles]``: one intruder."""

    keys: _Texts = []
    targets: _Texts | None = None


class ScenarioSection(_Section):
    """``[[scenario]]``: a further intruder."""

    name: _Name
    keys: _Texts
    targets: _Texts | None = None
    description: str = ""


class ModelSection(_Section):
    """``[[model]]``: a model that users of the replica may fit."""

    formula: _Name
    family: _Name = "gaussian"


class RuleSection(_Section):
    """``[[rule]]``: a relation that every record is to keep."""

    text: _Name
    name: str = ""
    description: str = ""


class PropensitySection(_Section):
    """``[propensity]``: models that tell replica from original."""

    methods: Annotated[list[Method], BeforeValidator(_as_list), Field(min_length=1)] = [
        *Propensity.methods
    ]
    maxorder: int = Field(default=Propensity.maxorder, ge=0)


class AttacksSection(_Section):
    """``[attacks]``: attacks on the original beside the same on the holdout."""

    kinds: Annotated[list[AttackName], BeforeValidator(_as_list), Field(min_length=1)] = [
        *Attacks.kinds
    ]
    learner: Intruder = Attacks.learner
    seeds: int = Field(default=Attacks.seeds, ge=1)
    columns: int = Field(default=Attacks.columns, ge=1)
    links: dict[_Name, _Name] = {}


class DistributionsSection(_Section):
    """``[distributions]``: distances between distributions, each with a test."""

    energy: bool = Distributions.energy
    groups: _Texts = []
    permutations: int = Field(default=Distributions.permutations, ge=0, le=MOST_PERMUTATIONS)


class PredictionSection(_Section):
    """``[prediction]``: what can be learnt from a replica."""

    targets: _Texts = []
    learners: Annotated[list[LearnerName], BeforeValidator(_as_list)] = []
    permutations: int = Field(default=Prediction.permutations, ge=0, le=MOST_PERMUTATIONS)


class SampleSection(_Section):
    """``[sample]``: how the original was sampled, by its columns."""

    weight: str = ""
    strata: str = ""
    cluster: str = ""
    household: str = ""
    person: str = ""
    lonely: Literal["fail", "adjust", "average", "certainty", "remove"] = "fail"
    population_size: Annotated[Any, AfterValidator(_size)] = None
    synthetic_weight: str | None = None
    against: Literal["population", "original"] = "population"


class OptionsSection(_Section):
    """``[options]``: how the measures are computed."""

    ngroups: int = Field(default=5, ge=1)
    style: Literal["quantile", "equal"] = "quantile"
    group_dates: bool = True
    ngroups_keys: dict[str, _Groups] = {}
    ngroups_targets: dict[str, _Groups] = {}
    round_to: dict[str, _Step] = {}
    min_count: int = Field(default=5, ge=1)
    max_categories: int = Field(default=2000, ge=1)
    variables: _Texts | None = None
    ways: _Ways = [1, 2]
    k_syn: bool = False
    candidates: int = Field(default=10, ge=0)
    distance: DistanceName = "hamming"
    permutations: int = Field(default=999, ge=0, le=MOST_PERMUTATIONS)
    perturbed: _Shares = [0.1, 0.3, 0.5, 0.7, 0.9]
    seed: int = Field(default=1, ge=0)
    population_size: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    sample_size: int = Field(default=20_000, ge=0)
    sample_repeats: int = Field(default=4, ge=0)
    preset: str = ""


class RankingSection(_Section):
    """``[ranking]``: how replicas are compared; names and sums are checked with the weights."""

    strategy: Strategy = RankingOptions.strategy
    missing: Missing = RankingOptions.missing
    weights: dict[str, _Weight] | None = None
    metrics: dict[str, _Weights] | None = None
    anchors: bool = RankingOptions.anchors
    replicates: int = Field(default=RankingOptions.replicates, ge=0, le=MOST_REPLICATES)
    draws: int = Field(default=RankingOptions.draws, ge=1, le=MOST_PERMUTATIONS)
    seed: int = Field(default=RankingOptions.seed, ge=0)


class StudyFile(_Section):
    """A whole study file."""

    study: StudySection = StudySection()
    data: DataSection
    read: ReadSection = ReadSection()
    roles: RolesSection = RolesSection()
    scenario: list[ScenarioSection] = []
    model: list[ModelSection] = []
    rules: _Texts = []
    rule: list[RuleSection] = []
    propensity: PropensitySection | None = None
    attacks: AttacksSection | None = None
    distributions: DistributionsSection | None = None
    prediction: PredictionSection | None = None
    sample: SampleSection | None = None
    ranking: RankingSection | None = None
    options: OptionsSection = OptionsSection()
    missing_codes: dict[str, _Numbers] = {}
    context: dict[str, str] = {}


class _Options(OptionsSection):
    missing_codes: dict[str, _Numbers] = {}


_SECTIONS: dict[str, type[BaseModel]] = {
    "": StudyFile,
    "study": StudySection,
    "data": DataSection,
    "read": ReadSection,
    "propensity": PropensitySection,
    "attacks": AttacksSection,
    "distributions": DistributionsSection,
    "prediction": PredictionSection,
    "sample": SampleSection,
    "roles": RolesSection,
    "scenario": ScenarioSection,
    "model": ModelSection,
    "rule": RuleSection,
    "ranking": RankingSection,
    "options": OptionsSection,
}

_EXPECTED = {
    "string_type": "text in quotes",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "list_type": 'a list, such as ["a", "b"]',
    "dict_type": "entries of the form name = value",
    "model_type": "a section with entries of its own",
    "model_attributes_type": "a section with entries of its own",
    "too_short": "at least one entry",
    "string_too_short": "a text that is not empty",
    "greater_than": "a number above {gt:g}",
    "greater_than_equal": "a number of at least {ge:g}",
    "less_than_equal": "a number of at most {le:g}",
    "literal_error": "{expected}",
}
_INSTEAD = {
    "data.replicas": 'a section [data.replicas] with a line such as cart = "cart.csv" for each',
    "scenario": "sections that begin with [[scenario]], in two brackets",
    "model": "sections that begin with [[model]], in two brackets",
    "rule": "sections that begin with [[rule]], in two brackets",
}
_EACH = {
    "data.replicas.": "a file name, or a list of file names",
    "missing_codes.": "a number, or a list of numbers",
}
_TYPES = ("list_type", "string_type", "float_type")
_GOT = {
    bool: "true or false",
    str: "text",
    int: "a whole number",
    float: "a number",
    list: "a list",
    dict: "a section",
    dt.date: "a date",
    dt.datetime: "a date",
    dt.time: "a time",
    type(None): "nothing",
}


def parse(entries: dict[str, Any], source: str) -> StudyFile:
    """Check the entries of a study file.

    Raises
    ------
    StudyError
        Naming the file, the entry and the remedy; one line for each problem.
    """
    try:
        spec = StudyFile.model_validate(entries)
    except ValidationError as error:
        lines = [f"{source}: {_message(problem)}" for problem in _problems(error)]
        raise StudyError("\n".join(dict.fromkeys(lines))) from None
    if not spec.roles.keys and not spec.scenario:
        msg = (
            f"{source}: expected the columns that an intruder knows, as keys = [...] in [roles] "
            "or in a [[scenario]], but found none."
        )
        raise StudyError(msg)
    return spec


def check_section(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Check the entries of one section that come from Python; return all, defaults included.

    Raises
    ------
    StudyError
        Naming the entry and the remedy; one line for each problem.
    """
    try:
        return _SECTIONS[name].model_validate(_plain(given)).model_dump()
    except ValidationError as error:
        lines = [f"{name}: {_message(problem, name)}" for problem in _problems(error)]
        raise StudyError("\n".join(dict.fromkeys(lines))) from None


def check_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """Check options that come from Python; return all of them, defaults included.

    Raises
    ------
    StudyError
        Naming the option and the remedy; one line for each problem.
    """
    known = list(_Options.model_fields)
    for name in given:
        if name not in known:
            hint = did_you_mean(name, known) or f" Known: {', '.join(known)}."
            msg = f"unknown option {name!r}.{hint}"
            raise StudyError(msg)
    try:
        return _Options.model_validate(_plain(given)).model_dump()
    except ValidationError as error:
        lines = [_message(problem) for problem in _problems(error)]
        raise StudyError("\n".join(dict.fromkeys(lines))) from None


def _plain(value: Any) -> Any:
    """Turn what Python users pass into what TOML would hold."""
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, list | tuple | range):
        return [_plain(item) for item in value]
    return value.item() if isinstance(value, np.generic) else value


def _problems(error: ValidationError) -> list[ErrorDetails]:
    return error.errors(include_url=False)


def _message(problem: ErrorDetails, inside: str = "") -> str:
    path = [str(part) for part in problem["loc"]]
    where = ".".join(str(part) for part in problem["loc"] if not isinstance(part, int))
    kind = problem["type"]
    if kind == "extra_forbidden":
        section = next((part for part in reversed(path[:-1]) if part in _SECTIONS), inside)
        known = list(_SECTIONS[section].model_fields)
        hint = did_you_mean(path[-1], known) or f" Known here: {', '.join(known)}."
        return f"unknown entry {where!r}.{hint}"
    if kind == "missing":
        what = f"section [{where}]" if where in _SECTIONS else f"entry {where!r}"
        return f"the {what} is required but missing."
    of_many = next((words for start, words in _EACH.items() if where.startswith(start)), None)
    expected = _INSTEAD.get(where) or (of_many if kind in _TYPES else None) or _EXPECTED.get(kind)
    if expected is None:
        return f"{where}: {problem['msg'][0].lower()}{problem['msg'][1:]}."
    got = problem["input"]
    shown = repr(got) if kind == "literal_error" else _GOT.get(type(got), type(got).__name__)
    if kind.startswith(("greater", "less", "finite")):
        shown = str(got)
    if kind in ("too_short", "string_too_short"):
        shown = "none"
    wanted = expected.format(**problem.get("ctx", {}))
    hint = did_you_mean(str(got), wanted.split("'")[1::2]) if kind == "literal_error" else ""
    return f"{where}: expected {wanted} but got {shown}.{hint}"
