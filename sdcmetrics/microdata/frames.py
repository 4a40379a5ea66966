"""Data sets as read: an Arrow table, its origin, and the changes made to read it."""

from __future__ import annotations

import math
import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from sdcmetrics.errors import ColumnError, DataError
from sdcmetrics.microdata.arrays import Counts
from sdcmetrics.microdata.in_pandas import InPandas, of_pandas
from sdcmetrics.results import Readable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from narwhals.stable.v2.typing import IntoDataFrame


T = TypeVar("T")

_ARROW = pa.Array | pa.ChunkedArray
_FIFTEEN_DIGITS = 10.0**15
_LONGEST = 10.0**22
"""Whole numbers from here on are written with an exponent, in as many digits as they need."""


@dataclass(frozen=True, slots=True)
class Fix:
    """One change made to an input so that it could be assessed, or one thing left out of it.

    Attributes
    ----------
    source : str
        The data set or file that was changed.
    column : str or None
        The column, or None where the whole data set is concerned.
    what : str
        What was done, in words, without any data value of the original.
    cells : int or None
        How many cells were changed, where that can be counted.
    compared : bool
        Whether it follows from what other data sets hold, the original among them: no edition for
        outside the house lists it.
    """

    source: str
    column: str | None
    what: str
    cells: int | None = None
    compared: bool = field(default=False, compare=False)

    def __str__(self) -> str:
        """Return the fix as one line."""
        where = self.source if self.column is None else f"{self.source}, column {self.column!r}"
        return f"{where}: {self.what}"


_TABLES = ("to_arrow_table", "read_all", "to_pandas")
"""How relations of DuckDB, readers of Arrow and others give all their records as a table."""

SAME_AGAIN = "the data are those of {}: the same once more, and no data of their own"
"""What is listed of a data set that is given twice."""


class CachedResult(NamedTuple, Generic[T]):
    """A result that a data set remembers, and the changes that were listed on the way to it."""

    result: T
    fixes: tuple[Fix, ...]


class _Memo:
    """Cache of a data set's columns, by the data set that it was compared with."""

    def __init__(self) -> None:
        self.compared: weakref.WeakKeyDictionary[_Memo, dict[Any, Any]] = (
            weakref.WeakKeyDictionary()
        )

    def __reduce__(self) -> tuple[type[_Memo], tuple[()]]:
        """Return how to make a copy, with an empty cache."""
        return _Memo, ()


class _Table:
    """The field `Microdata.table`; columns of pandas become one when somebody asks for it."""

    def __get__(self, data: Microdata, owner: type) -> pa.Table:
        held = data.__dict__["table"]
        return held.table if isinstance(held, InPandas) else held

    def __set__(self, data: Microdata, table: pa.Table | InPandas) -> None:
        data.__dict__["table"] = table


@dataclass(frozen=True)
class Microdata(Readable, shows=("source", "n", "columns")):
    """A data set with its origin.

    Attributes
    ----------
    table : pyarrow.Table
        The columns. Categories are dictionary columns; missing is Arrow's null.
    source : str
        What messages call the data set: a file's name, or "original", "replica 'cart'", ...
    value_labels : mapping of column to mapping of code to label
        Labels that the file gives to codes which still stand in the column as codes.
    level_codes : mapping of column to mapping of level to code
        Codes that the file has for the levels of a category, where its labels made the levels.
    labels : mapping of column to text
        What the file says of a column beside its name.
    missing_codes : mapping of column to tuple of numbers
        Codes that the file declares to mean some kind of missing (SPSS user-missing values).
    scales : mapping of column to "nominal", "ordinal" or "interval"
        Levels of measurement that the file, or its metadata, tell.
    fixes : tuple of Fix
        What was changed while reading.
    not_taken : tuple of str
        Columns that the frame had but that were not asked for.
    unread : pyarrow.Table
        What the file holds beside its columns: names of rows, unless they number them; no rows of
        a source in batches.
    missing_texts : tuple of str
        Texts that were read as missing, in a format that has nothing else for missing.
    sha256 : str or None
        Digest of the file's bytes, or None for data that did not come from a file.
    """

    table: pa.Table
    source: str
    value_labels: Mapping[str, Mapping[float, str]] = field(default_factory=dict)
    level_codes: Mapping[str, Mapping[str, float | str]] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    missing_codes: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    scales: Mapping[str, str] = field(default_factory=dict)
    fixes: tuple[Fix, ...] = ()
    not_taken: tuple[str, ...] = ()
    unread: pa.Table = field(default_factory=lambda: pa.table({}))
    missing_texts: tuple[str, ...] = ()
    sha256: str | None = None
    _memo: _Memo = field(default_factory=_Memo, init=False, repr=False, compare=False)

    def remember(
        self, key: Any, compared_with: Microdata, make: Callable[[list[Fix]], T]
    ) -> CachedResult[T]:
        """Return the cached result of `make` and the changes that it lists.

        It is forgotten with either data set; a data set made by `dataclasses.replace` is another.
        """
        cached: dict[Any, CachedResult[T]] = self._memo.compared.setdefault(compared_with._memo, {})
        if key not in cached:
            fixes: list[Fix] = []
            cached[key] = CachedResult(make(fixes), tuple(fixes))
        return cached[key]

    @property
    def columns(self) -> list[str]:
        """Names of the columns, in file order."""
        return list(self.__dict__["table"].column_names)

    @property
    def n(self) -> int:
        """Number of records."""
        return int(self.__dict__["table"].num_rows)

    def column(self, name: str) -> Any:
        """Return the entries of a column: its records, or the distinct values of a large source.

        Arrow's, or of a pandas frame, see `InPandas`.
        """
        return self.__dict__["table"].column(name)

    def counts(self, name: str) -> Counts | None:  # noqa: ARG002  (a large source counts by column)
        """Return how many records have each entry of a column; None where each is a record."""
        return None

    @property
    def large(self) -> tuple[Any, ...]:
        """The data set, if it is a `Large` one: of distinct values, which are counted."""
        return ()

    def to_pandas(self) -> Any:
        """Return the data as a pandas frame; categories become categoricals."""
        return self.table.to_pandas()


