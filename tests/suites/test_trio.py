"""The view that suites have of a pair: which file stands where, and how many records of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.errors import NotComputable
from sdcmetrics.measures.pair import Pair
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.suites.trio import Trio, _in_order, compared, numbers_of


def frame(start: int, n: int, *, homes: bool = False) -> pd.DataFrame:
    """Return so many records whose x says which file they are of, and their place in it."""
    x = start + np.arange(n, dtype=float)
    out = pd.DataFrame({"x": x, "g": np.array(list("ab"))[np.arange(n) % 2]})
    return out.assign(home=np.arange(n) // 2 + start) if homes else out


def trio(sizes: tuple[int, ...] = (30, 14, 20), *, homes: bool = False, **said: Any) -> Trio:
    frames = [frame(1000 * i, n, homes=homes) for i, n in enumerate(sizes)]
    holdout = frames[2] if len(frames) > 2 else None
    household = "home" if homes else None
    pair, households = compared(frames[0], frames[1], holdout, household=household)
    return Trio.of_pair(pair, households=households, **{"categorical": ["g"], **said})


def x_of(view: Trio) -> list[list[float]]:
    return [part.numbers[0].tolist() for part in view.parts]


def test_files_of_a_function_stand_in_their_places() -> None:
    pair, households = compared(frame(0, 5), frame(1000, 3), frame(2000, 4), name="cart")
    assert (pair.name, pair.m, pair.original.n, pair.syntheses[0].n) == ("cart", 1, 5, 3)
    assert pair.holdout is not None
    assert (pair.holdout.n, households) == (4, ())
    pair, _ = compared(frame(0, 5), frame(1000, 3), None)
    assert (pair.m, pair.holdout) == (1, None)


def test_households_are_numbered_and_their_column_is_no_variable() -> None:
    pair, households = compared(
        frame(0, 4, homes=True), frame(0, 3, homes=True), frame(9, 2, homes=True), household="home"
    )
    first, replica, holdout = (number for number in households if number is not None)
    assert "home" not in pair.original.columns
    assert [first.tolist()[i] == first[0] for i in range(4)] == [True, True, False, False]
    assert not {*first} & {*replica}
    assert not {*first} & {*holdout}
    view = Trio.of_pair(pair, households=households)
    assert (both := view.households_of()) is not None
    assert (both.n, both.total) == (4, 7)
    assert (real := view.households_of(0, 2)) is not None
    assert (real.n, real.total) == (4, 6)
    assert trio().households_of() is None


def test_a_view_of_each_synthesis_has_its_own_records_and_the_holdout() -> None:
    files = [as_microdata(frame(1000 * i, 4), f"file {i}") for i in range(4)]
    pair = Pair("r", files[0], files[1:3], files[3])
    for synthesis in (1, 2):
        view = Trio.of_pair(pair, synthesis, categorical=["g"])
        assert [x[0] for x in x_of(view)] == [0, 1000 * synthesis, 3000]
        assert [data.table["x"][0].as_py() for data in view.frames] == [0, 1000 * synthesis, 3000]
        assert view.data.sizes == (4, 4, 4)
    assert Trio.of_pair(pair, variables=["x", "absent"], categorical=[]).original.names == ("x",)
    alone = Trio.of_pair(Pair("r", files[0], files[1:3]), 2, categorical=["g"])
    assert [x[0] for x in x_of(alone)] == [0, 2000]
    assert not alone.has_holdout
    with pytest.raises(NotComputable, match="no holdout"):
        _ = alone.holdout
    view = trio()
    assert view.has_holdout
    firsts = [part.numbers[0, 0] for part in (view.original, view.synthetic, view.holdout)]
    assert firsts == [0, 1000, 2000]


@pytest.mark.parametrize(("sizes", "least"), [((30, 14, 20), 14), ((30, 20, 14), 14)])
def test_others_are_cut_to_the_smaller_of_replica_and_holdout(
    sizes: tuple[int, int, int], least: int
) -> None:
    view = trio(sizes, target=("g",), sensitive=("g",), public=("x",), seed=4)
    assert view.size == least
    original, replica, holdout = x_of(view)
    place, cut, copied = view.in_its_place(), view.cut(), view.copied()
    for other, source in ((place, holdout), (cut, replica)):
        first, records = x_of(other)
        assert first == original
        assert len({*records} & {*source}) == least == len(records)
        assert other.frames[0] is view.frames[0]
        assert other.frames[1].table["x"].to_pylist() == records
        assert other.data.sizes == (30, least)
        assert not other.has_holdout
    assert place.data.sources == (view.data.sources[0], view.data.sources[2])
    first, records, others = x_of(copied)
    assert (first, sorted(records), others) == (original, original, holdout)
    assert records != original
    for other in (place, cut, copied):
        given = (other.target, other.sensitive, other.public, other.seed, other.categorical)
        assert given == (("g",), ("g",), ("x",), 4, ["g"])
        assert other.shared is view.shared
    kept: dict[Any, Any] = {}
    assert Trio(view.frames, view.data, shared=kept).shared is kept
    assert Trio(view.frames, view.data).shared == {}
    assert view.cut() is cut
    assert view.copied() is copied


def test_whole_households_are_drawn_where_that_is_less_than_all() -> None:
    view = trio((8, 6, 6), homes=True)
    rng = np.random.default_rng(1)
    for most in (1, 3, 5):
        rows = view.drawn(1, most, rng)
        assert len(rows) == most - most % 2
        assert sorted(rows[::1] // 2) == sorted([*{*(rows // 2)}] * 2)
    for most in (6, 7):
        assert sorted(view.drawn(1, most, rng)) == [0, 1, 2, 3, 4, 5]
    copied = view.copied()
    rows = np.array(x_of(copied)[1], dtype=int)
    assert copied.households[0] is view.households[0]
    assert copied.households[1] is not None
    assert view.households[0] is not None
    assert copied.households[1].tolist() == view.households[0][rows].tolist()
    assert copied.households[2] is view.households[2]
    assert len(trio().drawn(1, 3, rng)) == 3


def test_purposes_draw_from_generators_of_their_own() -> None:
    first, second = trio(seed=1), trio(seed=2)
    numbers = [view.rng(what).random() for view in (first, second) for what in ("a", "b", "a")]
    assert numbers[0] == numbers[2] != numbers[1]
    assert numbers[3] not in numbers[:3]


def test_numbers_are_scaled_over_all_files_and_categories_stand_before_them() -> None:
    view = trio((3, 2, 2))  # x: 0 1 2, 1000 1001, 2000 2001
    assert [part.tolist() for part in numbers_of(view)] == [[[*x]] for x in x_of(view)]
    scaled = numbers_of(view, scaled=True)
    expected = [[0, 1 / 2001, 2 / 2001], [1000 / 2001, 1001 / 2001], [2000 / 2001, 1]]
    for part, values in zip(scaled, expected, strict=True):
        assert part[0] == pytest.approx(values, abs=1e-15)
    both = numbers_of(view, categories=True)
    assert [part[0].tolist() for part in both] == [[0, 1, 0], [0, 1], [0, 1]]
    assert [part[1].tolist() for part in both] == x_of(view)
    constant = pd.DataFrame({"x": [5.0] * 12})
    same = Trio.of_pair(compared(constant, constant, None)[0], categorical=[])
    assert numbers_of(same, scaled=True)[0].tolist() == [[0.0] * 12]
    shares = pd.DataFrame({"x": [0.25, 0.5, 0.75]})  # less than 1 apart
    narrow = Trio.of_pair(compared(shares, shares, None)[0], categorical=[])
    assert numbers_of(narrow, scaled=True)[0].tolist() == [[0.0, 0.5, 1.0]]
    texts = pd.DataFrame({"g": [*"abc"] * 4})
    plain = Trio.of_pair(compared(texts, texts, None)[0], categorical=["g"])
    assert [part.shape for part in numbers_of(plain, scaled=True)] == [(0, 12)] * 2


@pytest.mark.parametrize(
    ("levels", "places"),
    [
        (("10", "9", None, "-2"), [2, 1, 3, 0]),  # numbers by size
        (("b", "a", None), [1, 0, 2]),
        (("b", "10", "9"), [2, 0, 1]),  # texts by letters
        ((None, "", "a"), [2, 0, 1]),
    ],
)
def test_levels_in_order(levels: tuple[str | None, ...], places: list[float]) -> None:
    assert _in_order(levels).tolist() == places


def test_bins_are_deciles_of_the_original() -> None:
    view = trio((100, 14, 20))
    assert [np.bincount(part).tolist()[:2] for part in view.binned.variables["g"].parts[:1]] == [
        [50, 50]
    ]
    counts = np.bincount(view.binned.variables["x"].parts[0])
    assert counts[counts > 0].tolist() == [10] * 10
    assert view.binned.sizes == (100, 14, 20)
