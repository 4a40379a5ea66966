"""Limits of a profile that judge nothing in a study, each with the remedy."""

from __future__ import annotations

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.kind import Plan
from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.study.profile import Profile


def refuse_idle_limits(profile: Profile, plan: Plan, *, holdout: bool) -> None:
    """Raise if a profile of the user's own has limits that judge nothing in this study.

    Raises
    ------
    StudyError
        Naming each limit and the remedy. A profile of the package is meant for any study.
    """
    idle = {} if profile.of_package else idle_limits(profile, plan, holdout=holdout)
    if idle:
        msg = "\n".join(
            f"{profile.name}.toml: thresholds.{symbol} judges nothing in this study: {why}. Add "
            "that, or remove the limit."
            for symbol, why in idle.items()
        )
        raise StudyError(msg)


def idle_limits(profile: Profile, plan: Plan, *, holdout: bool) -> dict[str, str]:
    """Return the limits on measures that nothing in a study measures, each with the remedy.

    Parameters
    ----------
    profile : Profile
    plan : Study
    holdout : bool
        Whether the study has a holdout.
    """
    out: dict[str, str] = {}
    for symbol in profile.thresholds:
        kind = MEASURES[symbol].of
        if kind.holdout and not holdout:
            out[symbol] = "it needs a holdout"
        elif not kind.option.wanted(plan):
            out[symbol] = f"it needs {kind.option} in the study"
    return out
