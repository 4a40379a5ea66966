"""Identifiers of the original in a replica: what is found, what is not, and no value told."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest

from sdcmetrics import Study, identifiers
from sdcmetrics.errors import StudyError
from sdcmetrics.measures.identifiers.chance import Counted, _none_of, label_p, step_of
from sdcmetrics.measures.identifiers.identifiers import look_for_identifiers
from sdcmetrics.measures.identifiers.places import SUBJECT
from sdcmetrics.measures.identifiers.result import IdentifierHit, Identifiers
from sdcmetrics.measures.identifiers.search import share_of
from sdcmetrics.measures.pair import Pair
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.microdata.sources.large import of_memory
from tests.measures.identifiers.populations import KINDS, drawn, mails, names, phones

N = 300
NAMING = {"name", "phone", "account", "lat", "mail", "address", "hash", "member_id"}
MEASURED = {"cents", "euros", "birth", "stamp"}


def three(seed: int, n: int = N) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    rng = np.random.default_rng(seed)
    return drawn(rng, n), drawn(rng, n), drawn(rng, n)


def shuffled(frame: pd.DataFrame, seed: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame({name: rng.permutation(frame[name].to_numpy()) for name in frame})


def by_name(found: Identifiers) -> dict[str, IdentifierHit]:
    return {" ".join(item.columns): item for item in found.each}


class TestLeaks:
    @pytest.mark.parametrize("holdout", [None, N // 5, N])
    @pytest.mark.parametrize("leak", ["verbatim", "shuffled"])
    def test_whole_columns_are_found(self, leak: str, holdout: int | None) -> None:
        original, _, aside = three(1)
        replica = original if leak == "verbatim" else shuffled(original)
        result = identifiers(original, replica, None if holdout is None else aside[:holdout])
        hits = {hit.columns[0] for hit in result.hits if len(hit.columns) == 1}
        assert hits == NAMING
        assert {item.columns[0] for item in result.each if item.taken} >= NAMING | MEASURED
        assert result.status == "review"
        assert result.hits[0].shared == result.hits[0].distinct

    @pytest.mark.parametrize("with_holdout", [False, True])
    def test_one_in_twenty_is_found(self, with_holdout: bool) -> None:
        original, fresh, aside = three(2, 1_000)
        replica = pd.concat([original[:50], fresh[50:]], ignore_index=True)
        result = identifiers(original, replica, aside if with_holdout else None)
        hits = {hit.columns[0] for hit in result.hits}
        assert {"name", "phone", "account", "mail"} <= hits
        mail = by_name(result)["mail"]
        assert 50 <= mail.shared <= 60
        assert mail.expected < 10

    def test_equal_records_speak_where_a_holdout_is_too_small_to(self) -> None:
        original, fresh, aside = three(2)
        replica = pd.concat([original[:40], fresh[40:]], ignore_index=True)
        mail = by_name(identifiers(original, replica, aside[:5]))["mail"]
        assert mail.basis == "holdout"
        assert mail.hit

    def test_columns_that_only_together_name_people(self) -> None:
        rng = np.random.default_rng(3)

        def people(n: int) -> pd.DataFrame:
            return pd.DataFrame(
                {
                    "surname": [f"S{k}" for k in rng.integers(0, 400, n)],
                    "birth_date": pd.Timestamp("1990-01-01")
                    + pd.to_timedelta(rng.integers(0, 700, n), unit="D"),
                    "x": rng.normal(size=n).round(1),
                }
            )

        original, fresh = people(600), people(600)
        pair = "surname birth_date"
        copied = pd.concat([original[:40], fresh[40:]], ignore_index=True)
        assert by_name(identifiers(original, copied))[pair].hit
        assert not by_name(identifiers(original, fresh))[pair].hit
        # the people are not there, only their surnames and their dates
        assert not by_name(identifiers(original, shuffled(original)))[pair].hit

    def test_a_number_that_is_text_in_the_replica_is_the_same_number(self) -> None:
        rng = np.random.default_rng(4)
        original = pd.DataFrame({"insurance_no": rng.integers(10**9, 10**10, 200)})
        replica = original.astype(str).sample(frac=1, random_state=1)
        assert identifiers(original, replica).hits
        floats = original.astype(float).assign(x=1)
        assert identifiers(floats, replica).hits[0].shared == 200

    def test_a_phone_is_the_same_however_it_is_written(self) -> None:
        original = pd.DataFrame({"v": phones(np.random.default_rng(5), 200)})
        replica = original.assign(v=original["v"].str.replace(" ", "").str.replace("+", "00"))
        assert identifiers(original, replica).hits[0].shared == 200

    def test_values_in_few_records_count_beside_those_that_have_one(self) -> None:
        rng = np.random.default_rng(6)
        original = pd.DataFrame({"mail": mails(rng, 300)})
        original.loc[60:, "mail"] = None
        result = identifiers(original, shuffled(original))
        assert (result.hits[0].records, result.hits[0].distinct) == (60, 60)

    def test_a_replica_many_times_as_long(self) -> None:
        original, *_ = three(7)
        rows = np.random.default_rng(7).integers(0, N, 20 * N)
        result = identifiers(original[["mail"]], original[["mail"]].iloc[rows])
        assert result.hits


class TestNoLeak:
    def test_fresh_people_share_what_chance_gives(self) -> None:
        alarms = {None: 0, N // 5: 0}
        for seed in range(25):
            original, fresh, aside = three(100 + seed)
            for holdout in alarms:
                result = identifiers(original, fresh, None if holdout is None else aside[:holdout])
                alarms[holdout] += any(item.taken for item in result.each)
        # Binomial(25, 1 %): two or more in one of 38 cases
        assert max(alarms.values()) <= 1

    def test_a_running_number_is_named_and_no_hit(self) -> None:
        original, fresh, aside = three(8)
        for holdout in (None, aside):
            record = by_name(identifiers(original, fresh, holdout))["record"]
            assert (record.running, record.hit, record.shared) == (True, False, N)
            assert "number the records" in record.sentence(("x.csv",))
        text = pd.DataFrame({"key": [f"A{k:04d}" for k in range(1, N + 1)]})
        assert by_name(identifiers(text, text[::-1]))["key"].running

    def test_numbers_of_a_short_list_meet_by_chance(self) -> None:
        hits = 0
        for seed in range(20):
            rng = np.random.default_rng(seed)
            original, fresh = (
                pd.DataFrame({"member_id": rng.choice(1_000, 300, replace=False)}) for _ in "ab"
            )
            result = by_name(identifiers(original, fresh))["member_id"]
            hits += result.hit
            assert result.expected == pytest.approx(result.shared, abs=45)
        assert hits <= 1

    def test_a_holdout_clears_a_register_that_was_sampled_twice(self) -> None:
        register = pd.Series([f"Firm {hash((k, 'x')) % 10**12}" for k in range(1_500)])
        rng = np.random.default_rng(9)
        rows = rng.permutation(1_500)
        original, aside = (
            pd.DataFrame({"firm": register[part]}) for part in (rows[:500], rows[500:1000])
        )
        fresh = pd.DataFrame({"firm": register[rng.choice(1_500, 500, replace=False)]})
        assert identifiers(original, fresh).hits  # nothing tells them apart
        assert not identifiers(original, fresh, aside).hits

    def test_a_holdout_of_other_numbers_is_not_used(self) -> None:
        rng = np.random.default_rng(10)
        original, aside, fresh = (
            pd.DataFrame({"case_id": np.sort(rng.choice(3_000, 600, replace=False)) + start})
            for start in (0, 10**6, 0)
        )
        result = identifiers(original, fresh, aside)
        assert not result.hits
        assert "case_id" in result.holdout
        assert result.each[0].basis == "equal records"

    def test_columns_shuffled_one_by_one_hold_quantities_and_nobody(self) -> None:
        rng = np.random.default_rng(11)
        original = pd.DataFrame(
            {"income": np.round(rng.lognormal(10, 1, N), 2), "z": rng.normal(size=N)}
        )
        result = identifiers(original, shuffled(original))
        assert not result.hits
        assert all(item.taken for item in result.each)
        assert result.status == "within"


class TestFiles:
    def test_a_file_can_only_add_a_hit(self) -> None:
        original, *fresh = three(12)
        copied = [pd.concat([original[:15], fresh[0][15:]], ignore_index=True)]
        first = by_name(identifiers(original, copied))["mail"]
        assert first.hit
        more = by_name(identifiers(original, [*copied, *fresh, *fresh, *fresh, *fresh]))["mail"]
        assert more.hit
        assert more.p <= first.p
        assert more.by_file[0] == first.by_file[0]

    def test_people_spread_over_files_are_found_together(self) -> None:
        rng = np.random.default_rng(13)
        original = pd.DataFrame({"tel": phones(rng, 400)})
        files = [
            pd.concat([original[4 * i : 4 * i + 4], pd.DataFrame({"tel": phones(rng, 396)})])
            for i in range(8)
        ]
        assert not any(identifiers(original, file).hits for file in files)
        assert identifiers(original, files).hits

    def test_a_column_that_no_file_has_is_absent(self) -> None:
        original, fresh, _ = three(14)
        result = identifiers(original, fresh.drop(columns="mail"))
        assert "mail" in result.absent
        both = identifiers(original, [fresh.drop(columns="mail"), original])
        assert by_name(both)["mail"].by_file == (0, N)


class TestWords:
    def test_no_value_is_told(self) -> None:
        original, _, aside = three(15)
        result = identifiers(original, original, aside)
        text = " ".join([repr(result), *map(repr, result.each), *result.sentences()])
        assert not any(str(value) in text for value in original["mail"])
        assert not any(str(value) in text for value in original["name"])
        assert "mail: 300 different values in 300 records; 300 of them stand in synthetic" in text
        assert "Drop it from the replica." in text

    def test_columns_that_identify_only_together_are_no_question(self) -> None:
        rng = np.random.default_rng(18)
        original, fresh = (
            pd.DataFrame(
                {name: rng.choice([f"{name}{i}" for i in range(99)], 300) for name in "ab"}
            )
            for _ in range(2)
        )
        result = identifiers(original, fresh)
        assert [entry.columns for entry in result.each] == [("a", "b")]
        assert not result.suspects
        assert identifiers(original, original).hits

    def test_what_looks_like_an_identifier_is_asked_about(self) -> None:
        original, fresh, _ = three(16)
        suspects = {
            suspect.columns[0]: suspect.reason for suspect in identifiers(original, fresh).suspects
        }
        assert suspects["account"] == "looks like a bank account (IBAN): 100 % of values"
        assert suspects["mail"] == "looks like an e-mail address: 100 % of values"
        assert suspects["phone"] == "looks like a phone number: 100 % of values"
        assert suspects["member_id"] == "nearly every record has a value of its own"
        assert "euros" not in suspects


def test_it_is_the_same_in_every_order_and_frame() -> None:
    original, _, aside = three(17)
    replica = shuffled(original)
    first = identifiers(original, replica, aside)
    again = identifiers(
        pl.from_pandas(original.sample(frac=1, random_state=3)),
        pl.from_pandas(replica[replica.columns[::-1]]),
        pl.from_pandas(aside),
    )
    assert {k: v.shared for k, v in by_name(first).items()} == {
        k: v.shared for k, v in by_name(again).items()
    }
    assert {hit.columns for hit in first.hits} == {hit.columns for hit in again.hits}


def test_a_kind_gives_the_result_once_per_replica_columns_left_out_included() -> None:
    original, fresh, aside = three(18)
    frames = {"leak": [fresh, original], "fresh": fresh}
    study = Study(
        original,
        frames,
        holdout=aside,
        keys=["sex"],
        targets=["postcode"],
        variables=["sex", "postcode"],
    )
    (kind,) = SUBJECT.kinds
    shared: dict[object, object] = {}
    results = {}
    for name, syntheses in study.replicas.items():
        pair = Pair(
            name,
            study.original,
            syntheses,
            study.holdout,
            variables=study.options.variables,
            shared=shared,
        )
        (given,) = kind.places(pair, study, lambda _: None)
        results[name] = given.result
    assert "mail" in {hit.columns[0] for hit in results["leak"].hits}
    assert not results["fresh"].hits


def test_files_that_are_counted_in_batches_give_the_same() -> None:
    original, _, aside = three(21)
    frames = [
        as_microdata(item, name) for item, name in ((original, "o"), (original, "s"), (aside, "h"))
    ]
    in_memory = look_for_identifiers(frames[0], frames[1:2], frames[2])
    counted = [of_memory(frame) for frame in frames]
    batches = look_for_identifiers(counted[0], counted[1:2], counted[2])
    alone = {k: (v.hit, v.shared) for k, v in by_name(in_memory).items() if len(v.columns) == 1}
    assert alone == {k: (v.hit, v.shared) for k, v in by_name(batches).items()}


def test_a_level_beyond_0_and_1_is_refused() -> None:
    original, fresh, _ = three(19)
    for level in (0.0, 1.0):
        with pytest.raises(StudyError, match="level: expected a number between 0 and 1"):
            identifiers(original, fresh, level=level)


def test_files_share_the_level_twice_over_at_most() -> None:
    shares = [share_of(file) for file in range(1, 5)]
    assert shares == [1, pytest.approx(1 / 12), pytest.approx(1 / 24), pytest.approx(1 / 40)]


def test_as_many_values_of_the_holdout_are_no_sign() -> None:
    # one of three of the original, one of three of the holdout: at least one of two in 12 of 15
    here, there = np.array([1, 1, 1, 0, 0, 0]), np.array([0, 0, 0, 1, 1, 1])
    replica = np.array([1, 0, 0, 1, 0, 0])
    counted = Counted(here, replica, there, 3, 3)
    assert counted.marked == (1, 1)
    assert counted.shared == 1
    assert label_p(counted) == pytest.approx(12 / 15)
    assert label_p(Counted(here, 0 * replica, there, 3, 3)) == 1


def test_three_hundred_columns_are_looked_at() -> None:
    rows = 3_000
    rng = np.random.default_rng(20)
    frame = pd.DataFrame(rng.normal(size=(rows, 300)), columns=[f"v{i}" for i in range(300)])
    frame = frame.assign(name=names(rng, rows))
    result = identifiers(frame, frame.sample(frac=1, random_state=1))
    together = tuple(f"v{i}" for i in range(30))  # of so many pairs are made
    assert [hit.columns for hit in result.hits] == [("name",), together]
    assert result.hits[1].name == "v0, v1, v2 and 27 more columns"
    assert len(result.each) == len(frame.columns) + 1


def test_every_kind_is_one_of_those_tested() -> None:
    assert NAMING | MEASURED | {"postcode"} == set(KINDS)


def test_the_chance_that_none_is_drawn_is_hypergeometric() -> None:
    result = _none_of(10, np.array([0, 3, 6, 7]), 4)
    assert result == pytest.approx([math.comb(10 - k, 4) / math.comb(10, 4) for k in (0, 3, 6, 7)])


@pytest.mark.parametrize(
    ("values", "step"),
    [
        ([3.0], 1),
        ([0, 5, 15], 5),
        ([0, 2, 5], 1),
        ([4, 4], 1),
        ([0.0, 3 * 2.0**80, 5 * 2.0**80], 2.0**80),
    ],
)
def test_a_step_is_what_all_differences_are_multiples_of(values: list[float], step: int) -> None:
    assert step_of(np.array(values, dtype=float)) == step
