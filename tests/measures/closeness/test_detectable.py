"""How many people must leak before the exact tests of single people find them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import sdcmetrics as sdc
from sdcmetrics.errors import DataError, StudyError
from sdcmetrics.measures.closeness.detectable import detection_power, smallest_detectable
from sdcmetrics.measures.exchangeable import LabelTest


def power_by_definition(leaked: int, n: int, h: int, by_chance: int, level: float) -> float:
    """Sum over how the others fall, each with the p that the test itself gives."""
    out = 0.0
    for x in range(by_chance + 1):
        if leaked + x <= n and by_chance - x <= h:
            p = LabelTest(leaked + x, by_chance - x, n, h).p_value
            if p <= level * (1 + 1e-9):
                out += stats.hypergeom.pmf(x, n + h - leaked, n - leaked, by_chance)
    return out


CASES = [
    tuple(int(x) for x in case)
    for case in np.random.default_rng(1).integers([1, 1, 0], [60, 60, 25], size=(60, 3))
]


@pytest.mark.parametrize(("n", "h", "by_chance"), CASES)
def test_power_is_that_of_the_test_itself(n: int, h: int, by_chance: int) -> None:
    by_chance = min(by_chance, n + h)
    numbers = range(min(n, n + h - by_chance) + 1)
    slow = [power_by_definition(c, n, h, by_chance, 0.05) for c in numbers]
    quick = [detection_power(c, n, h, by_chance=by_chance, level=0.05) for c in numbers]
    assert quick == pytest.approx(slow, abs=1e-9)
    first = next((c for c in numbers[1:] if slow[c] >= 0.8), None)
    assert smallest_detectable(n, h, by_chance=by_chance, level=0.05, power=0.8) == first


@pytest.mark.parametrize(
    "sizes", [(5000, 5000), (5000, 2500), (2500, 7500), (630, 314), (10**6, 50)]
)
def test_so_many_are_found_and_one_fewer_are_not(sizes: tuple[int, int]) -> None:
    least = sdc.smallest_detectable(*sizes)
    assert least is not None
    assert LabelTest(least, 0, *sizes).p_value <= 0.01 < LabelTest(least - 1, 0, *sizes).p_value


@pytest.mark.parametrize(
    ("sizes", "level", "power"),
    [((464, 116, 69), 0.2, 0.95), ((90, 5, 9), 0.05, 0.8), ((298, 7, 64), 0.05, 0.5)],
)
def test_power_rises_in_teeth_and_the_first_that_is_enough_counts(
    sizes: tuple[int, int, int], level: float, power: float
) -> None:
    n, h, by_chance = sizes
    powers = [
        detection_power(c, n, h, by_chance=by_chance, level=level)
        for c in range(min(n, n + h - by_chance) + 1)
    ]
    first = next(c for c, found in enumerate(powers) if found >= power)
    assert min(powers[first:]) < power
    assert smallest_detectable(n, h, by_chance=by_chance, level=level, power=power) == first


def test_a_power_of_exactly_a_half_is_a_half() -> None:
    kwargs = {"by_chance": 187, "level": 0.2}
    assert detection_power(19, 220, 173, **kwargs) == pytest.approx(0.5, abs=1e-12)
    assert smallest_detectable(220, 173, power=0.5, **kwargs) == 19


def test_no_leak_is_found_no_oftener_than_the_level_says() -> None:
    for by_chance in (0, 10, 100):
        assert detection_power(0, 400, 200, by_chance=by_chance, level=0.05) <= 0.05


def test_the_holdout_says_how_many_stand_out_by_chance() -> None:
    assert LabelTest(30, 10, 400, 200).by_chance == 30
    assert LabelTest(7, 0, 400, 200).by_chance == 0


def test_what_makes_no_sense_is_refused() -> None:
    for sizes in ((0, 5), (5, 0), (-1, 5)):
        with pytest.raises(DataError, match="at least one training and one holdout record"):
            smallest_detectable(*sizes)
    with pytest.raises(DataError, match="by chance"):
        smallest_detectable(5, 5, by_chance=11)
    for share in (0.0, 1.0):
        with pytest.raises(StudyError, match="power: expected a share"):
            smallest_detectable(5, 5, power=share)
        with pytest.raises(StudyError, match="level: expected a share"):
            smallest_detectable(5, 5, level=share)
    with pytest.raises(StudyError, match="n_holdout: expected a whole number but got str"):
        smallest_detectable(5, "5")  # type: ignore[arg-type]


def test_beside_a_large_holdout_a_single_person_is_found() -> None:
    assert smallest_detectable(1, 99) == 1  # one of a hundred is as likely as the level
    assert smallest_detectable(1, 98) is None
    assert smallest_detectable(3000, 297_000) == 1
    assert smallest_detectable(2, 98, level=0.02) == 1
