"""Sections of a study: each a dataclass, declared once, that file, study and Python share.

A section is what stands below ``[name]`` in a study file. Its fields have the types, limits and
defaults by which entries are checked, whoever gives them. What checks them, pydantic, is imported
when the first are: most of the package does without.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self, TypeVar, dataclass_transform

import numpy as np

from sdcmetrics.errors import StudyError, did_you_mean
from sdcmetrics.microdata.frames import Microdata

if TYPE_CHECKING:
    from pydantic import TypeAdapter, ValidationError
    from pydantic_core import ErrorDetails

T = TypeVar("T")


def as_list(value: Any) -> Any:
    """Return the list that a single entry stands for."""
    return [value] if isinstance(value, str | int | float) else value


def _as_tuple(value: Any) -> Any:
    """Return entries as a tuple, each once."""
    listed = as_list(value)
    return tuple(dict.fromkeys(listed)) if isinstance(listed, list | tuple) else listed


class Limits:
    """Limits of an entry beside its type, for `Annotated`.

    Parameters
    ----------
    **limits
        Of pydantic's: ge, gt, le, min_length, allow_inf_nan.
    """

    def __init__(self, **limits: Any) -> None:
        vars(self).update(limits)

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """Add the limits to the schema of the type."""
        schema = handler(source)
        if schema["type"] == "function-before":  # what is changed first is checked after that
            return {**schema, "schema": {**schema["schema"], **vars(self)}}
        return {**schema, **vars(self)}


class Before:
    """A conversion of an entry before it is checked, for `Annotated`."""

    def __init__(self, change: Callable[[Any], Any]) -> None:
        self._change = change

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """Put the change before the schema of the type."""
        from pydantic_core import core_schema

        return core_schema.no_info_before_validator_function(self._change, handler(source))


AsTuple = Before(_as_tuple)
"""Of an annotated tuple: a single entry need not stand in a list."""
Texts = Annotated[tuple[str, ...], AsTuple]
"""Names; a single one need not stand in a list."""
Name = Annotated[str, Limits(min_length=1)]


@dataclass_transform(frozen_default=True)
def section(name: str) -> Callable[[type[T]], type[T]]:
    """Make a class a section of study files: a frozen dataclass whose entries are checked.

    Parameters
    ----------
    name : str
        What the section is called in a study file, and the keyword of `Study`.

    Examples
    --------
    >>> @section("bins")
    ... class Bins(Section):
    ...     number: Annotated[int, Limits(ge=1)] = 10
    >>> Bins(number=3)
    Bins(number=3)
    >>> Bins(number=0)
    Traceback (most recent call last):
        ...
    sdcmetrics.errors.StudyError: bins: number: expected a number of at least 1 but got 0.
    """

    def declare(of: type[T]) -> type[T]:
        declared: Any = dataclass(frozen=True)(of)
        declared.entry = name
        own_init = declared.__init__

        def __init__(self: Any, *values: Any, **entries: Any) -> None:  # noqa: N807
            own_init(self, *values, **entries)
            if values or entries:  # the defaults are as they should be
                given = {field.name: getattr(self, field.name) for field in fields(declared)}
                checked = _checked(declared, without_numpy(given))
                vars(self).update(vars(checked))

        declared.__init__ = __init__
        return declared  # type: ignore[no-any-return]  # the class, with another `__init__`

    return declare


class Section:
    """Base class of the sections of a study."""

    entry: ClassVar[str]
    item: ClassVar[type[Any] | None] = None
    """The class of sections ``[[name]]``, of which there may be several: its field is `each`."""
    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid", "strict": True}

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        """Take entries by name for a section, and each entry strictly."""
        schema = handler(source)
        if schema["type"] == "dataclass":
            schema["strict"] = False
        if cls.item is None:
            return schema
        from pydantic_core import core_schema

        return core_schema.no_info_before_validator_function(cls._as_entries, schema)

    @staticmethod
    def _as_entries(value: Any) -> Any:
        """Return several sections as the entry that holds them."""
        return {"each": tuple(value)} if isinstance(value, list | tuple) else value

    @property
    def named_columns(self) -> tuple[str, ...]:
        """Columns of the original that it names."""
        return ()

    def check(self, original: Microdata) -> None:
        """Raise if it does not fit the original."""

    def check_beside(self, sections: Mapping[str, Section], replicas: Sequence[str]) -> None:
        """Raise if it does not fit the study's other sections, or its replicas."""

    @property
    def code(self) -> Mapping[str, Path]:
        """Files of Python that it would run, by what names them: only where that is allowed."""
        return {}

    @property
    def files(self) -> Mapping[str, Path]:
        """Files of data that it names beside those of [data]: inputs, as they are."""
        return {}

    def within(self, folder: Path) -> Self:  # noqa: ARG002
        """Return the same section with the files that it names in a folder."""
        return self

    def renamed(self, names: Mapping[str, str]) -> Self:  # noqa: ARG002
        """Return the same section of replicas under other names."""
        return self


