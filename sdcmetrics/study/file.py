"""The study file's entries, checked; an unknown entry is an error that names the closest one."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    PlainValidator,
    ValidationError,
    create_model,
)
from pydantic_core import PydanticCustomError

from sdcmetrics.errors import StudyError, did_you_mean
from sdcmetrics.measures.options import Numbers, Options
from sdcmetrics.measures.registry import SECTIONS
from sdcmetrics.measures.section import as_list, checked_entries, in_words, names_of, plain
from sdcmetrics.microdata.text_columns import DecimalMark, KindName
from sdcmetrics.study.coarsening import read_coarsening
from sdcmetrics.study.kinds import Kind
from sdcmetrics.study.ranking import RankingOptions


def _size(value: Any) -> float | str | None:
    """Return a number of people, or the name of the column that says it."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if value is None or (number and 0 < value < math.inf):
        return None if value is None else float(value)
    if isinstance(value, str) and value:
        return value
    kind, msg = "size", "Expected a number above 0, or the name of a column, but got another value"
    raise PydanticCustomError(kind, msg)


_Texts = Annotated[list[str], BeforeValidator(as_list)]
_Name = Annotated[str, Field(min_length=1)]
_Files = Annotated[list[_Name], BeforeValidator(as_list), Field(min_length=1)]
Verdict = Literal["release", "change first", "do not release"]


def _coarsening(value: Any) -> Any:
    """Return an entry of ``[coarsen]`` that can be one; a file of levels is read later."""
    if not isinstance(value, str):
        try:
            read_coarsening(value)
        except StudyError as error:
            kind, words = "coarsening", str(error).removesuffix(".")
            raise PydanticCustomError(kind, "{words}", {"words": words}) from None
    return value


def _as_written(value: Any) -> Any:
    return value


_Coarsening = Annotated[
    float | list[float] | str | dict[str, list[str]],
    PlainValidator(_coarsening),
    PlainSerializer(_as_written),  # whole numbers, too, without a warning
]


def _kinds(value: Any) -> Any:
    """Return how replicas were made, of each of which one word may say it."""
    if not isinstance(value, dict):
        return value
    return {name: {"kind": kind} if isinstance(kind, str) else kind for name, kind in value.items()}


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class DecisionSection(_Section):
    """``[release.decision]``: what people decided, in words that are written as they are."""

    replicas: dict[_Name, Verdict] = Field(min_length=1)
    signed: _Name
    date: dt.date
    words: str = ""


class ReleaseSection(_Section):
    """``[release]``: what editions for outside may spend and tell; see `sdcmetrics.release`.

    Attributes
    ----------
    budget : float
        Mu of all releases of the original together; the first release fixes it.
    rows : int, optional
        Records that one person may have; those beyond are left out, and noise is as much wider.
    unit : str, optional
        The column that says whose a record is; by default what `[sample]` names as person,
        household or cluster; "" where each record is a person of its own.
    measures : list of str
        Symbols of measures that a release asks for; fewer mean less noise.
    pairs : bool
        Whether pairs of variables are compared.
    secret : str
        Path of the secret; by default beside the study file, with its name.
    decision : DecisionSection, optional
        What people decided, as `replicas = { name = "release", ... }` ("change first", "do not
        release"), `signed`, `date` and `words`; written as it is.
    """

    budget: float = Field(default=1.0, gt=0, le=10, allow_inf_nan=False)
    rows: int | None = Field(default=None, ge=1)
    unit: str | None = None
    measures: Annotated[list[_Name], BeforeValidator(as_list), Field(min_length=1)] = [
        "UiO",
        "repU",
        "DiSCO",
        "TVD",
    ]
    pairs: bool = True
    secret: str = ""
    decision: DecisionSection | None = None


class StudySection(_Section):
    """``[study]``: what the report says of itself."""

    title: str = "Disclosure review"
    profile: str = "default"


class DataSection(_Section):
    """``[data]``: the files."""

    original: _Name
    replicas: dict[_Name, _Files] = Field(min_length=1)
    holdout: _Name | None = None
    engine: Literal["arrow", "spark", "memory"] = "arrow"


class ReadSection(_Section):
    """``[read]``: how the files are read, where their suffix and content do not tell."""

    encoding: str | None = None
    delimiter: str | None = None
    missing: _Texts | None = None
    user_missing: bool | None = None
    kinds: dict[str, KindName] | None = None
    decimal: DecimalMark | dict[str, DecimalMark] | None = None
    metadata: _Name | None = None


