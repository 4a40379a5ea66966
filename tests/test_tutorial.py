"""The worked example of a weighted sample runs, and prints what it says."""

from __future__ import annotations

import doctest
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "a-weighted-survey.md"


def test_the_tutorial_of_weighted_samples_is_current() -> None:
    result = doctest.testfile(
        str(PAGE), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert result.attempted > 15
    assert result.failed == 0
