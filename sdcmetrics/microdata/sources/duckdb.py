"""Tables and queries of DuckDB: what is too large to be held is grouped there, and spills there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow as pa

from sdcmetrics.errors import DataError, FileError
from sdcmetrics.microdata.sources.large import Large, large
from sdcmetrics.microdata.sources.source import (
    BATCH,
    COUNT,
    Kernel,
    Partials,
    Records,
    reading,
    unchanged,
)
from sdcmetrics.microdata.sources.stream import plain_batches, plain_types

SCHEME = "duckdb:///"


@dataclass(frozen=True)
class _Relation(Records):
    """A relation, which is computed again whenever it is read."""

    grouped: Callable[[Sequence[str]], Iterator[pa.RecordBatch]] | None = None

    def count(self, columns: Sequence[str], kernel: Kernel) -> Partials:
        """Let the engine group what has more cells than a table can hold; count the rest here."""
        if self.grouped is None or not getattr(kernel, "sparse", False):
            return super().count(columns, kernel)
        self.check()
        return kernel(self.grouped(columns))


def is_relation(value: Any) -> bool:
    """Whether it is a relation of a DuckDB connection."""
    return type(value).__name__ == "DuckDBPyRelation"


def file_of(address: str) -> str:
    """Return the path of the data base in an address.

    >>> file_of("duckdb:///data/census.db?table=people")
    'data/census.db'
    """
    return unquote(address.removeprefix(SCHEME).partition("?")[0])


def at_folder(address: str, folder: Path) -> str:
    """Return the address with its path seen from a folder.

    >>> at_folder("duckdb:///census.db?table=people", Path("data"))
    'duckdb:///data/census.db?table=people'
    """
    rest = address.removeprefix(SCHEME)
    path, mark, query = rest.partition("?")
    return f"{SCHEME}{folder / Path(path).expanduser()}{mark}{query}"


def scan_address(address: str, source: str | None = None) -> Large:
    """Open ``duckdb:///file.db?table=t`` or ``duckdb:///file.db?query=select ...``, to read only.

    Raises
    ------
    FileError
        If there is no such file, or it is no data base.
    DataError
        If DuckDB is not installed, or the address names no table and no query that it has.
    """
    try:
        import duckdb
    except ImportError:
        msg = (
            f"{SCHEME}: DuckDB is not installed. Install it with: pip install 'sdcmetrics[duckdb]'"
        )
        raise DataError(msg) from None
    path = Path(file_of(address))
    what, name_or_query = _query_of(address.partition("?")[2])
    if not path.is_file():
        msg = f"{path}: there is no such file."
        raise FileError(msg)
    if what not in ("table", "query") or not name_or_query:
        msg = f"{SCHEME}{path}: expected ?table=NAME or ?query=SELECT ... after the file."
        raise DataError(msg)
    name = source or f"{path.name}: {name_or_query if what == 'table' else what}"
    reason = ""
    try:
        # A query may come with the study file of somebody else: it reads this data base, no other
        # file, and writes none.
        alone: Any = {"enable_external_access": "false"}
        connection = duckdb.connect(str(path), read_only=True, config=alone)
        open_it = connection.table if what == "table" else connection.sql
        relation: Any = open_it(name_or_query)
    except duckdb.Error as error:
        reason = type(error).__name__
    if reason or relation is None:
        msg = (
            f"{name}: DuckDB cannot open it ({reason or 'no select'}). Check the file and the "
            "name, and that no other program, and no other connection, writes to it."
        )
        raise DataError(msg)
    same = unchanged([path], name)

    def check(_: Any = connection) -> None:  # which older relations do not keep open
        same()

    return scan_relation(relation, name, check)


def _query_of(text: str) -> tuple[str, str]:
    """Return what is asked for and its name, or SQL as it stands: + and % mean something there.

    Only what has no blank may be encoded as in a web address.

    >>> _query_of("query=select a + b & 1 from t where name like '%ab'")
    ('query', "select a + b & 1 from t where name like '%ab'")
    >>> _query_of("query=select%20a%2Bb%20from%20t"), _query_of("table=my%20table")
    (('query', 'select a+b from t'), ('table', 'my table'))
    """
    what, _, name = text.partition("=")
    return what, name if what == "query" and " " in name else unquote(name)


def scan_relation(relation: Any, source: str, check: Callable[[], None] = lambda: None) -> Large:
    """Read a relation of a DuckDB connection, such as ``con.sql("select ...")``, in batches.

    Raises
    ------
    DataError
        If DuckDB cannot compute it, now or while it is read.
    """
    import duckdb

    with reading(source):
        schema = plain_types(relation.limit(0).to_arrow_table().schema)

    def read(columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        with reading(source):
            some = relation.select(*map(duckdb.ColumnExpression, columns))
            yield from plain_batches(_reader(some), schema, columns)

    def grouped(columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        names = [duckdb.ColumnExpression(name) for name in columns]
        with_count = schema.append(pa.field(COUNT, pa.int64()))
        with reading(source):
            count = duckdb.FunctionExpression("count_star").alias(COUNT)
            some = relation.aggregate([*names, count])
            yield from plain_batches(_reader(some), with_count, [*columns, COUNT])

    return large(_Relation(schema, read, check, grouped), source)


def _reader(relation: Any) -> Any:
    # Its name until DuckDB 1.4 is deprecated since.
    return (getattr(relation, "to_arrow_reader", None) or relation.fetch_arrow_reader)(BATCH)
