"""synthpop's replicated uniques: replicated.uniques."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from sdcmetrics.microdata.schema import MissingCodes
from sdcmetrics.rbridge.call import call, in_order, known
from sdcmetrics.rbridge.flat import annotate, wide
from sdcmetrics.rbridge.session import Session
from sdcmetrics.rbridge.synds import Pair, handle

__all__ = ["replicated_uniques"]


def replicated_uniques(
    data: Pair,
    *,
    keys: Sequence[str],
    missing_codes: MissingCodes | None = None,
    printed: bool = False,
    session: Session | None = None,
) -> pd.DataFrame:
    """Count uniques and replicated uniques, by ``synthpop::replicated.uniques``.

    Parameters
    ----------
    data : Synds, or tuple of an original and its replica
    keys : names of the columns that an intruder knows
    missing_codes, printed, session : see `utility_tab`

    Returns
    -------
    DataFrame
        Index synthesis and row (Original, Synthetic, Synthetic uniques in original, Replicated
        uniques); columns Number, from total, %. Defect B7 is noted where a key is numeric:
        synthpop compares numbers as formatted texts.
    """
    synds = handle(data, missing_codes=missing_codes, session=session)
    names = in_order(known([keys] if isinstance(keys, str) else list(keys), synds), synds.columns)
    answer = call(synds, "replicated_uniques", "replicated.uniques", keys=names, print=printed)
    found = ("B7",) if any(synds.original.columns[name].kind == "number" for name in names) else ()
    out: pd.DataFrame = annotate(wide(answer.value, ["synthesis", "row"]), synds, answer, found)
    return out
