"""Sentences on a ranking, for the command line and the report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sdcmetrics.ranking.phrase import Mention, Phrase, joined, listed
from sdcmetrics.ranking.result import Ranking
from sdcmetrics.ranking.sensitivity import Change
from sdcmetrics.review.people import PeopleClaims
from sdcmetrics.study.criteria import FAMILIES

STRATEGY_WORDS = {
    "rank": "the weighted mean of its ranks (1 is best)",
    "linear": "the weighted mean of its points from 0, the worst replica, to 1, the best",
    "normal": "the weighted mean of its points: 1 for the best, 0 for the worst, else 0.5",
    "quantile": "the weighted mean of its points, 0 to 3 by quarters of the replicas",
    "summation": "the weighted mean of its values on each measure's own range, 0 to 1",
    "anchored": "the weighted mean of its scores between references, 0 to 1",
}
"""What a replica's total is, by strategy."""

_NOT_MEASURED = (
    "How much of this is luck was not measured: that takes several syntheses per replica, or "
    "records that are left out at random (replicates), and the data themselves."
)
_DRAWN = {
    "syntheses": ("the mean over the syntheses", "is drawn again, {}, by how much they differ"),
    "records": ("a tenth of the records", "is left out, {}, and what changes is scaled to all"),
}
"""What was drawn, and how, by `Uncertainty.source`."""
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


def called(ranking: Ranking, replicas: Iterable[str]) -> Phrase:
    """Return names, each with its verdict where there is one.

    Whoever reads that a replica is first reads in the same sentence that it may not be released,
    or is not useful.
    """
    verdicts = ranking.verdicts
    names = (
        (Mention(replica), f" ({verdicts[replica]})" if verdicts.get(replica) else "")
        for replica in replicas
    )
    return joined((tuple(part for part in name if part) for name in names), ", ", " and ")


def winner(ranking: Ranking) -> Phrase:
    """Say who is first under the study's weights."""
    families = ranking.weights.families.items()
    (head, weight), *rest = [(FAMILIES[name], percent(weight)) for name, weight in families]
    counts = ", ".join([f"{head} counts {weight}", *(f"{name} {part}" for name, part in rest)])
    verb = "is first" if ranking.winner else "tie for the first place"
    return (*called(ranking, ranking.first), f" {verb} where {counts}.")


def people_in(held: Mapping[str, PeopleClaims]) -> list[Phrase]:
    """Return the sentence on replicas that no rank makes releasable."""
    return [
        (Mention(name), f" {holding.words}: whatever its place, look at that first.")
        for name, holding in held.items()
        if holding.alarming
    ]


def margin(ranking: Ranking) -> Phrase:
    """Say by how much the first replica leads."""
    totals = dict(zip(ranking.replicas, ranking.totals, strict=True))
    leaders = [(Mention(name), f" {totals[name]:.2f}") for name in ranking.by_place[:2]]
    between = ", then " if ranking.winner else " and "
    return (f"By {STRATEGY_WORDS[ranking.strategy]}: ", *joined(leaders, between), ".")


def all_weights(ranking: Ranking) -> Phrase:
    """Say how often each replica is first when the weights vary over all that are possible."""
    start = "If nothing were known of what counts, and all weights were equally likely: "
    # Where some weights make another one first, weights that were drawn may have missed them.
    exact = ranking.winner is not None and ranking.smallest_change is None
    drawn = 0 if exact else ranking.options.draws
    return (start, *_often(ranking, ranking.acceptability[1], drawn), ".")


def risk_weight(ranking: Ranking) -> Phrase:
    """Say who is first as disclosure risk counts more; empty where only one side counts."""
    stretches = ranking.stretches
    if len(stretches) < 2:  # noqa: PLR2004  (one and the same throughout, or nothing to say)
        verb = "are" if stretches and len(stretches[0].first) > 1 else "is"
        words = f" {verb} first however much disclosure risk counts against utility."
        return (*called(ranking, stretches[0].first), words) if stretches else ()
    where = [f"from {percent(s.low)} to {percent(s.high)}" for s in stretches]
    where[0], where[-1] = (
        f"up to {percent(stretches[0].high)}",
        f"above {percent(stretches[-1].low)}",
    )
    parts = ((*called(ranking, s.first), f" {at}") for s, at in zip(stretches, where, strict=True))
    now = percent(ranking.weights.families["disclosure"])
    return (
        "First, by how much disclosure risk counts: ",
        *joined(parts),
        f". It counts {now} here.",
    )


def smallest_change(ranking: Ranking) -> Phrase:
    """Return the sentence on the smallest weight change that changes the winner."""
    change = ranking.smallest_change
    if len(ranking.replicas) == 1:
        return ()
    if ranking.winner is None:
        return (*called(ranking, ranking.first), " are level: the least change of weights decides.")
    if change is None:
        return ("No weights at all make another replica first.",)
    start = "The smallest change of weights that brings another replica level with the first: "
    _, *words = change_in_words(change)
    return (start, *called(ranking, [change.replica]), *words, ".")


