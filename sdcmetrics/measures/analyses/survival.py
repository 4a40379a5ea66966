"""Survival: Kaplan and Meier's curve and median, Cox's proportional hazards.

Without a design the errors are those of statsmodels: Greenwood's, and the inverse information. With
one they are linearised: the derivative by each record's weight, summed in clusters.

References
----------
Kaplan and Meier (1958), JASA 53, 457-481. Efron (1977), JASA 72, 557-565. Binder (1992),
Biometrika 79(1), 139-147. Lin and Wei (1989), JASA 84, 1074-1078.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from sdcmetrics.errors import NotComputable, counted
from sdcmetrics.measures.analyses.estimates import LEVEL, Category, Estimates, Records, normal
from sdcmetrics.measures.fits.overlap import normal_quantile
from sdcmetrics.measures.survey.linearised import covariance
from sdcmetrics.microdata.arrays import Bools, Floats

Ties = Literal["efron", "breslow"]

_HALF = 0.5
_STEPS = 50
_SETTLED = 1e-10
_DIGITS = 12  # products of shares are a half to so many


@dataclass(frozen=True)
class Curve:
    """A curve of survival: a step down at each time of an event.

    Attributes
    ----------
    times : float array of shape (t,), ascending
    survival, error : float arrays of shape (t,)
        Just after each time.
    """

    times: Floats
    survival: Floats
    error: Floats

    def at(self, time: float) -> tuple[float, float]:
        """Return survival beyond a time, and its standard error."""
        place = int(np.searchsorted(self.times, time, side="right")) - 1
        return (1.0, 0.0) if place < 0 else (float(self.survival[place]), float(self.error[place]))

    @property
    def band(self) -> tuple[Floats, Floats]:
        """Lower and upper ends of 95 % intervals, each made on the scale of the logarithm.

        Where nobody survives there is no upper one.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            half = normal_quantile(LEVEL) * self.error / self.survival
            low, high = self.survival * np.exp(-half), self.survival * np.exp(half)
        gone = self.survival <= 0
        return np.where(gone, 0.0, low), np.where(gone, np.nan, np.minimum(high, 1.0))

    def median(self) -> tuple[float, float, float]:
        """Return the time by which half are gone, and where the band passes one half."""
        low, high = self.band
        return self._half(self.survival), self._half(low), self._half(high)

    def _half(self, heights: Floats) -> float:
        """Return the time when a curve falls to one half; the midpoint of a flat part there."""
        heights = heights.round(_DIGITS)
        fallen = heights <= _HALF
        if not fallen.any():
            return math.nan
        place = int(np.argmax(fallen))
        after = np.nonzero(heights < _HALF)[0]
        end = after[0] if after.size else place
        return float((self.times[place] + self.times[end]) / 2)


def survival_curve(
    records: Records, rows: Bools, time: str, event: Bools, *, at: Sequence[float]
) -> Estimates:
    """Estimate the share that survives beyond each time."""
    curve = kaplan_meier(records, rows, time, event)
    values = [curve.at(moment) for moment in at]
    terms = [f"survival beyond {moment:.15g}" for moment in at]
    return normal(terms, [value for value, _ in values], [error for _, error in values])


def survival_median(records: Records, rows: Bools, time: str, event: Bools) -> Estimates:
    """Estimate the median time, with a standard error from the width of its interval."""
    value, lower, upper = kaplan_meier(records, rows, time, event).median()
    if math.isnan(value):
        msg = f"{records.source}: fewer than half have the event, so that there is no median"
        raise NotComputable(msg)
    error = (upper - lower) / (2 * normal_quantile(LEVEL))
    numbers = [np.array([number]) for number in (value, error, lower, upper)]
    return Estimates((f"median {time}",), numbers[0], numbers[1], numbers[2], numbers[3])


