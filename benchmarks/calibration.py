"""Every p, interval and expectation that this package gives, put to data whose truth is known.

    python benchmarks/calibration.py [--rounds 16] [--seed 1]
    python benchmarks/calibration.py --again members    # of members alone; or rules, one_sided
    python benchmarks/calibration.py --page    # write the page again from the recorded table

Populations of five kinds are drawn from, again and again: original, replica and holdout of equal
and of unequal sizes. Where the replica is fresh, a p of at most 0.05 may come up in 5 % of the
draws, an expectation is the mean, and a 95 % interval holds the truth in 95 %; where the replica
holds people of the original, the p is to find them. What is tried is read from the registry
(`Measure.tested`) and from `EVIDENCE` below. It goes in rounds over everything, of some minutes
each on one core; after each it writes benchmarks/calibration.csv and docs/every-p-tested.md, so
that it can be stopped at any time. Started again it goes on after the last round that is in
benchmarks/calibration.drawn.csv, or whatever `--drawn` says; remove that file to start anew.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy
from calibration_data import (
    CONDITIONS,
    KINDS,
    MODELS,
    RULES,
    SIZES,
    Condition,
    Frame,
    Rng,
    Sets,
    Sizes,
    others,
    overlap,
)
from calibration_page import LEVEL, page
from scipy import stats

import sdcmetrics as sdc
from sdcmetrics.measures.attacks.belonging import belonging
from sdcmetrics.measures.attacks.membership import infer_membership, member_difference
from sdcmetrics.measures.attacks.people import people
from sdcmetrics.measures.attacks.result import AttackResult
from sdcmetrics.measures.measure import Measure
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.rules.check_rules import check_pair
from sdcmetrics.measures.rules.outcome import rule_p
from sdcmetrics.measures.rules.rule import make_rules
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.ranking.uncertainty import (
    between_syntheses,
    interval_ends,
    intervals,
    leave_records_out,
)
from sdcmetrics.ranking.values import Values, collect, review_entries
from sdcmetrics.review.people import held_in
from sdcmetrics.study.criteria import criterion
from sdcmetrics.suites.daisynt.corrected import CORRECTED
from sdcmetrics.suites.syntheval.shifts import shift_of_counts, shift_of_numbers

HERE = Path(__file__).parent
TABLE = HERE / "calibration.csv"
PAGE = HERE.parent / "docs" / "every-p-tested.md"

Z = float(stats.norm.ppf(0.975))

# What is stated of one draw.


class Statement(NamedTuple):
    """One number, and what it states.

    `expected` is the mean that is stated, `error` a standard error; NaN where there is none.
    """

    name: str
    states: str
    value: float
    expected: float = math.nan
    error: float = math.nan


@dataclass
class Seen:
    """One draw under one condition, measured."""

    kind: str
    sizes: Sizes
    condition: str
    sets: Sets
    seed: int

    @cached_property
    def review(self) -> sdc.Review:
        """Everything a study measures."""
        study = sdc.Study(
            self.sets.original,
            {"replica": self.sets.syntheses},
            keys=["a", "b"],
            targets=["t"],
            holdout=self.sets.holdout,
            models=MODELS.get(self.kind, []),
            propensity=True,
            distributions={"groups": ["b"], "permutations": 199},
            perturbed=(),
            candidates=0,
            permutations=199,
            seed=self.seed,
        )
        return sdc.conduct(study)

    @cached_property
    def rows(self) -> Frame:
        """Rows of the measures that state something."""
        rows = self.review.mean_rows()
        return rows[rows["value"].notna()]

    @property
    def m(self) -> float:
        """Records of a synthesis."""
        return float(np.mean([len(synthesis) for synthesis in self.sets.syntheses]))


def of_measures(seen: Seen, measures: Mapping[str, Measure] = sdc.MEASURES) -> Iterator[Statement]:
    """Read what measures state of fresh data, as they declare it."""
    n, m = len(seen.sets.original), seen.m
    rows = seen.rows
    cells = rows[rows["metric"] == "df"].set_index("variables")["value"]
    for row in rows[
        rows["metric"].isin([s for s, measure in measures.items() if measure.tested])
    ].to_dict("records"):
        measure, value = measures[row["metric"]], row["value"]
        name = measure.symbol
        if measure.of.per == "table":
            filled = min(n, m) >= 5 * (cells[row["variables"]] + 1)
            name += " where a cell has 5 records" if filled else " in sparse tables"
        for states in measure.tested:
            if states in ("p", "z"):
                yield Statement(measure.symbol, states, value)
            elif states == seen.condition:
                k = cells.get(row["variables"], math.nan) + 1
                expected = _expected(measure, seen, k)[states]
                if states == "fresh" and not math.isnan(row["fresh"]):
                    expected = row["fresh"]
                yield Statement(name, states, value, expected)


def of_marks(seen: Seen) -> Iterator[Statement]:
    """Read what a copy and the holdout score beside a measure, where rows have these marks."""
    rows = seen.rows
    at, fresh = (rows.get(name, rows["value"] * math.nan) for name in ("at", "fresh"))
    for row in rows[at.notna() & fresh.notna()].to_dict("records"):
        name = row["metric"]
        yield Statement(f"{name} beside the holdout", "p", row["p"])
        yield Statement(f"{name} of as many records", "fresh", row["value_at"], row["fresh"])
    for row in rows[rows.get("outsiders_p", rows["value"] * math.nan).notna()].to_dict("records"):
        yield Statement(f"{row['metric']} beside outsiders", "p", row["outsiders_p"])


def _expected(measure: Measure, seen: Seen, k: float) -> dict[str, float]:
    """Return what `fresh`, or the text of a measure, says of both nulls."""
    n, m, h = len(seen.sets.original), seen.m, len(seen.sets.holdout)
    if measure.fresh is not None:
        of_fresh = measure.fresh(n, m)
        return {"fresh": of_fresh, "drawn": of_fresh / (1 + m / n) * (n + m - 1) / (n + m)}
    ratio = m * len(seen.sets.syntheses) / n
    root = math.sqrt(2 / math.pi)
    means = {
        "DCR_share": {"fresh": n / (n + h)},
        "S_WMabsDD": {
            "drawn": math.sqrt(k / (k - 1)),
            "fresh": math.sqrt((1 + m / n) * k / (k - 1)),
        },
        "std_diff": {"drawn": root / math.sqrt(ratio), "fresh": root * math.sqrt(1 + 1 / ratio)},
        "lack_of_fit": {"drawn": 1.0, "fresh": 1 + ratio},
    }
    return means[measure.symbol]


def of_evidence(seen: Seen) -> Iterator[Statement]:
    """Read what stands beside measures: tests, standard errors, expectations."""
    beside = seen.review.fresh
    assert beside is not None  # noqa: S101  (there is a holdout)
    if seen.condition == "fresh":
        yield from of_holdout(seen, beside.check)
        permutation = beside.closest["replica", 1].permutation
        name = "DCR_share beside permuted labels"
        yield Statement(name, "fresh", permutation.observed, permutation.mean)
    for ways, row in beside.fidelity["replica"].iterrows():
        name = f"marginal_fidelity, {ways}-way:"
        below = stats.norm.cdf((row["tvd"] - row["fresh_tvd"]) / row["se"]) if row["se"] else 0.0
        yield Statement(f"{name} closer than fresh data", "p", below)
        if seen.condition == "fresh":
            yield Statement(f"{name} fresh_tvd", "fresh", row["tvd"], row["fresh_tvd"])
            for of, error in (("tvd", "se"), ("holdout_tvd", "holdout_se"), ("ratio", "ratio_se")):
                yield Statement(f"{name} {error}", "interval", row[of], error=row[error])
    for fit in seen.review.fits.values():
        if fit.lack_of_fit is not None and seen.condition in ("drawn", "copy", "swapped"):
            yield Statement("fit_overlap: lack_of_fit", "p of draws", fit.lack_of_fit.p_value)


def of_broken_rules(seen: Seen) -> Iterator[Statement]:
    """Read whether rules that the original breaks are broken more often; by household if known."""
    sets = [as_microdata(data, f"data {i}") for i, data in enumerate(seen.sets.syntheses)]
    pair = Pair("replica", as_microdata(seen.sets.original, "original"), sets)
    homes = pd.factorize(seen.sets.original["x"])[0] if seen.kind == "households" else None
    for outcome in check_pair(make_rules(RULES[seen.kind]), pair, homes):
        p = min(rule_p(outcome.original, counts) for counts in outcome.syntheses)
        yield Statement("rule_p", "p", min(1.0, p * len(sets)))


ONE_SIDED = {
    "y beyond the range of the replica": "ends that the original alone has",
    "y beyond the range of the original": "ends that the replica alone has",
    "values of y in the original only": "values that the original alone has",
    "values of y in the replica only": "values that the replica alone has",
    "missing values of y in one file only": "missing values of one file alone",
}


def of_one_sided(seen: Seen) -> Iterator[Statement]:
    """Read how odd the ends of columns are, and values that one file alone has; by household."""
    homes = seen.kind == "households"
    columns = [name for name in seen.sets.original.columns if not (homes and name == "x")]
    tables = sdc.equal_tables(
        seen.sets.original,
        seen.sets.syntheses[0],
        variables=columns,
        cluster="x" if homes else None,
        ways=1,
    ).frame
    p = tables.set_index("variables")["p"]
    for table, name in ONE_SIDED.items():
        if table in p:
            yield Statement(name, "p", p[table])


NOTICE = "notice: people of the original"


def of_notice(seen: Seen) -> Iterator[Statement]:
    """Read whether page, terminal and decision say that the replica holds people of the original.

    Several tests and counts at small levels stand behind it: it may come up for 5 in 100 fresh
    replicas at the very most.
    """
    for claim in held_in(seen.review).values():
        yield Statement(NOTICE, "p", 0.0 if claim.alarming else 1.0)


def of_holdout(seen: Seen, check: sdc.HoldoutCheck | None = None) -> Iterator[Statement]:
    """Read whether the holdout is a random part of the same data, whatever the replica."""
    if check is None:
        check = sdc.check_holdout(seen.sets.original, seen.sets.holdout, seed=seen.seed)
    for name in ("p_more", "p_fewer", "p_population"):
        yield Statement(f"check_holdout: {name}", "p", getattr(check, name))


def of_attacks(seen: Seen) -> Iterator[Statement]:
    """Read what attacks say of those who were in the original, beside the holdout as control."""
    sets = (seen.sets.original, seen.sets.syntheses[0], seen.sets.holdout)
    drawn: Any = {"permutations": 199, "seed": seen.seed}
    yield from of_members(seen)
    for result in (
        sdc.exact_matches(*sets),
        sdc.attribute_inference(*sets, target="t", learner="cart", **drawn),
        sdc.singling_out(*sets, **drawn),
        sdc.linkability(*sets, keys=["a", "b"], other_keys=["x", "y"], **drawn),
    ):
        yield from _of_attack(seen, result)


def of_members(seen: Seen) -> Iterator[Statement]:
    """Read what the attack on members says, and its test where no row belongs to another."""
    sets = (seen.sets.original, seen.sets.syntheses[0], seen.sets.holdout)
    data = people(*sets)
    result = infer_membership(data, seed=seen.seed)
    whoever = result.p_value
    if math.isnan(whoever):  # not judged, where rows belong together: it accuses nobody
        result = replace(result, p_value=1.0)
    if result.notes:
        whoever = member_difference(data, seed=seen.seed).p_value
    yield from _of_attack(seen, result)
    yield Statement("membership: p whoever belongs together", "p", whoever)
    rows = belonging(data, seed=seen.seed)
    if rows is not None and seen.condition == "fresh":
        yield Statement("membership: rows belong together", "p", rows.p_value)


def _of_attack(seen: Seen, result: AttackResult) -> Iterator[Statement]:
    yield Statement(f"{result.attack.replace(' ', '_')}_p", "p", result.p_value)
    if seen.condition == "fresh" and not math.isnan(result.interval[0]):
        low, high = result.interval
        yield Statement(f"{result.attack}: interval", "holds", float(low <= 0.0 <= high))


DECIDED = {
    "Alignment.p",
    "Cells.p",
    "Equal.p_label",
    "Equal.p_twins",
    "EqualRows.p",
    "Exchange.p",
    "IdentifierHit.p",
    "KeptTable.p",
    "Near.p_avoided",
    "Near.p_label",
    "Near.p_twins",
    "Nearness.p",
    "Question.p",
    "Repeated.p",
    "Table.adjusted_p",
    "Table.p",
}
"""p that decisions are composed of: benchmarks/decisions.py has the rates of whole decisions."""

EVIDENCE = {
    "Belonging.p_value": "membership: rows belong together",
    "ChiSquare.p_value": "chi2_V_p",
    "Discrepancy.p_value": "mean_MMD_p",
    "ErrorGap.p_value": "MIA_error_AUC_p",
    "Finding.p": "chi2_V_p",
    "InferenceRisk.p_value": "inference_excess_p",
    "LinkabilityDistance.nearest_p": "MIA_AUC_p",
    "PowerGap.ccc_p": "IV_ccc_p",
    "PowerGap.gap_p": "IV_gap_p",
    "_Compared.p_value": "energy_p",
    "AttackResult.p_value": "membership_p",
    "Difference.p_value": "membership: p whoever belongs together",
    "EnergyDistance.p_value": "energy_p",
    "HoldoutCheck.p_more": "check_holdout: p_more",
    "HoldoutCheck.p_fewer": "check_holdout: p_fewer",
    "HoldoutCheck.p_population": "check_holdout: p_population",
    "LabelTest.p_value": "identical_p",
    "LackOfFit.p_value": "fit_overlap: lack_of_fit",
    "Shift.p": "syntheval: p of one column",
    "References.outsiders_p": "DiSCO beside outsiders",
    "References.p": "DiSCO beside the holdout",
    "SharePermutation.p_value": "DCR_p",
    "Trained.gap_p": "TSTR_p",
    "_Step.p_value": "backward_elimination: p_value of a term",
}
"""Every p of a result, and the name under which it is in the table."""


# What no review holds: each is tried on its own, at the first sizes.


def of_propensity(rng: Rng, kind: str) -> Iterator[Statement]:
    """Try what resampling and variables say of fresh data."""
    first, other = KINDS[kind](rng, 300), KINDS[kind](rng, 400)
    seed = int(rng.integers(2**31))
    tree = sdc.utility_gen(first, other, method="cart", nperms=20, seed=seed)
    yield Statement("utility_gen, cart: S_pMSE by permutations", "fresh", tree.s_p_mse, 2.0)
    logit = sdc.utility_gen(first, other, method="logit", maxorder=0)
    lost = float(logit.by_variable["S_lost"].mean())
    yield Statement("utility_gen, logit: S_lost of a variable", "fresh", lost, 1 + 400 / 300)


def of_rules(rng: Rng, kind: str) -> Iterator[Statement]:
    """Search unrelated columns for relations: one search in a hundred may find one."""
    first, other = (_unrelated(KINDS[kind](rng, 300), rng) for _ in range(2))
    result = sdc.find_rules(first, other)
    several = [rule for rule in result.rules if not math.isnan(rule.expected)]
    yield Statement("find_rules: a relation among unrelated columns", "p", 0.0 if several else 1.0)


def _unrelated(frame: Frame, rng: Rng) -> Frame:
    return frame.apply(lambda column: rng.permutation(column.to_numpy()))


RANKED = ("repU", "DiSCO", "DCAP", "S_pMSE_one_way", "TVD_one_way")


def of_ranking(rng: Rng, kind: str) -> Iterator[Statement]:
    """Try whether intervals hold the mean over true draws, beside one original."""
    original, count = KINDS[kind](rng, 300), 10
    for words, m in (("replicates", 1), ("syntheses", 3)):
        sets = {f"r{i}": [KINDS[kind](rng, 300) for _ in range(m)] for i in range(count)}
        review, values = _ranked(original, sets)
        truth = (values.table.sum(axis=0) - values.table) / (count - 1)  # of the others
        seed = int(rng.integers(2**31))
        if m == 1:  # to leave records out takes a review each time, so of three
            review, values = _ranked(original, dict(list(sets.items())[:3]))
            without = leave_records_out(review, values, times=20, seed=seed)
            low, high = interval_ends(values, without, 0.95)
        else:
            moved = between_syntheses(review, values, times=2000, seed=seed)
            assert moved is not None  # noqa: S101  (there are three of each)
            low, high = intervals(moved, 0.95)
        for j, column in enumerate(values.criteria):
            for i in range(len(values.replicas)):
                if not math.isnan(low[i, j]):
                    held = low[i, j] <= truth[i, j] <= high[i, j]
                    yield Statement(
                        f"compare_replicas, {words}: {column.name}", "holds", float(held)
                    )


def _ranked(original: Frame, sets: Mapping[str, Sequence[Frame]]) -> tuple[sdc.Review, Values]:
    study = sdc.Study(original, sets, keys=["a", "b"], targets=["t"], ways=(1,), candidates=0)
    review = sdc.conduct(study)
    criteria = [criterion(name) for name in RANKED]
    return review, collect(review_entries(review, criteria), criteria, review.replicas)


def of_terms(rng: Rng, kind: str) -> Iterator[Statement]:
    """Try the p of a term that explains nothing."""
    frame = KINDS[kind](rng, 150).assign(z=rng.normal(size=150))
    numbers = kind != "categorical"
    left = sdc.backward_elimination(
        frame,
        formula="y ~ z" if numbers else "t ~ z",
        family="gaussian" if numbers else "binomial",
        criterion="p",
        alpha=0.0,
    )
    yield Statement(
        "backward_elimination: p_value of a term", "p", float(left.path["p_value"].iloc[1])
    )


def of_syntheval(rng: Rng, kind: str) -> Iterator[Statement]:
    """Try the p values of SynthEval's metrics, and what they state of the holdout."""
    for words, m, h in (("", 300, 300), (" of unequal sizes", 600, 120)):
        sets = [KINDS[kind](rng, n) for n in (300, m, h)]
        metrics = ["ks_test", "mmd", "nnaa", "nndr", "eps_risk", "hit_rate", "dcr"]
        figures = sdc.syntheval(*sets, metrics=metrics, seed=int(rng.integers(2**31)))
        value, error = figures["value"], figures["error"]
        yield Statement(f"ks_tvd_p{words}", "p", value["ks_test", "smallest p"])
        yield Statement(f"mmd_p{words}", "p", value["mmd", "p"])
        for name in ("nndr", "eps_risk", "hit_rate"):
            held = abs(value[name, "priv_loss"]) <= Z * error[name, "priv_loss"] + 1e-12
            yield Statement(
                f"syntheval: interval of the loss of {name}{words}", "holds", float(held)
            )
        yield Statement(f"syntheval: nnaa{words}", "fresh", value["nnaa", "avg"], 0.5)
        loss = 0.5 + value["nnaa", "priv_loss"]  # beside one half, so that it has a ratio
        yield Statement(f"syntheval: loss of nnaa{words}", "fresh", loss, 0.5)
        if kind == "numeric":  # where records have duplicates a median of 0 is usual
            yield Statement(f"syntheval: mDCR{words}", "fresh", value["dcr", "mDCR"], 1.0)
    original, replica = (KINDS[kind](rng, n) for n in (300, 200))
    for name in original.columns:
        sides = [frame[name] for frame in (original, replica)]
        if sides[0].dtype.kind == "f":
            shift = shift_of_numbers(sides[0].to_numpy(), sides[1].to_numpy(), rng)
        else:
            both = pd.crosstab(np.repeat([0, 1], [300, 200]), pd.concat(sides).to_numpy())
            shift = shift_of_counts(both.to_numpy()[0], both.to_numpy()[1], rng)
        yield Statement("syntheval: p of one column", "p", shift.p)


