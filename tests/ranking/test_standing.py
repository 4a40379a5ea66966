"""Places of replicas that were drawn again, and what is asked of a study, by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sdcmetrics.ranking import compare_replicas as subject
from sdcmetrics.ranking.result import Ranking
from sdcmetrics.ranking.standing import Standing


def test_an_order_is_sure_where_19_of_20_draws_have_it() -> None:
    places = {"a": 1.0, "b": 2.0, "c": 3.0}
    points = np.column_stack([np.ones(20), np.zeros(20), np.full(20, 2.0)])
    points[0, 0] = 0.0  # level in one draw
    standing = Standing(places, ("b",), points)
    assert standing.sure("a", "b") is True
    assert standing.sure("b", "a") is False
    assert standing.sure("b", "c") is False
    assert standing.sure("a", "c") is None  # neither was drawn again
    points[1, 0] = -1.0
    assert standing.sure("a", "b") is False


def test_syntheses_of_replicas_that_have_several_are_drawn_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tables = np.zeros((3, 2, 1))
    given: list[Any] = []

    def between(*_: Any, **options: Any) -> Any:
        given.append(options)
        return tables if len(given) == 1 else None

    monkeypatch.setattr(subject, "between_syntheses", between)
    replicas = {"one": [1], "two": [1, 2], "three": [1, 2, 3]}
    review: Any = SimpleNamespace(study=SimpleNamespace(replicas=replicas))
    values: Any = SimpleNamespace(replicas=tuple(replicas))
    options: Any = SimpleNamespace(replicates=0, seed=4)
    drawn = subject._draw(review, values, options, None)
    assert drawn is not None
    assert drawn[:2] == ("syntheses", ("two", "three"))
    assert drawn[2] is tables
    assert given == [{"times": subject.TIMES, "seed": 4}]
    assert subject._draw(review, values, options, None) is None
    monkeypatch.setattr(subject, "leave_records_out", lambda *_, **options: options)
    options.replicates = 7
    drawn = subject._draw(review, values, options, None)
    assert drawn == ("records", tuple(replicas), {"times": 7, "seed": 4, "progress": None})


def test_weights_are_the_callers_else_the_studys() -> None:
    ranking = SimpleNamespace(weights={"general": 1.0}, metrics={"general": ["ROC"]})
    study: Any = SimpleNamespace(ranking=ranking, models=[])
    assert subject.wanted_weights(study).flat() == {"ROC": 1.0}
    assert subject.wanted_weights(study, {"DiSCO": 1.0}).flat() == {"DiSCO": 1.0}


def test_protection_is_at_most_what_is_not_handed_out() -> None:
    ranking: Any = SimpleNamespace(
        replicas=("a", "b", "c"), handed_out={"a": 0.25, "c": 1.0}, table=None, weights=None
    )
    scale: Any = None
    assert Ranking._map(ranking, scale).caps.tolist() == [0.75, 1.0, 0.0]


def test_one_replica_is_first_whatever_the_weights() -> None:
    alone: Any = SimpleNamespace(
        replicas=("a",), options=SimpleNamespace(draws=8, seed=1),
        weights=SimpleNamespace(vector=lambda: np.array([0.5, 0.5])), points=np.array([[1.0, 0.0]]),
        values=SimpleNamespace(index=["a"]),
    )  # fmt: skip
    shares = Ranking.acceptability.func(alone)  # type: ignore[attr-defined]
    assert shares.to_numpy().tolist() == [[1.0]]
    assert shares.columns.tolist() == [1]
