"""A file of data with the labels and codes of its metadata: as an SPSS file has them."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pyreadstat
import pytest

import sdcmetrics as sdc
from sdcmetrics.errors import DataError, StudyError
from sdcmetrics.microdata.codebook.apply import _unlisted
from sdcmetrics.microdata.frames import Microdata
from tests.microdata.codebook.examples import DATA, DDI, write


def data(folder: Path, **options: object) -> Microdata:
    file, book = write(folder)
    return sdc.read(file, metadata=book, **options)  # type: ignore[arg-type]


def notes(of: Microdata, column: str | None) -> list[str]:
    return [fix.what for fix in of.fixes if fix.column == column]


def test_labelled_codes_are_levels_and_others_stay_numbers(tmp_path: Path) -> None:
    of = data(tmp_path)
    frame = of.to_pandas()
    assert list(frame["sex"]) == ["man", "woman", "man", "refused"]
    assert of.level_codes["sex"] == {"man": 1.0, "woman": 2.0, "refused": 9.0}
    assert list(frame["region"]) == ["North", "South", "Isles", "South"]
    assert list(frame["work"]) == [1, 2, -9, 3]  # 3 has no label
    assert of.missing_codes == {"age": (-8.0,), "work": (-9.0,)}
    assert of.value_labels["age"] == {99.0: "99 or over"}
    assert list(frame["scale"]) == [0, 10, 5, 5]  # labelled, and an interval scale all the same
    assert frame["weight"].isna().tolist() == [False, True, False, False]
    assert of.labels == {
        "sex": "Sex of the person", "age": "Age", "work": "Works", "region": "Region",
    }  # fmt: skip
    assert of.scales == {"sex": "nominal", "age": "interval", "scale": "interval"}


def test_everything_that_is_taken_is_listed(tmp_path: Path) -> None:
    of = data(tmp_path)
    assert notes(of, None) == ["labels of 4 columns were taken from survey.xml"]
    assert notes(of, "sex") == ["is a category, whose levels survey.xml lists"]
    assert notes(of, "age") == [
        "labels of codes were taken from survey.xml; it stays a number",
        "codes that mean missing were taken from survey.xml",
    ]
    assert notes(of, "work")[:2] == [
        "1 code is listed in survey.xml and in no record",
        "1 of its values is not listed in survey.xml",
    ]
    assert [fix.cells for fix in of.fixes if fix.column == "work"][:2] == [None, 1]
    assert notes(of, "weight") == ["texts that survey.xml declares missing were read as missing"]


@pytest.mark.parametrize(
    ("is_number", "values", "listed"),
    [
        (True, [1, 2, 3], False),  # fewer than half have a label
        (True, [1, 2, 2, None], True),
        (False, [1, 2, 3], True),
    ],
)
def test_a_number_with_few_labels_has_no_list_of_codes(
    is_number: bool, values: list[int | None], listed: bool
) -> None:
    notes_of: list[tuple[object, ...]] = []
    column: Any = SimpleNamespace(
        is_number=is_number, book="b.xml", note=lambda *note: notes_of.append(note)
    )
    rest = {2, 3} & set(values)
    assert _unlisted(column, values, {1: "one"}, set()) == rest
    words = f"{len(rest)} of its values {'is' if len(rest) == 1 else 'are'} not listed in b.xml"
    assert notes_of == ([(words, 2)] if listed else [])


def test_it_is_what_an_spss_file_of_the_same_labels_gives(tmp_path: Path) -> None:
    of = data(tmp_path)
    frame = pd.DataFrame({"sex": [1.0, 2.0, 1.0, 9.0], "age": [20.0, 99.0, 35.0, -8.0]})
    pyreadstat.write_sav(
        frame,
        str(tmp_path / "same.sav"),
        column_labels={"sex": "Sex of the person", "age": "Age"},
        variable_value_labels={
            "sex": {1: "man", 2: "woman", 9: "refused"},
            "age": {99: "99 or over"},
        },
        missing_ranges={"sex": [9], "age": [{"lo": -99, "hi": -1}]},
        variable_measure={"sex": "nominal", "age": "scale"},
    )
    spss = sdc.read(tmp_path / "same.sav")
    for name in ("sex", "age"):
        assert of.table.column(name).to_pylist() == spss.table.column(name).to_pylist()
        for what in ("labels", "value_labels", "level_codes", "missing_codes", "scales"):
            assert getattr(of, what).get(name) == getattr(spss, what).get(name), what


def test_codes_for_missing_can_be_missing(tmp_path: Path) -> None:
    frame = data(tmp_path, user_missing=False).to_pandas()
    assert frame[["sex", "age", "work"]].isna().sum().tolist() == [1, 1, 1]


def test_the_same_of_parquet(tmp_path: Path) -> None:
    file, book = write(tmp_path)
    pq.write_table(sdc.read(file).table, tmp_path / "survey.parquet")
    of = sdc.read(tmp_path / "survey.parquet", metadata=book)
    assert of.table.column("sex").to_pylist() == data(tmp_path).table.column("sex").to_pylist()


def test_a_kind_that_the_user_gives_stays(tmp_path: Path) -> None:
    of = data(tmp_path, kinds={"sex": "number", "work": "category"})
    assert of.to_pandas()["sex"].tolist() == [1, 2, 1, 9]
    assert of.value_labels["sex"] == {1.0: "man", 2.0: "woman", 9.0: "refused"}
    assert of.to_pandas()["work"].tolist() == ["1", "2", "-9", "3"]


@pytest.mark.parametrize(
    ("old", "new", "column", "words"),
    [
        ('name="age"', 'name="years"', None, "describes columns that the file has not: years"),
        ('name="age"', 'name="years"', "age", "survey.xml does not describe it"),
        ("<caseQnty>4", "<caseQnty>5", None, "survey.xml says that it has another number of rec"),
        ('type="character"', 'type="numeric"', "region", "is a category"),
        ("<catValu>2</catValu><labl>no", "<catValu>1</catValu><labl>no", "work", "two labels"),
        ("<invalrng><item", '<valrng><item VALUE="-9"/></valrng><invalrng><item', "work",
         "valid and missing at the same time"),
        ('<varFormat type="character"/>', '<varFormat type="character" category="date"/>',
         "region", "calls it a date, and some of its values are none"),
    ],
)  # fmt: skip
def test_a_contradiction_is_a_sentence(
    tmp_path: Path, old: str, new: str, column: str | None, words: str
) -> None:
    file, book = write(tmp_path, ddi=DDI.replace(old, new))
    of = sdc.read(file, metadata=book)
    assert any(words in note for note in notes(of, column)), notes(of, column)


def test_numeric_metadata_of_other_text_are_listed(tmp_path: Path) -> None:
    file, book = write(tmp_path, data=DATA.replace(",2,.,", ",2,many,"))
    of = sdc.read(file, metadata=book)
    assert "calls it numeric, and it holds other text; it stays text" in notes(of, "weight")[0]
    assert of.table.column("weight").to_pylist()[1] == "many"


def test_no_note_names_a_value(tmp_path: Path) -> None:
    secret = DATA.replace("9,-8,3,1,S,5", "9,-8,777,1,unmistakable,5")
    file, book = write(tmp_path, data=secret)
    text = "\n".join(map(str, sdc.read(file, metadata=book).fixes))
    assert "777" not in text
    assert "unmistakable" not in text


def test_replicas_have_the_kinds_of_the_original(tmp_path: Path) -> None:
    """A replica without the code that has no label does not become a category alone."""
    file, book = write(tmp_path)
    (tmp_path / "cart.csv").write_text(DATA.replace("9,-8,3,1,S,5", "7,-8,2,1,S,5"))
    options = {"metadata": book}
    study = sdc.Study(
        file, {"cart": tmp_path / "cart.csv"}, keys=["sex"], targets=["work"], read_options=options
    )
    (cart,) = study.replicas["cart"]
    assert cart.table.column("work").to_pylist() == [1, 2, -9, 2]
    assert cart.table.column("sex").to_pylist() == ["man", "woman", "man", "7"]
    assert any("not listed in survey.xml" in note for note in notes(cart, "sex"))


def test_a_study_file_names_metadata_beside_it(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "cart.csv").write_text(DATA)
    text = '[data]\noriginal = "survey.csv"\nreplicas = { cart = "cart.csv" }\n'
    text += '[read]\nmetadata = "survey.xml"\n[roles]\nkeys = ["sex"]\n'
    (tmp_path / "study.toml").write_text(text)
    study = sdc.read_study(tmp_path / "study.toml")
    assert study.original.labels["sex"] == "Sex of the person"


def test_what_metadata_are_not_for_is_a_sentence(tmp_path: Path) -> None:
    _, book = write(tmp_path)
    pyreadstat.write_sav(pd.DataFrame({"sex": [1.0]}), str(tmp_path / "own.sav"))
    with pytest.raises(DataError, match="metadata= does not apply to the spss format"):
        sdc.read(tmp_path / "own.sav", metadata=book)
    folder = tmp_path / "parts"
    folder.mkdir()
    pq.write_table(sdc.read(tmp_path / "survey.csv").table, folder / "1.parquet")
    with pytest.raises(StudyError, match="metadata are for files that are read whole"):
        sdc.Study(folder, {"a": folder}, keys=["sex"], read_options={"metadata": book})
