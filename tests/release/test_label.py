"""Labelled copies: a name and a column say it, and no value is another."""

from __future__ import annotations

import gzip
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest
from click.testing import CliRunner

import sdcmetrics as sdc
from sdcmetrics.cli.app import app
from sdcmetrics.errors import FileError, StudyError
from sdcmetrics.release.label import COLUMN, SAYS, label

TEXT = 'id;name;x\n1;"a; b";007\n2;;1,50\n3;"say ""so""";NA\n'


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "cart.csv"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_a_text_file_keeps_every_entry_as_it_is_written(text: Path, tmp_path: Path) -> None:
    copy = label(text, tmp_path / "out", {})
    assert copy.path.name == "cart_synthetic.csv"
    lines = copy.path.read_text("utf-8").splitlines()
    assert lines[0] == f"{COLUMN};id;name;x"
    assert [line.split(";", 1)[1] for line in lines[1:]] == TEXT.splitlines()[1:]
    assert {line.split(";")[0] for line in lines[1:]} == {SAYS}


@pytest.mark.parametrize(("name", "copy"), [("a.v1.5.csv", "a_synthetic.v1.5.csv")])
def test_a_copy_keeps_what_follows_the_first_point(tmp_path: Path, name: str, copy: str) -> None:
    (tmp_path / name).write_text(TEXT, encoding="utf-8")
    assert label(tmp_path / name, tmp_path / "out", {}).path.name == copy


def test_a_copy_has_no_finding_on_its_label(text: Path, tmp_path: Path) -> None:
    copy = sdc.read(label(text, tmp_path / "out", {}).path)
    assert sdc.check_publication(sdc.read(text), copy).label == 0
    assert sdc.check_publication(sdc.read(text), sdc.read(text)).label == 1


