"""A user's own estimator in a Python file: run only where that is allowed."""

from __future__ import annotations

import hashlib
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sdcmetrics.errors import FileError, NotComputable, StudyError
from sdcmetrics.measures.analyses.estimates import Category, Estimates, Records, normal

Function = Callable[[pd.DataFrame, pd.Series], pd.DataFrame]
"""Of data and weights to a frame with columns estimate and se, one row per term."""

_COLUMNS = ("estimate", "se")


def load_function(where: str) -> Function:
    """Return the function that a study names as file and name.

    Raises
    ------
    FileError
        If there is no such file.
    StudyError
        If it cannot be run, or has no such function.
    """
    file, _, name = where.rpartition(":")
    path = Path(file)
    if not (file and name.isidentifier()):
        msg = f"function: expected a file and a name, such as 'yearbook.py:estimates': {where!r}."
        raise StudyError(msg)
    if not path.is_file():
        msg = f"{path}: there is no such file of Python."
        raise FileError(msg)
    try:
        names = runpy.run_path(str(path))
    except (Exception, SystemExit) as error:  # no file of a user ends a review as passed
        msg = f"{path.name}: the file cannot be run ({type(error).__name__})."
        raise StudyError(msg) from error
    function = names.get(name)
    if not callable(function):
        msg = f"{path.name}: there is no function {name!r} in it."
        raise StudyError(msg)
    estimator: Function = function
    return estimator


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def call(function: Function, records: Records) -> Estimates:
    """Return the estimates of a user's function from one data set.

    Raises
    ------
    NotComputable
        If it fails, or gives no frame of estimates and standard errors. Its own message is not
        repeated: it may quote data.
    """
    columns = {name: _column(column) for name, column in records.columns.items()}
    data = pd.DataFrame(columns, index=pd.RangeIndex(records.n))
    weights = pd.Series(records.design.weights, index=data.index, name="weight")
    try:
        frame = function(data, weights)
    except (Exception, SystemExit) as error:  # no file of a user ends a review as passed
        msg = f"{records.source}: the function raised {type(error).__name__}"
        raise NotComputable(msg) from error
    given: Any = frame  # whatever a user's function returns
    if not (isinstance(given, pd.DataFrame) and {*_COLUMNS} <= {*given.columns}):
        msg = f"{records.source}: expected a frame with the columns estimate and se"
        raise NotComputable(msg)
    if not frame.index.is_unique:
        msg = f"{records.source}: expected one row per term but some terms are there twice"
        raise NotComputable(msg)
    try:
        value, errors = (frame[name].to_numpy(np.float64) for name in _COLUMNS)
    except (TypeError, ValueError):
        msg = f"{records.source}: expected numbers in the columns estimate and se"
        raise NotComputable(msg) from None
    try:
        null = float(frame.attrs.get("null", 0.0))
    except (TypeError, ValueError):
        msg = f"{records.source}: expected a number in attrs['null']"
        raise NotComputable(msg) from None
    return normal([str(term) for term in frame.index], value, errors, null=null)


def _column(column: Category | Any) -> Any:
    if isinstance(column, Category):
        return pd.Categorical.from_codes(column.codes, categories=pd.Index(column.levels))
    return column
