"""Replicas beside the holdout: whether they know the population, or the people in the original."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from sdcmetrics.measures.closeness.places import CLOSEST
from sdcmetrics.measures.closeness.shares import dcr_share
from sdcmetrics.measures.fidelity.places import MARGINS
from sdcmetrics.report.figures.charts import Bars, HoldoutMap, Series
from sdcmetrics.report.figures.charts import Mark as Point
from sdcmetrics.report.safety import numbers
from sdcmetrics.report.safety.cells import Mark, SafeTable, Sentence, in_sentence, joined, sentence
from sdcmetrics.report.safety.protect.protected import ProtectedHoldout
from sdcmetrics.report.sections import holdout_tables
from sdcmetrics.report.sections.data import records_in_words
from sdcmetrics.report.sections.holdout_tables import INTERVAL, coarse, share_in_percent
from sdcmetrics.report.sections.people import people_sentences
from sdcmetrics.report.source import Source
from sdcmetrics.review.holdout_evidence import HoldoutEvidence

_QUIET = (
    "Nothing that this edition shows says that a replica is closer to the original than the "
    "holdout is. It shows bands and rounded counts; the internal edition tests single records too."
)
_UNUSED = (
    " Another test does, of single columns and of how close people are to each other, so that the "
    "holdout was not used to tell whose records are in "
)
_FIDELITY = "Mean distance of tables from those of the original"
_CLOSENESS = "Distance to the closest record of the original and of the holdout"
_MOST_CELLS = 8
_NOTHING = SafeTable(("",), (), ())


@dataclass(frozen=True, slots=True)
class HoldoutSection:
    """The findings beside the holdout; `none` says why there are none.

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
    map: HoldoutMap | None = None
    worst: SafeTable = _NOTHING
    drawings: tuple[Bars, ...] = ()

    @property
    def exports(self) -> dict[str, SafeTable]:
        """The tables by the name of their file."""
        tables = {
            "fresh_fidelity": self.fidelity,
            "fresh_closeness": self.closeness,
            "fresh_copies": self.copies,
            "fresh_worst_tables": self.worst,
        }
        return {name: table for name, table in tables.items() if table.columns}


def holdout_section(source: Source) -> HoldoutSection:
    """Return the section on the holdout."""
    if source.review.fresh is None:
        why = (
            "Records were not compared with those of the holdout: the study draws no sample of "
            "them, and all are too many."
            if any(data.role == "holdout" for data in source.review.inputs)
            else "There is no holdout. Name one in the study file: records of the same population "
            "that were split off at random before the synthesis."
        )
        return HoldoutSection(why)
    if isinstance(source.review.fresh, ProtectedHoldout):
        protected = source.review.fresh
        return HoldoutSection(
            check=tuple(_check(source)),
            findings=people_sentences(source),
            quiet=_QUIET,
            fidelity=holdout_tables.bands(source, MARGINS, _FIDELITY),
            closeness=holdout_tables.bands(source, CLOSEST, _CLOSENESS, drawn=protected.drawn),
            copies=holdout_tables.protected_copies(source, protected),
        )
    evidence = source.review.fresh
    return HoldoutSection(
        check=tuple(_check(source)),
        findings=tuple(_findings(source, evidence)),
        quiet=_quiet(evidence),
        fidelity=holdout_tables.fidelity_table(source, evidence),
        closeness=holdout_tables.closeness_table(source, evidence),
        copies=holdout_tables.copies_table(source, evidence),
        map=_map(source, evidence),
        worst=holdout_tables.worst_table(source, evidence),
        drawings=tuple(_drawings(source, evidence)),
    )


def holdout_findings(source: Source) -> tuple[Sentence, ...]:
    """Return what speaks against the holdout or a replica, in words; nothing without a holdout."""
    evidence = source.review.fresh
    if evidence is None:
        return ()
    against = [item for item in _check(source) if item.status is not None]
    if isinstance(evidence, ProtectedHoldout):
        return (*against, *people_sentences(source))
    return (*against, *_findings(source, evidence))


