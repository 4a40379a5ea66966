"""The content of a report's tables by place: levels, shares of records, models, ranks."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from typing import Any

from sdcmetrics.measures.registry import MEASURES, SPECIFIC_UTILITY
from sdcmetrics.report.assembly import SafeReport
from sdcmetrics.report.safety.cells import SafeCell
from sdcmetrics.report.scan.exact import is_counted, is_protected, least_base
from sdcmetrics.report.scan.pieces import Row, plainly
from sdcmetrics.report.scan.words import kept_levels, small
from sdcmetrics.review.review import Distribution, Review
from sdcmetrics.study.profile import Profile

_FOLDED = re.compile(r"Other \([\d,]+ levels?\)")
"""What levels that are shown together are called: their number is no value."""
_NEAR = 0.05
"""An end of the range that is so near to an inner break, in parts of the range, may be one."""
_RESIDUAL = 10
"""ACRO's limit of residual degrees of freedom, below which a model gives records back."""
_SAME = 1e-9
_DIGITS = 0.005
"""How far three digits are from a number, at most, in parts of it."""


class Tables:
    """Looks at one row after another for what must not be in its place."""

    def __init__(self, review: Review, profile: Profile) -> None:
        self._profile = profile
        self._variables = {
            plainly(name): distribution for name, distribution in review.distributions.items()
        }
        self._rare = {
            name: {
                plainly("(missing)" if label is None else label)
                for label, count in zip(variable.labels, variable.original, strict=True)
                if small(count, profile)
            }
            - kept_levels(review, variable.variable, profile)
            for name, variable in self._variables.items()
        }
        replicas = {plainly(name).casefold() for name in review.replicas}
        self._of_records = {"original", "holdout"} - replicas
        self._totals = {}
        frame = review.mean_rows()
        for row in frame[is_counted(frame)].to_dict("records"):
            release = MEASURES[row["metric"]].release if row["metric"] in MEASURES else None
            if not (release is not None and release.rule == "replica share"):
                subject = next(
                    (row[f] for f in ("scenario", "rule", "model") if _is_filled(row[f])), ""
                )
                target = row["target"] if _is_filled(row["target"]) else ""
                place = (plainly(row["replica"]), plainly(subject), plainly(target))
                self._totals[row["metric"], *place] = float(row["total"])
        self._models = {
            (plainly(replica), plainly(formula))
            for (replica, formula, _), fit in review.fits.items()
            if fit.residual_df < _RESIDUAL or any(small(c, profile) for c in fit.level_counts)
        }

    def problems(self, row: Row) -> Iterator[tuple[str, str]]:
        """Yield the kind of what a row of a table must not hold, and what it is of."""
        text = {field: plainly(value) for field, value in row.items() if isinstance(value, str)}
        yield from self._level(text)
        if text.get("data_set", "").casefold() in self._of_records:
            for field in ("count", "records"):
                if field in row and not is_protected(_number(row[field]), self._profile):
                    kind = "a count of the original is below the threshold or not rounded"
                    yield kind, text.get("variable", field)[:40]
        replica = text.get("replica", "")
        place = next((text[f] for f in ("scenario", "rule", "formula") if f in text), "")
        models = {model for model in self._models if model[0] == replica}
        for field, value in row.items():
            metric = text.get("metric", "") if field == "value" else field
            measure = MEASURES.get(metric)
            if measure is None or value in ("", None):
                continue
            if measure.release is None and replica:
                yield "a measure for internal eyes is shown", metric
            of_few = (replica, place) in models or (not place and models)
            if measure.family == SPECIFIC_UTILITY and of_few:
                yield "a model of too few original records is shown", metric
            total = self._totals.get((metric, replica, place, text.get("target", "")))
            if total is not None and not self._may_be(_number(value), total):
                yield "a share of too few original records is shown, or not rounded", metric

    def _level(self, text: dict[str, str]) -> Iterator[tuple[str, str]]:
        name, label = text.get("variable", ""), text.get("level", "")
        if label and label in self._rare.get(name, ()):
            yield "a level of too few original records is named", f"variable {name[:40]!r}"
        if label and name in self._variables and _gives_ends(self._variables[name], label):
            yield "a smallest or largest value is shown", f"variable {name[:40]!r}"

    def _may_be(self, percent: float, total: float) -> bool:
        """Whether a share may be that of a protected count of records, as it is rounded."""
        if math.isnan(percent):
            return False
        base, least = least_base(self._profile), self._profile.min_cell
        decimals = len(repr(float(percent)).partition(".")[2].rstrip("0"))
        half = 0.5 * 10.0**-decimals + _SAME
        near = base * round(total / base)
        for whole in (total, near - base, near, near + base):  # totals are protected too
            low, high = (whole * (percent + sign * half) / 100 for sign in (-1, 1))
            count = base * math.ceil(max(low, 0.0) / base)
            if not self._profile.zeros_disclosive and (low <= 0 or high >= whole):
                return True
            count = max(count, base * math.ceil(least / base))
            if count <= high and whole - count >= least:
                return True
        return False


