"""Sections beside a holdout, of sources made by hand."""

from __future__ import annotations

import math
from types import SimpleNamespace as With
from typing import Any

import pytest

from sdcmetrics.measures.prediction.places import PREDICTION
from sdcmetrics.report.safety.cells import Name, plain
from sdcmetrics.report.sections import holdout, holdout_tables
from tests.report.by_hand.cells import cell, plain_of


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


@pytest.mark.parametrize("drawn", [True, False])
def test_bands_say_whether_people_were_drawn(
    monkeypatch: pytest.MonkeyPatch, *, drawn: bool
) -> None:
    monkeypatch.setattr(holdout_tables, "grid", lambda *_, note: note)
    monkeypatch.setattr(holdout_tables, "replica_rows", lambda _: [])
    monkeypatch.setattr(holdout_tables, "measured", lambda *_: [])
    note: Any = holdout_tables.bands(With(), PREDICTION, "", drawn=drawn)  # type: ignore[arg-type]
    assert note.endswith(holdout_tables._OF_DRAWN) is drawn


DEFECTS = {
    "overlaps": "The holdout overlaps the original",
    "separated": "Records that occur more than once were kept together",
    "other_population": "The holdout is not a random part of the same population",
}


@pytest.mark.parametrize("against", [[], *([name] for name in DEFECTS), [*DEFECTS]])
def test_each_defect_of_a_holdout_is_told_where_it_has_it(against: list[str]) -> None:
    check = With(**{name: name in against for name in DEFECTS}, common=7, differs=("age",))
    inputs = [With(role=role, n=50) for role in ("original", "holdout")]
    source: Any = With(
        holdout_verdict=check, review=With(inputs=inputs), states={}, release=False,
        guard=With(records=cell), name=lambda n: Name(n, n),
    )  # fmt: skip
    told = [*holdout._check(source)]
    starts = [plain(item.words) for item in told]
    if not against:
        assert [text[:27] for text in starts] == ["The holdout has 50 records,"]
        return
    assert [item.status is not None for item in told] == [True] * len(against)
    assert all(text.startswith(DEFECTS[name]) for text, name in zip(starts, against, strict=True))