def _check(source: Source) -> Iterator[Sentence]:
    check = source.holdout_verdict
    if check is None:
        return
    if not (check.overlaps or check.separated or check.other_population):
        holdout, n = (
            records_in_words(source, data.n)
            for role in ("holdout", "original")
            for data in source.review.inputs
            if data.role == role
        )
        unused = [r for r, state in source.states.items() if state.people.holdout == "differs"]
        yield sentence(
            f"The holdout has {holdout}, the original {n}. Neither the records in common nor the "
            "distribution of any variable or pair of variables speaks against a random split of "
            "one data set.",
            *((_UNUSED, *joined(map(source.name, unused), last=" and "), ".") if unused else ()),
        )
        return
    if check.overlaps:
        common = source.guard.records(check.common)
        yield sentence(
            f"The holdout overlaps the original: {in_sentence(common)} of its records equal one of "
            "the original, more than a random split shows. What follows makes memorising look like "
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


def _findings(source: Source, evidence: HoldoutEvidence) -> Iterator[Sentence]:
    yield from people_sentences(source)
    for replica, fidelity in evidence.fidelity.items():
        tvd, se, expected = (
            fidelity.figure(evidence.ways, column) for column in ("tvd", "se", "fresh_tvd")
        )
        if tvd + INTERVAL * se < expected:
            yield sentence(
                source.name(replica),
                f": its {_tables(evidence)} are closer to the original than a holdout of as many "
                "records would be.",
                status=Mark.NOTICE,
            )


def _quiet(evidence: HoldoutEvidence) -> str:
    unsure = ""
    if not all(closest.permutation.permutations for closest in evidence.closest.values()):
        unsure = " The labels were not permuted, so no share was tested."
    return (
        "No replica is closer to the original than the holdout is, as far as these measures see."
        f"{unsure}"
    )


def _map(source: Source, evidence: HoldoutEvidence) -> HoldoutMap | None:
    """Return the map of fidelity and closeness; None where the holdout is at no distance."""
    held = evidence.fidelity[evidence.widest].figure(evidence.ways, "holdout_tvd")
    if not held > 0:
        return None
    points = [
        Point(
            f"{100 * p.share:g} %",
            "perturbed",
            coarse(p.fidelity / held),
            share_in_percent(p.closer),
        )
        for p in evidence.perturbed
    ]
    for replica, fidelity in evidence.fidelity.items():
        shares = [c.share for (r, _), c in evidence.closest.items() if r == replica]
        ratio = coarse(fidelity.figure(evidence.ways, "ratio"))
        mean = share_in_percent(sum(shares) / len(shares))
        if ratio > 0:
            points.append(Point(source.name(replica).text, "replica", ratio, mean))
    own = dcr_share(evidence.closest[evidence.widest, 1].baseline)
    points.append(Point("Holdout", "holdout", 1.0, share_in_percent(own)))
    words = "; ".join(f"{m.name} {m.x:g}, {m.y:.1f} %" for m in points)
    return HoldoutMap(
        title="Fidelity and closeness",
        description="Distance of tables as a multiple of the holdout's, and share of records "
        f"closer to the original than to the holdout: {words}.",
        x_title=f"Distance of {_tables(evidence)}, as a multiple of the holdout's",
        y_title="Records closer to the original than to the holdout",
        points=tuple(mark for mark in points if mark.x > 0),
        chance=_by_chance(evidence),
    )


def _tables(evidence: HoldoutEvidence) -> str:
    return f"tables of {numbers.plural(evidence.ways, 'variable')}"


def _by_chance(evidence: HoldoutEvidence) -> float:
    """Return the share that permuted labels give, mean over the replicas, in percent."""
    means = [closest.permutation.mean for closest in evidence.closest.values()]
    if any(map(math.isnan, means)):
        n, _, holdout = next(iter(evidence.closest.values())).sizes
        means = [n / (n + holdout)]
    return round(100 * sum(means) / len(means), 1)


def _drawings(source: Source, evidence: HoldoutEvidence) -> Iterator[Bars]:
    """Yield, for the worst tables of every replica, the cells that differ most."""
    for replica, tables in evidence.worst.items():
        for table in tables:
            cells = table.cells.head(_MOST_CELLS)
            names = " by ".join(source.name(name).text for name in table.variables)
            title = f"{source.name(replica).text}: {names}"
            levels = tuple(
                ", ".join("missing" if x is None else source.name(x).text for x in labels)
                for labels in cells["labels"]
            )
            series = tuple(
                Series(name, tuple(100 * cells[of]), tuple(_texts(cells[of])))
                for name, of in (
                    ("original", "training"),
                    ("holdout", "holdout"),
                    (source.name(replica).text, "synthetic"),
                )
            )
            words = "; ".join(
                f"{level}: original {series[0].texts[i]}, holdout {series[1].texts[i]}, replica "
                f"{series[2].texts[i]}"
                for i, level in enumerate(levels)
            )
            yield Bars(
                title, f"Share of records in the cells that differ most. {words}.", levels, series
            )


def _texts(shares: object) -> Iterator[str]:
    for share in shares:  # type: ignore[attr-defined]
        yield numbers.percent_text(100 * float(share))
