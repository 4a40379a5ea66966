"""The only way from a review to what a release may be made of."""

from __future__ import annotations

import itertools
import math
import weakref
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from typing import Any

import pandas as pd

from sdcmetrics.measures.disclosure.places import KEYS
from sdcmetrics.measures.kind import Place
from sdcmetrics.measures.measure import SPECIFIC_UTILITY, Measure
from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.measures.rules.outcome import RuleCounts, RuleOutcome
from sdcmetrics.measures.rules.places import RULES
from sdcmetrics.microdata.frames import Fix
from sdcmetrics.report.safety.protect.figures import (
    NOT_SHOWN,
    Figure,
    band,
    from_tables,
    guessed,
    of_tables,
    share,
    table_measures,
)
from sdcmetrics.report.safety.protect.keyed import keyed_of, open_to_all
from sdcmetrics.report.safety.protect.protected import (
    HoldoutVerdict,
    Protected,
    ProtectedHoldout,
    Stated,
)
from sdcmetrics.report.safety.protect.rounding import Rounding, protected_copies
from sdcmetrics.report.safety.protect.tables import (
    MOST_PAIRS,
    ProtectedTable,
    ProtectedVariable,
    one_way,
    pair_tables,
    rounded_again,
    too_many,
    two_way,
)
from sdcmetrics.review.decided import decisions
from sdcmetrics.review.holdout_evidence import HoldoutEvidence
from sdcmetrics.review.measurement import of_place
from sdcmetrics.review.people import copied_in, held_in
from sdcmetrics.review.review import InputSummary, Review
from sdcmetrics.study.profile import Profile
from sdcmetrics.study.sampled import drawn
from sdcmetrics.study.study import Scenario, Study

_LEAST_RESIDUAL_DF = 10
"""ACRO's limit: with fewer residual degrees of freedom a model gives single records back."""
_LEAST_BANDED = 100
"""One record more of a hundred moves a mean over records, such as an AUC, by a fifth of a band."""

BEYOND = f"Tables of two variables beyond {MOST_PAIRS}, keys and targets first"

_EXACT = ("share", "chance")
"""Rules of release that count records by their keys."""

_EMPTY: dict[str, Any] = {field.name: field.default for field in fields(Place)}


def protect(review: Review, profile: Profile) -> Protected:
    """Return the part of a review that may be shown.

    Tables are counted anew: breaks and levels come from the replicas, counts are rounded by the
    profile's key, and what measures say of tables is computed from the rounded counts. All other
    figures become protected counts or bands.
    """
    for of, by, protected in _CACHE:
        if of() is review and by == profile:
            return protected
    result = _Protection(review, profile).protected()
    alive = [entry for entry in _CACHE if entry[0]() is not None]
    _CACHE[:] = [(weakref.ref(review), profile, result), *alive][:_CACHE_SIZE]
    return result


_CACHE_SIZE = 4
_CACHE: list[tuple[weakref.ref[Review], Profile, Protected]] = []
"""Page, terminal and exit code ask for the same in turn."""


