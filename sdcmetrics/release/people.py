"""Data sets as columns of plain texts, each entry read by itself."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sdcmetrics.errors import ColumnError, DataError, counted, did_you_mean
from sdcmetrics.microdata.arrays import Counts
from sdcmetrics.microdata.frames import Microdata, as_microdata
from sdcmetrics.microdata.sources.distinct import MOST_VALUES
from sdcmetrics.microdata.sources.large import Large, large
from sdcmetrics.microdata.sources.source import BATCH
from sdcmetrics.microdata.sources.source import Records as Batches
from sdcmetrics.release.texts import as_number, plain_text

T = TypeVar("T")

Codes = npt.NDArray[np.signedinteger[Any]]

MISSING = ("", "NA")
MOST_SORTED = 2_000_000
"""Records up to which the digest of a data set does not depend on their order."""


@dataclass(frozen=True, repr=False)
class Column:
    """A column: its distinct texts, None for missing, and the place of each entry among them.

    Attributes
    ----------
    texts : tuple of str or None
    codes : int array
        Of each record in memory; of a data set too large for it, of each distinct value.
    times : int array of the same length, or None
        How many records each of the codes stands for; None for one each.
    """

    texts: tuple[str | None, ...]
    codes: Codes
    times: Counts | None = None

    @property
    def counts(self) -> Counts:
        """How many records have each of the texts."""
        counts = np.bincount(self.codes, self.times, minlength=len(self.texts))
        return counts.astype(np.int64)  # exact, as no file has 2^53 records


@dataclass(frozen=True, repr=False)
class Records:
    """A data set, entry by entry; see `texts.plain_text`.

    Attributes
    ----------
    source : what messages call it
    n : number of records
    columns : dict of name to Column
    sha256 : digest of the file's bytes, or of several files' digests; empty without a file
    large : where the records are read from, batch by batch; None in memory
    whole : digest of all records of the file, where some of them were left out
    """

    source: str
    n: int
    columns: Mapping[str, Column]
    sha256: str = ""
    large: Large | None = None
    whole: bytes = b""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, also those that have more distinct values than are held."""
        return tuple(self.columns if self.large is None else self.large.columns)

    def column(self, name: str) -> Column:
        """Return a column.

        Raises
        ------
        ColumnError
            If there is no such column, or it has more distinct values than are held.
        """
        if name not in self.columns:
            if self.large is not None and name in self.names:
                self.large.column(name)  # says why it cannot be compared
            hint = did_you_mean(name, self.columns)
            msg = (
                f"{self.source}: there is no column {name!r}, which the study or a replica has."
                f"{hint} Rename the column, or leave it out of all data sets."
            )
            raise ColumnError(msg)
        return self.columns[name]

    def subset(self, rows: Codes) -> Records:
        """Return some of the records, which are in memory."""
        columns = {
            name: Column(column.texts, column.codes[rows]) for name, column in self.columns.items()
        }
        return Records(self.source, len(rows), columns, self.sha256, whole=self.whole)

    def batches(self, names: Sequence[str]) -> Iterator[dict[str, Codes]]:
        """Yield some columns of all records, part by part in their order, as places of texts.

        Raises
        ------
        DataError, FileError
            If a file changed since it was read first.
        """
        if self.large is None:
            for first in range(0, self.n, BATCH):
                rows = slice(first, first + BATCH)
                yield {name: self.columns[name].codes[rows] for name in names}
            return
        coders = {name: self.large.coder(name, self.columns[name].codes) for name in names}
        records = self.large.records
        assert isinstance(records, Batches)  # noqa: S101  (files are read in this process)
        parts = (
            {name: coder.codes(batch.column(coder.name)) for name, coder in coders.items()}
            for batch in records.batches([coder.name for coder in coders.values()])
        )
        n = 0
        for part in ahead(parts):
            yield part
            n += len(part[names[0]])
        self.large.check_records(n)

    @cached_property
    def counted(self) -> Records:
        """The same data set, its records counted batch by batch as those of large files."""
        return as_large(self)

    @property
    def ordered(self) -> bool:
        """Whether the digest is of the order of records, too."""
        return self.n > MOST_SORTED

    @cached_property
    def digest(self) -> bytes:
        """Digest of the content: the same whatever the order of columns.

        Nor does the order of records matter up to `MOST_SORTED`; of more it does, as sorting what
        tells them apart takes more memory than they do.
        """
        names = sorted(self.columns)
        if self.ordered:
            return self._digest_in_order([n for n in names if self._is_held(n)])
        whole = hashlib.sha256(repr((self.n, names)).encode())
        framed = {
            name: np.array([_framed(text) for text in self.columns[name].texts], dtype=object)
            for name in names
        }
        rows: Iterable[bytes] = chain.from_iterable(
            _digests([framed[name][codes] for name, codes in batch.items()])
            for batch in self.batches(names)
        )
        for row in sorted(rows):
            whole.update(row)
        return whole.digest()

    @property
    def forms(self) -> tuple[bytes, ...]:
        """Digests by which it is known again: of the records, of all of the file, of its bytes.

        With other texts for missing, or other records left out, it is the same people.
        """
        digests = (self.digest, self.whole, bytes.fromhex(self.sha256))
        return tuple(dict.fromkeys(filter(None, digests)))

    def _is_held(self, name: str) -> bool:
        """Whether so many distinct texts are held, however the records are read."""
        return len(self.columns[name].texts) <= MOST_VALUES

    def _digest_in_order(self, names: Sequence[str]) -> bytes:
        """Digest of the texts of each column in order, and of each record's place among them."""
        whole = hashlib.sha256(repr((self.n, names, "in order")).encode())
        places, hashes = {}, {}
        for name in names:
            texts = self.columns[name].texts
            framed = np.array([_framed(text) for text in texts], dtype=object)
            used = np.flatnonzero(self.columns[name].counts)
            order = used[np.argsort(framed[used], kind="stable")]
            content = "".join(framed[order]).encode("utf-8", "backslashreplace")
            whole.update(hashlib.sha256(content).digest())
            kind = np.dtype(np.min_scalar_type(max(len(order) - 1, 0))).newbyteorder("<")
            places[name] = np.zeros(len(texts), dtype=kind)
            places[name][order] = np.arange(len(order))
            hashes[name] = hashlib.sha256()
        for batch in self.batches(names):
            for name, codes in batch.items():
                hashes[name].update(places[name][codes].tobytes())
        for name in names:
            whole.update(hashes[name].digest())
        return whole.digest()


