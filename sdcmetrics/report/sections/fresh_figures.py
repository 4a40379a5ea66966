"""Figures of replicas beside fresh data: the map, and the cells that differ most."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sdcmetrics.measures.closeness.shares import dcr_share
from sdcmetrics.report.figures.charts import Bars, FreshMap, Mark, Series
from sdcmetrics.report.safety import numbers
from sdcmetrics.report.sections.fresh_cells import coarse, share_in_percent
from sdcmetrics.report.source import Source
from sdcmetrics.review.fresh_data import FreshData

_MOST_CELLS = 8


def fresh_map(source: Source, fresh: FreshData) -> FreshMap | None:
    """Return the map of fidelity and closeness; None where the holdout is at no distance."""
    held = fresh.fidelity[fresh.widest].figure(fresh.ways, "holdout_tvd")
    if not held > 0:
        return None
    marks = [
        Mark(
            f"{100 * p.share:g} %",
            "perturbed",
            coarse(p.fidelity / held),
            share_in_percent(p.closer),
        )
        for p in fresh.perturbed
    ]
    for replica, found in fresh.fidelity.items():
        shares = [c.share for (r, _), c in fresh.closest.items() if r == replica]
        ratio = coarse(found.figure(fresh.ways, "ratio"))
        mean = share_in_percent(sum(shares) / len(shares))
        if ratio > 0:
            marks.append(Mark(source.name(replica).text, "replica", ratio, mean))
    own = dcr_share(fresh.closest[fresh.widest, 1].baseline)
    marks.append(Mark("Holdout", "holdout", 1.0, share_in_percent(own)))
    words = "; ".join(f"{m.name} {m.x:g}, {m.y:.1f} %" for m in marks)
    return FreshMap(
        title="Fidelity and closeness",
        description="Distance of tables as a multiple of the holdout's, and share of records "
        f"closer to the original than to the holdout: {words}.",
        x_title=f"Distance of tables of {fresh.ways} variables, as a multiple of the holdout's",
        y_title="Records closer to the original than to the holdout",
        marks=tuple(mark for mark in marks if mark.x > 0),
        chance=_by_chance(fresh),
    )


def _by_chance(fresh: FreshData) -> float:
    """Return the share that permuted labels give, mean over the replicas, in percent."""
    means = [found.permutation.mean for found in fresh.closest.values()]
    if any(map(math.isnan, means)):
        n, _, kept = next(iter(fresh.closest.values())).sizes
        means = [n / (n + kept)]
    return round(100 * sum(means) / len(means), 1)


def drawings(source: Source, fresh: FreshData) -> Iterator[Bars]:
    """Yield, for the worst tables of every replica, the cells that differ most."""
    for replica, found in fresh.worst.items():
        for table in found:
            cells = table.cells.head(_MOST_CELLS)
            names = " by ".join(source.name(name).text for name in table.variables)
            title = f"{source.name(replica).text}: {names}"
            levels = tuple(
                ", ".join("missing" if x is None else source.name(x).text for x in labels)
                for labels in cells["labels"]
            )
            series = tuple(
                Series(name, tuple(100 * cells[of]), tuple(_texts(cells[of])))
                for name, of in (
                    ("original", "training"),
                    ("holdout", "holdout"),
                    (source.name(replica).text, "synthetic"),
                )
            )
            words = "; ".join(
                f"{level}: original {series[0].texts[i]}, holdout {series[1].texts[i]}, replica "
                f"{series[2].texts[i]}"
                for i, level in enumerate(levels)
            )
            yield Bars(
                title, f"Share of records in the cells that differ most. {words}.", levels, series
            )


def _texts(shares: object) -> Iterator[str]:
    for share in shares:  # type: ignore[attr-defined]
        yield numbers.percent_text(100 * float(share))
