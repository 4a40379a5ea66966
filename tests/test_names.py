"""The names that users import: few are listed, all of today work."""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path

import pytest

import sdcmetrics as sdc

STUB = Path(sdc.__file__).with_name("__init__.pyi")


def test_the_top_lists_what_most_people_need() -> None:
    assert dir(sdc) == sorted(sdc.__all__)
    assert len(sdc.__all__) <= 22
    for name in sdc.__all__:
        assert getattr(sdc, name) is not None


def test_the_stub_lists_the_same() -> None:
    assigned = [
        node for node in ast.parse(STUB.read_text("utf-8")).body if isinstance(node, ast.Assign)
    ]
    assert [ast.literal_eval(node.value) for node in assigned] == [sdc.__all__]


def test_names_that_are_not_listed_work() -> None:
    unlisted = {*sdc._NAMES} - {*sdc.__all__}
    assert {"tvd", "disclosure", "weighted_tables", "fit_overlap", "SpecialUniques"} <= unlisted
    for name in unlisted:
        assert getattr(sdc, name) is not None
    with pytest.raises(AttributeError):
        _ = sdc.no_such_name


@pytest.mark.parametrize("name", ["utility", "risk", "survey", "fits"])
def test_a_subject_has_its_names_from_the_package(name: str) -> None:
    module = importlib.import_module(f"sdcmetrics.{name}")
    assert getattr(sdc, name) is module
    for public in set(module.__all__) - {"Design"}:
        assert getattr(module, public) is getattr(sdc, public)


@pytest.mark.parametrize("name", ["report", "rbridge"])
def test_what_a_package_lists_is_there(name: str) -> None:
    package = importlib.import_module(f"sdcmetrics.{name}")
    assert [entry for entry in package.__all__ if getattr(package, entry) is None] == []


def test_every_function_stands_in_a_subject_or_at_the_top() -> None:
    subjects = {n for m in (sdc.utility, sdc.risk, sdc.survey, sdc.fits) for n in m.__all__}
    left = {n for n in sdc._NAMES if n not in subjects and n not in sdc.__all__}
    functions = {n for n in left if n[0].islower()}
    assert functions == {
        "check_publication",
        "daisynt",
        "load_profile",
        "metric",
        "perturb",
        "read_synds",
        "syntheval",
    }


def test_no_name_of_the_package_is_taken_for_a_test() -> None:
    # pytest collects what is called so wherever it is imported, and stops where it is a class.
    taken = re.compile(r"^(?:class Test|(?:async )?def test)\w*", re.MULTILINE)
    names = [taken.findall(path.read_text("utf-8")) for path in STUB.parent.rglob("*.py")]
    assert len(names) > 100
    assert [name for of_module in names for name in of_module] == []
