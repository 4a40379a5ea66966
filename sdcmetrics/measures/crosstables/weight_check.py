"""Weights that were synthesised: their distribution, and the margins that they add up to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.crosstables.chi_square import holm
from sdcmetrics.measures.crosstables.weighted import MOST_CELLS
from sdcmetrics.measures.pair import Frame
from sdcmetrics.measures.survey.design import SurveyDesign, read_design, replica_design
from sdcmetrics.measures.survey.files import compared_columns
from sdcmetrics.microdata import lazy
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.microdata.coding import by_groups, encode
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.microdata.schema import MissingCodes, harmonise
from sdcmetrics.results import Readable

_ALPHA = 0.01
"""As of `check_holdout`."""


@dataclass(frozen=True)
class WeightCheck(Readable, shows=("W1", "total_ratio", "problems"), table="margins"):
    """Comparison of synthesised weights with the original's.

    Attributes
    ----------
    weights : DataFrame
        Index original, synthetic. records, total (sum of weights), mean, min, median, max, kish
        (design effect of unequal weights).
    W1 : float
        Wasserstein's distance of the weights, each over its mean: 0 where they are spread alike.
    total_ratio : float
        Sum of the replica's weights over the original's; 1 is ideal.
    margins : DataFrame
        One row per benchmark variable and level (None is missing): original, synthetic (sums of
        weights), difference (synthetic over original less 1: 0 is ideal, infinite where the
        original has none), se (of the synthetic sum over the original's, by the draw of as many
        records), z (difference over se).
    tests : DataFrame
        Index variable: p, that weighted shares of the variable, taken for known in the original,
        are so far apart by the draw of the replica, by the second-order correction of Rao and
        Scott; p_holm, for the number of variables; largest, the largest relative difference.
    problems : tuple of str
        What the replica's weights do not reproduce, in words; empty if nothing is wrong.
    fixes : tuple of str
    """

    weights: pd.DataFrame
    W1: float
    total_ratio: float
    margins: pd.DataFrame
    tests: pd.DataFrame
    problems: tuple[str, ...]
    fixes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the replica's weights reproduce total and margins, as far as chance lets them."""
        return not self.problems


@checked
def check_weights(
    original: Frame,
    synthetic: Frame,
    *,
    weight: str,
    synthetic_weight: str | None = None,
    cluster: str | None = None,
    variables: str | Sequence[str] | None = None,
    ngroups: int = 5,
    missing_codes: MissingCodes | None = None,
) -> WeightCheck:
    """Check that a replica's weights reproduce the original's weighted margins.

    Weights are calibrated to known totals, such as people by sex and region. A synthesiser knows
    nothing of that: its weights may have the right distribution and add up to other totals.

    Parameters
    ----------
    original, synthetic : data frames
    weight : name of the column of weights of the original
    synthetic_weight : name of that of the replica, by default the same
    cluster : name, optional
        The column that says which records were drawn together. It counts where the replica has it.
    variables : name or names of the benchmarks, optional
        By default every column that both data sets have.
    ngroups : int
        Groups of numbers and dates, by quantiles of both.
    missing_codes : mapping of column to code or codes, optional

    Returns
    -------
    WeightCheck
        `ok` where no problem was noticed. Differences are relative, so that 0.1 is 10 % too many
        people; a small p_holm is of a variable whose shares are not the original's.

    Raises
    ------
    ColumnError
        If a column is absent, or a weight is missing, zero or negative.
    DataError
        If the data sets cannot be compared.
    StudyError
        If no benchmark is left.

    Notes
    -----
    The replica is measured by the original itself, not by the population: its totals may differ
    from the original's by the chance of as many draws, and no more. So the original's design
    plays no part. Problems are a variable with p_holm below 0.01, and a total that is off by more
    than 2.6 of its standard errors. A replica whose number of records differs has weights for
    fewer or more people: then its total is a problem, and its shares need not be.

    References
    ----------
    Rao and Scott (1984), Annals of Statistics 12(1), 46-60.

    Examples
    --------
    >>> import pandas as pd
    >>> sample = pd.DataFrame({"sex": list("ffmm"), "w": [10.0, 20.0, 30.0, 40.0]})
    >>> result = check_weights(sample, sample.assign(w=[25.0] * 4), weight="w")
    >>> result.total_ratio, result.margins["difference"].round(4).tolist()
    (1.0, [0.6667, -0.2857])
    """
    data, replica = as_microdata(original, "original"), as_microdata(synthetic, "synthetic")
    theirs = weight if synthetic_weight is None else synthetic_weight
    ours, own = (
        read_design(data, weight=weight),
        replica_design(replica, weight=theirs, cluster=cluster),
    )
    named = [variables] if isinstance(variables, str) else variables
    names = compared_columns(data, [replica], named, (weight, theirs, cluster))
    if not names:
        msg = "variables: expected at least one benchmark that both data sets have."
        raise StudyError(msg)
    both = harmonise(data, [replica], variables=names, missing_codes=missing_codes)
    coded = encode(both, by_groups(ngroups, dates=True), list(both.variables))
    rows, tests = [], {}
    for name, variable in coded.variables.items():
        sums = _sums(variable.parts[0], variable.parts[1], variable.size, ours, own)
        filled = sums["original"] + sums["synthetic"] > 0
        labels = [label for label, present in zip(variable.labels, filled, strict=True) if present]
        sums = sums[filled]
        rows.append(sums.assign(variable=name, level=pd.Series(labels, sums.index, dtype=object)))
        difference = sums["difference"].to_numpy()
        tests[name] = {
            "p": _shares_p(variable.parts[1], sums["original"], own),
            "largest": float(difference[np.abs(difference).argmax()]),
        }
    margins = pd.concat(rows, ignore_index=True)
    by_variable = pd.DataFrame.from_dict(tests, orient="index").rename_axis("variable")
    by_variable.insert(1, "p_holm", holm(by_variable["p"]))
    columns = ["variable", "level", "original", "synthetic", "difference", "se", "z"]
    return WeightCheck(
        weights=pd.DataFrame({"original": _of(ours), "synthetic": _of(own)}).T,
        W1=_distance(ours.weights, own.weights),
        total_ratio=float(own.weights.sum() / ours.weights.sum()),
        margins=margins[columns],
        tests=by_variable,
        problems=tuple(_problems(ours, own, by_variable)),
        fixes=tuple(str(fix) for fix in (*both.fixes, *ours.fixes, *own.fixes)),
    )


