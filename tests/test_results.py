"""How results show themselves."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.measures.rules.outcome import RuleCounts
from sdcmetrics.microdata.frames import as_microdata

RNG = np.random.default_rng(3)
ORIGINAL = pd.DataFrame({"x": RNG.integers(0, 9, 60), "y": RNG.normal(size=60)})
REPLICA = ORIGINAL.assign(y=RNG.normal(size=60))

RESULTS = {
    "FitOverlap": lambda: sdc.fit_overlap(ORIGINAL, REPLICA, formula="y ~ x"),
    "SyntheticFit": lambda: sdc.synthetic_fit(REPLICA, formula="y ~ x"),
    "WeightedOverlap": lambda: sdc.weighted_overlap(ORIGINAL, REPLICA, models=["y ~ x"]),
    "MeanOverlap": lambda: sdc.mean_ci_overlap(ORIGINAL, REPLICA),
    "BackwardElimination": lambda: sdc.backward_elimination(ORIGINAL, formula="y ~ x"),
    "RuleCheck": lambda: sdc.check_rules(ORIGINAL, REPLICA, "y < x"),
    "FoundRules": lambda: sdc.find_rules(ORIGINAL, REPLICA),
    "UtilityGen": lambda: sdc.utility_gen(ORIGINAL, REPLICA, method="logit"),
}


@pytest.mark.parametrize("name", list(RESULTS))
def test_a_result_is_one_short_line_and_a_table_without_markup_of_the_data(name: str) -> None:
    result: Any = RESULTS[name]()
    assert type(result).__name__ == name
    assert repr(result).startswith(f"{name}(")
    assert "\n" not in repr(result)
    assert len(repr(result)) < 250
    assert result.fixes == ()
    assert "<table>" in result._repr_html_()
    with pytest.raises(AttributeError):
        result.fixes = ("other",)


def test_the_text_of_a_rule_is_no_markup() -> None:
    shown = sdc.check_rules(ORIGINAL, REPLICA, "y < x")._repr_html_()
    assert "y &lt; x" in shown
    assert "y < x" not in shown


def test_every_public_result_shows_itself_in_a_notebook() -> None:
    public = [getattr(sdc, name) for name in sdc._NAMES]
    results = [
        result
        for result in public
        if dataclasses.is_dataclass(result)
        and any("DataFrame" in str(field.type) for field in dataclasses.fields(result))
    ]
    assert len(results) > 30
    assert [result.__name__ for result in results if not hasattr(result, "_repr_html_")] == []
    crosscheck = sdc.CrossCheck(pd.DataFrame({"verdict": ["equal"], "explained": [True]}))
    for result in [*(make() for make in RECORDS.values()), crosscheck]:
        head = f"<table><caption>{type(result).__name__}</caption>"
        assert result._repr_html_().startswith(head)


SECRET = 7_301_993
"""A value that stands in records and nowhere else."""
PEOPLE = ORIGINAL.assign(y=ORIGINAL["y"].round(), z=[f"{SECRET}-{i % 7}" for i in range(60)])
RECORDS: dict[str, Callable[[], Any]] = {
    "Microdata": lambda: as_microdata(PEOPLE, "original"),
    "Study": lambda: sdc.Study(PEOPLE, {"copy": PEOPLE}, keys=["x"], holdout=PEOPLE[30:]),
    "DisclosureResult": lambda: sdc.disclosure(PEOPLE, PEOPLE, keys=["x", "z"], target="y"),
    "CapResult": lambda: sdc.cap(PEOPLE, PEOPLE, keys=["x"], target="z"),
    "ClosestRecord": lambda: sdc.distance_to_closest_record(
        PEOPLE[:30], REPLICA.assign(z=PEOPLE["z"]), PEOPLE[30:]
    ),
    "Comparison": lambda: sdc.compare(PEOPLE, PEOPLE),
    "RatioOfCounts": lambda: sdc.ratio_of_counts(PEOPLE, PEOPLE),
    "ReplicatedUniques": lambda: sdc.replicated_uniques(PEOPLE, PEOPLE, keys=["x", "z"]),
    "HoldoutCheck": lambda: sdc.check_holdout(PEOPLE[:30], PEOPLE[30:]),
    "Edited": lambda: sdc.remove_replicated_uniques(PEOPLE, PEOPLE, keys=["x", "z"]),
    "KAnonymity": lambda: sdc.k_anonymity(PEOPLE, keys=["x", "z"]),
    "SpecialUniques": lambda: sdc.special_uniques(PEOPLE, keys=["x", "z"]),
    "LDiversity": lambda: sdc.l_diversity(PEOPLE, keys=["x"], target="z"),
}


@pytest.mark.parametrize("name", list(RECORDS))
def test_what_holds_records_prints_one_short_line_and_none_of_them(name: str) -> None:
    result = RECORDS[name]()
    assert type(result).__name__ == name
    assert repr(result).startswith(f"{name}(")
    assert "\n" not in repr(result)
    assert len(repr(result)) < 300
    assert str(SECRET) not in repr(result)


def test_a_name_of_before_works_and_warns() -> None:
    result = sdc.find_rules(ORIGINAL, REPLICA)
    with pytest.warns(DeprecationWarning, match=r"FoundRules\.found is called rules now"):
        assert result.found == result.rules


def test_a_class_is_made_with_an_option_of_before_and_warns() -> None:
    with pytest.warns(DeprecationWarning, match=r"RuleCounts\(kept=\.\.\.\) is called fulfilled"):
        counts = RuleCounts(kept=4, broken=1, unknown=0, applies=5)
    assert counts == RuleCounts(4, 1, 0, 5)
    measure = sdc.MEASURES["DiSCO"]
    assert dataclasses.replace(measure, baseline="repU").baseline == "repU"
    with pytest.warns(DeprecationWarning, match="Measure.beside is called baseline now"):
        assert measure.beside == measure.baseline == "Dorig"


WRITTEN_OUT = {"Finding", "Fix", "Measure", "Profile", "Quantity", "Rule"} | {
    "Scenario",
    "Share",
    "Threshold",
}
"""Declarations and findings, which `dataclass` may print: no field of theirs holds data."""


def test_no_public_class_prints_its_fields_but_declarations_and_findings() -> None:
    public = {name: getattr(sdc, name) for name in sdc._NAMES}
    classes = {name: value for name, value in public.items() if dataclasses.is_dataclass(value)}
    printing = {name for name, value in classes.items() if hasattr(value.__repr__, "__wrapped__")}
    assert printing == WRITTEN_OUT & set(classes)
    for name in printing:
        types = {str(field.type) for field in dataclasses.fields(classes[name])}
        assert not [t for t in types if any(word in t for word in ("Frame", "Array", "Series"))]


def test_a_decision_prints_its_answers_and_as_text_every_sentence() -> None:
    study = sdc.Study(ORIGINAL, {"r": ORIGINAL}, keys=["x"], targets=["y"], ways=[1])
    decision = sdc.conduct(study).decisions["r"]
    assert repr(decision) == "Decision('r', no; not judged)"
    assert repr(decision.risk) == f"Answer(risk: no; {len(decision.risk.statements)} sentences)"
    first = decision.risk.statements[0]
    assert repr(first) == f"Statement(fail: {first.text})"
    lines = str(decision).split("\n")
    assert lines[:4] == ["r", "", "May it be released? no", first.text]
    assert "Is it useful? not judged" in lines
    assert len(lines) == 5 + len(decision.risk.statements) + len(decision.utility.statements)


MODEL = {"formula": "y ~ x"}
BEFORE: dict[str, tuple[tuple[Any, ...], tuple[Any, ...], dict[str, Any], str]] = {
    "fit_overlap": ((ORIGINAL, REPLICA, "y ~ x"), (ORIGINAL, REPLICA), MODEL, "coefficients"),
    "survey_overlap": ((ORIGINAL, REPLICA, "y ~ x"), (ORIGINAL, REPLICA), MODEL, "coefficients"),
    "backward_elimination": ((ORIGINAL, "y ~ x"), (ORIGINAL,), MODEL, "path"),
    "external_linkage": (
        (ORIGINAL, REPLICA, ORIGINAL[:9], REPLICA[:30]),
        (ORIGINAL, REPLICA, REPLICA[:30]),
        {"external": ORIGINAL[:9]},
        "table",
    ),
    "audit_generator": (
        (lambda frame, _: frame, ORIGINAL[:9]),
        (ORIGINAL[:9],),
        {"generate": lambda frame, _: frame},
        "targets",
    ),
}
MORE: dict[str, dict[str, Any]] = {
    "survey_overlap": {"weight": "w"},
    "external_linkage": {"keys": ["x"]},
    "audit_generator": {"rounds": 11, "records": [0]},
}


@pytest.mark.parametrize("name", list(BEFORE))
def test_an_order_of_before_gives_the_same_and_warns(name: str) -> None:
    before, now, named, table = BEFORE[name]
    function: Callable[..., Any] = getattr(sdc, name)
    more = MORE.get(name, {})
    if "weight" in more:
        before, now = ((f.assign(w=1.0) for f in each[:2]) for each in (before, now))
        before, now = (*before, "y ~ x"), (*now,)
    with pytest.warns(DeprecationWarning, match=rf"{name}: write {next(iter(named))}=\.\.\. now"):
        old = getattr(function(*before, **more), table)
    pd.testing.assert_frame_equal(old, getattr(function(*now, **named, **more), table))
    with pytest.raises(TypeError):
        function(*now, *now, *now, **named, **more)


def test_options_of_conduct_have_their_names_of_before_too() -> None:
    study = sdc.Study(ORIGINAL, {"r": REPLICA}, keys=["x"], targets=["y"], ways=[1])
    with pytest.warns(DeprecationWarning, match=r"conduct\(marks=\.\.\.\) is called reference"):
        before = sdc.conduct(study, marks=False).frame  # type: ignore[call-arg]
    pd.testing.assert_frame_equal(before, sdc.conduct(study, reference_values=False).frame)
