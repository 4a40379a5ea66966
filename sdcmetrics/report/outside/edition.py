"""What an edition for outside says, before it is a page or a file.

Nothing here can reach a review or an original: the arguments are `Public` and `NoisySums`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

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
from sdcmetrics.report.safety.names import clean
from sdcmetrics.review.judge import Status

Mode = Literal["release", "coarse"]

_NONE = "\N{EN DASH}"
_ALL: tuple[People, ...] = (*SETS, "difference")


@dataclass(frozen=True)
class Cell:
    """A cell: a name, words, or a figure, which is all that noise decides.

    Attributes
    ----------
    text : what is shown
    kind : "name", "words" or "figure"
    range : the 90 % range of a figure, as shown
    status : what a limit says of it; None without a limit
    """

    text: str
    kind: Literal["name", "words", "figure"] = "words"
    range: str = ""
    status: Status | None = None


@dataclass(frozen=True)
class Table:
    """A table with a caption, and a note below."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""


@dataclass(frozen=True)
class Section:
    """A section: its id and heading, what it says, and its tables."""

    identity: str
    heading: str
    paragraphs: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()


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
    own = _Figures(estimates)
    risks = [s for s in public.measures if MEASURES[s].of.per == "target"]
    sections = [
        _decision(public),
        Section("replicas", "The replicas", tables=(_replicas(public),)),
        Section("sizes", "How many records", tables=(_sizes(own),)),
        *(_scenario(public, own, i, risks) for i in range(len(public.scenarios))),
        _copies(public, own, sums),
    ]
    if any(question.measure == REPLICATED for question in sums.answers):
        sections.append(_replicated(public, own))
    if "TVD" in public.measures:
        sections.append(_usefulness(public, own))
    sections += [
        Section(
            "promise",
            "What is promised, and to whom",
            words.promise(public, sums.mu, _noise(sums)),
            tables=(_price(sums),),
        ),
        Section("not-promised", "What is not promised", items=words.not_promised(public)),
        _glossary(risks, tables="TVD" in public.measures),
        _context(public),
    ]
    return Edition(
        mode="release",
        title=clean(public.title),
        date=public.date.isoformat(),
        profile=clean(public.profile.title),
        lead=words.lead(sums.mu),
        board=_board(public, own, estimates),
        sections=tuple(sections),
        estimates=estimates,
        mu=sums.mu,
        budget=public.budget,
    )


def coarse_edition(public: Public) -> Edition:
    """Return the edition without a figure of the original: the decision, as people signed it."""
    sections = (
        Section("replicas", "The replicas", tables=(_replicas(public),)),
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
        sections=sections,
    )


class _Figures:
    """Looks estimates up by what they are of, and shows them."""

    def __init__(self, estimates: Iterable[Estimate]) -> None:
        self._by_place = {
            (e.measure, e.replica, e.scenario, e.target, e.variable, e.cell, e.people): e
            for e in estimates
        }

    def get(
        self,
        measure: str,
        replica: str = "",
        scenario: str = "",
        target: str = "",
        variable: str = "",
        cell: int = 0,
        people: People = "original",
    ) -> Estimate | None:
        """Return the estimate of a place; None where it was not asked."""
        return self._by_place.get((measure, replica, scenario, target, variable, cell, people))

    def cell(self, measure: str, replica: str = "", **place: Any) -> Cell:
        """Return the cell of a figure; a dash where it was not asked."""
        estimate = self.get(measure, replica, **place)
        return Cell(_NONE) if estimate is None else shown(estimate)


def shown(estimate: Estimate) -> Cell:
    """Return the cell of an estimate: the value, its range, and what a limit says."""
    status = estimate.status if estimate.limited else None
    if math.isnan(estimate.value):
        return Cell("lost in noise", "figure", "", status)
    ends = f"{_number(estimate.low, estimate)} to {_number(estimate.high, estimate)}"
    unit = " %" if estimate.unit == "percent" else ""
    value = _number(estimate.value, estimate) + unit
    return Cell(value.replace(" ", "\N{NO-BREAK SPACE}"), "figure", ends, status)


def _number(value: float, estimate: Estimate) -> str:
    text = f"{abs(value):,.{max(estimate.decimals, 0)}f}"
    return f"\N{MINUS SIGN}{text}" if value < 0 and float(text.replace(",", "")) else text


def _board(public: Public, own: _Figures, estimates: tuple[Estimate, ...]) -> Table:
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


def _replicas(public: Public) -> Table:
    rows = []
    for replica in public.replicas:
        for i, one in enumerate(replica.syntheses, start=1):
            several = len(replica.syntheses) > 1
            rows.append(
                (
                    Cell(clean(f"{replica.name} {i}" if several else replica.name), "name"),
                    Cell(clean(one.source), "name"),
                    Cell(f"{one.n:,}"),
                    Cell(str(len(public.variables(replica)))),
                    Cell(one.sha256[:16] or _NONE),
                )
            )
    return Table(
        "What outsiders have: exact, as the files themselves are public",
        ("Replica", "File", "Records", "Variables compared", "SHA-256 (first 16 digits)"),
        tuple(rows),
    )


