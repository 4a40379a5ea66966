"""Where one version of Python or of a dependency answers otherwise than another."""

from __future__ import annotations

from dataclasses import astuple
from typing import Any

import numpy as np
import scipy
from numpy.lib import NumpyVersion

NUMPY_2 = NumpyVersion(np.__version__) >= "2.0.0"
"""It counts bits, and draws other numbers of Zipf's law."""
EXACT_TAILS = NumpyVersion(scipy.__version__) >= "1.13.0"
"""Quantiles of Student's law and tails of the binomial are right to the last digits."""


def same(result: Any, expected: Any) -> bool:
    """Whether two results are equal, one NaN and itself too: from Python 3.13 on `==` says no."""
    return type(result) is type(expected) and astuple(result) == astuple(expected)
