"""The propensity model of a method, and its data."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

import pyarrow as pa

from sdcmetrics.errors import NotComputable, StudyError
from sdcmetrics.measures.pair import Frame, Replica, list_syntheses
from sdcmetrics.measures.propensity.cart import TreeRules
from sdcmetrics.measures.propensity.model_matrix import count_parameters, terms_of
from sdcmetrics.measures.propensity.models import CartPropensity, LogitPropensity
from sdcmetrics.measures.propensity.predictors import Prepared, prepare
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.frames import Fix, Microdata, as_microdata
from sdcmetrics.microdata.read_columns import read_column
from sdcmetrics.microdata.schema import Harmonised, MissingCodes, harmonise

_LOG = logging.getLogger("sdcmetrics")
_HUGE = 3000
_FITTED, _RELABELLED = 5, 3
"""Matrices of products held at a time by a fit with its figures, and by one of permuted labels."""
_FILLED = 10
"""Columns for each term that enough records fill to be kept dense."""
_ENTRY = 64.0
"""Bytes of an entry of the model matrix while it is put together."""


def prepare_pair(
    original: Frame,
    synthetic: Replica,
    variables: Sequence[str] | None,
    missing_codes: MissingCodes | None,
    ngroups: int | None,
) -> tuple[Harmonised, Prepared, list[Fix]]:
    """Return data sets as they are compared and as they are modelled, and further fixes."""
    whole = as_microdata(original, "original", variables)
    replicas = list_syntheses(synthetic, variables)
    data = harmonise(whole, replicas, variables=variables, missing_codes=missing_codes)
    names = [v.name for v in data.variables.values() if v.kind is Kind.CATEGORY]
    orders = {
        name: [read_column(data_set, name, []).levels for data_set in (whole, *replicas)]
        for name in names
    }
    ordered = [name for name in names if _is_ordered(whole, name)]
    fixes = [
        Fix(data.sources[i], v.name, "missing here but not in the original: kept as a difference")
        for v in data.variables.values()
        for i in range(1, len(data.sizes))
        if v.has_missing(i) and not v.has_missing(0)
    ]
    return data, prepare(data, level_orders=orders, ordered=ordered, ngroups=ngroups), fixes


def _is_ordered(data: Microdata, name: str) -> bool:
    kind = data.table.column(name).type
    return bool(pa.types.is_dictionary(kind) and kind.ordered)


Model = LogitPropensity | CartPropensity
Fitter = Callable[[Prepared, int, int], Model]


def memory_of(parameters: int, records: int, terms: int) -> float:
    """Return the bytes that fitting a logistic model takes at most, beside the data.

    Products of all columns with each other; columns that many records fill; what records have.
    """
    filled = records * min(parameters, _FILLED * terms)
    return 8.0 * (_FITTED * parameters**2 + filled) + _ENTRY * records * terms


def fitter(
    method: str, maxorder: int, max_params: int | None, rules: TreeRules, *, k_syn: bool
) -> Fitter:
    """Return the function that fits the model which tells one part from another."""

    def fit(prepared: Prepared, synthesis: int, against: int) -> Model:
        stacked = prepared.put_together(synthesis, against)
        if not stacked.predictors:
            msg = "no column has more than one value, so nothing can tell the data sets apart"
            raise NotComputable(msg)
        if method == "cart":
            return CartPropensity(stacked, rules, k_syn=k_syn)
        order = min(maxorder, len(stacked.predictors))
        number = count_parameters(stacked.predictors, order)
        if maxorder < 0:
            msg = f"maxorder: expected 0 or more but got {maxorder}."
            raise StudyError(msg)
        if max_params is not None and number > max_params:
            msg = (
                f"the model has {number} parameters, more than max_params={max_params}. Lower "
                "maxorder, name fewer variables, or raise max_params."
            )
            raise StudyError(msg)
        if number > _HUGE:
            terms = len(terms_of(len(stacked.predictors), order))
            _LOG.warning(
                "utility_gen: logit with up to %d parameters on %d records; each of some 5 to 30 "
                "steps takes up to %.0e multiplications, and all of them %.1f GB of memory; where "
                "labels are permuted, each model fitted at a time up to %.1f GB more",
                number,
                len(stacked.synthetic),
                min(number, len(stacked.synthetic)) ** 3 / 3.0,
                1e-9 * memory_of(number, len(stacked.synthetic), terms),
                1e-9 * _RELABELLED * 8 * number**2,
            )
        return LogitPropensity(stacked, order, k_syn=k_syn)

    return fit
