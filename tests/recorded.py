"""Recorded answers of synthpop: where they are, and how to read them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

OWN = Path(__file__).parent / "reference"
SHARED = Path(__file__).parents[2] / "shared" / "reference" / "synthpop"


@dataclass(frozen=True)
class Case:
    """One recorded case: the data, the calls and what synthpop answered."""

    name: str
    folder: Path
    params: dict[str, Any]
    expected: dict[str, Any]
    newer: dict[str, Any]
    divergences: dict[str, str]

    def answers(self, version: str) -> dict[str, Any]:
        """Return the answers of a version; 1.9-3 changed those of three functions."""
        return self.expected if version == "1.9-2" else {**self.expected, **self.newer}

    @property
    def missing_codes(self) -> dict[str, Any] | None:
        codes = self.params.get("cont.na")
        return {k: v for k, v in codes.items() if v not in (None, "NA")} if codes else None

    def original(self) -> pd.DataFrame:
        return _frame(self.folder / "orig.csv", self.params["schema"]["orig"])

    def synthetic(self) -> Any:
        schema = self.params["schema"]["syn"]
        if self.params.get("m", 1) == 1:
            return _frame(self.folder / "syn.csv", schema)
        files = sorted(self.folder.glob("syn_*.csv"), key=lambda p: int(p.stem.split("_")[1]))
        return [_frame(path, schema) for path in files]

    def calls(self, kind: str) -> list[tuple[str, dict[str, Any]]]:
        return [(k, call) for k, call in self.params["calls"].items() if call["kind"] == kind]


@cache
def all_cases() -> tuple[Case, ...]:
    cases = []
    for root in (OWN, SHARED):
        if not root.is_dir():
            continue
        known = root / "known_divergences.json"
        divergences = json.loads(known.read_text()) if known.exists() else {}
        for params in sorted(root.glob("*/params.json")):
            read = json.loads(params.read_text())
            marked = {
                k: f"{c['divergence']}: {c.get('reason', '')}"
                for k, c in read["calls"].items()
                if c.get("divergence")
            }
            expected = json.loads((params.parent / "expected.json").read_text())
            marked |= divergences.get(params.parent.name, {})
            changed = params.parent / "expected_1.9-3.json"
            newer = json.loads(changed.read_text()) if changed.exists() else {}
            cases.append(Case(params.parent.name, params.parent, read, expected, newer, marked))
    return tuple(cases)


def cases(kind: str) -> list[Any]:
    """Return the cases with calls of a kind, as parameters of one test each."""
    return [pytest.param(case, id=case.name) for case in all_cases() if case.calls(kind)]


def each_call(case: Case, kind: str, check: Callable[[str, dict[str, Any]], None]) -> None:
    """Check each call of a kind, and name every one that fails; thousands of tests take longer."""
    wrong = {}
    for name, call in case.calls(kind):
        try:
            check(name, call)
        except Exception as error:  # noqa: BLE001  (each is told)
            wrong[name] = f"{type(error).__name__}: {error}"
    assert not wrong, "\n".join(f"{case.name}-{name}: {error}" for name, error in wrong.items())


def number(value: Any) -> float:
    """Turn a recorded value into a number; R's NA and NaN were recorded as text."""
    if value is None or value in ("NA", "NaN"):
        return math.nan
    if value in ("Inf", "-Inf"):
        return math.inf if value == "Inf" else -math.inf
    return float(value)


def arguments(call: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call; R writes an empty list for none."""
    args = call.get("args")
    return dict(args) if isinstance(args, dict) else {}


def _frame(path: Path, schema: dict[str, Any]) -> pd.DataFrame:
    """Return a file as R had it; hundreds of calls are of some dozen files."""
    if path not in _FRAMES:
        _FRAMES[path] = _read(path, schema)
    return _FRAMES[path].copy()


_FRAMES: dict[Path, pd.DataFrame] = {}


def _read(path: Path, schema: dict[str, Any]) -> pd.DataFrame:
    raw = pd.read_csv(path, dtype=str, keep_default_na=False, na_values=[""])
    out = {}
    for name, spec in schema.items():
        text = raw[name]
        if spec["type"] in ("numeric", "integer", "double"):
            out[name] = pd.Series(
                [np.nan if pd.isna(v) else float(v) for v in text], dtype="float64"
            )
        elif spec["type"] == "logical":
            out[name] = text.map({"TRUE": True, "FALSE": False}).astype("boolean")
        elif spec["type"] in ("factor", "ordered"):
            levels = spec["levels"]
            levels = [levels] if isinstance(levels, str) else levels
            out[name] = pd.Series(pd.Categorical(text, categories=levels))
        elif spec["type"] in ("Date", "date"):
            out[name] = pd.to_datetime(text, format="%Y-%m-%d")
        else:
            out[name] = text.astype(object)
    return pd.DataFrame(out)


@cache
def decision(name: str) -> Any:
    """Return what the slow programs of the decision answered: reference/decision/record.py."""
    return json.loads((OWN / "decision" / f"{name}.json").read_text("utf-8"))["answers"]
