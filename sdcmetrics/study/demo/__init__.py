"""A small public data set and replicas of it, to try every part of the package on.

The original is the 1996 American National Election Study extract that ships with statsmodels
(public domain), without a third of its records, which are the holdout. The replicas range from
useless but harmless to faithful but risky; see `sdcmetrics.study.demo.data` for how each was made.
"""

from __future__ import annotations

from sdcmetrics.study.demo.data import load_holdout, load_original, load_replicas
from sdcmetrics.study.demo.review import study

__all__ = ["load_holdout", "load_original", "load_replicas", "study"]
