"""Metadata of a replica for catalogues and programs: DDI-Codebook, CSVW, Croissant, DCAT.

They are functions of the replica's files and of the study's own words: nothing in them comes from
the original.

References
----------
DDI-Codebook 2.5 (DDI Alliance); Metadata Vocabulary for Tabular Data (W3C 2015); Croissant Format
Specification 1.0 (MLCommons 2024); Data Catalog Vocabulary 3 (W3C 2024).
"""

from __future__ import annotations

import datetime as dt
import json
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sdcmetrics import __version__
from sdcmetrics.measures.publication.sections import Publication
from sdcmetrics.release.answers import read_request
from sdcmetrics.release.described import DescribedColumn, DescribedFile, describe_replica

DDI = "ddi:codebook:2_5"
_IANA = "https://www.iana.org/assignments/media-types/"
_XSD = {
    "integer": "integer",
    "number": "double",
    "boolean": "boolean",
    "date": "date",
    "datetime": "dateTime",
    "text": "string",
}
_CROISSANT = {
    "integer": "sc:Integer",
    "number": "sc:Float",
    "boolean": "sc:Boolean",
    "date": "sc:Date",
    "datetime": "sc:DateTime",
    "text": "sc:Text",
}


@dataclass(frozen=True)
class Catalogued:
    """The content of a replica's metadata.

    Attributes
    ----------
    title, description : str
    replica : str
    date : datetime.date
    files : tuple of DescribedFile
    citation, contact, licence, expires : str
        Empty where the study does not say.
    """

    title: str
    description: str
    replica: str
    date: dt.date
    files: tuple[DescribedFile, ...]
    citation: str = ""
    contact: str = ""
    licence: str = ""
    expires: str = ""


def metadata_files(entry: Catalogued) -> dict[str, str]:
    """Return metadata as texts by the names of their files.

    There is CSVW for delimited text only: it describes nothing else.
    """
    files = {
        "ddi-codebook.xml": ddi(entry),
        "croissant.json": _json(croissant(entry)),
        "dcat.jsonld": _json(dcat(entry)),
    }
    tables = [file for file in entry.files if file.delimiter]
    if tables:
        files["csvw-metadata.json"] = _json(csvw(entry, tables))
    return files


def ddi(entry: Catalogued) -> str:
    """Return a codebook: study, files and variables with categories and missing codes."""
    ET.register_namespace("", DDI)
    book = _element("codeBook", version="2.5")
    _citation(_child(_child(book, "docDscr"), "citation"), entry, f"{entry.title}: codebook")
    study = _child(book, "stdyDscr")
    _citation(_child(study, "citation"), entry, f"{entry.title}: {entry.replica}")
    info = _child(study, "stdyInfo")
    _child(info, "abstract", entry.description)
    _child(_child(info, "sumDscr"), "dataKind", "Synthetic or altered microdata")
    access = _child(_child(study, "dataAccs"), "useStmt")
    for name, text in (
        ("contact", entry.contact),
        ("citReq", entry.citation),
        ("conditions", entry.licence),
        ("disclaimer", "No record is to be taken for a person."),
    ):
        if text:
            _child(access, name, text)
    for number, file in enumerate(entry.files, start=1):
        part = _child(book, "fileDscr", ID=f"F{number}")
        described = _child(part, "fileTxt")
        _child(described, "fileName", file.name)
        sizes = _child(described, "dimensns")
        _child(sizes, "caseQnty", str(file.records))
        _child(sizes, "varQnty", str(len(file.columns)))
        _child(described, "fileType", file.media)
        _child(part, "notes", f"SHA-256: {file.sha256}")
    variables = _child(book, "dataDscr")
    for number, file in enumerate(entry.files, start=1):
        for place, column in enumerate(file.columns, start=1):
            _variable(variables, column, f"F{number}", f"V{number}_{place}")
    ET.indent(book, " ")
    content: bytes = ET.tostring(book, encoding="utf-8", xml_declaration=True)
    return content.decode() + "\n"


def _citation(citation: ET.Element, entry: Catalogued, title: str) -> None:
    _child(_child(citation, "titlStmt"), "titl", title)
    production = _child(citation, "prodStmt")
    _child(production, "prodDate", entry.date.isoformat(), date=entry.date.isoformat())
    _child(production, "software", "sdcmetrics", version=__version__)


