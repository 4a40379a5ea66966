"""The demo's original, holdout and replicas, as pandas frames with declared levels.

Source and licence
------------------
The data are an extract of 944 respondents of the American National Election Study 1996,
by the American National Election Studies. A random third of them is the holdout, drawn by seed
(``codebook.json``), the others are the original. They ship with statsmodels as
``statsmodels.datasets.anes96``, whose copyright notice reads "This is public domain.". The
labels follow statsmodels' list of variables; ``logpopul`` is left out, as it is a function of
``popul``.

The replicas
------------
Made once by ``r/make_demo_replicas.R``, with fixed seeds, from all ten columns of the original:

=============== ================================================================================
``cart``        R's synthpop, its default method: two syntheses
``parametric``  R's synthpop, method "parametric"
``perturbed``   the original with 15 % of the cells of every column swapped between records:
                useful, but risky
``independent`` every column resampled on its own: safe, but no relationship is left
=============== ================================================================================

Both the R script and this module read the labels from ``codebook.json``.
"""

from __future__ import annotations

import importlib.resources
import json
import re
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdcmetrics.errors import FileError, counted

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


def load_original() -> pd.DataFrame:
    """Load the demo's original: 630 respondents of the American National Election Study 1996.

    The file is read from the installed statsmodels without importing its models.

    Returns
    -------
    DataFrame of shape (630, 10)
        ``popul``, ``TVnews`` and ``age`` are integers, the others Categoricals with all levels
        declared, ordered except ``vote``.

    Raises
    ------
    FileError
        If statsmodels is not installed, or holds another version of the data.

    Examples
    --------
    >>> original = load_original()
    >>> original.shape
    (630, 10)
    >>> list(original["vote"].cat.categories)
    ['Clinton', 'Dole']
    """
    everybody = _load_everybody()
    return everybody[~_held_out(everybody)].reset_index(drop=True)


def load_holdout() -> pd.DataFrame:
    """Load the demo's holdout: 314 respondents that no replica was made from.

    Returns
    -------
    DataFrame of shape (314, 10)
        Columns and types as those of the original.

    Raises
    ------
    FileError
        If statsmodels is not installed, or holds another version of the data.

    Examples
    --------
    >>> load_holdout().shape
    (314, 10)
    """
    everybody = _load_everybody()
    return everybody[_held_out(everybody)].reset_index(drop=True)


def _held_out(everybody: pd.DataFrame) -> npt.NDArray[np.bool_]:
    out: npt.NDArray[np.bool_] = np.isin(np.arange(1, len(everybody) + 1), _codebook()["holdout"])
    return out


def _load_everybody() -> pd.DataFrame:
    # Only the outermost package is imported, in a millisecond: statsmodels.datasets would import
    # a large part of scipy with it.
    try:
        package = importlib.resources.files("statsmodels")
    except ModuleNotFoundError as error:
        message = (
            "The demo's original is a file inside the package statsmodels, which is not "
            "installed. Install it with: pip install statsmodels"
        )
        raise FileError(message) from error
    path = package / "datasets" / "anes96" / "anes96.csv"
    if not path.is_file():
        message = (
            "Expected the file datasets/anes96/anes96.csv inside the package statsmodels, but "
            "the installed statsmodels has none. Install statsmodels 0.14 or later."
        )
        raise FileError(message)
    with path.open("rb") as file:
        raw = pd.read_csv(file, sep="\t", quotechar="'")
    codebook = _codebook()
    _check_columns(raw, "anes96.csv in statsmodels")
    if len(raw) != codebook["rows"]:
        message = (
            f"Expected {codebook['rows']} records in statsmodels' anes96.csv, got {len(raw)}: "
            "the demo's replicas belong to another version of the data."
        )
        raise FileError(message)
    labelled: dict[str, pd.Series[Any]] = {}
    for column in codebook["columns"]:
        values = raw[column["name"]]
        if column["kind"] == "category":
            values = values.map({int(code): label for code, label in column["levels"].items()})
        labelled[column["name"]] = values
    return _declare(pd.DataFrame(labelled), "anes96.csv in statsmodels")


def load_replicas() -> dict[str, list[pd.DataFrame]]:
    """Load the demo's replicas, with the columns, types and levels of the original.

    Returns
    -------
    dict of str to list of DataFrame
        ``cart`` (two syntheses), ``independent``, ``parametric`` and ``perturbed``.

    Examples
    --------
    >>> {name: len(syntheses) for name, syntheses in load_replicas().items()}
    {'cart': 2, 'independent': 1, 'parametric': 1, 'perturbed': 1}
    """
    replicas: dict[str, list[pd.DataFrame]] = {}
    for path in _replica_files():
        with path.open("rb") as file:
            frame = pd.read_csv(file, keep_default_na=False)
        _check_columns(frame, path.name)
        name = re.sub(r"(_\d+)?\.csv$", "", path.name)
        replicas.setdefault(name, []).append(_declare(frame, path.name))
    return replicas


def _folder() -> Traversable:
    return importlib.resources.files(__package__)


def _replica_files() -> list[Traversable]:
    files = (_folder() / "replicas").iterdir()
    replicas = (path for path in files if path.name.endswith(".csv"))
    return sorted(replicas, key=lambda path: path.name)


@cache
def _codebook() -> dict[str, Any]:
    codebook: dict[str, Any] = json.loads((_folder() / "codebook.json").read_text("utf-8"))
    return codebook


def _check_columns(frame: pd.DataFrame, file: str) -> None:
    expected = [column["name"] for column in _codebook()["columns"]]
    if list(frame.columns) != expected:
        message = f"Expected the columns {expected} in {file}, got {list(frame.columns)}."
        raise FileError(message)


def _declare(frame: pd.DataFrame, file: str) -> pd.DataFrame:
    """Give every column its declared type; a value outside the declared levels is refused."""
    declared: dict[str, pd.Series[Any]] = {}
    for column in _codebook()["columns"]:
        values = frame[column["name"]]
        if column["kind"] == "category":
            levels = pd.CategoricalDtype(list(column["levels"].values()), column["ordered"])
            outside = ~values.isin(levels.categories)
            if outside.any():
                message = (
                    f"Column {column['name']!r} in {file} has "
                    f"{counted(int(outside.sum()), 'value')} not among the levels declared in "
                    "codebook.json."
                )
                raise FileError(message)
            declared[column["name"]] = values.astype(levels)
        else:
            declared[column["name"]] = values.astype("int64")
    return pd.DataFrame(declared)
