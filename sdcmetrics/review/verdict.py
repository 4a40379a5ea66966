"""One verdict per replica: page, files, terminal and exit code say the same of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from sdcmetrics.errors import SdcMetricsError
from sdcmetrics.measures.registry import DISCLOSURE_RISK, GENERAL_UTILITY, SPECIFIC_UTILITY
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.review.copying import Copying, copying_of, worst_copying
from sdcmetrics.review.judge import Finding, Measured, Status, judge
from sdcmetrics.review.review import Review
from sdcmetrics.study.profile import load_profile

RELEASABLE = {
    Status.WITHIN: "releasable",
    Status.REVIEW: "not releasable without a closer look",
    Status.FAIL: "not releasable",
    Status.NOT_JUDGED: "not judged",
}
"""What the status of disclosure risk says of a replica."""

USEFUL = {
    Status.WITHIN: "useful",
    Status.REVIEW: "not useful without a closer look",
    Status.FAIL: "not useful",
    Status.NOT_JUDGED: "not judged",
}
"""What the status of utility says of a replica."""


@dataclass(frozen=True)
class Verdict:
    """What a profile says of one replica: the worst of its findings.

    Attributes
    ----------
    replica : str
    families : dict of family to Status
        Every family in which something was measured. Disclosure risk is "review" at best where
        people of the original were found in the replica, whatever a profile limits. Where a value
        beyond a limit is not judged, as in a release near one, "within" becomes "not judged".
    people : str
        What is known of people of the original in it, whatever the profile: that it holds them, or
        is a copy; otherwise nothing.
    """

    replica: str
    families: Mapping[str, Status]
    people: str = ""

    def of(self, *families: str) -> Status:
        """Return the worst status of some families; "not judged" if nothing judges them."""
        return worst(status for name, status in self.families.items() if name in families)

    @property
    def status(self) -> Status:
        """The worst of all."""
        return worst(self.families.values())

    @property
    def words(self) -> str:
        """Whether it may be released: "releasable", "not releasable" or "not judged"."""
        return RELEASABLE[self.of(DISCLOSURE_RISK)]

    @property
    def in_brief(self) -> str:
        """All of it in one line, but for the name of the replica."""
        utility = self.of(GENERAL_UTILITY, SPECIFIC_UTILITY).value
        risk = self.of(DISCLOSURE_RISK).value
        parts = self.words, f"utility: {utility}", f"disclosure risk: {risk}", self.people
        return ";  ".join(filter(None, parts))


@checked
def verdicts(
    review: Measured,
    findings: Iterable[Finding],
    people: Mapping[str, str] | None = None,
) -> tuple[Verdict, ...]:
    """Return one verdict per replica, in the study's order.

    Parameters
    ----------
    review : Review, or what a release is made of
    findings : iterable of Finding
        From `judge`.
    people : mapping of replica to str, optional
        What is known of people of the original in the replicas, see `people_in`; by default, what
        the review found.
    """
    known = people or {}
    if people is None and isinstance(review, Review):
        known = people_in(worst_copying(copying_of(review)))
    found: dict[str, dict[str, Status]] = {replica: {} for replica in review.replicas}
    said = dict.fromkeys(  # there are as many findings as tables
        (one.replica, one.family, one.status, one.exceeds > 1) for one in findings
    )
    for replica, family, status, _ in said:
        of_replica = found.setdefault(replica, {})
        of_replica[family] = worst([of_replica.get(family, Status.NOT_JUDGED), status])
    unsure = {
        (replica, family == DISCLOSURE_RISK)
        for replica, family, status, beyond in said
        if status is Status.NOT_JUDGED and beyond
    }
    for replica, families in found.items():
        for family, status in families.items():
            if status is Status.WITHIN and (replica, family == DISCLOSURE_RISK) in unsure:
                families[family] = Status.NOT_JUDGED
        if known.get(replica):
            risk = families.get(DISCLOSURE_RISK, Status.NOT_JUDGED)
            families[DISCLOSURE_RISK] = worst([risk, Status.REVIEW])
    return tuple(Verdict(name, families, known.get(name, "")) for name, families in found.items())


def people_in(copying: Mapping[str, Copying]) -> dict[str, str]:
    """Return what is said of the replicas that hold people of the original."""
    return {replica: one.words for replica, one in copying.items() if one.alarming}


def judged_by_study(review: Review) -> dict[str, dict[str, str]]:
    """Return what the profile of the study says, as `Review.verdicts`; nothing if it has none."""
    try:
        profile = load_profile(review.study.profile)
    except SdcMetricsError:  # whoever judges by it is told
        return {}
    # Only what has a limit is judged: wide data have hundreds of thousands of rows without.
    frame = review.frame[review.frame["metric"].isin(list(profile.thresholds))]
    return {
        one.replica: {
            "verdict": one.words,
            "disclosure_risk": one.of(DISCLOSURE_RISK).value,
            "utility": one.of(GENERAL_UTILITY, SPECIFIC_UTILITY).value,
        }
        for one in verdicts(review, judge(replace(review, frame=frame), profile))
    }


def worst(statuses: Iterable[Status]) -> Status:
    """Return the worst of some statuses; "not judged" if there is none.

    Examples
    --------
    >>> worst([Status.WITHIN, Status.REVIEW, Status.NOT_JUDGED]).value
    'review'
    """
    order = list(Status)
    return max(statuses, key=order.index, default=Status.NOT_JUDGED)
