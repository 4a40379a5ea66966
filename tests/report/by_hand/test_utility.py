"""Sections on utility, fits and samples, of sources made by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace as With
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.measures.fits.sampled import SAMPLED_FIT
from sdcmetrics.report.safety.cells import Name, SafeCell, blank, column, plain, text_cell, withheld
from sdcmetrics.report.sections import fits, sample, suite_figures, utility
from sdcmetrics.review.judge import Status
from tests.report.by_hand.cells import cell
from tests.report.conftest import threshold


@pytest.mark.parametrize("metrics", [(), ("CIO", "std_diff"), ("std_diff_survey",)])
def test_models_of_the_population_have_rows_where_they_were_measured(
    metrics: tuple[str, ...],
) -> None:
    source: Any = With(
        measures=With(metrics=metrics), at=lambda metric, replica: cell(len(f"{metric}{replica}"))
    )
    rows: Any = [((With(text="r"),), {"replica": "r"})]
    table = sample._beside_file(source, SAMPLED_FIT, "c", column("Model"), rows)
    fields = [column.field for column in table.columns[2:]]
    assert fields == ["CIO", "CIO_survey", "std_diff", "std_diff_survey"]
    assert [column.detail for column in table.columns[2:4]] == ["of the file", "of the population"]
    assert len(table.rows) == (metrics == ("std_diff_survey",))


@pytest.mark.parametrize("release", [False, True])
@pytest.mark.parametrize("listed", [False, True])
def test_a_heat_map_has_the_numbers_of_its_cells_and_a_picture_of_many_has_none(
    *, listed: bool, release: bool
) -> None:
    values = {("a", "b"): 0.5, ("a", "c"): 3.0, ("b", "c"): 40.0}
    asked: list[str] = []

    def table(*place: Any) -> SafeCell:
        asked.append("table")
        return cell(values[place[-1]])

    source: Any = With(
        profile=With(thresholds={}), release=release, table=table,
        review=With(inputs=[With(name="r", n=90)], n_original=90),
        measures=With(pairs=tuple(values), statuses=lambda *_: [Status.NOT_JUDGED] * 3),
        pair_numbers=lambda *_: values, name=lambda name: Name(name, name),
        named=lambda name: text_cell(Name(name, name)),
        guard=With(judged=lambda shown, _: shown, rounded=lambda n: n),
    )  # fmt: skip
    block = utility._heat(source, "r", ("a", "b", "c"), listed=listed)
    drawn = [(c.row, c.column, c.text, c.band) for c in block.figure.cells]
    texts = ["0.5", "3", "40"] if listed else ["", "", ""]
    places = [(1, 0), (2, 0), (2, 1)]
    bands = [0, 1, 4]  # up to 1, 1 to 3, and above 30
    assert drawn == [(*at, text, band) for at, text, band in zip(places, texts, bands, strict=True)]
    assert (asked != []) == (listed or release)
    keys = [band.text for band in block.figure.bands]
    assert keys == ["up to 1", "1 to 3", "3 to 10", "10 to 30", "above 30"]
    source.profile.thresholds["S_pMSE"] = threshold("S_pMSE", 3, 10)
    source.guard.judged = lambda shown, _: replace(shown, status=None)
    block = utility._heat(source, "r", ("a", "b", "c"), listed=listed)
    assert block.figure.bands[-1].text == "near a limit: not judged"
    assert block.figure.description.endswith("near a limit: not judged: 3.")
    rows = [[shown.text for shown in row] for row in block.table.rows]
    assert rows == ([["b", "0.5", ""], ["c", "3", "40"]] if listed else [])


@pytest.mark.parametrize(
    ("status", "number", "review", "fail", "band"),
    [
        (None, 0.5, 3, 10, 5),  # too near a limit to be judged
        (Status.FAIL, 9.99, 3, 10, 3),
        (Status.FAIL, 35, 3, 10, 4),
        (Status.REVIEW, 2.9, 3, 10, 2),
        (Status.REVIEW, 10.2, 3, 10, 2),
        (Status.REVIEW, 35, 1, 30, 3),
        (Status.REVIEW, 35, 3, None, 4),
        (Status.WITHIN, 3.2, 3, 10, 1),
        (Status.WITHIN, 0.5, 3, 10, 0),
        (Status.WITHIN, 10.5, None, 10, 2),
        (Status.WITHIN, 35, None, None, 4),
    ],
)
def test_a_band_is_on_the_side_of_a_limit_that_its_status_says(
    status: Status | None, number: float, review: float | None, fail: float | None, band: int
) -> None:
    limit = replace(threshold("S_pMSE", 3, 10), review=review, fail=fail)
    shown = replace(cell(number / 2), status=status)
    assert utility._band(shown, 2.0, (1, 3, 10, 30), limit) == band


def test_a_model_weighs_what_the_first_replica_says_that_has_its_fit() -> None:
    bound = SafeCell("> 0.2", "number", bound=0.2)
    models = {"m": (blank(), cell(0.4), cell(0.5)), "n": (bound, cell(0.4), cell(0.5))}
    models["o"] = withheld(), blank(), blank()

    def at(replica: str, metric: str, *, model: str) -> SafeCell:
        assert metric == ("adj_pseudo_R2" if model == "n" else "adj_R2")
        return models[model]["abc".index(replica)]

    source: Any = With(replicas=("a", "b", "c"), at=at)
    families = {"m": "gaussian", "n": "binomial", "o": "gaussian"}
    result = [
        fits._weight(source, With(name=name, family=family))  # type: ignore[arg-type]
        for name, family in families.items()
    ]
    assert result == [cell(0.4), bound, withheld()]


@pytest.mark.parametrize(
    ("review", "fail", "bands"),
    [
        (
            3,
            10,
            ["up to 1 plain", "1 to 3 pale", "3 to 10 (review) review", "above 10 (fail) fail"],
        ),
        (None, 10, ["up to 1 plain", "1 to 10 pale", "above 10 (fail) fail"]),
        (3, None, ["up to 1 plain", "1 to 3 pale", "above 3 (review) review"]),
        (0.5, 1, ["up to 0.5 plain", "0.5 to 1 (review) review", "above 1 (fail) fail"]),
    ],
)
def test_bands_are_named_by_what_the_profile_says_beyond_them(
    review: float | None, fail: float | None, bands: list[str]
) -> None:
    limit = replace(threshold("S_pMSE", 3, 10), review=review, fail=fail)
    result = utility._bands(utility._limits(limit), limit)
    assert [f"{band.text} {band.shade}" for band in result] == bands


def test_bands_without_a_limit_are_shades_of_one_colour() -> None:
    result = [f"{band.text} {band.shade}" for band in utility._bands(utility._limits(None), None)]
    assert result == [
        "up to 1 plain", "1 to 3 pale", "3 to 10 light", "10 to 30 mid", "above 30 dark",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("against", "words"),
    [
        ("population", "an independent sample of the population."),
        ("original", "a draw from the file's own weighted shares."),
    ],
)
def test_what_weighted_tables_are_measured_by_is_told(against: str, words: str) -> None:
    nothing = dict.fromkeys(("population_size", "strata", "clusters", "households"))
    sampling: Any = With(
        columns={}, n=9, effects={}, weighted={}, clustered={}, against=against, people=math.nan,
        degrees_of_freedom=8, **nothing,
    )  # fmt: skip
    note = sample._how(With(), sampling).note  # type: ignore[arg-type]
    assert note.endswith(f"Weighted tables are measured by {words}")


def test_bands_of_associations_are_below_between_and_above_their_limits() -> None:
    limits = (-0.1, 0.05, 0.2)
    bands = [suite_figures._association_band(limits, place).text for place in range(4)]
    assert [text.replace("\N{MINUS SIGN}", "-") for text in bands] == [
        "below -0.1", "-0.1 to 0.05", "0.05 to 0.2", "above 0.2",
    ]  # fmt: skip


def test_a_histogram_says_of_how_many_groups_it_is_and_where_chance_ends() -> None:
    null = np.arange(1.0, 101.0)
    shape: Any = With(
        edges=np.arange(6.0), holdout=np.full(5, 0.2), synthetic=np.full(5, 0.2),
        discrepancy=With(null=null, statistic=97.0, p_value=0.05),
    )  # fmt: skip
    chart = suite_figures._histogram(Name("x", "x"), Name("r", "r"), shape)
    assert chart.description.startswith("Shares of the values in 5 groups.")
    assert chart.null is not None
    assert (chart.null.limit, chart.null.observed) == (95.0, 97.0)
    assert len(chart.null.edges) == len(chart.null.shares) + 1
    assert math.fsum(chart.null.shares) == pytest.approx(1.0)


def test_coefficients_have_their_remarks() -> None:
    frame = pd.DataFrame(
        {
            "original": [1.0, 2.0], "se_original": [0.5, math.nan], "synthetic": [1.5, 2.0],
            "std_diff": [1.0, math.nan], "CIO": [0.4, math.nan], "flag": ["", "aliased"],
        },
        index=["age", "sex"],
    )  # fmt: skip
    source: Any = With(name=lambda n: Name(n, n), named=text_cell)
    fit: Any = With(coefficients=frame)
    rows = fits._coefficients(source, "r", fit).rows
    assert [(row[0].text, row[-1].text) for row in rows] == [("age", ""), ("sex", "aliased")]
    assert [cell.number for cell in rows[0][1:-1]] == [1.0, 0.5, 1.5, 1.0, 0.4]
    frame["flag"] = [math.nan, "aliased"]  # of a frame that was read again
    assert fits._coefficients(source, "r", fit).rows[0][-1].text == ""


def test_why_a_model_was_not_fitted_is_told_where_a_reason_is_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fits, "_fit", lambda _, replica, __: found[replica])
    found = {"a": None, "b": None, "c": With(problems=["c: few records", "1 term"])}
    reasons = {"a": With(reason="no term is left"), "b": None}
    source: Any = With(
        replicas=tuple(found), release=False, name=lambda n: Name(n, n),
        withheld=lambda *_: "Too few records are left",
        measures=With(fitted=lambda replica, *_: reasons[replica]),
    )  # fmt: skip
    model: Any = With(formula="y ~ x", name="y ~ x")
    assert [plain(item.words) for item in fits._problems(source, model)] == [
        "Held back by the rule: too few records are left.",
        "Not fitted to a: no term is left.", "Not fitted to b.", "c: few records.", "c: 1 term.",
    ]  # fmt: skip


@pytest.mark.parametrize(("release", "means"), [(False, [1.5, 2.5]), (True, [0.5, 2.0])])
def test_a_mean_is_over_the_tables_that_are_shown_of_every_replica(
    means: list[float], *, release: bool
) -> None:
    pairs = (("a", "b"), ("a", "c"), ("b", "c"))
    inside: dict[str, dict[Any, float | None]] = {
        "r": dict(zip(pairs, (1.0, 2.0, None), strict=True)),
        "q": dict(zip(pairs, (2.0, 3.0, 9.0), strict=True)),
        "none": {},
    }
    outside = {
        "r": [SafeCell("", "hidden", bound=0.5), withheld(), cell(7)],
        "q": [cell(2), cell(3), withheld()],
        "none": [withheld()] * 3,
    }

    def mean(_: str, shown: Any) -> SafeCell | None:
        values = [*shown]
        return cell(sum(values) / len(values)) if values else None

    source: Any = With(
        release=release, replicas=("r", "q"), measures=With(pairs=pairs), guard=With(mean=mean),
        table=lambda replica, _, pair: outside[replica][pairs.index(pair)],
        pair_numbers=lambda replica, _: inside[replica],
    )  # fmt: skip
    result = utility.two_way_means(source)
    assert {name: shown.number for name, shown in result.items()} == dict(
        zip("rq", means, strict=True)
    )
    source.replicas = ("r", "none")
    assert [*utility.two_way_means(source).values()] == [blank()] * 2


@pytest.mark.parametrize(
    ("replica", "release", "sizes"),
    [
        ("r", False, (103, 95)),  # the mean of two files
        ("x", False, (103, 103)),
        ("r", True, (105, 105)),  # of 95, which is rounded to 105 here
        ("small", True, (105, 40)),
        ("small", False, (103, 40)),
    ],
)
def test_records_of_a_replica_are_no_more_exact_than_elsewhere(
    replica: str, sizes: tuple[float, float], *, release: bool
) -> None:
    inputs = [With(name="r", n=90), With(name="r", n=100), With(name="small", n=40)]
    guard = With(rounded=lambda n: 105 if n > 90 else 0)
    source: Any = With(review=With(inputs=inputs, n_original=103), release=release, guard=guard)
    assert utility.records(source, replica) == sizes
    source.review.n_original = 8  # so few that it is not told
    if release:
        assert utility.records(source, replica)[0] == utility.records(source, replica)[1]


@pytest.mark.parametrize(("most", "drawn", "left"), [(4, "abcd", 0), (3, "acd", 1), (2, "cd", 2)])
def test_the_variables_of_the_worst_tables_are_drawn_in_their_own_order(
    most: int, drawn: str, left: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(utility, "_DRAWN", most)
    values = {
        "r": {("a", "b"): 2.0, ("a", "c"): 3.0, ("c", "d"): None}, "q": {("c", "d"): 9.0}
    }  # fmt: skip
    source: Any = With(
        review=With(variables="xabcd"), replicas=("r", "q"),
        measures=With(pairs=(("a", "b"), ("a", "c"), ("c", "d"))),
        pair_numbers=lambda replica, _: values[replica],
    )  # fmt: skip
    assert utility._drawn(source) == (tuple(drawn), left)
