"""Files that were handed out earlier: judged together, and never to a milder answer."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.people import subject
from sdcmetrics.measures.people.claims_of_files import PeopleOfFiles
from sdcmetrics.measures.people.files import people_of_files
from sdcmetrics.measures.records import Records
from sdcmetrics.microdata.frames import as_microdata
from tests.measures.people.drawn import people_of, records, with_copies


@pytest.fixture(scope="module")
def files() -> dict[str, Records]:
    """Two files of three copied people each, one of ten, and one without."""
    rng = np.random.default_rng(4)
    original, holdout = people_of(rng, 150), people_of(rng, 150)
    halves = [original.iloc[:75], original.iloc[75:]]
    first, second = (with_copies(rng, half.reset_index(drop=True), 3) for half in halves)
    frames = {
        "first": first,
        "second": second,
        "leaky": with_copies(rng, original, 10),
        "fair": people_of(rng, 150),
    }
    return {name: records(original, frame, holdout) for name, frame in frames.items()}


def look(files: dict[str, Records], new: str, *earlier: str) -> PeopleOfFiles:
    return people_of_files([files[new]], earlier=[files[name] for name in earlier])


def test_what_is_too_little_in_each_file_is_noticed_in_both(files: dict[str, Records]) -> None:
    assert not look(files, "second").accused
    both = look(files, "second", "first")
    assert both.accused
    assert both.only_together
    assert not both.anyway
    assert both.worst in both.together


def test_a_further_earlier_file_makes_it_no_milder(files: dict[str, Records]) -> None:
    three = look(files, "second", "first", "fair", "fair")
    assert three.accused
    assert three.earlier == (1,)  # the look that alarmed does not depend on later files


def test_the_level_of_the_file_itself_does_not_depend_on_what_is_out(
    files: dict[str, Records],
) -> None:
    alone, beside = look(files, "second"), look(files, "second", "fair")
    assert [file.tests for file in alone.files] == [file.tests for file in beside.files]
    levels = [item.tests["LE"].level for item in beside.together]
    assert levels == pytest.approx([0.002 * 0.5 / 6])


def test_what_is_out_may_be_for_review_by_itself(files: dict[str, Records]) -> None:
    result = look(files, "fair", "leaky")
    assert result.only_together
    assert result.anyway


def test_a_fair_file_beside_a_fair_one(files: dict[str, Records]) -> None:
    result = look(files, "fair", "first")
    assert not result.accused
    assert result.claims == look(files, "fair").claims


def test_an_earlier_file_has_the_columns_that_all_files_of_the_replica_have(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looks: list[tuple[list[int], list[int]]] = []

    def people_of_files(own: list[Records], *, earlier: list[Records], **_: Any) -> Any:
        looks.append(([file.m for file in own], [file.m for file in earlier]))
        return SimpleNamespace(files=own)

    monkeypatch.setattr(subject, "people_of_files", people_of_files)
    frame = pd.DataFrame({"x": np.arange(8.0), "g": [*"ab"] * 4, "h": [*"cdcd"] * 2})
    columns = {"one": ["x", "g", "h"], "two": ["x", "g"], "out": ["g", "x"], "narrow": ["x", "h"]}
    one, two, out, narrow = (
        as_microdata(frame[names].head(n), name)
        for n, (name, names) in enumerate(columns.items(), start=4)
    )
    pair = Pair("r", as_microdata(frame, "o"), [one, two], earlier=(out, narrow))
    plan: Any = SimpleNamespace(sample=None, options=SimpleNamespace(seed=1))
    (given_of_it,) = subject._of_pair(pair, plan, lambda _: None)
    assert looks == [([4, 5], [6])]
    assert [file.m for file in given_of_it.each] == [4, 5]
    assert [(fix.source, fix.column) for fix in pair.fixes if "handed out" in fix.what] == [
        ("narrow", "g")
    ]
