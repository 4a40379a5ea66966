"""Metrics that presets name: those that subjects and suites declare, and a notebook's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from sdcmetrics.errors import StudyError, did_you_mean
from sdcmetrics.measures.association import declared as association
from sdcmetrics.measures.attacks.member_metric import MIA
from sdcmetrics.measures.columns import declared as columns
from sdcmetrics.measures.daisynt import declared as daisynt
from sdcmetrics.measures.distributions.discrepancy import MMD
from sdcmetrics.measures.metric import Metric, Quantities
from sdcmetrics.measures.nearest import declared as nearest
from sdcmetrics.measures.prediction import learnt_metrics
from sdcmetrics.measures.propensity.folds import PMSE
from sdcmetrics.microdata.arguments import checked

METRICS: dict[str, Metric] = {
    one.name: one
    for one in (
        *columns.METRICS,
        *association.METRICS,
        PMSE,
        MMD,
        *nearest.METRICS,
        *learnt_metrics.METRICS,
        MIA,
        *daisynt.METRICS,
    )
}
"""Every metric, by the name that its suite gives it."""


def metric_of(name: str) -> Metric:
    """Return the metric of a name.

    Raises
    ------
    StudyError
        If there is none.
    """
    if name not in METRICS:
        msg = f"metrics: there is no metric {name!r}.{did_you_mean(name, list(METRICS))}"
        raise StudyError(f"{msg} Known: {', '.join(METRICS)}.")
    return METRICS[name]


@checked
def metric(
    name: str,
    *,
    dimension: Literal["utility", "privacy", "fairness"],
    quantities: Sequence[str],
) -> Callable[[Callable[..., Quantities]], Callable[..., Quantities]]:
    """Add a metric of one's own to `sdcmetrics.syntheval`, in this session.

    Parameters
    ----------
    name : str
        Under which presets and `metrics=` find it; an earlier one of this name is replaced,
        unless it is one of the package.
    dimension : "utility", "privacy" or "fairness"
    quantities : names
        Those that it always gives; the first counts when replicas are ranked.

    Returns
    -------
    decorator
        Of a function of a `Trio` and options, which returns `Quantity` by name.

    Raises
    ------
    StudyError
        If the package has a metric of this name.

    Notes
    -----
    For a row of every review, and for others, declare a `Measure` and name it in the entry point
    group ``sdcmetrics.measures`` instead; see CONTRIBUTING.md.

    Examples
    --------
    >>> import pandas as pd
    >>> import sdcmetrics as sdc
    >>> @sdc.metric("rows", dimension="utility", quantities=["ratio"])
    ... def rows(trio):
    ...     ratio = trio.synthetic.n / trio.original.n
    ...     return {"ratio": sdc.Quantity(ratio, normalised=min(ratio, 1 / ratio), better="none")}
    >>> frame = pd.DataFrame({"x": [1, 2, 3, 4]})
    >>> sdc.syntheval(frame, frame[:2], metrics=["rows"])["value"].to_dict()
    {('rows', 'ratio'): 0.5}
    """
    if name in _BUILT_IN:
        msg = f"metric: the package has a metric {name!r}. Take another name."
        raise StudyError(msg)
    if isinstance(quantities, str) or not quantities:
        msg = (
            f"metric {name!r}: expected the names of its quantities, such as quantities=['share']."
        )
        raise StudyError(msg)

    def add(function: Callable[..., Quantities]) -> Callable[..., Quantities]:
        METRICS[name] = Metric(name, function, dimension, tuple(quantities))
        return function

    return add


_BUILT_IN = frozenset(METRICS)
