"""People of the holdout are found where both tests say so, and no other reason explains it."""

from __future__ import annotations

from types import SimpleNamespace as With
from typing import Any

import numpy as np
import pytest

from sdcmetrics.measures.people import procedure
from sdcmetrics.measures.people.equal import Bundles

LEVELS = {"LE": 0.01, "TE": 0.02}


def holds(monkeypatch: pytest.MonkeyPatch, **given: Any) -> bool:
    entries = {
        "label": 0.01,
        "twins": 0.02,
        "LE": True,
        "TE": True,
        "repeats": False,
        "h": 2,
    } | given
    monkeypatch.setattr(procedure, "label_p", lambda *_: entries["label"])
    monkeypatch.setattr(procedure, "sum_keys", lambda keys: keys)
    monkeypatch.setattr(procedure, "bundles_of", lambda *_: None)
    monkeypatch.setattr(procedure, "_without", lambda *_: With(p_twins=entries["twins"]))
    monkeypatch.setattr(procedure, "_without_repeats", lambda _: entries["repeats"])

    def beaten(keys: list[np.ndarray], h: int, n: int, p: dict[str, float], _: Any) -> Any:
        # exchanged: the holdout in the original's place; alone: without the original
        order = [4, 5, 0, 1, 2, 3, 6, 7] if "LE" in p else [4, 5, 6, 7]
        assert keys[0].tolist() == order
        assert (h, n) == ((2, 4) if "LE" in p else (2, 0))
        assert p == ({"LE": entries["label"]} if "LE" in p else {"TE": entries["twins"]})
        return {name: entries[name] for name in p}

    monkeypatch.setattr(procedure, "beaten_by_equal", beaten)
    files = With(n=4, h=entries["h"], pool=6, size=8)
    equal = With(holdout=3, original=1)
    tests: Any = With(files=files, levels=LEVELS, equal=equal, keys=[np.arange(8)], rng=None)
    return procedure.holds_outsiders(tests)


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({}, True),
        ({"h": 0}, False),
        ({"label": 0.011}, False),
        ({"twins": 0.021}, False),
        ({"repeats": True}, False),
        ({"LE": False}, False),
        ({"TE": False}, False),
    ],
)
def test_both_tests_have_to_alarm(
    monkeypatch: pytest.MonkeyPatch, given: dict[str, Any], *, found: bool
) -> None:
    assert holds(monkeypatch, **given) is found


@pytest.mark.parametrize(
    ("original", "holdout", "replica", "without"),
    [
        ([1, 2, 2], [1, 0, 1], [1, 1, 1], True),  # three kinds of two people and more
        ([1, 2, 1], [1, 0, 0], [1, 1, 1], False),
        ([1, 2, 2], [1, 0, 1], [1, 2, 1], False),  # a record is there twice
        ([1, 1, 1], [0, 0, 0], [0, 0, 0], False),
    ],
)
def test_a_replica_of_which_repeats_were_removed_is_told(
    original: list[int], holdout: list[int], replica: list[int], *, without: bool
) -> None:
    bundles = Bundles(np.array(original), np.array(holdout), np.array(replica))
    assert procedure._without_repeats(bundles) is without


def test_records_that_equal_one_of_the_original_are_no_part_of_the_twin_test() -> None:
    columns = ([1, 1, 1, 1], [0, 0, 0, 1], [1, 1, 1, 1])
    result = procedure._without(Bundles(*map(np.array, columns)), 10)
    assert (result.joined, result.bundles) == (3, 3)
    assert result.p_twins == pytest.approx(0.5**3, rel=1e-3)  # as if there were no other people
