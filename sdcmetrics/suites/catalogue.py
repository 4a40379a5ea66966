"""Metrics that presets name: those that subjects and suites declare, and a notebook's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from sdcmetrics.errors import StudyError, did_you_mean
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.suites.daisynt import declared as daisynt
from sdcmetrics.suites.metric import Metric, Quantities
from sdcmetrics.suites.preset import Preset, load_preset
from sdcmetrics.suites.syntheval import association, columns, learnt, nearest
from sdcmetrics.suites.syntheval.discrepancy import MMD
from sdcmetrics.suites.syntheval.propensity import PMSE
from sdcmetrics.suites.syntheval.risks import MIA

METRICS: dict[str, Metric] = {
    metric.symbol: metric
    for metric in (
        *columns.METRICS,
        *association.METRICS,
        PMSE,
        MMD,
        *nearest.METRICS,
        *learnt.METRICS,
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


def read_preset(name: str) -> Preset:
    """Read the preset of a name, or of a path, and check that its metrics are there.

    Raises
    ------
    StudyError, FileError
        If there is no such preset, or it names what is not a metric.
    """
    preset = load_preset(name)
    for symbol in preset.metrics:
        metric_of(symbol)
    return preset


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
