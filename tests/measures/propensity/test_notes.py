"""What is noted of a logistic fit that did not go as it should."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sdcmetrics.measures.propensity.models import CartPropensity, LogitPropensity

TRUE, FALSE = True, False


@pytest.mark.parametrize(
    ("complete", "separated", "converged", "unstable", "begins"),
    [
        (FALSE, [], TRUE, FALSE, []),
        (TRUE, [0, 1, 2], TRUE, TRUE, ["complete separation"]),
        (FALSE, [1], TRUE, FALSE, ["separation: 3 records (30 %) are told right"]),
        (FALSE, [], FALSE, FALSE, ["no convergence after 7 iterations"]),
        (FALSE, [], FALSE, TRUE, ["no convergence after 7 iterations"]),
        (FALSE, [], TRUE, TRUE, ["some steps were shortened"]),
        (FALSE, [0], FALSE, TRUE, ["separation: 2 records (20 %)", "no convergence"]),
    ],
)
@pytest.mark.parametrize(("k_syn", "df"), [(False, 3), (True, 4)])
def test_notes_of_a_fit(
    complete: bool, separated: list[int], converged: bool, unstable: bool, begins: list[str],
    k_syn: bool, df: int,
) -> None:  # fmt: skip
    model: Any = object.__new__(LogitPropensity)
    told = np.zeros(3, dtype=bool)
    told[separated] = True
    model.__dict__ |= {
        "k_syn": k_syn, "_n": np.array([2, 3, 5]), "_synthetic": np.array([1, 3, 0]),
        "_model": SimpleNamespace(rank=4),
        "_matrix": SimpleNamespace(columns=np.zeros((3, 6)), empty=2),
        "_fit": SimpleNamespace(
            complete=complete, separated=told, converged=converged, unstable=unstable,
            iterations=7, score=np.array([0.1, 0.5, 0.9]),
        ),
    }  # fmt: skip
    outcome = model.observed()
    assert [note[: len(begin)] for note, begin in zip(outcome.notes, begins, strict=True)] == begins
    assert outcome.separated == int(np.array([2, 3, 5])[separated].sum())
    assert (outcome.parameters, outcome.converged, outcome.aliased) == (4, converged, 4)
    records = outcome.records
    assert records.df == df
    assert records.original.tolist() == [1, 0, 5]
    assert records.synthetic.tolist() == [1, 3, 0]


def test_splits_of_a_tree_are_counted_by_the_column_that_they_are_of() -> None:
    tree = SimpleNamespace(
        position=np.array([0, 1, 2, -1, 0, -1, -1, -1, -1]),
        decrease=np.array([4.0, 2.0, 1.0, 0.0, 3.0, 0.0, 0.0, 0.0, 0.0]),
    )
    predictors = [SimpleNamespace(column=name) for name in ("age", "sex", "age", "job")]
    fit: Any = SimpleNamespace(tree=tree, stacked=SimpleNamespace(predictors=predictors))
    frame = CartPropensity.by_variable(fit)
    assert frame.index.tolist() == ["age", "sex", "job"]
    assert frame["splits"].tolist() == [3, 1, 0]
    assert frame["decrease"].tolist() == [8.0, 2.0, 0.0]
    assert frame["share"].tolist() == [0.8, 0.2, 0.0]
    tree.position, tree.decrease = np.array([-1]), np.array([0.0])  # a leaf alone
    assert CartPropensity.by_variable(fit)["share"].tolist() == [0.0] * 3
