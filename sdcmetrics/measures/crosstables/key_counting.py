"""Coded microdata to counts of key combinations, alone and by the levels of a target.

`KeyTargetCounts` holds one table of key combinations by target levels, only its non-empty cells,
so that memory grows with the records and never with keys times targets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from sdcmetrics.errors import DataError
from sdcmetrics.measures.crosstables.counting import over_same_cells
from sdcmetrics.measures.crosstables.indexing import renumbered, wide_index
from sdcmetrics.measures.crosstables.scanning import Composite, composite, scan
from sdcmetrics.microdata.arrays import Counts
from sdcmetrics.microdata.coding import Coded

_TOLD_APART = 2  # records of one combination: one is alone, two are not


@dataclass(frozen=True)
class KeyTargetCounts:
    """Non-empty cells of the table of key combinations by target levels.

    Attributes
    ----------
    original, synthetic : int arrays of shape (cells,)
        Counts. Exclusions may have zeroed some of them. One of them may be of shape (draws, cells),
        all of which are beside the other; sums over keys then are by draw too.
    key, target : int arrays of shape (cells,)
        Position of the key combination (0..n_keys-1) and of the target level.
    n_keys, n_targets : int
    n_original, n_synthetic : int
        All records, never reduced by exclusions.
    """

    original: Counts
    synthetic: Counts
    key: npt.NDArray[np.int64]
    target: npt.NDArray[np.int64]
    n_keys: int
    n_targets: int
    n_original: int
    n_synthetic: int

    @cached_property
    def original_by_key(self) -> Counts:
        """Number of original records with each key combination; shape (n_keys,)."""
        return self.key_sums(self.original)

    @cached_property
    def synthetic_by_key(self) -> Counts:
        """Number of synthetic records with each key combination; shape (n_keys,)."""
        return self.key_sums(self.synthetic)

    @cached_property
    def original_of_key(self) -> Counts:
        """`original_by_key`, repeated for each cell."""
        return np.take(self.original_by_key, self.key, axis=-1)

    @cached_property
    def synthetic_of_key(self) -> Counts:
        """`synthetic_by_key`, repeated for each cell."""
        return np.take(self.synthetic_by_key, self.key, axis=-1)

    @cached_property
    def right_by_original(self) -> float:
        """Expected right guesses of original records from the records with the same keys."""
        filled = self.original > 0
        return float((self.original[filled] ** 2 / self.original_of_key[filled]).sum())

    @cached_property
    def right_by_synthetic(self) -> Any:
        """Expected right guesses of original records from synthetic ones with the same keys.

        A number, or one per draw.
        """
        both = (self.original > 0) & (self.synthetic > 0)
        original = np.broadcast_to(self.original, both.shape)
        right = original[both] * self.synthetic[both] / self.synthetic_of_key[both]
        if both.ndim > 1:
            each = np.split(right, np.cumsum(both.sum(axis=1))[:-1])
            return np.array([counts.sum() for counts in each])
        return float(right.sum())

    def key_sums(self, cells: npt.NDArray[np.integer[Any] | np.bool_]) -> Counts:
        """Add up counts of cells over each key combination; shape (n_keys,)."""
        if cells.ndim > 1:
            number = len(cells) * self.n_keys
            key = self.key + self.n_keys * np.arange(len(cells))[:, None]
            by_draw = np.bincount(key.ravel(), weights=cells.ravel(), minlength=number)
            return by_draw.astype(np.int64).reshape(len(cells), self.n_keys)
        sums = np.bincount(self.key, weights=cells, minlength=self.n_keys)
        out: Counts = sums.astype(np.int64)
        return out

    def per_key(self, cells: npt.NDArray[np.integer[Any] | np.bool_]) -> Counts:
        """Add up counts over each key combination, and repeat the sum for each of its cells."""
        out: Counts = self.key_sums(cells)[self.key]
        return out

    def target_sums(self, cells: npt.NDArray[np.integer[Any] | np.bool_]) -> Counts:
        """Add up counts of cells over each target level; shape (n_targets,)."""
        sums = np.bincount(self.target, weights=cells, minlength=self.n_targets)
        out: Counts = sums.astype(np.int64)
        return out


@dataclass(frozen=True)
class KeyIndex:
    """Key combinations of an original and m syntheses, numbered in one codebook.

    Attributes
    ----------
    parts : tuple of int arrays
        Number of the combination of each record, original first. Of data sets too large for
        memory two records stand for two and more of a combination: who is alone is still told.
    levels : dict of key name to int array of shape (combinations,)
        Code of the key in each combination.
    composite : Composite or None
        How the codes of a record of a large data set make the number that tells its combination;
        None in memory.
    """

    parts: tuple[npt.NDArray[np.int64], ...]
    levels: dict[str, npt.NDArray[np.int64]]
    composite: Composite | None = None

    @property
    def size(self) -> int:
        """Number of combinations that occur anywhere."""
        return len(next(iter(self.levels.values())))


def index_keys(coded: Coded, keys: Sequence[str]) -> KeyIndex:
    """Number the key combinations that occur in any of the data sets."""
    if coded.large:
        return _index_large(coded, keys)
    variables = [coded.variables[name] for name in keys]
    parts = range(coded.m + 1)
    index, size = wide_index(variables, parts)
    number, first = renumbered(index, size)
    stacked = {v.name: np.concatenate([v.parts[part] for part in parts]) for v in variables}
    levels = {name: codes[first].astype(np.int64) for name, codes in stacked.items()}
    bounds = np.cumsum(coded.sizes)[:-1]
    return KeyIndex(tuple(np.split(number, bounds)), levels)


def count_combinations(
    coded: Coded, names: Sequence[str]
) -> tuple[dict[str, npt.NDArray[np.int64]], Counts]:
    """Return the combinations of levels that the original has, and how many records have each.

    Returns
    -------
    dict of name to int array of shape (combinations,)
    int array of shape (combinations,)
    """
    if coded.large:
        cells, counts = scan(coded, [tuple(names)], 0)[0]
        return composite(coded, names).levels(cells), counts
    variables = [coded.variables[name] for name in names]
    index, _ = wide_index(variables, [0])
    _, first, counts = np.unique(index, return_index=True, return_counts=True)
    return {v.name: v.parts[0][first].astype(np.int64) for v in variables}, counts


def _index_large(coded: Coded, keys: Sequence[str]) -> KeyIndex:
    how = composite(coded, keys)
    sides = [scan(coded, [tuple(keys)], part)[0] for part in range(coded.m + 1)]
    cells, counts = over_same_cells(sides)
    number = np.arange(len(cells))
    parts = tuple(np.repeat(number, np.minimum(side, _TOLD_APART)) for side in counts)
    return KeyIndex(parts, how.levels(cells), how)


def _beside_large(
    coded: Coded, keys: KeyIndex, target: str, used: Sequence[int]
) -> tuple[Counts, Counts, npt.NDArray[np.int64]]:
    """Return the key combination and target level of each cell, and each data set's counts."""
    names = (*keys.levels, target)
    how = composite(coded, names)
    cells, counts = over_same_cells([scan(coded, [names], part)[0] for part in used])
    levels = how.levels(cells)
    level = levels.pop(target)
    assert keys.composite is not None  # noqa: S101  (they were indexed as these data sets are)
    indexed, index = keys.composite.index(keys.levels), keys.composite.index(levels)
    place = np.searchsorted(indexed, index)
    if not np.array_equal(indexed.take(place, mode="clip"), index):
        msg = (
            f"{' or '.join(coded.large[part].source for part in used)}: a combination of keys is "
            "another than when they were counted first. The data changed meanwhile, or are drawn "
            "or shuffled anew whenever they are read. Write them to a file, and name that."
        )
        raise DataError(msg)
    return place, level, counts


