"""Disclosure of a target by equivalence classes: l-diversity and t-closeness."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.anonymity.k_anonymity import Classes, classes_of
from sdcmetrics.measures.exchangeable import hypergeometric
from sdcmetrics.measures.pair import Frame
from sdcmetrics.microdata.arguments import Draws, Seed, checked
from sdcmetrics.microdata.arrays import Floats, Ints
from sdcmetrics.microdata.schema import MissingCodes
from sdcmetrics.results import Readable


@dataclass(frozen=True)
class LDiversity(Readable, shows=("target", "distinct", "entropy", "below_2"), table="classes"):
    """How many values of a target the records of one key combination have.

    Attributes
    ----------
    keys, target : the roles
    distinct : int
        Values in the class that has fewest.
    entropy : float
        The smallest entropy l of a class: exp of the entropy of its values, 1 to `distinct`.
    recursive : int
        The largest l for which every class is recursively (c, l)-diverse; 0 where none is.
    below_2 : int
        Records in classes with one value: an intruder knows it. In percent of the records this is
        Dorig of an original, and Dsyn of a replica.
    classes : DataFrame
        One row per class: records, distinct_l, entropy_l, recursive_l.
    fixes : tuple of str
        Changes made to the file.
    """

    keys: tuple[str, ...]
    target: str
    distinct: int
    entropy: float
    recursive: int
    below_2: int
    classes: pd.DataFrame
    fixes: tuple[str, ...] = ()


@dataclass(frozen=True)
class TCloseness(
    Readable, shows=("target", "largest", "mean", "null_largest", "null_mean"), table="classes"
):
    """How far the target's distribution in each class is from that in the file.

    Attributes
    ----------
    keys, target : the roles
    largest, mean : float
        Of the distances of the classes; the mean is over records. 0 to 1.
    null_largest, null_mean : float
        The same where the target has nothing to do with the keys: the mean over draws, and the
        exact expectation. Small classes are far from the file by chance.
    ordered : bool
        Whether the distance is that of ranks (earth mover's) or total variation.
    classes : DataFrame
        One row per class: records, t_closeness.
    seed : int
    fixes : tuple of str
        Changes made to the file.
    """

    keys: tuple[str, ...]
    target: str
    largest: float
    mean: float
    null_largest: float
    null_mean: float
    ordered: bool
    classes: pd.DataFrame
    seed: int
    fixes: tuple[str, ...] = ()


@checked
def l_diversity(
    frame: Frame,
    *,
    keys: str | Sequence[str],
    target: str,
    c: float = 2.0,
    missing_codes: MissingCodes | None = None,
) -> LDiversity:
    """Measure how many values of a target the records of one key combination have.

    Parameters
    ----------
    frame : data frame
        The original, or perturbed microdata that are to be released.
    keys : name or names of the columns that an intruder may know
    target : name of the column that the intruder wants to know; missing is a value of it
    c : float, above 0
        The factor of recursive diversity: p_1 < c (p_l + ... + p_L).
    missing_codes : mapping of column to code or codes, optional

    Returns
    -------
    LDiversity
        `distinct`, `entropy` and `recursive` are larger the better, and at most the number of
        values of the target; 1 is a class of which an intruder learns the target. `below_2`, in
        records, is 0 at best.

    Raises
    ------
    ColumnError
        If a key or the target is not a column of the file.
    DataError
        If the file has no records.
    StudyError
        If there are no keys, the target is one of them, or an option is wrong.

    Notes
    -----
    Equals sdcMicro's ``ldiversity``, except that a missing target is a value that people
    have, where sdcMicro leaves it out.

    References
    ----------
    Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam (2007), ACM Transactions on Knowledge
    Discovery from Data 1(1).

    Examples
    --------
    >>> import pandas as pd
    >>> file = pd.DataFrame({"sex": list("fffmm"), "vote": list("abaab")})
    >>> result = l_diversity(file, keys="sex", target="vote")
    >>> result.distinct, round(result.entropy, 4), result.below_2
    (2, 1.8899, 0)
    """
    if not c > 0:
        msg = f"c: expected a number above 0 but got {c!r}."
        raise StudyError(msg)
    classes = classes_of(frame, keys, also=[target], missing_codes=missing_codes)
    cell_class, counts = _cells(classes, target)
    sizes = classes.sizes
    p = counts / sizes[cell_class]
    distinct = np.bincount(cell_class, minlength=len(sizes))
    entropy = np.exp(np.bincount(cell_class, weights=-p * np.log(p), minlength=len(sizes)))
    table = pd.DataFrame(
        {
            "records": sizes,
            "distinct_l": distinct,
            "entropy_l": entropy,
            "recursive_l": _recursive(cell_class, p, c, len(sizes)),
        }
    ).rename_axis("class")
    return LDiversity(
        keys=classes.keys,
        target=target,
        distinct=int(distinct.min()),
        entropy=float(entropy.min()),
        recursive=int(table["recursive_l"].min()),
        below_2=int(sizes[distinct == 1].sum()),
        classes=table,
        fixes=classes.fixes,
    )


@checked
def t_closeness(
    frame: Frame,
    *,
    keys: str | Sequence[str],
    target: str,
    ordered: bool | None = None,
    draws: Draws = 200,
    seed: Seed = 1,
    missing_codes: MissingCodes | None = None,
) -> TCloseness:
    """Measure how far the target's distribution in each class is from that in the file.

    Parameters
    ----------
    frame : data frame
        The original, or perturbed microdata that are to be released.
    keys : name or names of the columns that an intruder may know
    target : name of the column that the intruder wants to know; missing is a value of it
    ordered : bool, optional
        Whether values are compared by rank: by default where they are numbers or dates. A missing
        value ranks last.
    draws : int
        How often the target is shuffled for the largest distance that chance alone gives.
    seed : int
    missing_codes : mapping of column to code or codes, optional

    Returns
    -------
    TCloseness
        `largest` and `mean` are 0 (best) to 1, to be read beside `null_largest` and `null_mean`:
        no more than these is what chance gives.

    Raises
    ------
    ColumnError
        If a key or the target is not a column of the file.
    DataError
        If the file has no records.
    StudyError
        If there are no keys, the target is one of them, or an option is wrong.

    References
    ----------
    Li, Li and Venkatasubramanian (2007), ICDE.

    Examples
    --------
    >>> import pandas as pd
    >>> file = pd.DataFrame({"sex": list("ffmm"), "vote": list("aaab")})
    >>> result = t_closeness(file, keys="sex", target="vote")
    >>> result.largest, result.mean
    (0.25, 0.25)
    """
    classes = classes_of(frame, keys, also=[target], missing_codes=missing_codes)
    variable = classes.coded.variables[target]
    if ordered is None:
        ordered = target in classes.ranked
    values = variable.parts[0].astype(np.int64)
    sizes = classes.sizes
    levels = np.bincount(values, minlength=variable.size)

    def largest(of_record: Ints) -> Floats:
        cell, counts = np.unique(of_record * variable.size + values, return_counts=True)
        return distances(*np.divmod(cell, variable.size), counts, sizes, levels, ordered=ordered)

    t = largest(classes.of_record)
    rng = np.random.default_rng(seed)
    null = [largest(rng.permutation(classes.of_record)).max() for _ in range(draws)]
    return TCloseness(
        keys=classes.keys,
        target=target,
        largest=float(t.max()),
        mean=float(np.average(t, weights=sizes)),
        null_largest=float(np.mean(null)),
        null_mean=expected_mean(sizes, levels, ordered=ordered),
        ordered=ordered,
        classes=pd.DataFrame({"records": sizes, "t_closeness": t}).rename_axis("class"),
        seed=seed,
        fixes=classes.fixes,
    )


def _cells(classes: Classes, target: str) -> tuple[Ints, Ints]:
    """Return class and count of each non-empty cell of classes by target values."""
    variable = classes.coded.variables[target]
    cell, counts = np.unique(
        classes.of_record * variable.size + variable.parts[0], return_counts=True
    )
    return cell // variable.size, counts


def _recursive(cell_class: Ints, p: Floats, c: float, classes: int) -> Ints:
    """Return the largest l with p_1 < c (p_l + ... + p_L), by class; 0 if there is none."""
    order = np.lexsort((-p, cell_class))
    p, cell_class = p[order], cell_class[order]
    first = np.flatnonzero(np.r_[True, cell_class[1:] != cell_class[:-1]])
    before = np.cumsum(p) - p
    tail = 1.0 - (before - before[first][cell_class])
    # 1e-12: sums of shares that are equal on paper, such as 1/3 and c times 1/6.
    holds = p[first][cell_class] < c * tail - 1e-12
    return np.bincount(cell_class, weights=holds, minlength=classes).astype(np.int64)


def distances(
    cell_class: Ints, level: Ints, counts: Ints, sizes: Ints, levels: Ints, *, ordered: bool
) -> Floats:
    """Return how far the values of each class are from those of all records.

    Parameters
    ----------
    cell_class, level, counts : int arrays, one entry per filled cell of classes by levels
        In order of class, and of level within a class.
    sizes : int array of shape (classes,)
    levels : int array: records of the file with each level
    ordered : bool
        Distance of ranks (earth mover's), or total variation.
    """
    p, q = levels / levels.sum(), counts / sizes[cell_class]
    if not ordered:  # half of |q - p| over the filled cells, and of p over the others
        there = np.bincount(
            cell_class, weights=np.abs(q - p[level]) - p[level], minlength=len(sizes)
        )
        return np.asarray((1.0 + there) / 2.0, dtype=np.float64)
    # From one filled level to the next the share of a class up to a level stays the same, c: the
    # sum of |c - total| over these levels is one of sums of total, which only grows.
    total = np.cumsum(p)
    first = np.append(True, cell_class[1:] != cell_class[:-1])
    upto = np.cumsum(q)
    c = np.minimum(upto - (upto - q)[first][np.cumsum(first) - 1], 1.0)
    start, end = level, np.where(np.append(first[1:], True), len(p), np.roll(level, -1))
    sums = np.append(0.0, np.cumsum(total))
    turn = np.clip(np.searchsorted(total, c), start, end)
    gap = (turn - start) * c - (sums[turn] - sums[start])
    gap += (sums[end] - sums[turn]) - (end - turn) * c
    gap[first] += sums[start[first]]  # below its first level a class has nothing
    out = np.bincount(cell_class, weights=gap, minlength=len(sizes))
    return np.asarray(out / max(len(p) - 1, 1), dtype=np.float64)


def expected_mean(sizes: Ints, levels: Ints, *, ordered: bool) -> float:
    """Return the expected mean distance over records if classes of these sizes were random.

    The records of a class are then a random part of the file: how many have a level, or one up
    to a level, is hypergeometric, whose mean deviation has a closed form.
    """
    n = int(levels.sum())
    having = np.cumsum(levels) if ordered else levels
    having, times = np.unique(having, return_counts=True)
    size, classes = np.unique(sizes, return_counts=True)
    total = 0.0
    for c, number in zip(size.tolist(), classes.tolist(), strict=True):
        m = np.floor(c * having / n) + 1
        deviation = 2 * m * (n - having - c + m) / n * hypergeometric(m, n, having, c)
        total += number * float(times @ deviation)  # |count - expected|, c times that of shares
    return total / n / (max(len(levels) - 1, 1) if ordered else 2)
