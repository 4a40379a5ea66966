"""Remedies: who is listed, why, and that what is listed helps."""

from __future__ import annotations

import doctest
import math
from functools import cache
from itertools import chain, combinations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.errors import ColumnError, StudyError
from sdcmetrics.review.coarser_keys import coarser_keys
from sdcmetrics.review.remedies import _alone_by, _match_risk

KEYS = ["age", "town", "job"]


def drawn(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 40, n)
    return pd.DataFrame(
        {
            "age": age,
            "town": rng.choice(list("abcd"), n),
            "job": rng.choice(list("xyz"), n),
            "ill": np.where(rng.random(n) < age / 50, "yes", "no"),
            "pay": rng.normal(age, 5, n).round(1),
        }
    )


@cache
def review() -> sdc.Review:
    original = drawn(150, 1)
    moved = original.assign(age=np.random.default_rng(3).permutation(original["age"]))
    moved.iloc[:5] = original.iloc[:5]
    return sdc.conduct(
        sdc.Study(
            original,
            {"fresh": [drawn(150, 2), drawn(120, 4)], "moved": moved},
            keys=KEYS,
            targets=["ill"],
            holdout=drawn(100, 5),
            attacks={"kinds": "membership", "links": {"moved": "row"}},
            ways=(1,),
            perturbed=[],
            candidates=0,
            population_size=1_500,
        ),
        reference_values=False,
    )


@cache
def found() -> sdc.Remedies:
    return sdc.remedies(review())


class TestTheTable:
    def test_lists_who_is_unique_or_disclosed_as_the_review_counts_them(self) -> None:
        table = found().table
        for (replica, scenario, _), result in review().disclosures.items():
            rows = table[(table["replica"] == replica) & (table["scenario"] == scenario)]
            for column, risk in (("unique", "repU"), ("learnt", "DiSCO")):
                listed = rows[rows[column].astype(bool)].groupby("record").size()
                expected = result.records_at_risk[risk]
                assert listed.to_dict() == expected[expected > 0].to_dict()

    def test_names_the_replica_records_that_show_somebody(self) -> None:
        original = review().study.original.table.to_pandas()
        moved = review().study.replicas["moved"][0].table.to_pandas()
        rows = found().table.query("replica == 'moved'")
        for row in rows.itertuples():
            columns = list(original.columns) if row.copied else KEYS
            same = (moved[columns] == original.loc[row.record, columns]).all(axis=1)
            assert row.replica_records == tuple(np.flatnonzero(same))

    def test_finds_copies_and_drops_them(self) -> None:
        copied = found().table.query("replica == 'moved' and copied")
        assert set(range(5)) <= set(copied["record"])
        assert set(copied["action"]) == {"drop"}

    def test_a_record_is_alone_in_both_by_the_keys_that_are_named_and_by_no_fewer(self) -> None:
        original = review().study.original.table.to_pandas()
        moved = review().study.replicas["moved"][0].table.to_pandas()

        def alone_by(record: int) -> str:
            person = original.loc[record]
            for names in chain.from_iterable(combinations(KEYS, size) for size in (1, 2, 3)):
                keys = list(names)
                times = [
                    (file[keys] == person[keys]).all(axis=1).sum() for file in (original, moved)
                ]
                if times == [1, 1]:
                    return ", ".join(names)
            return ""

        rows = found().table.query("replica == 'moved'").iloc[::3]
        assert rows["alone_by"].tolist() == [alone_by(record) for record in rows["record"]]
        assert rows["alone_by"].nunique() > 2

    def test_says_how_sure_an_intruder_can_be(self) -> None:
        table = found().table
        risk = sdc.match_risk(review().study.original, keys=KEYS, population_size=1_500).risk
        assert table["match_risk"].unique().tolist() == [risk]
        tcap = review().frame.query("metric == 'TCAP_certain' and replica == 'moved'")["value"]
        sure = table.query("replica == 'moved' and learnt != ''")["certain_right"]
        assert sure.unique() == pytest.approx(tcap.iloc[0] / 100)

    def test_tells_whom_the_attacks_find(self) -> None:
        moved = found().table.query("replica == 'moved'").set_index("record")
        assert moved["among_nearest"].loc[range(5)].all()
        assert (moved["link"].loc[range(5)] != "safe").all()
        assert (found().table.query("replica == 'fresh'")["link"] == "").all()


