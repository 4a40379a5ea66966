"""Records that are unique by their keys: in the original, in the replica, and in both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.crosstables.key_counting import index_keys
from sdcmetrics.measures.pair import Frame, Replica, pair
from sdcmetrics.measures.twin import NEWEST, VERSIONS, check_version
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.arrays import Bools
from sdcmetrics.microdata.coding import by_value, encode
from sdcmetrics.microdata.schema import Harmonised, MissingCodes
from sdcmetrics.results import Readable

ROWS = ("Original", "Synthetic", "Synthetic uniques in original", "Replicated uniques")


@dataclass(frozen=True)
class ReplicatedUniques(Readable, shows=("keys", "replicated_percent"), table="table"):
    """How many records are alone with their key combination.

    Attributes
    ----------
    keys : tuple of str
    table : DataFrame
        Index Original (unique in the original), Synthetic (unique in the replica), Synthetic
        uniques in original (unique in the replica and there at all in the original),
        Replicated uniques (unique in both). Columns number, total (records) and percent;
        means over the syntheses.
    per_synthesis : DataFrame
        The same with the synthesis as first level of the index.
    unique, replicated : tuples of bool arrays, one per synthesis
        Which synthetic records are unique in the replica, and which are unique in both.
    fixes : tuple of str
        Changes made to the inputs.
    """

    keys: tuple[str, ...]
    table: pd.DataFrame
    per_synthesis: pd.DataFrame = field(repr=False)
    unique: tuple[Bools, ...] = field(repr=False)
    replicated: tuple[Bools, ...] = field(repr=False)
    fixes: tuple[str, ...] = ()

    @property
    def replicated_percent(self) -> float:
        """Synthetic records that are unique in both data sets, in percent."""
        return float(self.table["percent"]["Replicated uniques"])


@checked
def replicated_uniques(
    original: Frame,
    synthetic: Replica,
    *,
    keys: str | Sequence[str],
    missing_codes: MissingCodes | None = None,
    synthpop: str = NEWEST,
) -> ReplicatedUniques:
    """Count the records that are unique by their keys.

    Parameters
    ----------
    original : data frame
    synthetic : data frame, or list of data frames
    keys : name or names of the columns that an intruder may know
    missing_codes : mapping of column to code or codes, optional
        Only checked: a code is a value like any other here.
    synthpop : "1.9-3" or "1.9-2"
        Of which records the last two rows are shares: the original's (1.9-3), or the replica's
        (1.9-2).

    Returns
    -------
    ReplicatedUniques
        Of its table `percent` is 0 to 100; less is better of the replicated uniques.

    Raises
    ------
    ColumnError
        If a key is absent or cannot be compared.
    StudyError
        If there are no keys, or `synthpop` is another version.

    Notes
    -----
    Equals ``synthpop::replicated.uniques(object, data, keys)``. Intended differences:
    numbers are compared as numbers, where synthpop formats a numeric key that stands beside a
    factor, so that 5 and 5 differ when the columns differ in width; with a single key the
    synthetic uniques in the original are counted, where synthpop answers 0, and missing is a
    value, where synthpop leaves it out.

    Examples
    --------
    >>> import pandas as pd
    >>> original = pd.DataFrame({"age": [30, 31, 31, 32], "sex": list("mmmf")})
    >>> replica = pd.DataFrame({"age": [30, 31, 32, 33], "sex": list("mmfm")})
    >>> replicated_uniques(original, replica, keys=["age", "sex"]).table
                                   number  total  percent
    Original                          2.0    4.0     50.0
    Synthetic                         4.0    4.0    100.0
    Synthetic uniques in original     3.0    4.0     75.0
    Replicated uniques                2.0    4.0     50.0
    """
    names = [keys] if isinstance(keys, str) else list(keys)
    if not names:
        msg = "keys: expected at least one column name but got none."
        raise StudyError(msg)
    data = pair(original, synthetic, variables=names, missing_codes=missing_codes)
    return harmonised_uniques(data, names, synthpop=check_version(synthpop))


def harmonised_uniques(
    data: Harmonised, keys: Sequence[str], *, synthpop: str = NEWEST
) -> ReplicatedUniques:
    """Count unique records of harmonised data; see `replicated_uniques`."""
    index = index_keys(encode(data, by_value, keys), keys)
    counts = [np.bincount(part, minlength=index.size) for part in index.parts]
    unique, replicated, tables = [], [], []
    for i, n in enumerate(data.sizes[1:], start=1):
        of_synthetic = index.parts[i]
        alone = counts[i][of_synthetic] == 1
        there = alone & (counts[0][of_synthetic] > 0)
        both = alone & (counts[0][of_synthetic] == 1)
        unique.append(alone)
        replicated.append(both)
        number = [int((counts[0] == 1).sum()), *(int(part.sum()) for part in (alone, there, both))]
        of_both = n if synthpop == VERSIONS[0] else data.sizes[0]
        total = [data.sizes[0], n, of_both, of_both]
        table = pd.DataFrame({"number": number, "total": total}, index=list(ROWS), dtype=float)
        table["percent"] = 100 * table["number"] / table["total"]
        tables.append(table)
    numbers = pd.RangeIndex(1, len(tables) + 1, name="synthesis")
    return ReplicatedUniques(
        keys=tuple(keys),
        table=sum(tables[1:], tables[0]) / len(tables),
        per_synthesis=pd.concat(tables, keys=numbers),
        unique=tuple(unique),
        replicated=tuple(replicated),
        fixes=tuple(str(fix) for fix in data.fixes),
    )
