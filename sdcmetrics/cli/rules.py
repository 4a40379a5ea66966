"""What the command line prints of rules: shares and counts, and what was found if asked for."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pandas as pd

from sdcmetrics.cli.saving import save_csv, save_json
from sdcmetrics.cli.terminal import print_fixes, print_frame, print_lines
from sdcmetrics.measures.rules.check_rules import RuleCheck
from sdcmetrics.measures.rules.find_rules import FoundRules

_FOUND = {"broken_percent": "broken %", "broken": "broken", "expected": "expected"}
_CHECKED = {
    "original_broken_percent": "original %",
    "broken_percent": "broken %",
    "broken": "broken",
    "unknown": "open",
    "severity": "severity",
}


def show_rules(check: RuleCheck | None, rules: FoundRules | None) -> None:
    """Print the counts of rules in each data set, and the relations that were found."""
    if check is not None:
        _show_check(check)
    if rules is not None:
        _show_found(rules)
    print_fixes([*(check.fixes if check else ()), *(rules.fixes if rules else ())])


def _show_check(check: RuleCheck) -> None:
    print_frame(check.table, _CHECKED, "rule", short=False)
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


def _show_found(rules: FoundRules) -> None:
    if not rules.rules:
        print_lines(
            f"{rules.tested:,} relations were tested: none that the original keeps is broken"
        )
        return
    print_lines(
        "relations that every original record keeps and the replica breaks (internal: they name "
        "levels of the original)"
    )
    print_frame(rules.table, _FOUND, "relation", short=False)
    more = f"; {rules.left_out:,} more beyond --limit" if rules.left_out else ""
    print_lines(
        f"expected: original records that would break it if its columns were unrelated{more}"
    )


def save_rules(
    check: RuleCheck | None, rules: FoundRules | None, csv: Path | None, json: Path | None
) -> None:
    """Save the table of the rules, or else of what was found, and all figures, if asked."""
    entries: dict[str, Any] = {"classification": "internal"}
    if rules is not None:
        none = pd.DataFrame(columns=[*_FOUND], index=pd.Index([], name="rule"))
        save_csv(rules.table if rules.rules else none, csv if check is None else None)
        entries |= {"relations": _records(rules.table), "tested": rules.tested}
    if check is not None:
        save_csv(check.table, csv)
        entries |= {"rules": _records(check.table), "per_data_set": _records(check.per_data_set)}
    save_json(entries, json)


def _records(table: Any) -> list[dict[str, Any]]:
    return [
        {
            str(name): None if isinstance(value, float) and math.isnan(value) else value
            for name, value in row.items()
        }
        for row in table.reset_index().to_dict("records")
    ]
