"""Conduct a study: harmonise, code, count, measure; replica after replica."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sdcmetrics.errors import NotComputable
from sdcmetrics.measures.crosstables import statistics as table_utility
from sdcmetrics.measures.crosstables.counting import (
    KeyIndex,
    count_keys_and_target,
    count_tables,
    index_keys,
)
from sdcmetrics.measures.crosstables.utility import coded_ratio_of_counts
from sdcmetrics.measures.disclosure.cap import cap_quantities
from sdcmetrics.measures.disclosure.disclosure import DisclosureResult, Options, measure
from sdcmetrics.measures.fits.fit_overlap import FitOverlap
from sdcmetrics.measures.registry import DISCLOSURE_RISK, GENERAL_UTILITY, MEASURES
from sdcmetrics.measures.rules.find_rules import FoundRules, search
from sdcmetrics.measures.rules.rule_outcome import RuleOutcome
from sdcmetrics.microdata.coding import Coded, Rule, by_groups, by_value, encode
from sdcmetrics.microdata.schema import Harmonised, harmonise
from sdcmetrics.review.distributions import describe
from sdcmetrics.review.holdout import HoldoutRun
from sdcmetrics.review.inputs import list_fixes, list_inputs, list_versions
from sdcmetrics.review.models import model_rows
from sdcmetrics.review.review import COLUMNS, Review
from sdcmetrics.review.rules import rule_rows
from sdcmetrics.study.study import Scenario, Study

__all__ = ["Progress", "conduct"]

Progress = Callable[[str, int, int], None]
"""Called with a step in words, the steps done and the steps in all."""

Rows = list[dict[str, Any]]

_SEED_NAMES = {
    "original": "CAP_o",
    "baseline": "CAP_b",
    "synthetic": "CAP_s",
    "ratio": "CAP_ratio",
    "non_match": "non_match",
    "DCAP_zero": "CAP_s_zero",
    "DCAP_undefined": "CAP_s_undefined",
    "TCAP_synthetic": "TCAP_synthetic",
}
_OF_SYNTHETIC = ("UiS", "Dsyn")
_REASONS = {
    "mean_denom": "no target is disclosed, so there is no group",
    "TCAP_matched": "no key combination of the original is in the replica",
    "TCAP_certain": "no key combination of the original is unanimous in the replica",
    "DCAPb": "no key combination of the replica is in the original",
    "TCAPb": "no key combination of the replica is in the original",
    "CAP_s_undefined": "no key combination of the original is in the replica",
    "TCAP_synthetic": "no key combination is unanimous in the replica and in the original",
    "S_G": "both data sets fill at most one cell",
}
_ONE_CELL = "the table has one non-empty cell, so 0 degrees of freedom"


def conduct(
    study: Study,
    *,
    progress: Progress | None = None,
    checkpoint: Path | None = None,
    now: datetime | None = None,
    fresh: bool = True,
) -> Review:
    """Measure every replica of a study.

    Parameters
    ----------
    study : Study
    progress : callable, optional
        Called as ``progress(step, done, steps)``; steps name replicas and columns, no values.
    checkpoint : path, optional
        A CSV file to which the measurements of each finished step are appended, so that a
        crash leaves them on disk. It is for internal use, whatever the report's mode.
    now : datetime, optional
        When the review was made; by default the current time.
    fresh : bool
        False leaves out what needs the holdout: searching for near records takes longest.

    Returns
    -------
    Review

    Raises
    ------
    DataError, ColumnError
        If a replica cannot be compared with the original. All replicas are harmonised before
        anything is measured.
    """
    clock = _Clock()
    with clock("harmonise"):
        harmonised = {name: _harmonise(study, name) for name in study.replicas}
    steps = sum(len(study.options.ways) + 1 for _ in harmonised)
    steps += (len(study.models) + bool(study.models)) * len(harmonised)
    steps += len(study.rules) * len(harmonised)
    steps += sum(len(s.targets) for s in study.scenarios) * len(harmonised) + 1
    log = _Log(progress, steps, checkpoint)
    aside = None
    if fresh and study.holdout is not None:
        aside = HoldoutRun(study, log.tell)
        log.steps += aside.steps
    log.tell("harmonised")
    results: dict[tuple[str, str, str], DisclosureResult] = {}
    fits: dict[tuple[str, str, str], FitOverlap] = {}
    outcomes: dict[tuple[str, str], RuleOutcome] = {}
    candidates: dict[str, FoundRules] = {}
    for name, data in harmonised.items():
        with clock("general utility"):
            for step, rows in _utility(study, data):
                log.add(name, f"{name}: {step}", rows)
        if study.models:
            with clock("specific utility"):
                for step, rows, fit in model_rows(study, name):
                    fits |= fit
                    log.add(name, f"{name}: {step}", rows)
        with clock("rules"):
            for step, rows, outcome in rule_rows(study, name):
                outcomes |= outcome
                log.add(name, f"{name}: {step}", rows)
            if study.options.candidates:
                candidates[name] = search(data, study.options.candidates, study.rules)
        with clock("disclosure risk"):
            for scenario in study.scenarios:
                for target, result, rows in _disclosure(study, data, scenario):
                    results[name, scenario.name, target] = result
                    log.add(name, f"{name}: disclosure of {target}", rows)
    if aside is not None:
        with clock("fresh data"):
            for name, step, rows in aside.run():
                log.add(name, step, rows)
    with clock("distributions"):
        distributions = describe(study, list(harmonised))
        log.add("", "distributions", [])
    kinds: dict[str, str] = {}
    for data in harmonised.values():
        kinds |= {v.name: v.kind.value for v in data.variables.values()}
    return Review(
        study=study,
        inputs=tuple(list_inputs(study)),
        fixes=tuple(list_fixes(study, harmonised, () if aside is None else aside.fixes)),
        frame=log.frame(),
        distributions=distributions,
        disclosures=results,
        variables={name: kinds[name] for name in study.original.columns if name in kinds},
        versions=list_versions(),
        settings={**asdict(study.options), "profile": study.profile},
        created=(now or datetime.now(UTC)).isoformat(timespec="seconds"),
        seconds=clock.seconds,
        fits=fits,
        rules=outcomes,
        candidates=candidates,
        fresh=None if aside is None else aside.result,
    )


class _Clock:
    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, step: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.seconds[step] = self.seconds.get(step, 0.0) + time.perf_counter() - start


class _Log:
    """Collects rows, tells progress, and appends finished steps to the checkpoint."""

    def __init__(self, progress: Progress | None, steps: int, checkpoint: Path | None) -> None:
        self._progress, self.steps, self._done = progress, steps, 0
        self._checkpoint = checkpoint
        self._parts: list[pd.DataFrame] = []
        if checkpoint is not None:
            checkpoint.write_text(",".join(COLUMNS) + "\n", encoding="utf-8")

    def tell(self, step: str) -> None:
        if self._progress is not None:
            self._progress(step, self._done, self.steps)

    def add(self, replica: str, step: str, rows: Rows | pd.DataFrame) -> None:
        part = pd.DataFrame(rows).reindex(columns=list(COLUMNS))
        if len(part):
            part["replica"] = replica
            self._parts.append(part)
            if self._checkpoint is not None:
                part.to_csv(self._checkpoint, mode="a", header=False, index=False)
        self._done += 1
        self.tell(step)

    def frame(self) -> pd.DataFrame:
        kinds = dict.fromkeys(("value", "count", "total", "synthesis"), "float64")
        parts = [part.astype(kinds) for part in self._parts]
        frame = pd.concat(parts, ignore_index=True)
        missing = frame["value"].isna() & frame["reason"].isna()
        frame.loc[missing, "reason"] = frame.loc[missing, "metric"].map(_REASONS).fillna(_ONE_CELL)
        frame["unit"] = frame["metric"].map({s: m.unit for s, m in MEASURES.items()})
        empty = frame["variables"].isna()
        frame.loc[empty, "variables"] = pd.Series([()] * int(empty.sum()), frame.index[empty])
        return frame.where(frame.notna(), None).astype(kinds)


def _harmonise(study: Study, name: str) -> Harmonised:
    needed = [n for s in study.scenarios for n in (*s.keys, *s.targets)]
    return harmonise(
        study.original,
        study.replicas[name],
        variables=study.options.variables,
        required=list(dict.fromkeys(needed)),
        missing_codes=study.options.missing_codes,
    )


def _utility(study: Study, data: Harmonised) -> Iterator[tuple[str, Rows | pd.DataFrame]]:
    options = study.options
    names = [
        name for name in data.variables if options.variables is None or name in options.variables
    ]
    chosen = Harmonised(
        {name: data.variables[name] for name in names}, data.sizes, data.sources, ()
    )
    yield "ratio of counts", _roc_rows(study, chosen)
    rule = by_groups(options.ngroups, options.style, dates=options.group_dates)
    coded = encode(chosen, rule, names)
    for ways in options.ways:
        tables = list(itertools.combinations(names, ways))
        if not tables:
            reason = f"there are only {len(names)} variables"
            row = {"family": GENERAL_UTILITY, "metric": "S_pMSE", "reason": reason}
            yield f"{ways}-way tables", [row]
            continue
        yield f"{ways}-way tables", _table_rows(coded, tables, k_syn=options.k_syn)


def _roc_rows(study: Study, data: Harmonised) -> Rows:
    options = study.options
    steps = {name: step for name, step in options.round_to.items() if name in data.variables}
    result = coded_ratio_of_counts(
        data,
        round_to=steps or None,
        min_count=options.min_count,
        max_categories=options.max_categories,
    )
    common = {"family": GENERAL_UTILITY, "metric": "ROC"}
    rows: Rows = [
        {
            **common,
            "variables": (variable,),
            "value": row["ROC"],
            "reason": row["skipped"] or None,
        }
        for variable, row in result.by_variable.iterrows()
    ]
    reason = None if not math.isnan(result.mean) else "every variable was skipped"
    rows.append({**common, "variables": (), "value": result.mean, "reason": reason})
    return rows


def _table_rows(
    coded: Coded, tables: Sequence[tuple[str, ...]], *, k_syn: bool
) -> Rows | pd.DataFrame:
    by_synthesis = []
    try:
        for synthesis in range(1, coded.m + 1):
            parts = []
            for _, counts in count_tables(coded, tables, synthesis=synthesis):
                values = table_utility.table_statistics(counts, k_syn=k_syn)
                parts.append(pd.DataFrame({**values, "TVD": table_utility.tvd(counts)}))
            by_synthesis.append(pd.concat(parts, ignore_index=True))
    except NotComputable as reason:
        return [{"family": GENERAL_UTILITY, "metric": "S_pMSE", "reason": str(reason)}]
    mean = sum(by_synthesis[1:], by_synthesis[0]) / len(by_synthesis)
    frames = [_melt(mean, tables, math.nan)]
    if coded.m > 1:
        frames += [_melt(f, tables, float(i)) for i, f in enumerate(by_synthesis, start=1)]
    return pd.concat(frames, ignore_index=True)


def _melt(frame: pd.DataFrame, tables: Sequence[tuple[str, ...]], synthesis: float) -> pd.DataFrame:
    metrics = list(frame.columns)
    variables = np.empty(len(tables), dtype=object)
    variables[:] = tables
    return pd.DataFrame(
        {
            "synthesis": synthesis,
            "family": GENERAL_UTILITY,
            "metric": np.repeat(metrics, len(tables)),
            "variables": np.tile(variables, len(metrics)),
            "value": frame.to_numpy().T.ravel(),
        }
    )


def _disclosure(
    study: Study, data: Harmonised, scenario: Scenario
) -> Iterator[tuple[str, DisclosureResult, Rows]]:
    options = study.options
    keys = [name for name in study.original.columns if name in scenario.keys]
    coded_keys = encode(data, _rules(keys, options.ngroups_keys), keys)
    index = index_keys(coded_keys, keys)
    chosen = Options(use_key_missing=dict.fromkeys(keys, True))
    for target in scenario.targets:
        coded_target = encode(data, _rules([target], options.ngroups_targets), [target])
        coded = Coded({**coded_keys.variables, **coded_target.variables}, data.sizes)
        result = measure(data, coded, index, keys, target, chosen)
        common = {
            "family": DISCLOSURE_RISK,
            "scenario": scenario.name,
            "keys": tuple(keys),
            "target": target,
        }
        yield target, result, _disclosure_rows(coded, index, result, common)


def _rules(names: Sequence[str], groups: Mapping[str, int]) -> dict[str, Rule]:
    return {name: by_groups(groups[name]) if groups.get(name) else by_value for name in names}


def _disclosure_rows(
    coded: Coded, index: KeyIndex, result: DisclosureResult, common: Mapping[str, Any]
) -> Rows:
    values = result.per_synthesis.copy()
    for i in values.index:
        counts, _ = count_keys_and_target(coded, index, result.target, synthesis=i)
        for name, value in cap_quantities(counts).items():
            if name in _SEED_NAMES:
                values.loc[i, _SEED_NAMES[name]] = value
    numerators = result.counts.copy()
    numerators["TCAP_matched"] = numerators["TCAP_certain"] = numerators["DiSCO"]
    rows: Rows = []
    of_each = [(math.nan, values.mean(), numerators.mean())]
    if coded.m > 1:
        of_each += [(float(i), values.loc[i], numerators.loc[i]) for i in values.index]
    for synthesis, row, counted in of_each:
        sizes = coded.sizes[1:]
        records = sum(sizes) / len(sizes) if math.isnan(synthesis) else sizes[int(synthesis) - 1]
        totals: dict[Any, float] = dict.fromkeys(counted.index, coded.sizes[0])
        totals |= dict.fromkeys(_OF_SYNTHETIC, records)
        totals["TCAP_matched"] = counted["iS"]
        totals["TCAP_certain"] = counted["DiS"]
        rows.extend(
            {
                **common,
                "synthesis": synthesis,
                "metric": name,
                "value": value,
                "count": counted.get(name),
                "total": totals.get(str(name)),
            }
            for name, value in row.items()
        )
    return rows
