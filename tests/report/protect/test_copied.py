"""What a release says of copies, in counts that are rounded, and where it must not be silent."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdcmetrics.errors import ReleaseBlocked
from sdcmetrics.measures.closeness.copies import count_copies, exact_copies_p
from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.microdata.sources.scan import scan
from sdcmetrics.report.formats.write import write_all
from sdcmetrics.report.safety.cells import Mode, plain
from sdcmetrics.report.safety.protect.copies import closer, protected_copying
from sdcmetrics.report.safety.protect.figures import band, share
from sdcmetrics.report.safety.protect.rounding import Rounding
from sdcmetrics.report.safety.safe import safe_report
from sdcmetrics.report.source import judged
from sdcmetrics.review.conduct import conduct
from sdcmetrics.review.copying import Copying, beyond_twins, copying_of
from sdcmetrics.review.judge import Status
from sdcmetrics.review.review import Review
from sdcmetrics.study.profile import load_profile
from sdcmetrics.study.study import Study

ROUNDING = Rounding(base=5, least=10, zeros=True)
PROFILE = load_profile("illustration")


def said(original: np.ndarray, synthetic: np.ndarray) -> Copying:
    """Return what is told of records that are numbers of combinations of values."""
    size = int(max(original.max(), synthetic.max())) + 1
    found = count_copies(*(np.bincount(one, minlength=size) for one in (original, synthetic)))
    exact = Copying(
        "r",
        0,
        found.n_original,
        found.n_synthetic,
        found.copied,
        found.twins,
        found.complete,
        exact_copies_p(found).value,
    )
    return protected_copying(exact, ROUNDING)


@pytest.mark.parametrize("times", [0.3, 1, 3, 10])
@pytest.mark.parametrize("combinations", [24, 300, 5_000])
def test_fresh_people_are_not_called_copies_however_many_they_are(
    combinations: int, times: float
) -> None:
    rng = np.random.default_rng(1)
    for n in (60, 300, 2_000):
        for _ in range(8):
            shares = rng.dirichlet(np.full(combinations, 0.4))
            original, fresh = (rng.choice(combinations, k, p=shares) for k in (n, int(n * times)))
            assert not said(original, fresh).holds_copies


def test_fresh_people_with_some_twenty_twins_are_not_called_copies() -> None:
    rng = np.random.default_rng(8)
    for _ in range(100):
        shares = rng.dirichlet(np.ones(10_000))
        assert not said(*(rng.choice(10_000, 400, p=shares) for _ in range(2))).holds_copies


@pytest.mark.parametrize(("combinations", "n"), [(1_500, 2_000), (5_000, 300), (10**6, 30)])
def test_a_copy_is_told_though_most_records_have_a_twin(combinations: int, n: int) -> None:
    rng = np.random.default_rng(2)
    original = rng.integers(0, combinations, n)
    assert said(original, rng.permutation(original)).complete


def test_a_few_copies_are_told_where_twins_are_rare() -> None:
    rng = np.random.default_rng(3)
    original, fresh = rng.integers(0, 10**6, (2, 2_000))
    fresh[:100] = original[:100]
    assert said(original, fresh).holds_copies


@pytest.mark.parametrize("times", [1, 2, 3])
def test_copies_are_told_in_both_editions_however_often_a_replica_repeats_its_records(
    times: int,
) -> None:
    rng = np.random.default_rng(6)
    original, replica = pd.DataFrame(rng.integers(0, 9, (600, 6))), rng.integers(0, 9, (600, 6))
    replica[:150] = original.to_numpy()[:150]
    names = [f"v{i}" for i in range(6)]
    original.columns = pd.Index(names)
    repeated = pd.DataFrame(np.repeat(replica, times, axis=0), columns=names)
    (found,) = copying_of(conduct(Study(original, {"r": repeated}, keys=["v0"], targets=["v1"])))
    assert found.copied >= 150
    assert found.holds_copies
    assert protected_copying(found, ROUNDING).holds_copies


@pytest.mark.parametrize("large", [False, True])
def test_fresh_people_are_no_copies_where_by_chance_no_two_of_the_original_are_the_same(
    *, large: bool
) -> None:
    rng = np.random.default_rng(12)
    names, none_the_same = [f"v{i}" for i in range(6)], 0
    for _ in range(25):
        both = [pd.DataFrame(rng.integers(0, 6, (150, 6)), columns=names) for _ in range(2)]
        original, fresh = (scan(one) for one in both) if large else both
        study = Study(original, {"r": fresh}, keys=["v0"], targets=["v1"])
        (found,) = copying_of(conduct(study))
        none_the_same += found.copied > 0 and not found.twins
        assert not found.holds_copies
    assert none_the_same > 5


@pytest.mark.parametrize("large", [False, True])
def test_one_copy_is_told_where_no_two_records_are_nearly_alike(*, large: bool) -> None:
    rng = np.random.default_rng(13)
    names = [f"v{i}" for i in range(5)]
    both = [pd.DataFrame(rng.integers(0, 10**6, (150, 5)), columns=names) for _ in range(2)]
    both[1].iloc[7] = both[0].iloc[70]
    original, replica = (scan(one) for one in both) if large else both
    (found,) = copying_of(conduct(Study(original, {"r": replica}, keys=["v0"], targets=["v1"])))
    assert found.copied == 1
    assert found.holds_copies


@pytest.mark.parametrize(("n", "times"), [(12, 5), (12, 20), (60, 20)])
def test_fresh_people_of_a_small_file_are_no_copies_however_many(n: int, times: int) -> None:
    rng, equal = np.random.default_rng(14), 0
    for _ in range(25):
        both = [pd.DataFrame(rng.integers(0, 3, (k, 8))).add_prefix("v") for k in (n, n * times)]
        study = Study(both[0], {"r": both[1]}, keys=["v0"], targets=["v1"])
        (found,) = copying_of(conduct(study, marks=False))
        equal += found.copied > 0
        assert not found.holds_copies
    assert equal


@pytest.mark.parametrize("times", [0.3, 1, 3, 10])
def test_fresh_people_are_not_beyond_twins(times: float) -> None:
    rng = np.random.default_rng(7)
    for n, combinations in ((60, 24), (300, 300), (300, 10_000), (2_000, 100_000)):
        for _ in range(10):
            shares = rng.dirichlet(np.full(combinations, 0.4))
            sizes = n, int(n * times)
            found = count_copies(*(rng.multinomial(k, shares) for k in sizes))
            assert not beyond_twins(found.copied, max(found.twins, 10), *sizes, 5)


def review(columns: int, n: int = 300) -> Review:
    rng = np.random.default_rng(4)

    def frame() -> pd.DataFrame:
        return pd.DataFrame({f"v{i}": rng.choice(list("abcd"), n) for i in range(columns)})

    original = frame()
    copy = original.sample(frac=1, random_state=1).reset_index(drop=True)
    replicas = {"copy": copy, "fresh": frame()}
    return conduct(Study(original, replicas, keys=["v0"], targets=["v1"], profile="illustration"))


def test_no_release_is_written_that_would_call_a_copy_releasable(tmp_path: Path) -> None:
    few = review(2)
    words = {one.replica: one.words for one in judged(few, PROFILE, "internal")}
    assert words["copy"].startswith("not releasable")
    with pytest.raises(ReleaseBlocked, match=r"replica 'copy' is a copy of the original"):
        write_all(few, tmp_path / "out", profile=PROFILE, mode="checker", formats=["html"])
    assert not (tmp_path / "out").exists()


def test_of_more_columns_the_release_says_it(tmp_path: Path) -> None:
    many = review(6)
    write_all(many, tmp_path / "out", profile=PROFILE, mode="checker", formats=["html"])
    words = {one.replica: one.words for one in judged(many, PROFILE, "checker")}
    assert words["copy"].startswith("not releasable")


@pytest.mark.long
@given(total=st.integers(30, 3_000), part=st.floats(0, 1), key=st.text(max_size=3))
def test_a_share_lies_between_the_ends_that_a_verdict_looks_at(
    total: int, part: float, key: str
) -> None:
    count = round(part * total)
    figure = share(replace(ROUNDING, key=key), count, total)
    if not figure.shown:
        assert figure.least <= 100 * count / total <= figure.most
        assert figure.least <= figure.value <= figure.most


@pytest.mark.parametrize("m", [1, 2])
def test_a_replica_that_is_closer_than_fresh_data_is_for_a_closer_look_in_both_editions(
    m: int,
) -> None:
    rng = np.random.default_rng(4)
    names = [f"v{i}" for i in range(8)]
    original, holdout = (pd.DataFrame(rng.integers(0, 4, (600, 8)), columns=names) for _ in "12")
    near = []
    for _ in range(m):
        near.append(original.copy())
        for name in rng.permutation(names)[:2]:  # too many for a copy, or a single person
            near[-1][name] = (near[-1][name] + rng.integers(1, 4, 600)) % 4
    replicas = {"near": near, "fresh": pd.DataFrame(rng.integers(0, 4, (600, 8)), columns=names)}
    study = Study(original, replicas, holdout=holdout, keys=["v0"], targets=["v1"])
    review = conduct(study)
    near_by, fresh = copying_of(review)[0], copying_of(review)[-1]
    assert (near_by.is_closer, near_by.holds_copies, near_by.singles_out) == (True, False, False)
    assert not fresh.alarming
    modes: tuple[Mode, ...] = ("internal", "checker")
    for mode in modes:
        verdicts = {one.replica: one.of("disclosure risk") for one in judged(review, PROFILE, mode)}
        assert verdicts["near"] is Status.REVIEW
        report = safe_report(review, PROFILE, mode)
        assert [name.text for name in report.decision.people] == ["near"]
        assert "closer than fresh data" in report.decision.board.rows[0][2].text
        found = [plain(one.words) for one in report.fresh.findings]
        (told,) = (one for one in found if "closer to the original than to the holdout" in one)
        assert ("synthesis" in told) is (m > 1 and mode == "internal")


@pytest.mark.parametrize(
    ("p", "expected"), [(0.0005, True), (0.001, True), (0.01, True), (0.011, False), (0.03, False)]
)
def test_a_band_that_goes_beyond_what_is_sure_is_no_evidence(p: float, *, expected: bool) -> None:
    found = band(MEASURES["DCR_p"], p, {})
    row = {"replica": "r", "metric": "DCR_p", "value": found.value, "other": found.other}
    assert ("r" in closer([row])) is expected
