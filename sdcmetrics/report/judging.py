"""What a profile says of what a report shows: its findings, and the decision on every replica."""

from __future__ import annotations

from dataclasses import replace

from sdcmetrics.decision.answer import Decision
from sdcmetrics.decision.status import severity
from sdcmetrics.measures.kind import Place
from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.measures.rules.places import RULES
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.report.safety.cells import Mode
from sdcmetrics.report.safety.protect.protected import Protected
from sdcmetrics.report.safety.protect.protection import protect
from sdcmetrics.review.decided import decisions
from sdcmetrics.review.judge import Finding, Status, findings_of, judge
from sdcmetrics.review.review import Review
from sdcmetrics.study.profile import Profile


def findings_by(review: Review | Protected, profile: Profile) -> list[Finding]:
    """Return the findings by the profile.

    Of what a release tells as a band or a bound only that is said which holds of both its ends:
    anything else would tell on which side of the limit the value is. A statistic of tables is
    judged where rounding cannot have moved it across a limit.
    """
    # Only what has a limit is judged: wide data have hundreds of thousands of rows without.
    if isinstance(review, Review):
        return findings_of(review, profile, metrics=profile.limited)
    frame = review.frame[review.frame["metric"].isin(list(profile.thresholds))]
    frame = frame[frame["metric"].map(_is_judged).astype(bool)]
    ranges = frame["shown"] != ""
    single = frame[~ranges]
    findings = judge(replace(review, frame=single), profile)
    for end in ("least", "most"):
        moved = single.assign(value=single[end].fillna(single["value"]))
        statuses = _statuses(judge(replace(review, frame=moved), profile))
        findings = [
            f if statuses[_place(f)] is f.status else replace(f, status=Status.NOT_JUDGED)
            for f in findings
        ]
    of_ranges = judge(replace(review, frame=frame[ranges]), profile)
    ends = frame[ranges].assign(value=frame.loc[ranges, "other"])
    other = _statuses(judge(replace(review, frame=ends), profile))
    findings += [f for f in of_ranges if other.get(_place(f)) is f.status]
    findings = [replace(f, status=Status.NOT_JUDGED) if _is_by_chance(f) else f for f in findings]
    return sorted(findings, key=lambda finding: (-severity(finding.status), -finding.exceeds))


def _is_by_chance(finding: Finding) -> bool:
    """Whether the original itself decides what a limit says; of single records, perhaps."""
    limit = finding.threshold
    return limit is not None and limit.chance is not None and finding.status is not Status.WITHIN


def _place(finding: Finding) -> tuple[str, str, Place]:
    return finding.replica, finding.metric, finding.place


def _statuses(findings: list[Finding]) -> dict[tuple[str, str, Place], Status]:
    return {_place(finding): finding.status for finding in findings}


def _is_judged(metric: str) -> bool:
    """Whether a release applies limits on a measure.

    Of a rule both shares are shown, so that a verdict on its severity tells nothing more.
    """
    measure = MEASURES.get(metric)
    return measure is not None and (measure.release is not None or measure.of is RULES)


@checked
def judged(review: Review, profile: Profile, mode: Mode) -> tuple[Decision, ...]:
    """Return the decision on every replica; in the checker's edition without its reasons."""
    return protect(review, profile).decisions if mode != "internal" else decisions(review, profile)