def _variable(parent: ET.Element, column: DescribedColumn, file: str, identity: str) -> None:
    scale = "discrete" if column.categories else "contin"
    level = {"nature": column.scale} if column.scale else {}
    variable = _child(
        parent, "var", ID=identity, name=column.name, files=file, intrvl=scale, **level
    )
    if column.label:
        _child(variable, "labl", column.label)
    if column.missing:
        codes = _child(variable, "invalrng")
        for code in column.missing:
            _child(codes, "item", VALUE=code)
    missing = set(column.missing)
    for category in column.categories:
        absent = {"missing": "Y"} if category.code in missing else {}
        described = _child(variable, "catgry", **absent)
        _child(described, "catValu", category.code)
        _child(described, "labl", category.label)
    kind = "character" if column.type == "text" else "numeric"
    dates = {"category": column.type[:4]} if column.type in ("date", "datetime") else {}
    _child(variable, "varFormat", type="character" if dates else kind, **dates)


def _element(tag: str, text: str = "", /, **attributes: str) -> ET.Element:
    element = ET.Element(f"{{{DDI}}}{tag}", {k: _fit(v) for k, v in attributes.items()})
    element.text = _fit(text) or None
    return element


def _child(parent: ET.Element, tag: str, text: str = "", /, **attributes: str) -> ET.Element:
    element = _element(tag, text, **attributes)
    parent.append(element)
    return element


def _fit(text: str) -> str:
    """Return a text without the characters that no XML 1.0 document can hold."""
    return "".join(
        c
        for c in text
        if c in "\t\n\r" or "\x20" <= c <= "\ud7ff" or "\ue000" <= c <= "\ufffd" or c > "\uffff"
    )


def csvw(entry: Catalogued, files: Sequence[DescribedFile]) -> dict[str, Any]:
    """Return CSV on the Web: a table per file of delimited text."""
    tables = [
        {
            "url": file.name,
            "dc:title": f"{entry.title}: {entry.replica}",
            "dialect": {
                "delimiter": file.delimiter,
                "encoding": file.encoding.replace("utf-8-sig", "utf-8"),
                "header": True,
            },
            "tableSchema": {"columns": [_csvw_column(column, file) for column in file.columns]},
        }
        for file in files
    ]
    group: dict[str, Any] = {
        "@context": ["http://www.w3.org/ns/csvw", {"@language": "en"}],
        "dc:title": f"{entry.title}: {entry.replica}",
        "dc:description": entry.description,
        "dc:modified": {"@value": entry.date.isoformat(), "@type": "xsd:date"},
        "tables": tables,
    }
    if entry.licence.startswith(("http://", "https://")):
        group["dc:license"] = {"@id": entry.licence}
    return group


def _csvw_column(column: DescribedColumn, file: DescribedFile) -> dict[str, Any]:
    described: dict[str, Any] = {
        "titles": [column.name],
        "null": [*dict.fromkeys((*file.missing_texts, *column.missing))],
        "datatype": {"base": _XSD[column.type]},
    }
    if column.label:
        described["dc:description"] = column.label
    if column.categories and all(
        "|" not in c.code and not set(c.code) & set(r"\^$.*+?()[]{}") for c in column.categories
    ):
        codes = [c.code for c in column.categories if c.code not in column.missing]
        if codes and column.type == "text":
            described["datatype"]["format"] = "|".join(codes)
    return described


