"""Compare every measure that synthpop has too: both values at each place, with a verdict."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from sdcmetrics.agreement.verdict import EQUAL, Agreement, judge_pair
from sdcmetrics.errors import RError
from sdcmetrics.measures.measure import Kind, Measure
from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.measures.twin import SUPPORTED

Answer = Mapping[str, float] | RError
"""synthpop's values by its own names, or the error that took their place."""


def counterparts(of: Kind, version: str, only: Collection[str] = ()) -> dict[str, Measure]:
    """Return the measures of a kind that a version of synthpop has, by its names of them."""
    measures = [
        m for m in MEASURES.values() if m.twin and m.of is of and (not only or m.symbol in only)
    ]
    named = {m.symbol: m.twin.name_in(version) for m in measures if m.twin}
    return {m.symbol: m for m in measures if named[m.symbol]}


@dataclass(frozen=True)
class Compared:
    """The native values and synthpop's at one place.

    Attributes
    ----------
    of : what the measures are computed from
    function : synthpop's
    place : columns of the table that say where
    native : values by symbol, or why there are none
    synthpop : its answer to the data as a user would pass them
    aligned : its answer where position, text order and label mean the same; None where that was
        not asked for, or does not exist
    defect : of synthpop's, that a difference between its two answers comes from
    defects : the same for single symbols
    documented : defect that explains any difference, as the answer itself shows
    allowed : mapping of symbol to an absolute difference, and what it comes from
    only : symbols, where not all of the kind are compared
    """

    of: Kind
    function: str
    place: Mapping[str, Any]
    native: Mapping[str, float] | str
    synthpop: Answer | None
    aligned: Answer | None = None
    defect: str = ""
    defects: Mapping[str, str] = field(default_factory=dict)
    documented: str = ""
    allowed: Mapping[str, tuple[float, str]] = field(default_factory=dict)
    only: Collection[str] = ()

    def rows(self, version: str) -> Iterator[dict[str, Any]]:
        """Yield one row per measure that this version of synthpop has."""
        for symbol, measure in counterparts(self.of, version, self.only).items():
            yield {
                **self.place,
                "family": measure.family,
                "metric": symbol,
                "function": self.function,
                **asdict(self._judge(measure, version)),
            }

    def all_equal(self, version: str) -> bool:
        """Whether all values are synthpop's for data shown to it as a user would."""
        chosen = counterparts(self.of, version, self.only).values()
        return all(self._judge(measure, version).verdict == EQUAL for measure in chosen)

    def worth_asking_again(self, version: str) -> bool:
        """Whether some value differs and R is available to be asked again."""
        died = isinstance(self.synthpop, RError) and self.synthpop.kind != "error"
        return not died and not isinstance(self.native, str) and not self.all_equal(version)

    def _judge(self, measure: Measure, version: str) -> Agreement:
        if isinstance(self.native, str):
            return judge_pair(math.nan, None, reason=self.native, documented=True)
        errors = [a for a in (self.synthpop, self.aligned) if isinstance(a, RError)]
        reason = errors[0].reason if errors else ""
        name = measure.twin.name_in(version) if measure.twin else ""
        was_compared = self.synthpop is not None and not isinstance(self.synthpop, RError)
        renamed = was_compared and _value(self.synthpop, name) is None
        if renamed:
            reason = f"synthpop {version} answers without {name!r}; known are {SUPPORTED}"
        agreement = judge_pair(
            self.native[measure.symbol],
            _value(self.synthpop, name),
            _value(self.aligned, name),
            squared=bool(measure.twin and measure.twin.squared),
            rtol=measure.rtol,
            defect=", ".join(errors[0].defects if errors else ())
            or self.defects.get(measure.symbol, self.defect),
            reason=reason,
            documented=renamed or bool(errors and errors[0].defects),
        )
        most, cause = self.allowed.get(measure.symbol, (0.0, ""))
        why = self.documented or (cause if agreement.absolute <= most else "")
        if why and not agreement.explained and was_compared:
            verdict = f"differs as documented: {why}"
            agreement = replace(agreement, verdict=verdict, explained=True)
        return agreement


def _value(answer: Answer | None, name: str) -> float | None:
    value = None if answer is None or isinstance(answer, RError) else answer.get(name)
    return None if value is None else float(value)
