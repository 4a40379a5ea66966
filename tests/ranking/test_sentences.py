"""Shares in words: none and all are said of what is none and all but for rounding."""

from __future__ import annotations

import pytest

from sdcmetrics.ranking.sentences import how_often, percent


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (0.0, "0 %"), (4e-10, "0 %"), (6e-10, "under 1 %"), (0.005, "under 1 %"), (0.0051, "1 %"),
        (0.9949, "99 %"), (0.995, "over 99 %"), (1 - 6e-10, "over 99 %"), (1 - 4e-10, "100 %"),
        (1.0, "100 %"),
    ],
)  # fmt: skip
def test_a_share_rounds_to_none_or_all_by_rounding_alone(share: float, words: str) -> None:
    assert percent(share).replace("\N{NO-BREAK SPACE}", " ") == words


@pytest.mark.parametrize(
    ("share", "times", "words"),
    [
        (0.5, 99, "49.5 of 99"), (0.5, 100, "50 %"), (0.0, 100, "1 %"), (0.0, 99, "0 of 99"),
        (1.0, 100, "99 %"), (0.0, 1000, "under 1 %"), (1.0, 1000, "over 99 %"),
    ],
)  # fmt: skip
def test_few_draws_are_counted_and_many_never_say_all(share: float, times: int, words: str) -> None:
    assert how_often(share, times).replace("\N{NO-BREAK SPACE}", " ") == words
