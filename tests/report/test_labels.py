"""Labels of variables and values, which files of SPSS, Stata and R have, beside names."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pyreadstat
import pytest

import sdcmetrics as sdc
from sdcmetrics.report import write_all
from sdcmetrics.review.review import Review
from sdcmetrics.study.profile import Profile

HOSTILE = "Age </script><img src=x onerror=alert(1)>"
LABELS = {"age": HOSTILE, "region": "Region of residence", "vote": "VOTE", "income": "Net income"}


def survey(seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    income = np.round(rng.lognormal(7, 0.3, 300))
    income[rng.random(300) < 0.2] = -8
    return pd.DataFrame(
        {
            "age": rng.integers(18, 60, 300).astype(float),
            "region": rng.choice([1.0, 2.0], 300),
            "vote": rng.choice(["no", "yes"], 300),
            "income": income,
        }
    )


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> Review:
    folder = tmp_path_factory.mktemp("labelled")
    pyreadstat.write_sav(
        survey(1),
        folder / "o.sav",
        column_labels=LABELS,
        variable_value_labels={"region": {1: "north", 2: "south"}, "income": {-8: "refused"}},
        missing_ranges={"income": [-8]},
    )
    near = survey(1)
    near.loc[:199, "vote"] = near["vote"][:200].map(
        {"no": "yes", "yes": "no"}
    )  # most are no copies
    near.to_csv(folder / "copy.csv", index=False)
    study = sdc.Study(
        folder / "o.sav", {"copy": folder / "copy.csv"}, keys=["age", "region"], targets=["income"]
    )
    return sdc.conduct(study)


def test_sentences_tables_and_files_say_them_inside(
    labelled: Review, profile: Profile, tmp_path: Path
) -> None:
    write_all(labelled, tmp_path, profile=profile, formats=["html", "xlsx"])
    page = (tmp_path / "report-annexes.html").read_text("utf-8")
    assert "An intruder knows <bdi>age</bdi> (<bdi>Age &lt;/script&gt;&lt;img" in page
    assert "<bdi>-8</bdi><small><bdi>refused</bdi></small>" in page
    assert "<img" not in page
    document = json.loads((tmp_path / "review.json").read_text("utf-8"))
    said = [item["finding"] for item in document["findings"]] + [
        r["what"] for r in document["what_to_do"]
    ]
    assert any("learns income (Net income) = " in text for text in said)
    assert any(text.startswith(f"Coarsen age ({HOSTILE})") for text in said)
    assert not any("VOTE" in text for text in said)  # says no more than the name
    assert document["scenarios"][0]["knows"] == ["age", "region"]
    assert {"variable": "income", "value": "-8", "label": "refused"} in document["labels"]
    assert {"variable": "region", "value": "2", "label": "south"} in document["labels"]
    book = openpyxl.load_workbook(io.BytesIO((tmp_path / "report.xlsx").read_bytes()))
    assert ("income", None, "Net income") in set(book["labels"].iter_rows(values_only=True))


def test_a_release_says_no_label_that_is_no_level(
    labelled: Review, profile: Profile, tmp_path: Path
) -> None:
    write_all(labelled, tmp_path, profile=profile, mode="checker")
    texts = [path.read_text("utf-8") for path in tmp_path.rglob("*") if path.is_file()]
    for text in texts:
        assert not any(word in text for word in ("Net income", "residence", "refused", "onerror"))
    assert not (tmp_path / "tables" / "labels.csv").exists()