Microdata.table = _Table()  # now that it is no default


def cells(flags: npt.NDArray[np.bool_], counts: Counts | None) -> int:
    """Return how many records the flagged entries of a column stand for.

    Examples
    --------
    >>> flags = np.array([True, False, True])
    >>> cells(flags, None), cells(flags, np.array([3, 1, 1]))
    (2, 4)
    """
    return int(flags.sum() if counts is None else counts[flags].sum())


def check_column_names(names: Sequence[object], source: str) -> None:
    """Raise ColumnError unless the names are distinct, non-empty text."""
    earlier: set[str] = set()
    for position, name in enumerate(names, start=1):
        if not isinstance(name, str):
            renamed = (
                'frame.columns.map(lambda name: " ".join(map(str, name)))'
                if isinstance(name, tuple)  # of several levels
                else "frame.columns.astype(str)"
            )
            msg = (
                f"{source}: column {position} has a name that is not text. Rename it to a "
                f"string; in pandas: frame.columns = {renamed}."
            )
            raise ColumnError(msg)
        if not name.strip():
            msg = f"{source}: column {position} has an empty name. Give it a name in the header"
            if position == len(names):
                msg += ", or take away the delimiter at the end of each line"
            msg += "."
            raise ColumnError(msg)
        if not name.isascii() and _encodable(name) != name:
            msg = (
                f"{source}: column {position} has a name with half a Unicode character (a lone "
                "surrogate). Rename it."
            )
            raise ColumnError(msg)
        if name in earlier:
            msg = f"{source}: the column name {name!r} occurs more than once. Rename one of them."
            raise ColumnError(msg)
        earlier.add(name)


def as_microdata(
    frame: IntoDataFrame | Microdata, source: str, columns: Sequence[str] | None = None
) -> Microdata:
    """Wrap any frame that narwhals knows (pandas, polars, pyarrow, ...) as Microdata.

    With `columns` only those are taken over, if the frame has them all.

    Raises
    ------
    DataError
        If `frame` is no data frame, has no rows or no columns.
    ColumnError
        If column names are duplicated, empty or not text, or a column cannot be represented.
    """
    if isinstance(frame, Microdata):
        if frame.large:
            msg = (
                f"{source}: {frame.source} is counted in batches, which a Study does and this "
                "function does not. Pass records in memory."
            )
            raise DataError(msg)
        return frame
    if callable(getattr(frame, "collect", None)):
        msg = (
            f"{source}: expected a data frame in memory but got {type(frame).__name__}. Collect "
            "it first, such as with frame.collect()."
        )
        raise DataError(msg)
    names: Any = getattr(frame, "column_names", getattr(frame, "columns", None))
    if names is not None and not callable(names):
        names = list(names)
        check_column_names(names, source)
    every: dict[str, Any]
    if isinstance(frame, pd.DataFrame):  # asked itself, which takes less time
        # Numbered columns are found faster; whoever changes the frame does not change this copy.
        own = frame.set_axis(range(frame.shape[1]), axis="columns")
        every = {str(name): column for name, (_, column) in zip(names, own.items(), strict=True)}
    else:
        try:
            wrapped = nw.from_native(frame, eager_only=True)
        except TypeError:
            remedy = next(
                (f"Pass its records: frame.{way}()." for way in _TABLES if hasattr(frame, way)),
                "Read a file with sdcmetrics.read(path).",
            )
            msg = (
                f"{source}: expected a data frame (pandas, polars, pyarrow, ...) but got "
                f"{type(frame).__name__}. {remedy}"
            )
            raise DataError(msg) from None
        every = dict(zip(wrapped.columns, wrapped.iter_columns(), strict=True))
    taken = every
    if columns is not None and set(columns) <= every.keys():
        taken = {name: column for name, column in every.items() if name in columns}
    fixes = _of_index(frame, source) if isinstance(frame, pd.DataFrame) else []
    entries = {name: _entries(column, name, source, fixes) for name, column in taken.items()}
    pandas = isinstance(frame, pd.DataFrame)
    table = InPandas(len(frame), taken, entries) if pandas else pa.table(entries)
    if not table.column_names:
        msg = f"{source}: the data set has no columns."
        raise DataError(msg)
    if table.num_rows == 0:
        msg = f"{source}: the data set has no records, only column names."
        raise DataError(msg)
    left = tuple(name for name in every if name not in taken)
    return Microdata(table=table, source=source, fixes=tuple(fixes), not_taken=left)


