"""Each replica of a study beside the original and the holdout, and its columns made alike."""

from __future__ import annotations

from typing import Any

from sdcmetrics.errors import DataError
from sdcmetrics.measures.fits.formula import read_formula
from sdcmetrics.measures.pair import Pair
from sdcmetrics.study.study import Study


def pairs_of(study: Study) -> dict[str, Pair]:
    """Return each replica beside the original and the holdout."""
    needed = [n for s in study.scenarios for n in (*s.keys, *s.targets)]
    shared: dict[Any, Any] = {}
    return {
        name: Pair(
            name,
            study.original,
            syntheses,
            study.holdout,
            variables=study.options.variables,
            required=list(dict.fromkeys(needed)),
            missing_codes=study.options.missing_codes,
            shared=shared,
            earlier=study.earlier_files,
        )
        for name, syntheses in study.replicas.items()
    }


def harmonise(study: Study, pair: Pair, *, holdout: bool) -> None:
    """Harmonise all columns that are to be compared; raise where that is impossible."""
    names = list(pair.data.variables)
    if holdout:
        names += pair.beside_holdout.variables
    named = [name for rule in study.rules for name in rule.columns]
    for model in study.models:
        named += read_formula(model.formula, study.original.columns).columns
    sets = [study.original, *pair.syntheses]
    more = [
        name
        for name in dict.fromkeys(named)
        if name not in names and all(name in data_set.columns for data_set in sets)
    ]
    if more:
        try:
            pair.columns(more)
        except DataError:  # the rows of that model or rule say why
            return
