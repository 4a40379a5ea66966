"""Which tables a replica keeps, of which files, beside which people."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.decision.record import recalled, record
from sdcmetrics.decision.status import Status
from sdcmetrics.errors import ColumnError, StudyError
from sdcmetrics.measures.homogeneity import calendar_days
from sdcmetrics.measures.homogeneity.calendar_days import fixed_by_calendar
from sdcmetrics.measures.homogeneity.kept_tables import kept_tables, kept_tables_of
from sdcmetrics.measures.homogeneity.places import KEPT_TABLES
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.survey.sample import Sample
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.microdata.sources.large import of_memory
from sdcmetrics.review.conduct import conduct
from sdcmetrics.review.decided import states_of
from sdcmetrics.study.profile import load_profile
from sdcmetrics.study.study import Study


def people(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    trait = rng.normal(size=n)
    return pd.DataFrame(
        {
            "job": np.clip(np.round(2 * trait + rng.normal(size=n) + 6), 0, 12).astype(int),
            "town": np.array(list("abcdefghijkl"))[rng.integers(0, 12, n)],
            "income": np.round(np.exp(trait + rng.normal(size=n)), 2),
            "age": rng.integers(18, 90, n),
        }
    )


@pytest.fixture(scope="module")
def original() -> pd.DataFrame:
    return people(500, 1)


def with_kept(original: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Return other people whose job and town are one person's of the original."""
    out = people(len(original), seed)
    out[["job", "town"]] = original[["job", "town"]].sample(frac=1, random_state=seed).to_numpy()
    return out.astype({"job": int})


@pytest.mark.parametrize("seed", [2, 3, 4])
def test_columns_that_stay_together_keep_their_table(original: pd.DataFrame, seed: int) -> None:
    result = kept_tables(original, with_kept(original, seed))
    assert [table.name for table in result.kept] == ["job by town"]
    assert result.tables == 6
    table = result.kept[0]
    assert table.synthesis == 1
    assert table.ratio < 0.5
    assert table.p < 0.001
    assert kept_tables(original, with_kept(original, seed), people(300, 9)).kept == result.kept


@pytest.mark.parametrize("size", [100, 500, 2500])
def test_people_and_draws_keep_none(original: pd.DataFrame, size: int) -> None:
    assert not kept_tables(original, people(size, 8)).kept
    assert not kept_tables(original, original.sample(size, replace=True, random_state=8)).kept
    rng = np.random.default_rng(8)
    alone = original.apply(lambda column: rng.permutation(column.to_numpy()))
    assert not kept_tables(original, alone).kept


@pytest.mark.parametrize("unit", [1, 0.1, None])
def test_numbers_of_which_there_are_few_are_levels_as_well(unit: float | None) -> None:
    # Of 40 towns by 30 jobs, either of which is a number: five groups of them hide small counts.
    def of(seed: int) -> pd.DataFrame:
        rng = np.random.default_rng(seed)
        town = rng.integers(0, 40, 3000)
        out = pd.DataFrame(
            {"town": 100 + town, "job": (town + rng.poisson(5, 3000)) % 30, "age": town % 7 / 2}
        )
        return out * unit if unit else out.astype({"town": str, "job": str})

    original, replica, fresh = of(1), of(2), of(3)
    columns = ["town", "job"]
    replica[columns] = original[columns].sample(frac=1, random_state=1).to_numpy()
    result = kept_tables(original, replica)
    assert [table.name for table in result.kept] == ["town by job"]
    assert result.tables == 3
    assert not kept_tables(original, fresh).kept
    # more tables where a column is of numbers
    alone = kept_tables(original[columns], replica[columns]).kept[0].p
    assert result.kept[0].p == pytest.approx(alone * (6 / 2 if unit else 3 + 2), rel=1e-6, abs=0)


def test_of_a_copy_of_many_columns_enough_tables_are_named() -> None:
    rng = np.random.default_rng(2)
    original = pd.DataFrame({f"c{i}": rng.choice(list("abcdefghij"), 300) for i in range(16)})
    result = kept_tables(original, original.sample(frac=1, random_state=1))
    assert (len(result.kept), result.tables) == (100, 120)
    assert [table.p for table in result.kept] == sorted(table.p for table in result.kept)


