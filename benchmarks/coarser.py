"""How often a replica is called for people whose numbers were made coarser.

    python benchmarks/coarser.py --draws 3

Of every population of decision_kinds with a number of more than ten values: numbers rounded to the
nearest tenth, third and half of their spread, to classes of a third of it named by their lower
ends, or cut off at their upper third. So are all people of the original, half of them beside
others, and a fifth; and of others a third, once and three times as many. All copied, and other,
records also without those that are repeated then. With `--holdout 0.2` beside as many people held
out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
import pandas as pd
from decision_kinds import POPULATIONS
from repeats import mixed, options, originals

import sdcmetrics as sdc

_FEW = 10
_FEWEST = 30

Numbers = Callable[[pd.Series, float], pd.Series]


def nearest(share: float) -> Numbers:
    """Return what rounds to such a share of a spread."""
    return lambda column, spread: (column / (share * spread)).round() * (share * spread)


def classes(share: float) -> Numbers:
    """Return what names classes as wide as such a share of a spread by their lower ends."""
    return lambda column, spread: np.floor(column / (share * spread)) * (share * spread)


ROUNDINGS: dict[str, Numbers] = {
    "tenths": nearest(0.1),
    "thirds": nearest(0.3),
    "halves": nearest(0.5),
    "classes": classes(0.3),
    "cut off": lambda column, _: column.clip(upper=float(column.quantile(2 / 3))),
}


def coarser(frame: pd.DataFrame, spreads: dict[str, float], rounding: Numbers) -> pd.DataFrame:
    """Return a file with its numbers made coarser."""
    return frame.assign(**{name: rounding(frame[name], by) for name, by in spreads.items()})


def replicas(
    kind: str, original: pd.DataFrame, rng: np.random.Generator
) -> dict[str, pd.DataFrame]:
    """Return the records of replicas by name."""
    draw, n = POPULATIONS[kind], len(original)
    others = draw(rng, 3 * n)
    people = original.iloc[rng.permutation(n)]
    return {
        "all copied": people,
        "half copied": pd.concat([people[: n // 2], others[n // 2 : n]]),
        "a fifth copied": pd.concat([people[: n // 5], others[n // 5 : n]]),
        "fresh, a third": others[: n // 3],
        "fresh": others[:n],
        "fresh, 3 times": others,
    }


def main() -> None:
    """Draw, ask and print."""
    number: Counter[tuple[int, str, str]] = Counter()
    called: Counter[tuple[int, str, str]] = Counter()
    for kind, original, aside, rng in originals(options(__doc__.partition("\n")[0])):
        spreads = {
            str(name): float(column.std())
            for name, column in original.items()
            if pd.api.types.is_numeric_dtype(column) and column.nunique() > _FEW
        }
        if not spreads:
            continue
        for words, records in replicas(kind, original, rng).items():
            for rounding, law in ROUNDINGS.items():
                file = mixed(coarser(records, spreads, law), rng)
                files = {words: file}
                if "half" not in words and "fifth" not in words:
                    files[f"{words}, without repeats"] = mixed(file.drop_duplicates(), rng)
                for name, replica in files.items():
                    if len(replica) >= _FEWEST:
                        key = len(original), name, rounding
                        number[key] += 1
                        called[key] += sdc.people(original, replica, aside).accused
    print("| people | replica | numbers | of | called |\n|---:|---|---|---:|---:|")
    for key, count in number.items():
        print(f"| {key[0]:,} | {key[1]} | {key[2]} | {count} | {called[key]} |")


if __name__ == "__main__":
    main()
