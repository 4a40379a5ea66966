"""What needs records of data that are counted in batches: read where they fit, else counted."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import sdcmetrics as sdc
from sdcmetrics import rbridge
from sdcmetrics.cli.run import run
from sdcmetrics.errors import DataError, StudyError
from sdcmetrics.measures.crosstables import scanning, whole_records
from sdcmetrics.microdata.frames import Microdata
from sdcmetrics.microdata.sources import large
from sdcmetrics.microdata.sources.large import of_memory
from sdcmetrics.microdata.sources.scan import scan
from sdcmetrics.report.results_file import read_results
from tests.live_r import live_session
from tests.only import only
from tests.review.test_large_study import Stream, people, relation

Frames = dict[str, pd.DataFrame]


def frames() -> Frames:
    """Missing values, text that is missing late only, twins, copies, a narrower replica."""
    result = {
        name: people(n, seed).assign(note=["x", "y"] * (n // 2))
        for seed, (name, n) in enumerate((("o", 400), ("a", 400), ("b", 340), ("h", 200)))
    }
    for frame in result.values():
        frame["age"] = frame["age"].where(frame.index % 9 > 0)
        frame["note"] = frame["note"].where(frame.index < len(frame) - 20).astype(object)
    twins = result["o"].iloc[7:9]
    result["o"] = pd.concat([result["o"], twins], ignore_index=True)
    result["a"] = pd.concat([result["a"], result["o"].iloc[:20], twins], ignore_index=True)
    result["b"] = pd.concat([result["b"], result["o"].iloc[30:40]], ignore_index=True)
    result["b"] = result["b"].drop(columns="since")
    return result


def in_folder(frame: pd.DataFrame, place: Path) -> Path:
    """Write it in ragged files, of which one is empty."""
    place.mkdir()
    ends = [0, 1, 1, 90, len(frame) - 9, len(frame)]
    for i, (first, end) in enumerate(itertools.pairwise(ends)):
        frame.iloc[first:end].to_parquet(place / f"{i}.parquet", index=False)
    return place


def study_of(given: dict[str, Any], **options: Any) -> sdc.Study:
    chosen: dict[str, Any] = {"variables": None, "ngroups_targets": {"income": 20}, **options}
    return sdc.Study(
        given["o"],
        {"two": [given["a"], given["b"]], "one": given["a"]},
        holdout=given["h"],
        keys=["age", "sex", "region"],
        targets=["works", "income"],
        ways=[1],
        perturbed=[],
        candidates=0,
        population_size=20_000,
        **chosen,
    )


def reviewed(given: dict[str, Any], **options: Any) -> sdc.Review:
    study = study_of(given, **options)
    return sdc.conduct(study, holdout="attacks" in options, reference_values=False)


of_risk = only("DiSCO", "membership_AUC", "exact_copies")
"""Remedies read who is at risk, and nothing else."""


def by_kind(table: pd.DataFrame) -> pd.DataFrame:
    """Count listed records by what `remedies` counts where there are too many to be listed."""
    aside = ["record", "replica_records", "among_nearest", "rank", "link"]
    left = table.drop(columns=[name for name in aside if name in table])
    many = left if "records" in left else left.assign(records=1)
    by = list(left.columns.drop("records", errors="ignore"))
    return many.groupby(by, dropna=False)["records"].sum().reset_index()


class TestRemedies:
    @of_risk
    @pytest.mark.parametrize("variables", [None, ("sex", "region", "note")])
    def test_of_a_folder_are_those_of_memory(
        self, variables: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        known = sdc.remedies(reviewed(frames(), variables=variables))
        there = {name: in_folder(frame, tmp_path / name) for name, frame in frames().items()}
        review = reviewed(there, variables=variables)
        assert review.study.original.large
        result = sdc.remedies(review)
        pd.testing.assert_frame_equal(result.table, known.table)
        pd.testing.assert_frame_equal(result.effect, known.effect)
        assert (known.effect[["unique", "learnt", "copied", "dropped"]] > 0).all(axis=None)
        assert result.notes == ()

        monkeypatch.setattr(large, "MOST_READ", 0)
        counted = sdc.remedies(review)
        pd.testing.assert_frame_equal(counted.effect, known.effect)
        pd.testing.assert_frame_equal(by_kind(counted.table), by_kind(known.table))
        assert counted.table["records"].max() > 1
        assert counted.notes == (
            "too many records to be listed: `records` says how many there are",
        )

    @of_risk
    def test_coarsen_only_what_was_asked_for(self) -> None:
        given = {name: scan(frame) for name, frame in frames().items()}
        known, review = (reviewed(files) for files in (frames(), given))
        some = {"age": 20}
        assert sdc.remedies(review).coarser.empty
        tried = sdc.remedies(review, coarsen=some).coarser
        assert len(tried) == 2  # replicas
        pd.testing.assert_frame_equal(tried, sdc.remedies(known, coarsen=some).coarser)

    @pytest.mark.parametrize("most", [8, 250])
    def test_are_counted_in_parts_of_a_hash_where_there_are_many(
        self, most: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # Few combinations of many records each, so that crowds are of records.
        given = {n: frame.assign(decade=frame["age"] // 10) for n, frame in frames().items()}
        study = sdc.Study(
            scan(given["o"]),
            {"a": given["a"]},
            keys=["sex", "region", "decade"],
            targets=["works"],
            variables=["age", "income"],
        )
        review = sdc.conduct(study, reference_values=False)
        known = sdc.remedies(review)
        monkeypatch.setattr(large, "MOST_READ", 0)
        for module in (scanning, whole_records):
            monkeypatch.setattr(module, "MOST_CELLS", most)
        if most == 250:  # 422 records in two parts of a hash
            result = sdc.remedies(review)
            assert result.effect.equals(known.effect)
            pd.testing.assert_frame_equal(by_kind(result.table), by_kind(known.table))
        else:
            with pytest.raises(DataError, match="more than 8 combinations occur"):
                sdc.remedies(review)

    def test_are_counted_by_an_engine(self, monkeypatch: pytest.MonkeyPatch) -> None:
        known = sdc.remedies(reviewed(frames()))
        review = reviewed({name: relation(frame) for name, frame in frames().items()})
        monkeypatch.setattr(large, "MOST_READ", 0)
        pd.testing.assert_frame_equal(sdc.remedies(review).effect, known.effect)

    @of_risk
    def test_leave_out_attacks_that_were_made_on_a_sample(self) -> None:
        given = {name: scan(frame.drop(columns="note")) for name, frame in frames().items()}
        attacks = {"kinds": "membership"}
        whole, sample = (
            sdc.remedies(reviewed(given, attacks=attacks, sample_size=size)) for size in (500, 100)
        )
        assert whole.table["among_nearest"].any()
        assert sample.table["among_nearest"].isna().all()
        assert sample.notes == ("attacks were made on a sample, and say nothing of these records",)

    def test_stand_in_the_report_of_a_small_review(self, tmp_path: Path) -> None:
        reports = []
        for form in (lambda frame: frame, scan):
            given = {name: form(frame) for name, frame in frames().items()}
            run(study_of(given), tmp_path, quiet=True, force=True)
            reports.append(read_results(tmp_path).document["effect_of_remedies"])
        assert reports[0] == reports[1]
        assert reports[0]


class TestReadWhole:
    def test_is_what_a_file_is_read_as(self, tmp_path: Path) -> None:
        for name, frame in frames().items():
            frame.to_parquet(tmp_path / f"{name}.parquet", index=False)
            known = sdc.read(tmp_path / f"{name}.parquet")
            result = scan(in_folder(frame, tmp_path / name)).whole()
            assert result.table.equals(known.table)

    def test_is_refused_where_a_column_was_rounded_or_values_are_many(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        data = of_memory(Microdata(pa.table({"x": [1, 2], "y": [1, 1]}), "it"))
        assert data.fits()
        monkeypatch.setattr(large, "MOST_READ", 3)
        assert not data.fits()
        assert data.fits(["x"])

    def test_notices_that_records_came_meanwhile(self) -> None:
        given = Stream(frames()["o"], 100)
        data = scan(given)
        given.parts.append(given.parts[0])  # known values, so only their number tells
        with pytest.raises(DataError, match="another number of records"):
            data.check_records(sum(len(part) for part in given.parts))
        study = sdc.Study(data, {"a": frames()["a"]}, keys=["sex", "region"], targets=["works"])
        with pytest.raises(DataError, match="another number of records"):
            sdc.conduct(study)
        given.parts = given.parts[:2]
        with pytest.raises(DataError, match="another number of records"):
            data.whole()


class TestAWeightedSample:
    def test_of_a_folder_is_reviewed_as_that_of_memory(self, tmp_path: Path) -> None:
        weighted = {
            name: frame.assign(w=np.arange(len(frame)) % 7 + 1.5)
            for name, frame in frames().items()
        }
        there = {name: in_folder(frame, tmp_path / name) for name, frame in weighted.items()}
        first, other = (
            reviewed(given, sample={"weight": "w", "strata": "region"})
            for given in (weighted, there)
        )
        assert first.frame.to_csv() == other.frame.to_csv()
        assert first.frame["metric"].str.contains("design_effect").any()

    def test_of_too_many_records_is_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(large, "MOST_READ", 100)
        given = {name: scan(frame) for name, frame in frames().items()}
        with pytest.raises(StudyError, match=r"sample: .* needs records in memory.*Ask it of"):
            reviewed(given, sample={"weight": "income"})


class TestTheCrossCheck:
    @pytest.fixture
    def study(self) -> Callable[..., sdc.Study]:
        def make(form: Any, **options: Any) -> sdc.Study:
            names = ["age", "sex", "works"]
            sets = {name: form(frame[names]) for name, frame in frames().items()}
            return sdc.Study(
                sets["o"], {"a": sets["a"]}, keys=["sex"], targets=["works"], ways=[1], **options
            )

        return make

    def test_of_too_many_records_without_a_sample_is_refused_before_the_review(
        self, study: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(large, "MOST_READ", 0)
        with pytest.raises(StudyError, match="The cross-check with R needs records in memory"):
            run(study(scan, sample_size=0), tmp_path, against_r=True)
        assert not list(tmp_path.iterdir())

    @pytest.mark.r
    def test_is_that_of_memory_or_of_a_sample_that_it_names(
        self, study: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        session: rbridge.Session = live_session()
        known = sdc.crosscheck(study(lambda frame: frame), session=session)
        result = sdc.crosscheck(study(scan), session=session)
        assert result.ok
        pd.testing.assert_frame_equal(result.table, known.table)
        assert "drawn at random" not in result.note
        monkeypatch.setattr(large, "MOST_READ", 0)
        sample = sdc.crosscheck(study(scan, sample_size=150), session=session)
        assert sample.ok
        assert sample.note.endswith(
            "The cross-check with R is of 150 records of each data set, drawn at random (seed 1)."
        )
        assert not sample.table["native"].equals(known.table["native"])
