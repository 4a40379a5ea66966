"""Check arguments by their annotations, before they fail somewhere deep inside.

The annotation of a parameter says what it may be; there is no other list. Numbers and texts of
numpy become Python's own, and what has several values (arrays, columns of pandas, sets) becomes a
list, so that functions see the plain types that they declare.
"""

from __future__ import annotations

import functools
import inspect
import os
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from pathlib import Path
from typing import Annotated, Any, Final, Literal, ParamSpec, TypeVar

import numpy as np

from sdcmetrics.errors import StudyError, did_you_mean

MOST_PERMUTATIONS = 99_999
"""A p value of 0.00001 is as small as anybody needs, and more would run for days."""

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class Between:
    """The range of a whole number, in an annotation."""

    least: int
    most: int | None = None


Seed = Annotated[int, Between(0)]
"""A seed of random numbers."""
Permutations = Annotated[int, Between(0, MOST_PERMUTATIONS)]
"""How often something is permuted, drawn or tried, where not at all is an answer, too."""
Draws = Annotated[int, Between(1, MOST_PERMUTATIONS)]
"""How often something is permuted, drawn or tried."""

_LARGEST = 2**63 - 1
_SHOWN = 40
"""Letters of a text that a message shows."""


class _Unfit(Exception):  # noqa: N818  (it never leaves this module)
    """A value does not fit an annotation; the text describes it without showing it."""


def checked(function: Callable[P, T]) -> Callable[P, T]:
    """Make a public function refuse arguments that are not what their annotations say.

    Raises
    ------
    StudyError
        Naming the argument, what it may be and the type that came.

    Examples
    --------
    >>> @checked
    ... def count(*, ways: int = 1) -> int:
    ...     return ways
    >>> count(ways=2.0)
    Traceback (most recent call last):
    ...
    sdcmetrics.errors.StudyError: ways: expected a whole number but got 2.0.
    """
    signature = inspect.signature(function)

    @functools.cache
    def forms() -> dict[str, Any]:
        """Read the annotations at the first call: importing the package stays fast."""
        own = {n: a for n, a in function.__annotations__.items() if n != "return"}
        bare = types.SimpleNamespace(__annotations__=own)
        elsewhere: dict[str, Any] = {}
        there = inspect.unwrap(function).__globals__  # a decorator has those of its own module
        while True:
            try:
                return typing.get_type_hints(bare, there, elsewhere, True)  # noqa: FBT003
            except NameError as unknown:  # imported for types only: anything may come
                elsewhere[str(unknown.name)] = Any

    @functools.wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError:  # Python says best which argument is unknown or left out
            return function(*args, **kwargs)
        for name, value in bound.arguments.items():
            parameter = signature.parameters[name]
            form = forms().get(name, Any)
            if parameter.kind is inspect.Parameter.VAR_KEYWORD:
                parts = _forms_of_entries(form, value)
                entries = {entry: fit(entry, value[entry], part) for entry, part in parts.items()}
                bound.arguments[name] = entries
            elif parameter.kind is inspect.Parameter.VAR_POSITIONAL:
                bound.arguments[name] = tuple(fit(name, item, form) for item in value)
            elif not (name in ("self", "cls") and form is Any):
                bound.arguments[name] = fit(name, value, form)
        return function(*bound.args, **bound.kwargs)

    return wrapper


def fit(name: str, value: Any, form: Any) -> Any:
    """Return the value of an argument as its annotation has it.

    Raises
    ------
    StudyError
    """
    try:
        return _fitted(value, form)
    except _Unfit as got:
        expected = _words(form)
        hint = ""
        options = _options(form)
        if isinstance(value, str) and options:
            hint = did_you_mean(value[:_SHOWN], options)
        msg = f"{name}: expected {expected} but got {got}.{hint}"
        raise StudyError(msg) from None


def _forms_of_entries(form: Any, entries: Mapping[str, Any]) -> dict[str, Any]:
    if typing.get_origin(form) is typing.Unpack:
        declared = typing.get_type_hints(typing.get_args(form)[0], include_extras=True)
        return {name: declared.get(name, Any) for name in entries}
    return dict.fromkeys(entries, form)


