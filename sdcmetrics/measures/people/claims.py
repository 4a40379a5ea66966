"""Claims about whose records a file holds, as typed values without words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Literal

from sdcmetrics.results import Readable


class Claim(StrEnum):
    """A claim about a file; several may hold."""

    COPY = "is a copy of the original"
    RENAMED = "is the original with its values renamed"
    ALIGNED = "is a masked original, whole or in part: rows are the person of the same row"
    HOLDS = "holds records of people of the original"
    EITHER = "holds records of people, or records were not drawn one by one"
    FOLLOWS = "follows single people of the original"
    OUTSIDERS = "holds records of people of the holdout"
    AVOIDS = "keeps away from people of the original, or holds some of the holdout"
    CLOSER = "is closer to the people of the original than to people left out"
    UNDECIDED = "undecided: the holdout neither confirms nor contradicts"
    DEDUPLICATED = "deduplicated"
    LEFT_OUT = "a column left out"
    FEW_COLUMNS = "fewer than two columns"
    COLUMNS = "column by column"
    VOID = "void: the holdout contradicts"
    ORDER = "in the order of the original"
    HOLDOUT_DIFFERS = "the holdout differs"


ACCUSING = frozenset(
    {
        Claim.COPY,
        Claim.RENAMED,
        Claim.ALIGNED,
        Claim.HOLDS,
        Claim.EITHER,
        Claim.FOLLOWS,
        Claim.CLOSER,
    }
)
"""Claims about people; `CLOSER` is a remark only where `closer_share` is small."""

QUIET = frozenset({Claim.COLUMNS, Claim.VOID, Claim.UNDECIDED})
"""Said only where nothing stronger is."""

NOT_NOTICED = "no number of copied people would be noticed"
"""Why it is not stated how many would have been: few records, or many that are alike."""

CLOSER_BY = 0.1
"""Excess of the share nearest to the original from which "closer" is for review: own choice."""


def in_order(claims: frozenset[Claim] | set[Claim]) -> tuple[Claim, ...]:
    """Return claims in the order of their table."""
    return tuple(claim for claim in Claim if claim in claims)


@dataclass(frozen=True)
class Interval:
    """An estimate with its 95 % limits, of so many.

    Attributes
    ----------
    estimate, low, high : float
    of : int
        People of the original.
    """

    estimate: float
    low: float
    high: float
    of: int


@dataclass(frozen=True)
class PeopleTest:
    """One of the four tests.

    Attributes
    ----------
    p : float or None
        None where it is no p value: near label tests above their level, and silenced tests.
    level : float
    alarmed : bool
        At its level, confirmed by the holdout where that could speak, and beyond shuffled columns.
    original, holdout : int
        What counts as a hit: persons (label tests), or bundles and pairs that hold a replica
        record and a person of the original, or of the holdout (twin tests).
    spoke : bool
        Whether the holdout could have contradicted it.
    smallest : float
        The smallest p of any set, before the number of sets is taken into account.
    """

    p: float | None
    level: float
    alarmed: bool = False
    original: int = 0
    holdout: int = 0
    spoke: bool = False
    smallest: float = 1.0


@dataclass(frozen=True)
class People(Readable, shows=("claims", "n", "m", "h", "holdout", "noticed")):
    """Whose records are in one file.

    Attributes
    ----------
    claims : tuple of Claim
        In the order of their table; empty where nothing is to be said.
    tests : mapping of "LE", "TE", "LN", "TN" to PeopleTest
        Label and twin tests, exact and near; without a holdout no label tests.
    people : Interval or None
        People of the original who are in the file beyond chance.
    in_order : Interval or None
        Rows that are the person of the same row, at least; only where that is claimed.
    hits : tuple of int
        People of the original, and of the holdout, whom alone a record of the replica equals.
    holdout : "none", "used", "differs" or "lacks columns"
    holdout_p : float or None
        p of the holdout being a random part of original and holdout.
    holdout_most : str
        What differs most there, where it differs.
    left_out, mapped, running, absent : tuples of str
        Columns in other words, on another scale, running numbers, and not in both files.
    noticed : int or None
        The smallest number of people who, copied in every value, would have been noticed in 9 of
        10 cases (whole clusters, where a column names these); None where withheld or where
        something alarms.
    withheld : str
        Why there is no such number.
    n, m, h : int
        Records of original, replica and holdout.
    places : bool
        Whether near tests looked at a part of very large files only.
    larger_holdout : bool
        Whether there was a holdout too small to decide.
    closer_share : float or None
        By how much the share of replica records whose nearest person is of the original exceeds
        that of replicas with shuffled columns; only where near label tests alarm.
    clusters : int
        Clusters of the original, 0 where no column names them.
    cluster : str
        The column that names them.
    other_clusters : bool
        Whether the holdout consists of other clusters than the original.
    avoided : tuple of int, or None
        People of the original and of the holdout who have a record of the replica equal or nearest
        to them, where the former are too few for chance.
    """

    claims: tuple[Claim, ...]
    n: int
    m: int
    h: int
    tests: Mapping[str, PeopleTest] = field(default_factory=lambda: MappingProxyType({}))
    people: Interval | None = None
    in_order: Interval | None = None
    hits: tuple[int, int] = (0, 0)
    holdout: Literal["none", "used", "differs", "lacks columns"] = "none"
    holdout_p: float | None = None
    holdout_most: str = ""
    left_out: tuple[str, ...] = ()
    mapped: tuple[str, ...] = ()
    running: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    noticed: int | None = None
    withheld: str = ""
    places: bool = False
    larger_holdout: bool = False
    closer_share: float | None = None
    clusters: int = 0
    cluster: str = ""
    other_clusters: bool = False
    avoided: tuple[int, int] | None = None

    @property
    def closer_is_much(self) -> bool:
        """Whether "closer" is a matter for review and not only a remark."""
        return self.closer_share is not None and self.closer_share >= CLOSER_BY

    @property
    def accused(self) -> bool:
        """Whether a claim about people is for review, or worse."""
        return any(
            claim in ACCUSING and (claim is not Claim.CLOSER or self.closer_is_much)
            for claim in self.claims
        )
