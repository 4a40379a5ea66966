"""`sdcmetrics review --mode release` and `--mode coarse`: files, refusals and exit codes."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.release.studies import people, with_row, write_study

Run = Callable[..., tuple[int, str, str]]
NEVER = ("--fail-on", "never")
"""What figures say does not matter where files do."""
DECISION = """
[release.decision]
replicas = { cart = "release", other = "do not release" }
signed = "The board"
date = 2026-11-23
words = "Minutes 14."
"""
LIMITS = """
[thresholds.DiSCO]
fail = {fail}
source = "made up"
owner = "nobody"
date = 2026-11-23
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    return write_study(tmp_path / "study", people(300, 5), people(150, 7))


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_release(run_cli: Run, study: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    code, output, err = run_cli("review", study, "--mode", "release", "-o", out, *NEVER)
    assert (code, err) == (0, "")
    assert set(contents(out)) == {"report.html", "release.json", "tables/figures.csv", "SHA256SUMS"}
    assert "spent: mu 1 of 1" in output
    page = (out / "report.html").read_text("utf-8")
    assert "69.1 of 100 cases" in page
    assert "<script" not in page
    document = json.loads((out / "release.json").read_text("utf-8"))
    assert document["classification"] == "release"
    assert document["privacy"] == {"mu": pytest.approx(1, abs=1e-3), "budget": 1.0}
    rows = list(csv.DictReader((out / "tables/figures.csv").read_text("utf-8").splitlines()))
    assert len(rows) == len(document["figures"])
    assert {row["people"] for row in rows} == {"original", "holdout", "difference"}


def test_repeats_are_equal_and_go_over_each_other(
    run_cli: Run, study: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    run_cli("review", study, "--mode", "release", "-o", out, "-q")
    before = contents(out)
    assert run_cli("review", study, "--mode", "release", "-o", out, "-q", *NEVER)[0] == 0
    assert contents(out) == before


def test_an_internal_review_does_not_change_a_release(
    run_cli: Run, study: Path, tmp_path: Path
) -> None:
    run_cli("review", study, "--mode", "release", "-o", tmp_path / "a", "-q")
    run_cli("review", study, "-o", tmp_path / "inside", "-q")
    inside, out = tmp_path / "inside", tmp_path / "b"
    code, _, _ = run_cli("review", "--from", inside, "--mode", "release", "-o", out, "-q", *NEVER)
    assert code == 0
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_a_spent_budget_is_exit_code_4(run_cli: Run, study: Path, tmp_path: Path) -> None:
    run_cli("review", study, "--mode", "release", "-o", tmp_path / "a", "-q")
    text = study.read_text()
    study.write_text(text.replace('cart = "cart.csv"', 'cart = "cart.csv"\nmore = "other_1.csv"'))
    code, _, err = run_cli("review", study, "--mode", "release", "-o", tmp_path / "b")
    assert code == 4
    assert "budget spent" in err
    assert not contents(tmp_path / "b")


def test_a_changed_original_is_exit_code_4_and_no_word_of_it(
    run_cli: Run, study: Path, tmp_path: Path
) -> None:
    run_cli("review", study, "--mode", "release", "-o", tmp_path / "a", "-q", "--mu", "0.5")
    odd = {"age": "199", "sex": "zz", "region": "Atlantis", "seen": ""}
    with_row(people(300, 5), odd).to_csv(study.parent / "original.csv", index=False)
    code, _, err = run_cli("review", study, "--mode", "release", "-o", tmp_path / "b")
    assert code == 4
    assert "--new-secret" in err
    assert "Atlantis" not in err
    again = ("--mu", "0.5", "--new-secret", "-q", *NEVER)
    assert run_cli("review", study, "--mode", "release", "-o", tmp_path / "b", *again)[0] == 0


def test_a_readable_secret_is_exit_code_3(run_cli: Run, study: Path, tmp_path: Path) -> None:
    run_cli("review", study, "--mode", "release", "-o", tmp_path / "a", "-q")
    study.with_suffix(".secret").chmod(0o644)
    code, _, err = run_cli("review", study, "--mode", "release", "-o", tmp_path / "b")
    assert code == 3
    assert "chmod 600" in err


def test_the_folder_of_the_study_is_no_place_for_a_release(run_cli: Run, study: Path) -> None:
    before = contents(study.parent)
    code, _, err = run_cli("review", study, "--mode", "release", "-o", study.parent)
    assert code == 4
    assert "go out with it" in err
    assert contents(study.parent) == before


def test_what_is_for_other_editions_spends_nothing(
    run_cli: Run, study: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    for arguments, code in (
        (("--format", "xlsx"), 3),
        (("--format", "sacro"), 3),
        (("--crosscheck",), 2),
        (("--preset", "fast"), 2),
        (("--mu", "0"), 2),
        (("--mu", "nan"), 2),
    ):
        assert run_cli("review", study, "--mode", "release", "-o", out, *arguments)[0] == code
    out.mkdir(exist_ok=True)
    (out / "notes.txt").write_text("theirs")
    assert run_cli("review", study, "--mode", "release", "-o", out)[0] == 3
    assert not study.with_suffix(".secret").exists()
    assert run_cli("review", study, "-o", tmp_path / "in", "--mu", "0.5")[0] == 2


def test_a_decision_is_written_as_it_is(run_cli: Run, study: Path, tmp_path: Path) -> None:
    study.write_text(study.read_text() + DECISION)
    run_cli("review", study, "--mode", "release", "-o", tmp_path / "out", "-q")
    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert "Signed by The board, 2026-11-23. Minutes 14." in page
    ledger = json.loads((study.parent / "study.ledger.json").read_text())
    assert ledger["releases"][0]["decision"] is True


def test_a_coarse_edition_needs_no_original(run_cli: Run, study: Path, tmp_path: Path) -> None:
    code, _, err = run_cli("review", study, "--mode", "coarse", "-o", tmp_path / "out")
    assert code == 3
    assert "[release.decision]" in err
    study.write_text(study.read_text() + DECISION)
    for name in ("original.csv", "holdout.csv"):
        (study.parent / name).unlink()
    code, _, _ = run_cli("review", study, "--mode", "coarse", "-o", tmp_path / "out")
    assert code == 0
    assert set(contents(tmp_path / "out")) == {"report.html", "release.json", "SHA256SUMS"}
    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert "do not release" in page
    assert 'class="figure"' not in page
    assert not study.with_suffix(".secret").exists()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ('replicas = { crat = "release" }\nsigned = "x"\ndate = 2026-11-23', "'cart'"),
        ('replicas = { cart = "maybe" }\nsigned = "x"\ndate = 2026-11-23', "change first"),
        ('replicas = { cart = "release" }\ndate = 2026-11-23', "signed"),
        ('replicas = { cart = "release" }\nsigned = "x"\ndate = "soon"', "date"),
    ],
)
def test_a_wrong_decision(
    run_cli: Run, study: Path, tmp_path: Path, wrong: str, words: str
) -> None:
    study.write_text(f"{study.read_text()}\n[release.decision]\n{wrong}\n")
    code, _, err = run_cli("review", study, "--mode", "release", "-o", tmp_path / "out")
    assert code == 3
    assert words in err


def test_a_measure_that_is_no_sum(run_cli: Run, study: Path, tmp_path: Path) -> None:
    study.write_text(study.read_text() + '\n[release]\nmeasures = ["S_pMSE", "DiSCO"]\n')
    code, _, err = run_cli("review", study, "--mode", "release", "-o", tmp_path / "out")
    assert code == 3
    assert "no sum over people" in err


@pytest.mark.parametrize(("fail", "code"), [(0.5, 1), (99, 0)])
def test_fail_on_reads_the_noisy_figures(
    run_cli: Run, study: Path, tmp_path: Path, fail: float, code: int
) -> None:
    profile = tmp_path / "limits.toml"
    profile.write_text(LIMITS.format(fail=fail))
    chosen = ("--mode", "release", "-q", "--profile", profile, "--fail-on", "fail")
    assert run_cli("review", study, "-o", tmp_path / "out", *chosen)[0] == code
    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert bool(re.search(r"status fail", page)) == bool(code)


def test_the_demo_can_be_released(run_cli: Run, tmp_path: Path) -> None:
    out = tmp_path / "handout"
    code, _, _ = run_cli("demo", "--mode", "release", "-o", out, "-q")
    assert code in (0, 1)  # what its figures say
    assert set(contents(out)) == {"report.html", "release.json", "tables/figures.csv", "SHA256SUMS"}
    assert (tmp_path / "handout-study" / "study.secret").exists()


@pytest.mark.parametrize("mode", ["release", "coarse"])
def test_a_review_alone_is_not_released(tmp_path: Path, mode: str) -> None:
    from sdcmetrics import Study, conduct, report
    from sdcmetrics.errors import StudyError

    frame = people(120, 1)
    review = conduct(Study(frame, {"a": people(120, 2)}, keys=["sex"], targets=["region"], ways=1))
    with pytest.raises(StudyError, match="from the study file"):
        report.write_html(review, tmp_path / "a.html", mode=mode)


def test_the_review_that_stands_beside_it_says_which_study_and_what_it_decided(
    run_cli: Run, study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(study.parent)
    assert run_cli("review", study, "--quiet", *NEVER)[0] == 0
    code, out, err = run_cli("review", "--mode", "release", "-o", "handout", "--quiet", *NEVER)
    assert (code, err) == (0, "")
    assert re.search(r"cart: limits ", out)
    assert "for you only, decided by the internal review in " in out
    assert re.search(r"cart: may it be released: .*; is it useful: ", out)
    assert "may it be released" not in (Path("handout") / "report.html").read_text("utf-8")


def test_what_the_internal_review_decided_is_of_the_files_and_the_study_that_it_saw(
    run_cli: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = write_study(tmp_path, people(300, 5), more=DECISION)
    monkeypatch.chdir(tmp_path)
    assert run_cli("make-keys", "key")[0] == 0
    assert run_cli("review", study, "--quiet", *NEVER)[0] == 0
    coarse = ("review", study, "--mode", "coarse", "-o", "handout")
    printed = run_cli(*coarse)[1]
    assert "cart: may it be released" in printed
    assert "other: not signed for release, and this edition tells of it all the same" in printed
    assert "cart: not signed" not in printed
    bundle = ("--study", study, "--key", "key", "--name", "Anna")
    for folder in ("handout", "out"):
        assert run_cli("bundle", folder, *bundle, "-o", f"before-{folder}")[0] == 0
    # The answer on a file is without another that went out afterwards, not without itself.
    assert run_cli("ledger", "add", study, "cart")[0] == 0
    lines = run_cli(*coarse)[1].splitlines()
    since = "Without what went out since (1 file): review it again"
    assert [since in line for line in lines if "may it be released" in line] == [False, True]
    ledger = Path("study.ledger.json").read_bytes()
    Path("study.ledger.json").write_text("{}")
    out = run_cli(*coarse)[1]
    assert "study.ledger.json: this ledger is damaged" in " ".join(out.split())
    assert "may it be released" not in out
    Path("study.ledger.json").write_bytes(ledger)
    cart, text = Path("cart.csv").read_bytes(), study.read_text()
    Path("cart.csv").write_bytes(Path("original.csv").read_bytes())
    for change in (
        "cart.csv: the file was changed since",
        "study.toml or a file that it names was changed",
    ):
        _, out, _ = run_cli(*coarse)
        assert f"out counts no longer: {change}" in " ".join(out.split())
        assert "may it be released" not in out
        Path("cart.csv").write_bytes(cart)
        study.write_text(text.replace("Towns", "Cities"))
    code, _, err = run_cli("bundle", "out", *bundle, "-o", "after")
    assert (code, "study.toml: since the review in out, the study" in err) == (3, True)
    assert run_cli("bundle", "handout", *bundle, "-o", "after")[0] == 0  # written again by now
