"""Results on identifiers: each column that identifies records, and its values in a replica."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sdcmetrics.results import Renamed

ONE_OF_FIVE = "one of five"
_NAMED = 4
"""Columns of a set that are named."""


@dataclass(frozen=True, repr=False)
class IdentifierHit:
    """One column, or a few together, that identifies the records of the original.

    Attributes
    ----------
    columns : tuple of str
    pattern : str
        What it looks like by its values or its name, such as "an e-mail address"; "" if like
        nothing.
    records : int
        Records of the original that have a value.
    distinct : int
        Different values of the original.
    shared : int
        How many of them stand in the replica, in any of its files.
    by_file : tuple of int
        How many stand in each file.
    expected : float
        How many would stand there by chance, as far as the data tell: by the holdout; else what
        halves of the original share, or how densely its numbers lie, if that is more.
    holdout_shared, holdout_distinct : int or None
        Different values of the holdout, and how many of them stand in the replica.
    p : float
        Of as many by chance: the smallest over the tests and files, each over its part of the
        level, times the columns and sets that are looked at (of measurements, times these). 1
        where nothing can be said.
    level : float
        What `p` is compared with; of quantities of households or persons their part of it.
    hit : bool
        Identifiers of the original stand in the replica, beyond chance.
    taken : bool
        The same of any column: measurements and dates too, whose values a synthesis may take from
        the original one by one. Of these it is no hit.
    measured : bool
        Whether it is a quantity or a date.
    running : bool
        Numbers the records, or whoever has several, without a gap, and so names nobody.
    reason : str
        Why to ask whether it belongs in a replica; "" if there is no reason.
    basis : str
        "holdout", or "equal records" where there is none, or it could not speak; "one of five" of
        quantities that stand together, see `joint`.
    repeated : bool
        Whether it tells people or households apart who have several records each.
    in_holdout : int
        How many different values of the original stand in the holdout.
    split : bool
        Whether they are more than by chance, by equal records, at the same level.
    under : str
        The column of the replica in which they stand, if the original has no such column, or that
        they are levels of; else "".
    unused : bool
        Whether they are levels of that column that no record has.
    """

    columns: tuple[str, ...]
    pattern: str
    records: int
    distinct: int
    shared: int
    by_file: tuple[int, ...]
    expected: float
    holdout_shared: int | None
    holdout_distinct: int | None
    p: float
    level: float
    hit: bool
    taken: bool
    measured: bool
    running: bool
    reason: str
    basis: str
    repeated: bool = False
    in_holdout: int = 0
    split: bool = False
    under: str = ""
    unused: bool = False

    asked = Renamed("reason")

    @property
    def name(self) -> str:
        """The columns in words: "surname", or "surname and birth"; of more than four, three."""
        if len(self.columns) > _NAMED:
            few = self.columns[: _NAMED - 1]
            return f"{', '.join(few)} and {len(self.columns) - len(few)} more columns"
        *first, last = self.columns
        return f"{', '.join(first)} and {last}" if first else last

    @property
    def _place(self) -> str:
        """Where they stand in the replica, in words, if not in columns of that name."""
        if self.unused:
            return f", as levels of column {self.under} that no record has"
        return f", in column {self.under}" if self.under else ""

    def sentence(self, sources: Sequence[str]) -> str:
        """Return the counts of each file in words, without a value.

        Parameters
        ----------
        sources : names of the files of the replica
        """
        head = f"{self.name}: {self.distinct:,} different values in {self.records:,} records"
        if self.running:
            whom = "whoever the records belong to" if self.repeated else "the records"
            return f"{head}; they number {whom}, and name nobody."
        there = [
            f"{count:,} of them stand in {source}{self._place}"
            for count, source in zip(self.by_file, sources, strict=True)
            if count or len(sources) == 1
        ] or [f"none of them stand in the {len(sources)} files"]
        chance = f"by chance about {self.expected:,.0f}" if self.expected >= 1 else ""
        if self.holdout_distinct:
            part = f"{self.holdout_shared:,} of {self.holdout_distinct:,} of the holdout's"
            chance = f"{chance}; {part}" if chance else part
        words = f"{head}; {', '.join(there)}{f' ({chance})' if chance and self.shared else ''}."
        if self.unused:
            return f"{words} Write the file without levels that no record has."
        if self.under:
            return f"{words} Drop that column from the replica."
        if self.hit:
            what = "one of them, or make it coarser"
            if len(self.columns) == 1:
                what = "it from the replica"
            elif self.basis == ONE_OF_FIVE and len(self.columns) > 2:  # noqa: PLR2004  (any two)
                what = "all but one of them, or make these coarser"
            return f"{words} Drop {what}."
        if self.taken:
            return f"{words} They were taken from the original, value by value."
        return words

    @property
    def of_holdout(self) -> str:
        """That the holdout holds, or may hold, people of the original, in words; else ""."""
        if self.running or not (self.split or (self.repeated and self.in_holdout)):
            return ""
        values = (
            f"{self.name}: {self.in_holdout:,} of {self.distinct:,} different values stand in the "
            "holdout too"
        )
        if self.split:
            return (
                f"{values}, more than by chance. Beside people of the original, copies of them "
                "look like chance: split by this column, before the synthesis."
            )
        return (
            f"{values}. To ask: are they the same people? Then split by this column, as copies of "
            "the original look like chance beside its own people; if numbers were given anew in "
            "each file, make them differ."
        )

    def __repr__(self) -> str:
        """Return counts only."""
        what = "hit" if self.hit else "running" if self.running else "no hit"
        return (
            f"IdentifierHit({self.name}: {self.shared:,} of {self.distinct:,} shared, "
            f"p={self.p:.3g}, {what})"
        )


def of_levels(number: int) -> str:
    """Return in words that a file lists rare levels of the original that none of its records has.

    Examples
    --------
    >>> of_levels(2)[:60]
    '2 levels are listed with it that none of its records has, an'
    """
    levels, which = ("1 level is", "it") if number == 1 else (f"{number:,} levels are", "each")
    return (
        f"{levels} listed with it that none of its records has, and {which} only one or two "
        "records of the original: write the file without levels that no record has"
    )


@dataclass(frozen=True, repr=False)
class Identifiers:
    """Identifiers of an original, and how many of their values are in a replica.

    Attributes
    ----------
    each : tuple of IdentifierHit
        Every near-unique column and set of columns, and every column that looks like an
        identifier; hits first.
    sources : tuple of str
        Files of the replica.
    absent : tuple of str
        Near-unique columns that no file of the replica has.
    unseen : tuple of str
        Columns that were not compared, as there are too many measurements, or their types differ.
    holdout : str
        "" if there is none; "used"; else why it was not used, by column.
    uncompared : tuple of str
        In a review, columns of the replica that are in no table, distance or set of keys, and are
        no identifiers; names of rows among them.
    rare_levels : tuple of (file, column, number)
        Levels that no record of a file has, though the file lists them, and that one or two records
        of the original have.
    """

    each: tuple[IdentifierHit, ...]
    sources: tuple[str, ...]
    absent: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()
    holdout: str = ""
    uncompared: tuple[str, ...] = ()
    rare_levels: tuple[tuple[str, str, int], ...] = ()

    @property
    def hits(self) -> tuple[IdentifierHit, ...]:
        """Those of which values of the original stand in the replica, beyond chance."""
        return tuple(entry for entry in self.each if entry.hit)

    @property
    def suspects(self) -> tuple[IdentifierHit, ...]:
        """Columns to ask about, though nothing is proven."""
        return tuple(entry for entry in self.each if entry.reason and not entry.hit)

    @property
    def running(self) -> tuple[IdentifierHit, ...]:
        """Running numbers of records, which identify no person."""
        return tuple(entry for entry in self.each if entry.running)

    @property
    def status(self) -> str:
        """Return "review" if there is a hit, whatever a profile says; else "within"."""
        return "review" if self.hits else "within"

    def sentences(self) -> Iterator[str]:
        """Return sentences on hits, suspects, running numbers and the holdout, without a value."""
        for hit in self.hits:
            yield hit.sentence(self.sources)
        for hit in self.suspects:
            yield f"{hit.sentence(self.sources)} To ask: {hit.reason}."
        for hit in self.running:
            yield hit.sentence(self.sources)
        yield from filter(None, (entry.of_holdout for entry in self.each))
        for source, column, number in self.rare_levels:
            yield f"{source}, column {column}: {of_levels(number)}."

    def __repr__(self) -> str:
        """Return how many were looked at, and hit."""
        return f"Identifiers({len(self.each)} looked at, {len(self.hits)} hits)"
