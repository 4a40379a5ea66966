"""What stands in a replica's files beside the columns that it has of the original."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest

import sdcmetrics as sdc
from sdcmetrics.measures.identifiers.hidden import (
    other_columns,
    rare_levels,
    unused_levels,
    with_row_names,
)
from sdcmetrics.measures.identifiers.identifiers import identifiers_of_study
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.microdata.sources.large import of_memory
from sdcmetrics.microdata.sources.parquet import scan_parquet

N = 200


def people(seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    name = [f"p{number:07d}" for number in rng.choice(10**7, N, replace=False)]
    return pd.DataFrame({"a": rng.integers(0, 3, N), "name": name})


ORIGINAL = people(1)
ROWS = np.random.default_rng(7).choice(2 * N, N, replace=False)
SHUFFLED = ORIGINAL["name"].sample(frac=1, random_state=3).to_numpy()


@pytest.mark.parametrize("holdout", [None, people(5)])
def test_an_identifier_is_seen_under_another_name(holdout: pd.DataFrame | None) -> None:
    replica = people(2).drop(columns="name").assign(true=SHUFFLED)
    result = sdc.identifiers(ORIGINAL, replica, holdout)
    assert [(hit.name, hit.under, hit.by_file) for hit in result.hits] == [("name", "true", (N,))]
    assert result.absent == ()
    assert f"{N} of them stand in synthetic, in column true" in next(result.sentences())
    assert next(result.sentences()).endswith("Drop that column from the replica.")


def test_a_file_without_the_column_counts_none_of_it() -> None:
    plain = people(2).drop(columns="name")
    result = sdc.identifiers(ORIGINAL, [plain, plain.assign(true=SHUFFLED)])
    assert [hit.by_file for hit in result.hits] == [(0, N)]


def test_new_values_under_another_name_are_no_hit() -> None:
    replica = people(2).rename(columns={"name": "other"})
    result = sdc.identifiers(ORIGINAL, replica)
    assert result.hits == ()
    assert result.absent == ("name",)


def test_what_is_mostly_something_else_is_no_hit() -> None:
    few = np.where(np.arange(N) < 0.4 * N, SHUFFLED, people(2)["name"])
    half = np.where(np.arange(N) < 0.5 * N, SHUFFLED, people(2)["name"])
    plain = people(2).drop(columns="name")
    assert not sdc.identifiers(ORIGINAL, plain.assign(other=few)).hits
    assert sdc.identifiers(ORIGINAL, plain.assign(other=half)).hits


def test_labels_of_numbers_that_no_record_has_are_looked_at(tmp_path: Path) -> None:
    """SPSS and Stata store them beside numbers too, of which only some have one."""
    plain = people(2).drop(columns="name").astype(float)
    paths = {key: str(tmp_path / f"{key}.sav") for key in ("names", "codes")}
    for key, texts in (("names", SHUFFLED), ("codes", ["refused"])):
        labels = {"a": {1000.0 + i: text for i, text in enumerate(texts)}}
        pyreadstat.write_sav(plain, paths[key], variable_value_labels=labels)
    (hit,) = sdc.identifiers(ORIGINAL, sdc.read(paths["names"])).hits
    assert (hit.name, hit.under, hit.unused, hit.shared) == ("name", "a", True, N)
    assert sdc.identifiers(ORIGINAL, sdc.read(paths["codes"])).hits == ()


def test_levels_that_no_record_has_are_looked_at() -> None:
    labels = pd.Categorical(["x"] * N, categories=["x", *SHUFFLED])
    result = sdc.identifiers(ORIGINAL, people(2).drop(columns="name").assign(a=labels))
    assert [(hit.name, hit.under, hit.unused) for hit in result.hits] == [("name", "a", True)]
    assert "as levels of column a that no record has. Write the file without" in " ".join(
        result.sentences()
    )


def test_rare_levels_without_a_record_are_counted() -> None:
    original = pd.DataFrame({"a": list("xxxxyyyzzw"), "b": range(10)})
    levels = ["w", "x", "z", "y", "unknown"]
    replica = original.assign(a=pd.Categorical(["x"] * 10, categories=levels))
    result = sdc.identifiers(original, replica)
    assert result.rare_levels == (("synthetic", "a", 2),)  # w and z; three people have y
    assert sdc.identifiers(original, replica.assign(a=["x"] * 10)).rare_levels == ()
    study = sdc.Study(original.assign(c=1), {"r": replica.assign(c=1)}, keys=["a"], targets=["b"])
    notes = [fix.what for _, fix in sdc.conduct(study).fixes if fix.column == "a"]
    assert [note for note in notes if note.startswith("2 levels are listed with it that none of")]


def test_levels_are_rare_that_one_or_two_people_have() -> None:
    original = pa.table({name: list("xxxxyyyzzw") for name in ("a", "b")})
    original = original.append_column("lists", pa.array([["w"]] * 10))
    replica = pd.DataFrame({name: ["x"] * 10 for name in ("a", "b", "c", "lists")})
    levels = {
        "a": ["x", "w", "y", "unknown"],
        "b": ["y", "x"],
        "c": ["x", "w"],
        "lists": ["x", "w"],
    }
    for name, several in levels.items():  # nobody has a c, and of b three have y
        replica[name] = pd.Categorical(replica[name], categories=several)
    with_z = replica.assign(a=pd.Categorical(["x"] * 9 + ["w"], ["z", "w", "x"]))
    files = [as_microdata(file, f"file {i}") for i, file in enumerate((replica, with_z))]
    rare = rare_levels(as_microdata(original, "original"), [of_memory(files[0]), *files])
    assert list(rare) == [("file 0", "a", 1), ("file 1", "a", 1)]


def test_columns_that_say_nothing_are_no_columns() -> None:
    original = as_microdata(pd.DataFrame({"a": [3, 4, 5]}), "original")
    replica = pd.DataFrame(
        {
            "a": [1, 2, 2],
            "from_0": [0, 1, 2],
            "from_1": [1, 2, 3],
            "from_2": [2, 3, 4],
            "two": [5, 5, 9],
            "same": [7, 7, 7],
            "none": [None, None, None],
            "gaps": [1, None, 3],
        }
    )
    names = other_columns(original, [as_microdata(replica, "replica")])
    assert names == ["from_2", "two", "gaps"]


class TestNamesOfRows:
    def files(self, folder: Path, index: np.ndarray) -> tuple[Path, Path]:
        numbered = ORIGINAL.drop(columns="name").set_index(ROWS)
        numbered.to_parquet(folder / "original.parquet")
        replica = people(2).drop(columns="name").set_index(index)
        replica.to_parquet(folder / "replica.parquet")
        return folder / "original.parquet", folder / "replica.parquet"

    def test_of_the_original_are_identifiers(self, tmp_path: Path) -> None:
        rng = np.random.default_rng(1)
        original, replica = self.files(tmp_path, rng.permutation(ROWS))
        result = sdc.identifiers(sdc.read(original), sdc.read(replica))
        assert [(hit.name, hit.shared) for hit in result.hits] == [("__index_level_0__", N)]

    def test_that_count_the_rows_are_none(self, tmp_path: Path) -> None:
        original, replica = self.files(tmp_path, np.arange(N).astype(np.int32))
        assert sdc.read(replica).unread.column_names == []
        assert not sdc.identifiers(sdc.read(original), sdc.read(replica)).hits

    def test_are_among_what_a_study_compares_nowhere(self, tmp_path: Path) -> None:
        rng = np.random.default_rng(1)
        _, replica = self.files(tmp_path, rng.permutation(10 * N)[:N])
        data = as_microdata(ORIGINAL, "original"), [sdc.read(replica)], None
        result = identifiers_of_study(data, None, ORIGINAL.columns)
        assert not result.hits
        assert result.uncompared == ("__index_level_0__",)


def test_a_data_set_larger_than_memory_is_not_read_for_the_names_of_its_rows(
    tmp_path: Path,
) -> None:
    people(2).set_index(ROWS).to_parquet(tmp_path / "part.parquet")
    replica = scan_parquet(tmp_path)
    assert with_row_names(replica) is replica


@pytest.mark.parametrize(
    ("parts", "unused"), [(["ab"], ["c"]), (["ab", "b"], ["c"]), (["a", "", "c"], ["b"])]
)
def test_levels_of_files_in_parts_are_unused_if_no_part_has_them(
    parts: list[str], unused: list[str]
) -> None:
    kind = pa.dictionary(pa.int32(), pa.string())
    levels = pa.array(["a", "b", "c"])
    chunks = [
        pa.DictionaryArray.from_arrays(
            pa.array([*map("abc".index, part), None], pa.int32()), levels
        )
        for part in parts
    ]
    table = pa.table({"x": pa.chunked_array(chunks, type=kind)})
    assert unused_levels(as_microdata(table, "replica"), "x").to_pylist() == unused


def test_an_index_in_a_folder_of_parquet_is_listed(tmp_path: Path) -> None:
    people(2).set_index(ROWS).to_parquet(tmp_path / "part.parquet")
    replica = scan_parquet(tmp_path)
    assert replica.unread.column_names == ["__index_level_0__"]
    parts = as_microdata(ORIGINAL, "original"), [replica], None
    assert other_columns(parts[0], parts[1]) == ["__index_level_0__"]


def test_other_columns_are_uncompared_unless_they_are_hits() -> None:
    replica = people(2).drop(columns="name").assign(true=SHUFFLED, note=np.arange(N) % 7)
    parts = as_microdata(ORIGINAL, "original"), [as_microdata(replica, "replica")], None
    result = identifiers_of_study(parts, None, ORIGINAL.columns)
    assert result.uncompared == ("note",)


def test_a_type_without_values_to_compare_is_listed_all_the_same() -> None:
    lists = pa.array([[i, i + 1] for i in range(N)])
    replica = pa.Table.from_pandas(people(2)).append_column("both", lists)
    parts = as_microdata(ORIGINAL, "original"), [as_microdata(replica, "replica")], None
    assert identifiers_of_study(parts, None, ORIGINAL.columns).uncompared == ("both",)
