"""Places of propensity scores: the models that the study asks for."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

from sdcmetrics.errors import NotComputable
from sdcmetrics.measures.kind import Given, Kind, Place, Places, Plan, Tell, asks_for
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.reference_values import References
from sdcmetrics.measures.section import AsTuple, Limits, Section, section

if TYPE_CHECKING:
    from sdcmetrics.measures.propensity.utility_gen import UtilityGen


Method = Literal["logit", "cart"]


@section("propensity")
class Propensity(Section):
    """Models that score every record by how synthetic it looks; see `utility_gen`.

    Attributes
    ----------
    methods : "logit" (logistic regression), "cart" (a classification tree), or both
    maxorder : int
        Logit: order of interactions; 0 for main effects, 1 for all pairs, ...
    """

    methods: Annotated[tuple[Method, ...], AsTuple, Limits(min_length=1)] = ("logit", "cart")
    maxorder: Annotated[int, Limits(ge=0)] = 0

    def name(self, method: str) -> str:
        """Return what rows of a review call a method."""
        if method == "cart":
            return "classification tree"
        words = {0: "main effects", 1: "main effects and pairs"}
        return f"logistic regression, {words.get(self.maxorder, f'order {self.maxorder}')}"


_FEW = 1.5
"""Records of the smaller data set per coefficient: with fewer the closed form is too small."""

_PERMUTATIONS = 100
_LARGEST = 400
"""Coefficients up to which labels are permuted where records are few: seconds at the most."""


def _scored(method: Method, words: str) -> Places:
    def places(pair: Pair, plan: Plan, tell: Tell) -> Iterator[Given]:
        section = plan.section(Propensity)
        if section is None or method not in section.methods:
            return
        from sdcmetrics.measures.propensity.utility_gen import utility_gen  # scipy, when asked for

        step = f"{words} that tells replica from original"
        tell(step)
        where = (Place(model=section.name(method)),)
        scored = partial(
            utility_gen,
            pair.original,
            method=method,
            maxorder=section.maxorder,
            variables=plan.options.variables or list(pair.data.variables),
            missing_codes={
                name: codes
                for name, codes in pair.missing_codes.items()
                if name in pair.data.variables
            },
            k_syn=plan.options.k_syn,
        )
        try:
            result = scored(pair.syntheses, resampling="none" if method == "cart" else None)
        except NotComputable as reason:
            yield Given(step, where, reason=str(reason))
            return

        def references(measures: Sequence[Any], i: int) -> Mapping[str, References]:
            fresh = _expected(result, i, pair, lambda: scored(pair.syntheses[i], **_PERMUTED))
            return {
                measure.symbol: References(fresh=fresh) if measure.fresh else References()
                for measure in measures
            }

        each = tuple(row for _, row in result.per_synthesis.iterrows())
        whole = result.mean if pair.m > 1 else None
        yield Given(step, where, each, whole=whole, result=result, references=references)

    return places


_PERMUTED: Mapping[str, Any] = {"resampling": "perm", "nperms": _PERMUTATIONS, "seed": 1}


def _expected(result: UtilityGen, i: int, pair: Pair, permuted: Callable[[], UtilityGen]) -> float:
    """Return the S_pMSE that is expected of the holdout; NaN where nothing tells.

    Original and holdout are exchangeable, so the mean over permuted labels is what is
    expected of them however few they are.
    """
    row, n = result.per_synthesis.iloc[i], pair.data.sizes
    if min(n[0], n[i + 1]) >= _FEW * row["df"]:
        return 1.0 + n[i + 1] / n[0]
    if row["df"] > _LARGEST or not row["pMSE"]:
        return math.nan
    return float(permuted().null["pMSE"].mean() * row["S_pMSE"] / row["pMSE"])


_SCORES = "row of `UtilityGen.per_synthesis`; a number"

_SYMBOLS = {
    "score": "the chance to be of the replica that the model gives a record",
    "c": "share of the replica among all records",
    "N": "records of both",
    "s": "replica records",
    "d": "original records",
    "F_s": "distribution function of the score over the replica",
    "F_d": "distribution function of the score over the original",
    "score_s": "score of a replica record",
    "score_d": "score of an original record",
}
LOGIT = Kind(
    "records scored by logistic regression",
    _SCORES,
    _scored("logit", "logistic regression"),
    per="model",
    option=asks_for(Propensity),
    symbols=_SYMBOLS,
)
CART = Kind(
    "records scored by a classification tree",
    _SCORES,
    _scored("cart", "classification tree"),
    per="model",
    option=asks_for(Propensity),
    symbols=_SYMBOLS,
)
