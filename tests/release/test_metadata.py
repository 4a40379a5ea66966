"""Metadata of a replica: DDI, CSVW, Croissant and DCAT, of its file and the study's words."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import os
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest

from sdcmetrics.errors import StudyError
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.read import read
from sdcmetrics.release.described import Category, DescribedColumn, _codes, _type
from sdcmetrics.release.metadata import (
    DDI,
    Catalogued,
    _csvw_column,
    _distributions,
    _fit,
    catalogued,
    croissant,
    dcat,
    ddi,
    metadata_files,
)
from tests.microdata.codebook import examples
from tests.release.studies import people, write_study

MORE = """
[missing_codes]
age = [-8]

[publication]
contact = "data@agency.example"
citation = "Agency (2026)"
licence = "https://creativecommons.org/licenses/by/4.0/"
expires = "2027-12-31"

[[generator]]
name = "maker"
seed = 987654321
records = 314
"""
CHILDREN = {
    "codeBook": ("docDscr", "stdyDscr", "fileDscr", "dataDscr"),
    "docDscr": ("citation",),
    "citation": ("titlStmt", "prodStmt"),
    "prodStmt": ("prodDate", "software"),
    "stdyDscr": ("citation", "stdyInfo", "dataAccs"),
    "stdyInfo": ("abstract", "sumDscr"),
    "useStmt": ("contact", "citReq", "conditions", "disclaimer"),
    "fileDscr": ("fileTxt", "notes"),
    "fileTxt": ("fileName", "dimensns", "fileType"),
    "dimensns": ("caseQnty", "varQnty"),
    "var": ("labl", "invalrng", "catgry", "varFormat"),
    "catgry": ("catValu", "labl"),
}
"""Children in the order that the schema of DDI-Codebook 2.5 has them in."""


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a study whose original is gone, with a replica of text and one of SPSS."""
    file = write_study(tmp_path_factory.mktemp("metadata"), people(50, 7), more=MORE)
    (file.parent / "original.csv").unlink()
    frame = pd.DataFrame({"sex": [1.0, 2.0, -9.0] * 40, "pay": [1.5, 2.5, 3.5] * 40})
    pyreadstat.write_sav(
        frame,
        str(file.parent / "spss.sav"),
        column_labels={"sex": "Sex <of> person", "pay": "Pay"},
        variable_value_labels={"sex": {1.0: "man", 2.0: "woman", -9.0: "refused"}},
        missing_ranges={"sex": [-9.0]},
        variable_measure={"sex": "nominal", "pay": "scale"},
    )
    text = file.read_text().replace('cart = "cart.csv"', 'cart = "cart.csv"\nspss = "spss.sav"')
    file.write_text(text)
    return file


@pytest.fixture(scope="module")
def cart(study: Path) -> Catalogued:
    return catalogued(study, "cart", dt.date(2026, 11, 23))


@pytest.fixture(scope="module")
def folder(study: Path, cart: Catalogued) -> Path:
    for name, text in metadata_files(cart).items():
        (study.parent / name).write_text(text, encoding="utf-8")
    return study.parent


def tags(element: ET.Element) -> Iterator[tuple[str, list[str]]]:
    yield (
        element.tag.removeprefix(f"{{{DDI}}}"),
        [c.tag.removeprefix(f"{{{DDI}}}") for c in element],
    )
    for child in element:
        yield from tags(child)


@pytest.mark.parametrize("replica", ["cart", "other", "spss"])
def test_elements_of_ddi_stand_in_the_order_of_its_schema(study: Path, replica: str) -> None:
    book = ET.fromstring(ddi(catalogued(study, replica)).encode())  # noqa: S314  (our own)
    assert book.tag == f"{{{DDI}}}codeBook"
    for tag, children in tags(book):
        if tag in CHILDREN:
            places = [CHILDREN[tag].index(child) for child in children]
            assert places == sorted(places), tag
    identities = [e.get("ID") for e in book.iter() if e.get("ID")]
    assert len(identities) == len(set(identities))
    assert {e.get("files") for e in book.iter(f"{{{DDI}}}var")} <= set(identities)