class _Protection:
    def __init__(self, review: Review, profile: Profile) -> None:
        self.review, self.profile = review, profile
        self.study: Study = review.study
        self.rounding = Rounding.of(profile)
        self.coarsened: dict[str, int] = {}
        self.n = self.rounding.records(review.n_original)

    def protected(self) -> Protected:
        review, study, rounding = self.review, self.study, self.rounding
        variables, inside = one_way(study, rounding)
        if left := sum(variable not in variables for variable in review.variables):
            self._note("Variables of more distinct values than are counted", left)
        tables = {table.variables: table for table in pair_tables(variables)}
        if 2 in study.options.ways:  # noqa: PLR2004  (two-way)
            tables |= {t.variables: t for t in two_way(variables, inside, self.n, rounding)}
        self.variables, self.tables, self.inside = variables, tables, inside
        self.rules = dict(self._rules())
        self.withheld = dict(self._withheld())
        for words in self.withheld.values():
            self._note(words)
        rows = [*self._of_tables(variables, tables), *self._others()]
        floats = ("synthesis", "value", "other", "count", "total", "least", "most")
        numbers = dict.fromkeys(floats, "float64")
        frame = pd.DataFrame(rows, dtype=object).astype(numbers)
        inputs = tuple(map(self._input, review.inputs))
        stated = Stated(
            study.title,
            study.context,
            study.command,
            study.models,
            study.rules,
            study.ranking,
            study.replicas,
            study.roles,
            drawn(study, (data.n for data in inputs)),
            study.kinds,
        )
        return Protected(
            study=stated,
            inputs=inputs,
            fixes=tuple(self._fixes()),
            frame=frame,
            distributions=variables,
            variables=review.variables,
            scenarios=review.scenarios,
            versions=review.versions,
            created=review.created[:10],
            rules=self.rules,
            withheld=self.withheld,
            fresh=None if review.fresh is None else self._holdout(review.fresh),
            copied=protected_copies(copied_in(review), rounding),
            held={name: replace(held, share=0.0) for name, held in held_in(review).items()},
            decisions=tuple(decision.in_brief for decision in decisions(review, self.profile)),
            coarsened=self.coarsened,
            tables=tables,
        )

    def _note(self, rule: str, times: int = 1) -> None:
        self.coarsened[rule] = self.coarsened.get(rule, 0) + times

    def _input(self, data: InputSummary) -> InputSummary:
        if data.role == "replica":
            return replace(data, sha256=None)
        n = self.n if data.role == "original" else self.rounding.records(data.n)
        return replace(data, source=data.role, n=n, sha256=None)

    def _fixes(self) -> Iterator[tuple[str, Fix]]:
        """Yield what reading changed in the replicas; the original has no part in that."""
        for name, syntheses in self.study.replicas.items():
            fixes = (fix for data in syntheses for fix in data.fixes if not fix.compared)
            yield from ((name, fix) for fix in fixes)

    def _row(self, replica: str, measure: Measure, place: Place, figure: Figure) -> dict[str, Any]:
        if measure.release is None:
            pass  # said where it would stand
        elif figure.shown == NOT_SHOWN:
            self._note(
                "Values that too few records, or a table that is not protected, stand behind"
            )
        elif figure.shown and math.isnan(figure.total):
            self._note("Values that depend on exact records: shown as one of a few bands")
        elif figure.shown:
            self._note(self.rounding.rule_small)
        return {
            "replica": replica,
            "synthesis": math.nan,
            "family": measure.family,
            "metric": measure.symbol,
            **of_place(place),
            "value": figure.value,
            "unit": measure.unit,
            "count": figure.count,
            "total": figure.total,
            "reason": figure.detail or None,
            "shown": figure.shown,
            "other": figure.other,
            "least": figure.least,
            "most": figure.most,
        }

    def _of_tables(
        self,
        variables: Mapping[str, ProtectedVariable],
        tables: Mapping[tuple[str, ...], ProtectedTable],
    ) -> Iterator[dict[str, Any]]:
        options, limits = self.study.options, self.profile.thresholds
        again = {at: rounded_again(table, self.rounding.base) for at, table in tables.items()}
        beyond = too_many(variables)
        if beyond and 2 in options.ways:  # noqa: PLR2004  (two-way)
            self._note(BEYOND, len(beyond))
        for replica in self.study.replicas:
            names = [name for name, variable in variables.items() if replica in variable.replicas]
            means: dict[str, list[float]] = {}
            for size in (1, 2):
                for place in itertools.combinations(names, size):
                    if place in beyond:
                        continue
                    table = tables.get(place)
                    figures_of = (
                        of_tables(
                            table,
                            replica,
                            ways=options.ways,
                            k_syn=options.k_syn,
                            again=again[place],
                            limits=limits,
                        )
                        if table is not None
                        else (
                            (table_measure, Figure(shown=NOT_SHOWN))
                            for table_measure in table_measures(size, options.ways)
                        )
                    )
                    for measure, figure in figures_of:
                        if measure.of.overall and not math.isnan(figure.value):
                            means.setdefault(measure.symbol, []).append(figure.value)
                        yield self._row(replica, measure, Place(variables=place), figure)
            for measure in filter(from_tables, MEASURES.values()):
                if measure.release is None:  # that it was measured is said, where limits are
                    yield self._row(replica, measure, Place(), Figure(shown=NOT_SHOWN))
            for symbol, values in means.items():
                mean = Figure(math.fsum(values) / len(values))
                yield self._row(replica, MEASURES[symbol], Place(), mean)

    def _others(self) -> Iterator[dict[str, Any]]:
        frame = self.review.mean_rows()
        wanted = frame["metric"].map(lambda symbol: not from_tables(MEASURES[symbol]))
        rows: list[dict[str, Any]] = frame[wanted].to_dict("records")  # type: ignore[assignment]
        figures = []
        for row in rows:
            measure = MEASURES[row["metric"]]
            place = Place(**{name: row[name] or empty for name, empty in _EMPTY.items()})
            figures.append((row["replica"], measure, place, self._figure(measure, place, row)))
        closed = {
            scenario.name: self._closed(scenario, figures) for scenario in self.study.scenarios
        }
        for replica, measure, place, figure in figures:
            if measure.symbol in closed.get(place.scenario, ()):
                yield self._row(replica, measure, place, Figure(shown=NOT_SHOWN))
            else:
                yield self._row(replica, measure, place, figure)

    def _closed(
        self, scenario: Scenario, figures: Iterable[tuple[str, Measure, Place, Figure]]
    ) -> set[str]:
        """Return measures of a scenario that are not told, so that every small count is open."""
        places = {
            (replica, measure.symbol, place.target): figure
            for replica, measure, place, figure in figures
            if place.scenario == scenario.name and figure.shown != NOT_SHOWN
        }
        names = (*scenario.keys, *scenario.targets)
        releases = {symbol: MEASURES[symbol].release for _, symbol, _ in places}
        rules = {
            symbol: release
            for symbol, release in releases.items()
            if release and release.rule in _EXACT
        }
        exact = set(rules)
        if not set(names) <= set(self.inside):
            return exact  # tables that the study leaves out say nothing of how far counts follow
        if self._grouped(scenario.keys, scenario.targets):
            return set()  # nobody outside knows the groups, and so which cells add up
        keyed = keyed_of(self.study, scenario, self.inside, places)
        if keyed is None:
            return set()
        tables = {
            pair: table.ends
            for pair, table in self.tables.items()
            if table.ends is not None and set(pair) <= set(names)
        }
        if open_to_all(keyed, tables, self.rounding.ends(self.n, "records"), self.rounding):
            return {s for s, rule in rules.items() if not rule.followed and keyed.complete}
        return exact

    def _figure(self, measure: Measure, place: Place, row: Mapping[str, Any]) -> Figure:
        if measure.of is RULES:
            return self._of_rule(measure, row["replica"], place.rule, row)
        if measure.release is None:
            return Figure(shown=NOT_SHOWN)
        rule = measure.release.rule
        if rule == "band":
            fits = measure.family == SPECIFIC_UTILITY
            few = self._few(row["replica"], place.model) if fits else self._few_people(measure)
            return band(measure, math.nan if few else row["value"], self.profile.bands)
        if measure.of is not KEYS:
            return Figure(shown=NOT_SHOWN)  # nothing is known here that would protect it
        if rule == "target":
            target = self.variables.get(place.target)
            if target is None:  # the study leaves it out of what it compares
                return Figure(shown=NOT_SHOWN)
            if not target.grouped:
                return guessed(target)
        if rule == "replica share" and not self._grouped(place.keys, (place.target,)):
            return Figure(row["value"], "", row["count"], row["total"])
        total = self.review.n_original if math.isnan(row["total"]) else row["total"]
        count = row["value"] * total / 100.0 if math.isnan(row["count"]) else row["count"]
        figure = share(self.rounding, count, total)
        if figure.shown and total > self.review.n_original:
            return Figure(shown=NOT_SHOWN)  # of so many, a bound reads as one of fewer people
        return figure

    def _grouped(self, keys: Iterable[str], targets: Iterable[str]) -> bool:
        """Whether groups that the original has a part in stand behind a share of the replica."""
        options = self.study.options
        return any(map(options.ngroups_keys.get, keys)) or any(
            map(options.ngroups_targets.get, targets)
        )

    def _rules(self) -> Iterator[tuple[tuple[str, str], RuleOutcome]]:
        """Yield what replicas make of rules, beside protected counts of the original."""
        for (replica, text), outcome in self.review.rules.items():
            exact = outcome.original
            holding = self.rounding.records(exact.fulfilled)
            yield (
                (replica, text),
                replace(
                    outcome,
                    original=RuleCounts(holding, max(self.n - holding, 0), 0, 0),
                    holdout=None if outcome.holdout is None else RuleCounts(0, 0, 0, 0),
                    level_counts=tuple(map(self.rounding.records, outcome.level_counts)),
                ),
            )

    def _of_rule(self, measure: Measure, replica: str, text: str, row: Mapping[str, Any]) -> Figure:
        outcome = self.rules.get((replica, text))
        if outcome is None:
            return Figure(shown=NOT_SHOWN)
        rule = "" if measure.release is None else measure.release.rule
        if rule == "replica share":
            return Figure(row["value"], "", row["count"], row["total"])
        exact = self.review.rules[replica, text].original
        if rule == "share":
            # Records that leave a rule open are often known, as those with a missing value.
            open_known = self.rounding.small(exact.broken) and not self.rounding.small(
                exact.n - exact.fulfilled
            )
            if open_known or any(map(self.rounding.small, outcome.level_counts)):
                return Figure(shown=NOT_SHOWN)
            return share(self.rounding, exact.fulfilled, exact.n)
        if self.rounding.small(exact.fulfilled) or "p" in measure.tested:
            return Figure(shown=NOT_SHOWN)
        values = [
            measure.function((outcome.original, synthesis)) for synthesis in outcome.syntheses
        ]
        return Figure(math.fsum(map(float, values)) / len(values))

    def _withheld(self) -> Iterator[tuple[tuple[str, str], str]]:
        for (replica, formula, _), fit in self.review.fits.items():
            if fit.residual_df < _LEAST_RESIDUAL_DF:
                words = f"Models with fewer than {_LEAST_RESIDUAL_DF} residual degrees of freedom"
                yield (replica, formula), words
            elif any(map(self.rounding.small, fit.level_counts)):
                yield (
                    (replica, formula),
                    "Models with a coefficient of a level that few original records have",
                )

    def _few(self, replica: str, model: str) -> bool:
        """Whether a model, or one of those that a mean is over, rests on few records."""
        formulas = [stated.formula for stated in self.study.models if model in ("", stated.name)]
        return any((replica, formula) in self.withheld for formula in formulas)

    def _few_people(self, measure: Measure) -> bool:
        """Whether original or holdout is so small that single records move a mean over it."""
        sampled = self.study.original.large and not measure.of.counted
        most = self.study.options.sample_size if sampled else math.inf
        counts = (min(data.n, most) for data in self.review.inputs if data.role != "replica")
        return min(map(self.rounding.records, counts)) < _LEAST_BANDED

    def _holdout(self, evidence: HoldoutEvidence) -> ProtectedHoldout:
        copies = {}
        for (replica, synthesis), result in evidence.closest.items():
            counts = {
                "copied": result.identical.training,
                "copied_holdout": result.identical.holdout,
                "singled_out": result.singled_out.training,
                "singled_out_holdout": result.singled_out.holdout,
            }
            copies[replica, synthesis] = {
                what: self.rounding.records(count) for what, count in counts.items()
            }
        check = HoldoutVerdict.of(evidence.check)
        return ProtectedHoldout(
            replace(check, common=self.rounding.records(check.common)),
            copies,
            drawn=any(result.drawn for result in evidence.closest.values()),
        )
