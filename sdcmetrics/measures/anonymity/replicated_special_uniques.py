"""Which special uniques of the original a replica shows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdcmetrics.measures.anonymity.k_anonymity import key_names
from sdcmetrics.measures.anonymity.special_uniques import (
    MinimalUniques,
    combine,
    largest_set,
    minimal_uniques,
)
from sdcmetrics.measures.crosstables.key_counting import index_keys
from sdcmetrics.measures.pair import Frame, Replica, pair
from sdcmetrics.microdata.arguments import Seed, checked
from sdcmetrics.microdata.arrays import Ints
from sdcmetrics.microdata.coding import by_value, encode
from sdcmetrics.microdata.schema import MissingCodes
from sdcmetrics.results import Readable

MOST_KEYS = 3
"""Keys of a set that real intruders know of somebody odd."""
_CUTS, _FEWEST, _RECORDS = 20, 2, 100_000
"""Random parts of the original, fewer of large ones: so many records in all, and two at least."""


@dataclass(frozen=True)
class ReplicatedSpecialUniques(
    Readable, shows=("keys", "max_size", "synthetic_records"), table="table"
):
    """How many special uniques of the original the replica shows.

    Attributes
    ----------
    keys : tuple of str
    max_size, synthetic_records : int
    table : DataFrame
        Index original; with a holdout also original at holdout's size (mean of 20 random parts)
        and holdout. Columns sets, and in percent of them present (the combination occurs in the
        replica), unique (exactly once), right (and there the other keys are the record's, too).
        Means over the syntheses.
    fixes : tuple of str
        Changes made to the inputs.
    """

    keys: tuple[str, ...]
    max_size: int
    synthetic_records: int
    table: pd.DataFrame
    fixes: tuple[str, ...] = ()


@checked
def replicated_special_uniques(
    original: Frame,
    synthetic: Replica,
    holdout: Frame | None = None,
    *,
    keys: Sequence[str],
    max_size: int = MOST_KEYS,
    seed: Seed = 1,
    missing_codes: MissingCodes | None = None,
) -> ReplicatedSpecialUniques:
    """Count the special uniques of the original that a replica shows.

    Real intruders know few things of somebody odd. Of the original's minimal sample uniques of up
    to `max_size` keys: how many occur in the replica, how many exactly once, and how often are
    the other keys of that synthetic record then the person's, too?

    Parameters
    ----------
    original : data frame
    synthetic : data frame, or list of data frames
    holdout : data frame, optional
        Records that the synthesis has not seen. What the replica shows of them it shows by
        chance. As fewer records have more uniques, the original is also cut to their number.
    keys : names of the columns that an intruder may know
    max_size : int
    seed : int
        Of the 20 random parts of the original; of a large one there are fewer, which vary less.
    missing_codes : mapping of column to code or codes, optional
        Only checked: a code is a value like any other here.

    Returns
    -------
    ReplicatedSpecialUniques
        Percent are 0 to 100, NaN where there are no sets; unique is at most present, and right at
        most unique. Best is right no higher for the original, cut to the holdout's size, than for
        the holdout.

    Raises
    ------
    ColumnError, DataError
        If the data sets cannot be compared by the keys.
    StudyError
        If there are no keys, or an option is wrong.

    Examples
    --------
    >>> import pandas as pd
    >>> original = pd.DataFrame({"sex": list("mmff"), "region": list("NSNN")})
    >>> replica = pd.DataFrame({"sex": list("mfff"), "region": list("SNNN")})
    >>> replicated_special_uniques(original, replica, keys=["sex", "region"]).table
              sets  present  unique  right
    original   2.0     50.0    50.0   50.0
    """
    names = key_names(keys)
    size = largest_set(max_size, len(names))
    data = pair(original, synthetic, holdout, variables=names, missing_codes=missing_codes)
    index = index_keys(encode(data, by_value, names), names)
    levels = np.stack([index.levels[name] for name in names])
    coded = [levels[:, part] for part in index.parts]
    replicas = coded[1 : None if holdout is None else -1]
    rows = {"original": shown_of(list(minimal_uniques(coded[0], size)), coded[0], replicas)}
    if holdout is not None:
        h = coded[-1].shape[1]
        if h < coded[0].shape[1]:
            parts = [shown_of(*cut, replicas) for cut in cut_originals(coded[0], h, size, seed)]
            rows[f"original at {h:,} records"] = tuple(np.mean(parts, axis=0).tolist())
        rows["holdout"] = shown_of(list(minimal_uniques(coded[-1], size)), coded[-1], replicas)
    table = pd.DataFrame.from_dict(
        rows, orient="index", columns=["sets", "present", "unique", "right"]
    )
    return ReplicatedSpecialUniques(
        keys=tuple(names),
        max_size=size,
        synthetic_records=sum(part.shape[1] for part in replicas) // len(replicas),
        table=table,
        fixes=tuple(str(fix) for fix in data.fixes),
    )


def cut_originals(
    original: Ints, size: int, most_keys: int, seed: int
) -> list[tuple[list[MinimalUniques], Ints]]:
    """Return random parts of the original of so many records, each with its special uniques."""
    n = original.shape[1]
    if size >= n:
        return [(list(minimal_uniques(original, most_keys)), original)]
    rng = np.random.default_rng(seed)
    times = max(_FEWEST, min(_CUTS, _RECORDS // n))
    parts = [original[:, rng.choice(n, size, replace=False)] for _ in range(times)]
    return [(list(minimal_uniques(part, most_keys)), part) for part in parts]


def shown_of(
    special: Sequence[MinimalUniques], people: Ints, replicas: Sequence[Ints]
) -> tuple[float, float, float, float]:
    """Return sets, and percent of them present, unique and right, as means over the syntheses."""
    sets = sum(len(unique.records) for unique in special)
    rows = [
        sum((_of_set(unique, people, replica) for unique in special), np.zeros(3))
        for replica in replicas
    ]
    if not sets:
        return 0.0, math.nan, math.nan, math.nan
    present, unique, right = (100.0 * np.mean(rows, axis=0) / sets).tolist()
    return float(sets), present, unique, right


def _of_set(combination: MinimalUniques, people: Ints, replica: Ints) -> npt.NDArray[np.float64]:
    """Count the records whose combination is in the replica, is there once, and is right there."""
    keys = np.array(combination.keys)
    index = combine(
        np.concatenate([people[np.ix_(keys, combination.records)], replica[keys]], axis=1)
    )
    here, there = index[: len(combination.records)], index[len(combination.records) :]
    counts = np.bincount(there, minlength=int(index.max()) + 1)
    last = np.zeros(len(counts), dtype=np.int64)
    last[there] = np.arange(len(there))
    unique = counts[here] == 1
    same = (people[:, combination.records] == replica[:, last[here]]).all(axis=0)
    return np.array([(counts[here] > 0).sum(), unique.sum(), (unique & same).sum()], dtype=float)
