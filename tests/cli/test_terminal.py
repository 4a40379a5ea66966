"""Lines, numbers, tables and stages as they are printed."""

from __future__ import annotations

import io
import shutil
import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.cli import terminal
from sdcmetrics.cli.terminal import (
    _fitting,
    _Stages,
    number_text,
    one_line,
    print_fixes,
    print_frame,
    print_table,
    progress,
    text_width,
)

Put = pytest.MonkeyPatch


@pytest.fixture(autouse=True)
def _a_pipe_of_no_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"), (-0.0, "0"), (3.0, "3"), (999.0, "999"), (999.9994, "1000"),
        (1000.4, "1,000"), (-1234.6, "-1,235"), (0.00012344, "0.0001234"),
        (12.345678, "12.35"),
        (1e9, "1,000,000,000"),
        (float("nan"), "-"), (np.int64(7), "7"),
    ],
)  # fmt: skip
def test_numbers_have_four_digits(value: float, text: str) -> None:
    assert number_text(value) == text


def test_a_long_line_loses_its_middle() -> None:
    assert one_line("x" * 600) == "x" * 600
    assert one_line("x" * 601) == f"{'x' * 299}…{'x' * 299}"
    assert one_line("abcdef", limit=6) == "abcdef"
    assert one_line("abcdef", limit=5) == "ab…ef"
    assert one_line("a\x1b[31mb\r\n") == one_line(one_line("a\x1b[31mb\r\n"))
    assert "\x1b" not in one_line("a\x1b[31mb")


@pytest.mark.parametrize(("columns", "width"), [(50, 49), (100, 99), (101, 99), (200, 99)])
def test_text_is_wrapped_to_a_hundred_columns_at_most(
    monkeypatch: Put, columns: int, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    assert text_width() == width
    monkeypatch.delenv("COLUMNS")
    assert text_width() == 99  # of a pipe
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(shutil, "get_terminal_size", lambda: shutil.os.terminal_size((60, 9)))  # type: ignore[attr-defined]
    assert text_width() == 59


@pytest.mark.parametrize(
    ("width", "fit"),
    [(15, 1), (16, 1), (17, 1), (18, 2), (22, 2), (23, 3), (99, 3)],
)
def test_as_many_numbers_are_shown_as_leave_room_for_names(width: int, fit: int) -> None:
    rows = [["a" * 4, "123", "1", "12"], ["a", "1", "123456", "1"]]
    # 4 + 2 of the name, then 3 + 2, 6 + 2 and 3 + 2
    assert _fitting(width + 1, ["n"], ["x", "y", "zzz"], rows) == fit
    long = [["a" * 40, "123"]]
    assert _fitting(14 + 2 + 3 + 2, ["n"], ["x"], long) == 1
    assert _fitting(10, ["n"], [], [["a" * 40]]) == 0


def test_what_is_too_narrow_is_said(monkeypatch: Put, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [["name", "12345678", "87654321"]]
    print_table(["who"], ["first", "second"], rows)
    out = capsys.readouterr().out
    assert all(word in out for word in ("who", "first", "second", "12345678", "87654321"))
    assert "too narrow" not in out
    monkeypatch.setenv("COLUMNS", "20")
    print_table(["who"], ["first", "second"], rows)
    out = capsys.readouterr().out
    assert "87654321" not in out
    assert "too narrow for second; widen the terminal, or see --csv" in out


def test_a_frame_stands_beside_its_index(capsys: pytest.CaptureFixture[str]) -> None:
    index = pd.MultiIndex.from_tuples([("a", 1), ("x" * 90, 2)], names=["who", "i"])
    frame = pd.DataFrame({"p": [0.5, np.nan], "q": [1.0, 2000.0]}, index=index)
    print_frame(frame, {"q": "large", "p": "small"})
    lines = [line.split() for line in capsys.readouterr().out.splitlines() if line.strip()]
    assert lines[0] == ["who", "i", "large", "small"]
    assert lines[2] == ["a", "1", "1", "0.5"]
    assert lines[3][-3:] == ["2", "2,000", "-"]
    assert len(lines[3][0]) < 90
    print_frame(frame, ["p"], "name", "number", short=False, text=lambda value: f"<{value}>")
    out = capsys.readouterr().out
    assert out.split()[:3] == ["name", "number", "p"]
    assert out.count("x") == 90
    assert "<0.5>" in out


def test_fixes_are_listed_once(capsys: pytest.CaptureFixture[str]) -> None:
    print_fixes([])
    print_fixes(["one", "one"])
    print_fixes(["one", "two"])
    assert capsys.readouterr().out == (
        "no fix was needed to compare the data sets\n"
        "1 fix made to compare the data sets:\n  - one\n"
        "2 fixes made to compare the data sets:\n  - one\n  - two\n"
    )


def stages(monkeypatch: Put, *steps: str) -> list[str]:
    """Return what is said of steps, each of which takes a second."""
    clock = iter(range(100))
    monkeypatch.setattr(terminal.time, "monotonic", lambda: float(next(clock)))
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    told = _Stages()
    for step in steps:
        told(step, 1, 2)
    told.say()
    told.say()
    return stream.getvalue().splitlines()


def test_a_stage_is_a_line_with_its_seconds(monkeypatch: Put) -> None:
    assert stages(monkeypatch) == []
    assert stages(monkeypatch, "reading") == ["reading: 1.0 s"]
    assert stages(monkeypatch, "a: tables of 2", "a: tables of 3", "a: models", "b: models") == [
        "a: tables, 2 steps: 2.0 s", "a: models: 1.0 s", "b: models: 1.0 s",
    ]  # fmt: skip
    assert stages(monkeypatch, "a: search, 10 %", "a: search, 20 %") == ["a: search: 2.0 s"]
    assert stages(monkeypatch, "tables one", "tables two") == ["tables, 2 steps: 2.0 s"]
    of_models = stages(monkeypatch, "a: model x ~ y", "a: model x ~ z")
    assert of_models == ["a: model x, 2 steps: 2.0 s"]
    whose = stages(monkeypatch, "a: whose records: file 1 of 2", "a: whose records: file 2 of 2")
    assert whose == ["a: whose records: file, 2 steps: 2.0 s"]
    assert stages(monkeypatch, "reference 1: a", "reference 2: b") == ["references, 2 steps: 2.0 s"]


@pytest.mark.parametrize(
    ("quiet", "lines", "shown"), [(True, True, False), (False, False, False), (False, True, True)]
)
def test_without_a_terminal_stages_are_lines_or_nothing(
    monkeypatch: Put, *, quiet: bool, lines: bool, shown: bool
) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with progress(quiet=quiet, lines=lines) as tell:
        assert (tell is None) is not shown
        if tell is not None:
            tell("reading", 0, 1)
    assert stream.getvalue().startswith("reading: ") is shown


def test_on_a_terminal_there_is_a_bar(monkeypatch: Put) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    said: Any = Terminal()
    monkeypatch.setattr(sys, "stderr", said)
    monkeypatch.setenv("TERM", "xterm")
    for lines in (True, False):
        with progress(lines=lines) as tell:
            assert tell is not None
            tell("searching", 1, 2)
    assert "1/2" in said.getvalue()
    assert "searching" in said.getvalue()
