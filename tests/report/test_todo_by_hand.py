"""What to do about copies, as it follows from how many there are and how they were counted."""

from __future__ import annotations

from types import SimpleNamespace as With
from typing import Any

import pytest

from sdcmetrics.report.sections import todo


def words(
    monkeypatch: pytest.MonkeyPatch, *copied: tuple[int, int, int], release: bool = False,
    alarming: bool = True,
) -> list[str]:  # fmt: skip
    """Return the steps of a replica with so many copies, of so many, one in so many looked at."""
    monkeypatch.setattr(todo, "_manner", lambda *_: With(looser="Fit it more loosely."))
    rows = [With(replica="a", copied=c, n=n, every=every) for c, n, every in copied]
    other = With(replica="b", copied=500, n=500, every=1)
    source: Any = With(
        held={"a": With(alarming=alarming)}, copied=[*rows, other], release=release
    )  # fmt: skip
    return [
        "".join(map(str, step.words)).replace("\xa0", " ") for step in todo._copies(source, "a")
    ]


FEW = "Drop the records that equal an original record and are unique in it, then review again;"


def test_few_are_dropped_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    limit = round(todo._FEW * 1000)
    for copied in ((), ((0, 0, 1),), ((limit, 1000, 1),)):
        first, second = words(monkeypatch, *copied)
        assert first.startswith(FEW)
        assert second == "Fit it more loosely."
    first, second = words(monkeypatch, (limit + 1, 1000, 1))
    assert not first.startswith(FEW)
    assert second == "Fit it more loosely."


@pytest.mark.parametrize(
    ("copied", "release", "start"),
    [
        ([(1500, 3000, 1)], False, "1,500 original records (50.0 %) are in it in every value"),
        ([(300, 3000, 1), (1500, 3000, 1), (1, 3000, 1)], False, "1,500 original records (50.0 %)"),
        ([(1500, 3000, 1)], True, "Original records are in it in every value"),
        (
            [(1500, 3000, 2)], False,
            ("1,500 of 3,000 original records (50.0 %), those with one in 2 combinations of "
            "values, drawn at random, are in it in every value"),
        ),
    ],
)  # fmt: skip
def test_many_are_too_many(
    monkeypatch: pytest.MonkeyPatch, copied: list[tuple[int, int, int]], start: str, *,
    release: bool,
) -> None:  # fmt: skip
    first, second = words(monkeypatch, *copied, release=release)
    assert first.startswith(start)
    assert second == "Fit it more loosely."


def test_where_nothing_alarms_nothing_is_to_be_done(monkeypatch: pytest.MonkeyPatch) -> None:
    assert words(monkeypatch, (900, 1000, 1), alarming=False) == []
