"""Known defects of synthpop, by number, so that a result can name them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np

from sdcmetrics.measures.twin import nearest
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.schema import Harmonised

DEFECTS = {
    "A1": "a numeric variable with one single value cannot be grouped",
    "A9": "missing values or columns on the replica's side only stop most functions",
    "names": "disclosure() does not find columns whose names R would change: age-group, 2nd job",
    "B1": "tables are compared by position of the level, not by label",
    "B2": "disclosure() re-sorts only one of two tables when one of them lacks a level",
    "B3": "utility.tables() and utility.gen() announce an adjustment of data frames and use "
    "the unadjusted data",
    "B4": "utility.gen() logit can diverge without a warning; pMSE is then 0.25",
    "B5": "S_PO50 from pairs is divided by the mean of SPECKS",
    "B6": "utility.gen() leaves out records where only the replica has missing numbers, or either "
    "side missing logicals or dates, and indexes scores wrongly",
    "B7": "replicated.uniques() compares numbers as formatted texts",
    "B8": "keys and levels are compared as texts: a level called Missing, 100000 and 1e+05, a |",
    "B9": "compare() of a fit pairs coefficients by position, not by name",
    "B10": "whether a synthesis is incomplete is read off the first variable of the formula",
    "B11": "some parameters are ignored or applied in another order than given",
    "B12": "print.flag changes results of utility.gen()",
    "B13": "data frames with missing values on one side only are tabulated wrongly",
    "B14": "data frames with missing numbers in the replica only turn the original into a factor",
    "B15": "missing codes are handed to the wrong variables by utility.gen(ngroups) and compare()",
    "B16": "one key combination and a target level that only the replica has stop disclosure()",
    "B17": "one common column stops the functions for data frames",
    "B18": "variable scores match names as patterns",
    "B19": "the confidence interval overlap is not bounded below",
    "B20": "syntheses of unequal size stop compare()",
    "B21": "denom_lim compares each table with its own counts",
    "B22": "a column called y stops R, or is dropped as a predictor, in syn() with trees",
    "B23": "syn() with trees takes exponential time for factors with many levels",
    "B24": 'multi.disclosure(attrib.meas = "DCAP") answers NA: the column was renamed',
    "B25": "DCAPs, DCAPb, TCAPs and TCAPb divide counts of original records by synthetic ones",
    "B26": "denom_TCAPb and denom_TCAPs stand under each other's name",
    "B27": "with target levels left out, TCAP calls certain what is unanimous only because of that",
    "B28": "the lack of fit of compare() depends on the units of the variables",
    "B29": "disclosure() with a single key counts a unique of the original as in the replica if "
    "the key is a factor with its level, though no record has it",
    "cell": "ratios to a df of 0 are infinite or 0 by rounding, where there are none",
    "constant": "a factor of one level stops the logit of utility.gen()",
    "rounding": "scores are all the same but for rounding, and utility.gen ranks the rounding",
    "binary": "a response of two levels stops compare() of multinom.synds",
    "optimiser": "polr and multinom stop before the maximum; coefficients are off by up to a "
    "hundredth of a standard error, and by any amount where predictors are far from 1 in size",
    "ties": "records whose scores lie within the error of R's glm tie or swap; a pair moves U by "
    "at most 1",
}
"""synthpop's defects that results refer to, in a sentence each."""

SINCE = dict.fromkeys(("B24", "B25", "B26", "B27"), "1.9-3")
"""The version that brought a defect, where the oldest known one does not have it."""

_SIGNS = (
    ("single unique value", "A1"),
    ("x1, x2, and xsyn must be numeric", "B20"),
    ("dim(X) must have a positive length", "B16"),
    ("error in the adjust", "B3"),
    ("do not match", "A9"),
    ("incorrect number of dimensions", "B17"),
    ("non-conformable", "B9"),
    ("x must be a factor", "B8"),
    ("not enough 'y' data", "B6"),
    ("must be variables in data", "names"),
    ("contrasts can be applied only to factors", "constant"),
)


def explain_error(text: str) -> tuple[str, ...]:
    """Return the number of the defect behind an error of synthpop's, if it is a known one.

    Examples
    --------
    >>> explain_error("x1, x2, and xsyn must be numeric")
    ('B20',)
    """
    return tuple(number for sign, number in _SIGNS if sign in text)[:1]


def named_in(verdicts: Iterable[str]) -> dict[str, str]:
    """Return the defects that verdicts name by number, each with its words.

    Examples
    --------
    >>> named_in(["equal", "differs as documented: B11", "not compared: R was killed"])
    {'B11': 'some parameters are ignored or applied in another order than given'}
    """
    texts = " ".join(verdict.partition("as documented: ")[2] for verdict in verdicts)
    words_used = set(re.findall(r"\w+", texts))
    return {number: words for number, words in DEFECTS.items() if number in words_used}


def of_answer(version: str, *, sizes: Sequence[int], left_out: bool) -> tuple[str, ...]:
    """Return the defects of disclosure() in this version, by the sizes of the data sets.

    Examples
    --------
    >>> of_answer("1.9-3", sizes=(10, 8), left_out=False)
    ('B25', 'B26')
    >>> of_answer("1.9-2", sizes=(10, 8), left_out=True)
    ()
    """
    shown = {"B25": len(set(sizes)) > 1, "B26": True, "B27": left_out}
    return tuple(n for n, there in shown.items() if there and nearest(version) >= SINCE[n])


def of_data(data: Harmonised) -> tuple[str, ...]:
    """Return the defects that the data themselves can trigger, though made comparable."""
    numbers = []
    for variable in data.variables.values():
        parts = variable.values or variable.codes
        missing = any(map(variable.has_missing, range(len(parts))))
        if variable.only_syntheses_miss:
            numbers.append("A9")
        if variable.only_syntheses_miss and variable.kind is Kind.NUMBER:
            numbers.append("B6")
        if missing and variable.kind in (Kind.BOOLEAN, Kind.DATE):
            numbers.append("B6")
        if variable.kind is Kind.NUMBER:
            plain = np.concatenate([part[~np.isnan(part)] for part in parts])
            usable = plain[~np.isin(plain, variable.missing_codes)]
            if len(usable) and bool(np.all(usable == usable[0])):
                numbers.append("A1")
        elif variable.kind in (Kind.DATE, Kind.BOOLEAN):
            sets = [set(part[part == part].tolist()) for part in parts]  # noqa: PLR0124  (NaN)
            if any(values != sets[0] for values in sets[1:]):
                numbers.append("B1")
        elif variable.levels and "Missing" in variable.levels and missing:
            numbers.append("B8")
    if len(set(data.sizes[1:])) > 1:
        numbers.append("B20")
    return tuple(sorted(set(numbers), key=lambda number: (number[0], int(number[1:]))))
