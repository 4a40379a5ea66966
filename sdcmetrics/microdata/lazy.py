"""Large modules, each imported when it is first used, so that the package starts fast.

``lazy.stats`` is `scipy.stats`; to import it takes as long as a short command.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scipy import optimize, sparse, spatial, special, stats
    from scipy.spatial import distance

__all__ = ["distance", "optimize", "sparse", "spatial", "special", "stats"]

_MODULES = {
    "distance": "scipy.spatial.distance",
    "optimize": "scipy.optimize",
    "sparse": "scipy.sparse",
    "spatial": "scipy.spatial",
    "special": "scipy.special",
    "stats": "scipy.stats",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    module = globals()[name] = importlib.import_module(_MODULES[name])
    return module
