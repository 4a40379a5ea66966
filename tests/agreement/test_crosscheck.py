"""The cross-check: verdicts without R, and live agreement with synthpop."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics import rbridge
from sdcmetrics.agreement import disclosure, models
from sdcmetrics.agreement.compared import Compared, counterparts
from sdcmetrics.agreement.crosscheck import COLUMNS, CrossCheck
from sdcmetrics.agreement.propensity import near_ties
from sdcmetrics.agreement.tables import native_tables
from sdcmetrics.agreement.verdict import EQUAL, agree, judge_pair
from sdcmetrics.cli.crosscheck import _rows, show_crosscheck
from sdcmetrics.errors import RError, StudyError
from sdcmetrics.measures.crosstables.places import CROSSTABLES
from sdcmetrics.measures.disclosure.places import KEYS
from sdcmetrics.measures.fits.places import FIT
from sdcmetrics.measures.propensity.places import CART, LOGIT
from sdcmetrics.measures.propensity.statistics import ScoredRecords
from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.measures.twin import SUPPORTED
from sdcmetrics.microdata.coding import by_groups, encode
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.microdata.schema import harmonise
from sdcmetrics.rbridge.session import Patience
from sdcmetrics.study.study import Options, Scenario
from tests.cli.conftest import Cli, run_cli
from tests.live_r import live_session

__all__ = ["run_cli"]


@pytest.fixture
def r() -> rbridge.Session:
    return live_session()


def asked(found: CrossCheck) -> pd.DataFrame:
    """Return the rows about which synthpop was asked."""
    return found.table[
        ~found.table["verdict"].str.contains("nothing in this study|not in synthpop")
    ]


class TestVerdict:
    def test_equal_but_for_rounding_is_equal(self) -> None:
        assert judge_pair(1.0, 1.0 + 1e-13).verdict == EQUAL

    def test_a_difference_is_never_silent(self) -> None:
        result = judge_pair(1.0, 1.0 + 1e-6)
        assert result.verdict == "DIFFERS"
        assert not result.explained
        assert result.relative == pytest.approx(1e-6, rel=1e-3)

    def test_a_documented_difference_needs_an_answer_that_is_equal(self) -> None:
        assert judge_pair(9.8, 0.8, 9.8, defect="B2").explained
        assert judge_pair(9.8, 0.8, 9.7, defect="B2").verdict == "DIFFERS"
        assert judge_pair(9.8, None, 9.7, defect="B2", reason="stopped").verdict == "DIFFERS"

    def test_what_cannot_be_compared_is_not_equal(self) -> None:
        result = judge_pair(9.8, None, reason="R was killed")
        assert result.verdict == "not compared: R was killed"
        assert not result.explained
        assert judge_pair(9.8, None, reason="known", documented=True).explained

    def test_a_number_and_none_are_not_equal(self) -> None:
        assert judge_pair(math.nan, 0.0).verdict == "DIFFERS"
        assert judge_pair(0.0, math.nan).verdict == "DIFFERS"
        assert judge_pair(math.nan, math.nan).verdict == EQUAL
        assert not agree(math.inf, 1.0)

    def test_the_bhattacharyya_distance_is_compared_squared(self) -> None:
        assert agree(1e-8, 3e-9, squared=True)
        assert not agree(1e-8, 3e-9)
        assert agree(math.nan, 1e-9, squared=True)
        assert judge_pair(1e-8, 0.0, squared=True).relative == 0
        assert not agree(math.nan, 0.1, squared=True)


def result(verdicts: list[str], explained: list[bool]) -> CrossCheck:
    table = pd.DataFrame({"verdict": verdicts, "explained": explained, "relative": 0.0}).reindex(
        columns=list(COLUMNS)
    )
    return CrossCheck(table.astype({"explained": bool}))


class TestOutcome:
    def test_all_equal_is_ok(self) -> None:
        assert result([EQUAL], [True]).ok

    def test_nothing_compared_is_not_ok(self) -> None:
        assert not result(["not compared: why"], [True]).ok

    def test_one_unexplained_row_is_not_ok(self) -> None:
        outcome = result([EQUAL, "DIFFERS"], [True, False])
        assert not outcome.ok
        assert len(outcome.unexplained) == 1

    def test_verdicts_are_counted_by_defect(self) -> None:
        verdicts = [EQUAL, "differs as documented: B2", "differs as documented: A1: it stopped"]
        assert result(verdicts, [True] * 3).counts() == {
            "equal": 1,
            "differs as documented: B2": 1,
            "differs as documented: A1": 1,
        }


def test_every_entry_with_a_name_in_synthpop_is_asked_for() -> None:
    kinds = (CROSSTABLES, KEYS, FIT, LOGIT, CART)
    named = {s for s, metric in MEASURES.items() if metric.twin}
    asked = {s for kind in kinds for v in ("1.9-2", "1.9-3") for s in counterparts(kind, v)}
    assert named == asked


class TestVersions:
    NATIVE = dict.fromkeys(MEASURES, 40.0)

    def rows(self, version: str, answer: dict[str, float]) -> pd.DataFrame:
        result = Compared(KEYS, "disclosure", {}, self.NATIVE, answer)
        return pd.DataFrame(result.rows(version)).set_index("metric")

    def test_a_measure_is_compared_under_the_name_of_the_version_that_answers(self) -> None:
        older = self.rows("1.9-2", {"DCAP": 40.0, "TCAP": 40.0})["verdict"]
        newer = self.rows("1.9-3", {"DCAPd": 40.0, "TCAP": 40.0})["verdict"]
        assert older[["DCAP", "TCAP_matched"]].tolist() == [EQUAL, EQUAL]
        assert newer[["DCAP", "TCAP_certain"]].tolist() == [EQUAL, EQUAL]
        assert "TCAP_certain" not in older.index
        assert "TCAP_matched" not in newer.index

    def test_the_name_of_the_other_version_is_not_taken_for_it(self) -> None:
        assert self.rows("1.9-3", {"DCAP": 40.0})["verdict"]["DCAP"].startswith("not compared")

    def test_what_a_newer_version_calls_otherwise_is_said_and_what_differs_is_found(self) -> None:
        result = self.rows("2.0-0", {"DCAPd": 40.0, "repU": 41.0})
        assert result.loc["DCAP", "verdict"] == EQUAL
        assert result.loc["repU", "verdict"] == "DIFFERS"
        assert result.loc["DiSCO", "verdict"] == (
            "not compared: synthpop 2.0-0 answers without 'DiSCO'; known are 1.9-2 and 1.9-3"
        )
        assert result.loc["DiSCO", "explained"]


class TestGroups:
    """Whether both have the same records in each group of a number, by a table of one column."""

    @pytest.mark.parametrize(
        ("changed", "agrees"), [({}, True), ({"pMSE": 9.0}, False), (None, False)]
    )
    def test_groups_are_the_same_where_every_statistic_of_them_is(
        self, changed: dict[str, float] | None, agrees: bool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        frames = [as_microdata(mixed(seed=seed), "data") for seed in (1, 2)]
        data = harmonise(frames[0], frames[1:])
        options = Options(ngroups_targets={"income": 5})
        scenario = Scenario("default", ("area",), ("income", "target"))
        patience = Patience(SimpleNamespace(versions={"synthpop": "1.9-2"}))  # type: ignore[arg-type]
        question = disclosure._Question(data, scenario, options, patience)
        ours = native_tables(encode(data, by_groups(5), ["income"]), [("income",)], k_syn=False)
        row = ours["income",]
        assert isinstance(row, dict)

        def answer(_synds: object, tables: list[tuple[str]], *, ngroups: int) -> Any:
            assert (tables, ngroups) == ([("income",)], 5)
            if changed is None:
                return {("income",): RError("no table", kind="error")}
            return {("income",): row | changed}

        monkeypatch.setattr(disclosure, "utility_tabs", answer)
        monkeypatch.setattr(disclosure.shown, "as_user_would", lambda *_: None)
        assert question._grouping_agrees(["area", "income"]) is agrees


def test_the_readme_names_the_versions_that_are_known() -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    assert f"synthpop {SUPPORTED}" in readme


class TestTies:
    def found(self, theirs: float, pairs: float) -> Any:
        native = {"U_logit": 100.0}
        one = Compared(LOGIT, "utility.gen", {}, native, {"U": theirs}, only=("U_logit",))
        return next(replace(one, allowed={"U_logit": (pairs, "ties")}).rows("1.9-3"))

    def test_a_difference_within_the_pairs_that_may_tie_is_explained(self) -> None:
        assert self.found(100.5, 1)["verdict"] == "differs as documented: ties"

    def test_a_larger_one_is_not(self) -> None:
        assert self.found(101.5, 1)["verdict"] == "DIFFERS"
        assert self.found(100.5, 0)["verdict"] == "DIFFERS"

    def test_pairs_are_counted_across_all_scores_that_are_near(self) -> None:
        rng = np.random.default_rng(3)
        score = 0.5 + rng.integers(0, 30, 40) * 2e-9
        sides = rng.integers(0, 4, (2, 40))
        slow = sum(
            int(sides[0, i]) * int(sides[1, j])
            for i in range(40)
            for j in range(40)
            if i != j and abs(score[i] - score[j]) < 5e-9
        )
        assert near_ties(ScoredRecords(score, *sides)) == slow


def test_without_r_the_error_says_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(RError, match="R does not start"):
        sdc.crosscheck(sdc.demo.study(), session=_fake(tmp_path, "failed"))


def test_what_is_no_session_is_refused_by_its_type() -> None:
    with pytest.raises(StudyError, match="Session but got str"):
        sdc.crosscheck(sdc.demo.study(), session="R")  # type: ignore[arg-type]


def test_r_that_keeps_dying_costs_its_rows_only(tmp_path: Path) -> None:
    original = pd.DataFrame({"k": list("aabb"), "t": list("xyxy"), "u": list("ppqq")})
    study = sdc.Study(original, {"one": original}, keys=["k"], targets=["t"])
    with _fake(tmp_path, "dying") as session:
        result = sdc.crosscheck(study, session=session)
    assert not result.ok
    rows = asked(result)
    assert len(rows) == 20 * (3 + 3) + 17 + 4 + 7
    assert not rows["explained"].any()
    assert rows["native"].notna().sum() > 100
    assert rows["verdict"].str.startswith("not compared: R was").all()
    assert rows["verdict"].str.contains("given up").any()


def test_patience_ends() -> None:
    patience = Patience(rbridge.Session())
    asked = []

    def die() -> None:
        asked.append(1)
        reason = "died"
        raise RError(reason, kind="died")

    for _ in range(5):
        assert isinstance(patience.ask(die), RError)
    assert len(asked) == 3


def _fake(folder: Path, kind: str) -> rbridge.Session:
    script = folder / f"{kind}.py"
    hello = (
        '{"failed": "it will not"}'
        if kind == "failed"
        else '{"ready": {"r": "0", "synthpop": "1.9.2"}}'
    )
    script.write_text(
        "import os, signal\n"
        "from sdcmetrics.rbridge.wire import read_message, write_message\n"
        "requests, replies = os.fdopen(0, 'rb'), os.fdopen(os.dup(1), 'wb')\n"
        "read_message(requests)\n"
        f"write_message(replies, {hello})\n"
        "read_message(requests)\n"
        "os.kill(os.getpid(), signal.SIGSEGV)\n"
    )
    return rbridge.Session(timeout=30, command=(sys.executable, str(script)))


def mixed(n: int = 150, seed: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "hours-per-week": rng.choice([8, 10, 35, 40, 60, 100], n),
            "area": pd.Categorical(rng.choice(["n", "e", "s"], n)),
            "target": rng.choice(["a", "b | c", "d"], n),
            "flag": rng.random(n) < 0.3,
            "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 5, n), "D"),
            "income": rng.gamma(2.0, 60_000.0, n).round(-3),
        }
    )


Change = Callable[[pd.DataFrame], pd.DataFrame]


def _gap(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(area=frame["area"].where(frame.index > 8))


CHANGES: dict[str, tuple[Change, set[str]]] = {
    "as it is": (lambda d: d, set()),
    "few numbers": (lambda d: d[~d["hours-per-week"].isin([10, 100])], {"B2"}),
    "one flag": (lambda d: d.assign(flag=True), {"B1"}),
    "missing in the replica": (_gap, {"A9"}),
    "missing numbers": (
        lambda d: d.assign(income=d["income"].where(d.index > 8)),
        {"A9"},
    ),
    "unseen level": (lambda d: d.assign(area=d["area"].astype(str).replace("n", "w")), set()),
    "constant": (lambda d: d.assign(income=5.0), set()),
}


@pytest.mark.r
@pytest.mark.parametrize("name", list(CHANGES))
def test_native_and_synthpop_agree_or_the_defect_is_known(name: str, r: rbridge.Session) -> None:
    change, expected = CHANGES[name]
    study = sdc.Study(
        mixed(),
        {"made": change(mixed(seed=2))},
        keys=["area", "flag"],
        targets=["hours-per-week", "target", "income"],
        ngroups_targets={"income": 5},
    )
    result = sdc.crosscheck(study, session=r)
    assert result.ok, result.unexplained.to_string()
    text = " ".join(result.counts())
    assert all(number in text for number in expected), text
    assert result.counts()[EQUAL] > 100
    assert result.largest_difference() < 1e-9


@pytest.mark.r
def test_a_constant_number_is_told_and_checked_all_the_same(r: rbridge.Session) -> None:
    original = mixed().assign(income=5.0)
    study = sdc.Study(original, {"made": original}, keys=["area"], targets=["flag"])
    result = sdc.crosscheck(study, session=r)
    assert result.ok, result.unexplained.to_string()
    place = result.table["variables"].map(lambda v: v == ("income",))
    assert result.table[place]["verdict"].str.startswith("differs as documented: A1").all()
    assert result.table[place]["aligned"].notna().any()


@pytest.mark.r
def test_several_syntheses_are_compared_by_their_means(r: rbridge.Session) -> None:
    study = sdc.Study(
        mixed(),
        {"made": [mixed(seed=2), mixed(n=90, seed=3)]},
        keys=["area", "flag"],
        targets=["target"],
        ways=(1, 3),
    )
    result = sdc.crosscheck(study, session=r)
    assert result.ok, result.unexplained.to_string()
    assert result.versions["synthpop"] == r.versions["synthpop"]


@pytest.mark.r
def test_models_of_a_study_are_fitted_twice(r: rbridge.Session) -> None:
    original = mixed().assign(hours=mixed()["hours-per-week"])
    replicas = [mixed(seed=s).assign(hours=mixed(seed=s)["hours-per-week"]) for s in (2, 3)]
    for frame in (original, *replicas):
        frame.loc[:10, "income"] = -8
    study = sdc.Study(
        original,
        {"one": replicas[0], "two": replicas},
        keys=["area"],
        targets=["target"],
        ways=(1,),
        missing_codes={"income": [-8]},
        models=["income ~ hours + area", ("flag ~ hours + area", "binomial")],
    )
    result = sdc.crosscheck(study, session=r)
    assert result.ok, result.unexplained.to_string()
    models = result.table[result.table["family"] == "specific utility"]
    assert len(models) == 2 * 2 * len(counterparts(FIT, "1.9-2"))
    assert {*models["model"]} == {model.name for model in study.models}
    assert (models["verdict"] == EQUAL).all(), models.to_string()
    assert models["native"].notna().all()


@pytest.mark.r
def test_models_of_categories_are_fitted_twice_up_to_the_optimiser_of_r(r: rbridge.Session) -> None:
    original, replica = mixed(), mixed(seed=2)
    for frame in (original, replica):
        frame["level"] = pd.cut(frame["income"], 3, labels=["low", "mid", "top"])
        frame["hours"] = frame["hours-per-week"] / 10
    models = [("level ~ hours + flag", "ordered"), ("level ~ hours + flag", "multinomial")]
    models += [("flag ~ hours", "multinomial")]
    options: dict[str, Any] = {"keys": ["area"], "targets": ["flag"], "ways": (1,)}
    result = sdc.crosscheck(
        sdc.Study(original, {"made": replica}, models=models, **options), session=r
    )
    assert result.ok, result.unexplained.to_string()
    rows = result.table[result.table["family"] == "specific utility"]
    assert rows["native"].notna().all()
    asked, binary = rows[:6], rows[6:]
    assert asked["verdict"].isin([EQUAL, "differs as documented: optimiser"]).all()
    assert (asked["absolute"] < 0.01).all()
    assert binary["verdict"].str.startswith("not compared: ").all()


@pytest.mark.r
def test_a_lack_of_fit_that_depends_on_units_is_synthpops(r: rbridge.Session) -> None:
    original, replica = mixed(), mixed(seed=2)
    for frame in (original, replica):
        frame["pesos"] = frame["income"] * 10
        frame["hours"] = frame["hours-per-week"] + frame["income"] / 20_000
    study = sdc.Study(
        original,
        {"made": replica},
        keys=["area"],
        targets=["target"],
        ways=(1,),
        models=["hours ~ area + pesos"],
    )
    result = sdc.crosscheck(study, session=r)
    assert result.ok, result.unexplained.to_string()
    row = result.table.set_index("metric").loc["lack_of_fit"]
    assert row["verdict"] == "differs as documented: B28"
    assert row["aligned"] == pytest.approx(row["native"], rel=1e-8)
    assert row["synthpop"] != pytest.approx(row["native"], rel=1e-3)


@pytest.mark.r
def test_levels_of_no_record_and_missing_logicals_and_dates_are_explained(
    r: rbridge.Session,
) -> None:
    rng = np.random.default_rng(4)

    def file(levels: str) -> pd.DataFrame:
        day = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 9, 60), unit="D")
        return pd.DataFrame({
            "key": [*levels, *rng.choice([*"abc"], 60 - len(levels))],
            "vote": rng.choice([*"xy"], 60),
            "flag": rng.choice(np.array([True, False, None]), 60),
            "day": day,
            "score": rng.normal(size=60),
            "same": 1,
        })  # fmt: skip

    study = sdc.Study(
        file("defg"),
        {"made": file("dd")},
        keys=["key"],
        targets=["vote"],
        ways=(1,),
        models=["score ~ day + vote"],
    )
    result = sdc.crosscheck(study, session=r)
    assert result.ok, result.unexplained.to_string()
    table = result.table
    row = table[(table["metric"] == "UiOiS") & table["function"].eq("disclosure")].iloc[0]
    assert row["verdict"] == "differs as documented: B29"
    assert [row["native"], row["synthpop"]] == pytest.approx([100 / 60, 400 / 60])
    models = table[table["metric"].isin(["pMSE_logit", "pMSE_cart"])]
    assert set(models["verdict"]) == {"differs as documented: B6"}
    assert set(table.loc[table["metric"] == "lack_of_fit", "verdict"]) == {
        "differs as documented: B28"
    }


@pytest.mark.r
def test_a_wrong_native_value_is_found(r: rbridge.Session, monkeypatch: pytest.MonkeyPatch) -> None:
    from sdcmetrics.agreement import tables as crosscheck_tables

    right = crosscheck_tables.native_tables

    def wrong(*args: Any, **options: Any) -> Any:
        outcome = right(*args, **options)
        return {t: {n: v * 1.0001 for n, v in values.items()} for t, values in outcome.items()}

    monkeypatch.setattr("sdcmetrics.agreement.tables.native_tables", wrong)
    frame = mixed()[["area", "flag"]]
    study = sdc.Study(frame, {"made": mixed(seed=2)}, keys=["area"], targets=["flag"])
    result = sdc.crosscheck(study, session=r)
    assert not result.ok
    assert (result.unexplained["verdict"] == "DIFFERS").all()


@pytest.mark.r
def test_r_killed_while_it_counts_owes_its_rows_and_no_others(r: rbridge.Session) -> None:
    frames = [pd.concat([mixed(), mixed(seed=s).add_suffix("_2")], axis=1) for s in (2, 3)]
    study = sdc.Study(frames[0], {"made": frames[1]}, keys=["area"], targets=["flag"])
    pid = r.versions and r.pid
    assert isinstance(pid, int)

    def kill(_step: str, done: int, _steps: int) -> None:
        if done == 1:
            threading.Timer(0.3, os.kill, (pid, signal.SIGKILL)).start()

    result = sdc.crosscheck(study, session=r, progress=kill)
    rows = asked(result)
    owed = rows[rows["verdict"].str.startswith("not compared")]
    assert owed["verdict"].str.contains("SIGKILL").all()
    assert not owed["explained"].any()
    assert len(owed) <= 12 * 20  # the tables of one call
    assert bool(len(owed)) != result.ok
    assert r.pid != pid
    assert (result.table["verdict"] == EQUAL).sum() > 50  # the next calls have another R


@pytest.mark.r
def test_the_demo_agrees(r: rbridge.Session) -> None:
    result = sdc.crosscheck(sdc.demo.study(), session=r)
    assert result.ok
    documented = {f"differs as documented: {why}" for why in ("B9", "B11", "rounding")}
    newer = set(MEASURES) - set(counterparts(KEYS, r.versions["synthpop"]))
    absent = result.table[result.table["verdict"].str.startswith("not compared: not in synthpop")]
    assert set(absent["metric"]) <= newer
    assert {*result.counts()} - ({"not compared"} if len(absent) else set()) == {EQUAL, *documented}
    assert result.counts()[EQUAL] > 4000
    assert result.largest_difference() < 1e-9
    assert json.loads(json.dumps(result.to_dict(), allow_nan=False))["ok"] is True


_MAIN = "from sdcmetrics.cli.program import main; main()"


@pytest.mark.r
class TestCommandLine:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        mixed()[["area", "flag", "target"]].to_csv(tmp_path / "original.csv", index=False)
        mixed(seed=2)[["area", "flag", "target"]].to_csv(tmp_path / "made.csv", index=False)
        (tmp_path / "study.toml").write_text(
            '[data]\noriginal = "original.csv"\nreplicas = {made = "made.csv"}\n'
            '[roles]\nkeys = ["area"]\ntargets = ["flag"]\n'
        )
        return tmp_path

    def test_it_prints_the_verdicts_and_writes_all_rows(
        self, folder: Path, r: rbridge.Session, run_cli: Cli, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(rbridge, "Session", lambda **_: r)  # one that has started,
        monkeypatch.setattr(r, "close", lambda: None)  # and goes on
        monkeypatch.chdir(folder)
        files = ("--csv", "rows.csv", "--json", "all.json")
        code, out, err = run_cli("crosscheck", "study.toml", "--quiet", *files)
        assert code == 0, out + err
        assert "equal" in out
        assert "synthpop" in out
        assert json.loads((folder / "all.json").read_text(encoding="utf-8"))["ok"] is True
        rows = pd.read_csv(folder / "rows.csv")
        assert "DIFFERS" not in set(rows["verdict"])
        assert (rows["verdict"] == EQUAL).sum() > 50

    def test_a_time_limit_is_a_reason_and_an_exit_status(
        self, folder: Path, r: rbridge.Session
    ) -> None:
        assert r.versions
        done = subprocess.run(
            [sys.executable, "-c", _MAIN, "crosscheck", "study.toml", "--timeout", "0.001"],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        )
        assert done.returncode == 3
        assert "no answer in 0.001 s" in done.stderr


def test_the_terminal_says_in_words_which_defect_is_meant(
    capsys: pytest.CaptureFixture[str],
) -> None:
    row = dict.fromkeys(COLUMNS, "") | {"relative": 0.5, "explained": True}
    rows = [row | {"verdict": "differs as documented: B11"}, row | {"verdict": EQUAL}]
    show_crosscheck(CrossCheck(pd.DataFrame(rows, columns=list(COLUMNS))), None, None)
    out = " ".join(capsys.readouterr().out.split())
    assert "B11: in synthpop, some parameters are ignored or applied in another order" in out
    assert "B1:" not in out


@pytest.mark.parametrize("rows", [25, 26])
def test_as_many_rows_are_printed_as_a_screen_has(
    capsys: pytest.CaptureFixture[str], rows: int
) -> None:
    row = dict.fromkeys(COLUMNS, "") | {"metric": "CIO", "model": "y ~ x", "verdict": "DIFFERS"}
    _rows(pd.DataFrame([row] * rows))
    out = capsys.readouterr().out.splitlines()
    assert out[:25] == ["  CIO of y ~ x: DIFFERS"] * 25
    assert out[25:] == ["  ... and 1 more; --csv FILE saves them all"] * (rows - 25)


@pytest.mark.parametrize(
    ("said", "printed"),
    [
        ({"function": "utility.gen"}, "utility.gen, pMSE of all variables"),
        ({"function": "utility.tab", "variables": "a:b"}, "utility.tab, pMSE of a:b"),
        (
            {"function": "disclosure", "scenario": "one", "keys": "a:b", "target": "c"},
            "disclosure, pMSE of one: a:b -> c",
        ),
        ({}, "pMSE"),
    ],
)
def test_a_row_says_what_it_is_of(
    capsys: pytest.CaptureFixture[str], said: dict[str, str], printed: str
) -> None:
    row = dict.fromkeys(COLUMNS, "") | {"metric": "pMSE", "verdict": "DIFFERS"} | said
    _rows(pd.DataFrame([row]))
    assert capsys.readouterr().out == f"  {printed}: DIFFERS\n"


def test_synthpops_lack_of_fit_is_told_per_coefficient() -> None:
    summary = {"mean.ci.overlap": 0.9, "mean.abs.std.diff": 1.5, "lack.of.fit": 12.0, "ncoef": 4}
    result = models._synthpop(SimpleNamespace(summary=summary))
    assert list(result.values()) == [0.9, 1.5, 3.0]
