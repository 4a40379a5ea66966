"""What is written for R works there: every function that R users call next, on a file read back."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Literal

import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics import rbridge
from sdcmetrics.errors import RError, StudyError
from tests.cli.conftest import Cli, run_cli
from tests.rbridge.test_live import survey

__all__ = ["run_cli"]

STUDY = """
[data]
original = "original.csv"
[data.replicas]
"own/two" = ["a.csv", "b.csv"]
[roles]
keys = ["sex", "region"]
targets = ["member"]
"""

IN_R = """
suppressPackageStartupMessages(library(synthpop))
synds <- readRDS("for-r/own_two.rds")
original <- readRDS("for-r/own_two.original.rds")
stopifnot(inherits(synds, "synds"), synds$m == 2, identical(levels(original$sex), c("f", "m")))
invisible(capture.output({
  print(synds)
  print(summary(synds))
  compared <- compare(synds, original, vars = "age", plot = TRUE)
  tables <- utility.tables(synds, original, tables = "twoway", plot = FALSE)
  disclosed <- multi.disclosure(synds, original, keys = c("sex", "region"), plot = FALSE,
                                print.flag = FALSE)
  fitted <- lm.synds(income ~ age + sex, data = synds)
  print(summary(fitted))
  print(compare(fitted, original))
  sdc(synds, original, rm.replicated.uniques = TRUE)
  write.syn(synds, filename = "written", filetype = "csv")
}))
stopifnot(!is.null(compared$plots), file.exists("written_1.csv"), file.exists("written_2.csv"))
write.csv(tables$tabs, "tabs.csv")
cat(unname(coef(fitted$analyses[[1]])), "\\n")
"""


def in_r(code: str, folder: Path) -> str:
    program = shutil.which("Rscript")
    if program is None:
        pytest.skip("R is not installed")
    done = subprocess.run(
        [program, "-e", code], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.r
def test_synthpop_works_with_what_to_r_writes(
    run_cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, r: rbridge.Session
) -> None:
    monkeypatch.setattr(rbridge, "Session", lambda: nullcontext(r))  # one that has started
    original, first, second = (survey(seed=seed) for seed in (1, 2, 3))
    for name, frame in {"original": original, "a": first, "b": second}.items():
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    code, out, err = run_cli("to-r", "study.toml", "--out", "for-r", "--original")
    assert (code, err) == (0, "")
    assert "own/two, m = 2: synds <- readRDS(" in out
    in_r(IN_R, tmp_path)
    theirs = pd.read_csv(tmp_path / "tabs.csv", index_col=0)
    ours = sdc.utility_tables(sdc.read("original.csv"), [sdc.read("a.csv"), sdc.read("b.csv")])
    result = {re.sub(r"\d+\.", "", name): value for name, value in theirs["S_pMSE"].items()}
    expected = {":".join(pair): value for pair, value in ours["S_pMSE"].items()}
    assert result == pytest.approx(expected, rel=1e-9)
    with Path("for-r/own_two.rds").open("ab") as file:  # the original's is not written again
        file.write(b"theirs")
    code, _, err = run_cli("to-r", "study.toml", "--out", "for-r")
    assert code == 3
    assert "--force" in err


@pytest.mark.r
def test_what_is_counted_in_batches_is_written_as_what_is_in_memory(
    run_cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, r: rbridge.Session
) -> None:
    monkeypatch.setattr(rbridge, "Session", lambda: nullcontext(r))  # one that has started
    monkeypatch.chdir(tmp_path)
    for seed, name in enumerate(("original", "a")):
        (tmp_path / name).mkdir()
        survey(seed=seed).to_parquet(f"{name}.parquet", index=False)
        for i, part in enumerate((survey(seed=seed)[:3], survey(seed=seed)[3:])):
            part.to_parquet(f"{name}/{i}.parquet", index=False)
    for end in ("", ".parquet"):
        text = f'[data]\noriginal = "original{end}"\nreplicas = {{ a = "a{end}" }}\n'
        Path("study.toml").write_text(text + '[roles]\nkeys = ["sex"]\n', encoding="utf-8")
        assert run_cli("to-r", "study.toml", "--out", f"for-r{end}")[0] == 0
    same = 'cat(identical(readRDS("for-r/a.rds"), readRDS("for-r.parquet/a.rds")))'
    assert in_r(same, tmp_path) == "TRUE"


@pytest.mark.r
@pytest.mark.parametrize("how", ["direct", "clone"])
def test_a_written_object_does_not_say_that_synthpop_made_it(
    how: Literal["direct", "clone"], tmp_path: Path, r: rbridge.Session
) -> None:
    synds = rbridge.as_synds(survey(seed=2), survey(), how=how, not_synthesised=["sex"], session=r)
    path = synds.write_rds(tmp_path / "made.rds")
    said = in_r(f"cat(readRDS('{path}')$method)", tmp_path).split()
    assert set(said) == {"external"}
    assert len(said) == len(survey().columns) - 1  # the column of the original has no method


def test_plain_frames_are_no_object_to_write(tmp_path: Path) -> None:
    synds = rbridge.as_synds(survey(seed=2), survey(), how="frames")
    for write in (lambda: synds.write_rds(tmp_path / "x.rds"), synds.to_rpy2):
        with pytest.raises(StudyError, match='how="direct"'):
            write()


ROUND_TRIP = """
from rpy2 import robjects
from rpy2.robjects.packages import importr
from sdcmetrics import rbridge
from tests.rbridge.test_live import survey

original = survey()
others = [survey(seed=2), survey(seed=3)]
for how in ("direct", "clone"):
    synds = rbridge.as_synds(others, original, how=how, missing_codes={"income": -8})
    here = synds.to_rpy2()
    assert tuple(here.rclass) == ("synds",)
    importr("synthpop")
    fitted = robjects.r["lm.synds"](robjects.Formula("income ~ age"), data=here)
    assert "fit.synds" in tuple(fitted.rclass)
    back = rbridge.from_rpy2(here, original)
    assert back.m == 2 and back.codes == {"income": (-8.0,)}, how
    sent, came = synds.syntheses[1].columns["age"], back.syntheses[1].columns["age"]
    assert (came.values == sent.values).all(), how
try:
    rbridge.from_rpy2(robjects.IntVector([1]), original)
except ValueError as error:
    assert "expected R's object of class synds" in str(error)
print("done")
"""


@pytest.mark.r
def test_a_handle_goes_to_the_r_of_a_process_and_back(r: rbridge.Session) -> None:
    pytest.importorskip("rpy2.robjects.vectors", reason="rpy2-robjects is not installed")
    assert r.versions["synthpop"]
    done = subprocess.run(
        [sys.executable, "-c", ROUND_TRIP], capture_output=True, text=True, check=False
    )
    assert done.stdout.endswith("done\n"), done.stderr


def test_a_refused_command_leaves_no_folder(tmp_path: Path, run_cli: Cli) -> None:
    survey().to_csv(tmp_path / "original.csv", index=False)
    text = STUDY.replace('["a.csv", "b.csv"]', '"original.csv"')
    (tmp_path / "study.toml").write_text(text)
    (tmp_path / "kept").mkdir()
    for folder in ("new/deeper", "kept"):
        out = tmp_path / folder
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(rbridge, "Session", refused)
            code, _, err = run_cli("to-r", tmp_path / "study.toml", "--out", out)
        assert (code, "no R here" in err) == (3, True)
    assert not (tmp_path / "new").exists()
    assert (tmp_path / "kept").is_dir()


def refused() -> None:
    msg = "no R here"
    raise RError(msg)
