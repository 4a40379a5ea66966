"""The last check of a release, on rules: no small share, no rare level, nothing that was found."""

from __future__ import annotations

from collections.abc import Iterator

from sdcmetrics.report.safety.names import clean
from sdcmetrics.report.safety.safe import SafeReport
from sdcmetrics.review.review import Review
from sdcmetrics.study.profile import Profile

__all__ = ["rule_problems", "rules_in_text"]


def rule_problems(review: Review, profile: Profile, report: SafeReport) -> Iterator[str]:
    """Look for what was found automatically, and for shares that give small counts back."""
    if report.relations.tables or "relations" in report.exports:
        yield "relations that were found automatically are shown"
    secret = {
        (clean(text), clean(replica))
        for (replica, text), found in review.rules.items()
        for counts in [found.original]
        if any(_small(c, profile) for c in (counts.kept, counts.broken, counts.n - counts.kept))
    }
    table = report.exports["rules"]
    places = [column.field for column in table.columns]
    for row in table.rows:
        cells = dict(zip(places, row, strict=True))
        rule, replica = (cells[name].full or cells[name].text for name in ("rule", "replica"))
        if (rule, replica) in secret and cells["rule_kept"].number is not None:
            yield "a share of a rule of too few original records is shown"
        if cells["rule_severity"].number is not None:
            yield "the severity of a rule is shown"
    for block in report.rules.blocks:
        few = block.text in {rule for rule, _ in secret}
        for row in block.table.rows:
            of_records = row[0].kind == "text" and row[0].text in ("original", "holdout")
            if of_records and any(cell.number is not None for cell in row[1 if few else 2 :]):
                yield "what confidential records make of a rule is shown in full"


def rules_in_text(review: Review, profile: Profile, name: str, words: str) -> Iterator[str]:
    """Look for the text of a rule that names a level or value of too few original records."""
    for (_, text), found in review.rules.items():
        rare = any(_small(count, profile) for count in found.level_counts)
        if rare and clean(text) in words:
            yield f"a rule that names a level of too few original records is in the {name}"


def _small(count: float, profile: Profile) -> bool:
    return count < profile.min_cell and (count > 0 or profile.zeros_disclosive)
