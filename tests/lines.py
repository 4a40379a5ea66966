"""Which lines of the package run, by slipcover: bytecode notes its line until that is known.

A tracer is called at each line of every library: tests take half as long again. pytest-cov reports
these lines as its own. Loops that are compiled stay as they are written, for the compiler: tests
that run them as Python are marked "traced".
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any

from slipcover.importer import FileMatcher, ImportManager
from slipcover.slipcover import Slipcover

from tests.measures.loops import loops_of

PACKAGE = Path(__file__).parents[1] / "sdcmetrics"


@cache
def _loops() -> dict[str, set[str]]:
    return {str(file): {loop.name for loop in loops} for file, loops in loops_of(PACKAGE).items()}


class Lines(Slipcover):
    """The lines that run of modules that are imported from now on."""

    def instrument(self, co: CodeType, parent: CodeType | None = None) -> CodeType:
        """Let code note its lines, but for that of compiled loops."""
        if co.co_name in _loops().get(co.co_filename, ()):
            if hasattr(self, "code2index"):
                self.code2index[co] = []  # where its lines are: nowhere
            return co
        code: CodeType = super().instrument(co, parent)
        return code

    def note(self) -> None:
        """Look at what is imported of the package."""
        ImportManager(self, FileMatcher(sources=[PACKAGE])).__enter__()

    def noted(self) -> dict[str, Any]:
        """Return the lines that ran, file by file."""
        files = self.get_coverage()["files"]
        return {str(Path(name).absolute()): of["executed_lines"] for name, of in files.items()}
