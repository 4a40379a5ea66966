"""A metric of a suite: several quantities of one trio of data sets, as corrected or published."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from sdcmetrics.errors import NotComputable, StudyError, did_you_mean
from sdcmetrics.measures.kind import PRESET, Given, Kind, Place, Plan, Tell
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.prediction.places import Prediction
from sdcmetrics.measures.reference_values import References
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
    fresh : what the holdout in the replica's place is expected to give, where it says so itself
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
    defined = [float(value) for value in values]
    if not defined:
        return math.nan, math.nan
    mean = math.fsum(defined) / len(defined)
    if len(defined) == 1:
        return mean, math.nan
    variance = math.fsum((value - mean) ** 2 for value in defined) / (len(defined) - 1)
    return mean, math.sqrt(variance / len(defined))


_LETTERS = {
    "o": "an original record",
    "s": "a replica record",
    "n_o": "original records",
    "x_o": "a number of an original record",
    "x_s": "the same of a replica record",
    "q01": "1st percentile of the original",
    "q99": "99th percentile of the original",
    "mean_o": "mean of a column in the original",
    "mean_s": "the same of the replica",
    "sd_o": "standard deviation of a column in the original",
    "share_o": "an eigenvalue of the original over their sum",
    "share_s": "the same of the replica",
    "F_o": "distribution function of a column in the original",
    "F_s": "the same of the replica",
    "p_o": "share of a value or group in the original",
    "p_s": "the same of the replica",
    "rate_1": "how often one of two groups has an outcome",
    "rate_0": "how often the other has it",
    "association_o": "association of two columns in the original",
    "association_s": "the same of the replica",
    "NMI_o": "normalised mutual information of two columns of the original",
    "NMI_s": "the same of the replica",
    "d_oo": "distance of an original record from the nearest other one",
    "d_os": "distance of an original record from the nearest replica record",
    "d_so": "distance of a replica record from the nearest original record",
    "d_ss": "distance of a replica record from the nearest other one",
    "d_1": "distance from the nearest replica record",
    "d_2": "distance from the second nearest replica record",
    "r_s": "association of two columns in the replica",
    "r_h": "the same of the holdout",
    "IV_s": "information value of a column for the target in the replica",
    "IV_h": "the same of the holdout",
    "V": "Cramer's V",
    "MMD": "maximum mean discrepancy of replica and original",
    "CKA": "centred kernel alignment of the records in two trained networks",
}
"""What the letters in formulas of both suites stand for."""


class Metric(Kind):
    """One metric of a suite: a kind of several measures, computed from one `Trio` by one function.

    Parameters
    ----------
    symbol : str
        The name that its suite gives it.
    corrected, published : functions of a `Trio` and options
        Return quantities by name; raise NotComputable where they do not exist. `published` is
        missing where nobody else has published one.
    dimension : "utility", "privacy" or "fairness"
    quantities : tuple of str
        Those that it always has: they are listed with a reason where it cannot be computed.
    published_quantities : the same of the published definition, where its names are others
    defect : what is wrong with the published definition, for the reader
    suite : "SynthEval" or "DAISYnt"
    beside_holdout : whether it has the holdout as its control and says what the holdout gives
    shown : function of a `Trio` to what figures are drawn of, or None where there is none
    """

    def __init__(  # noqa: PLR0913  (what a metric is)
        self,
        symbol: str,
        corrected: Callable[..., Quantities],
        dimension: Literal["utility", "privacy", "fairness"],
        quantities: tuple[str, ...],
        published: Callable[..., Quantities] | None = None,
        *,
        defect: str = "",
        suite: str = "SynthEval",
        beside_holdout: bool = False,
        published_quantities: tuple[str, ...] = (),
        shown: Callable[[Trio], Any] | None = None,
    ) -> None:
        super().__init__(
            f"{suite}'s {symbol}",
            "`Measured`; a number",
            self._places,
            holdout=beside_holdout,
            option=PRESET,
            symbols=_LETTERS,
        )
        self.symbol, self.corrected, self.published = symbol, corrected, published
        self.suite, self.dimension, self.defect, self.shown = suite, dimension, defect, shown
        self.quantities, self.published_quantities = quantities, published_quantities

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
        key = ("metric", self.symbol, mode, repr(sorted(given.items())))
        return trio.cached(key, lambda: self._result(function, trio, given, mode))

    def _result(
        self, function: Callable[..., Quantities], trio: Trio, options: Any, mode: Mode
    ) -> Quantities:
        try:
            return function(trio, **options)
        except NotComputable as reason:
            return self._nothing(str(reason), mode)

    def _nothing(self, reason: str, mode: Mode) -> Quantities:
        published = self.published_quantities if mode == "published" else ()
        return {name: Quantity(math.nan, reason=reason) for name in published or self.quantities}

    def _check(self, function: Callable[..., Quantities], options: Mapping[str, Any]) -> None:
        parameters = list(inspect.signature(function).parameters)[1:]
        for name in options:
            if name not in parameters:
                hint = (
                    did_you_mean(str(name), parameters)
                    or f" Known: {', '.join(parameters) or 'none'}."
                )
                msg = f"{self.symbol}: unknown option {name!r}.{hint}"
                raise StudyError(msg)

    def _places(self, pair: Pair, plan: Plan, tell: Tell) -> Iterator[Given]:
        if not plan.options.preset:
            return
        preset = load_preset(plan.options.preset)
        if self.symbol not in preset.metrics:
            return
        tell(self.name)
        trios: list[Trio] = pair.cached("trios", lambda: _trios(pair, plan))
        options = preset.metrics[self.symbol]
        each = tuple(Measured(self, trio, options) for trio in trios)
        quantities = [quantity for trio in each for quantity in trio.quantities.values()]
        reasons = list(dict.fromkeys(q.reason for q in quantities if math.isnan(q.value)))
        yield Given(
            self.name,
            (Place(),),
            each,
            undefined=reasons[0] if reasons else "",
            references=(lambda measures, i: self._references(each[i], measures))
            if pair.holdout
            else None,
            result=(lambda: tuple(map(shown, trios))) if (shown := self.shown) else None,
        )

    def _references(self, measured: Measured, measures: Sequence[Any]) -> Mapping[str, References]:
        """Return what a copy and the holdout score; these and the replica are cut to one size."""
        trio = measured.trio
        out = {}
        for measure in measures:
            reference_values = measure.reference_values
            mark = measure.ideal if reference_values is None else reference_values.copy
            copy = mark(measured) if callable(mark) else math.nan if mark is None else float(mark)
            if self.holdout:
                fresh = measured.quantity(measure.function.name).fresh
                out[measure.symbol] = References(copy=copy, fresh=fresh)
            elif (
                reference_values is not None and reference_values.procedure == "P3"
            ):  # beside the holdout already
                out[measure.symbol] = References(copy=copy, fresh=float(reference_values.fresh))
            else:
                fresh, cut = (
                    measure.function(replace(measured, trio=other))
                    for other in (trio.in_its_place(), trio.cut())
                )
                out[measure.symbol] = References(copy, fresh, float(trio.size), cut)
        return out


@dataclass(frozen=True, eq=False)
class Measured:
    """Input of a metric's measures: a trio, measured on first use."""

    metric: Metric
    trio: Trio
    options: Mapping[str, Any]

    @property
    def quantities(self) -> Quantities:
        """All quantities of the metric."""
        return self.metric.measure(self.trio, options=self.options)

    def quantity(self, name: str) -> Quantity:
        """Return one of them; without a value where there is none of this name."""
        return self.quantities.get(name, Quantity(math.nan))


