"""Of a pair of a review: the questions of the study's scenarios, of all syntheses."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sdcmetrics.measures.excess import places
from sdcmetrics.measures.excess.places import SUBJECT, excess_of_pair
from sdcmetrics.measures.excess.questions import Scenario
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.survey.sample import Sample
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.study.profile import load_profile
from tests.measures.excess.people import households


def frames(count: int) -> list[Any]:
    rng = np.random.default_rng(count)
    out = []
    for i in range(count):
        frame, number = households(rng, 240)
        out.append(as_microdata(frame.assign(home=1000 * i + number), f"file {i}"))
    return out


def plan(sample: Sample | None = None, *scenarios: Scenario) -> Any:
    return SimpleNamespace(
        scenarios=scenarios or (Scenario(("region", "sex"), ("tenure", "vote")),),
        sample=sample,
        options=SimpleNamespace(seed=1),
        judging=load_profile(),
    )


def pair(original: Any, *syntheses: Any, holdout: Any = None) -> Pair:
    columns = ["region", "tenure", "income", "sex", "vote"]
    return Pair("replica", original, syntheses, holdout, variables=columns)


def test_every_replica_has_one_result_for_all_its_syntheses() -> None:
    steps: list[str] = []
    original, *syntheses, holdout = frames(4)
    both = pair(original, *syntheses, holdout=holdout)
    (given,) = SUBJECT.kinds[0].places(both, plan(), steps.append)
    assert len(given.each) == both.m == 2
    assert len(given.result.files) == 3
    assert given.result.basis == "holdout"
    assert steps == [given.step]
    assert not SUBJECT.measures


def test_without_scenarios_nothing_is_asked() -> None:
    original, synthesis = frames(2)
    empty = SimpleNamespace(scenarios=(), sample=None, options=SimpleNamespace(seed=1))
    assert not list(SUBJECT.kinds[0].places(pair(original, synthesis), empty, str))


def test_what_the_self_test_finds_is_shared_by_replicas() -> None:
    original, first, second = frames(3)
    shared: dict[Any, Any] = {}
    for synthesis in (first, second):
        one = pair(original, synthesis)
        one.shared = shared
        excess_of_pair(one, plan())
    assert len([key for key in shared if key[0] == "excess"]) == 1


@pytest.mark.parametrize("named", [True, False])
def test_households_of_the_sample_are_left_out_whole(named: bool) -> None:
    original, synthesis, holdout = frames(3)
    syntheses = {synthesis.source: synthesis} if named else {}
    bare = as_microdata(synthesis.table.drop_columns(["home"]), synthesis.source)
    sample = Sample(original, household="home", syntheses=syntheses, holdout=holdout)
    asked = Scenario(("region", "income"), ("tenure", "vote"))
    result = excess_of_pair(pair(original, bare), plan(sample, asked))
    assert result.cluster == "home"
    assert result.reason == ("" if named else "clusters")
    assert result.status(people_alarm=True) == ("within" if named else "not judged")


def test_a_sample_in_which_nothing_belongs_together_has_no_clusters() -> None:
    original, synthesis = frames(2)
    sample = Sample(original, population_size=9_000, syntheses={}, holdout=None)
    (file,) = places._files(pair(original, synthesis), plan(sample), ["region"])
    assert file.cluster is None


def test_every_file_has_its_own_records_and_clusters_whatever_its_size() -> None:
    original, first, second, longer = frames(4)
    shorter = as_microdata(second.table.slice(0, 100), second.source)
    both = pair(original, first, shorter)
    for names in (["region"], ["other"]):
        files = places._files(both, plan(), names)
        assert [(file.n, file.m) for file in files] == [(240, 240), (240, 100)]
        assert {file.absent for file in files} == {("other",) if names == ["other"] else ()}
    sample = Sample(original, household="home", syntheses={}, holdout=longer)
    homes = [file.cluster for file in places._files(both, plan(sample), ["region"])]
    for home, file in zip(homes, (first, shorter), strict=True):
        assert home is not None
        values = file.table["home"].to_numpy()
        together = home.replica[:, None] == home.replica
        assert (together == (values[:, None] == values)).all()


def test_files_handed_out_earlier_stand_before_the_new_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    original, *new = frames(3)
    out = [
        as_microdata(file.table.slice(0, n), f"out {n}")
        for file, n in zip(new, (50, 60), strict=True)
    ]
    both = pair(original, *new)
    monkeypatch.setattr(Pair, "earlier", lambda _, names: out if "region" in names else 1 / 0)
    looks: list[Any] = []
    monkeypatch.setattr(places, "excess_of_files", lambda files, *_, **__: len(files))
    monkeypatch.setattr(places, "excess_together", lambda *given, **__: looks.append(given))
    excess_of_pair(both, plan())
    ((result, before, after, _),) = looks
    assert (result, [file.m for file in before], [file.m for file in after]) == (
        2, [50, 60], [240, 240],
    )  # fmt: skip
