"""Lines that note themselves are those that a tracer sees, but for those of compiled loops."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(
    sys.version_info >= (3, 12), reason="from Python 3.12 on coverage.py needs no tracer"
)

SOURCE = '''"""A module."""

LIMIT = 3


def next_of(number):
    if number > LIMIT:
        return 0
    elif number == LIMIT:
        return max(number, 1)
    return number


def attempt(error):
    try:
        raise error
    except KeyError:
        return "key"
    except (ValueError, TypeError) as caught:
        return str(caught)
    finally:
        while False:
            break


def loop(x):
    return x


results = next_of(1), next_of(3), attempt(TypeError), loop(2)
'''


@pytest.fixture
def lines() -> Any:
    return pytest.importorskip("tests.lines", reason="slipcover is not installed")


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


def noted(lines: Any) -> set[int]:
    """Return the lines that note themselves."""
    measured = lines.Lines(d_miss_threshold=1)
    code = measured.instrument(compile(SOURCE, "counted.py", "exec", dont_inherit=True))
    module: dict[str, Any] = {"__name__": "counted"}
    for _ in range(3):
        exec(code, module)  # noqa: S102  (the text above)
    assert module["results"] == (1, 3, "", 2)
    (seen,) = measured.noted().values()
    return set(seen)


def test_they_are_those_that_a_tracer_sees(lines: Any) -> None:
    seen = noted(lines)
    assert seen == traced()
    text = SOURCE.splitlines()
    missing = {text[line - 1].strip() for line in range(1, 1 + len(text)) if line not in seen}
    assert {"return 0", 'return "key"', "break"} <= missing


def test_loops_that_are_compiled_stay_as_they_are_written(
    lines: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "_loops", lambda: {"counted.py": {"loop"}})
    (line,) = [n for n, text in enumerate(SOURCE.splitlines(), 1) if "return x" in text]
    assert traced() - noted(lines) == {line}


def test_loops_of_the_package_are_known(lines: Any) -> None:
    loops = lines._loops()
    assert {"search", "among"} <= loops[str(lines.PACKAGE / "measures" / "people" / "kernels.py")]
