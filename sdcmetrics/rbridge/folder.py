"""Where the R scripts are: in an installed wheel, or in a checkout."""

from __future__ import annotations

from pathlib import Path

_INSTALLED = Path(__file__).parent / "_r"

R_CODE = _INSTALLED if _INSTALLED.is_dir() else Path(__file__).parents[2] / "r"
