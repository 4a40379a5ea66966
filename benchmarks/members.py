"""Power and level of the attack on members, the bound of epsilon, and what is out together.

    nice python benchmarks/members.py [--draws 20] [--size 300] [--kinds wages] [--fresh 100]
    nice python benchmarks/members.py --leaks "holdout people" --size 200 --holdout 100 --fresh 100
    nice python benchmarks/members.py --files T H R R R       # what each score says of files
    nice python benchmarks/members.py --ledger 10
    nice python benchmarks/members.py --adult T R H   # time of both and of precision and recall

Populations are those of decision_kinds.py, leaks those of decision_leaks.py, and here: noise is put
on the 2 % of people who are farthest from others, replicas are means of three neighbours, and
columns are drawn by a Gaussian copula. Printed is how often p is at most .05 by the test of
members, by each of its scores and of those it adds up, alone, and the bound of epsilon, which is 0
where rows seem to belong together. --ledger looks at files from trees, and at files of other
people, each beside those of its kind that are out.
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
from decision_kinds import POPULATIONS
from decision_leaks import copied, independent, jittered, mixed_with_neighbours, numbers, tree
from scipy.stats import norm, rankdata

import sdcmetrics as sdc
from sdcmetrics.errors import DataError
from sdcmetrics.measures.attacks.epsilon import bound_epsilon
from sdcmetrics.measures.attacks.membership import (
    infer_membership,
    member_difference,
    member_distances,
    member_scores,
    rank_test,
)
from sdcmetrics.measures.attacks.people import People, people
from sdcmetrics.measures.attacks.scores import closeness_scores, ranked_points
from sdcmetrics.measures.exchangeable import label_test
from sdcmetrics.measures.neighbours import nearest
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.people.files import people_of_files
from sdcmetrics.measures.records import Records, records_of_pair
from sdcmetrics.microdata.frames import as_microdata

Frame = pd.DataFrame
Rng = np.random.Generator
Leak = Callable[[Rng, Frame, Frame], Frame]
LEVEL = 0.05
RARE = 0.02
JITTER = 0.001
NEIGHBOURS = 3


def near(frame: Frame, k: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int32]]:
    """Return distances and places of the nearest others of each record."""
    points, _, distance = ranked_points(people(frame, frame, frame.iloc[: len(frame) // 2]))
    own = points.subset(np.arange(len(frame)))
    neighbours = nearest(own, own, distance=distance, k=k, exclude_self=True)
    return np.asarray(neighbours.distances, dtype=np.float64), neighbours.indices


def rare(rng: Rng, original: Frame, fresh: Frame) -> Frame:
    """Put the people who are farthest from others among fresh ones, numbers changed a little."""
    rows = np.argsort(-near(original, 5)[0].mean(axis=1))[: max(6, round(RARE * len(original)))]
    odd = original.iloc[rows].copy()
    for name in numbers(original):
        odd[name] = odd[name] * (1 + JITTER * rng.normal(size=len(odd)))
    kept = fresh.iloc[rng.permutation(len(fresh))[len(odd) :]]
    return pd.concat([kept, odd], ignore_index=True)


def averaged(rng: Rng, original: Frame, fresh: Frame) -> Frame:  # noqa: ARG001
    """Take means of numbers, and a level of one, over three neighbours of each record."""
    places = near(original, NEIGHBOURS)[1]
    pick = places[np.arange(len(original)), rng.integers(0, NEIGHBOURS, len(original))]
    out = original.iloc[pick].reset_index(drop=True)
    for name in numbers(original):
        out[name] = original[name].to_numpy(float)[places].mean(axis=1)
    return out


def copula(rng: Rng, original: Frame, fresh: Frame) -> Frame:  # noqa: ARG001
    """Draw columns with the original's values and its correlation of normal scores."""
    size = len(original)
    codes = {
        name: column.to_numpy(float) if name in numbers(original) else pd.factorize(column)[0]
        for name, column in original.items()
    }
    filled = [np.nan_to_num(code, nan=-1e300) for code in codes.values()]
    scores = np.array([norm.ppf((rankdata(x, "ordinal") - 0.5) / size) for x in filled])
    correlation = np.corrcoef(scores) + 1e-6 * np.eye(len(scores))
    drawn = norm.cdf(rng.multivariate_normal(np.zeros(len(scores)), correlation, size))
    places = np.minimum((drawn * size).astype(int), size - 1)
    out = {}
    for j, (name, values) in enumerate(zip(original, filled, strict=True)):
        out[name] = original[name].to_numpy()[np.argsort(values, kind="stable")][places[:, j]]
    return pd.DataFrame(out)


