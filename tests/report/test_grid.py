"""One table of measures: what rows and columns say of a cell is what it is of."""

from __future__ import annotations

import pytest

from sdcmetrics.report.grid import (
    by_measure,
    by_replica,
    by_symbol,
    figures,
    grid,
    listing,
    replica_rows,
    shown_in,
    texts,
)
from sdcmetrics.report.safety.cells import SafeTable, blank, column, three_decimals
from sdcmetrics.report.source import Source
from sdcmetrics.review.review import Review
from sdcmetrics.study.profile import Profile

HEAD = (column("Replica", "replica"),)


@pytest.fixture
def source(review: Review, profile: Profile) -> Source:
    return Source(review, profile)


def numbers(table: SafeTable) -> list[list[float | None]]:
    return [[cell.number for cell in row[1:]] for row in table.rows]


def value(review: Review, replica: str, metric: str, target: str) -> float:
    rows = review.mean_rows()
    at = (rows["replica"] == replica) & (rows["metric"] == metric) & (rows["target"] == target)
    (only,) = rows.loc[at, "value"]
    return float(only)


def test_a_cell_is_of_what_its_row_and_its_column_say(source: Source, review: Review) -> None:
    place = {"scenario": "default", "target": "age"}
    symbols = ("DiSCO", "DCAP")
    across = grid(source, "", HEAD, replica_rows(source), by_symbol(symbols), **place)
    expected = [[value(review, r, s, "age") for s in symbols] for r in review.replicas]
    assert numbers(across) == expected
    rows = [((symbol,), {"metric": symbol}) for symbol in symbols]
    down = grid(source, "", HEAD, rows, by_replica(source), **place)
    assert numbers(down) == [list(row) for row in zip(*expected, strict=True)]
    assert [c.field for c in down.columns] == ["replica", *review.replicas]


def test_a_role_picks_the_symbol_and_is_blank_where_a_column_has_none(
    source: Source, review: Review
) -> None:
    rows = [(("Original",), {"replica": "copy", "role": "original"})]
    columns = by_measure(source, "learnt", original=lambda m: m.baseline)
    table = grid(source, "", HEAD, rows, columns, scenario="default", target="vote")
    for measure, cell in zip(shown_in(source, "learnt"), table.rows[0][1:], strict=True):
        if measure.baseline:
            assert cell.number == value(review, "copy", measure.baseline, "vote")
        else:
            assert cell.text == blank().text


def test_a_column_may_make_its_cells_of_the_place_of_the_row(source: Source) -> None:
    columns = [(column("Of", "of"), lambda row: row["replica"].upper())]
    table = grid(source, "", HEAD, replica_rows(source), columns)
    assert [row[1].text for row in table.rows] == ["GOOD", "COPY"]


def test_the_evidence_behind_cells_can_be_left_out(source: Source) -> None:
    place = {"scenario": "default", "target": "vote", "metric": "DiSCO"}
    rows = [(("DiSCO",), {})]
    full = grid(source, "", HEAD, rows, by_replica(source), **place)
    brief = grid(source, "", HEAD, rows, by_replica(source), details=False, **place)
    assert all(cell.detail for cell in full.rows[0][1:])
    assert not any(cell.detail for cell in brief.rows[0][1:])
    assert numbers(full) == numbers(brief)


def test_a_listing_makes_each_cell_of_the_entry_that_its_heading_names() -> None:
    columns = [
        *texts(str.upper, name="Name"),
        *figures(three_decimals, apart=("Difference", "of shares"), error="its error"),
    ]
    records = [{"error": 0.25, "name": "cart", "apart": 1.5, "more": None}]
    table = listing("Apart", columns, iter(records), "A note.")
    assert [(c.title, c.field, c.detail, c.numeric) for c in table.columns] == [
        ("Name", "name", "", False),
        ("Difference", "apart", "of shares", True),
        ("its error", "error", "", True),
    ]
    assert [cell.text for cell in table.rows[0]] == ["CART", "1.500", "0.250"]
    assert table.note == "A note."
    with pytest.raises(KeyError, match="apart"):
        listing("Apart", columns, [{"name": "cart", "error": 0.25}])
