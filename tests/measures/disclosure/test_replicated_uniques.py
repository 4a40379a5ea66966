"""Unique records counted one by one."""

from __future__ import annotations

import pandas as pd
import pytest

from sdcmetrics import replicated_uniques
from sdcmetrics.errors import StudyError

ORIGINAL = pd.DataFrame({"age": [30, 31, 31, 32, 33], "sex": [*"mmmff"]})
FILES = [
    pd.DataFrame({"age": [30, 31, 32, 33], "sex": [*"mmff"]}),
    pd.DataFrame({"age": [30, 30, 31, 40, 33, 33], "sex": [*"mmmfmf"]}),
]


def by_hand(synthetic: pd.DataFrame) -> list[int]:
    people, rows = ([*frame.itertuples(index=False)] for frame in (ORIGINAL, synthetic))
    alone = [row for row in rows if rows.count(row) == 1]
    return [
        sum(people.count(row) == 1 for row in people),
        len(alone),
        sum(row in people for row in alone),
        sum(people.count(row) == 1 for row in alone),
    ]


@pytest.mark.parametrize(("synthpop", "totals"), [("1.9-3", (5, 5)), ("1.9-2", (4, 6))])
def test_unique_records_are_counted_in_every_file(synthpop: str, totals: tuple[int, int]) -> None:
    result = replicated_uniques(ORIGINAL, FILES, keys=["age", "sex"], synthpop=synthpop)
    assert by_hand(FILES[0]) == [3, 4, 4, 3]
    assert by_hand(FILES[1]) == [3, 4, 2, 1]
    percent = []
    for i, (file, of_both) in enumerate(zip(FILES, totals, strict=True), start=1):
        table = result.per_synthesis.loc[i]
        assert table["number"].tolist() == by_hand(file)
        assert table["total"].tolist() == [5, len(file), of_both, of_both]
        percent.append(100 * by_hand(file)[3] / of_both)
        rows = [*file.itertuples(index=False)]
        assert result.unique[i - 1].tolist() == [rows.count(row) == 1 for row in rows]
        assert int(result.replicated[i - 1].sum()) == by_hand(file)[3]
    assert result.table["number"].tolist() == [3, 4, 3, 2]
    assert result.replicated_percent == pytest.approx(sum(percent) / 2)


def test_one_key_is_enough_and_none_is_not() -> None:
    result = replicated_uniques(ORIGINAL, FILES[0], keys="age")
    assert result.keys == ("age",)
    assert result.table["number"].tolist() == [3, 4, 4, 3]
    with pytest.raises(StudyError, match="at least one column name"):
        replicated_uniques(ORIGINAL, FILES[0], keys=[])
