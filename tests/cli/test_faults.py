"""Files and faults: no input and no stranger's file is overwritten, results come whole or not."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from sdcmetrics.errors import FileError
from sdcmetrics.report.formats.output import PARTIAL, locked, replace_results
from sdcmetrics.study.written import write_result
from tests.cli.conftest import Cli

UNIX = pytest.mark.skipif(os.name == "nt", reason="signals, locks and devices of Unix")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    frame = pd.DataFrame(
        {"age": [i % 9 for i in range(60)], "sex": list("mfm") * 20, "job": list("abcab") * 12}
    )
    frame.to_csv(tmp_path / "o.csv", index=False)
    frame.iloc[1:].to_csv(tmp_path / "s.csv", index=False)  # of a copy no release is written
    (tmp_path / "study.toml").write_text(
        '[data]\noriginal = "o.csv"\n[data.replicas]\ncart = "s.csv"\n'
        '[roles]\nkeys = ["sex"]\ntargets = ["job"]\n[options]\nways = [1]\n',
        encoding="utf-8",
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def in_a_process(code: str, *arguments: str, **given: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        **{"capture_output": "stdout" not in given, **given},
    )


MAIN = "from sdcmetrics.cli import main; main()"
KEEPS_NO_STEP = "import math, sdcmetrics.review.cache as kept; kept.WORTH = math.inf\n"
"""A step that takes long is kept in a file: on a busy computer, it may be one more."""

SAVING = [
    ("utility-tables", "o.csv", "s.csv", "--csv"),
    ("utility-gen", "o.csv", "s.csv", "--csv"),
    ("disclosure", "o.csv", "s.csv", "--keys", "sex", "--csv"),
    ("fidelity", "o.csv", "s.csv", "--csv"),
    ("fit-overlap", "o.csv", "s.csv", "--formula", "age ~ sex", "--csv"),
    ("rules", "o.csv", "s.csv", "--rule", "age < 9", "--csv"),
    ("rules", "o.csv", "s.csv", "--find", "--csv"),
    ("rules", "o.csv", "s.csv", "--rule", "age < 9", "--json"),
    ("closest-record", "o.csv", "s.csv", "--holdout", "h.csv", "--json"),
    ("fit", "o.csv", "s.csv", "--formula", "age ~ sex", "--csv"),
    ("rank", "study.toml", "--no-anchors", "-q", "--csv"),
]


class TestSaving:
    @pytest.fixture(autouse=True)
    def holdout(self, folder: Path) -> None:
        frame = pd.read_csv(folder / "o.csv")
        frame.assign(age=frame["age"] + 1).to_csv(folder / "h.csv", index=False)

    @pytest.mark.parametrize("command", SAVING, ids=" ".join)
    def test_no_input_is_ever_overwritten(
        self, cli: Cli, folder: Path, command: tuple[str, ...]
    ) -> None:
        before = contents(folder)
        for name in {*command, *(["o.csv", "s.csv"] if command[0] == "rank" else [])}:
            if (folder / name).is_file():
                for force in ((), ("--force",)):
                    code, _, err = cli(*command, name, *force)
                    assert (code, "is read by the same command" in err) == (3, True)
        assert contents(folder) == before

    def test_a_cross_check_overwrites_no_input(self, cli: Cli, folder: Path) -> None:
        before = contents(folder)
        for option in ("--csv", "--json"):
            code, _, err = cli("crosscheck", "study.toml", option, folder / "s.csv", "--force")
            assert (code, "is read by the same command" in err) == (3, True)
        assert contents(folder) == before

    @UNIX
    def test_no_link_leads_to_an_input(self, cli: Cli, folder: Path) -> None:
        before = (folder / "o.csv").read_bytes()
        (folder / "soft.csv").symlink_to("o.csv")
        (folder / "hard.csv").hardlink_to("o.csv")
        for name in ("soft.csv", "hard.csv", "../" + folder.name + "/o.csv"):
            assert cli(*SAVING[0], name, "--force")[0] == 3
        assert (folder / "o.csv").read_bytes() == before

    @pytest.mark.parametrize("command", SAVING, ids=" ".join)
    def test_a_stranger_s_file_needs_force_and_our_own_does_not(
        self, cli: Cli, folder: Path, command: tuple[str, ...]
    ) -> None:
        saved = folder / "saved"
        ordinary = ("id,verdict,p_value\n1,no,2\n", '{"verdict": 1, "classification": "internal"}')
        for stranger in (*ordinary, "age,sex\n1,m\n", "{}", '{"age": 1}', "", "\x80\n"):
            saved.write_bytes(stranger.encode("latin-1"))
            code, _, err = cli(*command, saved)
            assert (code, "say --force" in err) == (3, True)
            assert saved.read_bytes() == stranger.encode("latin-1")
        assert cli(*command, saved, "--force")[0] == 0
        assert cli(*command, saved)[0] == 0

    def test_two_options_cannot_name_one_file(self, cli: Cli, folder: Path) -> None:
        code, _, err = cli(*SAVING[5], folder / "a", "--json", "a")
        assert (code, "two options name this file" in err) == (3, True)

    @pytest.mark.parametrize("command", [SAVING[0], SAVING[7]], ids=" ".join)
    def test_a_full_disk_leaves_the_old_file_whole(
        self, cli: Cli, folder: Path, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        saved = folder / "saved"
        assert cli(*command, saved)[0] == 0
        before = contents(folder)
        monkeypatch.setattr("os.fsync", full)
        code, _, err = cli(*command, saved)
        assert (code, "saved: the file cannot be written (No space left on device)" in err) == (
            3,
            True,
        )
        assert contents(folder) == before

    @UNIX
    def test_a_device_is_written_and_not_replaced(self, cli: Cli) -> None:
        assert cli(*SAVING[0], "/dev/null", "--force")[0] == 0
        assert not Path("/dev/null").is_file()

    def test_a_link_stays_a_link(self, cli: Cli, folder: Path) -> None:
        assert cli(*SAVING[0], "real.csv")[0] == 0
        (folder / "link.csv").symlink_to("real.csv")
        assert cli(*SAVING[0], "link.csv")[0] == 0
        assert (folder / "link.csv").is_symlink()
        assert len(pd.read_csv(folder / "real.csv")) == 3


def full(*_: object, **__: object) -> None:
    raise OSError(28, "No space left on device")


def review(*options: str) -> tuple[str, ...]:
    """Return a review in which only faults end with another code: a copy would end with 1."""
    return ("review", "study.toml", "-q", "--fail-on", "never", *options)


class TestReview:
    def test_nothing_of_an_earlier_review_stays_beside_a_new_one(
        self, cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("sdcmetrics.report.formats.write.html_to_pdf", lambda _: b"%PDF")
        assert cli(*review("--format", "html,pdf"))[0] == 0
        assert (folder / "out" / "report.pdf").read_bytes() == b"%PDF"
        write_result(folder / "out" / "tables" / "crosscheck.csv", "of then")
        (folder / "out" / "notes.txt").write_text("mine", encoding="utf-8")
        (folder / "out" / "tables" / "notes.txt").write_text("mine", encoding="utf-8")
        assert cli(*review())[0] == 0
        left = set(contents(folder / "out"))
        assert left >= {"report.html", "review.json", "tables/measurements.csv"}
        assert left >= {"notes.txt", "tables/notes.txt"}
        assert left.isdisjoint({"report.pdf", "tables/crosscheck.csv", PARTIAL})

    @pytest.mark.parametrize("name", ["report.html", "review.json", "tables/of_theirs.csv"])
    def test_a_stranger_s_results_need_force(self, cli: Cli, folder: Path, name: str) -> None:
        path = folder / "out" / name
        path.parent.mkdir(parents=True)
        path.write_text("theirs", encoding="utf-8")
        code, _, err = cli(*review())
        assert (code, "say --force" in err) == (3, True)
        assert contents(folder / "out") == {name: b"theirs"}
        assert cli(*review("--force"))[0] == 0
        assert b"theirs" not in contents(folder / "out").values()

    def test_no_input_is_where_a_result_goes(self, cli: Cli, folder: Path) -> None:
        (folder / "tables").mkdir()
        (folder / "o.csv").rename(folder / "tables" / "o.csv")
        text = (folder / "study.toml").read_text("utf-8")
        (folder / "study.toml").write_text(text.replace("o.csv", "tables/o.csv"), "utf-8")
        code, _, err = cli(*review("-o", ".", "--force"))
        assert (code, "is read by the same review" in err) == (3, True)
        assert (folder / "tables" / "o.csv").is_file()

    def test_a_full_disk_leaves_the_earlier_results_whole(
        self, cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert cli(*review())[0] == 0
        before = contents(folder / "out")
        monkeypatch.setattr("os.fsync", full)
        code, _, err = cli(*review())
        assert code == 3
        assert "out: the results cannot be written (No space left on device)" in err
        after = contents(folder / "out")
        assert after.pop(PARTIAL)
        assert after == before

    def test_whatever_move_fails_the_earlier_results_come_back(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        old = {"report.html": "old", "review.json": "old", "tables/a.csv": "old"}
        new = {"report.html": "new", "review.json": "new", "tables/b.csv": "new"}
        replace_results(tmp_path, old)
        before = contents(tmp_path)
        real = Path.replace
        for failing in range(6):
            calls = iter(range(100))

            def move(
                self: Path, target: Path, calls: Iterator[int] = calls, at: int = failing
            ) -> Path:
                if next(calls) == at:
                    raise OSError(5, "Input/output error")
                return real(self, target)

            monkeypatch.setattr(Path, "replace", move)
            with pytest.raises(FileError, match=r"Input/output error"):
                replace_results(tmp_path, new)
            assert contents(tmp_path) == before
        monkeypatch.setattr(Path, "replace", real)
        replace_results(tmp_path, new)
        assert set(contents(tmp_path)) == {*new, "SHA256SUMS"}

    @UNIX
    def test_a_kill_leaves_the_old_results_or_the_new_and_never_both(
        self, cli: Cli, folder: Path
    ) -> None:
        places = (0, 1, 12, 20)
        assert cli(*review())[0] == 0
        for path in (folder / "out").rglob("*.csv"):
            path.write_text(path.read_text("utf-8") + "of then", encoding="utf-8")
        for at in places:
            shutil.copytree(folder / "out", folder / f"out-{at}")
        code = (  # one review, and a child for each kill, which puts it into a folder of its own
            "import itertools, os, signal; from pathlib import Path\n"
            "import sdcmetrics.report.formats.write as write\n"
            "real, put, calls = Path.replace, write.replace_results, itertools.count()\n"
            "def replace(self, target):\n"
            "    if next(calls) == at: os.kill(os.getpid(), signal.SIGKILL)\n"
            "    return real(self, target)\n"
            "def killed(folder, files):\n"
            "    global at\n"
            f"    for at in {places}:\n"
            "        if (child := os.fork()) == 0:\n"
            "            Path.replace = replace\n"
            "            put(folder.with_name(f'out-{at}'), files)\n"
            "        print(os.waitpid(child, 0)[1], flush=True)\n"
            "    os._exit(0)\n"
            "write.replace_results = killed\n" + KEEPS_NO_STEP + MAIN
        )
        done = in_a_process(code, *review())
        assert done.stdout.split() == [str(int(signal.SIGKILL))] * len(places), done.stderr
        for at in places:
            out = folder / f"out-{at}"
            tables = [path.read_text("utf-8") for path in (out / "tables").glob("*.csv")]
            assert len({text.endswith("of then") for text in tables}) <= 1
            assert (out / "report.html").exists() == (at == 0)
            assert cli(*review("--force", "--out", str(out)))[0] == 0
            assert not list(out.glob(".sdcmetrics*"))

    @UNIX
    def test_two_reviews_do_not_write_to_one_folder(self, cli: Cli, folder: Path) -> None:
        (folder / "out").mkdir()
        with locked(folder / "out"):
            code, _, err = cli(*review())
        assert (code, "another review is writing to this folder" in err) == (3, True)
        assert cli(*review())[0] == 0

    def test_variables_without_a_numeric_key_are_reviewed(self, cli: Cli, folder: Path) -> None:
        text = (folder / "study.toml").read_text("utf-8").replace('["sex"]', '["age"]')
        (folder / "study.toml").write_text(text + 'variables = ["sex", "job"]\n', "utf-8")
        for mode in ("internal", "checker"):
            code, _, err = cli(*review("--mode", mode, "-o", mode))
            # What cannot be asked without the key is not judged, and nothing else is wrong.
            content = "sdcmetrics: risk is not judged of cart, and this --fail-on lets it pass\n"
            assert (code, err) == (0, content)

    def test_a_refused_review_leaves_no_folder(self, cli: Cli, folder: Path) -> None:
        text = (folder / "study.toml").read_text("utf-8")
        (folder / "bad.toml").write_text(text.replace("keys = [", 'keys = ["nope", '), "utf-8")
        (folder / "mine").mkdir()
        for study, out in (("absent.toml", "a/b"), ("bad.toml", "a/b"), ("bad.toml", "mine")):
            assert cli("review", study, "--out", out)[0] == 3
        assert not (folder / "a").exists()
        assert (folder / "mine").is_dir()
        (folder / "a").mkdir()
        assert cli("review", "bad.toml", "--out", "a/b")[0] == 3
        assert [*(folder / "a").iterdir()] == []

    def test_progress_without_a_terminal_is_one_line_per_stage(
        self, cli: Cli, folder: Path
    ) -> None:
        text = (folder / "study.toml").read_text("utf-8")
        text = text.replace("ways = [1]", "ways = [1, 2]").replace(', "job"', "")
        (folder / "study.toml").write_text(text.replace('targets = ["job"]', ""), "utf-8")
        code, _, err = cli("review", "study.toml", "--fail-on", "never")
        *lines, note = err.splitlines()
        assert code == 0
        assert note == "sdcmetrics: risk is not judged of cart, and this --fail-on lets it pass"
        assert all(line.endswith(" s") for line in lines)
        assert [line for line in lines if line.startswith("cart: disclosure, 2 steps: ")]
        assert len({line.rpartition(": ")[0] for line in lines}) == len(lines)
        assert len(lines) == 16


class TestRelease:
    """What goes out holds a release and nothing else."""

    release = ("--mode", "checker")

    def test_a_folder_with_anything_internal_is_refused(self, cli: Cli, folder: Path) -> None:
        assert cli(*review())[0] == 0
        out = folder / "out"
        everything = contents(out)
        kept = {
            "the tables alone": ["tables/measurements.csv"],
            "the report alone": ["report.html"],
            "a partial file": [PARTIAL],
            "results": ["review.json"],
            "all": list(everything),
        }
        for number, names in enumerate(kept.values()):
            for broken in ("whole", "broken"):
                place = folder / f"{number}{broken}"
                for name in names:
                    (place / name).parent.mkdir(parents=True, exist_ok=True)
                    data = everything.get(name, b"age\n1\n")
                    (place / name).write_bytes(data[:100] if broken == "broken" else data)
                before = contents(place)
                for force in ((), ("--force",)):
                    code, _, err = cli(*review(*self.release, "-o", str(place), *force))
                    assert (code, "must not go out with a checker" in err) == (3, True)
                assert contents(place) == before

    def test_a_release_beside_the_data_is_refused(self, cli: Cli, folder: Path) -> None:
        before = contents(folder)
        code, _, err = cli(*review(*self.release, "-o", "."))
        assert (code, "Choose an empty folder" in err) == (3, True)
        assert contents(folder) == before

    @pytest.mark.parametrize("name", ["notes.txt", "tables/original.sav", PARTIAL, ".hidden"])
    def test_a_release_over_an_earlier_one_is_refused_beside_anything_else(
        self, cli: Cli, folder: Path, name: str
    ) -> None:
        assert cli(*review(*self.release))[0] == 0
        assert cli(*review(*self.release))[0] == 0
        (folder / "out" / name).write_text("theirs", encoding="utf-8")
        before = contents(folder / "out")
        code, _, err = cli(*review(*self.release))
        assert (code, f"({name})" in err.replace("\\", "/")) == (3, True)
        assert contents(folder / "out") == before

    def test_internal_results_do_not_go_beside_a_release(self, cli: Cli, folder: Path) -> None:
        assert cli(*review(*self.release))[0] == 0
        before = contents(folder / "out")
        code, _, err = cli(*review("--force"))
        assert (code, "holds a checker report" in err) == (3, True)
        assert contents(folder / "out") == before

    def test_the_library_refuses_them_too(self, folder: Path) -> None:
        from sdcmetrics import conduct, read_study, report
        from sdcmetrics.errors import StudyError

        review = conduct(read_study(folder / "study.toml"))
        report.write_all(review, folder / "out")
        before = contents(folder / "out")
        with pytest.raises(StudyError, match="must not go out with a checker"):
            report.write_all(review, folder / "out", mode="checker")
        assert contents(folder / "out") == before

    def test_no_internal_file_is_in_a_release_folder_at_any_time(
        self, cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        import sdcmetrics.cli.run as module

        seen = []
        real = module.conduct

        def conduct(*given: Any, **options: Any) -> Any:
            review = real(*given, **options)
            seen.append(contents(folder / "out"))
            return review

        monkeypatch.setattr(module, "conduct", conduct)
        assert cli(*review(*self.release))[0] == 0
        assert seen == [{}]
        assert json.loads((folder / "out" / "review.json").read_text("utf-8"))


class TestSignals:
    @UNIX
    def test_a_request_to_end_is_one_sentence_and_leaves_the_old_results(
        self, cli: Cli, folder: Path
    ) -> None:
        codes = {"SIGTERM": 143, "SIGHUP": 129}
        assert cli(*review())[0] == 0
        before = contents(folder / "out")
        stop = (  # one review, and a child for each signal
            "import os, signal, time, sdcmetrics.cli.run as r\n"
            f"names = {[*codes]}\n"
            "for name in names: signal.signal(getattr(signal, name), signal.SIG_DFL)  # of nohup\n"
            "real = r.conduct\n"
            "def conduct(*a, **k):\n"
            "    real(*a, **k)\n"
            "    for name in names:\n"
            "        if (child := os.fork()) == 0:\n"
            "            os.kill(os.getpid(), getattr(signal, name)); time.sleep(20)\n"
            "        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)\n"
            "    os._exit(0)\n"
            "r.conduct = conduct\n" + KEEPS_NO_STEP + MAIN
        )
        began = time.monotonic()
        done = in_a_process(stop, *review())
        assert time.monotonic() - began < 20
        assert done.stdout.split() == [str(code) for code in codes.values()]
        where = f"sdcmetrics: finished measurements (internal) are in {Path('out') / PARTIAL}"
        assert done.stderr.splitlines() == [where, "sdcmetrics: terminated"] * len(codes)
        after = contents(folder / "out")
        assert len(after.pop(PARTIAL).splitlines()) > 10
        assert after == before

    @UNIX
    @pytest.mark.parametrize("arguments", [("utility-tables", "o.csv", "s.csv"), ("--help",)])
    def test_output_that_nobody_reads_is_a_sentence_and_141(
        self, folder: Path, arguments: tuple[str, ...]
    ) -> None:
        assert folder
        read, write = os.pipe()
        os.close(read)
        done = in_a_process(MAIN, *arguments, stdout=write, stderr=subprocess.PIPE)
        os.close(write)
        assert done.returncode == 141
        assert done.stderr == "sdcmetrics: the output was cut off: nobody reads it any more\n"

    @UNIX
    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
    def test_output_to_a_full_disk_is_a_sentence_and_3(self, folder: Path) -> None:
        assert folder
        with Path("/dev/full").open("w") as out:
            done = in_a_process(MAIN, "explain", stdout=out, stderr=subprocess.PIPE)
        assert done.returncode == 3
        assert done.stderr == "sdcmetrics: No space left on device. Make room, and start again.\n"

    @UNIX
    def test_closed_standard_output_is_no_error(self, folder: Path) -> None:
        close = "import os, sys; os.close(1); sys.stdout = None\n"
        done = in_a_process(close + MAIN, "utility-tables", "o.csv", "s.csv", "--csv", "t.csv")
        assert (done.returncode, done.stderr) == (0, "")
        assert len(pd.read_csv(folder / "t.csv")) == 3


@pytest.mark.parametrize("limit", ["-1", "0", "nan", "inf", "-inf", "soon"])
def test_a_time_limit_is_a_number_of_seconds(cli: Cli, folder: Path, limit: str) -> None:
    assert folder
    code, _, err = cli("crosscheck", "study.toml", f"--timeout={limit}")
    assert code == 2
    assert "Error: Invalid value for '--timeout': " in err


@pytest.mark.parametrize(
    "arguments",
    [
        ("crosscheck", "study.toml", "--memory", "0"),
        ("closest-record", "o.csv", "s.csv", "--holdout", "s.csv", "--permutations", "-1"),
        ("closest-record", "o.csv", "s.csv", "--holdout", "s.csv", "--seed", "-1"),
        ("utility-gen", "o.csv", "s.csv", "--maxorder", "-1"),
        ("utility-tables", "o.csv", "s.csv", "--missing-code", "age=nan"),
        ("rank", "study.toml", "--weight", "general=nan"),
    ],
)
def test_numbers_that_make_no_sense_are_wrong_usage(
    cli: Cli, folder: Path, arguments: tuple[str, ...]
) -> None:
    assert folder
    code, _, err = cli(*arguments)
    assert (code, "Error: Invalid value" in err) == (2, True)


@pytest.mark.parametrize("command", ["utility-gen", "utility-tables", "fit-overlap"])
def test_a_name_that_looks_like_markup_is_printed_as_it_is(
    cli: Cli, folder: Path, command: str
) -> None:
    for name in ("o.csv", "s.csv"):
        frame = pd.read_csv(folder / name).rename(columns={"age": "age[/b]"})
        frame.to_csv(folder / name, index=False)
    formula = ("--formula", "`age[/b]` ~ sex") if command == "fit-overlap" else ()
    code, out, err = cli(command, "o.csv", "s.csv", *formula)
    assert (code, err) == (0, "")
    assert "age[/b]" in out
