"""What a review compared: the data sets, every change made to them, and the versions in use."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping, Sequence
from importlib import metadata

from sdcmetrics.errors import DataError
from sdcmetrics.measures.fits.formula import read_formula
from sdcmetrics.microdata.frames import Fix, Microdata
from sdcmetrics.microdata.schema import Harmonised, harmonise
from sdcmetrics.review.review import InputSummary
from sdcmetrics.study.study import Study

__all__ = ["list_fixes", "list_inputs", "list_versions"]

_PACKAGES = ("sdcmetrics", "numpy", "pandas", "pyarrow", "narwhals", "scipy", "numba", "jinja2")


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


def list_fixes(
    study: Study,
    harmonised: Mapping[str, Harmonised],
    of_holdout: Sequence[tuple[str, Fix]],
) -> Iterator[tuple[str, Fix]]:
    """Yield every change once, with the replica it was made to, "original" or "holdout".

    Parameters
    ----------
    study : Study
    harmonised : mapping of replica to Harmonised
        What was compared.
    of_holdout : sequence of (replica, Fix)
        What was changed to compare replicas with the holdout.
    """
    found: dict[Fix, str] = {}
    for name, data in harmonised.items():
        for fix in (*data.fixes, *_beyond(study, name, data)):
            found.setdefault(fix, "original" if fix.source == data.sources[0] else name)
    if study.holdout is not None:
        for _, fix in of_holdout:
            if fix.source == study.holdout.source:
                found.setdefault(fix, "holdout")
    yield from ((name, fix) for fix, name in found.items())


def _beyond(study: Study, replica: str, data: Harmonised) -> tuple[Fix, ...]:
    """Return changes to columns that only models and rules use."""
    named = [name for rule in study.rules for name in rule.columns]
    for model in study.models:
        named += read_formula(model.formula, study.original.columns).columns
    everywhere = [study.original, *study.replicas[replica]]
    more = [
        name
        for name in dict.fromkeys(named)
        if name not in data.variables and all(name in one.columns for one in everywhere)
    ]
    if not more:
        return ()
    codes = {n: c for n, c in study.options.missing_codes.items() if n in more}
    try:
        return harmonise(
            study.original, study.replicas[replica], variables=more, missing_codes=codes
        ).fixes
    except DataError:  # the rows of that model or rule say why
        return ()


def list_versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that numbers depend on."""
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:  # a checkout that was never installed
            continue
    return found
