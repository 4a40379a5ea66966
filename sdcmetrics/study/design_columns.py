"""Columns of an original that look like the design of a sample, by their names and values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sdcmetrics.measures.homogeneity.fixed_strata import is_strata_name
from sdcmetrics.measures.homogeneity.rows_together import are_even, is_named_so, suspected_cluster
from sdcmetrics.measures.records import records_of
from sdcmetrics.microdata.arrays import Ints
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.frames import Microdata
from sdcmetrics.microdata.schema import Harmonised, Variable

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


@dataclass(frozen=True)
class DesignColumns:
    """Columns that look like the design of a sample.

    Attributes
    ----------
    weights : tuple of str
        Columns of the original that look like sampling weights.
    weighed : tuple of str
        Columns that could be sampling weights by their names, but look as if something was weighed.
    roles : dict of role to column
        Household, person or cluster.
    strata : str
        Column with the name of strata; or "".
    """

    weights: tuple[str, ...]
    weighed: tuple[str, ...]
    roles: dict[str, str]
    strata: str


def design_columns(original: Microdata, data: Harmonised) -> DesignColumns:
    """Look for the design of a sample, also in columns that the original alone has.

    Parameters
    ----------
    original : Microdata
    data : Harmonised
        The columns that original and replicas have.
    """
    named = [
        name
        for name, variable in data.variables.items()
        if variable.kind is Kind.NUMBER and is_weight_name(name)
    ]
    weighed = [name for name in named if _was_weighed(data.variables[name])]
    own = [name for name in original.columns if name not in data.variables]
    weights = [name for name in named if name not in weighed]
    weights += [name for name in own if is_weight_name(name) and _is_number(original, name)]
    return DesignColumns(
        tuple(weights),
        tuple(weighed),
        _numbered(original) or _clusters(original, data),
        next(_strata(original, data), ""),
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


def role_of(name: str) -> str:
    """Return the entry of [sample] for a column by which rows seem to belong together.

    Examples
    --------
    >>> [role_of(name) for name in ("hid", "ID_household", "person_no", "psu", "school")]
    ['household', 'household', 'person', 'cluster', 'cluster']
    """
    roles = (role for role, names in _ROLE_NAMES.items() if re.search(names, name.lower()))
    return next(roles, "cluster")


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


def _is_number(original: Microdata, name: str) -> bool:
    kind = original.table.column(name).type
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _numbered(original: Microdata) -> dict[str, str]:
    """Return the columns that look like numbers of households and of persons.

    A column of few values, such as a party called PID, numbers nobody.
    """
    roles: dict[str, str] = {}
    for name in original.columns:
        role = role_of(name)
        if role not in ("cluster", *roles) and len(_sizes(original, name)) >= _FEWEST_NUMBERS:
            roles[role] = name
    return roles


def _clusters(original: Microdata, data: Harmonised) -> dict[str, str]:
    """Return the column that says which records belong together, by its name and its values."""
    own = [name for name in original.columns if name not in data.variables]
    named = [name for name in (*data.variables, *own) if is_named_so(name)]
    by_name = (name for name in named if are_even(_sizes(original, name)))
    suspected = next(by_name, "") or suspected_cluster(records_of(data).columns)
    return {"cluster": suspected} if suspected else {}


def _strata(original: Microdata, data: Harmonised) -> Iterator[str]:
    """Yield the columns with the name of strata, those that replicas have first."""
    own = [name for name in original.columns if name not in data.variables]
    for name in (*data.variables, *own):
        if is_strata_name(name) and len(_sizes(original, name)) > 1:
            yield name


def _sizes(original: Microdata, name: str) -> Ints:
    """Return how many records have each value that is not missing."""
    counts = pc.value_counts(pc.drop_null(original.table.column(name)))
    sizes: Ints = counts.field("counts").to_numpy(zero_copy_only=False).astype(np.int64)
    return sizes
