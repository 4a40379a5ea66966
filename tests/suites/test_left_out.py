"""An installation may leave the suites out: nothing else is changed, and reviews work."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import sdcmetrics
from sdcmetrics.measures.registry import MEASURES, SUBJECTS

PACKAGE = Path(sdcmetrics.__file__).parent
SCRIPT = """
import json, sys
from pathlib import Path
from sdcmetrics import conduct, explain, read_study, report
from sdcmetrics.cli.app import app
from sdcmetrics.errors import SdcMetricsError
from sdcmetrics.measures.registry import MEASURES, SUBJECTS

out = Path(sys.argv[1])
review = conduct(read_study(out / "study.toml"))
for mode in ("internal", "checker"):
    (out / mode).mkdir()
    report.write_all(review, out / mode, mode=mode)
try:
    read_study(out / "preset.toml")
except SdcMetricsError as error:
    refused = str(error)
seen = {
    "subjects": [one.name for one in SUBJECTS], "measures": list(MEASURES),
    "rows": sorted(set(review.frame["metric"])), "commands": sorted(app.commands),
    "refused": refused, "loaded": [name for name in sys.modules if "suites" in name],
}
(out / "seen.json").write_text(json.dumps(seen))
"""
STUDY = """
[data]
original = "o.csv"
holdout = "h.csv"
[data.replicas]
other = "s.csv"
[roles]
keys = ["a"]
targets = ["b"]
[options]
permutations = 9
perturbed = []
"""


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """What a review says in an installation without the folder and its entry points."""
    out = tmp_path_factory.mktemp("left_out")
    (out / "sdcmetrics").mkdir()
    for path in PACKAGE.iterdir():
        if path.name not in ("suites", "__pycache__"):
            (out / "sdcmetrics" / path.name).symlink_to(path)
    (out / "reports").symlink_to(PACKAGE.parent / "reports")  # templates of a checkout
    (out / "sdcmetrics-0.dist-info").mkdir()
    (out / "sdcmetrics-0.dist-info" / "METADATA").write_text("Name: sdcmetrics\nVersion: 0\n")
    frame = pd.DataFrame({"a": list("xxyyz") * 12, "b": list("pqpqp") * 12, "c": range(60)})
    for name, part in (
        ("o", frame),
        ("s", frame.sample(frac=1, random_state=1)),
        ("h", frame[:30]),
    ):
        part.to_csv(out / f"{name}.csv", index=False)
    (out / "study.toml").write_text(STUDY)
    (out / "preset.toml").write_text(STUDY + 'preset = "fast"\n')
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(out)],
        capture_output=True,
        text=True,
        cwd=out,
        env={**os.environ, "PYTHONPATH": str(out)},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    document: dict[str, list[str]] = json.loads((out / "seen.json").read_text())
    return document


def test_no_module_of_a_suite_is_loaded(seen: dict[str, list[str]]) -> None:
    assert [name for name in seen["loaded"] if name.startswith("sdcmetrics.")] == []


def test_all_measures_of_other_subjects_are_there_and_only_these(
    seen: dict[str, list[str]],
) -> None:
    suites = {
        measure.symbol
        for s in SUBJECTS
        if s.name in ("syntheval", "daisynt")
        for measure in s.measures
    }
    assert len(suites) > 40
    assert set(seen["measures"]) == set(MEASURES) - suites
    assert {"DiSCO", "TVD"} <= set(seen["rows"])


def test_a_preset_is_refused_by_a_sentence(seen: dict[str, list[str]]) -> None:
    assert "preset: no package that is installed has presets" in seen["refused"]


def test_the_command_of_a_suite_is_not_listed(seen: dict[str, list[str]]) -> None:
    assert "daisynt" not in seen["commands"]
    assert "review" in seen["commands"]
