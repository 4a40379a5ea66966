"""Rates of whole decisions: how often each claim is made of replicas that hold nobody, or people.

    python benchmarks/decisions.py --draws 4 --n 250 --out rates.md
    python benchmarks/decisions.py --replicas fresh "5 % copied" --holdouts 1 0 --real tables/
    python benchmarks/decisions.py --weighted --replicas fresh people "weights forgotten"
    python benchmarks/decisions.py --files 4 --replicas fresh verbatim
    python benchmarks/decisions.py --masked

Every population x replica x size of the holdout x size of the replica is drawn anew; a Markdown
table gives how often the people of a replica were accused, and by which claim, and what both
answers of a whole review were. `--power` asks instead whether the number of copied people that is
said to be noticed is noticed in new files: with `--drawn` of replicas whose columns are drawn one
by one, with replacement, from the original's. `--record` appends every decision to
benchmarks/decisions.csv, from which benchmarks/decision_page.py writes
docs/every-decision-tested.md.
"""

from __future__ import annotations

import argparse
import json
import time
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from decision_kinds import (
    CLUSTERED,
    HONEST,
    POPULATIONS,
    REAL,
    REPLICAS,
    WEIGHT,
    WEIGHTED,
    Draw,
    add_real,
    weighted,
)
from decision_masks import MASKS

import sdcmetrics as sdc
from sdcmetrics.errors import ColumnError
from sdcmetrics.measures.people import PeopleOfFiles, people

Z = 1.959964
"""Of 95 % intervals."""


