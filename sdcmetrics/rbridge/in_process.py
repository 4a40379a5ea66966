"""An object of class synds in the R of this very process, and back: for users of rpy2.

It goes over as a file that R's own saveRDS() writes and readRDS() reads, so that no conversion
rule of rpy2, active or not, has a say, and the user's session gets nothing but the object.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from sdcmetrics.errors import DataError, RError
from sdcmetrics.measures.pair import Frame
from sdcmetrics.microdata.read_synds import read_synds
from sdcmetrics.rbridge.generate import write_rds
from sdcmetrics.rbridge.session import Session
from sdcmetrics.rbridge.synds import Synds, as_synds

__all__ = ["from_rpy2", "to_rpy2"]


def _rpy2() -> tuple[Any, Any]:
    try:
        from rpy2 import rinterface
        from rpy2.robjects.vectors import ListVector
    except Exception as error:  # noqa: BLE001  (without R rpy2 may raise anything)
        reason = f"rpy2 cannot be used here ({type(error).__name__}). Install sdcmetrics[r], and R."
        raise RError(reason, kind="unavailable") from None
    rinterface.initr()
    return rinterface, ListVector


def to_rpy2(synds: Synds) -> Any:
    """Return a handle as an object of the R that runs in this process; see `Synds.to_rpy2`."""
    with tempfile.TemporaryDirectory() as folder:
        path = write_rds(synds, Path(folder) / "synds.rds")
        rinterface, as_list = _rpy2()
        read = rinterface.baseenv["readRDS"]
        return as_list(read(rinterface.StrSexpVector([str(path)])))


def from_rpy2(synds: Any, original: Frame, *, session: Session | None = None) -> Synds:
    """Take an object of class synds over from the R of this process.

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
    rinterface, _ = _rpy2()
    classes = tuple(getattr(synds, "rclass", ()))
    if "synds" not in classes:
        found = "/".join(classes) or type(synds).__name__
        msg = f"expected R's object of class synds, as syn() returns it, but got {found}."
        raise DataError(msg)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "synds.rds"
        rinterface.baseenv["saveRDS"](synds, rinterface.StrSexpVector([str(path)]))
        syntheses = read_synds(path)
    return as_synds(
        syntheses, original, missing_codes=syntheses[0].missing_codes or None, session=session
    )
