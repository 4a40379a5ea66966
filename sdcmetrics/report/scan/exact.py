"""Numbers that must stay inside: exact counts and shares of records, values in full."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import fields

import pandas as pd

from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.report.safety.numbers import decimals_for, step_for
from sdcmetrics.report.scan.pieces import Piece, Row, plainly
from sdcmetrics.report.scan.words import own_words
from sdcmetrics.review.review import Review
from sdcmetrics.study.profile import Profile

_NUMBER = r"(?<![\w.,])(?P<whole>\d{1,3}(?:,\d{3})+|\d+)(?:[.,](?P<rest>\d+))?(?!\w)"
_IN_WORDS = r"(?:less|more) than (?=[\d.,]+\s*%)"
_TOKEN = re.compile(rf"(?P<sign>[<>]\s*|{_IN_WORDS})?{_NUMBER}(?P<percent>\s*%)?")
_RECORDS = re.compile(
    rf"(?P<bound>(?:fewer|less) than )?{_NUMBER} (?:original |holdout |real )?"
    r"(?:record|person|people|individual)s?\b"
)
_BETWEEN = ", |; | by | and "
"""Between the names of what a cell is of."""
_FULL = 6
"""Digits from which on a number is no other number by chance."""
_MARK = 2
"""Digits of a mark on the scale of a figure, which may equal any share."""
_LEAST_BASE = 5


def least_base(profile: Profile) -> int:
    """Return what counts of original records are multiples of."""
    return max(profile.round_base, _LEAST_BASE)


def least_count(profile: Profile) -> int:
    """Return below which number counts are small: as many of them as one multiple stands for."""
    return max(profile.min_cell, least_base(profile) + (not profile.zeros_disclosive))


def is_protected(count: float, profile: Profile) -> bool:
    """Whether a count of original records may be told as it is."""
    if count == 0:
        return not profile.zeros_disclosive
    return count >= profile.min_cell and count % least_base(profile) == 0


def is_counted(frame: pd.DataFrame) -> pd.Series[bool]:
    """Whether each measurement is a percentage of records of which there are some."""
    return (frame["unit"] == "percent") & (frame["total"] != 0) & frame["count"].notna()


class _Numbers:
    """Numbers in order, asked for those that a rounded one may stand for."""

    def __init__(self, numbers: Iterable[float]) -> None:
        self._sorted = sorted({float(n) for n in numbers if math.isfinite(n)})

    def hold(self, value: float, decimals: int) -> bool:
        half = 0.5 * 10.0**-decimals * (1 + 1e-9) + 1e-12
        place = bisect_left(self._sorted, value - half)
        return place < len(self._sorted) and self._sorted[place] <= value + half


class Exact:
    """Looks for numbers that must stay inside, in one text after another.

    Parameters
    ----------
    review, profile
    shown : list of (table, row)
        What the report's tables show; each value is checked at its place.
    ranked : texts of the ranking, whose weights and ranks may equal anything
    """

    def __init__(
        self,
        review: Review,
        profile: Profile,
        shown: list[tuple[str, Row]],
        ranked: Iterable[Piece],
    ) -> None:
        n = review.n_original
        self._n, self._profile = n, profile
        names = (*review.variables, *review.replicas, *(s.name for s in review.study.scenarios))
        self._called = set(map(plainly, names))
        self._decimals = decimals_for(step_for(least_base(profile), n))
        levels = review.distributions.values()
        counts = [(count, n) for level in levels for count in level.original]
        for rule in review.rules.values():
            counts += [
                (count, rule.original.n)
                for count in (rule.original.fulfilled, rule.original.broken)
            ]
        shares = [share for d in levels for replica in d.replicas.values() for share in replica]
        public = [*shares, *(100 * share for share in shares)]
        frame = review.frame
        rules = {
            name: measure.release.rule for name, measure in MEASURES.items() if measure.release
        }
        open_ = frame["metric"].map(rules) == "replica share"
        counted = is_counted(frame)
        public += frame.loc[open_, "value"].tolist()
        some = frame[counted & ~open_]
        counts += zip(some["count"].tolist(), some["total"].tolist(), strict=True)
        values = frame.loc[~open_ & ~counted, "value"].tolist()
        secret = {100 * c / total for c, total in counts if total and not is_protected(c, profile)}
        ends = [abs(end) for level in levels for end in (*level.breaks[:1], *level.breaks[-1:])]
        public += [value for text in own_words(review, profile) for value in _values(text)]
        public += [value for piece in ranked for value in _values(piece.text, percent=True)]
        public += [float(data.n) for data in review.inputs if data.role == "replica"]
        public += [float(review.study.options.sample_size)]
        self._shares, self._ends = _Numbers(secret), _Numbers(ends)
        self._exact = _Numbers([*values, *secret, *(share / 100 for share in secret)])
        ends_of = [value for metric in MEASURES.values() for value in _values(repr(metric.release))]
        settings = {f.name: str(getattr(profile, f.name)) for f in fields(profile) if f.repr}
        ends_of += [
            v for name, text in settings.items() if name != "thresholds" for v in _values(text)
        ]
        ends_of += [100 * value for value in ends_of]  # a share may be written in percent
        self._bounds, self._public = _Numbers(ends_of), _Numbers([*public, *_percents(shown)])
        self._ranked = _Numbers(
            value
            for table, row in shown
            if table.startswith("ranking")
            for value in row.values()
            if not isinstance(value, str)
        )

    def problems(self, piece: Piece) -> Iterator[str]:
        """Yield the kinds of what a text must not hold."""
        text = plainly(piece.text)
        if not any(map(str.isdigit, text)):
            return
        if self._called.issuperset(re.split(_BETWEEN, text.strip())):
            return  # variables, which may be called 2010
        for token in _RECORDS.finditer(text):
            count = _value(token)
            bound = token["bound"] and count == least_count(self._profile)
            if (
                not bound
                and not is_protected(count, self._profile)
                and not self._public.hold(count, 3)
            ):
                yield "a count of records is below the threshold or not rounded"
        for token in _TOKEN.finditer(text):
            yield from self._number(piece, token)

    def _number(self, piece: Piece, token: re.Match[str]) -> Iterator[str]:
        value, rest = _value(token), token["rest"] or ""
        decimals, digits = len(rest), len((token["whole"].replace(",", "") + rest).lstrip("0"))
        if piece.kind == "hidden" or token["sign"]:
            if self._is_bound(value, token):
                return
            if piece.kind == "hidden":
                yield "a hidden value is told"
        if self._public.hold(value, decimals):
            return
        percent = token["percent"] or piece.kind == "percent"
        if piece.kind == "figure" and digits <= _MARK:
            return
        if percent and decimals > self._decimals and self._shares.hold(value, decimals):
            yield "the exact value of a share of original records is told"
        if digits >= _FULL and not self._ranked.hold(value, decimals):
            if self._exact.hold(value, decimals):
                yield "the exact value of a measure is told"
            if self._ends.hold(value, decimals):
                yield "a smallest or largest value is told"

    def _is_bound(self, value: float, token: re.Match[str]) -> bool:
        """Whether a number in place of a hidden value says no more than the profile's rules do."""
        if value == least_count(self._profile) or self._bounds.hold(value, 12):
            return True
        if token["percent"]:
            beyond = value if (token["sign"] or "").startswith(("<", "less")) else 100 - value
            records = beyond / 100 * (self._n + 2 * least_base(self._profile))
            return bool(token["sign"]) and records >= self._profile.min_cell
        return bool(token["rest"]) and bool(token["sign"])


def _percents(shown: Iterable[tuple[str, Row]]) -> Iterator[float]:
    """Yield the shares in percent that tables show, where each is checked at its place."""
    for table, row in shown:
        for field, value in row.items():
            symbol = row.get("metric") if field == "value" else field
            if isinstance(value, str) or (
                symbol in MEASURES and MEASURES[symbol].unit != "percent"
            ):
                continue
            yield 100 * value if table.startswith("ranking") else value


def _value(token: re.Match[str]) -> float:
    return float(f"{token['whole'].replace(',', '')}.{token['rest'] or 0}")


def _values(text: str, *, percent: bool = False) -> list[float]:
    tokens = _TOKEN.finditer(plainly(text))
    return [_value(token) for token in tokens if token["percent"] or not percent]
