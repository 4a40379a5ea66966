"""Conditions on people and on excess under which sentences on risk are true."""

from __future__ import annotations

from sdcmetrics.decision.state import ALARMS
from sdcmetrics.decision.status import Status
from sdcmetrics.decision.table import Condition
from sdcmetrics.measures.people.claims import Claim

SETTLED = frozenset({Claim.COPY, Claim.RENAMED, Claim.ALIGNED})
"""Claims that leave nothing open of whose records are in a replica."""


def claimed(claim: Claim) -> Condition:
    """Whether a claim is made of people."""
    return lambda s: claim in s.people.claims


def alone(claim: Claim) -> Condition:
    """Whether to state a claim that is stated only if no worse claim about people is."""
    return lambda s: claim in s.people.claims and not s.people.claims & ALARMS


def unsettled(claim: Claim) -> Condition:
    """Whether to state a claim that is redundant beside one that fails by itself."""
    return lambda s: claim in s.people.claims and not s.people.claims & SETTLED


def holds(*, most: bool) -> Condition:
    """Whether records of people are held: of most of them and nothing worse is claimed, or else."""
    settled = unsettled(Claim.HOLDS)
    return lambda s: Claim.HOLDS in s.people.claims and (s.people.most and settled(s)) is most


def closer(*, far: bool) -> Condition:
    """Whether records lie closer to the original than to a holdout, much closer or a little."""
    stands = alone(Claim.CLOSER)
    return lambda s: stands(s) and s.people.far is far


def flagged(status: Status, *, holdout: bool) -> Condition:
    """Whether the excess has a status, compared with a holdout or with other people."""
    basis = "holdout" if holdout else "other people"
    return lambda s: s.excess.status == status and s.excess.basis == basis


def compared(basis: str, holdout: str = "", *, census: bool = False) -> Condition:
    """Whether no excess was found in whole files, on this basis and with this use of a holdout."""
    return lambda s: (
        s.excess.compared
        and not s.people.sampled
        and s.excess.basis == basis
        and s.people.holdout == (holdout or s.people.holdout)
        and s.census is census
    )


def compared_with_holdout(*, strangers: bool) -> Condition:
    """Whether that was with a holdout, of people who were not in the original, or perhaps were."""
    return lambda s: (
        s.excess.compared
        and not s.people.sampled
        and s.excess.basis == "holdout"
        and (not s.census and s.people.holdout != "differs") is strangers
    )
