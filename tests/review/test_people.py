"""What is claimed of people of the original in a replica, and how much of it that hands out."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from sdcmetrics.decision.facts import state_of
from sdcmetrics.decision.limits import Grounds
from sdcmetrics.measures.closeness.places import CLOSEST
from sdcmetrics.measures.people.claims import Claim, Interval, People
from sdcmetrics.measures.people.claims_of_files import PeopleOfFiles
from sdcmetrics.review.people import Copied, copied_in, held_in


class Evidence:
    """Evidence of one replica."""

    def __init__(self, result: PeopleOfFiles) -> None:
        self._result = result

    def of(self, kind: object) -> dict[tuple[str, object], PeopleOfFiles]:
        del kind
        return {("masked", None): self._result}


@pytest.mark.parametrize(
    ("share", "whole"), [(0.35, False), (0.55, False), (0.56, True), (0.8, True)]
)
def test_a_file_of_which_a_part_stands_in_order_is_not_most_of_it(
    share: float, whole: bool
) -> None:
    rows = Interval(share * 100, round(share * 100) - 5, 100, 100)
    result = PeopleOfFiles((People((Claim.ALIGNED,), 100, 100, 0, in_order=rows),))
    review: Any = SimpleNamespace(evidence=Evidence(result))
    held = held_in(review)["masked"]
    assert held.whole is whole
    assert held.share == pytest.approx(share)
    assert (
        held.words == "is a masked original, whole or in part: rows are the person of the same row"
    )
    words = state_of(Grounds(people=result)).words
    assert words["ordered"] == f"at least {100 * share - 5:.0f} %"


def test_of_several_files_the_one_with_most_rows_in_order_counts() -> None:
    files = tuple(
        People((Claim.ALIGNED,), 100, 100, 0, in_order=Interval(rows, rows - 5, 100, 100))
        for rows in (40.0, 90.0, 30.0)
    )
    assert PeopleOfFiles(files).in_order == Interval(90.0, 85.0, 100, 100)


def test_copies_are_counted_by_synthesis_beside_the_holdout_where_there_is_one() -> None:
    copies = {("one", 1): (9, 4), ("two", 1): (9, 5), ("two", 2): (9, 6)}
    counts = {
        at: SimpleNamespace(n_original=n, copied=copied, every=3)
        for at, (n, copied) in copies.items()
    }
    labels = SimpleNamespace(training=2, n_training=8, holdout=1, n_holdout=7)
    closest = {("two", 2): SimpleNamespace(singled_out=labels)}
    evidence = SimpleNamespace(by_synthesis=lambda kind: closest if kind is CLOSEST else counts)
    review: Any = SimpleNamespace(evidence=evidence)
    assert copied_in(review) == (
        Copied("one", 0, 9, 4, every=3),  # of one file there is no number
        Copied("two", 1, 9, 5, every=3),
        Copied("two", 2, 9, 6, singled_out=2, n_near=8, others=1, n_others=7, every=3),
    )
