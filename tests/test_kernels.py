"""Loops kept on disk read nothing of another module, whose changes they would not notice."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import sdcmetrics

ROOT = Path(sdcmetrics.__file__).parent


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
    texts = {file: file.read_text() for file in sorted(ROOT.rglob("*.py"))}
    trees = {
        file: ast.parse(text)
        for file, text in texts.items()
        if re.search(r"@(inner|_within)\b|compiled|_SIGNATURES", text)  # whatever can name a loop
    }
    everywhere = {pair for file, tree in trees.items() for pair in handed(tree, file.stem)}
    loops = {file: list(kernels(tree, file.stem, everywhere)) for file, tree in trees.items()}
    number = {file.relative_to(ROOT).as_posix(): len(each) for file, each in loops.items() if each}
    assert len(number) >= 14
    for name in ("distributions/kernels", "excess/kernels", "crosstables/loops", "people/kernels"):
        assert number[f"measures/{name}.py"] > 0
    assert number["measures/propensity/growing.py"] > 20
    assert number["microdata/sources/loops.py"] > 0
    wrong = [(f.name, *b) for f, each in loops.items() for b in sorted(borrowed(trees[f], each))]
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