def refuse_shared(original: Records, holdout: Records, unit: str) -> None:
    """Raise if somebody is in original and holdout: that person would move both of their sums.

    Parameters
    ----------
    original, holdout : Records
    unit : str
        The column that says whose a record is; empty where each is of a person of its own.

    Raises
    ------
    DataError
        If they are one data set, or persons are in both; not if each file numbers its own.
    """
    why = "A person who is in both moves two figures, for which the noise is not made."
    if original.n and original.digest == holdout.digest:
        msg = f"{holdout.source}: the holdout has the records of the original. {why} Name another."
        raise DataError(msg)
    if not unit:
        return
    persons = [_present(data.column(unit)) for data in (original, holdout)]
    if all(map(_counts_on, persons)):
        return
    both = len(persons[0] & persons[1])
    if both:
        msg = (
            f"{holdout.source}, column {unit!r}: {counted(both, 'value')} "
            f"{'is' if both == 1 else 'are'} also in {original.source}. {why} Leave whom the "
            "original has out of the holdout; if numbers were given anew in each file, make them "
            'differ. Where each record is a person of its own, say unit = "" in [release].'
        )
        raise DataError(msg)


def _present(column: Column) -> set[str | None]:
    return {column.texts[i] for i in np.flatnonzero(column.counts)}


def _counts_on(persons: set[str | None]) -> bool:
    """Whether the numbers of people leave no gap, so that each file may number its own."""
    numbers = {as_number(text) for text in persons}
    return len(numbers) == len(persons) > 0 and max(numbers) - min(numbers) + 1 == len(numbers)


def ahead(parts: Iterator[T]) -> Iterator[T]:
    """Yield what an iterator does; each part is made while the one before it is used."""
    with ThreadPoolExecutor(1) as pool:
        following = pool.submit(next, parts, None)
        while (part := following.result()) is not None:
            following = pool.submit(next, parts, None)
            yield part


def _digests(columns: Sequence[npt.NDArray[Any]]) -> Iterator[bytes]:
    for row in zip(*columns, strict=True):
        yield hashlib.sha256("".join(row).encode("utf-8", "backslashreplace")).digest()


