"""A review from start to frame: every measurement, every reason, and nothing lost on the way."""

from __future__ import annotations

import csv
import datetime as dt
import json
import math
import pickle
from collections.abc import Callable
from copy import copy, deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics import MEASURES, Review, Scenario, Study, conduct
from sdcmetrics.errors import ColumnError, DataError, FileError
from sdcmetrics.measures.anonymity.places import FILES, ONE_KEY
from sdcmetrics.measures.closeness.copies import COPIES
from sdcmetrics.measures.crosstables.k_marginal import K_MARGINAL
from sdcmetrics.measures.crosstables.places import CROSSTABLES, ONE_WAY
from sdcmetrics.measures.crosstables.statistics import STATISTICS
from sdcmetrics.measures.disclosure.places import KEYS
from sdcmetrics.measures.disclosure.versions import columns
from sdcmetrics.measures.fits.places import MEANS
from sdcmetrics.measures.kind import Given
from sdcmetrics.measures.registry import DISCLOSURE_RISK, GENERAL_UTILITY, of_kind
from sdcmetrics.review.measurement import COLUMNS

NOW = dt.datetime(2026, 11, 1, 12, tzinfo=dt.UTC)


def survey(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    income = rng.normal(3000, 900, n).round(-1)
    income[::11] = math.nan
    return pd.DataFrame(
        {
            "sex": pd.Categorical(rng.choice(["f", "m"], n), categories=["m", "f", "x"]),
            "age": rng.integers(20, 60, n),
            "area": pd.Series(rng.choice(["u", "v", None], n), dtype="str"),
            "income": income,
            "member": rng.choice([True, False], n),
            "born": pd.to_datetime("2000-01-01")
            + pd.to_timedelta(rng.integers(0, 400, n), unit="D"),
        }
    )


ORIGINAL = survey(80, 1)
CART = [survey(80, 2), survey(60, 3)]
CTGAN = survey(90, 4).drop(columns="member")
SCENARIOS = [
    Scenario("friend", ("sex", "age"), ("income", "area")),
    Scenario("colleague", ("area", "sex"), ("born",)),
]
OPTIONS: dict[str, Any] = {
    "scenarios": SCENARIOS,
    "ways": (1, 2, 3),
    "ngroups_keys": {"age": 4},
    "ngroups_targets": {"income": 3},
    "round_to": {"income": 500, "age": 10},
    "min_count": 2,
}


def study(**options: Any) -> Study:
    return Study(ORIGINAL, {"cart": CART, "ctgan": CTGAN}, **{**OPTIONS, **options})


@cache
def review() -> Review:
    return conduct(study(), now=NOW)


def rows(frame: pd.DataFrame | None = None, /, **where: Any) -> pd.DataFrame:
    result = review().frame if frame is None else frame
    for column, value in where.items():
        if isinstance(value, float) and math.isnan(value):
            result = result[result[column].isna()]
        else:
            result = result[result[column] == value]
    return result


@pytest.mark.parametrize("way", [pickle.dumps, copy, deepcopy])
def test_a_review_says_what_to_do_in_place_of_a_pickle(way: Callable[[Review], object]) -> None:
    with pytest.raises(TypeError, match=r"Write it with review\.to_json\(\)"):
        way(review())


class TestFrame:
    def test_has_the_promised_columns_in_order(self) -> None:
        assert tuple(review().frame.columns) == COLUMNS
        assert review().frame.index.equals(pd.RangeIndex(len(review().frame)))

    def test_every_counted_metric_of_the_catalogue_is_measured_for_every_replica(self) -> None:
        for replica in ("cart", "ctgan"):
            counted = (
                ONE_WAY,
                CROSSTABLES,
                MEANS,
                KEYS,
                COPIES,
                FILES,
                ONE_KEY,
                K_MARGINAL,
            )  # others if asked for
            measured = {s for s, m in MEASURES.items() if m.of in counted}
            measured -= {"match_risk", "match_risk_replica"}  # they need the population's size
            assert set(rows(replica=replica)["metric"]) == measured

    def test_units_and_families_are_those_of_the_catalogue(self) -> None:
        for row in review().frame.itertuples():
            assert row.unit == MEASURES[row.metric].unit
            assert row.family == MEASURES[row.metric].family

    def test_places_are_tuples_of_names(self) -> None:
        utility = rows(family=GENERAL_UTILITY)
        assert all(isinstance(v, tuple) for v in review().frame["variables"])
        assert {len(v) for v in utility["variables"]} == {0, 1, 2, 3}
        risk = rows(family=DISCLOSURE_RISK)
        risk = risk[risk["scenario"].notna() & risk["metric"].ne("key_uniques")]
        assert set(risk["keys"]) == {("sex", "age"), ("sex", "area")}  # in column order
        assert set(zip(risk["scenario"], risk["target"], strict=True)) == {
            ("friend", "income"),
            ("friend", "area"),
            ("colleague", "born"),
        }
        assert utility["scenario"].isna().all()
        assert risk["variables"].map(len).eq(0).all()

    def test_every_number_that_is_missing_has_a_reason_and_no_other_has_one(self) -> None:
        frame = review().frame
        assert (frame["value"].isna() == frame["reason"].notna()).all()

    def test_values_are_in_the_range_of_their_metric(self) -> None:
        for row in review().frame.dropna(subset=["value"]).itertuples():
            metric = MEASURES[row.metric]
            if metric.symbol == "PO50":  # below 0 with unequal sizes
                continue
            assert metric.low is None or row.value >= metric.low - 1e-9
            assert metric.high is None or row.value <= metric.high + 1e-9

    def test_counts_are_the_evidence_of_shares(self) -> None:
        single = rows(replica="ctgan", unit="percent").dropna(subset=["count", "total"])
        assert set(single["metric"]) >= {
            "repU",
            "UiS",
            "Dsyn",
            "DiSCO",
            "TCAP_matched",
            "TCAP_certain",
        }
        np.testing.assert_allclose(single["value"], 100 * single["count"] / single["total"])
        totals = single.set_index("metric")["total"]
        assert set(totals["UiS"]) == {90.0}
        assert set(totals["DiSCO"]) == {80.0}

    def test_records_without_a_match_are_no_part_of_the_evidence_of_tcap(self) -> None:
        review = conduct(Study(ORIGINAL, {"ctgan": CTGAN}, keys=["sex", "age", "area"], ways=(1,)))
        tcap = rows(review.frame, metric="TCAP_matched")
        matched = rows(review.frame, metric="iS")["count"].tolist()
        assert 0 < matched[0] < len(ORIGINAL)
        assert tcap["total"].tolist() == matched
        np.testing.assert_allclose(tcap["value"], 100 * tcap["count"] / tcap["total"])

    def test_a_mean_over_syntheses_of_unequal_sizes_counts_no_more_records_than_there_are(
        self,
    ) -> None:
        original = pd.DataFrame({"k": list("aab"), "t": list("xxy")})
        longer = pd.DataFrame({"k": ["z"] * 5, "t": ["x"] * 5})
        review = conduct(Study(original, {"cart": [original, longer]}, keys=["k"], ways=(1,)))
        mean = rows(review.frame, synthesis=math.nan).dropna(subset=["count", "total"])
        too_many = mean[mean["count"] > mean["total"]]
        assert too_many[["metric", "count", "total"]].to_numpy().tolist() == []

    def test_counts_are_the_evidence_of_each_synthesis(self) -> None:
        each = rows(replica="cart", unit="percent").dropna(subset=["count", "synthesis"])
        np.testing.assert_allclose(each["value"], 100 * each["count"] / each["total"])
        assert set(each[each["metric"] == "UiS"]["total"]) == {80.0, 60.0}


class TestValues:
    """The same numbers as the table functions called directly."""

    @pytest.mark.parametrize("ways", [1, 2, 3])
    @pytest.mark.parametrize("replica", ["cart", "ctgan"])
    def test_of_tables(self, replica: str, ways: int) -> None:
        synthetic = {"cart": CART, "ctgan": CTGAN}[replica]
        given = [f.assign(born=f["born"].astype("int64").astype(float)) for f in frames(synthetic)]
        original = ORIGINAL.assign(born=ORIGINAL["born"].astype("int64").astype(float))
        tables = sdc.utility_tables(original, given, ways=ways)
        distances = sdc.tvd(original, given, ways=ways)
        result = rows(replica=replica, synthesis=math.nan, family=GENERAL_UTILITY)
        result = result[result["variables"].map(len) == ways]
        for name in STATISTICS:
            ours = result[result["metric"] == name].set_index("variables")["value"]
            assert len(ours) == len(tables)
            for index, row in tables.iterrows():
                key = (index,) if ways == 1 else index
                assert ours[[key]].iloc[0] == pytest.approx(row[name], nan_ok=True), (key, name)
        ours = result[result["metric"] == "TVD"]["value"]
        np.testing.assert_allclose(ours, distances["TVD"])

    def test_of_tables_of_each_synthesis(self) -> None:
        tables = sdc.utility_tables(
            ORIGINAL, CART, ways=2, variables=["sex", "age", "area"], per_synthesis=True
        )
        for i in (1, 2):
            result = rows(replica="cart", synthesis=float(i), metric="S_pMSE")
            ours = result.set_index("variables")["value"]
            for names in (("sex", "age"), ("sex", "area"), ("age", "area")):
                assert ours[[names]].iloc[0] == pytest.approx(tables.loc[(*names, i), "S_pMSE"])

    def test_dates_can_be_left_as_levels_as_synthpop_does(self) -> None:
        levels = conduct(study(group_dates=False, ways=(1,))).frame
        ours = rows(levels, replica="ctgan", metric="df").set_index("variables")["value"]
        theirs = sdc.utility_tab(ORIGINAL, CTGAN, "born")
        assert ours[[("born",)]].iloc[0] == theirs["df"] > 50

    @pytest.mark.parametrize("replica", ["cart", "ctgan"])
    def test_of_the_ratio_of_counts(self, replica: str) -> None:
        synthetic = {"cart": CART, "ctgan": CTGAN}[replica]
        direct = sdc.ratio_of_counts(
            ORIGINAL, synthetic, round_to={"income": 500, "age": 10}, min_count=2
        )
        result = rows(replica=replica, metric="ROC", synthesis=math.nan).set_index("variables")
        assert result.loc[[()], "value"].iloc[0] == pytest.approx(direct.mean)
        for variable, row in direct.by_variable.iterrows():
            ours = result.loc[[(variable,)]].iloc[0]
            assert ours["value"] == pytest.approx(row["ROC"], nan_ok=True)
            assert (ours["reason"] or "") == row["skipped"]

    @pytest.mark.parametrize("replica", ["cart", "ctgan"])
    @pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: s.name)
    def test_of_disclosure(self, replica: str, scenario: Scenario) -> None:
        synthetic = {"cart": CART, "ctgan": CTGAN}[replica]
        for target in scenario.targets:
            direct = sdc.disclosure(
                ORIGINAL,
                synthetic,
                keys=scenario.keys,
                target=target,
                ngroups_keys={"age": 4} if "age" in scenario.keys else None,
                ngroups_target=3 if target == "income" else None,
            )
            result = rows(replica=replica, scenario=scenario.name, target=target)
            mean = rows(result, synthesis=math.nan).set_index("metric")["value"]
            symbols = {n: s for part in columns("1.9-3").values() for s, n in part.items()}
            for part in (direct.identity, direct.attribution, direct.cap):
                for name, value in part.items():
                    assert mean[symbols[str(name)]] == pytest.approx(value, nan_ok=True), name
            kept = review().disclosures[replica, scenario.name, target]
            pd.testing.assert_frame_equal(kept.records_at_risk, direct.records_at_risk)
            if replica == "cart":
                for i in (1, 2):
                    each = rows(result, synthesis=float(i)).set_index("metric")["value"]
                    for name, value in direct.per_synthesis.loc[i].items():
                        assert each[symbols[str(name)]] == pytest.approx(value, nan_ok=True), (
                            i,
                            name,
                        )

    def test_of_the_framework(self) -> None:
        direct = sdc.cap(ORIGINAL, CTGAN, keys=["area", "sex"], target="born")
        result = rows(replica="ctgan", scenario="colleague").set_index("metric")["value"]
        expected = {
            "CAP_o": direct.original,
            "CAP_b": direct.baseline,
            "CAP_s_zero": direct.synthetic_zero,
            "CAP_s_undefined": direct.synthetic_undefined,
            "CAP_s": direct.synthetic,
            "CAP_ratio": direct.ratio,
            "non_match": direct.non_match,
            "TCAP_synthetic": direct.variants["TCAP_synthetic"],
        }
        for symbol, value in expected.items():
            assert result[symbol] == pytest.approx(value, nan_ok=True), symbol

    def test_of_one_synthesis_have_no_row_of_their_own(self) -> None:
        assert rows(replica="ctgan")["synthesis"].isna().all()
        assert set(rows(replica="cart")["synthesis"].dropna()) == {1.0, 2.0}

    def test_mean_rows_are_those_without_a_synthesis(self) -> None:
        assert len(review().mean_rows()) == review().frame["synthesis"].isna().sum()


