"""Figures of DAISYnt's tests in the report: inside only, and what the measures were made of."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import sdcmetrics as sdc
from sdcmetrics.report.assembly import SafeReport, safe_report
from sdcmetrics.report.figures.charts import Curves, Heat, Histogram
from sdcmetrics.report.formats.render import render
from sdcmetrics.study.profile import load_profile
from sdcmetrics.suites.daisynt.figure_data import Numbers, RocCurves, roc, shape
from sdcmetrics.suites.daisynt.one_variable import discrepancy
from tests.suites.daisynt.test_table import people


@pytest.fixture(scope="module")
def review(tmp_path_factory: pytest.TempPathFactory) -> sdc.Review:
    own = tmp_path_factory.mktemp("preset") / "own.toml"
    names = "".join(
        f"{name} = {{}}\n" for name in ("rho_mad", "IV_gap", "mean_MMD", "aggregate_gap")
    )
    own.write_text(f"[metrics]\n{names}")
    older = people(300, 2).assign(age=lambda x: x["age"] + 10)
    return sdc.conduct(
        sdc.Study(
            people(300, 1),
            {"older": older, "fresh": people(260, 4)},
            keys=["job", "age"],
            targets=["region", "buys"],
            holdout=people(300, 3),
            preset=str(own),
            ways=(1,),
            perturbed=(),
            candidates=0,
            permutations=19,
        )
    )


def report(review: sdc.Review, mode: str = "internal") -> SafeReport:
    return safe_report(review, load_profile("default"), mode)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def inside(review: sdc.Review) -> SafeReport:
    return report(review)


def test_every_replica_has_each_figure_and_none_leaves_the_house(
    review: sdc.Review, inside: SafeReport
) -> None:
    kinds = [[type(chart).__name__ for chart in item.figures] for item in inside.drawn]
    each = [["Heat"] * 3, [], ["Histogram"] * 3, ["Curves"]]
    assert kinds == [item for item in each for _ in range(2)]
    assert report(review, "checker").drawn == ()


def test_the_maps_hold_the_mean_difference_that_the_row_says(
    review: sdc.Review, inside: SafeReport
) -> None:
    change = inside.drawn[0].figures[0]
    assert isinstance(change, Heat)
    rows = review.mean_rows()
    row = rows[(rows["replica"] == "older") & (rows["metric"] == "rho_mad")].iloc[0]
    result = [float(cell.text.replace("\N{MINUS SIGN}", "-")) for cell in change.cells]
    assert len(result) == 9 * 8 / 2
    assert np.abs(result).mean() == pytest.approx(row["value"], abs=0.005)


def test_the_table_of_information_values_has_the_gap_that_the_row_says(
    review: sdc.Review, inside: SafeReport
) -> None:
    rows = review.mean_rows()
    row = rows[(rows["replica"] == "fresh") & (rows["metric"] == "IV_gap")].iloc[0]
    result = inside.drawn[3].table.rows
    gaps = [abs(cells[3].number) for cells in result if cells[3].number is not None]
    assert max(gaps) == pytest.approx(row["value"])
    assert len(result) == 8  # every column but the target, which the study names


def test_the_number_that_was_moved_is_drawn_first_and_far_beyond_chance(inside: SafeReport) -> None:
    first = inside.drawn[4].figures[0]
    assert isinstance(first, Histogram)
    assert first.title == "age in holdout and older"
    assert first.null is not None
    assert first.null.observed > 2 * first.null.limit
    assert first.null.text.startswith("p <") or first.null.text == "p = 0.001"
    for item in first.series:
        assert math.fsum(value or 0.0 for value in item.values) == pytest.approx(100)


def test_the_curves_are_those_of_four_models_of_the_target_that_has_two_classes(
    inside: SafeReport,
) -> None:
    (chart,) = inside.drawn[6].figures
    assert isinstance(chart, Curves)
    assert "Predictions of buys" in chart.title
    assert [(c.first, c.dashed) for c in chart.curves] == [
        (True, False),
        (False, False),
        (True, True),
        (False, True),
    ]
    assert all(f"AUC {row[2].text}" in chart.description for row in inside.drawn[6].table.rows)


def test_the_page_has_every_figure_once_with_ids_of_its_own(review: sdc.Review) -> None:
    page = render(report(review))
    ids = re.findall(r'id="(fig-[^"]+?)"', page)
    assert len(ids) == len(set(ids))
    assert sum(item.startswith(("fig-utility", "fig-specific")) for item in ids) >= 2 * 7
    assert "Associations of every two variables" not in render(report(review, "checker"))


def test_a_curve_of_equal_scores_is_straight_and_one_of_perfect_scores_a_corner() -> None:
    positive = np.arange(200) % 2 == 0
    x, y = roc(positive, np.zeros(200))
    assert y == pytest.approx(x)
    assert (roc(positive, positive.astype(float))[1] == 1).all()
    rng = np.random.default_rng(1)
    score = positive + rng.normal(size=200)
    x, y = roc(positive, score)
    result = [(score[positive] >= t).mean() for t in np.sort(score[~positive])[::-1]]
    assert y[50] == pytest.approx(result[49], abs=0.03)


def test_whole_numbers_are_grouped_by_as_many_values_each_and_ends_keep_what_is_beyond() -> None:
    values = np.append(np.repeat(np.arange(100.0), 5), [1e6, np.nan])
    result = shape("x", values, values, discrepancy(values, values, rng=np.random.default_rng(1)))
    assert set(np.diff(result.edges)) == {4.0}
    assert result.holdout.sum() == pytest.approx(1.0)
    assert result.holdout[:-1] == pytest.approx(result.holdout[0], abs=0.021)


def test_nothing_is_drawn_where_values_are_all_that_is_wanted(review: sdc.Review) -> None:
    assert sdc.conduct(review.study, reference_values=False).shown == {}
    kept = [item[0] for item in review.shown.values()]
    assert sum(isinstance(item, Numbers | RocCurves) for item in kept) == 4
    assert None not in kept
