"""NIST's k-marginal score: how much of all tables of k variables a replica keeps, of 1000."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.crosstables.counting import TablePairs, count_tables
from sdcmetrics.measures.kind import Given, Kind, Place, Plan, Tell
from sdcmetrics.measures.measure import GENERAL_UTILITY, Measure
from sdcmetrics.measures.pair import Frame, Pair, pair
from sdcmetrics.measures.reference_values import References
from sdcmetrics.measures.subject import Subject
from sdcmetrics.microdata import lazy
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.microdata.coding import Coded, by_groups, encode
from sdcmetrics.microdata.schema import MissingCodes
from sdcmetrics.results import Readable

_SPREADS = 12.0  # standard deviations of a count beyond which nothing is left to 1e-12
_MOST_TABLES = 20_000  # beyond, counting takes longer than everything else of a review
_TABLED = 1 << 24  # records for which logarithms of factorials are tabled, in 128 MB
_PLACES = 1 << 22  # of counts looked at together, some 30 MB each


@dataclass(frozen=True)
class KMarginal(Readable, shows=("score", "fresh", "at", "score_at", "copy_at")):
    """The k-marginal score of one replica, and what stands beside it.

    Attributes
    ----------
    score : float, 0 to 1000
        Mean over the syntheses; 1000 for equal tables.
    each : tuple of float
        Synthesis by synthesis.
    fresh : float
        Of the holdout in the replica's place, at `at` records; NaN without a holdout.
    at : int
        The fewest records of a synthesis, the original or the holdout.
    score_at, copy_at : float
        Expected score of the replica, and of a verbatim copy, cut to so many records.
    each_at : tuple of float
        `score_at`, synthesis by synthesis.
    by_group : DataFrame
        Index group; columns original, synthetic (records) and score (0 to 1000; NaN of a group
        that the original has not). Empty without `by`.
    ways : int
        Variables per table.
    fixes : tuple of str
        Changes made to the inputs.
    """

    score: float
    each: tuple[float, ...]
    fresh: float
    at: int
    score_at: float
    copy_at: float
    by_group: pd.DataFrame
    ways: int
    each_at: tuple[float, ...] = ()
    fixes: tuple[str, ...] = field(default=(), repr=False)


@checked
def k_marginal(
    original: Frame,
    synthetic: Frame | Sequence[Frame],
    *,
    holdout: Frame | None = None,
    ways: int = 2,
    by: str | None = None,
    variables: Sequence[str] | None = None,
    ngroups: int = 5,
    missing_codes: MissingCodes | None = None,
) -> KMarginal:
    """Score all tables of k variables, as NIST does: 1000 where the replica has each one's shares.

    Parameters
    ----------
    original : data frame
    synthetic : data frame, or list of data frames
    holdout : data frame, optional
        The holdout: what it scores shows how much sampling alone costs.
    ways : int
        Variables per table.
    by : name, optional
        Also score every level of this variable apart.
    variables : names, optional
        By default every column that all data sets have.
    ngroups : int
        Groups of numeric variables, from quantiles of all data sets.
    missing_codes : mapping of column to code or codes, optional

    Returns
    -------
    KMarginal
        Scores are 0 to 1000, the latter for equal tables. More is better up to `fresh`, what people
        score who were not in the original: a replica whose `score_at` is far above that is nearer
        to the original than they are.

    Raises
    ------
    ColumnError, DataError
        If the data sets cannot be compared.
    StudyError
        If there are too few variables, too many tables, or `by` is no column.

    Notes
    -----
    1000 (1 - mean TVD) over all tables of k variables; missing is a level. SDNist draws 200 pairs,
    among them pairs of a variable with itself, and leaves out records with a missing value. Scores
    by group are as SDNist has them: 1000 (1 - sum of absolute differences of the cells of the
    group, at most its share of the originals, over this share), which is twice as strict as the
    score of the whole file. The score grows with the number of records: read it beside `fresh` as
    `score_at`, not as `score`.

    References
    ----------
    Task, Bhagat and Howarth (2023), SDNist v2: deidentified data report tool, NIST.

    Examples
    --------
    >>> import pandas as pd
    >>> original = pd.DataFrame({"x": list("aabb"), "y": list("uuvv")})
    >>> replica = pd.DataFrame({"x": list("aabb"), "y": list("uvuv")})
    >>> k_marginal(original, replica).score
    500.0
    """
    data = pair(original, synthetic, holdout, variables=variables, missing_codes=missing_codes)
    m = len(data.sizes) - (1 if holdout is None else 2)
    if by is not None and by not in data.variables:
        msg = f"by: expected one of the columns but got {by!r}."
        raise StudyError(msg)
    coded = encode(data, by_groups(ngroups, dates=True), list(data.variables))
    return _scored(coded, m, ways, by, tuple(str(fix) for fix in data.fixes))


def _scored(
    coded: Coded, m: int, ways: int, by: str | None = None, fixes: tuple[str, ...] = ()
) -> KMarginal:
    """Score m syntheses of coded data, beside a last data set where there is one more."""
    names, number = list(coded.variables), math.comb(len(coded.variables), max(ways, 0))
    if not 1 <= ways <= len(names) or number > _MOST_TABLES:
        msg = (
            f"ways: {len(names)} variables have {number:,} tables of {ways}; expected 1 to 20,000."
        )
        raise StudyError(msg)
    tables = list(itertools.combinations(names, ways))
    at = min(coded.sizes)
    each, each_at, copy_at = [], [], math.nan
    for synthesis in range(1, m + 1):
        batches = [part for _, part in count_tables(coded, tables, synthesis=synthesis)]
        each.append(_score(batches, coded.sizes[synthesis]))
        each_at.append(_score(batches, at))
        if synthesis == 1:
            copy_at = _score(batches, at, copy=True)
    fresh = math.nan
    if coded.m > m:
        batches = [part for _, part in count_tables(coded, tables, synthesis=coded.m)]
        fresh = _score(batches, at)
    return KMarginal(
        score=math.fsum(each) / m,
        each=tuple(each),
        fresh=fresh,
        at=at,
        score_at=math.fsum(each_at) / m,
        copy_at=copy_at,
        by_group=_by_group(coded, m, ways, by),
        ways=ways,
        each_at=tuple(each_at),
        fixes=fixes,
    )


def _score(batches: Sequence[TablePairs], k: int, *, copy: bool = False) -> float:
    """Return 1000 less 500 mean L1, of the replica (or of a copy) cut to k of its records."""
    far = np.concatenate([part.sum(_apart(part, k, copy=copy)) for part in batches])
    return 1000.0 - 500.0 * float(far.mean())


def _apart(tables: TablePairs, k: int, *, copy: bool) -> Floats:
    """Return the expected |p_o - X / k| of each cell: X of its records are left of k."""
    counts = tables.original if copy else tables.synthetic
    size = int((tables.n_original if copy else tables.n_synthetic)[0])
    if k == size:
        return np.abs(tables.p_original - counts / size)
    return expected_distance(tables.p_original * k, counts, size, k) / k


def expected_distance(middle: Floats, counts: npt.NDArray[np.int64], size: int, k: int) -> Floats:
    """Return E|X - middle|, X hypergeometric: of `size` records, `counts` of a cell, k are drawn.

    Examples
    --------
    >>> expected_distance(np.array([0.5]), np.array([1]), size=2, k=1)  # X is 0 or 1
    array([0.5])
    """
    share = counts / size
    mean = k * share
    spread = np.sqrt(mean * (1 - share) * (size - k) / max(size - 1, 1))
    # Twelve spreads, and ten more for skew counts, are beyond what a double can tell.
    low = np.maximum(np.floor(mean - _SPREADS * spread) - 10, np.maximum(0, k - size + counts))
    high = np.minimum(np.ceil(mean + _SPREADS * spread) + 10, np.minimum(counts, k))
    wide = (high - low + 1).astype(np.int64)
    # log[i] is that of (i - 1)!, looked up where there are not too many.
    log = (
        lazy.special.gammaln(np.arange(size + 2)) if size < _TABLED else _Logs(lazy.special.gammaln)
    )
    out = np.empty(len(counts))
    for part in _chunks(wide):
        # Cells of as many records have the same chances.
        kinds, place, of = np.unique(counts[part], return_index=True, return_inverse=True)
        widths = wide[part][place]
        begin = np.cumsum(widths) - widths
        s = np.repeat(kinds, widths)
        x = (np.arange(len(s)) + np.repeat(low[part][place] - begin, widths)).astype(np.int64)
        chance = np.exp(
            log[s + 1] - log[x + 1] - log[s - x + 1]
            + log[size - s + 1] - log[k - x + 1] - log[size - s - k + x + 1]
            - (log[size + 1] - log[k + 1] - log[size - k + 1])
        )  # fmt: skip
        cell = np.repeat(np.arange(len(of)), wide[part])
        first = np.cumsum(wide[part]) - wide[part]
        at = np.arange(len(cell)) + np.repeat(begin[of] - first, wide[part])
        far = np.abs(x[at] - middle[part][cell])
        out[part] = np.bincount(cell, weights=chance[at] * far, minlength=len(of))
    return out


@dataclass(frozen=True)
class _Logs:
    """Gives the logarithms that a table would hold."""

    of: Callable[[Floats], Floats]

    def __getitem__(self, at: Any) -> Any:
        return self.of(at)


def _chunks(wide: npt.NDArray[np.int64]) -> Iterator[slice]:
    """Yield cells that together have so many possible counts."""
    ends = np.searchsorted(np.cumsum(wide), np.arange(_PLACES, wide.sum() + _PLACES, _PLACES))
    first = 0
    for end in [*ends.tolist(), len(wide)]:
        if end > first:
            yield slice(first, end)
            first = end


def _by_group(coded: Coded, m: int, ways: int, by: str | None) -> pd.DataFrame:
    columns = ["original", "synthetic", "score"]
    if by is None:
        return pd.DataFrame(columns=columns)
    group = coded.variables[by]
    others = [name for name in coded.variables if name != by]
    tables = list(itertools.combinations(others, ways))
    if not tables:
        msg = f"by: there are too few other variables for tables of {ways}."
        raise StudyError(msg)
    counts = np.stack([np.bincount(part, minlength=group.size) for part in group.parts[: m + 1]])
    share = counts[0] / coded.sizes[0]
    lost = np.zeros((group.size, m))
    for table in tables:
        variables = [coded.variables[name] for name in table]
        size = math.prod(variable.size for variable in variables)
        shares = []
        for part in range(m + 1):
            index = group.parts[part].astype(np.int64)
            for variable in variables:
                index = index * variable.size + variable.parts[part]
            cells = np.bincount(index, minlength=group.size * size) / coded.sizes[part]
            shares.append(cells.reshape(group.size, size))
        for i in range(m):
            l1 = np.abs(shares[0] - shares[i + 1]).sum(axis=1)
            lost[:, i] += np.minimum(l1, share)
    with np.errstate(invalid="ignore"):
        score = 1000 * (1 - (lost / len(tables)).mean(axis=1) / share)
    frame = pd.DataFrame(
        {"original": counts[0], "synthetic": counts[1:].mean(axis=0), "score": score},
        index=pd.Index(group.labels, name=by),
    )
    return frame[frame["original"] + frame["synthetic"] > 0]


# As a row of a review


def _places(pair: Pair, plan: Plan, tell: Tell) -> Iterator[Given]:
    step = "k-marginal score"
    tell(step)
    options = plan.options
    data = pair.data if pair.holdout is None else pair.beside_holdout
    names = options.compared(data.variables)
    if not 1 <= math.comb(len(names), 2) <= _MOST_TABLES:
        reason = f"{len(names)} variables have too few pairs, or too many"
        yield Given(step, (Place(),), reason=reason)
        return
    rule = by_groups(options.ngroups, options.style, dates=options.group_dates)
    result = _scored(encode(data, rule, names), pair.m, 2)

    def references(measures: Sequence[Measure], i: int) -> dict[str, References]:
        references = (result.each_at[i], result.copy_at)
        return {
            measure.symbol: References(1000.0, result.fresh, result.at, *references)
            for measure in measures
        }

    yield Given(step, (Place(),), result.each, references=references, result=result)


K_MARGINAL = Kind(
    "all pairs of variables",
    "the score of one synthesis; a number",
    _places,
    counted=True,
    symbols={"p_o": "share of a cell in the original", "p_s": "the same in the replica"},
)

MEASURES = (
    Measure(
        symbol="KM",
        show={"beside_fresh": 1},
        title="k-marginal score of NIST, pairs of variables",
        function=float,
        of=K_MARGINAL,
        family=GENERAL_UTILITY,
        better="higher",
        low=0,
        high=1000,
        ideal=1000,
        aliases=("k-marginal", "NIST score"),
        meaning="How much of all tables of two variables the replica keeps: 1000 where it has the "
        "share of every cell. A holdout says what can be expected; a replica above it is too "
        "close.",
        formula="1000 (1 - mean over pairs of variables of 1/2 sum |p_o - p_s|)",
        source="Task, Bhagat and Howarth (2023), SDNist v2, NIST",
        limits="1000 (1 - F2) where the groups are the same. Grows with the number of records and "
        "falls with that of categories: compare value_at, fresh and copy_at, which are of one "
        "number of records.",
    ),
)
"""The k-marginal score: the list."""

SUBJECT = Subject("k-marginal", tuple(MEASURES))
