"""The study that ``sdcmetrics demo`` conducts."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from sdcmetrics.study.demo.data import load_holdout, load_original, load_replicas
from sdcmetrics.study.file import parse
from sdcmetrics.study.reading import study_of
from sdcmetrics.study.study import Study
from sdcmetrics.study.written import refuse_stranger, write_result

if TYPE_CHECKING:
    import pandas as pd

_FILE = Path(__file__).with_name("study.toml")


def study() -> Study:
    """Return the study of the demo: four replicas of a survey, two intruders.

    Examples
    --------
    >>> [scenario.name for scenario in study().scenarios]
    ['friend', 'colleague']
    """
    spec = parse(tomllib.loads(_FILE.read_text(encoding="utf-8")), _FILE.name)
    return study_of(spec, _FILE, _frames().__getitem__, "sdcmetrics demo")


def refuse_changed(folder: Path) -> None:
    """Raise FileError if a file in the folder is not as `write_study` wrote it."""
    for name in (*_frames(), _FILE.name):
        refuse_stranger(folder / name, force=False, remedy="say --force")


def write_study(folder: Path) -> Path:
    """Write the demo's study file and its data, to be changed and run; return the file's path."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, frame in _frames().items():
        write_result(folder / name, frame.to_parquet(index=False), force=True)
    return write_result(folder / _FILE.name, _FILE.read_bytes(), force=True)


@cache
def _frames() -> dict[str, pd.DataFrame]:
    """Return the data sets by the names that the study file gives them."""
    named = {"original": load_original(), "holdout": load_holdout()}
    for name, syntheses in load_replicas().items():
        named |= {
            f"{name}_{i}" if syntheses[1:] else name: frame for i, frame in enumerate(syntheses, 1)
        }
    return {f"{name}.parquet": frame for name, frame in named.items()}
