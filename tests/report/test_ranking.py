"""The report's ranking: what it says, and that a release ranks what it shows and nothing else."""

from __future__ import annotations

import csv
import io
import json
import math
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import rankdata

from sdcmetrics.errors import ReleaseBlocked
from sdcmetrics.ranking.compare_replicas import compare_replicas
from sdcmetrics.ranking.result import Ranking
from sdcmetrics.report import write_csv, write_html, write_json
from sdcmetrics.report.assembly import SafeReport, safe_report
from sdcmetrics.report.figures import draw
from sdcmetrics.report.figures.charts import RiskUtility
from sdcmetrics.report.formats.render import render
from sdcmetrics.report.safety.cells import SafeCell, plain
from sdcmetrics.report.scan import scan
from sdcmetrics.review.conduct import conduct
from sdcmetrics.review.review import Review
from sdcmetrics.study.profile import Profile, load_profile
from sdcmetrics.study.study import Study
from tests.report.conftest import HOSTILE, sample


@pytest.fixture(scope="module")
def ranking(review: Review) -> Ranking:
    return compare_replicas(review, anchors=True)


@pytest.fixture(scope="module")
def safe(review: Review, profile: Profile, ranking: Ranking) -> SafeReport:
    return safe_report(review, profile, "checker", ranking=ranking)


def rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text("utf-8"))))


def words(report: SafeReport) -> str:
    section = report.ranking
    result = [section.headline, *section.sure, *section.notes]
    return " ".join(plain(item.words) for item in result if item).replace("\xa0", " ")


@pytest.mark.parametrize("mode", ["internal", "checker"])
def test_every_rank_and_total_can_be_recomputed_from_the_files(
    review: Review, profile: Profile, ranking: Ranking, tmp_path: Path, mode: str
) -> None:
    write_csv(review, tmp_path, mode=mode, profile=profile, ranking=ranking)
    result = rows(tmp_path / "ranking.csv")
    by_metric: dict[str, list[dict[str, str]]] = defaultdict(list)
    for row in result:
        by_metric[row["metric"]].append(row)
    sums: dict[str, float] = defaultdict(float)
    for of_metric in by_metric.values():
        values = [float(row["value"]) for row in of_metric]
        sign = 1 if of_metric[0]["direction"] == "lower is better" else -1
        ranks = rankdata([sign * value for value in values])
        assert [float(row["rank"]) for row in of_metric] == ranks.tolist()
        for row, rank in zip(of_metric, ranks, strict=True):
            sums[row["replica"]] += float(row["weight"]) * rank
    totals = rows(tmp_path / "ranking_totals.csv")
    assert {row["replica"]: float(row["total"]) for row in totals} == pytest.approx(dict(sums))
    places = rankdata([round(float(row["total"]), 12) for row in totals])
    assert [float(row["place"]) for row in totals] == places.tolist()


def test_a_release_ranks_means_of_what_it_shows(
    review: Review, profile: Profile, ranking: Ranking, tmp_path: Path
) -> None:
    write_csv(review, tmp_path, mode="checker", profile=profile, ranking=ranking)
    shown: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in rows(tmp_path / "measurements.csv"):
        if row["metric"] in ("DCAP", "DiSCO", "S_pMSE"):
            bound = row["shown"].lstrip("<> ").removesuffix("%").strip()
            value = float(row["value"] or (bound if bound[:1].isdigit() else "nan"))
            pair = "two" if "|" in row["variables"] else "one"
            metric = f"S_pMSE_{pair}_way" if row["metric"] == "S_pMSE" else row["metric"]
            shown[row["replica"], metric].append(value)
    for row in rows(tmp_path / "ranking.csv"):
        values = shown.get((row["replica"], row["metric"]))
        if values and not any(map(math.isnan, values)):
            assert float(row["value"]) == pytest.approx(sum(values) / len(values)), row["metric"]


def test_a_release_has_no_exact_value_of_what_it_ranks(
    review: Review, profile: Profile, ranking: Ranking, tmp_path: Path
) -> None:
    exact = {
        f"{value:.10g}" for value in ranking.values.to_numpy().ravel() if value != round(value, 2)
    }
    write_csv(review, tmp_path, mode="checker", profile=profile, ranking=ranking)
    released = {f"{float(row['value']):.10g}" for row in rows(tmp_path / "ranking.csv")}
    assert exact
    assert not exact & released


