"""The models of a study, checked against the original before anything is measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sdcmetrics.errors import StudyError, did_you_mean
from sdcmetrics.measures.fits.fitting import check_family
from sdcmetrics.measures.fits.formula import read_formula
from sdcmetrics.measures.kind import Model
from sdcmetrics.microdata.frames import Microdata
from sdcmetrics.microdata.matching import check_names

__all__ = ["Model", "make_models"]


def make_models(entries: Sequence[Any], original: Microdata) -> tuple[Model, ...]:
    """Read models given as formulas, pairs of formula and family, mappings, or `Model`.

    Raises
    ------
    StudyError
        If a formula or a family is wrong, or a model is given twice.
    ColumnError
        If a formula names a column that the original lacks.
    """
    if isinstance(entries, str | Mapping):
        entries = [entries]
    out: list[Model] = []
    for entry in entries:
        model = _model(entry)
        check_family(model.family)
        formula = read_formula(model.formula, original.columns)
        check_names(formula.columns, original, f"model {model.formula!r}: variable")
        if model in out:
            msg = f"the model {model.formula!r} is given more than once. Give it once."
            raise StudyError(msg)
        out.append(model)
    return tuple(out)


def _model(entry: Any) -> Model:
    if isinstance(entry, Model):
        return entry
    if isinstance(entry, str):
        return Model(entry)
    if isinstance(entry, Mapping):
        for name in entry:
            if name not in ("formula", "family"):
                msg = f"models: unknown entry {name!r}.{did_you_mean(name, ['formula', 'family'])}"
                raise StudyError(msg)
        entry = (entry.get("formula"), entry.get("family", "gaussian"))
    if isinstance(entry, Sequence) and len(entry) == 2 and all(isinstance(p, str) for p in entry):  # noqa: PLR2004
        return Model(*entry)
    msg = "models: expected formulas such as 'income ~ age', or pairs of formula and family."
    raise StudyError(msg)
