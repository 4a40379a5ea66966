"""Importance of keys: the gain of each to an intruder, and the few that disclose most."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.anonymity.k_anonymity import Classes, classes_of
from sdcmetrics.measures.anonymity.match_risk import chance_of_match
from sdcmetrics.measures.anonymity.special_uniques import combine, special_uniques
from sdcmetrics.measures.crosstables.key_counting import count_keys_and_target, index_keys
from sdcmetrics.measures.pair import Frame, Replica, pair
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.coding import by_value, encode
from sdcmetrics.microdata.schema import MissingCodes
from sdcmetrics.results import Readable

_SUGGESTED = 10
"""Sets of keys that are listed: what a person reads."""


@dataclass(frozen=True)
class KeyImportance(Readable, shows=("keys", "uniques", "n"), table="by_key"):
    """Contribution of each key to the risk, and the few keys that disclose most.

    Attributes
    ----------
    keys : tuple of str
    n, uniques : int
        Records of the original, and those that are unique by all keys.
    by_key : DataFrame
        Index key; columns distinction and separation (of the key alone), uniques, match_risk and,
        with a replica and a target, DiSCO: the value with all keys less that without this key;
        contribution: its share of the score of special uniques.
    few_keys : DataFrame
        The ten sets of up to three keys with most uniques; columns keys, uniques, percent,
        distinction, separation. Sets with as many uniques: fewer keys first.
    fixes : tuple of str
        Changes made to the inputs.
    """

    keys: tuple[str, ...]
    n: int
    uniques: int
    by_key: pd.DataFrame
    few_keys: pd.DataFrame
    fixes: tuple[str, ...] = ()


@checked
def key_importance(
    original: Frame,
    synthetic: Replica | None = None,
    *,
    keys: Sequence[str],
    target: str | None = None,
    sampling_fraction: float = 0.1,
    missing_codes: MissingCodes | None = None,
) -> KeyImportance:
    """Measure the contribution of each key to the risk, and find the few that disclose most.

    Parameters
    ----------
    original : data frame
    synthetic : data frame, or list of data frames, optional
        With a target: how much DiSCO falls without each key.
    keys : names of the columns that an intruder may know, two or more
    target : name of the column that the intruder wants to know, optional
    sampling_fraction : share of the population that the original has, above 0 and at most 1
    missing_codes : mapping of column to code or codes, optional
        Only checked: a code is a value like any other here.

    Returns
    -------
    KeyImportance
        In `by_key`, in the order of `keys`: distinction and separation, 0 to 1; uniques, records
        that are unique only with this key, 0 or more; match_risk, the change of a share, -1 to 1;
        DiSCO, of a percentage, -100 to 100, mean over the syntheses; contribution, 0 to 1 for each
        key: keys share unique combinations, so that it adds up to 1 and more, or to 0 where no
        record is unique. A key with more gives the intruder more: coarsen it first.
        A key may lower match_risk and DiSCO. In `few_keys` percent is uniques per 100 records.

    Raises
    ------
    ColumnError
        If a file lacks a key or the target, or the target is a key.
    DataError
        If the original has no records.
    StudyError
        If there are fewer than two keys, only one of replica and target, or a sampling fraction
        out of range.

    Notes
    -----
    Distinction (distinct combinations over records) falls with the number of records: compare it
    only between files of one size. Separation (share of pairs of records told apart) does not.

    References
    ----------
    Motwani and Xu (2007), Efficient algorithms for masking and finding quasi-identifiers.

    Examples
    --------
    >>> import pandas as pd
    >>> file = pd.DataFrame({"sex": list("mmff"), "age": [30, 31, 31, 30], "region": list("NNNN")})
    >>> result = key_importance(file, keys=["sex", "age", "region"])
    >>> result.by_key["uniques"].tolist()
    [4, 4, 0]
    >>> result.few_keys["keys"].iloc[0]
    ('sex', 'age')
    """
    classes = classes_of(original, keys, missing_codes=missing_codes)
    if len(classes.keys) < 2:  # noqa: PLR2004  (one key cannot be left out)
        msg = f"keys: expected two or more but got {len(classes.keys)}."
        raise StudyError(msg)
    if (synthetic is None) != (target is None):
        msg = "key_importance: give a replica and a target, or neither of them."
        raise StudyError(msg)
    special = special_uniques(
        original, keys=keys, sampling_fraction=sampling_fraction, missing_codes=missing_codes
    )
    codes = classes.levels[:, classes.of_record]
    whole = _figures(codes, sampling_fraction)
    rows = []
    for i in range(len(codes)):
        without = _figures(np.delete(codes, i, axis=0), sampling_fraction)
        rows.append((*_told_apart(codes[i]), whole[0] - without[0], whole[1] - without[1]))
    table = pd.DataFrame(
        rows,
        columns=["distinction", "separation", "uniques", "match_risk"],
        index=pd.Index(classes.keys, name="key"),
    )
    if synthetic is not None and target is not None:
        table["DiSCO"] = _disclosed(original, synthetic, classes.keys, target, missing_codes)
    table["contribution"] = special.by_key
    return KeyImportance(
        classes.keys, classes.n, int(whole[0]), table, _few(classes, codes), classes.fixes
    )


def _figures(codes: npt.NDArray[np.int64], fraction: float) -> tuple[int, float]:
    """Return the unique records and the chance that a unique match is right."""
    sizes = np.bincount(combine(codes))
    uniques, doubles = (int((sizes == i).sum()) for i in (1, 2))
    return uniques, chance_of_match(uniques, doubles, fraction)


def _told_apart(index: npt.NDArray[np.int64]) -> tuple[float, float]:
    """Return distinction and separation of a column of combinations."""
    sizes = np.bincount(index)
    n = len(index)
    pairs = float((sizes * (sizes - 1)).sum()) / (n * (n - 1)) if n > 1 else 0.0
    return float((sizes > 0).sum()) / n, 1.0 - pairs


def _disclosed(
    original: Frame,
    synthetic: Replica,
    keys: tuple[str, ...],
    target: str,
    missing_codes: MissingCodes | None,
) -> list[float]:
    data = pair(original, synthetic, variables=[*keys, target], missing_codes=missing_codes)
    coded = encode(data, by_value, [*keys, target])

    def disco(names: Sequence[str]) -> float:
        """Return the share of records whose keys are unanimous, and right, in the replica."""
        index = index_keys(coded, names)
        counts = [
            count_keys_and_target(coded, index, target, synthesis=i)[0]
            for i in range(1, coded.m + 1)
        ]
        hits = [
            int(c.original[(c.synthetic > 0) & (c.synthetic == c.synthetic_of_key)].sum())
            for c in counts
        ]
        return 100.0 * float(np.mean(hits)) / coded.sizes[0]

    whole = disco(keys)
    return [whole - disco([name for name in keys if name != key]) for key in keys]


def _few(classes: Classes, codes: npt.NDArray[np.int64]) -> pd.DataFrame:
    rows = []
    for size in range(1, min(3, len(codes)) + 1):
        for chosen in itertools.combinations(range(len(codes)), size):
            index = combine(codes[list(chosen)])
            uniques = int((np.bincount(index) == 1).sum())
            names = tuple(classes.keys[i] for i in chosen)
            rows.append((names, uniques, 100.0 * uniques / classes.n, *_told_apart(index)))
    rows.sort(key=lambda row: (-row[1], len(row[0])))
    return pd.DataFrame(
        rows[:_SUGGESTED], columns=["keys", "uniques", "percent", "distinction", "separation"]
    )
