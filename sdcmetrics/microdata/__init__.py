"""Data sets: read them, make them comparable, group and code them."""

from sdcmetrics.microdata.frames import Fix, Microdata, as_microdata
from sdcmetrics.microdata.read import read
from sdcmetrics.microdata.read_synds import read_synds

__all__ = ["Fix", "Microdata", "as_microdata", "read", "read_synds"]
