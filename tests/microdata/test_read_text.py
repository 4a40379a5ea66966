"""Delimited text: what becomes a number, what stays text, and which files are refused."""

from __future__ import annotations

import csv
import datetime as dt
import gzip
import hashlib
import io
import math
import traceback
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sdcmetrics.errors import ColumnError, DataError, FileError, SdcMetricsError
from sdcmetrics.microdata import Microdata, read
from sdcmetrics.microdata.sources.scan import scan

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Write = Callable[..., Path]

SECRET = "987654321"  # noqa: S105  (stands for a value of the file)


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    def write_file(content: str | bytes, name: str = "data.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write_file


def values(data: Microdata, name: str = "x") -> list[Any]:
    return list(data.table.column(name).to_pylist())


def kind(data: Microdata, name: str = "x") -> pa.DataType:
    return data.table.column(name).type


def what_was_done(data: Microdata) -> list[tuple[str | None, str, int | None]]:
    return [(fix.column, fix.what, fix.cells) for fix in data.fixes]


def refused(path: Path, error: type[SdcMetricsError] = FileError, **options: Any) -> str:
    """Return the error's text, after checking that no way of printing it shows the secret."""
    with pytest.raises(error) as caught:
        read(path, **options)
    shown = "".join(traceback.format_exception(caught.value))
    assert SECRET not in shown
    link: BaseException | None = caught.value
    while link is not None:
        assert SECRET not in str(link)
        link = link.__cause__ or link.__context__
    assert path.name in str(caught.value)
    return str(caught.value)


class TestKinds:
    def test_whole_numbers_are_integers_and_others_are_floats(self, write: Write) -> None:
        data = read(write("i,f\n1,1.5\n-20,2\n+3,1e-05\n"))
        assert kind(data, "i") == pa.int64()
        assert values(data, "i") == [1, -20, 3]
        assert kind(data, "f") == pa.float64()
        assert values(data, "f") == [1.5, 2.0, 1e-05]

    @pytest.mark.parametrize("code", ["01", "007", "-01", "00", "01.5", "0x1F"])
    def test_codes_with_leading_zeros_stay_text(self, write: Write, code: str) -> None:
        data = read(write(f"x\n10\n{code}\n"))
        assert values(data) == ["10", code]

    def test_integers_beyond_64_bits_stay_text(self, write: Write) -> None:
        data = read(write("x\n9223372036854775808\n1\n"))
        assert values(data) == ["9223372036854775808", "1"]

    def test_the_largest_64_bit_integer_is_kept_exactly(self, write: Write) -> None:
        data = read(write("x\n9223372036854775807\nNaN\n"))
        assert values(data) == [2**63 - 1, None]

    def test_numbers_too_large_for_a_float_stay_text(self, write: Write) -> None:
        assert values(read(write("x\n1.0\n1e400\n"))) == ["1.0", "1e400"]

    def test_digits_and_an_e_are_a_code_unless_a_point_shows_numbers(self, write: Write) -> None:
        data = read(write("code,number\n12E3,1e20\n123,1.5\n"))
        assert values(data, "code") == ["12E3", "123"]
        assert values(data, "number") == [1e20, 1.5]

    def test_true_and_false_in_three_spellings_are_booleans(self, write: Write) -> None:
        data = read(write("a,b,c\nTRUE,True,true\nFALSE,NA,false\n"))
        assert [kind(data, name) for name in "abc"] == [pa.bool_()] * 3
        assert values(data, "b") == [True, None]

    @pytest.mark.parametrize("words", [("T", "F"), ("yes", "no"), ("TRUE", "1")])
    def test_other_words_are_no_booleans(self, write: Write, words: tuple[str, str]) -> None:
        assert values(read(write("x\n{}\n{}\n".format(*words)))) == list(words)

    def test_iso_dates_are_dates(self, write: Write) -> None:
        data = read(write("x\n2020-02-29\nNA\n"))
        assert kind(data) == pa.date32()
        assert values(data) == [dt.date(2020, 2, 29), None]

    @pytest.mark.parametrize("text", ["2021-02-29", "2020-13-01", "29.02.2020", "2020-2-9"])
    def test_dates_that_are_not_iso_or_not_real_stay_text(self, write: Write, text: str) -> None:
        assert values(read(write(f"x\n2020-01-01\n{text}\n"))) == ["2020-01-01", text]

    def test_points_between_day_month_and_year_make_dates(self, write: Write) -> None:
        data = read(write("x\n29.02.2020\n1.3.2020\nNA\n"))
        assert kind(data) == pa.date32()
        assert values(data) == [dt.date(2020, 2, 29), dt.date(2020, 3, 1), None]
        (fix,) = data.fixes
        what = "days, months and years, with points between them, were read as dates"
        assert (fix.column, fix.what, fix.cells) == ("x", what, 2)
        times = read(write("x\n29.02.2020 10:11\n01.03.2020 10:11:12\n"))
        assert values(times)[1] == dt.datetime(2020, 3, 1, 10, 11, 12)  # noqa: DTZ001

    @pytest.mark.parametrize(
        "text", ["29.02.2021", "1.13.2020", "1.1.20", "1/2/2020", "1-2-2020", "1.2/2020"]
    )
    def test_dates_that_are_not_real_or_do_not_say_their_order_stay_text(
        self, write: Write, text: str
    ) -> None:
        assert values(read(write(f"x\n01.01.2020\n{text}\n"))) == ["01.01.2020", text]
        assert values(read(write(f"x\n{text}\n{text}\n"))) == [text, text]

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("31/12/2020,1/2/2020", 'days, months and years, with "/" between them,'),
            ("12/31/2020,2/1/2020", 'months, days and years, with "/" between them,'),
            ("31-12-2020,01-02-2020", 'days, months and years, with "-" between them,'),
            ("12-31-2020,02-01-2020", 'months, days and years, with "-" between them,'),
            ("31DEC2020,1feb2020", "days, months in words and years"),
            ("31-Dec-2020,01 FEB 2020", "days, months in words and years"),
        ],
    )
    def test_the_values_of_a_column_tell_what_is_the_day(
        self, write: Write, text: str, words: str
    ) -> None:
        data = read(write("x\n{}\n{}\nNA\n".format(*text.split(","))))
        assert values(data) == [dt.date(2020, 12, 31), dt.date(2020, 2, 1), None]
        (fix,) = data.fixes
        assert (fix.what, fix.cells) == (f"{words} were read as dates", 2)

    @pytest.mark.parametrize(
        "text",
        [
            "1/2/2020,3/4/2020",  # in either order
            "31/12/2020,12/31/2020",  # in none
            "30/02/2020,31/12/2020",
            "31/12/20,1/2/20",
            "31/12/2020,31-12-2020",
            "30FEB2020,31DEC2020",
            "31DEZ2020,1FEB2020",
        ],
    )
    def test_days_of_a_column_that_does_not_tell_are_levels(self, write: Write, text: str) -> None:
        assert values(read(write("x\n{}\n{}\n".format(*text.split(","))))) == text.split(",")

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("31.12.20,1.2.19", "dates with years of two digits"),
            ("12/31/99,1/1/00", "dates with years of two digits"),
            ("99-12-31,00-01-01", "dates with years of two digits"),
            ("31DEC20,1 feb 19", "dates with years of two digits"),
            ("31.12.20 10:11,1.2.19 09:00", "dates with years of two digits"),
            ("1/2/2020,3/4/2020", "dates of which no value tells day from month"),
            ("1-2-2020,3-4-2020", "dates of which no value tells day from month"),
        ],
    )
    def test_what_may_be_dates_and_stays_text_is_listed(
        self, write: Write, text: str, words: str
    ) -> None:
        data = read(write("x\n{}\n{}\nNA\n".format(*text.split(","))))
        assert kind(data) == pa.string()
        (fix,) = data.fixes
        assert fix.what.startswith(f"what may be {words} was kept as text: if these are dates")
        assert fix.cells == 2
        asked = read(write("x\n{}\n{}\n".format(*text.split(","))), kinds={"x": "category"})
        assert asked.fixes == ()

    @pytest.mark.parametrize(
        "text",
        [
            "1.2.33,31.14.20",
            "32.13.45,1.1.20",
            "31.12.2020,1.2.20",
            "1.2.2,1.2.3",
            "13/13/2020,1/1/2020",
        ],
    )
    def test_what_can_be_no_dates_is_not_listed(self, write: Write, text: str) -> None:
        assert read(write("x\n{}\n{}\n".format(*text.split(",")))).fixes == ()

    def test_days_and_months_with_slashes_may_have_times(self, write: Write) -> None:
        data = read(write("x\n12/31/2020 10:11\n02/01/2020 09:00\n"))
        assert values(data)[0] == dt.datetime(2020, 12, 31, 10, 11)  # noqa: DTZ001

    def test_iso_times_are_timestamps(self, write: Write) -> None:
        data = read(write("x\n2020-01-01 10:11:12\n2020-01-01T10:11\n2020-01-02\n"))
        assert kind(data) == pa.timestamp("us")
        assert values(data)[1] == dt.datetime(2020, 1, 1, 10, 11)  # noqa: DTZ001

    def test_times_with_an_offset_are_instants(self, write: Write) -> None:
        data = read(write("x\n2020-01-01T10:00:00+01:00\n2020-01-01T09:00:00Z\n"))
        assert values(data)[0] == values(data)[1]
        assert kind(data) == pa.timestamp("us", tz="UTC")

    def test_one_word_among_numbers_makes_the_column_text(self, write: Write) -> None:
        assert values(read(write("x\n1\n2\nmany\n"))) == ["1", "2", "many"]

    def test_a_column_without_values_is_text(self, write: Write) -> None:
        data = read(write("x,y\n,1\nNA,2\n"))
        assert kind(data) == pa.string()
        assert values(data) == [None, None]

    def test_text_goes_on_after_a_quote_that_is_closed_in_its_line(self, write: Write) -> None:
        assert values(read(write('x,y\n"five" or 6,1\nb,2\n'))) == ["five or 6", "b"]

    def test_text_keeps_its_blanks(self, write: Write) -> None:
        assert values(read(write("x,y\n a ,1\nb,2\n"))) == [" a ", "b"]

    def test_blanks_around_numbers_are_dropped_and_listed(self, write: Write) -> None:
        data = read(write("y,x\n1, 5\n2, NA\n3,7\n"))
        assert values(data) == [5, None, 7]
        assert what_was_done(data) == [("x", "blanks around the values were dropped", 2)]

    def test_an_odd_value_in_a_late_block_still_makes_the_column_text(self, write: Write) -> None:
        rows = 1_500_000
        data = read(write("x\n" + "1234567\n" * rows + "0123\n"))
        assert kind(data) == pa.string()
        assert data.n == rows + 1


