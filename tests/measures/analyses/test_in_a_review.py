"""Analyses in a study: rows of a review, of the report, and code that runs only where allowed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.errors import StudyError
from sdcmetrics.measures.analyses.declared import ANALYSIS
from sdcmetrics.measures.kind import Place
from sdcmetrics.report import write_all
from sdcmetrics.review.fingerprint import fingerprint

STUDY = """
[data]
original = "original.csv"
replicas = { copy = "original.csv", other = ["one.csv", "two.csv"] }
[roles]
keys = ["sex"]
targets = ["work"]
[options]
ways = [1]
permutations = 0
candidates = 0
[sample]
weight = "w"
[[analysis]]
name = "Income"
statistic = "mean"
variables = "income"
by = "sex"
[[analysis]]
name = "Men and women"
statistic = "difference"
variables = ["income", "sex"]
[[analysis]]
name = "No such group"
statistic = "mean"
variables = "income"
by = "income"
"""
CODE = """
[[analysis]]
name = "Own"
statistic = "function"
variables = "income"
function = "own.py:estimates"
"""
FUNCTION = """
import pandas as pd

def estimates(data, weights):
    return pd.DataFrame({"estimate": [data["income"].mean()], "se": [1.0]}, index=["mean"])
"""


def people(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "sex": rng.choice(["f", "m"], n),
            "work": rng.choice(["none", "part", "full"], n),
            "income": np.round(rng.normal(1000, 100, n), 2),
            "w": rng.uniform(1, 3, n).round(2),
        }
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("analyses")
    people(120, 1).to_csv(path / "original.csv", index=False)
    people(120, 2).drop(columns="w").to_csv(path / "one.csv", index=False)
    people(120, 3).drop(columns="w").to_csv(path / "two.csv", index=False)
    (path / "study.toml").write_text(STUDY, encoding="utf-8")
    (path / "code.toml").write_text(STUDY + CODE, encoding="utf-8")
    (path / "own.py").write_text(FUNCTION, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def review(folder: Path) -> sdc.Review:
    return sdc.conduct(sdc.read_study(folder / "study.toml"), reference_values=False)


def value(review: sdc.Review, replica: str, symbol: str, analysis: str = "") -> pd.Series:
    frame = review.frame
    rows = frame[
        (frame["replica"] == replica)
        & (frame["metric"] == symbol)
        & (frame["model"].fillna("") == analysis)
        & frame["synthesis"].isna()
    ]
    assert len(rows) == 1
    return rows.iloc[0]


def test_rows_are_those_of_the_function(review: sdc.Review, folder: Path) -> None:
    original = pd.read_csv(folder / "original.csv")
    replicas = [pd.read_csv(folder / name) for name in ("one.csv", "two.csv")]
    alone = sdc.analysis(original, replicas, "mean", "income", by="sex", weight="w")
    row = value(review, "other", "CIO_analysis", "Income")
    assert row["value"] == pytest.approx(alone.overlap)


def test_a_copy_with_its_weights_overlaps_wholly(review: sdc.Review) -> None:
    assert value(review, "copy", "CIO_analysis", "Income")["value"] == pytest.approx(1)
    assert value(review, "copy", "CIO_analyses")["value"] == pytest.approx(1)
    assert value(review, "copy", "same_conclusions", "Men and women")["value"] == 100


def test_syntheses_have_rows_of_their_own_where_there_are_several(review: sdc.Review) -> None:
    frame = review.frame
    rows = frame[frame["metric"] == "CIO_analysis"]
    of = {name: set(part["synthesis"].dropna()) for name, part in rows.groupby("replica")}
    assert of == {"copy": set(), "other": {1, 2}}


def test_each_analysis_counts_once(review: sdc.Review) -> None:
    parts = [
        value(review, "other", "CIO_analysis_truncated", name)["value"]
        for name in ("Income", "Men and women")
    ]
    assert value(review, "other", "CIO_analyses")["value"] == pytest.approx(np.mean(parts))


def test_what_cannot_be_made_has_a_reason(review: sdc.Review) -> None:
    row = value(review, "copy", "CIO_analysis", "No such group")
    assert np.isnan(row["value"])
    assert "at most 50 are groups" in row["reason"]


def test_a_statistic_that_is_not_tested_says_so(review: sdc.Review) -> None:
    row = value(review, "copy", "same_conclusions", "Income")
    assert row["reason"] == "its estimates are not tested against anything"


def test_the_report_has_every_term_and_a_checkers_edition_none(
    review: sdc.Review, tmp_path: Path
) -> None:
    write_all(review, tmp_path / "in", formats=("html",))
    terms = pd.read_csv(tmp_path / "in" / "tables" / "analysis_terms.csv")
    result = review.evidence[ANALYSIS, "other", Place(target="Income", model="Income")]
    written = terms[(terms["analysis"] == "Income") & (terms["replica"] == "other")]
    np.testing.assert_allclose(written["original"], result.estimates["original"])
    annexes = (tmp_path / "in" / "report-annexes.html").read_text("utf-8")
    assert "Analyses that users declared" in annexes
    write_all(review, tmp_path / "out", formats=("html",), mode="checker")
    assert not list((tmp_path / "out" / "tables").glob("anal*"))
    page = (tmp_path / "out" / "review.json").read_text("utf-8")
    assert f"{result.estimates['original'].iloc[0]:.6g}" not in page


def test_code_does_not_run_unless_it_is_allowed(folder: Path) -> None:
    with pytest.raises(StudyError, match=r"analysis 'Own' runs the file own.py.*--allow-code"):
        sdc.conduct(sdc.read_study(folder / "code.toml"))


def test_code_that_is_allowed_is_told_with_its_digest(folder: Path) -> None:
    study = sdc.read_study(folder / "code.toml", allow_code=True)
    review = sdc.conduct(study, reference_values=False)
    assert value(review, "copy", "CIO_analysis", "Own")["value"] == 1
    result = review.evidence[ANALYSIS, "copy", Place(target="Own", model="Own")]
    assert len(result.digest) == 64


def test_other_code_is_another_study(folder: Path) -> None:
    study = sdc.read_study(folder / "code.toml", allow_code=True)
    before = fingerprint(study)
    (folder / "own.py").write_text(FUNCTION + "\n# changed\n", encoding="utf-8")
    assert fingerprint(study) != before