class TestTheEffect:
    def test_is_what_a_review_of_the_remedied_replica_finds(self) -> None:
        study = review().study
        for i, data in enumerate(study.replicas["fresh"], start=1):
            replica = data.table.to_pandas().astype(object)
            rows = found().table.query(f"replica == 'fresh' and synthesis == {i}")
            drop: list[int] = []
            for row in rows.itertuples():
                if row.action == "blank":
                    replica.loc[list(row.replica_records), row.key] = None
                else:
                    drop += row.replica_records
            effect = found().effect.query(f"replica == 'fresh' and synthesis == {i}").iloc[0]
            assert effect["dropped"] == len(set(drop))
            assert effect["blanked"] == int(replica.drop(index=drop)[KEYS].isna().any(axis=1).sum())
            after = sdc.disclosure(
                study.original, replica.drop(index=drop), keys=KEYS, target="ill"
            )
            assert after.records_at_risk["repU"].sum() == effect["unique_after"]
            assert after.records_at_risk["DiSCO"].sum() == effect["learnt_after"]
            assert effect["unique_after"] < effect["unique"]

    def test_a_blank_leaves_a_crowd_that_does_not_agree(self) -> None:
        blanked = found().table.query("replica == 'fresh' and action == 'blank' and synthesis == 1")
        original = review().study.original.table.to_pandas()
        replica = review().study.replicas["fresh"][0].table.to_pandas()
        assert len(blanked)
        for row in blanked.itertuples():
            rest = [key for key in KEYS if key != row.key]
            crowd = replica[(replica[rest] == original.loc[row.record, rest]).all(axis=1)]
            assert len(crowd) >= 3
            assert not row.learnt or len(set(crowd["ill"])) > 1


class TestRiskByGroup:
    def test_is_the_mean_of_each_level_and_how_unequal_all_are(self) -> None:
        rng = np.random.default_rng(0)
        frame, risk = pd.DataFrame({"g": rng.choice(list("ab"), 60)}), rng.random(60)
        result = sdc.risk_by_group(frame, risk, by="g")
        for level, row in result.table.iterrows():
            own = risk[frame["g"] == level]
            assert row["mean"] == pytest.approx(own.mean())
            assert row["share_of_risk"] == pytest.approx(own.sum() / risk.sum())
        gaps = np.abs(risk[:, None] - risk[None, :]).sum()  # the definition
        assert result.gini == pytest.approx(gaps / (2 * 60 * risk.sum()))

    def test_nobody_at_risk_is_not_concentrated(self) -> None:
        assert math.isnan(sdc.risk_by_group(pd.DataFrame({"g": ["a", "b"]}), [0, 0], by="g").gini)

    def test_refuses_another_column_and_another_length(self) -> None:
        frame = pd.DataFrame({"g": ["a", "b"]})
        with pytest.raises(ColumnError, match="'h' is not a column"):
            sdc.risk_by_group(frame, [0, 0], by="h")
        with pytest.raises(StudyError, match="each of 2 records"):
            sdc.risk_by_group(frame, [0], by="g")


def test_the_risk_of_a_match_counts_records_and_not_kinds_of_record() -> None:
    # of the six kinds of record two are alike in their keys; so many records are of each kind
    keys = np.array([[0, 0, 1, 2, 3, 4], [0, 0, 1, 1, 0, 0]])
    times = np.array([1, 1, 1, 2, 3, 1])
    original: Any = SimpleNamespace(keys=keys, times=times)
    coded: Any = SimpleNamespace(population=90)
    # 9 records of 90 people: two are unique, two keys have two records
    assert _match_risk(coded, original) == pytest.approx(2 / (2 + 2 * (1 - 0.1) * 2 / 0.1))
    assert math.isnan(_match_risk(SimpleNamespace(population=None), original))  # type: ignore[arg-type]


def test_nobody_is_alone_of_whom_either_file_has_two_or_the_replica_none() -> None:
    original: Any = SimpleNamespace(
        keys=np.array([[0, 1, 2, 3, 5]]), times=np.array([1, 1, 2, 1, 1])
    )
    replica: Any = SimpleNamespace(
        keys=np.array([[0, 0, 1, 2, 3]]), times=np.array([1, 1, 1, 1, 2])
    )
    coded: Any = SimpleNamespace(keys=("age",))
    assert _alone_by(coded, original, replica, np.arange(5)) == ["", "age", "", "", ""]