def _sizes(own: _Figures) -> Table:
    sets = [(people, own.get(RECORDS, people=people)) for people in SETS]
    rows = tuple(
        (Cell(words.PEOPLE[people]), shown(estimate)) for people, estimate in sets if estimate
    )
    return Table("Records, with noise as all figures", ("Data set", "Records"), rows)


def _scenario(public: Public, own: _Figures, i: int, risks: list[str]) -> Section:
    scenario = public.scenarios[i]
    tables = []
    for symbol in risks:
        measure = MEASURES[symbol]
        targets = ("",) if measure.any_target else scenario.targets
        if own.get(symbol, "", scenario.name, targets[0]) is not None:
            tables.append(_of_original(own, symbol, scenario.name, targets))
            continue
        first = public.replicas[0].name
        apart = own.get(symbol, first, scenario.name, targets[0], people="holdout") is not None
        sets = _ALL if apart else _ALL[:1]
        rows = tuple(
            (
                Cell(clean(replica.name), "name"),
                *(() if measure.any_target else (Cell(clean(target), "name"),)),
                *(
                    own.cell(symbol, replica.name, scenario=scenario.name, target=target, people=p)
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
    keys = ", ".join(map(clean, scenario.keys))
    lead = (words.knows(clean(scenario.name), keys), *filter(None, [clean(scenario.description)]))
    return Section(f"risk-{i}", f"Risk: {clean(scenario.name)}", lead, tables=tuple(tables))


def _of_original(own: _Figures, symbol: str, scenario: str, targets: tuple[str, ...]) -> Table:
    """Return a table of what is counted in the original alone."""
    rows = tuple(
        (
            Cell(clean(target) or "the keys", "name"),
            own.cell(symbol, scenario=scenario, target=target),
        )
        for target in targets
    )
    return Table(_titled(symbol), ("Of", "Original"), rows, MEASURES[symbol].meaning)


def _titled(symbol: str) -> str:
    return f"{MEASURES[symbol].title} ({symbol})"


def _copies(public: Public, own: _Figures, sums: NoisySums) -> Section:
    sets = _ALL if public.holdout else _ALL[:1]
    rows = []
    for replica in public.replicas:
        edges = next(
            q.edges for q in sums.answers if q.measure == NEAREST and q.replica == replica.name
        )
        for cell, text in enumerate(words.distances(edges)):
            figures = (own.cell(NEAREST, replica.name, cell=cell, people=p) for p in sets)
            rows.append((Cell(clean(replica.name), "name"), Cell(text), *figures))
    table = Table(
        "People by how near the nearest replica record is",
        ("Replica", "Columns that differ", *(words.PEOPLE[p] for p in sets)),
        tuple(rows),
        words.NEAR,
    )
    return Section("copies", "Copies and near records", (), (), (table,))


def _replicated(public: Public, own: _Figures) -> Section:
    """Return the section that a decision about people rests on: those of both sets who recur."""
    rows = tuple(
        (
            Cell(clean(replica.name), "name"),
            Cell(clean(scenario.name), "name"),
            *(own.cell(REPLICATED, replica.name, scenario=scenario.name, people=p) for p in _ALL),
        )
        for replica in public.replicas
        for scenario in public.scenarios
    )
    columns = ("Replica", "Keys of", *(words.PEOPLE[p] for p in _ALL))
    table = Table("People who are alone with their keys and recur", columns, rows, words.RECUR)
    return Section("people", "People who recur in a replica", (), (), (table,))


def _usefulness(public: Public, own: _Figures) -> Section:
    tables = []
    if public.pairs:
        rows = tuple(
            (Cell(clean(replica.name), "name"), own.cell(TVD_PAIRS, replica.name))
            for replica in public.replicas
        )
        title = "Total variation distance of two variables, mean over all pairs"
        tables.append(Table(title, ("Replica", "Mean over pairs"), rows, words.PAIRS))
    names = dict.fromkeys(c for replica in public.replicas for c in public.variables(replica))
    by_name: list[tuple[Cell, ...]] = []
    for name in names:
        cells = (own.cell("TVD", replica.name, variable=name) for replica in public.replicas)
        by_name.append((Cell(clean(name), "name"), *cells))
    columns = ("Variable", *(clean(replica.name) for replica in public.replicas))
    tables.append(Table(_titled("TVD"), columns, tuple(by_name), words.TVD))
    return Section("usefulness", "Usefulness", (), (), tuple(tables))


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


def _glossary(risks: list[str], *, tables: bool) -> Section:
    symbols = [*risks, *(("TVD",) if tables else ())]
    items = tuple(
        f"{_titled(symbol)}: {MEASURES[symbol].meaning} {MEASURES[symbol].limits}"
        for symbol in symbols
    )
    return Section("methods", "How to read the measures", items=items)


def _context(public: Public) -> Section:
    items = tuple(f"{clean(name)}: {clean(text)}" for name, text in public.context.items())
    return Section("context", "What the authors say of the study", (words.AUTHORS,), items)
