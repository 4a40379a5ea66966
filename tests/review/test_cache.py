"""Finished steps that are kept: the same review without measuring again, or nothing at all."""

from __future__ import annotations

import os
import pickle
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.microdata.sources.scan import scan
from sdcmetrics.report.assembly import safe_report
from sdcmetrics.report.document import as_json
from sdcmetrics.report.formats.render import render
from sdcmetrics.review import cache as cache_module
from sdcmetrics.review import fingerprint as fingerprint_module
from sdcmetrics.review.conduct import conduct
from sdcmetrics.review.fingerprint import digest, fingerprint
from sdcmetrics.review.review import Review
from sdcmetrics.study.profile import load_profile
from sdcmetrics.study.study import Study
from tests.report.conftest import sample

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture(autouse=True)
def every_step_is_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_module, "WORTH", 0.0)


def study(*replicas: str, original: pd.DataFrame | None = None, **more: Any) -> Study:
    given: dict[str, Any] = {
        "keys": ["region", "age"],
        "targets": ["vote"],
        "models": ["age ~ region"],
        "rules": ["age >= 18"],
        "holdout": sample(60, 9),
        "permutations": 9,
        "perturbed": (0.5,),
    }
    frames = {"one": sample(120, 2), "two": [sample(120, 3), sample(120, 4)]}
    return Study(
        sample(120, 1) if original is None else original,
        {name: frames[name] for name in replicas},
        **(given | more),
    )


def steps(folder: Path) -> set[str]:
    return {file.name for file in folder.glob("*.step")}


def test_a_preset_is_what_it_says_and_not_where_it_is(tmp_path: Path) -> None:
    one, other, changed = (tmp_path / f"{name}.toml" for name in ("one", "other", "changed"))
    for file, metric in ((one, "dwm"), (other, "dwm"), (changed, "pca")):
        file.write_text(f"[metrics]\n{metric} = {{}}\n")
    first, second, third = (
        fingerprint(study("one", preset=str(file))) for file in (one, other, changed)
    )
    assert first == second
    assert first != third


def pages(review: Review) -> list[str]:
    review = replace(review, seconds={})  # which the second time are fewer
    reports = [
        safe_report(review, load_profile("illustration"), mode, None, None, None)
        for mode in ("internal", "checker")
    ]
    return [make(report) for report in reports for make in (render, as_json)]  # type: ignore[operator]


def test_with_one_replica_more_only_that_one_is_measured(tmp_path: Path) -> None:
    conduct(study("one"), cache=tmp_path)
    before = {name: (tmp_path / name).stat().st_mtime_ns for name in steps(tmp_path)}
    messages: list[str] = []
    conduct(study("one", "two"), cache=tmp_path, progress=lambda step, *_: messages.append(step))
    assert all((tmp_path / name).stat().st_mtime_ns == time for name, time in before.items())
    assert len(steps(tmp_path)) > len(before)
    assert messages[-1].startswith(
        f"{len(before):,} of {len(steps(tmp_path)):,} steps as they were"
    )


def test_a_review_of_kept_steps_is_the_same_to_the_byte(tmp_path: Path) -> None:
    conduct(study("one"), cache=tmp_path)
    kept = conduct(study("one", "two"), cache=tmp_path, now=NOW)
    plain = conduct(study("one", "two"), now=NOW)
    pd.testing.assert_frame_equal(kept.frame, plain.frame, check_exact=True)
    assert kept.fixes == plain.fixes
    assert pages(kept) == pages(plain)


def test_a_step_is_taken_from_before_whichever_others_are_made_again(tmp_path: Path) -> None:
    plain = conduct(study("two"), cache=tmp_path)
    for name in sorted(steps(tmp_path))[::2]:
        (tmp_path / name).unlink()
    kept = conduct(study("two"), cache=tmp_path)
    pd.testing.assert_frame_equal(kept.frame, plain.frame)
    assert kept.fixes == plain.fixes


def changed_cell(seed: int) -> pd.DataFrame:
    frame = sample(120, seed)
    frame.loc[5, "age"] += 1
    return frame


@pytest.mark.parametrize(
    ("part", "change"),
    [
        ("the original or the holdout", {"original": changed_cell(1)}),
        ("the original or the holdout", {"holdout": sample(60, 10)}),
        ("the original or the holdout", {"sample": {"weight": "income"}}),
        ("what is asked", {"ngroups": 4}),
        ("what is asked", {"seed": 2}),
        ("what is asked", {"keys": ["region"]}),
        ("what is asked", {"models": ["age ~ vote"]}),
        ("what is asked", {"attacks": True}),
        ("what is asked", {"preset": "fast"}),
    ],
)
def test_a_change_is_seen_in_the_part_it_is_of(part: str, change: dict[str, Any]) -> None:
    before, after = fingerprint(study("one")), fingerprint(study("one", **change))
    assert before[part] != after[part]
    assert before["replica 'one'"] == after["replica 'one'"] or "sample" in change


