"""What the draws of calibration.py come to: what holds, and the page of the docs that says so."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

Frame = pd.DataFrame

LEVEL = 0.05
SURE = 0.9999
"""A share of rejections, or of intervals that miss, is too large beyond this binomial quantile."""
BIAS = 0.05
"""An expectation is off where the mean of many draws is, by so much and beyond the t quantile."""

# The page.

POWER = {
    "copy": "copy",
    "swapped": "15 % swapped",
    "verbatim": "5 % verbatim",
    "outliers": "six outliers",
    "overlap": "holdout overlaps",
    "others": "other people",
}
NULL_OF = {"p": "fresh", "z": "fresh", "p of draws": "drawn", "interval": "fresh", "holds": "fresh"}


@dataclass(frozen=True)
class Outcome:
    """What one statement came to, under its null: all kinds, the worst kind, households."""

    statement: str
    states: str
    all: str
    worst: str
    households: str
    fails: bool


def outcomes(table: Frame) -> list[Outcome]:
    """Judge every statement: over all kinds, kind by kind, and by sizes."""
    out = []
    table = table.copy(deep=False)
    table.attrs = {}  # each part of it would have a copy of them
    for (name, stated), rows in table.groupby(["statement", "states"], sort=False):
        states = str(stated)
        null = rows[rows["condition"] == NULL_OF.get(states, states)]
        usual = null[null["kind"] != "households"]
        law = _mean_outcome if states in ("fresh", "drawn") else _rate_outcome
        parts = {f"{k}": part for k, part in usual.groupby("kind", sort=False)}
        parts |= {f"{k!s} records": part for k, part in usual.groupby("sizes", sort=False) if k}
        results = {key: law(part, states) for key, part in parts.items()}
        if not results:
            continue
        together, fails = law(usual, states)[1:]
        worst = max(results, key=lambda key: results[key][0])
        apart = null[null["kind"] == "households"]
        out.append(
            Outcome(
                str(name),
                states,
                together,
                f"{results[worst][1]} ({worst})",
                law(apart, states)[1] if len(apart) else "",
                fails or any(failed for _, _, failed in results.values()),
            )
        )
    return out


def _rate_outcome(rows: Frame, states: str) -> tuple[float, str, bool]:
    """Return the share of false alarms or of intervals that miss, and whether it is too large."""
    draws, wrong = int(rows["draws"].sum()), int(rows["wrong"].sum())
    share = wrong / draws
    text = f"{100 * (1 - share if states in ('interval', 'holds') else share):.1f}"
    return share, text, bool(wrong > stats.binom.ppf(SURE, draws, LEVEL))


def _mean_outcome(rows: Frame, states: str) -> tuple[float, str, bool]:  # noqa: ARG001
    """Return how far the mean of many draws is from what is stated, and whether it is too far."""
    draws = rows["draws"].to_numpy(np.float64)
    weights = draws / draws.sum()
    # Exact sums: the page must not depend on the order in which a processor adds.
    mean, expected = (math.fsum(weights * rows[name]) for name in ("mean", "expected"))
    error = math.sqrt(math.fsum(weights**2 * (rows["sd"].fillna(0.0) ** 2 / draws)))
    few = float(stats.t.ppf(SURE, max(draws.sum() - len(draws), 1.0)))
    off = abs(mean - expected)
    text = f"{mean / expected:.3f}" if expected else ""  # what a holdout hardly ever has
    return off / (abs(expected) or 1.0), text, off > max(BIAS * abs(expected), few * error)


def failing(results: list[Outcome]) -> set[str]:
    """Return the statements that do not hold."""
    return {outcome.statement for outcome in results if outcome.fails}


_SPARSE = (
    "where cells hold few records, its limits say that it does not hold for draws from the "
    "original. What is expected of fresh data is made from the counts of each table (the column "
    "`fresh`), and holds; S_pMSE holds however sparse the table is."
)
WHY: dict[str, str] = {
    "S_FT where a cell has 5 records": _SPARSE,
    "S_FT in sparse tables": _SPARSE,
    "S_JSD where a cell has 5 records": _SPARSE,
    "S_JSD in sparse tables": _SPARSE,
    "S_G in sparse tables": _SPARSE,
    **dict.fromkeys(
        [f"marginal_fidelity, {ways}-way: fresh_tvd" for ways in (1, 2, 3)],
        "where the holdout is smaller than the replica, and there are nearly as many categories as "
        "records, it is off by some 5 %, as its description says.",
    ),
    "compare_replicas, replicates: DiSCO": "to leave a tenth of the records out moves little where "
    "people are met again and again, or where a key combination has many records: the notes of "
    "`leave_records_out` have how often such intervals hold.",
}
"""Why a statement does not hold, and what the package says of it."""


def page(table: Frame, results: list[Outcome] | None = None) -> str:
    """Return the page of the docs, from the outcomes of the table where they are at hand."""
    results = outcomes(table) if results is None else results
    out = [_HEAD.format(**{str(key): value for key, value in table.attrs.items()}, sure=SURE)]
    rates = [rate for rate in results if rate.states in ("p", "p of draws", "z")]
    out.append("## Tests\n\n" + _TESTS)
    head = ["statement", "all", "worst", "households", *POWER.values(), ""]
    out.append(f"| {' | '.join(head)} |\n|---|---:|---|{'---:|' * (1 + len(POWER))}---|")
    for outcome in rates:
        rows = table[
            (table["statement"] == outcome.statement) & (table["states"] == outcome.states)
        ]
        power = [_power(rows[rows["condition"] == condition]) for condition in POWER]
        out.append(_row(outcome, *power))
    for states, title, text in _MEANS:
        out.append(f"\n## {title}\n\n{text}")
        out.append("| statement | all | worst | households | |\n|---|---:|---|---:|---|")
        out += [_row(outcome) for outcome in results if outcome.states in states]
    if bad := sorted(failing(results)):
        out.append("\n## What does not hold\n")
        out += [f"* {name}: {WHY.get(name, 'not yet explained.')}" for name in bad]
    return "\n".join(out) + "\n"


def _row(outcome: Outcome, *power: str) -> str:
    """Return a row of a table: what is stated, how often it is wrong, and whether it holds."""
    rates = outcome.all, outcome.worst, outcome.households
    return f"| {' | '.join([outcome.statement, *rates, *power, _holds(outcome)])} |"


def _holds(outcome: Outcome) -> str:
    return "**no**" if outcome.fails else "holds"


def _power(rows: Frame) -> str:
    usual = rows[rows["kind"] != "households"]
    return f"{100 * usual['wrong'].sum() / usual['draws'].sum():.0f}" if len(usual) else ""


_HEAD = """# Every p in this package, tested

