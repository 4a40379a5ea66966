"""Remedies for a replica, in the words of how it was made, where that is stated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sdcmetrics.study.kinds import HowMade


@dataclass(frozen=True, slots=True)
class Manner:
    """The words of one way to make a replica; names of columns stand between two parts.

    Attributes
    ----------
    again : what to do with a replica that is the original, or most of it
    looser : what keeps it from repeating people
    before : when a key is to be coarsened
    target : before and after the targets that are disclosed
    alone : before and after columns whose own distribution is off
    related : before the first, between it and the others, and after, of lost relations
    rules : before the rules that are broken
    """

    again: str
    looser: str
    before: str
    target: tuple[str, str]
    alone: tuple[str, str]
    related: tuple[str, str, str]
    rules: str


_LOST = "their relation is lost or exaggerated."

_SYNTHESISED = Manner(
    again="Synthesise again, and review what comes of that.",
    looser=(
        "Loosen the model, which is too close to people: fewer or smoother predictors, or one that "
        "is stopped earlier; smoothing of numbers alone does not do it."
    ),
    before="before the synthesis",
    target=(
        "Synthesise ",
        " with fewer of the keys as predictors, smoothed or top coded numbers, merged rare levels.",
    ),
    alone=("Synthesise ", ""),
    related=("Synthesise ", " after ", f", which its model has to use: {_LOST}"),
    rules="Impose on the synthesis: ",
)

_TREES = replace(
    _SYNTHESISED,
    looser=(
        "Loosen the trees, which are too close to people: conditional inference trees, or leaves "
        "of 20 records or more, take most of this away at hardly any cost of usefulness; smoothing "
        "of numbers does not."
    ),
)

_PERTURBED = Manner(
    again=(
        "Perturb the original anew and far more, or synthesise, and review what comes of that; "
        "put the records in another order than the original's."
    ),
    looser=(
        "Perturb more columns of each record, above all the keys, so that no record keeps all of "
        "its values; put the records in another order than the original's."
    ),
    before="before the perturbation",
    target=(
        "Perturb ",
        " in more records: swap its values between records of other keys, and merge rare levels.",
    ),
    alone=("Perturb ", " so that its own distribution stays, as by swapping values: "),
    related=(
        "Perturb ",
        " together with ",
        f", by swapping them between records as one, or less of each: {_LOST}",
    ),
    rules="Keep while perturbing, or mend afterwards: ",
)

_NOT_TOLD = Manner(
    again="Make it again in another way, and review what comes of that.",
    looser=(
        "Make it again so that fewer of its records are those of single people, or near to them: "
        "by a looser model if it was synthesised, by more changes per record if it was perturbed."
    ),
    before="in all data sets",
    target=(
        "Protect ",
        " more: merge rare levels, round or top code numbers, or change it oftener.",
    ),
    alone=("Make ", ""),
    related=("Make ", " together with ", f": {_LOST}"),
    rules="Make it keep: ",
)

_OF_TREES = ("cart", "ctree", "tree", "forest", "ranger", "rf", "bag")
"""Parts of the names of methods that are made of trees."""

_MANNERS: Mapping[str, Manner] = {
    "synthesised": _SYNTHESISED,
    "perturbed": _PERTURBED,
    "": _NOT_TOLD,
}


def manner_of(origin: HowMade | None) -> Manner:
    """Return the words for a replica; neutral ones where the study does not tell how it was made.

    Examples
    --------
    >>> manner_of(HowMade("perturbed")).before, manner_of(None).before
    ('before the perturbation', 'in all data sets')
    """
    if origin is None:
        return _NOT_TOLD
    words = origin.method.casefold()
    if origin.kind == "synthesised" and any(name in words for name in _OF_TREES):
        return _TREES
    return _MANNERS[origin.kind]
