"""Releases of data that are counted in batches: those of memory, to the last byte."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.report.formats.write import write_all
from sdcmetrics.report.safety.protect.protected import Protected
from sdcmetrics.report.safety.protect.protection import protect
from sdcmetrics.review.conduct import conduct
from sdcmetrics.review.review import Review
from sdcmetrics.study.profile import load_profile
from sdcmetrics.study.study import Scenario, Study

SAMPLE = 120


def people(n: int, seed: int) -> pd.DataFrame:
    """Return records with rare levels, missing values of every kind, and dates."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "region": rng.choice(list("abcdef"), n, p=[0.3, 0.25, 0.2, 0.15, 0.08, 0.02]),
            "job": rng.choice(["clerk", None, "farmer", "dancer"], n, p=[0.5, 0.1, 0.38, 0.02]),
            "income": np.where(rng.random(n) < 0.1, np.nan, rng.lognormal(8, 1, n).round(-1)),
            "vote": rng.random(n) < 0.6,
            "since": pd.Timestamp("2001-01-01") + pd.to_timedelta(rng.integers(0, 99, n), "D"),
        }
    )


FRAMES = {
    "original": people(300, 1),
    "first": people(280, 2),
    "second": people(280, 3),
    "narrow": people(280, 4).drop(columns="since"),
    "copy": pd.concat([people(300, 1).head(200), people(80, 5)]),
    "holdout": people(150, 6),
}


def review_of(given: Callable[[str], Any], **options: Any) -> Review:
    return conduct(
        Study(
            given("original"),
            {
                "good": [given("first"), given("second")],
                "narrow": given("narrow"),
                "copy": given("copy"),
            },
            holdout=given("holdout"),
            scenarios=[
                Scenario("few", keys=("region",), targets=("vote",)),
                Scenario("many", keys=("region", "job"), targets=("vote", "income")),
            ],
            models=["income ~ vote"],
            rules=["income >= 0", 'if region == "a" then income >= 500'],
            permutations=19,
            ways=[1, 2],
            profile="illustration",
            title="A census",
            **options,
        )
    )


def files_of(review: Review, folder: Path) -> dict[str, bytes]:
    write_all(review, folder, profile=load_profile("illustration"), mode="checker")
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def in_parts(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return what gives a data set as a folder of Parquet files of ragged lengths."""
    folder = tmp_path_factory.mktemp("parts")
    for name, frame in FRAMES.items():
        (folder / name).mkdir()
        for i, part in enumerate(np.array_split(np.arange(len(frame)), [7, 8, 101])):
            frame.iloc[part].to_parquet(folder / name / f"{i}.parquet", index=False)
    return lambda name: folder / name


def test_a_release_of_folders_is_that_of_memory(
    in_parts: Callable[[str], Path], tmp_path: Path
) -> None:
    here = files_of(review_of(FRAMES.__getitem__), tmp_path / "memory")
    there = files_of(review_of(in_parts), tmp_path / "folders")
    assert here.keys() == there.keys() >= {"report.html", "review.json", "measurements.csv"}
    for name, text in here.items():
        assert text == there[name], name


def test_a_release_says_of_how_many_records_a_sample_is(
    in_parts: Callable[[str], Path], tmp_path: Path
) -> None:
    review = review_of(in_parts, sample_size=SAMPLE)
    files = files_of(review, tmp_path / "out")
    assert b",se," not in files["measurements.csv"].splitlines()[0]
    text = files["report.html"].decode()
    assert f"is of {SAMPLE} records, drawn at random" in text
    assert "about 300" in text  # records of the original, all of which were counted
    released = protected(review)
    copied = next(item for item in released.copied if item.replica == "copy")
    assert (copied.n, copied.n_near) == (300, SAMPLE)
    assert "not shown" not in shown(released, "DCR_share")
    write_all(review, tmp_path / "inside")
    rows = pd.read_csv(tmp_path / "inside" / "tables" / "measurements.csv").set_index("metric")
    assert rows.loc["DCR_share", "se"].tolist() == pytest.approx(
        review.mean_rows().set_index("metric").loc["DCR_share", "se"].tolist(), rel=1e-3
    )
    assert rows.loc["DCR_share", "evidence"].str.contains("of a sample").all()
    assert "of a sample" in (tmp_path / "inside" / "report-annexes.html").read_text("utf-8")


def test_means_over_so_few_sampled_people_are_not_told(in_parts: Callable[[str], Path]) -> None:
    released = protected(review_of(in_parts, sample_size=90, variables=["region", "job", "vote"]))
    assert shown(released, "DCR_share") == {"not shown"}
    assert shown(released, "F2") == {"0.05 to 0.1", "0.1 or more"}  # counted of every record


def protected(review: Review) -> Protected:
    return protect(review, load_profile("illustration"))


def shown(released: Protected, symbol: str) -> set[str]:
    return set(released.frame.loc[released.frame["metric"] == symbol, "shown"])


def test_two_variables_of_replicas_of_other_sizes_are_ranked_and_released(tmp_path: Path) -> None:
    few = review_of(FRAMES.__getitem__, variables=["region", "income"])
    out = tmp_path / "out"
    write_all(few, out, profile=load_profile("illustration"), mode="checker", formats=["html"])
    assert "S_pMSE_two_way" in (out / "tables" / "ranking.csv").read_text(encoding="utf-8")
