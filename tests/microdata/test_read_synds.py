"""What R's synthpop made, read without R."""

from __future__ import annotations

from pathlib import Path

import pytest

import sdcmetrics as sdc
from sdcmetrics.errors import FileError
from sdcmetrics.microdata.read_synds import holds_synds

FILES = Path(__file__).parent / "files"


def test_one_synthesis_is_a_list_of_one() -> None:
    (data,) = sdc.read_synds(FILES / "synds.rds")
    assert data.source == "synds.rds"
    assert data.table.equals(sdc.read(FILES / "data_frame.rds").table)
    assert data.sha256 is not None


def test_several_syntheses_have_names_of_their_own_and_the_codes() -> None:
    first, second = sdc.read_synds(FILES / "synds_two.rds")
    assert (first.source, second.source) == (
        "synds_two.rds, synthesis 1",
        "synds_two.rds, synthesis 2",
    )
    assert first.missing_codes == second.missing_codes == {"income": (-8.0, -9.0)}
    assert first.columns == ["income", "size"]
    assert (first.n, second.n) == (3, 2)


def test_only_files_called_rds_are_looked_into(tmp_path: Path) -> None:
    other = tmp_path / "synds.csv"
    other.write_bytes((FILES / "synds.rds").read_bytes())
    assert holds_synds(FILES / "synds.rds")
    assert not holds_synds(other)


def test_something_else_is_refused_with_the_remedy() -> None:
    with pytest.raises(FileError, match=r"class data\.frame\. Read a data frame with sdcmetrics"):
        sdc.read_synds(FILES / "data_frame.rds")
    with pytest.raises(FileError, match=r"absent\.rds"):
        sdc.read_synds(FILES / "absent.rds")


def test_a_file_tells_whether_it_holds_one() -> None:
    assert holds_synds(FILES / "synds.rds")
    assert not holds_synds(FILES / "data_frame.rds")
    assert not holds_synds(FILES / "absent.rds")
    assert not holds_synds(FILES / "make_rds.R")


def test_a_study_takes_all_syntheses_of_such_a_file() -> None:
    original = sdc.read_synds(FILES / "synds_two.rds")[0]
    study = sdc.Study(
        original, {"cart": FILES / "synds_two.rds"}, keys=["size"], targets=["income"]
    )
    assert [data.n for data in study.replicas["cart"]] == [3, 2]
