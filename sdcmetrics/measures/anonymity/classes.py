"""Records of one file that share a key combination: its classes."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.crosstables.key_counting import index_keys
from sdcmetrics.measures.pair import Frame
from sdcmetrics.microdata.arrays import Ints
from sdcmetrics.microdata.coding import Coded, by_value, encode
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.microdata.schema import MissingCodes, alone


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
            _, number = np.unique(both, axis=1, return_inverse=True)
            number = number.reshape(-1)
            fits = np.bincount(
                number[len(here) :], weights=sizes[there], minlength=number.max() + 1
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
