"""The lines of a first study file, each part of one suggestion by hand."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from sdcmetrics.errors import StudyError
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.study import first_study
from sdcmetrics.study.suggested import Suggestion

KINDS = {"age": "number", "sex": "category", "income": "number", "job": "category"}
PLAIN = Suggestion(("age",), ("income",), {}, (), (), (), {}, "", "", {}, 12.4, KINDS, {})
ASIDE = replace(
    PLAIN, identifiers=("id",), weights=("w",), roles={"household": "hh"},
    kinds={"id": "number", "w": "number", "hh": "number", **KINDS},
)  # fmt: skip


def test_other_columns_are_listed_by_kind() -> None:
    assert first_study._others(PLAIN) == ['#   category: ["sex", "job"]']
    assert first_study._others(ASIDE) == ['#   category: ["sex", "job"]']
    number = replace(PLAIN, kinds={"a": "number", "b": "category", "c": "number"})
    assert first_study._others(number) == ['#   number: ["a", "c"]', '#   category: ["b"]']
    assert first_study._others(replace(PLAIN, targets=("income", "sex", "job"))) == ["#   none"]


def test_what_is_left_out_is_said_with_its_reason() -> None:
    assert first_study._options(PLAIN) == []
    assert first_study._options(ASIDE) == [
        "",
        "[options]",
        '# Left out, as almost every record has a value of its own: ["id"]',
        "# All the same, their values are looked for in the replicas.",
        '# Left out, as sampling weights by their names: ["w"]',
        '# Left out, as what rows seem to belong to (households, people): ["hh"]',
        'variables = ["age", "sex", "income", "job"]',
    ]
    coarse = replace(PLAIN, incomparable={"a b": "other\nwords."})
    assert first_study._options(coarse) == [
        "",
        "[options]",
        "# Left out, as it cannot be compared as it is: other words.",
        "# If one file has groups of the other's values, or other words, make both the same:",
        '# kinds = { "a b" = "category" } in [read], and "a b" = "groups.csv" in [coarsen],',
        "# a file with a header and, in each line, a value of either file and its group.",
        'variables = ["age", "sex", "income", "job"]',
    ]


def test_how_files_are_read_is_in_force_where_it_was_told() -> None:
    asked = [
        "# Few whole numbers (age: 3 values, a-b: 4 values): codes, or what is counted? If codes:",
        '# kinds = { age = "category", a-b = "category" }',
    ]
    coded = replace(PLAIN, coded={"age": 3, "a-b": 4})
    assert first_study._read_entries(PLAIN, None, None) == []
    assert first_study._read_entries(coded, None, None) == ["# [read]", *asked, ""]
    decimal = ["[read]", 'decimal = ","']
    assert first_study._read_entries(PLAIN, ",", None) == [*decimal, ""]
    assert first_study._read_entries(coded, ",", None) == [*decimal, *asked, ""]
    described = ["[read]", 'metadata = "m.xml"   # labels, codes for missing, types', ""]
    assert first_study._read_entries(PLAIN, None, '"m.xml"') == described


@pytest.mark.parametrize("reason", ["", "no number\nis below 0"])
def test_how_the_original_was_sampled_is_in_force_where_it_can_be(
    reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    bound: list[Any] = []

    def bind(sample: Any, data: Any) -> None:
        bound.append((sample, data))
        if reason:
            raise StudyError(reason)

    monkeypatch.setattr(first_study, "make_sample", dict)
    monkeypatch.setattr(first_study, "bind_sample", bind)
    data: Any = SimpleNamespace(original=as_microdata(pd.DataFrame({"hh": [1, 1, 2]}), "o"))
    head = "# What the original says of the population that it was drawn from, by names of columns."
    assert first_study._sample(PLAIN, data) == []
    assert not bound
    lines = first_study._sample(ASIDE, data)
    assert bound == [({"weight": "w", "household": "hh"}, data)]
    if reason:
        assert lines == [
            "", head, "# It cannot be used as it is: no number is below 0", "# [sample]",
            '# weight = "w"', '# household = "hh"',
        ]  # fmt: skip
        return
    sample = ["", head, "[sample]   # strata, cluster, population_size, too: see the docs"]
    assert lines == [
        *sample, 'weight = "w"', 'household = "hh"', "", "[release]",
        'unit = ""   # each record is a person of its own; to protect several together:',
        '# unit = "hh"', "# rows = 2   # the most in the original",
    ]  # fmt: skip
    alone = replace(ASIDE, roles={}, weights=("w", "v"))
    assert first_study._sample(alone, data) == [*sample, 'weight = "w"']


def test_whom_a_release_protects_is_written_where_names_leave_no_doubt() -> None:
    frame = pd.DataFrame({"pid": [1, 1, 2], "hh": [7, 7, 7], "row": [1, 2, 3]})
    data = as_microdata(frame, "original")
    assert first_study._release({}, data) == []
    person = ["", "[release]   # a person has several records", 'unit = "pid"']
    rows = "rows = 2   # the most in the original"
    assert first_study._release({"person": "pid"}, data) == [*person, rows]
    assert first_study._release({"household": "hh", "person": "pid"}, data) == [*person, rows]
    gaps = as_microdata(pd.DataFrame({"pid": [1.0, None, None, None, 1.0]}), "original")
    assert first_study._release({"person": "pid"}, gaps) == [*person, rows]  # of those who have one
    each = 'unit = ""   # each record is a person of its own'
    assert first_study._release({"person": "row"}, data) == ["", "[release]", each]
    assert first_study._release({"household": "hh", "person": "row"}, data) == [
        "", "[release]", f"{each}; to protect several together:",
        '# unit = "hh"', "# rows = 3   # the most in the original",
    ]  # fmt: skip
    for column in ("pid", "hh"):  # whoever that may be: a release asks
        asked = first_study._release({"cluster": column}, data)
        assert all(line.startswith("#") for line in asked[1:])
        assert f'# unit = "{column}"' in asked
        assert asked[-1] == '# If each record is a person of its own: unit = ""'


def test_names_are_written_so_that_they_are_read_again() -> None:
    names = ["a-b_1", "a b", 'q"', "\x7f", "é", "back\\slash", ""]
    text = "".join(f"{first_study.toml_key(name)} = {i}\n" for i, name in enumerate(names))
    assert [*tomllib.loads(text)] == names
    assert text.startswith("a-b_1 = 0\n")
    assert tomllib.loads(f"all = {first_study._list(names)}")["all"] == names


def test_paths_are_relative_where_a_file_is_within_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    assert first_study._relative(folder / "data" / "a.csv", folder) == "data/a.csv"
    outside = tmp_path / "a.csv"
    assert first_study._relative(outside, folder) == outside.resolve().as_posix()


def test_what_was_weighed_is_asked_for() -> None:
    weighed = replace(PLAIN, weighed=("wt", "egg weight"))
    (_, first, second) = first_study._further_questions(weighed)
    assert 'by its values: ["wt", "egg weight"]. If it' in first
    assert second == '# says for how many people a record stands: weight = "wt" in [sample].'
    for settled in (PLAIN, replace(weighed, weights=("w",))):
        assert first_study._further_questions(settled) == []


@pytest.mark.parametrize("holdout", [None, "holdout.csv"])
def test_the_whole_is_a_study_file(tmp_path: Path, holdout: str | None) -> None:
    frame = pd.DataFrame(
        {
            "age": [*range(20, 40)] * 2,
            "sex": ["f", "m"] * 20,
            "score": [-8.0] * 10 + [x / 2 for x in range(30)],
        }
    )
    files = {name: tmp_path / f"{name}.csv" for name in ("original", "a", "b", "c", "holdout")}
    for file in files.values():
        frame.to_csv(file, index=False)
    text = first_study.suggested_study(
        files["original"], {"one": [files["a"]], "two 2": [files["b"], files["c"]]},
        holdout=None if holdout is None else files["holdout"], profile="strict", folder=tmp_path,
    )  # fmt: skip
    study = tomllib.loads(text)
    assert study["study"] == {"title": "Disclosure review", "profile": "strict"}
    assert study["data"].pop("replicas") == {"one": "a.csv", "two 2": ["b.csv", "c.csv"]}
    assert study["data"] == {"original": "original.csv"} | (
        {} if holdout is None else {"holdout": holdout}
    )
    assert study["missing_codes"] == {"score": [-8]}
    assert {*study} == {"study", "data", "roles", "missing_codes"}
    assert "# holdout = " in text or holdout


@pytest.mark.parametrize(
    ("original", "replica", "compared"),
    [
        ({"id": range(1000, 1040)}, {"id": range(2000, 2040)}, ["age", "sex"]),
        ({"size": ["small", "large"] * 20}, {"size": range(40)}, ["age", "sex"]),
        ({"id": range(1000, 1040)}, {}, None),  # no replica has it
        ({}, {}, None),
    ],
)
def test_columns_are_listed_where_some_that_all_files_have_are_left_out(
    original: Any, replica: Any, compared: list[str] | None, tmp_path: Path
) -> None:
    frame = pd.DataFrame({"age": [*range(20, 40)] * 2, "sex": ["f", "m"] * 20})
    paths = [tmp_path / "o.csv", tmp_path / "r.csv"]
    for path, more in zip(paths, (original, replica), strict=True):
        frame.assign(**more).to_csv(path, index=False)
    text = first_study.suggested_study(paths[0], {"r": paths[1:]}, folder=tmp_path)
    assert tomllib.loads(text).get("options", {}).get("variables") == compared


def test_columns_that_one_file_lacks_are_said(tmp_path: Path) -> None:
    frame = pd.DataFrame({"age": [*range(20, 40)] * 2, "sex": ["f", "m"] * 20, "rent": range(40)})
    paths = [tmp_path / f"{name}.csv" for name in ("o", "same", "other")]
    for path in paths[:2]:
        frame.to_csv(path, index=False)
    frame.drop(columns="rent").assign(score=range(40), run=1).to_csv(paths[2], index=False)
    sentences: list[str] = []
    replicas = {path.stem: [path] for path in paths[1:]}
    first_study.suggested_study(paths[0], replicas, folder=tmp_path, say=sentences.append)
    assert [sentence for sentence in sentences if " lacks" in sentence] == [
        (
            "columns of other.csv that o.csv lacks: score, run. Nothing can be said of what they "
            "disclose: leave them out of the file."
        ),
        "columns of o.csv that other.csv lacks, so that they are not compared: rent.",
    ]


def test_each_format_is_told_what_it_can_be_told(tmp_path: Path) -> None:
    """Delimited files how to be read, and what stands beside files that hold no labels."""
    n = 40
    frame = pd.DataFrame(
        {
            "age": [20.5 + i % 9 for i in range(n)],
            "région": ["é", "b"] * (n // 2),
            "sex": [1, 2] * 20,
        }
    )
    frame.to_csv(tmp_path / "o.csv", sep=";", decimal=",", encoding="latin-1", index=False)
    labelled = frame.assign(sex=["man", "woman"] * 20)
    frame.to_parquet(tmp_path / "r.parquet", index=False)
    labelled.to_stata(tmp_path / "r.dta", write_index=False, version=118)
    (tmp_path / "book.xml").write_text(
        '<codeBook xmlns="ddi:codebook:2_5"><stdyDscr/><dataDscr>'
        '<var name="sex"><catgry><catValu>1</catValu><labl>man</labl></catgry>'
        "<catgry><catValu>2</catValu><labl>woman</labl></catgry></var></dataDscr></codeBook>"
    )
    text = first_study.suggested_study(
        tmp_path / "o.csv",
        {name: [tmp_path / f"r.{name}"] for name in ("parquet", "dta")},
        folder=tmp_path,
        decimal=",",
        encoding="latin-1",
        metadata=tmp_path / "book.xml",
    )
    assert tomllib.loads(text)["read"] == {
        "decimal": ",", "encoding": "latin-1", "metadata": "book.xml"
    }  # fmt: skip
    assert "cannot be compared" not in text
