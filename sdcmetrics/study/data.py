"""Return the data sets of a study; every file is checked before one is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from sdcmetrics.errors import ColumnError, DataError, FileError, SdcMetricsError, StudyError
from sdcmetrics.microdata.codebook.codebook import Codebook
from sdcmetrics.microdata.codebook.read import read_codebook
from sdcmetrics.microdata.file_format import TEXT_FORMATS
from sdcmetrics.microdata.frames import SAME_AGAIN, Fix, Microdata, as_microdata, tell_apart
from sdcmetrics.microdata.read import check_file, read
from sdcmetrics.microdata.read_synds import holds_synds, read_synds
from sdcmetrics.microdata.sources.distinct import MOST_VALUES
from sdcmetrics.microdata.sources.duckdb import SCHEME
from sdcmetrics.microdata.sources.large import MOST_READ, of_memory
from sdcmetrics.microdata.sources.rounded import share_values
from sdcmetrics.microdata.sources.scan import is_large, scan

_OF_TEXT = ("delimiter", "missing", "decimal")
_OF_COLUMNS = ("kinds", "decimal")


@dataclass(frozen=True)
class DataSets:
    """The data sets of a study, each by a name of its own."""

    original: Microdata
    replicas: dict[str, tuple[Microdata, ...]]
    holdout: Microdata | None
    earlier_files: tuple[Microdata, ...] = ()

    @property
    def every(self) -> list[Microdata]:
        """Original, syntheses and, where there is one, the holdout."""
        sets = [
            self.original,
            *(synthesis for syntheses in self.replicas.values() for synthesis in syntheses),
        ]
        return sets if self.holdout is None else [*sets, self.holdout]

    def map(self, function: Callable[[Microdata], Microdata]) -> DataSets:
        """Return what a function makes of each."""
        first = function(self.original)
        each = {name: tuple(map(function, syntheses)) for name, syntheses in self.replicas.items()}
        aside = None if self.holdout is None else function(self.holdout)
        return DataSets(first, each, aside, tuple(map(function, self.earlier_files)))


def check_replicas(replicas: Any) -> dict[str, list[Any]]:
    """Return the syntheses of each replica.

    Raises
    ------
    StudyError
        If `replicas` is no mapping of names.
    DataError
        If a replica has no synthesis.
    """
    if not isinstance(replicas, Mapping) or not replicas:
        msg = (
            "replicas: expected a mapping of at least one name to a data frame or a list of "
            'data frames, such as {"cart": cart, "ctgan": [s1, s2]}.'
        )
        raise StudyError(msg)
    out: dict[str, list[Any]] = {}
    for name, value in replicas.items():
        if not str(name).strip():
            msg = "replicas: a name is empty. Give each replica a name."
            raise StudyError(msg)
        if str(name) in out:
            msg = f"replicas: the name {str(name)!r} is given more than once."
            raise StudyError(msg)
        items = list(value) if isinstance(value, list | tuple) else [value]
        out[str(name)] = [item for item_ in items for item in _syntheses(item_)]
        if not out[str(name)]:
            msg = f"replica {name!r}: expected at least one synthesis but got an empty list."
            raise DataError(msg)
    return out


def load(
    original: Any,
    replicas: Mapping[str, list[Any]],
    holdout: Any,
    read_options: Mapping[str, Any],
    earlier: Sequence[Any] = (),
) -> DataSets:
    """Read files, wrap frames, and give data sets of one name names of their own.

    Beside the options of `read`, `in_memory` reads files whole, however large.

    Raises
    ------
    FileError
        If files are absent or damaged; one line for each file that is not there.
    DataError, ColumnError
        If a data set has no records, or columns without a name of their own.
    StudyError
        If the holdout is the original.
    """
    values = [original, *(item for syntheses in replicas.values() for item in syntheses)]
    roles = ["original", *_roles(replicas)]
    if holdout is not None:
        values.append(holdout)
        roles.append("holdout")
    before = [item for value in earlier for item in _syntheses(value)]
    values += before
    roles += [f"earlier {i}" for i in range(1, len(before) + 1)]
    read_options = dict(read_options)
    if read_options.get("metadata") is not None and not isinstance(
        read_options["metadata"], Codebook
    ):
        read_options["metadata"] = read_codebook(read_options["metadata"])
    in_batches = _in_batches(in_memory=bool(read_options.pop("in_memory", False)))
    formats = _look_at(values, in_batches)
    file_names = [Path(value).name for value in values if _is_path(value)]
    data: list[Microdata] = []
    for value, role in zip(values, roles, strict=True):
        if in_batches(value):
            how = {name: given for name, given in read_options.items() if given is not None}
            if how.pop("metadata", None) is not None:
                msg = (
                    f"{value}: metadata are for files that are read whole, and this one is counted "
                    'in batches. Say engine = "memory" in [data], or leave metadata out of [read].'
                )
                raise StudyError(msg)
            source = _name_of(value, role, file_names)
            data.append(_read_with(partial(scan, value, source), how, data[:1]))
            continue
        if not _is_path(value):
            data.append(as_microdata(value, role))
            continue
        path = Path(value)
        source = _name_of(value, role, file_names)
        options = _applicable(read_options, formats[str(path)])
        data.append(_read_with(partial(read, path, source=source), options, data[:1]))
        if isinstance(read_options.get("metadata"), Codebook) and len(data) == 1:
            read_options["metadata"] = read_options["metadata"].like(data[0])
    own = len(data) - len(before)
    if not any(data_set.large for data_set in data[:own]):
        # A folder that went out must not take from a study in memory what is counted there only.
        data[own:] = map(_whole_if_it_fits, data[own:])
    if any(data_set.large for data_set in data):
        data = list(share_values([of_memory(data_set) for data_set in data]))
    named = [f"replica {role}" for role in _roles(replicas)]
    data = tell_apart(data, ["original", *named, *roles[1 + len(named) :]])
    last = 1 + len(named)
    data[1:last] = _with_repeats_listed(data[1:last], values[1:last])
    rest = iter(data)
    first = next(rest)
    syntheses_of = {name: tuple(next(rest) for _ in items) for name, items in replicas.items()}
    aside = next(rest) if holdout is not None else None
    if aside is not None and _is_same(aside, first, holdout, original):
        msg = (
            f"holdout: {aside.source} has the same records as {first.source}. A holdout has "
            "records of the same population that were not used for synthesis; leave it out if "
            "there are none."
        )
        raise StudyError(msg)
    return DataSets(first, syntheses_of, aside, tuple(rest))


def _whole_if_it_fits(data: Microdata) -> Microdata:
    """Return a data set in memory, unless it is too large for that."""
    return data.large[0].whole() if data.large and data.large[0].fits() else data


def _read_with(
    reading: Callable[..., Microdata], options: Mapping[str, Any], first: Sequence[Microdata]
) -> Microdata:
    """Read a file; what is said of columns that only the original has is left aside."""
    try:
        return reading(**options)
    except ColumnError:
        of_columns = {n: options[n] for n in _OF_COLUMNS if isinstance(options.get(n), Mapping)}
        if not first or not of_columns:
            raise
        others = {name: given for name, given in options.items() if name not in of_columns}
        try:
            columns = [*reading(**others).columns]
        except SdcMetricsError:
            columns = []
        lacking = {*first[0].columns} - {*columns}
        if not columns or not any(
            column in lacking for given in of_columns.values() for column in given
        ):
            raise
    present = {
        name: {column: how for column, how in given.items() if column not in lacking}
        for name, given in of_columns.items()
    }
    return reading(**others, **present)


def refuse_one_record(original: Microdata, holdout: Microdata | None) -> None:
    """Raise DataError if a holdout stands beside a file of one record, or is one itself.

    What is compared with a holdout has to have two records, for the distance from one to another.
    """
    for data_set in () if holdout is None else (original, holdout):
        if data_set.n < 2:  # noqa: PLR2004  (two records)
            msg = (
                f"{data_set.source} has one record. Original and holdout need at least two each "
                "to be compared: leave the holdout out, or keep more records."
            )
            raise DataError(msg)


def _with_repeats_listed(data: Sequence[Microdata], values: Sequence[Any]) -> list[Microdata]:
    """List of each synthesis whether an earlier one is the same file, or the same frame.

    Two names of one replica, or one synthesis counted twice, look like agreement of two.
    """
    before: dict[Any, str] = {}
    out = []
    for data_set, value in zip(data, values, strict=True):
        own = Path(value).resolve() if _is_path(value) else id(value)
        key = data_set.sha256 or own
        if key in before:
            what = SAME_AGAIN.format(before[key])
            data_set = replace(data_set, fixes=(*data_set.fixes, Fix(data_set.source, None, what)))  # noqa: PLW2901
        before.setdefault(key, data_set.source)
        out.append(data_set)
    return out


def read_whole(data: DataSets, purpose: str, names: Sequence[str] | None = None) -> DataSets:
    """Return data sets that are counted in batches with the records of some columns in memory.

    Raises
    ------
    StudyError
        If they are too many; `purpose` says what needs them.
    """
    every = [*data.every, *data.earlier_files]
    for large in (large for data_set in every for large in data_set.large):
        if not large.fits(names):
            msg = (
                f"{purpose} needs records in memory, and {large.source} is counted in batches: it "
                f"has more than {MOST_READ:,} values (records times columns), or more than "
                f"{MOST_VALUES:,} distinct ones in a column. Ask it of fewer columns, of a "
                "random sample of the records, or of one file per data set, read whole: engine = "
                '"memory" in [data].'
            )
            raise StudyError(msg)
    return data.map(lambda data_set: data_set.large[0].whole(names) if data_set.large else data_set)


def _is_same(aside: Microdata, first: Microdata, holdout: Any, original: Any) -> bool:
    """Whether the holdout is the original; of large ones it is only known of paths."""
    if aside.large:
        return _is_path(holdout) and str(holdout) == str(original)
    return bool(aside.table.equals(first.table))


def same_as_holdout(
    replicas: Mapping[str, Sequence[Microdata]], holdout: Microdata | None
) -> list[str]:
    """Return the replicas that are the holdout; of data sets in batches it is not known."""
    if holdout is None or holdout.large:
        return []
    return [
        name
        for name, syntheses in replicas.items()
        if any(
            not synthesis.large and synthesis.table.equals(holdout.table) for synthesis in syntheses
        )
    ]


def lacking_columns(
    original: Microdata, syntheses: Iterable[Microdata], variables: Sequence[str] | None
) -> tuple[str, ...]:
    """Return the columns that a file of a replica lacks, where all are to be compared."""
    if variables is not None:
        return ()
    there = set(original.columns).intersection(*(data.columns for data in syntheses))
    return tuple(name for name in original.columns if name not in there)


def _name_of(value: Any, role: str, file_names: list[str]) -> str | None:
    """Return the name of a data set in messages; None for the name of its file."""
    if not _is_path(value):
        return role
    if str(value).startswith(SCHEME):
        return None
    name = Path(value).name
    return f"{role} ({name})" if file_names.count(name) > 1 else None


def _roles(replicas: Mapping[str, list[Any]]) -> Iterator[str]:
    for name, items in replicas.items():
        if len(items) == 1:
            yield name
        else:
            yield from (f"{name} {i}" for i in range(1, len(items) + 1))


def _syntheses(value: Any) -> list[Any]:
    """Return the syntheses that a file of R's synthpop holds, or the value itself."""
    return list(read_synds(value)) if _is_path(value) and holds_synds(value) else [value]


def _is_path(value: Any) -> bool:
    return isinstance(value, str | Path)


def _in_batches(*, in_memory: bool) -> Callable[[Any], bool]:
    """Return a function that says whether a data set is counted in batches."""
    if not in_memory:
        return is_large
    return lambda value: is_large(value) and not (_is_path(value) and Path(value).is_file())


def _look_at(values: Iterable[Any], in_batches: Callable[[Any], bool]) -> dict[str, str]:
    formats: dict[str, str] = {}
    problems: dict[str, None] = {}
    for value in values:
        if _is_path(value) and not in_batches(value):
            try:
                formats[str(Path(value))] = check_file(value)
            except FileError as error:
                problems[str(error)] = None
    if problems:
        raise FileError("\n".join(problems))
    return formats


def _applicable(options: Mapping[str, Any], form: str) -> dict[str, Any]:
    """Return the reading options that a file of this format can have."""
    out = {name: value for name, value in options.items() if value is not None}
    if form not in TEXT_FORMATS:
        for name in _OF_TEXT:
            out.pop(name, None)
    if form not in (*TEXT_FORMATS, "parquet", "feather"):
        out.pop("metadata", None)  # such files have labels of their own
    if form in ("parquet", "feather"):
        out.pop("encoding", None)
    return out
