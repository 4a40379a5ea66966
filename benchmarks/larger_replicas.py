"""How often a replica of many more records than the original is called for people.

    python benchmarks/larger_replicas.py --draws 4
    python benchmarks/larger_replicas.py --draws 1 --people 10000 --times 1

Of every population of decision_kinds whose records stand alone, so many people (300) and 4, 10 and
20 times as many records, or as told: fresh ones; the original drawn with replacement, as it is and
with numbers changed by 2 % of their spread or by 5 % of themselves; and fresh ones of which a
twentieth or a fifth is drawn so, with numbers changed. With `--holdout 0.03` beside as many people
who were held out.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pandas as pd
from decision_kinds import CLUSTERED, POPULATIONS

import sdcmetrics as sdc

SHARES = {"a twentieth": 0.05, "a fifth": 0.2}
_VALUES = 20  # of a column, beyond which its numbers are changed


def changed(
    frame: pd.DataFrame, rng: np.random.Generator, *, relative: bool, by: float = 0.02
) -> pd.DataFrame:
    """Return a frame whose numbers are changed a little, written as they were."""
    out = {}
    for name, column in frame.items():
        out[name] = column
        if column.dtype.kind in "if" and column.nunique() > _VALUES:
            step = 0.05 * column if relative else by * column.std()
            values = column + step * rng.normal(size=len(column))
            out[name] = values.round(2 if column.dtype.kind == "f" else 0).astype(column.dtype)
    return pd.DataFrame(out)


def replicas(
    kind: str, original: pd.DataFrame, size: int, rng: np.random.Generator
) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield replicas of an original by name."""
    fresh = POPULATIONS[kind](rng, size)
    yield "fresh", fresh
    drawn = original.iloc[rng.integers(0, len(original), size)].reset_index(drop=True)
    yield "the original, with replacement", drawn
    yield "the same, numbers changed by 2 % of their spread", changed(drawn, rng, relative=False)
    yield "the same, numbers changed by 5 % of themselves", changed(drawn, rng, relative=True)
    for words, share in SHARES.items():
        count = round(share * size)
        for relative, by in ((False, "2 % of the spread"), (True, "5 % of themselves")):
            parts = changed(drawn[:count], rng, relative=relative), fresh[count:]
            yield f"{words} of it so, by {by}", pd.concat(parts, ignore_index=True)


def main() -> None:
    """Draw, ask and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--draws", type=int, default=4, help="of each population and size")
    parser.add_argument("--people", type=int, default=300, help="of the original")
    parser.add_argument("--times", type=int, nargs="+", default=[4, 10, 20])
    parser.add_argument("--holdout", type=float, default=0.0, help="people held out, per person")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    number: Counter[str] = Counter()
    called: Counter[str] = Counter()
    for place, kind in enumerate(POPULATIONS):
        if kind in CLUSTERED:
            continue
        for times in given.times:
            for i in range(given.draws):
                rng = np.random.default_rng([given.seed, place, times, i])
                original = POPULATIONS[kind](rng, given.people)
                held_out = POPULATIONS[kind](rng, round(given.holdout * given.people))
                aside = held_out if given.holdout else None
                for name, replica in replicas(kind, original, times * given.people, rng):
                    number[name] += 1
                    called[name] += sdc.people(original, replica, aside).accused
    print("| replica | of | called |\n|---|---:|---:|")
    for name, count in number.items():
        print(f"| {name} | {count} | {called[name]} |")


if __name__ == "__main__":
    main()
