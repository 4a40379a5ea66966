"""The counts by label that r/record_reference.R checks answers with, beside answers of 1.9-3."""

from __future__ import annotations

import json
import shutil
import subprocess
from functools import cache
from typing import Any

import pytest

from sdcmetrics.rbridge.installation import R_CODE
from tests.recorded import Case, all_cases, arguments

pytestmark = pytest.mark.r

PROGRAM = """
newer <- TRUE
source(file.path(code, "count_labels.R"))
numbers <- function(x) {
  if (is.list(x)) {
    x <- lapply(x, numbers)
    single <- length(x) > 0 && is.null(names(x)) && all(vapply(x, is.atomic, NA) & lengths(x) == 1)
    return(if (single) unlist(x) else x)
  }
  if (is.character(x) && x %in% c("NA", "NaN", "Inf", "-Inf")) as.numeric(x) else x
}
read <- function(folder, name) {
  numbers(jsonlite::fromJSON(file.path(folder, name), simplifyVector = FALSE))
}
frame <- function(path, schema) {
  raw <- read.csv(path, colClasses = "character", na.strings = "", check.names = FALSE)
  raw[] <- Map(function(values, of) {
    switch(of$type, factor = factor(values, of$levels), ordered = factor(values, of$levels),
           logical = as.logical(values), Date = as.Date(values), character = values,
           as.numeric(values))
  }, raw, schema[names(raw)])
  raw
}
of_case <- function(folder) {
  params <- read(folder, "params.json")
  answers <- read(folder, "expected_1.9-3.json")
  files <- if (params$m == 1) "syn.csv" else sprintf("syn_%d.csv", seq_len(params$m))
  case <- list(orig = frame(file.path(folder, "orig.csv"), params$schema$orig),
               cont.na = params$cont.na,
               syn = lapply(file.path(folder, files), frame, params$schema$syn))
  found <- list()
  for (id in setdiff(names(answers), "generated_by")) {
    call <- params$calls[[id]]
    answer <- answers[[id]]
    found[[id]] <- if (!is.null(answer$error)) "error" else if (call$kind == "disclosure") {
      counted <- lapply(seq_along(case$syn), function(i) label_disclosure(case, call, i))
      agrees_disclosure(call, case, answer, counted)
    } else get(paste0("agrees_", call$kind))(call, case, answer)
  }
  found
}
folders <- readLines(file("stdin"))
found <- lapply(setNames(folders, basename(folders)), of_case)
cat(jsonlite::toJSON(found, auto_unbox = TRUE, na = "null"))
"""


@cache
def agreements() -> dict[str, dict[str, Any]]:
    """Return of every case which answers agree, by one R for all of them."""
    program = shutil.which("Rscript")
    if program is None:
        pytest.skip("R is not installed")
    done = subprocess.run(
        [program, "-e", f"code <- '{R_CODE}'{PROGRAM}"],
        input="\n".join(str(case.folder) for case in all_cases()) + "\n",
        capture_output=True,
        text=True,
        check=False,
    )
    if "there is no package called" in done.stderr:
        pytest.skip("jsonlite is not installed")
    assert done.returncode == 0, done.stderr
    answers: dict[str, dict[str, Any]] = json.loads(done.stdout)
    return answers


def known_to_differ(case: Case, call: str) -> bool:
    """Whether the data, or how the options are given, bring out B2, B8, B11, B13 or B24."""
    asked = case.params["calls"][call]
    given = arguments(asked)
    texts = case.name == "t10_types" and "miss" in (*asked["keys"], asked.get("target"))
    in_data = sorted(asked["keys"], key=list(case.params["schema"]["orig"]).index)
    out_of_order = isinstance(given.get("ngroups_keys"), list) and in_data != asked["keys"]
    return call in case.divergences or texts or out_of_order or given.get("attrib.meas") == "DCAP"


@pytest.mark.parametrize("case", all_cases(), ids=lambda case: case.name)
def test_the_definitions_of_1_9_3_agree_unless_synthpop_is_known_to_be_wrong(case: Case) -> None:
    result = agreements()[case.name]
    assert {*result} == {name for name in case.newer if name != "generated_by"}
    for call, agrees in result.items():
        assert (agrees is True) == (not known_to_differ(case, call)), call