@pytest.mark.parametrize("seed", range(3))
def test_where_one_column_nearly_follows_from_another_draws_keep_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 88, 600)
    born = 2024 - age - rng.integers(0, 2, 600)  # a birthday before or after the interview
    original = pd.DataFrame({"age": age, "born": born, "code": [f"c{year}" for year in born]})
    for size in (600, 3000):
        drawn = original.iloc[rng.integers(0, 600, size)].reset_index(drop=True)
        assert not kept_tables(original, drawn).kept


def test_the_file_that_keeps_a_table_is_named(original: pd.DataFrame) -> None:
    files = [people(500, 2), with_kept(original, 3), people(500, 4)]
    assert [table.synthesis for table in kept_tables(original, files).kept] == [2]
    first = kept_tables(original, files[1]).kept[0]
    assert kept_tables(original, files).kept[0].p == pytest.approx(6 * first.p, rel=1e-12, abs=0)


def test_a_table_that_the_holdout_keeps_is_fixed_by_a_design() -> None:
    # In each wave the same number of each town, whoever is asked; towns have other shares.
    def wave(seed: int) -> pd.DataFrame:
        rng = np.random.default_rng(seed)
        towns = np.repeat(np.arange(12), [1, 2, 3, 4, 5, 6, 2, 3, 4, 5, 6, 7])
        shift = np.arange(12) % 3
        frame = [
            pd.DataFrame({"wave": w, "town": np.roll(towns, 5 * w)[: 30 + 6 * w]}) for w in range(6)
        ]
        out = pd.concat(frame, ignore_index=True)
        return out.assign(age=rng.integers(18, 80, len(out)), group=shift[out["town"]])

    original, replica, holdout = wave(1), wave(2), wave(3)
    assert kept_tables(original, replica, variables=["wave", "town", "age"]).kept
    assert not kept_tables(original, replica, holdout, variables=["wave", "town", "age"]).kept
    alone = [frame[["wave", "town", "age"]] for frame in (original, replica, holdout)]
    assert kept_in(paired(*alone[:2]))
    assert kept_in(paired(*alone)) == []


def test_a_level_and_columns_can_be_asked_for(original: pd.DataFrame) -> None:
    replica = with_kept(original, 2)
    assert not kept_tables(original, replica, level=1e-30).kept
    for level in (0.0, 1.0, 2.0):
        with pytest.raises(StudyError, match="between 0 and 1"):
            kept_tables(original, replica, level=level)
    assert not kept_tables(original, replica, variables=["job", "income", "age"]).kept
    assert sdc.kept_tables is kept_tables


def kept_in(pair: Pair, sample: Sample | None = None) -> list[str] | None:
    """Return the tables that a review calls; None where it does not ask."""
    plan: Any = SimpleNamespace(sample=sample, judging=load_profile())
    (result,) = [each.result for each in KEPT_TABLES.places(pair, plan, lambda _: None)] or [None]
    return None if result is None else [table.name for table in result.kept]


def paired(
    original: pd.DataFrame, replica: pd.DataFrame, holdout: pd.DataFrame | None = None
) -> Pair:
    data = [as_microdata(frame, f"file {i}") for i, frame in enumerate((original, replica))]
    return Pair("r", data[0], data[1:], None if holdout is None else as_microdata(holdout, "held"))


def test_a_review_asks_it_of_records_that_stand_alone(original: pd.DataFrame) -> None:
    replica = with_kept(original, 2)
    assert kept_in(paired(original, replica)) == ["job by town"]
    assert kept_in(paired(original, replica, people(400, 9))) == ["job by town"]
    assert kept_in(paired(original, people(500, 9), people(400, 10))) == []


def in_batches(pair: Pair) -> Pair:
    """Return the same files as those that are counted batch by batch."""
    first, *replicas = (of_memory(data) for data in (pair.original, *pair.syntheses))
    aside = None if pair.holdout is None else of_memory(pair.holdout)
    return Pair("r", first, replicas, aside)


def test_files_too_large_for_memory_keep_the_same_tables(original: pd.DataFrame) -> None:
    files = (with_kept(original, 2), people(500, 9), original.sample(frac=1, random_state=1))
    for replica in files:
        for pair in (paired(original, replica), paired(original, replica, people(400, 9))):
            assert kept_in(in_batches(pair)) == kept_in(pair)
    pair = paired(original, files[0])
    whole, counted = (kept_tables_of(each.data) for each in (pair, in_batches(pair)))
    assert counted == whole
    assert whole.tables == 6


