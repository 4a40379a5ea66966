"""Two small data sets, and what a plot of their comparison shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def people(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 90, n),
            "place": rng.choice(["north", "south"], n, p=[0.7, 0.3]),
            "ill": rng.choice(["no", "yes"], n, p=[0.8, 0.2]),
        }
    )


ORIGINAL, REPLICA = people(200, 1), people(200, 2)


def named(ax: Axes) -> bool:
    return all([ax.get_xlabel(), ax.get_ylabel(), ax.get_title()])


def widths(ax: Axes) -> list[float]:
    return [bar.get_width() for bar in ax.patches]


def ticks(ax: Axes) -> list[str]:
    return [label.get_text() for label in ax.get_yticklabels()]
