"""SynthEval's differences of correlation and mutual information matrices."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from sdcmetrics.errors import NotComputable
from sdcmetrics.measures.association.difference import AssociationDifference, compare_matrices
from sdcmetrics.measures.association.mutual import compare_information, normalised_information
from sdcmetrics.measures.metric import Metric, Quantities, Quantity
from sdcmetrics.measures.trio import Trio, numbers_of

_PAIR = 2


def _corr(trio: Trio) -> Quantities:
    difference = compare_matrices(trio.original, trio.synthetic)
    return _shown(difference, "corr_mat")


def _mi(trio: Trio) -> Quantities:
    difference = compare_information(trio.binned, rng=trio.rng("mutual information"))
    return _shown(difference, "mutual_inf", dims="mi_mat_dims")


def _shown(
    difference: AssociationDifference, name: str, *, dims: str = "corr_mat_dims"
) -> Quantities:
    if not difference.pairs:
        msg = "there is no pair of columns that vary in the original"
        raise NotComputable(msg)
    left = difference.not_computable
    reason = f"{left} pairs left out: a column is constant in the original" if left else ""
    return {
        f"{name}_diff": Quantity(
            difference.rms, normalised=max(0.0, 1 - difference.rms), reason=reason
        ),
        "largest": Quantity(difference.largest, normalised=max(0.0, 1 - difference.largest)),
        dims: Quantity(len(difference.names), better="none"),
    }


def _published_corr(trio: Trio, *, mixed_corr: bool = True) -> Quantities:
    matrices = compare_matrices(trio.original, trio.synthetic, mode="published")
    difference = matrices.synthetic - matrices.original
    if not mixed_corr:
        k = len(trio.original.categories)
        difference = difference[k:, k:]
    return _norm(difference, "corr_mat_diff", "corr_mat_dims")


def _published_mi(trio: Trio) -> Quantities:
    matrices = []
    for part in numbers_of(trio, categories=True)[:2]:
        codes = [np.unique(column, return_inverse=True)[1].ravel() for column in part]
        matrices.append(normalised_information(codes))
    return _norm(matrices[1] - matrices[0], "mutual_inf_diff", "mi_mat_dims")


def _norm(difference: npt.NDArray[np.float64], name: str, dims: str) -> Quantities:
    p = len(difference)
    if p < _PAIR:
        msg = "there is no pair of columns"
        raise NotComputable(msg)
    value = float(np.sqrt(np.square(difference).sum()))
    normalised = 1 - value / (p * (p - 1) / 2)
    reason = "a column of numbers is constant" if math.isnan(value) else ""
    return {
        name: Quantity(value, normalised=normalised, reason=reason),
        dims: Quantity(p, better="none"),
    }


CORRELATION = Metric(
    "corr_diff",
    _corr,
    "utility",
    ("corr_mat_diff",),
    _published_corr,
    defect="Cramer's V and eta are squared, beside signed correlations that are not, so that "
    "numbers weigh more; Yates' correction takes two equal columns apart; the normalised value "
    "divides by the number of pairs, which the norm never reaches.",
)
INFORMATION = Metric(
    "mi_diff",
    _mi,
    "utility",
    ("mutual_inf_diff",),
    _published_mi,
    defect="Every distinct number is a level, so that numbers tell all of each other: the measure "
    "says how many values are unique.",
)
