"""A metric of a suite in a review: measured where a preset names it, and drawn where it can be."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.errors import FileError, StudyError
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.prediction.places import Prediction
from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.suites.daisynt.declared import METRICS as OF_DAISYNT
from sdcmetrics.suites.metric import Metric, roles_of
from sdcmetrics.suites.preset import Preset, load_preset
from sdcmetrics.suites.syntheval.distributions import HELLINGER
from sdcmetrics.suites.trio import Roles


def people(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return pd.DataFrame({"x": x, "job": rng.choice(list("ab"), n), "buys": x > rng.normal(size=n)})


def test_only_what_a_preset_names_is_measured_and_only_what_is_drawn_is_evidence(
    tmp_path: Path,
) -> None:
    own = tmp_path / "own.toml"
    own.write_text('target = "buys"\n[metrics]\nIV_gap = {}\nh_dist = {}\n')
    replicas = {"one": people(60, 2), "two": [people(70, 3), people(50, 4)]}
    asked = {"ways": (1,), "perturbed": (), "candidates": 0, "permutations": 0, "preset": str(own)}
    review = sdc.conduct(
        sdc.Study(people(80, 1), replicas, keys=["job"], targets=["buys"], **asked)
    )
    (drawn,) = [metric for metric in OF_DAISYNT if metric.symbol == "IV_gap"]
    assert drawn.shown is not None
    assert HELLINGER.shown is None
    result = {replica: each for (replica, _), each in review.evidence.of(drawn).items()}
    assert {replica: len(each) for replica, each in result.items()} == {"one": 1, "two": 2}
    assert [kind for kind in review.evidence.kinds if isinstance(kind, Metric)] == [drawn]
    measured = {MEASURES[symbol].of for symbol in review.mean_rows()["metric"]}
    assert {kind for kind in measured if isinstance(kind, Metric)} == {drawn, HELLINGER}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[metrics]\ndwm = {}\nks_test = 3", r"expected \[metrics\] with entries such as dwm"),
        ("metrics = 3", r"expected \[metrics\] with entries"),
        ("target = 'x'", r"expected \[metrics\] with entries"),
        ("[metrics]\n[targets]", "unknown entry 'targets'. Did you mean 'target'"),
        ("zzz = 3\n[metrics]", "unknown entry 'zzz'. Known: title, metrics, categorical"),
        ("target = 3\n[metrics]", "target: expected names of columns"),
        ("public = ['a', 3]\n[metrics]", "public: expected names of columns"),
    ],
)
def test_what_is_no_preset_is_refused_in_words(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "own.toml"
    file.write_text(text)
    with pytest.raises(StudyError, match=words) as caught:
        load_preset(str(file))
    assert str(caught.value).startswith("own.toml: ")


def test_a_preset_has_what_its_file_says(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text(
        "target = 'a'\npublic = ['b', 'c']\ncategorical = ['d']\n[metrics]\ndwm = {x = 1}\npca = {}"
    )
    assert load_preset(str(file)) == Preset(
        {"dwm": {"x": 1}, "pca": {}}, ("d",), ("a",), (), ("b", "c"), "own"
    )


def test_a_preset_that_is_not_there_is_refused_and_known_ones_are_named(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match=r"there is no preset 'fest'. Did you mean 'fast'"):
        load_preset("fest")
    with pytest.raises(StudyError, match=r"no preset 'zzzz'. Known: .*fast.*, or a file \*.toml"):
        load_preset("zzzz")
    with pytest.raises(FileError, match="there is no preset"):
        load_preset(str(tmp_path / "absent.toml"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"[metrics", "own.toml: not valid TOML: "),
        (b"title = '\xff'", "own.toml: not valid TOML: "),
        (b"x = " + b"[" * 9_000 + b"]" * 9_000, "own.toml: lists or tables are nested thousands"),
    ],
)
def test_a_preset_that_cannot_be_read_is_refused(tmp_path: Path, text: bytes, words: str) -> None:
    (tmp_path / "own.toml").write_bytes(text)
    with pytest.raises(StudyError, match=words):
        load_preset(str(tmp_path / "own.toml"))


def test_without_a_preset_no_metric_has_a_place() -> None:
    study = sdc.Study(people(30, 1), {"one": people(30, 2)}, keys=["job"], targets=["buys"])
    pair = Pair("one", study.original, study.replicas["one"])
    assert list(HELLINGER.places(pair, study, str)) == []


def test_columns_to_predict_are_those_that_are_to_be_learnt_or_all_targets() -> None:
    keys = [(("a", "b"), ("x", "y")), (("c",), ("y", "z"))]
    scenarios = [SimpleNamespace(keys=of, targets=targets) for of, targets in keys]
    for learnt, predicted in (
        (None, ("x", "y", "z")),
        (Prediction(), ("x", "y", "z")),
        (Prediction(targets=("z", "w")), ("z", "w")),
    ):
        plan: Any = SimpleNamespace(scenarios=scenarios, section=lambda _, own=learnt: own)
        assert roles_of(plan) == Roles(predicted, ("a", "b"), ("x", "y"))
