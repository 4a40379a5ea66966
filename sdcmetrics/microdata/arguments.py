"""Refuse arguments of a wrong type by name, before they fail somewhere deep inside."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, Final, ParamSpec, TypeVar

from sdcmetrics.errors import StudyError

MOST_PERMUTATIONS = 99_999
"""A p value of 0.00001 is as small as anybody needs, and more would run for days."""

P = ParamSpec("P")
T = TypeVar("T")

Check = Callable[[Any], bool]


def _is_whole(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_path(value: object) -> bool:
    return isinstance(value, str | os.PathLike)


def _is_seed(value: Any) -> bool:
    return hasattr(value, "bit_generator") or (_is_whole(value) and value >= 0)


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence) or hasattr(value, "tolist")


def _are_texts(value: Any) -> bool:
    many = _is_list(value) or isinstance(value, set | frozenset | Mapping)
    return _is_text(value) or (many and all(_is_text(one) for one in value))


def _each(is_it: Check) -> Check:
    """Return the check for one of a kind, for one per column, or for one by name."""

    def check(value: Any) -> bool:
        if _is_text(value) or not (_is_list(value) or isinstance(value, Mapping)):
            return is_it(value)
        many = value.values() if isinstance(value, Mapping) else value
        return all(one is None or is_it(one) for one in many)

    return check


def _are_two_numbers(value: Any) -> bool:
    return _is_list(value) and len(value) == 2 and all(_is_number(one) for one in value)  # noqa: PLR2004


def _is_mapping(value: object) -> bool:
    return isinstance(value, Mapping)


def _is_flag(value: object) -> bool:
    return type(value).__name__ in ("bool", "bool_")  # of Python, and of numpy


def _are_numbers_by_name(value: Any) -> bool:
    return _is_mapping(value) and all(_each(_is_number)(one) for one in value.values())


def _named(*types: str) -> Check:
    """Return the check for types of this package that are made of this module."""
    return lambda value: type(value).__name__ in types


def _one_or_several(*types: str) -> Check:
    return lambda value: _named(*types)(value) or isinstance(value, Iterable)


def _are_lists(value: object) -> bool:
    """Whether it is a list of what may itself be a list: a table, a formula with its family."""
    if not isinstance(value, Sequence) or isinstance(value, bytes):
        return False
    return all(isinstance(one, Iterable) or _named("Model")(one) for one in value)


def _by_name(value: object) -> bool:
    return isinstance(value, Mapping) and all(_is_text(name) for name in value)


_EXPECTED: Final[tuple[tuple[str, Check, str], ...]] = (
    ("ways ngroups ngroups_target nperms permutations denom_lim", _is_whole, "a whole number"),
    ("min_count max_categories breaks minbucket rows n limit", _is_whole, "a whole number"),
    ("max_size draws", _is_whole, "a whole number"),
    ("k_syn normalised population_inference proper incomplete", _is_flag, "True or False"),
    ("use_missing per_synthesis", _is_flag, "True or False"),
    ("use_key_missing use_target_missing", _each(_is_flag), "True or False, or one per column"),
    ("n_training n_holdout n_original by_chance", _is_whole, "a whole number"),
    ("ngroups_keys ngroups_targets", _each(_is_whole), "a whole number, or one per column"),
    ("level margin cp share alpha penalty timeout", _is_number, "a number"),
    ("c power population_size sampling_fraction", _is_number, "a number"),
    ("round_to", _each(_is_number), "a number, or numbers by column"),
    ("one_way_thresholds two_way_thresholds", _are_two_numbers, "two numbers"),
    ("seed rng", _is_seed, "a whole number of 0 or more"),
    ("target style distance mode source format delimiter encoding", _is_text, "text"),
    ("formula family criterion symbol strategy which stat method", _is_text, "text"),
    ("keys targets variables not_synthesised", _are_texts, "one name or several"),
    ("missing", _are_texts, "one text or several"),
    ("tables", _are_lists, "a list"),
    ("exclusions", lambda v: _are_lists(v) or _is_mapping(v), "a list, or lists by name"),
    ("max_levels", _is_mapping, "a mapping of ways to number of levels"),
    ("kinds", _by_name, "a mapping of column to kind"),
    ("missing_codes", _is_mapping, "a mapping of column to code or codes"),
    ("exclude", _are_numbers_by_name, "a mapping of column to number"),
    (
        "limits",
        lambda v: not _is_number(v) and _each(_is_number)(v),
        "numbers, or numbers by column",
    ),
    ("read_options", _is_mapping, "a mapping by name"),
    ("scenarios", lambda value: isinstance(value, Sequence), "a list"),
    ("models", lambda value: _is_mapping(value) or _are_lists(value), "formulas, one or several"),
    ("rules", _one_or_several("Rule"), "one rule or several"),
    ("reviews", _one_or_several("Review"), "one review or several"),
    ("review", _named("Review", "Protected", "ResultsFile"), "an sdcmetrics.Review"),
    ("study", _named("Study"), "an sdcmetrics.Study"),
    (
        "profile",
        lambda value: _is_path(value) or _named("Profile")(value),
        "a profile, its name or its path",
    ),
    (
        "household",
        _each(lambda value: _is_text(value) or _named("Households")(value)),
        "the name of a column, or Households",
    ),
    ("path", _is_path, "a path"),
)
_RULE: Final = {name: (is_it, what) for words, is_it, what in _EXPECTED for name in words.split()}
"""What an argument of this name must be, in every public function that has it."""


def checked(function: Callable[P, T], *, but: str = "") -> Callable[P, T]:
    """Make a public function refuse arguments of a wrong type; None is fine where it is a default.

    What the function checks itself, because it takes more, is named in `but`.

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
    names = signature.parameters.keys() & _RULE.keys() - set(but.split())

    @functools.wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            given = signature.bind(*args, **kwargs).arguments
        except TypeError:  # Python says best which argument is unknown or left out
            return function(*args, **kwargs)
        for name in given.keys() & names:
            is_it, expected = _RULE[name]
            value = given[name]
            default = signature.parameters[name].default
            if not is_it(value) and not (value is None and default is None):
                shown = value if isinstance(value, Real) else type(value).__name__
                msg = f"{name}: expected {expected} but got {shown}."
                raise StudyError(msg)
        return function(*args, **kwargs)

    return wrapper
