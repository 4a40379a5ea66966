"""Read study files: entries, paths and data sets to a study."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from sdcmetrics.errors import FileError, StudyError, did_you_mean
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.coarsening import PERIODS
from sdcmetrics.microdata.sources.duckdb import SCHEME, at_folder
from sdcmetrics.microdata.sources.spark import open_with_spark
from sdcmetrics.study.file import StudyEntries, parse, read_options
from sdcmetrics.study.ranking import RankingOptions, make_ranking
from sdcmetrics.study.roles import Scenario
from sdcmetrics.study.study import Study


@checked
def read_study(
    path: str | Path,
    *,
    engine: str | None = None,
    earlier_files: Sequence[Any] = (),
    allow_code: bool = False,
) -> Study:
    """Read a study file (TOML); paths in it are relative to the file.

    Parameters
    ----------
    path : path
    engine : "arrow", "spark" or "memory", optional
        What reads Parquet files, instead of what the file says; "memory" reads files whole.
    earlier_files : sequence of data frames or paths, optional
        See `Study`; what `sdcmetrics ledger` holds is for `sdcmetrics review`, which reads it.
    allow_code : bool
        Whether files of Python that the study names are run when it is conducted.

    Returns
    -------
    Study
        Checked against its data, and not conducted yet: see `conduct`.

    Raises
    ------
    FileError
        If the study file or a data file is missing or damaged.
    StudyError
        For TOML errors and for unknown or wrong entries.
    ColumnError, DataError
        If a data set lacks a column that the study names, or cannot be compared.
    """
    file = Path(path)
    entries = study_entries(file)
    if engine is not None and isinstance(entries.get("data"), dict):
        entries["data"]["engine"] = engine
    spec = parse(entries, file.name)
    return _from_file(spec, file, earlier_files, allow_code=allow_code)


def study_entries(file: Path) -> dict[str, Any]:
    """Return the entries of a study file, as they stand.

    Raises
    ------
    StudyError, FileError
        If there is no such file, or it is not TOML.
    """
    try:
        _refuse_absent(file)
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        msg = f"{file.name}: expected a study file, TOML in UTF-8, but this is not UTF-8 text."
        raise StudyError(msg) from None
    except OSError as error:
        msg = f"{file}: the file cannot be opened ({error.strerror}). Check its permissions."
        raise FileError(msg) from None
    try:
        return tomllib.loads(text)
    except RecursionError:
        reason = "lists or tables are nested thousands of levels deep"
    except tomllib.TOMLDecodeError as error:
        reason = str(error)
    if file.suffix.lower() != ".toml":
        msg = f"{file.name}: expected a study file (TOML), with [data] and [roles], and not data."
        raise StudyError(msg)
    hint = next((f" {words}" for part, words in _TOML if part in reason.lower()), "")
    msg = f"{file.name}: not valid TOML: {reason}.{hint}"
    raise StudyError(msg)


_PATHS = "Write paths with / or in single quotes."


_TOML = (
    ("\\", _PATHS),
    ("escape", _PATHS),
    ("hex value", _PATHS),
    ("invalid value", 'Write texts in quotes, name = "text", and lists in brackets.'),
    ("cannot overwrite", 'Name each entry once; several syntheses are a list, ["1.csv", "2.csv"].'),
    ("cannot declare", "Name each section once."),
    ("expected '='", "Write each entry as name = value, the name in quotes if it has blanks."),
)
"""What the parser says, and what to do; texts of the file itself are in none of it."""


def _refuse_absent(file: Path) -> None:
    if file.is_dir():
        msg = f"{file}: this is a directory. Name the study file (TOML) in it."
        raise FileError(msg)
    if not file.exists():
        others = [other.name for other in file.parent.glob("*.toml")]
        msg = f"{file}: there is no such study file.{did_you_mean(file.name, others)}"
        raise FileError(msg)


def _from_file(
    spec: StudyEntries, file: Path, earlier_files: Sequence[Any], *, allow_code: bool
) -> Study:
    def data(name: str) -> Any:
        if name.startswith(SCHEME):
            return at_folder(name, file.parent)
        path = file.parent / Path(name).expanduser()
        return open_with_spark(str(path)) if spec.data.engine == "spark" else path

    command = f"sdcmetrics review {file.name}"
    return study_of(spec, file, data, command, earlier_files, allow_code=allow_code)


def study_of(
    spec: StudyEntries,
    file: Path,
    data: Callable[[str], Any],
    command: str,
    earlier_files: Sequence[Any] = (),
    *,
    allow_code: bool = False,
) -> Study:
    """Return the study that a file describes, of the data that its names stand for."""

    def at(name: str) -> Path:
        return file.parent / Path(name).expanduser()

    options = {name: entry for name, entry in vars(spec.options).items() if name != "missing_codes"}
    if options.get("preset", "").endswith(".toml"):
        options["preset"] = str(at(options["preset"]))
    profile = spec.study.profile
    if profile.endswith(".toml"):
        profile = str(at(profile))
    return Study(
        data(spec.data.original),
        {name: [data(item) for item in items] for name, items in spec.data.replicas.items()},
        keys=spec.roles.keys,
        targets=spec.roles.targets,
        holdout=None if spec.data.holdout is None else data(spec.data.holdout),
        scenarios=[
            Scenario(s.name, tuple(s.keys), tuple(s.targets or ()), s.description)
            for s in spec.scenario
        ],
        coarsen=coarsen_of(spec, file),
        kinds={name: kind.model_dump() for name, kind in spec.kinds.items()},
        models=[(model.formula, model.family) for model in spec.model],
        earlier_files=earlier_files,
        rules=[*spec.rules, *(rule.model_dump() for rule in spec.rule)],
        ranking=_ranking(spec, file),
        title=spec.study.title,
        context=spec.context,
        profile=profile,
        command=command,
        allow_code=allow_code,
        read_options=read_options(spec, file) | {"in_memory": spec.data.engine == "memory"},
        missing_codes=spec.missing_codes,
        sample=None if spec.sample is None else spec.sample.model_dump(exclude_none=True),
        **{name: section.within(file.parent) for name, section in spec.sections.items()},
        **options,
    )


def coarsen_of(spec: StudyEntries, file: Path) -> dict[str, Any]:
    """Return ``[coarsen]`` with the paths of files of levels, which are relative to the file."""
    return {
        name: file.parent / Path(how).expanduser()
        if isinstance(how, str) and how not in PERIODS
        else how
        for name, how in spec.coarsen.items()
    }


def _ranking(spec: StudyEntries, file: Path) -> RankingOptions | None:
    if spec.ranking is None:
        return None
    try:
        return make_ranking(spec.ranking, models=bool(spec.model))
    except StudyError as error:
        msg = f"{file.name}: {error}"
    raise StudyError(msg)