def _of(design: SurveyDesign) -> dict[str, float]:
    weights = design.weights
    return {
        "records": design.n,
        "total": float(weights.sum()),
        "mean": float(weights.mean()),
        "min": float(weights.min()),
        "median": float(np.median(weights)),
        "max": float(weights.max()),
        "kish": design.kish,
    }


def _distance(first: Floats, second: Floats) -> float:
    return float(lazy.stats.wasserstein_distance(first / first.mean(), second / second.mean()))


def _sums(
    ours: npt.NDArray[np.int32],
    theirs: npt.NDArray[np.int32],
    size: int,
    design: SurveyDesign,
    synthetic_design: SurveyDesign,
) -> pd.DataFrame:
    """Return sums of weights by level; the error is that of a sum over clusters drawn."""
    first = np.bincount(ours, design.weights, minlength=size)
    clusters = len(synthetic_design.stratum_of_cluster)
    totals = lazy.sparse.csr_array(
        (synthetic_design.weights, (synthetic_design.clusters, theirs)), shape=(clusters, size)
    )
    totals.sum_duplicates()
    second = np.asarray(totals.sum(axis=0)).ravel()
    squares = np.asarray(totals.power(2).sum(axis=0)).ravel()
    variance = (squares - second**2 / clusters) * clusters / (clusters - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = (second - first) / np.sqrt(variance)
        return pd.DataFrame(
            {
                "original": first,
                "synthetic": second,
                "difference": second / first - 1.0,
                "se": np.sqrt(variance) / first,
                "z": z,
            }
        )


def _shares_p(
    theirs: npt.NDArray[np.int32], original: pd.Series[float], synthetic_design: SurveyDesign
) -> float:
    """Return the p of the replica's weighted shares, the original's being known.

    It is of the second order, or, where a covariance of all levels would be large, of the first.
    """
    from sdcmetrics.measures.survey.linearised import (
        first_order_p,
        second_order_p,
        share_variances,
        shares,
    )

    expected = (original / original.sum()).to_numpy()
    place = np.full(int(max(original.index.max(), theirs.max())) + 1, -1)
    place[original.index] = np.arange(len(original))
    full = len(expected) <= MOST_CELLS
    share, covariance = (shares if full else share_variances)(
        place[theirs], len(expected), synthetic_design
    )
    if (share[expected == 0] > 0).any():
        return 0.0  # what the original has not
    used = expected > 0
    if used.sum() < 2:  # noqa: PLR2004  (one level is all there is)
        return 1.0
    # The covariance is that of shares near the expected ones; a level that the replica lacks has
    # none of its own and takes that of equal weights.
    of_equal = expected * (1 - expected) * synthetic_design.kish / synthetic_design.n
    own_variances = np.diagonal(covariance) if full else covariance
    variances = np.where(share == 0, of_equal, own_variances)[used]
    statistic = synthetic_design.n * float(((share - expected)[used] ** 2 / expected[used]).sum())
    first = synthetic_design.n * float((variances / expected[used]).sum())
    if not full:
        return first_order_p(statistic, first, used.sum() - 1)
    covariance = covariance[np.ix_(used, used)]
    np.fill_diagonal(covariance, variances)
    root = np.sqrt(expected[used])
    second = float(((synthetic_design.n * covariance / np.outer(root, root)) ** 2).sum())
    return second_order_p(statistic, first, second, synthetic_design.degrees_of_freedom)


def _off(percent: float) -> str:
    """Say how far a total is off; what is not 0 does not read as 0."""
    if math.isinf(percent):
        return "some of its people have a level that the original has not"
    text = f"{percent:+.0f}" if abs(percent) >= 1 else f"{percent:+.1g}"
    return f"the total of a level is off by up to {text} %"


def _problems(ours: SurveyDesign, synthetic_design: SurveyDesign, tests: pd.DataFrame) -> list[str]:
    problems = []
    ratio = synthetic_design.weights.sum() / ours.weights.sum()
    totals = np.bincount(synthetic_design.clusters, synthetic_design.weights)
    error = np.sqrt(len(totals)) * totals.std(ddof=1) / ours.weights.sum()
    if abs(ratio - 1) > lazy.stats.norm.isf(_ALPHA / 2) * error + 1e-9:  # sums in another order
        problems.append(
            f"the replica's weights add up to {100 * ratio:.1f} % of the original's: totals are "
            "of other numbers of people"
        )
    wrong = tests[tests["p_holm"] < _ALPHA].sort_values("p_holm", kind="stable")
    if len(wrong):
        first = wrong.iloc[0]
        others = "other" if len(wrong) == 2 else "others"  # noqa: PLR2004  (the first and one more)
        more = f" and of {len(wrong) - 1} {others}" if len(wrong) > 1 else ""
        problems.append(
            f"weighted shares of {wrong.index[0]!r}{more} are not the original's, by more than "
            f"the draw of its records explains ({_off(100 * first['largest'])}): calibrate the "
            "replica's weights to the original's margins"
        )
    return problems
