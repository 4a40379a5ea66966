"""The list of metrics: what the review runs, the report explains and the tests check."""

from __future__ import annotations

from sdcmetrics.catalogue import (
    closeness,
    disclosure,
    fidelity,
    propensity,
    rules,
    specific,
    utility,
)
from sdcmetrics.catalogue.metric import (
    DISCLOSURE_RISK,
    GENERAL_UTILITY,
    SPECIFIC_UTILITY,
    Metric,
    Needs,
)
from sdcmetrics.errors import StudyError, did_you_mean

__all__ = [
    "CATALOGUE",
    "DISCLOSURE_RISK",
    "GENERAL_UTILITY",
    "SPECIFIC_UTILITY",
    "Metric",
    "Needs",
    "explain",
]

CATALOGUE: dict[str, Metric] = {
    metric.symbol: metric
    for metric in (
        *utility.METRICS,
        *fidelity.METRICS,
        *propensity.METRICS,
        *rules.METRICS,
        *specific.METRICS,
        *disclosure.METRICS,
        *closeness.METRICS,
    )
}


def explain(symbol: str) -> Metric:
    """Return the catalogue's entry for a symbol, whatever its case.

    Raises
    ------
    StudyError
        If there is no such metric.

    Examples
    --------
    >>> explain("disco").title
    'Disclosive in synthetic, correct in original'
    """
    by_lower = {name.casefold(): metric for name, metric in CATALOGUE.items()}
    try:
        return by_lower[symbol.casefold()]
    except KeyError:
        msg = f"there is no metric {symbol!r}.{did_you_mean(symbol, CATALOGUE)}"
        raise StudyError(msg) from None
