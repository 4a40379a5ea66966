"""Values on their way to R and back, with vectors of Python in place of R's."""

from __future__ import annotations

from io import BytesIO
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sdcmetrics.rbridge.values import Values
from sdcmetrics.rbridge.wire import RColumn, RFrame, read_message, write_message


class Vector(list[Any]):
    """A vector with names, classes and levels, as rpy2 has it."""

    names: Any = None
    rclass: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()

    def do_slot_assign(self, name: str, value: Any) -> None:
        assert name == "names"
        self.names = value

    def do_slot(self, name: str) -> Any:
        assert name == "levels"
        return self.levels

    def memoryview(self) -> Any:
        return memoryview(np.array([*self]))


class Bools(Vector): ...


class Ints(Vector): ...


class Floats(Vector): ...


class Texts(Vector): ...


class Lists(Vector): ...


NULL = object()
NA = {kind: f"NA of {kind.__name__}" for kind in (Bools, Ints, Floats, Texts)}
R = SimpleNamespace(
    NULL=NULL, BoolSexpVector=Bools, IntSexpVector=Ints, FloatSexpVector=Floats,
    StrSexpVector=Texts, ListSexpVector=Lists, NA_Logical=NA[Bools], NA_Integer=NA[Ints],
    NA_Real=NA[Floats], NA_Character=NA[Texts],
)  # fmt: skip


@pytest.fixture
def values() -> Values:
    made = Values.__new__(Values)
    made._ri = R
    return made


def made(kind: type[Vector], items: list[Any], **said: Any) -> Vector:
    out = kind(items)
    out.names = NULL
    for name, value in said.items():
        setattr(out, name, value)
    return out


@pytest.mark.parametrize(
    ("value", "kind", "items"),
    [
        (True, Bools, [True]),
        ([True, None], Bools, [True, NA[Bools]]),
        (3, Ints, [3]),
        ([1, None], Ints, [1, NA[Ints]]),
        ((1, 2.5, None), Floats, [1, 2.5, NA[Floats]]),
        (0.5, Floats, [0.5]),
        ("a", Texts, ["a"]),
        (["a", None], Texts, ["a", NA[Texts]]),
        ([None], Bools, [NA[Bools]]),
        ([], Lists, []),
        (np.array([1, 2], np.int32), Ints, [1, 2]),
        (np.array([1.0, 2.0]), Floats, [1.0, 2.0]),
    ],
)
def test_values_become_vectors_of_their_kind(
    values: Values, value: Any, kind: type[Vector], items: list[Any]
) -> None:
    result = values.to_r(value)
    assert type(result) is kind
    assert [*result] == items


def test_lists_of_several_kinds_and_dicts_are_lists_of_r(values: Values) -> None:
    result = values.to_r({"a": None, "b": [1, "x"], "c": [True, 1], "d": {"e": 2}})
    assert type(result) is Lists
    assert [*result.names] == ["a", "b", "c", "d"]
    assert result[0] is NULL
    assert [type(part) for part in result[1]] == [Ints, Texts]
    assert [type(part) for part in result[2]] == [Bools, Ints]
    assert [*result[3].names] == ["e"]


def test_a_frame_is_described_by_its_parts(values: Values) -> None:
    frame = RFrame(
        {
            "t": RColumn("text", ["x", None]),
            "c": RColumn("category", np.array([2, 1], np.int32), ("u", "v")),
            "n": RColumn("number", np.array([1.0, 2.0])),
        },
        2,
    )
    made = values.to_r(frame)
    result = dict(zip(made.names, made, strict=True))
    assert {name: [*part] for name, part in result.items()} == {
        "names": ["t", "c", "n"],
        "kinds": ["text", "category", "number"],
        "values": [["x", NA[Texts]], [2, 1], [1.0, 2.0]],
        "levels": [[], ["u", "v"], []],
        "n": [2],
    }
    assert [type(part) for part in result["values"]] == [Texts, Ints, Floats]


def test_vectors_come_back_by_their_kind(values: Values) -> None:
    assert values.from_r(NULL) is None
    assert values.from_r(Texts(["a", NA[Texts]])) == ["a", None]
    for kind, dtype in ((Floats, np.float64), (Ints, np.int32), (Bools, np.int32)):
        for items in ([1, 0], []):
            result = values.from_r(kind(items))
            assert (result.dtype, result.tolist()) == (dtype, items)
    named = made(Lists, [Texts(["x"]), NULL], names=["a", "b"])
    assert values.from_r(named) == {"a": ["x"], "b": None}
    assert values.from_r(made(Lists, [Texts(["x"])])) == [["x"]]
    with pytest.raises(TypeError, match="of class function/closure, which has no twin"):
        values.from_r(SimpleNamespace(rclass=("function", "closure")))


def test_a_data_frame_comes_back_by_the_classes_of_its_columns(values: Values) -> None:
    levels = ("u", "v")
    columns = {
        "c": made(Ints, [2, 1], rclass=("factor",), levels=levels),
        "o": made(Ints, [1, 2], rclass=("ordered", "factor"), levels=levels),
        "d": made(Floats, [1.0, 2.0], rclass=("Date",)),
        "m": made(Ints, [3, 4], rclass=("POSIXct", "POSIXt")),
        "t": made(Texts, ["x", NA[Texts]], rclass=("character",)),
        "b": made(Bools, [1, 0], rclass=("logical",)),
        "i": made(Ints, [5, 6], rclass=("integer",)),
        "n": made(Floats, [0.5, 1.5], rclass=("numeric",)),
    }
    whole = made(Lists, [*columns.values()], names=[*columns], rclass=("tbl", "data.frame"))
    result = values.from_r(whole)
    assert result.n == 2
    kinds = {name: column.kind for name, column in result.columns.items()}
    assert kinds == {
        "c": "category", "o": "ordered", "d": "date", "m": "time", "t": "text", "b": "boolean",
        "i": "integer", "n": "number",
    }  # fmt: skip
    assert result.columns["c"].levels == result.columns["o"].levels == levels
    assert result.columns["m"].values.dtype == np.float64  # R may count seconds in whole numbers
    assert result.columns["t"].values == ["x", None]
    assert result.columns["o"].values.tolist() == [1, 2]
    empty = values.from_r(made(Lists, [], rclass=("data.frame",)))
    assert (empty.columns, empty.n) == ({}, 0)


def test_messages_follow_one_another_and_end_with_the_stream() -> None:
    stream = BytesIO()
    for message in ({"a": 1}, ["b"] * 2000):
        write_message(stream, message)
    whole = stream.getvalue()
    stream.seek(0)
    assert read_message(stream) == {"a": 1}
    assert read_message(stream) == ["b"] * 2000
    with pytest.raises(EOFError):
        read_message(stream)
    with pytest.raises(EOFError):
        read_message(BytesIO(whole[:10]))


def test_a_message_that_comes_in_pieces_is_put_together() -> None:
    stream = BytesIO()
    write_message(stream, ["x"] * 50)
    whole = BytesIO(stream.getvalue())
    slow: Any = SimpleNamespace(read=lambda size: whole.read(min(size, 3)))
    assert read_message(slow) == ["x"] * 50
