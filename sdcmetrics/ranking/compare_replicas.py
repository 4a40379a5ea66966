"""Replicas side by side, from reviews: the public function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from sdcmetrics.errors import StudyError
from sdcmetrics.ranking.acceptability import DRAWS
from sdcmetrics.ranking.anchors import Scale, find_scale
from sdcmetrics.ranking.rank_values import Replicates, rank_values
from sdcmetrics.ranking.references import conduct_references, with_replicas
from sdcmetrics.ranking.result import Ranking
from sdcmetrics.ranking.rules import Rules
from sdcmetrics.ranking.strategies import check_strategy
from sdcmetrics.ranking.uncertainty import between_syntheses, resample_records
from sdcmetrics.ranking.values import Values, collect, entries_of
from sdcmetrics.ranking.weights import Weights, make_weights
from sdcmetrics.review.conduct import Progress
from sdcmetrics.review.review import Review
from sdcmetrics.study.study import Study

__all__ = ["TIMES", "compare_replicas", "join_reviews", "rank_review", "wanted_weights"]

TIMES = 1000
"""How often syntheses are drawn again."""


def compare_replicas(  # noqa: PLR0913  (what a board may decide)
    reviews: Review | Mapping[str, Review] | Sequence[Review],
    *,
    weights: Mapping[str, float] | None = None,
    metrics: Mapping[str, Any] | None = None,
    strategy: str | None = None,
    missing: str | None = None,
    anchors: bool | None = None,
    replicates: int | None = None,
    draws: int = DRAWS,
    seed: int | None = None,
    progress: Progress | None = None,
) -> Ranking:
    """Rank replicas of one original: which is first, under which weights, and how sure.

    Parameters
    ----------
    reviews : Review, or a mapping or sequence of reviews of the same original
        A mapping's names replace the names of replicas where a review has one replica.
    weights : mapping, optional
        Of "general", "specific" and "disclosure", or of metrics, to weights that sum to 1. By
        default what the study says, else utility and disclosure risk count alike.
    metrics : mapping of family to metrics, optional
        A list, or a mapping to weights that sum to 1 in the family. Statistics of tables name
        their size: "S_pMSE_two_way", "TVD_one_way".
    strategy : str, optional
        "rank" (the default): ranks on each metric, then their weighted mean; "linear", "normal",
        "quantile", "summation": as SynthEval does; "anchored": scores between references.
    missing : "leave out" or "last", optional
        What becomes of a metric without a value for a replica: it is left out for all (the
        default), or the replica is last on it.
    anchors : bool, optional
        Compute references (the original itself, a bootstrap of it, independent variables,
        uniform draws, the holdout) and scores between them; by default as the study says, else
        only for the strategy "anchored". It costs one more review, of about ten data sets.
    replicates : int, optional
        How often the records of every replica are drawn again; each costs a review. By default
        0. Replicas with m > 1 syntheses get intervals between syntheses without it.
    draws : int
        Weights drawn for `Ranking.acceptability`.
    seed : int, optional
        Of all draws; by default 1.
    progress : callable, optional
        Called as ``progress(step, done, steps)``.

    Returns
    -------
    Ranking

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
    options = review.study.ranking
    chosen = check_strategy(strategy or options.strategy)
    wanted = wanted_weights(review.study, weights, metrics)
    values = collect(entries_of(review, wanted.criteria), wanted.criteria, review.replicas)
    first_seed = options.seed if seed is None else seed
    if first_seed < 0:
        msg = f"seed: expected a whole number of at least 0 but got {first_seed}."
        raise StudyError(msg)
    again = options.replicates if replicates is None else replicates
    computed = (options.anchors if anchors is None else anchors) or chosen == "anchored"
    references = (
        conduct_references(
            review.study,
            seed=first_seed,
            fresh=any(one.fresh for one in wanted.criteria),
            progress=progress,
        )
        if computed
        else None
    )

    def scale(kept: Values) -> Scale:
        of: Review = references  # type: ignore[assignment]  # only called where there are some
        return find_scale(entries_of(of, kept.criteria), of.replicas, kept, of)

    def drawn_again(kept: Values) -> Replicates | None:
        if again:
            tables = resample_records(review, kept, times=again, seed=first_seed, progress=progress)
            return "records", kept.replicas, tables
        found = between_syntheses(review, kept, times=TIMES, seed=first_seed)
        several = tuple(name for name, many in review.study.replicas.items() if len(many) > 1)
        return None if found is None else ("syntheses", several, found)

    return rank_values(
        values,
        wanted,
        Rules(chosen, missing or options.missing, draws, first_seed),
        scale=None if references is None else scale,
        replicates=drawn_again,
    )


