"""Records what slow programs for the decision answer of the files that tests draw.

PYTHONPATH=. python tests/reference/decision/record.py FOLDER writes people.json, excess.json and
tables.json. FOLDER holds the programs: people3.py (whose records), verdict3.py (what is learnt of
people, which tables differ), numpy code of one page each, apart from this package.
"""

from __future__ import annotations

import importlib
import json
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks import decision_faults
from sdcmetrics.study import demo
from tests.measures.excess import test_reference as excess
from tests.measures.excess.people import KEYS
from tests.measures.homogeneity import test_homogeneity as tables
from tests.measures.people import test_oracle as people

ROWS = 20
"""Tables of several columns that are recorded of each pair of files, evenly up to the last."""


def _people(program: Any) -> dict[str, Any]:
    results = {}
    for kind in people.KINDS:
        for what in people.REPLICAS:
            for h in (150, 0):
                answer = program.decide_people(*people.files_of(kind, what, h))
                names = ("hits", "LE", "TE", "TN", "LN")
                p = {name: answer["p"][name] for name in names if name in answer["p"]}
                refused = any("was not used" in note for note in answer["notes"])
                results[f"{kind}, {what}, {h}"] = {
                    "claims": answer["claims"],
                    "p": p,
                    "holdout": h > 0 and not refused,
                }
    return results


def _statistics(program: Any) -> dict[str, Any]:
    results = {}
    for m in excess.SIZES:
        original, replica, labels = excess.labelled(m)
        pool = pd.concat([original, replica], ignore_index=True)
        for grouped in (False, True):
            questions = [
                (KEYS, program.Question(pool, list(KEYS), target, grouped))
                for target in excess.SCENARIO.targets
            ]
            statistics = program.LeaveOneOut(300, m)
            results[f"{m}, {'in groups' if grouped else 'as they are'}"] = {
                "drawn": statistics(questions, labels),
                "copy": statistics(questions, labels[:1], copy=True)[0],
            }
    return results


def _verdict(program: Any, files: tuple[Any, Any, Any], scenario: Any) -> dict[str, Any]:
    asked = [(tuple(scenario.keys), target) for target in scenario.targets]
    keys, targets = zip(*asked, strict=True)
    return dict(program.decide_excess(*files, keys, targets, people_alarm=True))


def _excess(program: Any) -> dict[str, Any]:
    verdicts, of_demo = {}, {}
    for copied in excess.COPIED:
        for h in (300, 0):
            answer = _verdict(program, excess.partly_copied(copied, h), excess.SCENARIO)
            raw = [[name, size, p] for name, size, p, _ in answer["raw"]] if h else []
            verdicts[f"{copied}, {h}"] = {
                **{name: answer[name] for name in ("status", "flags", "copyable")},
                "raw": raw,
            }
    for name in excess.REPLICAS:
        for with_holdout in (True, False):
            files = excess.of_the_demo(name, with_holdout=with_holdout)
            answer = _verdict(program, files, demo.study().scenarios[0])
            of_demo[f"{name}, {'with' if with_holdout else 'no'} holdout"] = {
                part: answer[part] for part in ("status", "flags", "fails")
            }
    return {"statistics": _statistics(program), "verdicts": verdicts, "demo": of_demo}


def _rows(program: Any, name: str, *frames: pd.DataFrame, **options: Any) -> dict[str, Any]:
    rows: list[Any] = []
    plain = getattr(program, name)

    def noted(*arguments: Any) -> Any:
        rows.append(plain(*arguments))
        return rows[-1]

    setattr(program, name, noted)
    answer = program.decide_utility(*frames, **options)
    setattr(program, name, plain)
    table = np.array([row for row in rows if row], dtype=float)[:, : len(tables.STATISTICS)]
    one_way = frames[0].shape[1]  # these come first
    several = np.linspace(one_way, len(table) - 1, ROWS).round().astype(int)
    places = np.unique([*range(one_way), *several])
    return {
        "tables": len(table),
        "notice": answer["notice"],
        "rows": [[int(place), *table[place].tolist()] for place in places],
    }


def _tables(program: Any) -> dict[str, Any]:
    result, calls = {}, {}
    for kind in tables.KINDS:
        for m in tables.SIZES:
            result[f"{kind}, {m}"] = _rows(program, "table_stats", *tables.two_files(kind, m))
    for kind, (_, cluster) in decision_faults.CLUSTERED.items():
        frames = tables.two_clustered_files(kind)
        result[f"{kind}, by clusters"] = _rows(program, "cluster_stats", *frames, cluster=cluster)
    for fault in (*tables.FAULTS, *decision_faults.FAULTS, ""):
        answer = program.decide_utility(*tables.with_fault(fault))
        calls[fault] = {
            "called": bool(answer["called"]),
            **{name: answer[name] for name in ("tables", "notice", "status")},
        }
    return {"tables": result, "calls": calls}


def _plain(value: Any) -> Any:
    return sorted(value) if isinstance(value, set) else value.tolist()


def main(folder: str) -> None:
    """Write what the programs of a folder answer beside this file."""
    sys.path.insert(0, folder)
    warnings.simplefilter("ignore")
    about = {"generated_by": "tests/reference/decision/record.py; do not edit"}
    for name, program, ask in (
        ("people", "people3", _people),
        ("excess", "verdict3", _excess),
        ("tables", "verdict3", _tables),
    ):
        answers = ask(importlib.import_module(program))
        text = json.dumps({**about, "answers": answers}, default=_plain)
        text = text.replace('}, "', '},\n"').replace("], [", "],\n[")
        Path(__file__).with_name(f"{name}.json").write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