def of_prediction(rng: Rng, kind: str) -> Iterator[Statement]:
    """Try the p that a fresh replica teaches less of t than the original does."""
    original, replica, holdout = (KINDS[kind](rng, n) for n in (120, 160, 80))
    result = sdc.prediction(
        original, replica, holdout, targets="t", learners="tree", permutations=39
    )
    yield Statement("TSTR_p", "p", float(result.table["gap_p"].iloc[0]))


def of_daisynt(rng: Rng, kind: str) -> Iterator[Statement]:
    """Try the p of DAISYnt's corrected tests, and what they state of the holdout."""
    roles: Any = {"target": "t", "public": ["a", "b"], "sensitive": ["y"]}
    for words, m, h in (("", 300, 300), (" of unequal sizes", 600, 120)):
        sets = [KINDS[kind](rng, n) for n in (300, m, h)]
        seed = int(rng.integers(2**31))
        outcomes = sdc.daisynt(*sets, **roles, mode="corrected", tests=DAISYNT, seed=seed)
        for symbol, row in outcomes.iterrows():
            yield Statement(f"{symbol}_p{words}", "p", row["p"])
            if symbol in ("rho_mad", "IV_gap", "chi2_V"):
                yield Statement(f"daisynt: {symbol}{words}", "fresh", row["value"], row["fresh"])


