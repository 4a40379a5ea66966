"""The cross-check of propensity models: a logistic and a CART model, natively and by synthpop."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal

import pyarrow as pa

from sdcmetrics.agreement.compared import Answer, Compared
from sdcmetrics.errors import DataError, NotComputable, RError
from sdcmetrics.measures.propensity import utility_gen as propensity
from sdcmetrics.measures.propensity.places import CART, LOGIT
from sdcmetrics.measures.registry import of_kind
from sdcmetrics.microdata.frames import Microdata
from sdcmetrics.rbridge import utility_gen
from sdcmetrics.rbridge.patience import Patience

__all__ = ["compare_propensity"]

_METHODS: tuple[Literal["logit", "cart"], ...] = ("logit", "cart")
_NOTHING = 1e-20  # of pMSE: the scores are all the same but for rounding
_STATISTICS = ("pMSE", "SPECKS", "PO50", "U")


def compare_propensity(
    original: Microdata,
    syntheses: Sequence[Microdata],
    variables: Sequence[str] | None,
    missing_codes: Any,
    patience: Patience,
) -> Iterator[Compared]:
    """Compare a logit with main effects, and CART without permutations.

    All pairs of variables would take R hours on a file of an agency; permutations are random.
    R is shown every category as an unordered factor, so orders are set aside on both sides.
    """
    original, syntheses = _unordered(original), [_unordered(data) for data in syntheses]
    for method in _METHODS:
        chosen: dict[str, Any] = {
            "method": method,
            "maxorder": 0,
            "variables": None if variables is None else tuple(variables),
            "missing_codes": missing_codes,
            "resampling": "none" if method == "cart" else None,
        }
        kind = {"logit": LOGIT, "cart": CART}[method]
        symbols = [one.symbol for one in of_kind(kind)]
        native: dict[str, float] | str
        try:
            mean = propensity.utility_gen(original, list(syntheses), **chosen).mean
        except (NotComputable, DataError) as error:
            native = str(error)
        else:
            native = {s: float(mean[s.removesuffix(f"_{method}")]) for s in symbols}
        theirs, why = _ask((original, list(syntheses)), chosen, patience)
        if not isinstance(native, str) and not isinstance(theirs, RError):
            alike = max(native[f"pMSE_{method}"], theirs["pMSE"]) < _NOTHING
            why = why or ("rounding" if alike else "")
        function = f"utility.gen({method})"
        yield Compared(kind, function, {}, native, theirs, documented=why, only=symbols)


def _ask(data: Any, options: dict[str, Any], patience: Patience) -> tuple[Answer, str]:
    analytic = ("S_pMSE",) if options["method"] == "logit" else ()
    theirs = patience.ask(
        lambda: utility_gen(
            data,
            max_parameters=1_000_000,
            statistics=(*_STATISTICS, *analytic),
            session=patience.session,
            **options,
        )
    )
    if isinstance(theirs, RError):
        return theirs, ""
    return {str(n): v for n, v in theirs.statistics.items()}, theirs.defects[
        0
    ] if theirs.defects else ""


def _unordered(data: Microdata) -> Microdata:
    table = data.table
    for at, field in enumerate(table.schema):
        kind = field.type
        if pa.types.is_dictionary(kind) and kind.ordered:
            plain = pa.dictionary(kind.index_type, kind.value_type, ordered=False)
            column = table.column(at).unify_dictionaries()
            chunks = [
                pa.DictionaryArray.from_arrays(chunk.indices, chunk.dictionary, ordered=False)
                for chunk in column.chunks
            ]
            table = table.set_column(at, field.name, pa.chunked_array(chunks, type=plain))
    return replace(data, table=table)
