"""Claims about whose records several files of one maker hold, from those about each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sdcmetrics.measures.people.claims import (
    ACCUSING,
    CLOSER_BY,
    QUIET,
    Claim,
    Interval,
    People,
    PeopleTest,
    in_order,
)
from sdcmetrics.results import Readable


@dataclass(frozen=True)
class PeopleOfFiles(Readable, shows=("claims", "files", "noticed")):
    """Whose records are in several files of one maker: each by itself, and their growing union.

    Attributes
    ----------
    files : tuple of People
        Each file by itself.
    unions : tuple of People
        Of files 1 to i, from i = 2 on.
    together : tuple of People
        Of files that were handed out earlier and of these, as unions.
    earlier : tuple of int
        How many earlier files each of these holds.
    anyway : bool
        Whether such a union is for review without these files, too.
    out : int
        Files that were handed out earlier, also those that no union had to hold.
    """

    files: tuple[People, ...]
    unions: tuple[People, ...] = ()
    together: tuple[People, ...] = ()
    earlier: tuple[int, ...] = ()
    anyway: bool = False
    out: int = 0

    @property
    def looks(self) -> tuple[People, ...]:
        """All files and unions; of unions with earlier files only those for review.

        What cannot be judged of an earlier file says nothing of these.
        """
        beyond = tuple(people for people in self.together if people.accused)
        return self.files + self.unions + beyond

    @property
    def only_together(self) -> bool:
        """Whether nothing is for review but unions with files that were handed out earlier."""
        return self.accused and not any(people.accused for people in self.files + self.unions)

    @property
    def more_together(self) -> bool:
        """Whether more is claimed of a union with earlier files than of these by themselves."""
        own = {claim for people in self.files + self.unions for claim in people.claims}
        return any(people.accused and ACCUSING & {*people.claims} - own for people in self.together)

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The claims on any file or union, in the order of the table."""
        claims = {claim for result in self.looks for claim in result.claims}
        if claims & (ACCUSING - {Claim.CLOSER}):
            claims -= {Claim.CLOSER}
        if Claim.OUTSIDERS in claims:
            claims -= {Claim.AVOIDS}
        stronger = self.accused or {Claim.OUTSIDERS, Claim.AVOIDS} & claims
        return in_order(claims - QUIET if stronger else claims)

    @property
    def accused(self) -> bool:
        """Whether a claim about people is for review, or worse."""
        return any(result.accused for result in self.looks)

    @property
    def worst(self) -> People:
        """The file, or the union, with the worst claim; the first of equals.

        What counts is the claim that stands first in their table, then how many people are
        replicated beyond chance.
        """
        order = list(Claim)

        def rank(result: People) -> tuple[bool, int, float]:
            first = min((order.index(claim) for claim in result.claims), default=len(order))
            return not result.accused, first, -result.people.low if result.people else 0.0

        return min(self.looks, key=rank)

    @property
    def most(self) -> bool:
        """Whether these files, without earlier ones, surely hold most people of the original."""
        return any(
            Claim.HOLDS in look.claims
            and look.people is not None
            and 2 * look.people.low > look.people.of
            for look in self.files + self.unions
        )

    @property
    def in_order(self) -> Interval | None:
        """Rows that are the person of the same row, in the file with the largest share of them."""
        given = [result.in_order for result in self.looks if result.in_order is not None]
        return max(given, key=lambda rows: rows.low / rows.of, default=None)

    @property
    def closer_share(self) -> float | None:
        """The largest of any file or union."""
        shares = [result.closer_share for result in self.looks if result.closer_share is not None]
        return max(shares, default=None)

    @property
    def closer_is_much(self) -> bool:
        """Whether "closer" is a matter for review and not only a remark."""
        return self.closer_share is not None and self.closer_share >= CLOSER_BY

    @property
    def noticed(self) -> int | None:
        """The number of copied people noticed in the file in which it is largest.

        None where any file has none, or anything alarms.
        """
        numbers = [file.noticed for file in self.files]
        whole = [number for number in numbers if number is not None]
        if self.accused or len(whole) < len(numbers):
            return None
        return max(whole, default=None)

    @property
    def withheld(self) -> str:
        """Why there is no such number."""
        return next((file.withheld for file in self.files if file.withheld), "")

    @property
    def tests(self) -> Mapping[str, PeopleTest]:
        """Of the worst file or union."""
        return self.worst.tests

    @property
    def people(self) -> Interval | None:
        """Of the worst file or union."""
        return self.worst.people

    @property
    def hits(self) -> tuple[int, int]:
        """Of the worst file or union."""
        return self.worst.hits

    @property
    def holdout(self) -> str:
        """The use of the holdout; the worst of any file."""
        order = ("differs", "lacks columns", "used", "none")
        return min((file.holdout for file in self.files), key=order.index)

    @property
    def left_out(self) -> tuple[str, ...]:
        """Columns in other words, of any file."""
        return self._names("left_out")

    @property
    def mapped(self) -> tuple[str, ...]:
        """Columns on another scale, of any file."""
        return self._names("mapped")

    @property
    def running(self) -> tuple[str, ...]:
        """Running numbers, of any file."""
        return self._names("running")

    @property
    def absent(self) -> tuple[str, ...]:
        """Columns that are not in both files, of any file."""
        return self._names("absent")

    @property
    def n(self) -> int:
        """Records of the original."""
        return self.files[0].n

    @property
    def m(self) -> int:
        """Records of all files."""
        return sum(file.m for file in self.files)

    @property
    def h(self) -> int:
        """Records of the holdout."""
        return self.files[0].h

    @property
    def places(self) -> bool:
        """Whether near tests of any look were made in neighbourhoods only."""
        return any(result.places for result in self.looks)

    @property
    def larger_holdout(self) -> bool:
        """Whether there was a holdout too small to decide on any look."""
        return any(result.larger_holdout for result in self.looks)

    @property
    def clusters(self) -> int:
        """Clusters of the original."""
        return self.files[0].clusters

    @property
    def cluster(self) -> str:
        """The column that names them."""
        return self.files[0].cluster

    @property
    def other_clusters(self) -> bool:
        """Whether the holdout consists of other clusters than the original."""
        return self.files[0].other_clusters

    @property
    def holdout_p(self) -> float | None:
        """The smallest p of the holdout being a random part, of any file's columns."""
        values = [file.holdout_p for file in self.files if file.holdout_p is not None]
        return min(values, default=None)

    @property
    def holdout_most(self) -> str:
        """What differs most there, where it differs."""
        return next((file.holdout_most for file in self.files if file.holdout_most), "")

    def _names(self, attribute: str) -> tuple[str, ...]:
        return tuple(
            dict.fromkeys(name for result in self.looks for name in getattr(result, attribute))
        )
