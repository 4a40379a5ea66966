"""A metric of a suite: several quantities of one trio of data sets, as corrected or published."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from sdcmetrics.errors import NotComputable, StudyError, did_you_mean
from sdcmetrics.measures.kind import PRESET, Given, Kind, Place, Plan, Tell
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.prediction.section import Prediction
from sdcmetrics.measures.yardstick import Marks
from sdcmetrics.suites.preset import load_preset
from sdcmetrics.suites.trio import Roles, Trio

Mode = Literal["corrected", "published"]


@dataclass(frozen=True)
class Quantity:
    """One number of a metric.

    Attributes
    ----------
    value : float
    error : float
        Its standard error; NaN where none is known.
    normalised : float
        On 0 to 1, 1 being the best; NaN for what only helps to read others. The published ones
        may lie outside.
    better : "lower", "higher" or "none"
    reason : why there is no value, or what the value leaves out
    fresh : what fresh people in the replica's place are expected to give, where it says so itself
    """

    value: float
    error: float = math.nan
    normalised: float = math.nan
    better: Literal["lower", "higher", "none"] = "lower"
    reason: str = ""
    fresh: float = math.nan


Quantities = Mapping[str, Quantity]


def mean_and_error(values: Any) -> tuple[float, float]:
    """Return the mean, and its standard error as over independent values; NaN where undefined."""
    known = [float(value) for value in values]
    if not known:
        return math.nan, math.nan
    mean = math.fsum(known) / len(known)
    if len(known) == 1:
        return mean, math.nan
    variance = math.fsum((value - mean) ** 2 for value in known) / (len(known) - 1)
    return mean, math.sqrt(variance / len(known))


@dataclass(frozen=True, eq=False)
class Metric:
    """One metric, by the name that its suite gives it.

    Attributes
    ----------
    name : str
    corrected, published : functions of a `Trio` and options
        Return quantities by name; raise NotComputable where they do not exist. `published` is
        missing where nobody else has published one.
    dimension : "utility", "privacy" or "fairness"
    quantities : tuple of str
        Those that it always has: they are listed with a reason where it cannot be computed.
    published_quantities : the same of the published definition, where its names are others
    defect : what is wrong with the published definition, for the reader
    suite : "SynthEval" or "DAISYnt"
    beside_holdout : whether it has the holdout as its control and says what fresh people give
    shown : function of a `Trio` to what figures are drawn of, or None where there is none
    """

    name: str
    corrected: Callable[..., Quantities]
    dimension: Literal["utility", "privacy", "fairness"]
    quantities: tuple[str, ...]
    published: Callable[..., Quantities] | None = None
    defect: str = ""
    suite: str = "SynthEval"
    beside_holdout: bool = False
    published_quantities: tuple[str, ...] = ()
    shown: Callable[[Trio], Any] | None = None
    kind: Kind = field(init=False)

    def __post_init__(self) -> None:
        kind = Kind(
            f"{self.suite}'s {self.name}",
            "`Trio`; a number",
            self._places,
            holdout=self.beside_holdout,
            option=PRESET,
        )
        object.__setattr__(self, "kind", kind)

    def measure(
        self, trio: Trio, *, mode: Mode = "corrected", options: Mapping[str, Any] | None = None
    ) -> Quantities:
        """Compute it, once for a trio; where it does not exist every quantity has a reason.

        Raises
        ------
        StudyError
            For an option that it does not have.
        """
        function = self.published if mode == "published" else self.corrected
        given = dict(options or {})
        if function is None:
            return self._nothing("it has no other definition than the corrected one", mode)
        self._check(function, given)
        key = ("metric", self.name, mode, repr(sorted(given.items())))
        return trio.kept(key, lambda: self._made(function, trio, given, mode))

    def value(self, quantity: str) -> Value:
        """Return the function that a `Measure` of this quantity has."""
        return Value(self, quantity)

    def _made(
        self, function: Callable[..., Quantities], trio: Trio, given: Any, mode: Mode
    ) -> Quantities:
        try:
            return function(trio, **given)
        except NotComputable as reason:
            return self._nothing(str(reason), mode)

    def _nothing(self, reason: str, mode: Mode) -> Quantities:
        published = self.published_quantities if mode == "published" else ()
        return {name: Quantity(math.nan, reason=reason) for name in published or self.quantities}

    def _check(self, function: Callable[..., Quantities], given: Mapping[str, Any]) -> None:
        known = list(inspect.signature(function).parameters)[1:]
        for name in given:
            if name not in known:
                hint = did_you_mean(str(name), known) or f" Known: {', '.join(known) or 'none'}."
                msg = f"{self.name}: unknown option {name!r}.{hint}"
                raise StudyError(msg)

    def _places(self, pair: Pair, plan: Plan, tell: Tell) -> Iterator[Given]:
        if not plan.options.preset:
            return
        preset = load_preset(plan.options.preset)
        if self.name not in preset.metrics:
            return
        step = self.kind.name
        tell(step)
        trios: list[Trio] = pair.kept("trios", lambda: _trios(pair, plan))
        options = preset.metrics[self.name]
        each = tuple(_Asked(trio, options) for trio in trios)
        found = [one for trio in each for one in self.measure(trio.trio, options=options).values()]
        reasons = list(dict.fromkeys(one.reason for one in found if math.isnan(one.value)))
        yield Given(
            step,
            (Place(),),
            each,
            undefined=reasons[0] if reasons else "",
            marks=(lambda measures, i: self._marks(each[i], measures)) if pair.holdout else None,
            result=(lambda: tuple(map(shown, trios))) if (shown := self.shown) else None,
        )

    def _marks(self, asked: _Asked, measures: Sequence[Any]) -> Mapping[str, Marks]:
        """Return what a copy and fresh people score; these and the replica are cut to one size."""
        trio = asked.trio
        out = {}
        for one in measures:
            yardstick = one.yardstick
            mark = one.ideal if yardstick is None else yardstick.copy
            copy = mark(asked) if callable(mark) else math.nan if mark is None else float(mark)
            if self.beside_holdout:
                out[one.symbol] = Marks(copy=copy, fresh=one.function.found(asked).fresh)
            elif (
                yardstick is not None and yardstick.procedure == "P3"
            ):  # beside the holdout already
                out[one.symbol] = Marks(copy=copy, fresh=float(yardstick.fresh))
            else:
                fresh, cut = (
                    one.function(replace(asked, trio=other))
                    for other in (trio.in_its_place(), trio.cut())
                )
                out[one.symbol] = Marks(copy, fresh, float(trio.size), cut)
        return out


@dataclass(frozen=True, eq=False)
class _Asked:
    trio: Trio
    options: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Value:
    """One quantity of a metric, as a function of what its kind gives."""

    metric: Metric
    quantity: str

    def __call__(self, asked: _Asked) -> float:
        """Return its value; NaN where it has none."""
        return self.found(asked).value

    def found(self, asked: _Asked) -> Quantity:
        """Return the quantity."""
        found = self.metric.measure(asked.trio, options=asked.options)
        return found.get(self.quantity, Quantity(math.nan))


def _trios(pair: Pair, plan: Plan) -> list[Trio]:
    data = pair.data if pair.holdout is None else pair.beside_holdout
    wanted = plan.options.variables
    if wanted is not None:
        names = [name for name in wanted if name in data.variables]
        data = pair.columns(names, holdout=True)
    preset = load_preset(plan.options.preset)
    shared: dict[Any, Any] = pair.shared.setdefault("trios", {})
    out = []
    for i, synthesis in enumerate(pair.syntheses, start=1):
        aside = [] if pair.holdout is None else [pair.m + 1]
        places = [0, i, *aside]

        def only(arrays: Sequence[Any], places: Sequence[int] = places) -> tuple[Any, ...]:
            return tuple(arrays[place] for place in places) if arrays else ()

        variables = {
            name: replace(one, values=only(one.values), codes=only(one.codes))
            for name, one in data.variables.items()
        }
        own = replace(data, variables=variables, sizes=only(data.sizes), sources=only(data.sources))
        frames = [pair.original, synthesis, *([] if pair.holdout is None else [pair.holdout])]
        # Replicas may have other columns, so that only facts of the same columns are shared.
        kept = shared.setdefault(tuple(variables), {})
        out.append(
            Trio(
                frames,
                own,
                categorical=preset.categorical,
                target=preset.target,
                sensitive=preset.sensitive,
                public=preset.public,
                roles=roles_of(plan),
                seed=plan.options.seed,
                shared=kept,
                households=() if plan.sample is None else plan.sample.numbered(synthesis),
            )
        )
    return out


def roles_of(plan: Plan) -> Roles:
    """Return what the study predicts, and what the intruder of its first scenario knows."""
    learnt = plan.section(Prediction)
    predicted = () if learnt is None else learnt.targets
    wanted = (name for one in plan.scenarios for name in one.targets)
    first = plan.scenarios[0]
    return Roles(tuple(dict.fromkeys(predicted or wanted)), first.keys, first.targets)


def of_copy(value: Value) -> Callable[[_Asked], float]:
    """Return the function that gives what a verbatim copy scores, for a `Yardstick`."""
    return lambda asked: value(replace(asked, trio=asked.trio.copied()))