def of_sample(rng: Rng, kind: str) -> Iterator[Statement]:
    """Try what is said of a stratified sample with weights, beside the holdout."""
    people, fresh = KINDS[kind](rng, 20_000), KINDS[kind](rng, 400)
    strata = [part for _, part in people.groupby("t")]  # as many of each, so that weights matter
    drawn = [part.sample(150, random_state=rng).assign(w=len(part) / 150) for part in strata]
    original = pd.concat(drawn, ignore_index=True).assign(stratum=np.repeat([0, 1], 150))
    study = sdc.Study(
        original,
        {"replica": fresh},
        keys=["a", "b"],
        models=MODELS.get(kind, []),
        sample={"weight": "w", "strata": "stratum"},
        candidates=0,
        permutations=199,
    )
    rows = sdc.conduct(study, reference_values=False).mean_rows()
    cells = rows[rows["metric"] == "df"].set_index("variables")["value"]
    for row in rows[rows["value"].notna()].to_dict("records"):
        name = row["metric"]
        if name in ("S_pMSE_survey_p", "compare_p", "W1_survey_p"):
            yield Statement(name, "p", row["value"])
        elif name == "S_pMSE_survey" and row["variables"] != ("t",):  # that share is known
            dense = 5 * (cells[row["variables"]] + 1) <= 300  # noqa: PLR2004  (as of_measures)
            name += " where a cell has 5 records" if dense else " in sparse tables"
            yield Statement(name, "fresh", row["value"], 1.0)
        elif name == "std_diff_survey":
            yield Statement(name, "fresh", row["value"], math.sqrt(2 / math.pi))


