"""Disclosure of a replica is drawn beside that of the original."""

from __future__ import annotations

import pytest

import sdcmetrics as sdc
from tests.axes import ORIGINAL, REPLICA, named, widths

pytestmark = pytest.mark.usefixtures("plots")


def test_disclosure_is_drawn_beside_that_of_the_original() -> None:
    result = sdc.disclosure(ORIGINAL, REPLICA, keys=["age", "place"], target="ill")
    ax = result.plot()
    own = [result.identity["UiO"], result.attribution["Dorig"]]
    assert widths(ax) == [*own, result.identity["repU"], result.attribution["DiSCO"]]
    assert "age, place" in ax.get_title()
    assert named(ax)
