"""Distances to training data and to a holdout, from frames."""

from __future__ import annotations

import functools
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.errors import ColumnError, DataError, StudyError
from sdcmetrics.measures.closeness import assessment
from sdcmetrics.measures.closeness.assessment import assess_closeness
from sdcmetrics.measures.closeness.points import as_points
from sdcmetrics.measures.closeness.search import search_pool
from sdcmetrics.measures.closeness.shares import dcr_share
from sdcmetrics.measures.neighbours import Euclidean, Gower, Points
from sdcmetrics.measures.survey.households import Households
from sdcmetrics.microdata.coding import encode
from sdcmetrics.microdata.discretise import by_training
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.microdata.schema import harmonise
from tests.recorded import SHARED

PLATZER = Path(SHARED).parents[1] / "data" / "platzer"
published_data = pytest.mark.skipif(
    not (PLATZER / "expected.csv").exists(), reason="the published data are not here"
)
dcr = functools.partial(sdc.distance_to_closest_record, seed=1)


def population(n: int, seed: int) -> pd.DataFrame:
    """Columns that depend on each other, of every kind, with missing values."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 4, n)
    income = (rng.lognormal(3, 1, n) + 10 * group).round(1)
    income[rng.random(n) < 0.1] = np.nan
    return pd.DataFrame(
        {
            "group": np.array(list("abcd"))[group],
            "job": rng.choice(list("uvwxyz"), n),
            "income": income,
            "score": rng.normal(size=n).round(2),
            "visits": rng.integers(0, 9, n),
            "member": rng.random(n) < 0.3,
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, n), "D"),
        }
    )


TRAINING, SYNTHETIC, HOLDOUT = population(300, 1), population(400, 2), population(250, 3)


class TestByHand:
    training = pd.DataFrame({"x": ["a", "b", "c"], "y": ["a", "b", "c"], "z": [1, 1, 1]})
    holdout = pd.DataFrame({"x": ["a", "b", "d"], "y": ["b", "c", "d"], "z": [1, 1, 2]})
    synthetic = pd.DataFrame(
        {"x": ["a", "b", "c", "d"], "y": ["a", "b", "a", "d"], "z": [1, 1, 1, 2]}
    )

    def test_every_figure(self) -> None:
        result = dcr(self.training, self.synthetic, self.holdout)
        assert result.closest.training.tolist() == [0, 0, 1, 3]
        assert result.closest.holdout.tolist() == [1, 1, 2, 0]
        assert (result.closer, result.equal, result.further) == (3, 0, 1)
        assert (result.share, result.tie_share) == (0.75, 0.0)
        ties = replace(result.closest, holdout=np.array([0, 1, 1, 0]))
        assert replace(result, closest=ties).tie_share == 0.5
        assert (result.mean_training, result.mean_holdout) == (1.0, 1.0)
        assert result.sizes == (3, 4, 3)
        assert (result.identical.training, result.identical.holdout) == (2, 1)
        assert result.effective_columns == 2
        assert "'z'" in result.notes[0]

    def test_the_holdout_itself_is_no_neighbour_of_itself(self) -> None:
        baseline = dcr(self.training, self.synthetic, self.holdout).baseline
        assert baseline.training.tolist() == [1, 1, 3]
        assert baseline.holdout.tolist() == [2, 2, 3]

    def test_a_column_adds_what_it_mismatches_with_the_closest_records(self) -> None:
        result = dcr(self.training, self.synthetic, self.holdout).by_column
        # Where two real records are the closest, each counts one half.
        assert result.loc["x"].tolist() == [(0.5 + 1) / 4, (0.5 + 1) / 4, 0.0]
        assert result.loc["y"].tolist() == [(0.5 + 1) / 4, (1 + 0.5 + 1) / 4, -0.25]
        assert result.loc["z"].tolist() == [1 / 4, 0.0, 0.25]
        assert result.index.tolist() == ["y", "x", "z"]

    def test_gower_takes_numbers_over_their_range(self) -> None:
        training = pd.DataFrame({"x": [0.0, 10.0]})
        result = dcr(
            training, pd.DataFrame({"x": [1.0]}), pd.DataFrame({"x": [3.0, 8.0]}), distance="gower"
        )
        assert (result.mean_training, result.mean_holdout) == pytest.approx((0.1, 0.2))
        assert (result.distance, result.mode) == ("gower", "")

    def test_euclid_takes_numbers_over_their_standard_deviation(self) -> None:
        training = pd.DataFrame({"x": [0.0, 10.0], "k": [1, 1]})
        holdout = pd.DataFrame({"x": [3.0, 8.0], "k": [1, 1]})
        result = dcr(training, pd.DataFrame({"x": [1.0], "k": [2]}), holdout, distance="euclidean")
        sd = np.std([0, 10, 3, 8])
        assert result.mean_training == pytest.approx(np.hypot(1 / sd, 1))  # k has no spread: 0 or 1
        assert result.columns == ("k", "x")

    def test_missing_codes_are_missing_to_gower_and_groups_to_hamming(self) -> None:
        training, holdout = pd.DataFrame({"x": [-8, 0, 10]}), pd.DataFrame({"x": [2, 4, -8]})
        synthetic = pd.DataFrame({"x": [-8, 9]})
        options: Any = {"missing_codes": {"x": -8}}
        result = dcr(training, synthetic, holdout, distance="gower", **options)
        assert result.closest.training.tolist() == pytest.approx([0.0, 0.1])
        assert dcr(training, synthetic, holdout, **options).closest.training.tolist() == [0, 0]


class TestSearches:
    def test_every_distance_of_every_kind_of_column_equals_that_of_a_slow_search(self) -> None:
        result = dcr(TRAINING, SYNTHETIC, HOLDOUT, distance="gower", variables=["group", "score"])
        pool = pd.concat([TRAINING, HOLDOUT])["score"]
        for real, distances in (
            (TRAINING, result.closest.training),
            (HOLDOUT, result.closest.holdout),
        ):
            score = np.abs(SYNTHETIC["score"].to_numpy()[:, None] - real["score"].to_numpy())
            score = np.minimum(score / (pool.max() - pool.min()), 1)
            group = SYNTHETIC["group"].to_numpy()[:, None] != real["group"].to_numpy()
            assert distances == pytest.approx(((score + group) / 2).min(axis=1), abs=1e-9)

    def test_the_published_share_is_that_of_a_slow_definition(self) -> None:
        files = [item.drop(columns="day") for item in (TRAINING, SYNTHETIC, HOLDOUT)]
        pool = pd.concat(files, ignore_index=True)
        codes = {}
        for name, values in pool.items():
            if values.dtype.kind in "ifb":  # quantiles of all three, groups closed on the right
                known = values.dropna().astype(float)
                edges = np.unique(np.quantile(known, np.linspace(0, 1, 101)))
                group = np.searchsorted(edges[1:-1], values.astype(float), side="left")
                codes[name] = np.where(values.isna(), -1, group)
            else:
                codes[name] = pd.factorize(values)[0]
        training, synthetic, holdout = np.split(
            np.column_stack(list(codes.values())), np.cumsum([len(file) for file in files])[:2]
        )
        near, far = (
            (synthetic[:, None] != real[None]).sum(axis=2).min(axis=1)
            for real in (training, holdout)
        )
        ties = len(training) / (len(training) + len(holdout))
        expected = (near < far).mean() + ties * (near == far).mean()
        result = dcr(*files, mode="published", permutations=0)
        assert result.share == pytest.approx(expected, rel=1e-12)

    def test_codes_and_scales_do_not_depend_on_who_was_trained_on(self) -> None:
        pool = pd.concat([TRAINING, HOLDOUT], ignore_index=True)
        mixed = pool.sample(frac=1, random_state=1)
        for options in (
            {},
            {"mode": "published"},
            {"distance": "gower"},
            {"distance": "euclidean"},
        ):
            first = dcr(TRAINING, SYNTHETIC, HOLDOUT, **options)
            other = dcr(mixed[:300], SYNTHETIC, mixed[300:], **options)
            nearest = [np.minimum(r.closest.training, r.closest.holdout) for r in (first, other)]
            assert np.array_equal(*nearest)

    def test_a_pool_is_searched_once_for_many_replicas(self) -> None:
        sets = [as_microdata(item, name) for item, name in ((TRAINING, "t"), (SYNTHETIC, "s"))]
        points = as_points(*sets, as_microdata(HOLDOUT, "h"))
        pool = search_pool(points.training, points.holdout, distance=points.distance)
        again = assess_closeness(points, pool=pool, seed=1).to_dict()
        whole = dcr(TRAINING, SYNTHETIC, HOLDOUT).to_dict()
        for item in (again, whole):
            item["seconds"] = item["mode"] = None
        assert again == whole

    @pytest.mark.parametrize(
        ("seed", "homes", "kept"), [(1, False, True), (None, False, False), (1, True, False)]
    )
    def test_labels_are_kept_with_a_pool_where_others_would_draw_the_same(
        self, seed: int | None, *, homes: bool, kept: bool
    ) -> None:
        sets = [as_microdata(item, name) for item, name in ((TRAINING, "t"), (SYNTHETIC, "s"))]
        points = as_points(*sets, as_microdata(HOLDOUT, "h"))
        pool = search_pool(points.training, points.holdout, distance=points.distance)
        households = Households(np.arange(points.training.n + points.holdout.n), points.training.n)
        given = households if homes else None
        assess_closeness(points, pool=pool, seed=seed, permutations=9, households=given)
        assert [(key, len(drawn)) for key, drawn in pool.drawn.items()] == [((1, 9), 9)] * kept

    def test_a_pool_of_other_records_is_refused(self) -> None:
        sets = [as_microdata(item, name) for item, name in ((TRAINING, "t"), (SYNTHETIC, "s"))]
        points = as_points(*sets, as_microdata(HOLDOUT, "h"))
        pool = search_pool(points.training, points.synthetic, distance=points.distance)
        with pytest.raises(DataError, match="searched for other training or holdout records"):
            assess_closeness(points, pool=pool)

    def test_progress_counts_every_search(self) -> None:
        seen: list[tuple[int, int]] = []
        dcr(TRAINING, SYNTHETIC, HOLDOUT, progress=lambda *now: seen.append(now))
        assert seen == sorted(seen)
        assert seen[-1] == (2 * 400 + 300 + 2 * 250,) * 2

    def test_progress_of_a_searched_pool_counts_the_replica_alone(self) -> None:
        sets = [as_microdata(item, name) for item, name in ((TRAINING, "t"), (SYNTHETIC, "s"))]
        points = as_points(*sets, as_microdata(HOLDOUT, "h"))
        pool = search_pool(points.training, points.holdout, distance=points.distance)
        seen: list[tuple[int, int]] = []
        assess_closeness(points, pool=pool, progress=lambda *now: seen.append(now))
        assert seen[-1] == (800, 800)

    @pytest.mark.parametrize("distance", ["hamming", "gower", "euclidean"])
    def test_columns_add_up_to_the_difference_of_the_means(self, distance: str) -> None:
        result = dcr(TRAINING, SYNTHETIC, HOLDOUT, distance=distance)
        power = 2 if distance == "euclidean" else 1
        factor = len(result.columns) if distance == "gower" else 1
        means = [
            factor * np.mean(d**power) for d in (result.closest.training, result.closest.holdout)
        ]
        assert result.by_column[["training", "holdout"]].sum().tolist() == pytest.approx(means)


class TestSynthesesThatAreTheHoldout:
    def test_a_record_is_not_its_own_neighbour_whatever_the_order(self) -> None:
        straight = dcr(TRAINING, HOLDOUT, HOLDOUT)
        mixed = dcr(TRAINING, HOLDOUT.sample(frac=1, random_state=1), HOLDOUT)
        for item in (straight, mixed):
            assert any("own neighbour" in note for note in item.notes)
            assert item.closest.holdout.min() > 0
            assert item.identical.holdout == 0
            assert item.share == dcr_share(dcr(TRAINING, SYNTHETIC, HOLDOUT).baseline)
        assert straight.permutation.null.mean() == pytest.approx(0.545, abs=0.02)

    def test_capped_lists_of_ties_leave_the_record_out_too(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        few = [item[["group", "job", "member"]] for item in (TRAINING, HOLDOUT)]
        whole = dcr(few[0], few[1], few[1]).permutation.null
        monkeypatch.setattr("sdcmetrics.measures.closeness.search._LISTED", 1)
        assert dcr(few[0], few[1], few[1]).permutation.null.tolist() == whole.tolist()


class TestCopies:
    def planted(self, k: int) -> pd.DataFrame:
        outliers = TRAINING.sample(k, random_state=1)
        return pd.concat([SYNTHETIC[k:], outliers], ignore_index=True)

    @pytest.mark.parametrize("distance", ["hamming", "gower", "euclidean"])
    def test_a_few_copies_are_seen_by_the_tests_of_single_records(self, distance: str) -> None:
        clean = dcr(TRAINING, SYNTHETIC, HOLDOUT, distance=distance, margin=None)
        leaky = dcr(TRAINING, self.planted(15), HOLDOUT, distance=distance)
        assert clean.identical.p_value == 1.0
        assert clean.singled_out.p_value > 0.05
        assert leaky.identical.training == 15
        assert leaky.identical.p_value < 1e-3
        assert leaky.closest.copies_training.sum() == 15
        assert leaky.closest.copies_holdout.sum() == 0

    def test_a_copy_is_singled_out_if_no_other_real_record_is_within_the_margin(self) -> None:
        training = pd.DataFrame(np.array([[1, 1, 1, 1], [2, 2, 2, 2], [2, 2, 2, 3]]).astype(str))
        holdout = pd.DataFrame(np.array([[2, 2, 3, 3], [3, 3, 3, 3], [4, 4, 4, 4]]).astype(str))
        frames = [item.rename(columns=str) for item in (training, training, holdout)]
        assert dcr(*frames, margin=4).singled_out.training == 1
        assert dcr(*frames, margin=2).singled_out.training == 1
        assert dcr(*frames, margin=1).singled_out.training == 3

    def test_identical_means_equal_as_it_stands_not_in_the_same_group(self) -> None:
        training = pd.DataFrame({"x": np.arange(1000.0), "y": ["a", None] * 500})
        holdout = pd.DataFrame({"x": np.arange(1000.0) + 0.5, "y": ["a", None] * 500})
        synthetic = pd.DataFrame({"x": [3.0, 3.0, 3.01], "y": [None, "a", None]})
        result = dcr(training, synthetic, holdout)
        assert result.mean_training == 0.0
        assert (result.identical.training, result.identical.holdout) == (1, 0)

    def test_many_columns_of_many_values_are_told_apart(self) -> None:
        wide = [
            pd.DataFrame(np.random.default_rng(seed).integers(0, 10**6, (50, 8))).rename(
                columns=str
            )
            for seed in (1, 2, 3)
        ]
        copied = pd.concat([wide[1], wide[0][:5]])
        assert dcr(wide[0], copied, wide[2]).identical.training == 5


class TestChance:
    """Nothing was copied: training, synthetic and holdout records are from one population."""

    @pytest.mark.parametrize("options", [{"mode": "published"}, {"distance": "gower"}])
    def test_p_values_are_uniform(self, options: dict[str, Any]) -> None:
        # The default is in benchmarks/calibration.py.
        p = []
        for seed in range(0, 300, 3):
            sets = [population(n, 1000 + seed + i) for i, n in enumerate((80, 100, 50))]
            p.append(dcr(*sets, permutations=99, **options).permutation.p_value)
        # Limits that a uniform sample of 100 breaks once in some thousand times.
        assert 0.41 < np.mean(p) < 0.59
        assert np.mean(np.array(p) <= 0.1) < 0.2
        assert np.mean(np.array(p) <= 0.5) == pytest.approx(0.5, abs=0.16)

    def test_groups_by_the_training_data_alone_would_overlook_copies(self) -> None:
        z = []
        for seed in range(0, 120, 3):
            sets = [population(n, 1000 + seed + i) for i, n in enumerate((150, 300, 150))]
            training, synthetic, holdout = (
                as_microdata(item[["group", "income", "score", "visits"]], str(i))
                for i, item in enumerate(sets)
            )
            points = as_points(training, synthetic, holdout)
            coded = encode(
                harmonise(training, [synthetic, holdout]), by_training(100), points.columns
            )
            by_side = [
                Points.from_columns([variable.parts[i] for variable in coded.variables.values()])
                for i in range(3)
            ]
            sides = dict(zip(("training", "synthetic", "holdout"), by_side, strict=True))
            result = [
                assess_closeness(item, permutations=99, seed=1).permutation.z
                for item in (points, replace(points, **sides))
            ]
            z.append(result)
        pooled, alone = np.mean(z, axis=0)
        assert abs(pooled) < 0.5
        assert alone < -0.6

    def test_the_seed_is_recorded_and_gives_the_same_permutations(self) -> None:
        first = sdc.distance_to_closest_record(TRAINING, SYNTHETIC, HOLDOUT)
        again = sdc.distance_to_closest_record(TRAINING, SYNTHETIC, HOLDOUT, seed=first.seed)
        assert first.permutation.null.tolist() == again.permutation.null.tolist()
        assert first.seconds > 0


class TestWrongUse:
    def test_a_holdout_is_needed(self) -> None:
        with pytest.raises(DataError, match="expected a holdout but got None"):
            dcr(TRAINING, SYNTHETIC, None)

    @pytest.mark.parametrize("order", [TRAINING, TRAINING[::-1]])
    def test_a_holdout_must_not_be_the_training_data(self, order: pd.DataFrame) -> None:
        with pytest.raises(DataError, match="holdout holds the same records as original"):
            dcr(TRAINING, SYNTHETIC, order)

    def test_several_syntheses_are_one_replica_and_each_is_told(self) -> None:
        one = dcr(TRAINING, SYNTHETIC, HOLDOUT)
        assert dcr(TRAINING, [SYNTHETIC], HOLDOUT).share == one.share
        both = dcr(TRAINING, [SYNTHETIC, HOLDOUT[:2]], HOLDOUT)
        stacked = dcr(TRAINING, pd.concat([SYNTHETIC, HOLDOUT[:2]], ignore_index=True), HOLDOUT)
        assert (both.closer, both.equal, both.further) == (
            stacked.closer,
            stacked.equal,
            stacked.further,
        )
        assert [part.share for part in both.per_synthesis] == [
            one.share,
            dcr(TRAINING, HOLDOUT[:2], HOLDOUT).share,
        ]
        with pytest.raises(DataError, match="empty list"):
            dcr(TRAINING, [], HOLDOUT)

    def test_one_real_record_is_too_few(self) -> None:
        with pytest.raises(DataError, match="expected at least 2 records"):
            dcr(TRAINING, SYNTHETIC, HOLDOUT[:1])

    def test_columns_must_be_common(self) -> None:
        with pytest.raises(DataError, match="no column in common"):
            dcr(TRAINING, SYNTHETIC.add_suffix("_2"), HOLDOUT)
        with pytest.raises(ColumnError, match="Did you mean 'income'"):
            dcr(TRAINING, SYNTHETIC, HOLDOUT, variables=["incom"])

    def test_whole_numbers_of_numpy_will_do(self) -> None:
        result = dcr(TRAINING, SYNTHETIC, HOLDOUT, permutations=np.int64(5))
        assert result.permutation.permutations == 5

    @pytest.mark.parametrize(("permutations", "told"), [(0, False), (1, False), (2, True)])
    def test_permutations_that_all_give_one_share_are_told_where_there_are_several(
        self, permutations: int, *, told: bool
    ) -> None:
        alike = pd.DataFrame({"x": ["a"] * 32})  # all are as near as all others
        notes = dcr(alike, alike, alike[:16], permutations=permutations).notes
        assert any("every permutation gives the same share" in note for note in notes) == told
        vary = dcr(TRAINING, SYNTHETIC, HOLDOUT, permutations=permutations).notes
        assert not any("every permutation gives the same share" in note for note in vary)

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (
                {"distance": "cosine"},
                "distance: expected one of 'hamming', 'gower', 'euclidean' but got 'cosine'",
            ),
            ({"mode": "paper"}, "mode: expected one of 'corrected', 'published' but got 'paper'"),
            ({"mode": "published", "distance": "gower"}, "published figures are Hamming"),
            (
                {"mode": "published", "missing_codes": {"income": -8}},
                "missing_codes: the published",
            ),
            ({"permutations": -1}, "permutations: expected .* from 0 to 99,999 but got -1"),
            (
                {"permutations": 10**9},
                "permutations: expected a whole number from 0 to 99,999 but got 1000000000",
            ),
            ({"permutations": 2.5}, "permutations: expected a whole number .* but got 2.5"),
            ({"margin": 0}, "margin: expected a number above 0"),
            ({"margin": np.nan}, "margin: expected a number .*but got nan"),
            ({"margin": "x"}, "margin: expected a number but got str"),
            ({"seed": -3}, "seed: expected a whole number of 0 or more but got -3"),
        ],
    )
    def test_options(self, options: dict[str, Any], message: str) -> None:
        with pytest.raises(StudyError, match=message):
            dcr(TRAINING, SYNTHETIC, HOLDOUT, **options)


class TestResult:
    def test_all_of_it_but_the_records_can_be_written_as_json(self) -> None:
        result = dcr(TRAINING, SYNTHETIC, HOLDOUT)
        out = json.loads(json.dumps(result.to_dict(), allow_nan=False))
        assert out["DCR_share"] == result.share
        assert out["by_column"][0]["column"] == result.by_column.index[0]
        assert out["permutation"]["permutations"] == 999
        assert len(out["limits"]) == 4
        assert out["constant_columns"] == []
        assert len(json.dumps(out)) < 10_000
        with_one = (frame.assign(k=1) for frame in (TRAINING, SYNTHETIC, HOLDOUT))
        assert dcr(*with_one, permutations=0).to_dict()["constant_columns"] == ["k"]

    def test_what_does_not_exist_is_null(self) -> None:
        out = dcr(TRAINING, SYNTHETIC, HOLDOUT, permutations=0).to_dict()
        assert out["permutation"]["p_value"] is None

    def test_a_share_that_no_permutation_moves_is_noted(self) -> None:
        same = [pd.DataFrame({"x": [1] * n}) for n in (3, 2, 4)]
        result = dcr(*same)
        assert any("no z" in note for note in result.notes)

    def test_fixes_are_listed(self) -> None:
        result = dcr(TRAINING, SYNTHETIC.drop(columns="job"), HOLDOUT)
        assert any("'job'" in fix for fix in result.fixes)
        assert "job" not in result.columns


def replicas() -> list[Any]:
    """Every published cell of figure 8 whose data are here."""
    if not (PLATZER / "expected.csv").exists():
        return []
    expected = pd.read_csv(PLATZER / "expected.csv").query("figure == 8")
    cases = []
    for (data, name), rows in expected.groupby(["dataset", "synthesizer"]):
        if (PLATZER / f"{data}_{name}.parquet").exists():
            share = rows.set_index("metric").loc["share"]
            counts = tuple(int(share[f"n_{side}"]) for side in ("closer", "equal", "further"))
            means = rows.set_index("metric")["computed"]
            cases.append(pytest.param(data, name, counts, means, id=f"{data} {name}"))
    return cases


@functools.cache
def read(data: str, name: str) -> pd.DataFrame:
    return pd.read_parquet(PLATZER / f"{data}_{name}.parquet")


PERMUTED = [
    ("adult", "mostly", 0.0020, 4.9),
    ("adult", "tvae", 0.0095, 0.1),
    ("online-shoppers", "synthpop", 0.0043, 28.0),
    ("online-shoppers", "gretel", 0.0048, 7.4),
    ("online-shoppers", "tvae", 0.0284, 0.0),
]
"""Standard deviation and z by 99 permuted labels and every distance anew, found once."""


@functools.cache
def as_published(data: str, name: str) -> Any:
    """Return what the published figures say, and permutations where they are looked at."""
    permuted = {(data, name) for data, name, _, _ in PERMUTED}
    return dcr(
        *(read(data, item) for item in ("trn", name, "val")),
        mode="published",
        permutations=999 if (data, name) in permuted else 0,
    )


@published_data
class TestPublishedFigures:
    @pytest.mark.parametrize(("data", "name", "counts", "means"), replicas())
    def test_figure_8(self, data: str, name: str, counts: Any, means: Any) -> None:
        result = as_published(data, name)
        assert (result.closer, result.equal, result.further) == counts
        assert result.share == pytest.approx(means["share"], abs=1e-12)
        assert result.mean_training == pytest.approx(means["dcr_train"], abs=1e-6)
        assert result.mean_holdout == pytest.approx(means["dcr_holdout"], abs=1e-6)
        assert result.effective_columns == {"adult": 15, "online-shoppers": 16}[data]

    @pytest.mark.filterwarnings("ignore:Columns:pandas.errors.DtypeWarning")
    def test_the_parser_accident_comes_from_how_the_file_was_read(self) -> None:
        data = "online-shoppers"
        accident = pd.read_csv(PLATZER / f"{data}_gretel.csv.gz")  # chunk by chunk
        whole = sdc.read(PLATZER / f"{data}_gretel.csv.gz")
        means = []
        for synthetic in (accident, whole):
            sets = read(data, "trn"), synthetic, read(data, "val")
            result = dcr(*sets, mode="published", permutations=0)
            assert round(result.share, 5) == 0.52389
            assert any("no number" in fix and "'Weekend'" in fix for fix in result.fixes)
            means.append((round(result.mean_training, 2), round(result.mean_holdout, 2)))
        assert means == [(4.56, 4.62), (5.21, 5.27)]

    @pytest.mark.parametrize(("data", "name", "sd", "z"), PERMUTED)
    def test_a_permutation_that_searches_again_agrees(
        self, data: str, name: str, sd: float, z: float
    ) -> None:
        """The standard deviation of all permutations was within 7 %."""
        result = as_published(data, name).permutation
        assert result.sd == pytest.approx(sd, rel=0.25)
        assert result.z == pytest.approx(z, rel=0.25, abs=0.4)
        assert result.mean == pytest.approx(0.5, abs=0.002)

    def test_a_hundred_copies_hardly_move_the_share_but_are_found(self) -> None:
        training, synthetic, holdout = (read("adult", item) for item in ("trn", "ctgan", "val"))
        sets = [as_microdata(item, "x") for item in (training, synthetic, holdout)]
        points = as_points(*sets)
        pool = search_pool(points.training, points.holdout, distance=points.distance)
        outliers = training.iloc[np.argsort(-pool.training, kind="stable")[:100]]
        planted = pd.concat([synthetic[100:], outliers], ignore_index=True)
        clean, leaky = (dcr(training, item, holdout) for item in (synthetic, planted))
        assert 0.0005 < leaky.share - clean.share < 0.002
        assert min(clean.identical.p_value, clean.singled_out.p_value) > 0.2
        assert max(leaky.identical.p_value, leaky.singled_out.p_value) < 1e-25


class TestScales:
    def test_a_range_and_a_scale_are_those_of_all_real_records(self) -> None:
        sets = [as_microdata(item, name) for item, name in ((TRAINING, "t"), (SYNTHETIC, "s"))]
        pool = pd.concat([TRAINING, HOLDOUT])["score"]
        names = ["group", "score"]
        gower, euclid = (
            as_points(
                *sets, as_microdata(HOLDOUT, "h"), distance=distance, variables=names
            ).distance
            for distance in ("gower", "euclidean")
        )
        assert gower == Gower((pool.max() - pool.min(),))
        assert isinstance(euclid, Euclidean)
        assert euclid.scales == pytest.approx((pool.std(ddof=0),))

    def test_equal_numbers_have_no_scale_whatever_their_sum_rounds_to(self) -> None:
        order = pd.DataFrame({"x": [1.0, 2.0, 4.0], "k": 0.1})
        fresh = pd.DataFrame({"x": [1.5, 3.0, 5.0, 6.0], "k": 0.1})
        assert np.std([0.1] * 7) > 0
        other = pd.DataFrame({"x": [1.0, 5.0], "k": 0.2})
        result = sdc.distance_to_closest_record(order, other, fresh, distance="euclidean", seed=1)
        assert result.closest.training[0] == 1.0  # the constant differs, and nothing else does
        assert (result.closer, result.further) == (1, 1)


def test_people_of_rare_kinds_are_no_outliers_where_fresh_people_are_of_the_same() -> None:
    # A tenth of the people are of one of 2,000 kinds, all of one kind alike and unlike all others.
    def people(n: int, rng: np.random.Generator) -> pd.DataFrame:
        rare = rng.random((n, 1)) < 0.1
        of = np.where(rare, rng.integers(10, 2010, (n, 1)), rng.integers(0, 6, (n, 8)))
        return pd.DataFrame(of, columns=[*"abcdefgh"]).astype(str)

    results = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        sets = (people(n, rng) for n in (300, 300, 150))
        results.append(sdc.distance_to_closest_record(*sets, permutations=0, seed=1))
    assert sum(item.identical.training > item.identical.holdout == 0 for item in results) > 5
    assert not any(item.outliers.training for item in results)


def test_records_of_many_columns_are_told_apart_by_the_first() -> None:
    # Nine more columns of 256 codes each move the first out of 64 bits.
    frame = pd.DataFrame({f"c{i}": [f"v{k:03d}" for k in range(255)] for i in range(10)})
    sets = [
        as_microdata(frame.assign(c0=np.roll(frame["c0"], k)), name)
        for k, name in enumerate(("original", "synthetic", "holdout"))
    ]
    codes = np.concatenate(as_points(*sets).identities)
    assert len(np.unique(codes)) == 3 * 255


@pytest.mark.parametrize("distance", ["hamming", "gower"])
def test_people_apart_are_three_columns_or_the_largest_tenth_away(distance: Any) -> None:
    sets = [population(n, seed) for n, seed in ((40, 1), (30, 2), (35, 3))]
    result = dcr(*sets, distance=distance, permutations=9)
    given = dcr(*sets, distance=distance, permutations=9, margin=0.125)
    assert given.margin == 0.125
    if distance == "hamming":
        assert result.margin == 3.0
        return
    points = as_points(*(as_microdata(f, n) for f, n in zip(sets, "osh", strict=True)),
                       distance="gower", mode="corrected")  # fmt: skip
    pool = points.training.append(points.holdout)
    near = search_pool(pool, pool.subset([0, 1]), distance=points.distance).training_to_training
    assert result.margin == pytest.approx(np.quantile(near, 0.9), rel=1e-6)


@pytest.mark.parametrize("searched", [False, True])
def test_progress_is_of_both_searches_or_of_one(*, searched: bool) -> None:
    steps: list[tuple[int, int]] = []
    first, second = assessment._progress_of_both(
        lambda done, total: steps.append((done, total)), (10, 20, 30), searched=searched
    )
    assert first is not None
    assert second is not None
    first(7, 99)
    second(3, 99)
    total = 40 if searched else 40 + 10 + 60
    assert steps == [(7, total), (43, total)]
    assert assessment._progress_of_both(None, (10, 20, 30), searched=searched) == (None, None)
