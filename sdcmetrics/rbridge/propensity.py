"""synthpop's propensity scores: utility.gen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import pandas as pd

from sdcmetrics.microdata.schema import MissingCodes
from sdcmetrics.rbridge.call import call, known, only_given
from sdcmetrics.rbridge.flat import by_synthesis
from sdcmetrics.rbridge.session import Session
from sdcmetrics.rbridge.synds import Pair, handle

__all__ = ["PropensityUtility", "utility_gen"]

_BLOWN_UP = 1e8  # coefficients beyond this mean that the fit left the ground


@dataclass(frozen=True)
class PropensityUtility:
    """What ``synthpop::utility.gen`` says.

    Attributes
    ----------
    statistics : Series
        pMSE, S_pMSE, SPECKS, S_SPECKS, PO50, S_PO50, U, S_U, df; means over the syntheses.
    per_synthesis : DataFrame
        The same, one row a synthesis.
    resampling : str
        How the null distribution was found: "none", "perm", "pairs" or "" (formula).
    fixes, output, warnings, defects : tuples and text
    """

    statistics: pd.Series[float]
    per_synthesis: pd.DataFrame
    resampling: str
    fixes: tuple[str, ...] = ()
    output: str = ""
    warnings: tuple[str, ...] = ()
    defects: tuple[str, ...] = ()


def utility_gen(  # noqa: PLR0913  (synthpop's own options)
    data: Pair,
    *,
    method: Literal["logit", "cart"] = "cart",
    variables: Sequence[str] | None = None,
    maxorder: int = 1,
    k_syn: bool = False,
    ngroups: int | None = None,
    resampling: str | None = None,
    nperms: int = 50,
    max_parameters: int = 400,
    maxit: int = 200,
    statistics: Sequence[str] | str = ("pMSE", "S_pMSE"),
    seed: int | None = None,
    missing_codes: MissingCodes | None = None,
    printed: bool = False,
    session: Session | None = None,
) -> PropensityUtility:
    """Tell synthetic from original records with a model, by ``synthpop::utility.gen``.

    Parameters
    ----------
    data : Synds, or tuple of an original and its replica
    method : "logit" or "cart"
    variables : names, optional
    maxorder : int
        Order of the interactions of the logit model; 0 has main effects only.
    k_syn : bool
        The number of synthetic records was drawn.
    ngroups : int, optional
        Group numeric variables.
    resampling : "none", "perm" or "pairs", optional
        synthpop's resamp.method.
    nperms : int
        Permutations for "perm".
    max_parameters, maxit : int
        Limits of the logit model.
    statistics : names, or "all"
        Ratios to be made; S_SPECKS, S_PO50 and S_U force "pairs".
    seed : int, optional
        Seed of the permutations.
    missing_codes, printed, session : see `utility_tab`

    Returns
    -------
    PropensityUtility

    Raises
    ------
    RError
        If R is not there, dies, is late, or synthpop stops.

    Notes
    -----
    The PO50 of synthpop's utility.gen cuts scores at 0.5, whatever the share of synthetic
    records. A logit fit with coefficients beyond all measure is marked with defect B4.
    """
    synds = handle(data, missing_codes=missing_codes, session=session)
    options = only_given(
        {
            "method": method,
            "maxorder": maxorder,
            "k.syn": k_syn,
            "ngroups": ngroups,
            "resamp.method": resampling,
            "nperms": nperms,
            "max.params": float(max_parameters),
            "maxit": maxit,
            "vars": None if variables is None else known(list(variables), synds),
            "print.stats": statistics if isinstance(statistics, str) else list(statistics),
        }
    )
    answer = call(synds, "utility_gen", "utility.gen", options=options, seed=seed, print=printed)
    frame = by_synthesis(answer.value["statistics"])
    found = ["B4"] if any(answer.value["largest"] > _BLOWN_UP) else []
    resampled = "".join(answer.value["resampling"] or [])
    if resampled == "pairs":
        found.append("B5")
    return PropensityUtility(
        statistics=frame.mean(),
        per_synthesis=frame,
        resampling=resampled,
        fixes=synds.fixes,
        output=answer.output,
        warnings=answer.warnings,
        defects=tuple(dict.fromkeys((*synds.defects, *found))),
    )
