"""Text that is read in batches: when its lines are looked at one by one."""

from __future__ import annotations

from pathlib import Path

import pytest

from sdcmetrics.errors import FileError
from sdcmetrics.microdata.sources import text
from sdcmetrics.microdata.sources.scan import scan


@pytest.mark.parametrize("record", ['5,"6', '"5","6', '5,6"7'])
def test_a_quote_that_is_not_closed_is_refused_before_records_are_read(
    record: str, tmp_path: Path
) -> None:
    path = tmp_path / "x.csv"
    path.write_text(f"a,b\n1,2\n{record}\n7,8\n")
    if '6"7' in record:  # a quote within a field is one of its characters
        assert scan(path).n == 3
    else:
        with pytest.raises(FileError, match="line 3"):
            scan(path)


@pytest.mark.parametrize("record", ["5,6", '"5",6', '"5","6"'])
def test_lines_are_not_looked_at_one_by_one_where_quotes_are_closed(
    record: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        pytest.fail("it takes long")

    monkeypatch.setattr(text, "layout_error", fail)
    path = tmp_path / "x.csv"
    path.write_text(f"a,b\n1,2\n{record}\n")
    assert scan(path).n == 2
