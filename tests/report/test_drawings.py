"""Figures as they were looked at: no line, text or shape moves unless somebody looks again.

What lies where it has to by its value is tested in test_figures.py; margins, gaps and the places of
names have no other definition than a drawing that reads well. After a change of a figure, write the
drawings anew, and open each that git calls changed: `python -m tests.report.test_drawings`.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sdcmetrics.report.figures import draw, labels, risk_utility, svg
from sdcmetrics.report.figures.charts import (
    Band,
    Chart,
    Dot,
    Dots,
    Heat,
    HeatCell,
    HoldoutMap,
    Mark,
    Null,
    Point,
    Position,
    Reference,
    Row,
    Scatter,
    Series,
)
from tests.report.test_figures import (
    BARS,
    CURVES,
    DOTS,
    FOREST,
    HEAT,
    HISTOGRAM,
    HOLDOUT_MAP,
    MAP,
    SCATTER,
    STEPS,
)

FOLDER = Path(__file__).parent / "drawings"

PAIRS = tuple((i, j) for i in range(25) for j in range(i))
BANDS = (Band("up to 1", "plain"), Band("1 to 3", "light"), Band("above 3", "dark"))
MANY = Heat(
    "Many variables",
    "d",
    tuple(f"variable {i}" for i in range(25)),
    BANDS,
    tuple(HeatCell(i, j, "1", (i + j // 3) % 3) for i, j in PAIRS),
)
ONE = Dots.of(
    "Identity (repU)",
    (Reference("copy (each as it is)", Dot(60.0, "60 %")),),
    (
        Row("synthpop", Dot(12.0, "12 %"), (Reference("copy", Dot(55.0, "55 %")),)),
        Row("a replica with a long name", Dot(3.0, "3 %")),
    ),
    key="line: a copy; dashed: the holdout",
)
TWO = Dots.of(
    "Attribute (DiSCO)",
    (
        Reference("holdout", Dot(8.0, "8 %"), dashed=True),
        Reference("copy", Dot(39.0, "39 %")),
    ),
    (
        Row(
            "synthpop",
            Dot(0.5, "< 0.5 %", "below"),
            (Reference("holdout", Dot(7.0, "7 %"), dashed=True),),
        ),
    ),
)
INTERVALS = replace(
    MAP,
    positions=(
        Position("synthpop", 0.42, 0.97, "front", (0.41, 0.44), (0.9, 0.99)),
        Position("copula", 0.55, 0.88, "front", (0.2, 0.7), (0.8, 0.95)),
        Position("noise", 0.45, 0.82, "beaten", None, (0.7, 0.85)),
        Position("reordered", 0.45, 0.82, "beaten", (0.3, 0.5), None),
        Position("original", 0.6, 0.8, "reference"),
    ),
    spread="of five syntheses",
    across=(0.4, 0.6),
    up=(0.8, 1.0),
)
CHARTS: dict[str, Chart] = {
    "bars": BARS,
    "bars-long-names": replace(
        BARS,
        levels=("a level whose name is longer than its room",),
        series=tuple(
            Series(f"{name} of a synthesiser", (7.5,), ("7.5 %",)) for name in ("one", "two", "six")
        ),
    ),
    "steps": STEPS,
    "steps-one": replace(STEPS, levels=("0 to 9",), series=tuple(
        replace(series, values=series.values[:1]) for series in STEPS.series
    )),
    "heat": HEAT,
    "heat-names": replace(MANY, cells=MANY.cells[::7]),
    "heat-picture": replace(MANY, named=False),
    "dots": DOTS,
    "dots-small": ONE,
    "dots-small-two": TWO,
    "scatter": SCATTER,
    "scatter-limits": Scatter(
        "t",
        "d",
        "expected ratio",
        "per cent",
        (
            *(Point(name, 2.0 + 0.05 * i, 34.0 + i, "t") for i, name in enumerate("abcd")),
            Point("far", 9_000.0, -10.0, "t", True),
        ),
        ((1.0, "draws"), (2.0, "holdout"), (3.0, "review"), (10.0, "fail")),
    ),
    "map": MAP,
    "map-box": replace(MAP, box=(0.1, 0.6, 0.5, 1.0)),
    "map-intervals": INTERVALS,
    "histogram": HISTOGRAM,
    "histogram-left": replace(
        HISTOGRAM, null=Null("Beside chance", (-1.0, 1.0, 2.0), (0.4, 0.6), 1.5, 0.1, "p = 0.8")
    ),
    "histogram-plain": replace(HISTOGRAM, null=None),
    "curves": replace(
        CURVES,
        curves=(*CURVES.curves, replace(CURVES.curves[1], name="the holdout", dashed=True)),
    ),
    "forest": FOREST,
    "holdout-map": HOLDOUT_MAP,
    "holdout-map-wide": HoldoutMap(
        "t",
        "d",
        "distance",
        "closer",
        (
            Mark("synthpop", "replica", 4.0, 50.5),
            Mark("holdout", "holdout", 1.0, 51.0),
            Mark("5 %", "perturbed", 1.2, 52.0),
        ),
    ),
}  # fmt: skip


def drawn(chart: Chart) -> str:
    """Return the figure with an element per line."""
    return draw(chart, "fig-1").replace("><", ">\n<") + "\n"


@pytest.mark.parametrize("name", CHARTS)
def test_a_figure_is_drawn_as_it_was_looked_at(name: str) -> None:
    assert drawn(CHARTS[name]) == (FOLDER / f"{name}.svg").read_text("utf-8")


def test_names_keep_clear_of_lines() -> None:
    """A replica in the middle of a square of 336 by 280 pixels, from 46 and 32 on."""
    chart = replace(
        MAP,
        positions=(
            Position("a", 0.5, 0.5, "front", (0.25, 2.0), (-1.0, 0.75)),
            Position("b", 0.75, 0.25, "front"),
            Position("c", 0.25, 0.0, "beaten"),
        ),
    )
    canvas = svg.Canvas("f", 400, 400)
    place = risk_utility._place(chart, 0.5, 0.5)
    assert place == (214, 172)
    assert [*risk_utility._intervals(canvas, chart, chart.positions[0], place)] == [
        (130, 171, 382, 173), (213, 102, 215, 312),
    ]  # fmt: skip
    assert not [*risk_utility._intervals(canvas, chart, chart.positions[1], place)]
    assert risk_utility._front(canvas, chart) == [(213, 172, 215, 242), (214, 241, 298, 243)]
    box = (0.25, 1.5, -0.5, 0.75)
    assert risk_utility._closer(canvas, chart, box) == (122, 94, 390, 320)


def test_where_replicas_are_is_written_below_above_or_beside_their_area(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written: list[Any] = []
    monkeypatch.setattr(
        labels.Labels, "write", lambda _, text, at, **__: written.append((text, at))
    )
    monkeypatch.setattr(risk_utility, "_closer", lambda *_: (120, 90, 380, 310))
    draw(replace(MAP, box=(0.25, 1.5, -0.5, 0.75)), "f")
    ends = [(114, y, "end") for y in (200, 180, 220)]
    starts = [(386, y, "start") for y in (200, 180, 220)]
    middles = [(250, 326, "middle"), (250, 84, "middle")]
    assert written[0] == ("replicas: see the closer map", [*middles, *ends, *starts])


def test_what_chance_gives_is_named_at_either_end_of_its_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written: list[Any] = []
    monkeypatch.setattr(
        labels.Labels, "write", lambda _, text, at, **__: written.append((text, at))
    )
    draw(HOLDOUT_MAP, "f")
    ((text, places),) = written
    level = places[0][1] - 15
    assert text == "by chance"
    assert places == [
        (396, level + 15, "end"), (396, level - 5, "end"),
        (66, level + 15, "start"), (66, level - 5, "start"),
    ]  # fmt: skip
    assert round(level) == 266  # as the line is drawn


@pytest.mark.parametrize(
    ("name", "inside", "taken"),
    [
        # Below and left of the square are the numbers of its axes, above it a title.
        ("map", (0, 0, 400, 400), [(0, 315, 400, 400), (0, 0, 400, 20), (0, 0, 42, 312)]),
        ("holdout-map", (0, 30, 420, 338), [(62, 265, 396, 267)]),
        ("scatter", (0, 30, 400, 270), []),
    ],
)
def test_names_keep_within_a_figure_and_clear_of_its_axes_and_marks(
    name: str, inside: labels.Box, taken: list[labels.Box], monkeypatch: pytest.MonkeyPatch
) -> None:
    boxes: list[Any] = []
    begin = labels.Labels.__init__

    def seen(self: labels.Labels, canvas: svg.Canvas, *given: Any) -> None:
        boxes.append(given)
        begin(self, canvas, *given)

    monkeypatch.setattr(labels.Labels, "__init__", seen)
    draw(CHARTS[name], "f")
    ((within, of),) = boxes
    assert within == inside
    assert {*taken} <= {*((round(a), round(b), round(c), round(d)) for a, b, c, d in of)}
    assert len(of) >= len(taken)


def test_a_mark_covers_six_pixels_beside_it_and_texts_leave_two() -> None:
    assert labels.around((10.0, 20.0)) == (4, 13, 16, 27)
    box = (10.0, 10.0, 20.0, 20.0)
    for beside, covers in (
        ((22.0, 10.0, 30.0, 20.0), False), ((21.9, 10.0, 30.0, 20.0), True),
        ((0.0, 10.0, 8.0, 20.0), False), ((0.0, 10.0, 8.1, 20.0), True),
        ((10.0, 20.0, 20.0, 30.0), False), ((10.0, 19.9, 20.0, 30.0), True),
        ((10.0, 0.0, 20.0, 10.0), False), ((10.0, 0.0, 20.0, 10.1), True),
    ):  # fmt: skip
        assert labels._overlap(box, beside) is covers
        assert labels._overlap(beside, box) is covers


def test_names_are_as_long_as_there_is_room_for_them() -> None:
    name = "x" * 99
    series = [replace(each, name=name) for each in HISTOGRAM.series]
    for chart, width, size in (
        (replace(FOREST, rows=(replace(FOREST.rows[0], name=name),)), 108, 11),
        (replace(CURVES, curves=(replace(CURVES.curves[0], name=name),)), 286, 12),
        (replace(BARS, levels=(name, name, name)), 148, 12),
        (replace(HISTOGRAM, series=series), 200, 12),
    ):  # fmt: skip
        assert f">{svg.shorten(name, width, size)}<" in draw(chart, "f")  # type: ignore[arg-type]


def test_estimates_up_to_the_end_of_the_scale_are_marked() -> None:
    rows = tuple(replace(FOREST.rows[0], value=value) for value in (4.0, -4.0, 4.1, -4.1, 0.0))
    assert drawn(replace(FOREST, rows=rows)).count("<circle") == 3


def test_bars_of_one_replica_are_beside_those_of_the_original() -> None:
    for i in (0, 1, 7):
        part = BARS.of(i)
        assert part.series == (BARS.series[0], BARS.series[1 + i])
        assert part.description.startswith(f"Original and {BARS.series[1 + i].name}, percent of")
        assert f"{BARS.levels[2]}: 20 % and 0 %" in part.description


@pytest.mark.parametrize(("anchor", "left"), [("start", 100.0), ("middle", 82.6), ("end", 65.2)])
def test_a_text_covers_what_is_beside_its_place(anchor: str, left: float) -> None:
    within = labels.Labels(svg.Canvas("f", 200, 200), (0.0, 0.0, 200.0, 200.0), [])
    within.write("names", [(100.0, 50.0, anchor)])  # five letters of 0.58 times 12
    assert within._taken == [pytest.approx((left, 39.0, left + 34.8, 53.0))]


def test_a_name_may_touch_the_edges_of_a_figure() -> None:
    inside = (10.0, 20.0, 110.0, 70.0)
    within = labels.Labels(svg.Canvas("f", 200, 200), inside, [])
    assert within._holds(inside)
    for side, step in enumerate((-0.1, -0.1, 0.1, 0.1)):
        beyond = [*inside]
        beyond[side] += step
        assert not within._holds(tuple(beyond))  # type: ignore[arg-type]
    assert not within._holds((5.0, 25.0, 50.0, 60.0))


if __name__ == "__main__":
    for name, chart in CHARTS.items():
        (FOLDER / f"{name}.svg").write_text(drawn(chart), encoding="utf-8")
