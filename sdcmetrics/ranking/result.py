"""What a ranking found; everything can be recomputed by hand from its frame."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from sdcmetrics.errors import FileError
from sdcmetrics.ranking.acceptability import Stretch
from sdcmetrics.ranking.anchors import Anchor, anchored, counted
from sdcmetrics.ranking.criteria import Floats
from sdcmetrics.ranking.pareto import pareto
from sdcmetrics.ranking.phrase import Phrase
from sdcmetrics.ranking.rules import Rules
from sdcmetrics.ranking.smallest_change import Change
from sdcmetrics.ranking.strategies import Strategy, goodness, rank
from sdcmetrics.ranking.values import Values
from sdcmetrics.ranking.weights import Weights
from sdcmetrics.review.review import Review

__all__ = ["Ranking", "Uncertainty"]


@dataclass(frozen=True)
class Uncertainty:
    """How much the ranking moves when syntheses or records are drawn again.

    Attributes
    ----------
    source : "syntheses" or "records"
        What was drawn again.
    replicas : tuple of str
        Whose syntheses or records were drawn again; the others stayed as they are.
    times : int
    level : float
        Of the intervals, such as 0.95.
    value_low, value_high : arrays, replicas x criteria
    total_low, total_high : arrays of length n
    rank_shares : array, replicas x ranks
        How often each replica had each rank under the study's weights.
    """

    source: str
    replicas: tuple[str, ...]
    times: int
    level: float
    value_low: Floats
    value_high: Floats
    total_low: Floats
    total_high: Floats
    rank_shares: Floats


@dataclass(frozen=True)
class Ranking:
    """Replicas side by side: who is first, under which weights, and how sure that is.

    Attributes
    ----------
    table : Values
        What was ranked: one value a replica and metric.
    weights : Weights
        What each metric counts for; `weights.notes` says what was changed for lack of values.
    asked : Weights
        What each metric was to count for, before anything was left out.
    rules : Rules
        How values were ranked.
    points : array, replicas x criteria
        Points of the strategy; more are better.
    totals : array of length n
        Weighted mean of the points; for the strategy "rank" the weighted mean rank, where less
        is better.
    places : array of length n
        Ranks by total, 1 is first; ties share their mean.
    acceptability : DataFrame, replicas x ranks
        How often each replica has each rank when the weights vary over all that are possible.
    stretches : tuple of Stretch
        Who is first as the weight of disclosure risk goes from 0 to 1.
    changes : tuple of Change
        For each replica the smallest change of the weights that makes it first, least first.
    anchors : tuple of Anchor
        The scale of each metric; empty if references were not computed.
    references : tuple of str
    reference_table : array, references x criteria
        Values of the references on the places of `table`.
    uncertainty : Uncertainty or None
    agreement : dict of strategy to tuple of str
        Who is first by each strategy, under the same weights.
    notes : tuple of Phrase
        What was left out, and why.
    reference_review : Review or None
        The measurements of the references.
    """

    table: Values
    weights: Weights
    asked: Weights
    rules: Rules
    points: Floats
    totals: Floats
    places: Floats
    acceptability: pd.DataFrame
    stretches: tuple[Stretch, ...]
    changes: tuple[Change, ...]
    anchors: tuple[Anchor, ...]
    references: tuple[str, ...]
    reference_table: Floats
    uncertainty: Uncertainty | None
    agreement: dict[str, tuple[str, ...]]
    notes: tuple[Phrase, ...]
    reference_review: Review | None = None

    @property
    def strategy(self) -> Strategy:
        """How values become points."""
        return self.rules.strategy

    @property
    def replicas(self) -> tuple[str, ...]:
        """Names of the replicas."""
        return self.table.replicas

    @property
    def first(self) -> tuple[str, ...]:
        """The replica with the best total; several where they tie."""
        places = zip(self.replicas, self.places, strict=True)
        return tuple(replica for replica, place in places if place == self.places.min())

    @property
    def winner(self) -> str | None:
        """The replica that is first, or None where several tie."""
        return self.first[0] if len(self.first) == 1 else None

    @property
    def by_place(self) -> tuple[str, ...]:
        """The replicas, best first."""
        return tuple(self.replicas[i] for i in np.argsort(self.places, kind="stable"))

    @property
    def smallest_change(self) -> Change | None:
        """The smallest change of weights that makes another replica first; None if none does."""
        others = [c for c in self.changes if c.replica not in self.first and c.possible]
        return others[0] if others else None

    @property
    def values(self) -> pd.DataFrame:
        """One value a replica and metric."""
        return self.table.to_frame()

    @property
    def ranks(self) -> pd.DataFrame:
        """Rank of each replica on each metric; 1 is best, ties share their mean."""
        return self._frame(rank(goodness(self.table.table, self.table.criteria)))

    @property
    def scores(self) -> pd.DataFrame:
        """What the strategy makes of each value; for "rank" the ranks, else more is better."""
        return self.ranks if self.strategy == "rank" else self._frame(self.points)

    @property
    def anchored(self) -> pd.DataFrame:
        """Scores between the references, 0 to 1, and beyond; NaN where there is no scale."""
        if not self.anchors:
            return self._frame(np.full_like(self.table.table, np.nan))
        return self._frame(anchored(self.table.table, self.anchors))

    @property
    def sides(self) -> pd.DataFrame:
        """Weighted mean of the scores of utility and of disclosure risk, each on its own."""
        shown = self.ranks.to_numpy() if self.strategy == "rank" else self.points
        return pd.DataFrame(
            {name: self._side(shown, utility=name == "utility") for name in ("utility", "risk")},
            index=self.values.index,
        )

    @property
    def sums(self) -> pd.DataFrame:
        """Plain sums of the points: SynthEval's U, P and total rank, where more is better."""
        utility = np.array([one.utility for one in self.table.criteria])
        u, p = self.points[:, utility].sum(axis=1), self.points[:, ~utility].sum(axis=1)
        return pd.DataFrame({"U": u, "P": p, "total": u + p}, index=self.values.index)

    @property
    def pareto(self) -> pd.DataFrame:
        """Which replicas no other one beats: on both sides' means, and on every single metric."""
        good = goodness(self.table.table, self.table.criteria)
        sides = np.stack([self._side(self.points, utility=u) for u in (True, False)], axis=1)
        return pd.DataFrame(
            {
                "utility and risk": pareto(np.nan_to_num(sides)),
                "every metric": pareto(np.where(np.isnan(good), -np.inf, good)),
            },
            index=self.values.index,
        )

    @property
    def map(self) -> pd.DataFrame:
        """Utility and protection of replicas and references, between the references (0 and 1).

        Weighted means of anchored scores, counted from 0 to 1; NaN without references, or where
        no metric of the side has a scale. "front" marks the replicas that no other one beats on
        both sides; none where a side has no score.
        References are marked as such by name too: a replica may be called like one of them.
        """
        names = [*self.replicas, *(f"{name} (reference)" for name in self.references)]
        if not self.anchors:
            return pd.DataFrame(
                columns=["utility", "protection", "front", "reference"], index=names[:0]
            )
        values = np.vstack([self.table.table, self.reference_table])
        scores = counted(anchored(values, self.anchors))
        scale = np.array([not anchor.reason for anchor in self.anchors])
        out = pd.DataFrame(index=pd.Index(names, name="data"))
        for name, utility in (("utility", True), ("protection", False)):
            out[name] = self._side(scores, utility=utility, only=scale)
        mine = np.arange(len(names)) < len(self.replicas)
        both = out.loc[mine, ["utility", "protection"]].to_numpy(dtype=float)
        out["front"] = False
        out.loc[mine, "front"] = pareto(both) & ~np.isnan(both).any(axis=1)
        out["reference"] = ~mine
        missing = np.isnan(values).any(axis=1) & out["reference"].to_numpy()
        out.loc[missing, ["utility", "protection"]] = np.nan
        return out

    def to_frame(self) -> pd.DataFrame:
        """Return all that is needed to recompute the ranking: one row a replica and metric."""
        vector = self.weights.vector()
        ranks, scores, scaled = self.ranks, self.scores, self.anchored
        rows = []
        for i, replica in enumerate(self.replicas):
            for j, one in enumerate(self.table.criteria):
                row = {
                    "replica": replica,
                    "family": one.family,
                    "metric": one.name,
                    "direction": one.direction,
                    "value_is": one.reduction,
                    "places": len(self.table.places[j]),
                    "weight": vector[j],
                    "value": self.table.table[i, j],
                    "rank": ranks.iloc[i, j],
                    "score": scores.iloc[i, j],
                    "weighted_score": vector[j] * scores.iloc[i, j],
                }
                if self.anchors:
                    row |= {
                        "value_at_0": self.anchors[j].at_floor,
                        "value_at_1": self.anchors[j].at_ceiling,
                        "anchored_score": scaled.iloc[i, j],
                    }
                if self.uncertainty is not None:
                    row |= {
                        "value_low": self.uncertainty.value_low[i, j],
                        "value_high": self.uncertainty.value_high[i, j],
                    }
                rows.append(row)
        return pd.DataFrame(rows)

    def summary(self) -> pd.DataFrame:
        """Return one row a replica, best first: total, place, and how sure that is."""
        out = pd.DataFrame({"total": self.totals, "place": self.places}, index=self.values.index)
        out = out.join(self.sides)
        out["first_of_all_weights"] = self.acceptability[1]
        if self.uncertainty is not None:
            out["total_low"] = self.uncertainty.total_low
            out["total_high"] = self.uncertainty.total_high
            out["first_when_drawn_again"] = self.uncertainty.rank_shares[:, 0]
        out["undominated"] = self.pareto["utility and risk"]
        return out.loc[list(self.by_place)]

    def to_csv(self, path: str | Path) -> Path:
        """Write `to_frame` as CSV, with exact values, for internal use; return the path.

        Raises
        ------
        FileError
            If the file cannot be written.
        """
        out = Path(path)
        try:
            self.to_frame().to_csv(out, index=False)
        except OSError as error:
            msg = f"{out}: the file cannot be written ({error.strerror})."
            raise FileError(msg) from None
        return out

    def _frame(self, table: Floats) -> pd.DataFrame:
        return pd.DataFrame(table, index=self.values.index, columns=self.values.columns)

    def _side(self, scores: Floats, *, utility: bool, only: Floats | None = None) -> Floats:
        """Return the weighted mean over one side's criteria; NaN where it has none that count."""
        of_side = np.array([one.utility is utility for one in self.table.criteria])
        weights = self.weights.vector() * of_side * (1.0 if only is None else only)
        if not weights.sum():
            return np.full(len(scores), np.nan)
        return np.asarray(scores @ (weights / weights.sum()))