def holdout_people(rng: Rng, original: Frame, fresh: Frame) -> Frame:  # noqa: ARG001
    """Hand out people who were not in the original."""
    return fresh


LEAKS: dict[str, Leak] = {
    "copy": lambda _, original, __: original.copy(),
    "5 % copied": copied(0.05),
    "15 % copied": copied(0.15),
    "2 % copied": copied(0.02),
    "2 % rarest, jittered": rare,
    "trees, leaf 1": tree(1),
    "trees, leaf 5": tree(5),
    "SMOTE": mixed_with_neighbours,
    "means of 3 neighbours": averaged,
    "10 % noise": jittered(0.1),
    "Gaussian copula": copula,
    "independent columns": independent,
    "holdout people": holdout_people,
}


def single_scores(data: People) -> dict[str, npt.NDArray[np.float64]]:
    """Return the scores that are tested, and those which are added up in the first."""
    far = member_distances(data)
    closeness = closeness_scores(data)
    return {
        **member_scores(data, far),
        "distance": -far,
        "distance over that to others": closeness.ratio,
        "density of five": closeness.density,
        "share of the nearest": closeness.share,
        "parents": closeness.parents,
    }


def judged(data: People) -> dict[str, float]:
    """Return p of the attack, of its test whoever belongs together, and of each score alone."""
    reported = infer_membership(data, seed=1).p_value
    test = member_difference(data, seed=1).p_value
    alone = {
        name: label_test(score > 0, data.n).p_value
        if set(np.unique(score)) <= {0.0, 1.0}
        else rank_test(score, data.n, 1)[1]
        for name, score in single_scores(data).items()
    }
    return {"membership": reported, "whoever belongs together": test, **alone}


def bound(data: People) -> float:
    """Return the bound of epsilon, 0 where there is none."""
    try:
        return bound_epsilon(data, seed=1).epsilon
    except DataError:
        return 0.0


def power(
    leaks: list[str], kinds: list[str], draws: int, fresh: int, sizes: tuple[int, int]
) -> Frame:
    """Return how often members are found, by the test and by each score, and bounds of epsilon."""
    size, held = sizes
    rows = []
    for leak, kind in itertools.product(leaks, kinds):
        for draw in range(fresh if leak == "holdout people" else draws):
            rng = np.random.default_rng([20261123, list(LEAKS).index(leak), draw, *kind.encode()])
            original, others, holdout = (POPULATIONS[kind](rng, n) for n in (size, size, held))
            data = people(original, LEAKS[leak](rng, original, others), holdout)
            rows.append({"replica": leak, "kind": kind, "bound": bound(data), **judged(data)})
    return pd.DataFrame(rows)


def printed(table: Frame) -> None:
    """Print shares of p at most .05 and .01, by replica, and by kind where there is one replica."""
    values = list(table.columns.drop(["replica", "kind", "bound"]))
    by = "replica" if len(table["replica"].unique()) > 1 else "kind"
    for level in (LEVEL, LEVEL / 5):
        print(f"percent p <= {level}")
        # 1e-12: a p of draws that is the level itself
        small = (table[values] <= level + 1e-12).groupby(table[by], sort=False).mean()
        print(small.mul(100).round(1).T.to_string())
    bounds = table["bound"].groupby(table[by], sort=False)
    out = bounds.agg(["median", "max", "size"]).round(2)
    print("bound of epsilon")
    print(out.assign(above_0=bounds.agg(lambda bound: int((bound > 0).sum()))).to_string())


