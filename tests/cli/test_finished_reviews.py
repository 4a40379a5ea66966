"""`sdcmetrics diff`, and `review --from`: exit codes, and what they say."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from sdcmetrics.cli.finished_reviews import remember

Run = Callable[..., tuple[int, str, str]]
NEVER = ("--fail-on", "never")
"""What is decided on the replicas is no part of the exit code."""


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
    document["decision"][0]["risk"]["status"] = "fail"
    (later / "review.json").write_text(json.dumps(document), "utf-8")
    code, _, err = run_cli("diff", results, later)
    assert (code, "review.json: this file was changed since" in err) == (3, True)
    (later / "SHA256SUMS").unlink()
    code, out, _ = run_cli("diff", results, later)
    assert code == 1
    assert "verdicts: 1 changed" in out
    titles, _, row = out[out.index("verdicts") :].splitlines()[2:5]
    assert titles.split() == ["replica", "question", "before", "after"]
    assert row.split()[:2] == ["one", "risk"]
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


@pytest.fixture
def study_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a study of two files, every step of which is worth to be kept."""
    from sdcmetrics.review import cache
    from tests.report.conftest import sample

    monkeypatch.setattr(cache, "WORTH", 0.0)
    sample(120, 1).to_csv(tmp_path / "o.csv", index=False)
    for name in ("one", "two"):
        sample(120, len(name) + ord(name[0])).to_csv(tmp_path / f"{name}.csv", index=False)
    file = tmp_path / "study.toml"
    file.write_text(
        '[data]\noriginal = "o.csv"\nreplicas = {one = "one.csv"}\n[options]\nways = 1\n'
        '[roles]\nkeys = ["region"]\ntargets = ["vote"]\n'
    )
    return file


def same_results(one: Path, other: Path) -> bool:
    """Whether two review.json are the same, but for when and how fast they were made."""
    results = []
    for folder in (one, other):
        document = json.loads((folder / "review.json").read_text("utf-8"))
        times = ("Made at", "Seconds", "Slowest steps")
        document["reproduce"] = [r for r in document["reproduce"] if r["what"] not in times]
        results.append(document)
    return bool(results[0] == results[1])


@pytest.mark.parametrize("mode", ["internal", "checker"])
def test_results_are_written_again_without_measuring(
    run_cli: Run, study_file: Path, tmp_path: Path, mode: str
) -> None:
    inside, again, anew = (tmp_path / name for name in ("inside", "again", "anew"))
    by = ("--profile", "illustration")
    assert run_cli("review", study_file, "-o", inside, *by, *NEVER)[0] == 0
    code, _, err = run_cli("review", "--from", inside, "-o", again, "--mode", mode, *NEVER)
    assert code == 0
    words = next(line for line in err.splitlines() if "steps as they were before" in line)
    done, of = words.split()[0], words.split()[2]
    assert done == of
    assert run_cli("review", study_file, "-o", anew, "--mode", mode, "-q", *by, *NEVER)[0] == 0
    assert same_results(again, anew)  # by the profile of the review, which is not named again
    assert not list((again / "cache-internal").rglob("*.step"))


def test_what_has_changed_since_is_named_and_nothing_is_written(
    run_cli: Run, study_file: Path, tmp_path: Path
) -> None:
    inside = tmp_path / "inside"
    run_cli("review", study_file, "-o", inside, "-q")
    text = (tmp_path / "one.csv").read_text()
    (tmp_path / "one.csv").write_text(text.replace("North", "South", 1))
    code, _, err = run_cli("review", "--from", inside, "-o", tmp_path / "out")
    assert code == 3
    assert "a change of replica 'one'" in err
    assert not (tmp_path / "out" / "review.json").exists()


