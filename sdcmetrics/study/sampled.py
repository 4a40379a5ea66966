"""The questions of a study, asked of other data: drawn records, other replicas, other names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sdcmetrics.measures.fits.formula import read_formula
from sdcmetrics.measures.registry import needs_holdout
from sdcmetrics.microdata.frames import Microdata
from sdcmetrics.study.data import DataSets, read_whole

if TYPE_CHECKING:
    from sdcmetrics.study.study import Study


def in_memory(study: Study) -> list[Study]:
    """Return studies of records in memory: itself, or of samples; none where none are wanted.

    Every data set is sampled on its own, without replacement; one of no more records than a
    sample has is taken whole. Samples after the first are there to tell how much they differ.
    """
    if not study.original.large:
        return [study]
    if not study.options.sample_size:
        return []
    data = data_sets(study)
    repeats = (
        study.options.sample_repeats if drawn(study, (data_set.n for data_set in data.every)) else 0
    )
    every = [*data.every, *data.earlier_files]
    samples = {id(data_set): _samples(study, data_set, repeats + 1) for data_set in every}
    return [
        with_parts(study, vars(data.map(lambda data, i=i: samples[id(data)][i])))  # type: ignore[misc]
        for i in range(repeats + 1)
    ]


def with_parts(study: Study, parts: Mapping[str, Any]) -> Study:
    """Return a study with other parts; what it asks was checked when it was made."""
    changed = copy(study)
    for name, value in parts.items():
        object.__setattr__(changed, name, value)
    return changed


def drawn(study: Study, sizes: Iterable[int]) -> int:
    """Return the size of the samples for measures that need records; 0 without samples.

    0 where data sets have so many `sizes` that none was drawn from, or there is no sample.
    """
    size = study.options.sample_size if study.original.large else 0
    return size if any(n > size for n in sizes) else 0


def data_sets(study: Study) -> DataSets:
    """Return the data sets of a study."""
    return DataSets(study.original, study.replicas, study.holdout, study.earlier_files)


def fits(study: Study) -> bool:
    """Whether all records that a study compares are in memory, or are few enough to be read."""
    names = _compared(study)
    return all(large.fits(names) for data in data_sets(study).every for large in data.large)


def records_of(study: Study, purpose: str) -> Study:
    """Return the study with all records that it compares in memory, those of batches being read.

    Raises
    ------
    StudyError
        If they are too many.
    """
    return with_parts(study, vars(read_whole(data_sets(study), purpose, _compared(study))))


def _compared(study: Study) -> list[str] | None:
    """Return the columns that a study names, with its variables; None for all."""
    if study.options.variables is None:
        return None
    roles = (name for scenario in study.scenarios for name in (*scenario.keys, *scenario.targets))
    formulas = (read_formula(model.formula, study.original.columns) for model in study.models)
    return [
        *study.options.variables,
        *roles,
        *(name for formula in formulas for name in formula.columns),
    ]


def said_of_sample(study: Study, small: Study | None, replica: str) -> str:
    """Return in words from which sample a replica's values are; empty for all records.

    Where there is none, why there are no values.
    """
    if small is None:
        return "it needs records, and [options] sample_size is 0"
    whole = [study.original, *study.replicas[replica]]
    if study.holdout is not None:
        whole.append(study.holdout)
    if all(data.n <= study.options.sample_size for data in whole):
        return ""
    n = study.original.n
    size = min(study.options.sample_size, n)
    return (
        f"of a random sample: {size:,} of {n:,} original records, as many of other data sets, "
        f"seed {study.options.seed}"
    )


def said_of_records(study: Study, purpose: str) -> str:
    """Return in words from which sample records are taken; empty where all are read.

    Raises
    ------
    StudyError
        If they are too many, and the study wants no sample.
    """
    if fits(study):
        return ""
    if not study.options.sample_size:
        records_of(study, purpose)
    size, seed = study.options.sample_size, study.options.seed
    return f"{purpose} is of {size:,} records of each data set, drawn at random (seed {seed})."


def _samples(study: Study, data: Microdata, times: int) -> list[Microdata]:
    """Draw samples in one pass over the records."""
    size = min(study.options.sample_size, data.n)
    rows = []
    for i in range(times):
        rng = np.random.default_rng([study.options.seed, i] if i else study.options.seed)
        rows.append(np.sort(rng.choice(data.n, size, replace=False, shuffle=False)))
    every = np.unique(np.concatenate(rows))
    taken: Microdata = data.large[0].records_at(every)
    places = (np.searchsorted(every, row) for row in rows)
    return [replace(taken, table=taken.table.take(place)) for place in places]


def with_replicas(
    study: Study,
    replicas: Mapping[str, Sequence[Microdata]],
    *,
    holdout: bool = True,
    **options: Any,
) -> Study:
    """Return the same questions about the same original, asked of other data sets.

    The data sets must have the columns that the study's have. Without `holdout` what needs the
    holdout is left out: searching near records takes long. Some options may be changed.
    """
    changed: dict[str, Any] = {
        "replicas": {name: tuple(syntheses) for name, syntheses in replicas.items()},
        "options": replace(study.options, **options),
        "holdout": study.holdout if holdout else None,
        "sections": {
            name: section
            for name, section in study.sections.items()
            if holdout or not needs_holdout(name)
        },
    }
    return with_parts(study, changed)


def with_names(study: Study, names: Mapping[str, str]) -> Study:
    """Return the same study, its replicas under other names."""
    sections = {name: section.renamed(names) for name, section in study.sections.items()}
    replicas = {names.get(name, name): each for name, each in study.replicas.items()}
    kinds = {names.get(name, name): kind for name, kind in study.kinds.items()}
    return with_parts(study, {"replicas": replicas, "sections": sections, "kinds": kinds})


def with_profile(study: Study, profile: str) -> Study:
    """Return the same study, judged by another profile."""
    return with_parts(study, {"profile": profile})
