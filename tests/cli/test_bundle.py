"""`sdcmetrics make-keys`, `bundle`, `sign` and `verify-bundle`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.release.studies import people, write_study
from tests.release.test_bundle import results

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def bundle(run_cli: Run, tmp_path: Path) -> Path:
    study = write_study(tmp_path / "study", people(50, 7))
    assert run_cli("make-keys", tmp_path / "key")[0] == 0
    out = results(tmp_path / "out")
    given = ("--key", tmp_path / "key", "--name", "Anna", "--out", tmp_path / "b")
    assert "Name it with --study" in run_cli("bundle", out, *given)[2]
    code, text, err = run_cli("bundle", out, "--study", study, *given)
    assert (code, err) == (0, "")
    assert "prepared: Anna" in text
    assert "left out, as they are no results: cache-internal" in text
    return tmp_path / "b"


def test_states_are_signed_and_checked(run_cli: Run, bundle: Path) -> None:
    key, public = bundle.with_name("key"), bundle.with_name("key.pub")
    assert run_cli("sign", bundle, "checked", "--key", key, "--name", "Anna")[0] == 0
    code, text, _ = run_cli("verify-bundle", bundle, "--public-key", public)
    assert (code, "checked: Anna" in text) == (0, True)
    (bundle / "inputs.json").write_text("[]")
    code, text, _ = run_cli("verify-bundle", bundle, "--public-key", public)
    assert (code, "inputs.json: this file was changed" in text) == (1, True)
    assert "Do not use these files. Ask whoever handed them out" in text


def test_a_key_is_not_bundled(run_cli: Run, bundle: Path, tmp_path: Path) -> None:
    inside = tmp_path / "other" / "key"
    inside.parent.mkdir()
    run_cli("make-keys", inside)
    study = tmp_path / "study" / "study.toml"
    given = ("--study", study, "--key", inside, "--name", "Anna", "--out", inside.parent)
    assert run_cli("bundle", tmp_path / "out", *given)[0] == 4
    assert bundle.is_dir()


def test_a_withdrawn_bundle_has_an_exit_code_of_its_own(run_cli: Run, bundle: Path) -> None:
    key, public = bundle.with_name("key"), bundle.with_name("key.pub")
    assert run_cli("verify-bundle", bundle, "--public-key", public)[0] == 0
    assert run_cli("sign", bundle, "withdrawn", "--key", key, "--name", "Anna")[0] == 0
    code, text, _ = run_cli("verify-bundle", bundle, "--public-key", public)
    assert (code, "withdrawn by Anna" in text) == (6, True)
    (bundle / "inputs.json").write_text("[]")
    code, text, _ = run_cli("verify-bundle", bundle, "--public-key", public)
    assert (code, "withdrawn by" in text) == (1, False)
