"""Nearest records of some, where there are too many pairs for all."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.errors import DataError
from sdcmetrics.measures.closeness import drawn as drawn_records
from sdcmetrics.measures.closeness.assessment import assess_closeness, share_alone
from sdcmetrics.measures.closeness.drawn import Queries, draw_queries
from sdcmetrics.measures.closeness.points import ClosestPoints, as_points
from sdcmetrics.measures.closeness.result import ClosestRecord
from sdcmetrics.measures.closeness.search import search_pool
from sdcmetrics.measures.survey.households import Households
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.report.assembly import safe_report
from sdcmetrics.study.profile import load_profile
from tests.measures.closeness.test_closest_record import HOLDOUT, SYNTHETIC, TRAINING

EVERY = Queries(np.arange(300), np.arange(400), np.arange(250))
SOME = Queries(np.arange(5, 300, 7), np.arange(0, 400, 3), np.arange(1, 250, 5))


def points(distance: Any = "hamming", synthetic: pd.DataFrame = SYNTHETIC) -> ClosestPoints:
    frames = ((TRAINING, "training"), (synthetic, "replica"), (HOLDOUT, "holdout"))
    return as_points(*(as_microdata(*each) for each in frames), distance=distance)


def bare(result: ClosestRecord) -> dict[str, Any]:
    """Return figures without what tells how they were made."""
    figures = result.to_dict()
    return {k: v for k, v in figures.items() if k not in ("seconds", "notes")}


@pytest.mark.parametrize("distance", ["hamming", "gower", "euclidean"])
@pytest.mark.parametrize("replica", ["other", "holdout", "copies"])
@pytest.mark.parametrize("together", [False, True])
def test_all_that_are_drawn_give_the_figures_of_all(
    distance: str, replica: str, together: bool
) -> None:
    synthetic = {
        "other": SYNTHETIC,
        "holdout": HOLDOUT.sample(frac=1, random_state=1),
        "copies": pd.concat([TRAINING[:40], SYNTHETIC[:80], HOLDOUT[:9]]),
    }[replica]
    of = points(distance, synthetic)
    households = Households(np.append(np.arange(300) // 2, 200 + np.arange(250) // 2), 300)
    given: dict[str, Any] = {
        "permutations": 20,
        "seed": 3,
        "households": households if together else None,
    }
    every = replace(EVERY, synthetic=np.arange(len(synthetic)))
    whole, drawn = assess_closeness(of, **given), assess_closeness(of, **given, drawn=every)
    assert bare(drawn) == bare(whole)
    for side in ("closest", "baseline"):
        for name in ("training", "holdout", "copies_training", "copies_holdout", "of_training"):
            both = (getattr(getattr(result, side), name) for result in (whole, drawn))
            np.testing.assert_array_equal(*both)
    assert replace(drawn.copied, weights=0, permutation=None) == replace(
        whole.copied,
        weights=0,
        permutation=None,  # type: ignore[arg-type]
    )
    assert share_alone(of, drawn=every) == share_alone(of)
    assert whole.drawn == ""


def test_some_are_compared_with_all() -> None:
    of = points()
    whole, drawn = (
        assess_closeness(of, permutations=20, seed=3, margin=2, drawn=each) for each in (None, SOME)
    )
    for name in ("training", "holdout", "copies_training", "copies_holdout", "of_training"):
        each, all_of_them = (getattr(result.closest, name) for result in (drawn, whole))
        np.testing.assert_array_equal(each, all_of_them[SOME.synthetic])
        each, all_of_them = (getattr(result.baseline, name) for result in (drawn, whole))
        np.testing.assert_array_equal(each, all_of_them[SOME.holdout])
    assert drawn.share == pytest.approx(whole.closest.of_training[SOME.synthetic].mean())  # type: ignore[index]
    assert drawn.share == share_alone(of, drawn=SOME)
    assert drawn.identical == whole.identical
    assert drawn.copied.identical == whole.copied.identical
    assert drawn.sizes == whole.sizes
    assert (drawn.singled_out.n_training, drawn.singled_out.n_holdout) == (43, 50)
    assert (drawn.outliers.n_training, drawn.copied.singled_out.n_holdout) == (43, 50)
    words = "of 43 of 300 original, 134 of 400 synthetic and 50 of 250 holdout records, drawn"
    assert drawn.drawn.startswith(words)
    assert any(words in note for note in drawn.notes)


def test_the_search_of_drawn_real_records_counts_on() -> None:
    of, seen = points(), []
    search_pool(of.training, of.holdout, distance=of.distance, drawn=SOME,
                progress=lambda *now: seen.append(now))  # fmt: skip
    assert seen == sorted(seen)
    assert len(seen) == len(set(seen))
    assert seen[-1] == (2 * (43 + 50),) * 2


def test_each_data_set_has_draws_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ALL_PAIRS", "_PAIRS"):
        monkeypatch.setattr(drawn_records, name, 1)
    drawn = draw_queries(*[100_000] * 3, seed=1)
    assert drawn is not None
    each = [set(rows.tolist()) for rows in (drawn.training, drawn.synthetic, drawn.holdout)]
    assert each[0] != each[1] != each[2] != each[0]


def test_of_the_drawn_real_records_those_are_singled_out_that_are_so_among_all() -> None:
    copied = pd.concat([TRAINING[::3], SYNTHETIC[:50]])
    of = points("gower", copied)
    whole, drawn = (
        assess_closeness(of, permutations=0, seed=3, margin=1e-9, drawn=each)
        for each in (None, replace(SOME, synthetic=np.arange(100)))
    )
    # Each copied record is nearer to its copy than to any other real one.
    assert whole.singled_out.training >= 100
    assert drawn.singled_out.training >= len(set(range(0, 300, 3)) & set(SOME.training))
    assert drawn.singled_out.training < 43
    assert drawn.outliers.training <= whole.outliers.training
    assert drawn.copied.singled_out.training == 43


def test_outliers_of_both_sides_are_counted_among_the_drawn() -> None:
    def with_giants(frame: pd.DataFrame, first: int, *rows: int) -> pd.DataFrame:
        out = frame.copy()
        for i, row in enumerate(rows, start=first):
            out.loc[out.index[row], ["income", "score", "visits"]] = [1e4 * i, 90.0 * i, 900 * i]
        return out

    training, holdout = with_giants(TRAINING, 1, 5, 6), with_giants(HOLDOUT, 3, 1, 2, 6)
    copied = pd.concat([training[5:7], holdout[1:3], holdout[6:7], SYNTHETIC[:90]])
    frames = ((training, "training"), (copied, "replica"), (holdout, "holdout"))
    of = as_points(*(as_microdata(*each) for each in frames), distance="gower")
    every = replace(EVERY, synthetic=np.arange(95))  # the least of the giants is no outlier
    some = replace(
        every, training=np.delete(np.arange(300), 5), holdout=np.delete(np.arange(250), 2)
    )
    outliers = (assess_closeness(of, permutations=0, drawn=each).outliers for each in (every, some))
    assert [(test.training, test.holdout) for test in outliers] == [(1, 3), (1, 2)]


def test_a_pool_of_other_records_is_refused() -> None:
    of = points()
    pool = search_pool(of.training, of.holdout, distance=of.distance, drawn=SOME)
    with pytest.raises(DataError, match="it was searched for other training or holdout records"):
        assess_closeness(of, pool=pool, permutations=0, drawn=EVERY)
    given: dict[str, Any] = {"permutations": 9, "seed": 1, "drawn": SOME}
    assert bare(assess_closeness(of, pool=pool, **given)) == bare(assess_closeness(of, **given))


class TestHowMany:
    def test_all_up_to_a_number_of_pairs(self, monkeypatch: pytest.MonkeyPatch) -> None:
        pairs = 20 * (30 + 10) + 30 * (30 + 10) + 10**2
        monkeypatch.setattr(drawn_records, "ALL_PAIRS", pairs)
        assert draw_queries(30, 20, 10, seed=1) is None
        monkeypatch.setattr(drawn_records, "ALL_PAIRS", pairs - 1)
        monkeypatch.setattr(drawn_records, "_FEWEST", 4_000)
        assert draw_queries(30, 20, 10, seed=1) is not None

    def test_so_many_that_the_pairs_are_those_allowed(self) -> None:
        n, m, h = 2_000_000, 1_500_000, 300_000
        drawn = draw_queries(n, m, h, seed=1)
        assert drawn is not None
        each = len(drawn.synthetic)
        assert {len(drawn.training), len(drawn.holdout)} == {each}
        assert each == 20_000  # of 200,000 million pairs / (3 * 2.3 + 2 * 1.5 million) = 20,202
        for rows, size in ((drawn.training, n), (drawn.synthetic, m), (drawn.holdout, h)):
            assert (np.diff(rows) > 0).all()
            assert 0 <= rows[0] < size / 1000
            assert size * 0.999 < rows[-1] < size
            assert abs(rows.mean() / size - 0.5) < 0.01
        again, other = (draw_queries(n, m, h, seed=seed) for seed in (1, 2))
        assert np.array_equal(again.training, drawn.training)  # type: ignore[union-attr]
        assert not np.array_equal(other.training, drawn.training)  # type: ignore[union-attr]
        assert not np.array_equal(drawn.training[:100], drawn.synthetic[:100])

    def test_all_of_a_small_data_set(self) -> None:
        drawn = draw_queries(4_000_000, 50_000, 700, seed=1)
        assert drawn is not None
        assert drawn.holdout.tolist() == list(range(700))
        assert len(drawn.training) == 16_000


def test_a_review_says_of_how_many_records_its_distances_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(drawn_records, "ALL_PAIRS", 1)
    monkeypatch.setattr(drawn_records, "_PAIRS", 1)
    monkeypatch.setattr(drawn_records, "_FEWEST", 100)
    monkeypatch.setattr(drawn_records, "_ROUND", 1)
    study = sdc.Study(
        TRAINING,
        {"a": SYNTHETIC, "b": [SYNTHETIC[:200], SYNTHETIC[200:]]},
        keys=["group", "job"],
        targets=["member"],
        holdout=HOLDOUT,
        permutations=9,
    )
    asked = []

    def alone(of: ClosestPoints, *, drawn: Queries, progress: Any) -> float:
        asked.append((len(drawn.training), len(drawn.synthetic), len(drawn.holdout)))
        return share_alone(of, drawn=drawn, progress=progress)

    monkeypatch.setattr("sdcmetrics.measures.references.places.share_alone", alone)
    rows = sdc.conduct(study).frame
    assert set(asked) == {(100, 34, 100)}  # of references a third
    rows = rows[rows["metric"] == "DCR_share"].set_index(["replica", "synthesis"])["reason"]
    each = "of 100 of 300 original, 100 of {} synthetic and 100 of 250 holdout records"
    assert rows["a"].iloc[0].startswith(each.format(400))
    assert rows["b"].iloc[0].startswith(each.format(200))


@pytest.mark.parametrize("drawn", [False, True])
def test_pages_say_that_distances_are_of_some(monkeypatch: pytest.MonkeyPatch, drawn: bool) -> None:
    if drawn:
        monkeypatch.setattr(drawn_records, "ALL_PAIRS", 1)
        monkeypatch.setattr(drawn_records, "_PAIRS", 1)
        monkeypatch.setattr(drawn_records, "_FEWEST", 100)
        monkeypatch.setattr(drawn_records, "_ROUND", 1)
    keys = ["group", "job"]
    study = sdc.Study(TRAINING, {"a": SYNTHETIC}, keys=keys, holdout=HOLDOUT, permutations=9)
    review = sdc.conduct(study)
    inside, outside = (
        safe_report(review, load_profile("default"), mode).fresh for mode in ("internal", "checker")
    )
    exact = "Distances are of 100 of 300 original, 100 of 400 synthetic and 100 of 250 holdout"
    for words, section in ((exact, inside), ("of records drawn at random, each to", outside)):
        assert (words in section.closeness.note) == drawn
        assert (words in section.copies.note) == drawn
