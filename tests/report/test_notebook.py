"""What a notebook shows of a review, and figures on their own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyreadstat
import pytest

import sdcmetrics as sdc
from sdcmetrics.errors import StudyError
from sdcmetrics.report import judged, plot
from sdcmetrics.report.assembly import safe_report
from sdcmetrics.review.review import Review
from sdcmetrics.study.profile import Profile, load_profile
from tests.report.conftest import sample
from tests.report.pages import Page


def test_a_review_says_what_its_profile_says(review: Review) -> None:
    said = judged(review, load_profile(review.study.profile), "internal")
    summary = review.summary()
    assert summary["verdict"].to_dict() == {item.replica: item.risk.words for item in said}
    assert {name: item.to_dict() for name, item in review.decisions.items()} == {
        item.replica: item.to_dict() for item in said
    }
    assert set(summary["disclosure_risk"]) <= {"within", "review", "fail", "not judged"}
    assert summary["measurements"].sum() == len(review.mean_rows())
    assert review.status in ("within", "review", "fail", "not judged")


def test_the_status_is_the_worst() -> None:
    copy = sample(120, 1)
    study = sdc.Study(
        copy, {"copy": copy, "fresh": sample(120, 2)}, keys=["region"], targets=["vote"],
        profile="illustration", ways=1,
    )  # fmt: skip
    review = sdc.conduct(study)
    assert review.verdicts["copy"]["verdict"] == "no"
    assert review.risk == "fail"
    assert review.status == max(
        (
            verdict[name]
            for verdict in review.verdicts.values()
            for name in ("disclosure_risk", "utility")
        ),
        key=["within", "not judged", "review", "fail"].index,
    )


def test_a_review_is_short_in_words_and_a_table_in_a_notebook(review: Review) -> None:
    text = repr(review)
    assert text.startswith("Review of 2 replicas")
    assert len(text) < 500
    page = Page(review._repr_html_())
    assert not page.errors
    assert [row.all("th")[0].text for row in page.root.all("tr")[2:]] == ["good", "copy"]


def test_a_title_is_no_markup(hostile_review: Review) -> None:
    assert "<h1>" not in hostile_review._repr_html_()


def test_a_review_is_drawn_as_in_its_report(review: Review) -> None:
    drawn = plot(review)
    report = safe_report(review, load_profile(review.study.profile), "internal")
    assert drawn.title == report.comparison.maps[0].title
    assert drawn._repr_html_().startswith("<svg")
    assert "good" in drawn.svg


def test_a_model_is_drawn_with_both_intervals(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=400)
    original = pd.DataFrame({"x": x, "y": 2 * x + rng.normal(size=400)})
    replica = pd.DataFrame({"x": x, "y": rng.normal(size=400)})  # the relation is lost
    far = plot(sdc.fit_overlap(original, replica, formula="y ~ x"))
    near = plot(sdc.fit_overlap(original, original, formula="y ~ x"))
    assert "x 0.0 \N{PLUS-MINUS SIGN} 2.0" in near.description
    shift = far.description.split("; x ")[1].split(" ")[0]
    assert shift[0] == "\N{MINUS SIGN}"
    assert float(shift[1:]) > 20
    assert far.save(tmp_path / "f.svg").read_text().endswith("</svg>")


def test_what_cannot_be_drawn_is_refused(review: Review) -> None:
    with pytest.raises(StudyError, match="anchors=True"):
        plot(sdc.compare_replicas(review, anchors=False))


def test_labels_of_a_file_stand_beside_names_inside(tmp_path: Path, profile: Profile) -> None:
    for name, seed in (("o", 1), ("r", 2)):
        pyreadstat.write_sav(
            sample(150, seed)[["age", "region", "vote"]],
            tmp_path / f"{name}.sav",
            column_labels={"age": "Age in years", "region": "region"},
        )
    study = sdc.Study(
        tmp_path / "o.sav", {"r": tmp_path / "r.sav"}, keys=["region"], targets=["vote"]
    )
    review = sdc.conduct(study)
    assert dict(review.study.original.labels) == {"age": "Age in years"}
    inside, outside = (safe_report(review, profile, mode) for mode in ("internal", "checker"))  # type: ignore[arg-type]
    details = {row[0].text: row[0].detail for row in inside.variables.rows}
    assert details == {"age": "Age in years", "region": "", "vote": ""}
    assert any(block.summary.startswith("Age in years; ") for block in inside.by_variable)
    assert not any(row[0].detail for row in outside.variables.rows)
