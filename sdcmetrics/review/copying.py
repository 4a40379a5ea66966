"""Whether a replica holds people of the original: evidence that no profile has to ask for."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from sdcmetrics.measures.closeness.copies import COPIES, Copies, exact_copies_p
from sdcmetrics.measures.closeness.places import CLOSEST
from sdcmetrics.measures.closeness.result import ClosestRecord
from sdcmetrics.measures.evidence import Evidenced

SURE = 0.01
"""p up to which a test speaks of copying: one replica in a hundred by chance."""
_SPREADS = 6
"""Standard deviations beyond which twins explain no copies: none of 14,400 fresh replicas is."""
_TOGETHER = 2
"""Records of one combination are found together, which makes the variance larger."""
_SLACK = 5
"""Twins by which a sample may differ from what it is of, at the least."""


@dataclass(frozen=True)
class Copying:
    """Original records in one synthesis, beside what fresh data would hold.

    Attributes
    ----------
    replica : str
    synthesis : int
        From 1; 0 where the replica has one only.
    n, n_synthetic : int
        Original and synthetic records.
    copied : int
        Those that the replica holds in every value.
    twins : int
        Those that another original record equals.
    complete : bool
        Whether the replica is a copy of the original.
    alone : int
        Copied records of the 2 % of real ones that lie furthest from all others, where the holdout
        has no such record; 0 without a holdout.
    singled_out, fresh_singled_out : int or None
        Original and holdout records that a replica record is nearer to, by a margin, than any
        other real record is; None without a holdout.
    share, chance, spread : float
        Share of the replica's records that are closer to the original than to the holdout, what
        permuted labels give, and their standard deviation; NaN where it was not tested.
    copied_p, singled_out_p, share_p : float
        p values, times the number of syntheses; 1 where nothing was tested, and 0 of copies that
        fresh data do not have.
    margin : str
        By how much nearer, in words.
    n_near, n_holdout : int
        Original and holdout records that were looked at for that; 0 without a holdout.
    """

    replica: str
    synthesis: int
    n: int
    n_synthetic: int
    copied: int
    twins: int
    complete: bool
    copied_p: float
    alone: int = 0
    singled_out: int | None = None
    fresh_singled_out: int = 0
    singled_out_p: float = 1.0
    share: float = math.nan
    chance: float = math.nan
    spread: float = math.nan
    share_p: float = 1.0
    margin: str = ""
    n_near: int = 0
    n_holdout: int = 0

    @property
    def holds_copies(self) -> bool:
        """Whether it holds more records in every value than fresh data do."""
        return self.complete or self.copied_p <= SURE

    @property
    def beyond_remedy(self) -> bool:
        """Whether it is the original, or most of it: what is left would still be real people."""
        alone = self.copied - min(self.twins, self.copied)
        return self.complete or (self.holds_copies and 2 * alone > self.n)

    @property
    def singles_out(self) -> bool:
        """Whether it is close to more single people of the original than fresh data are."""
        return self.singled_out_p <= SURE

    @property
    def is_closer(self) -> bool:
        """Whether its records are closer to the original than to the holdout."""
        return self.share_p <= SURE

    @property
    def alarming(self) -> bool:
        """Whether anything of it calls for a closer look, whatever a profile limits."""
        return self.holds_copies or self.singles_out or self.is_closer or self.alone > 0

    @property
    def words(self) -> str:
        """What is said of a replica that is alarming; nothing of another."""
        if self.complete:
            return "is a copy of the original"
        return "holds people of the original" if self.alarming else ""

    @property
    def lost(self) -> float:
        """How much of the original is handed out, 0 to 1, by what speaks loudest."""
        if self.complete:
            return 1.0
        parts = [0.0]
        if self.holds_copies:
            parts.append((self.copied - min(self.twins, self.copied)) / self.n)
        if self.singles_out and self.singled_out is not None and self.n_holdout:
            fresh = self.fresh_singled_out * self.n_near / self.n_holdout
            parts.append((self.singled_out - fresh) / self.n_near)
        if self.is_closer and self.chance < 1:
            parts.append((self.share - self.chance) / (1 - self.chance))
        return min(max(parts), 1.0)


def held(twins: float, n: int, n_synthetic: int) -> float:
    """Return the share of the original that fresh data hold in every value, at most.

    A record is in a fresh sample of the size of the original with the probability that it has a
    twin, q on average; in one k times as large with at most 1 - (1 - q)^k (Jensen).
    """
    q = min(twins / n, 1.0) if n else 1.0
    return float(1.0 - (1.0 - q) ** max(n_synthetic / max(n, 1), 1.0))


def beyond_twins(copied: int, twins: int, n: int, n_synthetic: int, slack: int) -> bool:
    """Whether fresh people, who have as many twins, would hold far fewer records in every value.

    Unlike `exact_copies_p` this does not ask how often a replica repeats its own records, and so
    finds copies in one in which every record stands twice.
    """
    most = held(twins + slack, n, n_synthetic)
    spread = math.sqrt(_TOGETHER * n * most * (1.0 - most))
    return copied > n * most + 2 * slack + _SPREADS * spread


def copying_of(review: Evidenced) -> list[Copying]:
    """Return what every synthesis of every replica holds of the original, in the study's order."""
    copies = review.evidence.by_synthesis(COPIES)
    closest = review.evidence.by_synthesis(CLOSEST)
    syntheses = Counter(replica for replica, _ in copies)
    return [
        _copying(name, i, found, closest.get((name, i)), syntheses[name])
        for (name, i), found in copies.items()
    ]


def worst_copying(each: Iterable[Copying]) -> dict[str, Copying]:
    """Return the worst synthesis of each replica."""
    out: dict[str, Copying] = {}
    for one in each:
        other = out.get(one.replica)
        if other is None or _badness(one) > _badness(other):
            out[one.replica] = one
    return out


def _badness(one: Copying) -> tuple[bool, bool, float, int]:
    # What calls for a look may be one person alone, of whom nothing is lost.
    return one.complete, one.alarming, one.lost, one.copied


def _copying(name: str, i: int, found: Copies, closest: ClosestRecord | None, many: int) -> Copying:
    sizes = found.n_original, found.n_synthetic
    twins = max(found.twins, 2 * _SLACK)
    sure = beyond_twins(found.copied, twins, *sizes, _SLACK)
    base = Copying(
        name,
        i if many > 1 else 0,
        *sizes,
        found.copied,
        found.twins,
        found.complete,
        0.0 if sure or found.unheard_of else many * exact_copies_p(found).value,
    )
    return base if closest is None else _beside_holdout(base, closest, many)


def _beside_holdout(base: Copying, closest: ClosestRecord, many: int) -> Copying:
    test, apart, one = closest.permutation, closest.outliers, closest.singled_out
    tested = test.permutations > 0
    hamming = closest.distance == "hamming"
    return Copying(
        base.replica,
        base.synthesis,
        base.n,
        base.n_synthetic,
        base.copied,
        base.twins,
        base.complete,
        # The holdout tells copies from what is common; two looks at the same records count twice.
        min(2 * base.copied_p, 2 * many * closest.identical.p_value),
        alone=0 if apart.holdout else apart.training,
        singled_out=one.training,
        fresh_singled_out=one.holdout,
        singled_out_p=many * one.p_value,
        share=closest.share,
        chance=test.mean,
        spread=test.sd,
        share_p=many * test.p_value if tested and not math.isnan(test.p_value) else 1.0,
        margin=f"{closest.margin:g} columns or more"
        if hamming
        else f"a distance of {closest.margin:.2g} or more",
        n_near=one.n_training,
        n_holdout=one.n_holdout,
    )
