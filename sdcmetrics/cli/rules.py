"""What the command line prints of rules: shares and counts, and what was found if asked for."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from sdcmetrics.cli.output import list_fixes, write_csv
from sdcmetrics.cli.terminal import number_text, one_line, print_lines, print_table
from sdcmetrics.errors import FileError
from sdcmetrics.measures.rules.check_rules import RuleCheck
from sdcmetrics.measures.rules.find_rules import FoundRules

__all__ = ["show_rules", "write_rules"]

_CHECKED = ["original %", "broken %", "broken", "open", "severity"]
_FOUND = ["broken %", "broken", "expected"]


def show_rules(check: RuleCheck | None, found: FoundRules | None, csv: Path | None) -> None:
    """Print what data sets make of rules, and relations that were found; write CSV if asked."""
    if check is not None:
        write_csv(check.table, csv)
        _show_check(check)
    if found is not None:
        if check is None:
            write_csv(found.table, csv)
        _show_found(found)
    fixes = [*(check.fixes if check else ()), *(found.fixes if found else ())]
    list_fixes(list(dict.fromkeys(fixes)))


def _show_check(check: RuleCheck) -> None:
    table = check.table
    rows = [
        [
            one_line(str(rule)),
            number_text(row["original_broken_percent"]),
            number_text(row["broken_percent"]),
            number_text(row["broken"]),
            number_text(row["unknown"]),
            number_text(row["severity"]),
        ]
        for rule, row in table.iterrows()
    ]
    print_table(["rule"], _CHECKED, rows)
    print_lines(
        "percent of records that break the rule; open: a missing value leaves it open; severity: "
        "share that breaks it over the original's share that keeps it"
    )
    for outcome in check.outcomes:
        if not outcome.original.applies:
            print_lines(f"note: no original record meets the condition of: {outcome.rule.text}")
        if outcome.original.broken:
            print_lines(
                f"note: {outcome.original.broken:,} original records break it themselves: "
                f"{outcome.rule.text}"
            )


def _show_found(found: FoundRules) -> None:
    if not found.found:
        print_lines(
            f"of {found.tested:,} relations that were looked at, none that the original keeps is "
            "broken"
        )
        return
    print_lines(
        "relations that every original record keeps and the replica breaks (internal: they name "
        "levels of the original)"
    )
    rows = [
        [
            one_line(str(rule)),
            number_text(row["broken_percent"]),
            number_text(row["broken"]),
            number_text(row["expected"]),
        ]
        for rule, row in found.table.iterrows()
    ]
    print_table(["relation"], _FOUND, rows)
    more = f"; {found.left_out:,} more beyond --limit" if found.left_out else ""
    print_lines(
        f"expected: original records that would break it if its columns were unrelated{more}"
    )


def write_rules(check: RuleCheck | None, found: FoundRules | None, path: Path | None) -> None:
    """Write everything as JSON, for internal use, if asked.

    Raises
    ------
    FileError
        If the file cannot be written.
    """
    if path is None:
        return
    entries: dict[str, Any] = {"classification": "internal"}
    if check is not None:
        entries["rules"] = _records(check.table)
        entries["per_data_set"] = _records(check.per_data_set)
    if found is not None:
        entries["relations"] = _records(found.table)
        entries["tested"] = found.tested
    try:
        path.write_text(json.dumps(entries, indent=1, allow_nan=False) + "\n", encoding="utf-8")
    except OSError as error:
        msg = f"--json {path}: the file cannot be written ({error.strerror})."
        raise FileError(msg) from None


def _records(table: Any) -> list[dict[str, Any]]:
    return [
        {
            str(name): None if isinstance(value, float) and math.isnan(value) else value
            for name, value in row.items()
        }
        for row in table.reset_index().to_dict("records")
    ]
