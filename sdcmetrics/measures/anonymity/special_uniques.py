"""Special uniques: records that are unique by few keys already (SUDA)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.anonymity.k_anonymity import classes_of
from sdcmetrics.measures.anonymity.match_risk import chance_of_match
from sdcmetrics.measures.pair import Frame
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.arrays import Bools, Ints
from sdcmetrics.microdata.schema import MissingCodes
from sdcmetrics.results import Readable, Renamed

_WIDEST = 1 << 62


@dataclass(frozen=True)
class MinimalUniques:
    """Records that are unique by a set of keys, and by no part of it.

    Attributes
    ----------
    keys : tuple of int
        Positions of the keys.
    records : int array
        Positions of the records.
    """

    keys: tuple[int, ...]
    records: Ints


def minimal_uniques(
    codes: Ints, max_size: int, *, present: Bools | None = None
) -> Iterator[MinimalUniques]:
    """Yield the minimal sample uniques, smaller sets of keys first.

    Parameters
    ----------
    codes : int array of shape (keys, records), from 0
    max_size : the largest set of keys to look at
    present : bool array of the same shape, optional
        False for a missing value that is to fit nothing.
    """
    alone: dict[tuple[int, ...], Bools] = {}
    nothing = np.zeros(codes.shape[1], dtype=bool)
    for size in range(1, max_size + 1):
        larger = {}
        for keys in itertools.combinations(range(len(codes)), size):
            before = nothing
            for part in itertools.combinations(keys, size - 1):
                before = before | alone.get(part, nothing)
            counted = (
                np.flatnonzero(present[list(keys)].all(axis=0)) if present is not None else None
            )
            index = combine(
                codes[list(keys)] if counted is None else codes[np.ix_(np.array(keys), counted)]
            )
            unique = (np.bincount(index) == 1)[index]
            if counted is not None:
                there = nothing.copy()
                there[counted] = unique
                unique = there
            minimal = np.flatnonzero(unique & ~before)
            if len(minimal):
                yield MinimalUniques(keys, minimal)
            larger[keys] = unique
        alone = larger


def combine(codes: Sequence[Ints] | Ints) -> Ints:
    """Number the combinations of the columns from 0; shape (records,)."""
    index = np.zeros(len(codes[0]), dtype=np.int64)
    size = 1
    for code in codes:
        levels = int(code.max(initial=0)) + 1
        if size * levels >= _WIDEST:
            distinct, index = np.unique(index, return_inverse=True)
            size = len(distinct)
        index = index * levels + code
        size *= levels
    if size > 4 * len(index):  # so that a table of all combinations stays small
        index = np.unique(index, return_inverse=True)[1]
    return index


_ALL_SETS = 10
"""Keys up to which all 2^10 sets of them are looked at; beyond, those of up to four."""
_FEW = 4


@dataclass(frozen=True)
class SpecialUniques(Readable, shows=("keys", "special", "uniques", "max_size"), table="by_size"):
    """Records that are alone by few keys already.

    Attributes
    ----------
    keys : tuple of str
    max_size : int
        The largest set of keys that was looked at.
    uniques : int
        Records that are unique by all keys.
    special : int
        Records with at least one minimal sample unique of up to `max_size` keys.
    by_size : DataFrame
        Index size; columns sets (minimal sample uniques) and records that have one of that size.
    of_record : DataFrame
        One row per record of the file: sets, smallest, score, dis_suda, and the contribution of
        each key: the share of the record's score in sets that hold the key. As a set has several
        keys, contributions of a record with sets add up to 1 or more; others have 0.
    by_key : Series
        The same over all records: the share of the whole score in sets that hold the key.
    risk : float
        The chance that a unique match is right (`match_risk`), which dis_suda spreads.
    minimal : tuple of MinimalUniques
        Each set of keys (by position) and the records that are alone by it.
    fixes : tuple of str
        Changes made to the file.
    """

    keys: tuple[str, ...]
    max_size: int
    uniques: int
    special: int
    by_size: pd.DataFrame
    of_record: pd.DataFrame
    by_key: pd.Series[float]
    risk: float
    minimal: tuple[MinimalUniques, ...] = field(repr=False)
    fixes: tuple[str, ...] = ()
    found = Renamed("minimal")


@checked
def special_uniques(
    frame: Frame,
    *,
    keys: Sequence[str],
    sampling_fraction: float = 0.1,
    max_size: int | None = None,
    missing: Literal["level", "ignore"] = "level",
    missing_codes: MissingCodes | None = None,
) -> SpecialUniques:
    """Find the records that are alone by few keys already, and rank them (SUDA).

    A minimal sample unique is a set of keys by which a record is alone, and by no part of which it
    is. The smaller the sets and the more of them, the higher the score: such a person is odd in
    the population too, and not only in the file.

    Parameters
    ----------
    frame : data frame
        The original, or perturbed microdata that are to be released.
    keys : names of the columns that an intruder may know
    sampling_fraction : share of the population that the file has, above 0 and at most 1
        Only `dis_suda` and `risk` depend on it.
    max_size : int, optional
        The largest set of keys to look at: by default all sets of up to ten keys, and sets of up to
        four of more.
    missing : "level" or "ignore"
        Whether a missing key is a value of its own, or fits nothing, as sdcMicro has it.
    missing_codes : mapping of column to code or codes, optional
        Only checked: a code is a value like any other here.

    Returns
    -------
    SpecialUniques
        Of `of_record`, score is 0 (no set) and more, dis_suda 0 to 1: the more the odder. `special`
        is at most `uniques`, 0 at best; contributions are 0 to 1.

    Raises
    ------
    ColumnError
        If a key is not a column of the file.
    DataError
        If the file has no records.
    StudyError
        If there are no keys, or an option is wrong.

    Notes
    -----
    Equals sdcMicro's ``suda2`` where no key is missing. The score ranks records and is no
    probability: fifths of dis_suda of .25 to .92 stood beside a true mean risk of .51 to .74 in a
    simulation.

    References
    ----------
    Elliot, Manning and Ford (2002), International Journal of Uncertainty, Fuzziness and
    Knowledge-Based Systems 10(5); Manning, Haglin and Keane (2008), Data Mining and Knowledge
    Discovery 16(2).

    Examples
    --------
    >>> import pandas as pd
    >>> file = pd.DataFrame({"sex": list("mmff"), "region": list("NSNN")})
    >>> result = special_uniques(file, keys=["sex", "region"])
    >>> result.by_size["sets"].to_dict()
    {1: 1, 2: 1}
    >>> result.of_record["score"].tolist()
    [1.0, 1.0, 0.0, 0.0]
    """
    classes = classes_of(frame, keys, missing_codes=missing_codes)
    if not 0.0 < sampling_fraction <= 1.0:
        msg = "sampling_fraction: expected a number above 0 and at most 1."
        raise StudyError(msg)
    size = largest_set(max_size, len(classes.keys))
    codes = classes.levels[:, classes.of_record]
    present = None if missing == "level" else ~classes.missing[:, classes.of_record]
    uniques_of = tuple(minimal_uniques(codes, size, present=present))
    uniques, doubles = (int((classes.sizes == i).sum()) for i in (1, 2))
    risk = chance_of_match(uniques, doubles, sampling_fraction)
    of_record = _scores(uniques_of, classes.keys, classes.n, uniques, risk)
    return SpecialUniques(
        keys=classes.keys,
        max_size=size,
        uniques=uniques,
        special=int((of_record["sets"] > 0).sum()),
        by_size=_by_size(uniques_of, size),
        of_record=of_record,
        by_key=_by_key(of_record, classes.keys),
        risk=risk,
        minimal=uniques_of,
        fixes=classes.fixes,
    )


def largest_set(max_size: int | None, keys: int) -> int:
    """Return how many keys the sets have at most that are looked at."""
    if max_size is None:
        return keys if keys <= _ALL_SETS else _FEW
    if max_size < 1:
        msg = f"max_size: expected a whole number of 1 or more but got {max_size}."
        raise StudyError(msg)
    return min(max_size, keys)


def _scores(
    special: Sequence[MinimalUniques], keys: tuple[str, ...], n: int, uniques: int, risk: float
) -> pd.DataFrame:
    p = len(keys)
    sets, smallest = np.zeros(n, dtype=np.int64), np.full(n, p)
    score, of_key = np.zeros(n), np.zeros((p, n))
    for unique in special:
        # Elliot's score: how many larger sets of keys hold this one, order counted.
        points = math.prod(p - r for r in range(len(unique.keys), p))
        sets[unique.records] += 1
        smallest[unique.records] = np.minimum(smallest[unique.records], len(unique.keys))
        score[unique.records] += points
        of_key[np.ix_(np.array(unique.keys), unique.records)] += points
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(score > 0, of_key / score, 0.0)
    smallest_set = pd.Series(smallest, dtype="Int64").where(sets > 0)
    table = pd.DataFrame({"sets": sets, "smallest": smallest_set, "score": score})
    table["dis_suda"] = _dis_suda(score, uniques, risk, p)
    for key, share in zip(keys, shares, strict=True):
        table[f"contribution of {key}"] = share
    return table.rename_axis("record")


def _dis_suda(
    score: npt.NDArray[np.float64], uniques: int, risk: float, keys: int
) -> npt.NDArray[np.float64]:
    """Spread the risk of a match over the records by their score (Elliot's heuristic)."""
    out = np.zeros(len(score))
    scored = score > 0
    power = 1.0 + (8 - keys) / 20.0
    if not scored.any():
        return out
    weights = score[scored] ** power * (score[scored] ** -power).sum()
    out[scored] = 1.0 / (1.0 + (uniques / risk - uniques) / weights)
    return out


def _by_size(special: Sequence[MinimalUniques], largest: int) -> pd.DataFrame:
    rows = []
    for size in range(1, largest + 1):
        of_size = [unique.records for unique in special if len(unique.keys) == size]
        together = np.concatenate(of_size) if of_size else np.array([], dtype=np.int64)
        rows.append((len(together), len(np.unique(together))))
    return pd.DataFrame(
        rows, columns=["sets", "records"], index=pd.RangeIndex(1, largest + 1, name="size")
    )


def _by_key(of_record: pd.DataFrame, keys: tuple[str, ...]) -> pd.Series[float]:
    whole = float(of_record["score"].sum())
    shares = [float((of_record[f"contribution of {k}"] * of_record["score"]).sum()) for k in keys]
    values = [share / whole if whole else 0.0 for share in shares]
    return pd.Series(values, index=pd.Index(keys, name="key"), name="contribution")
