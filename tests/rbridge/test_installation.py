"""Whether R and its packages are there, and what to install."""

from __future__ import annotations

import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self

import pytest

from sdcmetrics import rbridge
from sdcmetrics.errors import RError
from sdcmetrics.rbridge import installation, process, state


def test_without_r_the_message_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("R_HOME", raising=False)
    status = rbridge.status()
    assert not status.available
    assert status.r_version is status.r_home is status.synthpop_version is None
    assert "install R" in status.message
    assert "install.R" in status.message
    assert status.message.count(". ") == 0


def test_an_r_home_without_r_is_no_r(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("R_HOME", str(tmp_path))
    assert rbridge.status().r_version is None


def test_without_rpy2_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sdcmetrics.rbridge.installation.rpy2_version", lambda: None)
    monkeypatch.setattr("sdcmetrics.rbridge.installation.ask_r", lambda: ("4.2.2", "/r", "1.9.2"))
    status = rbridge.status()
    assert not status.available
    assert 'pip install "sdcmetrics[r]"' in status.message


@pytest.mark.parametrize("whole", ["3.5.17", "3.4.5", "2.9.4"])
def test_two_packages_that_overwrite_each_other_are_named_with_the_cure(
    whole: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = {"rpy2": whole, "rpy2-rinterface": "3.6.5"}
    monkeypatch.setattr("sdcmetrics.rbridge.installation._installed", there.get)
    monkeypatch.setattr("sdcmetrics.rbridge.installation.ask_r", lambda: ("4.2.2", "/r", "1.9.2"))
    message = rbridge.status().message
    assert f"rpy2 {whole} and rpy2-rinterface 3.6.5 overwrite each other" in message
    assert "pip uninstall -y rpy2 rpy2-rinterface" in message


def test_an_rpy2_that_an_upgrade_has_torn_is_named_with_the_cure() -> None:
    torn = "cannot import name 'openrlib' from 'rpy2.rinterface_lib' (unknown location)"
    assert "pip uninstall -y rpy2 rpy2-rinterface" in installation.remedy(torn)


def test_rpy2_of_the_same_age_is_no_collision(monkeypatch: pytest.MonkeyPatch) -> None:
    there = {"rpy2": "3.6.5", "rpy2-rinterface": "3.6.5"}
    monkeypatch.setattr("sdcmetrics.rbridge.installation._installed", there.get)
    assert installation.rpy2_collision() == ""


def test_without_synthpop_the_message_names_the_script(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sdcmetrics.rbridge.installation.rpy2_version", lambda: "3.6.5")
    monkeypatch.setattr("sdcmetrics.rbridge.installation.ask_r", lambda: ("4.2.2", "/r", None))
    assert "install.R" in rbridge.status().message


@pytest.mark.parametrize(
    ("output", "status", "found"),
    [
        ("4.4.1\n/lib/R\n1.9.3\n", 0, ("4.4.1", "/lib/R", "1.9.3")),
        ("4.4.1\n/lib/R\n\n", 0, ("4.4.1", "/lib/R", None)),
        ("4.4.1\n", 0, (None, None, None)),
        ("4.4.1\n/lib/R\n1.9.3\n", 1, (None, None, None)),
    ],
)
def test_r_says_versions_and_home_line_by_line(
    monkeypatch: pytest.MonkeyPatch, output: str, status: int, found: tuple[str | None, ...]
) -> None:
    asked: list[Any] = []

    def run(command: list[str], **said: Any) -> Any:
        asked.append((command[0], said["timeout"]))
        return SimpleNamespace(stdout=output, returncode=status)

    monkeypatch.setattr(installation.subprocess, "run", run)
    monkeypatch.setattr(installation, "_r_program", lambda: "the R")
    assert installation.ask_r() == found
    assert asked == [("the R", 60)]
    for error in (OSError(), subprocess.TimeoutExpired("R", 60)):

        def fail(*_: Any, failing: Exception = error, **__: Any) -> Any:
            raise failing

        monkeypatch.setattr(installation.subprocess, "run", fail)
        assert installation.ask_r() == (None, None, None)


def test_the_program_is_that_of_r_home_or_of_the_path(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / "bin" / "R"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("R_HOME", str(tmp_path))
    assert installation._r_program() == str(program)
    monkeypatch.delenv("R_HOME")
    monkeypatch.setenv("PATH", str(program.parent))
    assert installation._r_program() == str(program)


def test_a_package_that_is_not_there_has_no_version() -> None:
    assert installation._installed("pytest") == pytest.__version__
    assert installation._installed("no-such-package") is None


def test_the_version_of_rpy2_is_that_of_its_interface(monkeypatch: pytest.MonkeyPatch) -> None:
    for there, result in (
        ({"rpy2": "3.5.1", "rpy2-rinterface": "3.6.5"}, "3.6.5"),
        ({"rpy2": "3.5.1"}, "3.5.1"),
        ({}, None),
    ):
        monkeypatch.setattr(installation, "_installed", there.get)
        assert installation.rpy2_version() == result
        assert bool(installation.rpy2_collision()) is (len(there) == 2)


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("symbol findVar", "too old for this R"),
        ("no module 'rpy2.robjects'", "Parts of rpy2 are missing"),
        ("rpy2 crashed", "R does not start: rpy2 crashed"),
        ("No module named 'x'", "R does not start: No module named 'x'"),
        ("libR.so is not there", "R was not found"),
        ("R_HOME is not there", "R was not found"),
    ],
)
def test_other_reasons_have_their_remedies(
    monkeypatch: pytest.MonkeyPatch, reason: str, words: str
) -> None:
    monkeypatch.setattr(installation, "_installed", {}.get)
    assert words in installation.remedy(reason)


@pytest.mark.parametrize(
    ("synthpop", "error", "available"), [("1.9.3", "", True), ("1.9.3", "it stops", False)]
)
def test_r_is_tried_last(
    monkeypatch: pytest.MonkeyPatch, synthpop: str, error: str, *, available: bool
) -> None:
    limits: list[float] = []

    class Session:
        def __init__(self, *, timeout: float) -> None:
            limits.append(timeout)

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_: object) -> None: ...

        @property
        def versions(self) -> dict[str, str]:
            if error:
                raise RError(error)
            return {}

    monkeypatch.setattr(installation, "_installed", {"rpy2": "3.6.5"}.get)
    monkeypatch.setattr(installation, "ask_r", lambda: ("4.4.1", "/lib/R", synthpop))
    monkeypatch.setattr(state, "Session", Session)
    result = rbridge.status()
    assert (result.available, limits) == (available, [60])
    works = "R 4.4.1 with synthpop 1.9.3 works, through rpy2 3.6.5."
    assert result.message == (error or works)
    assert (result.r_home, result.rpy2_version) == ("/lib/R", "3.6.5")


@pytest.mark.parametrize(
    ("there", "locale"),
    [
        ({}, "C.UTF-8"),
        ({"LANG": "de_AT.utf8"}, None),
        ({"LANG": "de_AT.utf8", "LC_CTYPE": "C"}, "C.UTF-8"),
        ({"LC_ALL": "en_US.UTF-8", "LANG": "C"}, "en_US.UTF-8"),
        ({"LC_ALL": "C", "LANG": "en_US.UTF-8"}, "C.UTF-8"),
    ],
)
def test_the_child_reads_utf_8_and_finds_this_package_first(
    monkeypatch: pytest.MonkeyPatch, there: dict[str, str], locale: str | None
) -> None:
    for name in ("LC_ALL", "LC_CTYPE", "LANG", "PYTHONPATH"):
        monkeypatch.delenv(name, raising=False)
    for name, value in there.items():
        monkeypatch.setenv(name, value)
    result = process._environment()
    assert result.get("LC_ALL") == locale
    package = str(Path(process.__file__).parents[2])
    assert result["PYTHONPATH"] == package
    assert (result["OPENBLAS_NUM_THREADS"], result["OMP_NUM_THREADS"]) == ("1", "1")
    monkeypatch.setenv("PYTHONPATH", "/other")
    assert process._environment()["PYTHONPATH"].startswith(f"{package}")
    assert process._environment()["PYTHONPATH"].endswith("/other")


def test_a_signal_without_a_name_is_unknown() -> None:
    assert process._signal_name(9) == "SIGKILL"
    assert process._signal_name(999) == "unknown"


@pytest.mark.r
def test_with_r_all_versions_are_known(r: rbridge.Session) -> None:
    status = rbridge.status()
    assert status.available
    assert status.r_version == r.versions["r"]
    assert status.synthpop_version == r.versions["synthpop"]
    assert status.r_home is not None
    assert Path(status.r_home).is_dir()
    assert "works" in status.message