def of_files(paths: list[Path]) -> None:
    """Print what the test and each score say of files: original, holdout, replicas."""
    original, holdout, *replicas = map(_read, paths)
    columns = {}
    for path, replica in zip(paths[2:], replicas, strict=True):
        data = people(original, replica, holdout)
        columns[path.stem] = {**judged(data), "bound of epsilon": bound(data)}
    print(pd.DataFrame(columns).map("{:.3g}".format).to_string())


def _read(path: Path) -> Frame:
    return pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path)


def few_of_sixty(rng: Rng, original: Frame, fresh: Frame) -> Frame:
    """Put three of the same sixty people of the original among others."""
    few = original.iloc[rng.permutation(60)[:3]]
    return pd.concat([fresh.iloc[len(few) :], few], ignore_index=True)


def together(files: int, size: int, kind: str, seed: int, *, held: bool) -> Frame:
    """Return what is claimed of people in each file by itself, and beside those that are out."""
    rows = []
    makers = {
        "trees, leaf 5": tree(5),
        "three of 60": few_of_sixty,
        "holdout people": holdout_people,
    }
    for name, make in makers.items():
        rng = np.random.default_rng(seed)
        original, holdout = (POPULATIONS[kind](rng, size) for _ in range(2))
        earlier: list[Records] = []
        for number in range(1, files + 1):
            made = make(rng, original, POPULATIONS[kind](rng, size))
            pair = Pair(
                "made",
                as_microdata(original, "original"),
                [as_microdata(made, "made")],
                as_microdata(holdout, "holdout") if held else None,
            )
            own = records_of_pair(pair)
            result = people_of_files([own], earlier=earlier)
            earlier.append(own)
            hits = result.together[-1].hits if result.together else result.hits
            alone = any(look.accused for look in result.files)
            rows.append((name, number, alone, result.accused, *hits))
    columns = ["replica", "file", "alone", "together", "equal in T", "equal in H"]
    return pd.DataFrame(rows, columns=columns)


def adult(paths: list[Path]) -> None:
    """Print the processor time of the attacks here on three files."""
    frames = [_read(path) for path in paths]
    for name, attack in (
        ("membership", lambda: sdc.membership(*frames)),
        ("epsilon", lambda: sdc.epsilon_of_release(*frames, random_holdout=True)),
        ("precision and recall", lambda: sdc.manifold(*frames)),
    ):
        start = time.process_time()
        print(f"{name:24} {attack()}  {time.process_time() - start:.1f} s")


def main() -> None:
    """Draw, and print."""
    take = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    take.add_argument("--draws", type=int, default=20)
    take.add_argument("--fresh", type=int, default=100)
    take.add_argument("--size", type=int, default=300)
    take.add_argument("--kinds", nargs="+", default=["wages", "long_lists", "census", "business"])
    take.add_argument("--holdout", type=int, help="people; as many as in the original by default")
    take.add_argument("--leaks", nargs="+", default=[*LEAKS], choices=[*LEAKS])
    take.add_argument("--ledger", type=int, metavar="FILES")
    take.add_argument("--no-holdout", action="store_true", help="with --ledger")
    take.add_argument("--files", type=Path, nargs="+")
    take.add_argument("--adult", type=Path, nargs=3, metavar=("T", "R", "H"))
    chosen = take.parse_args()
    if chosen.adult:
        adult(chosen.adult)
    elif chosen.files:
        of_files(chosen.files)
    elif chosen.ledger:
        for seed in range(chosen.draws):
            rows = together(
                chosen.ledger,
                chosen.size,
                chosen.kinds[seed % len(chosen.kinds)],
                seed,
                held=not chosen.no_holdout,
            )
            print(rows.to_string(index=False, header=seed == 0), flush=True)
    else:
        sizes = (chosen.size, chosen.holdout or chosen.size)
        printed(power(chosen.leaks, chosen.kinds, chosen.draws, chosen.fresh, sizes))


if __name__ == "__main__":
    main()
