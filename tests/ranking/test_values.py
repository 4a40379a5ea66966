"""One value a replica and metric: what counts, and what is said of what does not."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sdcmetrics.errors import StudyError
from sdcmetrics.ranking.phrase import plain_text
from sdcmetrics.ranking.values import (
    Entry,
    Place,
    Values,
    collect,
    drop_missing,
    list_entries,
    mean_at,
    review_entries,
)
from sdcmetrics.study.criteria import criterion
from sdcmetrics.study.ranking import make_ranking
from sdcmetrics.study.weights import Weights, make_weights
from tests.ranking.reviews import review

CRITERIA = [criterion(name) for name in ("TVD_one_way", "TVD_two_way", "repU", "DiSCO")]


def entry(replica: str, metric: str, place: str, value: float, reason: str = "") -> Entry:
    """Return an entry; the place is "scenario target" or variables with a cross between them."""
    if " " in place:
        scenario, target = place.split()
        return Entry(replica, metric, Place(scenario, target), value, reason)
    names = tuple(place.split("x")) if place else ()
    return Entry(replica, metric, Place(variables=names), value, reason)


class TestCollect:
    def test_tables_count_by_the_number_of_their_variables(self) -> None:
        entries = [
            entry("r", "TVD", "a", 0.2),
            entry("r", "TVD", "b", 0.4),
            entry("r", "TVD", "axb", 0.8),
        ]
        result = collect(entries, CRITERIA[:2], ["r"])
        np.testing.assert_allclose(result.table, [[0.3, 0.8]])

    def test_the_overall_row_of_a_mean_is_no_table(self) -> None:
        entries = [entry("r", "ROC", "a", 0.5), entry("r", "ROC", "", 0.9)]
        assert collect(entries, [criterion("ROC")], ["r"]).table.tolist() == [[0.5]]

    def test_uniques_count_once_a_scenario(self) -> None:
        entries = [
            entry("r", "repU", "s t", 1.0),
            entry("r", "repU", "s u", 1.0),
            entry("r", "repU", "z t", 4.0),
        ]
        result = collect(entries, CRITERIA[2:3], ["r"])
        assert result.table.tolist() == [[2.5]]
        assert len(result.places[0]) == 2

    def test_places_without_a_value_for_one_replica_are_left_out_for_all(self) -> None:
        entries = [
            entry("r", "DiSCO", "s t", 1.0),
            entry("r", "DiSCO", "s u", 9.0),
            entry("q", "DiSCO", "s t", 2.0),
            entry("q", "DiSCO", "s u", math.nan, "no match"),
        ]
        result = collect(entries, CRITERIA[3:], ["r", "q"])
        assert result.table.tolist() == [[1.0], [2.0]]
        assert result.left_out == (1,)
        assert not result.reasons

    def test_a_replica_without_any_value_keeps_its_reason_and_does_not_hinder_the_others(
        self,
    ) -> None:
        entries = [
            entry("r", "TVD", "a", 1.0),
            entry("q", "TVD", "", math.nan, "too many cells"),
        ]
        result = collect(entries, CRITERIA[:1], ["r", "q", "p"])
        assert result.table[0].tolist() == [1.0]
        assert result.reasons == {
            ("q", "TVD_one_way"): "too many cells",
            ("p", "TVD_one_way"): "it was not measured",
        }

    def test_replicas_measured_on_different_things_cannot_be_compared(self) -> None:
        entries = [entry("r", "DiSCO", "s t", 1.0), entry("q", "DiSCO", "s u", 1.0)]
        result = collect(entries, CRITERIA[3:], ["r", "q"])
        assert np.isnan(result.table).all()
        assert "no table or target" in result.reasons["r", "DiSCO"]


class TestEntriesOf:
    def test_means_of_a_review_equal_its_own_frame(self) -> None:
        rows = review().mean_rows()
        values = collect(review_entries(review(), CRITERIA), CRITERIA, review().replicas).to_frame()
        two = rows[(rows["metric"] == "TVD") & (rows["variables"].map(len) == 2)]
        expected = two.groupby("replica")["value"].mean()
        risk = rows[rows["metric"] == "DiSCO"].groupby("replica")["value"].mean()
        for replica in review().replicas:
            assert values.loc[replica, "TVD_two_way"] == pytest.approx(expected[replica])
            assert values.loc[replica, "DiSCO"] == pytest.approx(risk[replica])

    def test_a_data_set_that_lacks_a_place_has_no_mean(self) -> None:
        values = collect(review_entries(review(), CRITERIA), CRITERIA, review().replicas)
        assert np.isnan(mean_at([], values, ["other"])).all()


def gaps() -> tuple[Values, Weights]:
    weights = make_weights({"DiSCO": 0.6, "TVD_one_way": 0.4})
    entries = [
        entry("r", "DiSCO", "s t", 1.0),
        entry("q", "DiSCO", "s t", 2.0),
        entry("r", "TVD", "a", 0.1),
        entry("r", "TVD", "b", 0.3),
    ]
    return collect(entries, weights.criteria, ["r", "q"]), weights


class TestDropMissing:
    def test_a_metric_with_a_gap_is_left_out_for_all_and_said(self) -> None:
        values, weights, notes = drop_missing(*gaps(), missing="leave out")
        assert [item.name for item in values.criteria] == ["DiSCO"]
        assert weights.flat() == {"DiSCO": 1.0}
        texts = [plain_text(note) for note in notes]
        assert texts[0] == "TVD_one_way is left out, for want of a value for q: it was not measured"
        assert "its weight of 0.4 goes to disclosure risk" in texts[1]

    def test_or_the_replica_is_last_on_it_and_that_is_said(self) -> None:
        values, weights, notes = drop_missing(*gaps(), missing="last")
        assert len(values.criteria) == 2
        assert weights.flat() == pytest.approx({"TVD_one_way": 0.4, "DiSCO": 0.6})
        assert "TVD_one_way ranks last, having no value, q" in plain_text(notes[0])

    def test_what_no_replica_has_is_left_out_in_any_case(self) -> None:
        values, weights = gaps()
        nobody = Values(
            values.criteria,
            values.replicas,
            np.where(np.isnan(values.table).any(axis=0), np.nan, values.table),
            values.places,
            values.left_out,
            {(r, item.name): "no" for r in values.replicas for item in values.criteria},
        )
        left, _, notes = drop_missing(nobody, weights, missing="last")
        assert [item.name for item in left.criteria] == ["DiSCO"]
        assert "for any replica" in plain_text(notes[0])

    @pytest.mark.parametrize(
        ("name", "words"),
        [("TVD_two_way", "2 tables"), ("TVD_one_way", "1 variable"), ("DiSCO", "1 target")],
    )
    def test_places_that_are_left_out_are_counted(self, name: str, words: str) -> None:
        weights = make_weights({name: 1.0})
        places = {"TVD_two_way": ["axb", "axc", "bxc"], "TVD_one_way": ["a", "b"]}.get(
            name, ["s t", "s u"]
        )
        metric = weights.criteria[0].metric
        entries = [entry("r", metric, place, 1.0) for place in places]
        entries.append(entry("q", metric, places[0], 1.0))
        result = collect(entries, weights.criteria, ["r", "q"])
        _, _, notes = drop_missing(result, weights, missing="leave out")
        assert plain_text(notes[0]).startswith(f"{name}: {words} without a value")

    def test_nothing_left_is_an_error_that_says_why(self) -> None:
        weights = make_weights({"TVD_one_way": 1.0})
        result = collect([entry("r", "TVD", "a", 1.0)], weights.criteria, ["r", "q"])
        with pytest.raises(
            StudyError, match=r"no metric has a value for every replica.*missing = 'last'"
        ):
            drop_missing(result, weights, missing="leave out")

    def test_an_unknown_way_is_refused(self) -> None:
        with pytest.raises(StudyError, match="'leave out' or 'last'"):
            make_ranking({"missing": "guess"}, models=False)


def test_a_reason_is_that_of_a_value_that_is_not_there() -> None:
    row = {"replica": "r", "metric": "TVD", "scenario": None, "variables": ["a", "b"]}
    rows = [
        row | {"value": None, "reason": "too few", "shown": "-"},
        row | {"value": math.nan, "shown": "held back"},
        row | {"value": 0.5, "reason": "rounded", "shown": "0.5"},
    ]
    result = list_entries(rows, [("original", "o", 10), ("synthetic", "r", 10)])
    assert [item.reason for item in result] == ["too few", "held back", ""]
    assert [item.place.nth for item in result] == [0, 1, 2]
    assert result[2].value == 0.5
