"""How a sample was weighted: told inside, held back in a release, true on page, JSON, terminal."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.cli.run import run
from sdcmetrics.report.assembly import SafeReport, safe_report
from sdcmetrics.report.document import as_json
from sdcmetrics.report.formats.render import render
from sdcmetrics.study.profile import load_profile
from tests.study.test_sample import ROLES, study, survey


@cache
def reviewed(**weights: float) -> sdc.Review:
    original = survey().assign(**{f"{name}": value for name, value in weights.items()})
    return sdc.conduct(study(survey(2), original, models=["age ~ sex"]))


@cache
def reported(mode: Any = "internal", **weights: float) -> SafeReport:
    return safe_report(reviewed(**weights), load_profile("illustration"), mode)


def rows(report: SafeReport, caption: str) -> dict[str, list[str]]:
    (result,) = [
        item for item in report.sample if "".join(map(str, item.caption)).startswith(caption)
    ]
    return {row[0].text: [cell.text for cell in row[1:]] for row in result.rows}


def of(sample: dict[str, Any], **given: Any) -> dict[str, list[str]]:
    review = sdc.conduct(study(sample=sample, **given))
    return rows(safe_report(review, load_profile("illustration"), "internal"), "How the sample")


class TestInside:
    def test_says_how_the_sample_was_weighted(self) -> None:
        result = rows(reported(), "How the sample was drawn")
        file = survey()
        assert result["Records"][0] == "240"
        assert result["People: sum of the weights"][:1] == [f"{file['w'].sum():,}"]
        assert result["Clusters"][0] == "20"
        assert result["Households"][0] == "80"
        kish = 240 * (file["w"] ** 2).sum() / file["w"].sum() ** 2
        assert result["Design effect of unequal weights (Kish)"] == [
            f"{kish:.2f}",
            "of no share here: there are clusters, and there are strata",
        ]
        assert result["Weights of one"][0] == "its own weights"
        heavy = sdc.conduct(study(survey(2).assign(w=lambda file: 2 * file["w"])))
        result = rows(
            safe_report(heavy, load_profile("illustration"), "internal"), "How the sample"
        )
        assert "% of the original's: totals are of other numbers" in result["Weights of one"][1]

    def test_says_whose_records_were_drawn_together(self) -> None:
        role = {"weight": "w", "cluster": "cl"}
        result = of(role, replica=survey(2))
        assert result["Records of one"] == ["together, as its own column says", ""]
        result = of(role, replica=survey(2).drop(columns="cl"))
        assert result["Records of one"] == [
            "taken to be drawn one by one",
            "it lacks the column: p of families or panels are too small",
        ]
        assert "Records of one" not in of({"weight": "w"})

    def test_says_where_kish_holds_and_on_what_weights_depend(self) -> None:
        where = "Design effect of unequal weights (Kish)"
        assert "holds here" in of({"weight": "w"})[where][1]
        file = survey()
        uneven = file.assign(w=np.where(file["sex"] == "f", 2, 9))
        assert "weights differ by sex" in of({"weight": "w"}, original=uneven)[where][1]

    def test_sets_the_population_beside_the_file(self) -> None:
        html = render(reported())
        assert "How the sample was drawn" in html
        assert "Of the population beside of the file" in html
        assert "a sample with weights, strata, clusters and households" in html

    def test_a_sample_of_known_size_has_neither_weights_nor_strata(self) -> None:
        result = of({"population_size": 9_000})
        assert result["People, as stated"][0] == "9,000"
        assert not [what for what in result if "eights" in what or "Strata" in what]

    def test_a_study_without_a_sample_says_nothing_of_one(self) -> None:
        review = sdc.conduct(study(sample=None))
        report = safe_report(review, load_profile("illustration"), "internal")
        assert report.sample == ()
        assert "Sample" not in dict(report.facts)


class TestRelease:
    def test_is_the_same_whatever_the_weights(self) -> None:
        first, other = reported("checker"), reported("checker", w=3.0)
        assert render(first) == render(other)
        assert as_json(first) == as_json(other)
        assert render(reported()) != render(reported("internal", w=3.0))

    def test_holds_no_weighted_figure(self) -> None:
        report = reported("checker")
        assert report.sample == ()
        assert not {name for name in report.exports if "sample" in name}
        text = as_json(report)
        of_samples = {s for s, m in sdc.MEASURES.items() if m.of.option == "[sample]"}
        assert not [symbol for symbol in of_samples if f'"{symbol}"' in text]
        assert "weighted figures are in the internal edition only" in text


@pytest.mark.parametrize("mode", ["internal", "checker"])
def test_terminal_page_and_json_say_the_same(
    mode: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(study(survey(2)), tmp_path, mode=mode, profile="illustration")
    out = capsys.readouterr().out
    text = json.loads((tmp_path / "review.json").read_text(encoding="utf-8"))["sample"]
    assert text.startswith("a sample with weights, strata, clusters and households; ")
    assert f"original: {text}" in out
    assert text in (tmp_path / "report.html").read_text(encoding="utf-8")
    written = {path.name for path in (tmp_path / "tables").iterdir()}
    assert ("sample_means.csv" in written) == (mode == "internal")
    if mode == "internal":
        kept = json.loads((tmp_path / "review.json").read_text(encoding="utf-8"))
        assert kept["sample_means"]
        risks = pd.read_csv(tmp_path / "tables" / "sample_records.csv")
        expected = sdc.individual_risk(
            survey(), keys=["sex", "age"], weight="w", household="home"
        ).records
        for name in ("risk", "household_risk"):
            assert risks[name].tolist() == pytest.approx(expected[name].tolist())
        weights, records = kept["sample_design"][-2:]
        assert (weights["what"], weights["value"]) == ("Weights of one", "its own weights")
        together = "Records of one", "together, as its own column says"
        assert (records["what"], records["value"]) == together


def test_the_review_itself_is_saved_with_its_sample() -> None:
    document = sdc.conduct(study()).to_dict()
    assert document["sample"]["columns"] == ROLES
    assert document["sample"]["clusters"] == 20
    json.dumps(document, allow_nan=False)


def test_the_missing_level_of_a_weighted_share_is_named() -> None:
    rng = np.random.default_rng(4)
    frames = [
        pd.DataFrame(
            {
                "region": rng.choice(["a", "b", None], 120),
                "sex": rng.choice(["f", "m"], 120),
                "w": rng.uniform(1, 9, 120),
            }
        )
        for _ in range(2)
    ]
    given = sdc.Study(
        frames[0], {"r": frames[1]}, keys=["region"], targets=["sex"], sample={"weight": "w"}
    )
    report = safe_report(sdc.conduct(given), load_profile("illustration"), "internal")
    (means,) = (t for t in report.sample if str(t.caption[0]).startswith("Weighted means"))
    shares = {row[2].text for row in means.rows if row[1].text == "region"}
    assert shares == {"a", "b", "(missing)"}
