"""Disclosure under coarser keys, counted before data are changed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from sdcmetrics.errors import SdcMetricsError, StudyError
from sdcmetrics.measures.crosstables.key_counting import (
    KeyIndex,
    KeyTargetCounts,
    count_beside_each_other,
    count_keys_and_target,
    index_keys,
)
from sdcmetrics.measures.disclosure.attribution import disco
from sdcmetrics.measures.disclosure.identity import rep_u
from sdcmetrics.microdata.coarsening import Coarsening, Periods, Steps
from sdcmetrics.microdata.coding import Coded, by_group_or_value, encode
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.frames import Microdata, label_of
from sdcmetrics.microdata.schema import Variable, alone, harmonise
from sdcmetrics.study.coarsening import coarsened, make_coarsening
from sdcmetrics.study.data import DataSets
from sdcmetrics.study.sampled import data_sets
from sdcmetrics.study.study import Scenario, Study

_BANDS = (20, 12, 8)
"""Bands that a number is proposed to be put in, at most."""
_TAILS = (0.01, 0.99)
"""Quantiles between which the bands are counted: few people are outside."""
_FEW_PERIODS = 3
COLUMNS = (
    "replica",
    "scenario",
    "coarsen",
    "k",
    "k_after",
    "unique",
    "unique_after",
    "repU",
    "repU_after",
    "target",
    "DiSCO",
    "DiSCO_after",
    "outsiders",
    "outsiders_after",
)


def coarser_keys(study: Study, coarsen: Mapping[str, Any] | None = None) -> pd.DataFrame:
    """Return, per replica, scenario and way to coarsen, the figures before and after.

    Parameters
    ----------
    study : Study
    coarsen : mapping of column to how, optional
        As in ``[coarsen]``: each column alone, then all together. By default some widths of bands
        for each numeric key, months and years for dates, and the wider ones of all keys together.

    Returns
    -------
    DataFrame
        k is the fewest original records that share their keys, `unique` how many are alone; repU
        and DiSCO are percent of the original's records, on average over the syntheses, DiSCO of
        the target that is disclosed most often before; `outsiders` is DiSCO of the holdout, of
        people who were not in the original: NaN without one. Empty where no key can be made
        coarser.

    Raises
    ------
    StudyError
        If `coarsen` does not fit the data.
    """
    data = data_sets(study)
    given = None if coarsen is None else make_coarsening(coarsen)
    _refuse_idle(study, given or {})
    rows: list[dict[str, Any]] = []
    for scenario in study.scenarios:
        before: dict[str, dict[str, Any]] = {}
        for rules in _ways(study, scenario, given):
            try:
                after = coarsened(data, rules, study.options.missing_codes)
            except SdcMetricsError:
                if given is not None:
                    raise
                continue
            before = before or _figures(study, scenario, data, ())
            for name, figures in _figures(study, scenario, after, rules).items():
                most = max(before[name]["DiSCO"], key=before[name]["DiSCO"].__getitem__)
                here = {"replica": name, "scenario": scenario.name, "coarsen": _entry(rules)}
                for field in ("k", "unique", "repU"):
                    here |= {field: before[name][field], f"{field}_after": figures[field]}
                here |= {
                    "target": most,
                    "DiSCO": before[name]["DiSCO"][most],
                    "DiSCO_after": figures["DiSCO"][most],
                    "outsiders": before[name]["outsiders"][most],
                    "outsiders_after": figures["outsiders"][most],
                }
                rows.append(here)
    order = {name: i for i, name in enumerate(study.replicas)}
    rows.sort(key=lambda row: order[row["replica"]])
    return pd.DataFrame(rows, columns=[*COLUMNS])


def _refuse_idle(study: Study, rules: Mapping[str, Coarsening]) -> None:
    """Raise StudyError if a column is neither a key nor a target, so that nothing would change."""
    roles = dict.fromkeys(name for s in study.scenarios for name in (*s.keys, *s.targets))
    for name in rules:
        if name not in roles:
            msg = (
                f"coarsen: {name!r} is neither a key nor a target of the study, so that nothing "
                f"would change. Name one of {', '.join(roles)}."
            )
            raise StudyError(msg)


def _entry(rules: Mapping[str, Coarsening]) -> str:
    """Return what to write in ``[coarsen]``, on one line."""
    return ", ".join(f"{name} = {_short(rule)}" for name, rule in rules.items())


def _short(rule: Coarsening) -> str:
    if isinstance(rule, Steps):
        return label_of(rule.width)
    return f'"{rule.unit}"' if isinstance(rule, Periods) else f"({rule.words})"


def _ways(
    study: Study, scenario: Scenario, rules: Mapping[str, Coarsening] | None
) -> list[dict[str, Coarsening]]:
    """Return the sets of rules to try: column by column, then all together."""
    if rules is not None:
        roles = {*scenario.keys, *scenario.targets}
        each = [{name: rule} for name, rule in rules.items() if name in roles]
        return [*each, *([dict(rules)] if len(each) > 1 else [])]
    grouped = study.options.ngroups_keys
    codes = study.options.missing_codes
    ways: list[dict[str, Coarsening]] = []
    widest: dict[str, Coarsening] = {}
    for name in scenario.keys:
        if grouped.get(name) or name in study.coarsen:
            continue
        here = {name: codes[name]} if name in codes else {}
        for rule in _proposed(alone(study.original, [name], here).variables[name]):
            ways.append({name: rule})
            widest[name] = rule
    return [*ways, *([widest] if len(widest) > 1 else [])]


def _proposed(variable: Variable) -> Iterable[Coarsening]:
    """Yield rules for a number or a date, the finest first."""
    if variable.kind not in (Kind.NUMBER, Kind.DATE):
        return
    values = np.unique(variable.values[0])
    values = values[~np.isnan(values) & ~np.isin(values, variable.missing_codes)]
    if variable.kind is Kind.DATE:
        for unit, code in (("month", "M"), ("year", "Y")):
            stamps = values.astype("datetime64[ms]").astype(f"datetime64[{code}]")
            if _FEW_PERIODS <= len(np.unique(stamps)) < len(values):
                yield Periods(unit)
        return
    if len(values) <= min(_BANDS):
        return
    low, high = np.quantile(values, _TAILS)
    widths = dict.fromkeys(_width(high - low, most) for most in _BANDS)
    for width in widths:
        if len(np.unique(np.floor(values / width))) < len(values):
            yield Steps(width)


def _width(span: float, most: int) -> float:
    """Return the smallest of 1, 2, 5, 10, 20, 50, ... with so many bands at most.

    Examples
    --------
    >>> _width(75.0, 16), _width(75.0, 8), _width(0.9, 8)
    (5.0, 10.0, 0.2)
    """
    unit = 10.0 ** math.floor(math.log10(span / most))
    return float(f"{next(f * unit for f in (1, 2, 5, 10) if f * unit * most >= span):.1g}")


def _figures(
    study: Study, scenario: Scenario, data: DataSets, coarse: Iterable[str]
) -> dict[str, dict[str, Any]]:
    """Return the figures of each replica."""
    options, coarse = study.options, set(coarse)
    codes = {
        name: code
        for name, code in options.missing_codes.items()
        if name in (*scenario.keys, *scenario.targets) and name not in coarse
    }
    groups = {n: g for n, g in options.ngroups_targets.items() if n not in coarse}
    columns = [n for n in data.original.columns if n in (*scenario.keys, *scenario.targets)]
    keys = [name for name in columns if name in scenario.keys]
    rules = by_group_or_value(keys, options.ngroups_keys)
    rules |= by_group_or_value(scenario.targets, groups)
    out = {}
    fresh = data.holdout
    if fresh is not None and not set(columns) <= set(fresh.columns):
        fresh = None
    for name, syntheses in data.replicas.items():

        def index(aside: Sequence[Microdata], syntheses: Sequence[Microdata] = syntheses) -> _Index:
            every = [*syntheses, *aside]
            data_sets = harmonise(data.original, every, variables=columns, missing_codes=codes)
            coded = encode(data_sets, rules, columns)
            return coded, index_keys(coded, keys)

        each, targets = range(1, len(syntheses) + 1), scenario.targets
        coded, of_keys = index([])
        own = {
            t: [count_keys_and_target(coded, of_keys, t, synthesis=i)[0] for i in each]
            for t in targets
        }
        first = own[targets[0]]
        sizes = first[0].original_by_key
        outsiders = dict.fromkeys(targets, math.nan)
        if fresh is not None:
            coded, of_keys = index([fresh])
            outsiders = _disclosed(
                {t: [_of_holdout(coded, of_keys, t, i) for i in each] for t in targets}
            )
        out[name] = {
            "k": int(sizes[sizes > 0].min()),
            "unique": int((sizes == 1).sum()),
            "repU": float(np.mean([rep_u(counts).percent for counts in first])),
            "DiSCO": _disclosed(own),
            "outsiders": outsiders,
        }
    return out


_Counts = dict[str, list[KeyTargetCounts]]
_Index = tuple[Coded, KeyIndex]


def _of_holdout(coded: Coded, index: KeyIndex, target: str, synthesis: int) -> KeyTargetCounts:
    """Count the holdout, which is the last data set, in the original's place."""
    (beside, own), _ = count_beside_each_other(coded, index, target, [synthesis, coded.m])
    return replace(beside, original=own.synthetic, n_original=own.n_synthetic)


def _disclosed(counts: _Counts) -> dict[str, float]:
    """Return the percentage of people whose target is disclosed, by target."""
    return {
        target: float(np.mean([disco(counts).percent for counts in each]))
        for target, each in counts.items()
    }
