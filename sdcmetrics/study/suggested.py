"""A first study file for a data set: guesses at keys, targets, missing codes and roles."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sdcmetrics.errors import IncomparableError, StudyError
from sdcmetrics.measures.anonymity.k_anonymity import KAnonymity, k_anonymity
from sdcmetrics.measures.homogeneity.fixed_strata import suspected_strata
from sdcmetrics.measures.identifiers.candidates import single_columns
from sdcmetrics.measures.records import records_of
from sdcmetrics.microdata.arrays import Counts, Floats
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.frames import Microdata
from sdcmetrics.microdata.schema import Harmonised, Variable, harmonise
from sdcmetrics.study.design_columns import design_columns

_FEWEST_KEYS, _MOST_KEYS, _MOST_WITH_ADDED = 3, 5, 8
"""By their names; and with those that are added where too few records are alone."""
_ALONE = 0.1
"""Of the records; where fewer are alone with the keys even a copy would hardly be noticed."""
_MOST_TARGETS = 3
_MANY_LEVELS = 50
"""A category with more levels is hardly worth guessing."""
_ID_SHARE = 0.95
"""Values per record from which a column names records rather than describes them."""

_KEY_NAMES = re.findall(
    r"\w+",
    "age sex gender birth region province county district state country nation city town "
    "area zip postcode urban marital married civil educ school degree ethnic race religion "
    "occup industry isco nace household hhsize hsize children nationality citizen language",
)
_TARGET_NAMES = re.findall(
    r"\w+",
    "income wage salary earn pay revenue wealth debt loan benefit welfare pension econ employ "
    "unemploy labour labor health "
    "diag disease disab illness cancer hiv drug alcohol smok depress vote party crime "
    "victim tax credit",
)
_COUNTS = r"size|num|count(?!r|y)|days|hours|years|children|kids|(?<![a-z])age"
"""In names of whole numbers that count something, and are no codes; not in county or stage."""
_CODES_AT_MOST = 12
"""Values of whole numbers that may be codes."""
_CODES = (-9.0, -8.0, -7.0, -6.0, -5.0, -4.0, -3.0, -2.0, -1.0)
_NINES = (99.0, 999.0, 9999.0, 99999.0, 999999.0)
_FAR = 1.5
"""A value of nines is no code unless it is so many times the next smaller value."""
_ALIKE = 2.0
"""Counts of values that stand side by side in a scale differ by no more than this factor."""
_FEWEST_MEASURED, _RISING = 4, 0.7
"""Negative numbers of what was measured, and the rank correlation of their counts with them."""


@dataclass(frozen=True)
class Suggestion:
    """What a first study of some files may say.

    Attributes
    ----------
    keys, targets : tuple of str
    missing_codes : dict of column to tuple of numbers
        Numbers that look like codes for missing values.
    identifiers : tuple of str
        Columns with a value of its own for almost every record; they are left out.
    weights : tuple of str
        Columns of the original that look like sampling weights; they are left out.
    weighed : tuple of str
        Columns that could be sampling weights by their names, but look as if something was weighed.
    roles : dict of role to column
        Household, person or cluster, where columns of the original look like that; they are left
        out.
    strata : str
        Column with the name of strata, within which the sample was drawn; or "".
    fixed : str
        Column of which each value occurs as often in both files, as in strata; or "".
    coded : dict of column to int
        Numbers that may be codes, and how many values they have.
    unique : float
        Percent of the original's records that are alone with their keys.
    kinds : dict of column to kind
    incomparable : dict of column to reason
        Columns that original and replicas cannot be compared by as they are; they are left out.
    """

    keys: tuple[str, ...]
    targets: tuple[str, ...]
    missing_codes: Mapping[str, tuple[float, ...]]
    identifiers: tuple[str, ...]
    weights: tuple[str, ...]
    weighed: tuple[str, ...]
    roles: Mapping[str, str]
    strata: str
    fixed: str
    coded: Mapping[str, int]
    unique: float
    kinds: Mapping[str, str]
    incomparable: Mapping[str, str]


def suggest(original: Microdata, replicas: Sequence[Microdata]) -> Suggestion:
    """Guess the roles of columns, from their names and from their values.

    Columns that cannot be compared as they are have none.

    Raises
    ------
    DataError
        If the files cannot be compared.
    StudyError
        If they have fewer than two columns that can have a role.
    """
    data, incomparable = _comparable(original, replicas)
    design = design_columns(original, data)
    distinct = {name: _distinct(variable) for name, variable in data.variables.items()}
    set_aside = {*design.weights, *design.roles.values()}
    quantities = {item.columns[0] for item in single_columns(original)[0] if item.measured}
    identifiers = tuple(
        name
        for name, variable in data.variables.items()
        if name not in set_aside
        and distinct[name] > max(_ID_SHARE * data.sizes[0], 1)
        and not (_measured(variable) or name in quantities)
    )
    set_aside.update(identifiers)
    usable = [name for name, count in distinct.items() if count > 1 and name not in set_aside]
    if len(usable) < 2:  # noqa: PLR2004  (a key and a target)
        msg = (
            f"{original.source}: expected at least two columns that it shares with the replica, "
            "have more than one value, and are no identifiers: a key and a target."
        )
        raise StudyError(msg)
    dates = {name for name in usable if data.variables[name].kind is Kind.DATE}
    keys, targets = _keys_and_targets(original, usable, distinct, dates)
    keys, alone = _with_more_keys(original, keys, targets, _by_levels(usable, distinct))
    return Suggestion(
        keys=tuple(keys),
        targets=tuple(targets),
        missing_codes={name: codes for name in usable if (codes := _codes(data, name))},
        identifiers=identifiers,
        weights=design.weights,
        weighed=design.weighed,
        roles=design.roles,
        strata=design.strata,
        fixed="" if design.strata else suspected_strata(records_of(data).columns),
        coded={name: distinct[name] for name in usable if may_be_codes(data.variables[name])},
        unique=100.0 * alone.uniques / alone.n,
        kinds={name: variable.kind.value for name, variable in data.variables.items()},
        incomparable=incomparable,
    )


def _comparable(
    original: Microdata, replicas: Sequence[Microdata]
) -> tuple[Harmonised, dict[str, str]]:
    """Return the columns that can be compared as they are, and why others cannot."""
    try:
        return harmonise(original, replicas), {}
    except IncomparableError as error:
        incomparable = dict(error.columns)
        names = [
            name
            for name in original.columns
            if name not in incomparable and all(name in replica.columns for replica in replicas)
        ]
        if not names:
            raise
    return harmonise(original, replicas, variables=names), incomparable


def _by_levels(usable: Sequence[str], distinct: Mapping[str, int]) -> list[str]:
    """Return columns of few values, those with most first, then the others, those with fewest."""
    few = [name for name in usable if distinct[name] <= _MANY_LEVELS]
    rest = set(usable).difference(few)
    return sorted(few, key=lambda n: -distinct[n]) + sorted(rest, key=lambda n: (distinct[n], n))


def _keys_and_targets(
    original: Microdata, usable: Sequence[str], distinct: Mapping[str, int], dates: Container[str]
) -> tuple[list[str], list[str]]:
    """Guess keys and targets by names of columns, else by numbers of values.

    Dates are targets only where nothing else is left, as they are seldom what is secret.
    """
    no_dates = [name for name in usable if name not in dates]
    targets = _named(no_dates, _TARGET_NAMES, original.labels)[:_MOST_TARGETS]
    named = [name for name in _named(usable, _KEY_NAMES, original.labels) if name not in targets]
    keys = named[:_MOST_KEYS]
    others = [n for n in _by_levels(usable, distinct) if n not in (*keys, *targets)]
    keys += others[: max(0, min(_FEWEST_KEYS, len(usable) - 1) - len(keys))]
    rest = [name for name in usable if name not in keys]
    rest = [name for name in rest if name not in named] or rest
    rest = [name for name in rest if name not in dates] or rest
    few = [name for name in rest if distinct[name] <= _MANY_LEVELS]
    return keys, targets or few[:1] or rest[:1]


def _with_more_keys(
    original: Microdata, keys: list[str], targets: Sequence[str], others: Sequence[str]
) -> tuple[list[str], KAnonymity]:
    """Return keys with those that make more records alone, where too few are; and how many are."""
    alone = k_anonymity(original, keys=keys)
    for name in [name for name in others if name not in (*keys, *targets)]:
        if len(keys) >= _MOST_WITH_ADDED or alone.uniques >= _ALONE * alone.n:
            break
        with_one_more = k_anonymity(original, keys=[*keys, name])
        if with_one_more.classes > alone.classes:
            keys, alone = [*keys, name], with_one_more
    return keys, alone


def may_be_codes(variable: Variable) -> bool:
    """Whether a number has few whole values from 0 on, and no name of what is counted."""
    if variable.kind is not Kind.NUMBER or re.search(_COUNTS, variable.name.lower()):
        return False
    values = np.unique(variable.values[0][~np.isnan(variable.values[0])])
    values = values[~np.isin(values, variable.missing_codes)]
    whole = bool((values == np.rint(values)).all()) and bool((values >= 0).all())
    return whole and 2 < len(values) <= _CODES_AT_MOST  # noqa: PLR2004  (0 and 1 are no codes)


def by_method(paths: Sequence[Path]) -> dict[str, list[Path]]:
    """Return files by the method that made them: cart_1.csv and cart_2.csv are both of cart.

    Examples
    --------
    >>> by_method([Path("cart_1.csv"), Path("cart_2.csv"), Path("ctgan.csv")])["cart"][1].name
    'cart_2.csv'
    """
    out: dict[str, list[Path]] = {}
    for path in paths:
        out.setdefault(re.sub(r"[_.-]?\d+$", "", path.stem) or path.stem, []).append(path)
    return out


def _named(
    names: Sequence[str], words: Sequence[str], labels: Mapping[str, str] | None = None
) -> list[str]:
    """Return the columns whose names begin a part with one of the words, in the words' order.

    Columns whose label in the file has such a word follow.
    """
    out: list[str] = []
    for word in words:
        pattern = re.compile(rf"(^|[^a-z]){word}", re.IGNORECASE)
        out += [name for name in names if pattern.search(name) and name not in out]
    for word in words if labels else ():
        pattern = re.compile(rf"\b{word}", re.IGNORECASE)
        out += [n for n in names if pattern.search((labels or {}).get(n, "")) and n not in out]
    return out


def _distinct(variable: Variable) -> int:
    if variable.values:
        values = variable.values[0]
        return len(np.unique(values[~np.isnan(values)]))
    return len(np.unique(variable.codes[0][variable.codes[0] >= 0]))


def _measured(variable: Variable) -> bool:
    """Whether a number has fractions, so that many values are no sign of an identifier."""
    if variable.kind is not Kind.NUMBER:
        return variable.kind is Kind.DATE
    values = variable.values[0][~np.isnan(variable.values[0])]
    return bool((values != np.rint(values)).any())


def _codes(data: Harmonised, name: str) -> tuple[float, ...]:
    """Return numbers at an end of a column that look like codes: negative ones, nines far off."""
    variable = data.variables[name]
    if variable.kind is not Kind.NUMBER:
        return ()
    if variable.missing_codes:
        return tuple(variable.missing_codes)  # a release knows only what the study says
    values, counts = np.unique(
        variable.values[0][~np.isnan(variable.values[0])], return_counts=True
    )
    below = values[values < 0]
    codes = below.tolist() if np.isin(below, _CODES).all() and values[-1] > 0 else []
    if _belong_to_scale(values, counts):
        codes = []
    if values[-1] in _NINES:
        codes += _codes_up_to(values)
    return tuple(float(code) for code in codes)


def _belong_to_scale(values: Floats, counts: Counts) -> bool:
    """Whether negative numbers are values of a scale from -3 to 3, or measured, and no codes.

    A scale has as many values below 0 as above, and 0; of -1, 0 and 1 the outer ones are about as
    frequent. What was measured (a temperature) has all whole numbers down to the last, ever fewer.

    Examples
    --------
    >>> _belong_to_scale(np.arange(-2.0, 3), np.array([9, 20, 31, 18, 10]))
    True
    >>> _belong_to_scale(np.array([-2.0, -1, 1, 2]), np.array([9, 20, 18, 10]))
    False
    """
    low, high = values[0], values[-1]
    below = int((values < 0).sum())
    if below == 0 or not np.isin(np.arange(low, 1.0), values).all():
        return False
    if low == -high and len(values) == high - low + 1:
        outer = sorted((counts[0], counts[-1]))
        return bool(below > 1 or outer[1] <= _ALIKE * outer[0])
    smooth = counts[below] <= _ALIKE * counts[below - 1] <= _ALIKE**2 * counts[below]
    if below < _FEWEST_MEASURED or not smooth:
        return False
    order = np.argsort(np.argsort(counts[:below], kind="stable"))
    return bool(np.corrcoef(order, np.arange(below))[0, 1] >= _RISING)


def _codes_up_to(values: Floats) -> list[float]:
    """Return 99 with what comes beside it (97 and 98, or 77 and 88), where they are far off."""
    nines = float(values[-1])
    listed = {nines - 2, nines - 1, nines, nines / 9 * 7, nines / 9 * 8}
    others = values[[value not in listed for value in values]]
    last = float(others[-1]) if len(others) else 0.0
    codes = [float(value) for value in values if value > last]
    return codes if len(others) and codes[0] > _FAR * max(last, 1.0) else []
