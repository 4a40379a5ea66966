"""The content of an edition for outside, before it is a page or a file.

Nothing here can reach a review or an original: the arguments are `Public` and `NoisySums`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from sdcmetrics import __version__
from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.release.answers import NoisySums
from sdcmetrics.release.estimates import (
    SETS,
    Estimate,
    People,
    estimates_of,
    holds_nearly_all,
    worst_of,
)
from sdcmetrics.release.public import Public
from sdcmetrics.release.questions import NEAREST, RECORDS, REPLICATED, TVD_PAIRS, Question
from sdcmetrics.report.outside import words
from sdcmetrics.report.outside.parts import (
    EMPTY,
    Cell,
    Figures,
    Section,
    Table,
    estimate_cell,
    listed,
    name_cell,
)
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
        Section("replicas", "The replicas", tables=(_replicas(public, words.several(public)),)),
        Section("sizes", "How many records", tables=(_sizes(own),)),
        *(_scenario(public, own, i, risks) for i in range(len(public.scenarios) if risks else 0)),
        _copies(public, own, sums),
    ]
    if any(question.measure == REPLICATED for question in sums.answers):
        parts.append(_replicated(public, own))
    if "TVD" in public.measures:
        parts.append(_usefulness(public, own))
    parts += [
        Section(
            "promise",
            "What is promised, and to whom",
            words.promise(public, sums.mu, _noise(sums)),
            tables=(_price(public, sums),),
        ),
        Section("not-promised", "What is not promised", items=words.not_promised(public)),
        _glossary(risks, tables="TVD" in public.measures),
        *_context(public),
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
        Section("replicas", "The replicas", tables=(_replicas(public),)),
        Section("not-promised", "What is not promised", items=words.not_promised_coarse()),
        *_context(public),
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


def _board(public: Public, figures: Figures, estimates: tuple[Estimate, ...]) -> Table:
    def nearly_all(replica: str) -> Cell:
        alike = figures.get(NEAREST, replica)
        return Cell(
            "yes" if alike is not None and holds_nearly_all(alike) else "not shown", "figure"
        )

    return listed(
        "Per replica",
        {
            "Replica": lambda r: name_cell(r.name),
            "Decision that was signed": lambda r: _decided(public, r.name),
            "Limits on figures below": lambda r: Cell(
                "", "figure", "", worst_of(estimates, r.name)
            ),
            "Original records that occur in it, alike in every column": lambda r: figures.cell(
                NEAREST, r.name
            ),
            "Is nearly the whole original in it?": lambda r: nearly_all(r.name),
        },
        public.replicas,
        words.BOARD,
    )


def _signed(public: Public) -> Table:
    return listed(
        "Per replica",
        {"Replica": lambda r: name_cell(r.name), "Decision": lambda r: _decided(public, r.name)},
        public.replicas,
        _signature(public),
    )


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


def _price(public: Public, sums: NoisySums) -> Table:
    kinds: dict[str, list[Question]] = {}
    for question in sums.answers:
        kinds.setdefault(question.measure, []).append(question)

    def noise(questions: list[Question]) -> str:
        return f"{max(math.sqrt(sums.answers[q].variance) for q in questions):.1f}"

    return listed(
        "What was asked of the original: all of it",
        {
            "What was asked": lambda kind: Cell(words.KINDS.get(kind, kind), "name"),
            "Questions": lambda kind: str(len(kinds[kind])),
            "Noise (sd, records)": lambda kind: noise(kinds[kind]),
            f"One {public.unit or 'person'} moves it by": lambda kind: str(
                kinds[kind][0].sensitivity
            ),
        },
        kinds,
    )


def _context(public: Public) -> Iterator[Section]:
    items = tuple(f"{clean(name)}: {clean(text)}" for name, text in public.context.items())
    if items:
        yield Section("context", "What the authors say of the study", (words.AUTHORS,), items)


_ALL: tuple[People, ...] = (*SETS, "difference")


def _replicas(public: Public, note: str = "") -> Table:
    """Return the files of the replicas, which are public, one in a row."""
    files = [
        (replica, f" {i}" if len(replica.syntheses) > 1 else "", synthesis)
        for replica in public.replicas
        for i, synthesis in enumerate(replica.syntheses, start=1)
    ]
    return listed(
        "The files, exact: nothing of them is protected by noise",
        {
            "Replica": lambda f: name_cell(f[0].name + f[1]),
            "File": lambda f: name_cell(f[2].source),
            "Records": lambda f: f"{f[2].n:,}",
            "Variables compared": lambda f: str(len(public.variables(f[0]))),
            "SHA-256 (first 16 digits)": lambda f: f[2].sha256[:16] or EMPTY,
        },
        files,
        note,
    )


def _sizes(figures: Figures) -> Table:
    """Return how many records original and holdout have."""
    sets = [(people, figures.get(RECORDS, people=people)) for people in SETS]
    rows = tuple(
        (Cell(words.PEOPLE[people]), estimate_cell(estimate))
        for people, estimate in sets
        if estimate
    )
    return Table("Records, with noise as all figures", ("Data set", "Records"), rows)


def _scenario(public: Public, figures: Figures, i: int, risks: list[str]) -> Section:
    """Return who is at risk in the scenario of this number, a table per measure."""
    scenario = public.scenarios[i]
    tables = []
    for symbol in risks:
        measure = MEASURES[symbol]
        targets = ("",) if measure.any_target else scenario.targets
        if figures.get(symbol, "", scenario.name, targets[0]) is not None:
            tables.append(_of_original(figures, symbol, scenario.name, targets))
            continue
        first = public.replicas[0].name
        apart = figures.get(symbol, first, scenario.name, targets[0], people="holdout") is not None
        sets = _ALL if apart else _ALL[:1]
        rows = tuple(
            (
                name_cell(replica.name),
                *(() if measure.any_target else (name_cell(target),)),
                *(
                    figures.cell(
                        symbol, replica.name, scenario=scenario.name, target=target, people=p
                    )
                    for p in sets
                ),
            )
            for replica in public.replicas
            for target in targets
        )
        names = ("Replica",) if measure.any_target else ("Replica", "Target")
        tables.append(
            Table(
                _titled(symbol), (*names, *(words.PEOPLE[p] for p in sets)), rows, measure.meaning
            )
        )
    lead = (
        words.knows(scenario),
        *filter(None, [clean(scenario.description)]),
        *words.coarser((*scenario.keys, *scenario.targets), public),
    )
    return Section(f"risk-{i}", f"Risk: {words.called(scenario)}", lead, tables=tuple(tables))


def _of_original(figures: Figures, symbol: str, scenario: str, targets: tuple[str, ...]) -> Table:
    """Return a table of what is counted in the original alone."""
    columns = {
        "Of": lambda target: name_cell(target or "the keys"),
        "Original": lambda target: figures.cell(symbol, scenario=scenario, target=target),
    }
    return listed(_titled(symbol), columns, targets, MEASURES[symbol].meaning)


def _titled(symbol: str) -> str:
    return f"{MEASURES[symbol].title} ({symbol})"


def _copies(public: Public, figures: Figures, sums: NoisySums) -> Section:
    """Return people by how near the nearest record of each replica is."""
    sets = _ALL if public.holdout else _ALL[:1]
    rows = []
    for replica in public.replicas:
        edges = next(
            q.edges for q in sums.answers if q.measure == NEAREST and q.replica == replica.name
        )
        for cell, text in enumerate(words.distances(edges)):
            cells = (figures.cell(NEAREST, replica.name, cell=cell, people=p) for p in sets)
            rows.append((name_cell(replica.name), Cell(text), *cells))
    table = Table(
        "People by how near the nearest replica record is",
        ("Replica", "Columns that differ", *(words.PEOPLE[p] for p in sets)),
        tuple(rows),
        words.NEAR_HOLDOUT if public.holdout else words.NEAR,
    )
    lead = tuple(words.drawn(public.replicas))
    return Section("copies", "Copies and near records", lead, (), (table,))


def _replicated(public: Public, figures: Figures) -> Section:
    """Return the section that a decision about people rests on: those of both sets who recur."""
    rows = tuple(
        (
            name_cell(replica.name),
            name_cell(words.called(scenario)),
            *(
                figures.cell(REPLICATED, replica.name, scenario=scenario.name, people=p)
                for p in _ALL
            ),
        )
        for replica in public.replicas
        for scenario in public.scenarios
    )
    columns = ("Replica", "Keys of", *(words.PEOPLE[p] for p in _ALL))
    table = Table("People who are alone with their keys and recur", columns, rows, words.RECUR)
    return Section("people", "People who recur in a replica", (), (), (table,))


def _usefulness(public: Public, figures: Figures) -> Section:
    """Return how far distributions of variables and of pairs are apart."""
    tables = []
    if public.pairs:
        title = "Total variation distance of two variables, mean over all pairs"
        pairs = {
            "Replica": lambda r: name_cell(r.name),
            "Mean over pairs": lambda r: figures.cell(TVD_PAIRS, r.name),
        }
        tables.append(listed(title, pairs, public.replicas, words.PAIRS))
    names = dict.fromkeys(c for replica in public.replicas for c in public.variables(replica))
    by_name: list[tuple[Cell, ...]] = []
    for name in names:
        cells = (figures.cell("TVD", replica.name, variable=name) for replica in public.replicas)
        by_name.append((name_cell(name), *cells))
    columns = ("Variable", *(clean(replica.name) for replica in public.replicas))
    tables.append(Table(_titled("TVD"), columns, tuple(by_name), words.TVD))
    return Section("usefulness", "Usefulness", (), (), tuple(tables))


def _glossary(risks: list[str], *, tables: bool) -> Section:
    """Return what the measures mean."""
    symbols = [*risks, *(("TVD",) if tables else ())]
    items = tuple(
        f"{_titled(symbol)}: {MEASURES[symbol].meaning} {MEASURES[symbol].limits}"
        for symbol in symbols
    )
    return Section("methods", "How to read the measures", items=items)