def kaplan_meier(records: Records, rows: Bools, time: str, event: Bools) -> Curve:
    """Estimate Kaplan and Meier's curve."""
    times = _times(records, rows, time)
    used = rows & ~np.isnan(times)
    weights = records.within(used)
    if not (used & event).any():
        msg = f"{records.source}: nobody has the event"
        raise NotComputable(msg)
    if records.designed:
        return _weighted_curve(records, weights, times, event)
    from statsmodels.duration.survfunc import SurvfuncRight

    with np.errstate(divide="ignore", invalid="ignore"):  # where nobody is left
        curve = SurvfuncRight(times[used], event[used].astype(np.int64))
    return Curve(curve.surv_times, curve.surv_prob, np.nan_to_num(curve.surv_prob_se))


def _weighted_curve(records: Records, weights: Floats, times: Floats, event: Bools) -> Curve:
    used = np.nonzero(weights > 0)[0]
    w, t, died = weights[used], times[used], event[used]
    moments = np.unique(t[died])
    at_risk = np.array([w[t >= moment].sum() for moment in moments])
    deaths = np.array([w[died & (t == moment)].sum() for moment in moments])
    survival = np.cumprod(1.0 - deaths / at_risk)
    left = np.maximum(at_risk - deaths, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        steps = np.where(left > 0, deaths / (at_risk * left), 0.0)
        falls = np.where(left > 0, 1.0 / left, 0.0)
    risk = np.append(0.0, np.cumsum(steps))
    own = np.searchsorted(moments, t, side="right")  # how many moments a record is at risk in
    when = np.searchsorted(moments, t)
    errors = np.empty(len(moments))
    for j in range(len(moments)):
        hazard = risk[np.minimum(own, j + 1)]
        fall = np.where(died & (when <= j), falls[np.minimum(when, len(moments) - 1)], 0.0)
        # a death takes from the deaths' share as well as from those at risk
        influence = np.zeros((records.n, 1))
        influence[used, 0] = -w * survival[j] * (fall - hazard)
        errors[j] = math.sqrt(covariance(influence, records.design)[0, 0])
    return Curve(moments, survival, errors)


def _times(records: Records, rows: Bools, time: str) -> Floats:
    times = records.numbers(time)
    if (times[rows] < 0).any():
        msg = f"{records.source}, column {time!r}: expected times but some are below 0"
        raise NotComputable(msg)
    return times


def occurred(records: Records, name: str, value: str | float) -> tuple[Bools, Bools]:
    """Return whether the event occurred to each record, and whether that is known.

    Raises
    ------
    NotComputable
        If the column of events has more than two values, or not the one that means an event.
    """
    column = records.columns[name]
    where = f"{records.source}, column {name!r}"
    if isinstance(column, Category):
        observed = column.codes >= 0
        levels = column.levels
        if str(value) not in levels or len(levels) > 2:  # noqa: PLR2004  (yes and no)
            msg = f"{where}: expected two levels of which occurred = {value!r} is the event"
            raise NotComputable(msg)
        return column.codes == levels.index(str(value)), observed
    observed = ~np.isnan(column)
    values = np.unique(column[observed])
    if len(values) > 2 or isinstance(value, str):  # noqa: PLR2004  (yes and no)
        msg = f"{where}: expected two values of which occurred = {value!r} is the event"
        raise NotComputable(msg)
    return column == value, observed


def cox(
    terms: Sequence[str],
    predictors: Floats,
    times: Floats,
    event: Bools,
    records: Records,
    rows: Bools,
    *,
    ties: Ties,
) -> Estimates:
    """Estimate logarithms of hazard ratios.

    Parameters
    ----------
    terms : sequence of str
    predictors : float array of shape (k, p)
    times, event : arrays of shape (k,)
    records : Records
    rows : bool array of shape (n,)
        Which of the records these k are.
    ties : "efron" or "breslow"
    """
    if (times < 0).any():
        msg = f"{records.source}: expected times but some are below 0"
        raise NotComputable(msg)
    if event.sum() <= predictors.shape[1]:
        msg = (
            f"{records.source}: {counted(int(event.sum()), 'event')}, too few for "
            f"{counted(predictors.shape[1], 'coefficient')}"
        )
        raise NotComputable(msg)
    if not records.designed:
        return _unweighted_cox(terms, predictors, times, event, records.source, ties)
    centre, scale = predictors.mean(axis=0), predictors.std(axis=0)
    if (scale == 0).any():
        msg = f"{records.source}: a predictor has one value only"
        raise NotComputable(msg)
    standard = (predictors - centre) / scale
    weights = records.design.weights[rows] / records.design.weights[rows].mean()
    beta = np.zeros(standard.shape[1])
    for _ in range(_STEPS):
        residuals, information = _scores(standard, times, event, weights, beta, ties)
        step = np.linalg.solve(information, weights @ residuals)
        beta += step
        if np.abs(step).max() < _SETTLED:
            break
    else:
        msg = f"{records.source}: the fit did not converge in {_STEPS} iterations"
        raise NotComputable(msg)
    residuals, information = _scores(standard, times, event, weights, beta, ties)
    influence = np.zeros((records.n, len(beta)))
    influence[rows] = weights[:, None] * residuals @ np.linalg.inv(information)
    errors = np.sqrt(np.diagonal(covariance(influence, records.design)))
    return normal(terms, beta / scale, errors / scale, null=0.0)


def _unweighted_cox(
    terms: Sequence[str], predictors: Floats, times: Floats, event: Bools, source: str, ties: Ties
) -> Estimates:
    from statsmodels.duration.hazard_regression import PHReg

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # said below, in words
        model = PHReg(times, predictors, status=event.astype(np.int64), ties=ties)
        try:
            fit = model.fit()  # silently
        except np.linalg.LinAlgError:
            msg = f"{source}: predictors are combinations of each other, so that there is no fit"
            raise NotComputable(msg) from None
    if not np.isfinite(fit.bse).all():
        msg = f"{source}: the fit has no standard errors"
        raise NotComputable(msg)
    return normal(terms, fit.params, fit.bse, null=0.0)


def _scores(
    x: Floats, times: Floats, event: Bools, weights: Floats, beta: Floats, ties: Ties
) -> tuple[Floats, Floats]:
    """Return the residual of each record's score, and the information of all."""
    order = np.argsort(-times, kind="stable")
    hazard = np.exp(x @ beta)
    risk = weights * hazard
    latest = -times[order]
    sums = np.cumsum(risk[order])
    means = np.cumsum((risk[:, None] * x)[order], axis=0)
    products = np.cumsum((risk[:, None, None] * x[:, :, None] * x[:, None, :])[order], axis=0)
    residuals = np.where(event[:, None], x, 0.0)
    information = np.zeros((x.shape[1], x.shape[1]))
    for moment in np.unique(times[event]):
        last = int(np.searchsorted(latest, -moment, side="right")) - 1
        dead = event & (times == moment)
        number = int(dead.sum()) if ties == "efron" else 1
        weight = weights[dead].sum() / number
        share = np.arange(number) / number
        of_dead = risk[dead]
        base = sums[last] - share * of_dead.sum()
        centre = (means[last] - share[:, None] * (of_dead @ x[dead])) / base[:, None]
        square = products[last] - share[:, None, None] * np.einsum(
            "i,ij,ik->jk", of_dead, x[dead], x[dead]
        )
        spread = square / base[:, None, None] - centre[:, :, None] * centre[:, None, :]
        information += weight * spread.sum(axis=0)
        residuals[dead] -= centre.mean(axis=0)
        rate = weight / base
        exposed = (times >= moment) & ~dead
        residuals[exposed] -= hazard[exposed, None] * (x[exposed] * rate.sum() - rate @ centre)
        part = rate * (1 - share)
        residuals[dead] -= hazard[dead, None] * (x[dead] * part.sum() - part @ centre)
    return residuals, information
