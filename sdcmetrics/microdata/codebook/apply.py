"""Give a data set the labels, codes and types that metadata say of it, and list each change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa

from sdcmetrics.microdata.arrow_columns import as_kind
from sdcmetrics.microdata.codebook.codebook import Codebook, VariableDescription
from sdcmetrics.microdata.frames import Fix, Microdata
from sdcmetrics.microdata.text_columns import infer
from sdcmetrics.microdata.value_labels import Code, category, numeric_labels

_TEXT = (pa.types.is_string, pa.types.is_large_string)


def with_codebook(
    data: Microdata,
    book: Codebook,
    *,
    file: str,
    kinds: Mapping[str, str] | None = None,
    user_missing: bool = True,
) -> Microdata:
    """Return a data set with what a codebook says of it.

    Parameters
    ----------
    data : Microdata
        Its own labels stay; the codebook adds to them.
    book : Codebook
    file : str
        The name of the data file, which tells what of the codebook is about it.
    kinds : mapping of column to its kind, optional
        What the caller says; it stays.
    user_missing : bool
        Whether codes for missing stay codes, see `sdcmetrics.read`.

    Raises
    ------
    FileError
        If the codebook describes no column of the data, or several files that both fit.
    """
    described = book.of(file, data.columns)
    by_name = {variable.name: variable for variable in described.variables}
    fixes = [*data.fixes, *_differences(data, book, by_name)]
    if described.records not in (None, data.n) and described.name == file:
        what = f"{book.source} says that it has another number of records"
        fixes.append(Fix(data.source, None, what))
    columns: dict[str, _Column] = {}
    for name in data.columns:
        if name in by_name:
            column = _Column(data.source, book.source, by_name[name], data.table.column(name))
            decided = None if book.categories is None else name in book.categories
            kind_given = (kinds or {}).get(name, "")
            _apply(column, decided=decided, kind_given=kind_given, user_missing=user_missing)
            columns[name] = column
            fixes += column.fixes
    labels = {
        name: column.of.label
        for name, column in columns.items()
        if column.of.label and column.of.label != name and name not in data.labels
    }
    if labels:
        several = "1 column" if len(labels) == 1 else f"{len(labels)} columns"
        what = f"labels of {several} were taken from {book.source}"
        fixes.append(Fix(data.source, None, what))
    table = data.table
    for name, column in columns.items():
        table = table.set_column(table.column_names.index(name), name, column.values)
    return replace(
        data,
        table=table,
        labels={**data.labels, **labels},
        value_labels={
            **data.value_labels,
            **{name: c.value_labels for name, c in columns.items() if c.value_labels},
        },
        level_codes={
            **data.level_codes,
            **{name: c.level_codes for name, c in columns.items() if c.level_codes},
        },
        missing_codes={
            **data.missing_codes,
            **{name: c.missing_codes for name, c in columns.items() if c.missing_codes},
        },
        scales={**{n: c.of.scale for n, c in columns.items() if c.of.scale}, **data.scales},
        fixes=tuple(fixes),
    )


def _differences(
    data: Microdata, book: Codebook, by_name: Mapping[str, VariableDescription]
) -> Iterator[Fix]:
    """Yield what only one of data and codebook has."""
    absent = [name for name in by_name if name not in data.columns]
    if absent:
        what = f"{book.source} describes columns that the file has not: {', '.join(absent)}"
        yield Fix(data.source, None, what)
    for name in data.columns:
        if name not in by_name:
            yield Fix(data.source, name, f"{book.source} does not describe it")


@dataclass(slots=True)
class _Column:
    """A column, what is said of it, and what becomes of it."""

    source: str
    book: str
    of: VariableDescription
    values: Any
    fixes: list[Fix] = field(default_factory=list)
    value_labels: dict[float, str] = field(default_factory=dict)
    level_codes: dict[str, Code] = field(default_factory=dict)
    missing_codes: tuple[float, ...] = ()

    def note(self, change: str, cells: int | None = None) -> None:
        self.fixes.append(Fix(self.source, self.of.name, change, cells))

    @property
    def is_text(self) -> bool:
        given = self.values.type
        if pa.types.is_dictionary(given):
            given = given.value_type
        return any(test(given) for test in _TEXT)

    @property
    def is_number(self) -> bool:
        given = self.values.type
        return bool(pa.types.is_integer(given) or pa.types.is_floating(given))


def _apply(column: _Column, *, decided: bool | None, kind_given: str, user_missing: bool) -> None:
    """Apply what is said of a column; whether it is a category may be decided."""
    for note in column.of.notes:
        column.note(f"in {column.book}, {note}")
    if not kind_given:
        _convert(column)
    if not (column.is_text or column.is_number):
        if column.of.codes or column.of.missing:
            column.note(f"codes of {column.book} are not used: it holds dates or booleans")
        return
    values = column.values.cast(pa.string()) if column.is_text else column.values
    each = values.to_pylist()
    missing = _missing(column, each)
    if missing and not user_missing:
        _set_missing(column, each, missing)
        each, missing = column.values.to_pylist(), set()
    labels = _labels(column)
    unlisted = _unlisted(column, each, labels, missing)
    nominal = column.of.scale in ("nominal", "ordinal")
    may_be = kind_given in ("", "category")
    wanted = column.is_text or (column.of.scale != "interval" and (_named(labels) or nominal))
    categories = None
    if labels and may_be and (wanted if decided is None else decided):
        listed = {c: text for c, text in labels.items() if text or not _named(labels)}
        if decided:  # what no label covers is a level of its own
            listed |= dict.fromkeys(unlisted, "")
        categories = category(each, listed, missing, source=column.source, name=column.of.name)
    if categories is not None:
        column.values = pa.chunked_array([categories.column])
        codes = categories.codes
        column.level_codes = codes if any(codes[text] != text for text in codes) else {}
        column.fixes += categories.fixes
        column.note(f"is a category, whose levels {column.book} lists")
        return
    if column.is_number:
        column.value_labels = {c: t for c, t in numeric_labels(labels).items() if t}
        column.missing_codes = tuple(sorted(float(code) for code in missing))
        if column.value_labels:
            column.note(f"labels of codes were taken from {column.book}; it stays a number")
        if missing:
            cells = sum(value in missing for value in each)
            column.note(f"codes that mean missing were taken from {column.book}", cells)
        if (nominal if decided is None else decided) and not missing and not kind_given:
            why = column.of.scale or "a category, as the original has it"
            _to_kind(column, "category", f"{column.book} calls it {why}")


def _named(labels: Mapping[Code, str]) -> bool:
    return any(labels.values())


def _convert(column: _Column) -> None:
    """Bring a column to the type that is said of it, where its values are of that type."""
    of, wanted = column.of, column.of.type
    if wanted == "number" and column.is_text:
        texts = column.values.cast(pa.string())
        codes = [code for code in of.missing if not _is_number(code)]
        _as_number(column, texts, codes)
    elif wanted == "text" and column.is_number and not of.codes:
        _to_kind(column, "category", f"{column.book} calls it text")
    elif wanted == "date":
        _to_kind(column, "date", f"{column.book} calls it a date")


def _as_number(column: _Column, texts: pa.ChunkedArray, codes: list[str]) -> None:
    """Read texts as numbers, where no other text is among them than codes for missing."""
    held = sum(value in codes for value in texts.to_pylist()) if codes else 0
    without = [None if value in codes else value for value in texts.to_pylist()]
    typed = infer(pa.chunked_array([pa.array(without, pa.string())]), ()).column
    if pa.types.is_integer(typed.type) or pa.types.is_floating(typed.type):
        column.values = typed
        if held:
            what = f"texts that {column.book} declares missing were read as missing"
            column.note(what, held)
    elif any(
        not (_is_number(value) or value in column.of.codes)
        for value in {*without}
        if value is not None
    ):
        column.note(f"{column.book} calls it numeric, and it holds other text; it stays text")


def _to_kind(column: _Column, kind: Any, why: str) -> None:
    changed = as_kind(column.values, kind)
    if changed is None:
        column.note(f"{why}, and some of its values are none; it stays as it is")
    elif not changed.type.equals(column.values.type):
        column.values = changed
        column.note(f"{why}: it was read so")


def _is_number(code: str) -> bool:
    return _number(code) is not None


def _number(code: str) -> float | None:
    try:
        number = float(code)
    except ValueError:
        return None
    return number if number == number else None  # noqa: PLR0124  (NaN is no code)


def _code(column: _Column, code: str) -> Code | None:
    """Return a code as the column has it; None where it can have none of the kind."""
    return code if column.is_text else _number(code)


def _missing(column: _Column, values: list[Any]) -> set[Any]:
    """Return the values of a column that are declared to mean missing."""
    declared = {_code(column, code) for code in column.of.missing} - {None}
    present = set(values) - {None}
    missing = present & declared
    for ends in column.of.ranges if column.is_number else ():
        missing |= {value for value in present if ends.low <= value <= ends.high}
    return missing


def _set_missing(column: _Column, values: list[Any], missing: set[Any]) -> None:
    given = pa.string() if column.is_text else column.values.type
    remaining = [None if value in missing else value for value in values]
    column.values = pa.chunked_array([pa.array(remaining, type=given)])
    cells = sum(value in missing for value in values)
    column.note(f"codes that {column.book} declares missing were read as missing", cells)


def _labels(column: _Column) -> dict[Code, str]:
    """Return labels by codes as the column has them."""
    out: dict[Code, str] = {}
    for code, label in column.of.codes.items():
        key = _code(column, code)
        if key is None:
            continue
        out.setdefault(key, label)
    other = len(column.of.codes) - len(out)
    if other and any(label for label in column.of.codes.values()):
        column.note(f"{other} codes of {column.book} are no numbers, and it holds numbers")
    return out


def _unlisted(
    column: _Column, values: list[Any], labels: Mapping[Code, str], missing: set[Any]
) -> set[Any]:
    """Return the values that are no code, and say how codes and values differ without naming any.

    A number of which a few values have a label, as "99 or over", is not a list of codes.
    """
    present = set(values) - {None}
    if not labels or (column.is_number and 2 * len(present & labels.keys()) < len(present)):
        return present - labels.keys() - missing
    unused = sum(code not in present for code in labels)
    if unused:
        verb = "code is" if unused == 1 else "codes are"
        column.note(f"{unused} {verb} listed in {column.book} and in no record")
    unlisted = present - labels.keys() - missing
    if unlisted:
        cells = sum(value in unlisted for value in values)
        what = f"{len(unlisted)} of its values {'is' if len(unlisted) == 1 else 'are'}"
        column.note(f"{what} not listed in {column.book}", cells)
    return unlisted
