"""Structure of a replica beside its original: each difference alone, and said from both sides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from sdcmetrics.measures.publication.structure import (
    adherence,
    structural_findings,
    structure_table,
)
from sdcmetrics.microdata.frames import Microdata
from sdcmetrics.microdata.schema import harmonise

PEOPLE: Mapping[str, Any] = {
    "age": [20, 30, 40, 50],
    "town": pa.array(["a", "b", "b", "c"]).dictionary_encode(),
    "pay": [1.0, None, 3.0, 3.0],
}


def file(changes: Mapping[str, Any] | None = None, **said: Any) -> Microdata:
    """Return people, with other columns where told; None leaves a column out."""
    columns = {**PEOPLE, **(changes or {})}
    table = pa.table({name: values for name, values in columns.items() if values is not None})
    return Microdata(table, "file", **said)


def texts(original: Microdata, replica: Microdata, gap: float = 10.0) -> dict[str, list[str]]:
    """Return what is found of each column."""
    data = harmonise(original, [replica])
    out: dict[str, list[str]] = {}
    for finding in structural_findings(original, replica, data, 1, gap):
        assert finding.subject == "structure"
        assert finding.remedy
        assert finding.minor == finding.text.startswith("stored as")
        out.setdefault(finding.column, []).append(finding.text)
    return out


def test_the_same_file_has_no_finding() -> None:
    entries = {
        "labels": {"age": "Age"},
        "scales": {"age": "interval"},
        "missing_codes": {"pay": (9.0,)},
        "value_labels": {"pay": {1.0: "low"}},
    }
    assert texts(file(**entries), file(**entries)) == {}


@pytest.mark.parametrize(
    ("what", "ours", "theirs", "text"),
    [
        ("labels", "Age", None, "the original has a label, and the replica has none"),
        ("labels", "Age", "Years", "another label than in the original"),
        ("labels", None, "Age", ""),
        ("value_labels", {20.0: "x"}, None, "the original has value labels, and the replica has"),
        ("value_labels", {20.0: "x"}, {20.0: "y"}, "other value labels than in the original"),
        ("missing_codes", (20.0, 30.0), (40.0,), "other codes for missing than in the original"),
        ("missing_codes", (20.0, 30.0), (30.0,), ""),  # no record of the replica has the other
        ("missing_codes", (20.0,), (20.0, 30.0), "other codes for missing than in the original"),
        ("missing_codes", (20.0,), None, "the original has codes for missing, and the replica"),
        ("scales", "nominal", "ordinal", "its level of measurement is ordinal, in the original no"),
        ("scales", "nominal", None, ""),  # a text file has none
        ("scales", "nominal", "nominal", ""),
    ],
)
def test_what_a_file_says_of_a_column(what: str, ours: Any, theirs: Any, text: str) -> None:
    original, replica = (
        file(**{what: {} if item is None else {"age": item}}) for item in (ours, theirs)
    )
    result = texts(original, replica)
    if not text:
        assert result == {}
        return
    assert list(result) == ["age"]
    (line,) = result["age"]
    assert line.startswith(text)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"age": None}, {"age": ["the replica lacks this column"]}),
        ({"new": [1, 2, 3, 4]}, {"new": ["the original has no such column"]}),
        (
            {"age": [20, 30, 40, 51]},
            {"age": ["25 % of values are outside the original's range"]},
        ),
        (
            {"age": [19, 30, 40, 50]},
            {"age": ["25 % of values are outside the original's range"]},
        ),
        ({"age": [50, 20, 50, 20]}, {"age": [
            "tells records from one another in the original, and not in the replica",
        ]}),
        (
            {"town": pa.array(["a", "d", "d", "c"]).dictionary_encode()},
            {"town": ["50 % of values are outside the original's levels"]},
        ),
        (
            {"pay": [1.0, 2.0, 3.0, 3.0]},
            {"pay": ["0 % of records have no value, in the original 25 %"]},
        ),
        (
            {"pay": [None, None, 3.0, 3.0]},
            {"pay": ["50 % of records have no value, in the original 25 %"]},
        ),
        (
            {"age": [20.0, 30.0, 40.0, 50.0]},
            {"age": ["stored as double, in the original as int64"]},
        ),
    ],
)  # fmt: skip
def test_one_difference_is_one_finding(
    changes: dict[str, Any], expected: dict[str, list[str]]
) -> None:
    assert texts(file(), file(changes)) == expected


def test_a_gap_of_missing_values_is_tolerated_up_to_its_size() -> None:
    filled = file({"pay": [1.0, 2.0, 3.0, 3.0]})
    assert texts(file(), filled, gap=25.0) == {}
    assert texts(file(), filled, gap=24.9) != {}


def test_the_order_of_columns() -> None:
    turned = Microdata(file().table.select(["town", "age", "pay"]), "file")
    assert texts(file(), turned) == {"": ["columns are in another order than in the original"]}
    fewer = Microdata(file().table.select(["age", "pay"]), "file")
    assert texts(file(), fewer) == {"town": ["the replica lacks this column"]}


@pytest.mark.parametrize("seed", range(6))
def test_adherence_is_that_of_pandas(seed: int) -> None:
    rng = np.random.default_rng(seed)

    def people(n: int, spread: int) -> pd.DataFrame:
        x = rng.integers(-spread, spread, n).astype(float)
        x[rng.random(n) < 0.2] = np.nan
        g = pd.Series(rng.choice(list("abcdefg")[:spread], n)).where(rng.random(n) < 0.9)
        return pd.DataFrame({"x": x, "g": g.astype("category")})

    first, other = people(40, 5), people(30, 7)
    files = [
        Microdata(pa.Table.from_pandas(frame, preserve_index=False), "f")
        for frame in (first, other)
    ]
    data = harmonise(files[0], files[1:])
    inside = {
        "x": other["x"].dropna().between(first["x"].min(), first["x"].max()).mean(),
        "g": other["g"].dropna().isin(first["g"].dropna()).mean(),
    }
    table = structure_table(data, 1)
    for name in ("x", "g"):
        result = adherence(data.variables[name], 1)
        assert table.loc[name].to_dict() == vars(result)
        single = [frame[name].dropna().value_counts() for frame in (first, other)]
        assert result.inside == pytest.approx(100 * inside[name])
        assert result.missing_original == pytest.approx(100 * first[name].isna().mean())
        assert result.missing_synthetic == pytest.approx(100 * other[name].isna().mean())
        for which, counts in zip(("original", "synthetic"), single, strict=True):
            share = (counts == 1).sum() / counts.sum()
            assert getattr(result, f"distinct_{which}") == pytest.approx(100 * share)
