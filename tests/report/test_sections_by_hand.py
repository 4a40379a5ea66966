"""Parts of sections that add up, choose or cut: each with a source that is made by hand."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from types import SimpleNamespace as With
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.errors import RError
from sdcmetrics.measures.fits.sampled import SAMPLED_FIT
from sdcmetrics.measures.kind import Place
from sdcmetrics.measures.measure import DISCLOSURE_RISK, SPECIFIC_UTILITY
from sdcmetrics.measures.prediction.places import PREDICTION
from sdcmetrics.measures.reference_values import References
from sdcmetrics.measures.survey.sample import Sample
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.report import distributions
from sdcmetrics.report.figures.charts import Dot
from sdcmetrics.report.measures import Measures
from sdcmetrics.report.safety.cells import (
    Name,
    SafeCell,
    blank,
    column,
    p_cell,
    plain,
    text_cell,
    withheld,
)
from sdcmetrics.report.sections import (
    answers,
    by_variable,
    comparison,
    data,
    decision,
    disclosure,
    every,
    exports,
    fits,
    holdout,
    holdout_tables,
    overview,
    people,
    proof,
    ranking_tables,
    rules,
    sample,
    suite_figures,
    unchecked,
    utility,
)
from sdcmetrics.report.source import Source
from sdcmetrics.review.judge import Finding, Status
from sdcmetrics.study.profile import Criterion
from tests.report.conftest import threshold

SCENARIO: Any = With(name="s", keys=("age",), targets=("vote",))


def cell(value: float | None) -> SafeCell:
    return SafeCell("-" if value is None else f"{value:g}", "number", value)


@pytest.mark.parametrize(
    ("low", "high", "value", "release", "text"),
    [
        (20.0, 60.0, 30.0, False, "25 %"),
        (20.0, 60.0, 19.0, False, "below"),
        (20.0, 60.0, 20.0, False, "0 %"),
        (20.0, 25.0, 25.0, False, "100 %"),  # five points are enough
        (20.0, 24.9, 22.0, False, ""),
        (20.0, 60.0, 66.0, True, "120 %"),
        (20.0, 60.0, 37.0, True, "40 %"),
        (None, 60.0, 37.0, False, ""),
        (20.0, None, 37.0, False, ""),
        (20.0, 60.0, None, False, ""),
    ],
)
def test_a_position_is_between_baseline_and_original(
    low: float | None, high: float | None, value: float | None, text: str, *, release: bool
) -> None:
    values = {"base": cell(low), "orig": cell(high), "DCAP": cell(value)}
    source: Any = With(risk=lambda _, symbol, *__: values[symbol], release=release)
    measure: Any = With(symbol="DCAP", show={"between": ("base", "orig")}, baseline="base")
    position = disclosure._position(source, measure, SCENARIO, "vote")
    result: Any = position({"replica": "a"})
    shown = (
        "" if result is None or (result.number is None and result.text != "below") else result.text
    )
    assert shown.replace("\N{NO-BREAK SPACE}", " ") == text
    assert position({"replica": "a", "role": "original"}) is None


@pytest.mark.parametrize(
    ("shown", "dot"),
    [
        (SafeCell("5 %", "number", 5.0), Dot(5.0, "5 %")),
        (SafeCell("> 5 %", "bound", None, bound=5.0), Dot(5.0, "> 5 %", bound="above")),
        (SafeCell("< 5 %", "bound", None, bound=5.0), Dot(5.0, "< 5 %", bound="below")),
        (SafeCell("not shown", "hidden"), None),
    ],
)
def test_a_dot_is_hollow_at_a_bound(shown: SafeCell, dot: Dot | None) -> None:
    assert disclosure.dot(shown) == dot


def marks(**of: References | None) -> Any:
    rows = {
        name: None if item is None else With(references=item, value=1.0)
        for name, item in of.items()
    }
    measures = With(risk=lambda replica, *_: rows[replica])
    return With(release=False, replicas=tuple(of), measures=measures, name=lambda n: Name(n, n))


FULL = References(at=40, value_at=12.0, copy_at=50.0, fresh=9.0, p=0.2)


def test_reference_values_are_shown_where_every_replica_has_them() -> None:
    both = marks(a=FULL, b=References(at=60, value_at=1.0, copy_at=2.0, fresh=3.0, p=0.5))
    assert [*disclosure._marks(both, "DCAP", "s", "vote")] == ["a", "b"]
    for lacking in (None, References(), References(at=40, value_at=12.0), References(fresh=1.0)):
        assert disclosure._marks(marks(a=FULL, b=lacking), "DCAP", "s", "vote") == {}
    both.release = True
    assert disclosure._marks(both, "DCAP", "s", "vote") == {}


@pytest.mark.parametrize(("sizes", "head"), [((40, 40), "at 40 records"), ((40, 60), "at equal")])
def test_columns_of_references_say_of_how_many_records(sizes: tuple[int, int], head: str) -> None:
    of = {
        name: References(at=n, value_at=12.0, copy_at=50.0, fresh=9.0, p=0.2)
        for name, n in zip("ab", sizes, strict=True)
    }
    columns = disclosure.reference_columns(marks(**of), "DCAP", "s", "vote")
    assert columns[0][0].title.startswith(f"DCAP {head}")
    texts = [getattr(value({"replica": "a"}), "text", "") for _, value in columns]  # type: ignore[operator]
    assert [text.replace("\N{NO-BREAK SPACE}", " ") for text in texts[:3]] == [
        "12.0 %", "50.0 %", "9.0 %",
    ]  # fmt: skip
    assert all(value({"role": "original"}) is None for _, value in columns)  # type: ignore[operator]


def test_people_are_a_percentage_of_all() -> None:
    assert disclosure._people(12.5, 1000) == "125"
    assert disclosure._people(0.24, 1000) == "2"


class TestData:
    def test_a_replica_of_several_syntheses_says_so(self) -> None:
        def given(name: str, role: str = "replica", synthesis: int = 1) -> Any:
            return With(name=name, role=role, synthesis=synthesis)

        inputs = [given("o", "original"), given("a"), given("b"), given("b", synthesis=2)]
        source: Any = With(
            replicas=("a", "b"), review=With(inputs=inputs), name=lambda n: Name(n, n)
        )
        assert [synthesis.text for synthesis in data._with_syntheses(source)] == [
            "a", "b (mean of 2 syntheses)",
        ]  # fmt: skip
        assert [data._role(source, item).text for item in inputs] == [
            "Original", "a", "b, synthesis 1", "b, synthesis 2",
        ]  # fmt: skip

    @pytest.mark.parametrize(
        ("number", "release", "words"),
        [(1, False, "1 record"), (630, False, "630 records"), (630, True, "about 630 records"),
         (None, True, "fewer than 10 records")],
    )  # fmt: skip
    def test_records_in_words(self, number: int | None, words: str, *, release: bool) -> None:
        guard = With(records=lambda _: cell(number), rounding=With(least=10))
        source: Any = With(guard=guard, release=release)
        assert data.records_in_words(source, 5) == words

    def test_what_is_missing_is_told_of_the_level_or_of_all(self) -> None:
        def missing(distribution: Any) -> list[str]:
            source: Any = With(distributions={"x": distribution}, replicas=("a", "b"))
            return [item.text for item in data._missing(source, "x")]

        blank = disclosure.blank()
        level = With(missing=True, share=cell(5), replicas=(cell(6), cell(7)))
        other = With(missing=False, share=cell(1), replicas=(blank, cell(1)))
        assert missing(With(levels=[other, level], missing={})) == ["5", "6", "7"]
        assert missing(With(levels=[other], missing={})) == ["none", blank.text, "none"]
        assert missing(With(levels=[], missing={})) == ["none", "none", "none"]
        hidden = missing(With(levels=[other], missing={"b": cell(9)}))
        assert hidden[1:] == [blank.text, "9"]
        assert missing(None) == [blank.text] * 3

    def test_names_of_files_are_not_told(self) -> None:
        inputs = [
            With(source="o.csv", role="original", name="o"),
            With(source="a.csv", role="replica", name="cart"),
            With(source="holdout", role="holdout", name="h"),
        ]
        source: Any = With(review=With(inputs=inputs))
        what = "levels of o.csv and a.csv, and of the holdout"
        assert data._without_sources(source, what) == (
            "levels of the original and the cart, and of the holdout"
        )


def plain_of(found: Any) -> str:
    return str(found.text).replace("\N{NO-BREAK SPACE}", " ")


class TestHoldout:
    @staticmethod
    def fidelity(**figures: float) -> Any:
        return With(index=[1, 2], figure=lambda _, name: figures[name])

    @pytest.mark.parametrize(
        ("se", "fresh", "detail"),
        [
            (0.01, 0.1234, "\N{PLUS-MINUS SIGN} 1.96; holdout 12.34"),
            (math.nan, 0.1234, "holdout 12.34"),
            (0.02, math.nan, "\N{PLUS-MINUS SIGN} 3.92"),
        ],
    )
    def test_distances_are_in_percent_with_errors(
        self, se: float, fresh: float, detail: str
    ) -> None:
        frame = self.fidelity(tvd=0.25, se=se, fresh_tvd=fresh)
        result = holdout_tables._distances(frame, 1, "tvd", "se", "fresh_tvd")
        assert (plain_of(result), result.number) == ("25.00 %", 25.0)
        assert result.detail.replace("\N{NO-BREAK SPACE}", " ") == detail
        assert holdout_tables._distances(frame, 3, "tvd", "se").number is None

    def test_a_ratio_has_two_digits_and_its_error(self) -> None:
        result = holdout_tables._ratio(self.fidelity(ratio=1.2345, ratio_se=0.1), 1)
        assert (result.text, result.number) == ("1.2", 1.2)
        assert result.detail.replace("\N{NO-BREAK SPACE}", " ") == "\N{PLUS-MINUS SIGN} 0.20"
        assert holdout_tables._ratio(self.fidelity(ratio=2.0, ratio_se=math.nan), 1).detail == ""
        assert holdout_tables._ratio(self.fidelity(ratio=math.nan, ratio_se=1.0), 1).number is None

    def test_shares_and_means(self) -> None:
        share = holdout_tables._percent_cell(0.51234)
        assert (plain_of(share), share.number) == ("51.2 %", 51.2)
        mean = holdout_tables._mean_cell(1.2345)
        assert (mean.text, mean.number) == ("1.23", 1.23)
        assert holdout_tables.coarse(0.12345) == 0.12
        test = With(mean=0.5, sd=0.01)
        words = holdout_tables._chance_in_words(With(permutation=test))  # type: ignore[arg-type]
        assert words.replace("\N{NO-BREAK SPACE}", " ") == "50.0 \N{PLUS-MINUS SIGN} 2.0 %"
        test.sd = math.nan
        assert holdout_tables._chance_in_words(With(permutation=test)) == "not known"  # type: ignore[arg-type]

    def test_margins_and_names_of_syntheses(self) -> None:
        near: Any = With(distance="hamming", margin=3.0)
        assert holdout_tables._margin_in_words(near) == "3 columns or more"
        near = With(distance="gower", margin=0.1234)
        assert holdout_tables._margin_in_words(near) == "a distance of 0.12 or more"
        source: Any = With(name=lambda n: Name(n, n))
        evidence: Any = With(closest={("a", 1): None, ("b", 1): None, ("b", 2): None})
        cells = [holdout_tables._cell_of(source, evidence, *key).text for key in evidence.closest]
        assert cells == ["a", "b 1", "b 2"]
        drawn: Any = With(closest={1: With(drawn="of 9"), 2: With(drawn="of 9"), 3: With(drawn="")})
        words = " Distances are of 9, each to the nearest of all."
        assert holdout_tables._drawn_in_words(drawn) == words


class TestRanking:
    @staticmethod
    def ranking(n: int, **given: Any) -> Any:
        names = tuple("abcdefg"[:n])
        entries = {
            "replicas": names, "by_place": [*names[::-1]],
            "acceptability": pd.DataFrame(np.eye(n) * 0.5, columns=range(1, n + 1)),
            "stretches": (), "uncertainty": None, "options": With(draws=4096),
        }  # fmt: skip
        return With(**entries | given)

    SOURCE: Any = With(name=lambda n: Name(n, n), release=False)

    def test_five_ranks_are_shown_best_replica_first(self) -> None:
        for n, ranks in ((1, 0), (2, 2), (5, 5), (6, 5)):
            result = ranking_tables.acceptability_table(self.SOURCE, self.ranking(n))
            fields = [column.field for column in result.columns if column.field.startswith("rank_")]
            assert fields == [f"rank_{r}" for r in range(1, ranks + 1)]
            if n > 1:
                assert [row[0].text for row in result.rows] == [*"abcdefg"[:n]][::-1]
                assert [cell.number for cell in result.rows[-1][2:4]] == [0.5, 0.0]

    def test_who_is_first_by_the_weight_of_risk_and_by_draws(self) -> None:
        stretches = [
            With(first=("a",), low=0.0, high=0.2), With(first=("b", "a"), low=0.2, high=0.7),
        ]  # fmt: skip
        again = With(source="records", times=8, rank_shares=np.array([[0.25, 0.75], [0.75, 0.25]]))
        ranking = self.ranking(2, stretches=stretches, uncertainty=again)
        result = ranking_tables.acceptability_table(self.SOURCE, ranking)
        rows = {row[0].text: [plain_of(row[1]), plain_of(row[-1])] for row in result.rows}
        assert rows == {
            "a": ["0 % to 20 % and 20 % to 70 %", "2 of 8"], "b": ["20 % to 70 %", "6 of 8"],
        }  # fmt: skip
        assert result.columns[-1].detail == "tenths of the records left out"
        outside = With(**{**vars(self.SOURCE), "release": True})
        hidden = ranking_tables.acceptability_table(outside, ranking)  # type: ignore[arg-type]
        assert len(hidden.columns) == len(result.columns) - 1

    def test_the_smallest_change_of_weights(self) -> None:
        changes = [
            With(replica="a", moved=0.0, possible=True, taken={}, given={}),
            With(replica="b", moved=0.25, possible=True, taken={"U": 0.25}, given={"R": 0.25}),
            With(replica="c", moved=math.nan, possible=False, taken={}, given={}),
        ]
        result = ranking_tables.changes_table(self.SOURCE, self.ranking(3, changes=changes))
        rows = [[plain_of(cell) for cell in row] for row in result.rows]
        assert rows[0][2] == "is first, or level with it"
        assert rows[1][2:] == ["U 25 %", "R 25 %"]
        assert rows[2][1] == "under no weights"
        assert not ranking_tables.changes_table(self.SOURCE, self.ranking(1)).rows


def test_shares_of_levels_are_exact_inside_only() -> None:
    for release, number in ((False, 12.345678), (True, 12.35)):
        result = distributions._share_cell(With(release=release), 12.345678)  # type: ignore[arg-type]
        assert (plain_of(result), result.number) == ("12.3 %", number)
    assert distributions._share_cell(With(release=False), 100.0 + 1e-9).number == 100.0  # type: ignore[arg-type]


def test_a_level_has_its_share_and_those_of_replicas() -> None:
    guard: Any = With(release=False, names=lambda n: Name(str(n), str(n)))
    shares = {"a": (25.0, 75.0)}  # in percent
    level = distributions._level(guard, "yes", 30, 40, 1, shares, ("a", "b"))
    assert (level.count.number, level.share.number, level.missing) == (30.0, 75.0, False)
    assert [cell.number for cell in level.replicas] == [75.0, None]
    none = distributions._level(guard, None, 0, 0, 0, shares, ("a",))
    assert (none.share.number, none.missing, none.replicas[0].number) == (0.0, True, 25.0)


@pytest.mark.parametrize(
    ("metric", "family", "place", "shown", "words", "link"),
    [
        (
            "CIO", SPECIFIC_UTILITY, Place(model="y ~ x, gaussian"), cell(0.4),
            "r has CIO 0.4 (Confidence interval overlap): y ~ x. The", "specific",
        ),
        (
            "CIO", SPECIFIC_UTILITY, Place(model="y ~ x, gaussian"), SafeCell("?", "hidden"),
            "r has CIO a value that is not shown (Confidence interval", "specific",
        ),
        (
            "CIO", SPECIFIC_UTILITY, Place(model="y ~ x, gaussian"), None,
            f"r has CIO {blank().text} (Confidence interval overlap). The",
            "specific",
        ),
        ("pMSE", "", Place(), cell(0.4), "r has pMSE 0.4 (", "overview"),
        ("pMSE", DISCLOSURE_RISK, Place(), cell(0.4), "r has pMSE 0.4 (", "fresh"),
    ],
)  # fmt: skip
def test_a_measurement_beyond_a_limit_is_told_with_its_value_and_place(
    metric: str, family: str, place: Place, shown: SafeCell | None, words: str, link: str
) -> None:
    limit = threshold(metric, 0.7, 0.5)
    finding = Finding(Status.FAIL, "r", family, metric, place, 0.4, None, None, limit, 1.0, 0.4)
    measured = None if shown is None else With(scenario="")
    source: Any = With(
        measures=With(of=lambda f: measured if f is finding else 1 / 0),
        cell=lambda m: shown if m is measured else 1 / 0,
        subject=lambda m: "y ~ x" if m is measured else 1 / 0,
        name=lambda name: Name(name, name),
        release=False,
        review=With(inputs=[With(name="r", n=90)], n_original=90),
    )  # fmt: skip
    told = decision._place_sentence(source, finding)
    assert plain(told.words).startswith(words)
    assert plain(told.words).endswith(" profile says fail beyond 0.5 (rule).")
    assert (told.status, told.link) == (Status.FAIL, link)


@pytest.mark.parametrize(
    ("places", "maps"),
    [
        ([(0.2, 0.2), (0.8, 0.8)], 1),
        ([(0.2, 0.5), (0.8, 0.52)], 2),
        ([(0.5, 0.2), (0.52, 0.8)], 2),
        ([(0.5, 0.5)], 1),
        ([], 0),
    ],
)
def test_a_map_is_drawn_closer_where_replicas_fill_a_small_part_of_it(
    places: list[tuple[float, float]], maps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranking_tables.sentences, "on_map", lambda _: "")
    marks = [(f"r{i}", *place, True, False) for i, place in enumerate(places)]
    marks += [("worst (reference)", 0.0, 0.0, False, True), ("gone", math.nan, 0.5, False, False)]
    edges = [(0.11, 0.48), (0.89, 0.54), (0.1, 0.5), (0.9, 0.5), (0.5, 0.47), (0.5, 0.55)]
    turned = places[:1] == [(0.5, 0.2)]
    marks += [
        (f"{i} (reference)", *(place[::-1] if turned else place), False, True)
        for i, place in enumerate(edges)
    ]
    columns = ["name", "utility", "protection", "front", "reference"]
    ends = pd.DataFrame(math.nan, [mark[0] for mark in marks], list("abcd"))
    ranking: Any = With(
        map=pd.DataFrame(marks, columns=columns).set_index("name"), uncertainty=None,
        map_intervals=ends,
    )  # fmt: skip
    drawn = ranking_tables.ranking_maps(lambda name: Name(name, name), ranking)
    assert len(drawn) == maps
    if maps == 2:
        assert [mark.name for mark in drawn[1].positions] == ["r0", "r1", "0", "1"]
        assert drawn[0].box == (*drawn[1].across, *drawn[1].up)
        # 0.15 of the range is added at either end, at least 0.02; ends are whole hundredths.
        wide, narrow = (0.11, 0.89), (0.48, 0.54)
        assert (drawn[1].across, drawn[1].up) == ((narrow, wide) if turned else (wide, narrow))


def test_each_guideline_has_a_table_of_its_own_criteria(monkeypatch: pytest.MonkeyPatch) -> None:
    criteria = (
        Criterion("F", "one", ("DiSCO", "repU"), "S"), Criterion("G", "two", ("pMSE",), "T"),
        Criterion("F", "three", ("CIO",), "U"), Criterion("F", "four", ("ROC",), "S"),
    )  # fmt: skip

    def rows_of(_: Any, caption: str, *parts: Any, note: str) -> Any:
        rows = parts[1]
        assert all(place == {"metric": names[1]} for names, place in rows)
        return caption, [names for names, _ in rows], note.partition(".")[0]

    monkeypatch.setattr(every, "grid", rows_of)
    monkeypatch.setattr(every, "_worst_columns", lambda *_: ())
    source: Any = With(profile=With(criteria=criteria))
    tables: Any = every.frame_tables(source)
    assert tables == (
        (
            "By the criteria of F",
            [("one", "DiSCO"), ("one", "repU"), ("three", "CIO"), ("four", "ROC")], "S; U",
        ),
        ("By the criteria of G", [("two", "pMSE")], "T"),
    )  # fmt: skip


def test_a_row_of_the_overview_is_linked_by_scenario_and_target() -> None:
    first, second, other = (
        With(name=name, targets=targets)
        for name, targets in (("a", ("vote",)), ("b", ("income", "vote")), ("c", ("vote",)))
    )
    source: Any = With(review=With(scenarios=(first, second)))
    wanted = {
        (0, "vote"): "risk-0-0", (1, "vote"): "risk-1-1", (1, "income"): "risk-1-0",
        (0, ""): "risk-0", (1, "age"): "risk-1",
    }  # fmt: skip
    for (i, target), link in wanted.items():
        assert Source.anchor(source, (first, second)[i], target) == link  # type: ignore[arg-type]
    assert Source.anchor(source, other, "vote") == "overview"  # type: ignore[arg-type]


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


@pytest.mark.parametrize(
    ("changed", "release", "text", "detail"),
    [
        ({}, False, "7", "of 9"),
        ({"reason": "drawn"}, False, "7", "of 9; of a sample"),
        (
            {"reason": "drawn", "se": 0.1234},
            False,
            "7",
            "of 9; \N{PLUS-MINUS SIGN} 0.12, of a sample",
        ),
        ({"reason": "drawn", "detail": ""}, False, "7", "of a sample"),
        ({"reason": "drawn"}, True, "7", "of 9"),
        ({"value": None, "reason": "too few"}, False, "not computed", "too few"),
        ({"shown": "< 5 %", "reason": "few"}, True, "< 5 %", "few"),
        ({"metric": "secret"}, True, withheld().text, withheld().detail),
    ],
)
def test_the_cell_of_a_measurement_says_of_what_it_is(
    changed: dict[str, Any], text: str, detail: str, *, release: bool
) -> None:
    given = {"metric": "m", "shown": "", "value": 7.0, "reason": "", "detail": "of 9"} | changed
    measure: Any = With(**given, references=References(se=given.pop("se", math.nan)))
    source: Any = With(
        release=release, released=lambda metric: metric == "m",
        guard=With(coarse=lambda shown, _, reason: SafeCell(shown, "hidden", detail=reason)),
        _number=lambda m, value: SafeCell(f"{value:g}", "number", value, detail=m.detail),
    )  # fmt: skip
    shown = Source._cell(source, measure)
    assert (shown.text, shown.detail) == (text, detail)


@pytest.mark.parametrize(
    ("metric", "syntheses"),
    [("DiSCO", 3), ("repU", 3), ("UiS", 3), ("Dorig", 1), ("UiO", 1), ("rule_kept", 1)],
)
def test_counts_of_the_original_alone_are_means_over_nothing(metric: str, syntheses: int) -> None:
    source: Any = With(syntheses={"r": 3})
    measures: Any = [With(metric=metric, replica=replica) for replica in ("r", "original")]
    assert [Source._mean_of(source, measure) for measure in measures] == [syntheses, 1]


def test_a_measurement_is_judged_at_its_target_or_by_what_is_of_no_target() -> None:
    measures = object.__new__(Measures)
    measures._judged = {"DiSCO"}
    measures._statuses = {
        ("r", "DiSCO", "s", "vote", ()): Status.REVIEW, ("r", "DiSCO", "s", "", ()): Status.FAIL,
    }  # fmt: skip

    def status(metric: str = "DiSCO", subject: str = "s", target: str = "vote") -> Status:
        given: Any = With(
            replica="r", metric=metric, subject=subject, target=target, variables=()
        )  # fmt: skip
        return measures.status(given)

    assert status() is Status.REVIEW
    assert status(target="age") is Status.FAIL
    assert status(target="") is Status.FAIL
    assert status(subject="t") is Status.NOT_JUDGED
    assert status(metric="repU") is Status.NOT_JUDGED


def test_statistics_of_tables_are_a_row_per_table_and_replica_however_they_are_read() -> None:
    names = [("a",), ("b",), ("a",), ("b",), ("b",)]
    values = np.array([0.1, 0.2, 0.3, 0.4, 0.5])
    groups = [("r", "TVD", [0, 1]), ("r", "pMSE", [2, 3]), ("q", "TVD", [4])]
    source: Any = With(
        release=False, name=lambda name: Name(name, name.upper()),
        measures=With(
            by_table=lambda ways: [(*of, np.array(rows)) for *of, rows in groups if ways == 1],
            tables=lambda rows: [names[i] for i in rows], numbers=lambda rows: values[rows],
        ),
    )  # fmt: skip
    table: Any = exports._tables(source, ("variable", "replica"))
    assert [column.field for column in table.columns] == [
        "variable", "replica", "TVD", "pMSE", "not_shown",
    ]  # fmt: skip
    rows = [("A", "R", 0.1, 0.3, ""), ("B", "R", 0.2, 0.4, ""), ("B", "Q", 0.5, None, "")]
    for start, stop in ((0, 3), (0, 1), (1, 2), (1, 3), (2, 3)):
        parts = zip(*table.part(slice(start, stop)), strict=True)
        told = [tuple(None if v != v else v for v in row) for row in parts]  # noqa: PLR0124
        assert told == rows[start:stop]
    assert len(table) == 3


def test_an_answer_rests_on_limits_of_its_question_that_were_measured() -> None:
    limits = [threshold(metric, 1.0, 2.0) for metric in ("DiSCO", "repU", "S_pMSE", "CIO")]
    source: Any = With(
        profile=With(
            thresholds={limit.metric: limit for limit in limits}, tables=None, excess=None
        ),
        review=With(study=With(roles={})), release=True,
        measures=With(metrics=("S_pMSE", "DiSCO", "TVD")),
    )  # fmt: skip
    texts = [plain(item.words) for item in answers._rests(source, "utility")]
    assert texts == [
        "Usefulness is judged by S_pMSE (review beyond 1, fail beyond 2; rule).",
    ]  # fmt: skip


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


def test_of_each_replica_and_measure_the_worst_is_told_with_how_many_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def finding(replica: str, metric: str, scenario: str, **other: Any) -> Finding:
        limit, place = threshold(metric, 5, 15), Place(scenario=scenario)
        status, family = other.get("status", Status.FAIL), other.get("family", DISCLOSURE_RISK)
        return Finding(status, replica, family, metric, place, 0.4, None, None, limit, 1.0, 0.4)

    findings = [
        finding("r", "DiSCO", "s"), finding("q", "DiSCO", "s"), finding("r", "DiSCO", "t"),
        finding("r", "repU", "s"), finding("r", "CAP", ""), finding("r", "DiSCO", "u"),
        finding("q", "repU", "s", status=Status.REVIEW),
        finding("q", "CIO", "s", family=SPECIFIC_UTILITY),
    ]  # fmt: skip
    monkeypatch.setattr(decision, "_beyond", lambda _, worst, others: (worst, others))
    monkeypatch.setattr(decision, "_place_sentence", lambda _, worst: worst)
    source: Any = With(findings=findings)
    a, b, _, c, d, *_ = findings
    assert [*decision.risk_sentences(source, Status.FAIL)] == [(a, 2), (b, 0), (c, 0), d]


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
    ("means", "chance"), [([0.5, 0.4], 45.0), ([0.5, math.nan], 75.0), ([0.123456], 12.3)]
)
def test_chance_is_that_of_permuted_labels_or_of_the_sizes(
    means: list[float], chance: float
) -> None:
    closest = {
        ("r", i): With(permutation=With(mean=mean), sizes=(30, 20, 10))
        for i, mean in enumerate(means)
    }
    assert holdout._by_chance(With(closest=closest)) == chance  # type: ignore[arg-type]


def test_only_people_who_were_compared_have_a_p() -> None:
    results = {"a": None, "b": With(value=None), "c": With(value=0.25)}
    source: Any = With(measures=With(risk=lambda replica, *_: results[replica]))
    shown = [people._p(source, replica, "p", "s", "t") for replica in results]
    assert shown == [blank(), blank(), p_cell(0.25)]


@pytest.mark.parametrize(
    ("kind", "value"), [("hidden", ", whose value is not shown."), ("number", " with 40.")]
)
def test_the_worst_table_is_told_with_its_value_where_that_is_shown(
    kind: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decision, "_expected_of_fresh", lambda *_: "")

    def finding(replica: str, status: Status, *, limited: bool = True, rule: str = "") -> Any:
        limit = threshold("S_pMSE", 3, 10)
        return With(
            replica=replica, metric="S_pMSE", status=status, limited=limited, rule=rule,
            threshold=limit, variables=("a", "b"),
        )  # fmt: skip

    worst = finding("r", Status.FAIL)
    findings = [
        worst, finding("r", Status.REVIEW), finding("r", Status.WITHIN),
        finding("q", Status.FAIL), finding("r", Status.FAIL, limited=False),
    ]  # fmt: skip
    source: Any = With(
        findings=findings,
        table=lambda *_: SafeCell("40", kind),
        name=lambda name: Name(name, name),
        described=lambda name: Name(name, name),
    )
    told = plain(decision._tables_sentence(source, worst).words)
    assert told.startswith("r: of 3 tables, 2 are beyond 3 (review) and 1 is beyond 10 (fail) by")
    assert told.endswith(f"The worst is a \N{MULTIPLICATION SIGN} b{value}")


@pytest.mark.parametrize("release", [True, False])
def test_what_has_no_value_is_listed_inside_only(
    monkeypatch: pytest.MonkeyPatch, *, release: bool
) -> None:
    monkeypatch.setattr(every, "_place", lambda *_: "")
    absent = [With(replica="r", metric="S_pMSE", reason="one value", place=Place())]
    source: Any = With(
        release=release,
        measures=With(without_value=lambda: absent),
        named=lambda name: text_cell(Name(name, name)),
        guard=With(rounded=lambda n: n),
    )
    rows = every.not_computed(source).rows
    assert [row[-1].text for row in rows] == ([] if release else ["one value"])


@pytest.mark.parametrize(("held", "drawn"), [(0.5, True), (0.0, False), (math.nan, False)])
def test_a_holdout_at_no_distance_is_no_unit(
    held: float, monkeypatch: pytest.MonkeyPatch, *, drawn: bool
) -> None:
    monkeypatch.setattr(holdout, "dcr_share", lambda baseline: baseline)
    figures = {"holdout_tvd": held, "ratio": 1.5}
    fidelity = {"r": With(figure=lambda _, name: figures[name])}
    closest = With(share=0.5, permutation=With(mean=0.5), baseline=0.25)
    evidence: Any = With(
        fidelity=fidelity,
        widest="r",
        ways=2,
        closest={("r", 1): closest},
        perturbed=[With(share=share, fidelity=share, closer=0.75) for share in (0.0, 0.25)],
    )
    source: Any = With(name=lambda name: Name(name, name), release=False)
    figure = holdout._map(source, evidence)
    assert (figure is not None) is drawn
    if figure is not None:
        marks = [(mark.name, mark.x, mark.y) for mark in figure.points]
        assert marks == [("25 %", 0.5, 75.0), ("r", 1.5, 50.0), ("Holdout", 1.0, 25.0)]


def test_a_measure_of_no_target_has_a_row_per_scenario_and_others_one_per_target(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    risks = [
        With(symbol="repU", baseline="UiO", any_target=True),
        With(symbol="DiSCO", baseline="Dorig", any_target=False),
    ]
    monkeypatch.setattr(overview, "chief_risks", lambda: risks)
    monkeypatch.setattr(overview, "commonest_share", lambda *_: cell(60.0))
    monkeypatch.setattr(overview, "_intruder", lambda _, scenario: text_cell(scenario.name))
    monkeypatch.setattr(
        overview, "_risk", lambda _, replica, symbol, *place: (replica, symbol, *place)
    )
    scenarios = With(name="s", targets=("vote", "pay")), With(name="t", targets=("vote",))
    source: Any = With(
        review=With(scenarios=scenarios), replicas=("r",),
        named=text_cell, risk=lambda *_: cell(9.0),
    )  # fmt: skip
    rows = {
        anchor: (str(a.text), b.text, b.detail, d.text, *e)
        for anchor, (a, b, _, d, *e) in overview._of_targets(source)
    }
    assert rows == {
        "risk-0": ("s", "who somebody is", "repU", blank().text, ("r", "repU", "s", "vote", 9.0)),
        "risk-0-0": ("s", "vote", "DiSCO", "60", ("r", "DiSCO", "s", "vote", 9.0)),
        "risk-0-1": ("s", "pay", "DiSCO", "60", ("r", "DiSCO", "s", "pay", 9.0)),
        "risk-1": ("t", "who somebody is", "repU", blank().text, ("r", "repU", "t", "vote", 9.0)),
        "risk-1-0": ("t", "vote", "DiSCO", "60", ("r", "DiSCO", "t", "vote", 9.0)),
    }


@pytest.mark.parametrize("release", [True, False])
def test_a_change_is_told_of_its_column_or_of_the_whole_data_set(*, release: bool) -> None:
    suppressed: list[str] = []
    fixes = [
        ("original", With(column=None, what="o.csv: two columns left out", cells=3)),
        ("r", With(column="age", what="as in o.csv and r.csv", cells=0)),
    ]
    inputs = [
        With(name="Original", role="original", source="o.csv"),
        With(name="r", role="replica", source="r.csv"),
        With(name="holdout", role="holdout", source=""),
    ]
    source: Any = With(
        release=release,
        review=With(fixes=fixes, inputs=inputs),
        named=lambda name: text_cell(name.upper()),
        guard=With(suppress=suppressed.append),
    )
    rows = [[shown.text for shown in row] for row in data.fixes_table(source).rows]
    whats = ["the original: two columns left out", "as in the original and the r"]
    if not release:
        whats = [fix.what for _, fix in fixes]
    assert rows == [["Original", blank().text, whats[0], "3"], ["R", "AGE", whats[1], "0"]]
    assert len(suppressed) == release


@pytest.mark.parametrize("replicas", ["r", "rq"])
@pytest.mark.parametrize("question", ["risk", "utility"])
def test_a_statement_names_its_replica_where_there_are_several(
    replicas: str, question: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers, "said_of", lambda _, statement: (statement.words,))
    decisions = {
        replica: With(
            **{
                name: With(statements=[With(words=f"{name} of {replica}", status=Status.FAIL)])
                for name in ("risk", "utility")
            }
        )
        for replica in replicas
    }
    source: Any = With(decisions=decisions, name=lambda name: Name(name, name))
    told = [plain(statement.words) for statement in answers._statements(source, question)]
    starts = [f"{replica}: " if len(replicas) > 1 else "" for replica in replicas]
    assert told == [
        f"{start}{question} of {replica}" for start, replica in zip(starts, replicas, strict=True)
    ]


@pytest.mark.parametrize(("replicas", "room"), [("abc", 60), ("abcd", 30)])
@pytest.mark.parametrize(("risks", "listed"), [(1, 28), (9, 12), (10, 10), (14, 10)])
def test_utility_has_the_worst_variables_first_and_as_many_as_risks_leave_room_for(
    replicas: str, room: int, risks: int, listed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(overview, "any_other", lambda *_: False)
    monkeypatch.setattr(overview, "to_original_size", lambda *_: 1.0)
    monkeypatch.setattr(overview, "expected", lambda *_: "")
    monkeypatch.setattr(overview, "replica_columns", lambda _: [column(r, r) for r in replicas])
    rooms: set[int] = set()
    pairs = {3: ("v0", "v1"), 4: ("v0", "v2")}
    source: Any = With(
        replicas=tuple(replicas),
        measures=With(
            by_table=lambda _: [("a", "S_pMSE", [3, 4]), ("a", "pMSE", [5])],
            values=lambda tables: ([pairs[i] for i in tables], [50.0, None]),
            table=lambda replica, *_: replica,
            at=lambda i: With(variables=pairs[i]),
        ),
        table=lambda *place: cell(float(place[-1][0][1:])),
        cell=lambda _: cell(50.0),
        review=With(variables=[f"v{i}" for i in range(31)]),
        name=lambda name: Name(name, name),
        labelled=lambda name, most: (rooms.add(most), text_cell(name))[1],
    )
    result = overview._utility(source, risks)
    assert rooms == {room}
    order = ["v0", "v1", *(f"v{i}" for i in range(30, 1, -1))]
    assert [row[0].text for row in result.rows] == order[:listed]
    first, last = result.rows[0][1], result.rows[2][2]
    assert (first.number, first.detail, first.shade) == (50.0, "with v1", 4)
    assert (last.number, last.detail, last.shade) == (30.0, "alone", 3)
    assert result.note.endswith(f" {31 - listed} better variables in the annex.")


@pytest.mark.parametrize(
    ("per", "scenarios", "target", "words"),
    [
        ("scenario", 1, "", ""), ("scenario", 2, "", "subject"), ("model", 1, "", "subject"),
        ("model", 1, "vote", "subject"), ("scenario", 2, "vote", "vote of s"),
    ],
)  # fmt: skip
def test_what_a_measurement_is_of_is_said_where_it_is_not_clear(
    per: str, scenarios: int, target: str, words: str
) -> None:
    source: Any = With(
        review=With(scenarios=[SCENARIO] * scenarios),
        subject=lambda _: text_cell("subject"),
        placed=lambda target, scenario: text_cell(f"{target} of {scenario}"),
    )
    measure: Any = With(variables=(), target=target, scenario="s", of=With(per=per), metric="DiSCO")
    assert every._place(source, measure) == words


@pytest.mark.parametrize("drawn", [True, False])
def test_bands_say_whether_people_were_drawn(
    monkeypatch: pytest.MonkeyPatch, *, drawn: bool
) -> None:
    monkeypatch.setattr(holdout_tables, "grid", lambda *_, note: note)
    monkeypatch.setattr(holdout_tables, "replica_rows", lambda _: [])
    monkeypatch.setattr(holdout_tables, "measured", lambda *_: [])
    note: Any = holdout_tables.bands(With(), PREDICTION, "", drawn=drawn)  # type: ignore[arg-type]
    assert note.endswith(holdout_tables._OF_DRAWN) is drawn


@pytest.mark.parametrize("release", [True, False])
def test_reference_values_stand_beside_replicas_and_not_the_original(
    monkeypatch: pytest.MonkeyPatch, *, release: bool
) -> None:
    monkeypatch.setattr(people, "grid", lambda *given, **_: given)
    monkeypatch.setattr(people, "replica_rows", lambda _: ["replicas"])
    marks = References(value_at=0.25, outsiders=0.125)
    monkeypatch.setattr(people, "_marks", lambda *_: marks)
    monkeypatch.setattr(people, "shown_in", lambda *_: [])
    source: Any = With(release=release, replicas=("r", "q"), name=str)
    measure = With(symbol="m", baseline="b", of_original=False, show={"people": (1, "M", "")})
    monkeypatch.setattr(people, "measured", lambda *_: [measure])
    *_, rows, columns = people.people_table(source, SCENARIO)  # type: ignore[misc]
    if release:
        assert (rows, len(columns)) == ([], 1)
        return
    (names, place), *others = rows
    assert (names, others) == (("Original itself",), ["replicas"])
    for (_, shown), value in zip(columns[1:], (0.25, 0.125), strict=True):
        assert shown(place) is None
        assert shown({"replica": "q"}) == people.percent_of(value)


@pytest.mark.parametrize(
    ("grouped", "release", "noted"),
    [(True, False, True), (True, True, False), (False, False, False), (False, True, False)],
)
def test_that_groups_may_be_others_than_those_drawn_is_said_of_numbers_inside(
    monkeypatch: pytest.MonkeyPatch, *, grouped: bool, release: bool, noted: bool
) -> None:
    monkeypatch.setattr(by_variable, "one_way_measures", lambda _: ["TVD"])
    monkeypatch.setattr(by_variable, "by_replica", lambda _: [])
    monkeypatch.setattr(by_variable, "grid", lambda *_, note, **__: note)
    source: Any = With(release=release, name=lambda n: Name(n, n))
    note = str(by_variable._measures(source, "x", grouped=grouped))
    assert note.startswith("These groups are the same for all replicas.") is noted
    assert bool(note) is noted


def test_variables_have_the_number_of_their_levels_and_how_many_are_folded() -> None:
    def distribution(size: int, folded: int, *, grouped: bool = False) -> Any:
        return With(size=size, folded=folded, grouped=grouped, levels=[], missing={})

    source: Any = With(
        review=With(
            scenarios=[With(keys=("a", "b"), targets=("b",))],
            variables=dict.fromkeys("abcd", "category"),
        ),
        distributions={
            "a": distribution(3, 0), "b": distribution(1234, 1200),
            "c": distribution(5, 0, grouped=True),
        },
        replicas=(), release=False, name=lambda n: Name(n, n), named=text_cell,
        label=lambda _: "",
    )  # fmt: skip
    rows = data.variables_table(source).rows
    assert [row[3].text for row in rows] == [
        "3 levels", "1,234 levels, 1,200 folded", "5 groups", blank().text,
    ]  # fmt: skip
    assert [row[2].text for row in rows] == ["key", "key, target", blank().text, blank().text]


@pytest.mark.parametrize(("count", "more"), [(30, ""), (31, " 1 better variable in the annex.")])
def test_variables_that_are_not_listed_are_counted(
    count: int, more: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("any_other", False), ("to_original_size", 1.0), ("expected", "")):
        monkeypatch.setattr(overview, name, lambda *_, value=value: value)
    monkeypatch.setattr(overview, "replica_columns", lambda _: [column("a", "a")])
    source: Any = With(
        replicas=("a",),
        measures=With(by_table=lambda _: [], table=lambda replica, *_: replica),
        table=lambda *_: cell(1.0),
        review=With(variables=[f"v{i}" for i in range(count)]),
        labelled=lambda name, _: text_cell(name),
    )
    result = overview._utility(source, 0)
    assert len(result.rows) == 30
    assert result.note.endswith(f"a stronger colour above 1, 3, 10, 30.{more}")


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
        columns={}, n=9, effects={}, weighted={}, against=against, people=math.nan,
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


def test_that_nothing_was_compared_with_r_is_told_unless_it_was() -> None:
    def told(crosscheck: Any) -> list[str]:
        source: Any = With(crosscheck=crosscheck)
        return [plain(item.words) for item in unchecked._against_r(source)]

    assert told(With()) == []
    (never,) = told(None)
    (failed,) = told(RError("no R"))
    assert "were not compared with those of R" in never
    assert "it was asked for, but R could not make it" in failed


@pytest.mark.parametrize(
    ("values", "chance", "release", "told"),
    [
        ((None, 0.2), 0.05, False, True), ((None, None), 0.05, False, False),
        ((math.inf, None), 0.05, False, False), ((0.2,), None, False, False),
        ((0.2,), 0.05, True, False),
    ],
)  # fmt: skip
def test_how_a_broken_rule_is_judged_is_told_where_it_has_a_chance(
    values: tuple[float | None, ...], chance: float | None, *, release: bool, told: bool
) -> None:
    rows = [
        None if value is None else With(value=None if math.isinf(value) else value)
        for value in values
    ]
    source: Any = With(
        profile=With(thresholds={"rule_severity": With(chance=chance)}),
        measures=With(find=lambda replica, *_: rows[replica]),
        replicas=range(len(rows)), release=release,
    )  # fmt: skip
    words = rules._how_judged(source, With(text="x > 0"))  # type: ignore[arg-type]
    assert bool(words) is told
    assert not told or words.endswith("(p, times the number of such rules, at most 0.05).")
    source.profile.thresholds.clear()
    assert not rules._how_judged(source, With(text="x > 0"))  # type: ignore[arg-type]


def test_notes_of_models_stand_once_and_begin_as_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(people, "_learnt", lambda _: [("row",) * 11])
    notes = ("few records", "", "slow model", "few records")
    source: Any = With(
        release=False,
        inside=With(predictions={"a": [With(note=n) for n in notes[:2]],
                                 "b": [With(note=n) for n in notes[2:]]}),
    )  # fmt: skip
    assert people.learnt_table(source).note.endswith("halves do. Few records. Slow model.")
    source.release = True
    assert people.learnt_table(source).note.endswith("halves do.")
    assert not people.learnt_table(source).rows


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


def test_the_largest_levels_are_listed_in_their_own_order() -> None:
    levels: Any = tuple(With(count=cell(count)) for count in (3, 9, None, 5))
    listed = by_variable._largest(levels, 2)
    assert [level.count.number for level in listed] == [9, 5]
    assert by_variable._largest(levels, 4) == by_variable._largest(levels, 9) == levels


@pytest.mark.parametrize(
    ("cells", "largest"),
    [
        ([cell(3), cell(7), SafeCell("hidden", "hidden")], "7"),
        ([cell(9), cell(7)], "9"),
        ([SafeCell("hidden", "hidden"), blank()], "hidden"),
    ],
)
def test_a_replica_is_shown_at_its_largest_number_or_as_nothing_is_shown(
    cells: list[SafeCell], largest: str
) -> None:
    source: Any = With(
        risk=lambda _replica, _metric, scenario, _target: cells[scenario],
        review=With(scenarios=[With(name=i, targets=("vote",)) for i in range(len(cells))]),
    )
    assert comparison._largest(source, "a", "DCAP").text == largest


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


@dataclass
class AskedFor:
    original: str = "o.csv"
    models: tuple[str, ...] = ("y ~ x",)
    rules: tuple[str, ...] = ()
    people: int | None = 0
    attacks: str | None = None


def test_settings_of_a_study_are_what_it_asks_for() -> None:
    settings: Any = data._settings
    assert [*settings(AskedFor())] == [("models", ("y ~ x",)), ("people", 0)]
    frame = as_microdata(pd.DataFrame({"w": [1.0]}), "o")
    part: Any = AskedFor(attacks=Sample(frame, weight="w", lonely="certain"))  # type: ignore[arg-type]
    assert dict(settings(part))["attacks"] == {
        "weight": "w", "lonely": "certain", "population_size": None, "synthetic_weight": "",
        "against": "population",
    }  # fmt: skip


@pytest.mark.parametrize("release", [False, True])
def test_keys_that_are_hardly_ever_found_are_told_inside_only(*, release: bool) -> None:
    shares = {"a": 0.1, "b": 50.0, "c": None}
    source: Any = With(
        release=release, replicas=("a", "b", "c", "d"), review=With(scenarios=[SCENARIO]),
        measures=With(
            risk=lambda replica, *_: With(value=shares[replica]) if replica in shares else None
        ),
        within=lambda _: (), name=lambda n: Name(n, n),
    )  # fmt: skip
    told = [plain(item.words) for item in unchecked._never_found(source)]
    assert [text.split(":")[0] for text in told] == ([] if release else ["Disclosure by a"])


@pytest.mark.parametrize(
    ("ways", "judged", "fresh", "told"),
    [
        ([1, 2], [(Status.WITHIN, 2)], False, True),
        ([1, 2], [(Status.WITHIN, 3)], False, False),
        ([1, 2], [(Status.WITHIN, 3), (Status.WITHIN, 2)], False, True),
        ([1, 2], [("off", 3)], False, True),
        ([1, 2], [(Status.NOT_JUDGED, 3)], False, True),
        ([1, 2], [], False, True),
        ([1, 2], [], True, False),
        ([1, 3], [], False, False),
        ([], [], False, False),
    ],
)
def test_that_no_larger_table_was_made_is_told_where_nothing_else_answers_it(
    ways: list[int], judged: list[tuple[Any, int]], *, fresh: bool, told: bool
) -> None:
    source: Any = With(
        measures=With(ways=ways, worst=lambda *_: fresh), replicas=("a",),
        states={
            i: With(tables=With(status=status, ways=n)) for i, (status, n) in enumerate(judged)
        },
    )  # fmt: skip
    texts = [plain(item.words) for item in unchecked._ways(source)]
    assert [text.split(":")[0] for text in texts] == ["No table of more than 2 variables"] * told


@pytest.mark.parametrize(
    ("metrics", "roles", "rule"),
    [
        (("repU", "DiSCO"), {}, "repU and DiSCO beside"), (("repU",), {"household": "h"}, ""),
        (("repU", "DiSCO"), {"cluster": "c"}, "DiSCO beside"), (None, {}, ""),
    ],
)  # fmt: skip
def test_what_is_held_against_other_people_is_told_of_measures_that_can_be(
    metrics: tuple[str, ...] | None, roles: dict[str, str], rule: str
) -> None:
    excess = None if metrics is None else With(
        metrics=metrics, excess=1, chance=0.05, excess_share=0.5, kind="a convention"
    )  # fmt: skip
    source: Any = With(
        profile=With(excess=excess, tables=None, thresholds={}),
        review=With(study=With(roles=roles)), measures=With(metrics=()), replicas=(),
        release=True,
    )  # fmt: skip
    text = " ".join(plain(item.words) for item in answers._rests(source, "risk"))
    assert ("beside people who were not in the original (1 point or more" in text) is bool(rule)
    assert rule in text
    assert ("repU is not judged" in text) is bool(roles)


@pytest.mark.parametrize(
    ("counts", "largest", "ok", "last"),
    [
        ((5, 3, 2, 1), 1.23e-9, False, "NOT every difference is explained: do not"),
        ((0, 1, 0, 4), math.nan, False, "NO value was found equal, so nothing is proven."),
        ((4, 0, 0, 2), 0.0, False, "NOT everything could be compared: R did not"),
        ((1, 0, 0, 0), 0.0, True, "Every value is equal or its difference is explained."),
    ],
)
def test_what_a_cross_check_found_is_counted(
    counts: tuple[int, ...], largest: float, last: str, *, ok: bool
) -> None:
    kinds = (proof.EQUAL, proof._DOCUMENTED, proof.DIFFERS, proof._NOT_COMPARED)
    verdicts = [kind for kind, count in zip(kinds, counts, strict=True) for _ in range(count)]
    check: Any = With(
        table=pd.DataFrame({"verdict": verdicts}), largest_difference=lambda: largest, ok=ok,
        note="A note.",
    )  # fmt: skip
    first, *between, note, end = [plain(item.words) for item in proof._outcome(check)]
    equal, documented, differs, not_compared = counts
    compared = equal + documented + differs
    assert first.replace("\N{NO-BREAK SPACE}", " ") == (
        f"{compared} value{'s' * (compared != 1)} compared: {equal} equal, {documented} different "
        f"by a documented defect of synthpop, {differs} different without an explanation. "
        f"{not_compared} value{'s' * (not_compared != 1)} could not be compared."
    )
    shown = [] if math.isnan(largest) else ["0" if largest == 0 else "1.2e-09"]
    assert between == [
        f"Largest relative difference of values that count as equal: {text}." for text in shown
    ]
    assert note == "A note."
    assert end.startswith(last)


def test_a_verdict_names_a_defect_if_it_is_a_documented_one() -> None:
    first, second, *_ = proof._defects()
    kind = proof._DOCUMENTED
    assert proof._defect(f"{kind}: {first}: why") == first
    assert proof._defect(f"{kind}: {first}, {second}: why") == f"{first}, {second}"
    for other in ("R said: no", f"{first}, unheard of", "unheard of: why", ""):
        assert proof._defect(f"{kind}: {other}") == ""
    assert proof._defect(kind) == proof._defect("") == ""


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.12345, "0.123"), (0.9, "0.9"), (1.23456, "1.235"), (1.99999, "2"), (0.0, "0"),
        (120.0, "120"), (12348.0, "12,350"), (-1.2346, "\N{MINUS SIGN}1.235"),
    ],
)  # fmt: skip
def test_a_reference_value_has_four_digits_or_three_behind_the_point(
    value: float, text: str
) -> None:
    assert every._brief(value) == text


def test_attacks_on_membership_stand_beside_the_notes_of_their_replicas(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(people, "_attacked", lambda _, *place: [(" ".join(place),) + ("",) * 20])
    monkeypatch.setattr(people, "table", lambda *parts: With(rows=[*parts[2]], note=parts[3]))
    monkeypatch.setattr(people, "_by_all", lambda _: "")
    monkeypatch.setattr(people, "membership_notes", lambda _, names: [f"Of {sorted(names)}."])
    places = [("a", "membership", "", ""), ("b", "membership", "", ""),
              ("b", "linkability", "s", ""), ("b", people.INFERENCE.name, "s", "vote")]  # fmt: skip
    source: Any = With(
        release=False, inside=With(attacks_by_all=dict.fromkeys(places)),
        within=lambda name: (" in ", name),
    )  # fmt: skip
    result: Any = people.membership_table(source)
    assert [(row[0].text, row[1]) for row in result.rows] == [
        ("membership", "membership  "), ("linkability in s", "linkability s "),
    ]  # fmt: skip
    assert result.note == "Of ['a', 'b']."
