"""What a command loads: never more than it needs, for start-up is most of a short command."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

FRAMES = {"pandas", "numpy", "pyarrow", "narwhals"}
"""What every command on data needs."""
HEAVY = FRAMES | {
    "scipy",
    "scipy.stats",
    "statsmodels",
    "numba",
    "jinja2",
    "pydantic",
    "rich",
    "pyreadstat",
    "rdata",
}


def loaded(code: str, *arguments: str, folder: Path | None = None) -> set[str]:
    """Return the heavy packages that a fresh interpreter has loaded after some code."""
    report = f"\nimport sys; print([n for n in {HEAVY} if n in sys.modules], file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", code + report, *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert done.returncode == 0, done.stderr
    return set(eval(done.stderr.splitlines()[-1]))  # noqa: S307  (our own list)


def of_commands(*commands: str, folder: Path | None = None) -> set[str]:
    """Return what commands load one after the other: what one must not, all must not."""
    code = (
        "import sys\n"
        "from sdcmetrics.cli import main\n"
        "for command in sys.argv[1:]:\n"
        "    sys.argv[1:] = command.split(';')\n"
        "    try:\n        main()\n    except SystemExit as done:\n"
        "        assert not done.code, command"
    )
    return loaded(code, *commands, folder=folder)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("start")
    rows = "".join(f"{'abc'[i % 3]},{i % 7},{i * i % 11}\n" for i in range(60))
    for name in ("o.csv", "s.csv"):
        (folder / name).write_text("job,age,income\n" + rows, encoding="utf-8")
    return folder


def test_help_and_version_load_nothing_heavy() -> None:
    assert of_commands("--version", "--help", "review;--help", "rules;--help") == set()


def test_python_m_is_the_command_line() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "sdcmetrics", "--version"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert done.stdout.startswith("sdcmetrics")


def test_the_package_and_its_errors_load_nothing_heavy() -> None:
    code = "dir(sdcmetrics); sdcmetrics.__version__; sdcmetrics.SdcMetricsError"
    assert loaded(f"import sdcmetrics; {code}") == set()


def test_public_names_load_only_what_they_need() -> None:
    names = "tvd, read, utility_tables, disclosure, explain, check_rules, Microdata"
    assert loaded(f"from sdcmetrics import {names}") <= FRAMES


def test_what_a_holdout_tells_needs_no_distributions_of_scipy() -> None:
    code = (
        "from sdcmetrics.measures.exchangeable import more_than_hypergeometric\n"
        "from sdcmetrics.measures.people.tails import smallest_hypergeometric\n"
        "from sdcmetrics.measures.rules.outcome import RuleCounts, rule_p\n"
        "import numpy as np\n"
        "more_than_hypergeometric(1, 3, 2, 6)\n"
        "smallest_hypergeometric(np.array([1]), np.array([2]), 3, 6)\n"
        "rule_p(RuleCounts(9, 1, 0, 10), RuleCounts(7, 3, 0, 10))"
    )
    assert "scipy.stats" not in loaded(code)


def test_words_need_no_table_printer() -> None:
    assert of_commands("explain", "explain;DiSCO") <= FRAMES
    assert of_commands("profiles", "profiles;default") <= FRAMES | {"pydantic"}


def test_tables_of_two_files_need_no_template_no_fit_and_no_study(files: Path) -> None:
    result = of_commands(
        "utility-tables;o.csv;s.csv",
        "utility-tables;o.csv;s.csv;--csv;t.csv",
        "disclosure;o.csv;s.csv;--keys;job",
        "fidelity;o.csv;s.csv",
        "rules;o.csv;s.csv;--rule;age < 9;--json;r.json",
        folder=files,
    )
    assert result <= FRAMES | {"rich"}


def test_only_one_module_of_the_command_line_imports_rich() -> None:
    package = Path(__file__).parents[2] / "sdcmetrics"
    result = [p for p in package.rglob("*.py") if "rich" in _imported(p.read_text("utf-8"))]
    assert [p.relative_to(package).as_posix() for p in result] == ["cli/terminal.py"]


def _imported(source: str) -> set[str]:
    lines = (line.split() for line in source.splitlines())
    return {words[1].partition(".")[0] for words in lines if words[:1] in (["from"], ["import"])}


def test_a_command_ends_without_a_search_of_all_that_is_left() -> None:
    code = (
        "import atexit, gc, os, sys\n"
        "from sdcmetrics.cli import main\n"
        "said = lambda: print(gc.get_freeze_count() > 0, os.environ['OPENBLAS_THREAD_TIMEOUT'])\n"
        "atexit.register(said)\n"  # what is registered first is called last
        "main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "--version"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert done.stdout.splitlines()[1] == "True 16"
