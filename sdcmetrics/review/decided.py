"""The decision on every replica of a review: evidence, limits and rules, put to one procedure."""

from __future__ import annotations

import math
from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from typing import Any, Protocol

from sdcmetrics.decision.answer import Decision, decide
from sdcmetrics.decision.facts import state_of
from sdcmetrics.decision.limits import Grounds, Limited, LimitSubject
from sdcmetrics.decision.state import State
from sdcmetrics.decision.statement import Names, Phrase
from sdcmetrics.decision.status import Status
from sdcmetrics.errors import SdcMetricsError
from sdcmetrics.measures.attacks.places import EPSILON
from sdcmetrics.measures.attacks.section import Attacks, claim_of
from sdcmetrics.measures.evidence import Evidence
from sdcmetrics.measures.excess.places import EXCESS
from sdcmetrics.measures.generator import Generators
from sdcmetrics.measures.homogeneity.places import KEPT_TABLES
from sdcmetrics.measures.homogeneity.places import KIND as EQUAL_TABLES
from sdcmetrics.measures.identifiers.places import IDENTIFIERS
from sdcmetrics.measures.kind import Kind, Place
from sdcmetrics.measures.people.subject import PEOPLE
from sdcmetrics.measures.publication.sections import Publication
from sdcmetrics.measures.registry import DISCLOSURE_RISK, MEASURES, SPECIFIC_UTILITY
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.review.judge import Finding, Measured, findings_of, rows_of
from sdcmetrics.study.data import lacking_columns, same_as_holdout
from sdcmetrics.study.limits import Threshold
from sdcmetrics.study.profile import Profile, load_profile
from sdcmetrics.study.sampled import drawn
from sdcmetrics.study.study import Study


class Decidable(Measured, Protocol):
    """Protocol of the input of a decision: measurements and evidence of a study."""

    @property
    def study(self) -> Study:
        """The study: data, questions, options."""

    @property
    def evidence(self) -> Evidence:
        """Evidence of the measurements, by kind, replica and place."""


@checked
def decisions(
    review: Decidable, profile: Profile, findings: Iterable[Finding] | None = None
) -> tuple[Decision, ...]:
    """Decide on every replica, in the study's order.

    Parameters
    ----------
    review : Review
    profile : Profile
        Whose limits and rules are asked.
    findings : iterable of Finding, optional
        What the profile says of the measurements, where that is at hand.

    Returns
    -------
    tuple of Decision
        `risk` and `utility` answer whether it may be released and is useful; each has a `status`,
        its `words`, and in `because` the sentences that it rests on. A status is "within", "not
        judged" (which is no approval), "review" or "fail", from best to worst.

    Notes
    -----
    Every true sentence has a status, and the worst is the answer; ``docs/the-decision.md`` has the
    table of all sentences, and how often the procedure errs. `Review.decisions` are those by the
    study's own profile.

    Examples
    --------
    >>> import pandas as pd
    >>> from sdcmetrics import Study, conduct
    >>> from sdcmetrics.study.profile import load_profile
    >>> original = pd.DataFrame({"age": [30, 30, 41, 52], "ill": list("nnyn")})
    >>> study = Study(original, {"copy": original}, keys=["age"], targets=["ill"])
    >>> decisions(conduct(study), load_profile("default"))  # of so few nothing can be said
    (Decision('copy', not judged, which is no approval; not judged),)
    """
    states = states_of(review, profile, findings)
    return tuple(decide(replica, state) for replica, state in states.items())


def states_of(
    review: Decidable, profile: Profile, findings: Iterable[Finding] | None = None
) -> dict[str, State]:
    """Return the facts of each replica from which its questions are answered."""
    if findings is None:
        findings = findings_of(review, profile, metrics=profile.limited)
    limited: dict[str, list[Finding]] = {replica: [] for replica in review.replicas}
    for finding in findings:
        if finding.threshold is not None:
            limited[finding.replica].append(finding)
    absent = _uncomputed(review, profile)
    return {
        replica: state_of(
            grounds_of(
                review,
                profile,
                replica,
                [*limited_of(limited[replica]), *(x for r, x in absent if r == replica)],
            )
        )
        for replica in review.replicas
    }


def grounds_of(
    review: Decidable, profile: Profile, replica: str, limited: Collection[Limited]
) -> Grounds:
    """Return the evidence and limits that decide on one replica."""
    people = _result(review, PEOPLE, replica)
    study = review.study
    sampled = drawn(study, (data.n for data in review.inputs)) > 0
    size = study.options.population_size
    publication = study.section(Publication)
    claim = claim_of(study.section(Attacks), study.section(Generators), replica)
    bound, *_ = _result(review, EPSILON, replica) or (None,)  # of all files, then of each
    return Grounds(
        intruder="" if publication is None else publication.intruder(replica),
        claim=claim,
        bound=bound,
        unbounded="" if claim is None or bound is not None else _unbounded(review, replica),
        people=people,
        identifiers=_result(review, IDENTIFIERS, replica),
        kept=_result(review, KEPT_TABLES, replica),
        excess=_result(review, EXCESS, replica),
        tables=_result(review, EQUAL_TABLES, replica),
        limited=tuple(limited),
        untested="" if people is not None else "the data sets are too large, or nobody asked",
        sampled=sampled and people is not None,
        census=size is not None and size == review.n_original,
        of_holdout=replica in same_as_holdout(study.replicas, study.holdout),
        cluster="" if study.sample is None else study.sample.together,
        large=bool(study.original.large),
        lacking=lacking_columns(study.original, study.replicas[replica], study.options.variables),
        asked_tables=profile.tables,
        asked_excess=profile.excess,
        judge=profile.judge,
    )


