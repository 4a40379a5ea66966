"""Power and time of attribute inference, by how the replica came about and by learner.

    nice python benchmarks/attacks.py [--draws 20] [--seed 1] [--to FILE] [--learners forest]
    python benchmarks/attacks.py --adult T R H   # time of all attacks, on three files

Populations are drawn from again and again: original, replica and holdout. A replica is a copy of
the original, independent of it but for 5 or 15 % of its records, drawn column by column from the
leaves of trees (as CART does), the original with noise, or independent. Printed is how often p is
at most 0.05 by each learner, the mean excess and the processor time. "300 x 10" is what the default
was before: the mean over ten of scikit-learn's forests of 300 trees, of one column per level.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd
from calibration_data import households, numeric, tied

import sdcmetrics as sdc
from sdcmetrics.measures.attacks.inference import Learner
from sdcmetrics.measures.attacks.people import HOLDOUT, ORIGINAL, SYNTHETIC, people, permuted_p
from sdcmetrics.measures.prediction.learners import fit

Frame = pd.DataFrame
Rng = np.random.Generator

ORIGINALS, REPLICAS, HELD = 300, 300, 200
LEVEL = 0.05
LEAF = 5  # records, as synthpop's CART has it
NOISE = 0.05  # of the standard deviation; and the share of levels drawn anew
LEARNERS = ("forest", "300 x 10", "cart", "boosting", "nearest")
POPULATIONS: dict[str, tuple[Callable[[Rng, int], Frame], str]] = {
    "numbers, a level": (numeric, "t"),
    "few values, a number": (tied, "y"),
    "households, a level": (households, "t"),
}


# How a replica came about. Each is given the original and as many independent records.


def copy(original: Frame, independent: Frame, rng: Rng) -> Frame:  # noqa: ARG001
    """Hand out the original."""
    return original


def part(share: float) -> Callable[[Frame, Frame, Rng], Frame]:
    """Return what puts original records in the place of a share of independent ones."""

    def replica(original: Frame, independent: Frame, rng: Rng) -> Frame:
        out = independent.copy()
        rows = rng.choice(len(out), round(share * len(out)), replace=False)
        out.iloc[rows] = original.iloc[rng.choice(len(original), len(rows), replace=False)]
        return out

    return replica


def by_trees(original: Frame, independent: Frame, rng: Rng) -> Frame:  # noqa: ARG001
    """Draw column by column: from the leaf of a tree that the columns before lead to."""
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    known, made = np.zeros((len(original), 1)), np.zeros((len(original), 1))
    out = {}
    for name in original:
        column = original[name].to_numpy()
        is_number = pd.api.types.is_numeric_dtype(column)
        kind = DecisionTreeRegressor if is_number else DecisionTreeClassifier
        tree = kind(min_samples_leaf=LEAF, random_state=int(rng.integers(2**31))).fit(known, column)
        donors = tree.apply(known)
        drawn = [rng.choice(np.flatnonzero(donors == leaf)) for leaf in tree.apply(made)]
        out[name] = column[drawn]
        codes = column.astype(float) if is_number else pd.factorize(column, sort=True)[0]
        known, made = (np.column_stack(p) for p in ((known, codes), (made, codes[drawn])))
    return pd.DataFrame(out)


def jittered(original: Frame, independent: Frame, rng: Rng) -> Frame:  # noqa: ARG001
    """Add noise to numbers, and draw some levels anew."""
    out = original.copy()
    for name in out:
        column = out[name].to_numpy()
        if pd.api.types.is_numeric_dtype(column):
            out[name] = column + NOISE * column.std() * rng.normal(size=len(column))
        else:
            anew = rng.random(len(column)) < NOISE
            out[name] = np.where(anew, rng.permutation(column), column)
    return out


def independent_of_it(original: Frame, independent: Frame, rng: Rng) -> Frame:  # noqa: ARG001
    """Hand out the independent records."""
    return independent


CONDITIONS = {
    "copy": copy,
    "5 % copied": part(0.05),
    "15 % copied": part(0.15),
    "drawn from trees": by_trees,
    "noise": jittered,
    "independent": independent_of_it,
}


def before(sets: tuple[Frame, Frame, Frame], target: str, seed: int) -> tuple[float, float]:
    """Return excess and p of the mean over ten of scikit-learn's forests of 300 trees."""
    data = people(*sets)
    truth = data.pooled(target)
    columns = [name for name in data.columns if name != target]
    within = 0.0
    if target in data.numbers:
        within = 0.05 * float(np.subtract(*np.nanquantile(truth, (0.95, 0.05)))) * (1 + 1e-12)
    right = []
    for i in range(10):
        model = fit(
            data.records(SYNTHETIC), target, "forest", columns=columns, seed=seed + i, n_jobs=1
        )
        guess = [model.predict(data.records(which)).guess for which in (ORIGINAL, HOLDOUT)]
        right.append(np.abs(np.concatenate(guess) - truth) <= within)
    success = np.mean(right, axis=0)
    excess = 1 - (1 - success[: data.n].mean()) / (1 - success[data.n :].mean())
    return float(excess), permuted_p(success, data.n, 999, seed)


