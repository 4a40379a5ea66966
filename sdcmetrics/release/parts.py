"""An analysis on the parts of an original, and what their agreement with a replica answers."""

from __future__ import annotations

import datetime as dt
import hashlib
import hmac
import json
import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from sdcmetrics.errors import (
    NotComputable,
)
from sdcmetrics.measures.analyses.analysis import Analysis
from sdcmetrics.measures.analyses.estimates import Estimates
from sdcmetrics.measures.analyses.estimating import sides_of
from sdcmetrics.measures.fits.overlap import normal_quantile
from sdcmetrics.measures.survey.design import SurveyDesign, simple_design
from sdcmetrics.microdata.arrays import Bools, Floats, Ints
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.frames import Microdata
from sdcmetrics.microdata.schema import Harmonised, Variable, alone
from sdcmetrics.release.people import Records
from sdcmetrics.release.sums import Confidential
from sdcmetrics.release.texts import is_day, plain_text

MOST_TERMS = 12
"""Terms of an analysis: each has a share of the price."""
FEWEST_PARTS = 20
_ENOUGH = 0.8
"""Share of parts that must have an estimate for an answer."""
_LEVEL = 0.9
_OWN = 1.0 - 2.0 / math.pi
"""Share of a count's variance that does not follow from the estimate of all parts together."""
_DIGITS = 10
"""Of the number that estimates of parts are compared with."""


@dataclass(frozen=True)
class Answer:
    """The answer on one term of an analysis.

    Attributes
    ----------
    term : str
    synthetic : float
        The replica's estimate, which is public.
    overlap : tuple of float, or None
        A range that holds the confidence interval overlap (CIO, not below 0) in about 90 % of such
        answers; None where too few parts have an estimate.
    conclusion : "same", "other" or "cannot be told"
        Whether the original's sign and significance are the replica's; "cannot be told" as well
        where nothing is tested.
    """

    term: str
    synthetic: float
    overlap: tuple[float, float] | None
    conclusion: str


def parts_of(people: Confidential, unit: str, secret: bytes, number: int) -> Ints:
    """Return the part of each original record; it follows from the person alone.

    Without a column of persons, records that are the same are told apart by their number, so that
    one more of them moves no other.
    """
    data = people.original
    names = [unit] if unit else sorted(data.columns)
    texts = [
        np.array(data.columns[name].texts, dtype=object)[data.columns[name].codes] for name in names
    ]
    met: dict[tuple[str | None, ...], int] = {}
    out = np.empty(data.n, dtype=np.int64)
    for i, row in enumerate(zip(*texts, strict=True)):
        copy = 0 if unit else met.get(row, 0)
        met[row] = copy + 1
        digest = hmac.digest(secret, b"part\0" + repr((row, copy)).encode(), hashlib.sha256)
        out[i] = int.from_bytes(digest[:8], "big") % number
    return out


