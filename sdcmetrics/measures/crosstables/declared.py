"""General utility: the list."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from sdcmetrics.measures.crosstables import expected
from sdcmetrics.measures.crosstables import statistics as tu
from sdcmetrics.measures.crosstables.counting import TablePairs
from sdcmetrics.measures.crosstables.places import CROSSTABLES, ONE_WAY
from sdcmetrics.measures.crosstables.ratio_of_counts import roc
from sdcmetrics.measures.measure import GENERAL_UTILITY, Measure, PeopleSum, Release, Twin
from sdcmetrics.measures.subject import Subject

_RAAB = "Raab, Nowok and Dibben (2021), arXiv:2109.12717"
_VOAS = "Voas and Williamson (2001), Geographical and Environmental Modelling 5(2)"
_SNOKE = "Snoke, Raab, Nowok, Dibben and Slavkovic (2018), JRSS A 181(3)"
_TAUB = (
    "Taub, Elliot and Sakshaug (2020), Transactions on Data Privacy 13; Chan, Comparative "
    "Metrics Framework, eq. 1"
)

_BY_LABEL = (
    "Cells are matched by label; synthpop goes by position, which is wrong when the level orders "
    "differ. Levels or missing values on one side only are counted, where synthpop stops."
)
_BLIND = "Sees only the variables in the table; says nothing of relations with others."
_SIZE = "Grows with the number of records: a large file makes small differences look large."
_S_LIMITS = (
    "1 is expected if the replica is drawn from the original's own counts, and 1 + n_s/n_d of a "
    "fresh sample of the population: 2 where both have one size. "
)
_HOUSEHOLDS = "Holds for independent records: whole households that are drawn anew have more."
_NO_TEST = (
    "No significance test: the authors advise below 10, better below 3, for replicas of the "
    "original's size. " + _HOUSEHOLDS
)
_SPARSE = (
    "That is so where cells are well filled; in sparse tables a fresh sample may have twice as "
    "much, or far less. What is expected of it stands beside every table (`fresh`), from the "
    "counts of both data sets together, however sparse. "
)

_twin = partial(Twin, function="utility.tab", differs=_BY_LABEL)


def _table(symbol: str, **entries: Any) -> Measure:
    """Declare a statistic of a table, as synthpop has it by the same symbol."""
    common = {
        "family": GENERAL_UTILITY,
        "of": CROSSTABLES,
        "undefined": "the table has one non-empty cell, so 0 degrees of freedom",
        "better": "lower",
        "low": 0,
        "high": None,
        "ideal": 0,
        "source": _RAAB,
        "twin": _twin(symbol),
    }
    return Measure(**{"symbol": symbol, **common, **entries})


def people_to_move(tables: TablePairs) -> Fraction:
    """Return n TVD, on average over tables: how many people would have to be in other cells.

    One person more in a cell that has the share s of the replica's records changes it by at most
    1 - s: the person's own cell by that, and all others by as much together.

    Parameters
    ----------
    tables : TablePairs
        Original beside a replica that has records; the original may have none.

    Examples
    --------
    One person of the first table has to move, two of the second.

    >>> tables = TablePairs(
    ...     np.array([3, 1, 0, 4]), np.array([1, 1, 1, 1]), np.array([0, 2]), (0, 0)
    ... )
    >>> people_to_move(tables)
    Fraction(3, 2)
    """
    n, size = (np.add.reduceat(side, tables.starts) for side in (tables.original, tables.synthetic))
    spread = np.repeat(np.arange(len(tables)), np.diff([*tables.starts, len(tables.original)]))
    apart = np.abs(tables.original * size[spread] - tables.synthetic * n[spread])
    # Whole numbers of Python: over many tables of many records sums exceed 64 bits.
    total: dict[int, int] = {}
    for people, records in zip(
        np.add.reduceat(apart, tables.starts).tolist(), size.tolist(), strict=True
    ):
        total[records] = total.get(records, 0) + people
    halves = (Fraction(people, 2 * records) for records, people in total.items())
    return sum(halves, Fraction(0)) / len(tables)


def _over_df(symbol: str, function: tu.Statistic, **entries: Any) -> Measure:
    """Declare a statistic of tables over its degrees of freedom, from the statistic's symbol."""
    common = {
        "title": f"{symbol} over its degrees of freedom",
        "meaning": f"{symbol} on the scale of S_pMSE.",
        "formula": f"{symbol} / (k - 1)",
        "tested": ("fresh", "drawn"),
    }
    return _table(f"S_{symbol}", function=function, **{**common, **entries})