DAISYNT = [
    test.symbol
    for test in CORRECTED
    if test.symbol not in ("identical", "aggregate_gap", "pred_rho", "CKA_rel")
]
"""What has a p; that of identical records is in every review."""


EXTRAS: Mapping[Callable[[Rng, str], Iterator[Statement]], int] = {
    of_propensity: 4,
    of_rules: 12,
    of_ranking: 1,
    of_terms: 25,
    of_syntheval: 12,
    of_prediction: 8,
    of_daisynt: 12,
    of_sample: 12,
}
"""What is tried on its own, and how many times per kind and round."""


# Many draws, and what they come to.

RUNS = {"fresh": 5, "drawn": 2}
FEW = 1
"""Draws of a round per kind and sizes: a null needs many, power is seen in few."""


def draw_round(
    number: int,
    *,
    seed: int = 1,
    kinds: Sequence[str] = tuple(KINDS),
    sizes: Sequence[Sizes] = SIZES,
    conditions: Sequence[Condition] = CONDITIONS,
    extras: Sequence[Callable[[Rng, str], Iterator[Statement]]] = tuple(EXTRAS),
    readers: Sequence[Callable[[Seen], Iterator[Statement]]] | None = None,
) -> Frame:
    """Draw once under every condition, some of them oftener: one row per statement and draw."""
    rows: list[dict[str, Any]] = []
    for i, kind in ((list(KINDS).index(kind_tried), kind_tried) for kind_tried in kinds):
        for (j, records), (k, condition) in itertools.product(
            enumerate(sizes), enumerate(conditions)
        ):
            runs = RUNS.get(condition.__name__, FEW)
            for run in range(number * runs, (number + 1) * runs):
                rng = np.random.default_rng([seed, i, j, k, run])
                statements = _once(kind, records, condition, rng, readers)
                rows += _rows(statements, kind, str(records), condition.__name__)
        for k, extra in enumerate(extras):
            for run in range(number * EXTRAS[extra], (number + 1) * EXTRAS[extra]):
                rng = np.random.default_rng([seed, i, 99, k, run])
                rows += _rows(extra(rng, kind), kind, "", "fresh")
    return pd.DataFrame(rows).assign(round=number)


