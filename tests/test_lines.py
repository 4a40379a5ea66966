"""Lines that note themselves are those that a tracer sees."""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from tests import lines

SOURCE = '''"""A module."""

from __future__ import annotations

from functools import cache

LIMIT = 3
"""What it is about."""


class Counter:
    """A class."""

    start: int = 0

    @staticmethod
    @cache
    def next(number: int) -> int:
        """The next number."""
        if number > LIMIT:
            return 0
        elif number == LIMIT:
            return max(
                number,
                1,
            )
        else:
            number += 1
        return number


def attempt(error: type[Exception]) -> str:
    try:
        raise error
    except KeyError:
        return "key"
    except (ValueError, TypeError) as caught:
        with memoryview(b""):
            return str(caught)
    else:
        return "none"
    finally:
        for _ in range(2):
            continue
        while False:
            break


def loop(x):
    return x


def idle():
    return 1


results = Counter.next(1), Counter.next(3), attempt(TypeError), loop(2)
'''


def traced() -> set[int]:
    """Return the lines that Python says it runs."""
    seen = set()

    def trace(frame: FrameType, event: str, _: object) -> Any:
        if frame.f_code.co_filename != "counted.py":
            return None
        if event == "line":
            seen.add(frame.f_lineno)
        return trace

    code = compile(SOURCE, "counted.py", "exec", dont_inherit=True)
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        exec(code, {"__name__": "counted"})  # noqa: S102  (the text above)
    finally:
        sys.settrace(before)
    return seen


def noted(**options: Any) -> tuple[set[int], dict[str, Any]]:
    """Return the lines that note themselves, and what the module then holds."""
    seen: set[int] = set()
    code = lines.noting(SOURCE, "counted.py", **options)
    module: dict[str, Any] = {"__name__": "counted", lines.NOTE: seen.add}
    exec(code, module)  # noqa: S102  (the text above)
    return seen, module


def of(text: str) -> int:
    """Return the line of the module that has a text."""
    (line,) = [n for n, line in enumerate(SOURCE.splitlines(), 1) if text in line]
    return line


def test_they_are_those_that_a_tracer_sees() -> None:
    inside = {of("                number,"), of("                1,")}  # of a longer statement
    docstrings = {of('"""A module'), of('"""A class')}
    seen, module = noted()
    assert seen == traced() - inside - docstrings
    assert module["results"] == (2, 3, "", 2)


def test_those_that_do_not_run_are_missing() -> None:
    seen, _ = noted()
    for text in ("return 0", 'return "key"', 'return "none"', "break", "return 1"):
        assert of(text) not in seen
    assert {of("except KeyError"), of("elif"), of("@cache"), of("def idle")} <= seen


def test_what_is_compiled_stays_as_it_is_written() -> None:
    seen, module = noted(staying={"loop"})
    assert of("return x") not in seen
    assert lines.NOTE not in module["loop"].__code__.co_names
    assert lines.NOTE in noted()[1]["loop"].__code__.co_names


def test_the_compiler_is_given_what_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "counted.py"
    file.write_text(SOURCE, encoding="utf-8")
    module: dict[str, Any] = {"__name__": "counted", lines.NOTE: lambda _: None}
    exec(lines.noting(SOURCE, str(file)), module)  # noqa: S102  (the text above)
    assert lines.as_written(module["attempt"]) is module["attempt"]
    monkeypatch.setitem(lines._noted, str(file), set())
    written = lines.as_written(module["loop"])
    assert lines.NOTE in module["loop"].__code__.co_names
    assert lines.NOTE not in written.__code__.co_names
    assert written(2) == 2


def test_functions_that_are_marked_for_the_compiler_are_known() -> None:
    marked = lines._loops()[str(lines.PACKAGE / "measures" / "people" / "kernels.py")]
    assert "_close" in marked
    assert "search" not in marked


@pytest.mark.parametrize("name", ["sdcmetrics.results", "sdcmetrics.measures"])
def test_modules_of_the_package_are_found_and_no_others(name: str) -> None:
    finder = lines._Finder()
    spec = finder.find_spec(name, [str(lines.PACKAGE)])
    assert spec is not None
    assert isinstance(spec.loader, lines._Loader)
    assert finder.find_spec("json") is None
