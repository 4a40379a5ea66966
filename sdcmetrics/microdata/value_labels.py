"""Turn coded columns with value labels into categories, where the labels cover the codes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pyarrow as pa

from sdcmetrics.microdata.frames import Fix

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

Code = float | str
"""What stands in a file for a label."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """A category made of codes, the code behind each level, and what was done to make it."""

    column: pa.DictionaryArray
    codes: dict[str, Code]
    fixes: list[Fix] = field(default_factory=list)


def category(
    values: Sequence[Code | None],
    labels: Mapping[Code, str],
    missing: Collection[Code],
    *,
    source: str,
    name: str,
) -> Labelled | None:
    """Return the column as a category, or None where the labels do not cover its values.

    Every code that is not declared missing must have a label, and at least one such label must
    exist: an income with a label for "refused" alone stays a number. All labels become levels,
    used or not, in the order of their codes; declared missing codes are levels too.
    """
    present = set(values) - {None}
    substantive = [code for code in present if code not in missing]
    if any(code not in labels for code in substantive):
        return None
    if all(code in missing for code in labels):
        return None
    fixes: list[Fix] = []
    codes = _in_order({*labels, *(code for code in present if code is not None)})
    texts = {code: labels.get(code, "") or _text(code) for code in codes}
    unlabelled = [code for code in codes if code not in labels]
    if unlabelled:
        cells = sum(value in unlabelled for value in values)
        what = "missing codes without a label were kept as levels of their own"
        fixes.append(Fix(source, name, what, cells))
    shared = {text for text, count in Counter(texts.values()).items() if count > 1}
    if shared:
        named = {c: f"{t} ({_text(c)})" if t in shared else t for c, t in texts.items()}
        if len(set(named.values())) < len(named):
            named = {c: f"{t} ({_text(c)})" for c, t in texts.items()}
        texts = named
        fixes.append(Fix(source, name, "codes that share a label were told apart by their code"))
    place = {code: position for position, code in enumerate(codes)}
    indices = pa.array(
        [None if value is None else place[value] for value in values], type=pa.int32()
    )
    levels = pa.array([texts[code] for code in codes], type=pa.string())
    column = pa.DictionaryArray.from_arrays(indices, levels)
    return Labelled(column, {text: code for code, text in texts.items()}, fixes)


def numeric_labels(labels: Mapping[Code, str]) -> dict[float, str]:
    """Return the labels of codes that are numbers."""
    return {float(code): text for code, text in labels.items() if not isinstance(code, str)}


def _in_order(codes: Collection[Code]) -> list[Code]:
    numbers: list[Code] = sorted(code for code in codes if not isinstance(code, str))
    return numbers + sorted(code for code in codes if isinstance(code, str))


def _text(code: Code) -> str:
    return code if isinstance(code, str) else f"{code:.15g}"
