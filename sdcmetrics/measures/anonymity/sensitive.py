"""How much the classes of a file give away of a target: l-diversity and t-closeness."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.anonymity.classes import Classes, classes_of
from sdcmetrics.measures.pair import Frame
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.schema import MissingCodes
from sdcmetrics.results import Readable

__all__ = ["LDiversity", "TCloseness", "l_diversity", "t_closeness"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, repr=False)
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


@dataclass(frozen=True, repr=False)
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
        The same where the target has nothing to do with the keys: means over draws. Small classes
        are far from the file by chance.
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

    Raises
    ------
    ColumnError, StudyError

    Notes
    -----
    Equals sdcMicro's ``ldiversity``, except that a missing target is a value there are people
    with, where sdcMicro leaves it out.

    References
    ----------
    Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam (2007), ACM Transactions on Knowledge
    Discovery from Data 1(1).

    Examples
    --------
    >>> import pandas as pd
    >>> file = pd.DataFrame({"sex": list("fffmm"), "vote": list("abaab")})
    >>> found = l_diversity(file, keys="sex", target="vote")
    >>> found.distinct, round(found.entropy, 4), found.below_2
    (2, 1.8899, 0)
    """
    if not c > 0:
        msg = f"c: expected a number above 0 but got {c!r}."
        raise StudyError(msg)
    found = classes_of(frame, keys, also=[target], missing_codes=missing_codes)
    cell_class, counts = _cells(found, target)
    sizes = found.sizes
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
        keys=found.keys,
        target=target,
        distinct=int(distinct.min()),
        entropy=float(entropy.min()),
        recursive=int(table["recursive_l"].min()),
        below_2=int(sizes[distinct == 1].sum()),
        classes=table,
        fixes=found.fixes,
    )


@checked
def t_closeness(
    frame: Frame,
    *,
    keys: str | Sequence[str],
    target: str,
    ordered: bool | None = None,
    draws: int = 200,
    seed: int = 1,
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
        How often the target is shuffled for what chance alone gives.
    seed : int
    missing_codes : mapping of column to code or codes, optional

    Returns
    -------
    TCloseness

    Raises
    ------
    ColumnError, StudyError

    References
    ----------
    Li, Li and Venkatasubramanian (2007), ICDE.

    Examples
    --------
    >>> import pandas as pd
    >>> file = pd.DataFrame({"sex": list("ffmm"), "vote": list("aaab")})
    >>> found = t_closeness(file, keys="sex", target="vote")
    >>> found.largest, found.mean
    (0.25, 0.25)
    """
    found = classes_of(frame, keys, also=[target], missing_codes=missing_codes)
    variable = found.coded.variables[target]
    if ordered is None:
        ordered = target in found.ranked
    values = variable.parts[0].astype(np.int64)
    sizes = found.sizes
    t = _distances(found.of_record, values, sizes, variable.size, ordered=ordered)
    rng = np.random.default_rng(seed)
    null = [
        _distances(found.of_record, rng.permutation(values), sizes, variable.size, ordered=ordered)
        for _ in range(draws)
    ]
    return TCloseness(
        keys=found.keys,
        target=target,
        largest=float(t.max()),
        mean=float(np.average(t, weights=sizes)),
        null_largest=float(np.mean([one.max() for one in null])),
        null_mean=float(np.mean([np.average(one, weights=sizes) for one in null])),
        ordered=ordered,
        classes=pd.DataFrame({"records": sizes, "t_closeness": t}).rename_axis("class"),
        seed=seed,
        fixes=found.fixes,
    )


def _cells(found: Classes, target: str) -> tuple[Ints, Ints]:
    """Return class and count of each non-empty cell of classes by target values."""
    variable = found.coded.variables[target]
    cell, counts = np.unique(
        found.of_record * variable.size + variable.parts[0], return_counts=True
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


def _distances(of_record: Ints, values: Ints, sizes: Ints, levels: int, *, ordered: bool) -> Floats:
    """Return how far the values of each class are from those of all records."""
    p = np.bincount(values, minlength=levels) / len(values)
    cell, counts = np.unique(of_record * levels + values, return_counts=True)
    cell_class, level = np.divmod(cell, levels)
    q = counts / sizes[cell_class]
    if not ordered:  # half of |q - p| over the filled cells, and of p over the others
        there = np.bincount(
            cell_class, weights=np.abs(q - p[level]) - p[level], minlength=len(sizes)
        )
        return np.asarray((1.0 + there) / 2.0, dtype=np.float64)
    out = np.empty(len(sizes))
    total = np.cumsum(p)
    bounds = np.searchsorted(cell_class, np.arange(len(sizes) + 1))
    for i in range(len(sizes)):
        part = slice(bounds[i], bounds[i + 1])
        one = np.zeros(levels)
        one[level[part]] = q[part]
        out[i] = np.abs(np.cumsum(one) - total).sum() / max(levels - 1, 1)
    return out
