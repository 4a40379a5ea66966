"""Loops kept on disk read nothing of another module, whose changes they would not notice."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path

import sdcmetrics
from tests.measures.loops import handed, kernels, loops_of

ROOT = Path(sdcmetrics.__file__).parent


def borrowed(tree: ast.Module, functions: Iterable[ast.FunctionDef]) -> set[tuple[str, str]]:
    """Return what compiled functions read that their module imports from the package."""
    imported = {
        alias.asname or alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sdcmetrics")
        for alias in node.names
    }
    return {
        (kernel.name, name.id)
        for kernel in functions
        for statement in kernel.body
        for name in ast.walk(statement)
        if isinstance(name, ast.Name) and name.id in imported
    }


def test_compiled_loops_read_nothing_of_another_module() -> None:
    loops = loops_of(ROOT)
    number = {file.relative_to(ROOT).as_posix(): len(each) for file, each in loops.items()}
    assert len(number) >= 14
    for name in ("distributions/kernels", "excess/kernels", "crosstables/loops", "people/kernels"):
        assert number[f"measures/{name}.py"] > 0
    assert number["measures/propensity/growing.py"] > 20
    assert number["microdata/sources/loops.py"] > 0
    wrong = [
        (file.name, *name)
        for file, each in loops.items()
        for name in sorted(borrowed(ast.parse(file.read_text()), each))
    ]
    assert wrong == []


def test_a_borrowed_constant_is_seen() -> None:
    tree = ast.parse(
        "from sdcmetrics.other import LIMIT\n"
        "from sdcmetrics.arrays import Array\n"
        "@inner\ndef add(x: Array) -> None:\n    x[0] += LIMIT\n"
        "def outer(x: Array) -> int:\n    return LIMIT\n"
        "compiled(outer, '')\n"
        "def plain() -> int:\n    return LIMIT\n"
    )
    functions = kernels(tree, "here", set(handed(tree, "here")))
    assert borrowed(tree, functions) == {("add", "LIMIT"), ("outer", "LIMIT")}
