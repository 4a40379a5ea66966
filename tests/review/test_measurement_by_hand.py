"""Rows of one measure at one place: syntheses, their mean, and what stands beside a value."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sdcmetrics.measures.kind import Place
from sdcmetrics.measures.reference_values import References
from sdcmetrics.results import Counted, Share
from sdcmetrics.review.measurement import _figures, _rows, _rows_of_batches, overall
from sdcmetrics.review.progress import Log

HALF, FIFTH = Counted(0.5, 3.0, 6.0), Counted(0.2, 2.0, 10.0)
NONE = Counted(math.nan, math.nan, 4.0)


def measure(**said: Any) -> Any:
    entries = {
        "symbol": "m", "family": "f", "unit": "share", "syntheses": "mean", "undefined": "of m",
        "function": lambda item: item,
    }  # fmt: skip
    return SimpleNamespace(**{**entries, **said})


def rows_of(each: tuple[Counted, ...], **said: Any) -> list[dict[str, Any]]:
    """Return the rows of some syntheses; `whole` and `undefined` are what is given."""
    given: Any = SimpleNamespace(
        places=(Place(target="t"),), each=each, whole=said.pop("whole", None),
        undefined=said.pop("undefined", ""),
    )  # fmt: skip
    references = said.pop("references", ())
    of_whole = said.pop("of_whole", None)
    return list(_rows(given, measure(**said), references, of_whole))


def figures(rows: list[dict[str, Any]]) -> list[tuple[float, ...]]:
    return [tuple(row[name] for name in ("synthesis", "value", "count", "total")) for row in rows]


def same(rows: list[dict[str, Any]], *expected: tuple[float, ...]) -> None:
    assert len(rows) == len(expected)
    for row, values in zip(figures(rows), expected, strict=True):
        assert row == pytest.approx(values, nan_ok=True)


def test_syntheses_stand_below_their_mean_where_there_are_several() -> None:
    same(rows_of((HALF,)), (math.nan, 0.5, 3.0, 6.0))
    rows = rows_of((HALF, FIFTH))
    same(rows, (math.nan, 0.35, 2.5, 8.0), (1.0, 0.5, 3.0, 6.0), (2.0, 0.2, 2.0, 10.0))
    assert {row["metric"] for row in rows} == {"m"}
    assert {row["target"] for row in rows} == {"t"}
    # of one without a value, the mean is that of the others
    mean = rows_of((HALF, NONE, FIFTH))[0]
    assert figures([mean]) == [pytest.approx((math.nan, 0.35, 2.5, 20 / 3), nan_ok=True)]


def test_what_is_measured_of_all_files_together_or_of_one_is_no_mean() -> None:
    whole = Counted(0.9, 9.0, 10.0)
    same(
        rows_of((HALF, FIFTH), whole=whole),
        (math.nan, 0.9, 9.0, 10.0), (1.0, 0.5, 3.0, 6.0), (2.0, 0.2, 2.0, 10.0),
    )  # fmt: skip
    same(rows_of((HALF,), whole=whole), (math.nan, 0.9, 9.0, 10.0), (1.0, 0.5, 3.0, 6.0))
    same(rows_of((HALF, FIFTH), syntheses="once"), (math.nan, 0.5, 3.0, 6.0))
    same(rows_of((HALF,), whole=whole, syntheses="once"), (math.nan, 0.9, 9.0, 10.0))


@pytest.mark.parametrize(
    ("each", "p"),
    [((HALF,), 0.5), ((HALF, FIFTH), 0.4), ((HALF, HALF, HALF), 1.0), ((FIFTH, NONE), 0.4)],
)
def test_the_smallest_of_several_p_counts_as_often_as_there_are(
    each: tuple[Counted, ...], p: float
) -> None:
    assert rows_of(each, syntheses="smallest")[0]["value"] == pytest.approx(p)


def test_why_there_is_no_value() -> None:
    same(rows_of((NONE,)), (math.nan, math.nan, math.nan, 4.0))
    assert [row["reason"] for row in rows_of((HALF, NONE))] == [None, None, "of m"]
    assert rows_of((NONE,), undefined="here")[0]["reason"] == "here"
    assert rows_of((NONE,), undefined="here", syntheses="once")[0]["reason"] == "here"
    given: Any = SimpleNamespace(places=(Place(),), each=(NONE,), whole=None, undefined="")
    (row,) = _rows(given, measure(undefined=""), (), None)
    assert row["reason"] == "it has no value here"


def test_references_stand_beside_the_synthesis_that_they_are_of() -> None:
    first, second = References(copy=1.0, fresh=0.2), References(copy=3.0, fresh=0.4)
    rows = rows_of((HALF, FIFTH), references=(first, second))
    assert [row["copy"] for row in rows] == [2.0, 1.0, 3.0]
    assert [row["fresh"] for row in rows] == pytest.approx([0.3, 0.2, 0.4])
    rows = rows_of((HALF, FIFTH), references=(first, second), of_whole=References(copy=9.0))
    assert [row["copy"] for row in rows] == [9.0, 1.0, 3.0]
    assert all(math.isnan(row["copy"]) for row in rows_of((HALF, FIFTH)))


def test_a_share_is_in_the_unit_of_the_measure() -> None:
    share = Share(3, 12)
    assert _figures(measure(unit="percent"), share) == (25.0, 3, 12)
    assert _figures(measure(), share) == (0.25, 3, 12)
    assert _figures(measure(), HALF) == (0.5, 3.0, 6.0)
    assert _figures(measure(), 0.125) == pytest.approx((0.125, math.nan, math.nan), nan_ok=True)


def test_steps_are_counted_as_they_end_or_are_left_out() -> None:
    steps: list[tuple[str, int, int]] = []
    log = Log(lambda *step: steps.append(step), 4, None)
    log.tell("a")
    log.done("a")
    log.skip()
    log.tell("b")
    log.done("b")
    assert steps == [("a", 0, 4), ("a", 1, 4), ("b", 2, 4), ("b", 3, 4)]
    Log(None, 4, None).done("a")


class Batch(list[float]):
    """Some tables: a number of each, and the records of both sides."""

    n_original, n_synthetic = 10, 4


def test_tables_of_batches_stand_measure_by_measure_and_table_by_table() -> None:
    half = measure(function=lambda batch: [x / 2 for x in batch], fresh=None)
    double = measure(
        symbol="d", undefined="", fresh_here=None, function=lambda batch: [2 * x for x in batch],
        fresh=lambda n, m: [float(n + m)] * 2,
    )  # fmt: skip
    own = measure(
        symbol="o", fresh=0, function=list, fresh_here=lambda batch: [x + 100 for x in batch]
    )
    places = tuple(Place(variables=(name,)) for name in "abcd")
    first = [Batch([1.0, 2.0]), Batch([math.nan, 4.0])]
    second = [Batch([3.0, math.nan]), Batch([5.0, 8.0])]
    given: Any = SimpleNamespace(places=places, each=(first, second))
    rows = _rows_of_batches(given, [half, double, own])
    assert len(rows["value"]) == 3 * 3 * 4  # the mean and two syntheses
    assert rows["metric"].tolist() == [*"mmmmddddoooo"] * 3
    assert rows["variables"].tolist() == [("a",), ("b",), ("c",), ("d",)] * 9
    nan = math.nan
    means = [1.0, nan, nan, 3.0, 4.0, nan, nan, 12.0, 2.0, nan, nan, 6.0]
    ones = [0.5, 1.0, nan, 2.0, 2.0, 4.0, nan, 8.0, 1.0, 2.0, nan, 4.0]
    twos = [1.5, nan, 2.5, 4.0, 6.0, nan, 10.0, 16.0, 3.0, nan, 5.0, 8.0]
    assert rows["value"] == pytest.approx([*means, *ones, *twos], nan_ok=True)
    assert rows["synthesis"] == pytest.approx([nan] * 12 + [1.0] * 12 + [2.0] * 12, nan_ok=True)
    fresh = [nan] * 4 + [14.0, nan, nan, 14.0] + [102.0, nan, nan, 106.0]
    assert rows["fresh"][:12] == pytest.approx(fresh, nan_ok=True)
    reasons = [None, "of m", "of m", None, None, *["it has no value here"] * 2, None]
    assert rows["reason"][:8].tolist() == reasons
    alone: Any = SimpleNamespace(places=places, each=(first,))
    assert _rows_of_batches(alone, [half])["value"] == pytest.approx(ones[:4], nan_ok=True)


def test_the_mean_over_places_is_that_of_each_synthesis() -> None:
    parts: list[Any] = [
        {
            "metric": np.array(["m", "m", "x"], dtype=object),
            "synthesis": np.array([1.0, math.nan, math.nan]),
            "value": np.array([value, 2 * value, 99.0]),
        }
        for value in (1.0, 4.0, math.nan)
    ]
    kind: Any = SimpleNamespace(overall="of no place")
    rows = overall(kind, parts, [measure()])
    assert rows["synthesis"] == pytest.approx([1.0, math.nan], nan_ok=True)
    assert rows["value"].tolist() == [2.5, 5.0]
    kind.overall = ""
    assert len(overall(kind, parts, [measure()])["value"]) == 0
    kind.overall = "of no place"
    assert len(overall(kind, [], [measure()])["value"]) == 0
    (row,) = overall(kind, [{**parts[2], "metric": parts[0]["metric"]}], [measure(symbol="x")])[
        "value"
    ]
    assert row == 99.0
