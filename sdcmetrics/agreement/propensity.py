"""The cross-check of propensity models: a logistic and a CART model, natively and by synthpop."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from sdcmetrics.agreement.compared import Answer, Compared
from sdcmetrics.errors import DataError, NotComputable, RError
from sdcmetrics.measures.propensity import utility_gen as propensity
from sdcmetrics.measures.propensity.cart import TreeRules
from sdcmetrics.measures.propensity.fitter import fitter, prepare_pair
from sdcmetrics.measures.propensity.places import CART, LOGIT
from sdcmetrics.measures.propensity.statistics import ScoredRecords
from sdcmetrics.measures.registry import of_kind
from sdcmetrics.microdata.frames import Microdata
from sdcmetrics.rbridge import utility_gen
from sdcmetrics.rbridge.session import Patience

_METHODS: tuple[Literal["logit", "cart"], ...] = ("logit", "cart")
_NOTHING = 1e-20  # of pMSE: the scores are all the same but for rounding
_GLM = 4e-9  # twice the error of scores of glm(), which stops at 1e-8 of the deviance
_ENDS: tuple[tuple[int, Literal["left", "right"]], ...] = ((-1, "left"), (1, "right"))


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
        symbols = [measure.symbol for measure in of_kind(kind)]
        native: dict[str, float] | str
        try:
            mean = propensity.utility_gen(original, list(syntheses), **chosen).mean
        except (NotComputable, DataError) as error:
            native = str(error)
        else:
            native = {s: float(mean[s.removesuffix(f"_{method}")]) for s in symbols}
        wanted = [measure.twin.name for measure in of_kind(kind) if measure.twin]
        theirs, why = _ask((original, list(syntheses)), chosen, patience, wanted)
        if not isinstance(native, str) and not isinstance(theirs, RError):
            alike = max(native[f"pMSE_{method}"], theirs["pMSE"]) < _NOTHING
            why = why or ("rounding" if alike else "")
        function = f"utility.gen({method})"
        comparison = Compared(kind, function, {}, native, theirs, documented=why, only=symbols)
        if comparison.worth_asking_again(patience.version) and _misses(original, *syntheses):
            shown = _as_levels(original), [_as_levels(data) for data in syntheses]
            again, _ = _ask(shown, chosen, patience, wanted)
            comparison = replace(comparison, aligned=again, defect="B6")
        if method == "logit" and comparison.worth_asking_again(patience.version):
            most = _near_ties(original, syntheses, chosen)
            comparison = replace(comparison, allowed={"U_logit": (most, "ties")})
        yield comparison


def near_ties(records: ScoredRecords) -> int:
    """Count the pairs of a synthetic and an original record that R's glm may tie or swap.

    Examples
    --------
    >>> score = np.array([0.25, 0.25 + 1e-9, 0.5])
    >>> near_ties(ScoredRecords(score, np.array([2, 1, 0]), np.array([0, 3, 5])))
    6
    """
    order = np.argsort(records.score)
    score, original = records.score[order], records.original[order]
    below = np.concatenate([[0], np.cumsum(original)])
    ends = [np.searchsorted(score, score + _GLM * way, side) for way, side in _ENDS]
    near = below[ends[1]] - below[ends[0]] - original
    return int((records.synthetic[order] * near).sum())


def _near_ties(original: Microdata, syntheses: Sequence[Microdata], options: Any) -> float:
    """Return the mean of `near_ties` over the syntheses, by the native model."""
    given = (options["variables"], options["missing_codes"], None)
    data, prepared, _ = prepare_pair(original, list(syntheses), *given)
    model = fitter("logit", 0, None, TreeRules(), k_syn=False)
    each = [model(prepared, i, 0).observed().records for i in range(1, len(data.sizes))]
    return sum(map(near_ties, each)) / len(each)


def _ask(
    data: Any, options: dict[str, Any], patience: Patience, statistics: list[str]
) -> tuple[Answer, str]:
    theirs = patience.ask(
        lambda: utility_gen(
            data,
            max_parameters=1_000_000,
            statistics=statistics,
            session=patience.session,
            **options,
        )
    )
    if isinstance(theirs, RError):
        return theirs, ""
    return {str(n): v for n, v in theirs.statistics.items()}, theirs.defects[
        0
    ] if theirs.defects else ""


def _is_b6(kind: pa.DataType) -> bool:
    return bool(pa.types.is_boolean(kind) or pa.types.is_temporal(kind))


def _misses(*files: Microdata) -> bool:
    """Whether a logical or a date is missing, which leaves records out of R's models (B6)."""
    return any(
        _is_b6(column.type) and column.null_count for data in files for column in data.table.columns
    )


def _as_levels(data: Microdata) -> Microdata:
    """Show logicals as categories and dates as numbers: R's models keep these if missing."""
    table = data.table
    for at, field in enumerate(table.schema):
        column = table.column(at)
        if pa.types.is_boolean(field.type):
            table = table.set_column(at, field.name, column.cast(pa.string()).dictionary_encode())
        elif pa.types.is_date(field.type) or pa.types.is_timestamp(field.type):
            days = column.cast(pa.date32()).cast(pa.int32()).cast(pa.float64())
            table = table.set_column(at, field.name, days)
    return replace(data, table=table)


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
