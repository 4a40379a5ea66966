"""What counts of records by their keys add to what tables say of small counts."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.measures.measure import Release
from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.microdata.sources.scan import scan
from sdcmetrics.report.safety.protect import keyed
from sdcmetrics.report.safety.protect.audit import Ends, tables_program
from sdcmetrics.report.safety.protect.figures import Figure
from sdcmetrics.report.safety.protect.keyed import (
    Keyed,
    Records,
    _Scenario,
    keyed_of,
    open_to_all,
)
from sdcmetrics.report.safety.protect.program import Program
from sdcmetrics.report.safety.protect.protection import protect
from sdcmetrics.report.safety.protect.rounding import Rounding
from sdcmetrics.report.safety.protect.tables import one_way
from sdcmetrics.review.conduct import conduct
from sdcmetrics.study.profile import load_profile
from sdcmetrics.study.study import Study

ROUNDING = Rounding(base=5, least=10, zeros=True)
N = (190, 210)
TABLES = {
    ("k", "t"): Ends(
        np.array([[20, 0], [50, 60]]),
        np.array([[24, 9], [104, 124]]),
        np.array([[20, 150], [33, 190]]),
        np.array([[80, 60], [130, 130]]),
        N,
    )
}


def told(**counts: int) -> Keyed:
    """Return a replica in which all of key 0 have level 0, so that DiSCO is that cell's count."""
    cells = {"k": np.array([0, 1, 1]), "t": np.array([0, 0, 1])}, np.array([2, 1, 1])
    return Keyed(
        ("k",),
        ("t",),
        {"k": np.arange(2), "t": np.arange(2)},
        (Records("r", {"t": cells}),),
        {
            ("r", symbol, "t"): Figure(0.0, "", count, ROUNDING.records(200))
            for symbol, count in counts.items()
        },
    )


FEW = Rounding(base=2, least=2, zeros=True)
BETWEEN = (4, 5)
SYNTHESES = {
    "three": np.array([[2, 0], [1, 1], [0, 1]]),
    "two": np.array([[1, 0], [0, 1], [0, 0]]),
}
BOTH = Ends(
    np.array([[0, 1], [0, 0], [0, 0]]), np.array([[3, 5], [4, 2], [1, 2]]),
    np.array([[1, 0, 0], [5, 4, 3]]), np.array([[0, 1], [5, 5]]), BETWEEN,
)  # fmt: skip
TURNED = Ends(BOTH.low.T, BOTH.high.T, BOTH.columns, BOTH.rows, BETWEEN)
FREE = np.zeros((2, 3), dtype=int), np.full((2, 3), 9)
OTHER = Ends(*FREE, BOTH.columns, np.array([FREE[0][0], FREE[1][0]]), BETWEEN)
TOLD: dict[str, dict[tuple[str, ...], Ends]] = {
    "none": {},
    "k, t": {("k", "t"): BOTH},
    "t, k": {("t", "k"): TURNED},
    "t, u": {("t", "u"): OTHER},
}


COUNTS = (
    "iS", "DiS", "DiSCO", "TCAP_matched", "DCAP", "Dorig", "DiSDiO", "UiO", "UiOiS", "repU",
)  # fmt: skip


def by_definition(symbol: str, x: Any, s: Any) -> float:
    """Return the count of a measure in a table of keys by levels, beside that of a synthesis."""
    n, of_s = x.sum(axis=1), s.sum(axis=1)
    alone = (s > 0) & (s == of_s[:, None])
    pure = (x > 0) & (x == n[:, None])
    counts = (
        n[of_s > 0].sum(),
        n[alone.any(axis=1)].sum(),
        x[alone].sum(),
        x[alone].sum(),
        (x * s / np.maximum(of_s, 1)[:, None]).sum(),
        x[pure].sum(),
        x[pure & alone].sum(),
        (n == 1).sum(),
        ((n == 1) & (of_s > 0)).sum(),
        ((n == 1) & (of_s == 1)).sum(),
    )
    return float(dict(zip(COUNTS, counts, strict=True))[symbol])


