"""Reviews of some measures: a test of one of them need not wait for all."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from sdcmetrics import MEASURES
from sdcmetrics.measures.registry import kinds

OF_A_RANKING = ("ROC", "S_pMSE", "repU", "DiSCO", "DCAP")
"""What the metrics of a ranking are made of, unless others are asked for."""


@contextmanager
def only(*names: str) -> Iterator[None]:
    """Let a review measure the kinds of these measures or of these names, and no others."""
    wanted = {MEASURES[name].of.name if name in MEASURES else name for name in names}
    chosen = tuple(kind for kind in kinds() if kind.name in wanted)
    assert {kind.name for kind in chosen} == wanted
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(importlib.import_module("sdcmetrics.review.conduct"), "kinds", lambda: chosen)
        yield