def test_intervals_are_for_internal_use(
    review: Review, profile: Profile, ranking: Ranking, safe: SafeReport
) -> None:
    inside = safe_report(review, profile, "internal", ranking=ranking)
    assert "When the mean over the syntheses of good is drawn again" in words(inside)
    assert "drawn again" not in words(safe)
    assert "luck was not measured" not in words(safe)
    fields = [column.field for column in safe.exports["ranking"].columns]
    assert "value_low" not in fields
    assert "Ranks of this edition are made from what it shows" in words(safe)


def test_the_scan_finds_a_ranked_value_that_is_not_shown(
    review: Review, profile: Profile, safe: SafeReport
) -> None:
    scan(review, profile, safe, {})
    table = safe.exports["ranking"]
    place = [column.field for column in table.columns].index("value")
    leak = SafeCell("x", "number", 1e6)
    first = (*table.rows[0][:place], leak, *table.rows[0][place + 1 :])
    bad = replace(table, rows=(first, *table.rows[1:]))
    with pytest.raises(ReleaseBlocked, match="a value is ranked that this edition does not show"):
        scan(review, profile, replace(safe, exports={**safe.exports, "ranking": bad}), {})


def test_nor_may_a_value_be_ranked_of_which_no_cell_is_shown(
    review: Review, profile: Profile, safe: SafeReport
) -> None:
    table = safe.exports["measurements"]
    place = [column.field for column in table.columns].index("value")
    rows = tuple(
        (*row[:place], SafeCell("not shown", "text"), *row[place + 1 :]) for row in table.rows
    )
    bad = {**safe.exports, "measurements": replace(table, rows=rows)}
    with pytest.raises(ReleaseBlocked, match="a value is ranked that this edition does not show"):
        scan(review, profile, replace(safe, exports=bad), {})


def test_nor_one_just_outside_what_is_shown(
    review: Review, profile: Profile, safe: SafeReport
) -> None:
    table, shown = safe.exports["ranking"], safe.exports["measurements"]
    where = {column.field: i for i, column in enumerate(table.columns)}
    fields = {column.field: i for i, column in enumerate(shown.columns)}
    first = next(row for row in table.rows if row[where["metric"]].text == "S_pMSE_one_way")
    values = [
        row[fields["value"]].number
        for row in shown.rows
        if row[fields["metric"]].text == "S_pMSE"
        and row[fields["replica"]].text == first[where["replica"]].text
        and row[fields["value"]].number is not None
    ]
    leak = SafeCell("x", "number", 1.02 * max(values))
    moved = (*first[: where["value"]], leak, *first[where["value"] + 1 :])
    bad = replace(table, rows=tuple(moved if row is first else row for row in table.rows))
    with pytest.raises(ReleaseBlocked, match="a value is ranked that this edition does not show"):
        scan(review, profile, replace(safe, exports={**safe.exports, "ranking": bad}), {})


def test_the_map_shows_replicas_and_references(
    review: Review, profile: Profile, ranking: Ranking
) -> None:
    report = safe_report(review, profile, "internal", ranking=ranking)
    figure, *_ = report.ranking.figures
    assert isinstance(figure, RiskUtility)
    kinds = {mark.name: mark.kind for mark in figure.positions}
    assert kinds["original"] == "reference"
    assert kinds["good"] == "front"
    assert all(0 <= mark.utility <= 1 and 0 <= mark.protection <= 1 for mark in figure.positions)
    assert len(report.ranking.positions.rows) == len(figure.positions)
    ends = {m.name: (m.utility_interval, m.protection_interval) for m in figure.positions}
    assert ends["copy"] == ends["original"] == (None, None)  # one synthesis: nothing to draw
    at = next(mark for mark in figure.positions if mark.name == "good")
    low, high = ends["good"][0] or (1.0, 0.0)
    assert low <= at.utility <= high
    assert f"{low:.2f} to {high:.2f}" in figure.description
    assert "95 % interval, of syntheses" in draw(figure, "x")
    assert report.ranking.scores.rows


def test_the_map_moves_as_the_drawn_values_do(ranking: Ranking) -> None:
    assert ranking.drawn is not None
    source, moving, tables = ranking.drawn
    tables = tables[:100]
    few = replace(ranking, drawn=(source, moving, tables))
    good = ranking.replicas.index("good")
    low, high = few.map_intervals.loc["good", ["utility_low", "utility_high"]]
    utilities = []
    for table in tables:
        moved = replace(ranking, table=replace(ranking.table, table=table), drawn=None)
        utilities.append(moved.map["utility"].iloc[good])
    expected = np.quantile(utilities, [0.025, 0.975])
    np.testing.assert_allclose([low, high], expected, atol=1e-12)
    assert (source, moving) == ("syntheses", ("good",))