def test_in_batches_records_of_strata_or_that_belong_together_are_not_asked(
    original: pd.DataFrame,
) -> None:
    pair = in_batches(paired(original, with_kept(original, 2)))
    for named in ({"strata": ["town"]}, {"cluster": "job"}):
        assert kept_in(pair, Sample(pair.original, **named)) is None
    assert kept_in(pair, Sample(pair.original, weight="age")) == ["job by town"]
    together = original.assign(hid=np.arange(500) // 4)
    assert kept_in(in_batches(paired(together, together))) is None


def test_a_review_asks_it_of_rows_that_belong_together(original: pd.DataFrame) -> None:
    homes = np.repeat(np.arange(125), 4)
    first, kept, other = (
        frame.assign(hid=homes) for frame in (original, with_kept(original, 2), people(500, 9))
    )
    assert kept_in(paired(first, kept)) == ["job by town"]  # it looks like a household
    assert kept_in(paired(first, other)) == []
    named = Sample(as_microdata(first, "file 0"), cluster="hid")
    assert kept_in(paired(original, with_kept(original, 2)), named) == ["job by town"]
    assert kept_in(paired(original, people(500, 9)), named) == []


def test_a_review_asks_it_of_records_that_are_repeated(original: pd.DataFrame) -> None:
    times = np.random.default_rng(1).integers(2, 5, len(original))
    files = (original, people(500, 9), with_kept(original, 2))
    first, fresh, kept = (frame.loc[np.repeat(frame.index, times)] for frame in files)
    assert kept_in(paired(first, fresh)) == []
    assert kept_in(paired(first, kept)) is not None


def rotating(n: int, seed: int) -> pd.DataFrame:
    """Return a panel: persons are asked in four quarters in a row, in any of twelve from the first.

    In each quarter of a cohort there are all of its persons, whoever they are.
    """
    rng = np.random.default_rng(seed)
    first, age = np.sort(rng.integers(0, 12, n)), rng.integers(18, 90, n)
    quarter = (first[:, None] + np.arange(4)).ravel()
    names = np.array([f"{q:02}" for q in range(16)])
    return pd.DataFrame(
        {
            "pid": np.repeat(np.arange(n), 4),
            "cohort": names[np.repeat(first, 4)],
            "quarter": names[quarter],
            "age": np.repeat(age, 4) + quarter // 4,
        }
    )


@pytest.mark.parametrize("seed", [0, 2])
def test_what_all_drawn_clusters_have_is_not_kept(seed: int) -> None:
    panel = rotating(60, seed)
    persons = pd.DataFrame({"pid": np.random.default_rng(seed).integers(0, 60, 60)})
    drawn = persons.merge(panel, on="pid")[panel.columns]
    records = [frame.drop(columns="pid") for frame in (panel, drawn)]
    assert [table.name for table in kept_tables(*records).kept] == ["cohort by quarter"]
    assert not kept_tables(panel, drawn, cluster="pid").kept
    assert not kept_tables(panel, drawn.drop(columns="pid"), cluster="pid").kept


def test_of_persons_who_stay_as_they_are_counts_vary_more_and_are_kept_all_the_same() -> None:
    def panel(seed: int) -> pd.DataFrame:
        persons = people(150, seed).assign(pid=np.arange(150))[["pid", "job", "town"]]
        persons["job"] = "job " + persons["job"].astype(str)
        five = persons.loc[np.repeat(np.arange(150), 5)].reset_index(drop=True)
        return five.assign(wave=np.tile(list("abcde"), 150))

    original, fresh, replica = panel(1), panel(2), panel(3)
    columns = ["job", "town"]
    replica[columns] = original[columns].sample(frac=1, random_state=1).to_numpy()
    result = kept_tables(original, replica, cluster="pid")
    assert [table.name for table in result.kept] == ["job by town"]
    assert result.kept[0].p == kept_tables(original[columns], replica[columns]).kept[0].p * 3
    assert not kept_tables(original, fresh, cluster="pid").kept


def test_a_cluster_is_a_column_of_the_original_and_no_table(original: pd.DataFrame) -> None:
    first, kept = (
        frame.assign(hid=np.repeat(np.arange(125), 4))
        for frame in (original, with_kept(original, 2))
    )
    result = kept_tables(first, kept, people(300, 9), cluster="hid")
    assert [table.name for table in result.kept] == ["job by town"]
    assert result.tables == 6
    with pytest.raises(ColumnError, match=r"original: there is no column 'hit'.*'hid'"):
        kept_tables(first, kept, cluster="hit")


def test_what_strata_fix_is_no_kept_table(original: pd.DataFrame) -> None:
    # Quotas by town and job, the same in every sample.
    replica = with_kept(original, 2)
    both = [
        frame.assign(quota=frame["town"] + frame["job"].astype(str))
        for frame in (original, replica)
    ]
    sample = Sample(as_microdata(both[0], "file 0"), strata="quota", lonely="adjust")
    plain = [frame.drop(columns="quota") for frame in both]
    assert kept_in(paired(*plain)) == ["job by town"]
    assert kept_in(paired(*plain), sample) == []
    by_town = Sample(as_microdata(both[0], "file 0"), strata="town")
    assert kept_in(paired(*plain), by_town) == ["job by town"]


def diary(rng: np.random.Generator) -> pd.DataFrame:
    """Return what was counted on each of 100 days."""
    days = pd.date_range("2024-01-15", periods=100)
    return pd.DataFrame(
        {
            "day": days,
            "of_month": days.day,
            "of_week": days.day_name(),
            "births": rng.poisson(9, 100),
            "ward": rng.integers(0, 9, 100),
        }
    )


def test_what_a_calendar_fixes_is_no_kept_table() -> None:
    rng = np.random.default_rng(1)
    original = diary(rng)
    for _ in range(40):
        assert kept_tables(original, diary(rng)).kept == ()
    assert kept_in(paired(original, diary(rng))) == []
    pair = paired(original, diary(rng).assign(ward=original["ward"]))
    for each in (pair, in_batches(pair)):
        kept = kept_in(each)
        assert sorted(kept or ()) == ["day by ward", "of_month by ward", "of_week by ward"]
    # of days that were drawn the calendar fixes no counts
    drawn = original.iloc[rng.integers(0, 100, 300)]
    assert "day by of_week" in (kept_in(paired(drawn, drawn.sample(frac=1))) or ())


def test_a_calendar_fixes_the_same_columns_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    # Of one month: the day of the month has as many values as there are days.
    original = diary(np.random.default_rng(1)).iloc[17:45].drop(columns=["births", "ward"])
    mixed = original.assign(of_week=sorted(original["of_week"]))
    pair = paired(original, mixed)  # only the original's days count
    for each in (pair, in_batches(pair)):
        assert fixed_by_calendar(each.data) == {"day", "of_month", "of_week"}
    for cells, fixed in ((28 * 7, {"day", "of_week"}), (28 * 7 - 1, {"day"})):
        monkeypatch.setattr(calendar_days, "MOST_CELLS", cells)
        assert fixed_by_calendar(in_batches(pair).data) == fixed


def test_kept_tables_are_for_review_and_so_recorded(original: pd.DataFrame) -> None:
    replicas = {"r": with_kept(original, 2), "fresh": people(500, 7)}
    review = conduct(Study(original, replicas, keys=["age", "town", "job"], targets=["income"]))
    called, other = (review.decisions[name].risk for name in replicas)
    texts = [each.text for each in called.statements if each.text.startswith("Small counts")]
    assert [": job by town. Values" in text for text in texts] == [True]
    assert called.status is Status.REVIEW
    assert not any("Small counts" in each.text for each in other.statements)
    assert other.status is Status.WITHIN
    state = states_of(review, load_profile("default"))["r"]
    facts = record(state, None, None)
    assert facts["kept"] is True
    assert recalled(facts, (), tables=None, excess=None).kept
    del facts["kept"]  # results of earlier versions
    assert not recalled(facts, (), tables=None, excess=None).kept


@pytest.mark.parametrize("teams", [10, 20])
def test_games_of_everybody_with_everybody_keep_no_table(teams: int) -> None:
    # Once at home and once away: less than one game a cell, as nobody plays against oneself.
    def season(seed: int) -> pd.DataFrame:
        rng = np.random.default_rng(seed)
        home, away = np.nonzero(~np.eye(teams, dtype=bool))
        return pd.DataFrame({"home": home, "away": away, "goals": rng.poisson(1.5, len(home))})

    for seed in range(3):
        first, other = (season(2 * seed + i).astype({"home": str, "away": str}) for i in (0, 1))
        assert not kept_tables(first, other).kept
