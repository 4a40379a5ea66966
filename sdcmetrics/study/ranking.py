"""How a study's replicas are compared with each other, checked before anything is measured."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

from sdcmetrics.measures.section import Before, Limits, Section, names_of, read_section, section
from sdcmetrics.microdata.arguments import MOST_PERMUTATIONS
from sdcmetrics.study.criteria import FAMILIES, refuse
from sdcmetrics.study.weights import make_weights

Strategy = Literal["rank", "linear", "normal", "quantile", "summation", "anchored"]
STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)

Missing = Literal["leave out", "last"]
"""What becomes of a measure that has no value for a replica."""

MOST_REPLICATES = 1000
"""Each costs a review of every replica; a standard deviation is known to 2 % from a thousand."""

_MODELS = "[[model]]"


def _alike(value: Any) -> Any:
    """Give the metrics of a list equal weights."""
    listed = [value] if isinstance(value, str) else value
    if isinstance(listed, list | tuple | set) and all(isinstance(name, str) for name in listed):
        return {name: 1 / len(listed) for name in listed}
    return value


Weight = Annotated[float, Limits(ge=0, allow_inf_nan=False)]
Metrics = Annotated[dict[str, Weight], Before(_alike)]


@section("ranking")
class RankingOptions(Section):
    """How replicas are compared; the defaults of Python, study file and command line are these.

    Attributes
    ----------
    strategy : str
        How values become points; see `compare_replicas`.
    missing : "leave out" or "last"
        What becomes of a measure without a value for a replica.
    weights : mapping of family, or of measure, to float; or None
    metrics : mapping of family to measures; or None
    anchors : bool
        Whether references are computed, and scores between them. It costs a review of some
        fifteen data sets, so it has to be asked for; the strategy "anchored" asks for it.
    replicates : int
        How often a tenth of the records is left out at random, 0 to 1,000; each costs a review.
    draws : int
        Sets of weights that are drawn.
    seed : int
        Of all draws.
    """

    strategy: Strategy = "rank"
    missing: Missing = "leave out"
    weights: dict[str, Weight] | None = None
    metrics: dict[str, Metrics] | None = None
    anchors: bool = False
    replicates: Annotated[int, Limits(ge=0, le=MOST_REPLICATES)] = 0
    draws: Annotated[int, Limits(ge=1, le=MOST_PERMUTATIONS)] = 4096
    seed: Annotated[int, Limits(ge=0)] = 1


def make_ranking(
    entries: RankingOptions | Mapping[str, Any] | None, *, models: bool
) -> RankingOptions:
    """Make the options of what a caller or a study file gives.

    Raises
    ------
    StudyError
        For an unknown entry, strategy, family or measure, numbers out of range, or weights that do
        not sum to 1.

    Examples
    --------
    >>> make_ranking({"weights": {"general": 0.3, "disclosure": 0.7}}, models=False).strategy
    'rank'
    """
    if entries is not None and not isinstance(entries, RankingOptions | Mapping):
        refuse(f"expected entries such as {', '.join(names_of(RankingOptions))}.")
    options = read_section(RankingOptions, entries) or RankingOptions()
    if options.replicates == 1:
        refuse("replicates: expected 0, or a whole number of at least 2, but got 1.")
    weights = make_weights(options.weights, options.metrics, models=models)
    needs = [
        criterion.family for criterion in weights.criteria if criterion.measure.of.option == _MODELS
    ]
    if not models and any(weights.families[family] for family in needs):
        refuse(
            f"{FAMILIES[needs[0]]} has a weight but the study names no model. Add a [[model]], or "
            "give the weight to other families."
        )
    return options
