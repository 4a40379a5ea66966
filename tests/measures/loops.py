"""Loops that are compiled: which functions these are, and how they run as Python."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest


def as_python(patch: pytest.MonkeyPatch, *modules: ModuleType) -> None:
    """Put the functions as they are written in the place of the compiled ones.

    That checks bounds and waits for no compiler.
    """
    for module in modules:
        for name, part in vars(module).copy().items():
            if hasattr(part, "py_func"):
                patch.setattr(module, name, part.py_func)


def handed(tree: ast.Module, stem: str) -> Iterator[tuple[str, str]]:
    """Yield the functions that a module hands to the compiler, each with its module's name."""
    origin = {
        alias.asname or alias.name: (node.module or "").rpartition(".")[2]
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "compiled":
            first = call.args[0]
            if isinstance(first, ast.Name):
                yield origin.get(first.id, stem), first.id
            elif isinstance(first, ast.Attribute) and isinstance(first.value, ast.Name):
                yield first.value.id, first.attr
        if isinstance(call, ast.AnnAssign | ast.Assign) and isinstance(call.value, ast.Dict):
            targets = call.targets if isinstance(call, ast.Assign) else [call.target]
            if getattr(targets[0], "id", "") == "_SIGNATURES":
                for key in call.value.keys:
                    if isinstance(key, ast.Name):
                        yield origin.get(key.id, stem), key.id


def kernels(
    tree: ast.Module, stem: str, everywhere: set[tuple[str, str]]
) -> Iterator[ast.FunctionDef]:
    """Yield functions that are compiled: marked, or handed to the compiler."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            marks = {m.id for m in node.decorator_list if isinstance(m, ast.Name)}
            if marks & {"inner", "_within"} or (stem, node.name) in everywhere:
                yield node


def loops_of(root: Path) -> dict[Path, list[ast.FunctionDef]]:
    """Return the functions that are compiled, file by file."""
    texts = {file: file.read_text("utf-8") for file in sorted(root.rglob("*.py"))}
    trees = {
        file: ast.parse(text)
        for file, text in texts.items()
        if re.search(r"@(inner|_within)\b|compiled|_SIGNATURES", text)  # whatever can name a loop
    }
    everywhere = {pair for file, tree in trees.items() for pair in handed(tree, file.stem)}
    loops = {file: list(kernels(tree, file.stem, everywhere)) for file, tree in trees.items()}
    return {file: functions for file, functions in loops.items() if functions}
