"""The R package sdcmetricsr, installed for the test: data out, figures and report back."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

import sdcmetrics as sdc

pytestmark = pytest.mark.r

ROOT = Path(__file__).parents[1]
RunR = Callable[[str], "subprocess.CompletedProcess[str]"]

SETTING = """
original <- read.csv("o.csv", stringsAsFactors = TRUE)
cart <- list(read.csv("c1.csv", stringsAsFactors = TRUE), read.csv("c2.csv"))
keys <- c("age", "educ", "PID")
"""


@pytest.fixture(scope="module")
def run_r(tmp_path_factory: pytest.TempPathFactory) -> RunR:
    """Return a function that runs R code where the package is installed, beside the demo's data."""
    rscript = shutil.which("Rscript")
    if rscript is None:
        pytest.skip("R is not installed")
    asked = [rscript, "-e", "quit(status = !requireNamespace('jsonlite', quietly = TRUE))"]
    if subprocess.run(asked, capture_output=True, check=False).returncode != 0:
        pytest.skip("R's package jsonlite is not installed")
    folder = tmp_path_factory.mktemp("r package")
    library = folder / "library"
    library.mkdir()
    source = str(ROOT / "r" / "sdcmetricsr")
    install = [rscript, "-e", "install.packages(commandArgs(TRUE)[1], commandArgs(TRUE)[2], NULL)"]
    done = subprocess.run(
        [*install, source, str(library)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "R_COMPILE_PKGS": "0", "R_INSTALL_STAGED": "false"},  # sooner
    )
    assert (library / "sdcmetricsr").is_dir(), done.stderr
    program = folder / "sdcmetrics"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m sdcmetrics "$@"\n')
    program.chmod(0o755)
    original, replicas = demo()
    original.to_csv(folder / "o.csv", index=False)
    sdc.demo.load_holdout()[COLUMNS].to_csv(folder / "h.csv", index=False)
    for i, frame in enumerate(replicas, 1):
        frame.to_csv(folder / f"c{i}.csv", index=False)
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "R_LIBS_USER": str(library),
        "SDCMETRICS_COMMAND": str(program),
    }

    def run(code: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [rscript, "-e", f"library(sdcmetricsr); {code}"],
            capture_output=True,
            text=True,
            check=False,
            env=environment,
            cwd=folder,
        )

    return run


COLUMNS = ["age", "educ", "PID", "vote", "income", "TVnews"]


def demo() -> tuple[pd.DataFrame, list[pd.DataFrame]]:
    """Return a part of the demo's original, and of its first replica."""
    original, *replicas = (
        frame[COLUMNS].head(250)
        for frame in (sdc.demo.load_original(), *sdc.demo.load_replicas()["cart"])
    )
    return original, replicas


def printed(done: subprocess.CompletedProcess[str]) -> list[str]:
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_review_of_the_demo_comes_back_with_its_report_and_is_drawn_and_kept(run_r: RunR) -> None:
    lines = printed(
        run_r(
            SETTING
            + """
            found <- review(original, list(`cart, "m = 2"` = cart), keys, c("vote", "income"),
                            holdout = "h.csv", models = TVnews ~ age + educ, title = "Größe\\\\n",
                            missing_codes = list(TVnews = c(-8, -9)),
                            profile = "illustration",
                            study = list(options = list(seed = 2, permutations = 99)))
            rows <- found$measurements
            cat(file.exists(found$report), found$title, unique(rows$replica), "\\n", sep = "|")
            risk <- found$disclosure
            cat(risk$DiSCO[risk$target == "vote"], "\\n")
            cat(sum(rows$metric == "CIO"), "DCR_share" %in% rows$metric, "\\n", sep = "|")
            again <- read_review(found$folder)
            stopifnot(identical(again, found))
            saveRDS(found, "kept.rds")
            points <- plot(found)
            cat(points$replica, "\\n", sep = "|")
            m <- rows[rows$metric == "DiSCO", ]
            table <- summary(found)
            print(isTRUE(all.equal(points$risk, mean(m$value))))
            print(table$risk %in% c("within", "not judged", "review", "fail"))
            print(table)
            print(again)
            """
        )
    )
    assert lines[0] == 'TRUE|Größe\\n|cart, "m = 2"|'
    original, replicas = demo()
    risk = sdc.disclosure(original, replicas, keys=["age", "educ", "PID"], target="vote")
    assert float(lines[1]) == pytest.approx(risk.attribution["DiSCO"], rel=1e-5)
    assert int(lines[2].split("|")[0]) > 0
    assert lines[2].split("|")[1] == "TRUE"
    assert lines[3] == 'cart, "m = 2"|'
    assert lines[4:6] == ["[1] TRUE", "[1] TRUE"]
    assert any(line.startswith("  may it be released: ") for line in lines)
    assert any("May it be released?" in line for line in lines)
    assert lines[-1].startswith("report: ")
    again = run_r(
        "found <- readRDS('kept.rds'); print(file.exists(found$folder));"
        "print(file.exists(found$report));"
        "print(any(grepl('Which replica', readLines(found$report, warn = FALSE))));"
        "print(file.exists(file.path(dirname(found$report), 'report-annexes.html')))"
    )
    assert [line.split()[-1] for line in printed(again)] == ["FALSE", "TRUE", "TRUE", "TRUE"]


