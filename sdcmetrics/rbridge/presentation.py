"""How harmonised data are shown to synthpop: as a user would, or so that position is label.

synthpop pairs cells by the position of a level (B1), re-sorts one of two tables as text (B2) and
joins keys as text (B8). Where every variable is a factor over one set of levels whose labels are
numbers of equal length, in order, position, text order and label all mean the same, and what is
left is synthpop's arithmetic.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from sdcmetrics.microdata.coding import CodedVariable, Rule, by_value
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.schema import Harmonised, Variable
from sdcmetrics.rbridge.columns import category, from_harmonised, number
from sdcmetrics.rbridge.session import Session
from sdcmetrics.rbridge.synds import Synds
from sdcmetrics.rbridge.wire import RColumn, RFrame

_RESERVED = frozenset(
    re.findall(
        r"\w+",
        "if else repeat while function for next break in TRUE FALSE NULL Inf NaN NA NA_integer_ "
        "NA_real_ NA_complex_ NA_character_",
    )
)


def as_user_would(
    data: Harmonised, names: Sequence[str], session: Session, *, dates_as_numbers: bool = False
) -> Synds:
    """Show numbers as numbers, dates as dates, booleans as logicals, categories as factors.

    Columns are called by their `r_names`, as R's own readers would call them.
    """
    called = r_names(names)
    chosen = {
        of_r: replace(_plain(data.variables[name], dates_as_numbers), name=of_r)
        for name, of_r in called.items()
    }
    part = Harmonised(chosen, data.sizes, data.sources, ())
    original, *syntheses = from_harmonised(part)
    codes = {v.name: v.missing_codes for v in chosen.values() if v.missing_codes}
    return Synds(original, tuple(syntheses), codes=codes, session=session)


def _plain(variable: Variable, dates_as_numbers: bool) -> Variable:  # noqa: FBT001
    if variable.kind is Kind.DATE and dates_as_numbers:
        return Variable(variable.name, Kind.NUMBER, variable.values, ())
    return variable


def r_names(names: Iterable[str]) -> dict[str, str]:
    """Return the names that R would make of these: letters, digits, dots and underscores.

    Examples
    --------
    >>> list(r_names(["hours-per-week", "2nd", "-5", "next", "a b", "a.b"]).values())
    ['hours.per.week', 'X2nd', 'X.5', 'next.', 'a.b', 'a.b.1']
    """
    wanted: dict[str, str] = {}
    for name in names:
        r_name = "".join(c if c.isalnum() or c in "._" else "." for c in name)
        if not (name[0].isalpha() or (name[0] == "." and not name[1:2].isdigit())):
            r_name = f"X{r_name}"
        wanted[name] = f"{r_name}." if r_name in _RESERVED else r_name
    bare, out = {*wanted.values()}, dict[str, str]()
    for name, r_name in wanted.items():
        twin, numbers = r_name, itertools.count(1)
        while twin in out or (twin != r_name and twin in bare):
            twin = f"{r_name}.{next(numbers)}"
        out[twin] = name
    return {name: twin for twin, name in out.items()}


def safe_names(names: Iterable[str]) -> dict[str, str]:
    """Return names that no function of synthpop trips over, in the same order.

    Examples
    --------
    >>> safe_names(["target", "a(b"])
    {'target': 'v0001', 'a(b': 'v0002'}
    """
    return {name: f"v{i:04d}" for i, name in enumerate(names, start=1)}


def aligned(
    data: Harmonised,
    names: Iterable[str],
    session: Session,
    *,
    numbers: Iterable[str] = (),
    rules: Mapping[str, Rule] | None = None,
    missing_is_level: bool = True,
) -> Synds:
    """Show every variable as a factor whose labels are ordered numbers, under safe names.

    Parameters
    ----------
    data : Harmonised
    names : variables to show
    session : Session
    numbers : variables to show as numbers, so that synthpop groups them itself
    rules : mapping of variable to the rule that codes it; by default every value is a level
    missing_is_level : bool
        Make missing a level of its own where the original has none: utility.tab() stops there.
        False leaves it missing, which disclosure() expects.
    """
    of_name = safe_names(names)
    keep = set(numbers)
    columns: list[dict[str, RColumn]] = [{} for _ in data.sizes]
    codes = {}
    for name, safe in of_name.items():
        variable = data.variables[name]
        if name in keep:
            parts = [number(part) for part in variable.values]
            if variable.missing_codes:
                codes[safe] = variable.missing_codes
        else:
            rule = (rules or {}).get(name, by_value)
            parts = _factors(rule(variable), missing_is_level=missing_is_level)
        for frame, column in zip(columns, parts, strict=True):
            frame[safe] = column
    frames = [RFrame(part, size) for part, size in zip(columns, data.sizes, strict=True)]
    return Synds(frames[0], tuple(frames[1:]), codes=codes, session=session)


def _factors(variable: CodedVariable, *, missing_is_level: bool) -> list[RColumn]:
    absent = variable.missing_code
    in_original = absent >= 0 and bool(np.any(variable.parts[0] == absent))
    as_level = absent < 0 or (missing_is_level and not in_original)
    size = variable.size if as_level else variable.size - 1
    width = len(str(size))
    labels = [f"{i:0{width}d}" for i in range(1, size + 1)]
    out = []
    for part in variable.parts:
        codes = part.astype(np.int64)
        if not as_level:
            codes[codes == absent] = -1
        out.append(category(codes, labels))
    return out


def needs_grouping_here(variable: Variable) -> bool:
    """Whether synthpop cannot group this variable of numbers itself.

    It stops at a single value (A1) and at missing values that only a synthesis has (A9).
    """
    if variable.kind not in (Kind.NUMBER, Kind.DATE):
        return False
    if variable.only_syntheses_miss:
        return True
    pooled = [part[~np.isnan(part)] for part in variable.values]
    usable = [part[~np.isin(part, variable.missing_codes)] for part in pooled]
    together = np.concatenate(usable)
    of_syntheses = sum(len(part) for part in usable[1:])
    return of_syntheses == 0 or bool(np.all(together == together[0]))
