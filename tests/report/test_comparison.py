"""Replicas side by side: what is hidden of one replica moves no figure of another."""

from __future__ import annotations

import pytest

from sdcmetrics.report.safety.cells import SafeCell, blank
from sdcmetrics.report.sections.comparison import comparison
from sdcmetrics.report.sections.utility import two_way_means
from sdcmetrics.report.source import Source
from sdcmetrics.review.review import Review
from sdcmetrics.study.profile import Profile

HIDDEN = SafeCell("not shown", "hidden")


def source_without(
    review: Review, profile: Profile, monkeypatch: pytest.MonkeyPatch, *hidden: tuple[str, str, str]
) -> Source:
    """Return a source that hides cells of a replica, a measure and a target."""
    source = Source(review, profile)
    shown = source.risk

    def risk(replica: str, metric: str, scenario: str, target: str) -> SafeCell:
        if (replica, metric, target) in hidden:
            return HIDDEN
        return shown(replica, metric, scenario, target)

    monkeypatch.setattr(source, "risk", risk)
    return source


def share(source: Source, replica: str, target: str) -> float:
    """Return right guesses in percent of those of the original."""
    value, own = (source.risk(replica, m, "default", target).number for m in ("DCAP", "CAPd"))
    return 100 * (value or 0) / (own or 1)


def test_a_mean_is_over_the_targets_that_are_shown_of_every_replica(
    review: Review, profile: Profile, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = comparison(Source(review, profile))
    source = source_without(review, profile, monkeypatch, ("copy", "DCAP", "vote"))
    part = comparison(source)
    means = {row[0].text: row[4].number for row in part.table.rows}
    assert means == {r: round(share(source, r, "age")) for r in review.replicas}
    assert means != {row[0].text: row[4].number for row in whole.table.rows}
    assert part.table.columns[4].detail.endswith("mean of 1 of 2 targets")
    assert part.maps[1].title.endswith("(mean of 1 of 2 targets)")
    assert whole.maps[1].title.endswith("(mean)")
    for figure in whole.maps:
        assert figure.title.casefold() == f"risk against utility: {figure.y_title.casefold()}"


def test_without_a_target_that_is_shown_of_all_there_is_no_figure(
    review: Review, profile: Profile, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = source_without(
        review, profile, monkeypatch, ("copy", "DCAP", "vote"), ("good", "DCAP", "age")
    )
    side = comparison(source)
    assert {row[4].text for row in side.table.rows} == {blank().text}
    assert ["guesses" in chart.title for chart in side.maps] == [False]


def test_the_highest_risks_are_drawn_only_over_the_same_targets(
    review: Review, profile: Profile, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = source_without(review, profile, monkeypatch, ("good", "DiSCO", "vote"))
    assert ["guesses" in chart.title for chart in comparison(source).maps] == [True]


def test_a_mean_over_tables_leaves_out_those_that_a_replica_does_not_show(
    review: Review, profile: Profile, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = Source(review, profile)
    values = {replica: source.pair_numbers(replica, "S_pMSE") for replica in review.replicas}
    lost = max(values["good"], key=lambda pair: values["good"][pair] or 0)
    fewer = {pair: value for pair, value in values["copy"].items() if pair != lost}
    monkeypatch.setattr(source, "pair_numbers", lambda r, _: fewer if r == "copy" else values[r])
    rest = [value or 0 for pair, value in values["good"].items() if pair != lost]
    assert two_way_means(source)["good"].number == pytest.approx(sum(rest) / len(rest))
