"""What the demonstration writes beside its review."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from sdcmetrics.cli import run
from sdcmetrics.cli.app import app
from sdcmetrics.study.demo import review


@pytest.mark.parametrize(("mode", "written"), [("internal", ["study"]), ("checker", [])])
def test_only_an_internal_review_has_its_study_beside_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, mode: str, written: list[str]
) -> None:
    folders: list[Path] = []

    def write(folder: Path) -> Path:
        folders.append(folder)
        return folder / "study.toml"

    monkeypatch.setattr(review, "write_study", write)
    monkeypatch.setattr(review, "study", lambda: None)
    monkeypatch.setattr(run, "run", lambda *_, **__: 0)
    done = CliRunner().invoke(app, ["demo", "--out", str(tmp_path), "--mode", mode])
    assert done.exit_code == 0
    assert folders == [tmp_path / name for name in written]
    assert done.stdout == "".join(f"study: {folder / 'study.toml'}\n" for folder in folders)
