"""What a ranking says, in sentences for the command line and the report."""

from __future__ import annotations

from collections.abc import Iterator

from sdcmetrics.ranking.criteria import FAMILIES
from sdcmetrics.ranking.phrase import Mention, Phrase, listed
from sdcmetrics.ranking.result import Ranking
from sdcmetrics.ranking.smallest_change import Change

__all__ = [
    "STRATEGY_WORDS",
    "agreement",
    "all_weights",
    "change_in_words",
    "drawn_again",
    "how_often",
    "margin",
    "percent",
    "risk_weight",
    "smallest_change",
    "undominated",
    "weights_in_words",
    "winner",
]

STRATEGY_WORDS = {
    "rank": "the weighted mean of its ranks (1 is best)",
    "linear": "the weighted mean of its points from 0, the worst replica, to 1, the best",
    "normal": "the weighted mean of its points: 1 for the best, 0 for the worst, else 0.5",
    "quantile": "the weighted mean of its points, 0 to 3 by quarters of the replicas",
    "summation": "the weighted mean of its values on each metric's own range, 0 to 1",
    "anchored": "the weighted mean of its scores between references, 0 to 1",
}
"""What a replica's total is, by strategy."""

_SPACE = "\N{NO-BREAK SPACE}"
_SURE = 0.005
_MANY = 100


def percent(share: float) -> str:
    r"""Return a share in words that never round to none or all.

    Examples
    --------
    >>> percent(0.664), percent(0.005), percent(0.995), percent(0.0)
    ('66\xa0%', 'under 1\xa0%', 'over 99\xa0%', '0\xa0%')
    """
    share = round(share, 9)  # a sum of weights may be a rounding error away from none or all
    if 0 < share <= _SURE:
        return f"under 1{_SPACE}%"
    if 1 - _SURE <= share < 1:
        return f"over 99{_SPACE}%"
    return f"{100 * share:.0f}{_SPACE}%"


def weights_in_words(ranking: Ranking) -> str:
    """Return what the families count for.

    Used as "general utility counts 50 %, disclosure risk 50 %".
    """
    shares = ranking.weights.families.items()
    return ", ".join(
        f"{FAMILIES[family]}{'' if i else ' counts'} {percent(weight)}"
        for i, (family, weight) in enumerate(shares)
    )


def winner(ranking: Ranking) -> Phrase:
    """Say who is first under the study's weights."""
    given = f" where {weights_in_words(ranking)}."
    if ranking.winner is None:
        return (*listed(ranking.first), f" tie for the first place{given}")
    return (Mention(ranking.winner), f" is first{given}")


def margin(ranking: Ranking) -> Phrase:
    """Say by how much the first is first."""
    totals = {r: f"{t:.2f}" for r, t in zip(ranking.replicas, ranking.totals, strict=True)}
    leader, *others = ranking.by_place
    what = STRATEGY_WORDS[ranking.strategy]
    parts: Phrase = (f"By {what}: ", Mention(leader), f" {totals[leader]}")
    if others:
        between = ", then " if ranking.winner else " and "
        parts += (between, Mention(others[0]), f" {totals[others[0]]}")
    return (*parts, ".")


def all_weights(ranking: Ranking) -> Phrase:
    """Say how often each replica is first when the weights vary over all that are possible."""
    start = "If nothing were known of what counts, and all weights were equally likely: "
    shares = dict(zip(ranking.replicas, ranking.acceptability[1].tolist(), strict=True))
    return (start, *_often(shares), ".")


def risk_weight(ranking: Ranking) -> Phrase:
    """Say who is first as disclosure risk counts more; empty where only one side counts."""
    found = ranking.stretches
    if not found:
        return ()
    if len(found) == 1:
        verb = " are" if len(found[0].first) > 1 else " is"
        return (
            *listed(found[0].first),
            f"{verb} first however much disclosure risk counts against utility.",
        )
    parts: list[str | Mention] = ["First, by how much disclosure risk counts: "]
    for i, stretch in enumerate(found):
        if i == 0:
            where = f" up to {percent(stretch.high)}"
        elif i == len(found) - 1:
            where = f" above {percent(stretch.low)}"
        else:
            where = f" from {percent(stretch.low)} to {percent(stretch.high)}"
        parts += ["; " if i else "", *listed(stretch.first), where]
    now = ranking.weights.families.get("disclosure", 0.0)
    return (*parts, f". It counts {percent(now)} here.")


def smallest_change(ranking: Ranking) -> Phrase:
    """Say what the smallest change of weights is that makes another replica first."""
    change = ranking.smallest_change
    if len(ranking.replicas) == 1:
        return ()
    if ranking.winner is None:
        return (*listed(ranking.first), " are level: the least change of weights decides.")
    if change is None:
        return ("No weights at all make another replica first.",)
    return (
        "The smallest change of weights that brings another replica level with the first: ",
        *change_in_words(change),
        ".",
    )


