"""The sections of a release: who is at risk, what is near, and what the replicas are worth."""

from __future__ import annotations

from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.release.answers import NoisySums
from sdcmetrics.release.estimates import SETS, People
from sdcmetrics.release.public import Public
from sdcmetrics.release.questions import NEAREST, RECORDS, REPLICATED, TVD_PAIRS
from sdcmetrics.report.outside import words
from sdcmetrics.report.outside.parts import NONE, Cell, Figures, Section, Table, shown
from sdcmetrics.report.safety.names import clean

_ALL: tuple[People, ...] = (*SETS, "difference")


def replicas(public: Public) -> Table:
    """Return the files of the replicas, which are public, one in a row."""
    rows = []
    for replica in public.replicas:
        for i, synthesis in enumerate(replica.syntheses, start=1):
            several = len(replica.syntheses) > 1
            rows.append(
                (
                    Cell(clean(f"{replica.name} {i}" if several else replica.name), "name"),
                    Cell(clean(synthesis.source), "name"),
                    Cell(f"{synthesis.n:,}"),
                    Cell(str(len(public.variables(replica)))),
                    Cell(synthesis.sha256[:16] or NONE),
                )
            )
    return Table(
        "What outsiders have: exact, as the files themselves are public",
        ("Replica", "File", "Records", "Variables compared", "SHA-256 (first 16 digits)"),
        tuple(rows),
    )


def sizes(own: Figures) -> Table:
    """Return how many records original and holdout have."""
    sets = [(people, own.get(RECORDS, people=people)) for people in SETS]
    rows = tuple(
        (Cell(words.PEOPLE[people]), shown(estimate)) for people, estimate in sets if estimate
    )
    return Table("Records, with noise as all figures", ("Data set", "Records"), rows)


def scenario_section(public: Public, own: Figures, i: int, risks: list[str]) -> Section:
    """Return who is at risk in the scenario of this number, a table per measure."""
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
    lead = (
        words.knows(clean(scenario.name), keys),
        *filter(None, [clean(scenario.description)]),
        *words.coarser((*scenario.keys, *scenario.targets), public),
    )
    return Section(f"risk-{i}", f"Risk: {clean(scenario.name)}", lead, tables=tuple(tables))


def _of_original(own: Figures, symbol: str, scenario: str, targets: tuple[str, ...]) -> Table:
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


def copies(public: Public, own: Figures, sums: NoisySums) -> Section:
    """Return people by how near the nearest record of each replica is."""
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
    lead = tuple(words.drawn(public.replicas))
    return Section("copies", "Copies and near records", lead, (), (table,))


def replicated(public: Public, own: Figures) -> Section:
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


def usefulness(public: Public, own: Figures) -> Section:
    """Return how far distributions of variables and of pairs are apart."""
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


def glossary(risks: list[str], *, tables: bool) -> Section:
    """Return what the measures mean."""
    symbols = [*risks, *(("TVD",) if tables else ())]
    items = tuple(
        f"{_titled(symbol)}: {MEASURES[symbol].meaning} {MEASURES[symbol].limits}"
        for symbol in symbols
    )
    return Section("methods", "How to read the measures", items=items)