READERS = (
    of_measures,
    of_marks,
    of_evidence,
    of_broken_rules,
    of_one_sided,
    of_notice,
    of_attacks,
)


def _once(
    kind: str,
    sizes: Sizes,
    condition: Condition,
    rng: Rng,
    readers: Sequence[Callable[[Seen], Iterator[Statement]]] | None = None,
) -> Iterator[Statement]:
    draw = KINDS[kind]
    sets = Sets(
        draw(rng, sizes.n), [draw(rng, sizes.m) for _ in range(sizes.syntheses)], draw(rng, sizes.h)
    )
    seed = int(rng.integers(2**31))
    seen = Seen(kind, sizes, condition.__name__, condition(sets, rng), seed)
    if condition in (overlap, others):
        yield from of_holdout(seen)
        return
    for read in readers or READERS:
        yield from read(seen)


def _rows(
    statements: Iterable[Statement], kind: str, sizes: str, condition: str
) -> Iterator[dict[str, Any]]:
    """Yield what one draw says; tables of one draw are no independent draws, so their mean."""
    by_name: dict[tuple[str, str], list[Statement]] = defaultdict(list)
    for statement in statements:
        if not math.isnan(statement.value):
            by_name[statement.name, statement.states].append(statement)
    where = {"kind": kind, "sizes": sizes, "condition": condition}
    for key, values in by_name.items():
        if key[1] in ("fresh", "drawn"):
            value, expected = (
                float(np.mean([statement[i] for statement in values])) for i in (2, 3)
            )
            values = [Statement(*key, value, expected)]  # noqa: PLW2901
        yield from ({**where, **statement._asdict()} for statement in values)


