"""The cross-check of propensity models: a logistic and a CART model, natively and by synthpop."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any, Literal

import pyarrow as pa

from sdcmetrics.agreement.verdict import judge_pair
from sdcmetrics.errors import DataError, NotComputable, RError
from sdcmetrics.measures.propensity import utility_gen as propensity
from sdcmetrics.measures.propensity.places import CART, LOGIT
from sdcmetrics.measures.registry import MEASURES, Measure
from sdcmetrics.microdata.frames import Microdata
from sdcmetrics.rbridge import PropensityUtility, utility_gen
from sdcmetrics.rbridge.patience import Patience

__all__ = ["METRICS", "check_propensity"]

METRICS: tuple[Measure, ...] = tuple(
    m for m in MEASURES.values() if m.twin and m.of in (LOGIT, CART)
)
_METHODS: tuple[Literal["logit", "cart"], ...] = ("logit", "cart")
_NOTHING = 1e-20  # of pMSE: the scores are all the same but for rounding
_STATISTICS = ("pMSE", "SPECKS", "PO50", "U")


def check_propensity(
    original: Microdata,
    syntheses: Sequence[Microdata],
    variables: Sequence[str] | None,
    missing_codes: Any,
    patience: Patience,
) -> Iterator[dict[str, Any]]:
    """Yield one row a measure: logit with main effects, and CART without permutations.

    All pairs of variables would take R hours on a file of an agency; permutations are random.
    R is shown every category as an unordered factor, so orders are set aside on both sides.
    """
    original, syntheses = _unordered(original), [_unordered(data) for data in syntheses]
    chosen = None if variables is None else tuple(variables)
    for method in _METHODS:
        resampling: Literal["none"] | None = "none" if method == "cart" else None
        native, reason = None, ""
        try:
            native = propensity.utility_gen(
                original,
                list(syntheses),
                method=method,
                maxorder=0,
                variables=chosen,
                missing_codes=missing_codes,
                resampling=resampling,
            ).mean
        except (NotComputable, DataError) as error:
            reason = str(error)
        theirs = _ask(original, syntheses, method, chosen, missing_codes, patience)
        defects = theirs.defects
        if (
            native is not None
            and not isinstance(theirs, RError)
            and _told_apart_by_rounding(float(native["pMSE"]), float(theirs.statistics["pMSE"]))
        ):
            defects = (*defects, "rounding")
        for metric in METRICS:
            symbol, _, of = metric.symbol.rpartition("_")
            if of != method:
                continue
            answer = None if isinstance(theirs, RError) else float(theirs.statistics[symbol])
            agreement = judge_pair(
                math.nan if native is None else float(native[symbol]),
                answer,
                None,
                metric=metric.symbol,
                rtol=metric.rtol,
                reason=theirs.reason if isinstance(theirs, RError) else reason,
                known=native is None or (isinstance(theirs, RError) and bool(defects)),
            )
            if not agreement.explained and not isinstance(theirs, RError) and defects:
                verdict = f"differs as documented: {defects[0]}"
                agreement = replace(agreement, verdict=verdict, explained=True)
            yield {
                "family": metric.family,
                "metric": metric.symbol,
                "function": f"utility.gen({method})",
                **asdict(agreement),
            }


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


def _told_apart_by_rounding(ours: float, theirs: float) -> bool:
    return max(ours, theirs) < _NOTHING


def _ask(
    original: Microdata,
    syntheses: Sequence[Microdata],
    method: Literal["logit", "cart"],
    variables: tuple[str, ...] | None,
    missing_codes: Any,
    patience: Patience,
) -> PropensityUtility | RError:
    return patience.ask(
        lambda: utility_gen(
            (original, list(syntheses)),
            method=method,
            maxorder=0,
            variables=variables,
            resampling="none" if method == "cart" else None,
            max_parameters=1_000_000,
            statistics=_STATISTICS if method == "cart" else (*_STATISTICS, "S_pMSE"),
            missing_codes=missing_codes,
            session=patience.session,
        )
    )