A p value, an expectation or an interval is a promise. Here each one that this package gives is put
to data whose truth is known, because whoever draws the data knows it. The page is written by
`python benchmarks/calibration.py` from the table that this records
(`benchmarks/calibration.csv`), and is not edited. Recorded {when} in {rounds} rounds with
seed {seed}: {draws:,} draws, {versions}.

A measure with a p or an expectation says in its declaration what was tried (`Measure.tested`).
Without that it cannot be declared, and a test of the registry looks it up in this table.

* **Kinds of data**: numbers (hardly two records alike), categories (most records have duplicates),
  tied numbers (few values, many zeros), people who are met again and again (duplicates), and whole
  households. Households are shown apart: all tests here take records to be independent.
* **Sizes** (original / replica / holdout): {sizes}.
* **all** is over all kinds but households; **worst** is the worst kind, or the worst sizes.
* A statement holds unless it misses by more than chance does: a share beyond the {sure} quantile
  of the binomial distribution, or a mean that is off by more than 5 % and by more than the same
  quantile of Student's t.
"""
_TESTS = """Percent of draws with p <= 0.05: where the replica is fresh, which may be 5 (fewer: a
cautious test, often for want of records that stand out), then where it is a copy, the original
with 15 % of its cells swapped, fresh but for 5 % verbatim records, or fresh but for six verbatim
outliers. A check of the holdout is tried with one that holds a tenth of original records, and with
one of other people. For a z it is the percent beyond 1.645. The test of lack of fit is one of draws
from the original: its false alarms are those of such draws.
"""
_MEANS = (
    (
        ("fresh",),
        "Expectations of fresh data",
        "Mean of the draws over what is stated; 1 is right.\n",
    ),
    (
        ("drawn",),
        "Expectations of draws from the original",
        "Records drawn from the original, with replacement. Mean over what is stated.\n",
    ),
    (
        ("interval", "holds"),
        "Intervals",
        "Percent of 95 % intervals that hold the mean of many draws, which may be more than 95.\n",
    ),
)
