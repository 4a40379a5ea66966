"""Arguments of a wrong type are refused by name, in every public function that measures."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.errors import SdcMetricsError, StudyError
from sdcmetrics.microdata.arguments import _words, checked

FRAME = pd.DataFrame({"x": [1.0, 2, 3] * 20, "y": ["a", "b", "c"] * 20, "z": [1, 2] * 30})
FRAME["w"] = np.linspace(0.0, 1.0, 60)
MODEL = "x ~ y"
TWO = {"args": (FRAME, FRAME)}
CALLS: dict[str, dict[str, Any]] = {
    "tvd": TWO,
    "utility_tab": {**TWO, "variables": ["x"]},
    "utility_tables": TWO,
    "ratio_of_counts": TWO,
    "compare": TWO,
    "disclosure": {**TWO, "keys": ["x"], "target": "y"},
    "multi_disclosure": {**TWO, "keys": ["x"]},
    "cap": {**TWO, "keys": ["x"], "target": "y"},
    "replicated_uniques": {**TWO, "keys": ["x"]},
    "distance_to_closest_record": {"args": (FRAME, FRAME, FRAME), "permutations": 9},
    "marginal_fidelity": TWO,
    "check_holdout": TWO,
    "perturb": {"args": (FRAME,), "share": 0.1},
    "utility_gen": {**TWO, "nperms": 2},
    "mean_ci_overlap": {**TWO, "variables": ["x"]},
    "mutual_information": {"args": (FRAME,)},
    "select_pairs": {"args": (FRAME,)},
    "fit_overlap": {**TWO, "formula": MODEL},
    "weighted_overlap": {**TWO, "models": [MODEL]},
    "backward_elimination": {"args": (FRAME,), "formula": MODEL},
    "remove_replicated_uniques": {**TWO, "keys": ["x"]},
    "top_code": {"args": (FRAME, {"x": 2})},
    "smooth": {"args": (FRAME, "w")},
    "check_rules": {"args": (FRAME, FRAME, "x > 0")},
    "find_rules": TWO,
    "Study": {"args": (FRAME, {"a": FRAME}), "keys": ["x"]},
}
WRONG = [2.5, None, "x", ["b"], {"x": 1}, {"x": "y"}, True, -1, float("nan"), object(), []]


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.filterwarnings("ignore")
def test_any_wrong_argument_is_refused_in_a_sentence(name: str) -> None:
    function: Callable[..., Any] = getattr(sdc, name)
    needed = dict(CALLS[name])
    args = needed.pop("args")
    for option, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is not inspect.Parameter.KEYWORD_ONLY or option == "progress":
            continue
        for value in WRONG:
            with contextlib.suppress(SdcMetricsError):
                function(*args, **{**needed, option: value})


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("tvd", {"ways": 2.0}, "ways: expected a whole number but got 2.0."),
        ("tvd", {"ngroups": None}, "ngroups: expected a whole number but got NoneType."),
        ("disclosure", {"keys": None}, "keys: expected one name or several but got NoneType."),
        ("disclosure", {"target": ["b"]}, "target: expected text but got list."),
        ("utility_gen", {"nperms": 2.5}, "nperms: expected a whole number but got 2.5."),
        ("mean_ci_overlap", {"level": "x"}, "level: expected a number but got str."),
        ("find_rules", {"limit": 2.5}, "limit: expected a whole number but got 2.5."),
        ("utility_gen", {"k_syn": "no"}, "k_syn: expected True or False but got str."),
        ("Study", {"models": 5}, "models: expected a list but got 5."),
    ],
)
def test_the_message_names_the_argument(name: str, options: dict[str, Any], message: str) -> None:
    needed = dict(CALLS[name])
    args = needed.pop("args")
    with pytest.raises(StudyError) as raised:
        getattr(sdc, name)(*args, **{**needed, **options})
    assert str(raised.value) == message


@pytest.mark.parametrize("value", [None, 5, "x", ["b"], FRAME, object()])
def test_what_has_no_options_is_refused_as_well(value: Any) -> None:
    asked = {sdc.conduct: 1, sdc.crosscheck: 1, sdc.compare_replicas: 1, sdc.judge: 2}
    for function, needs in {**asked, sdc.check_rules: 3}.items():
        with pytest.raises(SdcMetricsError, match="expected"):
            function(*[value] * needs)  # type: ignore[operator]
    if not isinstance(value, str):
        with pytest.raises(StudyError, match="symbol: expected text"):
            sdc.explain(value)
        with pytest.raises(StudyError, match="path: expected a path"):
            sdc.read_study(value)


@pytest.mark.parametrize("path", [None, 5, b"a.csv", ["a.csv"], 3.5, True])
@pytest.mark.parametrize("function", [sdc.read, sdc.read_synds])
def test_what_is_no_path_is_refused(function: Callable[[Any], Any], path: Any) -> None:
    with pytest.raises(StudyError, match="path: expected a path but got"):
        function(path)


def test_numbers_of_numpy_and_texts_of_pandas_are_fine() -> None:
    result = sdc.tvd(FRAME, FRAME, ways=np.int64(1), variables=pd.Index(["x"]))  # type: ignore[arg-type]
    assert result.index.tolist() == ["x"]


def test_an_unknown_argument_is_still_refused_by_the_function_itself() -> None:
    @checked
    def count(*, ways: int = 1) -> int:
        return ways

    with pytest.raises(TypeError, match=r"count\(\) got an unexpected keyword argument 'way'"):
        count(way=1)  # type: ignore[call-arg]


def test_an_array_of_numbers_stays_an_array_and_others_are_looked_into() -> None:
    @checked
    def same(values: Sequence[float]) -> object:
        return values

    for dtype in (np.int8, np.uint16, np.float64):
        numbers = np.array([1, 2], dtype)
        assert same(numbers) is numbers  # type: ignore[arg-type]
    assert same(np.array([1, 2.5], object)) == [1, 2.5]  # type: ignore[arg-type]
    for other, words in ((["a"], "holds str"), ([True], "holds True"), ([[1.0]], "got ndarray")):
        with pytest.raises(StudyError, match=f"values: expected a list of numbers but .*{words}"):
            same(np.array(other))  # type: ignore[arg-type]


def test_functions_and_classes_are_called_by_what_they_are() -> None:
    forms = (Callable, Callable[[int], int], sdc.Study, pd.DataFrame)
    words = ["a function", "a function", "an sdcmetrics.Study", "a DataFrame"]
    assert [_words(form) for form in forms] == words


def test_tuples_are_called_by_their_length() -> None:
    assert _words(tuple[int, int]) == "2 whole numbers"
    assert _words(tuple[int, str]) == "a tuple of 2"
    assert _words(tuple[int, str], several=True) == "tuples of 2"
    assert _words(tuple[int, ...]) == "a list of whole numbers"
