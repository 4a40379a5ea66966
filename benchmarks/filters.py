"""How often it is noticed that records too near to the original were dropped from a replica.

    python benchmarks/filters.py --draws 2

Of every population of decision_kinds without clusters: fresh samples, with a holdout as large as
the original or a fifth of it; and such from which the records nearest to people of the original
were dropped, a fiftieth, a twentieth or a fifth of them, by the sum over columns of differences
in standard deviations, one for each category that differs.
"""

from __future__ import annotations

import argparse
from collections import Counter

import numpy as np
import numpy.typing as npt
import pandas as pd
from decision_kinds import CLUSTERED, POPULATIONS

import sdcmetrics as sdc
from sdcmetrics.measures.people import Claim

SHARES = {"fresh": 0.0, "a fiftieth": 0.02, "a twentieth": 0.05, "a fifth": 0.2}
_FEWEST = 30


def nearest(original: pd.DataFrame, replica: pd.DataFrame) -> npt.NDArray[np.float64]:
    """Return the distance of each record of a replica to the nearest of the original."""
    out = np.zeros((len(replica), len(original)))
    for name in original:
        if original[name].dtype.kind in "if":
            spread = original[name].std() or 1.0
            apart = replica[name].to_numpy(float)[:, None] - original[name].to_numpy(float)
            out += np.nan_to_num(np.abs(apart) / spread)
        else:
            codes = pd.factorize(pd.concat([original[name], replica[name]]))[0]
            out += codes[len(original) :, None] != codes[: len(original)]
    smallest: npt.NDArray[np.float64] = out.min(axis=1)
    return smallest


def main() -> None:
    """Draw, ask and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--draws", type=int, default=2, help="of each population and size")
    parser.add_argument("--people", type=int, nargs="+", default=[1000])
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    number: Counter[tuple[int, str, str]] = Counter()
    noticed: Counter[tuple[int, str, str]] = Counter()
    for people in given.people:
        for place, kind in enumerate(kind for kind in POPULATIONS if kind not in CLUSTERED):
            for i in range(given.draws):
                rng = np.random.default_rng([given.seed, place, people, i])
                draw = POPULATIONS[kind]
                original, others = draw(rng, people), draw(rng, 2 * people)
                holdout = {"as many": draw(rng, people), "a fifth": draw(rng, people // 5)}
                distance = nearest(original, others)
                for share, dropped in SHARES.items():
                    kept = distance > np.quantile(distance, dropped) if dropped else distance >= 0
                    replica = others[kept][:people].reset_index(drop=True)
                    if len(replica) < _FEWEST:
                        continue
                    for size, aside in holdout.items():
                        claims = sdc.people(original, replica, aside).claims
                        number[people, share, size] += 1
                        noticed[people, share, size] += Claim.AVOIDS in claims
    print("| people | dropped | holdout | of | noticed |\n|---:|---|---|---:|---:|")
    for key, count in number.items():
        print(f"| {key[0]:,} | {key[1]} | {key[2]} | {count} | {noticed[key]} |")


if __name__ == "__main__":
    main()
