"""Original, one replica and perhaps a holdout as mixed columns: the input of suites."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self, TypeVar

import numpy as np
import numpy.typing as npt

from sdcmetrics.errors import NotComputable
from sdcmetrics.measures.pair import Frame, Pair
from sdcmetrics.measures.survey.households import (
    Households,
    between,
    households_drawn,
    numbered,
    set_aside,
)
from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.microdata.coding import Coded, CodedVariable, by_value
from sdcmetrics.microdata.discretise import by_training
from sdcmetrics.microdata.frames import Microdata, as_microdata
from sdcmetrics.microdata.mixed import Mixed, split_kinds
from sdcmetrics.microdata.schema import Harmonised, MissingCodes

T = TypeVar("T")

BINS = 10
"""Groups of a number, by deciles of the original, as SynthEval's quantile error takes them."""


@dataclass(frozen=True)
class Roles:
    """Roles of columns in a study, for suites whose preset names none.

    Attributes
    ----------
    target : tuple of names, columns that users of the replica predict
    public, sensitive : tuples of names, what an intruder knows and wants
    """

    target: tuple[str, ...] = ()
    public: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()


_NO_ROLES = Roles()


class Trio:
    """The view of a `Pair` that a suite has: original, one synthesis, perhaps a holdout; cached.

    Parameters
    ----------
    frames : sequence of Microdata
        Original, replica and, where there is one, holdout, as they were handed in.
    data : Harmonised
        The same in the same order.
    categorical : names, optional
        The columns that are categories; see `split_kinds`.
    target : names
        Columns that users of the replica predict.
    sensitive : names
        Columns that are nobody's business, or by which groups are told apart.
    public : names
        Columns that an intruder knows.
    roles : Roles
        What the study says, where there is one.
    seed : int
        Of everything that is drawn.
    households : sequence, optional
        The household of each record of original, replica and holdout, None for a data set that
        does not say it; see `survey.households.numbered`.
    shared : dict, optional
        What is a fact about the original alone is kept here, for other trios too.
    """

    def __init__(  # noqa: PLR0913  (what is compared, and its roles)
        self,
        frames: Sequence[Microdata],
        data: Harmonised,
        *,
        categorical: Sequence[str] | None = None,
        target: Sequence[str] = (),
        sensitive: Sequence[str] = (),
        public: Sequence[str] = (),
        roles: Roles = _NO_ROLES,
        seed: int = 0,
        households: Sequence[npt.NDArray[np.int64] | None] = (),
        shared: dict[Any, Any] | None = None,
    ) -> None:
        self.shared: dict[Any, Any] = {} if shared is None else shared
        self.frames, self.data, self.households = tuple(frames), data, tuple(households)
        self.categorical, self.target, self.seed = categorical, tuple(target), seed
        self.public, self.sensitive = tuple(public), tuple(sensitive)
        self.roles = roles
        self._cached: dict[Any, Any] = {}

    @classmethod
    def of_pair(
        cls,
        pair: Pair,
        synthesis: int = 1,
        *,
        variables: Sequence[str] | None = None,
        **roles: Any,
    ) -> Self:
        """Return the view of a pair that its original, one synthesis and its holdout are.

        Parameters
        ----------
        pair : Pair
        synthesis : int
            Which of its syntheses, from 1.
        variables : names, optional
            Columns; by default all that the pair compares.
        **roles
            As of `Trio`, but `shared`: facts about the original are kept for all views of the
            same columns in pairs that share what they keep.
        """
        data = pair.data if pair.holdout is None else pair.beside_holdout
        if variables is not None:
            names = tuple(name for name in variables if name in data.variables)
            data = pair.cached(("columns", names), lambda: pair.columns(names, holdout=True))
        places = (0, synthesis, *(() if pair.holdout is None else (pair.m + 1,)))

        def only(arrays: Sequence[Any]) -> tuple[Any, ...]:
            return tuple(arrays[place] for place in places) if arrays else ()

        own = replace(
            data,
            variables={
                name: replace(variable, values=only(variable.values), codes=only(variable.codes))
                for name, variable in data.variables.items()
            },
            sizes=only(data.sizes),
            sources=only(data.sources),
        )
        frames = [
            pair.original,
            pair.syntheses[synthesis - 1],
            *([] if pair.holdout is None else [pair.holdout]),
        ]
        shared = pair.shared.setdefault("trios", {}).setdefault(tuple(own.variables), {})
        return cls(frames, own, shared=shared, **roles)

    @cached_property
    def parts(self) -> tuple[Mixed, ...]:
        """Codes and numbers of every data set."""
        return split_kinds(self.data, categorical=self.categorical)

    @property
    def original(self) -> Mixed:
        """The original."""
        return self.parts[0]

    @property
    def synthetic(self) -> Mixed:
        """The replica."""
        return self.parts[1]

    @property
    def holdout(self) -> Mixed:
        """The holdout.

        Raises
        ------
        NotComputable
            If there is none.
        """
        if not self.has_holdout:
            msg = "there is no holdout"
            raise NotComputable(msg)
        return self.parts[2]

    @property
    def has_holdout(self) -> bool:
        """Whether there is a holdout."""
        return len(self.data.sizes) > 2  # noqa: PLR2004  (original and replica)

    def of_original(self, key: Any, make: Callable[[], T]) -> T:
        """Return a cached value that depends on the original only."""
        if key not in self.shared:
            self.shared[key] = make()
        value: T = self.shared[key]
        return value

    def cached(self, key: Any, make: Callable[[], T]) -> T:
        """Return the cached value of this key, or make it."""
        if key not in self._cached:
            self._cached[key] = make()
        value: T = self._cached[key]
        return value

    def households_of(self, first: int = 0, second: int = 1) -> Households | None:
        """Return the households of two of the data sets; None without such a column.

        Raises
        ------
        NotComputable
            If whole households cannot be exchanged between the two.
        """
        if not self.households:
            return None
        return self.cached(
            ("households", first, second), lambda: between(self.households, first, second)
        )

    def rng(self, purpose: str) -> np.random.Generator:
        """Return the generator for one purpose: no other purpose changes what it draws."""
        return np.random.default_rng([self.seed, zlib.crc32(purpose.encode())])

    def drawn(self, part: int, size: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """Draw so many records of a data set; as many at most where whole households are drawn."""
        number = self.households[part] if self.households else None
        if number is None or size >= len(number):
            return rng.permutation(self.data.sizes[part])[:size]
        return rng.permutation(households_drawn(number, size, rng))

    @cached_property
    def binned(self) -> Coded:
        """Numbers in deciles of the original, atoms apart; categories with every level."""
        rule = by_training(BINS)
        out: dict[str, CodedVariable] = {}
        for name in self.original.names:
            variable = self.data.variables[name]
            out[name] = rule(variable) if name in self.original.numeric else by_value(variable)
        return Coded(out, self.data.sizes)

    @property
    def size(self) -> int:
        """Records of the smaller of replica and holdout."""
        return min(self.data.sizes[1:])

    def in_its_place(self) -> Trio:
        """Return the original beside the holdout as if that were the replica, without a holdout.

        It has as many records as the smaller of replica and holdout.
        """
        return self.cached("in its place", lambda: self._with(2, self.size))

    def cut(self) -> Trio:
        """Return original and replica, cut to as many records, without a holdout."""
        return self.cached("cut", lambda: self._with(1, self.size))

    def copied(self) -> Trio:
        """Return the original as its own replica, in another order, with the holdout."""
        return self.of_original("copied", lambda: self._with(0, self.data.sizes[0], holdout=True))

    def _with(self, part: int, size: int, *, holdout: bool = False) -> Trio:
        rows = self.drawn(part, size, self.rng(f"part {part}"))
        number = self.households[part] if self.households else None
        aside = (2,) if holdout and self.has_holdout else ()

        def chosen(arrays: tuple[Any, ...]) -> tuple[Any, ...]:
            if not arrays:
                return ()
            return (arrays[0], arrays[part][rows], *(arrays[other] for other in aside))

        data = replace(
            self.data,
            variables={
                name: replace(
                    variable, values=chosen(variable.values), codes=chosen(variable.codes)
                )
                for name, variable in self.data.variables.items()
            },
            sizes=(self.data.sizes[0], len(rows), *(self.data.sizes[other] for other in aside)),
            sources=tuple(self.data.sources[place] for place in (0, part, *aside)),
        )
        frame = self.frames[part]
        taken = replace(frame, table=frame.table.take(rows))
        return Trio(
            (self.frames[0], taken, *(self.frames[other] for other in aside)),
            data,
            categorical=self.categorical,
            target=self.target,
            sensitive=self.sensitive,
            public=self.public,
            roles=self.roles,
            seed=self.seed,
            households=(
                self.households[0],
                None if number is None else number[rows],
                *(self.households[other] for other in aside),
            )
            if self.households
            else (),
            shared=self.shared,
        )


def compared(
    original: Frame,
    synthetic: Frame,
    holdout: Frame | None,
    *,
    name: str = "synthetic",
    household: str | None = None,
    missing_codes: MissingCodes | None = None,
    shared: dict[Any, Any] | None = None,
) -> tuple[Pair, Sequence[npt.NDArray[np.int64] | None]]:
    """Return a pair of one synthesis, and its households, from a function's arguments.

    Raises
    ------
    ColumnError, DataError, FileError
        If a file cannot be read, or there is no such household column.
    """
    named = [(original, "original"), (synthetic, name)]
    if holdout is not None:
        named.append((holdout, "holdout"))
    households = () if household is None else numbered(household, *named)
    data_sets = [
        as_microdata(frame, source)
        for frame, (_, source) in zip(set_aside(household, None, *named), named, strict=True)
    ]
    pair = Pair(
        name,
        data_sets[0],
        data_sets[1:2],
        None if holdout is None else data_sets[2],
        missing_codes=missing_codes,
        shared=shared,
    )
    return pair, households


def numbers_of(trio: Trio, *, scaled: bool = False, categories: bool = False) -> tuple[Floats, ...]:
    """Return the numbers of every data set, shape (columns, n), as SynthEval reads them.

    Parameters
    ----------
    scaled : bool
        From 0 to 1 over all data sets together, the holdout too: one outlier of any of them
        changes all.
    categories : bool
        The codes of the categories stand before the numbers, levels of all data sets in order.
    """

    def make() -> tuple[Floats, ...]:
        parts = [part.numbers for part in trio.parts]
        if scaled:
            pool = np.concatenate(parts, axis=1)
            low = np.nanmin(pool, axis=1)
            size = np.nanmax(pool, axis=1) - low
            per = 1.0 / np.where(size > 0, size, 1.0)  # in scikit-learn's order of steps: SynthEval
            parts = [part * per[:, None] - (low * per)[:, None] for part in parts]  # compares ends
        if categories:
            ranks = [_in_order(levels) for levels in trio.original.levels]
            parts = [
                np.vstack([*(r[c] for r, c in zip(ranks, values.codes, strict=True)), part])
                for values, part in zip(trio.parts, parts, strict=True)
            ]
        return tuple(parts)

    return trio.cached(("numbers", scaled, categories), make)


def complete(parts: tuple[Floats, ...]) -> tuple[Floats, ...]:
    """Return numbers of which none is missing: SynthEval's definitions have no place for one.

    Raises
    ------
    NotComputable
    """
    if any(np.isnan(part).any() for part in parts):
        msg = "numbers are missing, for which the published definition has no place"
        raise NotComputable(msg)
    return parts


def _in_order(levels: Sequence[str | None]) -> Floats:
    """Return the place of every level among the levels in order, of numbers by size."""
    try:
        keys: list[Any] = [float("inf") if level is None else float(level) for level in levels]
    except ValueError:
        keys = [(level is None, level or "") for level in levels]
    order = sorted(range(len(levels)), key=keys.__getitem__)
    out = np.empty(len(levels))
    out[order] = np.arange(len(levels))
    return out
