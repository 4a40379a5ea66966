"""The list of metrics: what the review runs, the report explains and the tests check."""

from __future__ import annotations

from sdcmetrics.errors import StudyError, did_you_mean
from sdcmetrics.measures.closeness import declared as closeness
from sdcmetrics.measures.crosstables import declared as utility
from sdcmetrics.measures.disclosure import declared as disclosure
from sdcmetrics.measures.disclosure.versions import AMBIGUOUS
from sdcmetrics.measures.fidelity import declared as fidelity
from sdcmetrics.measures.fits import declared as specific
from sdcmetrics.measures.measure import (
    DISCLOSURE_RISK,
    GENERAL_UTILITY,
    SPECIFIC_UTILITY,
    Measure,
)
from sdcmetrics.measures.propensity import declared as propensity
from sdcmetrics.measures.rules import declared as rules

__all__ = [
    "AMBIGUOUS",
    "DISCLOSURE_RISK",
    "GENERAL_UTILITY",
    "MEASURES",
    "SPECIFIC_UTILITY",
    "Measure",
    "explain",
    "say_which",
]

MEASURES: dict[str, Measure] = {
    metric.symbol: metric
    for metric in (
        *utility.MEASURES,
        *fidelity.MEASURES,
        *propensity.MEASURES,
        *rules.MEASURES,
        *specific.MEASURES,
        *disclosure.MEASURES,
        *closeness.MEASURES,
    )
}


def say_which(name: str) -> str:
    """Return the choice in words where different numbers are published under a name, else ""."""
    if name.upper() not in AMBIGUOUS:
        return ""
    choice = ", ".join(AMBIGUOUS[name.upper()])
    return f"different numbers are published as {name!r}. Say which: {choice}."


def explain(symbol: str) -> Measure:
    """Return the catalogue's entry for a symbol, whatever its case.

    Raises
    ------
    StudyError
        If there is no such metric, or the name stands for several.

    Examples
    --------
    >>> explain("disco").title
    'Disclosive in synthetic, correct in original'
    """
    by_lower = {a.casefold(): metric for metric in MEASURES.values() for a in metric.aliases}
    by_lower |= {name.casefold(): metric for name, metric in MEASURES.items()}
    if choice := say_which(symbol):
        raise StudyError(choice)
    try:
        return by_lower[symbol.casefold()]
    except KeyError:
        msg = f"there is no metric {symbol!r}.{did_you_mean(symbol, MEASURES)}"
        raise StudyError(msg) from None
