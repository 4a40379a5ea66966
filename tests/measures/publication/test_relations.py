"""Relations of a file of low fidelity: fifths of numbers, rare levels together, p of all pairs."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics import check_publication
from sdcmetrics.errors import StudyError
from sdcmetrics.measures.generator import Generator
from sdcmetrics.measures.publication import check, structure
from sdcmetrics.measures.publication.declared import missing_gap
from sdcmetrics.measures.publication.sections import Publication
from sdcmetrics.measures.publication.structure import _merged, coded, surviving_relations
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.microdata.schema import Harmonised, harmonise


def harmonised(frame: pd.DataFrame) -> Harmonised:
    data = as_microdata(frame, "original")
    return harmonise(data, [as_microdata(frame, "synthetic")])


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        ([*range(1, 11)], [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]),
        ([*range(1, 11), None], [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5]),
        ([None, 2.5, 2.5], [1, 0, 0]),
        ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [0, 0, 1, 2, 3, 4]),  # an end belongs to its fifth
        (["b", "a", "b"], [1, 0, 1]),
    ],
)
def test_columns_as_codes(values: list[object], codes: list[int]) -> None:
    variable = harmonised(pd.DataFrame({"x": values})).variables["x"]
    assert coded(variable, 1).tolist() == codes


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ([[20, 20], [20, 20]], [[20, 20], [20, 20]]),
        ([[5, 5], [15, 15], [10, 10]], [[5, 5], [15, 15], [10, 10]]),  # five are expected
        ([[5, 4], [15, 16], [10, 11]], [[15, 16], [15, 15]]),  # 9 * 30 / 61: with the next rarer
        ([[1, 1], [20, 20], [2, 1], [20, 20]], [[23, 22], [20, 20]]),
        ([[2, 30, 30], [2, 30, 30]], [[32, 30], [32, 30]]),
        ([[5, 5, 2], [5, 5, 2]], [[7, 5], [7, 5]]),
        ([[1, 1], [20, 20]], [[1, 1], [20, 20]]),  # one is expected at least
        ([[1, 0], [20, 20]], [[1, 0]]),  # less than one: nothing to test
    ],
)
def test_rare_levels_are_joined(table: list[list[int]], expected: list[list[int]]) -> None:
    counts = np.array(table)
    first, second = np.divmod(np.repeat(np.arange(counts.size), counts.ravel()), counts.shape[1])
    merged = _merged(first, second)
    assert sorted(map(sorted, merged.tolist())) == sorted(map(sorted, expected))
    assert _merged(second, first).shape == (merged.shape[1], merged.shape[0]) or len(merged) == 1


@pytest.mark.parametrize("rare", [0, 1, 3, 8, 12, 40])
def test_a_rare_level_hides_no_relation(rare: int) -> None:
    x = ["a"] * 300 + ["b"] * 300 + ["c"] * rare
    frame = pd.DataFrame({"x": x, "y": ["u" if level == "a" else "v" for level in x]})
    assert [finding.column for finding in surviving_relations(harmonised(frame), 1, ())] == ["x"]


@pytest.mark.parametrize(("p", "called"), [(0.05 / 3, 3), (0.0167, 0)])
def test_p_is_of_all_pairs_that_are_tested(
    p: float, called: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scipy.stats.chi2_contingency", lambda *_, **__: SimpleNamespace(pvalue=p))
    columns = {
        name: np.arange(40) // size % 2 for name, size in zip("abcd", (1, 2, 4, 8), strict=True)
    }
    data = harmonised(pd.DataFrame({**columns, "constant": "k"}).astype(str))
    declared = {frozenset("ab"), frozenset("ac"), frozenset("ad")}
    findings = [*surviving_relations(data, 1, declared)]
    assert [finding.column for finding in findings] == ["b", "b", "c"][:called]


@pytest.mark.parametrize(("levels", "labels"), [(3, {"x"}), (4, set())])
def test_a_column_of_up_to_three_values_labels_a_file(levels: int, labels: set[str]) -> None:
    frame = pd.DataFrame({"x": [f"synthetic {i}" for i in range(levels)], "y": range(levels)})
    assert check._labels(as_microdata(frame, "file"), ("Synthetic",)) == labels


@pytest.mark.parametrize(
    ("relation", "right"),
    [("a ~ b", True), ("b~a", True), ("a ~ z", False), ("a", False), ("a ~ b ~ c", False)],
)
def test_a_declared_relation_is_of_two_columns(relation: str, *, right: bool) -> None:
    file = as_microdata(pd.DataFrame({"a": [1], "b": [1], "c": [1]}), "file")
    publication = Publication(declared=(relation,))
    if right:
        publication.check(file)
        publication.check(as_microdata(pd.DataFrame({"a": [1], "b": [1]}), "file"))
        return
    with pytest.raises(StudyError, match="declared: expected two columns of file"):
        publication.check(file)


def test_shares_of_several_syntheses_are_averaged() -> None:
    original = pd.DataFrame({"x": [1, 2, 3, 4]})
    files = [original, original.assign(x=[1, 2, 3, 9]), original.assign(x=[1, 8, 9, 9])]
    variables = check_publication(original, files).variables
    assert variables.loc["x", "inside"] == pytest.approx((100 + 75 + 25) / 3)


@pytest.mark.parametrize(
    ("inside", "outside", "found"), [(99.5, 99.4, 1), (99.4, 0, 0), (99.6, 99.5, 0)]
)
def test_a_column_that_tells_records_apart_in_the_original_alone_is_named(
    inside: float, outside: float, found: int
) -> None:
    variable: Any = SimpleNamespace(name="x", kind="")
    findings = [*structure._values(variable, structure.Adherence(100, 5, 30, inside, outside), 25)]
    assert [finding.text.partition(" ")[0] for finding in findings] == ["tells"] * found
    assert missing_gap(structure.Adherence(100, 5, 30, 0, 0)) == 25


@pytest.mark.parametrize(
    ("of", "replica", "result"),
    [
        ((), "r", "passed"),
        (("r", "q"), "r", "passed"),
        (("r", "q"), "q", "passed"),
        (("q",), "r", ""),
    ],
)
def test_an_intruder_has_tried_the_replicas_that_are_named(
    of: tuple[str, ...], replica: str, result: str
) -> None:
    publication = Publication(intruder_test="passed", intruder_tested=of)
    assert publication.intruder(replica) == result


@pytest.mark.parametrize(
    ("apart", "holdout", "found"),
    [(True, True, 0), (None, True, 1), (False, True, 1), (None, False, 0)],
)
def test_it_must_be_told_that_the_generator_never_saw_the_holdout(
    apart: bool | None, holdout: bool, found: int
) -> None:
    generator = Generator(
        name="synthpop", version="1", method="cart", records=9, holdout_apart=apart
    )
    findings = [*check._documentation(generator, 9, holdout=holdout)]
    assert ["holdout was kept away" in finding.text for finding in findings] == [True] * found