def _framed(text: str | None) -> str:
    """Return a text with its length, so that two texts in a row are no others."""
    return "-;" if text is None else f"{len(text)};{text}"


def records_of(
    data: Microdata, missing: Sequence[str] = MISSING, *, commas: Mapping[str, bool] | None = None
) -> Records:
    """Return a data set that was read, entry by entry; of a large one each distinct value once.

    Columns of a large one that have more distinct values than are held are left out.

    Parameters
    ----------
    data : Microdata
    missing : texts that mean missing
    commas : dict of name to bool
        Columns of texts whose numbers have decimal commas; whether points are between thousands.
    """
    own = data if isinstance(data, Large) else None
    columns = {}
    for name in data.columns:
        if own is not None and not own.distinct[name].complete:
            continue
        # A file's labels make levels of codes only where every code has one: that is up to people.
        labels = data.value_labels.get(name, {})
        column = data.table.column(name) if own is None else own.column(name)
        texts, codes = _texts_of(column, missing, labels, thousands=(commas or {}).get(name))
        columns[name] = Column(texts, codes, None if own is None else own.counts(name))
    return Records(data.source, data.n, columns, data.sha256 or "", own)


def as_large(data: Records) -> Records:
    """Return a data set whose records are counted batch by batch, as those of large files."""
    if data.large is not None:
        return data
    table = pa.table({name: _as_arrow(column) for name, column in data.columns.items()})

    def batches(names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        yield from table.select(list(names)).to_batches(max_chunksize=BATCH)

    counted = large(Batches(table.schema, batches), data.source)
    columns = {
        name: Column(
            tuple(counted.column(name).to_pylist()),
            np.arange(len(counted.counts(name)), dtype=np.int32),
            counted.counts(name),
        )
        for name in data.columns
    }
    return replace(data, columns=columns, large=counted)


def _as_arrow(column: Column) -> pa.DictionaryArray:
    missing = np.array([text is None for text in column.texts], dtype=np.bool_)
    texts = pa.array([text or "" for text in column.texts], pa.string())
    return pa.DictionaryArray.from_arrays(
        pa.array(column.codes.astype(np.int32), mask=missing[column.codes]), texts
    )


def renamed(column: Column, texts: Sequence[str | None]) -> Column:
    """Return a column with other texts in place of its own, of which equal ones are one."""
    place = {text: i for i, text in enumerate(dict.fromkeys(texts))}
    number = np.array([place[text] for text in texts], dtype=np.int32)
    return replace(
        column, texts=tuple(place), codes=number[column.codes] if texts else column.codes
    )


def held_alike(data: Sequence[Records]) -> list[Records]:
    """Return data sets that are counted together: all of them batch by batch, if one has to be."""
    together = any(records.large is not None for records in data)
    return [records.counted if together else records for records in data]


def of_frame(frame: Any, source: str) -> Records:
    """Return a data frame, entry by entry; it may have no record."""
    if not len(frame):
        names = list(map(str, frame.columns))
        return Records(source, 0, {name: Column((), np.empty(0, np.int64)) for name in names})
    return records_of(as_microdata(frame, source))


def _texts_of(
    column: Any, missing: Sequence[str], labels: Mapping[float, str], *, thousands: bool | None
) -> tuple[tuple[str | None, ...], Codes]:
    """Return the texts of an Arrow column, of which equal ones are one, and each entry's place."""
    entries = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if pa.types.is_dictionary(entries.type):
        entries = entries.cast(entries.type.value_type)
    coded = entries.dictionary_encode(null_encoding="encode")
    texts = [
        plain_text(
            _labelled(entry, labels),
            missing,
            decimal_comma=thousands is not None,
            thousands=bool(thousands),
        )
        for entry in coded.dictionary.to_pylist()
    ]
    place = {text: i for i, text in enumerate(dict.fromkeys(texts))}
    renumbered = np.array([place[text] for text in texts], dtype=np.int32)
    indices = coded.indices.to_numpy(zero_copy_only=False)
    return tuple(place), renumbered[indices] if texts else np.empty(0, np.int32)


def _labelled(entry: object, labels: Mapping[float, str]) -> object:
    """Return the label that the file has for a code, or the entry."""
    is_code = isinstance(entry, int | float) and not isinstance(entry, bool)
    return labels.get(float(entry), entry) if is_code else entry  # type: ignore[arg-type]  # a number