def _fitted(value: Any, form: Any) -> Any:  # noqa: C901, PLR0911, PLR0912  (one branch per kind of form)
    value = _plain(value)
    origin, parts = typing.get_origin(form), typing.get_args(form)
    if form is Any or isinstance(form, TypeVar):
        if isinstance(value, type):
            raise _Unfit(_type_of(value))
        return value
    if form is None or form is type(None):
        return _if(value is None, value)
    if origin is Annotated:
        return _in_range(_fitted(value, parts[0]), parts[1:])
    if origin in (typing.Union, types.UnionType):
        return _one_of(value, parts)
    if origin is Literal:
        return _if(isinstance(value, str | int | bool) and value in parts, value, shown=True)
    if form is bool:
        return _if(isinstance(value, bool), value)
    if form is int:
        whole = isinstance(value, Integral) and not isinstance(value, bool)
        return _if(whole and abs(int(value)) <= _LARGEST, value)
    if form is float:
        number = _if(_is_number(value), value)
        exact = isinstance(number, float) or (isinstance(number, int) and abs(number) <= _LARGEST)
        return number if exact else float(number)
    if form is str:
        return _if(isinstance(value, str), value)
    if form in (Path, os.PathLike) or origin is os.PathLike:
        return _if(isinstance(value, os.PathLike), value)
    if origin in (Sequence, list, tuple, Iterable):
        return _list(value, origin, parts)
    if origin in (Mapping, dict):
        return _mapping(value, *parts)
    if form is Callable or origin is Callable:
        return _if(callable(value) and not isinstance(value, type), value)
    if getattr(form, "_is_protocol", False):
        return _if(_has_all(value, form), value)
    if isinstance(form, type):
        return _if(isinstance(value, form), value)
    return value


def _if(fits: bool, value: Any, *, shown: bool = False) -> Any:  # noqa: FBT001  (reads as a sentence)
    if not fits:
        raise _Unfit(_got(value, shown=shown))
    return value


def _has_all(value: object, protocol: Any) -> bool:
    members = {*vars(protocol), *getattr(protocol, "__annotations__", {})}
    return not isinstance(value, type) and all(
        hasattr(value, member) for member in members if not member.startswith("_")
    )


def _plain(value: Any) -> Any:
    """Return numbers, booleans and texts of numpy, an array of no dimension too, as Python's."""
    if isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in "biufU":
        return value.item()
    if isinstance(value, np.bool_ | np.integer | np.floating | np.str_):
        return value.item()
    return value


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    try:
        float(value)
    except (OverflowError, ValueError):
        return False
    return True


def _in_range(value: Any, notes: Iterable[Any]) -> Any:
    for note in notes:
        if isinstance(note, Between) and value is not None:
            small = value < note.least
            if small or (note.most is not None and value > note.most):
                raise _Unfit(_got(value))
    return value


def _one_of(value: Any, parts: Sequence[Any]) -> Any:
    """Return the value in the first form that it fits; of lists and mappings, say what is wrong."""
    reason = _got(value, shown=isinstance(value, str) and bool(_options(None, parts)))
    # A mapping is a list of its names only where no form is a mapping: its values would be lost.
    mappings = [part for part in parts if typing.get_origin(part) in (Mapping, dict)]
    first = mappings if isinstance(value, Mapping) else []
    for part in (*first, *(part for part in parts if part not in first)):
        try:
            return _fitted(value, part)
        except _Unfit as got:
            if str(got).startswith(reason) and len(str(got)) > len(reason):
                reason = str(got)
    raise _Unfit(reason)


def _list(value: Any, origin: Any, parts: Sequence[Any]) -> Any:  # noqa: PLR0912  (one per container)
    """Return several values as a list; a text stands for a list of itself."""
    form = parts[0] if parts else Any
    if isinstance(value, str):
        return _if(form is str, value)
    if isinstance(value, np.ndarray):
        if value.ndim == 1 and value.dtype.kind in "iuf" and form is float and origin is Sequence:
            return value  # long ones too: nothing in it is of another kind
        items = value.tolist() if value.ndim == 1 else None
    elif isinstance(value, tuple | list | range):
        items = list(value)
    elif isinstance(value, set | frozenset | Mapping):
        items = list(value) if form is str else None
    elif isinstance(value, bytes | bytearray | memoryview):
        items = None
    elif isinstance(value, Sequence):
        items = list(value)
    elif hasattr(value, "tolist") or hasattr(value, "to_list"):  # a column or an index
        items = _several(value)
    elif origin is Iterable and isinstance(value, Iterable) and not hasattr(value, "columns"):
        items = list(value)
    else:
        items = None
    if items is None or isinstance(value, type):
        raise _Unfit(_got(value))
    if origin is tuple and len(parts) > 1 and parts[1] is not Ellipsis:
        if len(items) != len(parts):
            raise _Unfit(f"{_got(value)} of {len(items)}")
        pairs = zip(items, parts, strict=True)
    else:
        pairs = zip(items, [form] * len(items), strict=True)
    out = [_item(item, part, value) for item, part in pairs]
    return tuple(out) if isinstance(value, tuple) else out