def count_keys_and_target(
    coded: Coded, keys: KeyIndex, target: str, *, synthesis: int = 1
) -> tuple[KeyTargetCounts, npt.NDArray[np.int64]]:
    """Count key combinations by target levels in the original and one synthesis.

    Returns
    -------
    KeyTargetCounts
    int array of shape (original records,)
        The cell of each original record, so that records at risk can be found; empty for data sets
        too large for memory.
    """
    (counts,), (cells, _) = count_beside_each_other(coded, keys, target, [synthesis])
    return counts, cells


def count_beside_each_other(
    coded: Coded, keys: KeyIndex, target: str, others: Sequence[int]
) -> tuple[tuple[KeyTargetCounts, ...], tuple[npt.NDArray[np.int64], ...]]:
    """Count the original beside each of some other data sets, all over the same cells.

    Beside the counts the cell of each record of the original and of these data sets; none of data
    sets too large for memory.
    """
    variable = coded.variables[target]
    used = (0, *others)
    sizes = [coded.sizes[part] for part in used]
    if coded.large:
        key, level, (original, *counted) = _beside_large(coded, keys, target, used)
        parts = [np.empty(0, dtype=np.int64)] * len(used)
    else:
        key, level, (original, *counted), parts = _cells_beside(coded, keys, target, used)
    counted_pairs = (
        KeyTargetCounts(
            original=original,
            synthetic=cells,
            key=key,
            target=level,
            n_keys=keys.size,
            n_targets=variable.size,
            n_original=sizes[0],
            n_synthetic=size,
        )
        for cells, size in zip(counted, sizes[1:], strict=True)
    )
    return tuple(counted_pairs), tuple(parts)


def _cells_beside(
    coded: Coded, keys: KeyIndex, target: str, used: Sequence[int]
) -> tuple[Counts, Counts, list[Counts], list[npt.NDArray[np.int64]]]:
    """Return the result of `_beside_large`, and the cell of each record."""
    variable = coded.variables[target]
    stacked = np.concatenate(
        [keys.parts[part] * variable.size + variable.parts[part] for part in used]
    )
    number, first = renumbered(stacked, keys.size * variable.size)
    cells = stacked[first]
    key, level = np.divmod(cells, variable.size)
    parts = np.split(number, np.cumsum([coded.sizes[part] for part in used])[:-1])
    counts = [np.bincount(part, minlength=len(cells)) for part in parts]
    return key, level, counts, parts