def test_a_release_has_no_references_as_they_are_made_of_originals(
    review: Review, profile: Profile, ranking: Ranking
) -> None:
    assert ranking.scale is not None
    report = safe_report(review, profile, "checker", ranking=ranking)
    assert report.ranking.figures == ()
    assert report.ranking.ranks.rows


def test_without_references_the_report_ranks_and_says_what_is_missing(
    review: Review, profile: Profile
) -> None:
    report = safe_report(review, profile, "internal")
    assert report.ranking.figures == ()
    assert not report.ranking.positions.rows
    assert "No references were computed" in words(report)
    assert "nothing is ranked" not in words(report)
    assert report.ranking.headline is not None
    assert words(safe_report(review, profile, "checker"))


def test_one_replica_is_not_ranked(profile: Profile) -> None:
    one = conduct(Study(sample(200, 1), {"good": sample(200, 2)}, keys=["region"]))
    report = safe_report(one, profile, "internal")
    assert report.ranking.headline is None
    assert "There is one replica, so nothing is ranked." in words(report)


@pytest.fixture(scope="module")
def hostile_ranking(hostile_review: Review) -> Ranking:
    return compare_replicas(hostile_review, anchors=True)


@pytest.mark.parametrize("mode", ["internal", "checker"])
def test_hostile_names_are_ranked_as_text(
    hostile_review: Review, hostile_ranking: Ranking, profile: Profile, tmp_path: Path, mode: str
) -> None:
    result = hostile_ranking
    path = write_html(
        hostile_review, tmp_path / "r.html", mode=mode, profile=profile, ranking=result
    )
    text = path.read_text("utf-8")
    assert "<svg onload" not in text
    assert HOSTILE[0] not in text
    data = json.loads(
        write_json(
            hostile_review, tmp_path / "r.json", mode=mode, profile=profile, ranking=result
        ).read_text("utf-8")
    )
    assert data["ranking_in_words"]
    assert {row["replica"] for row in data["ranking"]} == {"<svg onload=x>", "+1"}


def test_a_rare_level_named_like_a_word_of_the_sentences_does_not_block_a_release() -> None:
    frame = sample(200, 1)
    frame.loc[:2, "job"] = "brings"  # "the smallest change of weights that brings"
    other = sample(200, 2)
    review = conduct(Study(frame, {"a": other, "b": sample(200, 3)}, keys=["region"]))
    report = safe_report(review, load_profile("default"), "checker")
    scan(review, load_profile("default"), report, {"HTML": render(report)})
    assert "that brings another replica" in words(report)


def test_a_crowd_of_replicas_is_drawn_closer(profile: Profile) -> None:
    frames = {f"r{i}": sample(200, i) for i in range(2, 6)}
    review = conduct(Study(sample(200, 1), frames, keys=["region"]))
    report = safe_report(
        review, profile, "internal", ranking=compare_replicas(review, anchors=True)
    )
    whole, closer = report.ranking.figures
    assert whole.box is not None
    assert {p.name for p in closer.positions} >= set(frames)
    assert closer.across[1] - closer.across[0] < 1
    named = draw(whole, "m")
    assert ">original</text>" in named
    assert ">r2</text>" not in named
    assert ">r2</text>" in draw(closer, "m")


def test_without_a_scale_for_risk_there_is_no_map(review: Review, profile: Profile) -> None:
    useful = compare_replicas(review, weights={"general": 1.0}, anchors=True)
    report = safe_report(review, profile, "internal", ranking=useful)
    assert report.ranking.figures == ()
    assert report.ranking.acceptability.rows


def test_scores_between_references_are_not_made_while_a_report_is_written(
    profile: Profile,
) -> None:
    asked = {"strategy": "anchored"}
    study = Study(sample(200, 1), {"a": sample(200, 2)}, keys=["region"], ranking=asked)
    assert "which were not computed" in words(safe_report(conduct(study), profile, "internal"))


def test_a_release_leaves_out_metrics_that_it_does_not_show(
    review: Review, profile: Profile
) -> None:
    both = compare_replicas(review, weights={"CAP_ratio": 0.5, "DCAP": 0.5})
    report = safe_report(review, profile, "checker", ranking=both)
    scan(review, profile, report, {})
    assert {row[2].text for row in report.exports["ranking"].rows} == {"DCAP"}
    assert "CAP_ratio is left out" in words(report)
    assert "it is not shown in this edition" in words(report)
