"""How harmonised data are shown to synthpop: as a user would, or so that position is label.

synthpop pairs cells by the position of a level (B1), re-sorts one of two tables as text (B2) and
joins keys as text (B8). Where every variable is a factor over one set of levels whose labels are
numbers of equal length, in order, position, text order and label all mean the same, and what is
left is synthpop's arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from sdcmetrics.microdata.coding import CodedVariable, Rule, by_value
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.schema import Harmonised, Variable
from sdcmetrics.rbridge.columns import category, from_harmonised, number
from sdcmetrics.rbridge.session import Session
from sdcmetrics.rbridge.synds import Synds
from sdcmetrics.rbridge.wire import RColumn, RFrame

__all__ = [
    "aligned",
    "as_user_would",
    "missing_only_in_synthetic",
    "needs_grouping_here",
    "safe_names",
]


def as_user_would(
    data: Harmonised, names: Iterable[str], session: Session, *, dates_as_numbers: bool = False
) -> Synds:
    """Show numbers as numbers, dates as dates, booleans as logicals, categories as factors."""
    chosen = {name: _plain(data.variables[name], dates_as_numbers) for name in names}
    part = Harmonised(chosen, data.sizes, data.sources, ())
    original, *syntheses = from_harmonised(part)
    codes = {v.name: v.missing_codes for v in chosen.values() if v.missing_codes}
    return Synds(original, tuple(syntheses), codes=codes, session=session)


def _plain(variable: Variable, dates_as_numbers: bool) -> Variable:  # noqa: FBT001
    if variable.kind is Kind.DATE and dates_as_numbers:
        return Variable(variable.name, Kind.NUMBER, variable.values, ())
    return variable


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


def missing_only_in_synthetic(variable: Variable) -> bool:
    """Whether a synthesis has missing values and the original has none."""
    if variable.values:
        missing = [bool(np.isnan(part).any()) for part in variable.values]
    else:
        missing = [bool((part < 0).any()) for part in variable.codes]
    return any(missing[1:]) and not missing[0]


def needs_grouping_here(variable: Variable) -> bool:
    """Whether synthpop cannot group this variable of numbers itself.

    It stops at a single value (A1) and at missing values that only a synthesis has (A9).
    """
    if variable.kind not in (Kind.NUMBER, Kind.DATE):
        return False
    if missing_only_in_synthetic(variable):
        return True
    pooled = [part[~np.isnan(part)] for part in variable.values]
    usable = [part[~np.isin(part, variable.missing_codes)] for part in pooled]
    together = np.concatenate(usable)
    of_syntheses = sum(len(part) for part in usable[1:])
    return of_syntheses == 0 or bool(np.all(together == together[0]))