def frames(synthetic: Any) -> list[pd.DataFrame]:
    return synthetic if isinstance(synthetic, list) else [synthetic]


class TestReasons:
    def reasons(self, original: pd.DataFrame, synthetic: Any, **options: Any) -> dict[str, str]:
        options = {"keys": ["k"], "min_count": 1, **options}
        frame = conduct(Study(original, {"cart": synthetic}, **options)).frame
        assert (frame["value"].isna() == frame["reason"].notna()).all()
        without = frame[frame["value"].isna()]
        return dict(zip(without["metric"], without["reason"], strict=True))

    def test_one_cell(self) -> None:
        frame = pd.DataFrame({"k": list("ab"), "t": ["x", "x"]})
        result = self.reasons(frame, frame, ways=(1,))
        ratios = {"S_VW", "S_FT", "S_JSD", "S_WMabsDD", "S_G", "S_pMSE"}
        assert set(result) == {*ratios, "CIO_means"}
        assert result["CIO_means"].startswith("no column is numeric")
        assert result["S_pMSE"] == "the table has one non-empty cell, so 0 degrees of freedom"
        assert "at most one cell" in result["S_G"]

    def test_no_match(self) -> None:
        original = pd.DataFrame({"k": list("ab"), "t": list("xy")})
        synthetic = pd.DataFrame({"k": list("cd"), "t": list("xy")})
        result = self.reasons(original, synthetic)
        assert result["TCAP_matched"] == "no key combination of the original is in the replica"
        assert result["CAP_s_undefined"] == result["TCAP_matched"]
        assert result["TCAP_certain"].startswith("no key combination of the original is unanimous")
        assert result["DCAPb"] == result["TCAPb"]
        assert "unanimous" in result["TCAP_synthetic"]
        assert "no target is disclosed" in result["mean_denom"]

    def test_too_few_variables(self) -> None:
        frame = pd.DataFrame({"k": list("abb"), "t": list("xyy")})
        result = self.reasons(frame, frame, ways=(1, 5))
        assert result["S_pMSE"] == "there are only 2 variables"

    def test_every_variable_skipped(self) -> None:
        frame = pd.DataFrame({"k": list("abb"), "t": list("xyy")})
        study_ = Study(frame, {"cart": frame}, keys=["k"], min_count=99)
        roc = conduct(study_).frame.query("metric == 'ROC'")
        assert roc["value"].isna().all()
        assert roc["reason"].tolist()[-1] == "every variable was skipped"
        assert "fewer than 99 records" in roc["reason"].tolist()[0]

    def test_a_table_of_more_cells_than_there_are_numbers_is_counted(self) -> None:
        n = 1300
        frame = pd.DataFrame({f"v{i}": [f"{j}" for j in range(n)] for i in range(6)})
        frame["t"] = ["x", "y"] * (n // 2)
        assert n**6 > 2**62
        review = conduct(Study(frame, {"cart": frame}, keys=["v0"], targets=["t"], ways=(6,))).frame
        # One of the 7 tables of 6 variables has no t, and more cells than 64 bits can number.
        values = review[(review["metric"] == "S_pMSE") & review["value"].notna()]
        assert len(values) == 7


class TestReplicaThatLacksAColumn:
    def test_is_measured_on_the_others(self) -> None:
        cart = rows(replica="cart", metric="S_pMSE", synthesis=math.nan)["variables"]
        ctgan = rows(replica="ctgan", metric="S_pMSE", synthesis=math.nan)["variables"]
        assert {name for v in ctgan for name in v} == set(ORIGINAL.columns) - {"member"}
        assert {name for v in cart for name in v} == set(ORIGINAL.columns)

    def test_is_told(self) -> None:
        assert ("ctgan", "ctgan, column 'member': absent, so it is not compared.") in [
            (replica, str(fix)) for replica, fix in review().fixes
        ]

    def test_has_no_distribution_of_it(self) -> None:
        assert list(review().distributions["member"].replicas) == ["cart"]
        assert list(review().distributions["sex"].replicas) == ["cart", "ctgan"]

    def test_is_refused_where_the_column_has_a_role(self) -> None:
        with pytest.raises(ColumnError, match=r"'member'.*missing from ctgan"):
            study(scenarios=[Scenario("s", ("member",), ("income",))])

    def test_is_refused_where_the_column_was_asked_for(self) -> None:
        with pytest.raises(ColumnError, match="'member'"):
            conduct(study(variables=("member", "sex"), round_to={}))

    def test_default_targets_are_those_that_all_have(self) -> None:
        result = Study(ORIGINAL, {"cart": CART, "ctgan": CTGAN}, keys=["sex"]).scenarios[0]
        assert result.targets == ("age", "area", "income", "born")


class TestReview:
    def test_lists_its_inputs(self) -> None:
        inputs = [(i.role, i.name, i.synthesis, i.n, i.columns) for i in review().inputs]
        assert inputs == [
            ("original", "original", 0, 80, 6),
            ("replica", "cart", 1, 80, 6),
            ("replica", "cart", 2, 60, 6),
            ("replica", "ctgan", 1, 90, 5),
        ]
        assert review().n_original == 80
        assert review().replicas == ("cart", "ctgan")

    def test_a_holdout_is_listed(self) -> None:
        with_holdout = conduct(study(holdout=survey(20, 9), ways=(1,)))
        assert [(i.role, i.n) for i in with_holdout.inputs][-1] == ("holdout", 20)

    def test_describes_every_variable(self) -> None:
        sex = review().distributions["sex"]
        assert sex.labels == ("m", "f", "x")
        assert sum(sex.original) == 80
        assert sex.replicas["ctgan"] == tuple(
            (CTGAN["sex"].value_counts().reindex(["m", "f", "x"]) / 90).tolist()
        )
        mean = np.mean([c["member"].mean() for c in CART])
        assert review().distributions["member"].replicas["cart"][1] == pytest.approx(mean)
        for distribution in review().distributions.values():
            assert sum(distribution.original) == 80
            for shares in distribution.replicas.values():
                assert sum(shares) == pytest.approx(1)
        assert review().distributions["area"].labels[-1] is None

    def test_says_what_each_variable_is(self) -> None:
        assert review().variables == {
            "sex": "category",
            "age": "number",
            "area": "category",
            "income": "number",
            "member": "boolean",
            "born": "date",
        }

    def test_says_how_it_was_made(self) -> None:
        assert review().created == "2026-11-01T12:00:00+00:00"
        assert review().settings["ngroups_keys"] == {"age": 4}
        assert review().settings["profile"] == "default"
        assert {"python", "numpy", "pandas"} <= set(review().versions)
        assert {"harmonise", "cross-tables", KEYS.name, "distributions"} <= set(review().seconds)

    def test_is_the_same_whenever_it_is_made_apart_from_timings(self) -> None:
        again = conduct(study(), now=NOW)
        pd.testing.assert_frame_equal(again.frame, review().frame)
        assert again.distributions == review().distributions
        first, other = again.to_dict(), review().to_dict()
        del first["seconds"], other["seconds"]
        assert first == other

    def test_becomes_json_without_nan(self, tmp_path: Path) -> None:
        path = review().to_json(tmp_path / "review.json")
        document = json.loads(path.read_text(), parse_constant=pytest.fail)
        assert document["classification"] == "internal"
        assert len(document["measurements"]) == len(review().frame)
        of = [(item["role"], item["synthesis"]) for item in document["inputs"]]
        assert of == [(item.role, item.synthesis or None) for item in review().inputs]
        assert {number for role, number in of if role == "original"} == {None}
        assert 1 in {number for role, number in of if role == "replica"}

    def test_a_copy_of_the_frame_can_be_changed(self) -> None:
        before = review().frame.copy()
        copy = review().to_frame()
        copy["value"] = 0.0
        pd.testing.assert_frame_equal(review().frame, before)

    def test_a_replica_that_cannot_be_compared_stops_it_before_anything_is_measured(
        self, tmp_path: Path
    ) -> None:
        checkpoint = tmp_path / "partial.csv"
        calls: list[str] = []
        wrong = ORIGINAL.assign(age="unknown")
        with pytest.raises(DataError, match="'age'"):
            conduct(
                Study(ORIGINAL, {"cart": CART, "wrong": wrong}, keys=["sex"]),
                progress=lambda step, _done, _steps: calls.append(step),
                checkpoint=checkpoint,
            )
        assert calls == []
        assert not checkpoint.exists()


class TestProgress:
    def test_counts_up_to_the_number_of_steps(self) -> None:
        calls: list[tuple[str, int, int]] = []
        conduct(study(), progress=lambda *call: calls.append(call))
        (steps,) = {total for _, _, total in calls}
        done = [number for _, number, _ in calls]
        assert done == sorted(done)
        assert (done[0], done[-1]) == (0, steps)
        for step in ("k-marginal score", "3-way tables", "disclosure of born"):
            begun, ended = (number for name, number, _ in calls if name == f"cart: {step}")
            assert ended == begun + 1

    def test_names_replicas_and_columns(self) -> None:
        calls: list[str] = []
        conduct(study(), progress=lambda step, _done, _steps: calls.append(step))
        assert calls[0] == "harmonised"
        assert calls[1] == "cart: ratio of counts"
        assert "ctgan: 2-way tables" in calls
        assert "cart: disclosure of born" in calls
        assert calls[-1] == "distributions"


class TestCheckpoint:
    def read(self, path: Path) -> list[dict[str, str]]:
        with path.open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def test_holds_every_measurement_in_the_end(self, tmp_path: Path) -> None:
        path = tmp_path / "partial.csv"
        conduct(study(), checkpoint=path)
        result = self.read(path)
        assert len(result) == len(review().frame)
        assert list(result[0]) == list(COLUMNS)
        assert [row["metric"] for row in result] == review().frame["metric"].tolist()

    def test_grows_step_by_step(self, tmp_path: Path) -> None:
        path = tmp_path / "partial.csv"
        sizes: list[int] = []
        conduct(study(), checkpoint=path, progress=lambda *_call: sizes.append(path.stat().st_size))
        assert sizes == sorted(sizes)
        assert len(set(sizes)) > 10  # tables, means and targets of two replicas

    def test_keeps_what_was_finished_when_a_later_step_fails(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        import sys

        module = sys.modules["sdcmetrics.review.conduct"]
        measure = module.measure_given

        def fail_at_born(given: Given, measures: Any) -> Any:
            if given.places[0].target == "born":
                raise MemoryError
            return measure(given, measures)

        monkeypatch.setattr(module, "measure_given", fail_at_born)
        path = tmp_path / "partial.csv"
        with pytest.raises(MemoryError):
            conduct(study(), checkpoint=path)
        result = self.read(path)
        assert {row["replica"] for row in result} == {"cart"}
        assert {row["target"] for row in result} == {"", "income", "area"}
        finished = rows(replica="cart")
        finished = finished[finished["target"].isna() | (finished["target"] != "born")]
        later = [m.symbol for kind in (FILES, ONE_KEY, COPIES) for m in of_kind(kind)]
        finished = finished[~finished["metric"].isin(later)]
        assert len(result) == len(finished)
        ours = [float(row["value"]) if row["value"] else math.nan for row in result]
        np.testing.assert_allclose(ours, finished["value"])

    def test_an_old_one_is_written_over(self, tmp_path: Path) -> None:
        path = tmp_path / "partial.csv"
        conduct(study(ways=(1, 2)), checkpoint=path)
        before = path.read_text()
        conduct(study(ways=(1,)), checkpoint=path)
        assert len(path.read_text()) < len(before)

    def test_a_file_of_somebody_else_is_left_as_it_is(self, tmp_path: Path) -> None:
        path = tmp_path / "partial.csv"
        path.write_text("theirs\n")
        with pytest.raises(FileError, match="not a result of sdcmetrics"):
            conduct(study(ways=(1,)), checkpoint=path)
        assert path.read_text() == "theirs\n"


def test_changes_to_columns_that_only_models_and_rules_use_are_listed() -> None:
    original = pd.DataFrame(
        {"k": list("aabb") * 5, "t": list("xyxy") * 5, "n": range(20), "w": range(20, 40)}
    )
    replica = original.assign(n=original["n"].astype(str), w=original["w"].astype(str))
    study = Study(
        original,
        {"a": replica},
        keys=["k"],
        targets=["t"],
        variables=["k", "t"],
        rules=["n >= 0"],
        models=["w ~ k"],
    )
    listed = {fix.column for name, fix in conduct(study).fixes if name == "a"}
    assert listed == {"n", "w"}
