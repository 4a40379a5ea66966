"""What a user of the replica concludes; equality with synthpop is in tests/reference."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import sdcmetrics as sdc
from sdcmetrics import cli
from sdcmetrics.errors import ColumnError, DataError, StudyError
from sdcmetrics.measures.fits.synthetic_fit import _tested
from sdcmetrics.microdata.frames import as_microdata

RNG = np.random.default_rng(21)


def sample(n: int) -> pd.DataFrame:
    x = RNG.normal(size=n)
    group = RNG.choice(["a", "b", "c"], n)
    y = 1 + 0.5 * x + (group == "c") + RNG.normal(size=n)
    return pd.DataFrame({"y": y, "x": x, "g": group})


MANY = [sample(200) for _ in range(3)]


class TestSyntheticFit:
    def test_one_synthesis_of_the_size_of_the_original_is_its_own_fit(self) -> None:
        ours = sdc.synthetic_fit(MANY[0], formula="y ~ x + g")
        plain = sdc.fit_overlap(MANY[0], MANY[0], formula="y ~ x + g").coefficients
        np.testing.assert_allclose(ours.coefficients["estimate"], plain["original"])
        np.testing.assert_allclose(ours.coefficients["se"], plain["se_original"])
        assert ours.n_original == 200
        assert ours.problems == ()

    def test_it_needs_no_original_and_takes_any_frame(self) -> None:
        plain = sdc.synthetic_fit(MANY, formula="y ~ x + g").coefficients
        others = [pl.from_pandas(frame) for frame in MANY]
        pd.testing.assert_frame_equal(
            sdc.synthetic_fit(others, formula="y ~ x + g").coefficients, plain
        )

    def test_syntheses_of_unequal_size_count_by_their_harmonic_mean(self) -> None:
        unequal = [MANY[0], MANY[1][:100]]
        ours = sdc.synthetic_fit(unequal, formula="y ~ x", n_original=400)
        k = 2 / (1 / 200 + 1 / 100)
        squares = (ours.per_synthesis["se"] ** 2).groupby("term", sort=False).mean()
        np.testing.assert_allclose(ours.coefficients["se"] ** 2, squares * k / 400)

    def test_intervals_for_the_population_cover_it_as_often_as_they_say(self) -> None:
        covered, runs = 0, 60
        for _ in range(runs):
            x = RNG.normal(size=80)
            slope, level = np.polyfit(x, 0.5 * x + RNG.normal(size=80), 1)
            new = RNG.normal(size=240)
            replica = pd.DataFrame({"x": new, "y": level + slope * new + RNG.normal(size=240)})
            fit = sdc.synthetic_fit(
                replica, formula="y ~ x", n_original=80, population_inference=True
            )
            row = fit.coefficients.loc["x"]
            covered += abs(row["estimate"] - 0.5) < 1.96 * row["se"]
        assert covered >= 51  # 95 % of 60 less four standard errors

    def test_a_level_that_one_synthesis_lacks_is_averaged_over_the_others_and_flagged(self) -> None:
        lacking = [MANY[0], MANY[1][MANY[1]["g"] != "b"], MANY[2]]
        ours = sdc.synthetic_fit(lacking, formula="y ~ g")
        row = ours.coefficients.loc["gb"]
        there = ours.per_synthesis["estimate"].xs("gb", level="term")
        assert row["syntheses"] == 2
        assert row["estimate"] == pytest.approx(there.loc[[1, 3]].mean())
        assert np.isnan(there.loc[2])
        assert row["flag"] == "not there, or aliased (synthesis 2)"

    def test_files_of_one_name_are_told_apart_by_their_place(self) -> None:
        files = [as_microdata(frame, "a.csv") for frame in MANY]
        fits = sdc.synthetic_fit(files, formula="y ~ x").fits
        assert fits.index.tolist() == [f"synthetic {i} (a.csv)" for i in (1, 2, 3)]

    def test_the_base_level_is_the_same_in_every_synthesis(self) -> None:
        turned = [MANY[0], MANY[1].assign(g=pd.Categorical(MANY[1]["g"], ["c", "b", "a"]))]
        plain = sdc.synthetic_fit(MANY[:2], formula="y ~ g").coefficients
        pd.testing.assert_frame_equal(
            sdc.synthetic_fit(turned, formula="y ~ g").coefficients, plain
        )

    def test_levels_of_an_ordered_response_keep_their_order(self) -> None:
        every = [frame.assign(g=pd.Categorical(frame["g"], ["a", "b", "c"])) for frame in MANY]
        lacking = [every[0][every[0]["g"] != "b"], *every[1:]]
        for family, terms in (
            ("ordered", ["x", "a|b", "b|c"]),
            ("multinomial", ["c:(Intercept)", "c:x", "b:(Intercept)", "b:x"]),  # those of the first
        ):
            ours = sdc.synthetic_fit(lacking, formula="g ~ x", family=family)
            assert ours.coefficients.index.tolist() == terms

    def test_a_separated_coefficient_is_flagged(self) -> None:
        replica = MANY[0].assign(won=MANY[0]["x"] > 0)
        ours = sdc.synthetic_fit(replica, formula="won ~ x", family="binomial")
        assert ours.coefficients.loc["x", "flag"] == "no finite estimate"
        assert any("separate the response" in problem for problem in ours.problems)

    def test_what_was_not_synthesised_is_said_where_there_is_one_synthesis(self) -> None:
        chosen = {"not_synthesised": ["x"], "population_inference": True}
        (said,) = sdc.synthetic_fit(MANY[0], formula="y ~ x", **chosen).problems
        assert said.startswith("x not synthesised, and there is one synthesis")
        assert sdc.synthetic_fit(MANY, formula="y ~ x", **chosen).problems == ()
        assert sdc.synthetic_fit(MANY[0], formula="y ~ g", **chosen).problems == ()

    def test_an_incomplete_synthesis_needs_several(self) -> None:
        chosen = {"incomplete": True, "population_inference": True}
        one = sdc.synthetic_fit(MANY[0], formula="y ~ x", **chosen)
        assert "needs more than one synthesis" in one.problems[0]
        complete = sdc.synthetic_fit(MANY[0], formula="y ~ x", population_inference=True)
        pd.testing.assert_frame_equal(one.coefficients, complete.coefficients)
        assert "fewer than 5" in sdc.synthetic_fit(MANY, formula="y ~ x", **chosen).problems[0]
        assert sdc.synthetic_fit(MANY * 2, formula="y ~ x", **chosen).problems == ()
        assert sdc.synthetic_fit(MANY, formula="y ~ x", incomplete=True).problems == ()

    def test_mistakes_are_named(self) -> None:
        for error, text, options in (
            (StudyError, "n_original: expected the number", {"n_original": 0}),
            (StudyError, "n_original: expected a whole number", {"n_original": 2.5}),
            (ColumnError, "not_synthesised 'z' is not a column", {"not_synthesised": ["z"]}),
            (StudyError, "family: 'normal'", {"family": "normal"}),
        ):
            with pytest.raises(error, match=text):
                sdc.synthetic_fit(MANY, formula="y ~ x", **options)
        with pytest.raises(DataError, match="empty list"):
            sdc.synthetic_fit([], formula="y ~ x")


@pytest.mark.parametrize(("option", "rows"), [((), 2), (("--by-synthesis",), 4)])
def test_the_command_prints_and_saves_the_fit(
    option: tuple[str, ...],
    rows: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, frame in zip("ab", MANY, strict=False):
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    monkeypatch.chdir(tmp_path)
    given = ["a.csv", "b.csv", "--formula", "y ~ x", "--n-original", "900", "--csv", "c.csv"]
    for _ in range(2):  # a result of its own is overwritten
        monkeypatch.setattr(sys, "argv", ["sdcmetrics", "fit", *given, *option])
        with pytest.raises(SystemExit) as stopped:
            cli.main()
        assert not stopped.value.code
    out = capsys.readouterr().out
    assert "as expected of the original; 900 records in the original" in out
    assert len(pd.read_csv("c.csv")) == rows


def test_the_formula_may_stand_first_as_it_did() -> None:
    now = sdc.synthetic_fit(MANY[0], formula="y ~ x").coefficients
    with pytest.warns(DeprecationWarning, match=r"write formula=\.\.\. now"):
        before = sdc.synthetic_fit("y ~ x", MANY[0]).coefficients  # type: ignore[arg-type]
    pd.testing.assert_frame_equal(before, now)
    with pytest.warns(DeprecationWarning, match=r"write formula=\.\.\. now"):
        sdc.synthetic_fit("y ~ x", synthetic=MANY[0])  # type: ignore[misc]
    named = sdc.synthetic_fit(formula="y ~ x", synthetic=MANY[0]).coefficients
    pd.testing.assert_frame_equal(named, now)


def test_p_is_of_both_sides_of_the_normal() -> None:
    estimates = pd.Series([0.0, -1.959963984540054, 6.0], index=["a", "b", "c"])
    table = _tested(estimates, np.array([1.0, 1.0, 2.0]))
    assert table["z"].tolist() == [0, -1.959963984540054, 3]
    assert table["p_value"].tolist() == pytest.approx([1, 0.05, 0.0026997960632602])
