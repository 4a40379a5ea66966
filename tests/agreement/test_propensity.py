"""The cross-check of propensity models without R: what is asked, and what explains a difference."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.agreement import propensity
from sdcmetrics.agreement.verdict import DIFFERS, EQUAL
from sdcmetrics.errors import NotComputable, RError
from sdcmetrics.measures.propensity.places import LOGIT
from sdcmetrics.measures.propensity.statistics import ScoredRecords
from sdcmetrics.measures.registry import of_kind
from sdcmetrics.microdata.frames import as_microdata
from tests.agreement.test_crosscheck import mixed
from tests.agreement.without_r import patience

Put = pytest.MonkeyPatch
NAMES = {measure.symbol.removesuffix("_logit") for measure in of_kind(LOGIT)}
NAMES |= {measure.twin.name for measure in of_kind(LOGIT) if measure.twin}
STOPPED = RError("it stopped")


def compared(
    monkeypatch: Put, ours: Any, theirs: Any, why: str = "", variables: Any = None, ties: float = 0
) -> tuple[list[dict[str, Any]], list[Any]]:
    """Return the rows of both methods, by measure, and what either side was asked for."""
    asked: list[Any] = []

    def native(*_: Any, **said: Any) -> Any:
        asked.append(said)
        if isinstance(ours, Exception):
            raise ours
        return SimpleNamespace(mean=ours)

    def ask(*given: Any) -> Any:
        _, said, _, wanted = given
        asked.append((said, wanted))
        return theirs, why

    monkeypatch.setattr(propensity.propensity, "utility_gen", native)
    monkeypatch.setattr(propensity, "_ask", ask)
    monkeypatch.setattr(propensity, "_near_ties", lambda *_: asked.append("ties") or ties)
    original, made = as_microdata(mixed(), "original"), as_microdata(mixed(seed=2), "made")
    result = propensity.compare_propensity(original, [made], variables, {"x": [1]}, patience())
    return [{row["metric"]: row for row in item.rows("1.9-3")} for item in result], asked


def test_both_methods_are_asked_for_their_own_numbers(monkeypatch: Put) -> None:
    values = dict.fromkeys(NAMES, 2.0)
    rows, asked = compared(monkeypatch, values, values, variables=["area", "flag"])
    assert {row["verdict"] for item in rows for row in item.values()} == {EQUAL}
    functions = [{row["function"] for row in item.values()} for item in rows]
    assert functions == [{"utility.gen(logit)"}, {"utility.gen(cart)"}]
    assert all(name.endswith("_cart") for name in rows[1])
    common = {"maxorder": 0, "variables": ("area", "flag"), "missing_codes": {"x": [1]}}
    logit = {"method": "logit", **common, "resampling": None}
    cart = {"method": "cart", **common, "resampling": "none"}
    wanted = [[name.rpartition("_")[0] for name in row] for row in rows]
    assert asked == [logit, (logit, wanted[0]), cart, (cart, wanted[1])]
    assert compared(monkeypatch, values, values)[1][0]["variables"] is None


def test_what_is_not_computable_here_is_said(monkeypatch: Put) -> None:
    rows, _ = compared(monkeypatch, NotComputable("too few"), dict.fromkeys(NAMES, 2.0))
    assert {row["verdict"] for item in rows for row in item.values()} == {"not compared: too few"}
    rows, _ = compared(monkeypatch, dict.fromkeys(NAMES, 2.0), STOPPED, why="B5")
    assert {row["verdict"] for item in rows for row in item.values()} == {
        "not compared: it stopped"
    }


@pytest.mark.parametrize(
    ("ours", "theirs", "why", "words"),
    [
        (9e-21, 0.0, "", "differs as documented: rounding"),
        (9e-21, 9e-21, "", "differs as documented: rounding"),
        (2e-20, 0.0, "", "DIFFERS"),
        (0.0, 1e-20, "", "DIFFERS"),
        (0.0, 0.0, "B14", "differs as documented: B14"),
        (0.1, 0.1, "B14", "differs as documented: B14"),
    ],
)
def test_numbers_of_equal_scores_are_rounding(
    monkeypatch: Put, ours: float, theirs: float, why: str, words: str
) -> None:
    values = dict.fromkeys(NAMES, 2.0)
    rows, _ = compared(
        monkeypatch, values | {"pMSE": ours}, values | {"pMSE": theirs, "SPECKS": 3.0}, why
    )
    for item, method in zip(rows, ("logit", "cart"), strict=True):
        assert item[f"SPECKS_{method}"]["verdict"] == words
    assert rows[0]["PO50_logit"]["verdict"] == EQUAL


def test_ties_explain_a_rank_sum_of_a_logit_and_are_counted_where_it_differs(
    monkeypatch: Put,
) -> None:
    values = dict.fromkeys(NAMES, 2.0)
    rows, asked = compared(monkeypatch, values, values | {"U": 5.0}, ties=3.0)
    assert rows[0]["U_logit"]["verdict"] == "differs as documented: ties"
    assert [item for item in asked if item == "ties"] == ["ties"]
    rows, asked = compared(monkeypatch, values, values | {"U": 5.0, "pMSE": 3.0}, ties=2.9)
    assert rows[0]["U_logit"]["verdict"] == rows[0]["pMSE_logit"]["verdict"] == DIFFERS
    assert DIFFERS in [row["verdict"] for row in rows[1].values()]
    assert [item for item in asked if item == "ties"] == ["ties"]


def test_missing_logicals_and_dates_are_shown_again_as_levels_and_numbers(
    monkeypatch: Put,
) -> None:
    days = pd.to_datetime(["2020-01-01", None, "2020-02-01", "2020-01-01"])
    frame = pd.DataFrame({"x": [1, 2, 3, 4], "flag": [True, None, False, True], "day": days})
    whole = frame.dropna().reset_index(drop=True)
    values = dict.fromkeys(NAMES, 2.0)
    asked: list[Any] = []

    def ask(data: Any, *_: Any) -> Any:
        asked.append(data)
        return (values if len(asked) % 2 == 0 else values | {"pMSE": 3.0}), ""

    monkeypatch.setattr(propensity, "_ask", ask)
    monkeypatch.setattr(propensity, "_near_ties", lambda *_: 0.0)
    native = SimpleNamespace(mean=values)
    monkeypatch.setattr(propensity.propensity, "utility_gen", lambda *_, **__: native)

    def verdicts(original: pd.DataFrame, made: pd.DataFrame) -> list[str]:
        asked.clear()
        pair = as_microdata(original, "original"), [as_microdata(made, "made")]
        rows = [i.rows("1.9-3") for i in propensity.compare_propensity(*pair, None, {}, patience())]
        return [r["verdict"] for one in rows for r in one if r["metric"].startswith("pMSE")]

    assert verdicts(frame, whole) == ["differs as documented: B6"] * 2
    original, (made,) = asked[1]
    assert original.table.column("flag").to_pylist() == ["true", None, "false", "true"]
    start = (days[0] - pd.Timestamp(0)).days
    assert original.table.column("day").to_pylist() == [start, None, start + 31, start]
    assert original.table.column("x").equals(as_microdata(frame, "original").table.column("x"))
    assert made.table.num_rows == 3
    assert (
        verdicts(whole, frame[["x", "day"]].assign(flag=True)) == ["differs as documented: B6"] * 2
    )
    assert verdicts(whole, whole) == [DIFFERS, EQUAL]
    assert len(asked) == 2


def test_near_ties_are_a_mean_over_the_syntheses(monkeypatch: Put) -> None:
    original = as_microdata(mixed(), "original")
    syntheses = [as_microdata(mixed(seed=seed), "made") for seed in (2, 3)]
    given: list[Any] = []

    def fitter(*said: Any, k_syn: bool) -> Any:
        given.append((said[:3], k_syn))
        scores = {1: [0.25, 0.25, 0.5], 2: [0.1, 0.2, 0.3]}

        def model(_: Any, i: int, term: int) -> Any:
            records = ScoredRecords(np.array(scores[i]), np.array([2, 1, 0]), np.array([0, 3, 5]))
            assert term == 0
            return SimpleNamespace(observed=lambda: SimpleNamespace(records=records))

        return model

    monkeypatch.setattr(propensity, "fitter", fitter)
    options = {"variables": None, "missing_codes": None}
    assert propensity._near_ties(original, syntheses, options) == (2 * 3 + 0) / 2
    assert given == [(("logit", 0, None), False)]


def test_a_score_ties_with_what_is_within_twice_the_error_of_glm() -> None:
    def pairs(apart: float) -> int:
        score = np.array([0.5 + apart, 0.5])
        return propensity.near_ties(ScoredRecords(score, np.array([1, 0]), np.array([0, 1])))

    assert [pairs(apart) for apart in (0.0, 3.9e-9, -3.9e-9, 4.1e-9, -4.1e-9)] == [1, 1, 1, 0, 0]
    # records with one and the same score in both data sets are tied in R too
    assert propensity.near_ties(ScoredRecords(np.array([0.5]), np.array([2]), np.array([3]))) == 0


def test_synthpops_own_defect_comes_first(monkeypatch: Put) -> None:
    given: list[Any] = []
    answers: list[Any] = [((), ""), (("B14", "B3"), "B14")]
    session = patience()

    def ask(data: Any, **said: Any) -> Any:
        given.append((data, said))
        return SimpleNamespace(statistics={"pMSE": 0.5}, defects=answers[len(given) - 1][0])

    monkeypatch.setattr(propensity, "utility_gen", ask)
    for _, why in answers:
        result = propensity._ask("pair", {"method": "cart"}, session, ["pMSE"])
        assert result == ({"pMSE": 0.5}, why)
    entries = {"max_parameters": 1_000_000, "statistics": ["pMSE"], "session": session.session}
    assert given[0] == ("pair", {**entries, "method": "cart"})

    def stop(*_: Any, **__: Any) -> Any:
        raise STOPPED

    monkeypatch.setattr(propensity, "utility_gen", stop)
    assert propensity._ask("pair", {}, session, []) == (STOPPED, "")


def test_orders_are_set_aside_and_nothing_else() -> None:
    sizes = pd.Categorical([*"sml", None], categories=[*"sml"], ordered=True)
    frame = pd.DataFrame({"x": [1, 2, 3, 4], "size": sizes, "kind": pd.Categorical([*"abab"])})
    before = as_microdata(frame, "data").table
    plain = propensity._unordered(as_microdata(frame, "data")).table
    assert plain.column_names == before.column_names
    assert [plain.schema.field(name).type.ordered for name in ("size", "kind")] == [False] * 2
    assert plain.to_pydict() == before.to_pydict()
    assert plain.column("kind") is not None
    assert plain.column("size").chunk(0).dictionary.to_pylist() == [*"sml"]
    assert plain.schema.field("kind") == before.schema.field("kind")
