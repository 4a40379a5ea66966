"""What the p of each test and of the holdout lead to, at each bound by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from sdcmetrics.measures.people.columns import comparable, files_of
from sdcmetrics.measures.people.searches import Searches
from sdcmetrics.measures.people.testing import PeopleTests
from tests.measures.people.drawn import people_of, records

LEVELS = {"LE": 0.001, "TE": 0.004, "LN": 0.002, "TN": 0.003}


def given_results(settled: frozenset[str] = frozenset(), **values: Any) -> PeopleTests:
    """Return tests with some results as given."""
    prepared: Any = None
    tests = PeopleTests(prepared, LEVELS, np.random.default_rng(1), settled)
    vars(tests).update(values)
    return tests


@pytest.mark.parametrize("test", list(LEVELS))
def test_a_p_as_large_as_its_level_is_significant(test: str) -> None:
    at = {name: level if name == test else 1.0 for name, level in LEVELS.items()}
    assert given_results(p=at).below == {test}
    assert given_results(p={**at, test: math.nextafter(LEVELS[test], 1)}).below == set()


@pytest.mark.parametrize(
    ("p", "void", "undecided"),
    [
        (0.01, False, False),  # the holdout confirms
        (math.nextafter(0.01, 1), True, True),
        (0.1, True, True),
        (math.nextafter(0.1, 1), True, False),  # it contradicts
    ],
)
@pytest.mark.parametrize("test", ["TE", "TN"])
def test_a_holdout_confirms_contradicts_or_does_neither(
    test: str, p: float, void: bool, undecided: bool
) -> None:
    against = {"TE": (True, 0.0), "TN": (True, 0.0), test: (True, p)}
    tests = given_results(below={"LE", "LN", "TE", "TN"}, against=against)
    assert tests.void == ({test} if void else set())
    assert tests.undecided is undecided
    assert tests.alarms == {"LE", "LN", "TE", "TN"} - tests.void
    # without power it says nothing, and of what is not significant nothing is asked
    against[test] = (False, p)
    assert given_results(below={test}, against=against).void == set()
    against[test] = (True, p)
    assert given_results(below={"LE"}, against=against).void == set()


def test_what_is_settled_needs_no_near_labels_and_no_controls() -> None:
    below = {"LE", "TE", "LN"}
    against = {"TE": (False, 1.0), "TN": (False, 1.0)}
    tests = given_results(frozenset({"LE"}), below=below, against=against)
    assert tests.alarms == {"LE", "TE"}
    assert tests.permuted_tests == {"TE"}
    tests = given_results(below=below, against=against)
    assert tests.alarms == tests.permuted_tests == below


@pytest.mark.parametrize("count", [True, False])
def test_near_pairs_that_do_not_count_have_a_p_of_1(
    monkeypatch: pytest.MonkeyPatch, *, count: bool
) -> None:
    rng = np.random.default_rng(3)
    original = people_of(rng, 120)
    copies = original.assign(income=original["income"] + rng.normal(0, 5, 120))
    given = records(original, copies)
    tests = PeopleTests(
        comparable(files_of(given, given.names), rng), {"TE": 0.01, "TN": 0.01}, rng
    )
    monkeypatch.setattr(Searches, "near_pairs_count", count)
    assert (tests.near.p_twins < 1e-6) is count
    assert (tests.near.p_twins == 1) is not count
