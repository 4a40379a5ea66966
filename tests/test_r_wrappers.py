"""What the R package offers of single measures is made of the commands, and is current."""

from __future__ import annotations

import runpy
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "r" / "sdcmetricsr"
MADE = runpy.run_path(str(PACKAGE.parent / "generate_wrappers.py"))


def test_the_files_are_what_the_commands_give() -> None:
    for name, text in MADE["written"]().items():
        assert (PACKAGE / name).read_text("utf-8") == text, "run python r/generate_wrappers.py"


def test_every_command_that_writes_a_table_of_files_has_a_function() -> None:
    code = MADE["written"]()["R/commands.R"]
    assert len(MADE["commands"]()) > 20
    assert "k_anonymity <- function(original, keys, missing = NULL" in code
    assert "`holdout` = as_data(holdout)" in code
    assert "`keys` = as_names(keys)" in code
    assert "rank <- " not in code  # of a study
