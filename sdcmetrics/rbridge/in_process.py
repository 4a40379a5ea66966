"""Objects in the R of this very process, for users of rpy2: read from a file, saved to one.

R's own readRDS() and saveRDS() move them, so that no conversion rule of rpy2, active or not, has a
say, and the user's session gets nothing but the object.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sdcmetrics.errors import DataError, RError


def _rpy2() -> tuple[Any, Any]:
    try:
        from rpy2 import rinterface
        from rpy2.robjects.vectors import ListVector
    except Exception as error:  # noqa: BLE001  (without R rpy2 may raise anything)
        name = type(error).__name__
        reason = f"rpy2 cannot be used here ({name}). Install R, then sdcmetrics[rpy2]."
        raise RError(reason, kind="unavailable") from None
    rinterface.initr()
    return rinterface, ListVector


def read_here(path: Path) -> Any:
    """Read a list from an .rds file into the R of this process, which starts if need be.

    Raises
    ------
    RError
        If R or rpy2 is not there.
    """
    rinterface, as_list = _rpy2()
    return as_list(rinterface.baseenv["readRDS"](rinterface.StrSexpVector([str(path)])))


def save_here(synds: Any, path: Path) -> None:
    """Save an object of class synds that the R of this process has as an .rds file.

    Raises
    ------
    DataError
        If the object is not of class synds.
    RError
        If R or rpy2 is not there.
    """
    classes = tuple(getattr(synds, "rclass", ()))
    if "synds" not in classes:
        class_name = "/".join(classes) or type(synds).__name__
        msg = f"expected R's object of class synds, as syn() returns it, but got {class_name}."
        raise DataError(msg)
    rinterface, _ = _rpy2()
    rinterface.baseenv["saveRDS"](synds, rinterface.StrSexpVector([str(path)]))
