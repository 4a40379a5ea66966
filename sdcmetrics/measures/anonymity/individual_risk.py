"""The chance that a record of a sample is identified by its keys, from the weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from sdcmetrics.errors import ColumnError
from sdcmetrics.measures.anonymity.k_anonymity import classes_of
from sdcmetrics.measures.pair import Frame
from sdcmetrics.measures.survey.design import households_of, weights_of
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.microdata.schema import MissingCodes, alone
from sdcmetrics.results import Readable

_SERIES_FROM = 30
"""From so many records on the series ends within 40 terms whatever the sampling fraction."""
_TERMS = 80
"""Terms of the series: the rest is below 1e-16 where it is used."""


@dataclass(frozen=True)
class IndividualRisk(
    Readable, shows=("expected", "mean", "n", "household_expected", "notes"), table="records"
):
    """The chance that each record of a sample is identified by its keys.

    Attributes
    ----------
    keys : tuple of str
    n : int
    records : DataFrame
        One row per record: alike (records of the file with its keys), population (estimated
        number of people with them), risk; and household_risk where households are known.
    expected : float
        Expected number of records that an intruder identifies rightly: the sum of the risks.
    mean : float
        The same per record, 0 to 1.
    household_expected, household_mean : float
        As above for the risk that somebody of the record's household is identified; NaN without.
    notes : tuple of str
        What limits these numbers.
    fixes : tuple of str
        Changes made to the file.
    """

    keys: tuple[str, ...]
    n: int
    records: pd.DataFrame
    expected: float
    mean: float
    household_expected: float
    household_mean: float
    notes: tuple[str, ...] = ()
    fixes: tuple[str, ...] = ()


@checked
def individual_risk(
    frame: Frame,
    *,
    keys: str | Sequence[str],
    weight: str,
    household: str | None = None,
    approximate: bool = False,
    missing_codes: MissingCodes | None = None,
) -> IndividualRisk:
    """Estimate each record's chance to be identified by its keys, from sampling weights.

    The model of Benedetti and Franconi: given f records of a key combination, which stand for F
    people (the sum of their weights), the number of people is negative binomial, and the risk is
    the mean of one over it.

    Parameters
    ----------
    frame : data frame
        The original, a sample; or perturbed microdata of it.
    keys : name or names of the columns that an intruder may know
    weight : name of the column of sampling weights
    household : name of a column that identifies households, optional
        A record without one is a household of its own; this is listed.
    approximate : bool
        Use sdcMicro's approximation for three records and more, which is up to .007 off.
    missing_codes : mapping of column to code or codes, optional
        Only checked: a code is a value like any other here.

    Returns
    -------
    IndividualRisk
        Each risk is above 0 and at most 1, less being better; `expected` is in records.

    Raises
    ------
    ColumnError
        If a column is absent, a weight is missing, zero or negative, or the weights of a key
        combination add up to fewer people than it has records.
    StudyError

    Notes
    -----
    With p = f / F the risk is ``p^f / f 2F1(f, f; f + 1; 1 - p)``, computed by its recursion and
    its series, as libraries lose it from 100 records on. Equals sdcMicro's ``indivRisk`` with
    ``approximate=True``; its exact form fails from 13 to 238 records on, by sampling fraction.

    Where weights are equal all unique records have the same risk, however rare their keys are:
    read it beside `population_uniques` and `match_risk`.

    References
    ----------
    Benedetti and Franconi (1998), Statistical and technological solutions for controlled data
    dissemination; Polettini (2003), Some remarks on the individual risk methodology.

    Examples
    --------
    >>> import pandas as pd
    >>> file = pd.DataFrame({"age": [30, 30, 41], "w": [10, 10, 20]})
    >>> individual_risk(file, keys="age", weight="w").records["risk"].round(4).tolist()
    [0.0827, 0.0827, 0.1577]
    """
    data = as_microdata(frame, "the file")
    classes = classes_of(data, keys, missing_codes=missing_codes)
    others = [weight] if household is None else [weight, household]
    read = alone(data, list(dict.fromkeys(others)), missing_codes)
    weights = weights_of(read, weight)
    sizes = classes.sizes.astype(np.float64)
    population: Floats = np.bincount(classes.of_record, weights).astype(np.float64)
    below = population < sizes * (1.0 - 1e-12)
    if below.any():
        msg = (
            f"{data.source}, column {weight!r}: the weights of {int(below.sum()):,} key "
            "combinations add up to fewer people than they have records. A weight here is a "
            "number of people, not a weight scaled to the sample."
        )
        raise ColumnError(msg)
    risks = risk_given_weights(sizes, population, approximate=approximate)
    records = pd.DataFrame(
        {
            "alike": classes.sizes[classes.of_record],
            "population": population[classes.of_record],
            "risk": risks[classes.of_record],
        }
    )
    fixes = [*classes.fixes, *(str(fix) for fix in read.fixes)]
    by_household = np.nan
    if household is not None:
        number, listed = households_of(read, household)
        fixes += [str(fix) for fix in listed]
        with np.errstate(divide="ignore"):  # the logarithm of a record that is surely identified
            missed = np.bincount(number, np.log1p(-records["risk"].to_numpy()))
        records["household_risk"] = -np.expm1(missed)[number]
        by_household = float(records["household_risk"].sum())
    expected = float(records["risk"].sum())
    return IndividualRisk(
        classes.keys,
        classes.n,
        records,
        expected,
        expected / classes.n,
        by_household,
        by_household / classes.n,
        _notes(weights),
        tuple(dict.fromkeys(fixes)),
    )


def risk_given_weights(sizes: Floats, population: Floats, *, approximate: bool = False) -> Floats:
    """Return E[1/F | f] of key combinations with f records that stand for so many people.

    Parameters
    ----------
    sizes, population : float arrays of the same shape
        f, and the sum of weights, at least f.
    approximate : bool
        p / (f - (1 - p)) for three records and more.
    """
    p = np.minimum(sizes / population, 1.0)
    q = 1.0 - p
    out = 1.0 / sizes
    inner = q > 0.0
    few = inner & ((sizes <= 2) if approximate else (p <= 0.5) & (sizes < _SERIES_FROM))  # noqa: PLR2004  (closed forms for one and two)
    out[few] = _recursion(sizes[few], p[few])
    rest = inner & ~few
    if approximate:
        out[rest] = p[rest] / (sizes[rest] - q[rest])
    else:
        out[rest] = _series(sizes[rest], p[rest], q[rest])
    return out


def _recursion(sizes: Floats, p: Floats) -> Floats:
    """From r_1 = p / q log(1 / p) by r_(f+1) = p / q (1 / f - r_f)."""
    odds = p / (1.0 - p)
    risk = odds * np.log(1.0 / p)
    for f in range(1, int(sizes.max(initial=1.0))):
        risk = np.where(sizes > f, odds * (1.0 / f - risk), risk)
    return risk


def _series(sizes: Floats, p: Floats, q: Floats) -> Floats:
    """Add up the series: p / f times the sum over k of k! q^k / ((f + 1) ... (f + k))."""
    term = np.ones_like(p)
    total = np.ones_like(p)
    for k in range(1, _TERMS):
        term = term * (k * q / (sizes + k))
        total += term
    return p / sizes * total


def _notes(weights: Floats) -> tuple[str, ...]:
    if weights.min() < weights.max():
        return ()
    note = (
        "All weights are equal, so that all unique records have the same risk, however rare their "
        "keys are. See population_uniques."
    )
    return (note,)
