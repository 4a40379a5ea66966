"""Columns, and small sets of them, that identify the records of an original."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.identifiers.chance import BEYOND_INT64, step_of
from sdcmetrics.measures.identifiers.patterns import (
    Pattern,
    is_named_identifier,
    may_number_people,
    names_people,
    pattern_of,
)
from sdcmetrics.measures.identifiers.values import (
    Values,
    entries_of,
    kind_of,
    missing_of,
    texts_of,
    together,
    values_of,
)
from sdcmetrics.microdata import lazy
from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.microdata.frames import Microdata

NEAR_UNIQUE = 0.95
"""Different values per record that has one, from which a column names records."""
_ASKED = 0.5
"""The same of a column that looks like an identifier: families share a phone."""
_FEWEST = 10
"""Records with a value, below which nothing can be told."""
_LOOKED_AT = 4_000
"""Records of which each column is looked at first: in fewer records, fewer values repeat."""
_NAMES_PEOPLE = 0.3
"""Different texts per record from which a text, with others, may name people: surnames."""
_OF_PEOPLE = ("an e-mail", "a bank account", "a national number", "a number of a")
"""Beginnings of patterns of which a value is a person's or a household's, on each record."""
_PHONE = "a phone number"
"""The same, if the column is called so: codes of places that begin with 0 look alike."""
_LEVELS = 20
_MOST_PARTS = 12
"""Columns of which pairs and triples are made: 66 and 220 at most."""
_LARGEST_SET = 3
_SAME_LENGTH = 0.98
_DIGITS = 8
"""Of whole numbers of one length that are no quantity."""
_DIGITS_OF_CODE = 5
"""Of a postcode, which names nobody alone but may with others."""
_BY_DESIGN = 0.01
"""Chance of so few equal sets of values, from which on it is no chance that they are few."""
_PAIRS = 5.0
"""Equal pairs expected of numbers drawn one by one, from which on it is no chance (0.7 %) that
there is none: the numbers were given out, each once."""


@dataclass(frozen=True)
class Candidate:
    """A column, or a few together, with a value of its own for nearly every record.

    Attributes
    ----------
    columns : tuple of str
    pattern : Pattern or None
    measured : whether it is a quantity or a date: a synthesis may take its values one by one
    share : different values per record that has one
    repeated : whether people or households have several records each, all with their value
    """

    columns: tuple[str, ...]
    pattern: Pattern | None
    measured: bool
    share: float = 1.0
    repeated: bool = False


@dataclass(frozen=True)
class _Profile:
    """Properties of a column, from a sample of the original.

    Attributes
    ----------
    share : different values per record that has one
    levels : different values in the sample
    kind : "number", "date" or "text"
    is_part : whether it may name people together with others
    """

    share: float
    levels: int
    kind: str
    pattern: Pattern | None
    measured: bool
    is_part: bool


def single_columns(
    original: Microdata,
    *,
    missing_codes: Mapping[str, Any] | None = None,
    seed: int = 1,
    people: Collection[str] = (),
) -> tuple[list[Candidate], dict[str, _Profile]]:
    """Return the columns that identify records, and a profile of every column.

    Numbers with fractions and dates are measured: many values are no sign of an identifier. Whole
    numbers (and texts of digits, such as postcodes) are, too, unless the column's name says that
    they number something, they all have the same length of eight digits and more (in hundreds,
    where they are rounded to hundreds), or none repeats where chance would repeat some.

    A column that tells people or households apart, by its name, by its values (addresses, accounts,
    national numbers) or as one of `people`, is one too where they have several records each.
    """
    looks = {
        name: profile for name in original.columns if (profile := _profile(original, name, seed))
    }
    singles = []
    for name, profile in looks.items():
        least = _ASKED if profile.pattern else NEAR_UNIQUE
        may_repeat = name in people or _may_repeat(name, profile)
        if profile.share < least and not may_repeat:
            continue
        values = values_of(name, [original], missing=missing_of(missing_codes, name))
        share = 0.0 if values is None else _share(values)
        if share >= least:
            singles.append(Candidate((name,), profile.pattern, profile.measured, share))
        elif values is not None and may_repeat and _tells_apart(name, values, people):
            pattern = profile.pattern
            singles.append(Candidate((name,), pattern, measured=False, share=share, repeated=True))
    return singles, looks


def _may_repeat(name: str, profile: _Profile) -> bool:
    """Whether a column may tell people apart who have several records each."""
    pattern = profile.pattern
    if pattern is not None and pattern.share > 0:
        called = pattern_of(name, ())
        is_phone = called is not None and called.words == pattern.words == _PHONE
        if is_phone or pattern.words.startswith(_OF_PEOPLE):
            return True
    return names_people(name) or may_number_people(name)


def _tells_apart(name: str, values: Values, people: Collection[str]) -> bool:
    """Whether repeated values are those of people, and no classes, amounts or counts."""
    counts = values.counts(0)
    sizes = counts[counts > 0]
    if len(sizes) < _FEWEST or (values.kind != "text" and values.steps is None):
        return False
    if name in people or names_people(name) or not may_number_people(name):
        return True
    return values.steps is not None and bool(sizes.std() <= sizes.mean())


def sets_of_columns(
    original: Microdata,
    singles: Sequence[Candidate],
    looks: Mapping[str, _Profile],
    *,
    missing_codes: Mapping[str, Any] | None = None,
) -> list[Candidate]:
    """Return the smallest pairs and triples that name records, while no part of them does.

    Made of columns of texts, dates and numbers of one length that are no measurements, with at
    least 20 values; one of them must be a date, look like an identifier, or be a text of which
    30 % of the records have one of their own. A date that is near-unique by itself is no identifier
    by itself, and needs another column that is one of these and no date. A column of people who
    have several records is in no set, and neither is what records of the same value never share by
    design, as one of a person's periods ends when the survey does.
    """
    if original.large:
        return []  # how values stand together in a record is not known
    alone = {single.columns[0] for single in singles if single.share >= NEAR_UNIQUE}
    dates = {name for name in alone if looks[name].kind == "date"}
    aside = {single.columns[0] for single in singles if single.repeated} | (alone - dates)
    names = [name for name in looks if name not in aside]
    parts = [name for name in names if looks[name].is_part]
    parts.sort(key=lambda name: (looks[name].pattern is None, -looks[name].levels))
    parts = parts[:_MOST_PARTS]
    if not any(_is_strong(looks[name]) for name in parts):
        return []
    values = {
        name: read
        for name in parts
        if (read := values_of(name, [original], missing=missing_of(missing_codes, name)))
    }
    out: list[Candidate] = []
    for size in range(2, _LARGEST_SET + 1):
        for chosen in itertools.combinations(values, size):
            free = [looks[name] for name in chosen if looks[name].kind != "date"]
            strong = free if dates & set(chosen) else [looks[name] for name in chosen]
            if not any(map(_is_strong, strong)):
                continue
            if any(set(candidate.columns) <= set(chosen) for candidate in out):
                continue
            columns = [values[name] for name in chosen]
            if _share(together(columns)) >= NEAR_UNIQUE and not _once_each(columns):
                patterns = [looks[name].pattern for name in chosen]
                pattern = next((candidate for candidate in patterns if candidate is not None), None)
                measured = all(looks[name].kind == "date" for name in chosen)
                in_order = tuple(sorted(chosen, key=original.columns.index))
                out.append(Candidate(in_order, pattern, measured))
    return out


def _once_each(columns: Sequence[Values]) -> bool:
    """Whether records with one value in common share the others far less often than by chance.

    Then a file has none of these sets twice by design, and two files that were drawn from the same
    population have the same ones more often than each has of its own.
    """
    whole = together(columns)
    n, repeated = int(whole.counts(0).sum()), _pairs(whole)
    there = whole.codes[0] >= 0
    for i, column in enumerate(columns):
        rest = together([*columns[:i], *columns[i + 1 :]])
        alike = [_pairs(replace(part, codes=(part.codes[0][there],))) for part in (column, rest)]
        expected = math.prod(alike) / (n * (n - 1) / 2)
        if expected >= _PAIRS and lazy.special.gammaincc(repeated + 1, expected) <= _BY_DESIGN:
            return True
    return False


def _pairs(values: Values) -> float:
    """Return how many pairs of records of the original have the same value."""
    counts = values.counts(0)
    return float((counts * (counts - 1)).sum()) / 2


def _is_strong(profile: _Profile) -> bool:
    """Whether a column identifies people, alone or together with others."""
    text = profile.kind == "text" and profile.share >= _NAMES_PEOPLE
    return profile.pattern is not None or profile.kind == "date" or text


def _share(values: Values) -> float:
    counts = values.counts(0)
    n = int(counts.sum())
    return float((counts > 0).sum()) / n if n >= _FEWEST else 0.0


def _profile(original: Microdata, name: str, seed: int) -> _Profile | None:
    """Return the profile of a column from a sample; None for a type without values."""
    entries = entries_of(original, name)
    if entries is None or kind_of(entries.type) in ("other", "none"):
        return None
    size, counts = len(entries), original.counts(name)
    rows = np.arange(size)
    if size > _LOOKED_AT:
        rows = np.sort(np.random.default_rng(seed).choice(size, _LOOKED_AT, replace=False))
    sample = entries.take(rows).drop_null()
    different = sample.unique()
    if not len(sample):
        return None
    share = len(different) / len(sample)
    if counts is not None:  # entries are distinct; what is missing is one of them
        there = np.asarray(entries.is_valid())
        share = float(there.sum() / counts[there].sum())
    kind = kind_of(different.type)
    pattern = pattern_of(name, texts_of(entries, rows))
    figures = _whole_numbers(different, kind)
    if pattern is not None and not pattern.share and kind == "number" and figures is None:
        pattern = None  # its name only, of a number with fractions
    measured = kind in ("date", "number")  # a date of birth names nobody alone
    code = False
    if pattern is not None:
        measured = kind == "date"
    elif figures is not None:
        measured = not _is_number(name, figures, repeats=share < 1.0)
        code = figures.is_of_one_length(_DIGITS_OF_CODE)
    is_part = len(different) >= _LEVELS and (not measured or code or kind == "date")
    return _Profile(share, len(different), kind, pattern, measured, is_part)


@dataclass(frozen=True)
class _Figures:
    """Different whole numbers, as numbers or as texts of digits.

    Attributes
    ----------
    numbers : float array
    lengths : int array
        How many digits each is written with; of numbers in the largest unit that all are whole in.
    """

    numbers: Floats
    lengths: npt.NDArray[np.int64]

    def is_of_one_length(self, digits: int) -> bool:
        """Whether they have the same number of digits, and so many at least."""
        usual = float(np.median(self.lengths))
        return usual >= digits and float((self.lengths == usual).mean()) >= _SAME_LENGTH


def _whole_numbers(different: Any, kind: str) -> _Figures | None:
    """Return values as whole numbers; None if they are none."""
    if kind == "number":
        numbers = np.asarray(different.cast("float64", safe=False), dtype=np.float64)
        numbers = numbers[np.isfinite(numbers)]
        if not len(numbers) or bool((numbers != np.rint(numbers)).any()):
            return None
        sizes = np.abs(numbers)
        if sizes.max() < BEYOND_INT64:  # amounts in tens or thousands are no longer codes for that
            sizes = sizes / max(int(np.gcd.reduce(sizes.astype(np.int64))), 1)
        lengths = np.floor(np.log10(np.maximum(sizes, 1.0))) + 1
        return _Figures(numbers, lengths.astype(np.int64))
    texts = different.cast("string").to_pylist() if kind == "text" else []
    if not texts or not all(text.isascii() and text.isdigit() for text in texts):
        return None
    lengths = np.array([len(text) for text in texts])
    return _Figures(np.array([float(text) for text in texts]), lengths)


def _is_number(name: str, figures: _Figures, *, repeats: bool) -> bool:
    """Whether numbers are those of records, and no quantities or areas."""
    if is_named_identifier(name) or figures.is_of_one_length(_DIGITS):
        return True
    return not repeats and _never_repeat(figures.numbers)


def _never_repeat(numbers: Floats) -> bool:
    """Whether different numbers lie so densely that, drawn one by one, some would be equal."""
    spread = float(numbers.max() - numbers.min()) / step_of(np.sort(numbers)) + 1
    return len(numbers) ** 2 / (2 * spread) >= _PAIRS
