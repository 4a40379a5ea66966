"""What leaving cells out does to the counts."""

from __future__ import annotations

import numpy as np

from sdcmetrics.measures.disclosure.exclusions import REASONS, exclude
from sdcmetrics.measures.disclosure.identity import ui_o
from tests.measures.counts import table

COUNTS = table(original=[[3, 1], [1, 0]], synthetic=[[2, 6], [0, 0]])


class TestExclude:
    def test_nothing_leaves_everything(self) -> None:
        left = exclude(COUNTS, {})
        assert left.keep_original.all()
        assert left.keep_synthetic.all()
        assert left.reduced.original.tolist() == COUNTS.original.tolist()
        assert left.table.loc["original"].tolist() == [0, 0, 0, 0, 0, 5]

    def test_takes_cells_out_and_keeps_the_number_of_records(self) -> None:
        left = exclude(COUNTS, {"excluded target": COUNTS.target == 1})
        assert left.reduced.original.tolist() == [3, 0, 1]
        assert left.reduced.n_original == 5

    def test_a_target_left_out_changes_who_is_unique(self) -> None:
        counts = table(original=[[1], [1]], synthetic=[[1], [1]])
        left = exclude(counts, {"excluded target": counts.target == 1})
        assert ui_o(counts).count == 0
        assert ui_o(left.reduced).percent == 50.0

    def test_a_record_counts_for_the_first_reason_only(self) -> None:
        everything = np.ones(3, dtype=bool)
        reasons = {"missing target": everything, "set to exclude": everything}
        row = exclude(COUNTS, reasons).table.loc["synthetic"]
        assert row.to_dict() == {
            **dict.fromkeys(REASONS, 0),
            "missing target": 8,
            "remaining": 0,
        }

    def test_denom_lim_looks_at_each_sides_own_counts(self) -> None:
        left = exclude(COUNTS, {}, denom_lim=2)
        assert left.reduced.original.tolist() == [0, 1, 1]
        assert left.reduced.synthetic.tolist() == [2, 0, 0]
        # The DiSCO cell of key 2 has 1 original record, so it stays although 6 synthetic do not.
        assert left.table.loc["DiSCO", "remaining"] == 1
        assert left.table.loc["Dsyn", "over denom_lim"] == 6

    def test_lists_each_kind_of_table(self) -> None:
        names = ["original", "synthetic", "Dorig", "Dsyn", "iS", "DiS", "DiSCO", "DiSDiO"]
        assert exclude(COUNTS, {}).table.index.tolist() == names
        assert exclude(COUNTS, {}).table["remaining"].tolist() == [5, 8, 1, 8, 5, 5, 4, 1]
