"""Result of the distance to the closest record, with its evidence and its limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from sdcmetrics.measures.closeness.copied import Copied
from sdcmetrics.measures.closeness.detectable import smallest_detectable
from sdcmetrics.measures.closeness.share_permutation import SharePermutation
from sdcmetrics.measures.closeness.shares import (
    ClosestRecords,
    dcr_holdout,
    dcr_share,
    dcr_training,
    ims_holdout,
    ims_training,
)
from sdcmetrics.measures.exchangeable import LabelTest
from sdcmetrics.results import ORIGINAL, SYNTHETIC, Readable, label_axes, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COPYING = (
    "Distances show copying and nothing else: replicas that pass tests of this kind have been "
    "attacked with success (Yao et al. 2025, arXiv:2505.01524; Ganev and De Cristofaro 2023, "
    "arXiv:2312.05114). A share as expected is no evidence of anonymity."
)
_AVERAGE = (
    "The share is an average over all synthetic records: a hundred people who leak do not move "
    "it. That is what the tests of identical and of singled-out records are for."
)
_CHOICES = "Distances depend on the columns, the groups and the division into training and holdout."
_OUTPUT = "Figures on the training data are themselves an output about confidential data."

LIMITS = (_COPYING, _AVERAGE, _CHOICES, _OUTPUT)
"""What these numbers do not show."""


@dataclass(frozen=True)
class ClosestRecord(
    Readable, shows=("distance", "share", "mean_training", "mean_holdout"), table="by_column"
):
    """Distances from a replica to the closest training and holdout records.

    Attributes
    ----------
    distance, mode : str
        As asked for; mode is "" for Gower and Euclidean, which need no groups.
    closest : ClosestRecords
        Distances of each synthetic record, training side and holdout side, and identical matches.
    baseline : ClosestRecords
        The same of the holdout itself as if it were a replica, no record its own neighbour: what
        fresh records look like.
    permutation : SharePermutation
        The share under permuted labels: its mean, standard deviation, z and p.
    identical : LabelTest
        Real records without a duplicate in either file that some synthetic record equals in every
        value: how many of the training data, how many of the holdout, and the exact p of so many
        training records.
    singled_out : LabelTest
        Real records that are closer, by `margin`, to a synthetic record than to any other real
        record: the same.
    outliers : LabelTest
        Real records that some synthetic record equals in every value though no other real record
        is within `margin`, of the 2 % that lie furthest from all others: copies of single people,
        whatever the p, as fresh data equal hardly ever one. The same.
    copied : Copied
        The same of a verbatim copy of the training data.
    margin : float
        In units of the distance.
    by_column : DataFrame
        Index column; what it contributes to the distance to the closest records, `training` and
        `holdout`, and the `difference` training - holdout, the most negative first: the columns
        in which the replica agrees more with its training data than with fresh records. Under
        Hamming's distance a contribution is the share of synthetic records that mismatch, and
        the differences add up to mean_training - mean_holdout.
    columns : tuple of str
    varying : tuple of str
        Those of the columns that are not constant over the training data, as coded; the others
        never add to a distance between the training data and records like them.
    sizes : three ints
        Training, synthetic and holdout records.
    seed : int
    seconds : float
    notes, fixes, limits : tuples of str
    drawn : str
        For which records the nearest were looked for, where not for all.
    per_synthesis : tuple of ClosestRecord
        Of several syntheses, each alone; the result itself is of all their records together.
    """

    distance: str
    mode: str
    closest: ClosestRecords
    baseline: ClosestRecords
    permutation: SharePermutation
    identical: LabelTest
    singled_out: LabelTest
    outliers: LabelTest
    copied: Copied
    margin: float
    by_column: pd.DataFrame
    columns: tuple[str, ...]
    varying: tuple[str, ...]
    sizes: tuple[int, int, int]
    seed: int
    seconds: float
    notes: tuple[str, ...]
    fixes: tuple[str, ...]
    limits: tuple[str, ...] = LIMITS
    drawn: str = ""
    per_synthesis: tuple[ClosestRecord, ...] = ()

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw how many synthetic records are at most so far from a record of either file.

        A replica that copies nobody has one line above the other no more often than chance; for
        unequal files the larger one is nearer.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default on new ones.

        Raises
        ------
        StudyError
            If matplotlib is not installed.
        """
        drawn = new_axes(ax)
        sides = (
            ("training data", self.closest.training, SYNTHETIC),
            ("holdout", self.closest.holdout, ORIGINAL),
        )
        for name, distances, colour in sides:
            drawn.ecdf(distances, label=f"to the {name}", color=colour)
        drawn.legend()
        return label_axes(
            drawn,
            x=f"distance to the closest record ({self.distance})",
            y="share of the synthetic records",
            title="How close synthetic records are to real ones",
        )

    @property
    def share(self) -> float:
        """Share of synthetic records closer to the training data; see `dcr_share`."""
        return dcr_share(self.closest)

    @property
    def closer(self) -> int:
        """Synthetic records that are closer to a training record."""
        return self.closest.closer

    @property
    def equal(self) -> int:
        """Synthetic records that are as close to a training as to a holdout record."""
        return self.closest.equal

    @property
    def further(self) -> int:
        """Synthetic records that are closer to a holdout record."""
        return self.closest.further

    @property
    def tie_share(self) -> float:
        """Share of synthetic records that are as close to both; 0 to 1."""
        return self.equal / self.closest.n

    @property
    def mean_training(self) -> float:
        """Mean distance to the closest training record."""
        return dcr_training(self.closest)

    @property
    def mean_holdout(self) -> float:
        """Mean distance to the closest holdout record."""
        return dcr_holdout(self.closest)

    @property
    def effective_columns(self) -> int:
        """Number of columns that are not constant over the training data, as coded."""
        return len(self.varying)

    def to_dict(self) -> dict[str, Any]:
        """Return all but the single records' distances, as text and numbers.

        A number that does not exist is None.
        """
        null = self.permutation
        return {
            "distance": self.distance,
            "mode": self.mode,
            **dict(zip(("n_training", "n_synthetic", "n_holdout"), self.sizes, strict=True)),
            **_figures(self.closest),
            "permutation": {
                "permutations": null.permutations,
                "mean": _number(null.mean),
                "sd": _number(null.sd),
                "z": _number(null.z),
                "p_value": _number(null.p_value),
            },
            "identical_records": _label_test(self.identical),
            "singled_out_records": {"margin": self.margin, **_label_test(self.singled_out)},
            "copied_outliers": _label_test(self.outliers),
            "holdout_itself": _figures(self.baseline),
            "columns": list(self.columns),
            "constant_columns": [name for name in self.columns if name not in self.varying],
            "by_column": [
                {"column": str(name), **{key: float(value) for key, value in row.items()}}
                for name, row in self.by_column.to_dict("index").items()
            ],
            "seed": self.seed,
            "seconds": self.seconds,
            "notes": list(self.notes),
            "fixes": list(self.fixes),
            "limits": list(self.limits),
        }


def _figures(closest: ClosestRecords) -> dict[str, Any]:
    return {
        "DCR_share": dcr_share(closest),
        "closer": closest.closer,
        "equal": closest.equal,
        "further": closest.further,
        "DCR_training": dcr_training(closest),
        "DCR_holdout": dcr_holdout(closest),
        "IMS_training": ims_training(closest).proportion,
        "IMS_holdout": ims_holdout(closest).proportion,
    }


def _label_test(test: LabelTest) -> dict[str, Any]:
    return {
        "training": test.training,
        "holdout": test.holdout,
        "expected_training": test.expected,
        "p_value": test.p_value,
        "smallest_detectable": smallest_detectable(
            test.n_training, test.n_holdout, by_chance=test.by_chance
        ),
    }


def _number(value: float) -> float | None:
    return None if value != value else value  # noqa: PLR0124  (NaN)