def rank_review(review: Review) -> Ranking:
    """Rank by what a review has measured, as its study asks, and measure nothing more.

    Raises
    ------
    StudyError
        If nothing can be ranked, or the strategy needs references.
    """
    options = review.study.ranking
    wanted = wanted_weights(review.study)
    values = collect(entries_of(review, wanted.criteria), wanted.criteria, review.replicas)
    strategy = check_strategy(options.strategy)
    return rank_values(values, wanted, Rules(strategy, options.missing, seed=options.seed))


def wanted_weights(
    study: Study,
    weights: Mapping[str, float] | None = None,
    metrics: Mapping[str, Any] | None = None,
) -> Weights:
    """Return what is asked for: by the caller, else by the study, else the defaults."""
    options = study.ranking
    return make_weights(
        options.weights if weights is None and metrics is None else weights,
        options.metrics if weights is None and metrics is None else metrics,
        models=bool(study.models),
    )


def join_reviews(reviews: Review | Mapping[str, Review] | Sequence[Review]) -> Review:
    """Return one review with the replicas of all.

    Raises
    ------
    StudyError
        If there is none, if they are not of one original measured in one way, or if two
        replicas have the same name.
    """
    if isinstance(reviews, Review):
        return reviews
    given: list[Any] = list(reviews)
    if isinstance(reviews, Mapping):
        given = [_renamed(review, str(name)) for name, review in reviews.items()]
    many: list[Review] = []
    for one in given:
        if not isinstance(one, Review):
            msg = (
                "compare_replicas: expected a review, or several in a list or a mapping, but got "
                f"{type(one).__name__}. Make a review with sdcmetrics.review.conduct(study)."
            )
            raise StudyError(msg)
        many.append(one)
    if not many:
        msg = "compare_replicas: expected at least one review but got none."
        raise StudyError(msg)
    first, *rest = many
    for other in rest:
        _check_alike(first, other)
    names = [name for review in many for name in review.replicas]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        msg = (
            f"compare_replicas: two replicas have the name {twice[0]!r}. Pass a mapping of names "
            "to reviews."
        )
        raise StudyError(msg)
    if not rest:
        return first
    replicas = {name: list(ms) for review in many for name, ms in review.study.replicas.items()}
    return replace(
        first,
        study=with_replicas(first.study, replicas),
        inputs=(*first.inputs, *(i for other in rest for i in other.inputs if i.role == "replica")),
        fixes=tuple(fix for review in many for fix in review.fixes),
        frame=pd.concat([review.frame for review in many], ignore_index=True),
        disclosures={key: value for r in many for key, value in r.disclosures.items()},
        fits={key: value for review in many for key, value in review.fits.items()},
    )


def _check_alike(first: Review, other: Review) -> None:
    mine, its = first.study.original, other.study.original
    if mine is not its and not mine.table.equals(its.table):
        msg = (
            "compare_replicas: the reviews are of different originals. Ranks only compare replicas "
            "of one original."
        )
        raise StudyError(msg)
    aside, theirs = first.study.holdout, other.study.holdout
    if aside is not None and theirs is not None and not aside.table.equals(theirs.table):
        msg = (
            "compare_replicas: the reviews have different holdouts. Measure all replicas beside "
            "the same one."
        )
        raise StudyError(msg)
    for name, value in first.settings.items():
        if name != "profile" and other.settings.get(name) != value:
            msg = (
                f"compare_replicas: the reviews differ in the option {name!r}. Measure all "
                "replicas with the same options."
            )
            raise StudyError(msg)
    if (first.scenarios, first.study.models) != (other.scenarios, other.study.models):
        msg = (
            "compare_replicas: the reviews differ in their scenarios or models. Ask the same of "
            "every replica."
        )
        raise StudyError(msg)


def _renamed(review: Any, name: str) -> Any:
    if not isinstance(review, Review) or len(review.replicas) > 1:
        return review
    (old,) = review.replicas
    frame = review.frame.assign(replica=name)
    return replace(
        review,
        study=with_replicas(review.study, {name: list(review.study.replicas[old])}),
        inputs=tuple(replace(i, name=name) if i.role == "replica" else i for i in review.inputs),
        frame=frame,
        disclosures={(name, *key[1:]): value for key, value in review.disclosures.items()},
        fits={(name, *key[1:]): value for key, value in review.fits.items()},
    )