class TestMissing:
    def test_empty_and_na_are_missing_quoted_or_not(self, write: Write) -> None:
        assert values(read(write('x,y\nNA,1\n"NA",1\n"",1\n,1\nb,1\n'))) == [None] * 4 + ["b"]

    @pytest.mark.parametrize("word", ["Missing", "?", "nan", "None", "N/A", "na", "NULL", "."])
    def test_no_other_word_is_missing(self, write: Write, word: str) -> None:
        assert values(read(write(f"x\n{word}\nb\n"))) == [word, "b"]

    def test_the_caller_can_name_other_words(self, write: Write) -> None:
        data = read(write("x,y\n1,NA\n?,b\n"), missing=("?",))
        assert values(data) == [1, None]
        assert values(data, "y") == ["NA", "b"]

    def test_one_word_need_not_be_put_in_a_tuple(self, write: Write) -> None:
        assert values(read(write("x\nAB\nA\n"), missing="AB")) == [None, "A"]

    @pytest.mark.parametrize("word", ["nan", "NaN", "NAN"])
    def test_nan_among_numbers_is_missing_and_listed(self, write: Write, word: str) -> None:
        data = read(write(f"x\n1.5\n{word}\n2\n"))
        assert values(data) == [1.5, None, 2.0]
        assert what_was_done(data) == [("x", "NaN was read as missing", 1)]

    def test_a_column_of_nan_alone_is_text(self, write: Write) -> None:
        assert values(read(write("x\nnan\nnan\n"))) == ["nan", "nan"]

    def test_infinite_numbers_stay_infinite(self, write: Write) -> None:
        data = read(write("x\n1\nInf\n-inf\nInfinity\n"))
        assert values(data) == [1.0, math.inf, -math.inf, math.inf]

    def test_an_empty_line_is_a_missing_value_of_a_single_column(self, write: Write) -> None:
        assert values(read(write("x\n1\n\n3\n"))) == [1, None, 3]

    def test_an_empty_line_between_records_is_no_record(self, write: Write) -> None:
        assert values(read(write("\n\nx,y\n1,2\n\n3,4\n"))) == [1, 3]

    def test_empty_lines_before_the_header_are_skipped(self, write: Write) -> None:
        assert values(read(write("\n\nx\n1\n"))) == [1]