@dataclass(frozen=True)
class Number:
    """The value of one quantity, as the function of a `Measure`; NaN where it has none."""

    name: str

    def __call__(self, measured: Measured) -> float:
        """Return the value."""
        return measured.quantity(self.name).value

    def of_copy(self, measured: Measured) -> float:
        """Return what a verbatim copy scores, for a `ReferenceValues`."""
        return self(replace(measured, trio=measured.trio.copied()))


def _trios(pair: Pair, plan: Plan) -> list[Trio]:
    preset = load_preset(plan.options.preset)
    return [
        Trio.of_pair(
            pair,
            number,
            variables=plan.options.variables,
            categorical=preset.categorical,
            target=preset.target,
            sensitive=preset.sensitive,
            public=preset.public,
            roles=roles_of(plan),
            seed=plan.options.seed,
            households=() if plan.sample is None else plan.sample.numbered(synthesis),
        )
        for number, synthesis in enumerate(pair.syntheses, start=1)
    ]


def roles_of(plan: Plan) -> Roles:
    """Return the columns to predict, and the keys of the first scenario."""
    learnt = plan.section(Prediction)
    predicted = () if learnt is None else learnt.targets
    wanted = (name for scenario in plan.scenarios for name in scenario.targets)
    first = plan.scenarios[0]
    return Roles(tuple(dict.fromkeys(predicted or wanted)), first.keys, first.targets)
