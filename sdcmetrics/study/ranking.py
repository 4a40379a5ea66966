"""How a study's replicas are compared with each other, checked before anything is measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from sdcmetrics.errors import StudyError, did_you_mean
from sdcmetrics.ranking.strategies import check_strategy
from sdcmetrics.ranking.weights import make_weights

__all__ = ["RankingOptions", "make_ranking"]


@dataclass(frozen=True)
class RankingOptions:
    """How replicas are compared; see `compare_replicas` for what each means.

    Attributes
    ----------
    strategy : str
    missing : "leave out" or "last"
    weights : mapping of family, or of metric, to float; or None
    metrics : mapping of family to metrics; or None
    anchors : bool
        Whether references are computed, and scores between them.
    replicates : int
        How often records are drawn again.
    seed : int
    """

    strategy: str = "rank"
    missing: str = "leave out"
    weights: Mapping[str, float] | None = None
    metrics: Mapping[str, Any] | None = None
    anchors: bool = False
    replicates: int = 0
    seed: int = 1


def make_ranking(
    given: RankingOptions | Mapping[str, Any] | None, *, models: bool
) -> RankingOptions:
    """Make the options of what a caller or a study file gives.

    Raises
    ------
    StudyError
        For an unknown entry, strategy, family or metric, or weights that do not sum to 1.

    Examples
    --------
    >>> make_ranking({"weights": {"general": 0.3, "disclosure": 0.7}}, models=False).strategy
    'rank'
    """
    if given is None:
        return RankingOptions()
    if isinstance(given, RankingOptions):
        options = given
    else:
        known = [field.name for field in fields(RankingOptions)]
        if not isinstance(given, Mapping):
            msg = f"ranking: expected entries such as {', '.join(known)}."
            raise StudyError(msg)
        for name in given:
            if name not in known:
                hint = did_you_mean(str(name), known) or f" Known: {', '.join(known)}."
                msg = f"ranking: unknown entry {name!r}.{hint}"
                raise StudyError(msg)
        options = RankingOptions(**given)
    check_strategy(options.strategy)
    if options.missing not in ("leave out", "last"):
        msg = f"ranking: missing: expected 'leave out' or 'last' but got {options.missing!r}."
        raise StudyError(msg)
    for name in ("replicates", "seed"):
        number = getattr(options, name)
        if not isinstance(number, int) or isinstance(number, bool) or number < 0:
            msg = f"ranking: {name}: expected a whole number of at least 0."
            raise StudyError(msg)
    if options.replicates == 1:
        msg = "ranking: replicates: expected 0, or a whole number of at least 2, but got 1."
        raise StudyError(msg)
    if not isinstance(options.anchors, bool):
        msg = "ranking: anchors: expected true or false."
        raise StudyError(msg)
    weights = make_weights(options.weights, options.metrics, models=models)
    if weights.families.get("specific") and not models:
        msg = (
            "ranking: specific utility has a weight but the study names no model. Add a [[model]], "
            "or give the weight to other families."
        )
        raise StudyError(msg)
    return options