@dataclass(frozen=True, eq=False)
class PartedAnalysis:
    """An analysis of a replica: its columns, and its estimates, all public."""

    analysis: Analysis
    columns: tuple[str, ...]
    data: Harmonised
    estimates: Estimates
    synthetic: Floats
    weight: str
    identity: str

    @classmethod
    def of(
        cls,
        analysis: Analysis,
        syntheses: Sequence[Microdata],
        weight: str,
        missing_codes: Mapping[str, Any],
    ) -> PartedAnalysis:
        """Return the analysis as it is made of the replica; of several syntheses, their mean."""
        first, *others = syntheses
        analysis.check(first)
        columns = analysis.columns_of(first.columns)
        codes = {name: code for name, code in missing_codes.items() if name in columns}
        data = _in_order(alone(first, list(columns), codes))
        design: list[SurveyDesign | None] = [None]
        estimates = sides_of(analysis, data, design).estimates(0)
        values = [estimates.value]
        for other in others:
            more = sides_of(
                analysis, _in_order(alone(other, list(columns), codes)), design
            ).estimates(0)
            values.append(_aligned(estimates, more))
        usable = np.isfinite(estimates.value) & (estimates.error > 0)
        if not usable.any() or usable.sum() > MOST_TERMS:
            msg = (
                f"analysis {analysis.name!r}: expected 1 to {MOST_TERMS} terms with an error, but "
                f"the replica has {int(usable.sum())}. Ask for fewer groups or levels."
            )
            raise NotComputable(msg)
        entries = {name: entry for name, entry in asdict(analysis).items() if name != "name"}
        identity = json.dumps({**entries, "weight": weight}, sort_keys=True, default=list)
        mean = np.mean(values, axis=0)
        return cls(analysis, columns, data, estimates, mean, weight, identity)

    @property
    def terms(self) -> tuple[str, ...]:
        """The terms that are asked for."""
        usable = np.isfinite(self.synthetic) & (self.estimates.error > 0)
        return tuple(term for term, use in zip(self.estimates.terms, usable, strict=True) if use)

    @property
    def counts(self) -> tuple[str, ...]:
        """Names of the counts of each term over the parts."""
        tested = () if math.isnan(self.estimates.null) else ("above the null",)
        return ("estimated", "above the replica", *tested)

    def reference(self, number: int) -> Floats:
        """Return the replica's estimates with the bias that parts of its size have; public.

        They are rounded: the last digits, which follow from the machine, are no other question.
        """
        rows = np.random.default_rng(number).permutation(self.data.sizes[0]) % number
        whole = {
            name: (variable.values or variable.codes)[0]
            for name, variable in self.data.variables.items()
        }
        weights = np.ones(self.data.sizes[0])
        parts = [self._estimated(whole, weights, rows == part) for part in range(number)]
        frame = pd.DataFrame(parts, columns=pd.Index(self.estimates.terms))
        bias = frame.mean().to_numpy(np.float64) - self.estimates.value
        limits = self.synthetic + np.where(np.isfinite(bias), bias, 0.0)
        return np.array([float(f"{limit:.{_DIGITS}g}") for limit in limits])

    def facts(self, reference: Floats) -> dict[str, Any]:
        """Return all that the counts follow from beside the original and the entries; public.

        Two questions of which one fact differs must not share their noise, or the difference of
        their answers is that of the counts themselves.
        """
        return {
            "compared with": dict(zip(self.estimates.terms, reference.tolist(), strict=True)),
            "columns": {
                name: (variable.kind.value, variable.levels, variable.missing_codes)
                for name, variable in sorted(self.data.variables.items())
            },
        }

    def counted(
        self, original: Records, parts: Ints, reference: Floats
    ) -> dict[tuple[str, str], int]:
        """Count parts of the original; confidential until noise is added."""
        out = {(term, count): 0 for term in self.terms for count in self.counts}
        whole = {name: _entries(original, name, self.data.variables[name]) for name in self.columns}
        weights = _weights(original, self.weight)
        for part in np.unique(parts):
            rows = (parts == part) & (weights > 0)
            values = self._estimated(whole, weights, rows)
            for term, limit in zip(self.estimates.terms, reference, strict=True):
                value = values.get(term, math.nan)
                if not math.isfinite(value) or (term, "estimated") not in out:
                    continue
                out[term, "estimated"] += 1
                out[term, "above the replica"] += value > limit
                if "above the null" in self.counts:
                    out[term, "above the null"] += value > self.estimates.null
        return {key: int(count) for key, count in out.items()}

    def _estimated(
        self, whole: Mapping[str, Any], weights: Floats, rows: Bools
    ) -> dict[str, float]:
        """Return the estimates of one part by term; nothing where it fails, whatever the cause.

        What fails, and how, would tell of the people in it.
        """
        variables = {
            name: _with_part(variable, whole[name][rows])
            for name, variable in self.data.variables.items()
        }
        sizes = (self.data.sizes[0], int(rows.sum()))
        data = Harmonised(variables, sizes, ("the replica", "a part"), ())
        own = simple_design(sizes[1])
        design = SurveyDesign(weights[rows], own.strata, own.clusters)
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                estimated = sides_of(self.analysis, data, [None, design]).estimates(1)
        except Exception:  # noqa: BLE001  (an error that got out would tell of the people)
            return {}
        return dict(zip(estimated.terms, estimated.value.tolist(), strict=True))

    def answer(self, term: str, numbers: Mapping[tuple[str, str], tuple[int, Fraction]]) -> Answer:
        """Return the answer on a term from noisy counts."""
        place = self.estimates.terms.index(term)
        value = float(self.synthetic[place])
        estimated, variance = numbers[term, "estimated"]
        above, _ = numbers[term, "above the replica"]
        low, high = _standardised(above, estimated, float(variance))
        if estimated < FEWEST_PARTS * _ENOUGH:
            return Answer(term, value, None, "cannot be told")
        width = 2 * normal_quantile(0.95)
        far, near = max(high, -low), max(low, -high, 0.0)
        overlap = max(0.0, 1 - far / width), max(0.0, 1 - near / width)
        if "above the null" not in self.counts:
            return Answer(term, value, overlap, "cannot be told")
        return Answer(term, value, overlap, self._conclusion(place, numbers))

    def _conclusion(
        self, place: int, numbers: Mapping[tuple[str, str], tuple[int, Fraction]]
    ) -> str:
        term, critical = self.estimates.terms[place], normal_quantile(0.95)
        estimated, variance = numbers[term, "estimated"]
        above, _ = numbers[term, "above the null"]
        low, high = _standardised(above, estimated, float(variance))
        null = self.estimates.null
        lower, upper = self.estimates.lower[place], self.estimates.upper[place]
        replica = 1 if lower > null else -1 if upper < null else 0
        for verdict, holds in ((1, low > critical), (-1, high < -critical)):
            if holds:
                return "same" if verdict == replica else "other"
        inside = -critical < low and high < critical
        if inside:
            return "same" if replica == 0 else "other"
        return "cannot be told"


