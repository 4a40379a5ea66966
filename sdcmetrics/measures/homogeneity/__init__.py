"""Is a replica useful? Tests of all tables of original and replica, as one family."""

from sdcmetrics.measures.homogeneity.files import equal_tables

__all__ = ["equal_tables"]
