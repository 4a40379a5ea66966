"""Where scored records are compared: the propensity models that the study asks for."""

from __future__ import annotations

from collections.abc import Iterator

from sdcmetrics.errors import NotComputable
from sdcmetrics.measures.kind import Given, Kind, Place, Places, Plan, Tell
from sdcmetrics.measures.pair import Pair

__all__ = ["CART", "LOGIT"]


def _scored(method: str, words: str) -> Places:
    def places(pair: Pair, plan: Plan, tell: Tell) -> Iterator[Given]:
        asked = plan.propensity
        if asked is None or method not in asked.methods:
            return
        from sdcmetrics.measures.propensity.utility_gen import utility_gen  # scipy, when asked for

        step = f"{words} that tells replica from original"
        tell(step)
        where = (Place(model=asked.name(method)),)
        try:
            found = utility_gen(
                pair.original,
                pair.syntheses,
                method=method,  # type: ignore[arg-type]  # checked with the study
                maxorder=asked.maxorder,
                variables=plan.options.variables or list(pair.data.variables),
                missing_codes={
                    name: codes
                    for name, codes in pair.missing_codes.items()
                    if name in pair.data.variables
                },
                k_syn=plan.options.k_syn,
                resampling="none" if method == "cart" else None,
            )
        except NotComputable as reason:
            yield Given(step, where, reason=str(reason))
        else:
            each = tuple(row for _, row in found.per_synthesis.iterrows())
            yield Given(step, where, each if pair.m > 1 else (), whole=found.mean, result=found)

    return places


_SCORES = "row of `UtilityGen.per_synthesis`; a number"

LOGIT = Kind(
    "records scored by logistic regression",
    _SCORES,
    _scored("logit", "logistic regression"),
    per="model",
    option="[propensity]",
)
CART = Kind(
    "records scored by a classification tree",
    _SCORES,
    _scored("cart", "classification tree"),
    per="model",
    option="[propensity]",
)
