"""Data sets that are compared: an original, the syntheses of a replica, perhaps a holdout."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from sdcmetrics.errors import DataError, StudyError, did_you_mean
from sdcmetrics.measures.repetition import rows_once
from sdcmetrics.microdata.arrays import Ints
from sdcmetrics.microdata.frames import Fix, Microdata, as_microdata, tell_apart
from sdcmetrics.microdata.schema import Harmonised, MissingCodes, harmonise
from sdcmetrics.results import Renamed

Frame = Any
"""A data frame that narwhals knows (pandas, polars, pyarrow, ...), or Microdata."""

Replica = Any
"""A frame, or a list of frames: m > 1 syntheses made by one method."""

T = TypeVar("T")


class Pair:
    """An original and one replica, and a holdout where there is one; harmonised once.

    Parameters
    ----------
    name : the replica's name
    original : Microdata
    syntheses : sequence of Microdata
    holdout : Microdata, optional
    variables : names of the columns to compare, optional
        By default every column that all data sets have.
    required : names of columns that must be there whatever `variables` says
    missing_codes : mapping of column to code or codes, optional
    shared : dict, optional
        What does not depend on the replica is kept here, for the other pairs of a review.
    earlier : sequence of Microdata, optional
        Files of the same original that were handed out before this replica, in their order.

    Attributes
    ----------
    repeated : list of bool
        Of which syntheses every record occurred several times, and is there once.
    records : Pair or None
        The same data sets as records in memory: itself, or, where they are too large, samples of
        them; None where there are none.
    """

    def __init__(  # noqa: PLR0913  (the data sets, and what is asked of them)
        self,
        name: str,
        original: Microdata,
        syntheses: Sequence[Microdata],
        holdout: Microdata | None = None,
        *,
        variables: Sequence[str] | None = None,
        required: Sequence[str] = (),
        missing_codes: MissingCodes | None = None,
        shared: dict[Any, Any] | None = None,
        earlier: Sequence[Microdata] = (),
    ) -> None:
        roles = ["original", *(f"synthetic {i}" for i in range(1, len(syntheses) + 1)), "holdout"]
        data = [original, *syntheses, *([] if holdout is None else [holdout])]
        self.data_sets = tell_apart(data, roles[: len(data)])
        self.name, self.original = name, self.data_sets[0]
        self.syntheses = self.data_sets[1 : 1 + len(syntheses)]
        self.holdout = None if holdout is None else self.data_sets[-1]
        self.variables, self.required = variables, list(required)
        self.missing_codes = dict(missing_codes or {})
        self.shared: dict[Any, Any] = {} if shared is None else shared
        self.records: Pair | None = self
        self.repeated = [False] * len(self.syntheses)
        self._earlier = tuple(earlier)
        self._cached: dict[Any, Any] = {}
        self._fixes: dict[Fix, None] = {}

    @property
    def m(self) -> int:
        """Number of syntheses."""
        return len(self.syntheses)

    @property
    def fixes(self) -> tuple[Fix, ...]:
        """Every change made to compare these data sets, so far, each once."""
        return tuple(self._fixes)

    @cached_property
    def data(self) -> Harmonised:
        """Original and syntheses over the columns to compare."""
        return self._harmonise(self.syntheses, self.variables, self.required)

    @cached_property
    def beside_holdout(self) -> Harmonised:
        """Original, syntheses and, last, the holdout over the columns to compare.

        Raises
        ------
        DataError
            If there is no holdout.
        """
        if self.holdout is None:
            msg = "there is no holdout"
            raise DataError(msg)
        return self._harmonise([*self.syntheses, self.holdout], self.variables)

    @cached_property
    def once(self) -> Pair:
        """The same with one in k records of a file of which every one occurs k times.

        Itself where there is none, where the original's do so, too, or records are counted only.
        """
        if self.data.large:
            return self
        variables = [variable.values or variable.codes for variable in self.data.variables.values()]
        own, *others = (rows_once(parts[i] for parts in variables) for i in range(self.m + 1))
        if own is not None or all(rows is None for rows in others):
            return self
        files = []
        for file, rows in zip(self.syntheses, others, strict=True):
            if rows is None:
                files.append(file)
                continue
            files.append(replace(file, table=file.table.take(rows)))
            change = f"the decision counts one of each {file.n // len(rows)} equal records"
            self.note([Fix(file.source, None, change)])
        out = Pair(
            self.name,
            self.original,
            files,
            self.holdout,
            variables=self.variables,
            required=self.required,
            missing_codes=self.missing_codes,
            shared=self.shared,
            earlier=self._earlier,
        )
        out._fixes = self._fixes
        out.repeated = [rows is not None for rows in others]
        return out

    def real(self) -> Harmonised:
        """Return original and holdout alone, over the columns that are compared beside it."""
        names = list(self.beside_holdout.variables)
        codes = {name: code for name, code in self.missing_codes.items() if name in names}
        holdout = [self.data_sets[-1]]
        return harmonise(self.original, holdout, variables=names, missing_codes=codes)

    def columns(self, names: Sequence[str], *, holdout: bool = False) -> Harmonised:
        """Return the named columns of original and syntheses; with `holdout`, of that too."""
        aside = [self.holdout] if holdout and self.holdout is not None else []
        return self._harmonise([*self.syntheses, *aside], list(names))

    def earlier(self, names: Sequence[str]) -> list[Microdata]:
        """Return the files that were handed out earlier and have these columns.

        A file that is one of this replica's own is none of them. One that lacks a column is listed
        among the fixes: nothing is judged together with it.
        """
        out = []
        for data in self._earlier:
            if any(_is_same(data, own) for own in self.syntheses):
                continue
            lacking = [name for name in names if name not in data.columns]
            if lacking:
                what = "was handed out earlier without this column: it is not judged together with"
                self.note([Fix(data.source, lacking[0], f"{what} replica {self.name!r}")])
            else:
                out.append(data)
        return out

    def cached(self, key: Any, make: Callable[[], Any], *, shared: bool = False) -> Any:
        """Return the cached value of this pair, or of the whole review, or make it."""
        cache = self.shared if shared else self._cached
        if key not in cache:
            cache[key] = make()
        return cache[key]

    kept = Renamed("cached")

    def note(self, fixes: Sequence[Fix]) -> None:
        """List changes that were made on the way."""
        self._fixes.update(dict.fromkeys(fixes))

    def _harmonise(
        self,
        others: Sequence[Microdata],
        variables: Sequence[str] | None,
        required: Sequence[str] = (),
    ) -> Harmonised:
        codes = self.missing_codes
        if variables is not None:  # those of other columns are not this comparison's business
            other = set(self.original.columns) - {*variables, *required}
            codes = {name: code for name, code in codes.items() if name not in other}
        data = harmonise(
            self.original, others, variables=variables, required=required, missing_codes=codes
        )
        self.note(data.fixes)
        return data


def _is_same(first: Microdata, second: Microdata) -> bool:
    if first.sha256 is not None and first.sha256 == second.sha256:
        return True
    return not first.large and not second.large and bool(first.table.equals(second.table))


def list_syntheses(replica: Replica, columns: Sequence[str] | None) -> list[Microdata]:
    """Turn a frame or a list of frames into data sets that are called synthetic."""
    if isinstance(replica, list | tuple):
        if not replica:
            msg = "expected at least one synthetic data set but got an empty list."
            raise DataError(msg)
        several = len(replica) > 1
        return [
            as_microdata(frame, f"synthetic {i}" if several else "synthetic", columns)
            for i, frame in enumerate(replica, start=1)
        ]
    return [as_microdata(replica, "synthetic", columns)]


def same_records(first: Ints, other: Ints) -> bool:
    """Whether two data sets hold the same records, in any order, by numbers of their values."""
    return len(first) == len(other) and np.array_equal(np.sort(first), np.sort(other))


def refuse_copy(original: Ints, holdout: Ints, names: tuple[str, str]) -> None:
    """Raise DataError for a holdout, by its name the second, that is the original."""
    if same_records(original, holdout):
        msg = (
            f"{names[1]} holds the same records as {names[0]}. A holdout must be records that the "
            "synthesis has not seen."
        )
        raise DataError(msg)


def stacked(data: Harmonised, files: int) -> Harmonised:
    """Return data sets in memory with the records of all syntheses as those of one.

    Parameters
    ----------
    data : Harmonised
        Original, syntheses, and what comes after.
    files : number of syntheses
    """
    if files == 1:
        return data

    def joined(parts: tuple[T, ...]) -> tuple[T, ...]:
        if not parts:
            return parts
        whole: Any = np.concatenate(parts[1 : 1 + files])  # type: ignore[arg-type]  # arrays
        return (parts[0], whole, *parts[1 + files :])

    sizes, sources = data.sizes, data.sources
    return replace(
        data,
        variables={
            name: replace(variable, values=joined(variable.values), codes=joined(variable.codes))
            for name, variable in data.variables.items()
        },
        sizes=(sizes[0], sum(sizes[1 : 1 + files]), *sizes[1 + files :]),
        sources=(sources[0], f"{files} syntheses", *sources[1 + files :]),
    )


def one_synthesis(replica: Replica) -> Frame:
    """Return the frame of a replica that must have one synthesis.

    Raises
    ------
    DataError
        If it has none or several.
    """
    if not isinstance(replica, list | tuple):
        return replica
    if len(replica) != 1:
        msg = (
            f"synthetic: expected one synthesis but got {len(replica)}. Ask for each on its own: "
            "their tests are not one."
        )
        raise DataError(msg)
    return replica[0]


def pair(
    original: Frame,
    synthetic: Replica,
    holdout: Frame | None = None,
    *,
    variables: Sequence[str] | str | None = None,
    missing_codes: MissingCodes | None = None,
) -> Harmonised:
    """Read and harmonise an original, the syntheses of one replica and, last, a holdout if any."""
    names = [variables] if isinstance(variables, str) else variables
    first = as_microdata(original, "original", names)
    others = list_syntheses(synthetic, names)
    if holdout is not None:
        others.append(as_microdata(holdout, "holdout", names))
    return harmonise(first, others, variables=names, missing_codes=missing_codes)


def per_name(option: str, entries: Any, names: Sequence[str], default: T) -> dict[str, T]:
    """Spread an option over columns: one value for all, one each in order, or by name.

    Raises
    ------
    StudyError
        If a sequence is of another length than `names`, or a name is unknown.
    """
    if entries is None:
        return dict.fromkeys(names, default)
    if isinstance(entries, Mapping):
        for name in entries:
            if name not in names:
                msg = f"{option}: {name!r} is none of the columns.{did_you_mean(name, names)}"
                raise StudyError(msg)
        return {name: entries.get(name, default) for name in names}
    if isinstance(entries, Sequence) and not isinstance(entries, str):
        if len(entries) != len(names):
            msg = f"{option}: expected {len(names)} values, one per column, but got {len(entries)}."
            raise StudyError(msg)
        return dict(zip(names, entries, strict=True))
    return dict.fromkeys(names, entries)
