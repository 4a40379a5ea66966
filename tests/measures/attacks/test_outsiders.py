"""Real files of outsiders in a study: linked, shown in counts, none of their rows anywhere."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.errors import ColumnError, StudyError
from sdcmetrics.measures.attacks.outsiders import OUTSIDERS
from sdcmetrics.measures.kind import Place
from sdcmetrics.review.fingerprint import fingerprint

STUDY = """
[data]
original = "original.csv"
replicas = { cart = "cart.csv" }
[roles]
keys = ["age"]
targets = ["vote"]
[options]
ways = [1]
candidates = 0
permutations = 0
[missing_codes]
age = 25
size = 9
[[external]]
name = "register"
file = "register.csv"
keys = ["age", "sex"]
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    rng = np.random.default_rng(1)
    for name, seed in (("original", 1), ("cart", 2)):
        rng = np.random.default_rng(seed)
        pd.DataFrame(
            {
                "age": rng.integers(20, 60, 80),
                "sex": rng.choice(["f", "m"], 80),
                "size": rng.integers(1, 10, 80),
                "vote": rng.choice(["a", "b"], 80),
            }
        ).to_csv(tmp_path / f"{name}.csv", index=False)
    pd.DataFrame(
        {"name": ["Unmistakable"] * 60, "age": range(20, 80), "sex": ["f", "m"] * 30}
    ).to_csv(tmp_path / "register.csv", index=False)
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    return tmp_path / "study.toml"


def test_a_review_has_what_the_function_gives(study: Path, tmp_path: Path) -> None:
    review = sdc.conduct(sdc.read_study(study), reference_values=False)
    place = Place(scenario="register", keys=("age", "sex"))
    linkage = review.evidence[OUTSIDERS, "cart", place]
    files = [sdc.read(study.with_name(f"{name}.csv")) for name in ("original", "cart", "register")]
    alone = sdc.external_linkage(files[0], files[1], external=files[2], keys=["age", "sex"])
    pd.testing.assert_frame_equal(
        linkage.table.reset_index(drop=True), alone.table.reset_index(drop=True)
    )
    sdc.report.write_all(review, tmp_path / "out")
    shown = pd.read_csv(tmp_path / "out" / "tables" / "external.csv")
    assert shown["one_to_one"].tolist() == linkage.table["one_to_one"].tolist()
    for page in (tmp_path / "out").rglob("*.*"):
        assert b"Unmistakable" not in page.read_bytes()


def test_another_register_is_another_study(study: Path) -> None:
    read = sdc.read_study(study)
    before = fingerprint(read)
    register = study.with_name("register.csv")
    register.write_text(register.read_text("utf-8") + "x,99,f\n", encoding="utf-8")
    assert fingerprint(read) != before


def test_a_register_that_cannot_be_read_has_a_reason(study: Path) -> None:
    study.with_name("register.csv").unlink()
    review = sdc.conduct(sdc.read_study(study), reference_values=False)
    (reason,) = review.evidence.of(OUTSIDERS).values()
    assert "register.csv" in reason


@pytest.mark.parametrize(
    ("old", "new", "error", "message"),
    [
        ('keys = ["age", "sex"]', 'keys = ["aeg"]', ColumnError, "'aeg'.*'age'"),
        ('keys = ["age", "sex"]', "keys = []", StudyError, "at least one entry"),
        ('file = "register.csv"\n', "", StudyError, "'external.0.file'|'external.file'"),
    ],
)
def test_a_wrong_section_is_refused(
    study: Path, old: str, new: str, error: type[Exception], message: str
) -> None:
    study.write_text(STUDY.replace(old, new), encoding="utf-8")
    with pytest.raises(error, match=message):
        sdc.read_study(study)
