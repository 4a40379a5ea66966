"""How a study's replicas are compared with each other, checked before anything is measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

from sdcmetrics.errors import did_you_mean
from sdcmetrics.study.criteria import FAMILIES, refuse
from sdcmetrics.study.weights import make_weights

Strategy = Literal["rank", "linear", "normal", "quantile", "summation", "anchored"]
STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)

Missing = Literal["leave out", "last"]
"""What becomes of a measure that has no value for a replica."""

MOST_REPLICATES = 1000
"""Each costs a review of every replica; a standard deviation is known to 2 % from a thousand."""

_MODELS = "[[model]]"


@dataclass(frozen=True)
class RankingOptions:
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
        How often a tenth of the records is left out at random, 0 to `MOST_REPLICATES`.
    draws : int
        Sets of weights that are drawn.
    seed : int
        Of all draws.
    """

    strategy: Strategy = "rank"
    missing: Missing = "leave out"
    weights: Mapping[str, float] | None = None
    metrics: Mapping[str, Any] | None = None
    anchors: bool = False
    replicates: int = 0
    draws: int = 4096
    seed: int = 1


def make_ranking(
    given: RankingOptions | Mapping[str, Any] | None, *, models: bool
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
    options = given if isinstance(given, RankingOptions) else RankingOptions(**_entries(given))
    if options.strategy not in STRATEGIES:
        hint = did_you_mean(str(options.strategy), STRATEGIES)
        known = ", ".join(STRATEGIES)
        refuse(f"strategy: expected one of {known} but got {options.strategy!r}.{hint}")
    if options.missing not in get_args(Missing):
        refuse(f"missing: expected 'leave out' or 'last' but got {options.missing!r}.")
    if not isinstance(options.anchors, bool):
        refuse("anchors: expected true or false.")
    for name, low in (("replicates", 0), ("draws", 1), ("seed", 0)):
        number = getattr(options, name)
        if not isinstance(number, int) or isinstance(number, bool) or number < low:
            refuse(f"{name}: expected a whole number of at least {low} but got {number!r}.")
    if options.replicates > MOST_REPLICATES:
        refuse(f"replicates: expected at most {MOST_REPLICATES:,} but got {options.replicates:,}.")
    if options.replicates == 1:
        refuse("replicates: expected 0, or a whole number of at least 2, but got 1.")
    weights = make_weights(options.weights, options.metrics, models=models)
    needs = [one.family for one in weights.criteria if one.measure.of.option == _MODELS]
    if not models and any(weights.families[family] for family in needs):
        refuse(
            f"{FAMILIES[needs[0]]} has a weight but the study names no model. Add a [[model]], or "
            "give the weight to other families."
        )
    return options


def _entries(given: Any) -> dict[str, Any]:
    known = [field.name for field in fields(RankingOptions)]
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        refuse(f"expected entries such as {', '.join(known)}.")
    for name in given:
        if name not in known:
            hint = did_you_mean(str(name), known) or f" Known: {', '.join(known)}."
            refuse(f"unknown entry {name!r}.{hint}")
    return dict(given)