class TestKindsAskedFor:
    def test_a_number_asked_for_may_have_leading_zeros(self, write: Write) -> None:
        assert values(read(write("x\n01\n7\n"), kinds={"x": "number"})) == [1, 7]

    def test_a_category_asked_for_is_the_text_of_the_file(self, write: Write) -> None:
        assert values(read(write("x\n1.0\n2\n"), kinds={"x": "category"})) == ["1.0", "2"]

    def test_a_boolean_asked_for_may_be_0_and_1(self, write: Write) -> None:
        assert values(read(write("x\n0\n1\nNA\n"), kinds={"x": "boolean"})) == [False, True, None]

    def test_a_date_asked_for_may_be_all_missing(self, write: Write) -> None:
        assert kind(read(write("x,y\n,1\n,2\n"), kinds={"x": "date"})) == pa.date32()

    @pytest.mark.parametrize("asked", ["number", "date", "boolean"])
    def test_a_column_of_another_kind_is_refused_by_name(self, write: Write, asked: str) -> None:
        text = refused(write(f"x\n1\na{SECRET}\n"), ColumnError, kinds={"x": asked})
        assert "'x'" in text

    def test_an_unknown_column_is_refused_with_a_hint(self, write: Write) -> None:
        text = refused(write("income\n1\n"), ColumnError, kinds={"incme": "number"})
        assert "Did you mean 'income'?" in text

    def test_an_unknown_kind_is_refused(self, write: Write) -> None:
        with pytest.raises(SdcMetricsError, match="'number', 'category', 'date', 'boolean'"):
            read(write("x\n1\n"), kinds={"x": "numeric"})  # type: ignore[dict-item]