def read_section(of: type[T], value: Any) -> T | None:
    """Return the section that a caller or a study file gives; None without one.

    Raises
    ------
    StudyError
        For an unknown entry, or a value of the wrong type or out of range.
    """
    name: str = of.entry  # type: ignore[attr-defined]  # of every section
    if value is None or value is False:
        return None
    if isinstance(value, of):
        return value
    entries = {} if value is True else value
    if issubclass(of, Section) and of.item is not None:
        several = entries if isinstance(entries, list | tuple) else [entries]
        return _checked(of, {"each": tuple(plain(entry) for entry in several)})
    if not isinstance(entries, Mapping):
        listed = ", ".join(names_of(of))
        msg = f"{name}: expected true, or entries such as {listed}."
        raise StudyError(msg)
    return _checked(of, plain(entries))


def checked_entries(of: type[T], entries: Mapping[str, Any], before: str) -> T:
    """Return a section of its entries; errors begin with some words, if any.

    Raises
    ------
    StudyError
        Naming the entry and the remedy; one line for each problem.
    """
    from pydantic import ValidationError

    try:
        validated: T = _adapter(of).validate_python(entries)  # type: ignore[arg-type]  # classes are hashable
    except ValidationError as error:
        raise StudyError(in_words(error, before, [of])) from None
    return validated


def _checked(of: type[T], entries: Mapping[str, Any]) -> T:
    return checked_entries(of, entries, of.entry)  # type: ignore[attr-defined]  # of every section


@cache
def _adapter(of: Any) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    return TypeAdapter(of)


def plain(value: Any) -> Any:
    """Turn what Python users pass into what TOML would hold."""
    if isinstance(value, Mapping):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, list | tuple | range):
        return [plain(item) for item in value]
    return value.item() if isinstance(value, np.generic) else value


def without_numpy(value: Any) -> Any:
    """Turn NumPy's arrays and numbers, at any depth, into Python's; leave all else as it is."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, Mapping):
        return {name: without_numpy(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(without_numpy(item) for item in value)
    return value


def names_of(model: Any) -> list[str]:
    """Return the names of the entries of a section, or of a model of pydantic's."""
    model = getattr(model, "item", None) or model
    return list(getattr(model, "model_fields", None) or [field.name for field in fields(model)])


# ---- What is wrong with entries, in words ---------------------------------------------------

