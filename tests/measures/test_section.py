"""Entries of a section of a study."""

from __future__ import annotations

from typing import Any

import pytest

from sdcmetrics.measures.section import as_list


@pytest.mark.parametrize(
    ("entry", "listed"),
    [("age", ["age"]), (3, [3]), (0.5, [0.5]), (["age", "sex"], ["age", "sex"]), (None, None)],
)
def test_a_single_entry_stands_for_a_list_of_it(entry: Any, listed: Any) -> None:
    assert as_list(entry) == listed