def test_the_example_of_the_docs_is_true() -> None:
    page = Path(__file__).parents[2] / "docs/remedies.md"
    assert doctest.testfile(str(page), module_relative=False).failed == 0


def test_of_a_replica_that_is_mostly_the_original_the_notes_say_that_none_helps() -> None:
    original = drawn(60, 1)
    half = pd.concat([original[:29], drawn(31, 2)]).sample(frac=1, random_state=1)
    most = pd.concat([original[:40], drawn(20, 2)])
    replicas = {"half": half, "most": [half, most], "all": original, "fresh": drawn(60, 3)}
    study = sdc.Study(original, replicas, keys=["age"], targets=["ill"], ways=(1,), perturbed=[])
    result = sdc.remedies(sdc.conduct(study, holdout=False))
    end = " holds the original, or most of it: do not hand it out"
    assert result.notes == (f"most{end}", f"all{end}")


class TestCoarserKeys:
    def test_are_what_a_review_of_the_coarsened_study_measures(self) -> None:
        tried = sdc.remedies(review(), coarsen={"age": 5}).coarser
        study = review().study
        coarse = sdc.conduct(
            sdc.Study(
                study.original,
                study.replicas,
                holdout=study.holdout,
                keys=KEYS,
                targets=["ill"],
                coarsen={"age": 5},
                ways=(1,),
                perturbed=[],
                candidates=0,
            ),
            reference_values=False,
            holdout=False,
        )
        for now, suffix in ((review(), ""), (coarse, "_after")):
            rows = now.mean_rows().set_index(["replica", "metric"])["value"].sort_index()
            for row in tried.to_dict("records"):
                for metric in ("repU", "DiSCO"):
                    assert row[metric + suffix] == pytest.approx(rows[row["replica"], metric])

    def test_k_and_people_who_are_alone_are_those_of_the_original(self) -> None:
        frame = review().study.original.table.to_pandas()
        row = sdc.remedies(review(), coarsen={"age": 10}).coarser.iloc[0]
        sizes = frame.groupby(KEYS).size()
        wide = frame.assign(age=frame["age"] // 10).groupby(KEYS).size()
        assert [row["k"], row["k_after"]] == [sizes.min(), wide.min()]
        assert [row["unique"], row["unique_after"]] == [(sizes == 1).sum(), (wide == 1).sum()]

    def test_outsiders_are_people_of_the_holdout(self) -> None:
        row = sdc.remedies(review(), coarsen={"age": 10}).coarser.set_index("replica").loc["moved"]
        study = review().study
        assert study.holdout is not None
        of_holdout = sdc.disclosure(
            study.holdout.to_pandas(),
            study.replicas["moved"][0].to_pandas(),
            keys=KEYS,
            target="ill",
        )
        assert row["outsiders"] == pytest.approx(of_holdout.attribution["DiSCO"])

    def test_outsiders_are_compared_by_the_kinds_of_the_original(self) -> None:
        original = drawn(50, 1).assign(code=["1", "2", "x", "3", "4"] * 10)
        holdout, replica = original[::-1].assign(age=30), drawn(20, 2).assign(code=[1, 2] * 10)
        study = sdc.Study(
            original, {"a": replica}, holdout=holdout, keys=["age", "code"], targets=["ill"]
        )
        row = coarser_keys(study, {"age": 10}).iloc[0]
        as_text = replica.assign(code=replica["code"].map(str))
        of_holdout = sdc.disclosure(holdout, as_text, keys=["age", "code"], target="ill")
        assert row["outsiders"] == pytest.approx(of_holdout.attribution["DiSCO"])

    def test_bands_are_proposed_for_numeric_keys(self) -> None:
        ways = found().coarser["coarsen"].unique().tolist()
        assert ways == ["age = 2", "age = 5"]

    def test_a_study_without_such_keys_has_none(self) -> None:
        study = sdc.Study(drawn(50, 1), {"a": drawn(50, 2)}, keys=["town"], targets=["ill"])
        assert sdc.remedies(sdc.conduct(study, reference_values=False)).coarser.empty

    def test_what_does_not_fit_is_refused(self) -> None:
        with pytest.raises(StudyError, match="'town' is of kind category"):
            sdc.remedies(review(), coarsen={"town": 5})
        with pytest.raises(StudyError, match=r"'tonw' is neither a key nor a target .* age, "):
            sdc.remedies(review(), coarsen={"tonw": 5})