def _is_filled(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _number(value: Any) -> float:
    try:
        return float(value)
    except ValueError:
        return math.nan


def _gives_ends(distribution: Distribution, label: str) -> bool:
    if len(distribution.breaks) <= 2 or _FOLDED.fullmatch(label):  # noqa: PLR2004  ("all values")
        return False
    low, high = distribution.breaks[0], distribution.breaks[-1]
    near = _NEAR * (high - low)
    for token in re.findall(r"[\N{MINUS SIGN}-]?[\d,]*\.?\d+(?:e[+-]?\d+)?", label):
        value = float(token.replace(",", "").replace("\N{MINUS SIGN}", "-"))
        if value in (low, high) and all(
            abs(value - break_) > near for break_ in distribution.breaks[1:-1]
        ):
            return True
    return False


def structure_problems(report: SafeReport, rows: Iterable[tuple[str, Row]]) -> Iterator[str]:
    """Yield the kinds of what the structure of a release must not hold."""
    if report.mode != "checker" or report.risky:
        yield "the report was not made for release"
    if any(block.coefficients for block in report.specific.blocks):
        yield "coefficients of a fitted model are shown"
    if "crosscheck" in report.exports:
        yield "values of the cross-check are shown"
    if report.relations.tables or "relations" in report.exports:
        yield "relations that were found automatically are shown"
    of_records = (
        cells[1:]
        for block in report.rules.blocks
        for first, *cells in block.table.rows
        if first.kind == "text" and first.text in ("original", "holdout")
    )
    if any(cell.number is not None for cells in of_records for cell in cells):
        yield "what confidential records make of a rule is shown in full"
    shown: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for cells in _measured(report):
        name = cells["replica"].full or cells["replica"].text
        shown.setdefault((name, cells["metric"].text), []).extend(_may_be(cells["value"]))
    sizes = _sizes(report)
    for table, row in rows:
        if table == "ranking" and "value" in row:
            metric = re.sub(r"_(?:one|two|three)_way$", "", row["metric"])
            low, high = zip(
                *(shown.get((row["replica"], metric)) or [(math.nan, math.nan)]), strict=True
            )
            as_large = _as_large(metric, sizes, row["replica"])
            if not min(low) * as_large - _SAME <= row["value"] <= max(high) * as_large + _SAME:
                yield f"a value is ranked that this edition does not show ({metric})"


def _may_be(cell: SafeCell) -> Iterator[tuple[float, float]]:
    """Yield the ends of what a cell shows: a number of three digits, or a bound."""
    if cell.number is not None:
        half = _DIGITS * abs(cell.number)
        yield cell.number - half, cell.number + half
    elif cell.bound is not None:
        yield (0.0, cell.bound) if cell.text.startswith("<") else (cell.bound, math.inf)


def _sizes(report: SafeReport) -> dict[str, float]:
    """Return the records of each data set, of a replica the mean over its syntheses."""
    out: dict[str, list[float]] = {}
    for name, records, *_ in report.inputs.rows:
        which = re.sub(r", synthesis \d+$", "", name.full or name.text)
        out.setdefault(which, []).append(records.number or math.nan)
    return {name: math.fsum(sizes) / len(sizes) for name, sizes in out.items()}


def _as_large(metric: str, sizes: dict[str, float], replica: str) -> float:
    """Return the factor from a replica's size to the original's."""
    measure = MEASURES.get(metric)
    n, m = sizes.get("Original", math.nan), sizes.get(replica, math.nan)
    if measure is None or measure.fresh is None or math.isnan(n + m):
        return 1.0
    return measure.fresh(n, n) / measure.fresh(n, m)


def _measured(report: SafeReport) -> Iterator[dict[str, Any]]:
    table = report.exports["measurements"]
    fields = [column.field for column in table.columns]
    return (dict(zip(fields, row, strict=True)) for row in table.rows)