MEASURES: tuple[Measure, ...] = (
    Measure(
        symbol="ROC",
        show={"one_way": 3},
        release=Release("ratio"),
        title="Ratio of counts",
        family=GENERAL_UTILITY,
        function=roc,
        of=ONE_WAY,
        aliases=("ratio of counts",),
        ranked={1: 0.25},
        better="higher",
        low=0,
        high=1,
        ideal=1,
        meaning="How far the category shares of one variable overlap, on average over its "
        "categories.",
        formula="mean over categories of min(p_o, p_s) / max(p_o, p_s); then mean over variables",
        source=_TAUB,
        limits="Every category weighs the same, so rare ones dominate; a variable that has a "
        "category with fewer than min_count records (5 unless told otherwise) on both sides is "
        "skipped and listed. The framework can be read to skip it for few records on either side; "
        "a category that only one side has in numbers is a difference, and counts here. Numbers "
        "must be rounded to be compared.",
    ),
    _table(
        "TVD",
        show={"one_way": 2},
        release=Release("distance", sum=PeopleSum(people_to_move)),
        title="Total variation distance",
        function=tu.tvd,
        aliases=("total variation",),
        high=1,
        meaning="The largest difference in share between the two data sets that any set of cells "
        "can have.",
        formula="1/2 sum |p_s - p_d|",
        source="Half of MabsDD; Platzer and Reutterer (2021) use it for every 1-, 2- and 3-way "
        "table",
        limits="Sampling noise alone makes it positive, more so with many cells; compare with a "
        "holdout.",
        twin=None,
    ),
    _table(
        "pMSE",
        title="Propensity score mean squared error",
        function=tu.p_mse,
        high=0.25,
        meaning="How well the cells of the table tell synthetic from original records.",
        formula="VW c (1-c)^2 / N, the mean of (score - c)^2 with score s / (s + d) in each cell",
        source=_SNOKE,
        limits="At most c (1 - c), c the share of synthetic records. Its size depends on the "
        "number of cells and records; read S_pMSE instead. " + _BLIND,
    ),
    _table(
        "S_pMSE",
        show={"one_way": 1},
        release=Release("standardised"),
        title="Standardised pMSE: ratio to degrees of freedom",
        function=tu.s_p_mse,
        aliases=("ratio to degrees of freedom",),
        ranked={1: 0.25, 2: 0.5},
        fresh=tu.fresh,
        tested=("fresh", "drawn"),
        meaning="pMSE over the value that is expected when the replica comes from the right "
        "distribution. A fresh sample of the population has 1 + n_s/n_d, 2 where both have one "
        "size; large values mean a lack of fit.",
        formula="VW / (k - 1), k the number of non-empty cells",
        source=_SNOKE + "; " + _RAAB,
        limits=_S_LIMITS + _NO_TEST,
    ),
    _table(
        "VW",
        title="Voas-Williamson statistic",
        function=tu.vw,
        meaning="Squared differences of counts over their expectation, added up over cells.",
        formula="sum (s - d n_s/n_d)^2 / ((s + d) c)",
        source=_VOAS,
        limits=_SIZE,
    ),
    _over_df(
        "VW",
        tu.s_vw,
        fresh=tu.fresh,
        meaning="The same number as S_pMSE.",
        limits=_S_LIMITS + _NO_TEST,
    ),
    _table(
        "FT",
        title="Freeman-Tukey statistic",
        function=tu.ft,
        meaning="Squared differences of the square roots of counts, added up over cells.",
        formula="4 sum (sqrt(s) - sqrt(d n_s/n_d))^2",
        limits=_SIZE + " Weighs empty cells more than VW does.",
    ),
    _over_df(
        "FT",
        tu.s_ft,
        fresh=tu.fresh,
        fresh_here=expected.expected_s_ft,
        limits=_S_LIMITS + _SPARSE + _NO_TEST,
    ),
    _table(
        "JSD",
        title="Jensen-Shannon divergence",
        function=tu.jsd,
        aliases=("Jensen-Shannon",),
        high=1,
        meaning="Information, in bits, that a record's cell gives about which data set it is from.",
        formula="1/2 sum p_d log2(p_d / h) + 1/2 sum p_s log2(p_s / h), h = (p_s + p_d) / 2",
        limits="Positive by sampling noise alone. " + _BLIND,
    ),
    _table(
        "S_JSD",
        title="Standardised Jensen-Shannon divergence",
        function=tu.s_jsd,
        fresh=tu.fresh_jsd,
        fresh_here=expected.expected_s_jsd,
        tested=("fresh", "drawn"),
        meaning="JSD over its expectation.",
        formula="JSD 2 N / ((k - 1) ln 2), as synthpop computes it",
        limits="N / (4 n_s ln(2)^2) is expected of draws from the original's own counts "
        "(1.04 where both have one size), and 1 + n_s/n_d times that of a fresh sample. "
        + _SPARSE
        + _HOUSEHOLDS,
    ),
    _table(
        "G",
        title="Adjusted likelihood-ratio statistic",
        function=tu.g,
        meaning="Likelihood-ratio statistic over the cells that both data sets fill.",
        formula="2 sum s ln((s / sum s) / (d / sum d)) over cells with s, d > 0",
        limits="Blind to cells that only one side fills. " + _SIZE,
    ),
    _over_df(
        "G",
        tu.s_g,
        undefined="both data sets fill at most one cell",
        fresh=tu.fresh,
        fresh_here=expected.expected_s_g,
        formula="G / dfG",
        limits=_S_LIMITS + _SPARSE + _NO_TEST + " Blind to cells that only one side fills.",
    ),
    _table(
        "SPECKS",
        title="Kolmogorov-Smirnov distance of propensity scores",
        function=tu.specks,
        high=1,
        meaning="The largest gap between the score distributions of synthetic and original "
        "records.",
        formula="max |F_s(score) - F_d(score)|",
        source="Bowen, Liu and Su (2021), SPECKS; " + _RAAB,
        limits="Positive by sampling noise alone. " + _BLIND,
    ),
    _table(
        "U",
        title="Wilcoxon rank-sum statistic of propensity scores",
        function=tu.u,
        ideal=None,
        meaning="Pairs of a synthetic and an original record in which the synthetic one scores "
        "higher.",
        formula="sum over pairs [score_s > score_d] + 1/2 [score_s = score_d]",
        limits="Scales with n_s n_d: only comparable between replicas of one size; "
        "n_s n_d / 2 for identical tables.",
    ),
    _table(
        "PO50",
        title="Percent over 50 correctly told apart",
        function=tu.po50,
        low=-50,
        high=50,
        ideal=None,
        meaning="Percent of records, over 50, whose data set is told right by their cell.",
        formula="100 (sum s [p_s > p_d] + sum d [p_s <= p_d]) / N - 50",
        limits="With unequal sizes even identical tables do not give 0. " + _BLIND,
        unit="percent",
    ),
    _table(
        "MabsDD",
        title="Mean absolute difference in distributions",
        function=tu.mabs_dd,
        high=2,
        meaning="Absolute differences of the cell shares, added up.",
        formula="sum |p_s - p_d| = 2 TVD",
        limits="Positive by sampling noise alone. " + _BLIND,
    ),
    _table(
        "WMabsDD",
        title="Weighted mean absolute difference in distributions",
        function=tu.wmabs_dd,
        meaning="Absolute differences of counts over the root of their expectation.",
        formula="sum |s - d n_s/n_d| / sqrt((s + d) c) / sqrt(2/pi)",
        limits=_SIZE,
    ),
    _over_df(
        "WMabsDD",
        tu.s_wmabs_dd,
        limits="About sqrt(k / (k - 1)) is expected of draws from the original's own counts, k "
        "being the cells, less where their shares differ much, and sqrt(1 + n_s/n_d) times that "
        "of a fresh sample. " + _HOUSEHOLDS,
    ),
    _table(
        "dBhatt",
        title="Bhattacharyya distance",
        function=tu.d_bhatt,
        aliases=("Hellinger", "Hellinger distance", "Bhattacharyya"),
        high=1,
        meaning="Distance of the cell shares; also known as Hellinger distance.",
        formula="sqrt(1 - sum sqrt(p_s p_d))",
        limits="Positive by sampling noise alone. " + _BLIND,
        twin=_twin("dBhatt", squared=True),
    ),
    _table(
        "df",
        title="Degrees of freedom of the table",
        function=tu.df,
        better="none",
        ideal=None,
        meaning="Cells that at least one side fills, minus 1.",
        formula="k - 1",
        limits="With 0, one cell, no ratio to df exists.",
    ),
    _table(
        "dfG",
        title="Degrees of freedom of G",
        function=tu.df_g,
        better="none",
        low=-1,
        ideal=None,
        meaning="Cells that both sides fill, minus 1.",
        formula="#(s > 0 and d > 0) - 1",
        limits="-1 where no cell is filled by both.",
    ),
    _table(
        "nempty",
        title="Number of empty cells",
        function=tu.n_empty,
        better="none",
        ideal=None,
        meaning="Cells of the full cross-table that neither side fills.",
        formula="#levels x #levels x ... - k",
        limits="Counts declared levels, so it depends on the codebook.",
    ),
)

SUBJECT = Subject("crosstables", tuple(MEASURES))
