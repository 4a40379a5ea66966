"""Read DDI-Codebook (2.5, and what it shares with 2.1 and 2.6): variables, codes, missing codes.

Frequencies and statistics, which a codebook may hold of the original, are not read.

References
----------
DDI Alliance (2012), DDI-Codebook 2.5.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from sdcmetrics.errors import FileError
from sdcmetrics.microdata.codebook.codebook import (
    Codebook,
    FileDescription,
    Range,
    Scale,
    Type,
    VariableDescription,
)
from sdcmetrics.microdata.codebook.xml import read_xml, text_of

if TYPE_CHECKING:
    from xml.etree import ElementTree as ET

_SCALES: dict[str, Scale] = {
    "nominal": "nominal",
    "ordinal": "ordinal",
    "interval": "interval",
    "ratio": "interval",
}


def read_ddi(path: Path) -> Codebook:
    """Read a codebook.

    Raises
    ------
    FileError
        If it is no DDI-Codebook, or names a variable of a file twice.
    """
    book = read_xml(path)
    if book.tag != "codeBook":
        hint = ""
        if book.tag in ("DDIInstance", "FragmentInstance"):
            hint = " This is DDI-Lifecycle: export DDI-Codebook 2.5."
        msg = f"{path.name}: expected DDI-Codebook, whose first element is codeBook.{hint}"
        raise FileError(msg)
    files = {str(part.get("ID", "")): part for part in book.iterfind("fileDscr")}
    variables: dict[str, list[VariableDescription]] = {name: [] for name in files}
    for element in book.iterfind("dataDscr/var"):
        for name in (element.get("files") or "").split() or list(files) or [""]:
            variables.setdefault(name, []).append(_variable(element))
    described = tuple(
        FileDescription(
            PurePath(text_of(files[name].find("fileTxt/fileName")) if name in files else "").name,
            tuple(each),
            _count(files[name].find("fileTxt/dimensns/caseQnty")) if name in files else None,
        )
        for name, each in variables.items()
        if each
    )
    if not described:
        msg = f"{path.name}: the codebook describes no variable (dataDscr with var)."
        raise FileError(msg)
    for file in described:
        names = [variable.name for variable in file.variables]
        for name in names:
            if not name or names.count(name) > 1:
                what = f"describes {name!r} twice" if name else "has a variable without a name"
                msg = f"{path.name}: the codebook {what}. Leave one description of each variable."
                raise FileError(msg)
    return Codebook(path.name, described)


def _variable(element: ET.Element) -> VariableDescription:
    codes: dict[str, str] = {}
    missing: list[str] = []
    notes: list[str] = []
    for category in element.iterfind("catgry"):
        code = text_of(category.find("catValu"))
        label = _label(category)
        if not code:
            continue
        if category.get("missing") == "Y":
            missing.append(code)
        if codes.get(code, label) != label:
            notes.append("a code has two labels, of which the first was taken")
        codes.setdefault(code, label)
    invalid = [item for each in element.iterfind("invalrng") for item in each]
    valid = {i.get("VALUE", "") for i in element.iterfind("valrng/item")}
    missing += [item.get("VALUE", "").strip() for item in invalid if item.tag == "item"]
    if valid & {*missing}:
        notes.append("a code is valid and missing at the same time; it was taken as missing")
    return VariableDescription(
        (element.get("name") or "").strip(),
        _label(element),
        _type(element.find("varFormat")),
        _SCALES.get(element.get("nature", ""), ""),
        codes,
        tuple(dict.fromkeys(filter(None, missing))),
        tuple(_ranges(item for item in invalid if item.tag == "range")),
        tuple(dict.fromkeys(notes)),
    )


def _label(element: ET.Element) -> str:
    """Return the first label that is not one of something smaller."""
    return next(filter(None, map(text_of, element.iterfind("labl"))), "")


def _type(form: ET.Element | None) -> Type:
    if form is None:
        return ""
    if form.get("category") in ("date", "time"):
        return "date" if form.get("category") == "date" else ""
    return {"numeric": "number", "character": "text"}.get(form.get("type", ""), "")  # type: ignore[return-value]  # one of these


def _ranges(elements: Iterator[ET.Element]) -> Iterator[Range]:
    for element in elements:
        low, high = (_end(element, which) for which in ("min", "max"))
        if low is not None or high is not None:
            yield Range(-math.inf if low is None else low, math.inf if high is None else high)


def _end(element: ET.Element, which: str) -> float | None:
    """Return an end of a range; one that does not belong to it is the number next to it."""
    for name, towards in ((which, 0.0), (f"{which}Exclusive", -math.inf)):
        with contextlib.suppress(ValueError, TypeError):
            number = float(element.get(name))  # type: ignore[arg-type]  # TypeError if absent
            if not towards:
                return number
            return math.nextafter(number, math.inf if which == "min" else -math.inf)
    return None


def _count(element: ET.Element | None) -> int | None:
    with contextlib.suppress(ValueError):
        return int(text_of(element).replace(",", ""))
    return None
