"""One-way distributions of the original beside every replica, over groups common to all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sdcmetrics.microdata.coding import by_groups, encode
from sdcmetrics.microdata.grouping import Groups
from sdcmetrics.microdata.schema import Variable, harmonise
from sdcmetrics.study.study import Study


@dataclass(frozen=True)
class Distribution:
    """One variable, one-way: original counts beside those of every replica.

    Attributes
    ----------
    variable : str
    kind : "number", "category", "boolean" or "date"
    labels : tuple of str or None
        Levels or groups; None is missing.
    original : tuple of int
        Original records in each level.
    replicas : dict of replica to tuple of float
        Share of the replica's records in each level (mean over its syntheses), 0 to 1.
    breaks : tuple of float
        Ends of the groups of a grouped numeric variable, else empty. The first and the last
        are the pooled minimum and maximum.
    coarse : bool
        Whether a group holds several values, between which nothing is compared.
    """

    variable: str
    kind: str
    labels: tuple[str | None, ...]
    original: tuple[int, ...]
    replicas: dict[str, tuple[float, ...]]
    breaks: tuple[float, ...] = ()
    coarse: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the variable as the review's JSON has it; `breaks` are values of people."""
        return {
            "variable": self.variable,
            "kind": self.kind,
            "labels": list(self.labels),
            "original": list(self.original),
            "replicas": {name: list(shares) for name, shares in self.replicas.items()},
        }


def describe(study: Study) -> dict[str, Distribution]:
    """Count every variable one-way; numbers are grouped from the pool of all data sets.

    The mean share over its syntheses stands for a replica. A replica that lacks a column is
    left out of that column's entry.
    """
    options, replicas = study.options, list(study.replicas)
    rule = by_groups(options.ngroups, options.style, dates=options.group_dates)
    names = options.variables or study.original.columns
    out = {}
    for name in names:
        having = [r for r in replicas if all(name in d.columns for d in study.replicas[r])]
        if not having:
            continue
        syntheses = [data for replica in having for data in study.replicas[replica]]
        codes = {k: v for k, v in options.missing_codes.items() if k == name}
        data = harmonise(study.original, syntheses, variables=[name], missing_codes=codes)
        coded = encode(data, rule, [name]).variables[name]
        counts = [coded.count(part) for part in range(len(data.sizes))]
        shares = iter([count / n for count, n in zip(counts[1:], data.sizes[1:], strict=True)])
        by_replica = {
            replica: np.mean([next(shares) for _ in study.replicas[replica]], axis=0)
            for replica in having
        }
        out[name] = Distribution(
            variable=name,
            kind=data.variables[name].kind.value,
            labels=coded.labels,
            original=tuple(counts[0].tolist()),
            replicas={r: tuple(mean.tolist()) for r, mean in by_replica.items()},
            breaks=() if coded.groups is None else tuple(coded.groups.breaks.tolist()),
            coarse=coded.groups is not None and _is_coarse(data.variables[name], coded.groups),
        )
    return out


def _is_coarse(variable: Variable, groups: Groups) -> bool:
    values = np.unique(np.concatenate([np.unique(part) for part in variable.values]))
    values = values[~np.isnan(values) & ~np.isin(values, variable.missing_codes)]
    return len(values) > max(len(groups.breaks) - 1, 0)
