"""Compare every replica with the original and with a holdout: rows, and what they rest on."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from sdcmetrics.measures.closeness.assessment import assess_closeness
from sdcmetrics.measures.closeness.neighbours import Progress
from sdcmetrics.measures.closeness.points import ClosestPoints, as_points
from sdcmetrics.measures.closeness.result import ClosestRecord
from sdcmetrics.measures.closeness.search import PoolSearch, search_pool
from sdcmetrics.measures.closeness.shares import ims_holdout, ims_training
from sdcmetrics.measures.fidelity.holdout_check import check_harmonised
from sdcmetrics.measures.fidelity.marginal_fidelity import (
    MAX_LEVELS,
    MarginalFidelity,
    cells_of,
    fidelity_of,
)
from sdcmetrics.measures.fidelity.perturb import perturb
from sdcmetrics.measures.registry import DISCLOSURE_RISK, GENERAL_UTILITY
from sdcmetrics.microdata.frames import Fix, Microdata
from sdcmetrics.microdata.schema import Harmonised, harmonise
from sdcmetrics.review.fresh_data import FreshData, Perturbed, WorstTable
from sdcmetrics.study.study import Study

__all__ = ["HoldoutRun"]

Row = dict[str, Any]

_MOST_TABLES = 20_000
_SECONDS_BETWEEN = 5.0


class HoldoutRun:
    """The part of a study that uses its holdout; asks for one step after the other.

    Parameters
    ----------
    study : Study
        With a holdout.
    tell : function of a text, optional
        Called every few seconds during long searches.

    Attributes
    ----------
    steps : int
        How many steps `run` takes.
    fixes : list of (replica, Fix)
        Changes made to the holdout, and to what is compared with it.
    result : FreshData
        Complete after the last step of `run`.
    """

    def __init__(self, study: Study, tell: Callable[[str], None] | None = None) -> None:
        self._study = study
        self._tell = tell
        self._holdout: Microdata = study.holdout  # type: ignore[assignment]  # asked for with one
        self._pools: dict[tuple[str, ...], PoolSearch] = {}
        self.fixes: list[tuple[str, Fix]] = []
        self.steps = 1 + 2 * len(study.replicas) + len(study.options.perturbed)

    def run(self) -> Iterator[tuple[str, str, list[Row]]]:
        """Yield replica, step in words, and rows.

        Raises
        ------
        ColumnError, DataError
            If the holdout cannot be compared with the original or a replica.
        """
        study = self._study
        data = {name: self._harmonise(name) for name in study.replicas}
        widest = max(data.values(), key=lambda one: len(one.variables))
        check = check_harmonised(widest, seed=study.options.seed)
        yield "", "holdout: a random part of the same data?", []
        fidelity: dict[str, MarginalFidelity] = {}
        closest: dict[tuple[str, int], ClosestRecord] = {}
        worst: dict[str, tuple[WorstTable, ...]] = {}
        for name, harmonised in data.items():
            m = len(study.replicas[name])
            found = fidelity_of(harmonised, m=m, ways=_ways(len(harmonised.variables)))
            fidelity[name], worst[name] = found, tuple(_worst(harmonised, found, m))
            yield name, f"{name}: fidelity beside the holdout", list(_fidelity_rows(found))
            for i, synthesis in enumerate(study.replicas[name], start=1):
                step = f"{name}: closest records"
                closest[name, i] = self._closest(synthesis, step, study.options.variables)
            results = [result for (of, _), result in closest.items() if of == name]
            yield name, f"{name}: closest records", list(_closeness_rows(results))
        ways = max(set.intersection(*(set(found.index) for found in fidelity.values())))
        perturbed = []
        for share in study.options.perturbed:
            perturbed.append(self._perturbed(share, ways, list(widest.variables)))
            yield "", _reference(share), []
        self.result = FreshData(check, fidelity, closest, tuple(perturbed), ways, worst)

    def _harmonise(self, name: str) -> Harmonised:
        study = self._study
        data = harmonise(
            study.original,
            [*study.replicas[name], self._holdout],
            variables=study.options.variables,
            missing_codes=study.options.missing_codes,
        )
        self.fixes.extend((name, fix) for fix in data.fixes)
        return data

    def _points(self, synthetic: Microdata, variables: Sequence[str] | None) -> ClosestPoints:
        options = self._study.options
        return as_points(
            self._study.original,
            synthetic,
            self._holdout,
            distance=options.distance,  # type: ignore[arg-type]  # checked with the options
            variables=variables,
            missing_codes=options.missing_codes or None,
        )

    def _closest(
        self,
        synthetic: Microdata,
        step: str,
        variables: Sequence[str] | None,
        permutations: int | None = None,
    ) -> ClosestRecord:
        options = self._study.options
        points = self._points(synthetic, variables)
        if points.columns not in self._pools:  # real records do not depend on the replica
            self._pools[points.columns] = search_pool(
                points.training,
                points.holdout,
                distance=points.distance,
                progress=self._told("real records among each other"),
            )
        return assess_closeness(
            points,
            pool=self._pools[points.columns],
            permutations=options.permutations if permutations is None else permutations,
            seed=options.seed,
            progress=self._told(step),
        )

    def _told(self, step: str) -> Progress | None:
        """Return a progress that tells now and then how far a search is."""
        tell = self._tell
        if tell is None:
            return None
        last = time.monotonic()

        def told(done: int, total: int) -> None:
            nonlocal last
            if time.monotonic() - last >= _SECONDS_BETWEEN:
                last = time.monotonic()
                tell(f"{step}, {100 * done // total} %")

        return told

    def _perturbed(self, share: float, ways: int, variables: Sequence[str]) -> Perturbed:
        options = self._study.options
        made = perturb(self._study.original, share, seed=options.seed)
        data = harmonise(
            self._study.original,
            [made],
            variables=variables,
            missing_codes=options.missing_codes,
        )
        value = fidelity_of(data, m=1, ways=ways).figure(ways, "tvd")
        closest = self._closest(made, _reference(share), variables, permutations=0)
        return Perturbed(share, value, closest.share)


def _reference(share: float) -> str:
    return f"reference: {share:.0%} of the values replaced"


def _ways(width: int) -> list[int]:
    """Return the sizes of tables of which there are some, but not too many to count."""
    return [k for k in MAX_LEVELS if 0 < math.comb(width, k) <= _MOST_TABLES]


def _worst(data: Harmonised, found: MarginalFidelity, m: int) -> Iterator[WorstTable]:
    for _, row in found.iterrows():
        table, levels = row["worst"], int(row["max_levels"])
        cells = cells_of(data, table, m=m, max_levels=levels)
        of_holdout = float((cells["holdout"] - cells["training"]).abs().sum() / 2)
        yield WorstTable(table, float(row["worst_tvd"]), of_holdout, cells)


def _fidelity_rows(found: MarginalFidelity) -> Iterator[Row]:
    for ways, row in found.iterrows():
        for name, column in ((f"F{ways}", "tvd"), (f"F{ways}_holdout", "holdout_tvd")):
            yield {"family": GENERAL_UTILITY, "metric": name, "value": float(row[column])}
    for ways in MAX_LEVELS:
        if ways not in found.index:
            reason = "there are too few variables, or too many tables of this size"
            yield {"family": GENERAL_UTILITY, "metric": f"F{ways}", "reason": reason}


def _closeness_rows(results: list[ClosestRecord]) -> Iterator[Row]:
    each = [_measures(result) for result in results]
    permuted = results[0].permutation.permutations > 0
    for name in each[0]:
        row = {"family": DISCLOSURE_RISK, "metric": name}
        parts = [measures[name] for measures in each]
        values = [part[0] for part in parts]
        value = sum(values) / len(values)
        if name.endswith("_p") and len(values) > 1:
            value = min(1.0, len(values) * min(values))  # one of several tests, so times as many
        counts = [part[1] for part in parts if part[1] is not None]
        count = sum(counts) / len(counts) if counts else None
        yield {
            **row,
            "value": value,
            "count": count,
            "total": parts[0][2],
            **_why(value, permuted=permuted),
        }
        if len(parts) > 1:
            for i, (one, of, total) in enumerate(parts, start=1):
                found = {"synthesis": i, "value": one, "count": of, "total": total}
                yield {**row, **found, **_why(one, permuted=permuted)}


def _why(value: float, *, permuted: bool) -> Row:
    if not math.isnan(value):
        return {}
    what = "the permuted shares do not vary" if permuted else "the labels were not permuted"
    return {"reason": what}


def _measures(result: ClosestRecord) -> dict[str, tuple[float, int | None, int | None]]:
    """Return value, count and total of each measure."""
    copied, fresh = ims_training(result.closest), ims_holdout(result.closest)
    return {
        "DCR_share": (result.share, None, None),
        "DCR_z": (result.permutation.z, None, None),
        "DCR_p": (result.permutation.p_value, None, None),
        "DCR_training": (result.mean_training, None, None),
        "DCR_holdout": (result.mean_holdout, None, None),
        "IMS_training": (copied.percent, copied.count, copied.total),
        "IMS_holdout": (fresh.percent, fresh.count, fresh.total),
        "identical_p": (result.identical.p_value, result.identical.training, result.sizes[0]),
        "singled_out_p": (result.singled_out.p_value, result.singled_out.training, result.sizes[0]),
    }
