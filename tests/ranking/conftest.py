"""References of a study are measured once: they follow from no strategy and no weights."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

import pytest

from sdcmetrics.review.review import Review
from sdcmetrics.study.study import Study


@pytest.fixture(scope="package", autouse=True)
def _no_reference_is_measured_twice() -> Iterator[None]:
    module = importlib.import_module("sdcmetrics.ranking.compare_replicas")
    measure: Any = module.conduct_references
    measured: dict[tuple[int, str], tuple[Study, Review]] = {}

    def once(study: Study, *, progress: Any = None, cache: Any = None, **options: Any) -> Review:
        of = sorted(kind.name for kind in options.get("kinds") or ())
        key = id(study), repr(sorted({**options, "kinds": of}.items()))
        if key not in measured:  # with the study, so that no other has its id
            measured[key] = study, measure(study, progress=progress, cache=cache, **options)
        return measured[key][1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "conduct_references", once)
        yield