def one_draw(number: int, seed: int, learners: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield what each learner says of each replica, of one draw from each population."""
    for i, (name, (draw, target)) in enumerate(POPULATIONS.items()):
        for j, (condition, make) in enumerate(CONDITIONS.items()):
            rng = np.random.default_rng([seed, number, i, j])
            original, independent, holdout = (draw(rng, n) for n in (ORIGINALS, REPLICAS, HELD))
            if name.endswith("level"):
                for frame in (original, independent, holdout):
                    frame["t"] = np.where(frame["t"] == 1, "yes", "no")
            sets = (original, make(original, independent, rng), holdout)
            for learner in learners:
                start = time.process_time()
                if learner == "300 x 10":
                    excess, p = before(sets, target, seed)
                else:
                    result = sdc.attribute_inference(
                        *sets, target=target, learner=cast("Learner", learner), seed=seed
                    )
                    excess, p = result.excess, result.p_value
                yield {
                    "population": name,
                    "replica": condition,
                    "learner": learner,
                    "draw": number,
                    "p": p,
                    "excess": excess,
                    "seconds": time.process_time() - start,
                }


def summary(drawn: Frame) -> Frame:
    """Return power, mean excess and time, one row per population and replica."""
    drawn = drawn.assign(power=drawn["p"] <= LEVEL + 1e-12)
    table = drawn.pivot_table(
        index=["population", "replica"],
        columns="learner",
        values=["power", "excess", "seconds"],
        sort=False,
    )
    return table.reindex(columns=list(LEARNERS), level="learner").round(3)


def adult(files: list[Path]) -> None:
    """Print the processor time of each attack on three files, and the memory."""
    original, replica, holdout = (
        pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path) for path in files
    )
    keys = ["age", "race", "sex", "marital-status", "native-country"]
    attacks: dict[str, Callable[[], sdc.AttackResult]] = {
        "membership": lambda: sdc.membership(original, replica, holdout),
        "exact matches": lambda: sdc.exact_matches(original, replica, holdout),
        "singling out": lambda: sdc.singling_out(original, replica, holdout),
        "linkability": lambda: sdc.linkability(
            original, replica, holdout, keys=keys, other_keys=["education", "income"]
        ),
    } | {
        f"attribute inference: {target}": lambda target=target: sdc.attribute_inference(
            original, replica, holdout, keys=keys, target=target
        )
        for target in ("education", "income")
    }
    for name, attack in attacks.items():
        start = time.process_time()
        result = attack()
        spent = time.process_time() - start
        print(f"{name:32} {spent:6.2f} s   excess {result.excess:8.4f}   p {result.p_value:.4f}")
    print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB at most")


def main() -> None:
    """Draw, and print the table after each draw."""
    take = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    take.add_argument("--draws", type=int, default=20)
    take.add_argument("--seed", type=int, default=1)
    take.add_argument("--learners", nargs="+", default=LEARNERS, choices=LEARNERS)
    take.add_argument("--to", type=Path, help="a CSV file of all draws; gone on with if it exists")
    take.add_argument("--adult", type=Path, nargs=3, metavar=("T", "R", "H"))
    given = take.parse_args()
    if given.adult:
        adult(given.adult)
        return
    rows: list[dict[str, Any]] = []
    if given.to and given.to.exists():
        drawn_before = pd.read_csv(given.to).to_dict("records")
        rows = [{str(name): value for name, value in row.items()} for row in drawn_before]
    drawn = {(row["draw"], row["learner"]) for row in rows}
    for number in range(1, given.draws + 1):
        rows += one_draw(
            number,
            given.seed,
            [learner for learner in given.learners if (number, learner) not in drawn],
        )
        if given.to:
            pd.DataFrame(rows).to_csv(given.to, index=False)
        print(f"after {number} draws\n{summary(pd.DataFrame(rows)).to_string()}\n", flush=True)


if __name__ == "__main__":
    main()