def test_ddi_has_labels_categories_and_codes_for_missing(study: Path) -> None:
    book = ET.fromstring(ddi(catalogued(study, "spss")).encode())  # noqa: S314  (our own)
    sex, pay = book.iter(f"{{{DDI}}}var")
    assert (sex.get("name"), sex.get("intrvl"), pay.get("intrvl")) == ("sex", "discrete", "contin")
    assert sex.findtext(f"{{{DDI}}}labl") == "Sex <of> person"
    named = {
        c.findtext(f"{{{DDI}}}catValu"): (c.findtext(f"{{{DDI}}}labl"), c.get("missing"))
        for c in sex.iter(f"{{{DDI}}}catgry")
    }
    assert named == {"1": ("man", None), "2": ("woman", None), "-9": ("refused", "Y")}
    assert [item.get("VALUE") for item in sex.iter(f"{{{DDI}}}item")] == ["-9"]


SCHEMA = os.environ.get("SDCMETRICS_DDI_SCHEMA", "")
"""Path of codebook.xsd of DDI-Codebook 2.5 by the DDI Alliance: LGPL, so that it is not here."""


@pytest.mark.skipif(not SCHEMA, reason="SDCMETRICS_DDI_SCHEMA does not name codebook.xsd of DDI")
@pytest.mark.parametrize("replica", ["cart", "other", "spss", "example"])
def test_the_schema_of_the_ddi_alliance_validates_a_codebook(study: Path, replica: str) -> None:
    etree = pytest.importorskip("lxml.etree")
    schema = etree.XMLSchema(etree.parse(SCHEMA))
    text = examples.DDI if replica == "example" else ddi(catalogued(study, replica))
    assert schema.validate(etree.fromstring(text.encode())), schema.error_log
    without = etree.fromstring(text.replace("titlStmt>", "title>").encode())
    assert not schema.validate(without)


def test_a_codebook_that_was_written_is_read_again(study: Path, tmp_path: Path) -> None:
    """What an SPSS file says of its columns, a text file and the codebook say as well."""
    spss = read(study.parent / "spss.sav")
    frame = pd.read_spss(study.parent / "spss.sav", convert_categoricals=False)
    codes = spss.level_codes["sex"]
    frame["sex"] = [codes[level] for level in spss.table.column("sex").to_pylist()]
    frame.to_csv(tmp_path / "spss.csv", index=False)
    (tmp_path / "book.xml").write_text(ddi(catalogued(study, "spss")), encoding="utf-8")
    text = read(tmp_path / "spss.csv", metadata=tmp_path / "book.xml")
    assert text.table.column("sex").to_pylist() == spss.table.column("sex").to_pylist()
    assert text.table.column("pay").to_pylist() == spss.table.column("pay").to_pylist()
    for what in ("labels", "level_codes", "missing_codes", "scales"):
        assert getattr(text, what) == getattr(spss, what), what


@pytest.mark.parametrize("name", ["ddi-codebook.xml", "csvw-metadata.json"])
def test_what_was_written_of_a_text_file_is_read_again(folder: Path, name: str) -> None:
    plain = read(folder / "cart.csv")
    told = read(folder / "cart.csv", metadata=folder / name)
    assert told.columns == plain.columns
    for column in plain.columns:
        assert told.table.column(column).to_pylist() == plain.table.column(column).to_pylist()
    assert str(told.table.schema.field("region").type).startswith("dictionary")
    assert not any("not listed" in fix.what for fix in told.fixes)


def test_csvw_is_for_text_only(study: Path, cart: Catalogued) -> None:
    assert "csvw-metadata.json" in metadata_files(cart)
    assert "csvw-metadata.json" not in metadata_files(catalogued(study, "spss"))


def test_csvw_reads_the_file(folder: Path) -> None:
    csvw = pytest.importorskip("csvw")
    group = csvw.TableGroup.from_file(folder / "csvw-metadata.json")
    rows = list(group.tables[0])
    frame = pd.read_csv(folder / "cart.csv")
    assert [row["age"] for row in rows] == frame["age"].tolist()
    assert [row["region"] for row in rows] == frame["region"].tolist()
    assert sum(row["seen"] is None for row in rows) == frame["seen"].isna().sum() > 0