def originals(tables: str) -> Iterator[Any]:
    """Yield every table of three keys by two levels that has so many records, within bounds."""
    for cells in itertools.product(range(BETWEEN[1] + 1), repeat=6):
        if not BETWEEN[0] <= sum(cells) <= BETWEEN[1]:
            continue
        x = np.array(cells).reshape(3, 2)
        bounds = [(BOTH.columns, x.sum(axis=0)), (BOTH.rows, x.sum(axis=1))]
        bounds += [((BOTH.low, BOTH.high), x)]
        for (low, high), counts in bounds[: {"none": 0, "t, u": 1}.get(tables, 3)]:
            if not ((low <= counts) & (counts <= high)).all():
                break
        else:
            yield x


@pytest.mark.parametrize(
    ("symbol", "synthesis", "tables"),
    [
        *((symbol, synthesis, "k, t") for symbol in COUNTS for synthesis in SYNTHESES),
        *(("DiSCO", "three", tables) for tables in ("none", "t, k", "t, u")),
    ],
)
def test_what_is_left_of_each_count_is_what_trying_every_original_leaves(
    symbol: str, synthesis: str, tables: str
) -> None:
    s = SYNTHESES[synthesis]
    k, t = np.nonzero(s)
    shown, total = FEW.records(2), FEW.records(5)
    low, high = FEW.ends(shown, "records")
    fewest, most = FEW.ends(total, "records") if symbol == "TCAP_matched" else (0, 99)
    keyed_counts = Keyed(
        ("k",), ("t",), {"k": np.arange(3), "t": np.arange(2)},
        (Records("r", {"t": ({"k": k, "t": t}, s[k, t])}),),
        {("r", symbol, "t"): Figure(0.0, "", shown, total)},
    )  # fmt: skip
    program = tables_program([*TOLD[tables]], [*TOLD[tables].values()])
    cells = _Scenario(keyed_counts, program, BETWEEN, FEW, block=len(TOLD[tables])).cells()
    program.find_ends(cells, 100)
    left = np.array(
        [
            [*x.sum(axis=1), *x.ravel()]
            for x in originals(tables)
            if low <= by_definition(symbol, x, s) < high + 1
            and fewest <= by_definition("iS", x, s) <= most  # of whom TCAP is a share
        ]
    )
    if not len(left):
        assert (program.spans[cells] <= 0).all()
        return
    assert program.least(cells).tolist() == left.min(axis=0).tolist()
    assert program.spans[cells].tolist() == (np.ptp(left, axis=0) + 1).tolist()


def test_a_count_of_one_cell_that_is_told_leaves_its_neighbour_open() -> None:
    assert open_to_all(told(), TABLES, N, ROUNDING)
    assert open_to_all(told(DiSCO=ROUNDING.records(22)), TABLES, N, ROUNDING)


def test_a_row_and_its_only_large_cell_that_are_told_apart_give_the_other_back() -> None:
    low, high = ROUNDING.ends(ROUNDING.records(22), "records")
    assert high - low == 4
    # The row is in the interval where the large cell begins: one or two values are left.
    row = replace(
        TABLES["k", "t"],
        rows=np.array([[20, 150], [high + 1, 190]]),
        low=np.array([[high, 0], [50, 60]]),
    )
    assert not open_to_all(told(DiS=ROUNDING.records(22)), {("k", "t"): row}, N, ROUNDING)


def test_that_a_combination_has_one_level_in_the_original_is_seen_to_tell_a_zero() -> None:
    whole = ROUNDING.records(24)
    assert open_to_all(told(DiS=whole), TABLES, N, ROUNDING)
    assert not open_to_all(told(Dorig=whole), TABLES, N, ROUNDING)


def test_counts_of_all_combinations_have_to_stay_open_where_all_are_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def wanted() -> int:
        program = tables_program([*TABLES], [*TABLES.values()])
        return len(_Scenario(told(), program, N, ROUNDING, block=1).cells())

    assert wanted() == 2 + 2 * 2  # of each key, and of each of its levels
    monkeypatch.setattr(keyed, "_COMPLETE", 4)
    assert wanted() == 6
    monkeypatch.setattr(keyed, "_COMPLETE", 3)
    assert wanted() == 0


