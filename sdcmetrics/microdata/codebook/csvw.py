"""Read CSV on the Web: columns with descriptions, types, texts for missing and lists of values.

CSVW has no labels of codes: a list of values is what the format of a text says, as "a|b|c".

References
----------
W3C (2015), Model for Tabular Data and Metadata on the Web; Metadata Vocabulary for Tabular Data.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

from sdcmetrics.errors import FileError
from sdcmetrics.microdata.codebook.codebook import (
    Codebook,
    FileDescription,
    Type,
    VariableDescription,
)

_MOST_BYTES = 1 << 26
_NUMBERS = (
    "integer decimal number double float long int short byte nonNegativeInteger positiveInteger "
    "nonPositiveInteger negativeInteger unsignedLong unsignedInt unsignedShort unsignedByte"
)
_TYPES: dict[str, Type] = {
    **dict.fromkeys(_NUMBERS.split(), "number"),
    **dict.fromkeys(("date", "dateTime", "datetime", "dateTimeStamp"), "date"),
    "boolean": "boolean",
    "string": "text",
}
_DESCRIPTIONS = ("dc:description", "dcterms:description", "schema:description", "rdfs:label")
_LISTED = re.compile(r"[^\\^$.*+?()\[\]{}|]+(\|[^\\^$.*+?()\[\]{}|]+)*")
"""Of formats: values and nothing else, and no other pattern."""


def read_csvw(path: Path) -> Codebook:
    """Read metadata of one table, or of a group of tables.

    Raises
    ------
    FileError
        If it is no CSVW, or names a column of a table twice.
    """
    content = _json(path)
    context = content.get("@context") if isinstance(content, dict) else None
    contexts = context if isinstance(context, list) else [context]
    if not isinstance(content, dict) or "http://www.w3.org/ns/csvw" not in contexts:
        msg = (
            f'{path.name}: expected CSV on the Web, JSON with "@context": '
            '"http://www.w3.org/ns/csvw".'
        )
        raise FileError(msg)
    given = content.get("tables", [content])
    tables = [t for t in given if isinstance(t, dict)] if isinstance(given, list) else []
    described = []
    for table in tables:
        schema = table.get("tableSchema", content.get("tableSchema"))
        columns = schema.get("columns") if isinstance(schema, dict) else None
        if not isinstance(schema, dict) or not isinstance(columns, list) or not columns:
            continue
        inherited = {**_inheritable(content), **_inheritable(table), **_inheritable(schema)}
        variables = tuple(
            _variable(column, inherited)
            for column in columns
            if isinstance(column, dict) and column.get("virtual") is not True
        )
        url = unquote(urlsplit(str(table.get("url", ""))).path)
        described.append(FileDescription(PurePosixPath(url).name, variables))
    for names in ([variable.name for variable in file.variables] for file in described):
        for name in names:
            if not name or names.count(name) > 1:
                what = f"describe {name!r} twice" if name else "have a column without a name"
                msg = f"{path.name}: the metadata {what}. Give each column a title of its own."
                raise FileError(msg)
    if not described:
        msg = f"{path.name}: the metadata describe no columns (tableSchema with columns)."
        raise FileError(msg)
    return Codebook(path.name, tuple(described))


def _json(path: Path) -> Any:
    if path.stat().st_size > _MOST_BYTES:
        msg = f"{path.name}: expected metadata of at most {_MOST_BYTES >> 20} MiB. Is it the data?"
        raise FileError(msg)
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError:
        reason = "the text is not UTF-8"
    except json.JSONDecodeError as error:
        reason = f"not valid JSON, in line {error.lineno}"
    except (RecursionError, ValueError):
        reason = "not valid JSON: nested too deeply, or a number of too many digits"
    msg = f"{path.name}: {reason}. Save or export it again."
    raise FileError(msg)


def _inheritable(of: Mapping[str, Any]) -> dict[str, Any]:
    """Return the properties that columns have from their schema, table or group."""
    return {name: of[name] for name in ("null", "datatype") if name in of}


def _variable(column: Mapping[str, Any], inherited: Mapping[str, Any]) -> VariableDescription:
    whole = {**inherited, **column}
    titles = _texts(column.get("titles"))
    name = titles[0] if titles else unquote(str(column.get("name", "")))
    label = next((texts[0] for key in _DESCRIPTIONS if (texts := _texts(column.get(key)))), "")
    datatype = whole.get("datatype", "")
    base = datatype.get("base", "string") if isinstance(datatype, dict) else datatype
    form = datatype.get("format") if isinstance(datatype, dict) else None
    values = (
        form.split("|")
        if base == "string" and isinstance(form, str) and _LISTED.fullmatch(form)
        else []
    )
    return VariableDescription(
        name.strip(),
        " ".join(label.split()),
        _TYPES.get(str(base), ""),
        codes=dict.fromkeys(values, ""),
        missing=tuple(dict.fromkeys(filter(None, _texts(whole.get("null", ""))))),
    )


def _texts(value: Any) -> list[str]:
    """Return a text, a list of them, or the texts of all languages, as a list."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [text for item in value for text in _texts(item)]
    if isinstance(value, dict):
        if "@value" in value:
            return _texts(value["@value"])
        return [text for item in value.values() for text in _texts(item)]
    return []
