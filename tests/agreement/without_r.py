"""A session that has a version and no R, and data that are harmonised."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pandas as pd

from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.microdata.schema import Harmonised, harmonise
from sdcmetrics.rbridge.session import Patience
from tests.agreement.test_crosscheck import mixed


def patience(version: str = "1.9.3") -> Patience:
    """Return the patience with a session that nobody may ask."""
    session: Any = SimpleNamespace(versions={"synthpop": version}, forget=lambda _: None)
    return Patience(session)


def harmonised(original: pd.DataFrame, *syntheses: pd.DataFrame, **said: Any) -> Harmonised:
    """Return an original and its syntheses with the same columns and levels."""
    frames = [as_microdata(frame, "data") for frame in (original, *syntheses)]
    return harmonise(frames[0], frames[1:], **said)


def mixed_twice() -> Harmonised:
    """Return data of every kind with two syntheses of unequal size."""
    return harmonised(mixed(), mixed(seed=2), mixed(n=90, seed=3))
