"""Where templates, profiles and R code are, in an installed wheel and in a checkout."""

from __future__ import annotations

from pathlib import Path

__all__ = ["profiles", "r_code", "templates"]

_PACKAGE = Path(__file__).parent


def templates() -> Path:
    """Folder of the report's templates."""
    return _first(_PACKAGE / "_templates", _PACKAGE.parent / "reports" / "templates")


def r_code() -> Path:
    """Folder of the R scripts."""
    return _first(_PACKAGE / "_r", _PACKAGE.parent / "r")


def profiles() -> Path:
    """Folder of the profiles that come with the package."""
    return _PACKAGE / "profiles"


def _first(*folders: Path) -> Path:
    for folder in folders:
        if folder.is_dir():
            return folder
    name = folders[0].name
    msg = f"the installation is incomplete: there is no folder {name}. Reinstall sdcmetrics."
    raise FileNotFoundError(msg)
