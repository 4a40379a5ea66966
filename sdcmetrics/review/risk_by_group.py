"""Any risk per record, summed up by group; for internal eyes only."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from sdcmetrics.errors import ColumnError, StudyError, did_you_mean
from sdcmetrics.measures.pair import Frame
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.coding import by_value, encode
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.microdata.schema import alone
from sdcmetrics.results import Readable


@dataclass(frozen=True)
class RiskByGroup(Readable, shows=("gini",), table="table"):
    """Any risk per record, by group, and how concentrated it is.

    Attributes
    ----------
    table : DataFrame
        One row per level of the column, the riskiest first: records, mean (of the risk, in its
        unit), share_of_records and share_of_risk (0 to 1; NaN without any risk).
    gini : float, 0 to 1
        0 if everybody has the same risk, near 1 if a few have all of it; NaN without any risk.
    """

    table: pd.DataFrame
    gini: float


@checked
def risk_by_group(original: Frame, risk: Sequence[float], *, by: str) -> RiskByGroup:
    """Sum up any risk per original record by the levels of a column.

    Parameters
    ----------
    original : data frame
    risk : sequence of float
        One number of at least 0 per record, such as `AttackResult.per_record`; NaN counts as 0.
    by : name of a column

    Returns
    -------
    RiskByGroup
        A group whose share_of_risk is above its share_of_records bears more than others. For
        internal use: means of small groups tell of their people.

    Raises
    ------
    ColumnError
        If `by` is no column.
    StudyError
        If there is not one number per record, or one is below 0.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"sex": list("ffmm")})
    >>> result = risk_by_group(people, [0, 0, 0, 1], by="sex")
    >>> result.table["mean"].to_dict(), result.gini
    ({'m': 0.5, 'f': 0.0}, 0.75)
    """
    data = as_microdata(original, "original")
    if by not in data.columns:
        msg = f"by: {by!r} is not a column.{did_you_mean(by, data.columns)}"
        raise ColumnError(msg)
    values = np.nan_to_num(np.asarray(risk, dtype=np.float64))
    if len(values) != data.n or (values < 0).any():
        msg = f"risk: expected one number of at least 0 for each of {data.n:,} records."
        raise StudyError(msg)
    variable = encode(alone(data, [by], None), by_value, [by]).variables[by]
    n, total = len(values), float(values.sum())
    records = np.bincount(variable.parts[0], minlength=variable.size)
    sums = np.bincount(variable.parts[0], weights=values, minlength=variable.size)
    labels = ["(missing)" if label is None else label for label in variable.labels]
    table = pd.DataFrame(
        {
            "records": records,
            "mean": sums / records,
            "share_of_records": records / n,
            "share_of_risk": sums / total if total else np.nan,
        },
        index=pd.Index(labels, name=by),
    ).sort_values("mean", ascending=False, kind="stable")
    place = 2 * np.arange(1, n + 1) - n - 1
    gini = float(place @ np.sort(values)) / (n * total) if total else math.nan
    return RiskByGroup(table, gini)
