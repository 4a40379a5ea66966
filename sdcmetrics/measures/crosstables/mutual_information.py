"""Mutual information of variables of the original, by which pairs to test are chosen."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from sdcmetrics.errors import NotComputable, StudyError
from sdcmetrics.measures.crosstables.counting import TablePairs, count_tables
from sdcmetrics.measures.pair import Frame, pair
from sdcmetrics.microdata import lazy
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.microdata.coding import by_groups, encode
from sdcmetrics.microdata.schema import MissingCodes


@checked
def mutual_information(
    original: Frame,
    variables: Sequence[str] | None = None,
    *,
    normalised: bool = False,
    ngroups: int = 5,
    missing_codes: MissingCodes | None = None,
) -> pd.DataFrame:
    """Mutual information between every two variables, in nats.

    How much one variable tells of the other: 0 where they are independent, the entropy of the
    one where the other determines it. Numbers are grouped by quantiles; missing is a level.

    Parameters
    ----------
    original : data frame
    variables : names, optional
        By default every column.
    normalised : bool
        True divides by the mean of the two entropies, which gives 0 to 1.
    ngroups : int
        Groups of a numeric variable.
    missing_codes : mapping of column to code or codes, optional

    Returns
    -------
    DataFrame
        Variables by variables, symmetric, 0 and more; the diagonal holds the entropies (1 where
        normalised). A constant has 0 with every variable; normalised it is NaN with itself and with
        another constant.

    Raises
    ------
    ColumnError, DataError
        If a variable is not a column of the original, or there are no records.
    StudyError
        If missing codes name no column.

    Notes
    -----
    Estimated by shares, so that it is too large for variables with many levels on few records.
    Normalised, it equals scikit-learn's `normalized_mutual_info_score`.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"x": list("aabb"), "y": list("uuvv"), "z": list("pqpq")})
    >>> mutual_information(frame).round(4).values.tolist()  # log(2) = 0.6931
    [[0.6931, 0.6931, 0.0], [0.6931, 0.6931, 0.0], [0.0, 0.0, 0.6931]]
    """
    data = pair(original, original, variables=variables, missing_codes=missing_codes)
    names = list(data.variables)
    coded = encode(data, by_groups(ngroups, dates=True), names)
    single = _entropies(count_tables(coded, [(name,) for name in names]))
    matrix = np.diag(single)
    pairs = list(itertools.combinations(range(len(names)), 2))
    if pairs:
        tables = [(names[i], names[j]) for i, j in pairs]
        joint = _entropies(count_tables(coded, tables))
        rows, columns = np.array(pairs).T
        shared = np.maximum(single[rows] + single[columns] - joint, 0.0)
        matrix[rows, columns] = matrix[columns, rows] = shared
    if normalised:
        with np.errstate(invalid="ignore", divide="ignore"):
            matrix = 2 * matrix / (single[:, None] + single[None, :])
    return pd.DataFrame(matrix, index=names, columns=names)


@checked
def select_pairs(
    original: Frame,
    *,
    n: int = 20,
    variables: Sequence[str] | None = None,
    normalised: bool = True,
    ngroups: int = 5,
    missing_codes: MissingCodes | None = None,
) -> list[tuple[str, str]]:
    """Select the pairs of variables of the original with most mutual information.

    For data with so many columns that testing every pair takes too long: a replica should keep
    the strong relations first. Hand the answer to ``utility_tables(..., tables=...)``.

    Parameters
    ----------
    original : data frame
    n : int
        How many pairs to pick.
    variables, normalised, ngroups, missing_codes : see `mutual_information`

    Returns
    -------
    list of pairs of names
        At most `n`, the strongest first; ties in column order. A pair with a constant is among the
        last; two constants, normalised, are no pair.

    Raises
    ------
    NotComputable
        If there is only one variable.
    ColumnError, DataError, StudyError
        As `mutual_information`; and if `n` is below 1.

    Notes
    -----
    The framework's section 2.2 proposes R's varrank for this step. That ranks variables for
    one target by relevance less redundancy; here it is the relevance of every pair.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"x": list("aabb"), "y": list("uuvv"), "z": list("pqpq")})
    >>> select_pairs(frame, n=1)
    [('x', 'y')]
    """
    if n < 1:
        msg = f"n: expected a whole number of at least 1 but got {n}."
        raise StudyError(msg)
    matrix = mutual_information(
        original,
        variables,
        normalised=normalised,
        ngroups=ngroups,
        missing_codes=missing_codes,
    )
    names = [str(name) for name in matrix.columns]
    if len(names) < 2:  # noqa: PLR2004
        msg = "there is only one variable, so there is no pair to pick"
        raise NotComputable(msg)
    strength = {
        (a, b): float(matrix.loc[a, b])  # type: ignore[arg-type]  # a cell of floats
        for a, b in itertools.combinations(names, 2)
    }
    defined = [p for p, value in strength.items() if not np.isnan(value)]
    return sorted(defined, key=lambda p: -strength[p])[:n]


def _entropies(batches: Iterator[tuple[slice, TablePairs]]) -> Floats:
    parts = []
    for _, tables in batches:
        share = tables.p_original
        parts.append(-tables.sum(lazy.special.xlogy(share, share)))
    return np.concatenate(parts)
