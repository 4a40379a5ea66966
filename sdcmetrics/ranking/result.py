"""Result of a ranking; everything can be recomputed by hand from its frame."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.ranking import sensitivity
from sdcmetrics.ranking.anchors import Anchor, Scale, anchored, counted
from sdcmetrics.ranking.map import Map, side_means
from sdcmetrics.ranking.phrase import Phrase
from sdcmetrics.ranking.standing import LEVEL, Drawn, Standing, Uncertainty
from sdcmetrics.ranking.strategies import goodness, order, points, rank
from sdcmetrics.ranking.uncertainty import interval_ends, intervals
from sdcmetrics.ranking.values import Values
from sdcmetrics.results import Renamed, draw_bars, draw_points, label_axes, new_axes
from sdcmetrics.study.ranking import STRATEGIES, RankingOptions, Strategy
from sdcmetrics.study.weights import Weights
from sdcmetrics.study.written import write_result

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, repr=False)
class Ranking:
    """Replicas side by side: who is first, under which weights, and how sure that is.

    Attributes
    ----------
    table : Values
        What was ranked: one value per replica and measure.
    weights : Weights
        What each measure counts for; `weights.notes` says what was changed for lack of values.
    requested : Weights
        What each measure was to count for, before anything was left out.
    options : RankingOptions
        How values were ranked.
    notes : tuple of Phrase
        What was left out, and why.
    scale : Scale or None
        The references; None if they were not computed.
    drawn : tuple or None
        What was drawn again, of which replicas, and the values.
    handed_out : dict of replica to float
        How much of the original it holds by copies and nearness, 0 to 1: a cap on its protection
        in `map`. Measures of the keys do not see that.
    distances : bool
        Whether distances to real records are part of that, which takes a holdout.
    verdicts : dict of replica to str
        In brief why a replica is not to be chosen, whatever its place: what is decided on it. No
        sentence calls it first without these words.
    """

    table: Values
    weights: Weights
    requested: Weights
    options: RankingOptions
    notes: tuple[Phrase, ...] = ()
    scale: Scale | None = None
    drawn: Drawn | None = None
    handed_out: Mapping[str, float] = field(default_factory=dict)
    distances: bool = False
    verdicts: Mapping[str, str] = field(default_factory=dict)

    asked = Renamed("requested")

    def __repr__(self) -> str:
        """Return the summary as text."""
        return f"Ranking of {len(self.replicas)} replicas\n{self.summary().round(3)}"

    def _repr_html_(self) -> str:
        return str(self.summary().round(3).to_html())

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw utility against protection; without references the totals, best replica first.

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
        if self.scale is not None:
            points = self.map.dropna(subset=["utility", "protection"])
            utility, protection = (points[side].to_list() for side in ("utility", "protection"))
            draw_points(drawn, utility, protection, list(map(str, points.index)))
            title = "Replicas between references (0 and 1)"
            return label_axes(drawn, x="utility", y="protection", title=title)
        totals = dict(zip(self.replicas, map(float, self.totals), strict=True))
        draw_bars(drawn, self.by_place, {"total": [totals[name] for name in self.by_place]})
        ranks = self.strategy == "rank"
        unit = "mean rank: less is better" if ranks else "mean of points: more is better"
        return label_axes(drawn, x=f"weighted {unit}", y="replica", title="Replicas by total")

    @property
    def strategy(self) -> Strategy:
        """How values become points."""
        return self.options.strategy

    @property
    def replicas(self) -> tuple[str, ...]:
        """Names of the replicas."""
        return self.table.replicas

    @property
    def anchors(self) -> tuple[Anchor, ...]:
        """The scale of each measure; empty if references were not computed."""
        return () if self.scale is None else self.scale.anchors

    @cached_property
    def points(self) -> Floats:
        """Points of the strategy, replicas x criteria; more are better."""
        return self._points(self.table.table)

    @cached_property
    def totals(self) -> Floats:
        """Weighted mean of the points; for "rank" the weighted mean rank, where less is better."""
        return self._totals(self.points @ self.weights.vector())

    @cached_property
    def places(self) -> Floats:
        """Ranks by total, 1 is first; ties share their mean."""
        return order(self.points @ self.weights.vector())

    @cached_property
    def acceptability(self) -> pd.DataFrame:
        """How often each replica has each rank when the weights vary over all possible ones."""
        options = self.options
        if len(self.replicas) == 1:  # it is first whatever the weights, and to draw them takes long
            draws = self.weights.vector()[None]
        else:
            draws = sensitivity.weight_draws(self.weights, draws=options.draws, seed=options.seed)
        ranks = pd.RangeIndex(1, len(self.replicas) + 1, name="rank")
        shares = sensitivity.rank_acceptability(self.points, draws)
        return pd.DataFrame(shares, index=self.values.index, columns=ranks)

    @cached_property
    def stretches(self) -> tuple[sensitivity.Stretch, ...]:
        """Who is first as the weight of risk goes from 0 to 1; empty if one side alone counts."""
        sides = self._sides(self.points)
        if np.isnan(sides).any():
            return ()
        return sensitivity.stretches(sides[:, 0], sides[:, 1], self.replicas)

    @cached_property
    def changes(self) -> tuple[sensitivity.Change, ...]:
        """For each replica the smallest change of weights that makes it first, least first."""
        names = [criterion.name for criterion in self.table.criteria]
        vector = self.weights.vector()
        return sensitivity.smallest_changes(self.points, vector, self.replicas, names)

    @cached_property
    def uncertainty(self) -> Uncertainty | None:
        """Spread of values, totals and ranks over repeated draws; None without draws."""
        if self.drawn is None:
            return None
        source, moving, tables = self.drawn
        gained = self.drawn_points
        of_records = source == "records"
        values = (
            interval_ends(self.table, tables, LEVEL) if of_records else intervals(tables, LEVEL)
        )
        totals = intervals(self._totals(gained), LEVEL)
        shares = sensitivity.rank_shares(gained.T)
        return Uncertainty(source, moving, len(tables), LEVEL, *values, *totals, shares)

    @cached_property
    def drawn_points(self) -> Floats:
        """Weighted points of each draw, draws x replicas; more are better. Empty without draws."""
        if self.drawn is None:
            return np.empty((0, len(self.replicas)))
        _, _, tables = self.drawn
        times, n, k = tables.shape
        side_by_side = self._points(tables.transpose(1, 0, 2).reshape(n, -1), times)
        each = np.ascontiguousarray(side_by_side.reshape(n, times, k).transpose(1, 0, 2))
        out: Floats = each @ self.weights.vector()
        return out

    @property
    def standing(self) -> Standing:
        """Places of the replicas, and the confidence in the order of each two."""
        moving = () if self.drawn is None else self.drawn[1]
        places = dict(zip(self.replicas, map(float, self.places), strict=True))
        return Standing(places, moving, self.drawn_points)

    @cached_property
    def agreement(self) -> dict[str, tuple[str, ...]]:
        """Who is first by each strategy, under the same weights.

        The anchored one leaves out what has no scale; without references it is missing.
        """
        vector, table = self.weights.vector(), self.table
        firsts: dict[str, tuple[str, ...]] = {
            strategy_: self._first(order(points(strategy_, table.table, table.criteria) @ vector))
            for strategy_ in STRATEGIES
            if strategy_ != "anchored"
        }
        if self.scale is not None and self.scale.scaled:
            keep = self.scale.scaled
            weights = self.weights.only([table.criteria[j].name for j in keep])
            scores = counted(anchored(table.table, self.anchors))[:, keep]
            firsts["anchored"] = self._first(order(scores @ weights.vector()))
        return firsts

    @property
    def first(self) -> tuple[str, ...]:
        """The replica with the best total; several where they tie."""
        return self._first(self.places)

    @property
    def winner(self) -> str | None:
        """The replica that is first, or None where several tie."""
        return self.first[0] if len(self.first) == 1 else None

    @property
    def by_place(self) -> tuple[str, ...]:
        """The replicas, best first."""
        return tuple(self.replicas[i] for i in np.argsort(self.places, kind="stable"))

    @property
    def smallest_change(self) -> sensitivity.Change | None:
        """The smallest weight change that changes the winner; None if none does."""
        return next((c for c in self.changes if c.replica not in self.first and c.possible), None)

    @property
    def values(self) -> pd.DataFrame:
        """One value per replica and measure."""
        return self.table.to_frame()

    @property
    def ranks(self) -> pd.DataFrame:
        """Rank of each replica on each measure; 1 is best, ties share their mean."""
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
        shown = self._sides(self.scores.to_numpy())
        return pd.DataFrame(shown, index=self.values.index, columns=["utility", "risk"])

    @property
    def sums(self) -> pd.DataFrame:
        """Plain sums of the points: SynthEval's U, P and total rank, where more is better."""
        utility = np.array([criterion.utility for criterion in self.table.criteria])
        u, p = self.points[:, utility].sum(axis=1), self.points[:, ~utility].sum(axis=1)
        return pd.DataFrame({"U": u, "P": p, "total": u + p}, index=self.values.index)

    @property
    def pareto(self) -> pd.DataFrame:
        """Which replicas no other one beats: on both sides' means, and on every single measure."""
        good = goodness(self.table.table, self.table.criteria)
        unbeaten = {
            "utility and risk": sensitivity.pareto(np.nan_to_num(self._sides(self.points))),
            "every metric": sensitivity.pareto(np.where(np.isnan(good), -np.inf, good)),
        }
        return pd.DataFrame(unbeaten, index=self.values.index)

    @property
    def map(self) -> pd.DataFrame:
        """Utility and protection of replicas and references, between the references (0 and 1).

        Weighted means of anchored scores, counted from 0 to 1; NaN without references, or where
        no measure of the side has a scale. The protection of a replica is at most the share of the
        original that it does not hand out (`handed_out`). "front" marks the replicas that no other
        one beats on both sides; none where a side has no score.
        References are marked as such by name too: a replica may be called like one of them.
        """
        if self.scale is None:
            return pd.DataFrame(columns=["utility", "protection", "front", "reference"])
        return self._map(self.scale).places()

    @cached_property
    def map_intervals(self) -> pd.DataFrame:
        """Interval ends of the replicas' coordinates on `map`; NaN where nothing varied.

        Of the same draws as `uncertainty`, so with its level and its source. None is given of a
        protection that is what the replica hands out of the original: that was not drawn again.

        They are of the synthesis only: original and references stay as they are. Simulated for one
        original (400 records, 4 columns, no holdout), intervals of 95 % held the mean place of
        fresh data in 92 % (utility) and 96 % (protection) of 48 replicas of five syntheses, with
        5 % of copies in 98 % and 92 %; where a tenth of the records was left out 20 times, in 92 %
        and 93 % of 72 replicas, with 5 % of copies in 93 % and 99 %. A verbatim copy is at 1 and 0:
        syntheses that are all copies give no interval, its records a narrow one, of utility only.
        """
        columns = [f"{side}_{end}" for side in ("utility", "protection") for end in ("low", "high")]
        if self.scale is None or self.drawn is None:
            return pd.DataFrame(np.nan, index=list(self.replicas), columns=columns)
        _, _, tables = self.drawn
        ends = self._map(self.scale).interval_ends(tables)
        return pd.DataFrame(ends, index=list(self.replicas), columns=columns)

    def to_frame(self) -> pd.DataFrame:
        """Return all that is needed to recompute the ranking: one row per replica and measure."""
        scores, vector = self.scores.to_numpy(), self.weights.vector()
        cells: dict[str, Floats] = {
            "places": np.array([len(places) for places in self.table.places]),
            "weight": vector,
            "value": self.table.table,
            "rank": self.ranks.to_numpy(),
            "score": scores,
            "weighted_score": vector * scores,
        }
        if self.anchors:
            cells["value_at_0"] = np.array([anchor.at_floor for anchor in self.anchors])
            cells["value_at_1"] = np.array([anchor.at_ceiling for anchor in self.anchors])
            cells["anchored_score"] = self.anchored.to_numpy()
        if self.uncertainty is not None:
            cells["value_low"] = self.uncertainty.value_low
            cells["value_high"] = self.uncertainty.value_high
        heads = [
            (replica, criterion.family, criterion.name, criterion.direction, criterion.reduction)
            for replica in self.replicas
            for criterion in self.table.criteria
        ]
        out = pd.DataFrame(heads, columns=["replica", "family", "metric", "direction", "value_is"])
        shape = self.table.table.shape
        return out.assign(**{n: np.broadcast_to(x, shape).ravel() for n, x in cells.items()})

    def summary(self) -> pd.DataFrame:
        """Return one row per replica, best first: total, place, and how sure that is."""
        out = pd.DataFrame({"total": self.totals, "place": self.places}, index=self.values.index)
        out = out.join(self.sides).assign(first_of_all_weights=self.acceptability[1])
        if (spread := self.uncertainty) is not None:
            out = out.assign(total_low=spread.total_low, total_high=spread.total_high)
            out["first_when_drawn_again"] = spread.rank_shares[:, 0]
        out["undominated"] = self.pareto["utility and risk"]
        return out.loc[list(self.by_place)]

    def to_csv(self, path: str | Path, *, force: bool = False) -> Path:
        """Write `to_frame` as CSV, with exact values, for internal use; return the path.

        Raises
        ------
        FileError
            If the file cannot be written, or is none of ours, unless with `force`.
        """
        text = self.to_frame().to_csv(index=False, lineterminator=os.linesep)
        return write_result(path, text, force=force)

    def _points(self, table: Floats, times: int = 1) -> Floats:
        """Return the points of one table of values, or of several side by side."""
        if self.strategy == "anchored":
            return counted(anchored(table, self.anchors * times))
        return points(self.strategy, table, self.table.criteria * times)

    def _totals(self, gained: Floats) -> Floats:
        # "rank" counts ranks above the last; the framework's number is the mean rank itself.
        return len(self.replicas) - gained if self.strategy == "rank" else gained

    def _first(self, places: Floats) -> tuple[str, ...]:
        named = zip(self.replicas, places, strict=True)
        return tuple(replica for replica, place in named if place == places.min())

    def _frame(self, table: Floats) -> pd.DataFrame:
        return pd.DataFrame(table, index=self.values.index, columns=self.values.columns)

    def _sides(self, scores: Floats) -> Floats:
        return side_means(scores, self.table.criteria, self.weights)

    def _map(self, scale: Scale) -> Map:
        caps = np.array([1.0 - self.handed_out.get(replica, 0.0) for replica in self.replicas])
        return Map(self.table, self.weights, scale, caps)