def parts(
    kind: str, rng: np.random.Generator, n: int, h: int, *, weights: bool = False
) -> tuple[Any, Any, Any]:
    """Return an original, a holdout or None, and what draws other people."""
    if weights:
        drawn = partial(weighted, kind, rng)
        return drawn(n), (drawn(h) if h else None), drawn
    if kind in REAL:
        frame = REAL[kind].iloc[rng.permutation(len(REAL[kind]))].reset_index(drop=True)
        n, h = min(n, len(frame) // 3), min(h, len(frame) // 3)
        rest = frame.iloc[n + h :]
        aside = frame.iloc[n : n + h].reset_index(drop=True) if h else None
        return frame.iloc[:n].reset_index(drop=True), aside, _without(rest, rng)
    draw = POPULATIONS[kind]
    return draw(rng, n), (draw(rng, h) if h else None), lambda m: draw(rng, m)


def _without(rest: pd.DataFrame, rng: np.random.Generator) -> Callable[[int], pd.DataFrame]:
    """Return what draws people without replacement, as many as there are."""
    return lambda m: rest.iloc[rng.permutation(len(rest))[:m]].reset_index(drop=True)


def whose(original: Any, replica: Any, holdout: Any, kind: str) -> dict[str, Any]:
    """Decide whose records a replica holds."""
    original, replica, holdout = map(_without_weights, (original, replica, holdout))
    out: PeopleOfFiles = people(original, replica, holdout, cluster=CLUSTERED.get(kind))
    return {
        "claims": [claim.name for claim in out.claims],
        "alarm": out.accused,
        "noticed": out.noticed,
    }


def _without_weights(data: Any) -> Any:
    if isinstance(data, list):
        return [_without_weights(each) for each in data]
    return None if data is None else data.drop(columns=WEIGHT, errors="ignore")


def roles(frame: pd.DataFrame, cluster: str | None) -> tuple[list[str], list[str]]:
    """Return keys and targets: three keys that tell some people apart, and not all."""
    counts = {name: frame[name].nunique() for name in frame.columns if name != cluster}
    usual = np.log(len(frame)) / _KEYS
    order = sorted(
        (name for name, count in counts.items() if count > 1),
        key=lambda name: abs(np.log(counts[name]) - usual),
    )
    keys = order[: min(_KEYS, len(order) - 1)]
    return keys, [name for name in order if name not in keys][:_TARGETS]


_KEYS, _TARGETS = 3, 2


def whole(original: Any, replica: Any, holdout: Any, kind: str) -> dict[str, Any]:
    """Return both answers of a review by the default profile, as page and terminal have them."""
    cluster = CLUSTERED.get(kind)
    keys, targets = roles(_without_weights(original), cluster)
    sample = {} if cluster is None else {"cluster": cluster}
    if WEIGHT in original:
        sample["weight"] = WEIGHT
    study = sdc.Study(
        original,
        {"replica": replica},
        keys=keys,
        targets=targets,
        holdout=holdout,
        sample=sample or None,
        ways=(1,),
        candidates=0,
        perturbed=[],
    )
    try:
        decision = sdc.conduct(study, holdout=False).decisions["replica"]
    except ColumnError:  # a column of numbers is text in the replica: it is refused
        return {"risk": "not judged", "utility": "not judged"}
    return {"risk": decision.risk.status.value, "utility": decision.utility.status.value}


DECISIONS: dict[str, Callable[[Any, Any, Any, str], dict[str, Any]]] = {
    "people": whose,
    "whole": whole,
}


def draws(args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Yield one decision after the other."""
    end = time.monotonic() + args.minutes * 60
    for i in range(args.draws):
        for kind in args.populations:
            for name in args.replicas:
                if name in WEIGHTED and not args.weighted:
                    continue
                for share in args.holdouts:
                    for ratio in args.sizes if name in HONEST else [1.0]:
                        if time.monotonic() > end:
                            return
                        key = zlib.crc32(f"{kind} {name} {share} {ratio}".encode())
                        rng = np.random.default_rng([args.seed, i, key])
                        original, aside, fresh = parts(
                            kind, rng, args.n, round(share * args.n), weights=args.weighted
                        )
                        m = max(5, round(ratio * len(original)))
                        people = partial(POPULATIONS[kind], rng) if args.weighted else None
                        draw = Draw(original, rng, fresh, m, people)
                        files = [REPLICAS[name](draw) for _ in range(args.files)]
                        replica = files[0] if args.files == 1 else files
                        where = {"kind": kind, "replica": name, "holdout": share, "size": ratio}
                        where |= {"files": args.files, "weights": args.weighted}
                        start = time.process_time()
                        answers = {
                            what: decide(original, replica, aside, kind)
                            for what, decide in DECISIONS.items()
                        }
                        yield {**where, **answers, "seconds": time.process_time() - start}


def power(args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Yield whether as many copied people as are said to be noticed are noticed in new files."""
    end = time.monotonic() + args.minutes * 60
    for i in range(args.draws):
        for kind in args.populations:
            for share in args.holdouts:
                key = zlib.crc32(f"{kind} {share} power".encode())
                rng = np.random.default_rng([args.seed, i, key])
                h = round(share * args.n)
                original, aside, fresh = parts(kind, rng, args.n, h)
                replica = _by_columns(original, rng) if args.drawn else fresh(args.n)
                count = whose(original, replica, aside, kind)["noticed"]
                if count is None:
                    continue
                for _ in range(args.again):
                    if time.monotonic() > end:
                        return
                    original, aside, fresh = parts(kind, rng, args.n, h)
                    replica = _by_columns(original, rng) if args.drawn else fresh(args.n)
                    replica = _with_copied(original, replica, count, CLUSTERED.get(kind), rng)
                    alarm = whose(original, replica, aside, kind)["alarm"]
                    yield {"kind": kind, "holdout": share, "copied": count, "noticed": alarm}


def _with_copied(
    original: pd.DataFrame,
    replica: pd.DataFrame,
    count: int,
    cluster: str | None,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Return a replica in which so many random people, or whole clusters, are the original's."""
    if cluster is None:
        rows = rng.permutation(len(original))[:count]
        return pd.concat([original.iloc[rows], replica.iloc[count:]], ignore_index=True)
    copied, replaced = (
        rng.permutation(frame[cluster].unique())[:count].tolist() for frame in (original, replica)
    )
    number = dict(zip(copied, replaced, strict=False))  # of the cluster that gives way
    people = original.loc[original[cluster].isin(copied)]
    people = people.assign(**{cluster: people[cluster].map(number)})
    others = replica.loc[~replica[cluster].isin(replaced)]
    return pd.concat([people, others], ignore_index=True)


def _by_columns(original: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Return as many records, each column drawn with replacement from the original's."""
    n = len(original)
    return pd.DataFrame(
        {name: original[name].to_numpy()[rng.integers(0, n, n)] for name in original}
    )


def interval(k: int, n: int) -> str:
    """Return a share with its 95 % limits (Wilson), in percent."""
    middle = (k + Z**2 / 2) / (n + Z**2)
    half = Z / (n + Z**2) * np.sqrt(k * (n - k) / n + Z**2 / 4)
    low, high = max(0, 100 * (middle - half)), min(100, 100 * (middle + half))
    return f"{k}/{n} = {100 * k / n:.1f} [{low:.1f}, {high:.1f}]"


def table(rows: list[dict[str, Any]], by: tuple[str, ...]) -> str:
    """Return a Markdown table of alarms and claims."""
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        groups[tuple(row[name] for name in by)].append(row)
    answers = ("risk", "utility")
    head = [*by, "alarm", "claims", *answers]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for key, some in groups.items():
        claims = Counter(claim for row in some for claim in row["people"]["claims"])
        claim_counts = ", ".join(f"{claim} {count}" for claim, count in claims.most_common())
        alarms = interval(sum(row["people"]["alarm"] for row in some), len(some))
        each = [Counter(row["whole"][question] for row in some) for question in answers]
        statuses = [
            "/".join(str(answer_counts[status]) for status in STATUSES) for answer_counts in each
        ]
        lines.append("| " + " | ".join([*map(str, key), alarms, claim_counts, *statuses]) + " |")
    return "\n".join(lines)


STATUSES = ("within", "not judged", "review", "fail")
"""Of an answer, in the order in which tables count them."""


def record(rows: list[dict[str, Any]], n: int, real: bool, file: Path) -> None:  # noqa: FBT001
    """Append decisions to the recorded table."""
    frame = pd.DataFrame(
        {
            "kind": row["kind"],
            "real": real,
            "n": n,
            "replica": row["replica"],
            "holdout": row["holdout"],
            "size": row["size"],
            "claims": " ".join(row["people"]["claims"]),
            "accused": row["people"]["alarm"],
            **row["whole"],
            "files": row["files"],
            "weights": row["weights"],
        }
        for row in rows
    )
    frame.to_csv(file, mode="a", header=not file.exists(), index=False)


def main() -> None:
    """Draw, decide, and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=2)
    parser.add_argument("--n", type=int, default=250)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--populations", nargs="*", default=list(POPULATIONS))
    parser.add_argument("--replicas", nargs="*")
    parser.add_argument("--holdouts", nargs="*", type=float, default=[1.0, 0.2, 0.0])
    parser.add_argument("--sizes", nargs="*", type=float, default=[0.2, 1.0, 5.0])
    parser.add_argument("--power", action="store_true")
    parser.add_argument("--drawn", action="store_true")
    parser.add_argument("--files", type=int, default=1)
    parser.add_argument("--weighted", action="store_true")
    parser.add_argument("--masked", action="store_true")
    parser.add_argument("--again", type=int, default=5)
    parser.add_argument("--real", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--record", action="store_true")
    args = parser.parse_args()
    if args.replicas is None:
        args.replicas = MASKS if args.masked else [name for name in REPLICAS if name not in MASKS]
    if args.real is not None:
        args.populations = add_real(args.real)
    if args.power:
        rows = list(power(args))
        right = [row["noticed"] for row in rows]
        text = f"noticed as said: {interval(sum(right), len(right))}" if right else "nothing said"
    else:
        rows = list(draws(args))
        if args.record:
            file = Path(__file__).with_name("decisions.csv")
            record(rows, args.n, args.real is not None, file)
        text = table(rows, ("replica", "holdout"))
        honest = [row for row in rows if row["replica"] == "fresh"]
        if honest:
            text += "\n\n" + table(honest, ("kind", "holdout"))
            text += "\n\n" + table(honest, ("size", "holdout"))
    print(text)
    if args.out is not None:
        args.out.write_text(text + "\n", encoding="utf-8")
        lines = "\n".join(json.dumps(row, default=float) for row in rows)
        args.out.with_suffix(".jsonl").write_text(lines + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
