"""Arbitrary replicas through the bridge: as the native functions, or a reason with its number."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics import rbridge
from sdcmetrics.errors import RError
from sdcmetrics.rbridge.utility import utility_tabs

pytestmark = pytest.mark.r

N = 120


def survey(n: int = N, seed: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "region": pd.Categorical(rng.choice(["north", "east", "south"], n)),
            "sex": rng.choice(["f", "m"], n),
            "age": rng.integers(18, 80, n),
            "income": rng.gamma(2.0, 1000.0, n).round(1),
            "member": rng.random(n) < 0.4,
            "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 4, n), "D"),
        }
    )


def other_n(frame: pd.DataFrame) -> pd.DataFrame:
    return pd.concat([frame, frame.head(37)], ignore_index=True)


def other_order(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[frame.columns[::-1]]


def extra_column(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(extra=1)


def text_for_factor(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(region=frame["region"].astype(str), sex=frame["sex"].astype("category"))


def double_for_int(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(age=frame["age"].astype(float))


def permuted_levels(frame: pd.DataFrame) -> pd.DataFrame:
    levels = ["south", "north", "east"]
    return frame.assign(region=frame["region"].cat.reorder_categories(levels))


def unseen_level(frame: pd.DataFrame) -> pd.DataFrame:
    region = frame["region"].astype(str)
    region.iloc[:5] = "west"
    return frame.assign(region=region)


def lacking_level(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(region=frame["region"].astype(str).replace("east", "north"))


def unused_level(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(region=frame["region"].cat.add_categories(["nowhere"]))


def text_for_logical(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(member=frame["member"].map({True: "yes", False: "no"}))


def text_for_date(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(day=frame["day"].dt.strftime("%Y-%m-%d"))


REPLICAS: list[Callable[[pd.DataFrame], pd.DataFrame]] = [
    other_n,
    other_order,
    extra_column,
    text_for_factor,
    double_for_int,
    permuted_levels,
    unseen_level,
    lacking_level,
    unused_level,
    text_for_logical,
    text_for_date,
]


def close(ours: Any, theirs: Any) -> None:
    assert list(ours.index) == list(theirs.index)
    pd.testing.assert_frame_equal(
        pd.DataFrame(ours).astype(float),
        pd.DataFrame(theirs).astype(float),
        rtol=1e-10,
        atol=1e-12,
        check_names=False,
    )


@pytest.mark.parametrize("change", REPLICAS, ids=[f.__name__ for f in REPLICAS])
def test_any_replica_gives_what_the_native_functions_give(
    change: Callable[[pd.DataFrame], pd.DataFrame], r: rbridge.Session
) -> None:
    original, replica = survey(), change(survey(seed=2))
    synds = rbridge.as_synds(replica, original, session=r)
    theirs = rbridge.utility_tables(synds, ways=2)
    close(theirs, sdc.utility_tables(original, replica, ways=2)[theirs.columns])
    risk = rbridge.disclosure(synds, keys=["sex", "region"], target="member")
    native = sdc.disclosure(
        original, replica, keys=["sex", "region"], target="member", synthpop=r.versions["synthpop"]
    )
    close(risk.per_synthesis, native.per_synthesis[risk.per_synthesis.columns])
    left = risk.exclusions.loc[1].to_numpy().tolist()
    assert left == native.exclusions.loc[1].to_numpy().tolist()
    assert theirs.attrs["fixes"] == synds.fixes


@pytest.mark.parametrize("change", REPLICAS, ids=[f.__name__ for f in REPLICAS])
def test_direct_and_clone_agree(
    change: Callable[[pd.DataFrame], pd.DataFrame], r: rbridge.Session
) -> None:
    original, replica = survey(), change(survey(seed=2))
    pair = [rbridge.as_synds(replica, original, how=how, session=r) for how in ("direct", "clone")]
    tables = [rbridge.utility_tables(synds, ways=1) for synds in pair]
    pd.testing.assert_frame_equal(*tables)
    risks = [rbridge.disclosure(s, keys=["sex"], target="region") for s in pair]
    pd.testing.assert_frame_equal(risks[0].per_synthesis, risks[1].per_synthesis)
    fits = [rbridge.lm_fit(s, "income ~ age + sex", population_inference=True) for s in pair]
    pd.testing.assert_frame_equal(fits[0].difference, fits[1].difference)
    pd.testing.assert_series_equal(fits[0].summary, fits[1].summary)
    uniques = [rbridge.replicated_uniques(s, keys=["sex", "region"]) for s in pair]
    pd.testing.assert_frame_equal(*uniques)


def test_direct_and_clone_agree_with_codes_several_syntheses_and_unsynthesised_columns(
    r: rbridge.Session,
) -> None:
    original = survey()
    original.loc[:20, "income"] = -8.0
    replicas = [survey(seed=i) for i in (2, 3)]
    for replica in replicas:
        replica.loc[:15, "income"] = -8.0
    pair = [
        rbridge.as_synds(
            replicas,
            original,
            how=how,
            missing_codes={"income": -8},
            not_synthesised=["sex"],
            session=r,
        )
        for how in ("direct", "clone")
    ]
    tables = [rbridge.utility_tab(s, ["income", "sex"], per_synthesis=True) for s in pair]
    pd.testing.assert_frame_equal(*tables)  # type: ignore[arg-type]
    native = sdc.utility_tab(
        original, replicas, ["income", "sex"], missing_codes={"income": -8}, per_synthesis=True
    )
    close(tables[0], native[tables[0].columns])  # type: ignore[index]
    generals = [rbridge.utility_gen(s, method="logit", maxorder=0) for s in pair]
    pd.testing.assert_frame_equal(generals[0].per_synthesis, generals[1].per_synthesis)
    compared = [rbridge.compare(s) for s in pair]
    pd.testing.assert_frame_equal(compared[0].tables, compared[1].tables)
    pd.testing.assert_frame_equal(compared[0].utility, compared[1].utility)
    fits = [rbridge.lm_fit(s, "age ~ sex + region") for s in pair]
    assert fits[0].summary["incomplete"] == fits[1].summary["incomplete"]
    pd.testing.assert_frame_equal(fits[0].difference, fits[1].difference)


@pytest.mark.parametrize("where", ["original", "replica", "both"])
@pytest.mark.parametrize("column", ["region", "income"])
def test_missing_on_either_side_is_counted_or_told(
    column: str, where: str, r: rbridge.Session
) -> None:
    original, replica = survey(), survey(seed=2)
    for name, frame in (("original", original), ("replica", replica)):
        if where in (name, "both"):
            frame.loc[:10, column] = None
    synds = rbridge.as_synds(replica, original, session=r)
    native = sdc.utility_tab(original, replica, [column, "sex"])
    if where == "replica":
        with pytest.raises(RError, match="A9") as caught:
            rbridge.utility_tab(synds, [column, "sex"])
        assert caught.value.defects == ("A9",)
        assert "A9" in synds.defects
    else:
        theirs = rbridge.utility_tab(synds, [column, "sex"])
        close(theirs, native[theirs.index])
    if column == "region":
        risk = rbridge.disclosure(synds, keys=["sex"], target="region")
        native_risk = sdc.disclosure(
            original, replica, keys=["sex"], target="region", synthpop=r.versions["synthpop"]
        )
        ours = native_risk.per_synthesis
        close(risk.per_synthesis, ours[risk.per_synthesis.columns])


def test_several_syntheses_are_means(r: rbridge.Session) -> None:
    original, replicas = survey(), [survey(seed=i) for i in (2, 3, 4)]
    synds = rbridge.as_synds(replicas, original, session=r)
    assert synds.m == 3
    each = rbridge.utility_tab(synds, "age", per_synthesis=True)
    close(each, sdc.utility_tab(original, replicas, "age", per_synthesis=True)[each.columns])
    many = rbridge.multi_disclosure(synds, keys=["sex", "region"], targets=["member", "age"])
    native = sdc.multi_disclosure(
        original,
        replicas,
        keys=["sex", "region"],
        targets=["member", "age"],
        synthpop=r.versions["synthpop"],
    )
    close(many.loc[["member"], ["DiSCO", "TCAP"]], native.loc[["member"], ["DiSCO", "TCAP"]])
    assert many.index.tolist() == ["member", "age"]
    assert many.attrs["defects"] == ("B2",)


def test_syntheses_of_unequal_size_stop_compare_and_the_error_has_its_number(
    r: rbridge.Session,
) -> None:
    replicas = [survey(seed=2), survey(n=80, seed=3)]
    synds = rbridge.as_synds(replicas, survey(), session=r)
    assert "B20" in synds.defects
    with pytest.raises(RError, match="B20") as caught:
        rbridge.compare(synds)
    assert caught.value.defects == ("B20",)
    theirs = rbridge.utility_tab(synds, "sex", per_synthesis=True)
    close(theirs, sdc.utility_tab(survey(), replicas, "sex", per_synthesis=True)[theirs.columns])


def test_a_constant_number_stops_synthpop_and_the_error_says_so(r: rbridge.Session) -> None:
    frame = survey().assign(age=30)
    with pytest.raises(RError, match=r"utility\.tab stopped: .*A1"):
        rbridge.utility_tab((frame, frame), "age", session=r)


def test_levels_in_another_order_are_wrong_only_as_they_are(r: rbridge.Session) -> None:
    original = survey()
    replica = permuted_levels(original)
    raw = rbridge.as_synds(replica, original, harmonise=False, session=r)
    assert rbridge.utility_tab(raw, "region")["pMSE"] > 0
    assert rbridge.utility_tab((original, replica), "region", session=r)["pMSE"] == 0


def test_terms_that_one_side_lacks_are_marked(r: rbridge.Session) -> None:
    original = survey()
    fit = rbridge.lm_fit((original, lacking_level(original)), "age ~ region", session=r)
    assert "B9" in fit.defects


def test_warnings_and_printing_are_kept(r: rbridge.Session) -> None:
    original = survey()
    result = rbridge.utility_tab(
        (original, survey(seed=2)), ["sex", "region"], printed=True, session=r
    )
    assert "Observed" in result.attrs["output"] or "pMSE" in result.attrs["output"]
    many = rbridge.utility_tab((original, original), ["age", "income", "region", "sex"], session=r)
    assert isinstance(many.attrs["warnings"], tuple)


def test_texts_beyond_ascii_survive(r: rbridge.Session) -> None:
    original = survey().assign(sex=lambda d: d["sex"].map({"f": "é", "m": "漢"}))
    compared = rbridge.compare((original, original), variables=["sex"], session=r)
    assert set(compared.tables.loc["sex"].index) == {"é", "漢"}


class TestSyn:
    def test_the_same_seed_gives_the_same_data(self, r: rbridge.Session) -> None:
        frame = survey().drop(columns="day")  # synthpop's trees stop at dates
        first, second = rbridge.syn(frame, m=2, seed=7, session=r)
        again = rbridge.syn(frame, m=2, seed=7, session=r)[0]
        pd.testing.assert_frame_equal(first, again)
        assert not first.equals(second)
        assert first.columns.tolist() == frame.columns.tolist()
        assert first.attrs["seed"] == 7

    def test_kinds_are_kept(self, r: rbridge.Session) -> None:
        frame = survey().assign(
            grade=lambda d: pd.Categorical(
                np.where(d["age"] > 40, "high", "low"), ["low", "high"], ordered=True
            )
        )
        frame.loc[3, "income"] = np.nan
        made = rbridge.syn(frame, method="sample", seed=1, k=50, session=r)[0]
        assert len(made) == 50
        assert made["region"].cat.categories.tolist() == ["east", "north", "south"]
        assert made["grade"].cat.ordered
        assert made["member"].dtype == bool
        assert made["age"].isin(frame["age"]).all()
        assert made["day"].isin(frame["day"]).all()

    def test_an_error_of_syn_is_told(self, r: rbridge.Session) -> None:
        with pytest.raises(RError, match="synthpop's syn stopped"):
            rbridge.syn(survey(), method="no such method", session=r)


def test_what_is_written_for_r_is_read_back(r: rbridge.Session, tmp_path: Path) -> None:
    original = survey()
    original.loc[2, "income"] = np.nan
    replicas = [survey(seed=2), survey(seed=3)]
    replicas[0].loc[4, "income"] = np.nan
    synds = rbridge.as_synds(replicas, original, missing_codes={"income": [-8, -9]}, session=r)
    path = rbridge.write_rds(synds, tmp_path / "made.rds")
    back = sdc.read_synds(path)
    assert [data.n for data in back] == [N, N]
    assert back[0].missing_codes == {"income": (-8.0, -9.0)}
    close(
        sdc.utility_tables(original, back, ways=1),
        sdc.utility_tables(original, replicas, ways=1, missing_codes={"income": [-8, -9]}),
    )
    frame = back[0].to_pandas()
    assert frame["income"].isna().sum() == 1
    assert frame["member"].tolist() == replicas[0]["member"].tolist()
    assert pd.to_datetime(frame["day"]).tolist() == replicas[0]["day"].tolist()


class TestTrouble:
    @pytest.fixture(autouse=True)
    def _one_minute(self, r: rbridge.Session, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(r, "timeout", 60)

    def test_killing_r_in_the_middle_costs_one_answer_only(self, r: rbridge.Session) -> None:
        # By a signal that R handles too; the one that it cannot is in test_crosscheck.
        original, replica = survey(), survey(seed=2)
        synds = rbridge.as_synds(replica, original, session=r)
        before = rbridge.utility_tab(synds, "age")
        pid = r.pid
        assert pid is not None
        threading.Timer(0.3, os.kill, (pid, signal.SIGSEGV)).start()
        with pytest.raises(RError, match=r"killed by signal 11 \(SIGSEGV"):
            rbridge.utility_gen(synds, method="cart", nperms=100_000)
        after = rbridge.utility_tab(synds, "age")
        pd.testing.assert_series_equal(before, after)  # type: ignore[arg-type]
        assert r.pid != pid

    def test_a_memory_limit_is_told_and_survived(self, r: rbridge.Session) -> None:
        assert r.versions
        n = 4000
        original = pd.DataFrame(
            {"k": [f"k{i}" for i in range(n)], "t": [f"t{i}" for i in range(n)]}
        )
        with rbridge.Session(timeout=60, memory_mb=300) as session:
            with pytest.raises(RError, match=r"out of memory|SIGABRT|SIGKILL|SIGSEGV"):
                rbridge.disclosure((original, original), keys=["k"], target="t", session=session)
            small = survey()
            assert rbridge.utility_tab((small, small), "sex", session=session)["pMSE"] == 0

    def test_r_does_not_outlive_who_started_it(self, r: rbridge.Session, tmp_path: Path) -> None:
        assert r.versions
        script = tmp_path / "started.py"
        script.write_text(
            "import os, signal\n"
            "from sdcmetrics import rbridge\n"
            "session = rbridge.Session()\n"
            "session.versions\n"
            "print(session.pid, flush=True)\n"
            "os.kill(os.getpid(), signal.SIGKILL)\n"
        )
        root = str(Path(__file__).parents[2])
        done = subprocess.run(
            [sys.executable, str(script)],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYTHONPATH": root},
        )
        pid = int(done.stdout)
        for _ in range(50):
            if not Path(f"/proc/{pid}").exists():
                break
            time.sleep(0.2)
        assert not Path(f"/proc/{pid}").exists()


def test_the_same_session_serves_frames_that_go_out_of_scope(r: rbridge.Session) -> None:
    for seed in range(3):
        rbridge.utility_tab((survey(), survey(seed=seed)), "sex", session=r)
    assert len(r._sent) < 20


def test_many_tables_in_one_call_are_those_of_one_call_each(r: rbridge.Session) -> None:
    first, other = survey(), survey(seed=2)
    synds = rbridge.as_synds([other, survey(seed=3)], first, session=r)
    tables = [("sex",), ("region", "sex"), ("region",), ("sex", "age", "region")]
    result = utility_tabs(synds, tables, ngroups=3)
    assert list(result) == tables
    for table in tables:
        alone = rbridge.utility_tab(synds, table, ngroups=3)
        row = result[table]
        assert not isinstance(row, RError)
        pd.testing.assert_series_equal(row, alone[row.index], check_names=False)
    assert result["sex",]["df"] == 1
    assert result["region",]["df"] == 2
