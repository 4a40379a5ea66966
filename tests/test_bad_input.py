"""What happens to input that is wrong, odd or hostile: it works with a fix listed, or one message.

Every case goes through the library (a study that is conducted) and most through the command
line too. A message is one line a problem, names the data set and the column, and never shows a
data value; the values here hold the word SECRET so that a leak is seen.
"""

from __future__ import annotations

import csv
import datetime as dt
import decimal
import gzip
import json
import os
import struct
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyreadstat
import pytest

from sdcmetrics import (
    Review,
    Study,
    cap,
    conduct,
    multi_disclosure,
    ratio_of_counts,
    read,
    tvd,
    utility_tables,
)
from sdcmetrics.cli.program import main
from sdcmetrics.errors import ColumnError, DataError, FileError, SdcMetricsError, StudyError

N = 40
Cli = Callable[..., tuple[int, str, str]]


def survey(**columns: Any) -> pd.DataFrame:
    """Return a frame with a key k, a target t and further columns."""
    return pd.DataFrame({"k": list("aabbc") * (N // 5), "t": list("xyxyx") * (N // 5), **columns})


def review(original: Any, replica: Any, **options: Any) -> Review:
    options.setdefault("keys", ["k"])
    return conduct(Study(original, {"cart": replica}, **options))


def fixes(original: Any, replica: Any, **options: Any) -> list[str]:
    """Return the fixes of a review that must give every measurement a value or a reason."""
    result = review(original, replica, **options)
    without = result.frame[result.frame["value"].isna() & result.frame["reason"].isna()]
    assert without.empty
    return [str(fix) for _, fix in result.fixes]


def fixes_of_v(original: Any, replica: Any) -> list[str]:
    """Return what was done to a column v of the replica."""
    start = "cart, column 'v': "
    result = fixes(survey(v=original), survey(v=replica))
    return [fix.removeprefix(start) for fix in result if fix.startswith(start)]


def refused(error: type[SdcMetricsError], original: Any, replica: Any, **options: Any) -> str:
    with pytest.raises(error) as raised:
        review(original, replica, **options)
    message = str(raised.value)
    assert "SECRET" not in message
    assert "\n" not in message.partition("\nWhere one file has groups")[0]
    return message


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    def run(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["sdcmetrics", *map(str, arguments)])
        with pytest.raises(SystemExit) as stopped:
            main()
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        assert "SECRET" not in out + err
        return int(stopped.value.code or 0), out, err

    return run


PARQUET = survey(v="SECRET").to_parquet()
GOOD = "k,t,v\n" + "".join(f"{'ab'[i % 2]},SECRET{i % 3},{i}\n" for i in range(N))


def study_file(
    folder: Path, original: str = "o.csv", replica: str = "s.csv", more: str = ""
) -> Path:
    file = folder / "study.toml"
    file.write_text(
        f'[data]\noriginal = "{original}"\n[data.replicas]\ncart = "{replica}"\n'
        f'[roles]\nkeys = ["k"]\ntargets = ["t"]\n{more}',
        encoding="utf-8",
    )
    return file


class TestFiles:
    @pytest.mark.parametrize(
        ("name", "content", "says"),
        [
            ("s.csv", b"", "s.csv: the file is empty."),
            ("s.csv", b"\n\n\n", "s.csv: the file holds only empty lines."),
            ("s.csv", b"k,t,v\n", "s.csv: the file has column names but no records."),
            ("s.csv", b"k,t,v", "s.csv: the file has column names but no records."),
            ("s.csv", b"k,t,v\na,SECRET\n", "s.csv: line 2 has 2 fields where the header has 3"),
            ("s.csv", b"k,t,v\na,b,c,SECRET\n", "line 2 has 4 fields"),
            ("s.csv", b'k,t,v\n"a,SECRET,1\n', "quote that is not closed"),
            (
                "s.csv",
                "k,t,v\nä,SECRET,1\n".encode("latin-1"),
                "line 2 holds bytes that are not utf-8",
            ),
            ("s.csv", "k,t,v\nSECRET,b,1\n".encode("utf-16-le"), "NUL byte"),
            ("s.csv", bytes(range(256)) * 10, "s.csv: "),
            ("s.csv", PARQUET, "expected delimited text (.csv) but the content looks like a Par"),
            ("s.parquet", b"k,t,v\na,SECRET,1\n", "expected a Parquet file (.parquet) but"),
            ("s.parquet", PARQUET[:-20], "the Parquet file is damaged or cut off"),
            ("s.dta", b"<stata_dta><SECRET", "the file is damaged, cut off"),
            ("s.sav", b"$FL2SECRET", "the file is damaged, cut off"),
            ("s.rds", b"SECRET", "expected an R .rds file (.rds) but"),
            ("s.csv.gz", gzip.compress(b"k,t,v\na,SECRET,1\n", mtime=0)[:-6], "damaged or cut off"),
            ("s.xlsx", b"PK\x03\x04SECRET", "cannot read .xlsx files"),
            ("s", b"k,t,v\n", "the name has no suffix"),
            ("s.csv", b"k,t,t\na,SECRET,1\n", "the column name 't' occurs more than once"),
            ("s.csv", b"k,,t\na,SECRET,1\n", "column 2 has an empty name. Give it a name in the"),
            ("s.csv", b"k,t,\na,SECRET,\n", "or take away the delimiter at the end of each line"),
            ("s.csv", b"1,2,3\n4,5,6\n", "line 1 holds numbers where column names are expected"),
        ],
    )
    def test_a_bad_replica_is_refused_by_name(
        self, tmp_path: Path, cli: Cli, name: str, content: bytes, says: str
    ) -> None:
        (tmp_path / "o.csv").write_text(GOOD, encoding="utf-8")
        (tmp_path / name).write_bytes(content)
        for arguments in (
            ("check", study_file(tmp_path, replica=name)),
            ("review", study_file(tmp_path, replica=name), "-o", tmp_path / "out"),
            ("utility-tables", tmp_path / "o.csv", tmp_path / name),
            ("disclosure", tmp_path / "o.csv", tmp_path / name, "--keys", "k"),
        ):
            code, out, err = cli(*arguments)
            assert code == 3
            assert says in err
            assert name in err
            assert err.count("\n") == 1
            assert out == ""

    @pytest.mark.parametrize(
        ("options", "says"),
        [
            *(
                ({"encoding": name}, "unknown encoding")
                for name in ("hex", "rot13", "base64", "zlib", "undefined", "utf-8\0", "")
            ),
            ({"encoding": "utf-16"}, "line 1 holds bytes that are not utf-16"),
            *(
                ({"delimiter": mark}, "delimiter must be one character of ASCII")
                for mark in ("§", "€", "ab", "", "\0", "\n", '"')
            ),
        ],
    )
    def test_reading_options_that_no_text_has_are_refused(
        self, tmp_path: Path, cli: Cli, options: dict[str, str], says: str
    ) -> None:
        (tmp_path / "o.csv").write_text(GOOD, encoding="utf-8")
        with pytest.raises((FileError, DataError), match=says) as raised:
            read(tmp_path / "o.csv", **options)  # type: ignore[arg-type]
        assert "SECRET" not in str(raised.value)
        ((option, value),) = options.items()
        if not value.isprintable():
            return
        file = study_file(tmp_path, replica="o.csv", more=f"[read]\n{option} = '{value}'")
        code, _, err = cli("check", file)
        assert code == 3
        assert says in err

    @pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
    def test_a_byte_order_mark_is_no_part_of_a_name(self, tmp_path: Path, encoding: str) -> None:
        (tmp_path / "s.csv").write_bytes(f"\ufeff{GOOD}".encode(encoding))
        assert read(tmp_path / "s.csv", encoding=encoding).columns == ["k", "t", "v"]
        (tmp_path / "s.csv").write_bytes(GOOD.encode(encoding))
        assert read(tmp_path / "s.csv", encoding=encoding).columns == ["k", "t", "v"]

    def test_zeros_after_compressed_text_are_nothing(self, tmp_path: Path) -> None:
        (tmp_path / "s.csv.gz").write_bytes(gzip.compress(GOOD.encode()) + bytes(1000))
        assert read(tmp_path / "s.csv.gz").n == N

    @pytest.mark.parametrize("field", ["x" * 200_000, "x\n" * 100_000])
    def test_a_long_quoted_field_is_a_value(self, tmp_path: Path, field: str) -> None:
        usual = csv.field_size_limit()
        file = tmp_path / "s.csv"
        file.write_text(f'k,"{field}"\na,"{field}"\nb,c\n', encoding="utf-8")
        assert read(file).n == 2
        file.write_text(f'k,t\na,"{field}"\nb,c,SECRET\n', encoding="utf-8")
        with pytest.raises(FileError, match="has 3 fields where the header has 2") as raised:
            read(file)
        assert "SECRET" not in str(raised.value)
        assert csv.field_size_limit() == usual

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
    def test_a_pipe_is_no_file(self, tmp_path: Path, cli: Cli) -> None:
        (tmp_path / "o.csv").write_text(GOOD, encoding="utf-8")
        os.mkfifo(tmp_path / "s.csv")
        code, _, err = cli("utility-tables", tmp_path / "o.csv", tmp_path / "s.csv")
        assert (code, "s.csv: this is a pipe or a device" in err) == (3, True)

    @pytest.mark.parametrize("code", [0, 4, 9, 2**31 - 1])
    def test_an_r_factor_beyond_its_levels_is_damaged(self, tmp_path: Path, code: int) -> None:
        made = Path(__file__).parent / "microdata" / "files" / "data_frame.rds"
        codes = struct.Struct(">iii")
        before, whole, after = gzip.decompress(made.read_bytes()).rpartition(
            codes.pack(1, -(2**31), 3)
        )
        assert whole
        (tmp_path / "s.rds").write_bytes(before + codes.pack(1, -(2**31), code) + after)
        with pytest.raises(FileError, match=r"s\.rds: the R file is damaged"):
            read(tmp_path / "s.rds")

    def test_a_missing_file_is_named_with_the_closest_one(self, tmp_path: Path, cli: Cli) -> None:
        (tmp_path / "o.csv").write_text(GOOD, encoding="utf-8")
        (tmp_path / "cart.csv").write_text(GOOD, encoding="utf-8")
        code, _, err = cli("check", study_file(tmp_path, replica="crat.csv"))
        assert code == 3
        assert "there is no such file. Did you mean 'cart.csv'" in err

    def test_every_missing_file_is_said_before_one_is_read(
        self, tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def no_reading(*_: Any, **__: Any) -> None:
            pytest.fail("a file was read before all were looked at")

        (tmp_path / "o.csv").write_text(GOOD, encoding="utf-8")
        monkeypatch.setattr("sdcmetrics.study.data.read", no_reading)
        file = study_file(tmp_path, replica="s1.csv")
        file.write_text(
            file.read_text(encoding="utf-8").replace('"s1.csv"', '["s1.csv", "s2.csv"]'),
            encoding="utf-8",
        )
        code, _, err = cli("check", file)
        assert code == 3
        assert [line.split(":")[-2].strip()[-6:] for line in err.splitlines()] == [
            "s1.csv",
            "s2.csv",
        ]

    def test_a_directory_is_no_file(self, tmp_path: Path, cli: Cli) -> None:
        (tmp_path / "o.csv").write_text(GOOD, encoding="utf-8")
        code, _, err = cli("utility-tables", tmp_path / "o.csv", tmp_path)
        assert (code, "this is a directory" in err) == (3, True)

    def test_a_name_that_no_file_can_have_is_refused(self, tmp_path: Path, cli: Cli) -> None:
        (tmp_path / "o.csv").write_text(GOOD, encoding="utf-8")
        code, _, err = cli("utility-tables", tmp_path / "o.csv", f"{'x' * 300}.csv")
        assert (code, "x.csv: th" in err) == (3, True)
        code, _, err = cli("check", f"{'x' * 300}.toml")
        assert (code, "x.toml: th" in err) == (3, True)

    def test_a_file_that_may_not_be_opened_is_named(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "o.csv").write_text(GOOD, encoding="utf-8")

        def denied(*_: Any, **__: Any) -> None:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr("sdcmetrics.study.study.load_profile", lambda _: None)
        monkeypatch.setattr(Path, "open", denied)
        with pytest.raises(FileError, match=r"o\.csv: the file cannot be opened \(Permission den"):
            Study(tmp_path / "o.csv", {"cart": tmp_path / "o.csv"}, keys=["k"])

    @pytest.mark.parametrize(
        "content",
        [
            GOOD.replace("\n", "\r\n").encode(),
            GOOD.encode("utf-8-sig"),
            GOOD.encode("utf-16"),
            GOOD.replace(",", ";").encode(),
            ("\n\n" + GOOD).encode(),
            GOOD.replace("\n", "\n\n").encode(),
        ],
    )
    def test_the_same_data_in_another_dress_are_the_same(
        self, tmp_path: Path, content: bytes
    ) -> None:
        (tmp_path / "o.csv").write_text(GOOD, encoding="utf-8")
        (tmp_path / "s.csv").write_bytes(content)
        result = utility_tables(read(tmp_path / "o.csv"), read(tmp_path / "s.csv"), ways=1)
        assert result["pMSE"].abs().max() == 0

    def test_files_of_one_name_in_two_folders_are_told_apart(
        self, tmp_path: Path, cli: Cli
    ) -> None:
        for folder in ("real", "made"):
            (tmp_path / folder).mkdir()
            (tmp_path / folder / "a.csv").write_text(GOOD, encoding="utf-8")
        (tmp_path / "made" / "a.csv").write_text(GOOD.replace("k,t,v", "k,t,w"), encoding="utf-8")
        code, out, _ = cli("check", study_file(tmp_path, "real/a.csv", "made/a.csv"))
        assert code == 0
        assert "cart (a.csv), column 'v': absent, so it is not compared." in out
        assert "cart (a.csv), column 'w': not in original (a.csv), so it is left out" in out

    def test_one_file_as_original_and_replica_works_and_is_said(
        self, tmp_path: Path, cli: Cli
    ) -> None:
        (tmp_path / "o.csv").write_text(GOOD, encoding="utf-8")
        code, out, _ = cli("check", study_file(tmp_path, replica="o.csv"))
        assert code == 0
        assert "cart (o.csv): the file is the same, byte for byte, as original (o.csv)" in out

    def test_data_sets_that_were_read_under_one_name_are_told_apart(self, tmp_path: Path) -> None:
        (tmp_path / "o.csv").write_text(GOOD, encoding="utf-8")
        data = read(tmp_path / "o.csv")
        result = utility_tables(data, data, ways=1)
        assert result.attrs["fixes"] == (
            "synthetic 1 (o.csv): the file is the same, byte for byte, as original (o.csv)",
        )


class TestColumns:
    def test_other_order_is_no_matter(self) -> None:
        assert fixes(survey(v=1), survey(v=1)[["v", "t", "k"]]) == []

    def test_extra_and_absent_columns_are_listed_with_the_closest_name(self) -> None:
        assert fixes(survey(income=1), survey(Income=1)) == [
            "cart, column 'income': absent, so it is not compared. Did you mean 'Income'?",
            "cart, column 'Income': not in original, so it is left out",
        ]

    @pytest.mark.parametrize("name", ["k", "t"])
    def test_an_absent_key_or_target_is_refused_with_the_closest_name(self, name: str) -> None:
        replica = survey().rename(columns={name: name.upper()})
        message = refused(ColumnError, survey(), replica, targets=["t"])
        assert message.startswith(f"column {name!r}, a ")
        assert f"is missing from cart. Did you mean {name.upper()!r}?" in message
        assert "It looks the same" not in message

    def test_a_name_that_only_looks_the_same_is_said_to(self) -> None:
        composed, apart = (unicodedata.normalize(form, "région") for form in ("NFC", "NFD"))
        replica = survey().rename(columns={"k": apart})
        message = refused(
            ColumnError, survey().rename(columns={"k": composed}), replica, keys=[composed]
        )
        assert f"Did you mean {apart!r}? It looks the same, and Unicode writes it" in message

    def test_a_key_that_is_no_column_is_refused_with_the_closest_name(self) -> None:
        message = refused(ColumnError, survey(income=1), survey(income=1), keys=["incme"])
        assert message == "key 'incme' is not a column of original. Did you mean 'income'?"

    def test_a_key_that_is_also_a_target_is_refused(self) -> None:
        message = refused(ColumnError, survey(), survey(), keys=["k"], targets=["t", "k"])
        assert message.startswith("column 'k' is both a key and a target.")

    def test_a_key_named_twice_is_refused(self) -> None:
        assert "'k' is given more than once" in refused(
            ColumnError, survey(), survey(), keys=["k", "k"]
        )

    def test_no_common_column_is_refused(self) -> None:
        with pytest.raises(DataError, match="original and synthetic have no column in common"):
            utility_tables(survey(), pd.DataFrame({"q": [1]}))
        with pytest.raises(DataError, match="names differ only in upper and lower case"):
            utility_tables(survey(), survey().rename(columns=str.upper))

    def test_a_frame_with_a_name_twice_is_refused(self) -> None:
        twice = pd.DataFrame([[1, 2]], columns=["k", "k"])
        assert refused(ColumnError, twice, survey()) == (
            "original: the column name 'k' occurs more than once. Rename one of them."
        )

    def test_names_that_are_no_text_are_refused_with_the_remedy(self) -> None:
        message = refused(ColumnError, pd.DataFrame({0: [1], 1: [2]}), survey())
        assert message.startswith("original: column 1 has a name that is not text.")
        assert "astype(str)" in message

    def test_names_of_several_levels_are_refused_with_a_remedy_that_works(self) -> None:
        frame = pd.DataFrame({("a", 1): range(N), ("a", 2): range(N)})
        message = refused(ColumnError, frame, survey())
        assert 'frame.columns.map(lambda name: " ".join(map(str, name)))' in message
        frame.columns = frame.columns.map(lambda name: " ".join(map(str, name)))
        assert list(frame.columns) == ["a 1", "a 2"]
        assert len(utility_tables(frame, frame, ways=1)) == 2

    def test_levels_of_the_index_are_listed(self) -> None:
        indexed = survey(v=range(N)).set_index("v")
        line = "column 'v': stands in the index, which is not read: frame.reset_index() makes it"
        assert [fix for fix in fixes(indexed, indexed) if "index" in fix] == [
            f"{name}, {line} a column" for name in ("original", "cart")
        ]
        assert not [fix for fix in fixes(survey(), survey()) if "index" in fix]

    def test_records_that_are_no_frame_yet_are_refused_with_the_remedy(self) -> None:
        table = pa.Table.from_pandas(survey())
        batch = table.to_batches()[0]
        reader = pa.RecordBatchReader.from_batches(table.schema, [batch])
        for given, remedy in (
            (batch, "got RecordBatch. Pass its records: frame.to_pandas()."),
            (reader, "got RecordBatchReader. Pass its records: frame.read_all()."),
            ([1], "got list. Read a file with sdcmetrics.read(path)."),
        ):
            with pytest.raises(DataError) as raised:
                utility_tables(given, survey(), ways=1)
            assert str(raised.value).endswith(remedy)
        assert len(utility_tables(reader.read_all(), batch.to_pandas(), ways=1)) == 2

    def test_a_name_with_half_a_character_is_refused(self) -> None:
        data = survey()
        data.columns = pd.Index(["k", "a\ud800"], dtype=object)
        assert "column 2 has a name with half a Unicode" in refused(ColumnError, data, data)

    def test_one_column_alone_has_utility_but_no_target(self) -> None:
        one = survey()[["k"]]
        assert len(utility_tables(one, one, ways=1)) == 1
        assert refused(StudyError, one, one).startswith("targets: every column that all data sets")

    def test_one_record_on_each_side_works(self) -> None:
        assert fixes(survey(v=1).head(1), survey(v=1).head(1)) == []

    def test_one_record_on_one_side_works(self) -> None:
        assert fixes(survey(), survey().head(1)) == []

    def test_no_record_is_refused(self) -> None:
        assert refused(DataError, survey(), survey().head(0)).startswith(
            "cart: the data set has no"
        )

    def test_syntheses_may_differ_in_size(self) -> None:
        assert fixes(survey(), [survey(), survey().head(3)]) == []

    def test_an_empty_list_of_syntheses_is_refused(self) -> None:
        assert "expected at least one synthesis" in refused(DataError, survey(), [])
        with pytest.raises(DataError, match="empty list"):
            utility_tables(survey(), [])


class TestMissing:
    @pytest.mark.parametrize("name", ["k", "t", "v"])
    @pytest.mark.parametrize("side", ["original", "replica", "both"])
    def test_a_column_without_a_value_works_and_is_listed(self, name: str, side: str) -> None:
        empty = survey(v=range(N)).assign(**{name: None})
        original = empty if side != "replica" else survey(v=range(N))
        replica = empty if side != "original" else survey(v=range(N))
        result = fixes(original, replica, targets=["t"])
        where = {"original": ["original"], "replica": ["cart"], "both": ["original", "cart"]}[side]
        for source in where:
            assert f"{source}, column {name!r}: every value is missing" in result

    def test_replicas_may_differ_in_kind_where_the_original_has_no_value(self) -> None:
        study = Study(
            survey(v=None),
            {
                "a": survey(v=range(N)),
                "b": survey(v=["x"] * N),
                "c": survey(v=[dt.date(2020, 1, 1)] * N),
            },
            keys=["k"],
        )
        assert "v" in conduct(study).distributions

    @pytest.mark.parametrize("value", [1, "x", True, dt.date(2020, 1, 1)])
    def test_a_constant_column_works(self, value: Any) -> None:
        assert fixes(survey(v=[value] * N), survey(v=[value] * N)) == []

    def test_a_constant_has_reasons_where_it_has_no_ratio(self) -> None:
        frame = review(survey(v=1), survey(v=1)).frame
        row = frame[(frame["metric"] == "S_pMSE") & (frame["variables"] == ("v",))].iloc[0]
        assert np.isnan(row["value"])
        assert "0 degrees of freedom" in row["reason"]

    def test_different_constants_work(self) -> None:
        assert fixes(survey(v=1), survey(v=2)) == []

    def test_missing_codes_are_found_whatever_they_come_as(self) -> None:
        data = survey(v=[-8, *range(N - 1)])
        for codes in (
            -8,
            [-8],
            (-8.0,),
            np.int64(-8),
            np.array([-8, -9]),
            pd.Series([-8]).tolist(),
        ):
            assert fixes(data, data, missing_codes={"v": codes}) == []
            assert len(tvd(data, data, missing_codes={"v": codes})) == 3

    @pytest.mark.parametrize("codes", ["abc", ["-8"], None])
    def test_missing_codes_that_are_no_numbers_are_refused(self, codes: Any) -> None:
        data = survey(v=range(N))
        message = refused(StudyError, data, data, missing_codes={"v": codes})
        assert message.startswith("missing_codes.v: expected a number, or a list of numbers")
        with pytest.raises(StudyError, match=r"missing_codes: expected a mapping .* for 'v'"):
            tvd(data, data, missing_codes={"v": codes})

    def test_missing_codes_of_text_are_refused(self) -> None:
        assert "'t', which is not numeric in original" in refused(
            ColumnError, survey(), survey(), missing_codes={"t": -8}
        )

    def test_missing_codes_that_are_no_mapping_are_refused(self) -> None:
        with pytest.raises(StudyError, match="missing_codes: expected a mapping"):
            tvd(survey(), survey(), missing_codes=["v"])  # type: ignore[arg-type]


class TestKindsThatDiffer:
    @pytest.mark.parametrize(
        ("original", "replica", "what"),
        [
            (range(N), [str(i) for i in range(N)], "text was read as numbers"),
            (range(N), [f"{i}.0" for i in range(N)], "text was read as numbers"),
            (range(N), [f"{i:03d}" for i in range(N)], "text was read as numbers"),
            ([f"{i:02d}" for i in range(N)], range(N), "number values were read as labels"),
            (["1", "2"] * (N // 2), [1.0, 2.0] * (N // 2), "number values were read as labels"),
            (
                ["yes", "no"] * (N // 2),
                [True, False] * (N // 2),
                "boolean values were read as labels",
            ),
            (["yes", "no"] * (N // 2), [1, 0] * (N // 2), "number values were read as labels"),
            (
                ["True", "False"] * (N // 2),
                [True, False] * (N // 2),
                "boolean values were read as labels",
            ),
            (
                ["Y", "N", "?", "Y"] * (N // 4),
                [1, 0] * (N // 2),
                "number values were read as labels",
            ),
            (
                [True, False] * (N // 2),
                ["yes", "no"] * (N // 2),
                "category values were read as booleans",
            ),
            ([True, False] * (N // 2), [1, 0] * (N // 2), "number values were read as booleans"),
            (
                [True, False] * (N // 2),
                [1.0, np.nan] * (N // 2),
                "number values were read as booleans",
            ),
            ([1, 0] * (N // 2), [True, False] * (N // 2), "booleans were read as 0 and 1"),
            ([1, 0] * (N // 2), ["yes", "no"] * (N // 2), "yes and no were read as 1 and 0"),
            (
                pd.date_range("2020-01-01", periods=N),
                [str(d.date()) for d in pd.date_range("2020-01-01", periods=N)],
                "text was read as dates",
            ),
            (
                [str(d.date()) for d in pd.date_range("2020-01-01", periods=N)],
                pd.date_range("2020-01-01", periods=N),
                "date values were read as labels",
            ),
            (
                pd.Categorical([1, 2] * (N // 2)),
                [1, 2] * (N // 2),
                "number values were read as labels",
            ),
            ([1, 2] * (N // 2), pd.Categorical([1, 2] * (N // 2)), "text was read as numbers"),
        ],
    )
    def test_the_same_values_in_another_kind_are_the_same(
        self, original: Any, replica: Any, what: str
    ) -> None:
        assert fixes_of_v(original, replica) == [what]
        data = survey(v=original), survey(v=replica)
        if not pd.isna(pd.Series(replica)).any() and "?" not in list(original):
            assert tvd(*data, variables=["v"])["TVD"].item() == 0

    @pytest.mark.parametrize(
        ("original", "replica", "says"),
        [
            (range(N), ["SECRET"] * N, "holds numbers in original but text or labels in cart"),
            (range(N), ["1", "SECRET"] * (N // 2), "1 of 2 distinct values is not a number"),
            (
                range(N),
                ["1", "1,5", "2,000.5"] * (N // 3) + ["1"] * (N % 3),
                "2 of 3 distinct values are numbers with commas",
            ),
            (range(N), ["1_000"] * N, "the values are not numbers"),
            (range(N), ["1e999"] * N, "the values are not numbers"),
            (["SECRET"] * N, range(N), "holds text or labels in original but numbers in cart"),
            (["SECRET"] * N, [True] * N, "but booleans in cart"),
            ([True, False] * (N // 2), [0, 2] * (N // 2), "numbers in cart other than 0 and 1"),
            ([True, False] * (N // 2), ["SECRET"] * N, "other than true and false, yes and no"),
            ([dt.date(2020, 1, 1)] * N, ["SECRET"] * N, "not all dates, or do not say which"),
            ([dt.date(2020, 1, 1)] * N, ["31.02.2020"] * N, "number is the day; write YYYY-MM-DD"),
            ([dt.date(2020, 1, 1)] * N, range(N), "holds dates in original but numbers in cart"),
            (range(N), [dt.date(2020, 1, 1)] * N, "holds numbers in original but dates in cart"),
            ([True] * N, [dt.date(2020, 1, 1)] * N, "holds booleans in original but dates in cart"),
            (["SECRET"] * N, [dt.date(2020, 1, 1)] * N, "but dates in cart"),
        ],
    )
    def test_values_without_a_counterpart_are_refused_by_column(
        self, original: Any, replica: Any, says: str
    ) -> None:
        message = refused(ColumnError, survey(v=original), survey(v=replica))
        assert message.startswith("column 'v' holds ")
        assert says in message
        first, second = message.split("\n")
        assert first.endswith("Code it alike in both, or leave the column out.")
        assert 'kinds = { column = "category" } in [read]' in second
        assert 'column = "groups.csv" in [coarsen]' in second

    @pytest.mark.parametrize("side", [0, 1])
    @pytest.mark.parametrize("value", [np.inf, -np.inf])
    def test_infinite_values_are_refused_with_their_number(self, side: int, value: float) -> None:
        frames = [survey(v=range(N)), survey(v=range(N))]
        frames[side] = survey(v=[value, 1.0, *range(N - 2)])
        name = ("original", "cart")[side]
        assert refused(ColumnError, *frames).startswith(
            f"{name}: column 'v' has 1 infinite value. "
        )
        assert len(utility_tables(*frames, ways=1, variables=["k", "t"])) == 2

    @pytest.mark.parametrize("kind", ["float64", "float64[pyarrow]", "category"])
    def test_values_that_have_no_finite_square_are_refused(self, kind: str) -> None:
        large = survey(v=pd.Series([-2e38, 1e304, *range(N - 2)], dtype="float64").astype(kind))
        if kind == "category":  # no numbers any more
            assert len(utility_tables(large, large, ways=1)) == 3
            return
        for frames in ((survey(v=range(N)), large), (large, survey(v=range(N)))):
            assert "column 'v' has 2 values beyond 10^38" in refused(ColumnError, *frames)
        within = survey(v=pd.Series([-9e37, *range(N - 1)], dtype="float64").astype(kind))
        assert len(utility_tables(within, within, ways=1)) == 3

    def test_values_that_have_no_square_but_0_are_refused(self) -> None:
        small = survey(v=[1e-160 * i for i in range(N)])
        for frames in ((survey(v=range(N)), small), (small, survey(v=range(N)))):
            assert "column 'v' has no value beyond 10^-150" in refused(ColumnError, *frames)
        for values in ([0.0] * N, [np.nan] * N, [1e-300, 1.0] * (N // 2), [-1e-149] * N):
            assert len(utility_tables(survey(v=values), survey(v=values), ways=1)) == 3

    def test_mixed_types_are_read_as_text_and_listed(self) -> None:
        mixed = survey(v=[1, "SECRET", 1.5, None] * (N // 4))
        what = "mixes kinds of values; all were read as text"
        of_column = [fix for fix in fixes(mixed, mixed) if "every record occurs" not in fix]
        assert of_column == [f"original, column 'v': {what}", f"cart, column 'v': {what}"]

    def test_numbers_match_mixed_types_that_were_read_as_text(self) -> None:
        assert fixes_of_v([1, "SECRET", 2.0, True] * (N // 4), [1, 2] * (N // 2)) == [
            "number values were read as labels"
        ]

    @pytest.mark.parametrize(
        "values",
        [
            [decimal.Decimal("1.5")] * N,
            [10**30 + i for i in range(N)],
            [10**17 + i for i in range(N)],
            np.arange(N, dtype=np.uint64) + 2**63,
            pd.period_range("2020-01", periods=N, freq="M"),
            pd.interval_range(0, N),
            pd.cut(range(N), 4),
            pd.timedelta_range("1D", periods=N),
            [dt.time(1, 2)] * N,
            pd.date_range("2020", periods=N, tz="Europe/Berlin"),
            [dt.date(1, 1, 1), dt.date(9999, 12, 31)] * (N // 2),
            [1j] * N,
            pd.array([1, None] * (N // 2), dtype="Int64"),
            pd.Categorical(["a", None] * (N // 2), categories=["b", "a"]),
            [pd.NA, 1, "x", np.nan] * (N // 4),
            pd.Series(["\ud800", "x"] * (N // 2), dtype=object),
        ],
    )
    def test_unusual_types_work(self, values: Any) -> None:
        data = survey(v=values)
        assert tvd(data, data, variables=["v"])["TVD"].item() == 0
        fixes(data, data)

    @pytest.mark.parametrize("value", [[1], {"a": 1}, (1, 2), b"SECRET"])
    def test_columns_without_one_value_a_record_are_refused(self, value: Any) -> None:
        data = survey(v=[value] * N)
        message = refused(ColumnError, data, data)
        assert message.startswith("original: column 'v' is of type ")
        assert "which cannot be compared" in message

    @pytest.mark.parametrize("frame", ["SECRET.csv", {"a": 1}, None, 3, survey()["k"]])
    def test_what_is_no_frame_is_refused(self, frame: Any) -> None:
        with pytest.raises(DataError, match="synthetic: expected a data frame"):
            utility_tables(survey(), frame)

    def test_a_lazy_frame_is_refused_with_the_remedy_where_records_are_needed(self) -> None:
        with pytest.raises(DataError, match="Collect it first"):
            utility_tables(survey(), pl.from_pandas(survey()).lazy())

    def test_frames_of_other_libraries_work(self) -> None:
        assert fixes(survey(v=1), pl.from_pandas(survey(v=1))) == []
        assert fixes(survey(v=1), pa.Table.from_pandas(survey(v=1))) == []


class TestLevels:
    def test_unseen_levels_are_kept_and_counted(self) -> None:
        replica = survey(t=["x", "new", "newer", "y"] * (N // 4))
        (fix,) = fixes(survey(), replica)
        assert fix.startswith("cart, column 't': 2 levels that original does not have, kept")

    def test_levels_that_differ_in_case_or_blanks_are_pointed_out(self) -> None:
        replica = survey(t=["x ", "y", "X", " y", "z"] * (N // 5))
        (fix,) = fixes(survey(), replica)
        assert "4 levels that original does not have" in fix
        assert "3 of them differ only in case, blanks or how Unicode writes them" in fix

    def test_no_level_in_common_is_pointed_out(self) -> None:
        result = fixes(survey(), survey(t=["p", "q"] * (N // 2)))
        assert result[1] == (
            "cart, column 't': no level in common with original; check that both are coded alike"
        )


def labelled(folder: Path, name: str, columns: dict[str, Any], **meta: Any) -> Path:
    path = folder / name
    pyreadstat.write_sav(pd.DataFrame(columns), str(path), **meta)
    return path


SEX = {1: "male", 2: "female"}
CODES = [1, 2, 2, 1, 2] * (N // 5)


class TestValueLabels:
    """An SPSS file with value labels on one side, plain text on the other."""

    def columns(self, **columns: Any) -> dict[str, Any]:
        return {"k": list("aabbc") * (N // 5), "sex": CODES, **columns}

    def sav(self, folder: Path, **columns: Any) -> Path:
        return labelled(
            folder, "o.sav", self.columns(**columns), variable_value_labels={"sex": SEX}
        )

    def csv(self, folder: Path, **columns: Any) -> Path:
        path = folder / "s.csv"
        pd.DataFrame(self.columns(**columns)).to_csv(path, index=False)
        return path

    @pytest.mark.parametrize("as_text", [int, float, str, "{:02d}".format])
    def test_a_replica_may_hold_the_codes(
        self, tmp_path: Path, as_text: Callable[[int], Any]
    ) -> None:
        replica = self.csv(tmp_path, sex=[as_text(code) for code in CODES])
        result = tvd(read(self.sav(tmp_path)), read(replica))
        assert result["TVD"].tolist() == [0, 0]
        assert result.attrs["fixes"] == (
            "s.csv, column 'sex': codes were read as the labels of o.sav",
        )

    def test_a_replica_may_hold_the_labels(self, tmp_path: Path) -> None:
        replica = self.csv(tmp_path, sex=[SEX[code] for code in CODES])
        result = tvd(read(self.sav(tmp_path)), read(replica))
        assert result["TVD"].tolist() == [0, 0]
        assert result.attrs["fixes"] == ()

    def test_a_labelled_replica_matches_codes_in_the_original(self, tmp_path: Path) -> None:
        result = tvd(read(self.csv(tmp_path)), read(self.sav(tmp_path)))
        assert result["TVD"].tolist() == [0, 0]
        assert result.attrs["fixes"] == (
            "o.sav, column 'sex': labels were read as the codes that they stand for",
        )

    def test_a_labelled_replica_matches_codes_that_are_text(self, tmp_path: Path) -> None:
        original = self.csv(tmp_path, sex=[f"{code:02d}" for code in CODES])
        result = tvd(read(original), read(self.sav(tmp_path)))
        assert result["TVD"].tolist() == [0, 0]
        assert result.attrs["fixes"] == (
            "o.sav, column 'sex': labels were read as the codes that they stand for",
        )

    def test_a_code_without_a_label_is_a_level_of_its_own(self, tmp_path: Path) -> None:
        replica = self.csv(tmp_path, sex=[9, *CODES[1:]])
        result = tvd(read(self.sav(tmp_path)), read(replica))
        first, second = result.attrs["fixes"]
        assert first == "s.csv, column 'sex': codes were read as the labels of o.sav"
        assert second.startswith("s.csv, column 'sex': 1 level that o.sav does not have")
        assert result["TVD"]["sex"] == pytest.approx(1 / N)

    def test_booleans_are_matched_with_labels_of_0_and_1(self, tmp_path: Path) -> None:
        path = labelled(
            tmp_path,
            "o.sav",
            {"x": [0, 1, 1]},
            variable_value_labels={"x": {0: "Nein", 1: "Ja"}},
        )
        result = tvd(read(path), pd.DataFrame({"x": [False, True, True]}))
        assert result["TVD"].item() == 0

    def test_text_codes_are_matched_with_their_labels(self, tmp_path: Path) -> None:
        path = labelled(
            tmp_path,
            "o.sav",
            {"x": ["m", "f", "f"]},
            variable_value_labels={"x": {"m": "male", "f": "female"}},
        )
        result = tvd(read(path), pd.DataFrame({"x": ["m", "f", "f"]}))
        assert result["TVD"].item() == 0

    def test_numbers_that_are_labels_too_are_taken_as_labels_and_this_is_said(
        self, tmp_path: Path
    ) -> None:
        path = labelled(
            tmp_path, "o.sav", {"x": [1, 2, 1]}, variable_value_labels={"x": {1: "2", 2: "1"}}
        )
        result = tvd(read(path), pd.DataFrame({"x": [2, 1, 2]}))
        assert result["TVD"].item() == 0
        assert result.attrs["fixes"][0].endswith("labels as well as codes were taken as labels")

    def test_the_label_of_a_missing_code_stands_for_the_code(self, tmp_path: Path) -> None:
        path = labelled(
            tmp_path,
            "o.sav",
            {"income": [100.0, 200.0, -8.0]},
            variable_value_labels={"income": {-8: "refused"}},
            missing_ranges={"income": [-8]},
        )
        result = tvd(read(path), pd.DataFrame({"income": ["100", "200", "refused"]}))
        assert result["TVD"].item() == 0

    def test_user_missing_codes_are_levels_of_their_own_on_both_sides(self, tmp_path: Path) -> None:
        path = labelled(
            tmp_path,
            "o.sav",
            {"income": [float(i) for i in range(100)] + [-8.0] * 20},
            missing_ranges={"income": [-8]},
        )
        replica = pd.DataFrame(
            {"income": [float(i) for i in range(100)] + [-8.0] * 10 + [50.0] * 10}
        )
        data = Study(
            read(path).to_pandas().assign(k="a"), {"cart": replica.assign(k="a")}, keys=["k"]
        )
        assert data.original.n == 120
        with_code = tvd(read(path), replica)["TVD"].item()
        assert with_code == pytest.approx(10 / 120)


HOSTILE = [
    "replica",
    "metric",
    "synthesis",
    "value",
    "index",
    "target",
    "level_0",
    "variable",
    "variable_1",
    "count",
    "reason",
    "keys",
    "0",
    "None",
    "nan",
    "a|b",
    "a,b",
    "a\nb",
    " two  words ",
    "x" * 5000,
    "[red]x[/red]",
    ":smile:",
    "<script>alert(1)</script>",
    "\x1b[31mred",
    "größe",
    "\N{ARABIC LETTER AIN}\N{ARABIC LETTER MEEM}",
    "=1+1",
    "{{ 7 * 7 }}",
    "../../etc",
    '"; DROP TABLE',
]


class TestNames:
    @pytest.mark.parametrize("name", HOSTILE)
    def test_any_name_works_as_key_and_as_target(self, name: str) -> None:
        data = survey().rename(columns={"k": name})
        assert fixes(data, data, keys=[name]) == []
        assert fixes(data, data, keys=["t"], targets=[name]) == []
        assert name in multi_disclosure(data, data, keys=["t"]).index
        assert name in utility_tables(data, data, ways=1).index
        assert name in ratio_of_counts(data, data).by_variable.index
        assert cap(data, data, keys=[name], target="t").non_match == 0

    @pytest.mark.parametrize("name", HOSTILE)
    def test_any_name_is_shown_without_acting(self, tmp_path: Path, cli: Cli, name: str) -> None:
        survey().rename(columns={"k": name}).to_csv(tmp_path / "o.csv", index=False)
        code, out, err = cli("utility-tables", tmp_path / "o.csv", tmp_path / "o.csv", "--ways", 1)
        assert (code, err) == (0, "")
        assert "\x1b" not in out
        if len(name) < 60 and name.isprintable():
            assert " ".join(name.split()) in " ".join(out.split())
        quoted = '"' + name.replace('"', '""') + '"'
        table = tmp_path / "table.csv"
        code, out, err = cli(
            "disclosure", tmp_path / "o.csv", tmp_path / "o.csv", "--keys", "t", "--csv", table
        )
        assert (code, err) == (0, "")
        written = pd.read_csv(table, keep_default_na=False, dtype=str)["target"].item()
        assert not written.startswith(("=", "+", "-", "@"))
        if "\n" not in name:
            code, _, err = cli(
                "disclosure", tmp_path / "o.csv", tmp_path / "o.csv", "--keys", quoted
            )
            assert (code, err) == (0, "")

    @pytest.mark.parametrize("names", [HOSTILE[i::6] for i in range(6)])
    def test_any_name_goes_through_a_review(
        self, tmp_path: Path, cli: Cli, names: list[str]
    ) -> None:
        names = [name.strip() for name in names]  # as the reader does, and lists
        half = len(names) // 2
        k, t = survey().to_numpy().T
        data = pd.DataFrame({name: k if i < half else t for i, name in enumerate(names)})
        data.to_parquet(tmp_path / "o.parquet")
        data.iloc[1:].to_parquet(tmp_path / "s.parquet")  # of a copy no release is written
        file = tmp_path / "study.toml"
        both, keys, targets = map(json.dumps, ("".join(names), names[:half], names[half:]))
        file.write_text(
            f'[data]\noriginal = "o.parquet"\n[data.replicas]\n{both} = "s.parquet"\n'
            f"[roles]\nkeys = {keys}\ntargets = {targets}\n",
            encoding="utf-8",
        )
        for mode in ("internal", "checker"):
            out = tmp_path / mode
            code, _, err = cli("review", file, "-o", out, "--mode", mode, "--fail-on", "never")
            assert code == 0, err
            page = (out / "report.html").read_text(encoding="utf-8")
            assert "<script>alert" not in page
            kept = {""}  # SHA256SUMS
            if mode == "internal":
                kept |= {".step"}  # of a computer that is slow
            assert {path.suffix for path in out.rglob("*") if path.is_file()} <= kept | {
                ".html",
                ".json",
                ".csv",
            }

    @pytest.mark.parametrize("name", ["", "  "])
    def test_an_empty_name_is_refused(self, name: str) -> None:
        data = survey().rename(columns={"k": name})
        assert "column 1 has an empty name" in refused(ColumnError, data, data, keys=["t"])


class TestSize:
    def test_a_key_and_a_target_of_50000_levels(self) -> None:
        n = 50_000  # of which the product is more than 2**31
        rng = np.random.default_rng(1)
        original = pd.DataFrame(
            {"k": [f"id{i}" for i in range(n)], "t": rng.permutation(n), "g": rng.integers(0, 3, n)}
        )
        replica = original.assign(t=original["t"].to_numpy()[::-1])
        result = review(original, replica)
        assert result.fixes == ()
        identity = result.frame[result.frame["metric"] == "repU"]["value"]
        assert (identity == 100).all()
        reasons = result.frame[(result.frame["metric"] == "ROC") & result.frame["value"].isna()]
        assert reasons["reason"].str.contains("more than 2000 categories").any()

    def test_keys_that_are_all_unique_on_one_side(self) -> None:
        assert fixes(survey(v=range(N)), survey(v=range(100, 100 + N)), keys=["v"]) == []