class TestDelimiter:
    def test_a_semicolon_is_found_and_listed(self, write: Write) -> None:
        data = read(write("x;y\n1;a,b\n"))
        assert values(data, "y") == ["a,b"]
        assert what_was_done(data) == [
            (None, "fields are separated by a semicolon, which was used", None)
        ]

    def test_a_tab_in_a_csv_file_is_found_and_listed(self, write: Write) -> None:
        data = read(write("x\ty\n1\t2\n"))
        assert values(data, "y") == [2]
        assert len(data.fixes) == 1

    def test_a_tsv_file_has_tabs_and_needs_no_fix(self, write: Write) -> None:
        data = read(write("x\ty\na,b\t2\n", "data.tsv"))
        assert values(data) == ["a,b"]
        assert data.fixes == ()

    def test_a_delimiter_within_a_quoted_name_does_not_count(self, write: Write) -> None:
        assert read(write('"a,b";c\n1;2\n')).columns == ["a,b", "c"]

    def test_the_delimiter_given_is_used(self, write: Write) -> None:
        data = read(write("x;a,b\n1;2\n"), delimiter=";")
        assert data.columns == ["x", "a,b"]
        assert data.fixes == ()

    def test_a_ragged_file_with_another_delimiter_in_its_header_says_so(self, write: Write) -> None:
        text = refused(write(f"x;y, z;w\n1;{SECRET},2,3;4\n"))
        assert "pass delimiter=';'" in text

    @pytest.mark.parametrize("mark", ["", ";;", '"', "\n"])
    def test_a_delimiter_that_is_no_single_mark_is_refused(self, write: Write, mark: str) -> None:
        assert "one character" in refused(write("x,y\n1,2\n"), DataError, delimiter=mark)

    def test_decimal_commas_in_a_semicolon_file_are_read_and_listed(self, write: Write) -> None:
        data = read(write("x;y\n1,5;a\n2;b\n-0,25;c\n"))
        assert values(data) == [1.5, 2.0, -0.25]
        assert ("x", "decimal commas were read as decimal points", 2) in what_was_done(data)

    @pytest.mark.parametrize(
        ("text", "number"), [("7,27e-05", 7.27e-05), ("1E-3", 1e-3), ("NaN", math.nan)]
    )
    def test_small_numbers_do_not_make_decimal_commas_text(
        self, write: Write, text: str, number: float
    ) -> None:
        data = read(write(f"x;y\n1,5;a\n{text};b\n"))
        assert values(data) == [1.5, None if math.isnan(number) else number]

    @pytest.mark.parametrize("numbers", ["1,5|2|7,3e-05", "12|1,234|1,234,567.5"])
    def test_numbers_with_commas_that_stay_text_are_told(self, write: Write, numbers: str) -> None:
        rows = "".join(f'"{number}",a\n' for number in numbers.split("|"))
        data = read(write(f"x,y\n{rows}"))
        assert values(data) == numbers.split("|")
        what = "numbers with commas were kept as text: write them with a decimal point"
        assert ("x", what, 2) in what_was_done(data)

    def test_lists_and_names_with_commas_are_no_numbers(self, write: Write) -> None:
        assert read(write('x,y\n"1,2,3","1,5"\n"4,5,6","a,b"\n')).fixes == ()

    def test_commas_that_are_not_decimal_throughout_stay_text(self, write: Write) -> None:
        assert values(read(write("x;y\n1,5;a\n1.5;b\n"))) == ["1,5", "1.5"]


