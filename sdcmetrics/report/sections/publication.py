"""Findings on files that are to go out."""

from __future__ import annotations

from sdcmetrics.decision.risk_sentences import CONTRADICTED
from sdcmetrics.decision.statement import Statement
from sdcmetrics.measures.publication.check import PublicationCheck
from sdcmetrics.measures.publication.declared import FINDINGS
from sdcmetrics.report.block import Block, Maker
from sdcmetrics.report.grid import figures, listing, texts
from sdcmetrics.report.safety.cells import (
    Content,
    SafeTable,
    as_name,
    column,
    figure_cell,
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
            as_name((source.name(replica), f" {', '.join(map(str, finding.files))}".rstrip())),
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
    heads = {"replica": "Replica", "subject": "Subject", "column": "Column"}
    heads |= {"finding": "What is so", "remedy": "What to do"}
    note = "" if rows else "Nothing was found."
    tables = {
        "publication": table(
            "Before these files go out", (column(t, f) for f, t in heads.items()), rows, note
        )
    }
    tables["publication_structure"] = _structure(source, checks)
    return Block("Before a file goes out: label, structure, documentation", tables)


def _structure(source: Source, checks: dict[str, PublicationCheck]) -> SafeTable:
    shown = figures(
        figure_cell,
        inside=("In range", "percent"),
        missing_original=("Missing", "original, percent"),
        missing_synthetic=("Missing", "replica, percent"),
        distinct_synthetic=("There once only", "replica, percent"),
    )
    return listing(
        "Structure of each variable",
        [*texts(source.named, replica="Replica", variable="Variable"), *shown],
        (
            {"replica": replica, "variable": str(name), **row}
            for replica, check in checks.items()
            for name, row in check.variables.iterrows()
        ),
    )


MAKER = Maker(_block)
