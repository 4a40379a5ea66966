"""A first study file for a data set: guesses at keys, targets, missing codes and roles."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from sdcmetrics.errors import IncomparableError, StudyError
from sdcmetrics.measures.anonymity.k_anonymity import k_anonymity
from sdcmetrics.measures.homogeneity.fixed_strata import is_strata_name, suspected_strata
from sdcmetrics.measures.homogeneity.rows_together import are_even, is_named_so, suspected_cluster
from sdcmetrics.measures.identifiers.candidates import single_columns
from sdcmetrics.measures.records import records_of
from sdcmetrics.microdata.arrays import Counts, Floats
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.frames import Microdata
from sdcmetrics.microdata.schema import Harmonised, Variable, harmonise

_MOST_KEYS, _MOST_WITH_ADDED = 5, 8
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
_WEIGHT_NAMES = (
    r"^(w|wt|wts|pond|pw|pwgtp|weights)$|(weight|wgt|wght|_wt|perwt|hhwt|ecwt)$"
    r"|^wt_?(finl|int|mec|saf|dr|ssall|ss|comb|scale)"
)
_BODY_NAMES = (
    r"(birth|body|bd|live|dry|wet|net|gross|fresh|carcass|molecular|mol|baby|infant|child|curb|"
    r"egg|fruit|brain|organ|heart|liver|kidney|gain|loss|over|under)_?weight$"
)
"""Weights of bodies and of goods."""
_EITHER_NAMES = r"^(wt|weight)$"
"""Names of sampling weights and of what was weighed."""
_FEW_DECIMALS, _EVEN, _NORMAL = 1, 0.7, 0.02
"""What was weighed has few decimals, varies little, and has no mean of 1."""
_ROLE_NAMES = {
    "household": r"^(h|hh|hhold|household|dwelling)_?(id|nr|no|num|number)$|^id_?(hh?|household)$",
    "person": r"^(p|pers|person|ind|resp|respondent)_?(id|nr|no|num|number)$|^id_?(p|pers|person)$",
}
"""Names of columns that say which records go together."""
_FEWEST_NUMBERS = 10
"""Values that such a column has at least."""
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
    incomparable: dict[str, str] = {}
    try:
        data = harmonise(original, replicas)
    except IncomparableError as error:
        incomparable = error.columns
        names = [
            name
            for name in original.columns
            if name not in incomparable and all(name in replica.columns for replica in replicas)
        ]
        if not names:
            raise
        data = harmonise(original, replicas, variables=names)
    distinct = {name: _distinct(variable) for name, variable in data.variables.items()}
    named = tuple(
        name
        for name, variable in data.variables.items()
        if variable.kind is Kind.NUMBER and is_weight_name(name)
    )
    weighed = tuple(name for name in named if _was_weighed(data.variables[name]))
    weights = tuple(name for name in named if name not in weighed)
    weights += tuple(  # a replica often has none
        name
        for name in original.columns
        if name not in data.variables
        and is_weight_name(name)
        and _is_number(original.table.column(name).type)
    )
    roles = _roles(original) or _clusters(data)
    strata = next((n for n in distinct if is_strata_name(n) and distinct[n] > 1), "")
    n = data.sizes[0]
    singles = single_columns(original)[0]
    quantities = {single.columns[0] for single in singles if single.measured}
    identifiers = tuple(
        name
        for name, variable in data.variables.items()
        if name not in (*weights, *roles.values())
        and distinct[name] > max(_ID_SHARE * n, 1)
        and not (_measured(variable) or name in quantities)
    )
    usable = [
        name
        for name in data.variables
        if name not in (*weights, *identifiers, *roles.values()) and distinct[name] > 1
    ]
    if len(usable) < 2:  # noqa: PLR2004  (a key and a target)
        msg = (
            f"{original.source}: expected at least two columns that it shares with the replica, "
            "have more than one value, and are no identifiers: a key and a target."
        )
        raise StudyError(msg)
    no_dates = [name for name in usable if data.variables[name].kind is not Kind.DATE]
    targets = _named(no_dates, _TARGET_NAMES, original.labels)[:_MOST_TARGETS]
    key_names = [
        name for name in _named(usable, _KEY_NAMES, original.labels) if name not in targets
    ]
    keys = key_names[:_MOST_KEYS]
    few = [name for name in usable if distinct[name] <= _MANY_LEVELS]
    by_levels = sorted(few, key=lambda name: -distinct[name])
    by_levels += sorted(set(usable) - set(few), key=lambda name: (distinct[name], name))
    keys += [n for n in by_levels if n not in (*keys, *targets)][
        : max(0, min(3, len(usable) - 1) - len(keys))
    ]
    rest = [name for name in usable if name not in keys]
    rest = [name for name in rest if name not in key_names] or rest
    rest = [name for name in rest if name in no_dates] or rest  # a date is seldom what is secret
    targets = targets or [name for name in rest if name in few][:1] or rest[:1]
    alone = k_anonymity(original, keys=keys)
    for name in [name for name in by_levels if name not in (*keys, *targets)]:
        if len(keys) >= _MOST_WITH_ADDED or alone.uniques >= _ALONE * alone.n:
            break
        with_one_more = k_anonymity(original, keys=[*keys, name])
        if with_one_more.classes > alone.classes:
            keys, alone = [*keys, name], with_one_more
    return Suggestion(
        keys=tuple(keys),
        targets=tuple(targets),
        missing_codes={name: codes for name in usable if (codes := _codes(data, name))},
        identifiers=identifiers,
        weights=weights,
        weighed=weighed,
        roles=roles,
        strata=strata,
        fixed="" if strata else suspected_strata(records_of(data).columns),
        coded={
            name: distinct[name]
            for name in data.variables
            if name in usable and may_be_codes(data.variables[name])
        },
        unique=100.0 * alone.uniques / alone.n,
        kinds={name: variable.kind.value for name, variable in data.variables.items()},
        incomparable=incomparable,
    )


def is_weight_name(name: str) -> bool:
    """Tell whether a column has the name of a sampling weight, and none of a body's or of goods.

    Examples
    --------
    >>> names = ["pweight", "fnlwgt", "WTINT2YR", "birthweight", "lwt"]
    >>> [name for name in names if is_weight_name(name)]
    ['pweight', 'fnlwgt', 'WTINT2YR']
    """
    lower = name.lower()
    return bool(re.search(_WEIGHT_NAMES, lower)) and not re.search(_BODY_NAMES, lower)


def _was_weighed(variable: Variable) -> bool:
    """Tell whether the values of a column look like weights of goods or bodies."""
    if not re.search(_EITHER_NAMES, variable.name.lower()):
        return False
    values = variable.values[0][~np.isnan(variable.values[0])]
    mean = float(values.mean()) if len(values) else 0.0
    if mean <= 0.0 or abs(mean - 1.0) < _NORMAL:
        return False
    rounded = bool(np.allclose(values, np.round(values, _FEW_DECIMALS), rtol=0.0, atol=1e-9))
    return rounded and bool(values.std() <= _EVEN * mean)


def _roles(original: Microdata) -> dict[str, str]:
    """Return the columns that look like numbers of households and of persons.

    A column of few values, such as a party called PID, numbers nobody.
    """
    return {
        role: names[0]
        for role, pattern in _ROLE_NAMES.items()
        if (
            names := [
                name
                for name in original.columns
                if re.search(pattern, name.lower())
                and len(original.table[name].unique()) >= _FEWEST_NUMBERS
            ]
        )
    }


def _clusters(data: Harmonised) -> dict[str, str]:
    """Return the column that says which records belong together, by its name and its values."""
    for name, variable in data.variables.items():
        if is_named_so(name):
            values = variable.values[0] if variable.values else variable.codes[0]
            valid = values[~np.isnan(values)] if variable.values else values[values >= 0]
            if are_even(np.unique(valid, return_counts=True)[1]):
                return {"cluster": name}
    suspected = suspected_cluster(records_of(data).columns)
    return {"cluster": suspected} if suspected else {}


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


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


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
