"""People of the original in a replica: how many records equal one, and what is claimed of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sdcmetrics.decision.state import ALARMS
from sdcmetrics.measures.closeness.copies import COPIES
from sdcmetrics.measures.closeness.places import CLOSEST
from sdcmetrics.measures.evidence import Evidenced, Key
from sdcmetrics.measures.people.claims import Claim, in_order
from sdcmetrics.measures.people.claims_of_files import PeopleOfFiles
from sdcmetrics.measures.people.subject import PEOPLE

_WHOLE = frozenset({Claim.COPY, Claim.RENAMED})


@dataclass(frozen=True)
class Copied:
    """Records of the original that one synthesis holds, or is close to: counts, and no verdict.

    Attributes
    ----------
    replica : str
    synthesis : int
        From 1; 0 where the replica has one only.
    n : int
        Original records.
    copied : int
        Those that the replica holds in every value; common records are among them.
    singled_out : int or None
        Original records that a replica record is nearer to, by a margin, than any other real
        record is; None without a holdout.
    n_near : int
        Original records that were looked at for that; 0 without a holdout.
    others : int or None
        Records of the holdout that a replica record is as near to; None where none is shown.
    n_others : int
        Records of the holdout.
    every : int
        Above 1, copies were looked for among the records with one in so many combinations of
        values, drawn at random: `n` and `copied` are of these.
    """

    replica: str
    synthesis: int
    n: int
    copied: int
    singled_out: int | None = None
    n_near: int = 0
    others: int | None = None
    n_others: int = 0
    every: int = 1


@dataclass(frozen=True)
class PeopleClaims:
    """Claims about people of the original in one replica, over all its files.

    Attributes
    ----------
    replica : str
    words : str
        The claim that stands first; "" where none is for review, or worse.
    share : float
        How much of the original is handed out, 0 to 1, as far as can be told.
    whole : bool
        Whether it is the original, or surely most of it: what is left would be real people.
    """

    replica: str
    words: str
    share: float
    whole: bool

    @property
    def alarming(self) -> bool:
        """Whether any claim is for review, whatever a profile limits."""
        return bool(self.words)


def copied_in(review: Evidenced) -> tuple[Copied, ...]:
    """Return the counts of every synthesis of every replica, in the study's order."""
    closest = review.evidence.by_synthesis(CLOSEST)
    copies = review.evidence.by_synthesis(COPIES)
    syntheses = Counter(replica for replica, _ in copies)
    out = []
    for (replica, i), counts in copies.items():
        copied = Copied(
            replica,
            i if syntheses[replica] > 1 else 0,
            counts.n_original,
            counts.copied,
            every=counts.every,
        )
        if (near := closest.get((replica, i))) is not None:
            labels = near.singled_out
            copied = replace(
                copied,
                singled_out=labels.training,
                n_near=labels.n_training,
                others=labels.holdout,
                n_others=labels.n_holdout,
            )
        out.append(copied)
    return tuple(out)


def with_counted_copies(results: Mapping[Key, Any]) -> dict[Key, Any]:
    """Return evidence in which a file is a copy whose records, all counted, are the original's.

    People are looked for in a random part of large files, which cannot show that.
    """
    out = dict(results)
    for (kind, replica, place), result in results.items():
        if kind is PEOPLE:
            each = results.get((COPIES, replica, place), ())
            copied = {i for i, counts in enumerate(each) if counts.same}
            files = tuple(
                replace(file, claims=in_order({*file.claims, Claim.COPY})) if i in copied else file
                for i, file in enumerate(result.files)
            )
            out[kind, replica, place] = replace(result, files=files)
    return out


def held_in(review: Evidenced) -> dict[str, PeopleClaims]:
    """Return what is claimed of each replica in which people were looked for."""
    results = review.evidence.of(PEOPLE)
    return {replica: _held(replica, result) for (replica, _), result in results.items()}


def _held(replica: str, result: PeopleOfFiles) -> PeopleClaims:
    claims = frozenset(result.claims)
    alarms = claims & ALARMS
    if result.closer_is_much and Claim.CLOSER in claims:
        alarms |= {Claim.CLOSER}
    if not alarms:
        return PeopleClaims(replica, "", 0.0, whole=False)
    words = next(claim.value for claim in Claim if claim in alarms)
    people, rows = result.worst.people, result.in_order
    share = max(part.estimate / part.of if part is not None else 0.0 for part in (people, rows))
    whole = bool(claims & _WHOLE)
    most = result.most or (rows is not None and 2 * rows.low > rows.of)
    return PeopleClaims(replica, words, 1.0 if whole else min(share, 1.0), whole=whole or most)
