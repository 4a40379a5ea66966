"""Which special uniques of the original a replica shows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdcmetrics.measures.anonymity.classes import key_names
from sdcmetrics.measures.anonymity.lattice import MinimalUniques, combine, minimal_uniques
from sdcmetrics.measures.anonymity.special_uniques import largest_set
from sdcmetrics.measures.crosstables.counting import index_keys
from sdcmetrics.measures.pair import Frame, Replica, list_syntheses
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.coding import by_value, encode
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.microdata.schema import MissingCodes, harmonise
from sdcmetrics.results import Readable

__all__ = ["ReplicatedSpecialUniques", "replicated_special_uniques"]

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, repr=False)
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
    max_size: int = 3,
    seed: int = 1,
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
        Of the 20 random parts of the original.
    missing_codes : mapping of column to code or codes, optional
        Only checked: a code is a value like any other here.

    Returns
    -------
    ReplicatedSpecialUniques

    Raises
    ------
    ColumnError, StudyError

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
    syntheses = list_syntheses(synthetic, "synthetic", names)
    others = [
        *syntheses,
        *([as_microdata(holdout, "holdout", names)] if holdout is not None else []),
    ]
    data = harmonise(
        as_microdata(original, "original", names),
        others,
        variables=names,
        missing_codes=missing_codes,
    )
    index = index_keys(encode(data, by_value, names), names)
    levels = np.stack([index.levels[name] for name in names])
    coded = [levels[:, part] for part in index.parts]
    replicas = coded[1 : 1 + len(syntheses)]
    rows = {"original": _shown(coded[0], replicas, size)}
    if holdout is not None:
        rng = np.random.default_rng(seed)
        n, h = coded[0].shape[1], coded[-1].shape[1]
        if h < n:
            cut = [rng.choice(n, h, replace=False) for _ in range(20)]
            parts = [_shown(coded[0][:, part], replicas, size) for part in cut]
            rows[f"original at {h:,} records"] = np.mean(parts, axis=0)
        rows["holdout"] = _shown(coded[-1], replicas, size)
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


def _shown(people: Ints, replicas: Sequence[Ints], size: int) -> npt.NDArray[np.float64]:
    """Return sets, and percent of them present, unique and right, as means over the syntheses."""
    found = list(minimal_uniques(people, size))
    sets = sum(len(one.records) for one in found)
    rows = [
        sum((_of_set(one, people, replica) for one in found), np.zeros(3)) for replica in replicas
    ]
    with np.errstate(invalid="ignore"):
        shares = 100.0 * np.mean(rows, axis=0) / sets if sets else np.full(3, math.nan)
    return np.concatenate([[float(sets)], shares])


def _of_set(one: MinimalUniques, people: Ints, replica: Ints) -> npt.NDArray[np.float64]:
    """Count the records whose combination is in the replica, is there once, and is right there."""
    keys = np.array(one.keys)
    index = combine(np.concatenate([people[np.ix_(keys, one.records)], replica[keys]], axis=1))
    here, there = index[: len(one.records)], index[len(one.records) :]
    counts = np.bincount(there, minlength=int(index.max()) + 1)
    last = np.zeros(len(counts), dtype=np.int64)
    last[there] = np.arange(len(there))
    unique = counts[here] == 1
    same = (people[:, one.records] == replica[:, last[here]]).all(axis=0)
    return np.array([(counts[here] > 0).sum(), unique.sum(), (unique & same).sum()], dtype=float)
