"""Folders of Parquet as engines and people leave them: none of their records is lost in silence."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sdcmetrics.errors import ColumnError, FileError
from sdcmetrics.microdata.sources.scan import is_large, scan
from sdcmetrics.microdata.sources.source import Records

ONE = pa.table({"x": [1, 2], "y": ["a", "b"]})


def write(path: Path, table: pa.Table = ONE) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path)
    return path


def test_folders_behind_links_are_read_once(tmp_path: Path) -> None:
    write(tmp_path / "it" / "a.parquet")
    write(tmp_path / "elsewhere" / "b ö.parquet")
    (tmp_path / "it" / "2025").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere" / "back").symlink_to(tmp_path / "it")
    assert scan(tmp_path / "it").n == 4


def test_names_may_be_in_capitals(tmp_path: Path) -> None:
    write(tmp_path / "it" / "a.parquet")
    write(tmp_path / "it" / "B.PARQUET")
    assert scan(tmp_path / "it").n == 4


def test_files_that_are_left_out_are_said(tmp_path: Path) -> None:
    write(tmp_path / "it" / "a.parquet")
    write(tmp_path / "it" / "b.parq")
    (tmp_path / "it" / "c.csv").write_text("x,y\n3,c\n")
    write(tmp_path / "it" / "_temporary" / "0" / "draft.parquet")
    (tmp_path / "it" / "_SUCCESS").touch()
    data = scan(tmp_path / "it")
    assert data.n == 2
    assert [str(fix) for fix in data.fixes] == [
        "it: files that are not named .parquet or .pq were left out (2)"
    ]


@pytest.mark.parametrize("inside", ["_delta_log/0.json", "metadata/1.metadata.json"])
def test_a_table_whose_files_hold_deleted_records_is_refused(tmp_path: Path, inside: str) -> None:
    where = write(tmp_path / "it" / "data" / "a.parquet").parent.parent
    (where / inside).parent.mkdir()
    (where / inside).touch()
    assert is_large(where)
    with pytest.raises(FileError, match="a table of Delta or Iceberg"):
        scan(where)


def test_marks_of_patterns_in_names_of_folders_are_no_marks(tmp_path: Path) -> None:
    write(tmp_path / "study [1]" / "a.parquet")
    assert scan(tmp_path / "study [1]" / "*.parquet").n == 2


def test_other_files_are_not_called_damaged(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet")
    (tmp_path / "b.csv").write_text("x,y\n3,c\n")
    with pytest.raises(FileError, match=r"b\.csv is no Parquet file"):
        scan(tmp_path / "*")


def test_damaged_pages_are_found_when_they_are_read(tmp_path: Path) -> None:
    table = pa.table({"x": np.random.default_rng(1).random(50_000)})
    where = write(tmp_path / "it" / "b.parquet", table)
    content = bytearray(where.read_bytes())
    content[4:2000] = bytes(1996)
    where.write_bytes(content)
    with pytest.raises(FileError, match=r"b\.parquet is damaged"):
        scan(tmp_path / "it")


def test_a_file_that_is_damaged_while_it_is_read_has_changed() -> None:
    def fail(what: str) -> Any:
        raise FileError(what)

    changed = iter([False, True])
    data = Records(
        ONE.schema,
        lambda _: iter(lambda: fail("it is damaged"), None),
        lambda: next(changed) and fail("it changed"),
    )
    with pytest.raises(FileError, match="it changed"):
        list(data.batches(["x"]))


class TestFoldersNamedByValues:
    def test_give_their_files_the_column(self, tmp_path: Path) -> None:
        for folder in ("sex=m%2Fx/year=2024", "sex=f/year=2025", "sex=f/year=9"):
            write(tmp_path / "it" / folder / "0.parquet")
        write(tmp_path / "it" / "sex=__HIVE_DEFAULT_PARTITION__" / "year=2025" / "0.parquet")
        data = scan(tmp_path / "it")
        assert data.columns == ["x", "y", "sex", "year"]
        result = data.records_at(np.arange(8)).table.select(["sex", "year"]).to_pydict()
        assert result == {
            "sex": [None, None, "f", "f", "f", "f", "m/x", "m/x"],
            "year": [2025, 2025, 2025, 2025, 9, 9, 2024, 2024],
        }
        assert [fix.column for fix in data.fixes] == ["sex", "year"]
        assert scan(tmp_path / "it" / "sex=*" / "year=2025" / "*.parquet").columns == data.columns

    def test_are_no_numbers_where_that_would_change_them(self, tmp_path: Path) -> None:
        for region in ("01", "10"):
            write(tmp_path / "it" / f"region={region}" / "0.parquet")
        assert scan(tmp_path / "it").column("region").to_pylist() == ["01", "10"]

    def test_give_way_to_a_column_of_the_file(self, tmp_path: Path) -> None:
        write(tmp_path / "it" / "x=7" / "0.parquet")
        assert scan(tmp_path / "it").column("x").to_pylist() == [1, 2]

    def test_must_name_every_file(self, tmp_path: Path) -> None:
        write(tmp_path / "it" / "sex=m" / "0.parquet")
        write(tmp_path / "it" / "1.parquet")
        with pytest.raises(ColumnError, match=r"1\.parquet is in no folder named sex="):
            scan(tmp_path / "it")
