"""People put where the replica has values, and the cells of those it would write alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.measures.people import Claim, rounded, whose_records
from sdcmetrics.measures.people.cells import rounded_cells
from sdcmetrics.measures.people.columns import Files, PooledColumn, files_of
from sdcmetrics.measures.people.rewritten import coarser
from sdcmetrics.measures.people.rounded import SIDES, in_classes, put, rounded_keys
from tests.measures.people.drawn import mixed, people_of, records

Rounding = Callable[[pd.Series, float], pd.Series]

ROUNDINGS: dict[str, Rounding] = {
    "nearest": lambda column, step: (column / step).round() * step,
    "below": lambda column, step: np.floor(column / step) * step,
    "above": lambda column, step: np.ceil(column / step) * step,
}


def coarse(frame: pd.DataFrame, rounding: Rounding, share: float = 0.3) -> pd.DataFrame:
    """Round numbers to so many of their spreads, and cut off the top twentieth."""
    out = frame.copy()
    for name in ("age", "income", "rent"):
        rounded = rounding(frame[name], share * float(frame[name].std()))
        out[name] = rounded.clip(upper=float(rounded.quantile(0.95)))
    return out


def files(original: pd.DataFrame, replica: pd.DataFrame, holdout: pd.DataFrame | None) -> Files:
    given = records(original, replica, holdout)
    return files_of(given, given.names)


@pytest.mark.parametrize("side", SIDES)
def test_a_number_is_put_at_a_value_of_the_replica(side: str) -> None:
    rng = np.random.default_rng(1)
    people, own = np.round(rng.uniform(-1, 11, 200), 1), np.array([0.0, 1, 4, 5, 10])
    people[:3] = [np.nan, 4.0, 5.0]
    values = np.concatenate([people, rng.permutation(np.append(np.repeat(own, 3), np.nan))])
    out = put(PooledColumn("x", values, number=True), 200, side)
    assert np.array_equal(out[200:], values[200:], equal_nan=True)
    for value, at in zip(people, out[:200], strict=True):
        if np.isnan(value):
            assert np.isnan(at)
        elif side == "nearest":
            assert abs(at - value) == np.abs(own - value).min()
        elif side == "below":
            assert at == max([x for x in own if x <= value], default=0)
        else:
            assert at == min([x for x in own if x >= value], default=10)


def test_a_column_that_the_replica_lacks_throughout_stays() -> None:
    values = np.array([1.0, 2.0, np.nan, np.nan])
    assert put(PooledColumn("x", values, number=True), 2, "nearest") is values


def test_values_on_another_scale_are_put_by_those_of_the_pool() -> None:
    column = PooledColumn(
        "x", np.array([1.0, 2, 100, 200]), number=True, mapped=np.array([1.1, 2.4, 1, 2])
    )
    assert put(column, 2, "nearest").tolist() == [1, 2, 1, 2]


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("aside", [0, 90])
def test_cells_are_those_of_a_count_in_rounded_frames(side: str, aside: int) -> None:
    rng = np.random.default_rng(2)
    original, others = people_of(rng, 150), people_of(rng, 150)
    holdout = people_of(rng, aside) if aside else None
    columns = ["sex", "age", "income"]
    replica = mixed(pd.concat([original[:60], others[:60]], ignore_index=True))[columns]
    steps = {name: 0.5 * float(original[name].std()) for name in ("age", "income")}
    for name, step in steps.items():
        replica[name] = ROUNDINGS[side](replica[name], step)
    given = files(original[columns], replica, None if holdout is None else holdout[columns])
    keys = rounded_keys(given, rng)
    cells = rounded_cells(keys[SIDES.index(side)], given.n, given.h)

    def written(frame: pd.DataFrame) -> Counter[tuple[object, ...]]:
        """Count people as the replica writes them, at the nearest end of what it has."""
        out = frame[columns].copy()
        for name, step in steps.items():
            own = np.unique(replica[name])
            at = ROUNDINGS[side](frame[name], step).to_numpy()
            out[name] = [own[np.abs(own - value).argmin()] for value in at]
        return Counter(out.itertuples(index=False, name=None))

    ours = written(original)
    theirs = Counter() if holdout is None else written(holdout)
    different = set(replica.itertuples(index=False, name=None))
    met = Counter(ours[value] for value in different)
    alone = [value for value in different if ours[value] + theirs[value] == 1]
    # where a step has no value of the replica the two may differ by a person or two
    assert cells.values.once == pytest.approx(met[1], abs=3)
    assert cells.values.twice == pytest.approx(met[2], abs=3)
    assert cells.values.nobody == pytest.approx(met[0], abs=3)
    assert cells.original == pytest.approx(sum(ours[value] for value in alone), abs=3)
    assert cells.holdout == pytest.approx(sum(theirs[value] for value in alone), abs=3)
    assert (cells.holdout > 0) == (aside > 0)
    assert cells.p == min(1, 9 * cells.values.p)


def test_files_without_coarser_numbers_are_not_looked_at() -> None:
    rng = np.random.default_rng(3)
    assert rounded_keys(files(people_of(rng, 200), people_of(rng, 200), None), rng) == []


@pytest.mark.parametrize("side", SIDES)
def test_rounded_copies_are_noticed(side: str) -> None:
    rng, calls = np.random.default_rng(4), 0
    for _ in range(4):
        original = people_of(rng, 300)
        replica = coarse(mixed(original), ROUNDINGS[side])
        out = whose_records(records(original, replica))
        calls += Claim.EITHER in out.claims
        others = coarse(people_of(rng, 300), ROUNDINGS[side])
        assert not whose_records(records(original, others)).accused
    assert calls == 4


def test_a_holdout_confirms_rounded_copies() -> None:
    rng = np.random.default_rng(5)
    original, aside = people_of(rng, 300)[["age", "sex", "income"]], people_of(rng, 300)
    aside = aside[["age", "sex", "income"]]

    def out(frame: pd.DataFrame) -> set[Claim]:
        replica = mixed(frame.assign(age=frame["age"] // 5 * 5, income=frame["income"].round(-2)))
        return set(whose_records(records(original, replica, aside)).claims)

    assert Claim.FOLLOWS in out(original)
    assert not {Claim.FOLLOWS, Claim.EITHER, Claim.HOLDS} & out(aside)


def test_cells_of_coarser_numbers_say_how_many_people() -> None:
    rng = np.random.default_rng(6)
    original = people_of(rng, 400)
    replica = coarse(mixed(pd.concat([original[:300], people_of(rng, 100)])), ROUNDINGS["below"])
    out = whose_records(records(original, replica))
    assert Claim.EITHER in out.claims
    assert out.people is not None
    assert 0 < out.people.low <= 300


def test_classes_end_between_values_of_the_replica() -> None:
    rng = np.random.default_rng(7)
    original, others = people_of(rng, 300), people_of(rng, 600)
    given = files(original, coarse(others, ROUNDINGS["nearest"], 0.02), people_of(rng, 50))
    names = coarser(given)
    assert {"income", "rent"} <= set(names)
    assert "age" not in names
    classed = in_classes(given)
    for before, part in zip(given.parts, classed.parts, strict=True):
        if before.name not in names:
            assert part is before
            continue
        frame = pd.DataFrame({"value": before.values, "number": part.values})
        of_replica = frame[given.pool :].groupby("number")["value"].agg(["size", "min", "max"])
        assert of_replica["size"].min() >= 600 / 40
        assert 20 < len(of_replica) <= 40
        ends = (of_replica["max"].to_numpy()[:-1] + of_replica["min"].to_numpy()[1:]) / 2
        assert np.array_equal(part.values, np.searchsorted(ends, before.values))


def test_missing_numbers_are_in_no_class_and_scales_are_the_pools() -> None:
    own = np.repeat([1.0, 2, 3], 20)
    values = np.concatenate([np.arange(60.0), own * 100, [np.nan]])
    mapped = np.concatenate([np.arange(60.0), own, [np.nan]])
    given = Files((PooledColumn("x", values, number=True, mapped=mapped),), 60, 0, 61)
    (part,) = in_classes(given).parts
    assert part.mapped is None
    assert part.values[:5].tolist() == [0, 0, 1, 2, 2]
    assert part.values[60:-1].tolist() == np.repeat([0, 1, 2], 20).tolist()
    assert np.isnan(part.values[-1])
    lacking = PooledColumn("x", np.append(np.arange(40.0), [np.nan] * 40), number=True)
    (part,) = in_classes(Files((lacking,), 40, 0, 40)).parts
    assert part.values[:40].tolist() == [0] * 40


@pytest.mark.parametrize(("m", "sizes"), [(40, [10] * 4), (49, [10, 10, 10, 19]), (19, [19])])
def test_classes_of_a_small_replica_have_ten_records_or_more(m: int, sizes: list[int]) -> None:
    replica = np.arange(m) // 2 * 2.0 if m == 19 else np.arange(float(m))
    people = np.linspace(0, m, 3 * m)  # of which the replica has fewer different values
    given = Files((PooledColumn("x", np.append(people, replica), number=True),), 3 * m, 0, m)
    classed = rounded._classed(given.parts[0], given).values[3 * m :]
    assert np.unique(classed, return_counts=True)[1].tolist() == sizes


def test_files_without_coarser_numbers_have_no_classes() -> None:
    rng = np.random.default_rng(8)
    given = files(people_of(rng, 200), people_of(rng, 200), None)
    assert in_classes(given) is given


def ages_by_street(rng: np.random.Generator, n: int) -> pd.DataFrame:
    street = [f"s{i}" for i in rng.integers(0, 300, n)]
    return pd.DataFrame({"age": rng.integers(18, 95, n), "street": street})


@pytest.mark.parametrize("repeats", [True, False])
def test_rounded_others_are_not_called_with_repeats_or_without(*, repeats: bool) -> None:
    # without classes, and if pairs without repeats counted, each of these files was called
    for seed in range(3):
        rng = np.random.default_rng([9, seed])
        original, others = ages_by_street(rng, 1000), ages_by_street(rng, 3000)
        others["age"] = (others["age"] / 6.6).round() * 6.6
        replica = mixed(others if repeats else others.drop_duplicates())
        assert not whose_records(records(original, replica)).accused
        copies = original.assign(age=(original["age"] / 6.6).round() * 6.6)
        if repeats:
            assert whose_records(records(original, mixed(copies))).accused
