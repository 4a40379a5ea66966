"""The data sets of a suite over one codebook, in the forms that its tests take."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np

from sdcmetrics.errors import ColumnError, NotComputable, StudyError, did_you_mean
from sdcmetrics.measures.crosstables.key_counting import index_keys
from sdcmetrics.measures.pair import Frame, one_synthesis, refuse_copy
from sdcmetrics.microdata.arrays import Floats, Ints
from sdcmetrics.microdata.coding import Coded, CodedVariable, Rule, by_value, encode, pack
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.frames import label_of
from sdcmetrics.microdata.grouping import usable
from sdcmetrics.microdata.schema import MissingCodes, Variable
from sdcmetrics.suites.trio import Trio, compared

Quantile = Literal["linear", "inverted_cdf"]

_TENTHS = np.arange(1, 10) / 10


def decile_edges(values: Floats, method: Quantile = "linear") -> Floats:
    """Return the inner ends of the groups between deciles; equal deciles are one end.

    Parameters
    ----------
    values : float array without NaN
    method : "linear" or "inverted_cdf"
        Linear is type 7. The inverse of the distribution function takes values that occur, so
        that the groups of log(x) are those of x.

    Examples
    --------
    >>> decile_edges(np.array([0.0] * 8 + [1, 2, 2, 3, 5, 8, 13, 21])).tolist()
    [0.0, 0.5, 2.0, 2.5, 5.0, 10.5]
    """
    if not len(values):
        return np.empty(0)
    edges: Floats = np.unique(np.quantile(values, _TENTHS, method=method))
    return edges


def by_deciles(reference: Sequence[int], method: Quantile = "linear") -> Rule:
    """Return the rule that groups numbers and dates between the deciles of some data sets.

    Parameters
    ----------
    reference : positions of the data sets whose values, together, make the deciles
    method : see `decile_edges`

    Notes
    -----
    The first group is open below and the last one above, so that no value is outside; missing
    values, and each missing code, are groups of their own. Categories keep their levels.
    """

    def rule(variable: Variable) -> CodedVariable:
        if variable.kind not in (Kind.NUMBER, Kind.DATE):
            return pack(variable.name, variable.levels, variable.codes)
        together = np.concatenate([variable.values[part] for part in reference])
        edges = decile_edges(usable(together, variable.missing_codes), method)
        parts = []
        for values in variable.values:
            codes = np.searchsorted(edges, values, side="left").astype(np.int32)
            for i, code in enumerate(variable.missing_codes):
                codes[values == code] = len(edges) + 1 + i
            codes[np.isnan(values)] = -1
            parts.append(codes)
        labels = [f"group {i + 1}" for i in range(len(edges) + 1)]
        return pack(variable.name, (*labels, *map(label_of, variable.missing_codes)), parts)

    return rule


__all__ = ["HOLDOUT", "ORIGINAL", "SYNTHETIC", "Sets", "sets_of"]


ORIGINAL, SYNTHETIC, HOLDOUT = 0, 1, 2
_CLASSES = 2


class Sets(Trio):
    """A `Trio` as DAISYnt's tests read it: numbers are numbers, whatever few values they have.

    `categorical` are further columns that are categories, the target among them; of several
    targets the first of two classes is meant. `public` and `sensitive` are what an intruder knows,
    and wants. What a preset does not name, the study may have named.
    """

    @classmethod
    def of(cls, trio: Trio) -> Sets:
        """Return a trio of a review in these forms."""

        def make() -> Sets:
            return cls(
                trio.frames,
                trio.data,
                categorical=trio.categorical,
                target=trio.target,
                public=trio.public or trio.roles.public,
                sensitive=trio.sensitive or trio.roles.sensitive,
                roles=trio.roles,
                seed=trio.seed,
                households=trio.households,
            )

        return trio.cached("daisynt", make)

    @property
    def predicted(self) -> str:
        """The target: the first of two classes that is named, or that the study has.

        Raises
        ------
        NotComputable
            If none is named, and the study has none of two classes.
        """
        if not self._target and self.roles.target:
            msg = "target: no target of the study has two classes"
            raise NotComputable(msg)
        return self._target or self.role("target")[0]

    @cached_property
    def _target(self) -> str:
        named = [name for name in self.target if name in self.data.variables]
        if len(named) == 1:
            return named[0]  # a category, whatever it holds; tests say if it has other classes
        candidates = (n for n in named or self.roles.target if n in self.data.variables)
        of_two = (name for name in candidates if self._classes(name) == _CLASSES)
        return next(of_two, named[0] if named else "")

    def _classes(self, name: str) -> int:
        return len(_classes_of(encode(self.data, by_value, [name]).variables[name]))

    def role(self, name: str) -> tuple[str, ...]:
        """Return the columns of a role.

        Raises
        ------
        NotComputable
            If there are none.
        """
        columns: tuple[str, ...] = getattr(self, name)
        if not columns or not self.data.variables.keys() >= {*columns}:
            msg = f"{name}: no column is named that all data sets have"
            raise NotComputable(msg)
        return columns

    @property
    def test(self) -> int:
        """The data set whose people a replica is compared with: the holdout, or the original."""
        return HOLDOUT if self.has_holdout else ORIGINAL

    @cached_property
    def identities(self) -> tuple[Ints, ...]:
        """The same number for records that are equal in every value, whichever data set."""
        names = list(self.data.variables)
        return index_keys(encode(self.data, by_value, names), names).parts

    @cached_property
    def columns(self) -> list[str]:
        """Names of the columns that tests see: what is constant everywhere tells nothing."""
        roles = {self._target, *self.target, *self.public, *self.sensitive}
        names = list(self.data.variables)
        return [name for name in names if name in roles or self._varies(name)] or names

    def _varies(self, name: str) -> bool:
        variable = self.data.variables[name]
        parts = [part for part in variable.values or variable.codes if len(part)]
        return any((part != parts[0][0]).any() for part in parts)

    @cached_property
    def categories(self) -> list[str]:
        """Names of the columns that are categories."""
        named = {*(self.categorical or ()), self._target}
        return [
            name
            for name in self.columns
            if name in named or self.data.variables[name].kind not in (Kind.NUMBER, Kind.DATE)
        ]

    @cached_property
    def numbers(self) -> list[str]:
        """Names of the columns of numbers and dates."""
        return [name for name in self.columns if name not in self.categories]

    @cached_property
    def values(self) -> dict[str, tuple[Floats, ...]]:
        """Numbers of each data set; missing values, and missing codes, are NaN."""
        out = {}
        for name in self.numbers:
            variable = self.data.variables[name]
            codes = variable.missing_codes
            out[name] = tuple(
                np.where(np.isin(part, codes), np.nan, part) for part in variable.values
            )
        return out

    @cached_property
    def codes(self) -> dict[str, CodedVariable]:
        """Categories over one codebook; missing is a level."""
        return encode(self.data, by_value, self.categories).variables

    @cached_property
    def flags(self) -> dict[str, tuple[Ints, ...]]:
        """1 where a number is missing, else 0; for numbers that any data set lacks."""
        return {
            name: tuple(np.isnan(part).astype(np.int64) for part in parts)
            for name, parts in self.values.items()
            if any(np.isnan(part).any() for part in parts)
        }

    def filled(self, reference: Sequence[int]) -> dict[str, tuple[Floats, ...]]:
        """Return the numbers, what is missing replaced by the mean over some data sets."""
        out = {}
        for name, parts in self.values.items():
            present = np.concatenate([parts[i] for i in reference])
            present = present[~np.isnan(present)]
            mean = float(present.mean()) if len(present) else 0.0
            out[name] = tuple(np.where(np.isnan(part), mean, part) for part in parts)
        return out

    def grouped(self, reference: Sequence[int], method: Quantile) -> Coded:
        """Return all columns as codes: numbers cut at the deciles of some data sets."""
        cut = by_deciles(reference, method)
        rules = {name: by_value if name in self.categories else cut for name in self.columns}
        return encode(self.data, rules, self.columns)

    @cached_property
    def outcome(self) -> tuple[Ints, ...]:
        """The target of each data set: 0, 1, or -1 where it is missing.

        Raises
        ------
        NotComputable
            If there is none, or it does not have two classes.
        """
        coded = self.codes[self.predicted]
        classes = _classes_of(coded)
        if len(classes) != _CLASSES:
            msg = f"the target {self.predicted!r} has {len(classes)} classes, and the test is of 2"
            raise NotComputable(msg)
        return tuple(
            np.where(part == classes[1], 1, np.where(part == classes[0], 0, -1))
            for part in coded.parts
        )


def _classes_of(coded: CodedVariable) -> list[int]:
    """Return the codes of the levels that are not missing."""
    return [code for code in range(coded.size) if code != coded.missing_code]


def sets_of(  # noqa: PLR0913  (the roles of columns)
    original: Frame,
    synthetic: Frame,
    holdout: Frame | None,
    *,
    target: str | Sequence[str],
    categorical: Sequence[str] | None,
    public: Sequence[str] | None,
    sensitive: Sequence[str] | None,
    missing_codes: MissingCodes | None,
    seed: int,
    household: str | None = None,
) -> Sets:
    """Bring the data sets to one codebook.

    Raises
    ------
    ColumnError, DataError, StudyError
        If a named column is absent, there are several syntheses, or there is no such name.
    """
    pair, households = compared(
        original,
        one_synthesis(synthetic),
        holdout,
        household=household,
        missing_codes=missing_codes,
    )
    data = pair.data if holdout is None else pair.beside_holdout
    named = {"target": target, "categorical": categorical, "public": public}
    listed: dict[str, tuple[str, ...]] = {}
    for role, names in (named | {"sensitive": sensitive}).items():
        if not isinstance(names, str | Sequence | None):
            msg = f"{role}: expected one name or several but got {type(names).__name__}."
            raise StudyError(msg)
        listed[role] = (names,) if isinstance(names, str) else tuple(names or ())
        for name in listed[role]:
            if name not in data.variables:
                msg = (
                    f"{role}: {name!r} is not a column of all data sets."
                    f"{did_you_mean(name, data.variables)}"
                )
                raise ColumnError(msg)
    roles: dict[str, Any] = {**listed, "seed": seed, "households": households}
    sets = Sets.of_pair(pair, **roles)
    if sets.has_holdout:
        names = data.sources[ORIGINAL], data.sources[HOLDOUT]
        refuse_copy(sets.identities[ORIGINAL], sets.identities[HOLDOUT], names)
    return sets
