"""Groups of people beside their own null, table by table and label by label."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics import energy_distance, subgroups
from sdcmetrics.errors import NotComputable
from sdcmetrics.measures.distributions import energy
from sdcmetrics.measures.distributions import subgroups as module
from sdcmetrics.measures.distributions.records import Records, harmonised
from sdcmetrics.measures.distributions.subgroups import Subgroups, _beside_null, _disclosed
from sdcmetrics.measures.survey.households import Households

CELLS = [np.array([0, 0, 1, 2, 2, 1, 1, 0, 2]), np.array([4, 4, 4, 4, 7, 7, 4, 4, 7])]
ALIKE = np.full(9, 3)


def by_table(cells: np.ndarray, first: np.ndarray) -> tuple[float, float]:
    """Total variation distance, and pMSE over its expectation for a right model."""
    n, size = len(first), len(cells)
    c, tvd, pmse = (size - n) / size, 0.0, 0.0
    levels = np.unique(cells)
    for level in levels:
        o = int((cells[first] == level).sum())
        s = int((cells == level).sum()) - o
        tvd += abs(o / n - s / (size - n)) / 2
        pmse += (o + s) * (s / (o + s) - c) ** 2 / size
    expected = (len(levels) - 1) * c * (1 - c) ** 2 / size
    return tvd, pmse / expected if expected else math.nan


def beside_null(
    tables: list[np.ndarray], permutations: int, rng: np.random.Generator
) -> dict[str, float]:
    return _beside_null(tables.__getitem__, len(tables), (4, 5), permutations, rng)


@pytest.mark.parametrize("labels", [1 << 22, 1, 63])
@pytest.mark.parametrize("records", [1 << 20, 1])
def test_values_null_and_p_are_those_of_every_draw(
    labels: int, records: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_LABELS", labels)
    monkeypatch.setattr(module, "_RECORDS", records)
    result = beside_null(CELLS, 19, np.random.default_rng(3))
    rng = np.random.default_rng(3)
    chosen = [np.arange(4), *(rng.permutation(9)[:4] for _ in range(19))]
    each = np.array(
        [np.mean([by_table(cells, first) for cells in CELLS], axis=0) for first in chosen]
    )
    for i, name in enumerate(("TVD", "S_pMSE")):
        assert result[name] == pytest.approx(each[0, i])
        assert result[f"{name}_null"] == pytest.approx(each[1:, i].mean())
        as_bad = (each[1:, i] >= each[0, i] - 1e-9).sum()
        assert result[f"{name}_p"] == (1 + as_bad) / 20
    assert beside_null(CELLS, 0, rng).keys() == {"TVD", "S_pMSE"}


def test_a_table_of_one_cell_is_left_out_of_the_ratio_only() -> None:
    result = beside_null([*CELLS, ALIKE], 0, np.random.default_rng(1))
    tables = [by_table(cells, np.arange(4)) for cells in CELLS]
    assert result["TVD"] == pytest.approx(sum(tvd for tvd, _ in tables) / 3)
    assert result["S_pMSE"] == pytest.approx(sum(ratio for _, ratio in tables) / 2)
    alone = beside_null([ALIKE], 5, np.random.default_rng(1))
    assert (alone["TVD"], alone["TVD_p"]) == (0, 1)
    assert math.isnan(alone["S_pMSE"])


@pytest.mark.parametrize(
    ("here", "hits", "percent", "p"),
    [
        ([0, 1], 2, 100, 3 / 15),
        ([0, 5], 1, 50, 12 / 15),
        ([4, 5], 0, 0, 1),
        ([], 0, math.nan, math.nan),
    ],
)
def test_chance_puts_so_many_of_all_disclosed_into_a_group(
    here: list[int], hits: int, percent: float, p: float
) -> None:
    disclosed = np.array([True, True, True, False, False, False])
    result = _disclosed(disclosed, np.array(here, dtype=int))
    assert result["disclosed"] == hits
    assert [result["DiSCO"], result["DiSCO_p"]] == pytest.approx([percent, p], nan_ok=True)


def people(*sizes: int) -> pd.DataFrame:
    g = np.repeat([*"abcd"][: len(sizes)], sizes)
    n = np.arange(len(g))
    return pd.DataFrame({"g": g, "x": n % 2, "y": n % 3})


def test_thirty_records_of_either_file_are_measured() -> None:
    original, replica = people(30, 29, 40, 35), people(31, 40, 29, 0)
    table = subgroups(original, replica, groups="g", permutations=9).table.set_index("level")
    few = "fewer than 30 records"
    assert table["note"].to_dict() == {"a": "", "b": few, "c": few, "d": "missing in the replica"}
    assert table["TVD"].notna().tolist() == [True, False, False, False]
    assert table[["original", "synthetic"]].to_numpy().tolist() == [
        [30, 31],
        [29, 40],
        [40, 29],
        [35, 0],
    ]
    assert table["TVD_holm"].iloc[0] == table["TVD_p"].iloc[0]
    for variables in (["x"], ["x", "g"]):
        with pytest.raises(NotComputable, match="fewer than two other variables"):
            subgroups(original, replica, groups="g", variables=variables)


def test_labels_are_exchanged_between_households_of_the_group_in_both_files(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    original, replica = people(30, 40), people(31, 32)
    homes = [np.arange(70) // 2, 100 + np.arange(63) // 2]
    frames = [
        frame.assign(home=home) for frame, home in zip((original, replica), homes, strict=True)
    ]
    together = np.unique(np.append(*homes), return_inverse=True)[1]
    seen: list[Any] = []
    monkeypatch.setattr(module, "_beside_null", lambda *given: seen.append(given) or {})
    subgroups(*frames, groups="g", variables=["x", "y"], household="home", permutations=9)
    records = [[*range(30), *range(70, 101)], [*range(30, 70), *range(101, 133)]]
    assert [sizes for _, _, sizes, *_ in seen] == [(30, 31), (40, 32)]
    for rows, (_, pairs, (n, _), *_, alike) in zip(records, seen, strict=True):
        assert (pairs, alike.n) == (1, n)
        same = together[rows][:, None] == together[rows]
        assert ((alike.number[:, None] == alike.number) == same).all()


@pytest.mark.parametrize(
    ("adjusted", "excess", "worst"),
    [([0.2, 0.1, np.nan], [0.3, 0.1, 0.9], "b"), ([0.1, 0.1, 0.1], [0.1, 0.3, 0.2], "b")],
)
def test_the_worst_group_has_the_least_p_and_then_the_largest_excess(
    adjusted: list[float], excess: list[float], worst: str
) -> None:
    table = pd.DataFrame(
        {"variable": "g", "level": [*"abc"], "TVD_holm": adjusted,
         "TVD_null": [0.4, 0.05, 0.3], "TVD": np.add(excess, [0.4, 0.05, 0.3])}
    )  # fmt: skip
    assert Subgroups(table, 9, 1).worst[:2] == ("g", worst)
    nobody = Subgroups(table.assign(TVD_holm=np.nan), 9, 1).worst
    assert nobody[:2] == ("", None)
    assert math.isnan(nobody[2])


def test_cells_of_one_record_count_one_by_one() -> None:
    cells = np.array([0, 0, 1, 2, 0, 0, 3, 3])  # 0: 2 and 2 of 4; 1, 2: one original; 3: two others
    result = _beside_null([cells].__getitem__, 1, (4, 4), 0, np.random.default_rng(1))
    assert result["TVD"] == 0.5
    assert result["S_pMSE"] == pytest.approx((2 * 0.25**2 + 0.5**2 / 2) * 4 * 8 / 3, rel=1e-12)


@pytest.mark.parametrize(
    ("sizes", "blocks"),
    [
        ((6, 4), [(6, 4)]),  # as many as are compared whole
        ((7, 4), [(4, 4)]),
        ((20, 9), [(4, 4)] * 2),
        ((9, 20), [(4, 4)] * 2),
        ((40, 40), [(4, 4)] * 3),
        ((40, 3), [(4, 3)]),
    ],
)
def test_many_records_are_compared_in_blocks_of_both(
    sizes: tuple[int, int], blocks: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("_EXACT", 10), ("_BLOCK", 4), ("_BLOCKS", 3)):
        monkeypatch.setattr(energy, name, value)
    files = [Records(np.arange(float(n))[:, None], np.empty((n, 0), int)) for n in sizes]
    result = [*energy._blocks(files[0], files[1], np.random.default_rng(1), None)]
    assert [(len(here), len(there)) for here, there, _ in result] == blocks
    for side in (0, 1):  # nobody is in two
        values = np.concatenate([block[side].numbers[:, 0] for block in result])
        assert len({*values}) == len(values)


@pytest.mark.parametrize(("block", "drawn"), [(5, False), (4, True)])
def test_the_median_distance_is_of_all_pairs_where_they_are_few(
    block: int, monkeypatch: pytest.MonkeyPatch, *, drawn: bool
) -> None:
    asked: list[int] = []

    def of_some(size: int, _: object) -> np.ndarray:
        asked.append(size)
        return np.array([[0], [4]])

    monkeypatch.setattr(energy, "_BLOCK", block)
    monkeypatch.setattr(energy, "_drawn_pairs", of_some)
    values = np.array([0.0, 1, 3, 7, 15])[:, None]
    first, other = (
        Records(part, np.empty((len(part), 0), int)) for part in (values[:2], values[2:])
    )
    far = energy._mixed(first, other, np.random.default_rng(1))(first, other)(slice(0, 5))
    assert asked == [5] * drawn
    apart = np.abs(values - values.T)
    middle = 15.0 if drawn else np.median(apart[np.triu_indices(5, 1)])
    assert far == pytest.approx(1 - np.exp(-apart / middle))


def test_drawn_pairs_are_of_different_records_each_as_often() -> None:
    first, second = energy._drawn_pairs(5, np.random.default_rng(1))
    times = np.zeros((5, 5))
    np.add.at(times, (first, second), 1)
    assert (np.diagonal(times) == 0).all()
    share = times[~np.eye(5, dtype=bool)] / len(first)
    assert share == pytest.approx(np.full(20, 1 / 20), abs=4 * math.sqrt(0.05 / len(first)))


@pytest.mark.parametrize("holdout", [False, True])
def test_who_lives_together_is_no_variable_with_a_holdout_or_without(*, holdout: bool) -> None:
    frames = [pd.DataFrame({"home": [1, 1, 2], "x": [float(i), 2.0, 3.0]}) for i in range(3)]
    original, synthetic, fresh = frames
    data = harmonised(original, synthetic, fresh if holdout else None, None, None, "home")
    assert [*data.variables] == ["x"]
    assert data.sizes == (3,) * (2 + holdout)


@pytest.mark.parametrize(("n", "m"), [(4, 5), (1, 5), (4, 1)])
def test_the_distance_of_samples_adds_the_mean_distances_within_them(
    n: int, m: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside: list[Any] = []

    def compared(first: Any, other: Any, permutations: int, *_: Any) -> Any:
        beside.append((first, other, permutations))
        return energy._Compared(
            unbiased=0.25 * len(beside), within=(3.0, 8.0), p_value=0.5, se=0.125, scale="mixed"
        )

    monkeypatch.setattr(energy, "_compared", compared)
    first, other, holdout = range(n), range(m), range(2)
    result = energy.energy_of(first, other, holdout, permutations=9, seed=1)  # type: ignore[arg-type]
    distance = 0.25 + 3 / max(n - 1, 1) + 8 / max(m - 1, 1)
    assert result.distance == pytest.approx(distance)
    assert result.statistic == pytest.approx(n * m / (n + m) * distance)
    assert result.copy == -6 / max(n - 1, 1)
    assert (result.unbiased, result.fresh, result.se, result.scale) == (0.25, 0.5, 0.125, "mixed")
    assert (result.n, result.m, result.permutations) == (n, m, 9)
    assert beside == [(first, other, 9), (first, holdout, 0)]
    alone = energy.energy_of(first, other, None, permutations=9, seed=1)  # type: ignore[arg-type]
    assert math.isnan(alone.fresh)


def test_one_record_of_each_file_is_as_far_as_their_distance() -> None:
    numbers = [pd.DataFrame({"x": [value]}) for value in (1.0, 4.0)]
    plain = energy_distance(*numbers, permutations=0)  # one record has no standard deviation
    assert (plain.distance, plain.unbiased, plain.statistic, plain.scale) == (6, 6, 3, "euclidean")
    mixed = [frame.assign(c=level) for frame, level in zip(numbers, "ab", strict=True)]
    result = energy_distance(*mixed, permutations=0)  # the only pair is the median
    assert result.distance == pytest.approx(2 * (1 - math.exp(-1)))
    assert result.scale == "mixed"


@pytest.mark.parametrize("unit", [1.0, 1 / 1024])
def test_a_constant_adds_nothing_to_a_distance_of_numbers_in_any_unit(unit: float) -> None:
    x, y = np.array([1.0, 2, 4, 9]), np.array([2.0, 3, 7])
    apart = np.abs(x[:, None] - y).mean()
    within = np.abs(x[:, None] - x).mean() + np.abs(y[:, None] - y).mean()
    frames = [pd.DataFrame({"x": unit * part, "c": 3.0}) for part in (x, y)]
    result = energy_distance(*frames, permutations=0)
    assert result.distance == pytest.approx((2 * apart - within) / x.std(ddof=1))


def test_of_blocks_the_distance_is_the_mean_and_its_error_theirs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    none = np.empty((2, 0), int)
    pairs = [([0.0, 1], [0.0, 2]), ([0.0, 1], [3.0, 5])]
    parts = [[Records(np.array(part)[:, None], none) for part in pair] for pair in pairs]
    monkeypatch.setattr(energy, "_blocks", lambda *_: [(*pair, None) for pair in parts])
    result = energy._compared(*parts[0], 0, 1)
    # 2 (0 + 2 + 1 + 1) / 4 - 1 - 2, and 2 (3 + 5 + 2 + 4) / 4 - 1 - 2, over a root of a half
    assert result.unbiased == pytest.approx((-1 + 4) / 2 * math.sqrt(2))
    assert result.se == pytest.approx(5 / 2 * math.sqrt(2))


def test_of_many_records_in_households_whole_ones_are_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(energy, "_EXACT", 8)
    homes = np.repeat(np.arange(9), 2)  # 5 of the original, 4 of the replica
    files = [Records(np.arange(float(n))[:, None], np.empty((n, 0), int)) for n in (10, 8)]
    given = Households(homes, 10)
    ((here, there, alike),) = energy._blocks(files[0], files[1], np.random.default_rng(1), given)
    assert (len(here), len(there)) == (4, 4)
    rows = np.append(here.numbers[:, 0], 10 + there.numbers[:, 0]).astype(int)
    assert alike is not None
    assert alike.n == 4
    assert alike.number.tolist() == homes[rows].tolist()
    assert set(np.bincount(alike.number)) == {0, 2}
