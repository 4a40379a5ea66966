"""Which lines of the package run, noted by the lines themselves.

A tracer is called at each line of every library: tests take half as long again. Instead, each
statement of the package first notes its line, and pytest-cov reports what it did not have to
trace. The compiler is given functions as they are written; those that are marked for it, and never
run as Python but in tests marked "traced", stay so.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Collection, Sequence
from functools import cache, wraps
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from tests.measures.loops import loops_of

PACKAGE = Path(__file__).parents[1] / "sdcmetrics"
COMPILER = "sdcmetrics.microdata.compiled"
NOTE = "__note__"
"""By this name a module finds what notes a line."""

_noted: dict[str, set[int]] = {}
"""The lines that ran, file by file."""


class _Noter(ast.NodeTransformer):
    """Lets every statement note its line, but for those of functions that are to stay."""

    def __init__(self, staying: Collection[str]) -> None:
        self.staying = staying
        self.docstrings: set[ast.AST] = set()

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.expr):
            return node
        for first in getattr(node, "body", [])[:1]:
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                self.docstrings.add(first)
        if not (isinstance(node, ast.FunctionDef) and node.name in self.staying):
            self.generic_visit(node)
        if isinstance(node, ast.ExceptHandler) and node.type:  # it runs where an error comes by
            node.type = ast.BoolOp(ast.Or(), [_call(node.lineno), node.type], **_at(node.lineno))
        if not isinstance(node, ast.stmt) or node in self.docstrings:
            return node
        lines = {node.lineno, *(mark.lineno for mark in getattr(node, "decorator_list", ()))}
        notes = [ast.Expr(_call(line), **_at(line)) for line in lines]
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            return [node, *notes]  # nothing comes before it
        return [*notes, node]


def _at(line: int) -> dict[str, int]:
    return {"lineno": line, "end_lineno": line, "col_offset": 0, "end_col_offset": 0}


def _call(line: int) -> ast.Call:
    """Return what notes a line, and is None."""
    here = _at(line)
    return ast.Call(ast.Name(NOTE, ast.Load(), **here), [ast.Constant(line, **here)], [], **here)


def noting(source: str | bytes, path: str, *, staying: Collection[str] = ()) -> CodeType:
    """Compile a module of which each statement notes its line: it calls `__note__` with it."""
    code: CodeType = compile(
        _Noter(staying).visit(ast.parse(source, path)), path, "exec", dont_inherit=True
    )
    return code


@cache
def _loops() -> dict[str, set[str]]:
    return {
        str(file): {loop.name for loop in found if loop.decorator_list}
        for file, found in loops_of(PACKAGE).items()
    }


@cache
def as_written(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of a module, or of one that notes its lines, that notes nothing."""
    path = function.__code__.co_filename
    if path not in _noted:
        return function
    module = compile(Path(path).read_bytes(), path, "exec", dont_inherit=True)
    (code,) = (
        part
        for part in module.co_consts
        if isinstance(part, CodeType) and part.co_name == function.__name__
    )
    return FunctionType(code, function.__globals__, argdefs=function.__defaults__)


def _given_what_is_written(compiled: Any) -> Any:
    @wraps(compiled.__wrapped__)  # without its memory, as it is itself
    def given(function: Callable[..., Any], signature: str) -> Any:
        return compiled(as_written(function), signature)

    return given


class _Loader(SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        return noting(self.get_data(path), path, staying=_loops().get(path, ()))

    def exec_module(self, module: ModuleType) -> None:
        setattr(module, NOTE, _noted.setdefault(self.path, set()).add)
        super().exec_module(module)
        if self.name == COMPILER:
            vars(module)["compiled"] = _given_what_is_written(vars(module)["compiled"])


class _Finder(MetaPathFinder):
    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        if fullname.partition(".")[0] != PACKAGE.name:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and type(spec.loader) is SourceFileLoader:
            spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec


def note() -> None:
    """Let modules of the package that are imported from now on note their lines."""
    sys.meta_path.insert(0, _Finder())


def noted() -> dict[str, set[int]]:
    """Return the lines that ran, file by file."""
    return _noted
