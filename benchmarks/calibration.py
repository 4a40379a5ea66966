"""Every p, interval and expectation that this package gives, put to data whose truth is known.

    python benchmarks/calibration.py [--size 1] [--seed 1]
    python benchmarks/calibration.py --page    # write the page again from the recorded table

Populations of five kinds are drawn from, again and again: original, replica and holdout of equal
and of unequal sizes. Where the replica is fresh, a p of at most 0.05 may come up in 5 % of the
draws, an expectation is the mean, and a 95 % interval holds the truth in 95 %; where the replica
holds people of the original, the p is to find them. What is tried is read from the registry
(`Measure.tested`) and from `EVIDENCE` below. Writes benchmarks/calibration.csv and
docs/every-p-tested.md. At size 1 it takes half an hour on one core, at size 5 two hours and a half.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
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
from sdcmetrics.measures.measure import Measure
from sdcmetrics.ranking.uncertainty import between_syntheses, intervals, leave_records_out
from sdcmetrics.ranking.values import collect, review_entries
from sdcmetrics.study.criteria import criterion

HERE = Path(__file__).parent
TABLE = HERE / "calibration.csv"
PAGE = HERE.parent / "docs" / "every-p-tested.md"

Z = float(stats.norm.ppf(0.975))

# What is said of one draw.


class Said(NamedTuple):
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
        return float(np.mean([len(one) for one in self.sets.syntheses]))


def of_measures(seen: Seen, measures: Mapping[str, Measure] = sdc.MEASURES) -> Iterator[Said]:
    """Read what measures state of fresh data, as they declare it."""
    n, m = len(seen.sets.original), seen.m
    rows = seen.rows
    cells = rows[rows["metric"] == "df"].set_index("variables")["value"]
    for row in rows[rows["metric"].isin([s for s, one in measures.items() if one.tested])].to_dict(
        "records"
    ):
        measure, value = measures[row["metric"]], row["value"]
        name = measure.symbol
        if measure.of.per == "table":
            filled = min(n, m) >= 5 * (cells[row["variables"]] + 1)
            name += " where a cell has 5 records" if filled else " in sparse tables"
        for states in measure.tested:
            if states in ("p", "z"):
                yield Said(measure.symbol, states, value)
            elif states == seen.condition:
                k = cells.get(row["variables"], math.nan) + 1
                yield Said(name, states, value, _expected(measure, seen, k)[states])


def of_marks(seen: Seen) -> Iterator[Said]:
    """Read what a copy and fresh people score beside a measure, where rows have these marks."""
    rows = seen.rows
    for row in rows[rows.get("at", rows["value"] * math.nan).notna()].to_dict("records"):
        name = row["metric"]
        yield Said(f"{name} beside fresh people", "p", row["p"])
        yield Said(f"{name} of as many records", "fresh", row["value_at"], row["fresh"])
    for row in rows[rows.get("outsiders_p", rows["value"] * math.nan).notna()].to_dict("records"):
        yield Said(f"{row['metric']} beside outsiders", "p", row["outsiders_p"])


def _expected(measure: Measure, seen: Seen, k: float) -> dict[str, float]:
    """Return what `fresh`, or the text of a measure, says of both nulls."""
    n, m, h = len(seen.sets.original), seen.m, len(seen.sets.holdout)
    if measure.fresh is not None:
        of_fresh = measure.fresh(n, m)
        return {"fresh": of_fresh, "drawn": of_fresh / (1 + m / n) * (n + m - 1) / (n + m)}
    ratio = m * len(seen.sets.syntheses) / n
    root = math.sqrt(2 / math.pi)
    said = {
        "DCR_share": {"fresh": n / (n + h)},
        "S_WMabsDD": {
            "drawn": math.sqrt(k / (k - 1)),
            "fresh": math.sqrt((1 + m / n) * k / (k - 1)),
        },
        "std_diff": {"drawn": root / math.sqrt(ratio), "fresh": root * math.sqrt(1 + 1 / ratio)},
        "lack_of_fit": {"drawn": 1.0, "fresh": 1 + ratio},
    }
    return said[measure.symbol]


def of_evidence(seen: Seen) -> Iterator[Said]:
    """Read what stands beside measures: tests, standard errors, expectations."""
    beside = seen.review.fresh
    assert beside is not None  # noqa: S101  (there is a holdout)
    if seen.condition == "fresh":
        yield from of_holdout(seen, beside.check)
        permutation = beside.closest["replica", 1].permutation
        name = "DCR_share beside permuted labels"
        yield Said(name, "fresh", permutation.observed, permutation.mean)
    for ways, row in beside.fidelity["replica"].iterrows():
        name = f"marginal_fidelity, {ways}-way:"
        below = stats.norm.cdf((row["tvd"] - row["fresh_tvd"]) / row["se"]) if row["se"] else 0.0
        yield Said(f"{name} closer than fresh data", "p", below)
        if seen.condition == "fresh":
            yield Said(f"{name} fresh_tvd", "fresh", row["tvd"], row["fresh_tvd"])
            for of, error in (("tvd", "se"), ("holdout_tvd", "holdout_se"), ("ratio", "ratio_se")):
                yield Said(f"{name} {error}", "interval", row[of], error=row[error])
    for fit in seen.review.fits.values():
        if fit.lack_of_fit is not None and seen.condition in ("drawn", "copy", "swapped"):
            yield Said("fit_overlap: lack_of_fit", "p of draws", fit.lack_of_fit.p_value)


def of_holdout(seen: Seen, check: sdc.HoldoutCheck | None = None) -> Iterator[Said]:
    """Read whether the holdout is a random part of the same data, whatever the replica."""
    if check is None:
        check = sdc.check_holdout(seen.sets.original, seen.sets.holdout, seed=seen.seed)
    for name in ("p_more", "p_fewer", "p_population"):
        yield Said(f"check_holdout: {name}", "p", getattr(check, name))


def of_attacks(seen: Seen) -> Iterator[Said]:
    """Read what attacks say of those who were in the original, beside the holdout as control."""
    sets = (seen.sets.original, seen.sets.syntheses[0], seen.sets.holdout)
    drawn: Any = {"permutations": 199, "seed": seen.seed}
    for found in (
        sdc.membership(*sets, seed=seen.seed),
        sdc.exact_matches(*sets),
        sdc.attribute_inference(*sets, target="t", learner="cart", **drawn),
        sdc.singling_out(*sets, **drawn),
        sdc.linkability(*sets, keys=["a", "b"], other_keys=["x", "y"], **drawn),
    ):
        yield Said(found.attack, "p", found.p_value)
        if seen.condition == "fresh" and not math.isnan(found.interval[0]):
            low, high = found.interval
            yield Said(f"{found.attack}: interval", "holds", float(low <= 0.0 <= high))


EVIDENCE = {
    "AttackResult.p_value": "membership",
    "HoldoutCheck.p_more": "check_holdout: p_more",
    "HoldoutCheck.p_fewer": "check_holdout: p_fewer",
    "HoldoutCheck.p_population": "check_holdout: p_population",
    "LabelTest.p_value": "identical_p",
    "LackOfFit.p_value": "fit_overlap: lack_of_fit",
    "Marks.outsiders_p": "DiSCO beside outsiders",
    "Marks.p": "DiSCO beside fresh people",
    "SharePermutation.p_value": "DCR_p",
    "Trained.gap_p": "TSTR_p",
    "_Step.p_value": "backward_elimination: p_value of a term",
}
"""Every p of a result, and the name under which it is in the table."""


# What no review holds: each is tried on its own, at the first sizes.


def of_propensity(rng: Rng, kind: str) -> Iterator[Said]:
    """Try what resampling and variables say of fresh data."""
    one, other = KINDS[kind](rng, 300), KINDS[kind](rng, 400)
    seed = int(rng.integers(2**31))
    tree = sdc.utility_gen(one, other, method="cart", nperms=20, seed=seed)
    yield Said("utility_gen, cart: S_pMSE by permutations", "fresh", tree.s_p_mse, 2.0)
    logit = sdc.utility_gen(one, other, method="logit", maxorder=0)
    lost = float(logit.by_variable["S_lost"].mean())
    yield Said("utility_gen, logit: S_lost of a variable", "fresh", lost, 1 + 400 / 300)


def of_rules(rng: Rng, kind: str) -> Iterator[Said]:
    """Search unrelated columns for relations: one search in a hundred may find one."""
    one, other = (_unrelated(KINDS[kind](rng, 300), rng) for _ in range(2))
    found = sdc.find_rules(one, other)
    several = [one for one in found.found if not math.isnan(one.expected)]
    yield Said("find_rules: a relation among unrelated columns", "p", 0.0 if several else 1.0)


def _unrelated(frame: Frame, rng: Rng) -> Frame:
    return frame.apply(lambda column: rng.permutation(column.to_numpy()))


RANKED = ("repU", "DiSCO", "DCAP", "S_pMSE_one_way", "TVD_one_way")


def of_ranking(rng: Rng, kind: str) -> Iterator[Said]:
    """Try whether intervals hold the mean over true draws, beside one original."""
    for words, m, many in (("replicates", 1, 10), ("syntheses", 3, 10)):
        sets = {f"r{i}": [KINDS[kind](rng, 300) for _ in range(m)] for i in range(many)}
        study = sdc.Study(
            KINDS[kind](rng, 300), sets, keys=["a", "b"], targets=["t"], ways=(1,), candidates=0
        )
        review = sdc.conduct(study)
        criteria = [criterion(name) for name in RANKED]
        values = collect(review_entries(review, criteria), criteria, review.replicas)
        seed = int(rng.integers(2**31))
        if m == 1:
            moved = leave_records_out(review, values, times=20, seed=seed)
        else:
            moved = between_syntheses(review, values, times=2000, seed=seed)
        low, high = intervals(moved, 0.95)
        total = values.table.sum(axis=0)
        truth = (total - values.table) / (many - 1)  # of the others
        for j, one in enumerate(values.criteria):
            for i in range(many):
                held = low[i, j] <= truth[i, j] <= high[i, j]
                yield Said(f"compare_replicas, {words}: {one.name}", "holds", float(held))


def of_terms(rng: Rng, kind: str) -> Iterator[Said]:
    """Try the p of a term that explains nothing."""
    frame = KINDS[kind](rng, 150).assign(z=rng.normal(size=150))
    numbers = kind != "categorical"
    left = sdc.backward_elimination(
        frame,
        "y ~ z" if numbers else "t ~ z",
        family="gaussian" if numbers else "binomial",
        criterion="p",
        alpha=0.0,
    )
    yield Said("backward_elimination: p_value of a term", "p", float(left.path["p_value"].iloc[1]))


def of_prediction(rng: Rng, kind: str) -> Iterator[Said]:
    """Try the p that a fresh replica teaches less of t than the original does."""
    original, replica, holdout = (KINDS[kind](rng, n) for n in (120, 160, 80))
    found = sdc.prediction(
        original, replica, holdout, targets="t", learners="tree", permutations=39
    )
    yield Said("TSTR_p", "p", float(found.table["gap_p"].iloc[0]))


EXTRAS: Mapping[Callable[[Rng, str], Iterator[Said]], int] = {
    of_propensity: 40,
    of_rules: 100,
    of_ranking: 2,
    of_terms: 200,
    of_prediction: 60,
}
"""What is tried on its own, and how many times per kind at size 1."""


# Many draws, and what they come to.

RUNS = {"fresh": 80, "drawn": 30}
FEW = 8
"""Draws per kind and sizes at size 1: a null needs many, power is seen in few."""


def run(
    *,
    size: float = 1.0,
    seed: int = 1,
    kinds: Sequence[str] = tuple(KINDS),
    sizes: Sequence[Sizes] = SIZES,
    conditions: Sequence[Condition] = CONDITIONS,
    extras: Sequence[Callable[[Rng, str], Iterator[Said]]] = tuple(EXTRAS),
    tell: Callable[[str], None] = lambda _: None,
) -> Frame:
    """Draw again and again, and sum up: one row per statement, kind, sizes and condition."""
    rows: list[dict[str, Any]] = []
    for i, kind in ((list(KINDS).index(one), one) for one in kinds):
        for j, records in enumerate(sizes):
            for k, condition in enumerate(conditions):
                runs = math.ceil(size * RUNS.get(condition.__name__, FEW))
                found = [
                    _once(kind, records, condition, np.random.default_rng([seed, i, j, k, number]))
                    for number in range(runs)
                ]
                rows += _sum_up(found, kind, str(records), condition.__name__)
                tell(f"{kind}, {records}, {condition.__name__}")
        for k, extra in enumerate(extras):
            runs = math.ceil(size * EXTRAS[extra])
            rngs = [np.random.default_rng([seed, i, 99, k, number]) for number in range(runs)]
            found = [list(extra(rng, kind)) for rng in rngs]
            rows += _sum_up(found, kind, "", "fresh")
            tell(f"{kind}, {extra.__name__}")
    return pd.DataFrame(rows)


def _once(kind: str, sizes: Sizes, condition: Condition, rng: Rng) -> list[Said]:
    draw = KINDS[kind]
    sets = Sets(
        draw(rng, sizes.n), [draw(rng, sizes.m) for _ in range(sizes.syntheses)], draw(rng, sizes.h)
    )
    seed = int(rng.integers(2**31))
    seen = Seen(kind, sizes, condition.__name__, condition(sets, rng), seed)
    if condition in (overlap, others):
        return list(of_holdout(seen))
    return [*of_measures(seen), *of_marks(seen), *of_evidence(seen), *of_attacks(seen)]


def _sum_up(
    draws: Sequence[Sequence[Said]], kind: str, sizes: str, condition: str
) -> Iterator[dict[str, Any]]:
    found: dict[tuple[str, str], list[Said]] = defaultdict(list)
    for draw in draws:
        of_draw: dict[tuple[str, str], list[Said]] = defaultdict(list)
        for said in draw:
            if not math.isnan(said.value):
                of_draw[said.name, said.states].append(said)
        for key, many in of_draw.items():
            if key[1] in ("fresh", "drawn"):  # tables of one draw are no independent draws
                value, expected = (float(np.mean([one[i] for one in many])) for i in (2, 3))
                many = [Said(*key, value, expected)]  # noqa: PLW2901
            found[key] += many
    for (name, states), many in found.items():
        value, expected, error = (np.array([one[i] for one in many]) for i in (2, 3, 4))
        yield {
            "statement": name,
            "states": states,
            "kind": kind,
            "sizes": sizes,
            "condition": condition,
            "draws": len(many),
            "wrong": _wrong(states, value, error),
            "mean": value.mean(),
            "sd": _spread(value - expected if states in ("fresh", "drawn") else value),
            "expected": expected.mean(),
        }


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
    parser.add_argument("--size", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--page", action="store_true", help="only write the page again")
    given = parser.parse_args()
    if not given.page:
        start = time.perf_counter()
        table = run(size=given.size, seed=given.seed, tell=lambda text: print(text, flush=True))
        minutes = round((time.perf_counter() - start) / 60)
        versions = (
            f"numpy {np.__version__}, scipy {scipy.__version__}, sdcmetrics {sdc.__version__}"
        )
        facts = {
            "when": time.strftime("%Y-%m-%d"),
            "size": f"{given.size:g}",
            "seed": given.seed,
            "minutes": minutes,
            "versions": versions,
        }
        head = "# " + json.dumps(facts) + "\n"
        TABLE.write_text(head + table.to_csv(index=False, float_format="%.4g"), encoding="utf-8")
    PAGE.write_text(page(recorded()), encoding="utf-8")


def recorded() -> Frame:
    """Return the recorded table, with its provenance."""
    with TABLE.open(encoding="utf-8") as file:
        facts = json.loads(file.readline()[2:])
        table = pd.read_csv(file, keep_default_na=False, na_values=dict.fromkeys(_NUMBERS, ""))
    draws = table[table["sizes"] != ""].groupby(["kind", "sizes", "condition"])["draws"].max()
    table.attrs = {
        **facts,
        "draws": int(draws.sum()),
        "sizes": ", ".join(str(one) for one in SIZES),
    }
    return table


_NUMBERS = ("draws", "wrong", "mean", "sd", "expected")

if __name__ == "__main__":
    main()