def test_title_profile_and_context_change_no_measurement() -> None:
    more: dict[str, Any] = {"title": "x", "profile": "illustration", "context": {"purpose": "y"}}
    assert fingerprint(study("one")) == fingerprint(study("one", **more))


@pytest.mark.parametrize("where", ["original", "replica", "option"])
def test_after_a_change_every_step_is_made_again(where: str, tmp_path: Path) -> None:
    def plain(original: pd.DataFrame, replica: pd.DataFrame, **more: Any) -> Study:
        return Study(original, {"a": replica}, keys=["region"], targets=["vote"], **more)

    conduct(plain(sample(120, 1), sample(120, 2)), cache=tmp_path)
    before = steps(tmp_path)
    conduct(plain(sample(120, 1), sample(120, 2)), cache=tmp_path)
    assert steps(tmp_path) == before
    other = {
        "original": plain(changed_cell(1), sample(120, 2)),
        "replica": plain(sample(120, 1), changed_cell(2)),
        "option": plain(sample(120, 1), sample(120, 2), ngroups=4),
    }
    review = conduct(other[where], cache=tmp_path, now=NOW)
    assert steps(tmp_path).isdisjoint(before)
    pd.testing.assert_frame_equal(review.frame, conduct(other[where]).frame)


def test_the_code_is_every_module_with_its_size_and_time() -> None:
    package = Path(fingerprint_module.__file__).parents[1]
    files = sorted(package.rglob("*.py"))
    listed = [(str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in files]
    code, *others = fingerprint_module._code()
    assert len(listed) > 100
    assert code == digest(tuple(listed))
    assert not {name for name, *_ in others} & set(map(str, files))


def test_another_version_is_measured_anew(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    conduct(study("one"), cache=tmp_path)
    before = steps(tmp_path)
    versions = {"sdcmetrics": "99"}
    monkeypatch.setattr(fingerprint_module, "list_versions", lambda: versions)
    conduct(study("one"), cache=tmp_path)
    assert steps(tmp_path).isdisjoint(before)  # and what is of no use any more is gone
    assert len(steps(tmp_path)) == len(before)


def test_what_another_wrote_is_not_opened(tmp_path: Path) -> None:
    conduct(study("one"), cache=tmp_path)

    class Bomb:
        def __reduce__(self) -> tuple[Any, ...]:
            return os.mkdir, (str(tmp_path / "run"),)

    for name in steps(tmp_path):
        file = tmp_path / name
        file.write_bytes(file.read_bytes()[:32] + pickle.dumps(Bomb()))
    kept = conduct(study("one"), cache=tmp_path, now=NOW)
    assert not (tmp_path / "run").exists()
    pd.testing.assert_frame_equal(kept.frame, conduct(study("one")).frame)


def test_a_step_under_the_name_of_another_is_not_opened(tmp_path: Path) -> None:
    conduct(study("one"), cache=tmp_path)
    first, second, *_ = sorted(steps(tmp_path))
    (tmp_path / first).write_bytes((tmp_path / second).read_bytes())
    kept = conduct(study("one"), cache=tmp_path, now=NOW)
    pd.testing.assert_frame_equal(kept.frame, conduct(study("one")).frame)


def test_without_a_key_of_ones_own_nothing_is_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    conduct(study("one"), cache=tmp_path / "kept")
    assert not (tmp_path / "kept").exists()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_only_its_owner_may_read_what_is_kept(tmp_path: Path) -> None:
    conduct(study("one"), cache=tmp_path / "kept")
    modes = {
        path.stat().st_mode & 0o077 for path in (tmp_path / "kept", *(tmp_path / "kept").iterdir())
    }
    assert modes == {0}


def test_no_two_values_have_one_digest() -> None:
    values: list[Any] = [1, 1.0, True, "1", b"1", None, (1,), [1], ((1,),), {"a": 1}, {"a": "1"}]
    values += [("a", "b"), ("ab",), ("a,b",), frozenset({"a", "b"}), NOW.isoformat()]
    numbers = np.arange(4)
    values += [numbers, numbers.astype(float), numbers.reshape(2, 2), numbers[::-1], numbers[1]]
    assert len({digest(value) for value in values}) == len(values)
    assert digest(numbers.reshape(2, 2).T) == digest(np.array([[0, 2], [1, 3]]))
    with pytest.raises(TypeError, match="no digest"):  # it holds addresses, not values
        digest(np.array(["a", None], dtype=object))
    with pytest.raises(TypeError, match="no digest"):
        digest(object())


def test_nothing_is_kept_of_data_that_are_counted_batch_by_batch(tmp_path: Path) -> None:
    sample(120, 2).to_parquet(tmp_path / "one.parquet")
    replica = scan(tmp_path / "one.parquet")
    asked = Study(scan_of(tmp_path), {"one": replica}, keys=["region"], targets=["vote"], ways=1)
    conduct(asked, cache=tmp_path / "kept")
    assert not (tmp_path / "kept").exists()


def scan_of(folder: Path) -> Any:
    sample(120, 1).to_parquet(folder / "o.parquet")
    return scan(folder / "o.parquet")
