from __future__ import annotations

from pathlib import Path

import pytest

from sdcmetrics import rbridge
from sdcmetrics.rbridge import installation


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


@pytest.mark.r
def test_with_r_all_versions_are_known(r: rbridge.Session) -> None:
    status = rbridge.status()
    assert status.available
    assert status.r_version == r.versions["r"]
    assert status.synthpop_version == r.versions["synthpop"]
    assert status.r_home is not None
    assert Path(status.r_home).is_dir()
    assert "works" in status.message
