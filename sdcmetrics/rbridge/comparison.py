"""synthpop's comparison of every variable: compare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import pandas as pd

from sdcmetrics.microdata.schema import MissingCodes
from sdcmetrics.rbridge.call import call, known, only_given
from sdcmetrics.rbridge.flat import wide
from sdcmetrics.rbridge.session import Session
from sdcmetrics.rbridge.synds import Pair, handle

__all__ = ["Comparison", "compare"]


@dataclass(frozen=True)
class Comparison:
    """What ``synthpop::compare`` says of the variables.

    Attributes
    ----------
    tables : DataFrame
        One row a variable and level: observed and synthetic, in percent of the records.
    utility : DataFrame
        One row a variable: pMSE, S_pMSE, df of its one-way table.
    fixes, output, warnings, defects : tuples and text
    """

    tables: pd.DataFrame
    utility: pd.DataFrame
    fixes: tuple[str, ...] = ()
    output: str = ""
    warnings: tuple[str, ...] = ()
    defects: tuple[str, ...] = ()


def compare(
    data: Pair,
    *,
    variables: Sequence[str] | None = None,
    stat: Literal["percents", "counts"] = "percents",
    ngroups: int = 5,
    missing_codes: MissingCodes | None = None,
    printed: bool = False,
    session: Session | None = None,
) -> Comparison:
    """Compare the distribution of every variable, by ``synthpop::compare``.

    Parameters
    ----------
    data : Synds, or tuple of an original and its replica
    variables : names, optional
    stat : "percents" or "counts"
    ngroups : int
        Groups of numeric variables in the utility measures.
    missing_codes, printed, session : see `utility_tab`

    Returns
    -------
    Comparison

    Raises
    ------
    RError
        If R is not there, dies, is late, or synthpop stops: as it does with syntheses of
        unequal size (B20).
    """
    synds = handle(data, missing_codes=missing_codes, session=session)
    options = only_given(
        {
            "stat": stat,
            "ngroups": ngroups,
            "vars": None if variables is None else known(list(variables), synds),
        }
    )
    answer = call(synds, "compare", "compare", options=options, print=printed)
    tables = wide(answer.value["tables"], ["variable", "level"])
    return Comparison(
        tables=tables,
        utility=wide(answer.value["utility"], "variable"),
        fixes=synds.fixes,
        output=answer.output,
        warnings=answer.warnings,
        defects=synds.defects,
    )