def _several(value: Any) -> list[Any] | None:
    several = getattr(value, "tolist", None) or value.to_list
    try:
        items = several()
    except (TypeError, ValueError, AttributeError):
        return None
    return items if isinstance(items, list) else None


def _mapping(value: Any, key: Any = Any, item: Any = Any) -> Any:
    if not isinstance(value, Mapping):
        raise _Unfit(_got(value))
    return {
        _item(k, key, value): _item(v, item, value, f" for {k!r}" if isinstance(k, str) else "")
        for k, v in value.items()
    }


def _item(item: Any, form: Any, of: object, where: str = "") -> Any:
    try:
        return _fitted(item, form)
    except _Unfit as got:
        msg = f"{_type_of(of)} that holds {got}{where}"
        raise _Unfit(msg) from None


def _got(value: object, *, shown: bool = False) -> str:
    """Return a description of a value: numbers as they are, others by type."""
    is_short_text = shown and isinstance(value, str)
    if is_short_text or (isinstance(value, Real) and not isinstance(value, bool)):
        try:
            text = repr(value)
        except ValueError:  # Python writes no whole number of more than 4,300 digits
            return "a number of thousands of digits"
        return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
    return repr(value) if isinstance(value, bool) else _type_of(value)


def _type_of(value: object) -> str:
    return f"the class {value.__name__}" if isinstance(value, type) else type(value).__name__


def _options(form: Any, parts: Sequence[Any] = ()) -> list[str]:
    """Return the texts that an annotation allows."""
    forms = parts or [form]
    out: list[str] = []
    for member in forms:
        if typing.get_origin(member) is Literal:
            out += [text for text in typing.get_args(member) if isinstance(text, str)]
        elif typing.get_origin(member) in (typing.Union, types.UnionType):
            out += _options(None, typing.get_args(member))
    return out


_NAMES: Final = {
    bool: ("True or False", "flags"),
    int: ("a whole number", "whole numbers"),
    float: ("a number", "numbers"),
    str: ("text", "texts"),
    Any: ("data", "entries"),
    Path: ("a path", "paths"),
}


def _words(form: Any, *, several: bool = False) -> str:  # noqa: C901, PLR0911, PLR0912  (one per form)
    """Return an annotation in the words of a message."""
    origin, parts = typing.get_origin(form), typing.get_args(form)
    if form in _NAMES:
        return _NAMES[form][several]
    if origin is Annotated:
        between = next((note for note in parts[1:] if isinstance(note, Between)), None)
        words = _words(parts[0], several=several)
        if between is None:
            return words
        low, high = between.least, between.most
        return f"{words} of {low} or more" if high is None else f"{words} from {low} to {high:,}"
    if origin in (typing.Union, types.UnionType):
        some = [part for part in parts if part is not type(None)]
        if {str, Path} <= set(some) or any(
            typing.get_origin(type_) is os.PathLike for type_ in some
        ):
            some = [
                Path,
                *(type_ for type_ in some if type_ not in (str, Path) and not _is_path(type_)),
            ]
        if any(
            typing.get_origin(type_) is Sequence and typing.get_args(type_) == (str,)
            for type_ in some
        ):
            some = [type_ for type_ in some if type_ is not str]
        return " or ".join(dict.fromkeys(_words(part, several=several) for part in some))
    if origin is Literal:
        return "one of " + ", ".join(map(repr, parts))
    if origin in (Sequence, list, tuple, Iterable):
        if parts and parts[0] is str and not several:
            return "one name or several"
        if parts and parts[0] is Any:
            return "a list"
        if origin is tuple and parts[1:] and parts[1] is not Ellipsis:
            if len(set(parts)) == 1:
                return f"{len(parts)} {_words(parts[0], several=True)}"
            return f"tuples of {len(parts)}" if several else f"a tuple of {len(parts)}"
        return f"a list of {_words(parts[0], several=True)}" if parts else "a list"
    if origin in (Mapping, dict):
        key, item = (_words(part) for part in parts)
        return f"a mapping of {key} to {item}" if parts[1] is not Any else f"a mapping by {key}"
    if form is Callable or origin is Callable:
        return "a function"
    name = getattr(form, "__name__", "another type")
    module = getattr(form, "__module__", "")
    return f"an sdcmetrics.{name}" if module.startswith("sdcmetrics") else f"a {name}"


def _is_path(form: Any) -> bool:
    return form in (Path, os.PathLike) or typing.get_origin(form) is os.PathLike
