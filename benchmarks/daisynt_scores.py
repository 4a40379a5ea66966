"""What DAISYnt's published scores give for replicas whose worth is known: docs/daisynt.md has it.

    python benchmarks/daisynt_scores.py FOLDER

FOLDER holds Platzer and Reutterer's adult data as adult_trn.parquet, adult_val.parquet, and the
replicas adult_synthpop.parquet, adult_mostly.parquet, adult_flip90.parquet. Every draw is seeded.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from sdcmetrics.measures.crosstables.chi_square import printed_chi_square, two_samples
from sdcmetrics.measures.prediction.scores import auc
from sdcmetrics.suites.daisynt.corrected import CORRECTED
from sdcmetrics.suites.daisynt.models import LEARNER_OF, NETWORK, ORIGIN, learn, origin
from sdcmetrics.suites.daisynt.models import with_outcome as known
from sdcmetrics.suites.daisynt.one_variable import discrepancy
from sdcmetrics.suites.daisynt.predictive import chances, cosine
from sdcmetrics.suites.daisynt.published import PUBLISHED
from sdcmetrics.suites.daisynt.representation import hidden, linear_cka
from sdcmetrics.suites.daisynt.sets import HOLDOUT, ORIGINAL, Sets, sets_of

_DRAWS = 1_000
_LEVEL = 0.05
_SAMPLES, _COPIED = 100, 30
_FEW = 3_000
"""Records of each data set where models are fitted."""
_PUBLISHED_SIZES = (59_261, 138_273)
TESTS = {test.symbol: test for test in (*PUBLISHED, *CORRECTED)}


def main() -> None:
    """Print the figures, subject by subject."""
    folder = Path(sys.argv[1])
    names = ("trn", "val", "synthpop", "mostly", "flip90")
    data = {name: pd.read_parquet(folder / f"adult_{name}.parquet") for name in names}
    for subject in (chi_square, floor_of_errors):
        for line in subject():
            print(line, flush=True)
    for on_adult in (whole_replicas, sample_size, copies, copies_of_few, worthless, inference):
        for line in on_adult(data):
            print(line, flush=True)


def chi_square() -> Iterator[str]:
    """How often fresh data are rejected at 5 %, the categories being equally frequent."""
    rng = np.random.default_rng(1)
    sizes = [
        (c, n) for n in ((1_000, 1_000), (300, 1_200), _PUBLISHED_SIZES) for c in (2, 5, 10, 20)
    ]
    for c, (n, m) in sizes:
        draws = [[rng.multinomial(k, np.full(c, 1 / c)) for k in (n, m)] for _ in range(_DRAWS)]
        printed = [printed_chi_square(*both) for both in draws]
        # Scaled to the replica's total instead, every difference weighs m / n times as much.
        larger = [stats.chi2.sf(result.statistic * m / n, result.df) for result in printed]
        percent = [printed_chi_square(*both, frequencies="percent").p_value for both in draws]
        right = [two_samples(*both, rng=rng)[0].p_value for both in draws]
        each = ([result.p_value for result in printed], larger, percent, right)
        text = ", ".join(f"{100 * np.mean(np.array(p) <= _LEVEL):.1f} %" for p in each)
        yield f"chi-square, C {c}, n {n:,}, {m:,}: to test, replica, percent; two samples: {text}"


def floor_of_errors() -> Iterator[str]:
    """Linkability by errors where nothing leaks: 1 less the largest gap of two equal laws."""
    rng = np.random.default_rng(1)
    for n in (200, 1_000, 5_000):
        gaps = [
            stats.ks_2samp(rng.random(n), rng.random(n), alternative="greater").statistic
            for _ in range(_DRAWS)
        ]
        yield f"D_link_error without a leak, {n:,} records each: {1 - np.mean(gaps):.3f}"


def whole_replicas(data: dict[str, pd.DataFrame]) -> Iterator[str]:
    """Counts of everybody."""
    for name in ("synthpop", "mostly", "flip90", "val"):
        sets = _sets(data["trn"], data[name], data["val"] if name != "val" else None)
        scores = {
            symbol: TESTS[symbol].outcome(sets).raw for symbol in ("D_corr", "D_close", "D_cloned")
        }
        yield f"adult, {name}: " + ", ".join(f"{k} {v:.3f}" for k, v in scores.items())


def sample_size(data: dict[str, pd.DataFrame]) -> Iterator[str]:
    """Numbers that are rejected by all records, and how often samples of 1,000 accept them."""
    rng = np.random.default_rng(1)
    for name in ("age", "education-num", "hours-per-week"):
        sets = [data[data_set][name].to_numpy(float) for data_set in ("val", "mostly")]
        whole = discrepancy(*sets, rng=rng, published=True).p_value
        drawn = [
            discrepancy(
                *(rng.choice(values, 1_000, replace=False) for values in sets),
                rng=rng,
                published=True,
            )
            for _ in range(_SAMPLES)
        ]
        share = np.mean([result.p_value > _LEVEL for result in drawn])
        yield f"MMD of {name}, mostly: p {whole:.3f}; {100 * share:.0f} % of samples accept it"


def copies_of_few(data: dict[str, pd.DataFrame]) -> Iterator[str]:
    """How often 20 verbatim records of 400 are found at 5 %."""
    people, others = (data[data_set].sample(frac=1, random_state=2) for data_set in ("trn", "val"))
    p = []
    for draw in range(_COPIED):
        training, fresh = people[800 * draw :][:400], people[800 * draw + 400 :][:400]
        replica = pd.concat([training[:20], fresh[20:]])
        sets = _sets(training, replica, others[400 * draw :][:400])
        outcomes = {
            symbol: TESTS[symbol].outcome(sets) for symbol in ("identical", "close", "MIA_AUC")
        }
        nearest = outcomes["MIA_AUC"].evidence["p of these"]
        p.append(
            {symbol: outcome.p for symbol, outcome in outcomes.items()} | {"nearest 1 %": nearest}
        )
    shares = (pd.DataFrame(p) <= _LEVEL).mean()
    text = ", ".join(f"{name} {100 * share:.0f} %" for name, share in shares.items())
    yield f"5 % of 400 verbatim, {_COPIED} draws, found by {text}"


def copies(data: dict[str, pd.DataFrame]) -> Iterator[str]:
    """Shares of fresh data replaced by training records, 2,000 records each."""
    n = 2_000
    people = data["trn"].sample(frac=1, random_state=1)
    training, fresh = people[:n], people[n : 2 * n]
    holdout = data["val"].sample(n, random_state=1)
    for share in (0.0, 0.01, 0.05, 0.2, 1.0):
        copied = round(share * n)
        sets = _sets(training, pd.concat([training[:copied], fresh[copied:]]), holdout)
        score = TESTS["D_link_distance"].outcome(sets).raw
        p = {symbol: TESTS[symbol].outcome(sets).p for symbol in ("identical", "close", "MIA_AUC")}
        text = ", ".join(f"{k} {v:.2g}" for k, v in p.items())
        yield f"{100 * share:g} % verbatim: D_link_distance {score:.3f}; p of {text}"


def worthless(data: dict[str, pd.DataFrame]) -> Iterator[str]:
    """Models of fresh data, of a target given at random, of none."""
    people = data["trn"].sample(frac=1, random_state=1)
    training, fresh = people[:_FEW], people[_FEW : 2 * _FEW]
    holdout = data["val"].sample(_FEW, random_state=1)
    rng = np.random.default_rng(1)
    permuted = fresh.assign(income=rng.permutation(fresh["income"].to_numpy()))
    for name, replica in (("fresh data", fresh), ("target at random", permuted)):
        sets = _sets(training, replica, holdout)
        scores = {
            s: TESTS[s].outcome(sets).raw for s in ("D_aggregate", "D_single", "D_cka", "D_disc")
        }
        yield f"{name}: " + ", ".join(f"{k} {v:.3f}" for k, v in scores.items())
    sets = _sets(training, fresh, holdout)
    test = known(sets, HOLDOUT)
    constant = [
        cosine(np.ones(test.n), chances(sets, known(sets, ORIGINAL), learner, test))
        for learner in LEARNER_OF.values()
    ]
    yield f"D_single of the same chance for everybody: {np.mean(constant):.3f}"
    model = learn(sets, known(sets, ORIGINAL), sets.predicted, NETWORK)
    alike = linear_cka(hidden(model, test), hidden(model, test, rng))
    yield f"D_cka of a network that has learnt nothing: {alike:.3f}"
    records = origin(sets, [ORIGINAL])
    label = records.codes[ORIGIN] == 1
    seen = [
        auc(label, learn(sets, records, ORIGIN, learner).predict(records).chance_of(1))
        for learner in LEARNER_OF.values()
    ]
    yield f"D_disc of fresh data, models tested on what they learnt: {2 - 2 * np.mean(seen):.3f}"


def inference(data: dict[str, pd.DataFrame]) -> Iterator[str]:
    """Years of education inferred from all else but the degree: the ratio, and the gap."""
    half = data["val"].sample(frac=1, random_state=1)
    n = len(half) // 2
    cases: dict[str, tuple[Any, Any]] = {
        "the training data": (data["trn"], data["val"]),
        "synthpop": (data["synthpop"], data["val"]),
        "mostly": (data["mostly"], data["val"]),
        "fresh data": (half[:n], half[n:]),
    }
    for name, (replica, holdout) in cases.items():
        sets = _sets(data["trn"], replica, holdout)
        ratio = TESTS["D_inference"].outcome(sets).raw
        outcome = TESTS["inference_excess"].outcome(sets)
        yield f"inference, {name}: {ratio:.3f}, excess {outcome.value:.3f}, p {outcome.p:.3f}"


def _sets(training: pd.DataFrame, replica: pd.DataFrame, holdout: pd.DataFrame | None) -> Sets:
    public = [name for name in training if name not in ("education", "education-num")]
    roles: Any = {"target": "income", "public": public, "sensitive": ["education-num"]}
    data = (training, replica, holdout)
    return sets_of(*data, categorical=None, missing_codes=None, seed=1, **roles)


if __name__ == "__main__":
    main()