class TestEncoding:
    def test_a_utf8_byte_order_mark_is_dropped(self, write: Write) -> None:
        assert read(write(b"\xef\xbb\xbfx,y\n1,2\n")).columns == ["x", "y"]

    def test_text_that_is_not_utf8_is_refused_with_line_and_remedy(self, write: Write) -> None:
        text = refused(write(f"x,y\n1,a\n2,{SECRET}".encode() + b"Z\xfcrich\n"))
        assert "line 3" in text
        assert 'encoding="latin-1"' in text

    def test_the_line_is_right_far_into_the_file(self, write: Write) -> None:
        content = b"x,y\n" + b"1,abcdefgh\n" * 300_000 + b"1,\xff\n"
        assert "line 300002 " in refused(write(content))

    def test_the_encoding_given_is_used(self, write: Write) -> None:
        path = write("x,Größe\n1,Zürich\n".encode("latin-1"))
        assert values(read(path, encoding="latin-1"), "Größe") == ["Zürich"]

    @pytest.mark.parametrize("of", [read, scan])
    @pytest.mark.parametrize("written", ["utf-8", "utf-8-sig"])
    def test_utf8_is_read_as_that_where_letters_of_one_byte_are_told_of_all_files(
        self, write: Write, written: str, of: Callable[..., Microdata]
    ) -> None:
        path = write("Größe,y\n1,Zürich\n".encode(written))
        data = of(path, encoding="latin-1")
        assert data.columns == ["Größe", "y"]
        assert [fix.what for fix in data.fixes] == [
            "the text is UTF-8, and was read as that, not as latin-1, as told"
        ]
        assert not of(path, encoding="utf-8").fixes
        assert values(read(path, encoding="cp1252"), "y") == ["Zürich"]

    @pytest.mark.parametrize(("written", "told"), [("utf-8", True), ("gbk", False)])
    def test_utf8_that_is_read_as_something_else_is_told(
        self, write: Write, written: str, *, told: bool
    ) -> None:
        data = read(write("x,y\n1,你好你好\n".encode(written)), encoding="gbk")
        assert any("it is UTF-8, too" in fix.what for fix in data.fixes) is told

    def test_letters_of_one_byte_far_into_a_file_are_no_utf8(self, write: Write) -> None:
        path = write(b"x,y\n" + b"1,\xc3\xbcb\n" * 300_000 + b"1,Z\xfcrich\n")
        assert values(read(path, encoding="latin-1"), "y")[-1] == "Zürich"

    @pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32"])
    def test_utf16_and_utf32_are_known_by_their_mark(self, write: Write, encoding: str) -> None:
        mark = "\ufeff" if encoding.endswith("le") else ""
        data = read(write(f"{mark}x,y\n1,ü\n".encode(encoding)))
        assert values(data, "y") == ["ü"]
        assert data.columns == ["x", "y"]
        assert len(data.fixes) == 1

    def test_an_unknown_encoding_is_refused(self, write: Write) -> None:
        assert "unknown encoding" in refused(write("x\n1\n"), DataError, encoding="utf-9")

    def test_a_wrong_encoding_is_refused_without_the_bytes(self, write: Write) -> None:
        path = write(f"x,y\n1,{SECRET}ü\n")
        assert "line 2 holds bytes that are not ascii" in refused(path, encoding="ascii")

    def test_a_nul_byte_is_refused_with_its_line(self, write: Write) -> None:
        assert "line 3 holds a NUL" in refused(write(f"x,y\n1,2\n{SECRET},\0\n"))


