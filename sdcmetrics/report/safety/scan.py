"""The last check of a release: search what was made for what must not be in it.

Written against the review and the finished texts, without the code that protects, so that a
fault there does not go unseen here.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from html import unescape
from pathlib import Path, PurePath
from typing import Any

from sdcmetrics.errors import ReleaseBlocked
from sdcmetrics.measures.registry import MEASURES, SPECIFIC_UTILITY
from sdcmetrics.report.folder import TEMPLATES
from sdcmetrics.report.safety.cells import SafeCell, SafeTable
from sdcmetrics.report.safety.names import clean
from sdcmetrics.report.safety.safe import SafeReport
from sdcmetrics.report.safety.scan_rules import rule_problems, rules_in_text
from sdcmetrics.review.review import Distribution, Review
from sdcmetrics.study.profile import Profile

__all__ = ["scan"]

_OF_ORIGINAL = ("UiO", "UiOiS", "repU", "Dorig", "iS", "DiS", "DiSCO", "DiSDiO", "TCAP_matched")
_INTERNAL = ("max_denom", "mean_denom", "U", "VW", "FT", "G", "df", "dfG", "nempty")
_DIGEST = re.compile(r"(?<![0-9A-Za-z])(?:[0-9a-f]{32,}|[0-9A-F]{32,})(?![0-9A-Za-z])")
_PATHS = (
    re.compile(r"(?<![\w.:/<])/(?:[\w.~@+-]+/)+[\w.~@+-]+"),
    re.compile(r"(?<![A-Za-z])[A-Za-z]:\\[\w.~-]"),
    re.compile(r"\\\\[\w.-]+\\[\w$.-]"),
    re.compile(r"(?i)\bfile:/"),
)
_SHORT = 4
_DIGITS = 6
_NEAR = 0.05
_CLOSEST = 0.5
_RESIDUAL = 10
_RANKED = ("ranking", "ranking_totals", "ranking_map")
_SAME = 1e-9


def scan(review: Review, profile: Profile, report: SafeReport, texts: Mapping[str, str]) -> None:
    """Raise unless a release report is free of what must stay inside.

    Parameters
    ----------
    review : what the report was made from
    profile : the rules it was made by
    report : the structure it was rendered from
    texts : finished documents by name (HTML, JSON, CSV)

    Raises
    ------
    ReleaseBlocked
        Naming the kind of each problem and its place, never the value.
    """
    problems = list(_problems(review, profile, report, texts))
    if problems:
        listed = "; ".join(dict.fromkeys(problems))
        msg = (
            f"release blocked by the disclosure scan: {listed}. Nothing was written. If the text "
            "is your own (title, context, names), change it; otherwise please report a bug."
        )
        raise ReleaseBlocked(msg)


def _problems(
    review: Review, profile: Profile, report: SafeReport, texts: Mapping[str, str]
) -> Iterator[str]:
    if report.mode != "release" or report.risky:
        yield "the report was not made for release"
    yield from _distributions(review, profile, report)
    yield from _shares(review, profile, report)
    yield from _metrics(report)
    yield from _ranking(report)
    yield from _models(review, profile, report)
    yield from rule_problems(review, profile, report)
    for name, text in texts.items():
        words = clean(_readable(text, name))
        yield from _document(review, profile, name, words)
        yield from rules_in_text(review, profile, name, words)


def _small(count: float, profile: Profile) -> bool:
    return count < profile.min_cell and (count > 0 or profile.zeros_disclosive)


def _distributions(review: Review, profile: Profile, report: SafeReport) -> Iterator[str]:
    small = {
        found.variable: {
            clean("(missing)" if label is None else label)
            for label, count in zip(found.labels, found.original, strict=True)
            if _small(count, profile)
        }
        for found in review.distributions.values()
    }
    variables = {clean(name): name for name in review.distributions}
    for table, where in _level_tables(report):
        for name, label, count in table:
            raw = variables.get(name, name)
            at = f"variable {name[:40]!r} in {where}"
            if label in small.get(raw, set()) and label not in _kept(review, raw, profile):
                yield f"a level of too few original records is named ({at})"
            if count is None:
                continue
            if _small(count, profile) or count % max(profile.round_base, 5):
                yield f"a count of the original is below the threshold or not rounded ({at})"
    shown: dict[str, list[str]] = {}
    for table, _ in _level_tables(report):
        for name, label, _ in table:
            shown.setdefault(name, []).append(label)
    for found in review.distributions.values():
        if _gives_ends(found, shown.get(clean(found.variable), [])):
            yield f"a smallest or largest value is shown (variable {found.variable[:40]!r})"
    for row in _rows_of(report, "measurements", "metric", "value"):
        if row[0].text == "S_pMSE" and row[1].number is not None and row[1].number < _CLOSEST:
            yield "a table that equals the replica's is told (S_pMSE near 0)"


def _rows_of(report: SafeReport, name: str, *wanted: str) -> Iterator[tuple[SafeCell, ...]]:
    """Yield the wanted columns of a table that goes to a file."""
    table = report.exports[name]
    places = [[column.field for column in table.columns].index(field) for field in wanted]
    for row in table.rows:
        yield tuple(row[place] for place in places)


def _kept(review: Review, variable: str, profile: Profile) -> set[str]:
    """Return labels that levels with enough records have too (two levels may read alike)."""
    found = review.distributions.get(variable)
    if found is None:
        return set()
    return {
        clean("(missing)" if label is None else label)
        for label, count in zip(found.labels, found.original, strict=True)
        if not _small(count, profile)
    }


Levels = list[tuple[str, str, float | None]]


def _level_tables(report: SafeReport) -> Iterator[tuple[Levels, str]]:
    """Yield (variable, label, count of the original) of everything that lists levels."""
    rows = report.exports["distributions"].rows
    yield (
        [
            (_full(row[0]), _full(row[1]), row[3].number if row[2].text == "original" else None)
            for row in rows
        ],
        "the table of distributions",
    )
    for block in report.by_variable:
        name = block.name.full
        listed = [(name, _full(row[0]), row[1].number) for row in block.table.rows]
        yield listed, "its block"
        if block.figure is not None:
            yield [(name, level, None) for level in block.figure.levels], "its figure"


def _full(cell: SafeCell) -> str:
    return cell.full or cell.text


def _gives_ends(found: Distribution, labels: Iterable[str]) -> bool:
    if len(found.breaks) <= 2:  # noqa: PLR2004  (one group: "all values")
        return False
    low, high = found.breaks[0], found.breaks[-1]
    near = _NEAR * (high - low)
    allowed = found.breaks[1:-1]
    for label in labels:
        for token in re.findall(r"[\N{MINUS SIGN}-]?[\d,]*\.?\d+(?:e[+-]?\d+)?", label):
            value = float(token.replace(",", "").replace("\N{MINUS SIGN}", "-"))
            if value in (low, high) and all(abs(value - inner) > near for inner in allowed):
                return True
    return False


def _shares(review: Review, profile: Profile, report: SafeReport) -> Iterator[str]:
    """Look for shares of too few, or of all but too few, original records."""
    secret: set[tuple[str, ...]] = set()
    exact: set[float] = set()
    rows = review.mean_rows()
    rows = rows[rows["metric"].isin([*_OF_ORIGINAL, "rule_kept"])]
    for row in rows.to_dict("records"):
        count, total = row["count"], row["total"]
        if count is None or math.isnan(count):
            continue
        if _small(count, profile) or _small(total - count, profile):
            names = [clean(str(row[field])) for field in ("replica", "scenario", "target")]
            secret.add((str(row["metric"]), *names))
            exact.add(float(row["value"]))
    named = ("metric", "replica", "scenario", "target", "value")
    for *found, value in _rows_of(report, "measurements", *named):
        if tuple(map(_full, found)) in secret and value.number is not None:
            yield f"a share of too few original records is shown ({found[0].text})"
    wide = report.exports["disclosure"]
    fields_of = [column.field for column in wide.columns]
    for cells in wide.rows:
        scenario, target, replica = (_full(cell) for cell in cells[:3])
        for metric, cell in zip(fields_of[3:], cells[3:], strict=True):
            if (metric, replica, scenario, target) in secret and cell.number is not None:
                yield f"a share of too few original records is shown ({metric})"
    fractions = {value for value in exact if not value.is_integer()}
    for cell in _measured(report):
        if cell.number is not None and cell.number in fractions:
            yield "the exact value of a share of too few original records is shown"


def _measured(report: SafeReport) -> Iterator[SafeCell]:
    """Yield every cell but those of the ranking, whose weights and ranks may equal anything."""
    for field in fields(report):
        if field.name == "exports":
            yield from _cells([t for n, t in report.exports.items() if n not in _RANKED])
        elif field.name != "ranking":
            yield from _cells(getattr(report, field.name))


def _ranking(report: SafeReport) -> Iterator[str]:
    """Look for ranked values that are no means of what the edition shows."""
    if "ranking" not in report.exports:
        return
    shown: dict[tuple[str, str], list[float]] = {}
    for replica, metric, value in _rows_of(report, "measurements", "replica", "metric", "value"):
        known = value.bound if value.number is None else value.number
        if known is not None:
            shown.setdefault((_full(replica), metric.text), []).append(known)
    for replica, metric, value in _rows_of(report, "ranking", "replica", "metric", "value"):
        symbol = re.sub(r"_(?:one|two|three)_way$", "", metric.text)
        found = shown.get((_full(replica), symbol), [])
        if value.number is not None and not (
            found and min(found) - _SAME <= value.number <= max(found) + _SAME
        ):
            yield f"a value is ranked that this edition does not show ({metric.text})"


def _metrics(report: SafeReport) -> Iterator[str]:
    for name, table in report.exports.items():
        shown = {column.field for column in table.columns}
        if name == "measurements":
            place = [column.field for column in table.columns].index("metric")
            shown |= {row[place].text for row in table.rows}
        for metric in _INTERNAL:
            if metric in shown and metric in MEASURES:
                yield f"a measure for internal eyes is in {name} ({metric})"
    for cell in _cells(report):
        if cell.text in ("max_denom", "mean_denom"):
            yield "a measure for internal eyes is shown"


def _models(review: Review, profile: Profile, report: SafeReport) -> Iterator[str]:
    """Look for means of models that rest on too few records, and for single coefficients."""
    if any(block.coefficients for block in report.specific.blocks):
        yield "coefficients of a fitted model are shown"
    if "crosscheck" in report.exports:
        yield "values of the cross-check are shown"
    secret = {
        (clean(replica), clean(formula))
        for (replica, formula, _), fit in review.fits.items()
        if fit.fits["n"].iloc[0] - fit.fits["coefficients"].iloc[0] < _RESIDUAL
        or any(_small(count, profile) for count in fit.level_counts)
    }
    symbols = {m.symbol for m in MEASURES.values() if m.family == SPECIFIC_UTILITY}
    for metric, replica, formula, value in _rows_of(
        report, "measurements", "metric", "replica", "scenario", "value"
    ):
        place = (_full(replica), _full(formula))
        one = place in secret or (not place[1] and any(place[0] == r for r, _ in secret))
        if metric.text in symbols and value.number is not None and one:
            yield f"a model of too few original records is shown ({metric.text})"
    wide = report.exports["specific_utility"]
    for row in wide.rows:
        if (_full(row[2]), _full(row[0])) in secret and any(c.number is not None for c in row):
            yield "a model of too few original records is shown (specific_utility)"


def _cells(thing: Any) -> Iterator[SafeCell]:
    """Yield every cell of a nested structure."""
    if isinstance(thing, SafeCell):
        yield thing
    elif isinstance(thing, SafeTable):
        for row in thing.rows:
            yield from row
    elif isinstance(thing, Mapping):
        for value in thing.values():
            yield from _cells(value)
    elif isinstance(thing, tuple | list):
        for value in thing:
            yield from _cells(value)
    elif is_dataclass(thing) and not isinstance(thing, type):
        for field in fields(thing):
            yield from _cells(getattr(thing, field.name))


def _document(review: Review, profile: Profile, name: str, words: str) -> Iterator[str]:
    own = _own_words(review, profile)
    free = words
    for known in sorted(own, key=len, reverse=True):
        if "/" in known or "\\" in known:
            free = free.replace(known, " ")
    if _DIGEST.search(words):
        yield f"something like a digest is in the {name}"
    if any(pattern.search(free) for pattern in _PATHS):
        yield f"a path is in the {name}"
    for data in review.inputs:
        if data.sha256 and data.sha256.lower() in words.lower():
            yield f"the digest of a data set is in the {name}"
        # A file's name is inside information; what a frame is called is not.
        if PurePath(data.source).suffix and data.source not in own and data.source in words:
            yield f"the file name of a data set is in the {name}"
    # A word that the author wrote, or that every report holds, tells nothing of the data.
    prose = [review.study.title, *review.study.context, *review.study.context.values()]
    allowed = "\n".join([*own, *map(clean, prose), _boilerplate()]).casefold()
    for found in review.distributions.values():
        kept = _kept(review, found.variable, profile)
        for label, count in zip(found.labels, found.original, strict=True):
            if label is None or not _small(count, profile) or not _distinctive(label):
                continue
            shown = clean(label)
            if shown in kept or _has(allowed, shown.casefold()):
                continue
            if _has(words, shown):
                variable = clean(found.variable)[:40]
                yield f"a level of too few original records is in the {name} ({variable!r})"


def _readable(text: str, name: str) -> str:
    """Return the document with its escapes undone, markup and attributes included."""
    if name == "JSON":
        return "\n".join(_strings(json.loads(text)))
    return unescape(text) if name in ("HTML", "PDF") else text.replace('""', '"')


def _strings(thing: Any) -> Iterator[str]:
    if isinstance(thing, str):
        yield thing
    elif isinstance(thing, dict):
        for key, value in thing.items():
            yield str(key)
            yield from _strings(value)
    elif isinstance(thing, list):
        for value in thing:
            yield from _strings(value)


def _own_words(review: Review, profile: Profile) -> set[str]:
    """Return the names that may be shown: variables, replicas, levels with enough records."""
    study = review.study
    words = {clean(name) for name in (*review.variables, *review.replicas)}
    for found in review.distributions.values():
        words.add(clean(found.variable))
        words |= _kept(review, found.variable, profile)
    for scenario in study.scenarios:
        words |= {clean(scenario.name), clean(scenario.description)}
    words |= {profile.title, profile.owner, profile.name}
    for threshold in profile.thresholds.values():
        words |= {threshold.source, threshold.owner, threshold.kind}
    return {word for word in words if word}


def _distinctive(label: str) -> bool:
    letters = any(character.isalpha() for character in label)
    return len(label) >= _SHORT and (letters or sum(c.isdigit() for c in label) >= _DIGITS)


def _has(text: str, label: str) -> bool:
    """Whether the text holds the label as words of its own."""
    if label not in text:
        return False
    return re.search(rf"(?<!\w){re.escape(label)}(?!\w)", text) is not None


def _boilerplate() -> str:
    """Return every word that this package itself may write."""
    from sdcmetrics.rbridge.defects import KNOWN  # only a release needs it

    files = [*TEMPLATES.iterdir(), *Path(__file__).parents[1].rglob("*.py")]
    files += (Path(__file__).parents[2] / "ranking").glob("*.py")  # sentences of the report
    words = [file.read_text(encoding="utf-8") for file in sorted(files) if file.is_file()]
    words += KNOWN.values()
    for metric in MEASURES.values():
        words += [metric.symbol, metric.title, metric.meaning, metric.formula]
        words += [metric.limits, metric.source, metric.twin.differs if metric.twin else ""]
    return "\n".join(words)
