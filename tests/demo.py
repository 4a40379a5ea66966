"""The demo's data as other programs measured them, and what they answered.

The people are those of the demo (anes96 of statsmodels, public domain), but every third is held
out; three replicas of the others are in ``reference/demo``.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from sdcmetrics.study.demo.data import _load_everybody

FOLDER = Path(__file__).parent / "reference" / "demo"


@cache
def demo(name: str = "original") -> pd.DataFrame:
    """Return original, holdout or a replica: whole numbers and texts, as read from a CSV."""
    everybody = _load_everybody()
    if name == "holdout":
        return _as_read(everybody[2::3])
    if name == "original":
        return _as_read(everybody.drop(everybody.index[2::3]))
    codes = pd.read_csv(FOLDER / "replicas.csv", comment="#")
    codes = codes[codes["replica"] == name]
    columns = {}
    for column, values in everybody.items():
        labels = values.cat.categories if hasattr(values, "cat") else None
        columns[column] = codes[column] if labels is None else labels[codes[column]].to_numpy()
    return _as_read(pd.DataFrame(columns, index=codes.index))


def _as_read(frame: pd.DataFrame) -> pd.DataFrame:
    numbers = {name: column for name, column in frame.items() if not hasattr(column, "cat")}
    return frame.astype(str).assign(**numbers).reset_index(drop=True)


@cache
def answers(name: str) -> Any:
    """Return what was recorded of one subject; the file says by which program and with what."""
    return json.loads((FOLDER / f"{name}.json").read_text("utf-8"))["answers"]