class TestLayout:
    def test_line_ends_and_quotes_within_quotes_are_kept(self, write: Write) -> None:
        data = read(write('x,y\n1,"a\nb, ""c"""\n2,d\n'))
        assert values(data, "y") == ['a\nb, "c"', "d"]

    @pytest.mark.parametrize("end", ["\r\n", "\r", "\n"])
    def test_any_line_end_will_do(self, write: Write, end: str) -> None:
        assert values(read(write(f"x,y{end}1,a{end}2,b")), "y") == ["a", "b"]

    def test_too_many_fields_are_refused_with_line_and_counts(self, write: Write) -> None:
        text = refused(write(f"x,y\n1,2\n{SECRET},4,5\n"))
        assert "line 3 has 3 fields where the header has 2 fields" in text

    def test_too_few_fields_are_refused_with_line_and_counts(self, write: Write) -> None:
        text = refused(write(f'x,y\n"a\nb",2\n\n{SECRET}\n'))
        assert "line 5 has 1 field where the header has 2 fields" in text

    def test_row_names_without_a_header_are_explained(self, write: Write) -> None:
        assert "row.names=FALSE" in refused(write(f"x,y\n1,2,{SECRET}\n"))

    def test_an_open_quote_does_not_swallow_the_records_after_it(self, write: Write) -> None:
        text = refused(write(f'x,y\n1,a\n2,"b\n3,{SECRET}\n4,d\n'))
        assert "line 3 has a quote that is not closed" in text

    def test_a_file_that_ends_within_a_quote_is_refused(self, write: Write) -> None:
        assert "line 3" in refused(write(f'x,y\n1,a\n2,"{SECRET}'))

    def test_two_stray_quotes_do_not_swallow_a_record(self, write: Write) -> None:
        text = refused(write(f'x,y\n1,"a\n{SECRET},"b\n3,c\n'))
        assert "starts in line 2" in text

    def test_an_open_quote_in_the_header_does_not_make_records_a_name(self, write: Write) -> None:
        assert "line 1" in refused(write(f'"x,y\n1,{SECRET}\n'))

    def test_a_quote_within_a_word_is_a_character(self, write: Write) -> None:
        assert values(read(write('x,y\n1,5" pipe\n2,b\n')), "y") == ['5" pipe', "b"]

    def test_a_file_with_a_header_only_is_refused(self, write: Write) -> None:
        assert "no records" in refused(write("x,y\n"))

    def test_a_header_without_a_line_end_is_refused(self, write: Write) -> None:
        refused(write("x,y"))

    def test_a_file_of_empty_lines_is_refused(self, write: Write) -> None:
        assert "only empty lines" in refused(write("\n\n\n"))

    def test_a_field_of_any_length_is_read(self, write: Write) -> None:
        long = "a" * 200_000
        assert values(read(write(f"x,y\n{long},1\n"))) == [long]


class TestNames:
    def test_blanks_around_a_name_are_dropped_and_listed(self, write: Write) -> None:
        data = read(write("x, y\n1,2\n"))
        assert data.columns == ["x", "y"]
        assert what_was_done(data) == [("y", "blanks around the column's name were dropped", None)]

    @pytest.mark.parametrize("header", ["x,x", "x, x"])
    def test_a_name_that_occurs_twice_is_refused(self, write: Write, header: str) -> None:
        assert "more than once" in refused(write(f"{header}\n1,{SECRET}\n"), ColumnError)

    def test_an_empty_name_is_refused(self, write: Write) -> None:
        assert "empty name" in refused(write(f"x,\n1,{SECRET}\n"), ColumnError)

    @pytest.mark.parametrize("header", ['""', ""])
    @pytest.mark.parametrize("first", [0, 1])
    def test_row_numbers_are_left_out_and_listed(
        self, write: Write, header: str, first: int
    ) -> None:
        data = read(write(f"{header},x\n{first},5\n{first + 1},6\n"))
        assert data.columns == ["x"]
        assert values(data) == [5, 6]
        assert len(data.fixes) == 1

    @pytest.mark.parametrize("rows", [("0", "2"), ("1", "NA"), ("a", "b"), ("01", "02")])
    def test_other_first_columns_without_a_name_are_refused(
        self, write: Write, rows: tuple[str, str]
    ) -> None:
        text = refused(write(",x\n{},1\n{},2\n".format(*rows)), ColumnError)
        assert "index=False" in text

    def test_a_file_without_a_header_is_refused_before_its_values_are_named(
        self, write: Write
    ) -> None:
        assert "line 1 holds numbers" in refused(write(f"{SECRET},7\n1,2\n"))
        assert "line 1 holds numbers" in refused(write(f"a,{SECRET},{SECRET}\nb,1,2\n"))

    def test_columns_numbered_from_zero_are_names(self, write: Write) -> None:
        assert read(write(",0,1\n0,5,6\n1,7,8\n")).columns == ["0", "1"]


