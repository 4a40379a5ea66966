"""SynthEval's table and benchmark: every metric of a preset, for one replica or several."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from sdcmetrics.errors import ColumnError, StudyError, did_you_mean
from sdcmetrics.measures.pair import Frame
from sdcmetrics.microdata.arguments import Seed, checked
from sdcmetrics.ranking.strategies import linear, normal, quantile
from sdcmetrics.suites.catalogue import metric_of
from sdcmetrics.suites.metric import Mode, Quantities
from sdcmetrics.suites.preset import load_preset
from sdcmetrics.suites.trio import Trio, compared

_COLUMNS = ("value", "error", "normalised", "better", "reason")
Metrics = Sequence[str] | Mapping[str, Mapping[str, Any]]


@checked
def syntheval(  # noqa: PLR0913  (what a user of a replica may say of it)
    original: Frame,
    synthetic: Frame | Mapping[str, Frame],
    holdout: Frame | None = None,
    *,
    target: str | Sequence[str] | None = None,
    categorical: Sequence[str] | None = None,
    sensitive: str | Sequence[str] | None = None,
    preset: str = "full",
    metrics: Metrics | None = None,
    mode: Literal["corrected", "published"] = "corrected",
    household: str | None = None,
    seed: Seed | None = None,
) -> pd.DataFrame:
    """Compute SynthEval's metrics, of one replica or side by side.

    Parameters
    ----------
    original, synthetic, holdout : data frames, or paths
        Several replicas as a mapping of name to frame. The holdout are records that the synthesis
        did not see.
    target, sensitive : names, optional
        For the metrics that need them; by default what the preset says.
    categorical : names, optional
        The columns that are categories; by default text, booleans, and numbers with fewer than
        10 distinct values in the original.
    preset : "fast", "full", "privacy", or the path of a TOML file
    metrics : names, or mapping of name to options, optional
        Instead of those of the preset.
    mode : "corrected" or "published"
        Published: the numbers of syntheval 1.7.3. Where and why they differ is said in
        docs/syntheval.md.
    household : name of a column, optional
        Who lives together: whole households are exchanged and drawn; see docs/households.md.
    seed : int, optional
        Of everything that is drawn; by default 0.

    Returns
    -------
    DataFrame
        Index metric and quantity, named as in SynthEval; columns value, error (standard error),
        normalised (0 to 1, 1 being the best), better and reason (why there is no value, or what
        it leaves out). Of several replicas: one row per replica, columns as this index with the
        values, then the totals of SynthEval's four rank strategies over all, utility, privacy
        and fairness, more being better; a metric without a value counts 0 for that replica.

    Raises
    ------
    StudyError
        For an unknown preset, metric or option.
    ColumnError, DataError, FileError
        If the data sets cannot be compared.

    References
    ----------
    Lautrup, Hyrup, Zimek and Schneider-Kamp (2024), SynthEval: a framework for detailed utility
    and privacy evaluation of tabular synthetic data, arXiv:2404.15821.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"x": range(12), "y": list("aabb") * 3})
    >>> result = syntheval(frame, frame, metrics=["h_dist", "dcr"])
    >>> result["value"].to_dict()
    {('h_dist', 'avg'): 0.0, ('dcr', 'mDCR'): 0.0, ('dcr', 'copies'): 1.0}
    """
    entries = load_preset(preset)
    chosen: dict[str, Mapping[str, Any]]
    if metrics is None:
        chosen = dict(entries.metrics)
    elif isinstance(metrics, Mapping):
        chosen = {name: dict(options or {}) for name, options in metrics.items()}
    else:
        chosen = {name: {} for name in ([metrics] if isinstance(metrics, str) else metrics)}
    for name in chosen:
        metric_of(name)
    given: dict[str, Any] = {
        "categorical": entries.categorical if categorical is None else _names(categorical),
        "target": entries.target if target is None else _names(target),
        "sensitive": entries.sensitive if sensitive is None else _names(sensitive),
        "seed": 0 if seed is None else int(seed),
        "shared": {},
    }
    several = isinstance(synthetic, Mapping)
    replicas = synthetic if isinstance(synthetic, Mapping) else {"synthetic": synthetic}
    if not replicas:
        msg = "synthetic: expected at least one replica but got none."
        raise StudyError(msg)
    trios = {
        str(name): _trio(original, frame, holdout, str(name), given, household)
        for name, frame in replicas.items()
    }
    results = {name: _measure(trio, chosen, mode) for name, trio in trios.items()}
    if several:
        return _benchmark(results)
    return _table(results["synthetic"])


def _names(names: str | Sequence[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _trio(
    original: Frame,
    synthetic: Frame,
    holdout: Frame | None,
    name: str,
    options: dict[str, Any],
    household: str | None,
) -> Trio:
    shared = options["shared"]
    pair, households = compared(
        original, synthetic, holdout, name=name, household=household, shared=shared
    )
    names = list((pair.data if holdout is None else pair.beside_holdout).variables)
    for role in ("target", "sensitive"):
        for column in options[role]:
            if column not in names:
                hint = did_you_mean(column, names)
                msg = f"{role}: not every data set has a column {column!r}.{hint}"
                raise ColumnError(msg)
    roles = {role: value for role, value in options.items() if role != "shared"}
    return Trio.of_pair(pair, households=households, **roles)


def _measure(
    trio: Trio, chosen: Mapping[str, Mapping[str, Any]], mode: Mode
) -> dict[str, Quantities]:
    return {
        name: metric_of(name).measure(trio, mode=mode, options=options)
        for name, options in chosen.items()
    }


def _table(results: Mapping[str, Quantities]) -> pd.DataFrame:
    rows = {
        (name, quantity): [getattr(figures, column) for column in _COLUMNS]
        for name, quantities in results.items()
        for quantity, figures in quantities.items()
    }
    index = pd.MultiIndex.from_tuples(list(rows), names=["metric", "quantity"])
    frame = pd.DataFrame(list(rows.values()), index=index, columns=_COLUMNS)
    return frame.astype(dict.fromkeys(_COLUMNS[:3], "float64"))


def _benchmark(results: Mapping[str, Mapping[str, Quantities]]) -> pd.DataFrame:
    tables = {name: _table(quantities) for name, quantities in results.items()}
    keys = list(dict.fromkeys(key for table in tables.values() for key in table.index))
    index = pd.Index(list(tables), name="replica")
    columns = pd.MultiIndex.from_tuples(keys, names=["metric", "quantity"])

    def spread(column: str) -> pd.DataFrame:
        rows = [table[column].reindex(columns).to_numpy() for table in tables.values()]
        return pd.DataFrame(np.array(rows, dtype=np.float64), index=index, columns=columns)

    values, good = spread("value"), spread("normalised")
    ranked = good.columns[~good.isna().all().to_numpy()]
    dimension = np.array([metric_of(key[0]).dimension for key in ranked])
    table = good[ranked].to_numpy()
    points = {
        "summation": np.nan_to_num(table),
        "linear": linear(table),
        "normal": normal(table),
        "quantile": quantile(table),
    }
    out = values
    for strategy, each in points.items():
        for part in ("all", "utility", "privacy", "fairness"):
            wanted = dimension == part if part != "all" else np.ones(len(dimension), dtype=bool)
            total = each[:, wanted].sum(axis=1) if wanted.any() else math.nan
            out[strategy, part] = total
    return out
