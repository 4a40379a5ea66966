"""CSV on the Web: what is read of it, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sdcmetrics.errors import FileError
from sdcmetrics.microdata.codebook.read import read_codebook

TABLE: dict[str, Any] = {
    "@context": ["http://www.w3.org/ns/csvw", {"@language": "en"}],
    "url": "folder/survey.csv?version=1",
    "null": ["", "NA"],
    "tableSchema": {
        "columns": [
            {
                "name": "sex",
                "titles": {"en": ["Sex"], "da": "Koen"},
                "dc:description": {"@value": "Sex of the  person"},
                "datatype": {"base": "string", "format": "f|m"},
                "null": ["", "NA", "-9"],
            },
            {"titles": "age", "datatype": "integer", "rdfs:label": "Age"},
            {"name": "day%20of", "datatype": {"base": "date", "format": "yyyy-MM-dd"}},
            {"name": "code", "datatype": {"base": "string", "format": "[a-z]+"}},
            {"name": "row", "virtual": True},
        ]
    },
}


def written(folder: Path, content: object) -> Path:
    file = folder / "survey.json"
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    return file


@pytest.mark.parametrize("group", [False, True])
def test_columns_with_types_texts_for_missing_and_lists(tmp_path: Path, *, group: bool) -> None:
    table = {name: value for name, value in TABLE.items() if name != "@context"}
    content = {"@context": "http://www.w3.org/ns/csvw", "tables": [table]} if group else TABLE
    (file,) = read_codebook(written(tmp_path, content)).files
    assert file.name == "survey.csv"
    sex, age, day, code = file.variables
    assert (sex.name, sex.label, sex.type) == ("Sex", "Sex of the person", "text")
    assert list(sex.codes) == ["f", "m"]
    assert sex.missing == ("NA", "-9")
    assert (age.name, age.label, age.type, age.missing) == ("age", "Age", "number", ("NA",))
    assert (day.name, day.type) == ("day of", "date")
    assert dict(code.codes) == {}


WRONG: dict[str, object] = {
    "expected CSV on the Web": {"url": "survey.csv"},
    "not valid JSON, in line 1": "{",
    "nested too deeply": "[" * 100_000,
    "describe no columns": {"@context": "http://www.w3.org/ns/csvw", "url": "survey.csv"},
    "describe 'a' twice": {
        "@context": "http://www.w3.org/ns/csvw",
        "tableSchema": {"columns": [{"name": "a"}, {"name": "a"}]},
    },
    "have a column without a name": {
        "@context": "http://www.w3.org/ns/csvw",
        "tableSchema": {"columns": [{}]},
    },
}


@pytest.mark.parametrize("words", WRONG)
def test_what_is_no_csvw_is_a_sentence(tmp_path: Path, words: str) -> None:
    with pytest.raises(FileError, match="survey") as error:
        read_codebook(written(tmp_path, WRONG[words]))
    assert words in str(error.value)


def test_text_that_is_not_utf8_is_a_sentence(tmp_path: Path) -> None:
    file = tmp_path / "survey.json"
    file.write_bytes(b'{"\xff": 1}')
    with pytest.raises(FileError, match="the text is not UTF-8"):
        read_codebook(file)


def test_a_file_too_large_to_be_metadata_is_not_read(tmp_path: Path) -> None:
    file = written(tmp_path, "")
    with file.open("wb") as out:
        out.truncate((64 << 20) + 1)
    with pytest.raises(FileError, match=r"^survey.json: expected metadata of at most 64 MiB\. Is"):
        read_codebook(file)
