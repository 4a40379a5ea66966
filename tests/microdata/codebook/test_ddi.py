"""DDI-Codebook: what is read of it, and what is refused."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from sdcmetrics.errors import FileError
from sdcmetrics.microdata.codebook.codebook import Range
from sdcmetrics.microdata.codebook.read import read_codebook
from tests.microdata.codebook.examples import DDI, write


def test_variables_with_labels_codes_and_codes_for_missing(tmp_path: Path) -> None:
    book = read_codebook(write(tmp_path)[1])
    (file,) = book.files
    assert (file.name, file.records, len(file.variables)) == ("survey.csv", 4, 6)
    sex, age, work, weight, region, scale = file.variables
    assert (sex.label, sex.type, sex.scale) == ("Sex of the person", "number", "nominal")
    assert dict(sex.codes) == {"1": "man", "2": "woman", "9": "refused"}
    assert (sex.missing, work.missing, weight.missing) == (("9",), ("-9",), (".",))
    assert age.ranges == (Range(-math.inf, -1.0),)
    assert (age.scale, region.type, scale.scale) == ("interval", "text", "interval")


def test_no_frequency_is_read(tmp_path: Path) -> None:
    text = DDI.replace('type="freq">2<', 'type="freq">987654<')
    assert "987654" not in repr(read_codebook(write(tmp_path, ddi=text)[1]))


@pytest.mark.parametrize("namespace", ["", ' xmlns="ddi:codebook:2_6"'])
def test_other_namespaces_are_read_as_well(tmp_path: Path, namespace: str) -> None:
    text = DDI.replace(' xmlns="ddi:codebook:2_5"', namespace)
    assert read_codebook(write(tmp_path, ddi=text)[1]).files[0].variables[0].name == "sex"


def test_an_open_end_of_a_range_does_not_belong_to_it(tmp_path: Path) -> None:
    text = DDI.replace('<range max="-1"/>', '<range minExclusive="-10" maxExclusive="0"/>')
    (ends,) = read_codebook(write(tmp_path, ddi=text)[1]).files[0].variables[1].ranges
    assert -10 < ends.low < -9.999999
    assert -1e-300 < ends.high < 0


def test_a_range_without_ends_is_none(tmp_path: Path) -> None:
    for text, ends in (
        ('<range UNITS="REAL"/>', ()),
        ('<range min="soon"/>', ()),
        ('<range min="3"/>', ((3, math.inf),)),
        ('<range min="3" max="9"/><range/>', ((3, 9),)),
    ):
        ddi = DDI.replace('<range max="-1"/>', text)
        result = read_codebook(write(tmp_path, ddi=ddi)[1]).files[0].variables[1].ranges
        assert tuple((each.low, each.high) for each in result) == ends


HOSTILE = {
    "entities": (
        '<!DOCTYPE codeBook [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    ),
    "files": '<!DOCTYPE codeBook [<!ENTITY x SYSTEM "file:///etc/hostname">]>',
    "net": '<!DOCTYPE codeBook SYSTEM "http://example.org/codebook.dtd">',
    "parameters": '<!DOCTYPE codeBook [<!ENTITY % p SYSTEM "file:///etc/hostname"> %p;]>',
}


@pytest.mark.parametrize("way", HOSTILE)
def test_a_document_type_is_refused(tmp_path: Path, way: str) -> None:
    text = DDI.replace("<codeBook", f"{HOSTILE[way]}\n<codeBook", 1)
    with pytest.raises(FileError, match=r"survey\.xml: a document type .* is refused"):
        read_codebook(write(tmp_path, ddi=text)[1])


WRONG = {
    "not well-formed XML, in line": DDI[:900],
    "nested too deeply": DDI.replace("<dataDscr>", "<a>" * 70 + "</a>" * 70 + "<dataDscr>"),
    "DDI-Lifecycle: export DDI-Codebook": '<DDIInstance xmlns="ddi:instance:3_2"/>',
    "first element is codeBook": "<html/>",
    "describes no variable": '<codeBook xmlns="ddi:codebook:2_5"><stdyDscr/></codeBook>',
    "describes 'sex' twice": DDI.replace('name="age"', 'name="sex"'),
    "has a variable without a name": DDI.replace('name="age"', ""),
    "unknown encoding": DDI.replace('encoding="UTF-8"', 'encoding="nowhere"'),
}


@pytest.mark.parametrize("words", WRONG)
def test_what_is_no_codebook_is_a_sentence(tmp_path: Path, words: str) -> None:
    with pytest.raises(FileError, match="survey") as error:
        read_codebook(write(tmp_path, ddi=WRONG[words])[1])
    assert words in str(error.value)


def test_a_file_of_another_kind_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"DDI-Codebook 2.5 \(.xml\) or CSV on the Web"):
        read_codebook(tmp_path / "labels.txt")
    with pytest.raises(FileError, match="the metadata cannot be read"):
        read_codebook(tmp_path / "absent.xml")


def test_of_several_files_that_of_the_name_is_meant_or_that_which_fits(tmp_path: Path) -> None:
    second = '<fileDscr ID="F2"><fileTxt><fileName>homes.csv</fileName></fileTxt></fileDscr>'
    text = DDI.replace(" <dataDscr>", f'{second}<dataDscr><var name="sex" files="F2"/>', 1)
    book = read_codebook(write(tmp_path, ddi=text)[1])
    assert [file.name for file in book.files] == ["survey.csv", "homes.csv"]
    assert book.of("homes.csv", ["sex", "age"]).name == "homes.csv"
    assert book.of("cart.csv", ["sex", "age"]).name == "survey.csv"
    with pytest.raises(FileError, match="describes 2 files, of which none is called"):
        book.of("cart.csv", ["sex"])
    with pytest.raises(FileError, match=r"it describes no column of cart\.csv"):
        book.of("cart.csv", ["other"])
