"""What a release costs in accuracy: demo, hepatitis and adult, by mu.

Each study is asked as `--mode release` asks it, with many secrets; figures are set against the
exact ones. Run it from a checkout with ../shared: python benchmarks/release_price.py
"""

from __future__ import annotations

import datetime as dt
import hashlib
import math
import shutil
import tempfile
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np

from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.release.accounting import half_width, right_guesses
from sdcmetrics.release.answers import NoisySum, NoisySums, noisy, read_request
from sdcmetrics.release.estimates import estimates_of, judged
from sdcmetrics.release.ledger import Ledger, charge
from sdcmetrics.release.original import read_people
from sdcmetrics.release.public import Public, public_of
from sdcmetrics.release.questions import Question, questions_of
from sdcmetrics.release.sums import exact_sums
from sdcmetrics.review.judge import Status
from sdcmetrics.study.demo.review import write_study

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
SECRETS = 100
HEPATITIS = """
[data]
original = "hepatitis_train.csv"
holdout = "hepatitis_test.csv"
[data.replicas]
synthpop = "e_hepatitis_synthpop_syn_best.csv"
ctgan = "f_hepatitis_CTGAN_syn_best.csv"
[roles]
keys = ["Age", "Gender", "BMI"]
targets = ["Baselinehistological staging", "Baseline histological Grading"]
"""
ADULT = """
[data]
original = "adult_trn.parquet"
holdout = "adult_val.parquet"
[data.replicas]
synthpop = "adult_synthpop.parquet"
ctgan = "adult_ctgan.parquet"
mostly = "adult_mostly.parquet"
[roles]
keys = ["education", "sex", "race"]
targets = ["income", "occupation"]
"""


def studies(folder: Path) -> dict[str, Path]:
    """Return the study files by name."""
    out = {"demo": write_study(folder / "demo")}
    for name, text, data in (("hepatitis", HEPATITIS, "hepatitis"), ("adult", ADULT, "platzer")):
        if not (SHARED / data).is_dir():
            continue
        (folder / name).mkdir()
        for file in (SHARED / data).iterdir():
            if file.name in text:
                shutil.copy(file, folder / name)
        out[name] = folder / name / "study.toml"
        out[name].write_text(text)
    return out


def measured(
    public: Public, exact: dict[Question, tuple[int, ...]], mu: float
) -> tuple[dict[str, list[float]], Counter[str], float]:
    """Return errors by measure, counts of right and wrong statuses, and the sd of full weight."""
    _, noise = charge(Ledger(mu, ""), {q.identity: q for q in exact}, mu)
    tiny = Fraction(1, 10**9)
    true = estimates_of(
        NoisySums({q: NoisySum(v, tiny) for q, v in exact.items()}, 0), public.profile
    )
    errors: dict[str, list[float]] = {}
    statuses: Counter[str] = Counter()
    for i in range(SECRETS):
        key = hashlib.sha256(f"{i}".encode()).digest()
        sums = NoisySums({q: noisy(q, v, noise[q.identity], key) for q, v in exact.items()}, mu)
        for estimate, right in zip(estimates_of(sums, public.profile), true, strict=True):
            if estimate.people != "original":
                continue
            errors.setdefault(estimate.measure, []).append(abs(estimate.value - right.value))
            if estimate.limited:
                limits = public.profile.thresholds[estimate.measure]
                better = MEASURES[estimate.measure].better
                exactly = judged(right.value, right.value, limits.review, limits.fail, better)
                same = estimate.status is exactly
                open_ = estimate.status is Status.NOT_JUDGED
                statuses["right" if same else "open" if open_ else "wrong"] += 1
    full = next(noise[q.identity] for q in exact if q.weight == 1)
    return errors, statuses, math.sqrt(full)


def main() -> None:
    """Print the table."""
    print(
        "| data | mu (right at best) | questions | noise, records | risk, range | "
        "status right / wrong / not judged | TVD of a variable, median (95 %) | of pairs |"
    )
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, file in studies(Path(folder)).items():
            spec = read_request(file)
            public = public_of(spec, file, "illustration", dt.date(2026, 11, 23))
            people = read_people(spec, file, public)
            exact = {q: exact_sums(q, public, people) for q in questions_of(public)}
            n = people.original.n
            for mu in (0.5, 1.0, 2.0):
                errors, statuses, sd = measured(public, exact, mu)
                total = sum(statuses.values()) or 1
                shares = " / ".join(
                    f"{100 * statuses[k] / total:.1f} %" for k in ("right", "wrong", "open")
                )
                tvd = np.array(errors["TVD"])
                print(
                    f"| {name}, {n:,} | {mu:g} ({100 * right_guesses(mu):.0f} %) | {len(exact)} | "
                    f"{sd:.1f} = {100 * sd / n:.2g} % | "
                    f"± {100 * half_width(sd**2) / n:.2g} points | "
                    f"{shares} | {np.median(tvd):.2g} ({np.quantile(tvd, 0.95):.2g}) | "
                    f"{np.median(errors['TVD of pairs']):.2g} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
