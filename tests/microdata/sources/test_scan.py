"""Which files are read in batches, and what separates their fields."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from sdcmetrics.microdata.sources import scan


@pytest.mark.parametrize(("rows", "columns", "large"), [(4, 3, True), (3, 3, False), (2, 7, True)])
def test_a_file_of_as_many_values_as_memory_takes_is_large(
    rows: int, columns: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, large: bool
) -> None:
    monkeypatch.setattr(scan, "MOST_READ", 12)
    path = tmp_path / "x.parquet"
    pd.DataFrame({f"x{i}": range(rows) for i in range(columns)}).to_parquet(path)
    assert scan.is_large(path) is large


@pytest.mark.parametrize(
    ("form", "name", "tabs"),
    [
        ("tsv", "x.txt", True), ("csv", "x.TSV", True), ("csv", "x.tsv.gz", True),
        ("csv", "x.csv", False), ("csv", "tsv.csv", False),
    ],
)  # fmt: skip
def test_tabs_separate_fields_where_the_form_or_the_name_says_so(
    form: str, name: str, monkeypatch: pytest.MonkeyPatch, *, tabs: bool
) -> None:
    monkeypatch.setattr(scan, "scan_text", lambda _, **options: options)
    file: Any = SimpleNamespace(path=Path(name))
    assert scan._scan_text(file, form, gzipped=False) == {"tabs": tabs, "gzipped": False}  # type: ignore[comparison-overlap]
