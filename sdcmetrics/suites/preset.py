"""Presets: which metrics of SynthEval and tests of DAISYnt to compute, and with what options."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sdcmetrics.errors import FileError, StudyError, did_you_mean
from sdcmetrics.microdata.file_format import is_a_file

PRESETS = Path(__file__).parent / "presets"
"""Folder of the presets that come with the package."""


@dataclass(frozen=True)
class Preset:
    """Metrics by name, and what is known of the columns.

    Attributes
    ----------
    metrics : mapping of name to mapping of option to value
    categorical : names, or None to find them in the original
    target, sensitive, public : tuples of names
    """

    metrics: Mapping[str, Mapping[str, Any]]
    categorical: tuple[str, ...] | None = None
    target: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    public: tuple[str, ...] = ()
    title: str = field(default="", compare=False)


def load_preset(name: str) -> Preset:
    """Read a preset of the package by its name, or of one's own by its path, ending in .toml.

    Raises
    ------
    StudyError, FileError
        If there is no such preset, or the file is not one.

    Examples
    --------
    >>> list(load_preset("fast").metrics)[:3]
    ['dwm', 'pca', 'cio']
    """
    file = Path(name) if name.endswith(".toml") else PRESETS / f"{name}.toml"
    if not is_a_file(file):
        expected = sorted(path.stem for path in PRESETS.glob("*.toml"))
        hint = did_you_mean(name, expected) or f" Known: {', '.join(expected)}, or a file *.toml."
        msg = f"preset: there is no preset {name!r}.{hint}"
        raise StudyError(msg) if not name.endswith(".toml") else FileError(msg)
    try:
        entries = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        msg = f"{file.name}: not valid TOML: {error}."
        raise StudyError(msg) from None
    except RecursionError:
        msg = f"{file.name}: lists or tables are nested thousands of levels deep."
        raise StudyError(msg) from None
    expected = ["title", "metrics", "categorical", "target", "sensitive", "public"]
    for entry in entries:
        if entry not in expected:
            hint = did_you_mean(entry, expected) or f" Known: {', '.join(expected)}."
            msg = f"{file.name}: unknown entry {entry!r}.{hint}"
            raise StudyError(msg)
    metrics = entries.get("metrics")
    if not isinstance(metrics, dict) or not all(
        isinstance(options, dict) for options in metrics.values()
    ):
        msg = f"{file.name}: expected [metrics] with entries such as dwm = {{}}."
        raise StudyError(msg)
    names = {key: _names(entries[key], key, file) for key in expected[2:] if key in entries}
    return Preset(metrics=metrics, title=str(entries.get("title", file.stem)), **names)


def _names(value: Any, key: str, file: Path) -> tuple[str, ...]:
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not all(isinstance(name, str) for name in listed):
        msg = f"{file.name}: {key}: expected names of columns."
        raise StudyError(msg)
    return tuple(listed)
