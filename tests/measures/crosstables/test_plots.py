"""What cross-tables draw: their own statistics, with both axes named."""

from __future__ import annotations

import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.errors import StudyError
from tests.axes import ORIGINAL, REPLICA, named, people, ticks, widths

pytestmark = pytest.mark.usefixtures("plots")


def test_pairs_of_variables_are_a_square_of_their_statistic() -> None:
    tables = sdc.utility_tables(ORIGINAL, REPLICA)
    ax = tables.plot("VW")
    drawn = ax.images[0].get_array()
    assert drawn is not None
    assert drawn[0, 1] == drawn[1, 0] == tables.loc[("age", "place"), "VW"]
    assert ticks(ax) == ["age", "place", "ill"]
    assert named(ax)
    assert [item.get_ylabel() for item in ax.figure.axes[1:]] == ["VW"]


def test_single_tables_are_bars() -> None:
    tables = sdc.utility_tables(ORIGINAL, REPLICA, ways=1)
    ax = tables.plot()
    assert (ticks(ax), widths(ax)) == (["age", "place", "ill"], tables["S_pMSE"].to_list())
    assert named(ax)
    with pytest.raises(StudyError, match="expected one of VW"):
        tables.plot("none")


def test_what_follows_from_tables_is_an_ordinary_frame() -> None:
    tables = sdc.utility_tables(ORIGINAL, REPLICA, ways=1)
    assert type(tables[["VW"]]) is pd.DataFrame
    assert tables.attrs["fixes"] == ()


def test_levels_stand_beside_those_of_the_replica() -> None:
    result = sdc.compare(ORIGINAL, REPLICA)
    ax = result.plot("ill")
    rows = result.of("ill")
    assert widths(ax) == [*rows["original"], *rows["synthetic"]]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["original", "synthetic"]
    assert named(ax)
    worst = str(result.utility["S_pMSE"].idxmax())
    assert result.plot().get_ylabel() == worst


def test_tables_of_three_variables_are_bars_of_their_mean_over_syntheses() -> None:
    each = sdc.utility_tables(ORIGINAL, [REPLICA, people(150, 3)], ways=3, per_synthesis=True)
    ax = each.plot("VW")
    assert ticks(ax) == ["age by place by ill"]
    assert widths(ax) == [pytest.approx(each["VW"].mean())]


def test_levels_are_percents_or_counts_and_missing_is_named() -> None:
    frame = pd.DataFrame({"g": ["a", None, "b"]})
    for stat, unit in (("percents", "percent of the records"), ("counts", "records")):
        ax = sdc.compare(frame, frame, stat=stat).plot()
        assert ax.get_xlabel() == unit
        assert ticks(ax) == ["a", "b", "missing"]
