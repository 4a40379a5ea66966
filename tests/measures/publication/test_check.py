"""Findings before a file goes out: label, structure, documentation, relations."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.errors import StudyError
from sdcmetrics.measures.generator import Generator, Generators
from sdcmetrics.measures.publication.sections import Publication
from sdcmetrics.measures.section import read_section
from sdcmetrics.microdata.frames import Microdata, as_microdata

TOLD = Generator(name="synthpop", version="1.9-3", method="cart", records=200)
TRIED = Publication(intruder_test="passed")


def people(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "id": np.arange(n),
            "sex": rng.choice(["f", "m"], n),
            "age": rng.integers(20, 80, n).astype(float),
        }
    )


ORIGINAL = people(200, 1)


def labelled(frame: pd.DataFrame) -> Microdata:
    return replace(as_microdata(frame, "towns_synthetic.csv"), sha256="0" * 64)


def texts(synthetic: Any, **told: Any) -> list[tuple[str, str]]:
    given = {"publication": TRIED, "generator": TOLD, **told}
    check = sdc.check_publication(ORIGINAL, synthetic, **given)
    return [(finding.column, finding.text) for finding in check.findings]


def test_a_labelled_copy_that_is_told_of_has_no_finding() -> None:
    assert texts(labelled(ORIGINAL)) == []


def test_a_code_that_means_missing_is_no_value_out_of_range() -> None:
    frame = ORIGINAL.assign(age=ORIGINAL["age"].where(np.arange(200) >= 60, -9.0))
    outside = [("age", "30 % of values are outside the original's range")]
    assert texts(labelled(frame)) == outside
    assert texts(labelled(frame), missing_codes={"age": -9.0}) == []


@pytest.mark.parametrize(
    "frame",
    [
        ORIGINAL.rename(columns={"age": "age_synthetic"}),
        ORIGINAL.assign(note="NOT REAL data"),
    ],
)
def test_a_column_labels_a_file(frame: pd.DataFrame) -> None:
    check = sdc.check_publication(ORIGINAL, frame, publication=TRIED, generator=TOLD)
    assert check.label == 0


def test_a_file_without_a_label_is_named_with_the_command_that_adds_one() -> None:
    check = sdc.check_publication(ORIGINAL, ORIGINAL, publication=TRIED, generator=TOLD)
    (finding,) = check.of("label")
    assert "sdcmetrics label" in finding.remedy


def test_a_column_of_which_some_values_say_so_is_no_label() -> None:
    frame = ORIGINAL.assign(note=["synthetic"] + ["real"] * 199)
    check = sdc.check_publication(ORIGINAL, frame, publication=TRIED, generator=TOLD)
    assert check.label == 1


@pytest.mark.parametrize(
    ("frame", "column", "text"),
    [
        (ORIGINAL.drop(columns="sex"), "sex", "the replica lacks this column"),
        (ORIGINAL.assign(more=1), "more", "the original has no such column"),
        (ORIGINAL[["age", "sex", "id"]], "", "columns are in another order than in the original"),
        (
            ORIGINAL.assign(age=ORIGINAL["age"].where(ORIGINAL["id"] > 3, 200.0)),
            "age",
            "2 % of values are outside the original's range",
        ),
        (
            ORIGINAL.assign(sex=ORIGINAL["sex"].where(ORIGINAL["id"] > 1, "x")),
            "sex",
            "1 % of values are outside the original's levels",
        ),
        (
            ORIGINAL.assign(age=ORIGINAL["age"].where(ORIGINAL["id"] > 19)),
            "age",
            "10 % of records have no value, in the original 0 %",
        ),
        (
            ORIGINAL.assign(id=np.arange(200) // 2),
            "id",
            "tells records from one another in the original, and not in the replica",
        ),
        (
            ORIGINAL.assign(age=ORIGINAL["age"].astype(int)),
            "age",
            "stored as int64, in the original as double",
        ),
    ],
)
def test_what_is_other_than_in_the_original(frame: pd.DataFrame, column: str, text: str) -> None:
    assert (column, text) in texts(labelled(frame))


def test_the_column_that_labels_a_file_is_no_fault_of_its_structure() -> None:
    marked = ORIGINAL.assign(synthetic_data="not real people")
    assert texts(marked) == []
    assert texts(marked.assign(more=1)) == [("more", "the original has no such column")]


def test_labels_that_a_file_lost_are_named() -> None:
    data = as_microdata(ORIGINAL, "original")
    original = Microdata(
        data.table,
        "original",
        value_labels={"age": {20.0: "twenty"}},
        labels={"sex": "Sex of the person"},
        missing_codes={"age": (-9.0,)},
    )
    check = sdc.check_publication(original, labelled(ORIGINAL), publication=TRIED, generator=TOLD)
    assert {finding.text for finding in check.findings} == {
        "the original has a label, and the replica has none",
        "the original has value labels, and the replica has none",
        "the original has codes for missing, and the replica has none",
    }


def test_no_finding_holds_a_value_of_the_original() -> None:
    secret = ORIGINAL.assign(sex="unmistakable", age=1234567.0)
    check = sdc.check_publication(secret, ORIGINAL)
    assert not any("unmistakable" in str(f) or "1234567" in str(f) for f in check.findings)


@pytest.mark.parametrize(
    ("generator", "text"),
    [
        (None, "nothing is told of how the replica was made"),
        (Generator(name="x", method="y", records=200), "version of the generator is not told"),
        (
            Generator(name="x", version="1", method="y", records=150),
            "the generator was given 150 records, and the original has 200",
        ),
        (
            Generator(name="x", version="1", method="y", records=200, epsilon=1.0),
            "epsilon is claimed without delta, or without the mechanism and its unit",
        ),
    ],
)
def test_what_is_not_told_of_the_generator(generator: Generator | None, text: str) -> None:
    assert ("", text) in texts(labelled(ORIGINAL), generator=generator)


@pytest.mark.parametrize("epsilon", [None, 1.0])
@pytest.mark.parametrize("delta", [None, 1e-6])
@pytest.mark.parametrize("mechanism", ["", "noise"])
@pytest.mark.parametrize("neighbours", ["", "replace"])
def test_what_a_claim_of_privacy_has_to_tell(
    epsilon: float | None, delta: float | None, mechanism: str, neighbours: Any
) -> None:
    claim = {"epsilon": epsilon, "delta": delta, "mechanism": mechanism, "neighbours": neighbours}
    generator = replace(TOLD, **claim)  # type: ignore[arg-type]
    result = [text for _, text in texts(labelled(ORIGINAL), generator=generator)]
    claims = [text for text in result if text.startswith("epsilon is claimed without ")]
    expected = []
    if epsilon is not None and (delta is None or not mechanism):
        expected.append("delta, or without the mechanism and its unit")
    if epsilon is not None and not neighbours:
        expected.append("telling whether of replacing a record or of adding one")
    assert claims == [f"epsilon is claimed without {text}" for text in expected]


def test_a_finding_says_which_of_several_files_it_is_about() -> None:
    beyond = ORIGINAL.assign(age=ORIGINAL["age"].replace(ORIGINAL["age"].max(), 99.0))
    check = sdc.check_publication(ORIGINAL, [ORIGINAL, beyond, beyond])
    about = [(finding.column, finding.files) for finding in check.of("structure")]
    assert about == [("age", (2, 3))]
    assert {finding.files for finding in check.of("label")} == {()}
    (alone,) = sdc.check_publication(ORIGINAL, beyond).of("structure")
    assert alone.files == ()


def test_a_failed_intruder_test_is_a_finding_that_is_not_minor() -> None:
    failed = sdc.check_publication(
        ORIGINAL, ORIGINAL, publication=Publication(intruder_test="failed")
    )
    (finding,) = failed.of("intruder")
    assert not finding.minor


def test_independent_columns_are_called_in_five_of_a_hundred_files() -> None:
    publication = Publication(low_fidelity=True)
    called = 0
    for seed in range(120):
        rng = np.random.default_rng(seed)
        frame = pd.DataFrame(
            {
                "a": rng.integers(0, 90, 150),
                "b": rng.choice(["x", "y", "z"], 150, p=[0.9, 0.08, 0.02]),
                "c": rng.choice(["k", "l"], 150),
                "d": rng.exponential(1, 150),
            }
        )
        called += sdc.check_publication(frame, frame, publication=publication).relation > 0
    assert called <= 14  # 6 are expected; 14 has a chance of one in a thousand


def test_a_relation_that_survived_is_named_unless_it_is_declared() -> None:
    rng = np.random.default_rng(5)
    age = rng.integers(20, 80, 200).astype(float)
    frame = pd.DataFrame({"age": age, "income": age * 10 + rng.normal(0, 50, 200)})
    check = sdc.check_publication(frame, frame, publication=Publication(low_fidelity=True))
    assert [(f.column, f.text) for f in check.of("relation")] == [
        ("age", "depends on 'income', and no such relation is declared")
    ]
    declared = Publication(low_fidelity=True, declared=("income ~ age",))
    assert sdc.check_publication(frame, frame, publication=declared).relation == 0


def test_a_declared_relation_must_be_of_two_columns() -> None:
    with pytest.raises(StudyError, match="expected two columns"):
        Publication(declared=("age + sex",)).check(as_microdata(ORIGINAL, "original"))


def test_one_generator_per_replica() -> None:
    generators = read_section(Generators, [{"name": "a"}, {"name": "b", "replica": "cart"}])
    assert generators is not None
    assert [g.name for r in ("cart", "other") if (g := generators.of(r))] == ["b", "a"]
    assert generators.renamed({"cart": "one"}).of("one") == Generator(replica="one", name="b")
    twice = read_section(Generators, [{"name": "a"}, {"name": "b"}])
    assert twice is not None
    with pytest.raises(StudyError, match="was made once"):
        twice.check(as_microdata(ORIGINAL, "original"))


def test_a_study_has_the_findings_and_two_measures(tmp_path: Path) -> None:
    study = sdc.Study(
        ORIGINAL,
        {"cart": labelled(ORIGINAL.assign(age=ORIGINAL["age"].where(ORIGINAL["id"] > 3, 200.0)))},
        keys=["sex"],
        targets=["age"],
        publication={"intruder_test": "passed", "intruder_test_note": "by <two> analysts"},
        generator=[{"name": "synthpop", "version": "1", "method": "cart", "records": 200}],
        ways=(1,),
        candidates=0,
        permutations=0,
    )
    review = sdc.conduct(study, reference_values=False)
    rows = review.frame[review.frame["metric"] == "value_adherence"]
    by_variable = dict(zip(rows["variables"].map(str), rows["value"], strict=True))
    assert next(v for k, v in by_variable.items() if "age" in k) == pytest.approx(98)
    sdc.report.write_all(review, tmp_path)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<dt>Test by an intruder</dt><dd>passed; by &lt;two&gt; analysts</dd>" in page
    table = pd.read_csv(tmp_path / "tables" / "publication.csv")
    assert table["finding"].tolist() == ["2 % of values are outside the original's range"]
