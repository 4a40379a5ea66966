"""Nearest records under Hamming's, Gower's and Euclid's distance; the only place that searches."""

from sdcmetrics.measures.neighbours.box import in_box
from sdcmetrics.measures.neighbours.distances import (
    Distance,
    Euclidean,
    Gower,
    Hamming,
    contributions,
)
from sdcmetrics.measures.neighbours.points import Points
from sdcmetrics.measures.neighbours.search import Nearest, Progress, Ties, nearest
from sdcmetrics.measures.neighbours.within import Around, within_one_column

__all__ = [
    "Around",
    "Distance",
    "Euclidean",
    "Gower",
    "Hamming",
    "Nearest",
    "Points",
    "Progress",
    "Ties",
    "contributions",
    "in_box",
    "nearest",
    "within_one_column",
]
