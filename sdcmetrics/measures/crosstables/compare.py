"""Variable by variable: the distribution of the original beside that of a replica."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.crosstables.utility import coded_tables
from sdcmetrics.measures.pair import Frame, Replica, pair
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.microdata.coding import by_groups, by_value, encode
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.grouping import usable
from sdcmetrics.microdata.pretty import histogram_groups, pretty
from sdcmetrics.microdata.schema import Harmonised, MissingCodes, Variable
from sdcmetrics.results import Readable, draw_bars, label_axes, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

UTILITY = ("pMSE", "S_pMSE", "df")

_FEW_VALUES = 6
_DAY = 86_400_000.0


@dataclass(frozen=True)
class Comparison(Readable, shows=("stat", "utility", "fixes"), table="table"):
    """One-way tables of an original and a replica.

    Attributes
    ----------
    table : DataFrame
        One row per level of a variable. Columns variable, level (a text; None is missing), low
        and high (ends of a histogram's interval, else NaN), original, synthetic, difference.
    utility : DataFrame
        Index variable; columns pMSE, S_pMSE, df, means over the syntheses.
    stat : "percents" or "counts"
    fixes : tuple of str
        Changes made to the inputs.
    """

    table: pd.DataFrame
    utility: pd.DataFrame
    stat: str
    fixes: tuple[str, ...] = field(default=(), repr=False)

    def plot(self, variable: str | None = None, *, ax: Axes | None = None) -> Axes:
        """Draw the shares or counts of one variable's levels, original beside replica.

        Parameters
        ----------
        variable : str, optional
            By default that with the largest S_pMSE.
        ax : matplotlib Axes, optional
            Where to draw; by default on new ones.

        Raises
        ------
        StudyError
            If matplotlib is not installed.
        """
        drawn = new_axes(ax)
        name = str(self.utility["S_pMSE"].idxmax()) if variable is None else variable
        rows = self.of(name)
        levels = ["missing" if text is None else str(text) for text in rows.index]
        draw_bars(
            drawn,
            levels,
            {"original": rows["original"].to_list(), "synthetic": rows["synthetic"].to_list()},
        )
        unit = "percent of the records" if self.stat == "percents" else "records"
        title = f"Levels of {name}, original and replica"
        return label_axes(drawn, x=unit, y=name, title=title)

    def of(self, variable: str) -> pd.DataFrame:
        """Return the rows of one variable, indexed by level."""
        rows = self.table[self.table["variable"] == variable]
        return rows.drop(columns="variable").set_index("level")


@checked
def compare(
    original: Frame,
    synthetic: Replica,
    *,
    variables: Sequence[str] | None = None,
    stat: str = "percents",
    breaks: int = 20,
    ngroups: int = 5,
    missing_codes: MissingCodes | None = None,
) -> Comparison:
    """Compare the distribution of every variable.

    Parameters
    ----------
    original : data frame
    synthetic : data frame, or list of data frames (their mean is compared)
    variables : names, optional
        By default every column that all data sets have.
    stat : "percents" or "counts"
        Percentages of all records, or counts; with several syntheses mean counts.
    breaks : int
        Number of intervals to aim at in a histogram; round ends are chosen from the pooled
        range.
    ngroups : int
        Number of groups of numeric variables for the measures of utility.
    missing_codes : mapping of column to code or codes, optional
        Codes that are levels of their own, not part of the histogram.

    Returns
    -------
    Comparison
        `difference` is synthetic less original, in percentage points or records: 0 is best.
        pMSE is 0 (equal tables) to 1/4. S_pMSE, pMSE over its expectation, is 0 and more, lower
        being better: a fresh sample of the original's size has 2 on average. It is NaN where a
        variable has one level.

    Raises
    ------
    ColumnError, DataError
        If the data sets cannot be compared.
    StudyError
        If an option is wrong.

    Notes
    -----
    Equals the tables and the utility of ``synthpop::compare(object, data)``. Intended
    differences: levels are matched by label, where synthpop pairs columns by position; text
    columns are tabulated; dates are put into a histogram where they have six values or more.
    As in synthpop, a numeric variable with fewer than six values in the original is tabulated
    value by value, and intervals are closed on the right.

    Examples
    --------
    >>> import pandas as pd
    >>> original = pd.DataFrame({"sex": list("mmff"), "age": [21, 34, 45, 67]})
    >>> replica = pd.DataFrame({"sex": list("mfff"), "age": [25, 25, 50, 52]})
    >>> compare(original, replica).of("sex")[["original", "synthetic"]].values.tolist()
    [[50.0, 75.0], [50.0, 25.0]]
    """
    if stat not in ("percents", "counts"):
        msg = f"stat: expected 'percents' or 'counts' but got {stat!r}."
        raise StudyError(msg)
    if breaks < 1:
        msg = f"breaks: expected a whole number of at least 1 but got {breaks}."
        raise StudyError(msg)
    data = pair(original, synthetic, variables=variables, missing_codes=missing_codes)
    tables = [_one_way(data, variable, breaks, stat) for variable in data.variables.values()]
    names = list(data.variables)
    coded = encode(data, by_groups(ngroups), names)
    each = [
        coded_tables(coded, [(name,) for name in names], synthesis=i) for i in range(1, coded.m + 1)
    ]
    utility = (sum(each[1:], each[0]) / len(each))[list(UTILITY)]
    utility.index = pd.Index(names, name="variable")
    return Comparison(
        table=pd.concat(tables, ignore_index=True),
        utility=utility,
        stat=stat,
        fixes=tuple(str(fix) for fix in data.fixes),
    )


def _one_way(data: Harmonised, variable: Variable, breaks: int, stat: str) -> pd.DataFrame:
    numeric = variable.kind in (Kind.NUMBER, Kind.DATE)
    if numeric and _distinct(variable.values[0]) >= _FEW_VALUES:
        table, counts = _histogram(variable, breaks)
    else:
        coded = by_value(variable)
        counts = [
            np.bincount(part, minlength=coded.size).astype(np.float64) for part in coded.parts
        ]
        table = pd.DataFrame({"level": list(coded.labels), "low": np.nan, "high": np.nan})
    synthetic = np.mean(counts[1:], axis=0)
    original = counts[0]
    if stat == "percents":
        original = 100 * original / data.sizes[0]
        synthetic = 100 * np.sum(counts[1:], axis=0) / sum(data.sizes[1:])
    table["level"] = table["level"].astype(object).where(table["level"].notna(), None)
    table.insert(0, "variable", variable.name)
    table["original"], table["synthetic"] = original, synthetic
    table["difference"] = synthetic - original
    return table


def _distinct(values: Floats) -> int:
    return len(np.unique(values[~np.isnan(values)]))


def _histogram(variable: Variable, n: int) -> tuple[pd.DataFrame, list[Floats]]:
    unit = _DAY if variable.kind is Kind.DATE else 1.0
    codes = variable.missing_codes
    inside_range = [usable(values, codes) / unit for values in variable.values]
    pooled = np.concatenate(inside_range)
    ends = pretty(float(pooled.min()), float(pooled.max()), n) if len(pooled) else np.zeros(0)
    missing = any(np.isnan(v).any() for v in variable.values)
    counts = []
    for values, part in zip(variable.values, inside_range, strict=True):
        bins = histogram_groups(part, ends) if len(part) else np.zeros(0, dtype=np.int64)
        inside = np.bincount(bins, minlength=max(len(ends) - 1, 0))
        extra = [float((values == code).sum()) for code in codes]
        if missing:
            extra.append(float(np.isnan(values).sum()))
        counts.append(np.concatenate([inside, extra]).astype(np.float64))
    levels: list[str | None] = [*_labels(ends, unit), *(f"{code:.15g}" for code in codes)]
    if missing:
        levels.append(None)
    none = np.full(len(codes) + missing, np.nan)
    table = pd.DataFrame(
        {
            "level": pd.Series(levels, dtype=object),
            "low": np.concatenate([ends[:-1], none]),
            "high": np.concatenate([ends[1:], none]),
        }
    )
    return table, counts


def _labels(ends: Floats, unit: float) -> list[str]:
    if unit == _DAY:
        texts = [str(np.datetime64(int(end), "D")) for end in np.floor(ends)]
    else:
        texts = [f"{end:.12g}" for end in ends.tolist()]
    labels = [f"({low},{high}]" for low, high in itertools.pairwise(texts)]
    if labels:
        labels[0] = "[" + labels[0][1:]
    return labels