def croissant(entry: Catalogued) -> dict[str, Any]:
    """Return Croissant 1.0: files with digests, and the fields of each."""
    objects, sets = [], []
    for number, file in enumerate(entry.files, start=1):
        identity = f"file-{number}"
        objects.append(
            {
                "@type": "cr:FileObject",
                "@id": identity,
                "name": file.name,
                "contentUrl": file.name,
                "contentSize": f"{file.size} B",
                "encodingFormat": file.media,
                "sha256": file.sha256,
            }
        )
        if file.delimiter == "," or file.media.endswith("parquet"):  # what Croissant can read
            sets.append(
                {
                    "@type": "cr:RecordSet",
                    "@id": f"records-{number}",
                    "name": f"records-{number}",
                    "field": [
                        {
                            "@type": "cr:Field",
                            "@id": f"records-{number}/{place}",
                            "name": column.name,
                            "description": column.label or column.name,
                            "dataType": _CROISSANT[column.type],
                            "source": {
                                "fileObject": {"@id": identity},
                                "extract": {"column": column.name},
                            },
                        }
                        for place, column in enumerate(file.columns, start=1)
                    ],
                }
            )
    described: dict[str, Any] = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": f"{entry.title}: {entry.replica}",
        "description": entry.description,
        "datePublished": entry.date.isoformat(),
        "version": "1.0.0",
        "distribution": objects,
    }
    if sets:
        described["recordSet"] = sets
    if entry.licence:
        described["license"] = entry.licence
    if entry.citation:
        described["citeAs"] = entry.citation
    return described


_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}


def dcat(entry: Catalogued) -> dict[str, Any]:
    """Return a DCAT 3 record in JSON-LD: a dataset, and a distribution per file."""
    record: dict[str, Any] = {
        "@context": {
            "dcat": "http://www.w3.org/ns/dcat#",
            "dct": "http://purl.org/dc/terms/",
            "spdx": "http://spdx.org/rdf/terms#",
            "vcard": "http://www.w3.org/2006/vcard/ns#",
            "xsd": "http://www.w3.org/2001/XMLSchema#",
        },
        "@type": "dcat:Dataset",
        "dct:title": {"@value": f"{entry.title}: {entry.replica}", "@language": "en"},
        "dct:description": {"@value": entry.description, "@language": "en"},
        "dct:issued": {"@value": entry.date.isoformat(), "@type": "xsd:date"},
        "dcat:keyword": ["synthetic data", "microdata"],
        "dcat:distribution": list(_distributions(entry)),
    }
    if entry.contact:
        record["dcat:contactPoint"] = {"@type": "vcard:Kind", "vcard:fn": entry.contact}
    if entry.citation:
        record["dct:bibliographicCitation"] = entry.citation
    if entry.expires:
        record["dct:valid"] = {"@value": entry.expires, "@type": "xsd:date"}
    return record


def _distributions(entry: Catalogued) -> Iterator[dict[str, Any]]:
    for file in entry.files:
        part: dict[str, Any] = {
            "@type": "dcat:Distribution",
            "dct:title": file.name,
            "dcat:byteSize": {"@value": str(file.size), "@type": "xsd:nonNegativeInteger"},
            "spdx:checksum": {
                "@type": "spdx:Checksum",
                "spdx:algorithm": {"@id": "spdx:checksumAlgorithm_sha256"},
                "spdx:checksumValue": {"@value": file.sha256, "@type": "xsd:hexBinary"},
            },
        }
        if "/x-" in file.media or file.media.endswith("octet-stream"):  # IANA has none
            part["dct:format"] = file.media
        else:
            part["dcat:mediaType"] = {"@id": f"{_IANA}{file.media}"}
        if entry.licence.startswith(("http://", "https://")):
            part["dct:license"] = {"@id": entry.licence}
        elif entry.licence:
            part["dct:rights"] = entry.licence
        yield part


def _json(entries: dict[str, Any]) -> str:
    return json.dumps(entries, indent=1, ensure_ascii=False) + "\n"


def catalogued(study: Path, replica: str, date: dt.date | None = None) -> Catalogued:
    """Return the content of a replica's metadata; the original is not opened.

    Raises
    ------
    StudyError
        If there is no such replica.
    FileError, DataError
        If a file cannot be read.
    """
    spec = read_request(study)
    publication = next(
        (section for section in spec.sections.values() if isinstance(section, Publication)),
        Publication(),
    )
    sentence = f"Replica {replica!r} of confidential microdata, made to stand in for them."
    words = "No record of it is to be taken for a person."
    purpose = spec.context.get("purpose", "")
    return Catalogued(
        title=spec.study.title,
        description=" ".join(filter(None, (sentence, words, purpose and f"Purpose: {purpose}"))),
        replica=replica,
        date=date or dt.datetime.now(tz=dt.UTC).date(),
        files=describe_replica(spec, study, replica),
        citation=publication.citation,
        contact=publication.contact,
        licence=publication.licence,
        expires=publication.expires,
    )