class KindSection(_Section):
    """``[kinds.NAME]``: how a replica was made; ``NAME = "perturbed"`` below ``[kinds]`` is short.

    What the report says is to be done follows from it.
    """

    kind: Kind
    method: str = ""


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


class StudyEntries(_Section):
    """What a study file holds, but for sections that ask for a subject."""

    study: StudySection = StudySection()
    data: DataSection
    read: ReadSection = ReadSection()
    roles: RolesSection = RolesSection()
    scenario: list[ScenarioSection] = []
    model: list[ModelSection] = []
    rules: _Texts = []
    rule: list[RuleSection] = []
    sample: SampleSection | None = None
    ranking: RankingOptions | None = None
    release: ReleaseSection = ReleaseSection()
    options: Options = Options()
    missing_codes: dict[str, Numbers] = {}
    coarsen: dict[str, _Coarsening] = {}
    kinds: Annotated[dict[str, KindSection], BeforeValidator(_kinds)] = {}
    context: dict[str, str] = {}

    @property
    def sections(self) -> dict[str, Any]:
        """Sections that ask for a subject, by name."""
        given = {name: getattr(self, name) for name in SECTIONS}
        return {name: section for name, section in given.items() if section is not None}


def read_options(spec: StudyEntries, file: Path) -> dict[str, Any]:
    """Return ``[read]`` as options of `read`; the path of metadata is relative to the file."""
    options = spec.read.model_dump(exclude_none=True)
    if "metadata" in options:
        options["metadata"] = file.parent / Path(options["metadata"]).expanduser()
    return options


_ASKED: dict[str, Any] = {name: (section | None, None) for name, section in SECTIONS.items()}
StudyFile = create_model(
    "StudyFile", __base__=StudyEntries, __doc__="A whole study file.", **_ASKED
)


_SECTIONS: dict[str, Any] = {
    "": StudyFile,
    "study": StudySection,
    "data": DataSection,
    "read": ReadSection,
    "sample": SampleSection,
    "roles": RolesSection,
    "scenario": ScenarioSection,
    "model": ModelSection,
    "rule": RuleSection,
    "ranking": RankingOptions,
    "release": ReleaseSection,
    "decision": DecisionSection,
    "options": Options,
    **SECTIONS,
}


def parse(entries: dict[str, Any], source: str) -> StudyEntries:
    """Check the entries of a study file.

    Raises
    ------
    StudyError
        Naming the file, the entry and the remedy; one line for each problem.
    """
    options = entries.get("options")
    if isinstance(options, dict) and "missing_codes" in options:
        msg = f"{source}: unknown entry 'options.missing_codes'. Name columns in [missing_codes]."
        raise StudyError(msg)
    try:
        spec = StudyFile.model_validate(entries)
    except ValidationError as error:
        raise StudyError(in_words(error, source, [StudyFile], _SECTIONS)) from None
    if not spec.roles.keys and not spec.scenario:
        msg = (
            f"{source}: expected the columns that an intruder knows, as keys = [...] in [roles] "
            "or in a [[scenario]], but found none."
        )
        raise StudyError(msg)
    return spec


def check_section(name: str, entries: Mapping[str, Any]) -> dict[str, Any]:
    """Check the entries of one section that come from Python; return all, defaults included.

    Raises
    ------
    StudyError
        Naming the entry and the remedy; one line for each problem.
    """
    try:
        checked: BaseModel = _SECTIONS[name].model_validate(plain(entries))
    except ValidationError as error:
        raise StudyError(in_words(error, name, [_SECTIONS[name]])) from None
    return checked.model_dump()


def check_options(entries: Mapping[str, Any]) -> Options:
    """Make options of what comes from Python, where None stands for the default.

    Raises
    ------
    StudyError
        Naming the option and the remedy; one line for each problem.
    """
    names = names_of(Options)
    for name in entries:
        if name not in names:
            hint = did_you_mean(name, [*names, *SECTIONS]) or f" Known: {', '.join(names)}."
            msg = f"unknown option {name!r}.{hint}"
            raise StudyError(msg)
    chosen = {name: entry for name, entry in entries.items() if entry is not None}
    return checked_entries(Options, plain(chosen), "")
