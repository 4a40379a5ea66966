"""Difference of the association matrices of two data sets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from sdcmetrics.measures.association.matrix import Mode, Numbers, association_matrix
from sdcmetrics.measures.pair import Frame, Replica, pair
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.microdata.mixed import Mixed, split_kinds
from sdcmetrics.microdata.schema import MissingCodes
from sdcmetrics.results import Readable


@dataclass(frozen=True)
class AssociationDifference(Readable, shows=("rms", "pairs", "not_computable"), table="frame"):
    """Associations of every two columns in original and replica.

    Attributes
    ----------
    names : tuple of str
    original, synthetic : float arrays of shape (columns, columns)
        NaN where a column of that data set is constant.
    """

    names: tuple[str, ...]
    original: Floats
    synthetic: Floats

    @property
    def difference(self) -> Floats:
        """Synthetic less original; NaN where the original has no association to keep.

        A column that is constant in the replica only tells nothing of others: association 0.
        """
        out: Floats = np.nan_to_num(self.synthetic) - self.original
        return out

    @property
    def pairs(self) -> int:
        """Number of pairs of columns that were compared."""
        return int((~np.isnan(self._off())).sum())

    @property
    def not_computable(self) -> int:
        """Number of pairs with a column that is constant in the original."""
        return len(self._off()) - self.pairs

    @property
    def rms(self) -> float:
        """Root of the mean squared difference over pairs; NaN without any."""
        defined = self._off()[~np.isnan(self._off())]
        return float(np.sqrt(np.mean(np.square(defined)))) if len(defined) else math.nan

    @property
    def largest(self) -> float:
        """Largest absolute difference of a pair; NaN without any."""
        defined = self._off()[~np.isnan(self._off())]
        return float(np.abs(defined).max()) if len(defined) else math.nan

    @property
    def frame(self) -> pd.DataFrame:
        """One row per pair: both associations and their difference, the largest first."""
        rows, columns = np.triu_indices(len(self.names), 1)
        names = np.array(self.names, dtype=object)
        index = pd.MultiIndex.from_arrays([names[rows], names[columns]], names=["column", "with"])
        out = pd.DataFrame(
            {
                "original": self.original[rows, columns],
                "synthetic": self.synthetic[rows, columns],
                "difference": self._off(),
            },
            index=index,
        )
        order = np.argsort(-np.nan_to_num(out["difference"].abs(), nan=-1.0), kind="stable")
        return out.iloc[order]

    def _off(self) -> Floats:
        out: Floats = self.difference[np.triu_indices(len(self.names), 1)]
        return out


def compare_matrices(
    original: Mixed, synthetic: Mixed, *, mode: Mode = "corrected", numbers: Numbers = "pearson"
) -> AssociationDifference:
    """Compare the associations of two data sets over the same columns; see `association_matrix`."""
    matrices = [
        association_matrix(frame, mode=mode, numbers=numbers) for frame in (original, synthetic)
    ]
    return AssociationDifference(original.names, matrices[0], matrices[1])


@checked
def association_difference(
    original: Frame,
    synthetic: Replica,
    *,
    variables: Sequence[str] | None = None,
    categorical: Sequence[str] | None = None,
    numbers: Numbers = "pearson",
    mode: Mode = "corrected",
    missing_codes: MissingCodes | None = None,
) -> AssociationDifference:
    """Compare the association of every two columns, whatever they hold.

    Pearson's or Spearman's correlation of numbers, the correlation ratio eta of a category and a
    number, Cramer's V of categories. The root of the mean squared difference, `rms`, is 0 for a
    replica equal to the original, at most 1 for data without numbers and 2 with them.

    Parameters
    ----------
    original, synthetic : data frames
        Of several syntheses the associations are averaged.
    variables : names, optional
    categorical : names, optional
        The columns that are categories; by default text, booleans, and numbers with fewer than
        10 distinct values in the original.
    numbers : "pearson" or "spearman"
    mode : "corrected", "plain" or "published"
        See `sdcmetrics.measures.association.matrix`.
    missing_codes : mapping of column to code or codes, optional

    Returns
    -------
    AssociationDifference
        With a table of every pair in `frame`, the largest difference first: correlations are -1 to
        1, eta and Cramer's V 0 to 1, and `difference` is synthetic less original, 0 at best.

    Raises
    ------
    ColumnError, DataError
        If the data sets cannot be compared.

    Notes
    -----
    Fresh data are not at 0: read it beside the same of a holdout, cut to as many records.

    References
    ----------
    Lautrup, Hyrup, Zimek and Schneider-Kamp (2024), SynthEval, arXiv:2404.15821, corr_diff.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"x": list("aabb") * 5, "y": list("uuvv") * 5, "z": range(20)})
    >>> association_difference(frame, frame.assign(y=list("uvuv") * 5), mode="plain").frame.round(2)
                 original  synthetic  difference
    column with
    x      y         1.00       0.00       -1.00
    y      z         0.17       0.09       -0.09
    x      z         0.17       0.17        0.00
    """
    data = pair(original, synthetic, variables=variables, missing_codes=missing_codes)
    first, *others = split_kinds(data, categorical=categorical)
    differences = [compare_matrices(first, other_, mode=mode, numbers=numbers) for other_ in others]
    synthetic_mean = sum(
        (difference.synthetic for difference in differences[1:]), differences[0].synthetic
    ) / len(differences)
    return AssociationDifference(first.names, differences[0].original, synthetic_mean)
