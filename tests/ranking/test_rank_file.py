"""Ranking by results in a file gives what ranking the review gives."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import sdcmetrics as sdc
from sdcmetrics.errors import FileError, StudyError
from sdcmetrics.ranking import sentences
from sdcmetrics.ranking.phrase import plain_text
from sdcmetrics.ranking.rank_file import _names, _sizes, rank_file
from tests.ranking.reviews import ORIGINAL, conduct, people, review, study


def test_both_kinds_of_files_give_the_ranking_of_the_review(tmp_path: Path) -> None:
    expected = sdc.compare_replicas(review())
    full = review().to_json(tmp_path / "full.json")
    report = sdc.report.write_json(review(), tmp_path / "review.json")
    for path in (full, report):
        result = rank_file(path)
        assert result.replicas == expected.replicas
        np.testing.assert_allclose(result.values, expected.values)
        np.testing.assert_allclose(result.totals, expected.totals)
        assert result.verdicts == expected.verdicts


def test_a_file_without_models_has_the_weights_of_such_a_study(tmp_path: Path) -> None:
    without = conduct(study({"copy": ORIGINAL, "fresh": people(300, 2)}))
    expected = sdc.compare_replicas(without)
    result = rank_file(without.to_json(tmp_path / "full.json"))
    assert result.weights.families == {"general": 0.5, "disclosure": 0.5}
    assert (result.notes, result.weights) == (expected.notes, expected.weights)
    np.testing.assert_allclose(result.totals, expected.totals)


def test_a_release_is_ranked_by_what_it_shows(tmp_path: Path) -> None:
    path = sdc.report.write_json(review(), tmp_path / "review.json", mode="checker")
    result = rank_file(path, weights={"DCAP": 1.0})
    assert result.values["DCAP"].tolist() != sdc.compare_replicas(review()).values["DCAP"].tolist()
    assert result.winner == "noise"
    assert not result.notes
    with pytest.raises(StudyError, match="no metric has a value"):
        rank_file(path, weights={"TVD_three_way": 1.0})


def _row(field: str, more: str = '"variables": []') -> str:
    return f'{{"measurements": [{{"replica": "a", "metric": "ROC", {field}}}], {more}}}'


@pytest.mark.parametrize(
    ("content", "error", "message"),
    [
        (None, FileError, "cannot be opened"),
        ("not JSON", FileError, "expected the results of a review"),
        ("[1]", StudyError, "no measurements"),
        ('{"measurements": []}', StudyError, "no measurements"),
        ('{"measurements": [{"a": 1}]}', StudyError, "no measurements"),
        ('{"measurements": [1]}', StudyError, "no measurements"),
        ('{"measurements": [{"replica": "a"}]}', StudyError, "no measurements"),
        (_row('"metric": null'), StudyError, "no measurements"),
        (_row('"value": "x"'), StudyError, "no measurements"),
        (_row('"variables": 5'), StudyError, "no measurements"),
        (_row('"value": null', '"variables": [1]'), StudyError, "no metric has a value"),
    ],
)
def test_what_holds_no_results_is_refused(
    tmp_path: Path, content: str | None, error: type[Exception], message: str
) -> None:
    path = tmp_path / "review.json"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(error, match=message):
        rank_file(path)


def test_names_of_variables_may_hold_what_stands_between_names() -> None:
    known = ["a", "a | b", "c"]
    assert _names("a | c", known) == ("a", "c")
    assert _names("a | b | c", ["a | b", "c"]) == ("a | b", "c")
    assert _names("c | a | b", ["a | b", "c"]) == ("c", "a | b")
    assert _names("a | b", ["a | b"]) == ("a | b",)
    assert _names("x | y", []) == ("x", "y")
    assert _names("a | b", ["a", "a | b", "b"]) == ("a", "b")  # each part is a name
    assert _names("", known) == ()
    assert _names(["a | b"], known) == ("a | b",)


def test_syntheses_in_a_file_do_not_count_beside_their_mean(tmp_path: Path) -> None:
    path = review().to_json(tmp_path / "full.json")
    rows = json.loads(path.read_text("utf-8"))["measurements"]
    assert any(row.get("synthesis") for row in rows)
    assert rank_file(path).winner == sdc.compare_replicas(review()).winner


def test_nothing_is_said_of_how_many_syntheses_a_file_comes_from(tmp_path: Path) -> None:
    ranking = rank_file(sdc.report.write_json(review(), tmp_path / "review.json"))  # m = 3
    text = plain_text(sentences.drawn_again(ranking))
    assert "was not measured" in text
    assert "one synthesis" not in text


def test_syntheses_of_a_replica_have_its_name() -> None:
    rows = [
        {"data_set": "o", "records": 10},
        {"data_set": "a, b, synthesis 1", "records": 5},
        {"data_set": "a, b, synthesis 2", "records": 7},
        {"name": "c", "records": 6},
        {"name": "h", "records": 4},
        {"name": "c, synthesis 9", "records": None},
    ]
    roles, names, records = zip(*_sizes(rows, {"a, b", "c"}), strict=True)
    assert roles == ("original", "replica", "replica", "replica", "holdout")
    assert names[1:4] == ("a, b", "a, b", "c")
    assert records == (10, 5, 7, 6, 4)
