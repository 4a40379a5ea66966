"""What syntheval 1.7.3 answered, and the data that it was asked of."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.microdata.schema import harmonise
from sdcmetrics.suites.trio import Trio
from tests.recorded import OWN, SHARED

FOLDER = OWN / "syntheval"
HEPATITIS = SHARED.parents[1] / "data" / "hepatitis"
SETS = ("hepatitis", "anes") if HEPATITIS.is_dir() else ("anes",)


@cache
def expected(which: str) -> dict[str, Any]:
    there = SHARED.parent / "syntheval" / "expected_hepatitis.json"
    file = FOLDER / "anes.json" if which == "anes" else there
    answers: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return answers


@cache
def frame(path: Path) -> pd.DataFrame:
    return pd.read_csv(path)


def real(which: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Training data and holdout."""
    if which == "anes":
        return frame(FOLDER / "train.csv"), frame(FOLDER / "holdout.csv")
    return frame(HEPATITIS / "hepatitis_train.csv"), frame(HEPATITIS / "hepatitis_test.csv")


def replica(which: str, name: str) -> pd.DataFrame:
    return frame((FOLDER if which == "anes" else HEPATITIS) / f"{name}.csv")


def trio(
    original: pd.DataFrame,
    synthetic: pd.DataFrame,
    holdout: pd.DataFrame | None = None,
    **said: Any,
) -> Trio:
    parts = {"original": original, "synthetic": synthetic, "holdout": holdout}
    frames = [as_microdata(item, name) for name, item in parts.items() if item is not None]
    return Trio(frames, harmonise(frames[0], frames[1:]), **said)


@cache
def of_replica(
    which: str,
    name: str,
    *,
    holdout: bool = True,
    target: str | None = None,
    sensitive: str | None = None,
) -> Trio:
    training, test = real(which)
    return trio(
        training,
        replica(which, name),
        test if holdout else None,
        categorical=expected(which)["meta"]["categorical"],
        target=[target] if target else (),
        sensitive=[sensitive] if sensitive else (),
    )