def _of_index(frame: pd.DataFrame, source: str) -> list[Fix]:
    """List the named levels of an index, which are no columns: keys easily end up there."""
    what = "stands in the index, which is not read: frame.reset_index() makes it a column"
    return [Fix(source, name, what) for name in frame.index.names if isinstance(name, str)]


def _entries(series: Any, name: str, source: str, fixes: list[Fix]) -> Any:
    what = "mixes kinds of values; all were read as text"
    try:
        array = of_pandas(series) if isinstance(series, pd.Series) else series.to_arrow()
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        pass
    else:
        is_arrow = isinstance(array, _ARROW)
        if not is_arrow or not isinstance(array.type, pa.BaseExtensionType):
            # Arrow's dictionaries of text by views take what is missing for the empty text.
            is_view = is_arrow and pa.types.is_string_view(array.type)
            return array.cast(pa.large_string()) if is_view else array
        what = f"values of type {array.type.extension_name} were read as text"
    # Arrow cannot hold a column that mixes numbers and text; as text nothing is lost.
    values = series.to_list()
    as_text = [None if _is_missing(value) else _encodable(label_of(value)) for value in values]
    fixes.append(Fix(source, name, what, len(values)))
    return pa.array(as_text, type=pa.string())


def _is_missing(value: Any) -> bool:
    missing = pd.isna(value)
    return missing if isinstance(missing, bool) else False  # a list in a cell is a value


def _encodable(text: str) -> str:
    """Return the text with lone surrogates, which are half a character, written out."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def label_of(value: object) -> str:
    """Text of a level: numbers in up to 15 significant digits, so that 1, 1.0 and "1" agree.

    Whole numbers of more digits keep those that tell them from the next float: they may be
    identifiers.
    """
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        if _FIFTEEN_DIGITS <= abs(value) < _LONGEST and value.is_integer():
            return f"{value:.0f}"
        if _LONGEST <= abs(value) < math.inf:
            return repr(float(value))
        return f"{value + 0.0:.15g}"  # -0.0 is 0
    if isinstance(value, Decimal):
        return f"{value.normalize():f}"
    return str(value)


def labels_of(values: npt.NDArray[np.float64]) -> list[str]:
    """Texts of numbers, as `label_of` gives them one by one."""
    if (np.abs(values) < _FIFTEEN_DIGITS).all() and (values == np.trunc(values)).all():
        return [*map(str, values.astype(np.int64).tolist())]
    return [label_of(value) for value in values.tolist()]


def tell_apart(data: Sequence[Microdata], roles: Sequence[str]) -> list[Microdata]:
    """Give data sets that share a name, such as files in two folders, names of their own.

    Examples
    --------
    >>> table = pa.table({"x": [1]})
    >>> both = tell_apart([Microdata(table, "a.csv")] * 2, ["original", "replica"])
    >>> [data.source for data in both]
    ['original (a.csv)', 'replica (a.csv)']
    """
    names = [data_set.source for data_set in data]
    if len(set(names)) == len(names):
        return list(data)
    out = []
    for data_set, role in zip(data, roles, strict=True):
        if names.count(data_set.source) > 1:
            source = role if role == data_set.source else f"{role} ({data_set.source})"
            fixes = tuple(replace(fix, source=source) for fix in data_set.fixes)
            out.append(replace(data_set, source=source, fixes=fixes))
        else:
            out.append(data_set)
    return out
