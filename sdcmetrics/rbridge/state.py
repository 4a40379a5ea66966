"""Whether R, synthpop and rpy2 work together, and what to do where they do not."""

from __future__ import annotations

from dataclasses import dataclass

from sdcmetrics.errors import RError
from sdcmetrics.rbridge import installation
from sdcmetrics.rbridge.session import Session
from sdcmetrics.results import Renamed

_SECONDS = 60


@dataclass(frozen=True)
class Status:
    """Whether R, synthpop and rpy2 are available, and their versions.

    Attributes
    ----------
    available : bool
        Whether everything is there and R answers, so that the bridge works.
    r_version, r_home, synthpop_version, rpy2_version : str or None
        None for what is not there.
    message : str
        One sentence: that it works, or what to install.
    """

    available: bool
    r_version: str | None
    r_home: str | None
    synthpop_version: str | None
    rpy2_version: str | None
    message: str
    found = Renamed("available")


def status() -> Status:
    """Look for R, synthpop and rpy2, and try whether they work together.

    Never raises, and imports no rpy2: R is tried in a process of its own.

    Returns
    -------
    Status

    Examples
    --------
    >>> status().available  # doctest: +SKIP
    True
    """
    r_version, r_home, synthpop = installation.ask_r()
    rpy2 = installation.rpy2_version()
    message = ""
    if r_version is None:
        message = installation.remedy("R_HOME")
    elif rpy2 is None:
        message = installation.remedy("No module named 'rpy2'")
    elif collision := installation.rpy2_collision():
        message = collision
    elif synthpop is None:
        message = installation.remedy("there is no package called 'synthpop'")
    else:
        message = _try()
    available = message == ""
    if available:
        message = f"R {r_version} with synthpop {synthpop} works, through rpy2 {rpy2}."
    return Status(available, r_version, r_home, synthpop, rpy2, message)


def _try() -> str:
    try:
        with Session(timeout=_SECONDS) as session:
            session.versions  # noqa: B018  (starts R)
    except RError as error:
        return error.reason
    return ""