def _standardised(count: float, estimated: float, variance: float) -> tuple[float, float]:
    """Return a range of how many standard errors the original is above, from a share of parts.

    Both counts have noise, and which people share a part is chance; what the estimate of all of
    them has in common with the count is no error of it. Shares are taken two parts away
    from 0 and 1, where a count says least of its own error.
    """
    from scipy.special import ndtri

    total = max(float(estimated), 1.0)
    share = float(np.clip((count + 2.0) / (total + 4.0), 0.0, 1.0))
    drawn = total * max(share * (1.0 - share), 1.0 / (total + 4.0))
    spread = normal_quantile(_LEVEL) * math.sqrt(_OWN * drawn + variance * (1.0 + share**2))
    ends = (np.clip((count + sign * spread) / total, 0.0, 1.0) for sign in (-1, 1))
    low, high = (math.sqrt(total) * float(ndtri(end)) for end in ends)
    return low, high


def _aligned(first: Estimates, second: Estimates) -> Floats:
    frame = pd.Series(second.value, index=second.terms)
    out: Floats = np.asarray(frame.reindex(list(first.terms)), np.float64)
    return out


def _entries(original: Records, name: str, variable: Variable) -> Any:
    """Return a column of the original as the replica's kind has it, entry by entry.

    What is no such number, or no level of the replica, is missing.
    """
    column = original.column(name)
    if variable.codes:
        place = {plain_text(level, ()): i for i, level in enumerate(variable.levels)}
        codes = np.array([place.get(text or "", -1) for text in column.texts], dtype=np.int32)
        return codes[column.codes]
    number = _moment if variable.kind is Kind.DATE else _number
    return np.array([number(text) for text in column.texts], np.float64)[column.codes]


def _moment(text: str | None) -> float:
    """Return a date as the number that reading makes of it."""
    if text is None or not is_day(text):
        return math.nan
    try:
        moment = dt.datetime.fromisoformat(text)
        if moment.tzinfo is not None:  # of which NumPy would warn: one entry must not be told
            moment = moment.astimezone(dt.UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):
        return math.nan
    return float(np.datetime64(moment, "ms").astype(np.int64))


def _number(text: str | None) -> float:
    try:
        value = float(text or "nan")
    except ValueError:
        return math.nan
    return value if math.isfinite(value) else math.nan


def _weights(original: Records, weight: str) -> Floats:
    """Return the weight of each record; 0, and so left out, where there is none above 0."""
    if not weight:
        return np.ones(original.n)
    column = original.column(weight)
    numbers = np.array([_number(text) for text in column.texts], np.float64)[column.codes]
    return np.fmax(numbers, 0.0)


def _in_order(data: Harmonised) -> Harmonised:
    """Return the records of one data set in an order that follows from their content.

    Nor does it depend on the order of the columns, which would make another question.
    """
    if not data.variables:
        return data
    columns = [(part.values or part.codes)[0] for _, part in sorted(data.variables.items())]
    order = np.lexsort(columns)
    variables = {
        name: replace(
            variable,
            values=tuple(values[order] for values in variable.values),
            codes=tuple(codes[order] for codes in variable.codes),
        )
        for name, variable in data.variables.items()
    }
    return replace(data, variables=variables)


def _with_part(variable: Variable, entries: Any) -> Variable:
    if variable.codes:
        codes = (variable.codes[0], entries)
        return Variable(variable.name, variable.kind, (), codes, variable.levels)
    values = (variable.values[0], entries)
    return Variable(variable.name, variable.kind, values, (), (), variable.missing_codes)
