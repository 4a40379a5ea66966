"""How often ranges hold the truth where a release compares one person in so many with a replica.

    python benchmarks/release_drawn.py

The limits from which people are drawn are lowered, so that one in ten is at 4,000 records. Each
case is drawn with 300 secrets, noise has a standard deviation of 6 people, and all are the truth.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd

from sdcmetrics.measures.kind import Place
from sdcmetrics.release import near
from sdcmetrics.release.answers import NoisySums, noisy
from sdcmetrics.release.estimates import estimates_of
from sdcmetrics.release.people import of_frame
from sdcmetrics.release.public import Replica
from sdcmetrics.release.questions import ALIKE, NEAREST, RECORDS, Question
from sdcmetrics.study.profile import load_profile

SIZE, ONE_IN, SECRETS = 4_000, 10, 300
EDGES = (0, 1, 2, 3)
CELLS = len(EDGES) + 1
VARIANCE = Fraction(36)


def people(n: int, seed: int, *, alike: bool = False) -> pd.DataFrame:
    """Draw people of eight counts, or of few answers, so that many are alike."""
    rng = np.random.default_rng(seed)
    if not alike:
        return pd.DataFrame({f"c{i}": rng.poisson(3 + i, n).astype(str) for i in range(8)})
    return pd.DataFrame(
        {
            "a": rng.integers(0, 12, n).astype(str),
            "b": rng.choice(list("xyz"), n),
            "c": rng.integers(0, 30, n).astype(str),
            "d": rng.binomial(1, 0.02, n).astype(str),
        }
    )


def question(measure: str, cells: int = 1, drawn: int = 1) -> Question:
    """Return a question of one data set."""
    edges = EDGES if measure == NEAREST else ()
    return Question(measure, "r", Place(), cells, 1, edges, 1, Fraction(1), measure, drawn)


def covered(original: pd.DataFrame, replica: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Return the true percentages, and how often the range of each held it."""
    names = tuple(original.columns)
    own, data = Replica("r", (of_frame(replica, "r"),)), of_frame(original, "o")
    apart = np.concatenate(list(near.distances_of(data, own, names)))
    cell = np.searchsorted(np.array(EDGES), apart, side="left")
    true = 100 * np.bincount(cell, minlength=CELLS) / data.n
    inside = np.zeros(CELLS)
    for secret in range(SECRETS):
        key = secret.to_bytes(4)
        drawn = near.Drawing(own, names, key).drawn(data)
        counts = near.cells_of_drawn(drawn, own, names, EDGES)
        sums = {
            question(RECORDS): (data.n,),
            question(ALIKE): (drawn.alike,),
            question(NEAREST, CELLS, near.drawn_of(own)): tuple(counts.tolist()),
        }
        answers = NoisySums({q: noisy(q, exact, VARIANCE, key) for q, exact in sums.items()}, 1)
        for estimate in estimates_of(answers, load_profile("illustration")):
            if estimate.measure == NEAREST:
                inside[estimate.cell] += estimate.low <= true[estimate.cell] <= estimate.high
    return true, inside / SECRETS


def main() -> None:
    """Print a row per case."""
    near._PAIRS, near._FEWEST = SIZE**2 // ONE_IN, 1  # noqa: SLF001  (the limits)
    replica, of_ties = people(SIZE, 1), people(SIZE, 1, alike=True)
    cases = {
        "other people": (people(20_000, 2), replica),
        "the replica itself, each record 5 times": (pd.concat([replica] * 5), replica),
        "5 % in the replica": (pd.concat([people(19_000, 2), replica.iloc[:1_000]]), replica),
        "3,000 people": (people(3_000, 2), replica),
        "60,000 people": (people(60_000, 2), replica),
        "few answers, many alike": (people(20_000, 2, alike=True), of_ties),
        "1,000 people, each 20 times": (pd.concat([people(1_000, 3, alike=True)] * 20), of_ties),
        "20,000 who are alike": (pd.concat([people(1, 4, alike=True)] * 20_000), of_ties),
    }
    print(
        "| original | true %, by columns that differ: 0, 1, 2, 3, more | ranges that hold it, % |"
    )
    print("|---|---|---|")
    for name, (original, own) in cases.items():
        true, share = covered(original, own)
        figures = (", ".join(f"{x:.3g}" for x in row) for row in (true, 100 * share))
        print(f"| {name} | {' | '.join(figures)} |", flush=True)


if __name__ == "__main__":
    main()
