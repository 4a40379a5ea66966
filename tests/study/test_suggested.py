"""What a first study is guessed from: values that look like codes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.microdata.frames import Microdata, as_microdata
from sdcmetrics.microdata.schema import Variable, harmonise
from sdcmetrics.study.suggested import _codes, _measured, _named, may_be_codes, suggest


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        ([-9, 1, 2, 3], (-9.0,)),
        ([-9, -8, 5], (-9.0, -8.0)),
        ([-9, 0, 0, 0], None),  # nothing is above 0
        ([-9, -7.5, 5], None),  # one of them is no code
        ([1, 2, 99], (99.0,)),
        ([1, 65, 99], (99.0,)),
        ([1, 66, 99], None),  # not half as far again as the rest
        ([0, 1, 9], None),
        ([0, 0.5, 99], (99.0,)),
        ([-9, 1, 99], (-9.0, 99.0)),
        ([0, 8, 98, 99], (98.0, 99.0)),
        ([0, 30, 97, 98, 99], (97.0, 98.0, 99.0)),
        ([0, 10, 77, 88, 99], (77.0, 88.0, 99.0)),
        ([4, 60.5, 998, 999], (998.0, 999.0)),
        ([0, 10, 98], None),  # without nines
        ([0, 66, 98, 99], None),
        ([0, 96, 97, 98, 99], None),
        ([97, 98, 99], None),
        ([5, 99], (99.0,)),
        ([*range(-9, 0), 3, 4], tuple(range(-9, 0))),
    ],
)
def test_numbers_at_an_end_that_look_like_codes(
    values: list[float], codes: tuple[float, ...] | None
) -> None:
    frame = pd.DataFrame({"x": values * 4, "y": list("ab") * (2 * len(values))})
    data = as_microdata(frame, "original")
    assert suggest(data, [data]).missing_codes.get("x") == codes


@pytest.mark.parametrize(
    ("counts", "codes"),
    [
        ({-3: 9, -2: 9, -1: 9, 0: 9, 1: 9, 2: 9, 3: 9}, None),  # a scale
        ({-2: 2, -1: 6, 0: 20, 1: 30, 2: 40}, None),
        ({-1: 10, 0: 20, 1: 10}, None),
        ({-1: 4, 0: 20, 1: 10}, (-1.0,)),  # missing beside no and yes
        ({-2: 9, -1: 9, 1: 9, 2: 9}, (-2.0, -1.0)),  # without a middle
        ({-3: 9, -1: 9, 0: 9, 1: 9, 3: 9}, (-3.0, -1.0)),
        ({-2: 3, -1: 5, 0: 20, 1: 20, 2: 20, 3: 20}, (-2.0, -1.0)),
        # a temperature, which may have gaps above
        ({-5: 1, -4: 2, -3: 5, -2: 4, -1: 12, 0: 15, 1: 18, 2: 9, 4: 3, 7: 1}, None),
        ({-4: 9, -3: 8, -2: 5, -1: 12, 0: 15, 1: 18, 2: 9}, (-4.0, -3.0, -2.0, -1.0)),
        ({-4: 1, -3: 2, -2: 3, -1: 4, 0: 15, 1: 18, 9: 9}, (-4.0, -3.0, -2.0, -1.0)),
        ({-3: 1, -2: 4, -1: 12, 0: 15, 1: 18, 2: 9}, (-3.0, -2.0, -1.0)),
    ],
)
def test_negative_numbers_of_a_scale_are_no_codes(
    counts: dict[int, int], codes: tuple[float, ...] | None
) -> None:
    values = np.repeat(list(counts), list(counts.values()))
    frame = pd.DataFrame({"x": values, "y": np.resize([*"ab"], len(values))})
    data = as_microdata(frame, "original")
    assert suggest(data, [data]).missing_codes.get("x") == codes


def test_a_date_is_no_target_where_anything_else_may_be_one() -> None:
    rng = np.random.default_rng(5)
    days = pd.date_range("2020-01-01", periods=60).to_numpy()
    frame = pd.DataFrame(
        {
            "diag_date": rng.choice(days, 200),
            "age": rng.integers(20, 60, 200),
            "sex": rng.choice([*"fm"], 200),
            "town": rng.choice([*"abc"], 200),
            "score": rng.integers(0, 30, 200),
        }
    )
    data = as_microdata(frame, "original")
    assert suggest(data, [data]).targets == ("score",)
    few = as_microdata(frame.drop(columns="score"), "original")
    assert suggest(few, [few]).targets == ("diag_date",)
    named = as_microdata(frame.assign(diagnosis=[*"xyzv"] * 50), "original")
    assert suggest(named, [named]).targets == ("diagnosis",)


RNG = np.random.default_rng(3)
KILOGRAMS = np.round(RNG.normal(70, 12, 300), 1)
DESIGN = RNG.choice([812.25, 95.125, 240.5], 300)


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("weight", KILOGRAMS, "weighed"),
        ("WEIGHT", np.rint(KILOGRAMS * 1000), "weighed"),  # grams
        ("weight", DESIGN, "weights"),
        ("weight", np.round(RNG.lognormal(5, 1, 300)), "weights"),  # varies as bodies do not
        ("wt", KILOGRAMS / KILOGRAMS.mean(), "weights"),  # of a mean of 1
        ("pweight", np.rint(KILOGRAMS), "weights"),  # the name says it
        ("WTINT2YR", DESIGN, "weights"),
        ("pw", DESIGN, "weights"),
        ("pspwght", DESIGN, "weights"),
        ("birthweight", np.rint(KILOGRAMS * 50), ""),
        ("lwt", KILOGRAMS, ""),
        ("growth", KILOGRAMS, ""),
    ],
)
def test_what_is_a_sampling_weight_and_what_was_weighed(
    name: str, values: Floats, role: str
) -> None:
    frame = pd.DataFrame({name: values, "sex": list("ab") * 150, "region": list("abc") * 100})
    data = as_microdata(frame, "original")
    suggestion = suggest(data, [data])
    roles = {"weights": suggestion.weights, "weighed": suggestion.weighed}
    assert roles == {other: (name,) * (other == role) for other in roles}


def test_measured_columns_become_keys_where_there_are_few_others() -> None:
    x, y = np.random.default_rng(4).normal(size=(2, 300))
    frame = pd.DataFrame({"x": x, "y": y, "size": list("abc") * 100})
    data = as_microdata(frame, "original")
    assert suggest(data, [data]).keys == ("size", "x")


def test_keys_are_first_columns_of_up_to_fifty_values_and_of_those_the_ones_with_most() -> None:
    sizes = (60, 2, 51, 50)
    frame = pd.DataFrame({f"of_{k}": [f"v{i % k}" for i in range(3000)] for k in sizes})
    data = as_microdata(frame, "original")
    suggestion = suggest(data, [data])
    assert suggestion.keys[:3] == ("of_50", "of_2", "of_51")
    assert suggestion.targets == ("of_60",)


@pytest.mark.parametrize(("n", "keys"), [(60, 3), (600, 5), (2000, 5), (9000, 6)])
def test_keys_are_added_until_some_records_are_alone_with_them(n: int, keys: int) -> None:
    rng = np.random.default_rng(6)
    frame = pd.DataFrame({name: rng.integers(0, 4, n) for name in [*"abcdefg", "income"]})
    data = as_microdata(frame, "original")
    suggestion = suggest(data, [data])
    assert (len(suggestion.keys), suggestion.targets) == (keys, ("income",))
    alone = frame.groupby(list(suggestion.keys))["income"].transform("size") == 1
    assert suggestion.unique == pytest.approx(100 * alone.mean())


def test_of_a_battery_of_items_eight_are_keys_at_most_and_none_that_adds_nobody() -> None:
    rng = np.random.default_rng(6)
    frame = pd.DataFrame({f"item_{k}": rng.integers(0, 2, 4000) for k in range(25)})
    data = as_microdata(frame, "original")
    assert len(suggest(data, [data]).keys) == 8
    doubled = frame.assign(item_3="x", item_4=frame["item_0"])
    data = as_microdata(doubled, "original")
    keys = suggest(data, [data]).keys
    assert len(keys) == 8
    assert not {"item_3", "item_4"} & {*keys}


@pytest.mark.parametrize(
    ("name", "each", "roles"),
    [
        ("id", 6, {"cluster": "id"}),
        ("firm", 3, {"cluster": "firm"}),
        ("class", 30, {"cluster": "class"}),
        ("id", 1, {}),  # one row each
        ("region_id", 6, {}),  # of places
        ("shade", 6, {}),
        ("household_id", 3, {"household": "household_id"}),
    ],
)
def test_which_rows_belong_together_is_guessed(name: str, each: int, roles: dict[str, str]) -> None:
    frame = pd.DataFrame({name: np.arange(600) // each, "age": RNG.integers(20, 60, 600)})
    frame["sex"] = RNG.choice(list("fm"), 600)
    data = as_microdata(frame, "original")
    suggestion = suggest(data, [data])
    assert suggestion.roles == roles
    assert not {*roles.values()} & {*suggestion.keys, *suggestion.targets}


def test_series_of_stations_belong_together_whatever_their_name() -> None:
    rng = np.random.default_rng(3)
    months = np.tile(np.arange(24), 15)
    level = rng.normal(size=15).repeat(24)
    frame = pd.DataFrame(
        {
            "place": rng.permutation(9000)[:15].repeat(24),
            "year": 2020 + months // 12,
            "month": 1 + months % 12,
            "air": np.round(level + rng.normal(size=360), 1),
            "rain": np.round(rng.gamma(2, 30, 360)),
        }
    )
    data = as_microdata(frame, "original")
    suggestion = suggest(data, [data])
    assert suggestion.roles == {"cluster": "place"}
    assert "place" not in {*suggestion.keys, *suggestion.targets}


@pytest.mark.parametrize("name", ["stage", "county", "country", "language", "econ"])
def test_few_whole_numbers_may_be_codes(name: str) -> None:
    assert suggest(*with_few_numbers(name)).coded == {name: 4}


@pytest.mark.parametrize(
    "name", ["age", "age_group", "hhsize", "n_children", "dose_count", "daysoff"]
)
def test_what_its_name_says_is_counted_is_no_code(name: str) -> None:
    assert suggest(*with_few_numbers(name)).coded == {}


def with_few_numbers(name: str) -> tuple[Microdata, list[Microdata]]:
    data = as_microdata(pd.DataFrame({name: [1, 2, 3, 4] * 30, "sex": ["f", "m"] * 60}), "original")
    return data, [data]


def test_columns_are_named_by_their_name_then_by_their_label_and_once() -> None:
    labels = {"v1": "Age of the person", "age_2": "Age at first job", "v3": "Wage"}
    assert _named(["v1", "v3", "age_2", "v4"], ["age"], labels) == ["age_2", "v1"]
    assert _named(["v1", "v3", "age_2"], ["age", "wage"], labels) == ["age_2", "v1", "v3"]


def variable(values: list[float], others: list[float]) -> Variable:
    files = {"o": values, "r": others}
    sides = [as_microdata(pd.DataFrame({"x": each}), name) for name, each in files.items()]
    return harmonise(sides[0], sides[1:]).variables["x"]


@pytest.mark.parametrize(
    ("values", "codes", "measured"),
    [
        ([0, 1, 2, 3], True, False), ([-1, 0, 1, 2], False, False), ([0, 1, 1, 0], False, False),
        ([0.5, 1, 2, 3], False, True), ([np.nan, 0, 1, 2, 3], True, False),
        ([np.nan, 0.5, 1], False, True),
    ],
)  # fmt: skip
def test_codes_and_fractions_are_looked_for_in_the_original(
    values: list[float], codes: bool, measured: bool
) -> None:
    for others in ([0.25, np.nan], [7.0, 8.0, np.nan, 9.0, 1.0, 2.0]):
        of = variable(values, others)
        assert (may_be_codes(of), _measured(of)) == (codes, measured)


@pytest.mark.parametrize(
    ("values", "codes"),
    [([-9, np.nan, 4, 5], (-9,)), ([99, 99], ()), ([np.nan, 5, 99], (99,))],
)
def test_codes_are_those_of_the_original(values: list[float], codes: tuple[float, ...]) -> None:
    for others in ([1.5, np.nan], [-8.0, 4.0, 99.0, 5.0, 6.0, 7.0]):
        data: Any = SimpleNamespace(variables={"x": variable(values, others)})
        assert _codes(data, "x") == codes


def test_the_design_is_looked_for_in_columns_that_replicas_lack() -> None:
    rng = np.random.default_rng(1)
    replica = pd.DataFrame({"age": rng.integers(20, 60, 90), "job": rng.choice([*"abc"], 90)})
    design = {"psu": np.arange(90) // 6, "stratum": np.arange(90) // 30, "w": rng.random(90)}
    original = as_microdata(replica.assign(**design), "original")
    suggestion = suggest(original, [as_microdata(replica, "replica")])
    assert (suggestion.roles, suggestion.strata) == ({"cluster": "psu"}, "stratum")
    assert suggestion.weights == ("w",)
    few = original.table.set_column(2, "psu", [np.arange(90) // 10])  # numbers of nine clusters
    assert suggest(as_microdata(few, "original"), [original]).roles == {}