class TestBlocks:
    """Arrow reads block by block; what it is told of quotes must not change a record."""

    @pytest.fixture(autouse=True)
    def _small(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for size in ("_BLOCK_BYTES", "_FAST_BLOCK_BYTES"):
            monkeypatch.setattr(f"sdcmetrics.microdata.read_text.{size}", 64)

    def test_line_ends_within_quotes_may_be_anywhere(self, write: Write) -> None:
        texts = [f"t{'a' * (i % 13)}\n{'b' * (i % 7)}" for i in range(200)]
        path = write("x,y\n" + "".join(f'"{text}",{i}\n' for i, text in enumerate(texts)))
        data = read(path)
        assert values(data) == texts
        assert values(data, "y") == list(range(200))
        assert data.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()

    def test_a_record_longer_than_a_block_of_the_first_try_is_read(
        self, write: Write, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("sdcmetrics.microdata.read_text._BLOCK_BYTES", 1 << 12)
        path = write("x,y\n" + f"{'a' * 900},1\n" * 3 + '"b",2\n')
        data = read(path)
        assert values(data) == ["a" * 900] * 3 + ["b"]
        assert data.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()

    def test_line_ends_within_a_name_are_no_record(self, write: Write) -> None:
        data = read(write('"x\nz",y\n1,2\n3,4\n'))  # z",y looks like a record of two fields
        assert values(data, "x\nz") == [1, 3]
        assert values(data, "y") == [2, 4]

    def test_a_late_byte_that_is_no_text_is_told_by_its_line(self, write: Write) -> None:
        lines = b"x,y\n" + b"1,a\n" * 99
        assert "line 101 holds bytes" in refused(write(lines + b"1,\xff\n"))
        assert "line 101 holds a NUL" in refused(write(lines + b"1,\0\n"))


class TestNumbersThatAreAlmostPlain:
    @pytest.mark.parametrize("text", ["007", "-07", "07.5", "0x1F", "1/2", "1-2", "--1", "1.2.3"])
    def test_a_late_one_makes_the_column_text(self, write: Write, text: str) -> None:
        assert values(read(write(f"x,y\n1,1\n-2,1\n{text},1\n"))) == ["1", "-2", text]

    @pytest.mark.parametrize(
        ("text", "number"), [("+1", 1), ("-0", 0), ("0.5", 0.5), (".5", 0.5), ("5.", 5.0)]
    )
    def test_a_late_one_is_a_number_beside_missing_ones(
        self, write: Write, text: str, number: float
    ) -> None:
        assert values(read(write(f"x,y\nNA,1\n0,1\n{text},1\nNA,1\n"))) == [None, 0, number, None]

    def test_digits_that_a_float_does_not_hold_are_listed(self, write: Write) -> None:
        data = read(write("x\n1.5\n0.1234567890123456789\n"))
        assert [fix.cells for fix in data.fixes] == [1]


class TestCompressed:
    def test_a_gzip_file_is_read(self, write: Write) -> None:
        data = read(write(gzip.compress(b"x,y\n1,a\n"), "data.csv.gz"))
        assert values(data, "y") == ["a"]

    def test_the_digest_is_that_of_the_file_as_it_stands(self, write: Write) -> None:
        path = write(gzip.compress(b"x,y\n1,a\n") + b"\0" * 99, "data.csv.gz")
        assert read(path).sha256 == hashlib.sha256(path.read_bytes()).hexdigest()

    def test_a_gzip_file_that_is_cut_off_is_refused(self, write: Write) -> None:
        whole = gzip.compress(b"x,y\n" + b"".join(b"%d,a\n" % i for i in range(50_000)))
        text = refused(write(whole[: len(whole) // 2], "data.csv.gz"))
        assert "damaged or cut off" in text

    def test_a_gzip_file_in_another_encoding_is_read(self, write: Write) -> None:
        path = write(gzip.compress("x,y\n1,ü\n".encode("utf-16")), "data.csv.gz")
        assert values(read(path), "y") == ["ü"]


text_values = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6
).map(lambda tail: "t" + tail)
columns = st.one_of(
    *(
        st.tuples(st.just(arrow), st.lists(st.none() | element, min_size=4, max_size=4))
        for arrow, element in (
            (pa.int64(), st.integers(-(2**63), 2**63 - 1)),
            (pa.float64(), st.floats(allow_nan=False, allow_infinity=False)),
            (pa.bool_(), st.booleans()),
            (pa.date32(), st.dates()),
            (pa.timestamp("us"), st.datetimes()),
            (pa.string(), text_values),
        )
    )
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(table=st.lists(columns, min_size=2, max_size=5), quote_all=st.booleans())
def test_what_python_writes_is_read_back(
    tmp_path: Path, table: list[tuple[pa.DataType, list[Any]]], quote_all: bool
) -> None:
    out = io.StringIO(newline="")
    writer = csv.writer(out, quoting=csv.QUOTE_ALL if quote_all else csv.QUOTE_MINIMAL)
    writer.writerow([f"v{position}" for position in range(len(table))])
    for row in zip(*(cells for _, cells in table), strict=True):
        writer.writerow(["NA" if cell is None else cell for cell in row])
    path = tmp_path / "data.csv"
    path.write_bytes(out.getvalue().encode())
    data = read(path)
    for position, (arrow, cells) in enumerate(table):
        assert values(data, f"v{position}") == cells
        if any(cell is not None for cell in cells):
            assert kind(data, f"v{position}") == arrow


class TestThousands:
    GERMAN = "income;share;n\n1.234;0,5;7\n987;1,5;8\n"

    def test_a_point_that_may_be_of_thousands_is_asked_for(self, write: Write) -> None:
        path = write(self.GERMAN)
        with pytest.raises(ColumnError, match="'income' every point stands before three") as error:
            read(path)
        assert '[read] of the study file what they are: decimal = {"income" = ","}' in str(
            error.value
        )
        assert "1.234" not in str(error.value)
        with pytest.raises(ColumnError, match="'income'"):
            read(path, kinds={"income": "number"})

    @pytest.mark.parametrize("before", [3, 1_500])
    def test_a_late_point_before_two_digits_is_a_decimal_one(
        self, write: Write, before: int
    ) -> None:
        rows = "1.234;0,5\n" * before
        assert read(write(f"x;y\n{rows}1.23;1,5\n")).table["x"].to_pylist()[-2:] == [1.234, 1.23]
        with pytest.raises(ColumnError, match="'x' every point stands before three"):
            read(write(f"x;y\n{rows}1.237;1,5\n"))

    @pytest.mark.parametrize(
        ("decimal", "first"),
        [(",", 1234), ({"income": ","}, 1234), ({"income": "."}, 1.234)],
    )
    def test_the_answer_is_taken(self, write: Write, decimal: Any, first: float) -> None:
        data = read(write(self.GERMAN), decimal=decimal)
        assert data.table["income"].to_pylist() == [first, 987]
        assert data.table["share"].to_pylist() == [0.5, 1.5]

    def test_points_beside_decimal_commas_in_one_column_are_sure(self, write: Write) -> None:
        data = read(write("income;n\n1.234,50;7\n987,25;8\n1.234.567;9\n"))
        assert data.table["income"].to_pylist() == [1234.5, 987.25, 1234567.0]
        assert ("income", "points between thousands were dropped", 2) in what_was_done(data)

    def test_quoted_commas_show_it_in_any_file(self, write: Write) -> None:
        with pytest.raises(ColumnError, match="'income'"):
            read(write('income,share\n1.234,"0,5"\n987,"1,5"\n'))

    @pytest.mark.parametrize(
        "text",
        [
            "income,share\n1.234,0.5\n987,1.5\n",  # nothing has a decimal comma
            "income;share\n1.234;0.5\n987;1.5\n",
            "income;share\n0.234;0,5\n0.987;1,5\n",  # no thousand begins with 0
            "income;share\n1.23;0,5\n1.987;1,5\n",
            'income,n\n1.234,"1,234"\n987,"2,345"\n',  # thousands as in English
        ],
    )
    def test_what_is_clear_is_not_asked_for(self, write: Write, text: str) -> None:
        assert read(write(text)).table["income"].type == pa.float64()

    def test_a_decimal_mark_must_be_one(self, write: Write) -> None:
        with pytest.raises(SdcMetricsError, match="decimal: expected one of"):
            read(write(self.GERMAN), decimal=";")  # type: ignore[arg-type]
        with pytest.raises(ColumnError, match=r"'incom', which is not a column\. Did you mean"):
            read(write(self.GERMAN), decimal={"incom": ","})

    def test_large_files_ask_as_well(self, write: Write) -> None:
        path = write(self.GERMAN)
        with pytest.raises(ColumnError, match="'income'"):
            scan(path).column("income")
        assert scan(path, decimal=",").column("income").to_pylist() == [1234, 987]
