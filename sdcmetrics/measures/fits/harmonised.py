"""The columns that a formula uses, harmonised over all data sets."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sdcmetrics.measures.fits.formula import Formula, read_formula
from sdcmetrics.measures.pair import Frame, Replica, list_syntheses
from sdcmetrics.microdata.frames import Microdata, as_microdata
from sdcmetrics.microdata.schema import Harmonised, MissingCodes, harmonise


def read_model(
    original: Frame,
    synthetic: Replica,
    formula: str,
    missing_codes: MissingCodes | None = None,
    no_predictors: Collection[str] = (),
) -> tuple[Harmonised, Formula]:
    """Read a formula and harmonise the columns that it uses; see `harmonise_model`."""
    data = as_microdata(original, "original")
    others = list_syntheses(synthetic, None)
    return harmonise_model(data, others, formula, missing_codes, no_predictors)


def harmonise_model(
    first: Microdata,
    others: Sequence[Microdata],
    formula: str,
    missing_codes: MissingCodes | None,
    no_predictors: Collection[str] = (),
) -> tuple[Harmonised, Formula]:
    """Harmonise the columns of a model for data sets that are read, or for `first` alone.

    A dot in the formula stands for the columns of all but the response and `no_predictors`.
    """
    common = [name for name in _common(first, others) if name not in no_predictors]
    read = read_formula(formula, common)
    given = {k: v for k, v in (missing_codes or {}).items() if k in read.columns}
    for name in missing_codes or {}:
        if name not in first.columns:
            given[name] = (missing_codes or {})[name]  # refused by harmonise, with a hint
    return harmonise(first, others, variables=read.columns, missing_codes=given), read


def _common(original: Microdata, syntheses: Sequence[Microdata]) -> list[str]:
    return [name for name in original.columns if all(name in s.columns for s in syntheses)]
