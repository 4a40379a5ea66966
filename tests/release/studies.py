"""A small study as files: two replicas, an original of any records, perhaps a holdout."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.release.answers import read_public
from sdcmetrics.release.people import Records, of_frame, records_of
from sdcmetrics.release.public import Public
from sdcmetrics.release.sums import Confidential

COLUMNS = ["age", "sex", "region", "seen"]
DATE = dt.date(2026, 11, 23)
STUDY = """
[study]
title = "Towns"

[data]
original = "original.csv"
{holdout}
[data.replicas]
cart = "cart.csv"
other = ["other_1.csv", "other_2.csv"]

[[scenario]]
name = "neighbour"
keys = ["age", "sex"]
targets = ["region", "seen"]

{more}
"""


def people(n: int, seed: int) -> pd.DataFrame:
    """Draw people: an age, a code, a rare level in words, and a day or nothing."""
    rng = np.random.default_rng(seed)
    days = np.array(["2020-01-01", "2020-02-01", "2020-06-05", ""])
    return pd.DataFrame(
        {
            "age": rng.integers(18, 30, n),
            "sex": rng.choice(["1", "2"], n),
            "region": rng.choice(["north", "south", "isles"], n, p=[0.6, 0.35, 0.05]),
            "seen": rng.choice(days, n),
        }
    )


def write_study(
    folder: Path,
    original: pd.DataFrame,
    holdout: pd.DataFrame | None = None,
    more: str = "",
    size: int = 120,
) -> Path:
    """Write a study with its files; return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, seed in (("cart", 1), ("other_1", 2), ("other_2", 3)):
        people(size, seed).to_csv(folder / f"{name}.csv", index=False)
    original.to_csv(folder / "original.csv", index=False)
    entry = ""
    if holdout is not None:
        holdout.to_csv(folder / "holdout.csv", index=False)
        entry = 'holdout = "holdout.csv"\n'
    file = folder / "study.toml"
    file.write_text(STUDY.format(holdout=entry, more=more))
    return file


def public_of(file: Path) -> Public:
    """Return what is public of a study, on a fixed day."""
    return read_public(file, date=DATE)


def records(frame: pd.DataFrame) -> Records:
    """Return a frame entry by entry, an empty text being missing; it may have no record."""
    if not len(frame):
        return of_frame(frame, "original")
    return records_of(as_microdata(frame.astype(object).map(str), "original"))


def confidential(original: pd.DataFrame, holdout: pd.DataFrame | None = None) -> Confidential:
    """Return people as what sums are computed from."""
    return Confidential(records(original), None if holdout is None else records(holdout))


def with_row(frame: pd.DataFrame, row: dict[str, Any]) -> pd.DataFrame:
    """Return a frame with one record more."""
    return pd.concat([frame, pd.DataFrame([row])], ignore_index=True)