def change_in_words(change: Change) -> Phrase:
    r"""Say what has to move for a replica to be first.

    Examples
    --------
    >>> from sdcmetrics.ranking.phrase import plain_text
    >>> change = Change("b", 0.2, {"U": 0.5, "R": 0.5}, {"U": 0.2}, {"R": 0.2})
    >>> plain_text(change_in_words(change))
    'b, if 20\xa0% of the weight moves from U to R'
    """
    if not change.possible:
        return (Mention(change.replica), ": under no weights")
    if not change.taken:
        return (Mention(change.replica), ": no change is needed")
    moved, taken, given = percent(change.moved), _metrics(change.taken), _metrics(change.given)
    return (Mention(change.replica), f", if {moved} of the weight moves from {taken} to {given}")


def agreement(ranking: Ranking) -> Phrase:
    """Say whether the ways to add up agree on who is first."""
    by_first: dict[tuple[str, ...], list[str]] = {}
    for strategy, first in ranking.agreement.items():
        by_first.setdefault(first, []).append(strategy)
    if len(by_first) == 1:
        (first,) = by_first
        names = ", ".join(ranking.agreement)
        return ("All ways to add up agree on ", *listed(first), f" ({names}).")
    parts: list[str | Mention] = ["Ways to add up disagree on who is first: "]
    for i, (first, strategies) in enumerate(by_first.items()):
        parts += ["; " if i else "", *listed(first), f" by {', '.join(strategies)}"]
    return (*parts, ".")


def drawn_again(ranking: Ranking) -> Phrase:
    """Say how often each replica is first when syntheses or records are drawn again."""
    found = ranking.uncertainty
    if found is None:
        why = (
            "How much of this is luck was not measured: every replica is one synthesis, and its "
            "records were not drawn again (replicates)."
        )
        return (why,)
    some = len(found.replicas) < len(ranking.replicas)
    shares = dict(zip(ranking.replicas, found.rank_shares[:, 0].tolist(), strict=True))
    return (
        f"When the {found.source} of ",
        *(listed(found.replicas) if some else ("the replicas",)),
        f" are drawn again, {found.times:,} times",
        ", the other replicas staying as they are" if some else "",
        ", under the same weights: ",
        *_often(shares, found.times),
        ".",
    )


def undominated(ranking: Ranking) -> Phrase:
    """Say which replicas no other one beats on utility and on risk at once.

    By the scores of the map where there is one, so that sentence and picture agree. Empty where
    there is nothing to weigh: one replica, or one side only that counts.
    """
    on_map = ranking.map.loc[lambda points: ~points["reference"].astype(bool)]
    sides, best = on_map[["utility", "protection"]], on_map["front"]
    by = "By the scores between references"
    if not len(sides) or sides.isna().to_numpy().any():
        sides, best = ranking.sides, ranking.pareto["utility and risk"]
        by = "By their ranks" if ranking.strategy == "rank" else "By their points"
    if len(ranking.replicas) == 1 or sides.isna().to_numpy().any():
        return ()
    found = [replica for replica, on in zip(ranking.replicas, best, strict=True) if on]
    if len(found) == 1:
        return (f"{by}, ", *listed(found), " is best on utility and on risk at once.")
    if len(sides[best.to_numpy(dtype=bool)].astype(float).round(12).drop_duplicates()) == 1:
        others = "" if len(found) == len(ranking.replicas) else ", and better than the others"
        return (f"{by}, ", *listed(found), f" are level on utility and on risk{others}.")
    if len(found) == len(ranking.replicas):
        return (f"{by}, every replica gives up something that another has: none is beaten.",)
    return (
        f"{by}, a choice between utility and risk is left among ",
        *listed(found),
        "; each of the others is no better than one of these on either side.",
    )


def how_often(share: float, times: int) -> str:
    r"""Return a share of draws in words: counted where they are few.

    Examples
    --------
    >>> how_often(1.0, 20), how_often(0.95, 1000)
    ('20 of 20', '95\xa0%')
    """
    return f"{share * times:.3g} of {times}" if times < _MANY else percent(share)


def _often(shares: dict[str, float], times: int = _MANY) -> Phrase:
    """List who is first how often, most often first; those that hardly ever are together."""
    named = [r for r in sorted(shares, key=lambda r: -shares[r]) if shares[r] >= _SURE]
    parts: list[str | Mention] = []
    for i, replica in enumerate(named):
        parts += [
            ", " if i else "",
            Mention(replica),
            f" first in {how_often(shares[replica], times)}",
        ]
    rest = [share for replica, share in shares.items() if replica not in named]
    if rest:
        parts.append(", the others never" if not any(rest) else ", the others hardly ever")
    return tuple(parts)


def _metrics(moved: dict[str, float]) -> str:
    return ", ".join(_parts(moved))


def _parts(moved: dict[str, float]) -> Iterator[str]:
    for name, weight in moved.items():
        yield name if len(moved) == 1 else f"{name} ({percent(weight)})"