def sum_up(drawn: Frame) -> Frame:
    """Sum up all rounds: one row per statement, kind, sizes and condition."""
    rows = []
    by = ["name", "states", "kind", "sizes", "condition"]
    for (name, states, kind, sizes, condition), draws in drawn.groupby(by, sort=False):
        value, expected, error = (
            draws[column].to_numpy(np.float64) for column in ("value", "expected", "error")
        )
        rows.append(
            {
                "statement": name,
                "states": states,
                "kind": kind,
                "sizes": sizes,
                "condition": condition,
                "draws": len(draws),
                "wrong": _wrong(str(states), value, error),
                "mean": value.mean(),
                "sd": _spread(value - expected if states in ("fresh", "drawn") else value),
                "expected": expected.mean(),
            }
        )
    return pd.DataFrame(rows)


def _spread(values: npt.NDArray[np.float64]) -> float:
    return float(values.std(ddof=1)) if len(values) > 1 else math.nan


def _wrong(states: str, value: npt.NDArray[np.float64], error: npt.NDArray[np.float64]) -> float:
    """Count rejections, or intervals that miss; NaN for an expectation."""
    if states in ("p", "p of draws"):
        return float((value <= LEVEL + 1e-12).sum())
    if states == "z":
        return float((value >= stats.norm.isf(LEVEL)).sum())
    if states == "interval":
        return float((np.abs(value - value.mean()) > Z * error).sum())
    return float((value == 0).sum()) if states == "holds" else math.nan


