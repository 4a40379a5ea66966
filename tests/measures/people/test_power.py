from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.measures.people import power as subject
from sdcmetrics.measures.people.columns import files_of
from sdcmetrics.measures.people.equal import bundles_of, equal_records, keys_of
from sdcmetrics.measures.people.levels import Levels
from sdcmetrics.measures.people.power import noticed, rewritten
from tests.measures.people.drawn import people_of, records


def of_keys(keys: Any, n: Any, h: Any, seed: int = 1) -> Any:
    levels = Levels().of(holdout=bool(h))
    return noticed(keys, n, h, levels, np.random.default_rng(seed))


@pytest.mark.parametrize(("h", "least"), [(400, 4), (0, 8)])
@pytest.mark.parametrize("redrawn", [10_000, 100])
def test_where_nobody_has_a_twin_so_many_copied_people_are_noticed(
    h: Any, least: Any, redrawn: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # with a holdout .25^4 <= .004 < .25^3; without .5^8 <= .005 < .5^7
    monkeypatch.setattr(subject, "_REDRAWN", redrawn)
    keys = np.arange(1, 801 + h, dtype=np.uint64) << np.uint64(8)
    assert abs(of_keys(keys, 400, h) - least) <= (1 if redrawn == 100 else 0)


def test_people_who_are_all_alike_hide_every_copy() -> None:
    keys = np.repeat(np.arange(1, 4, dtype=np.uint64) << np.uint64(8), 100)
    assert of_keys(keys, 150, 0) is None


def test_what_it_promises_is_noticed_in_new_files() -> None:
    rng = np.random.default_rng(2)

    def keys(copies: int = 0) -> Any:
        parts = [people_of(rng, 150)[["age", "sex", "region", "status"]] for _ in range(3)]
        parts[2].iloc[:copies] = parts[0].iloc[:copies]
        given = records(*[parts[i] for i in (0, 2, 1)])
        return keys_of(files_of(given, given.names), rng)

    number = of_keys(keys(), 150, 150)
    seen = 0
    for _ in range(60):
        e = equal_records(bundles_of(keys(number), 150, 150), 150, 150)
        void = e.spoke and e.p_label > 0.01
        seen += e.p_label <= 0.002 or (e.p_twins <= 0.004 and not void)
    assert seen >= 50  # 54 are promised; 50 or more in 98 of 100 such tests


def test_bundles_and_single_records_give_the_same_number(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    given = records(*[people_of(rng, 900)[["age", "sex", "region", "status"]] for _ in range(3)])
    keys = keys_of(files_of(given, given.names), rng)
    one_by_one = of_keys(keys, 900, 900)
    monkeypatch.setattr(subject, "_REDRAWN", 100)
    assert of_keys(keys, 900, 900) == pytest.approx(one_by_one, rel=0.2)


def test_a_file_that_writes_otherwise_is_told() -> None:
    rng = np.random.default_rng(4)
    original, replica = people_of(rng, 300), people_of(rng, 300)

    def told(frame: pd.DataFrame) -> Any:
        given = records(original, frame)
        return rewritten(files_of(given, given.names))

    assert told(replica) == ""
    assert told(replica.assign(rent=replica["rent"].round(-2))) == "rent"  # coarser
    assert told(replica.assign(age=replica["age"] + 0.25)) == "age"  # nobody's values