@pytest.mark.parametrize(
    ("name", "content", "between"),
    [
        ("cart.csv", "a b,x\ty\n1,2\t3\n", ","),
        ("cart.tsv", "a,b\tx\n1,5\t2\n", "\t"),
        ("cart.tsv.gz", "a,b\tx\n1,5\t2\n", "\t"),
    ],
)
def test_a_label_stands_before_the_delimiter_of_the_format(
    name: str, content: str, between: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(gzip.compress(content.encode()) if name.endswith("gz") else content.encode())
    lines = label(path, tmp_path / "out", {}).path.read_text("utf-8").splitlines()
    entries = zip((COLUMN, SAYS), content.splitlines(), strict=True)
    assert lines == [f"{entry}{between}{rest}" for entry, rest in entries]


def test_a_compressed_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "cart.csv.gz"
    path.write_bytes(gzip.compress(TEXT.encode()))
    copy = label(path, tmp_path / "out", {})
    assert copy.path.name == "cart_synthetic.csv"
    assert copy.path.read_text("utf-8").startswith(COLUMN)


def test_parquet_keeps_types_and_metadata(tmp_path: Path) -> None:
    table = pa.table({"x": pa.array([1, None], pa.int8()), "d": pa.array([1.5, 2.5])})
    table = table.replace_schema_metadata({b"made": b"by cart"})
    pq.write_table(table, tmp_path / "cart.parquet")
    copy = pq.read_table(label(tmp_path / "cart.parquet", tmp_path / "out", {}).path)
    assert copy.drop_columns([COLUMN]).equals(table)
    assert copy.schema.metadata[b"made"] == b"by cart"
    assert copy.schema.metadata[b"label"] == SAYS.encode()


def test_spss_keeps_labels_and_missing_codes_and_has_a_title(tmp_path: Path) -> None:
    frame = pd.DataFrame({"sex": [1.0, 2.0, -9.0], "age": [20.0, 30.0, 40.0]})
    pyreadstat.write_sav(
        frame,
        str(tmp_path / "cart.sav"),
        column_labels={"sex": "Sex"},
        variable_value_labels={"sex": {1: "male", 2: "female", -9: "refused"}},
        missing_ranges={"sex": [-9]},
    )
    copy = label(tmp_path / "cart.sav", tmp_path / "out", {})
    _, meta = pyreadstat.read_sav(str(copy.path), user_missing=True)
    assert meta.variable_value_labels["sex"] == {1: "male", 2: "female", -9: "refused"}
    assert meta.column_names_to_labels["sex"] == "Sex"
    assert meta.missing_ranges["sex"] == [{"lo": -9.0, "hi": -9.0}]
    assert meta.file_label.startswith("SYNTHETIC DATA")


def test_stata_keeps_labels(tmp_path: Path) -> None:
    frame = pd.DataFrame({"sex": [1.0, 2.0], "age": [20.0, 30.0]})
    labels = {"sex": {1: "male", 2: "female"}}
    pyreadstat.write_dta(frame, str(tmp_path / "cart.dta"), variable_value_labels=labels)
    copy = label(tmp_path / "cart.dta", tmp_path / "out", {})
    _, meta = pyreadstat.read_dta(str(copy.path))
    assert meta.variable_value_labels["sex"] == {1: "male", 2: "female"}


def test_stata_keeps_each_kind_of_missing(tmp_path: Path) -> None:
    file = tmp_path / "cart.dta"
    frame = pd.DataFrame({"age": [30, "a", 41, "b"], "pay": [1.5, 2.0, None, 3.0]})
    pyreadstat.write_dta(frame, str(file), missing_user_values={"age": ["a", "b"]})
    copy = label(file, tmp_path / "out", {}).path
    read, meta = pyreadstat.read_dta(str(copy), user_missing=True)
    assert read["age"].tolist() == [30, "a", 41, "b"]
    assert meta.missing_user_values == {"age": ["a", "b"]}


def test_a_file_in_another_encoding_is_refused_with_the_line(tmp_path: Path) -> None:
    file = tmp_path / "cart.csv"
    file.write_bytes("name,age\nM\xfcller,30\n".encode("latin-1"))
    with pytest.raises(FileError, match="line 2 holds bytes that are not utf-8"):
        label(file, tmp_path / "out", {})


@pytest.mark.parametrize("column", ["", " "])
def test_a_column_without_a_name_is_refused_before_anything_is_written(
    tmp_path: Path, column: str
) -> None:
    source = tmp_path / "replica.csv"
    source.write_text("age,sex\n1,f\n2,m\n")
    with pytest.raises(StudyError, match="--column: expected the name"):
        label(source, tmp_path / "out", {}, column=column)
    assert not list(tmp_path.glob("out/*"))


def test_a_column_that_is_there_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "cart.csv"
    path.write_text(f"{COLUMN},x\n1,2\n3,4\n", encoding="utf-8")
    with pytest.raises(StudyError, match="--column"):
        label(path, tmp_path / "out", {})


def test_a_file_that_is_there_is_not_overwritten(text: Path, tmp_path: Path) -> None:
    label(text, tmp_path / "out", {})
    with pytest.raises(FileError, match="there is such a file already"):
        label(text, tmp_path / "out", {})


def test_a_format_without_a_writer_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "cart.feather"
    pd.DataFrame({"x": [1, 2]}).to_feather(path)
    with pytest.raises(StudyError, match="Parquet, SPSS and Stata"):
        label(path, tmp_path / "out", {})


@pytest.mark.usefixtures("text")
def test_the_command_labels_every_file_of_a_study(tmp_path: Path) -> None:
    study = tmp_path / "study.toml"
    study.write_text(
        '[data]\noriginal = "cart.csv"\nreplicas = { a = "cart.csv" }\n[roles]\nkeys = ["id"]\n',
        encoding="utf-8",
    )
    result = CliRunner().invoke(app, ["label", str(study), "--out", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    assert (tmp_path / "out" / "cart_synthetic.csv").is_file()
    assert "values as in cart.csv" in result.output


def test_files_of_one_name_have_copies_of_their_own(tmp_path: Path) -> None:
    for folder, entry in (("one", "1"), ("two", "2")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "cart.csv").write_text(f"id\n{entry}\n", encoding="utf-8")
    study = tmp_path / "study.toml"
    study.write_text(
        '[data]\noriginal = "one/cart.csv"\n'
        '[data.replicas]\na = ["one/cart.csv", "two/cart.csv"]\nb = "one/cart.csv"\n'
        '[roles]\nkeys = ["id"]\n',
        encoding="utf-8",
    )
    result = CliRunner().invoke(app, ["label", str(study), "--out", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    copies = {path.name: path.read_text("utf-8") for path in (tmp_path / "out").iterdir()}
    assert {name: text.splitlines()[1][-1] for name, text in copies.items()} == {
        "cart_synthetic.csv": "1",
        "cart_synthetic_2.csv": "2",
    }


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_bytes_after_the_label_are_the_file_s(tmp_path: Path, mark: bytes, end: bytes) -> None:
    lines = [b'"id","name"', b'1,"a\nb"', b'"2",c', b'3,"M\xc3\xbcller"']
    file = tmp_path / "cart.csv"
    file.write_bytes(mark + end.join(lines))  # no line end after the last record
    copy = label(file, tmp_path / "out", {}).path.read_bytes()
    labels = [COLUMN.encode(), *[SAYS.encode()] * 3]
    assert copy == mark + end.join(b",".join(pair) for pair in zip(labels, lines, strict=True))


@pytest.mark.parametrize("order", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_the_order_of_bytes_is_the_file_s(tmp_path: Path, order: str) -> None:
    file = tmp_path / "cart.csv"
    file.write_bytes("\ufeffid,name\r\n1,M\xfcller\r\n2,b\r\n".encode(order))
    copy = label(file, tmp_path / "out", {}).path.read_bytes().decode(order)
    assert copy == f"\ufeff{COLUMN},id,name\r\n{SAYS},1,M\xfcller\r\n{SAYS},2,b\r\n"


def test_a_label_that_holds_the_delimiter_is_quoted(text: Path, tmp_path: Path) -> None:
    copy = label(text, tmp_path / "out", {}, column='not; "real"').path.read_text("utf-8")
    assert copy.startswith('"not; ""real""";id;name;x\n')


def test_a_value_may_be_longer_than_the_csv_module_s_own_limit(tmp_path: Path) -> None:
    file = tmp_path / "cart.csv"
    file.write_text(f"id,note\n1,{'x' * 200_000}\n2,b\n", encoding="utf-8")
    copy = label(file, tmp_path / "out", {}).path.read_text("utf-8")
    assert len(copy.splitlines()[1]) > 200_000


def test_a_label_beyond_the_file_s_alphabet_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "cart.csv"
    file.write_bytes("name,age\nM\xfcller,30\nb,2\n".encode("latin-1"))
    with pytest.raises(StudyError, match="--column"):
        label(file, tmp_path / "out", {"encoding": "latin-1"}, column="ne\u017eiv\xed")
    assert not list((tmp_path / "out").iterdir())
