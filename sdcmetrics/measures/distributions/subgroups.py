"""Utility by group of people, each tested against a null of its own size."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdcmetrics.errors import NotComputable, StudyError, did_you_mean
from sdcmetrics.measures.crosstables.chi_square import holm
from sdcmetrics.measures.crosstables.key_counting import count_keys_and_target, index_keys
from sdcmetrics.measures.distributions import kernels
from sdcmetrics.measures.distributions.records import harmonised, households_of
from sdcmetrics.measures.pair import Frame
from sdcmetrics.measures.survey.households import HouseholdColumn, Households, relabelled
from sdcmetrics.microdata.arguments import Permutations, Seed, checked
from sdcmetrics.microdata.arrays import Bytes, Codes, Floats, Ints
from sdcmetrics.microdata.coding import Coded, by_groups, by_value, encode
from sdcmetrics.microdata.compiled import compiled
from sdcmetrics.microdata.schema import MissingCodes
from sdcmetrics.results import Readable

FEWEST = 30
"""Records of a group in either file below which nothing is measured: tables of it are noise."""
_UTILITY = ("TVD", "S_pMSE")
_LABELS = 1 << 27  # of permuted records held at a time, a byte each
_RECORDS = 1 << 20  # of several tables put in order at a time
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Subgroups(Readable, shows=("worst", "permutations"), table="table"):
    """Utility, and maybe risk, of every group of people beside its own null.

    Attributes
    ----------
    table : DataFrame
        One row per group; the columns are described under `subgroups`.
    permutations, seed : int
    fixes : tuple of str
        Changes made to the inputs.
    """

    table: pd.DataFrame
    permutations: int
    seed: int
    fixes: tuple[str, ...] = field(default=(), repr=False)

    @property
    def worst(self) -> tuple[str, str | None, float]:
        """Return the worst group: variable, level (None: missing), adjusted p."""
        tested = self.table[self.table["TVD_holm"].notna()]
        if not len(tested):
            return "", None, math.nan
        excess = tested["TVD"] - tested["TVD_null"]
        row = tested.assign(excess=-excess).sort_values(["TVD_holm", "excess"]).iloc[0]
        return str(row["variable"]), row["level"], float(row["TVD_holm"])


@checked
def subgroups(  # noqa: PLR0913  (who, by what, how)
    original: Frame,
    synthetic: Frame,
    *,
    groups: Sequence[str],
    variables: Sequence[str] | None = None,
    keys: Sequence[str] | None = None,
    target: str | None = None,
    ngroups: int = 5,
    permutations: Permutations = 999,
    missing_codes: MissingCodes | None = None,
    household: HouseholdColumn = None,
    seed: Seed = 1,
) -> Subgroups:
    """Compare every group of people with the same people of the replica.

    A small group looks worse than a large one by its size alone, and a varied one worse than a
    uniform one. So each stands beside its own null: the same numbers of its own records, original
    and synthetic, with the labels permuted.

    Parameters
    ----------
    original, synthetic : data frames
    groups : names
        Every level of each of these columns is a group.
    variables : names, optional
        Whose pairs are tabulated; by default every column that both data sets have.
    keys, target : names of columns, optional
        What an intruder knows and wants: then also how many of a group are disclosed.
    ngroups : int
        Groups of numeric variables, `groups` included.
    permutations : int
    missing_codes : mapping of column to code or codes, optional
    household : name of a column, or Households, optional
        Who lives together, in both: the labels of whole households are exchanged. Then
        DiSCO has no p: who of a household is disclosed, and who is of a group, is no chance.
    seed : int

    Returns
    -------
    Subgroups
        Columns of its table: variable, level (None is missing); original, synthetic (records);
        TVD, S_pMSE (means over all pairs of the other variables), each with the mean of the
        permutations (_null), p, and p adjusted for the number of groups of the variable (_holm);
        with keys and a target also disclosed (originals disclosed and correct, as DiSCO counts
        them among all records), DiSCO (percent of the group), and DiSCO_p, DiSCO_holm: exact,
        that chance puts so many of all disclosed into a group of this size. note: why a group has
        no values.

    Raises
    ------
    StudyError
        If a group is no column, or keys come without a target.
    NotComputable
        If there are fewer than two other variables.

    Notes
    -----
    Groups of fewer than 30 records in either file are counted and not measured. A group that the
    replica lacks is a finding that no p is needed for.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(1)
    >>> sex, x = np.repeat(["f", "m"], 60), rng.integers(0, 2, 120)
    >>> original = pd.DataFrame({"sex": sex, "x": x, "y": x})
    >>> replica = original.assign(y=np.where(sex == "f", x, 1 - x))  # wrong for men only
    >>> result = subgroups(original, replica, groups=["sex"], permutations=99)
    >>> result.worst
    ('sex', 'm', 0.02)
    """
    names = [variables] if isinstance(variables, str) else variables
    wanted = [groups] if isinstance(groups, str) else list(groups)
    key_names = [keys] if isinstance(keys, str) else list(keys or ())
    if bool(key_names) != (target is not None):
        msg = "keys and target: expected both or none of them."
        raise StudyError(msg)
    if not wanted:
        msg = "groups: expected the name of at least one column but got none."
        raise StudyError(msg)
    tabulated = None if names is None else list(dict.fromkeys(names))
    if names is not None:
        names = list(dict.fromkeys([*names, *wanted, *key_names, *([target] if target else [])]))
    households = households_of(household, original, synthetic)
    data = harmonised(original, synthetic, None, names, missing_codes, household)
    for name in [*wanted, *key_names, *([target] if target else [])]:
        if name not in data.variables:
            msg = f"groups, keys, target: {name!r} is none of the columns."
            raise StudyError(msg + did_you_mean(name, data.variables))
    coded = encode(data, by_groups(ngroups, dates=True), list(data.variables))
    disclosed = None
    if target is not None:
        coded_keys = encode(data, by_value, [*key_names, target])
        counts, cells = count_keys_and_target(coded_keys, index_keys(coded_keys, key_names), target)
        sure = (counts.synthetic > 0) & (counts.synthetic == counts.per_key(counts.synthetic))
        disclosed = sure[cells]
    tables = [
        groups_of(
            coded,
            name,
            tabulated=tabulated,
            disclosed=disclosed,
            permutations=permutations,
            seed=seed,
            households=households,
        )
        for name in wanted
    ]
    table = pd.concat(tables, ignore_index=True)
    return Subgroups(table, permutations, seed, tuple(str(fix) for fix in data.fixes))


def groups_of(
    coded: Coded,
    by: str,
    *,
    tabulated: Sequence[str] | None = None,
    disclosed: npt.NDArray[np.bool_] | None = None,
    synthesis: int = 1,
    permutations: int,
    seed: Seed,
    households: Households | None = None,
) -> pd.DataFrame:
    """Return one row per level of a variable, see `subgroups`."""
    names = [n for n in (coded.variables if tabulated is None else tabulated) if n != by]
    pairs = list(itertools.combinations(range(len(names)), 2))
    if not pairs:
        msg = "fewer than two other variables"
        raise NotComputable(msg)
    group = coded.variables[by]
    rng = np.random.default_rng(seed)
    rows = []
    records = [_by_level(group.parts[i], group.size) for i in (0, synthesis)]
    for label, here, there in zip(group.labels, *records, strict=True):
        if not len(here) and not len(there):
            continue
        row: dict[str, object] = {
            "variable": by,
            "level": label,
            "original": len(here),
            "synthetic": len(there),
            "note": "",
        }
        if not len(there):
            row["note"] = "missing in the replica"
        elif min(len(here), len(there)) < FEWEST:
            row["note"] = f"fewer than {FEWEST} records"
        else:
            cells = _cells(coded, names, pairs, (here, there), synthesis)
            alike = (
                None
                if households is None
                else households.subset(np.append(here, households.n + there))
            )
            sizes = len(here), len(there)
            row |= _beside_null(cells, len(pairs), sizes, permutations, rng, alike)
        if disclosed is not None:
            row |= _disclosed(disclosed, here)
            if households is not None:
                row["DiSCO_p"] = math.nan
        rows.append(row)
    table = pd.DataFrame(rows)
    for name in _UTILITY:
        for column in (name, f"{name}_null", f"{name}_p"):
            if column not in table:
                table[column] = math.nan
    for name in (*_UTILITY, *(["DiSCO"] if disclosed is not None else [])):
        p = table[f"{name}_p"].astype(float).dropna()
        table[f"{name}_holm"] = pd.Series(holm(p), p.index)
    return table


def _by_level(codes: Codes, levels: int) -> list[Ints]:
    """Return the records of every level, in order."""
    ends = np.cumsum(np.bincount(codes, minlength=levels))
    return np.split(np.argsort(codes, kind="stable"), ends[:-1])


def _cells(
    coded: Coded,
    names: Sequence[str],
    pairs: Sequence[tuple[int, int]],
    records: tuple[Ints, Ints],
    synthesis: int,
) -> Callable[[int], Ints]:
    """Return what gives the cell of each of these records in a table, the original's first.

    Only codes of columns are held: there are many more tables than columns.
    """
    variables = [coded.variables[name] for name in names]
    codes = [
        np.concatenate([v.parts[0][records[0]], v.parts[synthesis][records[1]]]).astype(np.int64)
        for v in variables
    ]

    def cells(i: int) -> Ints:
        first, other = pairs[i]
        return codes[first] * variables[other].size + codes[other]

    return cells


def _beside_null(
    cells: Callable[[int], Ints],
    tables: int,
    sizes: tuple[int, int],
    permutations: int,
    rng: np.random.Generator,
    households: Households | None = None,
) -> dict[str, float]:
    """Return the means over tables, those of permuted labels, and p.

    `cells(i)` is the cell of every record in table i, the original's records first.
    """
    n, size = sizes[0], sum(sizes)
    means = []
    step = max(1, _LABELS // size)
    for at in range(0, permutations + 1, step):
        labels = np.zeros((size, min(step, permutations + 1 - at)), dtype=np.uint8)
        for i in range(labels.shape[1]):
            chosen = np.arange(n) if at + i == 0 else relabelled(rng, size, n, households)
            labels[chosen, i] = 1
        means.append(_means(cells, tables, labels, sizes))
    values = np.concatenate(means, axis=1)
    out = {}
    for name, value in zip(_UTILITY, values, strict=True):
        out[name] = float(value[0])
        if permutations:
            as_bad = int((value[1:] >= value[0] - _ROUNDING).sum())
            out[f"{name}_null"] = float(value[1:].mean())
            out[f"{name}_p"] = (1 + as_bad) / (1 + permutations)
    return out


def _means(
    cells: Callable[[int], Ints], tables: int, labels: Bytes, sizes: tuple[int, int]
) -> Floats:
    """Return mean TVD and mean S_pMSE over tables; shape (2, labellings)."""
    add = compiled(kernels.distances, kernels.DISTANCES)
    size, draws = labels.shape
    sums, varied = np.zeros((2, draws)), 0
    step = max(1, _RECORDS // size)
    for first in range(0, tables, step):
        codes = np.stack([cells(i) for i in range(first, min(first + step, tables))])
        order = np.argsort(codes, axis=1, kind="stable")
        ordered = np.take_along_axis(codes, order, axis=1)
        ends = np.ones(codes.shape, dtype=np.bool_)
        ends[:, :-1] = ordered[:, 1:] != ordered[:, :-1]
        varied += int((ends.sum(axis=1) > 1).sum())
        add(labels, order, ends, *sizes, sums)
    out: Floats = sums / np.array([[tables], [varied or math.nan]])
    return out


def _disclosed(disclosed: npt.NDArray[np.bool_], here: Ints) -> dict[str, float]:
    from scipy import stats

    hits, size = int(disclosed[here].sum()), len(here)
    p = stats.hypergeom.sf(hits - 1, len(disclosed), int(disclosed.sum()), size)
    share = 100.0 * hits / size if size else math.nan
    return {"disclosed": hits, "DiSCO": share, "DiSCO_p": float(p) if size else math.nan}
