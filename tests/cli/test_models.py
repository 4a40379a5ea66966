"""`sdcmetrics fit-overlap` prints what Python computes, of one model and of several."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.cli.models import show_fits
from sdcmetrics.cli.terminal import number_text
from tests.cli.conftest import Cli


def people(n: int, seed: int) -> pd.DataFrame:
    """Return records of which some lack an answer."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n).round(3)
    y = (2 * x + rng.normal(size=n)).round(3)
    y[:: n // 4] = np.nan
    return pd.DataFrame({"age": rng.integers(20, 60, n), "x": x, "y": y})


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Write an original and a replica."""
    paths = [tmp_path / "o.csv", tmp_path / "s.csv"]
    for seed, path in enumerate(paths):
        people(120 - 20 * seed, seed).to_csv(path, index=False)
    return paths


@pytest.mark.parametrize("formulas", [["y ~ x + age"], ["y ~ x + age", "y ~ x"]])
def test_models_are_printed_and_written(
    cli: Cli, files: list[Path], tmp_path: Path, formulas: list[str]
) -> None:
    out = tmp_path / "fits.csv"
    asked = [f"--formula={formula}" for formula in formulas]
    code, said, _ = cli("fit-overlap", *files, *asked, f"--csv={out}")
    assert code == 0
    said = " ".join(said.split())
    fits = [sdc.fit_overlap(*map(sdc.read, files), formula=formula) for formula in formulas]
    for fit in fits:
        mean = f"mean CIO {number_text(fit.mean_overlap)} (1 is best); truncated at 0"
        test = fit.lack_of_fit
        assert f"{fit.formula} (gaussian); adjusted R2 on the original" in said
        assert f"{mean} {number_text(fit.mean_overlap_truncated)}; mean Karr" in said
        assert test is not None
        assert f"lack of fit {number_text(test.statistic)} on {test.df} degrees of" in said
        for n in fit.fits["n"]:
            assert f"{n} records, 4 left out for a missing value" in said
        assert fit.fits["n"].tolist() == [116, 96]
    assert "not fitted" not in said
    weights = [max(fit.adjusted_r2, 0.0) for fit in fits]
    mean_of_all = np.average([fit.mean_overlap for fit in fits], weights=weights)
    overall = f"CIO weighted by adjusted R2: {number_text(float(mean_of_all))}"
    assert (overall in said) == (len(formulas) > 1)
    assert ("weighted" in said) == (len(formulas) > 1)
    assert pd.read_csv(out)["term"].tolist() == [t for fit in fits for t in fit.coefficients.index]


def test_a_model_that_cannot_be_fitted_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    result = sdc.weighted_overlap(people(60, 1), people(60, 2), models=["y ~ x", "age ~ x"])
    frame = result.models.assign(note=["", "it does not converge"])
    show_fits(replace(result, models=frame, fits=result.fits[:1]), None)
    out = capsys.readouterr().out
    assert "age ~ x: not fitted: it does not converge\n" in out
    assert out.count("not fitted") == 1


def test_a_mistake_is_one_message(cli: Cli, files: list[Path]) -> None:
    code, _, err = cli("fit-overlap", *files, "--formula=y ~ Age")
    assert code == 3
    assert "Did you mean 'age'" in err


@pytest.mark.parametrize("given", [True, False])
def test_a_size_that_nobody_said_is_called_so(cli: Cli, files: list[Path], *, given: bool) -> None:
    code, out, _ = cli("fit", files[1], "--formula=y ~ x", *(["--n-original=100"] if given else []))
    assert code == 0
    assert "; 100 records in the original" in out
    assert ("taken to be as many as in a synthesis" in out) != given