def test_csvw_notices_a_value_that_is_no_category(folder: Path, tmp_path: Path) -> None:
    csvw = pytest.importorskip("csvw")
    (tmp_path / "csvw-metadata.json").write_text((folder / "csvw-metadata.json").read_text())
    (tmp_path / "cart.csv").write_text("age,sex,region,seen\n20,1,elsewhere,\n")
    with pytest.raises(ValueError, match="elsewhere"):
        list(csvw.TableGroup.from_file(tmp_path / "csvw-metadata.json").tables[0])


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_croissant_is_valid_and_reads_the_file(folder: Path) -> None:
    croissant = pytest.importorskip("mlcroissant")
    data = croissant.Dataset(folder / "croissant.json")
    assert not data.metadata.ctx.issues.errors
    first = next(iter(data.records("records-1")))
    frame = pd.read_csv(folder / "cart.csv")
    assert first["records-1/1"] == frame["age"][0]
    assert first["records-1/3"].decode() == frame["region"][0]


def test_croissant_and_dcat_have_the_digest_of_each_file(study: Path) -> None:
    files = metadata_files(catalogued(study, "other"))
    digests = [
        hashlib.sha256((study.parent / name).read_bytes()).hexdigest()
        for name in ("other_1.csv", "other_2.csv")
    ]
    objects = json.loads(files["croissant.json"])["distribution"]
    assert [entry["sha256"] for entry in objects] == digests
    parts = json.loads(files["dcat.jsonld"])["dcat:distribution"]
    assert [part["spdx:checksum"]["spdx:checksumValue"]["@value"] for part in parts] == digests


def test_a_type_that_iana_does_not_list_is_no_link() -> None:
    names = ["text/csv", "application/x-spss-sav", "application/octet-stream"]
    files = [SimpleNamespace(name="a", size=1, sha256="b", media=media) for media in names]
    entry: Any = SimpleNamespace(files=files, licence="")
    csv, spss, other = _distributions(entry)
    assert csv["dcat:mediaType"]["@id"].endswith("/media-types/text/csv")
    assert (spss["dct:format"], other["dct:format"]) == (names[1], names[2])
    assert not {"dcat:mediaType", "dct:license", "dct:rights"} & {*spss, *other}


def test_dcat_is_json_ld_with_what_a_catalogue_asks_for(cart: Catalogued) -> None:
    record = json.loads(metadata_files(cart)["dcat.jsonld"])
    prefixes = {name.partition(":")[0] for name in record if not name.startswith("@")}
    assert prefixes <= record["@context"].keys()
    assert record["dct:title"]["@value"] == "Towns: cart"
    assert record["dcat:contactPoint"]["vcard:fn"] == "data@agency.example"
    assert record["dct:valid"]["@value"] == "2027-12-31"
    licence = record["dcat:distribution"][0]["dct:license"]
    assert licence == {"@id": "https://creativecommons.org/licenses/by/4.0/"}


def test_nothing_comes_from_the_original(study: Path, cart: Catalogued) -> None:
    for text in metadata_files(cart).values():
        assert "987654321" not in text
        assert "original.csv" not in text
        assert str(study.parent) not in text


def test_an_unknown_replica_is_a_sentence(study: Path) -> None:
    with pytest.raises(StudyError, match="Did you mean 'cart'"):
        catalogued(study, "carte")


def test_what_no_document_of_xml_holds_is_left_out() -> None:
    held = "a\t\n\r \ud7ff\ue000\ufffd\U00010000"
    assert _fit(held) == held
    assert _fit("\0\x0b\x1f\ud800\udfff\ufffe\uffff") == ""


@pytest.mark.parametrize("field", ["contact", "citation", "expires"])
def test_a_record_of_a_catalogue_has_what_was_given(field: str) -> None:
    given: Any = SimpleNamespace(
        title="t", replica="r", description="d", date=dt.date(2026, 11, 23), files=(),
        contact="", citation="", expires="",
    )  # fmt: skip
    names = {
        "contact": "dcat:contactPoint",
        "citation": "dct:bibliographicCitation",
        "expires": "dct:valid",
    }
    assert not {*names.values()} & dcat(given).keys()
    setattr(given, field, "2027-12-31")
    record = dcat(given)
    assert {*names.values()} & record.keys() == {names[field]}
    assert "2027-12-31" in json.dumps(record[names[field]])


