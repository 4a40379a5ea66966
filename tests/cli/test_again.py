"""`sdcmetrics diff`, and `review --from`: exit codes, and what they say."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a review of two small files."""
    from sdcmetrics import Study, conduct, report
    from tests.report.conftest import NOW, sample

    study = Study(
        sample(120, 1), {"one": sample(120, 2)}, keys=["region"], targets=["vote"], ways=1
    )
    folder = tmp_path_factory.mktemp("results")
    report.write_all(conduct(study, now=NOW), folder, formats=())
    return folder


def test_the_same_results_differ_in_nothing(run_cli: Run, results: Path) -> None:
    code, out, _ = run_cli("diff", results, results / "review.json")
    assert code == 0
    assert "measurements: no change" in out


def test_a_worse_verdict_is_an_exit_code(run_cli: Run, results: Path, tmp_path: Path) -> None:
    later = tmp_path / "later"
    shutil.copytree(results, later)
    document = json.loads((later / "review.json").read_text("utf-8"))
    document["decision"][0]["risk"] = "fail"
    (later / "review.json").write_text(json.dumps(document), "utf-8")
    code, out, _ = run_cli("diff", results, later)
    assert code == 1
    assert "verdicts: 1 changed" in out
    assert run_cli("diff", later, results)[0] == 0


def test_changes_are_saved(run_cli: Run, results: Path, tmp_path: Path) -> None:
    code, _, _ = run_cli("diff", results, results, "--csv", tmp_path / "c.csv")
    assert code == 0
    assert (tmp_path / "c.csv").read_text().startswith("replica,metric,scenario")


def test_another_profile_judges_without_measuring(
    run_cli: Run, results: Path, tmp_path: Path
) -> None:
    code, out, _ = run_cli("review", "--from", results, "--profile", "illustration")
    assert code == 0
    assert "nothing was measured" in out
    assert "one  " in out
    limits = tmp_path / "limits.toml"
    limits.write_text(
        '[profile]\ntitle = "Strict"\nowner = "us"\n[thresholds.repU]\nreview = 0.0\nfail = 0.0\n'
        'source = "a"\nowner = "us"\ndate = 2026-01-01\nkind = "rule"\n'
        "[thresholds.ROC]\nreview = 1.0\nfail = 0.9999\n"
        'source = "a"\nowner = "us"\ndate = 2026-01-01\nkind = "rule"\n'
    )
    code, out, _ = run_cli("review", "--from", results, "--profile", limits, "--fail-on", "fail")
    assert code == 1
    assert "fail: one, ROC" in out


@pytest.mark.parametrize(
    "words", [("review",), ("review", "s.toml", "--from", "x", "--profile", "y")]
)
def test_a_study_or_results_but_not_both(run_cli: Run, words: tuple[str, ...]) -> None:
    code, _, err = run_cli(*words)
    assert code == 2
    assert "one of the two" in err


def test_no_limits_is_wrong_usage(run_cli: Run, results: Path) -> None:
    code, _, err = run_cli("review", "--from", results)
    assert code == 2
    assert "--profile" in err
