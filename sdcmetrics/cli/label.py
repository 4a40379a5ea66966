"""The command that writes labelled copies of replicas."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from sdcmetrics.cli.terminal import one_line, print_lines
from sdcmetrics.release.answers import read_request
from sdcmetrics.release.label import label
from sdcmetrics.release.public import path_of


def write_labelled(study: Path, out: Path, column: str) -> None:
    """Write a labelled copy of every file of every replica, and print where."""
    spec = read_request(study)
    how = spec.read.model_dump(exclude_none=True)
    sources = {
        path_of(file, study): name for name, files in spec.data.replicas.items() for file in files
    }
    alike = Counter[str]()
    for source, name in sources.items():
        file = source.name.removesuffix(".gz")
        alike[file] += 1
        copy = label(source, out, how, column=column, number=alike[file])
        words = f"{name}: {copy.path} (values as in {copy.source.name}: {copy.digest[:16]})"
        print_lines(one_line(words))
