"""Equal tables of a pair of a review: in memory, by clusters of its sample, and in batches."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchmarks import decision_faults
from sdcmetrics.measures.homogeneity import equal_tables, homogeneity, places
from sdcmetrics.measures.homogeneity.clusters import clusters_of
from sdcmetrics.measures.homogeneity.files import HomogeneityOfFiles
from sdcmetrics.measures.homogeneity.places import KIND, SKIPPED
from sdcmetrics.measures.homogeneity.result import Limits
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.survey.sample import Sample
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.microdata.sources.large import of_memory
from sdcmetrics.study.profile import load_profile


def plan(sample: Sample | None = None) -> Any:
    options = SimpleNamespace(seed=1, variables=None)
    return SimpleNamespace(sample=sample, options=options, judging=load_profile())


def measured(pair: Pair, sample: Sample | None = None) -> HomogeneityOfFiles:
    (given,) = KIND.places(pair, plan(sample), lambda _: None)
    assert given.each == given.result.files
    result: HomogeneityOfFiles = given.result
    return result


def of_frames(*frames: pd.DataFrame, large: bool = False) -> Pair:
    data = [as_microdata(frame, f"file {i}") for i, frame in enumerate(frames)]
    first, *others = [of_memory(data_set) for data_set in data] if large else data
    return Pair("replica", first, others)


def samples(seed: int = 3) -> tuple[pd.DataFrame, pd.DataFrame]:
    rng = np.random.default_rng(seed)
    original, replica = (decision_faults.survey(rng, 400) for _ in "xy")
    return original, decision_faults.exclusive_or_lost(rng, replica)


def test_a_pair_has_the_tables_of_its_frames() -> None:
    frames = samples()
    result = measured(of_frames(*frames))
    pd.testing.assert_frame_equal(result.frame, equal_tables(*frames).frame)
    assert result.status == "fail"


def test_several_syntheses_are_grouped_together() -> None:
    original, replica = samples()
    result = measured(of_frames(original, replica, original))
    assert [file.status for file in result.files] == ["fail", "within"]


def test_data_in_batches_have_all_but_what_needs_their_records() -> None:
    frames = samples()
    result, whole = measured(of_frames(*frames, large=True)), measured(of_frames(*frames))
    assert result.status == "fail"
    assert result.skipped == SKIPPED
    names = list(result.frame["variables"])
    assert "trailing zeros of income" in names
    assert "tail of age" in names
    assert not any(str(name).startswith(("order", "multiplicity")) for name in names)
    both = result.frame.set_index("variables")["X2"], whole.frame.set_index("variables")["X2"]
    same = [name for name in names if not str(name).startswith("tail")]
    assert both[0][same].to_numpy() == pytest.approx(both[1][same].to_numpy())


def test_a_household_by_name_is_seen_in_batches_too() -> None:
    rng = np.random.default_rng(1)
    frames = [decision_faults.households(rng, 300) for _ in "xy"]
    assert measured(of_frames(*frames, large=True)).cluster == "hid"
    assert measured(of_frames(*frames)).cluster == "hid"
    assert measured(of_frames(frames[0], frames[1].drop(columns="hid"))).cluster == "hid"


class TestSample:
    def pair(self, *, lacking: bool = False) -> tuple[Pair, Sample]:
        rng = np.random.default_rng(1)
        frames = [decision_faults.households(rng, 600) for _ in "xy"]
        if lacking:
            frames[1] = frames[1].drop(columns="hid")
        data = [as_microdata(frame, f"file {i}") for i, frame in enumerate(frames)]
        plain = of_frames(*(frame.drop(columns="hid", errors="ignore") for frame in frames))
        sample = Sample(data[0], household="hid", syntheses={plain.syntheses[0].source: data[1]})
        return plain, sample

    def test_its_households_are_tested_as_a_whole(self) -> None:
        pair, sample = self.pair()
        result = measured(pair, sample)
        assert result.status == "within"
        assert "inflation" not in result.frame
        assert (result.frame["expected"] / (result.frame["cells"] - 1)).median() > 1.5

    def test_rows_that_do_not_say_who_lives_together_are_taken_to_do_so(self) -> None:
        pair, sample = self.pair(lacking=True)
        result = measured(pair, sample)
        assert (result.status, result.cluster, result.assumed_clusters) == ("within", "hid", True)
        beside = measured(*self.pair())
        assert not beside.assumed_clusters
        ratio = result.frame["expected"] / beside.frame["expected"]
        assert 1.0 <= ratio.median() < 1.5

    def test_records_of_a_person_are_tested_as_a_whole(self) -> None:
        rng = np.random.default_rng(1)
        frames = [decision_faults.panel(rng, 2_000) for _ in "xy"]
        name = decision_faults.CLUSTERED["panel"][1]
        data = [as_microdata(frame, f"file {i}") for i, frame in enumerate(frames)]
        plain = of_frames(*(frame.drop(columns=name) for frame in frames))
        sources = {plain.syntheses[0].source: data[1]}
        result = measured(plain, Sample(data[0], person=name, syntheses=sources))
        by_cluster = measured(plain, Sample(data[0], cluster=name, syntheses=sources))
        pd.testing.assert_frame_equal(result.frame, by_cluster.frame)
        assert result.status == "within"
        assert measured(plain).status == "fail"

    def test_persons_of_one_record_each_are_tested_record_by_record(self) -> None:
        frames = [frame.assign(who=np.arange(len(frame))) for frame in samples()]
        data = as_microdata(frames[0], "file 0")
        pair = of_frames(*(frame.drop(columns="who") for frame in frames))
        result = measured(pair, Sample(data, person="who"))
        pd.testing.assert_frame_equal(result.frame, measured(pair).frame)

    def test_one_household_tells_nothing(self) -> None:
        frame = pd.DataFrame({"hid": 1, "x": np.arange(60) % 3})
        data = as_microdata(frame, "file 0")
        pair = of_frames(frame[["x"]], frame[["x"]])
        sample = Sample(data, household="hid", syntheses={pair.syntheses[0].source: data})
        assert measured(pair, sample).cluster == "hid"

    def test_one_synthesis_that_lacks_it_is_enough_to_say_so(self) -> None:
        pair, sample = self.pair()
        two = Pair("two", pair.original, [*pair.syntheses, pair.original])
        result = measured(two, sample)
        assert (result.cluster, result.assumed_clusters) == ("hid", True)

    def test_each_synthesis_has_its_own_weights_and_households(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        rng = np.random.default_rng(1)
        people = [decision_faults.households(rng, n).assign(w=n) for n in (60, 50, 40)]
        plain = of_frames(*(frame.drop(columns=["hid", "w"]) for frame in people))
        whole = [as_microdata(frame, f"whole {i}") for i, frame in enumerate(people)]
        own = {file.source: data for file, data in zip(plain.syntheses, whole[1:], strict=True)}
        sample = Sample(whole[0], weight="w", synthetic_weight="w", household="hid", syntheses=own)
        families: list[Any] = []

        def family(given: Any, _: Any, synthesis: int, *__: Any, **___: Any) -> Any:
            families.append((synthesis, given.weights, clusters_of(given)))
            return synthesis

        def judge(synthesis: int, *_: Any, number: int, **__: Any) -> Any:
            return SimpleNamespace(repeats=False, at=(number, synthesis))

        monkeypatch.setattr(homogeneity, "judge", judge)
        monkeypatch.setattr(places, "family_of_records", family)
        result: Any = places.tables_of_pair(plain, plan(sample), limits=Limits(), derived=False)
        assert [file.at for file in result.files] == [(1, 1), (2, 2)]
        for synthesis, weights, clusters in families:
            homes = people[synthesis]["hid"].to_numpy()
            assert [{*each} for each in weights] == [{60}, {len(homes)}]
            of_records = clusters.synthetic
            same = homes[:, None] == homes
            assert ((of_records[:, None] == of_records) == same).all()
