"""The command line, run in this process."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sdcmetrics.cli.program import main

Cli = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run_cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    """Return a function of arguments that gives exit code, output and errors."""

    def run(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["sdcmetrics", *map(str, arguments)])
        with pytest.raises(SystemExit) as stopped:
            main()
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return int(stopped.value.code or 0), out, err

    return run


@pytest.fixture
def cli(run_cli: Cli) -> Cli:
    """Return the same, for tests that need no files, or make their own."""
    return run_cli
