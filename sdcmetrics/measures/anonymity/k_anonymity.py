"""How many records of a file share each key combination: k-anonymity."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.crosstables.key_counting import index_keys
from sdcmetrics.measures.pair import Frame
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.arrays import Ints
from sdcmetrics.microdata.coding import Coded, by_value, encode
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.microdata.schema import MissingCodes, alone
from sdcmetrics.results import Readable


@dataclass(frozen=True)
class Classes:
    """Records of one file by key combination.

    Attributes
    ----------
    keys : tuple of str
    coded : Coded
        The keys, and the other columns that were asked for.
    of_record : int array of shape (records,)
        The class of each record, from 0.
    levels : int array of shape (keys, classes)
        Code of each key in each class.
    ranked : frozenset of str
        Columns of numbers or dates, whose codes are in order.
    fixes : tuple of str
        Changes made to the file.
    """

    keys: tuple[str, ...]
    coded: Coded
    of_record: Ints
    levels: Ints
    ranked: frozenset[str]
    fixes: tuple[str, ...]

    @property
    def n(self) -> int:
        """Number of records."""
        return len(self.of_record)

    @property
    def sizes(self) -> Ints:
        """Number of records in each class."""
        return np.bincount(self.of_record, minlength=self.levels.shape[1])

    @property
    def missing(self) -> npt.NDArray[np.bool_]:
        """Which keys are missing in each class; shape (keys, classes)."""
        codes = [self.coded.variables[key].missing_code for key in self.keys]
        out: npt.NDArray[np.bool_] = self.levels == np.array(codes)[:, None]
        return out

    def compatible(self) -> Ints:
        """Return how many records fit each class where a missing key fits every value."""
        missing, sizes = self.missing, self.sizes
        patterns = {pattern.tobytes(): pattern for pattern in missing.T}
        of_pattern = {
            name: np.flatnonzero((pattern == missing.T).all(axis=1))
            for name, pattern in patterns.items()
        }
        out = np.zeros(len(sizes), dtype=np.int64)
        for first, other in itertools.product(patterns, patterns):
            shared = ~(patterns[first] | patterns[other])
            here, there = of_pattern[first], of_pattern[other]
            both = self.levels[np.ix_(shared, np.concatenate([here, there]))]
            distinct, number = np.unique(both, axis=1, return_inverse=True)
            number = number.ravel()
            fits = np.bincount(
                number[len(here) :], weights=sizes[there], minlength=distinct.shape[1]
            )
            out[here] += fits[number[: len(here)]].astype(np.int64)
        return out


def classes_of(
    frame: Frame,
    keys: str | Sequence[str],
    *,
    also: Sequence[str] = (),
    missing_codes: MissingCodes | None = None,
) -> Classes:
    """Read a file's keys, and other columns, and number its key combinations.

    Raises
    ------
    ColumnError, StudyError
    """
    names = key_names(keys, also)
    data = alone(as_microdata(frame, "the file", [*names, *also]), [*names, *also], missing_codes)
    coded = encode(data, by_value, [*names, *also])
    index = index_keys(coded, names)
    return Classes(
        keys=tuple(names),
        coded=coded,
        of_record=index.parts[0],
        levels=np.stack([index.levels[name] for name in names]),
        ranked=frozenset(
            n for n, v in data.variables.items() if v.kind in (Kind.NUMBER, Kind.DATE)
        ),
        fixes=tuple(str(fix) for fix in data.fixes),
    )


def key_names(keys: str | Sequence[str], others: Sequence[str] = ()) -> list[str]:
    """Return the names of the keys, each once.

    Raises
    ------
    StudyError
        If there is none, or one of them is among the other columns as well.
    """
    names = [keys] if isinstance(keys, str) else list(dict.fromkeys(keys))
    if not names:
        msg = "keys: expected at least one column name but got none."
        raise StudyError(msg)
    for name in others:
        if name in names:
            msg = f"target: {name!r} is one of the keys. Name a column that the intruder lacks."
            raise StudyError(msg)
    return names


_LIMITS = (2, 3, 5, 10)
"""Sizes that agencies ask for: 3 or 5 (OECD glossary, threshold rule), 10 (ACRO's default)."""


@dataclass(frozen=True)
class KAnonymity(Readable, shows=("k", "uniques", "n", "classes"), table="below"):
    """How many records of a file share each key combination.

    Attributes
    ----------
    keys : tuple of str
    n : int
        Records.
    classes : int
        Key combinations that occur.
    k : int
        Records of the smallest class: the file is k-anonymous by these keys.
    uniques, doubles : int
        Classes of one record, and of two.
    below : DataFrame
        Index k; columns records_below and percent_below: records in classes of fewer than k.
    sizes : Series
        Number of classes by their size.
    of_record : int array of shape (n,)
        How many records of the file an intruder cannot tell from this one, itself included.
    all_missing : int
        Records whose keys are all missing. They are a class of their own, or fit everything.
    fixes : tuple of str
        Changes made to the file.
    """

    keys: tuple[str, ...]
    n: int
    classes: int
    k: int
    uniques: int
    doubles: int
    below: pd.DataFrame
    sizes: pd.Series[int]
    of_record: npt.NDArray[np.int64]
    all_missing: int
    fixes: tuple[str, ...] = ()


@checked
def k_anonymity(
    frame: Frame,
    *,
    keys: str | Sequence[str],
    limits: Sequence[int] = _LIMITS,
    missing: Literal["level", "wildcard"] = "level",
    missing_codes: MissingCodes | None = None,
) -> KAnonymity:
    """Count the records of a file that share each key combination.

    A criterion of the file that is handed out. Of synthetic records it says nothing about
    people, as nobody stands behind them: see `replicated_uniques` and `disclosure` for that.

    Parameters
    ----------
    frame : data frame
        The original, or perturbed microdata that are to be released.
    keys : name or names of the columns that an intruder may know
    limits : values of k to count the records below
    missing : "level" or "wildcard"
        Whether a missing key is a value of its own, or fits every value, as sdcMicro has it.
    missing_codes : mapping of column to code or codes, optional
        Only checked: a code is a value like any other here.

    Returns
    -------
    KAnonymity
        `k` is 1 (a record is alone with its keys) and more, more being better; `uniques` is 0 at
        best. `of_record` is in the order of the file, and nowhere below `k`.

    Raises
    ------
    ColumnError
        If a key is not a column of the file.
    DataError
        If the file has no records.
    StudyError
        If there are no keys, or an option is wrong.

    References
    ----------
    Samarati (2001), IEEE Transactions on Knowledge and Data Engineering 13(6); Sweeney (2002),
    International Journal of Uncertainty, Fuzziness and Knowledge-Based Systems 10(5).

    Examples
    --------
    >>> import pandas as pd
    >>> file = pd.DataFrame({"sex": list("mmmff"), "region": list("NNSNN")})
    >>> result = k_anonymity(file, keys=["sex", "region"])
    >>> result.k, result.uniques, result.of_record.tolist()
    (1, 1, [2, 2, 1, 2, 2])
    >>> int(result.below.loc[3, "records_below"])
    5
    """
    classes = classes_of(frame, keys, missing_codes=missing_codes)
    sizes = classes.sizes
    alike = classes.compatible() if missing == "wildcard" else sizes
    of_record = alike[classes.of_record]
    counts = [int((of_record < limit).sum()) for limit in limits]
    below = pd.DataFrame(
        {"records_below": counts, "percent_below": [100.0 * count / classes.n for count in counts]},
        index=pd.Index(list(limits), name="k"),
    )
    by_size = np.bincount(alike)
    histogram = pd.Series(by_size, name="classes").rename_axis("size")
    return KAnonymity(
        keys=classes.keys,
        n=classes.n,
        classes=len(sizes),
        k=int(alike.min()),
        uniques=int((alike == 1).sum()),
        doubles=int((alike == 2).sum()),  # noqa: PLR2004  (two)
        below=below,
        sizes=histogram[histogram > 0],
        of_record=of_record,
        all_missing=int(sizes[classes.missing.all(axis=0)].sum()),
        fixes=classes.fixes,
    )