_EXPECTED = {
    "date_type": "a date, such as 2026-11-23",
    "string_type": "text in quotes",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "list_type": 'a list, such as ["a", "b"]',
    "tuple_type": 'a list, such as ["a", "b"]',
    "dict_type": "entries of the form name = value",
    "mapping_type": "entries of the form name = value",
    "model_type": "a section with entries of its own",
    "model_attributes_type": "a section with entries of its own",
    "dataclass_type": "a section with entries of its own",
    "too_short": "at least one entry",
    "string_too_short": "a text that is not empty",
    "greater_than": "a number above {gt:g}",
    "greater_than_equal": "a number of at least {ge:g}",
    "less_than_equal": "a number of at most {le:g}",
    "literal_error": "{expected}",
}
_INSTEAD = {
    "data.replicas": 'a section [data.replicas] with a line such as cart = "cart.csv" for each',
    "scenario": "sections that begin with [[scenario]], in two brackets",
    "model": "sections that begin with [[model]], in two brackets",
    "rule": "sections that begin with [[rule]], in two brackets",
}
_EACH = {
    "data.replicas.": "a file name, or a list of file names",
    "missing_codes.": "a number, or a list of numbers",
}
_EITHER = {
    "analysis.occurred": "text in quotes, or a number",
    "read.decimal": '"," or ".", or entries such as { income = "," }',
}
"""Entries of several types: pydantic names each type, and says for each what is wrong."""
_TYPES = ("list_type", "tuple_type", "string_type", "float_type")
_UNKNOWN = ("extra_forbidden", "unexpected_keyword_argument")
_GOT = {
    bool: "true or false",
    str: "text",
    int: "a whole number",
    float: "a number",
    list: "a list",
    tuple: "a list",
    dict: "a section",
    dt.date: "a date",
    dt.datetime: "a date",
    dt.time: "a time",
    type(None): "nothing",
}


def in_words(
    error: ValidationError,
    before: str,
    inside: Sequence[Any],
    sections: Mapping[str, Any] | None = None,
) -> str:
    """Return the problems of entries, one line each, with the remedy.

    Parameters
    ----------
    error : ValidationError
    before : str
        What stands before each line: the name of a file or of a section; nothing if empty.
    inside : sequence of models
        The model of all entries, where nothing else is said of them.
    sections : mapping of name to model, optional
        Those of a whole file, to say what is known there.
    """
    start = f"{before}: " if before else ""
    problems = error.errors(include_url=False)
    lines = [f"{start}{_message(problem, inside[0], sections or {})}" for problem in problems]
    return "\n".join(dict.fromkeys(lines))


def _message(problem: ErrorDetails, inside: Any, sections: Mapping[str, Any]) -> str:
    models = (inside, *sections.values())
    hidden = "each" if any(getattr(model, "item", None) for model in models) else ""
    path = [str(part) for part in problem["loc"] if part != hidden]
    where = ".".join(part for part in path if not part.isdigit())
    kind = problem["type"]
    if kind in _UNKNOWN:
        names = [part for part in reversed(path[:-1]) if part in sections]
        permitted: Iterable[str] = names_of(sections[names[0]] if names else inside)
        hint = did_you_mean(path[-1], list(permitted)) or f" Known here: {', '.join(permitted)}."
        return f"unknown entry {where!r}.{hint}"
    if kind == "missing":
        what = f"section [{where}]" if where in sections else f"entry {where!r}"
        return f"the {what} is required but missing."
    either = next((entry for entry in _EITHER if where.startswith(f"{entry}.")), "")
    if either:
        return f"{either}: expected {_EITHER[either]}."
    of_many = next((words for start, words in _EACH.items() if where.startswith(start)), None)
    expected = _INSTEAD.get(where) or (of_many if kind in _TYPES else None) or _EXPECTED.get(kind)
    if expected is None:
        return f"{where}: {problem['msg'][0].lower()}{problem['msg'][1:]}."
    got = problem["input"]
    shown = repr(got) if kind == "literal_error" else _GOT.get(type(got), type(got).__name__)
    if kind.startswith(("greater", "less", "finite")):
        shown = str(got)
    if kind in ("too_short", "string_too_short"):
        shown = "none"
    wanted = expected.format(**problem.get("ctx", {}))
    hint = did_you_mean(str(got), wanted.split("'")[1::2]) if kind == "literal_error" else ""
    return f"{where}: expected {wanted} but got {shown}.{hint}"
