"""Published models that are small."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sdcmetrics.suites.syntheval import published


@pytest.fixture
def few_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let published models be small: odd data fail, or not, at the first tree."""
    boosting = replace(published._BOOSTING, options=(("max_iter", 3),))
    monkeypatch.setattr(published, "_BOOSTING", boosting)
    forest = published._forest
    monkeypatch.setattr(published, "_forest", lambda _, **more: forest(3, **more))
    for learners in (published._CLASSIFIERS, published._CURVES, published._WEIGHERS):
        for name, learner in learners.items():
            if any(option == "n_estimators" for option, _ in learner.options):
                options = tuple((o, 3 if o == "n_estimators" else v) for o, v in learner.options)
                monkeypatch.setitem(learners, name, replace(learner, options=options))
