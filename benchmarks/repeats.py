"""How often a replica is called for people whose repeats were dropped, or are many.

    python benchmarks/repeats.py --draws 3

Of every population of decision_kinds in which an original repeats three records or more, without
repeated records: fresh samples half, once, twice and four times as large, others drawn until they
have as many different records as the original, and two and five fresh samples; and samples of whom
a twentieth, a fifth or all are people of the original. Of every population, each record one to five
times: fresh samples, and such of whom a fifth are people of the original, as they are and with
numbers changed by 2 % of their spread. Of every population with numbers, as many records that were
made of a half, a third or a tenth of the people, whose numbers are changed by 2 % of their spread,
each written two, three or ten times with a tenth of that between; the same of fresh people; and
ten times as many fresh people without repeats. With `--holdout 0.03` beside as many people held
out.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pandas as pd
from decision_kinds import CLUSTERED, POPULATIONS
from larger_replicas import changed

import sdcmetrics as sdc

SHARES = {"a twentieth copied": 0.05, "a fifth copied": 0.2, "all copied": 1.0}
_REPEATS = 3
_FEWEST = 30


def replicas(
    kind: str, original: pd.DataFrame, rng: np.random.Generator
) -> Iterator[tuple[str, list[pd.DataFrame]]]:
    """Yield files without repeats by name."""
    draw, n = POPULATIONS[kind], len(original)
    for size in (0.5, 1, 2, 4):
        yield f"fresh, {size} times", [draw(rng, round(size * n)).drop_duplicates()]
    yield "fresh, as many different", [draw(rng, 5 * n).drop_duplicates()[:n]]
    for files in (2, 5):
        yield f"fresh, {files} files", [draw(rng, n).drop_duplicates() for _ in range(files)]
    for words, share in SHARES.items():
        copied = round(share * n)
        people = original.iloc[rng.permutation(n)[:copied]]
        yield words, [pd.concat([people, draw(rng, n)[copied:]]).drop_duplicates()]


def repeated(
    kind: str, original: pd.DataFrame, rng: np.random.Generator
) -> Iterator[tuple[str, list[pd.DataFrame]]]:
    """Yield files whose records are there one to five times, by name."""
    n = len(original)
    fifth = original.iloc[rng.permutation(n)[: n // 5]]
    for words, people in {
        "fresh": fifth[:0],
        "a fifth copied": fifth,
        "a fifth changed": changed(fifth, rng, relative=False),
    }.items():
        file = pd.concat([people, POPULATIONS[kind](rng, n)[len(people) :]])
        often = np.repeat(np.arange(n), rng.integers(1, 6, n))
        yield f"one to five times, {words}", [file.iloc[often]]


def rewritten(
    kind: str, original: pd.DataFrame, rng: np.random.Generator
) -> Iterator[tuple[str, list[pd.DataFrame]]]:
    """Yield files of which each record was made of another, by name, and large ones of others."""
    n = len(original)
    yield "fresh, 10 times, without repeats", [POPULATIONS[kind](rng, 10 * n).drop_duplicates()]
    for times in (2, 3, 10):
        for words, people in (("changed", original), ("fresh", POPULATIONS[kind](rng, n))):
            some = people.iloc[rng.permutation(n)[: n // times]]
            near = changed(some, rng, relative=False)
            if near.equals(some):  # no number of many values
                continue
            files = [changed(near, rng, relative=False, by=0.002) for _ in range(times)]
            yield f"{words}, each written {times} times", [pd.concat(files)]


def options(description: str) -> argparse.Namespace:
    """Return what is drawn, as the command line says."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--draws", type=int, default=3, help="of each population and size")
    parser.add_argument("--people", type=int, nargs="+", default=[250, 1000])
    parser.add_argument("--holdout", type=float, default=0.0, help="people held out, per person")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


Drawn = tuple[str, pd.DataFrame, pd.DataFrame | None, np.random.Generator]


def originals(given: argparse.Namespace) -> Iterator[Drawn]:
    """Yield the kind of each original, the original, the holdout and what draws its replicas."""
    kinds = [kind for kind in POPULATIONS if kind not in CLUSTERED]
    for people in given.people:
        for place, kind in enumerate(kinds):
            for i in range(given.draws):
                rng = np.random.default_rng([given.seed, place, people, i])
                original = POPULATIONS[kind](rng, people)
                held_out = POPULATIONS[kind](rng, round(given.holdout * people))
                yield kind, original, held_out if given.holdout else None, rng


def main() -> None:
    """Draw, ask and print."""
    number: Counter[tuple[int, str]] = Counter()
    called: Counter[tuple[int, str]] = Counter()
    judged: Counter[tuple[int, str]] = Counter()
    for kind, original, aside, rng in originals(options(__doc__.partition("\n")[0])):
        cases = [*repeated(kind, original, rng), *rewritten(kind, original, rng)]
        if original.duplicated().sum() >= _REPEATS:
            cases += replicas(kind, original, rng)
        for name, files in cases:
            if min(map(len, files)) < _FEWEST:
                continue
            mixed_files = [mixed(file, rng) for file in files]
            result = sdc.people(original, mixed_files, aside)
            key = len(original), name
            number[key] += 1
            called[key] += result.accused
            judged[key] += result.accused or result.noticed is not None
    print("| people | replica | of | judged | called |\n|---:|---|---:|---:|---:|")
    for key, count in number.items():
        print(f"| {key[0]:,} | {key[1]} | {count} | {judged[key]} | {called[key]} |")


def mixed(file: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Return the rows in another order, numbered anew."""
    return file.iloc[rng.permutation(len(file))].reset_index(drop=True)


if __name__ == "__main__":
    main()
