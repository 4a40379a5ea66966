"""Data sets of a review, and the versions in use."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import metadata

from sdcmetrics.microdata.frames import Microdata
from sdcmetrics.study.study import Study

_PACKAGES = ("sdcmetrics", "numpy", "pandas", "pyarrow", "narwhals", "scipy", "numba", "jinja2")


@dataclass(frozen=True)
class InputSummary:
    """One data set that was compared.

    Attributes
    ----------
    role : "original", "replica", "holdout" or "earlier": handed out before the replicas
    name : the replica's name, or the role
    synthesis : number of the synthesis within its replica, from 1; 0 otherwise
    source : file name, or what the data set is called
    n, columns : records and columns
    sha256 : digest of the file, or None for data that came as a frame
    """

    role: str
    name: str
    synthesis: int
    source: str
    n: int
    columns: int
    sha256: str | None

    def to_dict(self) -> dict[str, str | int | None]:
        """Return the data set as the review's JSON has it."""
        return {
            "role": self.role,
            "name": self.name,
            "synthesis": self.synthesis or None,
            "source": self.source,
            "records": self.n,
            "columns": self.columns,
            "sha256": self.sha256,
        }


def list_inputs(study: Study) -> Iterator[InputSummary]:
    """Yield the data sets in the study's order."""

    def summary(role: str, name: str, synthesis: int, data: Microdata) -> InputSummary:
        columns = len(data.columns)
        return InputSummary(role, name, synthesis, data.source, data.n, columns, data.sha256)

    yield summary("original", "original", 0, study.original)
    for name, syntheses in study.replicas.items():
        for i, data in enumerate(syntheses, start=1):
            yield summary("replica", name, i, data)
    if study.holdout is not None:
        yield summary("holdout", "holdout", 0, study.holdout)
    for i, data in enumerate(study.earlier_files, start=1):
        yield summary("earlier", "earlier", i, data)


def list_versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that numbers depend on."""
    return {"python": platform.python_version(), **_installed()}


@cache
def _installed() -> dict[str, str]:
    versions = {}
    for package in _PACKAGES:
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:  # a checkout that was never installed
            continue
    return versions
