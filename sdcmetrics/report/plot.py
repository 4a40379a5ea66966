"""Figures of results, for a notebook or a file: the same as in a report."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.fits.fit_overlap import FitOverlap
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.ranking.result import Ranking
from sdcmetrics.report.figures import draw
from sdcmetrics.report.figures.charts import Chart
from sdcmetrics.report.safety.names import Names
from sdcmetrics.report.sections.comparison import comparison
from sdcmetrics.report.sections.fits import forests
from sdcmetrics.report.sections.ranking_tables import ranking_maps
from sdcmetrics.report.source import Source
from sdcmetrics.review.review import Review
from sdcmetrics.study.profile import load_profile
from sdcmetrics.study.written import write_result


@dataclass(frozen=True, repr=False)
class Drawing:
    """A figure as SVG, which a notebook shows.

    Attributes
    ----------
    svg : str
    title, description : str
        What it is, and what it shows in words.
    """

    svg: str
    title: str
    description: str

    def __repr__(self) -> str:
        """Return what it shows, in words."""
        return f"{self.title}. {self.description}"

    def _repr_html_(self) -> str:
        return self.svg

    def save(self, path: str | Path, *, force: bool = False) -> Path:
        """Write it to a file; return the path.

        Raises
        ------
        FileError
            If the file cannot be written, or is none of ours, unless with `force`.
        """
        return write_result(path, self.svg, force=force)


@checked
def plot(result: Review | Ranking | FitOverlap) -> Drawing:
    """Draw a result as a report does; for internal use, like every exact result.

    Parameters
    ----------
    result : Review, Ranking or FitOverlap
        A review: risk against utility, one point per replica. A ranking with references: the map
        of utility and protection. A fitted model: its coefficients with both intervals.

    Raises
    ------
    StudyError
        If nothing of the result can be drawn.

    Examples
    --------
    >>> import sdcmetrics as sdc
    >>> original, cart = sdc.demo.load_original(), sdc.demo.load_replicas()["cart"][0]
    >>> fit = sdc.fit_overlap(original, cart, formula="TVnews ~ age + educ")
    >>> drawn = sdc.report.plot(fit)
    >>> drawn.svg[:4], "age" in repr(drawn)
    ('<svg', True)
    """
    charts = _charts(result)
    if not charts:
        msg = (
            "expected a review with tables of two variables and targets, a ranking with "
            f"references (anchors=True), or a fitted model, but got {type(result).__name__} "
            "without any."
        )
        raise StudyError(msg)
    chart = charts[0]
    return Drawing(draw(chart, "figure"), chart.title, chart.description)


def _charts(result: object) -> tuple[Chart, ...]:
    if isinstance(result, Review):
        return comparison(Source(result, load_profile(result.study.profile))).maps
    if isinstance(result, Ranking):
        return ranking_maps(Names(), result) if result.anchors else ()
    if isinstance(result, FitOverlap):
        return tuple(forests(Names(), {result.formula: result}))
    return ()
