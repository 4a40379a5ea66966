"""A study of data sets too large for memory, asked of a random sample of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from sdcmetrics.errors import StudyError
from sdcmetrics.microdata.frames import Microdata

if TYPE_CHECKING:
    from sdcmetrics.study.study import Study

__all__ = ["drawn", "in_memory", "refuse_large", "said_of_sample"]


def in_memory(study: Study) -> list[Study]:
    """Return studies of records in memory: itself, or of samples; none where none are wanted.

    Every data set is sampled on its own, without replacement; one of no more records than a
    sample has is taken whole. Samples after the first are there to tell how much they differ.
    """
    if not study.original.large:
        return [study]
    if not study.options.sample_size:
        return []
    every = [study.original, *(one for many in study.replicas.values() for one in many)]
    if study.holdout is not None:
        every.append(study.holdout)
    repeats = study.options.sample_repeats if drawn(study, (one.n for one in every)) else 0
    samples = [_samples(study, one, repeats + 1) for one in every]
    return [_with(study, iter(one)) for one in zip(*samples, strict=True)]


def _with(study: Study, data: Iterator[Microdata]) -> Study:
    made = copy(study)
    changed = {
        "original": next(data),
        "replicas": {n: tuple(next(data) for _ in many) for n, many in study.replicas.items()},
        "holdout": next(data, None),
    }
    for name, value in changed.items():
        object.__setattr__(made, name, value)
    return made


def drawn(study: Study, sizes: Iterable[int]) -> int:
    """Return how many records of each data set of more were drawn for what needs records.

    0 where data sets have so many `sizes` that none was drawn from, or there is no sample.
    """
    size = study.options.sample_size if study.original.large else 0
    return size if any(n > size for n in sizes) else 0


def refuse_large(study: Study, what: str) -> None:
    """Raise StudyError where something needs records of data sets that are counted in batches."""
    if study.original.large:
        msg = (
            f"{what} needs records in memory, and {study.original.source} is counted in batches. "
            "Ask it of a smaller file, such as a random sample, or read files whole: engine = "
            '"memory" in [data], or --engine memory.'
        )
        raise StudyError(msg)


def said_of_sample(study: Study, small: Study | None, replica: str) -> str:
    """Return in words which sample the values of a replica are of; empty where it is everything.

    Where there is none, why there are no values.
    """
    if small is None:
        return "it needs records, and [options] sample_size is 0"
    whole = [study.original, *study.replicas[replica]]
    if study.holdout is not None:
        whole.append(study.holdout)
    if all(one.n <= study.options.sample_size for one in whole):
        return ""
    n = study.original.n
    size = min(study.options.sample_size, n)
    return (
        f"of a random sample: {size:,} of {n:,} original records, as many of other data sets, "
        f"seed {study.options.seed}"
    )


def _samples(study: Study, data: Microdata, times: int) -> list[Microdata]:
    """Draw samples in one pass over the records."""
    size = min(study.options.sample_size, data.n)
    rows = []
    for i in range(times):
        rng = np.random.default_rng([study.options.seed, i] if i else study.options.seed)
        rows.append(np.sort(rng.choice(data.n, size, replace=False, shuffle=False)))
    every = np.unique(np.concatenate(rows))
    taken: Microdata = data.large[0].take(every)
    places = (np.searchsorted(every, one) for one in rows)
    return [replace(taken, table=taken.table.take(place)) for place in places]
