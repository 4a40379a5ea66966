"""Where the lowest versions of dependencies answer otherwise than today's."""

from __future__ import annotations

import numpy as np
import scipy
from numpy.lib import NumpyVersion

NUMPY_2 = NumpyVersion(np.__version__) >= "2.0.0"
"""It counts bits, and draws other numbers of Zipf's law."""
EXACT_TAILS = NumpyVersion(scipy.__version__) >= "1.13.0"
"""Quantiles of Student's law and tails of the binomial are right to the last digits."""
