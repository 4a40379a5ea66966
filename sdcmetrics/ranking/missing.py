"""Metrics without a value for some replica: left out for all, or last, but never silently."""

from __future__ import annotations

import numpy as np

from sdcmetrics.errors import StudyError
from sdcmetrics.ranking.anchors import Scale
from sdcmetrics.ranking.phrase import Phrase, listed, plain_text
from sdcmetrics.ranking.values import Values
from sdcmetrics.ranking.weights import Weights

__all__ = ["MISSING", "drop_missing", "only_anchored"]

MISSING = ("leave out", "last")
"""What becomes of a metric that has no value for a replica."""

Left = tuple[Values, Weights, tuple[Phrase, ...]]
"""What is left to be ranked, its weights, and what has to be said."""


def drop_missing(values: Values, weights: Weights, *, missing: str) -> Left:
    """Leave out what cannot be ranked, and say so.

    Raises
    ------
    StudyError
        If `missing` is unknown, or nothing is left.
    """
    if missing not in MISSING:
        msg = f"ranking: missing: expected 'leave out' or 'last' but got {missing!r}."
        raise StudyError(msg)
    gone: list[str] = []
    notes: list[Phrase] = []
    for j, one in enumerate(values.criteria):
        having = ~np.isnan(values.table[:, j])
        lacking = [r for r, has in zip(values.replicas, having, strict=True) if not has]
        if not lacking:
            continue
        why = values.reasons.get((lacking[0], one.name), "it was not measured")
        if missing == "leave out" or not having.any():
            of = listed(lacking) if having.any() else ("any replica",)
            gone.append(one.name)
            notes.append((f"{one.name} is left out, for want of a value for ", *of, f": {why}"))
        else:
            notes.append((f"{one.name}: without a value, and last: ", *listed(lacking), f": {why}"))
    kept = [one.name for one in values.criteria if one.name not in gone]
    if not kept:
        msg = (
            "ranking: no metric has a value for every replica: "
            f"{'; '.join(plain_text(note) for note in notes)}. With missing = 'last' a replica "
            "without a value is ranked last."
        )
        raise StudyError(msg)
    for one, count in zip(values.criteria, values.left_out, strict=True):
        if count and one.name in kept:
            what = "variables" if one.ways == 1 else one.over
            noun = what.removesuffix("s") if count == 1 else what
            notes.append(
                (f"{one.name}: {count} {noun} without a value for some replica, left out for all",)
            )
    fewer = weights.only(kept)
    return values.without(gone), fewer, (*notes, *((note,) for note in fewer.notes))


def only_anchored(values: Values, weights: Weights, scale: Scale) -> tuple[Left, Scale]:
    """Leave out metrics without a scale.

    Raises
    ------
    StudyError
        If none has one.
    """
    keep = [j for j, anchor in enumerate(scale.anchors) if not anchor.reason]
    if not keep:
        msg = "ranking: no metric has an anchored score. Choose another strategy."
        raise StudyError(msg)
    names = [values.criteria[j].name for j in keep]
    gone = [one.name for one in values.criteria if one.name not in names]
    fewer = weights.only(names)
    more = tuple((note,) for note in fewer.notes if note not in weights.notes)
    return (values.without(gone), fewer, more), scale.only(keep)
