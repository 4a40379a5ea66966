"""Replicas side by side, from reviews: the public function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from sdcmetrics.decision.choice import verdict
from sdcmetrics.microdata.arguments import Seed, checked
from sdcmetrics.ranking import sentences
from sdcmetrics.ranking.anchors import Scale, find_scale
from sdcmetrics.ranking.rank_values import rank_values
from sdcmetrics.ranking.references import conduct_references
from sdcmetrics.ranking.result import Ranking
from sdcmetrics.ranking.standing import Drawn
from sdcmetrics.ranking.uncertainty import between_syntheses, leave_records_out
from sdcmetrics.ranking.values import Values, collect, review_entries
from sdcmetrics.review.join_reviews import join_reviews
from sdcmetrics.review.people import held_in
from sdcmetrics.review.progress import Progress
from sdcmetrics.review.review import Review
from sdcmetrics.study.ranking import RankingOptions, make_ranking
from sdcmetrics.study.weights import Weights, make_weights

TIMES = 4000
"""How often means over syntheses are drawn: the ends of their intervals vary by a few percent."""


@checked
def compare_replicas(  # noqa: PLR0913  (what a board may decide)
    reviews: Review | Mapping[str, Review] | Sequence[Review],
    *,
    weights: Mapping[str, float] | None = None,
    metrics: Mapping[str, Any] | None = None,
    strategy: str | None = None,
    missing: str | None = None,
    anchors: bool | None = None,
    replicates: int | None = None,
    draws: int | None = None,
    seed: Seed | None = None,
    progress: Progress | None = None,
    cache: Path | None = None,
) -> Ranking:
    """Rank replicas of one original: which is first, under which weights, and how sure.

    What is not given is as the study says (`RankingOptions`).

    Parameters
    ----------
    reviews : Review, or a mapping or sequence of reviews of the same original
        A mapping's names replace the names of replicas where a review has one replica.
    weights : mapping, optional
        Of "general", "specific" and "disclosure", or of measures, to weights that sum to 1. By
        default utility and disclosure risk count alike.
    metrics : mapping of family to measures, optional
        A list, or a mapping to weights that sum to 1 in the family: any measure that has a
        direction. Statistics of tables name their size: "S_pMSE_two_way", "TVD_one_way".
    strategy : str, optional
        "rank" (the default): ranks on each measure, then their weighted mean; "linear", "normal",
        "quantile", "summation": as SynthEval does; "anchored": scores between references.
    missing : "leave out" or "last", optional
        What becomes of a measure without a value for a replica: it is left out for all (the
        default), or the replica is last on it.
    anchors : bool, optional
        Whether references are computed (the original itself, a bootstrap of it, independent
        variables, uniform draws, the holdout), and scores between them; by default only for the
        strategy "anchored". It costs one more review, of some fifteen data sets.
    replicates : int, optional
        How often a random tenth of every replica's records is left out, to see how far their
        number carries; each time costs a review. By default 0, at most 1,000. Replicas with m > 1
        syntheses get intervals between syntheses without it.
    draws : int, optional
        Sets of weights drawn for `Ranking.acceptability`; by default 4,096.
    seed : int, optional
        Of all draws; by default 1.
    progress : callable, optional
        Called as ``progress(step, done, steps)``.
    cache : path, optional
        A folder where what was measured of references is kept, as `conduct` keeps finished steps.

    Returns
    -------
    Ranking
        Its values of measures that grow with a replica (S_pMSE and its kind, of which a fresh
        sample has 1 + n_s/n_d) are those of a replica of the original's size.

    Raises
    ------
    StudyError
        If the reviews are not of one original and holdout, replicas share a name, weights, names
        or the seed are wrong, or nothing can be ranked.

    References
    ----------
    Chan, Comparative Metrics Framework, section 5. Lautrup et al. (2024), SynthEval, section
    3.2.1. Lahdelma and Salminen (2001), SMAA-2, Operations Research 49(3), 444-454.

    Examples
    --------
    >>> import pandas as pd
    >>> import sdcmetrics as sdc
    >>> original = pd.DataFrame({"sex": list("ffmm") * 5, "vote": list("yyyn") * 5})
    >>> swapped = original.assign(vote=list("ynyy") * 5)
    >>> study = sdc.Study(original, {"copy": original, "swap": swapped}, keys=["sex"])
    >>> ranking = sdc.compare_replicas(sdc.conduct(study), weights={"general": 1.0})
    >>> ranking.winner
    'copy'
    >>> ranking.ranks["S_pMSE_two_way"].to_dict()
    {'copy': 1.0, 'swap': 2.0}
    """
    review = join_reviews(reviews)
    given = {"strategy": strategy, "missing": missing, "anchors": anchors, "draws": draws}
    given |= {"replicates": replicates, "seed": seed}
    changed: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if weights is not None or metrics is not None:
        changed |= {"weights": weights, "metrics": metrics}
    study = review.study
    options = make_ranking(replace(study.ranking, **changed), models=bool(study.models))
    wanted = make_weights(options.weights, options.metrics, models=bool(study.models))
    values = collect(review_entries(review, wanted.criteria), wanted.criteria, review.replicas)
    scale: Scale | None = None
    if options.anchors or options.strategy == "anchored":
        of = {criterion.measure.of for criterion in wanted.criteria}
        references = conduct_references(
            study,
            kinds=of,
            seed=options.seed,
            holdout=any(kind.holdout for kind in of),
            progress=progress,
            cache=cache,
        )
        scale = find_scale(
            review_entries(references, wanted.criteria), references.replicas, values, references
        )
    drawn = _draw(review, values, options, progress)
    return _capped(rank_values(values, wanted, options, scale, drawn), review)


def _capped(ranking: Ranking, review: Review) -> Ranking:
    held = held_in(review)
    return replace(
        ranking,
        notes=(*sentences.people_in(held), *ranking.notes),
        verdicts={name: verdict(decision) for name, decision in review.decisions.items()},
        handed_out={name: holding.share for name, holding in held.items()},
        distances=review.fresh is not None,
    )


def _draw(
    review: Review, values: Values, options: RankingOptions, progress: Progress | None
) -> Drawn | None:
    times, seed = options.replicates, options.seed
    if times:
        tables = leave_records_out(review, values, times=times, seed=seed, progress=progress)
        return "records", values.replicas, tables
    between = between_syntheses(review, values, times=TIMES, seed=seed)
    several = tuple(name for name, syntheses in review.study.replicas.items() if len(syntheses) > 1)
    return None if between is None else ("syntheses", several, between)


def rank_review(review: Review) -> Ranking:
    """Rank by what a review has measured, as its study asks, and measure nothing more.

    Raises
    ------
    StudyError
        If nothing can be ranked, or the strategy needs references.
    """
    wanted = wanted_weights(review.study)
    values = collect(review_entries(review, wanted.criteria), wanted.criteria, review.replicas)
    return _capped(rank_values(values, wanted, review.study.ranking), review)


class RankedStudy(Protocol):
    """The ranking section of a study."""

    @property
    def ranking(self) -> RankingOptions:
        """How replicas are compared."""

    @property
    def models(self) -> Sequence[Any]:
        """Models that users may fit."""


def wanted_weights(study: RankedStudy, weights: Mapping[str, float] | None = None) -> Weights:
    """Return the weights that are asked for: by the caller, else by the study, else the defaults.

    Raises
    ------
    StudyError
        If they are wrong.
    """
    own = study.ranking
    given = (own.weights, own.metrics) if weights is None else (weights, None)
    return make_weights(*given, models=bool(study.models))