def test_tables_are_those_of_python(run_r: RunR) -> None:
    lines = printed(
        run_r(
            SETTING
            + """
            cat(disclosure(original, cart[[1]], keys, "vote")$DiSCO, "\\n")
            tables <- utility_tables(original, list(cart[[1]], "c2.csv"), ways = 1)
            cat(nrow(tables), tables$S_pMSE[1], "\\n")
            cat(length(dir(tempdir())), "\\n")
            """
        )
    )
    original, replicas = demo()
    risk = sdc.disclosure(original, replicas[0], keys=["age", "educ", "PID"], target="vote")
    assert float(lines[0]) == pytest.approx(risk.attribution["DiSCO"], rel=1e-5)
    tables = sdc.utility_tables(original, replicas, ways=1)
    count, first = lines[1].split()
    assert int(count) == len(tables)
    assert float(first) == pytest.approx(tables["S_pMSE"].iloc[0], rel=1e-5)
    assert int(lines[2]) == 0  # nothing confidential is left behind


ERRORS = {
    "disclosure(original, cart[[1]], 'ages')": "Did you mean 'age'",
    "disclosure(original, 3, keys)": "expected a data frame or the name of a file",
    "disclosure('none.csv', cart[[1]], keys)": "there is no file 'none.csv'",
    "review(original, list(cart), keys)": "expected a named list",
    "read_review('nowhere')": "there is no review in 'nowhere'",
    "{Sys.setenv(SDCMETRICS_COMMAND = '/no/such'); disclosure(original, cart[[1]], keys)}": (
        "the environment variable SDCMETRICS_COMMAND names '/no/such'"
    ),
    "{Sys.setenv(SDCMETRICS_COMMAND = '', PATH = ''); sdcmetrics_command()}": (
        "pip install sdcmetrics"
    ),
}


def test_an_error_says_what_to_do(run_r: RunR) -> None:
    caught = "".join(
        f"cat('error {i}:', tryCatch({{{code}; 'none'}}, error = conditionMessage), '\\n');"
        for i, code in enumerate(ERRORS)
    )
    texts = re.split(r"error \d:", "\n".join(printed(run_r(SETTING + caught))))[1:]
    assert len(texts) == len(ERRORS)
    for text, part in zip(texts, ERRORS.values(), strict=True):
        assert part in text


def test_an_error_ends_a_script(run_r: RunR) -> None:
    done = run_r(SETTING + "disclosure('none.csv', cart[[1]], keys)")
    assert done.returncode != 0
    assert "there is no file 'none.csv'" in done.stderr


def test_commands_are_functions(run_r: RunR) -> None:
    done = run_r(
        f"{SETTING} found <- k_anonymity(original, keys = keys); print(class(found));"
        "x <- fit_overlap(original, cart, formula = age ~ PID); print(nrow(x) > 1);"
        "y <- structure(data.frame(a = 1 / 3), class = c('sdcmetrics_table', 'data.frame'));"
        "print(y); print(y$a == 1 / 3)"
    )
    lines = printed(done)
    assert '"sdcmetrics_table" "data.frame"' in lines[0]
    assert lines[1].split()[-1] == "TRUE"
    assert lines[-2].strip() == "0.333"
    assert lines[-1].endswith("TRUE")
