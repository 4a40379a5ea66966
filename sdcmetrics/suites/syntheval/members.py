"""SynthEval's membership inference, as the attack on members that this package has."""

from __future__ import annotations

from sdcmetrics.errors import NotComputable
from sdcmetrics.measures.attacks.membership import membership
from sdcmetrics.suites.metric import Metric, Quantities, Quantity
from sdcmetrics.suites.syntheval import published
from sdcmetrics.suites.trio import Trio


def _members(trio: Trio) -> Quantities:
    """AUC, and its p, of who was in the original by the nearest synthetic record."""
    if not trio.has_holdout:
        msg = "there is no holdout"
        raise NotComputable(msg)
    codes = {
        name: list(variable.missing_codes)
        for name, variable in trio.data.variables.items()
        if len(variable.missing_codes)
    }
    result = membership(
        *trio.frames[:3],
        variables=list(trio.original.names),
        missing_codes=codes,
        household=trio.households_of(0, 2),
        seed=trio.seed,
    )
    return {
        "MIA AUC": Quantity(result.training, normalised=1 - abs(2 * result.training - 1)),
        "MIA p": Quantity(float(result.figures["p_auc"]), better="higher"),
    }


MIA = Metric(
    "mia",
    _members,
    "privacy",
    ("MIA AUC",),
    published.membership,
    published_quantities=("MIA recall", "MIA precision"),
    defect="It tests whether records look synthetic, not who was in the original: the recall of "
    "nonsense is 0, and that of people who were not in the original 0.56.",
)
