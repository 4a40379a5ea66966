"""Edits against disclosure, as synthpop's sdc() makes them: new frames, and what was changed."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from sdcmetrics.errors import ColumnError, StudyError, did_you_mean
from sdcmetrics.measures.disclosure.replicated_uniques import replicated_uniques
from sdcmetrics.measures.pair import Frame, Replica, list_syntheses
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.microdata.columns import Column, Kind
from sdcmetrics.microdata.frames import Microdata
from sdcmetrics.microdata.read_columns import read_column
from sdcmetrics.microdata.rebuild import keep_records, replace_columns
from sdcmetrics.microdata.schema import MissingCodes
from sdcmetrics.results import Readable

_FEWEST = 5
_POINTS = 500


@dataclass(frozen=True)
class Edited(Readable, shows=("count",), table="changes"):
    """A replica after an edit; the frames that were given are as they were.

    Attributes
    ----------
    synthetic : data frame, or list of data frames
        Of the same kind as what was given.
    changes : DataFrame
        One row per synthesis and column: source, column (None for whole records), what, count
        (records removed, or values changed) and total.
    """

    synthetic: Any = field(repr=False)
    changes: pd.DataFrame

    @property
    def count(self) -> int:
        """Number of records removed or values changed."""
        return int(self.changes["count"].sum())


@checked
def remove_replicated_uniques(
    original: Frame,
    synthetic: Replica,
    *,
    keys: str | Sequence[str],
    which: Literal["replicated", "unique"] = "replicated",
    missing_codes: MissingCodes | None = None,
) -> Edited:
    """Remove synthetic records that are unique by their keys.

    Parameters
    ----------
    original : data frame
    synthetic : data frame, or list of data frames
    keys : name or names of the columns that an intruder may know
    which : "replicated" or "unique"
        Remove records that are unique in the original too, or all that are unique in the
        replica.
    missing_codes : see `replicated_uniques`

    Returns
    -------
    Edited
        `count` is the number of records removed.

    Raises
    ------
    ColumnError
        If a key is absent or cannot be compared.
    StudyError
        If there are no keys, or `which` is neither.

    Notes
    -----
    As ``synthpop::sdc(object, data, rm.replicated.uniques = TRUE)``, or with
    ``rm.uniques``. Removing replicated uniques can itself tell: what is missing from a large
    replica may be what the original holds once.

    Examples
    --------
    >>> import pandas as pd
    >>> original = pd.DataFrame({"age": [30, 31, 31, 32]})
    >>> replica = pd.DataFrame({"age": [30, 31, 32, 32]})
    >>> edited = remove_replicated_uniques(original, replica, keys="age")
    >>> edited.synthetic["age"].tolist(), edited.count
    ([31, 32, 32], 1)
    """
    uniques = replicated_uniques(original, synthetic, keys=keys, missing_codes=missing_codes)
    flags = uniques.replicated if which == "replicated" else uniques.unique
    frames, rows = [], []
    for frame, flag, data in zip(
        _frames(synthetic), flags, list_syntheses(synthetic, None), strict=True
    ):
        frames.append(keep_records(frame, ~flag))
        what = f"removed: {which} unique by {', '.join(uniques.keys)}"
        rows.append((data.source, None, what, int(flag.sum()), len(flag)))
    return _edited(synthetic, frames, rows)


@checked
def top_code(
    synthetic: Replica,
    limits: Mapping[str, float],
    *,
    exclude: MissingCodes | None = None,
) -> Edited:
    """Replace numbers above a limit by the limit.

    Parameters
    ----------
    synthetic : data frame, or list of data frames
    limits : mapping of column to its largest value
    exclude : mapping of column to number or numbers, optional
        Values that are left alone, such as codes for missing.

    Returns
    -------
    Edited
        `count` is the number of values changed. A column is as it was where none is.

    Raises
    ------
    ColumnError
        If a column is absent or not numeric.
    StudyError
        If there are no limits, or one is no number.

    Examples
    --------
    >>> import pandas as pd
    >>> edited = top_code(pd.DataFrame({"age": [30, 95, 999]}), {"age": 90}, exclude={"age": 999})
    >>> edited.synthetic["age"].tolist(), edited.count
    ([30, 90, 999], 1)
    """
    return _recode(synthetic, limits, exclude, "top")


@checked
def bottom_code(
    synthetic: Replica,
    limits: Mapping[str, float],
    *,
    exclude: MissingCodes | None = None,
) -> Edited:
    """Replace numbers below a limit by the limit.

    Parameters
    ----------
    synthetic : data frame, or list of data frames
    limits : mapping of column to its smallest value
    exclude : mapping of column to number or numbers, optional
        Values that are left alone, such as codes for missing.

    Returns
    -------
    Edited
        `count` is the number of values changed. A column is as it was where none is.

    Raises
    ------
    ColumnError
        If a column is absent or not numeric.
    StudyError
        If there are no limits, or one is no number.

    Examples
    --------
    >>> import pandas as pd
    >>> bottom_code(pd.DataFrame({"age": [3, 40, -8]}), {"age": 18}, exclude={"age": -8}).changes
          source column                what  count  total
    0  synthetic    age  bottom-coded at 18      1      3
    """
    return _recode(synthetic, limits, exclude, "bottom")


@checked
def smooth(
    synthetic: Replica,
    variables: str | Sequence[str],
    *,
    exclude: MissingCodes | None = None,
    penalty: float | None = None,
) -> Edited:
    """Smooth numbers, so that no single value of the original stands in the replica.

    The values in order are replaced by a smoothing spline over their normal scores, so that
    every record keeps its rank and the distribution its shape. Ends are drawn in or out a
    little; top- and bottom-code them as well if they are sensitive.

    Parameters
    ----------
    synthetic : data frame, or list of data frames
    variables : name or names of numeric columns
    exclude : mapping of column to number or numbers, optional
        Values that are left alone, such as codes for missing.
    penalty : float, optional
        Weight of roughness, at least 0; by default chosen by generalised cross-validation.

    Returns
    -------
    Edited
        The replica in the units that it had; `count` is the number of values changed. A column
        whose values are all equal is as it was.

    Raises
    ------
    ColumnError
        If a column is absent, not numeric, or has fewer than five values to smooth.
    StudyError
        If no column is named, or `penalty` is below 0 or no number.

    Notes
    -----
    In the manner of ``synthpop::sdc(..., smooth.vars =)``. R's smooth.spline chooses another
    penalty, so single values differ. An integer column becomes one of decimal numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"x": [5.0, 1.0, 2.0, 9.0, 3.0, 4.0], "y": range(6)})
    >>> edited = smooth(frame, "x", penalty=1.0)
    >>> edited.synthetic["x"].rank().tolist(), edited.count
    ([5.0, 1.0, 2.0, 6.0, 3.0, 4.0], 6)
    """
    names = [variables] if isinstance(variables, str) else list(variables)
    if not names:
        msg = "variables: expected at least one column name but got none."
        raise StudyError(msg)
    if penalty is not None and not 0 <= penalty < np.inf:
        msg = f"penalty: expected a number of at least 0 but got {penalty}."
        raise StudyError(msg)

    def change(name: str, column: Column, source: str) -> tuple[Floats, str]:
        values = column.values.copy()
        usable = ~np.isnan(values) & ~np.isin(values, _codes(exclude, name))
        if int(usable.sum()) < _FEWEST:
            msg = f"{source}: column {name!r} has fewer than {_FEWEST} values to smooth."
            raise ColumnError(msg)
        values[usable] = _spline(values[usable], penalty)
        return values, "smoothed"

    return _change(synthetic, names, change)


def _spline(values: Floats, penalty: float | None) -> Floats:
    """Smooth the ordered values over their normal scores, at a bounded number of points."""
    from scipy.interpolate import make_smoothing_spline
    from scipy.special import ndtr, ndtri

    n = len(values)
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    spread = float(ordered[-1] - ordered[0])
    if spread == 0:
        return values
    scores = ndtri((np.arange(n) + 0.5) / n)
    at = np.arange(n)
    if n > _POINTS:
        even = ndtr(np.linspace(scores[0], scores[-1], _POINTS))
        at = np.unique(np.rint(even * n - 0.5).astype(np.int64).clip(0, n - 1))
    scaled = (ordered - ordered[0]) / spread
    fitted = make_smoothing_spline(scores[at], scaled[at], lam=penalty)(scores)
    out = values.copy()
    out[order] = np.maximum.accumulate(fitted) * spread + ordered[0]
    return out


def _recode(
    synthetic: Replica,
    limits: Mapping[str, float],
    exclude: MissingCodes | None,
    end: Literal["top", "bottom"],
) -> Edited:
    if not limits:
        msg = "limits: expected at least one column and its limit but got none."
        raise StudyError(msg)
    unknown = [name for name, limit in limits.items() if math.isnan(limit)]
    if unknown:
        msg = (
            f"limits: that of {unknown[0]!r} is NaN, and nothing is above or below that. A "
            "quantile of a column with missing values is NaN where these are not left out."
        )
        raise StudyError(msg)

    def change(name: str, column: Column, _source: str) -> tuple[Floats, str]:
        limit = float(limits[name])
        beyond = column.values > limit if end == "top" else column.values < limit
        beyond &= ~np.isin(column.values, _codes(exclude, name))
        return np.where(beyond, limit, column.values), f"{end}-coded at {limit:g}"

    return _change(synthetic, list(limits), change)


def _change(
    synthetic: Replica,
    names: Sequence[str],
    change: Callable[[str, Column, str], tuple[Floats, str]],
) -> Edited:
    frames, rows = [], []
    syntheses = list_syntheses(synthetic, None)
    for frame, data in zip(_frames(synthetic), syntheses, strict=True):
        changed: dict[str, Floats] = {}
        for name in names:
            column = _numeric(data, name)
            values, what = change(name, column, data.source)
            touched = (values != column.values) & ~np.isnan(column.values)
            rows.append((data.source, name, what, int(touched.sum()), data.n))
            if touched.any():
                changed[name] = values
        frames.append(replace_columns(frame, changed))
    return _edited(synthetic, frames, rows)


def _numeric(data: Microdata, name: str) -> Column:
    if name not in data.columns:
        msg = f"column {name!r} is not a column of {data.source}.{did_you_mean(name, data.columns)}"
        raise ColumnError(msg)
    column = read_column(data, name, [])
    if column.kind is None:  # missing throughout: there is nothing to edit
        return replace(column, values=np.full(data.n, np.nan))
    if column.kind is not Kind.NUMBER:
        msg = f"{data.source}: column {name!r} is not numeric, so it cannot be edited like this."
        raise ColumnError(msg)
    return column


def _codes(exclude: MissingCodes | None, name: str) -> list[float]:
    given = (exclude or {}).get(name, ())
    return [float(given)] if isinstance(given, int | float) else [float(code) for code in given]


def _frames(synthetic: Replica) -> list[Any]:
    return list(synthetic) if isinstance(synthetic, list | tuple) else [synthetic]


def _edited(synthetic: Replica, frames: list[Any], rows: list[tuple[Any, ...]]) -> Edited:
    changes = pd.DataFrame(rows, columns=["source", "column", "what", "count", "total"])
    several = isinstance(synthetic, list | tuple)
    return Edited(frames if several else frames[0], changes)
