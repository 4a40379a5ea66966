"""Perturbed records that lead back to their originals."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdcmetrics import record_linkage
from sdcmetrics.errors import DataError, StudyError
from sdcmetrics.measures.attacks import record_linkage as record_linking
from sdcmetrics.measures.attacks.record_linkage import _estimated
from tests.measures.attacks.populations import drawn


def test_records_linked_by_a_number_in_any_order_are_as_risky_as_by_row() -> None:
    rng = np.random.default_rng(1)
    original = drawn(rng, 120).assign(id=np.arange(120))
    noisy = original.assign(age=original["age"] + rng.choice([-1, 0, 1], 120))
    shuffled = noisy.iloc[rng.permutation(120)].head(100)
    by_row = record_linkage(original, noisy, keys=["age", "region", "income"])
    by_id = record_linkage(original, noisy.iloc[::-1], keys=["age", "region", "income"], links="id")
    assert by_id.methods["risk"].tolist() == pytest.approx(by_row.methods["risk"].tolist())
    fewer = record_linkage(original, shuffled, keys=["age", "region", "income"], links="id")
    assert fewer.left_out == 20
    assert set(fewer.per_record["record"]) == set(shuffled["id"])


def test_protection_is_what_perturbation_took_from_the_risk_of_the_original_itself() -> None:
    rng = np.random.default_rng(2)
    original = drawn(rng, 150)
    noisy = original.assign(age=original["age"] + rng.normal(0, 8, 150))
    result = record_linkage(original, noisy, keys=["age", "region"])
    itself = record_linkage(original, original, keys=["age", "region"])
    assert itself.protection == 0
    row = result.methods.loc[result.worst]
    assert result.protection == pytest.approx(row["itself"] - result.risk)
    assert result.protection > 0.1


def test_unrelated_rows_are_linked_as_often_as_permuted_ones() -> None:
    rng = np.random.default_rng(3)
    z = [
        record_linkage(drawn(rng, 150), drawn(rng, 150), keys=["age", "region"]).methods["z"]
        for _ in range(16)
    ]
    blind = np.array(z)[:, [0, 1]]  # gower and hamming never see which pairs are true
    assert np.abs(blind.mean(axis=0)).max() < 0.75  # three standard errors
    assert blind.std() == pytest.approx(1.0, abs=0.4)


def test_a_constant_file_links_nobody() -> None:
    constant = pd.DataFrame({"a": ["x"] * 20, "b": ["y"] * 20})
    result = record_linkage(constant, constant, keys=["a", "b"]).methods
    assert result["risk"].tolist() == pytest.approx([0.05] * 4)
    # All link to the same seven: nothing is permuted, whatever rounding leaves.
    of_all = pd.DataFrame({"a": ["x"] * 600})
    some = pd.DataFrame({"a": ["x"] * 7 + ["y"] * 593})
    assert record_linkage(of_all, some, keys="a").methods["z"].isna().all()


def test_links_that_cannot_be_are_refused() -> None:
    file = pd.DataFrame({"a": [1, 2, 3], "id": [1, 1, 2]})
    with pytest.raises(DataError, match="linked by row"):
        record_linkage(file, file.head(2), keys="a")
    with pytest.raises(DataError, match="twice"):
        record_linkage(file, file, keys="a", links="id")
    with pytest.raises(StudyError, match="1 to 16"):
        record_linkage(file, file, keys=[])
    with pytest.raises(StudyError, match="got 17"):
        record_linkage(file, file, keys=[f"k{i}" for i in range(17)])
    with pytest.raises(DataError, match="is in both"):
        record_linkage(file.head(1), file.tail(1), keys="a", links="id")


def by_pairs(original: np.ndarray, replica: np.ndarray, m: np.ndarray) -> list[float]:
    """Return each record's chance to be chosen, from the chances of agreement of true pairs."""
    n, p = original.shape
    agree = original[:, None, :] == replica[None, :, :]
    others = ~np.eye(n, dtype=bool)
    u = np.clip(agree[others].mean(axis=0), 1e-6, 1 - 1e-6)
    weight = np.zeros((n, n))
    for j in range(p):
        if_equal, if_not = np.log(m[j] / u[j]), np.log((1 - m[j]) / (1 - u[j]))
        weight += np.where(agree[:, :, j], if_equal, if_not)
    weight = weight.round(9)
    top = weight == weight.max(axis=1, keepdims=True)
    return [float(row[i] / row.sum()) for i, row in enumerate(top)]


@pytest.mark.parametrize(("n", "p", "seed"), [(9, 4, 0), (9, 4, 1), (5, 4, 156), (5, 6, 84)])
def test_the_worst_case_has_the_chances_of_the_true_pairs(n: int, p: int, seed: int) -> None:
    """As it is defined, pair by pair: half a record at least agrees and half a one does not.

    With the last two another bound than half a record would choose other pairs.
    """
    rng = np.random.default_rng(seed)
    original = rng.integers(0, 3, (n, p))
    replica = np.where(rng.random((n, p)) < 0.5, rng.integers(0, 3, (n, p)), original)
    replica[:, 0] = original[:, 0]  # never perturbed
    replica[:, 1] = (original[:, 1] + 1) % 3  # always
    m = np.clip((original == replica).mean(axis=0), 1 / (2 * n), 1 - 1 / (2 * n))
    keys = list("abcdef")[:p]
    frames = (pd.DataFrame(part.astype(str), columns=keys) for part in (original, replica))
    result = record_linkage(*frames, keys=keys)
    risk = np.mean(by_pairs(original, replica, m))
    assert result.methods.loc["fellegi-sunter", "risk"] == pytest.approx(risk)


def test_chances_are_estimated_without_the_truth_that_pairs_are_drawn_by(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    m, u, share = np.array([0.9, 0.6, 0.8]), np.array([0.2, 0.4, 0.3]), 0.25
    equal = np.array([(np.arange(8) >> j) & 1 for j in range(3)])
    of_m, of_u = (
        np.where(equal == 1, part[:, None], 1 - part[:, None]).prod(axis=0) for part in (m, u)
    )
    steps: list[int] = []
    certain = record_linking._uncertain
    monkeypatch.setattr(record_linking, "_uncertain", lambda x: (steps.append(1), certain(x))[1])
    patterns = np.rint(1e9 * (share * of_m + (1 - share) * of_u)).astype(np.int64)
    assert _estimated(patterns, u, equal, records=4) == pytest.approx(m, abs=1e-4)
    assert len(steps) < 1_000  # it ends where nothing moves


def test_one_record_is_the_only_candidate_whatever_was_changed() -> None:
    file = pd.DataFrame({"a": [1], "b": ["x"]})
    result = record_linkage(file, file.assign(a=2), keys=["a", "b"])
    assert result.methods[["risk", "candidates", "itself"]].to_numpy().tolist() == [[1.0] * 3] * 4
