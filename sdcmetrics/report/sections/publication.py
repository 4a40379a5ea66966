"""Findings on files that are to go out."""

from __future__ import annotations

from sdcmetrics.decision.sentences import CONTRADICTED
from sdcmetrics.decision.statement import Statement
from sdcmetrics.measures.publication.check import PublicationCheck
from sdcmetrics.measures.publication.declared import FINDINGS
from sdcmetrics.report.block import Block, Maker
from sdcmetrics.report.safety.cells import (
    Content,
    SafeTable,
    as_name,
    column,
    figure_cell,
    number,
    table,
)
from sdcmetrics.report.sections.answers import said_of
from sdcmetrics.report.source import Source


def _block(source: Source) -> Block | None:
    evidence = source.inside.evidence.of(FINDINGS)
    checks: dict[str, PublicationCheck] = {name: check for (name, _), check in evidence.items()}
    if not checks:
        return None
    rows: list[tuple[Content, ...]] = [
        (
            source.named(replica),
            finding.subject + (" (minor)" if finding.minor else ""),
            source.named(finding.column) if finding.column else None,
            finding.text,
            finding.remedy,
        )
        for replica, check in checks.items()
        for finding in check.findings
    ]
    rows += [
        (
            source.named(replica),
            "documentation",
            None,
            as_name(said_of(source, Statement(None, CONTRADICTED, state.words))),
            "Correct what users are told of differential privacy, and ask the maker.",
        )
        for replica, state in source.states.items()
        if replica in checks and state.epsilon == "contradicted"
    ]
    columns = (
        column("Replica", "replica"),
        column("Subject", "subject"),
        column("Column", "column"),
        column("What is so", "finding"),
        column("What to do", "remedy"),
    )
    note = "" if rows else "Nothing was found."
    tables = {"publication": table("Before these files go out", columns, rows, note)}
    tables["publication_structure"] = _structure(source, checks)
    return Block("Before a file goes out: label, structure, documentation", tables)


def _structure(source: Source, checks: dict[str, PublicationCheck]) -> SafeTable:
    names = ("inside", "missing_original", "missing_synthetic", "distinct_synthetic")
    rows = [
        (source.named(replica), source.named(str(name)), *(figure_cell(row[n]) for n in names))
        for replica, check in checks.items()
        for name, row in check.variables.iterrows()
    ]
    columns = (
        column("Replica", "replica"),
        column("Variable", "variable"),
        number("In range", "inside", "percent"),
        number("Missing", "missing_original", "original, percent"),
        number("Missing", "missing_synthetic", "replica, percent"),
        number("There once only", "distinct_synthetic", "replica, percent"),
    )
    return table("Structure of each variable", columns, rows)


MAKER = Maker(_block)
