"""Replicas beside fresh data: whether they know the population, or the people in the original."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sdcmetrics.report.figures.charts import Bars, FreshMap
from sdcmetrics.report.safety.cells import Mark, SafeTable, Sentence, joined, said, sentence
from sdcmetrics.report.safety.protect.protected import HoldoutSaid, ProtectedFresh
from sdcmetrics.report.safety.protect.protection import said_of_holdout
from sdcmetrics.report.sections import fresh_release
from sdcmetrics.report.sections.copies import people_sentences
from sdcmetrics.report.sections.fresh_cells import INTERVAL
from sdcmetrics.report.sections.fresh_figures import drawings, fresh_map
from sdcmetrics.report.sections.fresh_tables import (
    closeness_table,
    copies_table,
    fidelity_table,
    worst_table,
)
from sdcmetrics.report.source import Source
from sdcmetrics.review.fresh_data import FreshData

_NOTHING = SafeTable(("",), (), ())


@dataclass(frozen=True, slots=True)
class FreshSection:
    """What the holdout shows; `none` says why there is nothing.

    `quiet` is what is said where there are no findings; `drawings` are of single tables and empty
    in checker mode.
    """

    none: str = ""
    check: tuple[Sentence, ...] = ()
    findings: tuple[Sentence, ...] = ()
    quiet: str = ""
    fidelity: SafeTable = _NOTHING
    closeness: SafeTable = _NOTHING
    copies: SafeTable = _NOTHING
    map: FreshMap | None = None
    worst: SafeTable = _NOTHING
    drawings: tuple[Bars, ...] = ()

    @property
    def exports(self) -> dict[str, SafeTable]:
        """The tables by the name of their file."""
        found = {
            "fresh_fidelity": self.fidelity,
            "fresh_closeness": self.closeness,
            "fresh_copies": self.copies,
            "fresh_worst_tables": self.worst,
        }
        return {name: table for name, table in found.items() if table.columns}


def fresh_section(source: Source) -> FreshSection:
    """Return the section on fresh data."""
    if source.review.fresh is None:
        why = (
            "Records were not compared with those of the holdout: the study draws no sample of "
            "them, and all are too many."
            if any(data.role == "holdout" for data in source.review.inputs)
            else "There is no holdout. Name one in the study file: records of the same population "
            "that were split off at random before the synthesis."
        )
        return FreshSection(why)
    if isinstance(source.review.fresh, ProtectedFresh):
        told = source.review.fresh
        return FreshSection(
            check=tuple(_check(source, told.check)),
            findings=people_sentences(source),
            quiet=fresh_release.QUIET,
            fidelity=fresh_release.fidelity_table(source),
            closeness=fresh_release.closeness_table(source),
            copies=fresh_release.copies_table(source, told),
        )
    fresh = source.review.fresh
    return FreshSection(
        check=tuple(_check(source, said_of_holdout(fresh.check))),
        findings=tuple(_findings(source, fresh)),
        quiet=_quiet(fresh),
        fidelity=fidelity_table(source, fresh),
        closeness=closeness_table(source, fresh),
        copies=copies_table(source, fresh),
        map=fresh_map(source, fresh),
        worst=worst_table(source, fresh),
        drawings=tuple(drawings(source, fresh)),
    )


def fresh_findings(source: Source) -> tuple[Sentence, ...]:
    """Return what speaks against the holdout or a replica, in words; nothing without a holdout."""
    fresh = source.review.fresh
    if fresh is None:
        return ()
    check = fresh.check if isinstance(fresh, ProtectedFresh) else said_of_holdout(fresh.check)
    against = [item for item in _check(source, check) if item.status is not None]
    if isinstance(fresh, ProtectedFresh):
        return (*against, *people_sentences(source))
    return (*against, *_findings(source, fresh))


def _check(source: Source, check: HoldoutSaid) -> Iterator[Sentence]:
    if not (check.overlaps or check.separated or check.other_population):
        kept, n = (
            source.guard.records(data.n)
            for role in ("holdout", "original")
            for data in source.review.inputs
            if data.role == role
        )
        about = "about " if source.release else ""
        yield sentence(
            f"The holdout has {about}{kept.text} records, the original {about}{n.text}. "
            "Nothing speaks against a random split of one data set: neither the records in "
            "common, nor the distribution of any variable or pair of variables."
        )
        return
    if check.overlaps:
        common = source.guard.records(check.common)
        yield sentence(
            f"The holdout overlaps the original: {said(common)} of its records equal one of the "
            "original, more than a random split shows. What follows makes memorising look like "
            "learning.",
            status=Mark.NOTICE,
        )
    if check.separated:
        yield sentence(
            "Records that occur more than once were kept together, or removed from one side, so "
            "that matches with the holdout are too few.",
            status=Mark.NOTICE,
        )
    if check.other_population:
        names = joined((source.name(name) for name in check.differs), last=" and ")
        yield sentence(
            "The holdout is not a random part of the same population: it differs from the original "
            "in the distribution of ",
            *names,
            ". What follows makes every replica look too close to the original.",
            status=Mark.NOTICE,
        )


def _findings(source: Source, fresh: FreshData) -> Iterator[Sentence]:
    yield from people_sentences(source)
    for replica, fidelity in fresh.fidelity.items():
        tvd, se, expected = (
            fidelity.figure(fresh.ways, column) for column in ("tvd", "se", "fresh_tvd")
        )
        if tvd + INTERVAL * se < expected:
            yield sentence(
                source.name(replica),
                f": its tables of {fresh.ways} variables are closer to the original than fresh "
                "data of as many records would be.",
                status=Mark.NOTICE,
            )


def _quiet(fresh: FreshData) -> str:
    unsure = ""
    if not all(found.permutation.permutations for found in fresh.closest.values()):
        unsure = " The labels were not permuted, so no share was tested."
    return (
        "No replica is closer to the original than fresh data are, as far as these measures see."
        f"{unsure}"
    )
