"""Make replicas with synthpop, and write an object of class synds for use in R."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from sdcmetrics.errors import RError
from sdcmetrics.measures.pair import Frame
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.frames import Fix, as_microdata
from sdcmetrics.microdata.read_synds import read_synds
from sdcmetrics.rbridge.call import run
from sdcmetrics.rbridge.columns import as_frame, from_microdata
from sdcmetrics.rbridge.defects import DEFECTS
from sdcmetrics.rbridge.in_process import save_here
from sdcmetrics.rbridge.session import Session, default_session
from sdcmetrics.rbridge.synds import Synds, as_synds

__all__ = ["from_rpy2", "read_synds", "syn", "write_rds"]

_RENAMED = "y"


@checked
def syn(
    original: Frame,
    *,
    method: str | Sequence[str] | None = None,
    m: int = 1,
    seed: int | None = None,
    printed: bool = False,
    session: Session | None = None,
    **options: Any,
) -> list[pd.DataFrame]:
    """Make m synthetic data sets, by ``synthpop::syn``.

    Parameters
    ----------
    original : data frame
        Categories become factors, ordered ones ordered factors.
    method : str or one str a column, optional
        synthpop's: "cart" (the default), "parametric", "sample", "norm", ...
    m : int
        Number of syntheses.
    seed : int, optional
        Seed of R's generator; the same seed gives the same data.
    printed : bool
        Let R print its progress; it is ``.attrs["output"]`` of the first frame.
    session : Session, optional
    **options
        Further options of syn(), with dots as underscores: ``k=``, ``visit_sequence=[...]``,
        ``cont_na={"income": [-8]}``, ...

    Returns
    -------
    list of DataFrame
        ``.attrs`` has seed, method, output, warnings and defects.

    Raises
    ------
    RError
        If R is not there, dies, is late, or synthpop stops. A column called y is refused
        (B22): synthpop's trees drop it as a predictor without a word, or take R down.

    Examples
    --------
    >>> import pandas as pd
    >>> syn(pd.DataFrame({"y": [1, 2], "x": [1, 2]}))
    Traceback (most recent call last):
    ...
    sdcmetrics.errors.RError: original: the column 'y' cannot be given to synthpop's syn() [B22...
    """
    chosen = default_session() if session is None else session
    data = as_microdata(original, "original")
    if _RENAMED in data.columns:
        reason = (
            f"{data.source}: the column {_RENAMED!r} cannot be given to synthpop's syn() [B22: "
            f"{DEFECTS['B22']}]. Rename it, to 'y_' for example."
        )
        raise RError(reason, defects=("B22",))
    fixes: list[Fix] = []
    frame = from_microdata(data, fixes)
    settings = {name.replace("_", "."): value for name, value in options.items()}
    methods = method if method is None or isinstance(method, str) else list(method)
    answer = run(
        chosen,
        "syn",
        "syn",
        original=frame,
        method=methods,
        m=m,
        seed=seed,
        options=settings,
        print=printed,
    )
    frames = [as_frame(part) for part in answer.value["syntheses"]]
    for synthesis in frames:
        synthesis.attrs |= {
            "seed": float(answer.value["seed"][0]),
            "method": tuple(answer.value["method"]),
            "fixes": tuple(str(fix) for fix in fixes),
            "output": answer.output,
            "warnings": answer.warnings,
            "defects": (),
        }
    return frames


@checked
def write_rds(synds: Synds, path: str | os.PathLike[str], *, force: bool = False) -> Path:
    """Write a replica as R's object of class synds; see `Synds.write_rds`.

    Raises
    ------
    StudyError
        If the handle was made with ``how="frames"``.
    RError
        If R is not there or cannot write the file.
    """
    return synds.write_rds(path, force=force)


@checked
def from_rpy2(synds: Any, original: Frame, *, session: Session | None = None) -> Synds:
    """Take an object of class synds over from the R of this process; see `Synds.to_rpy2`.

    Parameters
    ----------
    synds : object of rpy2
        What ``syn()`` returned, called by rpy2.
    original : data frame
    session : Session, optional

    Returns
    -------
    Synds

    Raises
    ------
    DataError
        If the object is not of class synds.
    RError
        If R or rpy2 is not there.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "synds.rds"
        save_here(synds, path)
        syntheses = read_synds(path)
    codes = syntheses[0].missing_codes or None
    return as_synds(syntheses, original, missing_codes=codes, session=session)
