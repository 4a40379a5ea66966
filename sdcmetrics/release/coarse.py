"""Records with coarser columns, each entry by itself, as a study asks in ``[coarsen]``."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from sdcmetrics.errors import StudyError, counted, did_you_mean
from sdcmetrics.microdata.coarsening import Coarsening, Levels, Periods
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.release.people import Column, Records, renamed
from sdcmetrics.release.texts import as_number, is_day, plain_text


def coarsened(
    records: Records,
    rules: Mapping[str, Coarsening],
    missing_codes: Mapping[str, tuple[float, ...]],
    *,
    optional: bool = False,
) -> Records:
    """Return records with coarser entries; what is missing, and each code for it, stays.

    Replicas and a holdout may lack a column that is made coarser: of them it is `optional`. The
    digest stays that of the records as they are: whom a question is about is not changed by it,
    while the rule is a part of the question.

    Raises
    ------
    StudyError
        If a column is not there that has to be, or one has entries that its rule does not name.
    """
    if not rules:
        return records
    columns = dict(records.columns)
    for name, rule in rules.items():
        if name not in columns:
            if optional:
                continue
            hint = did_you_mean(name, columns)
            msg = f"coarsen: {name!r} is not a column of {records.source}.{hint}"
            raise StudyError(msg)
        stay = {plain_text(code) for code in missing_codes.get(name, ())} | {None}
        columns[name] = _coarser(columns[name], rule, stay, f"{name!r} of {records.source}")
    coarse = replace(records, columns=columns)
    vars(coarse)["digest"] = records.digest
    return coarse


def _coarser(column: Column, rule: Coarsening, stay: set[str | None], place: str) -> Column:
    if isinstance(rule, Levels):  # as every entry here is spelt
        rule = replace(
            rule,
            groups={
                group: tuple(plain_text(level, ()) or "" for level in levels)
                for group, levels in rule.groups.items()
            },
        )
    coarse = dict(zip(column.texts, _of(column.texts, rule), strict=True))
    texts = [text if text in stay else coarse[text] for text in column.texts]
    unnamed = [
        i
        for i, (new, old) in enumerate(zip(texts, column.texts, strict=True))
        if new is None and old is not None
    ]
    if unnamed:
        count = int(column.counts[unnamed].sum())
        msg = (
            f"coarsen: {place} has {counted(count, 'record')} with a value that the rule does not "
            "name. "
            "Widen the bounds, name the level, or list a code that means missing in "
            "[missing_codes]."
        )
        raise StudyError(msg)
    return renamed(column, texts)


def _of(texts: Sequence[str | None], rule: Coarsening) -> list[str | None]:
    """Return what entries become; None for a level or a number that the rule does not name."""
    if isinstance(rule, Levels):
        return rule.named([text or "" for text in texts])
    of_dates = isinstance(rule, Periods)
    fitting = [
        i
        for i, text in enumerate(texts)
        if text is not None and is_day(text) == of_dates and not math.isnan(as_number(text))
    ]
    values = [
        float(np.datetime64(text[:10], "ms").astype(np.int64)) if of_dates else as_number(text)
        for text in (texts[i] or "" for i in fitting)
    ]
    kind = Kind.DATE if of_dates else Kind.NUMBER
    out: list[str | None] = list(texts)  # an answer in words stays, as no replica's number is it
    for i, name in zip(fitting, rule.coarsened(np.array(values), kind), strict=True):
        out[i] = name
    return out
