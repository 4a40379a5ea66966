"""What results draw: their own numbers, with both axes named."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.errors import StudyError

if TYPE_CHECKING:
    from matplotlib import pyplot as plt
    from matplotlib.axes import Axes
else:
    plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    plt.switch_backend("Agg")
    yield
    plt.close("all")


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
    return [one.get_text() for one in ax.get_yticklabels()]


def test_pairs_of_variables_are_a_square_of_their_statistic() -> None:
    tables = sdc.utility_tables(ORIGINAL, REPLICA)
    ax = tables.plot("VW")
    drawn = ax.images[0].get_array()
    assert drawn is not None
    assert drawn[0, 1] == drawn[1, 0] == tables.loc[("age", "place"), "VW"]
    assert ticks(ax) == ["age", "place", "ill"]
    assert named(ax)
    assert [one.get_ylabel() for one in ax.figure.axes[1:]] == ["VW"]


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
    found = sdc.compare(ORIGINAL, REPLICA)
    ax = found.plot("ill")
    rows = found.of("ill")
    assert widths(ax) == [*rows["original"], *rows["synthetic"]]
    assert [one.get_text() for one in ax.get_legend().get_texts()] == ["original", "synthetic"]
    assert named(ax)
    worst = str(found.utility["S_pMSE"].idxmax())
    assert found.plot().get_ylabel() == worst


def test_disclosure_is_drawn_beside_that_of_the_original() -> None:
    found = sdc.disclosure(ORIGINAL, REPLICA, keys=["age", "place"], target="ill")
    ax = found.plot()
    own = [found.identity["UiO"], found.attribution["Dorig"]]
    assert widths(ax) == [*own, found.identity["repU"], found.attribution["DiSCO"]]
    assert "age, place" in ax.get_title()
    assert named(ax)


def test_coefficients_have_both_intervals() -> None:
    found = sdc.fit_overlap(ORIGINAL, REPLICA, formula="age ~ place + ill")
    ax = found.plot()
    original, synthetic = ax.containers
    rows = found.coefficients
    shift = (rows["synthetic"] - rows["original"]) / rows["se_original"]
    assert original.lines[0].get_xdata().tolist() == [0.0] * len(rows)
    assert synthetic.lines[0].get_xdata() == pytest.approx(shift.to_numpy())
    ends = np.array([segment[:, 0] for segment in synthetic.lines[2][0].get_segments()])
    half = 1.959964 * rows["se_synthetic"] / rows["se_original"]
    assert ends[:, 1] - ends[:, 0] == pytest.approx(2 * half.to_numpy(), rel=1e-6)
    assert ticks(ax) == list(rows.index)
    assert named(ax)


def test_distances_are_drawn_to_both_files() -> None:
    found = sdc.distance_to_closest_record(
        ORIGINAL, REPLICA, people(100, 3), permutations=9, seed=1
    )
    ax = found.plot()
    ends = [line.get_xdata()[-1] for line in ax.lines]
    assert ends == [found.closest.training.max(), found.closest.holdout.max()]
    assert named(ax)


class TestReplicas:
    review = staticmethod(
        lambda: sdc.conduct(
            sdc.Study(
                ORIGINAL,
                {"fresh": REPLICA, "copy": ORIGINAL.copy()},
                keys=["age", "place"],
                targets=["ill"],
                permutations=99,
            )
        )
    )

    def test_replicas_are_points_and_bars(self) -> None:
        review = self.review()
        ax = review.plot()
        rows = review.mean_rows()
        risk = rows[rows["metric"] == "DiSCO"].groupby("replica")["value"].mean()
        places = dict(
            zip([t.get_text() for t in ax.texts], ax.collections[0].get_offsets(), strict=True)
        )
        assert {name: float(place[1]) for name, place in places.items()} == pytest.approx(
            risk.to_dict()
        )
        assert named(ax)
        ranking = sdc.compare_replicas(review)
        totals = dict(zip(ranking.replicas, ranking.totals, strict=True))
        ax = ranking.plot()
        assert ticks(ax) == list(ranking.by_place)
        assert widths(ax) == [totals[name] for name in ranking.by_place]
        assert named(ax)


def test_without_matplotlib_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    found = sdc.compare(ORIGINAL, REPLICA)
    with pytest.raises(StudyError, match=r'pip install "sdcmetrics\[plot\]"'):
        found.plot()


def test_axes_of_the_user_are_drawn_on() -> None:
    _, own = plt.subplots()
    assert sdc.compare(ORIGINAL, REPLICA).plot("ill", ax=own) is own