def main() -> None:
    """Run the bench, record the table and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=16)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--drawn", type=Path, default=HERE / "calibration.drawn.csv")
    parser.add_argument("--page", action="store_true", help="only write the page again")
    parser.add_argument("--again", choices=AGAIN, help="only what is said of these")
    given = parser.parse_args()
    if given.again:
        again((AGAIN[given.again],))
        return
    done = 0
    if not given.page and given.drawn.exists():
        done = int(_read(given.drawn)["round"].max()) + 1
    for number in [] if given.page else range(done, given.rounds):
        start = time.perf_counter()
        rows = draw_round(number, seed=given.seed)
        rows.to_csv(given.drawn, mode="a", header=number == 0, index=False, float_format="%.6g")
        record(sum_up(_read(given.drawn)), number + 1, given.seed)
        print(f"round {number + 1}: {time.perf_counter() - start:.0f} s", flush=True)
    PAGE.write_text(page(recorded()), encoding="utf-8")


AGAIN = {"members": of_members, "rules": of_broken_rules, "one_sided": of_one_sided}


def again(readers: Sequence[Callable[[Seen], Iterator[Statement]]]) -> None:
    """Record anew what some readers say, of the draws that the table rests on; the rest stays."""
    table = recorded()
    rounds, seed = int(table.attrs["rounds"]), int(table.attrs["seed"])
    conditions = [condition for condition in CONDITIONS if condition not in (overlap, others)]
    drawn = [
        draw_round(number, seed=seed, conditions=conditions, extras=(), readers=readers)
        for number in range(rounds)
    ]
    new = sum_up(pd.concat(drawn, ignore_index=True))
    stays = ~table["statement"].isin(new["statement"])
    place = int(np.flatnonzero(~stays)[0]) if not stays.all() else len(table)
    before, after = table[stays & (table.index < place)], table[stays & (table.index >= place)]
    record(pd.concat([before, new, after], ignore_index=True), rounds, seed)


def record(table: Frame, rounds: int, seed: int) -> None:
    """Write the table with its provenance."""
    versions = f"numpy {np.__version__}, scipy {scipy.__version__}, sdcmetrics {sdc.__version__}"
    facts = {
        "when": time.strftime("%Y-%m-%d"),
        "rounds": rounds,
        "seed": seed,
        "versions": versions,
    }
    head = "# " + json.dumps(facts) + "\n"
    TABLE.write_text(head + table.to_csv(index=False, float_format="%.4g"), encoding="utf-8")
    PAGE.write_text(page(recorded()), encoding="utf-8")


def _read(file: Any) -> Frame:
    """Read what a run wrote; the empty text is a text."""
    return pd.read_csv(file, keep_default_na=False, na_values=dict.fromkeys(_NUMBERS, ""))


def recorded() -> Frame:
    """Return the recorded table, with its provenance."""
    with TABLE.open(encoding="utf-8") as file:
        facts = json.loads(file.readline()[2:])
        table = _read(file)
    draws = table[table["sizes"] != ""].groupby(["kind", "sizes", "condition"])["draws"].max()
    table.attrs = {
        **facts,
        "draws": int(draws.sum()),
        "sizes": ", ".join(str(sizes) for sizes in SIZES),
    }
    return table


_NUMBERS = ("draws", "wrong", "mean", "sd", "expected", "value", "error")

if __name__ == "__main__":
    main()
