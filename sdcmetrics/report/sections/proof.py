"""Proof against synthpop: what a cross-check found. In checker mode only that it was made."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from sdcmetrics.agreement.crosscheck import CrossCheck
from sdcmetrics.agreement.verdict import DIFFERS, EQUAL
from sdcmetrics.errors import RError
from sdcmetrics.report.grid import figures, listing, texts
from sdcmetrics.report.safety import numbers
from sdcmetrics.report.safety.cells import (
    Name,
    SafeCell,
    SafeTable,
    Sentence,
    Words,
    as_name,
    blank,
    column,
    joined,
    number,
    number_cell,
    sentence,
    table,
)
from sdcmetrics.report.safety.names import clean
from sdcmetrics.report.source import Source

_MOST = 100
_APOSTROPHE = "\N{RIGHT SINGLE QUOTATION MARK}"
_DOCUMENTED = "differs as documented"
_NOT_COMPARED = "not compared"
_HELD_BACK = "What the cross-check against R found"
_OUTSIDE = (
    "The values of this review were compared with those of synthpop. What was found is in the "
    "internal edition: it depends on exact records, down to which values R could not compute."
)
_PACKAGES = (("r", "R"), ("synthpop", "synthpop"), ("rpy2", "rpy2"), ("sdcmetrics", "sdcmetrics"))


@dataclass(frozen=True, slots=True)
class Proof:
    """The findings of the cross-check, or why there is none.

    Attributes
    ----------
    outcome : tuple of Sentence
    versions, verdicts : SafeTable
    unexplained, documented, reasons : SafeTable
        These and `verdicts` have no rows in checker mode.
    """

    outcome: tuple[Sentence, ...]
    versions: SafeTable
    verdicts: SafeTable
    unexplained: SafeTable
    documented: SafeTable
    reasons: SafeTable


def proof(source: Source) -> Proof | None:
    """Return the section on the cross-check; None where none was asked for."""
    agreement = source.crosscheck
    if agreement is None:
        return None
    if isinstance(agreement, RError):
        return _failed(source, agreement)
    if source.release:
        source.guard.suppress(_HELD_BACK)
        empty = table("Not told", ())
        outside = (sentence(_OUTSIDE),)
        return Proof(outside, _versions(agreement.versions), empty, empty, empty, empty)
    rows = agreement.table.to_dict("records")
    differing = [row for row in rows if _kind(row["verdict"]) in (DIFFERS, _DOCUMENTED)]
    return Proof(
        outcome=_outcome(agreement),
        versions=_versions(agreement.versions),
        verdicts=_verdicts(agreement),
        unexplained=_places(
            source,
            "Differences that no documented defect explains",
            [row for row in differing if _kind(row["verdict"]) == DIFFERS],
        ),
        documented=_places(
            source,
            "Differences that a documented defect of synthpop explains",
            [row for row in differing if _kind(row["verdict"]) == _DOCUMENTED],
        ),
        reasons=_reasons(rows),
    )


def proof_table(source: Source) -> SafeTable | None:
    """Return every row of the cross-check, for a file; None in checker mode or without one."""
    if source.release or not isinstance(source.crosscheck, CrossCheck):
        return None
    return _listing(source, "Cross-check", source.crosscheck.table.to_dict("records"))


def _failed(source: Source, error: RError) -> Proof:
    if source.release:
        source.guard.suppress(_HELD_BACK)
        why = "R, synthpop or the bridge to them is not there, or stopped."
    else:
        why = clean(error.reason).strip().rstrip(".") + "."
    empty = table("Not made", ())
    outcome = (
        sentence("The cross-check was asked for but could not be made: ", why),
        sentence(
            "No number in this review was compared with synthpop\N{RIGHT SINGLE QUOTATION MARK}s. "
            "Everything else in this report is complete, since it does not need R."
        ),
    )
    return Proof(outcome, empty, empty, empty, empty, empty)


def _kind(verdict: str) -> str:
    return verdict.partition(": ")[0].strip(":")


def _defect(verdict: str) -> str:
    """Return the number of the defect that a verdict names, if it is a known one."""
    defect = verdict.partition(": ")[2].partition(":")[0]
    return defect if defect and all(part in _defects() for part in defect.split(", ")) else ""


def _defects() -> Mapping[str, str]:
    # Only who cross-checks pays for the bridge.
    from sdcmetrics.rbridge.defects import DEFECTS

    return DEFECTS


def _counted(check: CrossCheck) -> Counter[str]:
    return Counter(_kind(verdict) for verdict in check.table["verdict"])


def _outcome(check: CrossCheck) -> tuple[Sentence, ...]:
    counts = _counted(check)
    compared = counts[EQUAL] + counts[_DOCUMENTED] + counts[DIFFERS]
    words = (
        f"{numbers.plural(compared, 'value')} compared: {counts[EQUAL]:,} equal, "
        f"{counts[_DOCUMENTED]:,} different by a documented defect of synthpop, "
        f"{counts[DIFFERS]:,} different without an explanation. "
        f"{numbers.plural(counts[_NOT_COMPARED], 'value')} could not be compared."
    )
    sentences = [sentence(words)]
    largest = check.largest_difference()
    if not math.isnan(largest):
        shown = "0" if largest == 0 else f"{largest:.1e}"
        sentences.append(
            sentence(f"Largest relative difference of values that count as equal: {shown}.")
        )
    if check.ok:
        last = "Every value is equal or its difference is explained."
    elif counts[DIFFERS]:
        last = "NOT every difference is explained: do not rely on these measures before it is."
    elif not counts[EQUAL]:
        last = "NO value was found equal, so nothing is proven."
    else:
        last = "NOT everything could be compared: R did not answer for a part of it."
    note = (sentence(clean(check.note)),) if check.note else ()
    return (*sentences, *note, sentence(last))


def _versions(versions: Mapping[str, str]) -> SafeTable:
    versions_of = (
        (shown, clean(str(versions[name]))) for name, shown in _PACKAGES if versions.get(name)
    )
    return table(
        "Compared with", (column("Package", "package"), column("Version", "version")), versions_of
    )


def _verdicts(check: CrossCheck) -> SafeTable:
    counts: Counter[tuple[str, str]] = Counter()
    for verdict in check.table["verdict"]:
        kind = _kind(verdict)
        counts[kind, _defect(verdict) if kind == _DOCUMENTED else ""] += 1
    order = {EQUAL: 0, _DOCUMENTED: 1, _NOT_COMPARED: 2, DIFFERS: 3}
    counts.setdefault((DIFFERS, ""), 0)
    rows = []
    for (kind, defect), times in sorted(
        counts.items(), key=lambda item: (order.get(item[0][0], 4), -item[1], item[0][1])
    ):
        meaning = "; ".join(_defects()[part] for part in defect.split(", ")) if defect else ""
        verdict = f"{kind}: {defect}" if defect else kind
        rows.append((verdict, times, meaning or _MEANING.get(kind, "")))
    columns = (
        column("Verdict", "verdict"),
        number("Values", "values"),
        column("What it means", "meaning"),
    )
    return table("Values by verdict", columns, rows)


_MEANING = {
    EQUAL: "equal but for rounding",
    _DOCUMENTED: "for a documented reason without a number",
    _NOT_COMPARED: "synthpop has no answer, or was not asked",
    DIFFERS: "different, and no documented defect explains it",
}


def _listing(
    source: Source, caption: str, rows: Iterable[dict[Any, Any]], note: str = ""
) -> SafeTable:
    """Return a table of comparisons, one per row."""
    heads = {"native": "Here", "synthpop": "synthpop", "aligned": "matched by label"}
    columns = [
        *texts(lambda name: source.named(_text(name)), replica="Replica"),
        *texts(_text, metric="Measure", function=f"synthpop{_APOSTROPHE}s function"),
        *texts(partial(_place, source), place="Of what"),
        *figures(_number, **heads, relative="Relative difference"),
        *texts(_text, verdict="Verdict"),
    ]
    return listing(caption, columns, ({**row, "place": row} for row in rows), note)


def _place(source: Source, row: Mapping[Any, Any]) -> Name:
    """Return the table, the keys and target, or the model that a value is of."""
    names, keys = _names(source, row["variables"]), _names(source, row["keys"])
    parts: list[Words] = [joined(names, " \N{MULTIPLICATION SIGN} ")] if names else []
    parts += [
        (source.name(_text(row[name])),) for name in ("scenario", "model") if _text(row[name])
    ]
    if keys:
        target = source.name(_text(row["target"]))
        parts.append((*joined(keys), " \N{RIGHTWARDS ARROW} ", target))
    return as_name(tuple(p for i, part in enumerate(parts) for p in ((": ",) * bool(i) + part)))


def _names(source: Source, value: Any) -> list[Name]:
    return [source.name(str(name)) for name in value] if isinstance(value, tuple | list) else []


def _text(value: Any) -> str:
    return clean(value) if isinstance(value, str) else ""


def _number(value: Any) -> SafeCell:
    if value is None:
        return blank()
    tiny = 0 < abs(value) < 1e-4  # noqa: PLR2004  (commas and zeros would not be read)
    return number_cell(value, f"{value:.1e}" if tiny else numbers.with_commas(value, 4))


def _places(source: Source, caption: str, rows: list[dict[Any, Any]]) -> SafeTable:
    more = len(rows) - _MOST
    note = f"And {more:,} more; the file crosscheck.csv has all." if more > 0 else ""
    return _listing(source, f"{caption} ({len(rows):,})", rows[:_MOST], note)


def _reasons(rows: list[dict[Any, Any]]) -> SafeTable:
    reasons = Counter(
        clean(row["verdict"].partition(": ")[2])
        for row in rows
        if _kind(row["verdict"]) == _NOT_COMPARED
    )
    counted = ((why or "not stated", times) for why, times in reasons.most_common())
    columns = (column("Reason", "reason"), number("Values", "values"))
    return table("Why values could not be compared", columns, counted)