def test_a_release_never_goes_beside_what_is_kept(
    run_cli: Run, study_file: Path, tmp_path: Path
) -> None:
    inside = tmp_path / "inside"
    run_cli("review", study_file, "-o", inside, "-q")
    assert (inside / "cache-internal").is_dir()
    assert run_cli("review", "--from", inside, "-o", inside, "--mode", "checker")[0] == 3
    for file in inside.glob("re*"):
        file.unlink()
    code, _, err = run_cli("review", study_file, "-o", inside, "--mode", "checker")
    assert code == 3
    assert "must not go out with a checker" in err
    out = tmp_path / "checker"
    assert run_cli("review", study_file, "-o", out, "--mode", "checker", "-q", *NEVER)[0] == 0
    assert not (out / "cache-internal").exists()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_only_its_owner_may_enter_the_folder_of_what_is_kept(tmp_path: Path) -> None:
    folder = tmp_path / "cache-internal"
    remember(folder, tmp_path / "study.toml", None, "standard", None)
    assert folder.stat().st_mode & 0o077 == 0
    assert (folder / "study.json").exists()


def test_nothing_is_kept_where_that_is_asked_for(
    run_cli: Run, study_file: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    assert run_cli("review", study_file, "-o", out, "-q", "--no-cache", *NEVER)[0] == 0
    assert not (out / "cache-internal").exists()
    code, _, err = run_cli("review", "--from", out, "-o", tmp_path / "again")
    assert code == 3
    assert "cache-internal" in err


def test_the_report_says_what_changed_since_the_results_it_replaces(
    run_cli: Run, study_file: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    run_cli("review", study_file, "-o", out, "-q")
    first = (out / "report-annexes.html").read_text("utf-8")
    assert "Since the last review" not in first
    run_cli("review", study_file, "-o", out, "-q")
    assert "No measurement has changed." in (out / "report-annexes.html").read_text("utf-8")
    (tmp_path / "one.csv").write_text((tmp_path / "o.csv").read_text())  # a copy of the original
    code, output, _ = run_cli("review", study_file, "-o", out, "-q")
    html = (out / "report-annexes.html").read_text("utf-8")
    page = html[html.index('<section id="since"') :].partition("</section>")[0]
    assert "worse" in page
    assert "Data that have changed" in page
    assert "sha256" in page
    assert code == 1
    assert "may it be released: no;" in output


def test_the_terminal_says_of_a_copy_that_it_is_one_in_every_edition_inside(
    run_cli: Run, study_file: Path, tmp_path: Path
) -> None:
    (tmp_path / "one.csv").write_text((tmp_path / "o.csv").read_text())
    for mode in ("internal", "checker"):
        code, out, _ = run_cli("review", study_file, "-o", tmp_path / mode, "--mode", mode)
        lines = out.splitlines()
        (at,) = [i for i, line in enumerate(lines) if line.split()[:1] == ["one"]]
        assert lines[at].startswith("  one  may it be released: no; is it useful: ")
        # A checker's edition gives no reasons.
        assert ("It is the original." in lines[at + 1]) == (mode == "internal")
        assert code == 1
    chosen = ("--profile", "default")
    code, out, _ = run_cli("review", "--from", tmp_path / "internal", *chosen)
    assert "  one  may it be released: no; is it useful: " in out
    assert "It is the original." in out
    assert code == 1


def kept_steps(out: Path, part: str) -> dict[str, int]:
    files = (out / "cache-internal" / part).glob("*.step")
    return {file.name: file.stat().st_mtime_ns for file in files}


def test_references_and_remedies_are_kept_when_a_replica_is_added(
    run_cli: Run, study_file: Path, tmp_path: Path
) -> None:
    text = study_file.read_text() + '[ranking]\nstrategy = "anchored"\n'
    study_file.write_text(text)
    out, anew = tmp_path / "out", tmp_path / "anew"
    assert run_cli("review", study_file, "-o", out, "-q", *NEVER)[0] == 0
    references, remedies = kept_steps(out, "references"), kept_steps(out, "remedies")
    assert references
    assert len(remedies) == 1
    two = text.replace('{one = "one.csv"}', '{one = "one.csv", two = "two.csv"}')
    study_file.write_text(two)
    assert run_cli("review", study_file, "-o", out, "-q", *NEVER)[0] == 0
    assert kept_steps(out, "references") == references
    assert len(kept_steps(out, "remedies")) == 2
    assert kept_steps(out, "remedies").items() > remedies.items()
    assert run_cli("review", study_file, "-o", anew, "-q", "--no-cache", *NEVER)[0] == 0
    assert same_results(out, anew)


def test_references_and_remedies_are_made_again_after_a_change(
    run_cli: Run, study_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sdcmetrics.review import fingerprint

    text = study_file.read_text() + '[ranking]\nstrategy = "anchored"\n'
    study_file.write_text(text)
    out = tmp_path / "out"
    assert run_cli("review", study_file, "-o", out, "-q", *NEVER)[0] == 0
    for change in ("option", "original", "version"):  # each beside the results of the one before
        before = {part: kept_steps(out, part) for part in ("references", "remedies")}
        if change == "option":
            study_file.write_text(text.replace("ways = 1", "ways = 1\nngroups = 4"))
        elif change == "original":
            data = (tmp_path / "o.csv").read_text()
            (tmp_path / "o.csv").write_text(data.replace("North", "South", 1))
        else:
            monkeypatch.setattr(fingerprint, "list_versions", lambda: {"sdcmetrics": "99"})
        assert run_cli("review", study_file, "-o", out, "-q", *NEVER)[0] == 0
        for part, steps in before.items():
            assert kept_steps(out, part), change
            assert kept_steps(out, part).keys().isdisjoint(steps), change


def test_chief_measures_come_first_and_how_many_are_shown(
    run_cli: Run, results: Path, tmp_path: Path
) -> None:
    later = tmp_path / "later"
    shutil.copytree(results, later)
    document = json.loads((later / "review.json").read_text("utf-8"))
    for row in document["measurements"]:
        if "value" in row and row["metric"] in ("DiSCO", "repU", "ROC", "iS", "DiS", "VW"):
            row["value"] = row["value"] * 0.9 - 0.01
    (later / "review.json").write_text(json.dumps(document), "utf-8")
    (later / "SHA256SUMS").unlink()
    _, out, _ = run_cli("diff", results, later)
    rows = [
        line.split() for line in out.splitlines() if line.strip().startswith(("better", "wors"))
    ]
    people = [float(row[-1].replace("-", "nan")) for row in rows]
    assert [row[2] for row in rows][:2] in (["DiSCO", "repU"], ["repU", "DiSCO"])
    assert people[:2] == sorted(people[:2], reverse=True)
    assert "neither: the value has changed, and no side of it is the better one" in out


def test_remedies_name_people_reasons_and_steps(
    run_cli: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.report.conftest import sample

    monkeypatch.setenv("COLUMNS", "200")  # a narrow terminal leaves columns out
    sample(60, 1).to_csv(tmp_path / "people.csv", index=False)
    sample(60, 1).head(20).to_csv(tmp_path / "made.csv", index=False)
    (tmp_path / "study.toml").write_text(
        '[data]\noriginal = "people.csv"\n[data.replicas]\none = "made.csv"\n'
        '[roles]\nkeys = ["region"]\ntargets = ["vote"]\n[options]\nways = 1\n'
    )
    study = tmp_path / "study.toml"
    code, out, _ = run_cli("remedies", study, "--quiet")
    assert code == 0
    assert "record of people.csv" in out
    assert "every value is the same" in out
    assert "drop record 0 of made.csv" in out
    assert "are too many to be blanked or dropped one by one" in out
    run_cli("review", study, "--out", tmp_path / "out", "--quiet", *NEVER)
    code, again, _ = run_cli("remedies", tmp_path / "out", "--quiet")
    assert code == 0
    assert again == out
    assert run_cli("rank", tmp_path / "out")[0] == 0
    code, out, _ = run_cli("remedies", study, "--quiet", "--coarsen", 'region={"a"="*"}')
    assert "levels in 1 group" in out


def test_a_profile_says_what_it_lacks(run_cli: Run, results: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text(
        '[thresholds.repU]\nreview = 0.0\nfail = 1.0\nsource = "a"\nowner = "us"\n'
        'date = 2026-01-01\nkind = "rule"\n'
    )
    _, out, _ = run_cli("review", "--from", results, "--profile", own)
    assert "profile own has no title in [profile]: reports show the name of its file" in out
    assert "profile own has no limit on utility, and takes none from the default" in out
    assert "no limit on disclosure risk" not in out
    _, out, _ = run_cli("review", "--from", results, "--profile", "default")
    assert "has no" not in out
