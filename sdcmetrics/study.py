"""What to assess: data, roles, scenarios and options, from Python or from a TOML file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sdcmetrics.errors import ColumnError, DataError, FileError, StudyError, did_you_mean
from sdcmetrics.microdata.frames import Microdata, as_microdata
from sdcmetrics.microdata.read import read
from sdcmetrics.microdata.schema import check_names
from sdcmetrics.study_file import StudyFile, parse

__all__ = ["Options", "Scenario", "Study", "read_study"]


@dataclass(frozen=True)
class Scenario:
    """What an intruder is assumed to know (keys) and to want (targets)."""

    name: str
    keys: tuple[str, ...]
    targets: tuple[str, ...]
    description: str = ""


@dataclass(frozen=True)
class Options:
    """How the measures are computed.

    Attributes
    ----------
    ngroups : int
        Groups of a numeric variable in utility tables.
    style : "quantile" or "equal"
    group_dates : bool
        Group dates like numbers in utility tables; synthpop makes each date a level.
    ngroups_keys, ngroups_targets : dict of column to int
        Groups of numeric keys and targets in disclosure measures; others keep every value.
    round_to : dict of column to number
        Rounding of numeric variables for the ratio of counts.
    min_count, max_categories : int
        When the ratio of counts skips a variable.
    variables : tuple of str or None
        Columns for utility; by default all that every data set has.
    ways : tuple of int
        Sizes of the utility tables.
    missing_codes : dict of column to numbers
    k_syn : bool
        The number of synthetic records was drawn, not fixed.
    """

    ngroups: int = 5
    style: str = "quantile"
    group_dates: bool = True
    ngroups_keys: Mapping[str, int] = field(default_factory=dict)
    ngroups_targets: Mapping[str, int] = field(default_factory=dict)
    round_to: Mapping[str, float] = field(default_factory=dict)
    min_count: int = 5
    max_categories: int = 2000
    variables: tuple[str, ...] | None = None
    ways: tuple[int, ...] = (1, 2)
    missing_codes: Mapping[str, float | Sequence[float]] = field(default_factory=dict)
    k_syn: bool = False


@dataclass(frozen=True, init=False)
class Study:
    """An original, its replicas, and what to ask about them.

    Parameters
    ----------
    original : data frame, Microdata or path
    replicas : mapping of name to a data frame, Microdata or path, or to a list of them
        A list holds m > 1 syntheses made by one method.
    keys : names of the columns that an intruder knows
    targets : names of the columns that an intruder wants to know, optional
        By default every other column that all data sets have.
    holdout : data frame, Microdata or path, optional
        Records of the same population that were not used for synthesis.
    scenarios : sequence of Scenario, optional
        Further, or instead of `keys` and `targets`.
    title : str
    context : mapping of str to str
        Free text for the report: recipient, purpose, intruder, ...
    profile : str or path
        Name of a profile that comes with the package, or a TOML file.
    command : str
        How the study was started, for the report.
    **options
        Fields of `Options`.

    Raises
    ------
    StudyError
        For unknown options, missing roles or duplicate scenario names.
    DataError, FileError, ColumnError
        If a data set cannot be read or lacks a named column.
    """

    original: Microdata
    replicas: dict[str, tuple[Microdata, ...]]
    scenarios: tuple[Scenario, ...]
    holdout: Microdata | None
    title: str
    context: dict[str, str]
    profile: str
    command: str
    options: Options

    def __init__(  # noqa: PLR0913  (the parts of a study)
        self,
        original: Any,
        replicas: Mapping[str, Any],
        *,
        keys: Sequence[str] = (),
        targets: Sequence[str] | None = None,
        holdout: Any = None,
        scenarios: Sequence[Scenario] = (),
        title: str = "Disclosure review",
        context: Mapping[str, str] | None = None,
        profile: str | Path = "default",
        command: str = "",
        **options: Any,
    ) -> None:
        given: Any = replicas  # a caller may pass anything
        if not isinstance(given, Mapping) or not given:
            msg = (
                "replicas: expected a mapping of at least one name to a data frame or a list of "
                'data frames, such as {"cart": cart, "ctgan": [s1, s2]}.'
            )
            raise StudyError(msg)
        data = _load(original, "original")
        syntheses = {str(name): _load_many(value, str(name)) for name, value in replicas.items()}
        aside = None if holdout is None else _load(holdout, "holdout")
        chosen = _options(options, data)
        found = [_from_roles(keys, targets, data, syntheses)] if keys or targets else []
        found.extend(_complete(scenario, data, syntheses) for scenario in scenarios)
        if not found:
            msg = "keys: expected the columns that an intruder knows, but got none."
            raise StudyError(msg)
        names = [scenario.name for scenario in found]
        for name in names:
            if names.count(name) > 1:
                msg = f"scenario {name!r} is given more than once. Give each its own name."
                raise StudyError(msg)
        set_field = object.__setattr__  # the way of a frozen dataclass with its own __init__
        set_field(self, "original", data)
        set_field(self, "replicas", syntheses)
        set_field(self, "scenarios", tuple(found))
        set_field(self, "holdout", aside)
        set_field(self, "title", title)
        set_field(self, "context", dict(context or {}))
        set_field(self, "profile", str(profile))
        set_field(self, "command", command)
        set_field(self, "options", chosen)


def read_study(path: str | Path) -> Study:
    """Read a study file (TOML); paths in it are relative to the file.

    Raises
    ------
    FileError
        If the study file or a data file is missing or damaged.
    StudyError
        For TOML errors and for unknown or wrong entries.
    """
    file = Path(path)
    if not file.is_file():
        msg = f"{file.name}: there is no such study file."
        raise FileError(msg)
    try:
        entries = tomllib.loads(file.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        msg = f"{file.name}: not valid TOML: {error}."
        raise StudyError(msg) from None
    except UnicodeDecodeError:
        msg = f"{file.name}: not UTF-8 text. Save it as UTF-8."
        raise StudyError(msg) from None
    spec = parse(entries, file.name)
    return _from_file(spec, file)


def _from_file(spec: StudyFile, file: Path) -> Study:
    def at(name: str) -> Path:
        return file.parent / name

    profile = spec.study.profile
    if profile.endswith(".toml"):
        profile = str(at(profile))
    options = spec.options.model_dump(exclude_unset=True)
    return Study(
        at(spec.data.original),
        {
            name: [at(item) for item in value] if isinstance(value, list) else at(value)
            for name, value in spec.data.replicas.items()
        },
        keys=spec.roles.keys,
        targets=spec.roles.targets,
        holdout=None if spec.data.holdout is None else at(spec.data.holdout),
        scenarios=[
            Scenario(s.name, tuple(s.keys), tuple(s.targets or ()), s.description)
            for s in spec.scenario
        ],
        title=spec.study.title,
        context=spec.context,
        profile=profile,
        command=f"sdcmetrics review {file.name}",
        missing_codes=spec.missing_codes,
        **options,
    )


def _load(value: Any, name: str) -> Microdata:
    if isinstance(value, str | Path):
        return read(value)
    return as_microdata(value, name)


def _load_many(value: Any, name: str) -> tuple[Microdata, ...]:
    if isinstance(value, list | tuple):
        if not value:
            msg = f"replica {name!r}: expected at least one synthesis but got an empty list."
            raise DataError(msg)
        return tuple(_load(item, f"{name} {i}") for i, item in enumerate(value, start=1))
    return (_load(value, name),)


def _from_roles(
    keys: Sequence[str],
    targets: Sequence[str] | None,
    original: Microdata,
    replicas: Mapping[str, tuple[Microdata, ...]],
) -> Scenario:
    names = [keys] if isinstance(keys, str) else list(keys)
    wanted = [targets] if isinstance(targets, str) else list(targets or ())
    return _complete(Scenario("default", tuple(names), tuple(wanted)), original, replicas)


def _complete(
    scenario: Scenario, original: Microdata, replicas: Mapping[str, tuple[Microdata, ...]]
) -> Scenario:
    where = "" if scenario.name == "default" else f" of scenario {scenario.name!r}"
    if not scenario.keys:
        msg = f"keys{where}: expected the columns that an intruder knows, but got none."
        raise StudyError(msg)
    check_names(scenario.keys, original, f"key{where}")
    check_names(scenario.targets, original, f"target{where}")
    both = [name for name in scenario.targets if name in scenario.keys]
    if both:
        msg = (
            f"column {both[0]!r} is both a key and a target{where}. What an intruder knows cannot "
            "be learned; remove it from one of the two."
        )
        raise ColumnError(msg)
    syntheses = [data for many in replicas.values() for data in many]
    for name in (*scenario.keys, *scenario.targets):
        for data in syntheses:
            if name not in data.columns:
                msg = (
                    f"column {name!r}{where} is missing from {data.source}."
                    f"{did_you_mean(name, data.columns)} Rename the column, or leave it out."
                )
                raise ColumnError(msg)
    targets = scenario.targets or tuple(
        name
        for name in original.columns
        if name not in scenario.keys and all(name in data.columns for data in syntheses)
    )
    if not targets:
        msg = f"targets{where}: no column is left that is no key."
        raise StudyError(msg)
    return Scenario(scenario.name, tuple(scenario.keys), targets, scenario.description)


def _options(given: Mapping[str, Any], original: Microdata) -> Options:
    known = list(Options.__dataclass_fields__)
    for name in given:
        if name not in known:
            msg = f"unknown option {name!r}.{did_you_mean(name, known)}"
            raise StudyError(msg)
    values: dict[str, Any] = {k: tuple(v) if k in _TUPLES and v else v for k, v in given.items()}
    options = Options(**values)
    for name in ("ngroups_keys", "ngroups_targets", "round_to", "missing_codes"):
        mapping = getattr(options, name)
        if not isinstance(mapping, Mapping):
            msg = f"{name}: expected a mapping of column to value."
            raise StudyError(msg)
        for column in mapping:
            if column not in original.columns:
                msg = (
                    f"{name}: {column!r} is not a column of {original.source}."
                    f"{did_you_mean(column, original.columns)}"
                )
                raise StudyError(msg)
    if options.variables is not None:
        check_names(options.variables, original, "variable")
    if options.ngroups < 1:
        msg = f"ngroups: expected a whole number of at least 1 but got {options.ngroups}."
        raise StudyError(msg)
    return options


_TUPLES = ("variables", "ways")
