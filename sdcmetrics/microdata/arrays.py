"""Names of the arrays that functions take and return, by what is in them."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]
Bools: TypeAlias = npt.NDArray[np.bool_]
Bytes: TypeAlias = npt.NDArray[np.uint8]
Codes: TypeAlias = npt.NDArray[np.signedinteger]
"""Positions in a list of levels, in the narrowest type that holds them."""
Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Ints32: TypeAlias = npt.NDArray[np.int32]
Counts: TypeAlias = Ints
"""How many records there are of something."""
