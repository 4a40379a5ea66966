"""The cross-check of models without R: who is asked, for which data, and what is explained."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.agreement import models
from sdcmetrics.agreement.verdict import EQUAL
from sdcmetrics.errors import NotComputable, RError
from sdcmetrics.measures.kind import Model
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.frames import as_microdata
from tests.agreement.test_crosscheck import mixed
from tests.agreement.without_r import harmonised, patience

Put = pytest.MonkeyPatch
STOPPED = RError("it stopped")


def answer(overlap: float, apart: float, lack: float) -> dict[str, float]:
    return {"ci.overlap": overlap, "Std. coef diff": apart, models._LACK: lack}


OURS = {"CIO": 0.5, "std_diff": 1.0, "lack_of_fit": 2.0}
SAME = answer(0.5, 1.0, 2.0)


def compared(
    monkeypatch: Put, answers: list[Any], *, family: str = "gaussian", ours: Any = OURS
) -> tuple[dict[str, Any], list[Any]]:
    """Return the rows by measure, and the data that were asked about."""
    asked: list[Any] = []

    def ask(data: Any, *_: Any) -> Any:
        asked.append(data)
        return answers[len(asked) - 1]

    monkeypatch.setattr(models, "_ask", ask)
    monkeypatch.setattr(models, "_native", lambda _: dict(ours))
    monkeypatch.setattr(models, "harmonised_overlap", lambda *_, **__: None)
    first = as_microdata(mixed(), "original"), as_microdata(mixed(seed=2), "made")
    model = Model("income ~ area + flag", family)
    codes = {"income": [0.0]}
    (result,) = models.compare_models(first[0], [first[1]], [model], codes, patience())
    assert (result.function, result.place["target"]) == ("compare(fit)", "income")
    assert result.place["model"] == model.name
    return {row["metric"]: row for row in result.rows("1.9-3")}, asked


def verdicts(rows: dict[str, Any]) -> list[str]:
    return [rows[name]["verdict"] for name in OURS]


def test_equal_answers_are_asked_for_once(monkeypatch: Put) -> None:
    rows, asked = compared(monkeypatch, [(SAME, "")])
    assert verdicts(rows) == [EQUAL] * 3
    (data,) = asked
    assert not data.variables["income"].missing_codes
    assert data.fixes == ()


def test_a_lack_of_fit_is_asked_again_in_other_units(monkeypatch: Put) -> None:
    off = answer(0.5, 1.0, 2.5)
    for answers in ([SAME], [off, SAME], [STOPPED, answer(0.5, 1.0, 2.0 * (1 + 9e-6))]):
        rows, asked = compared(monkeypatch, [(off, ""), *((item, "") for item in answers)])
        assert verdicts(rows) == [EQUAL, EQUAL, "differs as documented: B28"]
        assert len(asked) == 1 + len(answers)
        assert [data.fixes for data in asked] == [()] * len(asked)
    beside = answer(0.5, 1.0, 2.0 * (1 + 2e-5))
    for answers in ([off, off], [off, beside], [off, STOPPED], [STOPPED, STOPPED]):
        rows, _ = compared(monkeypatch, [(off, ""), *((item, "") for item in answers)])
        assert verdicts(rows) == [EQUAL, EQUAL, "DIFFERS"]
    near = answer(0.5, 1.0, 2.0 * (1 + 5e-9))
    assert len(compared(monkeypatch, [(near, "")])[1]) == 1
    rows, asked = compared(monkeypatch, [(STOPPED, "")])
    assert verdicts(rows) == ["not compared: it stopped"] * 3
    assert len(asked) == 1


def test_what_the_fits_show_explains_any_difference(monkeypatch: Put) -> None:
    rows, _ = compared(monkeypatch, [(answer(0.7, 9.0, 2.0), "B9")])
    assert verdicts(rows) == ["differs as documented: B9"] * 2 + [EQUAL]


@pytest.mark.parametrize("family", ["multinomial", "ordered"])
@pytest.mark.parametrize("lack", [0.5, 3.0, math.nan])
def test_an_optimiser_explains_a_hundredth_of_a_standard_error(
    monkeypatch: Put, family: str, lack: float
) -> None:
    ours = OURS | {"lack_of_fit": lack}
    most = 0.02 * max(1.0, 0.0 if math.isnan(lack) else lack)
    for share, verdict in ((0.99, "differs as documented: optimiser"), (1.01, "DIFFERS")):
        off = answer(0.5 + 0.01 * share, 1.0 - 0.01 * share, lack + most * share)
        answers = [(off, "")] * 2
        rows, asked = compared(monkeypatch, answers, family=family, ours=ours)
        assert len(asked) == 1 + (share > 1)
        assert verdicts(rows)[:2] == [verdict] * 2
        assert verdicts(rows)[2] == (EQUAL if math.isnan(lack) else verdict)
    rows, _ = compared(monkeypatch, [(answer(0.505, 1.0, 2.0), "")])
    assert verdicts(rows)[0] == "DIFFERS"  # of other families none is allowed


def test_an_optimiser_is_asked_again_in_units_near_1(monkeypatch: Put) -> None:
    far, near = answer(-9.0, 8e6, 2.0), answer(0.505, 1.005, 2.02)
    rows, asked = compared(monkeypatch, [(far, ""), (near, "")], family="ordered")
    assert verdicts(rows) == ["differs as documented: optimiser"] * 2 + [EQUAL]
    assert len(asked) == 2
    for again in (answer(0.52, 1.0, 2.0), STOPPED):
        rows, _ = compared(monkeypatch, [(far, ""), (again, "")], family="ordered")
        assert verdicts(rows) == ["DIFFERS"] * 2 + [EQUAL]
    assert len(compared(monkeypatch, [(STOPPED, "")], family="ordered")[1]) == 1


def test_what_cannot_be_fitted_here_is_not_asked_for(monkeypatch: Put) -> None:
    def refuse(*_: Any, **__: Any) -> Any:
        msg = "no record is left"
        raise NotComputable(msg)

    monkeypatch.setattr(models, "harmonised_overlap", refuse)
    monkeypatch.setattr(models, "_ask", lambda *_: pytest.fail("there is nothing to ask"))
    pair = as_microdata(mixed(), "original"), [as_microdata(mixed(seed=2), "made")]
    given = [Model("income ~ area"), Model("flag ~ area", "binomial")]
    result = list(models.compare_models(*pair, given, None, patience()))
    assert [item.native for item in result] == ["no record is left"] * 2
    assert [item.place["target"] for item in result] == ["income", "flag"]


@pytest.mark.parametrize(
    ("formula", "family", "asked"),
    [
        ("income ~ area", "gaussian", "lm"),
        ("flag ~ area", "binomial", "glm binomial"),
        ("income ~ area", "poisson", "glm poisson"),
        ("target ~ income", "multinomial", "multinom"),
        ("flag ~ income", "multinomial", ""),
        ("flag ~ income", "ordered", "polr"),
        ("income ~ area", "gamma", ""),
    ],
)
def test_each_family_has_its_function(
    monkeypatch: Put, formula: str, family: str, asked: str
) -> None:
    calls: list[Any] = []

    def fit(name: str) -> Any:
        def call(synds: Any, given: str, **said: str) -> Any:
            calls.append((" ".join([name, *said.values()]), given, synds.session))
            raise STOPPED

        return call

    monkeypatch.setattr(models, "lm_fit", fit("lm"))
    monkeypatch.setattr(models, "glm_fit", fit("glm"))
    made = {"multinomial": fit("multinom"), "ordered": fit("polr")}
    monkeypatch.setattr(models, "_CATEGORICAL", made)
    session = patience()
    data = harmonised(mixed(), mixed(seed=2))
    given: Any = Model(formula, family)
    theirs, why = models._ask(data, given, session, None)  # type: ignore[arg-type]
    assert why == ""
    assert isinstance(theirs, RError)
    if asked:
        assert calls == [(asked, formula, session.session)]
        assert theirs is STOPPED
    else:
        assert calls == []
        words = "two levels" if family == "multinomial" else "the family gamma"
        assert words in theirs.reason
        assert theirs.defects == (("binary",) if family == "multinomial" else ("family",))


def test_an_answer_comes_with_what_the_fits_show(monkeypatch: Put) -> None:
    summary = {"mean.ci.overlap": 0.5, "mean.abs.std.diff": 1.0, "lack.of.fit": 8.0, "ncoef": 4}
    theirs = SimpleNamespace(summary=summary, defects=())
    monkeypatch.setattr(models, "lm_fit", lambda *_: theirs)
    data = harmonised(mixed(), mixed(seed=2))
    for used, flags, why in (
        ([True, True], ["", ""], ""),
        ([True, False], ["", ""], "B9: coefficients without a finite"),
        ([True, True], ["", "not there in the synthetic data"], "B9: a synthesis lacks a level"),
    ):
        table = pd.DataFrame({"compared": used, "flag": flags})
        fit: Any = SimpleNamespace(coefficients=table)
        result, said = models._ask(data, Model("income ~ area"), patience(), fit)
        assert result == SAME
        assert said.startswith(why)
        assert bool(said) == bool(why)
        assert models._why(fit, SimpleNamespace(defects=("B9", "B19"))) == "B9"  # type: ignore[arg-type]


def test_native_values_are_those_of_the_means() -> None:
    fit: Any = SimpleNamespace(mean_overlap=0.5, mean_abs_std_diff=1.0, lack_of_fit=None)
    assert math.isnan(models._native(fit)["lack_of_fit"])
    fit.lack_of_fit = SimpleNamespace(ratio=2.0)
    assert models._native(fit) == OURS


def test_only_two_levels_are_binary() -> None:
    frame = mixed().assign(one="a")
    data = harmonised(frame, frame)
    result = {
        name: models._is_binary(data, Model(f" {name} ~ area", "multinomial"))
        for name in ("flag", "area", "one", "absent")
    }
    assert result == {"flag": True, "area": False, "one": False, "absent": False}


def test_missing_codes_become_missing() -> None:
    data = harmonised(mixed(), mixed(seed=2), missing_codes={"income": [mixed()["income"][0]]})
    variable = data.variables["income"]
    coded = models._codes_missing(variable)
    assert coded.missing_codes == ()
    for part, known in zip(variable.values, coded.values, strict=True):
        is_code = np.isin(part, variable.missing_codes)
        assert np.array_equal(known, np.where(is_code, np.nan, part), equal_nan=True)
    assert is_code.any() or np.isnan(coded.values[0]).any()


def test_numbers_are_scaled_to_about_one_by_a_power_of_two() -> None:
    first = mixed().assign(none=0.0, small=0.001, y=7.0, empty=np.nan)
    other = first.assign(income=mixed(seed=2)["income"] * -3)
    first.loc[3, "income"] = np.nan
    data = harmonised(first, other)
    scaled = models._rescaled(data, "y", centred=False)
    assert scaled.sizes == data.sizes
    for name in ("income", "hours-per-week", "small", "day"):
        before, after = (np.concatenate(item.variables[name].values) for item in (data, scaled))
        unit = np.unique((after / before)[~np.isnan(before)])
        assert len(unit) == 1
        assert math.log2(unit[0]) == round(math.log2(unit[0]))
        assert 2**-0.5 <= np.nanmax(np.abs(after)) <= 2**0.5
    for name in ("none", "y", "area", "flag"):
        before, after = (item.variables[name] for item in (data, scaled))
        assert after is before or np.array_equal(after.values, before.values)


def test_numbers_and_dates_may_start_at_their_middle_value() -> None:
    data = harmonised(mixed().assign(same=7.0), mixed(seed=2).assign(same=7.0))
    centred = models._rescaled(data, "income", centred=True)
    assert centred.variables["income"] is data.variables["income"]
    for name in ("hours-per-week", "day", "same"):
        before, after = (np.concatenate(item.variables[name].values) for item in (data, centred))
        middle = np.sort(before)[len(before) // 2]
        assert (after[before == middle] == 0).all()
        assert np.abs(after).max() <= 2**0.5
        assert np.array_equal(np.argsort(before, kind="stable"), np.argsort(after, kind="stable"))
        assert centred.variables[name].kind is Kind.NUMBER
