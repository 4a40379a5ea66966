"""Data sets made from the original, whose values are the ends of the scale."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from sdcmetrics.measures.kind import Kind
from sdcmetrics.measures.references.places import perturb
from sdcmetrics.measures.registry import kinds as every_kind
from sdcmetrics.microdata.frames import Microdata
from sdcmetrics.microdata.rebuild import take_records
from sdcmetrics.microdata.sources.redrawn import draw_columns, draw_records
from sdcmetrics.review.conduct import conduct_values
from sdcmetrics.review.progress import Progress
from sdcmetrics.review.review import Review
from sdcmetrics.study.sampled import with_replicas
from sdcmetrics.study.study import Study

REFERENCES: dict[str, str] = {
    "original": "the original itself, handed out as it is",
    "bootstrap": "a fresh sample: original records drawn again",
    "independent": "every variable on its own, without relations",
    "uniform": "every value of a variable equally often, without relations",
    "holdout": "real records that were not used for synthesis",
}
"""The references, and what they are."""

DRAWN = 5
"""How often the references that are drawn at random are drawn: a median bears two odd ones."""


def draw_uniformly(original: Microdata, *, seed: int) -> Microdata:
    """Draw every variable from its distinct values, each equally likely, missing included.

    Examples
    --------
    >>> import pyarrow as pa
    >>> data = Microdata(pa.table({"x": ["a"] * 998 + ["b", None]}), "original")
    >>> drawn = draw_uniformly(data, seed=1).table["x"]
    >>> 300 < drawn.null_count < 370
    True
    """
    rng = np.random.default_rng(seed)
    records = {}
    for name in original.columns:
        codes = original.table[name].to_pandas().factorize(use_na_sentinel=False)[0]
        _, first = np.unique(codes, return_index=True)
        records[name] = first[rng.integers(len(first), size=original.n)]
    drawn: Microdata = take_records(original, records)
    return drawn


def make_references(study: Study, *, seed: int) -> dict[str, Microdata]:
    """Return the references of a study by name.

    Those drawn at random are drawn `DRAWN` times: "bootstrap 1", "bootstrap 2", ...
    """
    original = study.original
    makers: dict[str, Callable[[int], Microdata]] = {
        "bootstrap": lambda s: perturb(original, 0.0, seed=s),
        "independent": lambda s: perturb(original, 1.0, seed=s),
        "uniform": lambda s: draw_uniformly(original, seed=s),
    }
    for large in original.large:
        makers = {
            "bootstrap": partial(draw_records, large),
            "independent": partial(draw_columns, large),
            "uniform": partial(draw_columns, large, uniform=True),
        }
    seeds = iter(np.random.SeedSequence(seed).generate_state(len(makers) * DRAWN).tolist())
    references = {"original": original}
    for name, make in makers.items():
        references |= {f"{name} {i}": make(next(seeds)) for i in range(1, DRAWN + 1)}
    if study.holdout is not None:
        references["holdout"] = study.holdout
    return references


def by_reference(names: Sequence[str]) -> dict[str, list[int]]:
    """Return the indices of the draws of each reference among data sets.

    Examples
    --------
    >>> by_reference(["original", "bootstrap 1", "bootstrap 2"])
    {'original': [0], 'bootstrap': [1, 2]}
    """
    places: dict[str, list[int]] = {}
    for i, name in enumerate(names):
        places.setdefault(name.partition(" ")[0], []).append(i)
    return places


def conduct_references(
    study: Study,
    *,
    kinds: Collection[Kind] | None = None,
    seed: int = 1,
    holdout: bool = False,
    progress: Progress | None = None,
    cache: Path | None = None,
) -> Review:
    """Return a review whose replicas are the draws of the study's references.

    Parameters
    ----------
    kinds : kinds, optional
        What is measured of them; by default all.
    seed, holdout, progress, cache : see `compare_replicas`

    Raises
    ------
    DataError, ColumnError
        If the holdout cannot be compared with the original.

    Notes
    -----
    With `holdout` the references are measured beside the holdout as well; then the holdout is not a
    reference, for it cannot be compared with itself.
    """
    references = make_references(study, seed=seed)
    if holdout:
        references.pop("holdout", None)
    as_replicas = {name: [data] for name, data in references.items()}

    def report_progress(step: str, done: int, steps: int) -> None:
        if progress is not None:
            progress(f"reference {step}", done, steps)

    wanted = with_replicas(study, as_replicas, holdout=holdout, candidates=0, sample_repeats=0)
    return conduct_values(
        wanted,
        every_kind() if kinds is None else kinds,
        progress=report_progress,
        cache=cache and cache / "references",
    )