def change_in_words(change: Change) -> Phrase:
    r"""Return the weights that have to change for a replica to be first, in words.

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
        names = ", ".join(ranking.agreement)
        return ("All ways to add up agree on ", *called(ranking, *by_first), f" ({names}).")
    parts = ((*called(ranking, first), f" by {', '.join(by)}") for first, by in by_first.items())
    return ("Ways to add up disagree on who is first: ", *joined(parts), ".")


def drawn_again(ranking: Ranking) -> Phrase:
    """Say how often each replica is first with other syntheses or records."""
    uncertainty = ranking.uncertainty
    if uncertainty is None:
        return (_NOT_MEASURED,)
    some = len(uncertainty.replicas) < len(ranking.replicas)
    of = listed(uncertainty.replicas) if some else ("the replicas",)
    start, end = _DRAWN[uncertainty.source]
    others = ", the other replicas staying as they are" if some else ""
    words = f" {end.format(f'{uncertainty.times:,} times')}{others}, under the same weights: "
    often = _often(ranking, uncertainty.rank_shares[:, 0], uncertainty.times)
    return (f"When {start} of ", *of, words, *often, ".")


def on_map(ranking: Ranking) -> str:
    """Say which measures the map is made of; empty without references."""
    weights = ranking.weights.flat()
    on = [anchor.criterion for anchor in ranking.anchors if not anchor.reason]
    off = [
        f"{anchor.criterion.name} ({anchor.reason})" for anchor in ranking.anchors if anchor.reason
    ]
    utility, protection = (
        ", ".join(c.name for c in on if c.utility is side and weights[c.name]) or "nothing"
        for side in (True, False)
    )
    left = f" Not on the map: {'; '.join(off)}." if off else ""
    text = f"The map's utility is made of {utility}; its protection of {protection}.{left}"
    if any(ranking.handed_out.values()):
        text += (
            " Protection is at most the share of the original that a replica does not hand out, by "
            "copies and by nearness to single people."
        )
    if not ranking.distances:
        text += (
            " Protection counts exact matches only, of the keys or of whole records: without a "
            "holdout no distance was measured, and a near-copy looks safe."
        )
    return text if ranking.anchors else ""


def undominated(ranking: Ranking) -> Phrase:
    """Say which replicas no other one beats on utility and on risk at once.

    By the scores of the map where there is one, so that sentence and picture agree. Empty where
    there is nothing to weigh: one replica, or one side only that counts.
    """
    points, by = ranking.map.iloc[: len(ranking.replicas)], "By the scores between references"
    sides, best = points[["utility", "protection"]].astype(float), points["front"]
    if not len(sides) or sides.isna().to_numpy().any():
        sides, best = ranking.sides, ranking.pareto["utility and risk"]
        by = "By their ranks" if ranking.strategy == "rank" else "By their points"
    n = len(ranking.replicas)
    if n == 1 or sides.isna().to_numpy().any():
        return ()
    undominated_ = [replica for replica, on in zip(ranking.replicas, best, strict=True) if on]
    if len(undominated_) == 1:
        return (
            f"{by}, ",
            *called(ranking, undominated_),
            " is best on utility and on risk at once.",
        )
    if len(sides[best.to_numpy(dtype=bool)].round(12).drop_duplicates()) == 1:
        others = "" if len(undominated_) == n else ", and better than the others"
        return (f"{by}, ", *listed(undominated_), f" are level on utility and on risk{others}.")
    if len(undominated_) == n:
        return (f"{by}, every replica gives up something that another has: none is beaten.",)
    start = f"{by}, a choice between utility and risk is left among "
    return (
        start,
        *listed(undominated_),
        "; one of them matches or beats each other replica on both.",
    )


def how_sure(ranking: Ranking, *, luck: bool = True) -> list[Phrase]:
    """Return sentences on the uncertainty of the order; without `luck` none on draws."""
    ways = [margin, agreement, risk_weight, all_weights, smallest_change, undominated]
    if luck:
        ways.insert(1, drawn_again)
    return [phrase for say in ways if (phrase := say(ranking))]


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


def _often(ranking: Ranking, first: Iterable[float], times: int = 0) -> Phrase:
    """Return the replicas with how often each is first; rare winners together."""
    shares = dict(zip(ranking.replicas, map(float, first), strict=True))
    named = [r for r in sorted(shares, key=lambda r: -shares[r]) if shares[r] >= _SURE]
    words = {r: how_often(shares[r], times) if times else percent(shares[r]) for r in named}
    phrase = joined(((*called(ranking, [r]), f" first in {words[r]}") for r in named), ", ")
    rest = [share for replica, share in shares.items() if replica not in named]
    never = "never" if not any(rest) and times < _MANY else "hardly ever"
    return (*phrase, f", the others {never}") if rest else phrase
