"""The tests as published: the printed formula, and a decision wherever the paper leaves a gap."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sdcmetrics.errors import NotComputable
from sdcmetrics.measures.crosstables.chi_square import (
    ChiSquare,
    groups_tested,
    printed_chi_square,
)
from sdcmetrics.measures.crosstables.key_counting import index_keys
from sdcmetrics.measures.exchangeable import LabelTest, label_test
from sdcmetrics.measures.neighbours import within_one_column
from sdcmetrics.measures.survey.households import Households
from sdcmetrics.microdata.arrays import Counts, Floats
from sdcmetrics.microdata.coding import Coded, CodedVariable
from sdcmetrics.results import Share
from sdcmetrics.suites.daisynt.famd import famd
from sdcmetrics.suites.daisynt.information_value import predictive_power
from sdcmetrics.suites.daisynt.linkability_distance import (
    LinkabilityDistance,
    linkability_distance,
)
from sdcmetrics.suites.daisynt.one_variable import discrepancy
from sdcmetrics.suites.daisynt.outcome import Score, SuiteTest
from sdcmetrics.suites.daisynt.predictive import PREDICTIVE
from sdcmetrics.suites.daisynt.sets import HOLDOUT, ORIGINAL, SYNTHETIC, Sets

Codes = npt.NDArray[np.integer[Any]]

_NEARLY_ALL = 0.95
"""Where more of the pool is close, as in data of few columns, nobody stands out by it."""


def close_rows(training: Codes, synthetic: Codes) -> Share:
    """Synthetic records that differ from some training record in at most one column.

    Parameters
    ----------
    training, synthetic : int arrays of shape (columns, records)
        Codes; numbers cut into groups.

    Returns
    -------
    Share
        DAISYnt's score is 1 less its proportion.

    Examples
    --------
    >>> close_rows(np.array([[0, 1], [0, 1], [0, 1]]), np.array([[0, 2], [0, 2], [1, 0]]))
    Share(count=1, total=2)
    """
    near = within_one_column(synthetic, training)
    return Share(int(near.sum()), len(near))


def close_to_replica(
    training: Codes, synthetic: Codes, holdout: Codes, *, households: Households | None = None
) -> LabelTest:
    """Real records that differ from some synthetic record in at most one column, by label.

    The published share looks from the replica to the training data, and real people who were never
    used come out as a leak. This looks from people to the replica: whether the replica has a
    record close to somebody does not depend on the number of training or holdout records, so that
    the test of the labels is exact.

    Raises
    ------
    NotComputable
        If more than 95 % of all real records are close.

    Notes
    -----
    The groups of the codes must not depend on who was trained on: cut numbers by training and
    holdout data together.
    """
    inside, outside = (within_one_column(real, synthetic) for real in (training, holdout))
    test = label_test(np.append(inside, outside), len(inside), households)
    if test.training + test.holdout > _NEARLY_ALL * (len(inside) + len(outside)):
        msg = "more than 95 % of all real records are close to a synthetic record"
        raise NotComputable(msg)
    return test


_SAMPLE = 1_000
"""Records per data set of the test by MMD: the paper leaves it to the user."""
_ALPHA = 0.05


def _counts(variable: CodedVariable, part: int) -> Counts:
    return np.bincount(variable.parts[part], minlength=variable.size)


def _iv(sets: Sets) -> Score:
    coded = sets.grouped([sets.test], "linear")
    outcome = sets.outcome
    names = [name for name in coded.variables if name != sets.predicted]

    def tables(part: int) -> list[Counts]:
        with_outcome = outcome[part] >= 0
        out = []
        for name in names:
            variable = coded.variables[name]
            cells = variable.parts[part][with_outcome].astype(np.int64)
            cells += outcome[part][with_outcome] * variable.size
            out.append(np.bincount(cells, minlength=2 * variable.size).reshape(2, -1))
        return out

    powers = predictive_power(tables(sets.test), tables(SYNTHETIC))
    added = [name for name, yes in zip(names, powers.added, strict=True) if yes]
    return Score(
        powers.raw,
        {
            "IV_test": dict(zip(names, powers.test.tolist(), strict=True)),
            "IV_synthetic": dict(zip(names, powers.synthetic.tolist(), strict=True)),
        },
        f"0.5 added to every count of {', '.join(added)}" if added else "",
    )


def _share(tests: dict[str, bool], skipped: list[str]) -> Score:
    if not tests:
        msg = "the conditions of the test hold for no variable"
        raise NotComputable(msg)
    accepted = sum(tests.values())
    evidence = {
        "accepted": accepted,
        "tested": len(tests),
        "rejected": [name for name, good in tests.items() if not good],
    }
    note = f"not tested: {', '.join(skipped)}" if skipped else ""
    return Score(accepted / len(tests), evidence, note)


def _by_table(sets: Sets, coded: Coded) -> tuple[dict[str, bool], list[str]]:
    tests, skipped = {}, []
    for name, variable in coded.variables.items():
        result = printed_chi_square(_counts(variable, sets.test), _counts(variable, SYNTHETIC))
        if result.tested:
            tests[name] = result.accepted(_ALPHA)
        else:
            skipped.append(name)
    return tests, skipped


def _mmd(sets: Sets) -> Score:
    coded = Coded(sets.codes, sets.data.sizes)
    tests, skipped = _by_table(sets, coded)
    for name, parts in sets.values.items():
        rng = sets.rng(f"D_uni_mmd {name}")
        drawn: list[Floats] = []
        for part in (sets.test, SYNTHETIC):
            present = parts[part][~np.isnan(parts[part])]
            most = min(_SAMPLE, len(present))
            drawn.append(present[rng.choice(len(present), most, replace=False)])
        try:
            tests[name] = discrepancy(*drawn, rng=rng, published=True).p_value > _ALPHA
        except NotComputable:
            skipped.append(name)
    for name, flags in sets.flags.items():
        test, synthetic = (np.bincount(flags[i], minlength=2) for i in (sets.test, SYNTHETIC))
        result = printed_chi_square(test, synthetic)
        if result.tested:
            tests[f"{name} missing"] = result.accepted(_ALPHA)
    return _share(tests, skipped)


def _bins(sets: Sets) -> Score:
    return _share(*_by_table(sets, sets.grouped([sets.test], "linear")))


def _groups(sets: Sets) -> Score:
    names = sets.categories
    coded = Coded(sets.codes, sets.data.sizes)

    def test(group: tuple[int, ...]) -> ChiSquare:
        index = index_keys(coded, [names[i] for i in group])
        counts = [np.bincount(index.parts[i], minlength=index.size) for i in (sets.test, SYNTHETIC)]
        return printed_chi_square(*counts)

    result = groups_tested(len(names), test)
    tests = {
        ", ".join(names[i] for i in key): test.accepted(_ALPHA)
        for key, test in result.tests.items()
    }
    score = _share(tests, [])
    note = "larger groups were not tested" if result.capped else ""
    return Score(score.raw, {k: v for k, v in score.evidence.items() if k != "rejected"}, note)


def _cloned(sets: Sets) -> Score:
    cloned = np.isin(sets.identities[SYNTHETIC], sets.identities[ORIGINAL])
    evidence = {"cloned": int(cloned.sum()), "records": len(cloned)}
    return Score(1 - float(cloned.mean()), evidence)


def _close(sets: Sets) -> Score:
    coded = sets.grouped([ORIGINAL], "linear").variables.values()
    training, synthetic = (
        np.array([variable.parts[part] for variable in coded]) for part in (ORIGINAL, SYNTHETIC)
    )
    close = close_rows(training, synthetic)
    return Score(1 - close.proportion, {"close": close.count, "records": close.total})


def _points(sets: Sets, reference: list[int]) -> tuple[Floats, Floats, Floats]:
    """Return the data sets as points on the axes of all real records.

    What is missing is replaced by the mean over `reference`, with a flag as a further number.
    """
    numbers = [*sets.filled(reference).values()]
    numbers += [tuple(flag.astype(np.float64) for flag in parts) for parts in sets.flags.values()]
    codes = [tuple(p.astype(np.int64) for p in coded.parts) for coded in sets.codes.values()]
    axes = famd(
        [np.concatenate([parts[ORIGINAL], parts[HOLDOUT]]) for parts in numbers],
        [np.concatenate([parts[ORIGINAL], parts[HOLDOUT]]) for parts in codes],
    )
    training, synthetic, holdout = (
        axes.project([parts[i] for parts in numbers], [parts[i] for parts in codes])
        for i in (ORIGINAL, SYNTHETIC, HOLDOUT)
    )
    return training, synthetic, holdout


def link(sets: Sets, reference: list[int]) -> LinkabilityDistance:
    """Compare distances of training and holdout records to the replica."""
    households = sets.households_of(ORIGINAL, HOLDOUT) if sets.has_holdout else None
    return linkability_distance(*_points(sets, reference), seed=sets.seed, households=households)


def _link(sets: Sets) -> Score:
    linked = link(sets, [ORIGINAL])
    evidence = {"AUC": linked.auc, "1 - AUC": linked.printed, "epsilon": linked.epsilon}
    closer = "the holdout is closer than the training data" if linked.auc < 0.5 else ""  # noqa: PLR2004
    return Score(linked.raw, evidence, closer)


PUBLISHED: tuple[SuiteTest, ...] = (
    PREDICTIVE["D_corr"],
    SuiteTest("D_iv", "Predictive power", "General", "basic", _iv, of_test=True),
    SuiteTest(
        "D_uni_mmd",
        "Univariate distributions (MMD)",
        "Distributions",
        "in-depth",
        _mmd,
        of_test=True,
    ),
    SuiteTest(
        "D_uni_chi2",
        "Univariate distributions (bins)",
        "Distributions",
        "basic",
        _bins,
        of_test=True,
    ),
    SuiteTest("D_multi_cat", "Multi-categorical", "Distributions", "basic", _groups, of_test=True),
    PREDICTIVE["D_multi_num"],
    PREDICTIVE["D_disc"],
    PREDICTIVE["D_aggregate"],
    PREDICTIVE["D_single"],
    PREDICTIVE["D_cka"],
    SuiteTest("D_cloned", "Cloned rows", "Privacy", "basic", _cloned),
    SuiteTest("D_close", "Close rows", "Privacy", "basic", _close),
    SuiteTest(
        "D_link_distance", "Linkability by distance", "Privacy", "basic", _link, holdout=True
    ),
    PREDICTIVE["D_link_error"],
    PREDICTIVE["D_inference"],
)
