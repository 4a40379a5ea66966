"""One scale between references: its ends, what lies beyond, and where there is none."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sdcmetrics import report
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.ranking.anchors import anchored, counted, find_scale, set_anchors
from sdcmetrics.ranking.references import (
    DRAWN,
    REFERENCES,
    by_reference,
    conduct_references,
    draw_uniformly,
    make_references,
)
from sdcmetrics.ranking.values import Entry, Place, collect
from sdcmetrics.study.criteria import criterion
from tests.ranking.reviews import ORIGINAL, people, ranked, review, study

NAMES = ("original", "bootstrap", "independent", "uniform")
CRITERIA = [criterion(name) for name in ("ROC", "S_pMSE_two_way", "DiSCO", "std_diff")]
TABLE = np.array(
    [
        [1.0, 0.0, 40.0, 0.0],
        [0.9, 1.0, 39.0, 0.1],
        [0.9, 21.0, 10.0, -2.1],
        [0.4, 80.0, 12.0, 3.0],
    ]
)


class TestSetAnchors:
    def test_what_sees_one_variable_starts_from_uniform_draws_and_the_rest_from_independence(
        self,
    ) -> None:
        made = set_anchors(TABLE, CRITERIA, NAMES, np.zeros_like(TABLE))
        ends = [(a.floor, a.at_floor, a.ceiling, a.at_ceiling) for a in made[:3]]
        assert ends == [
            ("uniform", 0.4, "bootstrap", 0.9),
            ("independent", 21.0, "bootstrap", 1.0),
            ("original", 40.0, "independent", 10.0),
        ]

    def test_scores_are_shares_of_the_way_whatever_the_direction(self) -> None:
        made = set_anchors(TABLE, CRITERIA, NAMES, np.zeros_like(TABLE))
        scores = anchored(np.array([[0.65, 6.0, 25.0, -0.6]]), made)
        np.testing.assert_allclose(scores, [[0.5, 0.75, 0.5, 0.75]])

    def test_values_beyond_the_references_are_shown_as_such_and_counted_at_the_end(self) -> None:
        made = set_anchors(TABLE, CRITERIA, NAMES, np.zeros_like(TABLE))
        scores = anchored(np.array([[1.0, 41.0, 4.0, 0.0]]), made)
        np.testing.assert_allclose(scores, [[1.2, -1.0, 1.2, 1.05]])
        assert counted(scores).tolist() == [[1.0, 0.0, 1.0, 1.0]]

    @pytest.mark.parametrize(("spread", "scale"), [(0.1, True), (15.0, False)])
    def test_ends_that_differ_less_than_the_luck_of_drawing_are_no_scale(
        self, spread: float, scale: bool
    ) -> None:
        noise = np.zeros_like(TABLE)
        noise[2] = spread
        made = set_anchors(TABLE, CRITERIA, NAMES, noise)[2]
        assert (made.reason == "") is scale
        assert np.isnan(made.score(np.array([20.0]))[0]) is np.bool_(not scale)

    def test_references_that_coincide_or_lack_a_value_give_a_reason(self) -> None:
        table = TABLE.copy()
        table[2, 2], table[1, 0], table[2, 1] = 40.0, math.nan, 0.5
        made = set_anchors(table, CRITERIA, NAMES, np.zeros_like(table))
        assert (
            made[2].reason
            == "the references 'original' and 'independent' do not differ on this measure"
        )
        assert made[0].reason == "a reference has no value of this measure"
        assert (
            made[1].reason
            == "the reference 'bootstrap' is worse than 'independent' on this measure"
        )

    def test_one_odd_draw_of_a_reference_does_not_move_it(self) -> None:
        # An overlap of intervals is far below 0 where a model is separated in one bootstrap.
        draws = {"original": [1.0], "bootstrap": [0.85, 0.79, -1.26, 0.82, 0.88]}
        draws |= {"independent": [0.42, 0.43, 0.31, 0.4, 0.38], "uniform": [0.39] * 5}
        names = [
            f"{name} {i}" if len(many) > 1 else name
            for name, many in draws.items()
            for i in range(1, len(many) + 1)
        ]
        overlaps = [value for draw in draws.values() for value in draw]
        criteria = [criterion("CIO_weighted")]
        measured = [
            Entry(name, "CIO_weighted", Place(), value)
            for name, value in zip(["r", *names], [0.7, *overlaps], strict=True)
        ]
        scale = find_scale(measured, names, collect(measured, criteria, ["r"]))
        (anchor,) = scale.anchors
        assert (anchor.at_floor, anchor.at_ceiling, anchor.reason) == (0.4, 0.82, "")


class TestReferences:
    def test_uniform_draws_give_every_value_the_same_chance(self) -> None:
        skewed = pd.DataFrame({"x": ["a"] * 2997 + ["b", "c", None]})
        drawn = draw_uniformly(as_microdata(skewed, "original"), seed=1).to_pandas()["x"]
        shares = drawn.fillna("missing").value_counts(normalize=True)
        np.testing.assert_allclose(shares, 0.25, atol=0.03)
        assert len(drawn) == 3000

    def test_every_reference_is_explained_and_random_ones_are_drawn_several_times(self) -> None:
        made = make_references(study(holdout=people(100, 9)), seed=1)
        groups = by_reference(list(made))
        assert list(groups) == list(REFERENCES)
        assert [len(group) for group in groups.values()] == [1, DRAWN, DRAWN, DRAWN, 1]
        assert "holdout" not in make_references(study(), seed=1)

    def test_the_original_scores_as_itself_and_marginals_are_kept_without_relations(self) -> None:
        steps: list[str] = []
        before = ORIGINAL.copy()
        result = conduct_references(
            review().study, progress=lambda step, _done, _steps: steps.append(step)
        )
        pd.testing.assert_frame_equal(ORIGINAL, before)  # by being a reference
        rows = result.mean_rows().query("target == 'vote'")
        rows = rows.set_index(["replica", "metric"])["value"]
        assert rows["original", "DiSCO"] == rows["original", "Dorig"]
        assert steps[0].startswith("reference ")
        ranking = ranked()
        assert ranking.scale is not None
        two = ranking.scale.table[:, 2]
        assert two[0] == 0.0
        assert two[1] == pytest.approx(1.0, abs=0.35)  # expected of a fresh sample
        assert two[2] > 2 * two[1]
        assert list(ranking.scale.references) == list(NAMES)
        # What it reads, and no more, is measured of them.
        assert ranking.scale.review is not None
        values, every = ranking.scale.review.frame, result.frame
        assert {"ROC", "DCAP"} <= set(values["metric"]) < set(every["metric"])
        same = every[every["metric"].isin(set(values["metric"]))]
        pd.testing.assert_frame_equal(
            values.reset_index(drop=True), same.reset_index(drop=True), check_dtype=False
        )

    @pytest.mark.parametrize("mode", ["internal", "checker"])
    def test_the_report_says_who_is_first_and_maps_exact_facts_for_internal_use_only(
        self, tmp_path: Path, mode: str
    ) -> None:
        path = report.write_html(review(), tmp_path / "r.html", mode=mode, ranking=ranked())
        text = path.read_text("utf-8")
        assert "is first where general utility counts" in text
        # References are exact facts about the original: a release has no map of them.
        assert ("Utility and protection, between references" in text) is (mode == "internal")
