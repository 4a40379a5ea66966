"""Imports go one way, lazy and type-only ones included; nothing imports in a circle."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "sdcmetrics"
ORDER = (
    {"errors"},
    {"results"},
    {"microdata"},
    {"measures"},
    {"suites"},
    {"study"},
    {"decision"},
    {"review"},
    {"rbridge"},
    {"ranking", "agreement"},
    {"release"},
    {"report"},
    {"utility", "risk", "survey", "fits"},
    {"cli"},
    {"__main__"},
)
SHARED = {
    "measure",
    "kind",
    "options",
    "section",
    "subject",
    "twin",
    "reference_values",
    "exchangeable",
    "overlap",
    "normal",
    "generator",
    "neighbours",
    "prediction",
    "survey",
    "fits",
    "pair",
    "records",
    "repetition",
    "crosstables",
    "expressions",
}
"""What subjects of measures may import of each other."""
REPORT = (
    {"folder", "safety", "measure"},
    {"figures", "measures", "distributions", "judging", "results_file"},
    {"source", "since"},
    {"block", "grid"},
    {"blocks", "sections"},
    {"assembly", "plot"},
    {"scan", "document"},
    {"formats"},
    {"outside"},
)
"""The storeys of the report: what is safe knows no section, and assembly stands above them all."""
TOGETHER = {"references"}
"""Folders of measures that put subjects together, and that no subject knows."""


def modules() -> dict[str, Path]:
    results = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        results[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return results


MODULES = modules()


@cache
def imported(path: Path) -> tuple[str, ...]:
    """Return the modules of this package that a file imports, wherever in the file."""
    return tuple(_imported(path))


def _imported(path: Path) -> Iterator[str]:
    """Yield the modules of this package that a file imports, wherever in the file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sdcmetrics"):
            base = (node.module or "").removeprefix("sdcmetrics").removeprefix(".")
            for alias in node.names:
                whole = f"{base}.{alias.name}".removeprefix(".")
                if whole != "__version__":
                    yield whole if whole in MODULES else base
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.startswith("sdcmetrics"):
                    yield alias.name.removeprefix("sdcmetrics").removeprefix(".")


def floor(module: str) -> int:
    room = module.partition(".")[0]
    return next(i for i, rooms in enumerate(ORDER) if room in rooms)


INNER = sorted(name for name in MODULES if name)


def test_every_room_has_a_floor() -> None:
    assert {name.partition(".")[0] for name in INNER} == set().union(*ORDER)


@pytest.mark.parametrize("room", sorted(set().union(*ORDER)))
def test_imports_go_down(room: str) -> None:
    up = [
        (name, target)
        for name in INNER
        if name.partition(".")[0] == room
        for target in imported(MODULES[name])
        # The package itself has the public names: only the command line, on top, may take them.
        if (floor(target) > floor(name) if target else room != "cli")
    ]
    assert up == []


def test_rooms_of_one_floor_do_not_know_each_other() -> None:
    crossing = [
        (name, target)
        for name in INNER
        for target in imported(MODULES[name])
        if target
        and floor(target) == floor(name)
        and target.partition(".")[0] != name.partition(".")[0]
    ]
    assert crossing == []


def test_imports_within_the_report_go_down() -> None:
    storeys = {name: i for i, names in enumerate(REPORT) for name in names}
    rooms = {name: name.split(".")[1] for name in INNER if name.startswith("report.")}
    assert set(rooms.values()) == set(storeys)
    up = [
        (name, target)
        for name, room in rooms.items()
        for target in imported(MODULES[name])
        if target in rooms and storeys[rooms[target]] > storeys[room]
    ]
    assert up == []


def test_subjects_share_only_what_is_common() -> None:
    crossing = []
    for name in INNER:
        parts = name.split(".")
        if parts[0] != "measures" or len(parts) < 3 or parts[1] in TOGETHER:
            continue
        for target in imported(MODULES[name]):
            other = target.split(".")
            if other[0] == "measures" and other[1:2] != parts[1:2] and other[1] not in SHARED:
                crossing.append((name, target))
    assert crossing == []


def test_no_module_imports_itself_through_others() -> None:
    arrows = {name: {t for t in imported(MODULES[name]) if t} - {name} for name in INNER}
    free: set[str] = set()
    while result := {name for name, targets in arrows.items() if targets <= free} - free:
        free |= result
    assert set(arrows) - free == set()


def test_the_first_floor_has_at_most_fourteen_entries_beside_names_for_users() -> None:
    python = {"py.typed"}  # what type checkers ask for (PEP 561)
    names = {"utility.py", "risk.py", "survey.py", "fits.py"}  # of functions, for users
    entries = {path.name for path in PACKAGE.iterdir() if not path.name.startswith("__")}
    assert len(entries - python - names) <= 14, sorted(entries)
