"""Both answers on replicas of real tables, by the study file that `sdcmetrics init` guesses.

    Rscript benchmarks/package_tables.R FOLDER
    nice python benchmarks/decision_tables.py FOLDER [--record]

Each table is in random thirds: an original, a holdout, and people who are a replica. Beside these
are the original in another order, other people of whom 5 % are the original's, the original's
columns shuffled one by one, and what synthpop made of it, each reviewed with the holdout and
without, as a new user would: the study is as `init` wrote it. What is there is not made again.
`--record` writes benchmarks/decision_tables.csv, from which docs/every-decision-tested.md is made.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

COPIED = 0.05
MADE = ("fresh", "verbatim", "fivepercent", "shuffled", "cart")
STUDIES = {1.0: ("study.toml", "rep"), 0.0: ("study0.toml", "rep0")}


def add_replicas(folder: Path) -> list[str]:
    """Write the replicas that are made here, and return the files of all."""
    original, fresh = (
        pd.read_csv(folder / name, dtype=str, keep_default_na=False)
        for name in ("original.csv", "fresh.csv")
    )
    rng = np.random.default_rng(5)
    n = len(original)
    copied = max(1, round(COPIED * n))
    people = [original.iloc[rng.permutation(n)[:copied]], fresh.iloc[copied:]]
    frames = {
        "fivepercent": pd.concat(people),
        "shuffled": original.apply(lambda column: column.to_numpy()[rng.permutation(n)]),
        "verbatim": original.sample(frac=1, random_state=1),
    }
    for name, frame in frames.items():
        frame.to_csv(folder / f"{name}.csv", index=False)
    return [f"{name}.csv" for name in MADE if (folder / f"{name}.csv").exists()]


def review(folder: Path, *, holdout: bool) -> None:
    """Write a first study and review it, as they come."""
    study, report = STUDIES[float(holdout)]
    if (folder / report / "review.json").exists():
        return
    aside = ["--holdout", "holdout.csv"] if holdout else []
    for command in (
        ["init", "original.csv", *add_replicas(folder), *aside, "-o", study, "--force"],
        ["review", study, "--out", report, "--force"],
    ):
        line = [sys.executable, "-m", "sdcmetrics", *command]
        subprocess.run(line, cwd=folder, check=False, capture_output=True)  # noqa: S603  (our own)


def answers(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield both answers on each replica of a table, with the holdout and without."""
    for holdout, (_, report) in STUDIES.items():
        file = folder / report / "review.json"
        if not file.exists():
            yield {"table": folder.name, "holdout": holdout, "replica": "refused"}
            continue
        document = json.loads(file.read_text(encoding="utf-8"))
        original = next(data for data in document["inputs"] if data["data_set"] == "Original")
        for decision in document["decision"]:
            people = decision["facts"]["people"]
            yield {
                "table": folder.name,
                "n": original["records"],
                "columns": original["columns"],
                "holdout": holdout,
                "replica": decision["replica"],
                "risk": decision["risk"]["status"],
                "utility": decision["utility"]["status"],
                "claims": " ".join(people["claims"]),
                "accused": decision["people"] == "yes",
                "holdout_differs": people["holdout"] == "differs",
            }


def main() -> None:
    """Review what is there, and print or record the answers."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--record", action="store_true")
    args = parser.parse_args()
    rows = []
    for folder in sorted(path for path in args.folder.iterdir() if path.is_dir()):
        for holdout in (True, False):
            review(folder, holdout=holdout)
        rows += list(answers(folder))
    frame = pd.DataFrame(rows)
    for question in ("risk", "utility"):
        print(pd.crosstab([frame["replica"], frame["holdout"]], frame[question]))
    if args.record:
        frame.to_csv(Path(__file__).with_suffix(".csv"), index=False)


if __name__ == "__main__":
    main()