@pytest.mark.parametrize(
    ("kind", "meaning", "coded", "name"),
    [
        (pa.timestamp("us"), Kind.DATE, False, "datetime"),
        (pa.date32(), Kind.DATE, False, "date"),
        (pa.bool_(), Kind.BOOLEAN, False, "boolean"),
        (pa.int64(), Kind.BOOLEAN, True, "boolean"),
        (pa.int64(), Kind.NUMBER, False, "integer"),
        (pa.float64(), Kind.NUMBER, False, "number"),
        (pa.string(), Kind.CATEGORY, True, "number"),
        (pa.string(), Kind.CATEGORY, False, "text"),
        (pa.null(), None, False, "text"),
    ],
)
def test_a_column_has_a_type(
    kind: pa.DataType, meaning: Kind | None, name: str, *, coded: bool
) -> None:
    assert _type(kind, meaning, coded=coded) == name


def test_codes_of_a_range_are_those_with_a_label() -> None:
    labels = {"x": {7: "a", 8.5: "b", 9: "c", 10: "d", "t": "e"}}
    meta = SimpleNamespace(variable_value_labels=labels)
    ranges = [{"lo": 1, "hi": 1}, {"lo": 7, "hi": 9}, {"lo": "a", "hi": "b"}, {"lo": 2, "hi": "b"}]
    assert [*_codes(ranges, meta, "x")] == [1.0, 7.0, 8.5, 9.0]
    assert [*_codes(ranges, meta, "y")] == [1.0]


def test_croissant_lists_the_fields_of_files_that_it_reads() -> None:
    def file(name: str, media: str, delimiter: str) -> Any:
        columns = [
            SimpleNamespace(name="a", label="", type="integer"),
            SimpleNamespace(name="b", label="what it is", type="text"),
        ]
        return SimpleNamespace(
            name=name, media=media, delimiter=delimiter, size=9, sha256="ff", columns=columns
        )

    files = [
        file("a.csv", "text/csv", ","),
        file("b.csv", "text/csv", ";"),
        file("c.parquet", "application/vnd.apache.parquet", ""),
        file("d.sav", "application/x-spss-sav", ""),
    ]
    entry: Any = SimpleNamespace(
        title="t", replica="r", description="d", date=dt.date(2026, 11, 23), files=files,
        licence="", citation="",
    )  # fmt: skip
    result = croissant(entry)
    assert [item["name"] for item in result["distribution"]] == [file.name for file in files]
    assert [item["@id"] for item in result["recordSet"]] == ["records-1", "records-3"]
    fields = result["recordSet"][1]["field"]
    assert [field["@id"] for field in fields] == ["records-3/1", "records-3/2"]
    assert [field["description"] for field in fields] == ["a", "what it is"]
    assert fields[0]["source"]["fileObject"] == {"@id": "file-3"}
    assert not {"license", "citeAs"} & result.keys()
    entry.files, entry.licence, entry.citation = files[1:2], "CC0", "Agency"
    result = croissant(entry)
    assert (result["license"], result["citeAs"]) == ("CC0", "Agency")
    assert "recordSet" not in result


@pytest.mark.parametrize(
    ("kind", "codes", "form"),
    [
        ("text", ["a", "b", "NA"], "a|b"),
        ("text", ["a", "b.c", "NA"], None),  # a point stands for any letter
        ("text", ["a|b", "c"], None),
        ("text", ["NA"], None),
        ("integer", ["1", "2"], None),
        ("text", [], None),
    ],
)
def test_csvw_says_which_categories_a_text_has(kind: str, codes: list[str], form: str) -> None:
    categories = tuple(Category(code, "") for code in codes)
    column = DescribedColumn("x", "", kind, categories, missing=("NA",))
    described = _csvw_column(column, SimpleNamespace(missing_texts=("",)))  # type: ignore[arg-type]
    assert described["datatype"].get("format") == form
    assert described["null"] == ["", "NA"]
