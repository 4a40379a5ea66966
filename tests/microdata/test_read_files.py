"""Which files are read at all: suffixes, contents that belie them, absent and damaged files."""

from __future__ import annotations

import gzip
import hashlib
import importlib
import io
import subprocess
import sys
import zipfile
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather

from sdcmetrics.errors import ColumnError, DataError, FileError
from sdcmetrics.microdata import read

if TYPE_CHECKING:
    from pathlib import Path

TABLE = pa.table({"x": [1, 2]})


def refused(path: Path, **options: Any) -> str:
    with pytest.raises(FileError) as caught:
        read(path, **options)
    return str(caught.value)


def test_the_digest_is_that_of_the_bytes(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_bytes(b"x\n1\n")
    assert read(path).sha256 == hashlib.sha256(b"x\n1\n").hexdigest()


def test_the_source_is_the_file_name_unless_given(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_text("x\n1\n")
    assert read(path).source == "data.csv"
    assert read(str(path), source="original").source == "original"


def test_a_message_names_the_data_set_and_the_file(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_text("x\n")
    assert refused(path, source="original").startswith("original (data.csv): ")


def test_a_fix_names_the_data_set(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_text("x;y\n1;2\n")
    assert [fix.source for fix in read(path, source="original").fixes] == ["original"]


class TestAbsentAndClosed:
    def test_an_absent_file_is_answered_with_its_neighbour(self, tmp_path: Path) -> None:
        (tmp_path / "survey.csv").write_text("x\n1\n")
        assert "Did you mean 'survey.csv'?" in refused(tmp_path / "surevy.csv")

    def test_an_absent_directory_is_named(self, tmp_path: Path) -> None:
        assert "there is no directory" in refused(tmp_path / "absent" / "survey.csv")

    def test_a_directory_is_refused(self, tmp_path: Path) -> None:
        assert "is a directory" in refused(tmp_path)

    def test_an_empty_file_is_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "data.parquet"
        path.touch()
        assert "the file is empty" in refused(path)

    def test_a_file_that_may_not_be_read_is_refused(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = tmp_path / "data.csv"
        path.write_text("x\n1\n")

        def deny(*_: object, **__: object) -> None:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr("pathlib.Path.open", deny)
        assert "Check its permissions" in refused(path)


class TestSuffix:
    def test_an_unknown_suffix_is_answered_with_the_known_ones(self, tmp_path: Path) -> None:
        path = tmp_path / "data.dat"
        path.write_text("x\n1\n")
        text = refused(path)
        assert ".dat" in text
        assert all(known in text for known in (".csv", ".parquet", ".sav", ".rds", ".csv.gz"))

    def test_a_workbook_is_answered_with_what_to_do(self, tmp_path: Path) -> None:
        path = tmp_path / "data.xlsx"
        path.write_bytes(b"PK\x03\x04")
        assert "Save the sheet as CSV" in refused(path)

    def test_a_compressed_file_is_called_by_both_suffixes(self, tmp_path: Path) -> None:
        for name in ("data.parquet.gz", "data.xlsx"):
            path = tmp_path / name
            path.write_bytes(b"PK\x03\x04")
            assert f"cannot read {name.removeprefix('data')} files" in refused(path)

    def test_what_to_do_with_another_format_is_said_without_python(self, tmp_path: Path) -> None:
        ends = {"bz2": "Unpack it and read the file in it.", "pkl": "Save it as CSV or Parquet."}
        ends["html"] = "another name, rename it, or, in Python, pass format=."
        for suffix, end in ends.items():
            path = tmp_path / f"data.{suffix}"
            path.write_text("x\n1\n")
            assert refused(path).endswith(end)

    def test_a_name_without_suffix_needs_a_format(self, tmp_path: Path) -> None:
        path = tmp_path / "data"
        path.write_text("x\n1\n")
        assert "pass format=" in refused(path)
        assert read(path, format="csv").n == 1

    def test_a_suffix_may_be_in_capitals(self, tmp_path: Path) -> None:
        path = tmp_path / "DATA.CSV"
        path.write_text("x\n1\n")
        assert read(path).n == 1

    def test_a_suffix_will_do_as_format(self, tmp_path: Path) -> None:
        path = tmp_path / "data.bin"
        pq.write_table(TABLE, path)
        assert read(path, format=".pq").n == 2

    def test_an_unknown_format_is_refused_with_a_hint(self, tmp_path: Path) -> None:
        path = tmp_path / "data.csv"
        path.write_text("x\n1\n")
        with pytest.raises(DataError, match="Did you mean 'parquet'"):
            read(path, format="parqet")


class TestContent:
    @pytest.mark.parametrize(
        "suffix", ["parquet", "feather", "dta", "sav", "sas7bdat", "rds", "csv.gz"]
    )
    def test_text_under_another_suffix_is_told(self, tmp_path: Path, suffix: str) -> None:
        path = tmp_path / f"data.{suffix}"
        path.write_text("x,y z\n987654321,2\n")
        text = refused(path)
        assert "plain text, such as CSV" in text
        assert text.endswith("Rename it, or pass format='csv'.")
        assert "987654321" not in text

    def test_parquet_called_csv_is_told(self, tmp_path: Path) -> None:
        path = tmp_path / "data.csv"
        pq.write_table(TABLE, path)
        text = refused(path)
        assert "looks like a Parquet file. Rename it, or pass format='parquet'." in text
        assert read(path, format="parquet").n == 2

    def test_feather_called_parquet_is_told(self, tmp_path: Path) -> None:
        path = tmp_path / "data.parquet"
        feather.write_feather(TABLE, path)
        assert "looks like a Feather or Arrow file" in refused(path)

    @pytest.mark.parametrize(
        ("head", "words"),
        [
            (b"<stata_dta><header>", "a Stata file"),
            (b"\x72\x02\x01\x00\x05", "a Stata file"),
            (b"$FL2@(#) SPSS DATA FILE", "an SPSS file"),
            (b"\x00" * 12 + b"\xc2\xea\x81\x60", "a SAS file"),
            (gzip.compress(b"X\n\x00\x00\x00\x03", mtime=0), "an R .rds file"),
            (gzip.compress(b"RDX3\nX\n", mtime=0), "a gzip file that holds an R .rda file"),
            (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Excel workbook"),
            (b"\n<!DOCTYPE html><html>", "a web page"),
            (b"version https://git-lfs.github.com/spec/v1", "a Git LFS pointer"),
            (b"\x1f\x8b broken", "a damaged gzip file"),
        ],
    )
    def test_other_contents_called_csv_are_told(
        self, tmp_path: Path, head: bytes, words: str
    ) -> None:
        path = tmp_path / "data.csv"
        path.write_bytes(head)
        assert f"looks like {words}" in refused(path)

    def test_a_zip_archive_called_csv_is_told(self, tmp_path: Path) -> None:
        path = tmp_path / "data.csv"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("data.csv", "x\n1\n")
        assert "a zip archive or an Excel workbook" in refused(path)

    def test_compressed_text_without_its_suffix_is_told_and_can_be_forced(
        self, tmp_path: Path
    ) -> None:
        path = tmp_path / "data.csv"
        path.write_bytes(gzip.compress(b"x\n1\n"))
        assert "Rename it to 'data.csv.gz'" in refused(path)
        assert read(path, format="csv").n == 1

    @pytest.mark.parametrize("name", ["PAR1", "ARROW1", "BZh", "PK", "RDX", "A"])
    def test_a_column_name_like_a_magic_word_does_no_harm(self, tmp_path: Path, name: str) -> None:
        path = tmp_path / "data.csv"
        path.write_text(f"{name},y\n2,1\n")
        assert read(path).columns == [name, "y"]

    def test_a_column_called_a_of_small_numbers_is_no_r_file(self, tmp_path: Path) -> None:
        path = tmp_path / "data.csv"
        path.write_text("A\n3\n262657\n197888\n")
        assert read(path).n == 3

    @pytest.mark.parametrize("suffix", ["parquet", "feather"])
    def test_a_file_that_is_cut_off_is_refused(self, tmp_path: Path, suffix: str) -> None:
        whole = io.BytesIO()
        writer = pq.write_table if suffix == "parquet" else feather.write_feather
        writer(pa.table({"x": list(range(987654321, 987654421))}), whole)
        path = tmp_path / f"data.{suffix}"
        path.write_bytes(whole.getvalue()[:-20])
        assert "damaged or cut off" in refused(path)


class TestOptions:
    @pytest.mark.parametrize(
        "option", [{"delimiter": ";"}, {"missing": ("?",)}, {"encoding": "latin-1"}]
    )
    def test_an_option_for_text_is_refused_for_parquet(
        self, tmp_path: Path, option: dict[str, Any]
    ) -> None:
        path = tmp_path / "data.parquet"
        pq.write_table(TABLE, path)
        with pytest.raises(DataError, match="does not apply to the parquet format"):
            read(path, **option)

    def test_kinds_apply_to_every_format(self, tmp_path: Path) -> None:
        path = tmp_path / "data.parquet"
        pq.write_table(TABLE, path)
        assert read(path, kinds={"x": "category"}).table["x"].to_pylist() == ["1", "2"]
        with pytest.raises(ColumnError, match="'x' cannot be read as dates"):
            read(path, kinds={"x": "date"})
        with pytest.raises(ColumnError, match="not a column"):
            read(path, kinds={"z": "date"})


def test_readers_of_rare_formats_are_not_loaded_before_they_are_needed() -> None:
    program = (
        "import sys, sdcmetrics.microdata.read; "
        "sys.exit(any(m in sys.modules for m in ('pyreadstat', 'rdata', 'pyarrow.parquet')))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_a_file_that_is_cut_off_while_it_is_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.csv"
    path.write_text("x,y\n" + "1,2\n" * 1000)
    reading = importlib.import_module("sdcmetrics.microdata.read")
    whole = reading.read_text

    def cut_off(*args: Any, **kwargs: Any) -> Any:
        with path.open("r+b") as file:
            file.truncate(404)
        return whole(*args, **kwargs)

    monkeypatch.setattr(reading, "read_text", cut_off)
    with pytest.raises(FileError, match=r"a\.csv changed while it was being read"):
        read(path)
