"""Original and holdout of a study, with no more records of a person than declared."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np

from sdcmetrics.errors import DataError
from sdcmetrics.release.coarse import coarsened
from sdcmetrics.release.days import with_days
from sdcmetrics.release.people import Records, refuse_shared
from sdcmetrics.release.public import Public, path_of, person_column
from sdcmetrics.release.reading import open_records, refuse_other_encoding, whole_records
from sdcmetrics.release.sums import Confidential
from sdcmetrics.study.file import StudyEntries


def read_original(spec: StudyEntries, study: Path) -> Records:
    """Read the original, all its records."""
    how = spec.read.model_dump(exclude_none=True)
    opened = whole_records if person_column(spec) else open_records
    return opened(path_of(spec.data.original, study), how)[0]


def read_people(
    spec: StudyEntries, study: Path, public: Public, *, in_memory: bool = False
) -> Confidential:
    """Read the original and the holdout, with no more records of a person than declared.

    With `in_memory`, and where records are gathered by person, whole.
    """
    how = spec.read.model_dump(exclude_none=True)
    opened = whole_records if in_memory or person_column(spec) else open_records
    wanted = {c for replica in public.replicas for c in public.variables(replica)}
    wanted |= {c for scenario in public.scenarios for c in (*scenario.keys, *scenario.targets)}

    def records(name: str, *, optional: bool = False) -> Records:
        refuse_other_encoding(path_of(name, study), how)
        data = opened(path_of(name, study), how)[0]
        for column in sorted(wanted):
            data.column(column)  # is there: what it is asked for is refused before it costs
        few = at_most(data, person_column(spec), public.rows)
        read = with_days(few, public.days)
        return coarsened(read, public.coarsen, public.missing_codes, optional=optional)

    original = records(spec.data.original)
    if spec.data.holdout is None:
        return Confidential(original, None)
    holdout = records(spec.data.holdout, optional=True)
    refuse_shared(original, holdout, person_column(spec))
    return Confidential(original, holdout)


def at_most(data: Records, unit: str, rows: int) -> Records:
    """Return the records without those of a person beyond so many; the same ones always.

    Which records stay follows from the person's own records, so that others do not matter.

    Raises
    ------
    DataError
        If a record says not whose it is.
    """
    if not unit:
        return data
    column = data.column(unit)
    if None in column.texts and (column.codes == column.texts.index(None)).any():
        msg = f"{data.source}: column {unit!r} says whose a record is, and some do not say it."
        raise DataError(msg)
    order = _by_content(data)
    person = column.codes[order]
    grouped = np.argsort(person, kind="stable")
    start = np.searchsorted(person[grouped], person[grouped], side="left")
    rank = np.arange(len(person)) - start
    few = data.subset(np.sort(order[grouped[rank < rows]]))
    return replace(few, whole=data.digest)


def _by_content(data: Records) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return the order of records by a digest of each one's content."""
    names = sorted(data.columns)
    digests = [
        hashlib.sha256(repr(row).encode()).digest()
        for row in zip(
            *(
                np.array(data.columns[name].texts, dtype=object)[data.columns[name].codes]
                for name in names
            ),
            strict=True,
        )
    ]
    return np.array(sorted(range(data.n), key=digests.__getitem__), dtype=np.int64)
