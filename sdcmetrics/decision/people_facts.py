"""Facts of whose records one replica holds, and their words."""

from __future__ import annotations

from sdcmetrics.decision.limits import Grounds
from sdcmetrics.decision.state import ALARMS, Earlier, PeopleFacts
from sdcmetrics.decision.statement import Names, Phrase, Value
from sdcmetrics.errors import counted
from sdcmetrics.measures.people.claims import NOT_NOTICED, Claim, People
from sdcmetrics.measures.people.claims_of_files import PeopleOfFiles

_DECIDING = {
    "none": "A holdout",
    "used": "A larger holdout",
    "differs": "A holdout that is a random part of the same data",
    "lacks columns": "A holdout that has the same columns",
}
"""What would settle whether records are of the original, by what became of the holdout."""


_FEW = 30
"""Records of a side from which on nobody goes unnoticed because of their number alone."""


def _at_least(low: float, of: int) -> str:
    return "all" if low >= of else f"at least {100 * low // of:.0f} %"


def people_facts(grounds: Grounds, words: dict[str, Value]) -> PeopleFacts:
    """Return what is claimed of people; enter its words."""
    result = grounds.people
    if result is None:
        return PeopleFacts(holdout="none")
    worst, claims = result.worst, frozenset(result.claims)
    first = result.files[0]
    words["hits"] = _hits(result)
    words["outsiders"] = _outsiders(result)
    words["avoided"] = _avoided(result)
    rows = result.in_order
    words["ordered"] = "" if rows is None else _at_least(rows.low, rows.of)
    # Few rows of the same person: strong masking of all of them, or some that were kept.
    words["in_part"] = ", whole or in part" if rows is not None and 2 * rows.low < rows.of else ""
    words["deciding"] = _DECIDING["used" if worst.larger_holdout else first.holdout]
    words["clusters"] = (Names((worst.cluster,)), " clusters") if worst.other_clusters else "people"
    words["closer"] = f"{100 * (result.closer_share or 0.0):.0f} %"
    left_out = tuple(dict.fromkeys(name for file in result.looks for name in file.left_out))
    several = len(left_out) > 1
    words |= {
        "left_out": Names(left_out),
        "share": "share" if several else "shares",
        "were": "were" if several else "was",
    }
    most: Phrase = ("; most in ", Names((first.holdout_most,))) if first.holdout_most else ()
    p = "" if first.holdout_p is None else f" (p = {first.holdout_p:.3g}"
    words["differs"] = (p, *most, ")") if p else ""
    number = result.noticed
    if number is not None:
        words["unnoticed"] = _unnoticed(number - 1, first)
        words["noticed"] = number
    words |= _earlier_in_words(result)
    words |= _whose(result)
    rewritten = "otherwise than the original" in result.withheld
    blind = number is None and NOT_NOTICED in result.withheld and not claims & ALARMS
    return PeopleFacts(
        tested=True,
        sampled=grounds.sampled,
        claims=claims,
        most=result.most,
        far=result.closer_is_much,
        holdout=first.holdout,
        clustered=bool(grounds.cluster),
        noticed=number is not None and not grounds.sampled,
        withheld=number is None and rewritten and not claims & ALARMS,
        blind=blind,
        few=blind and any(_is_few(file) for file in result.files),
        earlier=_earlier(result),
    )


def _unnoticed(number: int, file: People) -> Phrase:
    """Return how many can be copied unnoticed: people, or clusters with all of their rows."""
    if not file.clusters:
        return ({0: "Nobody", 1: "One person"}.get(number, f"Up to {number:,} people"),)
    start = {0: "No", 1: "One"}.get(number, f"Up to {number:,}")
    rest = " cluster with all its rows" if number < 2 else " clusters with all their rows"  # noqa: PLR2004  (plural)
    return (f"{start} ", Names((file.cluster,)), rest)


def _is_few(file: People) -> bool:
    """Whether a file in which nobody would have been noticed has few records, or the original."""
    return file.withheld == NOT_NOTICED and min(file.clusters or file.n, file.m) < _FEW


def _earlier(result: PeopleOfFiles) -> Earlier:
    if not result.together:
        return ""
    if not result.only_together:
        return "more" if result.more_together else "quiet"
    return "anyway" if result.anyway else "together"


def _earlier_in_words(result: PeopleOfFiles) -> dict[str, Value]:
    """Return how many files were handed out earlier, in the words of the sentences on them."""
    most = max(result.earlier, default=0)
    out = max(result.out, most)
    them = "them" if most == out else f"the first {most:,} of them"
    last = result.earlier[-1] if result.earlier else 0
    return {
        "earlier": "One file" if out == 1 else f"{out:,} files",
        "was_out": "was" if out == 1 else "were",
        "them": "it" if out == 1 else "the first of them" if most == 1 else them,
        "together": files_in_words(last),
        "those": "that" if last == 1 else "those",
    }


def _whose(result: PeopleOfFiles) -> dict[str, Value]:
    """Return of whom a claim is: of the replica, or only of it and earlier files together."""
    if not result.only_together:
        return {"holds": "It holds", "its": "Its records"}
    files = files_in_words(result.earlier[result.together.index(result.worst)])
    return {
        "holds": f"Together with {files} handed out earlier it holds",
        "its": f"Its records and those of {files} handed out earlier, together,",
    }


def files_in_words(number: int) -> str:
    """Return a number of files with its noun."""
    return counted(number, "file")


def _hits(result: PeopleOfFiles) -> str:
    worst = result.worst
    of_original, of_holdout = worst.hits
    parts = [f"{of_original:,} of {worst.n:,} are equal to a record of it and to nobody else"]
    if worst.holdout == "used":
        parts.append(f"of people left out {of_holdout:,} of {worst.h:,}")
    size = worst.people
    if size is not None and size.low > 0:
        parts.append(
            f"about {size.estimate:,.0f} (95 %: {size.low:,.0f} to {size.high:,.0f}) beyond chance"
        )
    if worst in result.unions:
        parts.append(f"{result.unions.index(worst) + 2} files together")
    elif worst in result.together:
        if not result.only_together:  # else the sentence begins with that
            number = result.earlier[result.together.index(worst)]
            parts.append(f"together with {files_in_words(number)} handed out earlier")
    elif len(result.files) > 1:
        parts.append(f"file {result.files.index(worst) + 1} of {len(result.files)}")
    return "; ".join(parts)


def _outsiders(result: PeopleOfFiles) -> str:
    """Return how many people of the holdout a replica holds that holds them beyond chance."""
    claiming = (people for people in result.looks if Claim.OUTSIDERS in people.claims)
    first = next(claiming, result.worst)
    of_original, of_holdout = first.hits
    return (
        f"{of_holdout:,} of {first.h:,} are equal to a record of it and to nobody else; of people "
        f"of the original {of_original:,} of {first.n:,}"
    )


def _avoided(result: PeopleOfFiles) -> str:
    """Return how few people of the original a replica meets that keeps away from them."""
    people = next((people for people in result.looks if people.avoided is not None), None)
    if people is None or people.avoided is None:
        return ""
    of_original, of_holdout = people.avoided
    return f"{of_original:,} of {people.n:,}, and of people left out {of_holdout:,} of {people.h:,}"
