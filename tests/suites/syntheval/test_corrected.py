"""Every difference from SynthEval shown by a small example, and what holds of all metrics."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.cli.program import main
from sdcmetrics.errors import ColumnError, NotComputable, StudyError
from sdcmetrics.measures.kind import PRESET
from sdcmetrics.measures.measure import DISCLOSURE_RISK
from sdcmetrics.suites.catalogue import METRICS
from sdcmetrics.suites.syntheval.association import _norm
from sdcmetrics.suites.syntheval.moments import _shown
from tests.suites.syntheval.recorded import trio


def people(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    z = rng.normal(size=n)
    return pd.DataFrame(
        {
            "age": np.round(45 + 12 * z + 6 * rng.normal(size=n)),
            "income": np.exp(3 + z) * (rng.random(n) < 0.8),
            "size": rng.normal(size=n),
            "sex": rng.choice(["f", "m"], n),
            "town": np.array(list("abcde"))[np.clip(np.round(2 + z).astype(int), 0, 4)],
            "work": np.where(z + rng.normal(size=n) > 0, "yes", "no"),
        }
    )


def value(
    metric: str, quantity: str, *frames: pd.DataFrame, mode: str = "corrected", **options: Any
) -> float:
    made = trio(*frames)
    result = METRICS[metric].measure(made, mode=mode, options=options)  # type: ignore[arg-type]
    return result[quantity].value


def both(metric: str, quantity: str, *frames: pd.DataFrame) -> tuple[float, float]:
    """The published number, then ours."""
    return tuple(value(metric, quantity, *frames, mode=mode) for mode in ("published", "corrected"))  # type: ignore[return-value]


def column(values: Any, other: Any = None) -> pd.DataFrame:
    frame = pd.DataFrame({"x": values})
    return frame if other is None else frame.assign(y=other)


class TestWhereTheNumbersDiffer:
    """Each defect of docs/syntheval.md."""

    def test_hellinger_sees_levels_that_one_side_lacks(self) -> None:
        a, b = column(["a"] * 20), column(["b"] * 20)
        assert both("h_dist", "avg", a, b) == (0.0, 1.0)
        first, other = column(["a", "b"] * 10), column(["a", "c"] * 10)
        published, ours = both("h_dist", "avg", first, other)
        assert published == 0.0
        assert ours == pytest.approx(math.sqrt(0.5))

    def test_hellinger_sees_numbers(self) -> None:
        rng = np.random.default_rng(1)
        first, other = column(rng.normal(size=400)), column(rng.choice([-1.0, 1.0], 400))
        published, ours = both("h_dist", "avg", first, other)
        assert published == 0.0
        assert ours > 0.5
        zeros = np.where(np.arange(400) < 360, 0.0, rng.random(400))
        moved = np.where(zeros == 0, rng.random(400) * 1e-6, zeros)
        assert value("h_dist", "avg", column(zeros), column(moved)) > 0.5

    def test_a_small_distance_of_categories_is_not_rounded_away(self) -> None:
        first = column(["a"] * 20_000 + ["b"] * 20_000)
        other = first.replace({"x": {}}).assign(x=["a"] * 19_999 + ["b"] * 20_001)
        published, ours = both("ks_test", "avg tvd", first, other)
        assert published == 0.0
        assert ours == pytest.approx(1 / 40_000)

    def test_of_many_columns_of_fresh_people_none_differs(self) -> None:
        rng = np.random.default_rng(1)
        first, other = (pd.DataFrame(rng.choice(["a", "b"], (150, 60))) for _ in range(2))
        frames = [part.rename(columns=str) for part in (first, other)]
        published, ours = both("ks_test", "frac sigs", *frames)
        assert published > 0.02
        assert ours == 0.0

    def test_columns_of_the_replica_in_another_order_change_nothing(self) -> None:
        first, other = people(60, 1), people(60, 2)
        for metric, quantity in (("dcr", "mDCR"), ("nndr", "avg"), ("eps_risk", "eps_risk")):
            turned = both(metric, quantity, first, other[other.columns[::-1]])
            assert turned == both(metric, quantity, first, other)

    def test_the_original_in_its_own_order_is_a_copy(self) -> None:
        frame = people(200, 1)
        for metric, quantity, safe in (("dcr", "mDCR", 1.0), ("eps_risk", "eps_risk", 0.0)):
            published, ours = both(metric, quantity, frame, frame)
            assert published == pytest.approx(safe)
            assert ours == pytest.approx(1 - safe, abs=0.01)
        published, ours = both("nndr", "avg", frame, frame)
        assert published > 0.5
        assert ours < 0.01

    def test_twins_in_the_original_make_no_copy_safe(self) -> None:
        frame = column(np.repeat(np.arange(100.0), 2))
        far = column(1e6 + np.arange(200.0))
        shuffled = frame.sample(frac=1, random_state=1)
        assert value("dcr", "mDCR", frame, shuffled, mode="published") == 1.0
        assert value("dcr", "mDCR", frame, far, mode="published") == 0.0
        assert math.isnan(value("dcr", "mDCR", frame, shuffled))
        assert value("dcr", "copies", frame, shuffled) == 1.0

    def test_an_outlier_of_the_holdout_changes_no_mean(self) -> None:
        one, other, holdout = (people(200, seed) for seed in (1, 2, 3))
        other["size"] += 0.5
        wild = holdout.copy()
        wild.loc[0, "size"] = 1e6
        published = [
            value("dwm", "avg", one, other, third, mode="published") for third in (holdout, wild)
        ]
        assert published[1] < 0.8 * published[0]
        for metric, quantity in (("dwm", "avg"), ("dcr", "mDCR"), ("eps_risk", "eps_risk")):
            ours = [value(metric, quantity, one, other, third) for third in (holdout, wild)]
            assert ours[0] == pytest.approx(ours[1], rel=1e-12)

    def test_a_constant_column_switches_nothing_off(self) -> None:
        first, words = people(200, 1), ["sex", "town", "work"]
        other = first.assign(size=first["size"] + 1e-3)
        other[words] = people(200, 2)[words]
        more = [frame.assign(same="x") for frame in (first, other)]
        pair = [
            value("eps_risk", "eps_risk", *sets, mode="published")
            for sets in ((first, other), more)
        ]
        assert abs(pair[0] - pair[1]) > 0.2
        ours = [value("eps_risk", "eps_risk", *sets) for sets in ((first, other), more)]
        assert ours[0] == ours[1]

    def test_the_loss_of_identifiability_is_none_for_fresh_data_and_a_small_holdout(self) -> None:
        losses = []
        for seed in range(10):
            sets = [people(n, 10 * seed + i) for i, n in enumerate((200, 200, 60))]
            losses.append(both("eps_risk", "priv_loss", *sets))
        published, ours = np.mean(losses, axis=0)
        assert published > 0.2
        assert abs(ours) < 0.06
        frame = people(200, 1)
        copy = frame.sample(frac=1, random_state=2)
        assert value("eps_risk", "priv_loss", frame, copy, people(60, 5)) > 0.95

    def test_whole_households_hide_a_leak_and_so_say_the_limits(self) -> None:
        def households(seed: int) -> pd.DataFrame:
            first = people(50, seed)
            rng = np.random.default_rng(seed)
            frame = pd.concat([first] * 4, ignore_index=True)
            return frame.assign(size=frame["size"] + 0.05 * rng.normal(size=200))

        loss = value("eps_risk", "priv_loss", *map(households, (1, 2, 3)))
        assert loss < -0.2
        assert "household" in sdc.MEASURES["priv_loss_eps"].limits

    def test_a_copy_is_not_the_best_adversarial_accuracy(self) -> None:
        frame = people(200, 1)
        copy = frame.sample(frac=1, random_state=2)
        made = trio(frame, copy)
        assert METRICS["nnaa"].measure(made, mode="published")["avg"].normalised == 1.0
        assert math.isnan(METRICS["nnaa"].measure(made)["avg"].normalised)
        assert value("nnaa", "avg", frame, copy) == 0.0

    def test_one_outlier_makes_no_record_a_hit(self) -> None:
        rng = np.random.default_rng(1)
        first, other = column(rng.normal(size=(400))), column(8 + rng.normal(size=400))
        first.loc[0, "x"] = 1e4
        published, ours = both("hit_rate", "hit rate", first, other)
        assert published > 0.99
        assert ours < 0.01

    def test_mutual_information_of_numbers_is_not_their_uniqueness(self) -> None:
        rng = np.random.default_rng(1)
        one = column(rng.normal(size=500), rng.normal(size=500))
        published, ours = both("mi_diff", "mutual_inf_diff", one, one.round(1))
        assert published > 0.5
        assert ours < 0.02

    def test_two_equal_columns_of_a_small_file_have_an_association_of_1(self) -> None:
        frame = column(["a", "b"] * 10, ["u", "v"] * 10)
        apart = column(["a", "b"] * 10, ["u", "u", "v", "v"] * 5)
        published, ours = both("corr_diff", "corr_mat_diff", frame, apart)
        assert published == pytest.approx(0.81 * math.sqrt(2))
        assert ours == pytest.approx(1.0)

    def test_columns_of_many_levels_are_not_associated_by_chance(self) -> None:
        rng = np.random.default_rng(1)
        levels = np.array(list("abcdefghijklmnopqrst"))
        sets = [column(rng.choice(levels, n), rng.choice(levels, n)) for n in (1200, 150)]
        published, ours = both("corr_diff", "corr_mat_diff", *sets)
        assert published > 0.1
        assert ours < 0.6 * published

    def test_quantile_error_of_data_with_themselves_is_0_and_of_data_outside_is_large(self) -> None:
        frame = column(np.repeat(np.arange(12.0), [80, *[5] * 11]))
        published, ours = both("q_mse", "avg qMSE", frame, frame)
        assert published > 0.01
        assert ours == 0.0
        spread = column(np.arange(200.0))
        outside = [
            both("q_mse", "avg qMSE", spread, spread + 1e4),
            both("q_mse", "avg qMSE", spread, spread),
        ]
        assert outside[0][0] < 0.011
        assert outside[0][1] > 1.0
        assert outside[1] == pytest.approx((0.0, 0.0), abs=1e-12)

    def test_overlap_is_that_of_the_means_intervals(self) -> None:
        x = np.random.default_rng(1).normal(size=10_000)
        published, ours = both("cio", "avg overlap", column(x), column(x + 0.5))
        assert published == pytest.approx(0.872, abs=0.005)
        assert ours == 0.0

    def test_the_angle_has_no_value_without_a_gap_and_is_right_with_one(self) -> None:
        rng = np.random.default_rng(1)
        apart = [pd.DataFrame(rng.normal(size=(400, 5)), columns=list("abcde")) for _ in range(2)]
        assert math.isnan(value("pca", "comp_angle_diff", *apart))
        result = METRICS["pca"].measure(trio(*apart))["comp_angle_diff"].reason
        assert "gap" in result
        z = rng.normal(size=(2, 2000, 1))
        tied = [
            pd.DataFrame(item + 0.5 * rng.normal(size=(2000, 4)), columns=list("abcd"))
            for item in z
        ]
        assert value("pca", "comp_angle_diff", *tied) < 0.05
        assert value("pca", "comp_angle_diff", tied[0], tied[1].assign(a=-tied[1]["a"])) > 0.3

    def test_names_of_levels_change_no_discrepancy(self) -> None:
        rng = np.random.default_rng(1)
        first, other = (
            column(rng.choice(["a", "b", "c"], 100, p=p))
            for p in ([0.3, 0.3, 0.4], [0.6, 0.2, 0.2])
        )
        renamed = [frame.replace({"b": "z"}) for frame in (first, other)]
        published = [
            value("mmd", "b_mmd", *sets, mode="published") for sets in ((first, other), renamed)
        ]
        ours = [value("mmd", "u_mmd", *sets) for sets in ((first, other), renamed)]
        assert abs(published[0] - published[1]) > 1e-3
        assert ours[0] == pytest.approx(ours[1], rel=1e-9)

    def test_propensity_sees_the_middle_levels(self) -> None:
        first = column(np.repeat(list("abc"), [450, 100, 450]))
        other = column(np.repeat(list("abc"), [100, 800, 100]))
        published, ours = both("p_mse", "avg pMSE", first, other)
        assert published < 0.001
        assert ours > 0.1

    def test_parity_is_compared_with_the_original(self) -> None:
        frame = column(
            ["f"] * 50 + ["m"] * 50, ["no"] * 40 + ["yes"] * 10 + ["no"] * 20 + ["yes"] * 30
        )
        same = trio(frame, frame, target=["y"], sensitive=["x"])
        mixed = trio(frame, frame.sample(frac=1, random_state=1), target=["y"], sensitive=["x"])
        published = METRICS["statistical_parity"].measure(mixed, mode="published")
        assert published["statistical_parity"].value > 0.2
        result = METRICS["statistical_parity"].measure(same)
        assert result["avg difference"].value == 0.0
        assert result["original: y by x"].value == pytest.approx(0.4)
        half = frame.assign(y=["no", "yes"] * 50)
        changed = METRICS["statistical_parity"].measure(
            trio(frame, half, target=["y"], sensitive=["x"])
        )
        assert changed["difference: y by x"].value == pytest.approx(-0.4)


NAMES = [
    name
    for name, item in METRICS.items()
    if item.suite == "SynthEval" and name != "statistical_parity"
]
RANDOM = {"att_discl", "mi_diff", "nnaa"}
"""Draw or shuffle records, or split them by models, in the order of the file."""


class TestEveryMetric:
    @pytest.mark.parametrize("name", NAMES)
    def test_order_of_columns_rows_and_levels_changes_nothing(self, name: str) -> None:
        sets = [people(120, seed) for seed in (1, 2, 3)]
        swapped = [
            item.replace({"town": {"a": "e", "e": "a"}}).sample(frac=1, random_state=1)
            for item in sets
        ]
        swapped[1] = swapped[1][sets[0].columns[::-1]]
        result = METRICS[name].measure(trio(*sets))
        again = METRICS[name].measure(trio(*swapped))
        assert list(result) == list(again)
        for quantity, one in result.items():
            drawn = name in RANDOM or quantity in ("smallest p", "p")
            allowed = {"abs": 0.1} if drawn else {"rel": 1e-9, "abs": 1e-12}
            if "angle" not in quantity:
                assert again[quantity].value == pytest.approx(one.value, nan_ok=True, **allowed)

    @pytest.mark.usefixtures("few_trees")
    @pytest.mark.parametrize("name", NAMES)
    @pytest.mark.parametrize("mode", ["corrected", "published"])
    def test_odd_data_give_a_value_or_a_reason(self, name: str, mode: Any) -> None:
        frame = people(30, 1)
        gaps = people(30, 2)
        gaps.loc[::3, ["town", "size"]] = None
        words, numbers = ["sex", "town", "work"], ["age", "income", "size"]
        for sets in (
            (frame[words], people(30, 2)[words]),
            (frame[numbers], people(30, 2)[numbers]),
            (frame[:1], people(30, 2)),
            (frame, people(1, 2)),
            (frame.assign(sex="f")[["sex"]], frame[["sex"]]),
            *([(frame, gaps, gaps)] if mode == "corrected" else []),
        ):
            with np.errstate(all="ignore"):
                result = METRICS[name].measure(trio(*sets), mode=mode)
            assert result
            for item in result.values():
                assert math.isfinite(item.value) or item.reason or mode == "published"

    def test_fresh_data_are_neutral_and_a_copy_is_the_worst(self) -> None:
        frame, holdout = people(300, 1), people(300, 2)
        fresh = sdc.syntheval(frame, people(300, 3), holdout, preset="privacy")["value"]
        copy = sdc.syntheval(
            frame, frame.sample(frac=1, random_state=1), holdout, preset="privacy"
        )["value"]
        for name in ("nndr", "hit_rate", "eps_risk", "nnaa"):
            assert abs(fresh[name, "priv_loss"]) < 0.15
            assert copy[name, "priv_loss"] > 0.2
        assert copy["dcr", "mDCR"] == 0.0
        assert fresh["dcr", "mDCR"] == pytest.approx(1.0, abs=0.35)


class TestTheTable:
    def test_has_names_directions_and_reasons(self) -> None:
        frame = people(60, 1)
        result = sdc.syntheval(frame, people(50, 2), metrics=["dcr", "nnaa", "statistical_parity"])
        assert result.index.names == ["metric", "quantity"]
        assert list(result.columns) == ["value", "error", "normalised", "better", "reason"]
        assert result.loc[("statistical_parity", "avg difference"), "reason"] == (
            "it needs a target and a sensitive column"
        )

    def test_is_the_same_for_the_same_seed(self) -> None:
        sets = people(60, 1), people(50, 2), people(40, 3)
        first, again = (sdc.syntheval(*sets, preset="fast", seed=7) for _ in range(2))
        pd.testing.assert_frame_equal(first, again)

    def test_ranks_several_replicas_by_four_strategies(self) -> None:
        frame = people(200, 1)
        rng = np.random.default_rng(1)
        noise = frame.apply(lambda item: rng.permutation(item.to_numpy())).assign(size=9.0)
        result = sdc.syntheval(
            frame,
            {"noise": noise, "fresh": people(200, 2)},
            metrics=["corr_diff", "ks_test", "dcr"],
        )
        assert list(result.index) == ["noise", "fresh"]
        for strategy in ("summation", "linear", "normal", "quantile"):
            assert (
                result.loc["fresh", (strategy, "utility")]
                > result.loc["noise", (strategy, "utility")]
            )
        total = result["linear", "utility"] + result["linear", "privacy"]
        np.testing.assert_allclose(result["linear", "all"], total)
        backwards = sdc.syntheval(
            frame,
            {"fresh": people(200, 2), "noise": noise},
            metrics=["corr_diff", "ks_test", "dcr"],
        )
        pd.testing.assert_frame_equal(backwards.loc[result.index], result)

    def test_says_what_is_wrong(self) -> None:
        frame = people(20, 1)
        with pytest.raises(StudyError, match=r"there is no metric 'dwn'\. Did you mean 'dwm'\?"):
            sdc.syntheval(frame, frame, metrics=["dwn"])
        with pytest.raises(StudyError, match="dwm: unknown option 'k'"):
            sdc.syntheval(frame, frame, metrics={"dwm": {"k": 1}})
        with pytest.raises(StudyError, match=r"there is no preset 'fats'\. Did you mean 'fast'\?"):
            sdc.syntheval(frame, frame, preset="fats")
        with pytest.raises(ColumnError, match="target: not every data set has a column 'wrok'"):
            sdc.syntheval(frame, frame, target="wrok")
        with pytest.raises(StudyError, match="the package has a metric 'dwm'"):
            sdc.metric("dwm", dimension="utility", quantities=["x"])

    def test_takes_a_preset_of_ones_own(self, tmp_path: Any) -> None:
        own = tmp_path / "own.toml"
        own.write_text('target = "work"\nsensitive = "sex"\n[metrics]\nstatistical_parity = {}\n')
        frame = people(60, 1)
        result = sdc.syntheval(frame, frame, preset=str(own))
        assert result.loc[("statistical_parity", "avg difference"), "value"] == 0.0


class TestRowsOfAReview:
    def test_stand_beside_a_copy_and_fresh_people(self) -> None:
        frame = people(120, 1)
        study = sdc.Study(
            frame,
            {"copy": frame.sample(frac=1, random_state=1), "fresh": people(150, 2)},
            keys=["sex"],
            targets=["work"],
            holdout=people(80, 3),
            preset="full",
            perturbed=(),
            candidates=0,
            permutations=19,
        )
        rows = sdc.conduct(study).mean_rows()
        own = rows[[sdc.MEASURES[name].of.option == PRESET for name in rows["metric"]]]
        copy = own[own["replica"] == "copy"].set_index("metric")
        assert len(copy) >= 19
        for name, row in copy.iterrows():
            if sdc.MEASURES[name].family == DISCLOSURE_RISK:
                assert row["value"] == pytest.approx(row["copy"], abs=0.08), name
        fresh = own[own["replica"] == "fresh"].set_index("metric")
        valued = fresh[fresh["value"].notna()]
        assert valued["fresh"].notna().all(), "a row is without what the holdout has"
        for name in ("ks_tvd_stat", "avg_h_dist", "corr_mat_diff", "eps_identif_risk"):
            assert fresh.loc[name, "at"] == 80
            assert fresh.loc[name, "value_at"] == pytest.approx(fresh.loc[name, "fresh"], rel=0.6)

    def test_are_none_without_a_preset_and_refuse_an_unknown_one(self) -> None:
        frame = people(40, 1)
        study = sdc.Study(frame, {"a": frame}, keys=["sex"], targets=["work"], candidates=0)
        rows = sdc.conduct(study).mean_rows()
        assert not any(sdc.MEASURES[name].of.option == PRESET for name in rows["metric"])
        with pytest.raises(StudyError, match="there is no preset"):
            sdc.Study(frame, {"a": frame}, keys=["sex"], preset="quick")


class TestTheCommandLine:
    def study(self, folder: Path, options: str = "") -> Path:
        people(60, 1).to_csv(folder / "o.csv", index=False)
        people(50, 2).to_csv(folder / "r.csv", index=False)
        (folder / "own.toml").write_text("[metrics]\ndwm = {}\n")
        (folder / "study.toml").write_text(
            '[data]\noriginal = "o.csv"\n[data.replicas]\none = "r.csv"\n'
            f'[roles]\nkeys = ["sex"]\ntargets = ["work"]\n[options]\ncandidates = 0\n{options}'
        )
        return folder / "study.toml"

    def test_a_preset_of_a_study_is_found_beside_it(self, tmp_path: Path) -> None:
        study = sdc.read_study(self.study(tmp_path, 'preset = "own.toml"\n'))
        metrics = set(sdc.conduct(study).mean_rows()["metric"])
        assert "avg_dwm_diff" in metrics
        assert "nnaa" not in metrics

    def test_the_option_adds_the_rows(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        def run(preset: str) -> int | str | None:
            asked = ["review", self.study(tmp_path), "-q", "--preset", preset, "-o", tmp_path / "x"]
            asked += ["--fail-on", "never"]
            monkeypatch.setattr("sys.argv", ["sdcmetrics", *map(str, asked)])
            with pytest.raises(SystemExit) as stopped:
                main()
            return stopped.value.code

        assert run("quick") == 3
        assert "there is no preset 'quick'" in capsys.readouterr().err
        assert run("fast") == 0
        assert "avg_h_dist" in (tmp_path / "x" / "review.json").read_text("utf-8")
        assert "Nearest-neighbour adversarial accuracy" in (
            tmp_path / "x" / "report-annexes.html"
        ).read_text("utf-8")


def test_intervals_that_do_not_overlap_are_those_of_0() -> None:
    result = _shown(np.array([0.0, 0.4, 1.0, 0.0, 0.3]), "")
    assert result["num non-overlaps"].value == 2
    assert result["frac non-overlaps"].value == pytest.approx(0.4)


def test_the_norm_of_a_difference_needs_two_columns() -> None:
    result = _norm(np.array([[0.0, 0.3], [0.3, 0.0]]), "norm", "columns")
    assert result["norm"].value == pytest.approx(0.3 * 2**0.5)
    assert result["norm"].normalised == pytest.approx(1 - 0.3 * 2**0.5)
    assert result["columns"].value == 2
    with pytest.raises(NotComputable, match="no pair of columns"):
        _norm(np.zeros((1, 1)), "norm", "columns")
