"""Files of which every record occurs several times, beside a plain count of their records."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.repetition import is_running, rows_once
from sdcmetrics.microdata.arrays import Array
from sdcmetrics.microdata.frames import as_microdata

RNG = np.random.default_rng(5)


def drawn(n: int) -> pd.DataFrame:
    """Draw records of which hardly two are alike, with missing values."""
    income = np.round(np.exp(RNG.normal(8, 1, n)), 2)
    income[RNG.random(n) < 0.1] = np.nan
    job = RNG.choice(["a", "b", "c"], n)
    return pd.DataFrame({"age": RNG.integers(20, 70, n), "income": income, "job": job})


def arrays(frame: pd.DataFrame) -> list[Array]:
    """Return numbers as floats, and codes of the rest."""
    return [
        column.to_numpy(float)
        if pd.api.types.is_numeric_dtype(column)
        else pd.factorize(column)[0].astype(np.int64)
        for _, column in frame.items()
    ]


def tuples(frame: pd.DataFrame) -> list[tuple[object, ...]]:
    filled = frame.assign(income=frame["income"].fillna(-1.0))
    return list(filled.itertuples(index=False, name=None))


@pytest.mark.parametrize("times", [2, 3, 6])
def test_one_in_k_of_each_record_is_left_the_first_in_their_order(times: int) -> None:
    frame = drawn(40)
    frame = pd.concat([frame, frame[:7]])  # of which two are there anyway
    several = pd.concat([frame] * times).sample(frac=1, random_state=1)
    rows = rows_once(arrays(several))
    assert rows is not None
    assert list(rows) == sorted(rows)
    assert Counter(tuples(several.iloc[rows])) == Counter(tuples(frame))
    seen: Counter[tuple[object, ...]] = Counter()
    wanted = Counter(tuples(frame))
    for place, record in enumerate(tuples(several)):
        assert (place in set(rows.tolist())) == (seen[record] < wanted[record])
        seen[record] += 1


def test_a_record_that_occurs_once_more_or_less_is_enough_to_leave_all() -> None:
    frame = drawn(40)
    assert rows_once(arrays(frame)) is None
    assert rows_once(arrays(pd.concat([frame, frame[1:]]))) is None
    assert rows_once(arrays(pd.concat([frame, frame, frame[:1]]))) is None
    assert rows_once([]) is None


def test_of_fewer_than_twenty_records_it_may_be_chance() -> None:
    assert rows_once(arrays(pd.concat([drawn(19)] * 2))) is None
    assert rows_once(arrays(pd.concat([drawn(20)] * 2))) is not None


def test_a_running_number_tells_no_records_apart() -> None:
    several = pd.concat([drawn(40)] * 2, ignore_index=True)
    assert rows_once([np.arange(80.0), *arrays(several)]) is not None
    assert rows_once([np.arange(80.0) * 2, *arrays(several)]) is None
    assert rows_once([np.arange(80.0)]) is None


@pytest.mark.parametrize(
    ("values", "running"),
    [
        (np.arange(3.0, 14.0)[::-1], True),
        (np.arange(3.0, 13.0), False),  # of ten
        (np.arange(11), False),  # codes
        (np.arange(11.0) / 2, False),
        (np.r_[np.arange(10.0), 9.0, 11.0], False),
        (np.r_[np.arange(11.0), 12.0], False),  # a gap
        (np.r_[np.arange(11.0), np.nan], False),
        (np.arange(11.0) + 0.5, False),
    ],
)
def test_running_numbers_have_neither_gaps_nor_repeats(values: Array, *, running: bool) -> None:
    assert is_running(values) is running


ORIGINAL, FRESH, HOLDOUT = drawn(300), drawn(300), drawn(300)
COPIES = pd.concat([ORIGINAL[:60], FRESH[60:]])


@pytest.mark.parametrize("holdout", [None, HOLDOUT])
@pytest.mark.parametrize(("replica", "accused"), [(FRESH, False), (COPIES, True)])
def test_rows_that_were_doubled_change_no_answer(
    replica: pd.DataFrame, holdout: pd.DataFrame | None, *, accused: bool
) -> None:
    several = pd.concat([replica] * 3).sample(frac=1, random_state=2).reset_index(drop=True)
    replica = replica.sample(frac=1, random_state=1)
    files = [sdc.people(ORIGINAL, file, holdout) for file in (replica, several)]
    assert [file.accused for file in files] == [accused, accused]
    assert files[0].hits == files[1].hits
    study = sdc.Study(
        ORIGINAL,
        {"once": replica, "thrice": several},
        keys=["age", "job"],
        targets=["income"],
        holdout=holdout,
        ways=(1, 2),
        candidates=0,
        perturbed=[],
    )
    review = sdc.conduct(study)
    once, thrice = review.decisions.values()
    counted = [(name, fix.what) for name, fix in review.fixes if "decision counts" in fix.what]
    assert counted == [("thrice", "the decision counts one of each 3 equal records")]
    assert once.risk.status == thrice.risk.status
    assert once.utility.status == thrice.utility.status
    assert once.utility.status.value == "within"
    remark = "Its records repeat each other"
    remarks = [remark in str(decision.utility) for decision in (once, thrice)]
    assert remarks == [False, True]


@pytest.mark.parametrize("seed", range(6))
def test_a_file_that_was_expanded_by_weights_is_useful_and_a_shuffled_one_is_not(seed: int) -> None:
    rng = np.random.default_rng(seed)
    times = rng.integers(1, 6, len(FRESH))
    expanded = FRESH.loc[np.repeat(np.arange(len(FRESH)), times)]
    result = sdc.equal_tables(ORIGINAL, expanded)
    assert result.repeats
    assert result.status == "within"
    related = [frame.assign(rent=(frame["age"] * 9).round(-1)) for frame in (ORIGINAL, FRESH)]
    related[1]["rent"] = rng.permutation(related[1]["rent"].to_numpy())
    lost = sdc.equal_tables(related[0], related[1].loc[np.repeat(np.arange(len(FRESH)), times)])
    assert lost.repeats
    assert lost.status == "fail"


def test_where_the_originals_records_occur_as_often_nothing_is_left_out() -> None:
    twice = [pd.concat([frame] * 2) for frame in (ORIGINAL, FRESH)]
    files = [as_microdata(frame, name) for frame, name in zip(twice, "or", strict=True)]
    pair = Pair("r", files[0], files[1:])
    assert pair.once is pair
    assert sdc.people(*twice).files[0].m == 600
    assert sdc.people(ORIGINAL, twice[1]).files[0].m == 300


def test_functions_count_each_record_once_as_a_review_does() -> None:
    several = pd.concat([COPIES] * 2)
    tables = [sdc.equal_tables(ORIGINAL, file) for file in (several, COPIES)]
    pd.testing.assert_frame_equal(tables[0].frame, tables[1].frame)
    assert [of_file.repeats for of_file in tables] == [True, False]
    asked = {"keys": ["age", "job"], "targets": ["income"]}
    twice, once = (
        sdc.excess_disclosure(ORIGINAL, file, HOLDOUT, **asked) for file in (several, COPIES)
    )
    assert twice.questions == once.questions
    related = [frame.assign(rent=frame["age"] // 5) for frame in (ORIGINAL, FRESH)]
    related[1][["job", "rent"]] = (
        related[0][["job", "rent"]].sample(frac=1, random_state=1).to_numpy()
    )
    kept = [sdc.kept_tables(related[0], pd.concat([related[1]] * k)).kept for k in (1, 2)]
    assert kept[0]
    assert kept[0] == kept[1]


def test_that_records_are_repeated_is_stated_though_equal_ones_are_one_draw() -> None:
    times = np.where(np.random.default_rng(6).random(len(FRESH)) < 0.9, 2, 1)
    result = sdc.equal_tables(ORIGINAL, FRESH.loc[np.repeat(np.arange(len(FRESH)), times)])
    assert result.repeats
    assert result.status == "within"


def test_a_few_equal_records_that_cannot_be_are_found_all_the_same() -> None:
    invented = FRESH.copy()
    invented.loc[:24, ["age", "income"]] = 999
    invented.loc[:24, "job"] = "a"
    result = sdc.equal_tables(ORIGINAL, invented)
    assert result.repeats
    assert "values of age in the replica only" in {table.name for table in result.called}
