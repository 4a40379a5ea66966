"""What a review did not look at, found from the data: silence is no approval."""

from __future__ import annotations

from collections.abc import Iterator

from sdcmetrics.errors import RError
from sdcmetrics.measures.attacks.places import MEMBERSHIP
from sdcmetrics.measures.closeness.places import CLOSEST
from sdcmetrics.measures.registry import DISCLOSURE_RISK, MEASURES
from sdcmetrics.report.safety import numbers
from sdcmetrics.report.safety.cells import Sentence, Words, joined, sentence
from sdcmetrics.report.safety.protect.protection import BEYOND
from sdcmetrics.report.safety.protect.tables import MOST_PAIRS
from sdcmetrics.report.sections.copies import power_sentence
from sdcmetrics.report.source import Source

_NAMED = 24
"""Variables that a sentence names."""


def not_checked(source: Source) -> tuple[Sentence, ...]:
    """Return what was not checked, each with why it matters."""
    return tuple(_items(source))


def _items(source: Source) -> Iterator[Sentence]:
    review = source.review
    metrics = set(source.measures.metrics)
    if not any(data.role == "holdout" for data in review.inputs):
        yield sentence(
            "No holdout: without records that the synthesis did not see, learning the "
            "population cannot be told from memorising people."
        )
    if (power := power_sentence(source)) is not None:
        yield power
    if not any(MEASURES[metric].of is MEMBERSHIP for metric in metrics):
        yield sentence(
            "No attacks: who was in the original, and what a model of the replica knows of them "
            "beyond fresh people. Ask for them with [attacks] in the study file."
        )
    if not any(MEASURES[metric].of is CLOSEST for metric in metrics):
        yield sentence("No distances between records, which show copies that differ in one value.")
    if not review.study.models:
        yield sentence(
            "No model-based utility: whether regressions give the same answers as "
            "on the original. Name models in the study file."
        )
    if not review.study.rules:
        yield sentence(
            "No rules: relations that every record must keep (nobody marries before birth). Name "
            "them in the study file; they are the first thing to check."
        )
    yield from _against_r(source)
    yield from _ways(source)
    if beyond := source.guard.log.get(BEYOND):
        yield sentence(
            f"{beyond:,} tables of two variables: of so many, a release looks at {MOST_PAIRS} for "
            "what they give away, those of keys and targets first, then in the order of the "
            "columns. It says nothing of the others."
        )
    yield from _roles(source)
    yield from _variables(source)
    yield from _grouped(source)
    missing = source.measures.missing
    if missing and not source.release:  # there it could be that a value is too small
        yield sentence(
            f"{numbers.plural(missing, 'measurement')} could not be computed"
            "; the reason stands beside each."
        )
    if not any(MEASURES[metric].family == DISCLOSURE_RISK for metric in source.profile.thresholds):
        yield sentence(
            f"No disclosure measure has a threshold in the profile "
            f"\N{LEFT DOUBLE QUOTATION MARK}{source.profile.title}\N{RIGHT DOUBLE QUOTATION MARK}; "
            "so no status in this report speaks of disclosure."
        )


def _against_r(source: Source) -> Iterator[Sentence]:
    if source.crosscheck is None:
        yield sentence(
            "No cross-check: the numbers in this review were not compared with those of R."
        )
    elif isinstance(source.crosscheck, RError):
        yield sentence(
            "No cross-check: it was asked for, but R could not make it, so no number in this "
            "review "
            "was compared with R."
        )


def _ways(source: Source) -> Iterator[Sentence]:
    sizes = source.measures.ways
    if any(source.measures.worst(replica, "F3") for replica in source.replicas):
        return  # their mean distance is there, and the largest
    if sizes and max(sizes) <= 2:  # noqa: PLR2004  (two-way)
        yield sentence(
            f"No table of more than {max(sizes)} variables: relations among "
            f"{max(sizes) + 1} or more variables can be wrong although all smaller tables agree."
        )


def _roles(source: Source) -> Iterator[Sentence]:
    review = source.review
    used = {name for s in review.scenarios for name in (*s.keys, *s.targets)}
    left = [name for name in review.variables if name not in used]
    if left:
        names = _some(source, left)
        yield sentence("Disclosure of ", *names, ": neither a key nor a target in any scenario.")
    if len(review.scenarios) == 1:
        yield sentence("Only one scenario: an intruder may know other keys.")


def _variables(source: Source) -> Iterator[Sentence]:
    original = source.review.inputs[0]
    left = original.columns - len(source.review.variables)
    if left > 0:
        yield sentence(
            f"{numbers.plural(left, 'column')} of the original: not in every replica, or left out."
        )


def _grouped(source: Source) -> Iterator[Sentence]:
    grouped = (
        [
            name
            for name, kind in source.review.variables.items()
            if kind in ("number", "date")
            and (found := source.distributions.get(name)) is not None  # not every one is a
            and found.grouped  # variable of utility: see [options] variables
        ]
        if source.distributions
        else []
    )
    if grouped:
        names = _some(source, grouped)
        yield sentence(
            "Utility inside the groups of ", *names, ": numbers were grouped before comparing."
        )


def _some(source: Source, variables: list[str]) -> Words:
    """Return names of variables; of very many the first."""
    left = len(variables) - _NAMED
    if left < 2:  # noqa: PLR2004  (to count one takes the room of its name)
        return joined(map(source.name, variables), last=" and ")
    return (*joined(map(source.name, variables[:_NAMED])), f" and {left} other variables")
