"""Every public function, every argument, wrong values: an answer or an SdcMetricsError only."""

from __future__ import annotations

import datetime as dt
import inspect
import os
import re
import warnings
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics import report
from sdcmetrics.errors import SdcMetricsError
from sdcmetrics.measures.survey.design import DesignColumns

N = 24


def records(seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "x": rng.integers(1, 5, N) / 2,
            "y": rng.choice(["a", "b"], N),
            "z": rng.integers(0, 9, N),
            "g": rng.choice(["u", "v"], N),
            "w": rng.integers(1, 4, N) + 0.5,
        }
    )
    return frame.assign(h=np.arange(N) // 2)


ORIGINAL, SYNTHETIC, HOLDOUT = records(1), records(2), records(3)


@cache
def review() -> sdc.Review:
    return sdc.conduct(study())


@cache
def study() -> sdc.Study:
    columns = ["x", "y", "g"]
    frames = (ORIGINAL[columns], SYNTHETIC[columns], HOLDOUT[columns])
    return sdc.Study(frames[0], {"a": frames[1]}, keys=["g"], targets=["y"], holdout=frames[2])


def generate(training: pd.DataFrame, seed: int) -> pd.DataFrame:
    return training.sample(len(training), replace=True, random_state=seed)


GIVEN: dict[str, Callable[[], Any]] = {
    "original": lambda: ORIGINAL,
    "frame": lambda: ORIGINAL,
    "training": lambda: ORIGINAL,
    "data": lambda: ORIGINAL,
    "synthetic": lambda: SYNTHETIC,
    "holdout": lambda: HOLDOUT,
    "replicas": lambda: {"a": SYNTHETIC},
    "keys": lambda: ["g"],
    "other_keys": lambda: ["y"],
    "target": lambda: "y",
    "targets": lambda: ["y"],
    "formula": lambda: "x ~ z",
    "models": lambda: ["x ~ z"],
    "rules": lambda: "x > 0",
    "weight": lambda: "w",
    "weights": lambda: {"TVD": 1.0},
    "share": lambda: 0.5,
    "limits": lambda: {"z": 3.0},
    "by": lambda: ["g"],
    "groups": lambda: ["g"],
    "generate": lambda: generate,
    "symbol": lambda: "TVD",
    "study": study,
    "review": review,
    "reviews": review,
    "result": review,
    "risk": lambda: np.full(N, 0.1),
    "profile": sdc.load_profile,
    "findings": lambda: sdc.judge(review(), sdc.load_profile()),
    "n_training": lambda: 100,
    "n_holdout": lambda: 100,
    "n_original": lambda: 100,
    "name": lambda: "default",
    "path": lambda: "no such file.csv",
    "folder": lambda: "no such folder",
    "old": lambda: "no such folder",
    "new": lambda: "no such folder",
    "variables": lambda: ["x"],
    "sensitive": lambda: "y",
    "columns": lambda: ["x"],
    "text": lambda: "x > 0",
}
FEW = ("permutations", "draws", "rounds", "nperms", "replicates", "n_jobs", "attempts", "repeats")
BY_NAME: dict[str, dict[str, Any]] = {
    "smooth": {"variables": "z"},
    "utility_tab": {"variables": ["x"]},
    "mean_ci_overlap": {"variables": ["x"]},
    "metric": {"name": "own", "dimension": "utility", "quantities": []},
    "explain": {"symbol": "TVD"},
    "Rule": {"name": "own"},
    "Scenario": {"name": "own", "keys": ("g",), "targets": ("y",)},
    "audit_generator": {"rounds": 2},
    "crosscheck": {"timeout": 1.0},
    "daisynt": {"tests": ["D_cloned"]},
}
SLOW = {
    "attribute_inference",
    "audit_generator",
    "compare_replicas",
    "conduct",
    "crosscheck",
    "daisynt",
    "linkability",
    "prediction",
    "record_linkage",
    "remedies",
    "syntheval",
    "weighted_fidelity",
    "write_all",
    "write_csv",
    "write_html",
    "write_json",
    "write_pdf",
    "write_xlsx",
}
"""Of these a few of the values are tried, of others a third; all with SDCMETRICS_ARGUMENTS=1."""


class Odd:
    """No kind of value that anybody expects."""


LONG = "n" * 100_000
WRONG: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    2.5,
    float("nan"),
    float("inf"),
    10**400,
    10**30,
    "",
    "no such",
    LONG,
    "\0",
    "a\nb",
    "\ud800",
    b"x",
    [],
    [None],
    ["no such"],
    [LONG],
    [1],
    [[]],
    [["x", "y"]],
    {},
    {1: 2},
    {"x": 1},
    {"x": "y"},
    {"x": None},
    {"no such": 1},
    {LONG: 1},
    {"x": [1, 2.5]},
    set(),
    {"x"},
    (),
    Odd(),
    [Odd()],
    {"x": Odd()},
    pd.DataFrame,
    Odd,
    ORIGINAL,
    ORIGINAL.iloc[:0],
    [ORIGINAL, 3],
    np.int64(3),
    np.float64("nan"),
    np.bool_(True),
    np.str_("x"),
    np.array(3),
    np.array("x"),
    np.array([]),
    np.array(["x", "y"]),
    np.array([[1.0, 2.0]]),
    np.datetime64("2020-01-01"),
    pd.NA,
    pd.NaT,
    pd.Index(["x"]),
    pd.Series([1.0, None]),
    dt.date(2020, 1, 1),
    Decimal("1.5"),
    Fraction(1, 3),
    1j,
    range(3),
    Path("no such"),
    lambda *_: 5,
)


def functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    for module, names in ((sdc, sdc._NAMES), (report, report.__all__)):
        for name in names:
            public = getattr(module, name)
            is_class = name in ("Study", "Rule", "Scenario")
            if is_class or (callable(public) and not inspect.isclass(public)):
                yield name, public


FUNCTIONS = dict(functions())


def needed(name: str, function: Callable[..., Any]) -> dict[str, Any]:
    """Return the least that a call needs, in as short a time as possible."""
    out: dict[str, Any] = {}
    for option, parameter in inspect.signature(function).parameters.items():
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            continue
        if option in FEW:
            out[option] = 1
        elif parameter.default is parameter.empty:
            out[option] = GIVEN[option]() if option in GIVEN else None
    return out | BY_NAME.get(name, {})


def options(function: Callable[..., Any]) -> Iterator[str]:
    for option, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is not parameter.VAR_POSITIONAL:
            of_design = option == "columns" and parameter.kind is parameter.VAR_KEYWORD
            shared = DesignColumns.__annotations__ if of_design else ["mode"]
            yield from shared if parameter.kind is parameter.VAR_KEYWORD else [option]


def complaint(function: Callable[..., Any], given: dict[str, Any]) -> str:
    """Return what is wrong with the way in which a function ends; nothing if it is well."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            function(**given)
    except SdcMetricsError as error:
        text = str(error)
        if re.search(r"0x[0-9a-f]{6}", text):
            return f"an address: {text[:200]}"
        if len(text) > 3000 or LONG[:500] in text:
            return f"{len(text)} letters: {text[:100]}"
        return ""
    except Exception as error:  # noqa: BLE001  (what it must not be)
        return f"{type(error).__name__}: {str(error)[:150]}"
    return ""


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_a_wrong_argument_is_an_answer_or_a_sentence(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    function = FUNCTIONS[name]
    base = needed(name, function)
    step = 1 if "SDCMETRICS_ARGUMENTS" in os.environ else 25 if name in SLOW else 3
    complaints = [
        f"{name}({option}={type(value).__name__} {str(value)[:30]!r}): {found}"
        for i, option in enumerate(options(function))
        for value in WRONG[(i + len(name)) % min(step, 3) :: step]  # another third of each
        if (found := complaint(function, base | {option: value}))
    ]
    assert complaints == []