@pytest.mark.parametrize("given", [lambda frame: frame, scan], ids=["memory", "batches"])
def test_cells_of_a_synthesis_have_as_many_records_as_it_has(given: Any) -> None:
    rng = np.random.default_rng(1)
    original, replica = (
        pd.DataFrame({"j": rng.integers(0, 3, 90), "k": list("abc") * 30, "t": list("xxxyyz") * 15})
        for _ in range(2)
    )
    study = Study(given(original), {"r": given(replica)}, keys=["j", "k"], targets=["t"])
    _, inside = one_way(study, ROUNDING)
    scenario = keyed_of(study, study.scenarios[0], inside, {})
    assert scenario is not None
    made = _Scenario(scenario, Program(), N, ROUNDING, block=0)
    result = made._table(0, "t")
    exact = pd.crosstab([replica["j"], replica["k"]], replica["t"])
    assert sorted(result[result > 0]) == sorted(exact.to_numpy()[exact.to_numpy() > 0])
    assert sorted(made._per_key(0, lambda n: n)) == sorted(exact.sum(axis=1))


@pytest.mark.parametrize("symbol", ["UiO", "repU"])
def test_combinations_that_have_many_records_are_never_unique(symbol: str) -> None:
    # Ten or more unique records cannot be: what nothing solves is not known to be open.
    assert not open_to_all(told(**{symbol: ROUNDING.records(22)}), TABLES, N, ROUNDING)


@pytest.mark.parametrize("followed", [False, True])
def test_a_share_that_no_equation_follows_is_not_told_where_all_combinations_are_looked_at(
    monkeypatch: pytest.MonkeyPatch,
    followed: bool,
) -> None:
    release = Release("share", followed=followed)
    monkeypatch.setitem(MEASURES, "Mine", replace(MEASURES["iS"], symbol="Mine", release=release))
    rng = np.random.default_rng(1)
    original, replica = (
        pd.DataFrame({"k": rng.choice(["a", "b"], 4000), "t": rng.choice(["x", "y"], 4000)})
        for _ in range(2)
    )
    review = conduct(Study(original, {"r": replica}, keys=["k"], targets=["t"], candidates=0))
    rows = protect(review, load_profile("default")).frame.set_index("metric")["value"]
    assert not np.isnan(rows["iS"])
    assert np.isnan(rows["CAPd"])  # a sum of squares
    assert np.isnan(rows["Mine"]) != followed


@pytest.mark.parametrize("groups", [0, 2])
def test_a_bound_of_more_records_than_the_original_has_is_not_told(groups: int) -> None:
    rng = np.random.default_rng(1)
    original, replica = (
        pd.DataFrame({"k": rng.integers(0, 4, n), "t": rng.choice(["x", "y"], n)})
        for n in (200, 400)
    )
    options: dict[str, Any] = {"keys": ["k"], "targets": ["t"], "ngroups_keys": {"k": groups}}
    review = conduct(Study(original, {"r": replica}, **options, candidates=0))
    rows = protect(review, load_profile("default")).frame.set_index("metric")
    assert rows.loc["UiS", "value"] == 0 or groups  # a share of the replica, which is public
    assert rows.loc["UiS", "shown"] == ("not shown" if groups else "")


@pytest.mark.parametrize(
    ("count", "total", "ends"),
    [
        (np.nan, 40.0, (0, 8)),  # fewer than are shown
        (10.0, 40.0, (8, 12)),
        (39.0, 40.0, (37, 41)),
        (40.0, 40.0, (38, 99)),  # all of them, however many that are
        (10.0, np.nan, (8, 12)),
    ],
)
def test_a_count_is_known_as_far_as_rounding_tells(
    count: float, total: float, ends: tuple[int, int]
) -> None:
    rounding = SimpleNamespace(ends=lambda count, _: (count - 2, count + 2))
    rows: Any = SimpleNamespace(rounding=rounding, most=99)
    figure: Any = SimpleNamespace(count=count, total=total)
    assert keyed._Scenario._ends(rows, figure, 9) == ends
