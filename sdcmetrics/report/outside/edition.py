"""The content of an edition for outside, before it is a page or a file.

Nothing here can reach a review or an original: the arguments are `Public` and `NoisySums`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

from sdcmetrics import __version__
from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.release.answers import NoisySums
from sdcmetrics.release.estimates import (
    Estimate,
    estimates_of,
    holds_nearly_all,
    worst_of,
)
from sdcmetrics.release.public import Public
from sdcmetrics.release.questions import NEAREST, REPLICATED, Question
from sdcmetrics.report.outside import sections, words
from sdcmetrics.report.outside.parts import Cell, Figures, Section, Table
from sdcmetrics.report.safety.names import clean

Mode = Literal["release", "coarse"]


@dataclass(frozen=True)
class Edition:
    """An edition for outside.

    Attributes
    ----------
    mode : "release" or "coarse"
    title, date, profile : str
    lead : what this edition is, in a few sentences
    board : one line per replica, for the first page
    sections : the rest, in order
    estimates : all figures; none in a coarse edition
    mu, budget : what the figures cost, and may cost in all; 0 in a coarse edition
    program : version that wrote it
    """

    mode: Mode
    title: str
    date: str
    profile: str
    lead: tuple[str, ...]
    board: Table
    sections: tuple[Section, ...]
    estimates: tuple[Estimate, ...] = ()
    mu: float = 0.0
    budget: float = 0.0
    program: str = field(default=__version__)


def release_edition(public: Public, sums: NoisySums) -> Edition:
    """Return the edition with noisy sums, which may be handed out."""
    estimates = estimates_of(sums, public.profile)
    own = Figures(estimates)
    risks = [s for s in public.measures if MEASURES[s].of.per == "target"]
    parts = [
        _decision(public),
        Section("replicas", "The replicas", tables=(sections.replicas(public),)),
        Section("sizes", "How many records", tables=(sections.sizes(own),)),
        *(sections.scenario_section(public, own, i, risks) for i in range(len(public.scenarios))),
        sections.copies(public, own, sums),
    ]
    if any(question.measure == REPLICATED for question in sums.answers):
        parts.append(sections.replicated(public, own))
    if "TVD" in public.measures:
        parts.append(sections.usefulness(public, own))
    parts += [
        Section(
            "promise",
            "What is promised, and to whom",
            words.promise(public, sums.mu, _noise(sums)),
            tables=(_price(sums),),
        ),
        Section("not-promised", "What is not promised", items=words.not_promised(public)),
        sections.glossary(risks, tables="TVD" in public.measures),
        _context(public),
    ]
    return Edition(
        mode="release",
        title=clean(public.title),
        date=public.date.isoformat(),
        profile=clean(public.profile.title),
        lead=words.lead(sums.mu),
        board=_board(public, own, estimates),
        sections=tuple(parts),
        estimates=estimates,
        mu=sums.mu,
        budget=public.budget,
    )


def coarse_edition(public: Public) -> Edition:
    """Return the edition without a figure of the original: the decision, as people signed it."""
    parts = (
        Section("replicas", "The replicas", tables=(sections.replicas(public),)),
        Section("not-promised", "What is not promised", items=words.not_promised_coarse()),
        _context(public),
    )
    return Edition(
        mode="coarse",
        title=clean(public.title),
        date=public.date.isoformat(),
        profile=clean(public.profile.title),
        lead=words.lead_coarse(),
        board=_signed(public),
        sections=parts,
    )


def _board(public: Public, own: Figures, estimates: tuple[Estimate, ...]) -> Table:
    rows = []
    for replica in public.replicas:
        alike = own.get(NEAREST, replica.name)
        nearly = alike is not None and holds_nearly_all(alike)
        rows.append(
            (
                Cell(clean(replica.name), "name"),
                Cell(_decided(public, replica.name)),
                Cell("", "figure", "", worst_of(estimates, replica.name)),
                own.cell(NEAREST, replica.name),
                Cell("yes" if nearly else "not shown", "figure"),
            )
        )
    return Table(
        "Per replica",
        (
            "Replica",
            "Decision that was signed",
            "Limits on figures below",
            "Original records that occur in it, alike in every column",
            "Is nearly the whole original in it?",
        ),
        tuple(rows),
        words.BOARD,
    )


def _signed(public: Public) -> Table:
    rows = tuple(
        (Cell(clean(replica.name), "name"), Cell(_decided(public, replica.name)))
        for replica in public.replicas
    )
    return Table("Per replica", ("Replica", "Decision"), rows, _signature(public))


def _decided(public: Public, replica: str) -> str:
    decided = {} if public.decision is None else public.decision.replicas
    return decided.get(replica, "none")


def _signature(public: Public) -> str:
    if public.decision is None:
        return ""
    decision = public.decision
    added = f" {clean(decision.words)}" if decision.words else ""
    return f"Signed by {clean(decision.signed)}, {decision.date.isoformat()}.{added}"


def _decision(public: Public) -> Section:
    if public.decision is None:
        return Section("decision", "Decision", (words.UNSIGNED,))
    return Section("decision", "Decision", (_signature(public), words.SIGNED))


def _noise(sums: NoisySums) -> float:
    """Return the largest standard deviation of a question of full weight."""
    return max(math.sqrt(answer.variance) for q, answer in sums.answers.items() if q.weight == 1)


def _price(sums: NoisySums) -> Table:
    kinds: dict[str, list[Question]] = {}
    for question in sums.answers:
        kinds.setdefault(question.measure, []).append(question)
    rows = tuple(
        (
            Cell(words.KINDS.get(measure, measure), "name"),
            Cell(str(len(questions))),
            Cell(f"{max(math.sqrt(sums.answers[q].variance) for q in questions):.1f}"),
            Cell(str(questions[0].sensitivity)),
        )
        for measure, questions in kinds.items()
    )
    columns = ("What was asked", "Questions", "Noise (sd, records)", "One person moves it by")
    return Table("What was asked of the original: all of it", columns, rows)


def _context(public: Public) -> Section:
    items = tuple(f"{clean(name)}: {clean(text)}" for name, text in public.context.items())
    return Section("context", "What the authors say of the study", (words.AUTHORS,), items)