def _unbounded(review: Decidable, replica: str) -> str:
    """Return why nothing is known of the epsilon that a generator is said to keep."""
    attacks = review.study.section(Attacks)
    if attacks is None or "epsilon" not in attacks.kinds:
        return "[attacks] does not ask for epsilon"
    if review.study.holdout is None:
        return "there is no holdout"
    if not attacks.random_holdout:
        return (
            "[attacks] does not say random_holdout, that original and holdout were divided at "
            "random before the synthesis"
        )
    rows = rows_of(review, ["epsilon_bound"], ("replica", "reason"))
    reasons = (str(reason).rstrip(".") for name, reason in rows if name == replica and reason)
    return next(reasons, "it could not be computed")


def decided_by_study(review: Decidable) -> tuple[Decision, ...]:
    """Return the decisions by the study's profile; empty if that cannot be read."""
    try:
        profile = load_profile(review.study.profile)
    except SdcMetricsError:
        return ()
    return decisions(review, profile)


def limited_of(findings: Iterable[Finding]) -> Iterator[Limited]:
    """Yield the measurements of one replica that a profile limits.

    Of those within their limit one stands for all of a part.
    """
    each = list(findings)
    several = len({finding.place.scenario for finding in each if finding.place.scenario}) > 1
    within: set[LimitSubject] = set()
    for finding in each:
        part = _part(finding.metric)
        if finding.status is Status.WITHIN:
            if part in within:
                continue
            within.add(part)
        owner, illustrative = _owner(finding.threshold)
        words = _words(finding.metric, finding.place, finding.value, several=several)
        if finding.judged != finding.value:
            words = (
                *words,
                f" ({finding.judged:.3g} at the original\N{RIGHT SINGLE QUOTATION MARK}s size)",
            )
        keys, target = finding.place.keys, finding.place.target
        yield Limited(part, finding.status, words, owner, illustrative, keys, target)


def _owner(threshold: Threshold | None) -> tuple[str, bool]:
    """Return the owner of a limit, and whether it is made up for illustration."""
    if threshold is None:
        return "", False
    return threshold.owner, threshold.kind == "illustration"


def _uncomputed(review: Decidable, profile: Profile) -> list[tuple[str, Limited]]:
    """Return limited measures without a value: of disclosure each target, else whole measures."""
    rows = [*rows_of(review, profile.thresholds, ("replica", "metric", "value", "target"))]
    out: dict[tuple[str, str, str], tuple[str, Limited]] = {}
    valued = {(replica, metric) for replica, metric, value, _ in rows if not math.isnan(value)}
    for replica, metric, value, target in rows:
        part, measure = _part(metric), MEASURES[metric]
        if not math.isnan(value) or (part != "limits" and (replica, metric) in valued):
            continue
        name = target if target and part == "limits" and not measure.any_target else ""
        about: Phrase = (f"{metric} of ", Names((name,))) if name else (metric,)
        out[replica, metric, name] = (
            replica,
            Limited(part, Status.NOT_JUDGED, about, *_owner(profile.thresholds[metric])),
        )
    measured = {(replica, metric) for replica, metric, *_ in rows}
    return [*out.values(), *_unmeasured(review.replicas, measured, profile)]


def _unmeasured(
    replicas: Iterable[str], measured: Container[tuple[str, str]], profile: Profile
) -> Iterator[tuple[str, Limited]]:
    """Yield the limits of a profile of the user's own on what the study does not measure.

    A profile of the package is meant for any study: there they ask nothing.
    """
    if profile.of_package:
        return
    for replica in replicas:
        for metric, threshold in profile.thresholds.items():
            if (replica, metric) not in measured:
                owner = _owner(threshold)
                unjudged = Limited(_part(metric), Status.NOT_JUDGED, (metric,), *owner)
                yield replica, unjudged


def _part(metric: str) -> LimitSubject:
    measure = MEASURES[metric]
    if measure.family == DISCLOSURE_RISK:
        return "limits"
    if measure.of.per == "rule":
        return "rules"
    return "models" if measure.family == SPECIFIC_UTILITY else "table_limits"


def _words(metric: str, place: Place, value: float, *, several: bool) -> Phrase:
    """Return a measurement in words: what, where, and its value."""
    if MEASURES[metric].unit == "percent":  # what is not 0 does not read 0.0
        small = 0.0 < abs(value) < 0.05  # noqa: PLR2004
        text = f"{value:.1g}" if small else f"{value + 0.0:.1f}"
        shown: Phrase = (f" is {text}\N{NO-BREAK SPACE}%",)
    else:
        shown = (f" is {value + 0.0:.3g}",)
    about = place.target or place.model
    if several and place.scenario and place.target:  # else its keys tell
        shown = (" in scenario ", Names((place.scenario,)), *shown)
    if place.rule:  # its text tells which of several rules on a column it is
        return (f"{metric} of ", Names((place.rule,)), *shown)
    if place.variables:
        return (f"{metric} of ", Names((" by ".join(place.variables),)), *shown)
    if place.keys and not place.target:
        return (f"{metric} by ", Names(place.keys), *shown)
    return (f"{metric} of ", Names((about,)), *shown) if about else (metric, *shown)


def _result(review: Decidable, kind: Kind, replica: str) -> Any:
    """Return the evidence of a kind that has one result per replica; None where it has none."""
    results: Mapping[tuple[str, Place], Any] = review.evidence.of(kind)
    return results.get((replica, Place()))
