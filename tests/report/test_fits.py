"""Specific utility in the report: exact inside, rounded or held back outside."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.errors import ReleaseBlocked
from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.report import write_csv, write_html, write_json
from sdcmetrics.report.assembly import SafeReport, safe_report
from sdcmetrics.report.formats.render import render
from sdcmetrics.report.safety.cells import SafeCell
from sdcmetrics.report.safety.protect.figures import band
from sdcmetrics.report.scan import scan
from sdcmetrics.review.conduct import conduct
from sdcmetrics.review.judge import Status
from sdcmetrics.review.review import Review
from sdcmetrics.study.profile import Profile
from sdcmetrics.study.study import Study
from tests.report.conftest import HOSTILE, NOW, RARE, sample, threshold
from tests.report.pages import Page

PLAIN, SMALL = "income ~ age + region", "income ~ age + job"
MODELS = [PLAIN, (SMALL, "gaussian"), ("vote ~ age", "binomial")]


def study(models: list[object], n: int = 400) -> Study:
    original = sample(n, 1)
    copy = original.assign(income=original["income"].sample(frac=1, random_state=4).to_numpy())
    return Study(
        original,
        {"good": [sample(n, 2), sample(n, 3)], "copy": copy},
        keys=["region"],
        targets=["vote"],
        models=models,
        title="Models",
    )


@pytest.fixture(scope="module")
def fitted() -> Review:
    return conduct(study(list(MODELS)), now=NOW)


@pytest.fixture(scope="module")
def inside(fitted: Review, profile: Profile) -> SafeReport:
    return safe_report(fitted, profile, "internal")


@pytest.fixture(scope="module")
def outside(fitted: Review, profile: Profile) -> SafeReport:
    return safe_report(fitted, profile, "checker")


def rows(report: SafeReport) -> dict[tuple[str, str], dict[str, SafeCell]]:
    table = report.exports["specific_utility"]
    fields = [column.field for column in table.columns]
    return {
        (row[0].full or row[0].text, row[2].full): dict(zip(fields, row, strict=True))
        for row in table.rows
    }


class TestLevelCounts:
    def counts(self, formula: str, frame: pd.DataFrame, family: str = "gaussian") -> list[int]:
        return list(sdc.fit_overlap(frame, frame, formula=formula, family=family).level_counts)

    def test_levels_with_the_base_level_and_without_missing_values(self) -> None:
        y = [1.0, 2, 3, 5, 8, np.nan]
        frame = pd.DataFrame({"y": y, "g": list("aaabbb")})
        assert self.counts("y ~ g", frame) == [2, 3]

    def test_combinations_of_levels(self) -> None:
        y = [1.0, 2, 3, 5, 8, 9, 4, 4, 7]
        frame = pd.DataFrame({"y": y, "g": list("aaabbbbbb"), "h": list("uuvuvvvvu")})
        assert self.counts("y ~ g*h", frame) == [1, 2, 2, 3, 4, 4, 5, 6]

    def test_a_number_with_two_values_is_a_level_each(self) -> None:
        frame = pd.DataFrame({"y": [1.0, 2, 4, 9, 3], "x": [0, 0, 0, 1, 0], "z": [1, 2, 3, 4, 5]})
        assert self.counts("y ~ x", frame) == [1, 4]
        assert self.counts("y ~ z", frame) == []

    def test_levels_of_the_response(self) -> None:
        frame = pd.DataFrame({"y": list("nynynynn"), "x": [1.0, 2, 3, 4, 5, 6, 7, 8]})
        assert self.counts("y ~ x", frame, "binomial") == [3, 5]

    def test_a_level_that_only_the_replica_has(self) -> None:
        original = pd.DataFrame({"y": [1.0, 2, 3, 5], "g": list("aabb")})
        replica = pd.DataFrame({"y": [1.0, 2, 3, 5], "g": list("abbc")})
        assert 0 in sdc.fit_overlap(original, replica, formula="y ~ g").level_counts


class TestInside:
    def test_values_are_exact_and_complete(self, inside: SafeReport, fitted: Review) -> None:
        result = rows(inside)
        for (replica, formula, _), fit in fitted.fits.items():
            row = result[formula, replica]
            assert row["CIO"].number == fit.mean_overlap
            assert row["CIO_truncated"].number == fit.mean_overlap_truncated
            assert row["std_diff"].number == fit.mean_abs_std_diff
            assert row["adjusted_R2"].number == fit.adjusted_r2
        weighted = fitted.mean_rows().query("metric == 'CIO_weighted'")["value"].tolist()
        assert [result["all models", r]["CIO_weighted"].number for r in fitted.replicas] == weighted

    def test_coefficients_are_named(self, inside: SafeReport) -> None:
        html = render(inside)
        assert "job" + RARE[1] in html
        assert [len(block.coefficients) for block in inside.specific.blocks] == [2, 2, 2]

    def test_models_of_one_formula_are_told_apart(self) -> None:
        models: list[object] = [("vote ~ age", "binomial"), ("vote ~ age", "probit")]
        review = conduct(study(models), now=NOW)
        report = safe_report(review, Profile("p", "P", "unit", {}), "internal")
        shown = [block.table.rows[0][1].number for block in report.specific.blocks]
        fits = review.fits
        assert shown == [fits["good", *model].mean_overlap for model in models]  # type: ignore[misc]
        assert shown[0] != shown[1]

    def test_each_of_two_models_of_one_formula_has_its_own_status(self, tmp_path: Path) -> None:
        models: list[object] = [("vote ~ age", "binomial"), ("vote ~ age", "probit")]
        review = conduct(study(models), now=NOW)
        values = [review.fits["good", *model].mean_overlap for model in models]  # type: ignore[misc]
        limit = threshold("CIO", sum(values) / 2, -9.0)
        profile = Profile("p", "P", "unit", {"CIO": limit})
        report = safe_report(review, profile, "internal")
        worse = values.index(min(values))
        result = [block.table.rows[0][1].status for block in report.specific.blocks]
        assert result[worse] is Status.REVIEW
        assert result[1 - worse] is Status.WITHIN
        write_csv(review, tmp_path / "t", profile=profile)
        with (tmp_path / "t/measurements.csv").open(encoding="utf-8") as file:
            of_good = [row for row in csv.DictReader(file) if row["replica"] == "good"]
        beyond = [row["scenario"] for row in of_good if row["status"] == "review"]
        assert beyond == [f"vote ~ age, {models[worse][1]}"]  # type: ignore[index]

    def test_what_could_not_be_fitted_is_a_reason(self) -> None:
        frame = sample(400, 1).assign(twin=lambda d: 2.0 * d["age"])
        study = Study(frame, {"r": frame}, keys=["region"], targets=["vote"], models=["twin ~ age"])
        review = conduct(study, now=NOW)
        profile = Profile("p", "P", "unit", {})
        block = safe_report(review, profile, "internal").specific.blocks[0]
        assert "without error" in str(block.problems[0].words)
        block = safe_report(review, profile, "checker").specific.blocks[0]
        assert block.problems == ()
        assert {cell.text for cell in block.table.rows[0][1:]} == {"not shown"}


class TestOutside:
    def test_means_of_a_large_model_are_bands(self, outside: SafeReport, fitted: Review) -> None:
        for replica in fitted.replicas:
            row = rows(outside)[PLAIN, replica]
            for metric in ("CIO", "std_diff", "lack_of_fit", "adjusted_R2"):
                assert row[metric].number is None
                assert re.search(r"below|to|or more", row[metric].text), metric
            exact = fitted.fits[replica, PLAIN, "gaussian"].mean_overlap
            assert row["CIO"].text == band(MEASURES["CIO"], exact, {}).shown
            assert "Karr" not in row

    def test_a_model_of_a_rare_level_is_held_back(
        self, outside: SafeReport, fitted: Review
    ) -> None:
        for replica in fitted.replicas:
            numbers = [cell.number for cell in rows(outside)[SMALL, replica].values()]
            assert numbers == [None] * len(numbers)
            # It could be computed from the weighted mean and the other models.
            assert rows(outside)["all models", replica]["CIO_weighted"].number is None
        rules = [row[0].text for row in outside.suppression.rows]
        assert any("a coefficient of a level that few original" in rule for rule in rules)
        held = [b for b in outside.specific.blocks if "Held back" in str(b.problems)]
        assert [block.formula.full for block in held] == [SMALL]

    def test_a_model_that_is_held_back_is_not_judged_either(self, fitted: Review) -> None:
        limits = {"CIO": threshold("CIO", 0.25, 0)}
        report = safe_report(fitted, Profile("p", "P", "unit", limits), "checker")
        table = report.exports["measurements"]
        fields = [column.field for column in table.columns]
        of, status = fields.index("scenario"), fields.index("status")
        metric = fields.index("metric")
        result = {
            model: {
                r[status].text
                for r in table.rows
                if r[of].full == model and r[metric].text == "CIO"
            }
            for model in (PLAIN, SMALL)
        }
        assert result[SMALL] == {"not judged"}
        assert result[PLAIN] == {"within"}

    def test_no_level_is_named(self, fitted: Review, profile: Profile, tmp_path: Path) -> None:
        paths = [
            write_html(fitted, tmp_path / "r.html", mode="checker", profile=profile),
            write_json(fitted, tmp_path / "r.json", mode="checker", profile=profile),
            *write_csv(fitted, tmp_path / "t", mode="checker", profile=profile),
        ]
        for path in paths:
            text = unescape(path.read_text("utf-8"))
            for secret in (*RARE, "regionNorth", "regionWest", "jobteacher", "(Intercept)"):
                assert secret not in text, path.name
        result = list(
            csv.DictReader(io.StringIO((tmp_path / "t/specific_utility.csv").read_text()))
        )
        assert {row["formula"] for row in result} == {PLAIN, SMALL, "vote ~ age", "all models"}
        document = json.loads((tmp_path / "r.json").read_text())
        assert len(document["specific_utility"]) == len(result)

    @pytest.mark.parametrize("where", ["measurements", "specific_utility"])
    def test_the_scan_finds_a_model_of_too_few_records(
        self, fitted: Review, profile: Profile, outside: SafeReport, where: str
    ) -> None:
        table = outside.exports[where]
        at = [column.field for column in table.columns].index(
            "value" if where == "measurements" else "CIO"
        )
        leak = SafeCell("0.5", "number", 0.5)
        bad_rows = tuple(
            (*row[:at], leak, *row[at + 1 :]) if SMALL in [c.full for c in row] else row
            for row in table.rows
        )
        assert bad_rows != table.rows
        exports = {**outside.exports, where: replace(table, rows=bad_rows)}
        with pytest.raises(ReleaseBlocked, match="a model of too few original records"):
            scan(fitted, profile, replace(outside, exports=exports), {})

    def test_the_scan_finds_coefficients(
        self, fitted: Review, profile: Profile, outside: SafeReport, inside: SafeReport
    ) -> None:
        bad = replace(outside, specific=inside.specific)
        with pytest.raises(ReleaseBlocked, match="coefficients of a fitted model"):
            scan(fitted, profile, bad, {})

    def test_the_scan_passes_what_is_clean(
        self, fitted: Review, profile: Profile, outside: SafeReport
    ) -> None:
        scan(fitted, profile, outside, {"HTML": render(outside)})


@pytest.fixture(scope="module")
def hostile_fits() -> Review:
    """Every name in a formula is an attack."""
    rng = np.random.default_rng(7)

    def frame() -> pd.DataFrame:
        columns = {name: rng.choice([*HOSTILE, "plain"], 300) for name in HOSTILE}
        return pd.DataFrame({**columns, "-y": rng.normal(size=300)})

    names = " + ".join(f"`{name}`" for name in HOSTILE[:6])
    study = Study(
        frame(),
        {"<svg onload=x>": frame()},
        keys=HOSTILE[:2],
        targets=HOSTILE[2:3],
        models=[f"`-y` ~ {names}"],
    )
    return conduct(study, now=NOW)


@pytest.mark.parametrize("mode", ["internal", "checker"])
@pytest.mark.parametrize("write", [write_html, write_csv])
def test_hostile_names_in_formulas(
    hostile_fits: Review, tmp_path: Path, mode: str, write: Callable[..., Path | list[Path]]
) -> None:
    assert hostile_fits.fits
    written = write(hostile_fits, tmp_path / "out", mode=mode)
    if isinstance(written, Path):
        page = Page(written.read_text("utf-8"))
        assert page.errors == []
        assert len(page.root.all("script")) == (mode == "internal")  # ours
        assert not page.root.all("img", "svg onload=x")
        return
    for path in written:
        for row in csv.reader(io.StringIO(path.read_text("utf-8"))):
            for cell in row:
                assert not cell.startswith(("=", "+", "@"))
                if cell.startswith("-"):
                    float(cell)


def test_without_models_the_report_says_so(review: Review, profile: Profile) -> None:
    report = safe_report(review, profile, "internal")
    assert "Name models in the study file" in report.specific.none
    assert any("Name models" in str(item.words) for item in report.decision.unchecked)
    assert report.exports["specific_utility"].rows == ()
