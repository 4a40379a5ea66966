"""What a ranking says, in sentences for the command line and the report."""

from __future__ import annotations

from sdcmetrics.ranking.phrase import Mention, Phrase, listed
from sdcmetrics.ranking.result import Ranking
from sdcmetrics.ranking.sensitivity import Change
from sdcmetrics.study.criteria import FAMILIES

__all__ = [
    "STRATEGY_WORDS",
    "agreement",
    "all_weights",
    "change_in_words",
    "drawn_again",
    "how_often",
    "how_sure",
    "margin",
    "moved_in_words",
    "on_map",
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

_NOT_MEASURED = (
    "How much of this is luck was not measured: that takes several syntheses per replica, or "
    "records that are left out at random (replicates), and the data themselves."
)
_SPACE = "\N{NO-BREAK SPACE}"
_SURE = 0.005
"""Shares nearer to none or all round to them."""
_MANY = 100
"""So many draws are told in percent, fewer are counted."""


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
    taken, given = moved_in_words(change.taken), moved_in_words(change.given)
    words = f", if {percent(change.moved)} of the weight moves from {taken} to {given}"
    return (Mention(change.replica), words)


def moved_in_words(moved: dict[str, float]) -> str:
    """Return measures, each with the weight that moves where there are several."""
    if len(moved) == 1:
        return next(iter(moved))
    return ", ".join(f"{name} ({percent(weight)})" for name, weight in moved.items())


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
    """Say how often each replica is first with other syntheses or records."""
    found = ranking.uncertainty
    if found is None:
        return (_NOT_MEASURED,)
    some = len(found.replicas) < len(ranking.replicas)
    of = listed(found.replicas) if some else ("the replicas",)
    start: Phrase = (
        "When the mean over the syntheses of ",
        *of,
        f" is drawn again, {found.times:,} times, by how much they differ",
    )
    if found.source == "records":
        start = (
            "When a tenth of the records of ",
            *of,
            f" is left out, {found.times:,} times, and what changes is scaled to all records",
        )
    shares = dict(zip(ranking.replicas, found.rank_shares[:, 0].tolist(), strict=True))
    others = ", the other replicas staying as they are" if some else ""
    return (*start, f"{others}, under the same weights: ", *_often(shares, found.times), ".")


def on_map(ranking: Ranking) -> str:
    """Say which measures the map is made of; empty without references."""
    weights, parts = ranking.weights.flat(), []
    for side, utility in (("Utility", True), ("protection", False)):
        names = [
            one.criterion.name
            for one in ranking.anchors
            if one.criterion.utility is utility and not one.reason and weights[one.criterion.name]
        ]
        parts.append(f"{side} on the map is made of {', '.join(names) or 'nothing'}")
    gone = [f"{one.criterion.name} ({one.reason})" for one in ranking.anchors if one.reason]
    left = f" Not on the map: {'; '.join(gone)}." if gone else ""
    return f"{'; '.join(parts)}.{left}" if ranking.anchors else ""


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


def how_sure(ranking: Ranking, *, luck: bool = True) -> list[Phrase]:
    """Return what is said of how sure the order is; without `luck` nothing of draws."""
    said = [
        margin(ranking),
        drawn_again(ranking) if luck else (),
        agreement(ranking),
        risk_weight(ranking),
        all_weights(ranking),
        smallest_change(ranking),
        undominated(ranking),
    ]
    return [phrase for phrase in said if phrase]


def how_often(share: float, times: int) -> str:
    r"""Return a share of draws in words: counted where they are few.

    Examples
    --------
    >>> how_often(1.0, 20), how_often(0.95, 1000), how_often(1.0, 1000)
    ('20 of 20', '95\xa0%', 'over 99\xa0%')
    """
    if times < _MANY:
        return f"{share * times:.3g} of {times}"
    return percent(min(max(share, 1 / times), 1 - 1 / times))  # what was drawn is not all there is


def _often(shares: dict[str, float], times: int = 0) -> Phrase:
    """List who is first how often, most often first; those that hardly ever are, together."""
    named = [r for r in sorted(shares, key=lambda r: -shares[r]) if shares[r] >= _SURE]
    parts: list[str | Mention] = []
    for i, replica in enumerate(named):
        parts += [
            ", " if i else "",
            Mention(replica),
            f" first in {how_often(shares[replica], times) if times else percent(shares[replica])}",
        ]
    rest = [share for replica, share in shares.items() if replica not in named]
    if rest:
        never = not any(rest) and times < _MANY
        parts.append(", the others never" if never else ", the others hardly ever")
    return tuple(parts)
