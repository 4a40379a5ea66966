"""What metrics make of distances and of models' answers: these stand in, the rest is by hand."""

# ruff: noqa: ARG001, ARG005  (what stands in takes what it stands for takes)

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sdcmetrics.errors import NotComputable, StudyError
from sdcmetrics.measures.prediction.records import Records
from sdcmetrics.suites.metric import Quantity
from sdcmetrics.suites.syntheval import (
    components,
    distributions,
    learnt,
    moments,
    propensity,
    published,
    ratios,
    risks,
)
from sdcmetrics.suites.trio import Trio
from tests.suites.test_trio import trio
from tests.versions import same

Put = pytest.MonkeyPatch


def near(value: float) -> Any:
    return pytest.approx(value)


def records(n: int, start: int = 0, **codes: list[int]) -> Records:
    given = {name: np.resize(values, n) for name, values in codes.items()}
    return Records(given, {"x": start + np.arange(n, dtype=float)}, n)


def answers(guess: Any) -> Any:
    return SimpleNamespace(predict=lambda part: SimpleNamespace(guess=guess(part)))


def test_differences_of_f1_are_replica_less_original(monkeypatch: Put) -> None:
    on_folds = {"logistic": (0.6, 0.5), "tree": (0.8, 0.9 - 0.4)}
    first, other, test = (
        records(4, g=[0, 1]),
        records(4, 1000, g=[0, 1]),
        records(6, 2000, g=[0, 1]),
    )
    monkeypatch.setattr(learnt, "_on_folds", lambda trio, target, learner: on_folds[learner])
    monkeypatch.setattr(learnt, "_records", lambda trio: (first, other, test))
    monkeypatch.setattr(learnt, "_matched", lambda trio: (first, other))
    scores = {("logistic", 0): 0.5, ("logistic", 1000): 0.25, ("tree", 0): 1.0, ("tree", 1000): 0.5}
    monkeypatch.setattr(
        learnt,
        "_fitted",
        lambda trio, training, target, learner: answers(
            lambda part: scores[learner, training.numbers["x"][0]] if part is test else None
        ),
    )
    monkeypatch.setattr(learnt, "f1", lambda truth, guess: guess)
    both: Any = SimpleNamespace(target=("g",), has_holdout=True)
    result = learnt._classified(both)
    assert {name: q.value for name, q in result.items()} == pytest.approx(
        {"avg diff hout": -0.375, "TRTR hout": 0.75, "TSTR hout": 0.375, "avg diff": -0.2}
    )
    assert result["avg diff"].normalised == pytest.approx(0.8)
    both.has_holdout = False
    assert [*learnt._classified(both)] == ["avg diff"]
    with pytest.raises(NotComputable, match="no target is a category"):
        learnt._classified(SimpleNamespace(target=("x",)))  # type: ignore[arg-type]


def test_a_fold_is_guessed_from_records_that_equal_none_of_it(monkeypatch: Put) -> None:
    original = records(20, g=[0, 1])
    copies = Records({"g": np.resize([0, 1], 20)}, {"x": np.r_[np.arange(10.0), 1000:1010]}, 20)
    fits: list[Records] = []

    def fitted(trio: Trio, training: Records, target: str, learner: str) -> Any:
        fits.append(training)
        own = (training.numbers["x"] < 1000).all()

        def guess(part: Records) -> np.ndarray:
            assert not {*part.numbers["x"]} & {*training.numbers["x"]}
            return part.codes["g"] if own else 1 - part.codes["g"]

        return answers(guess)

    monkeypatch.setattr(learnt, "_matched", lambda trio: (original, copies))
    monkeypatch.setattr(learnt, "_fitted", fitted)
    seeded: Any = SimpleNamespace(seed=1)
    assert learnt._on_folds(seeded, "g", "tree") == (1.0, 0.0)
    assert [part.n for part in fits[::2]] == [16] * 5
    assert sum(part.n for part in fits[1::2]) == 5 * 20 - 10  # each copy is left out once
    monkeypatch.setattr(learnt, "_matched", lambda trio: (original.taken(np.arange(1)),) * 2)
    with pytest.raises(NotComputable, match="no record that a fold of the original lacks"):
        learnt._on_folds(seeded, "g", "tree")


def test_original_and_replica_are_matched_in_size() -> None:
    view = trio((30, 14, 20))
    first, other = learnt._matched(view)
    assert (first.n, other.n) == (14, 14)
    assert {*first.numbers["x"]} <= {*range(30)}
    assert (np.diff(first.numbers["x"]) > 0).all()
    assert other.numbers["x"].tolist() == [*range(1000, 1014)]
    assert [part.n for part in learnt._matched(view, 7)] == [7, 7]


@pytest.mark.parametrize(
    ("targets", "error"), [(("g",), 0.2 / 1.959963984540054), (("g", "h"), math.nan)]
)
def test_the_error_of_a_difference_of_areas_is_half_its_interval(
    monkeypatch: Put, targets: tuple[str, ...], error: float
) -> None:
    parts = tuple(records(4, start, g=[0, 1], h=[0, 1], k=[0, 1, 2]) for start in (0, 1000, 2000))
    areas = {("g", 0): 0.5, ("g", 1000): 0.75, ("h", 0): 0.5, ("h", 1000): 0.25 + 0.5}
    monkeypatch.setattr(learnt, "_records", lambda trio: parts)
    monkeypatch.setattr(learnt, "_matched", lambda trio: parts[:2])
    monkeypatch.setattr(
        learnt,
        "_fitted",
        lambda trio, training, target, learner: SimpleNamespace(
            predict=lambda part: areas[target, training.numbers["x"][0]]
        ),
    )
    monkeypatch.setattr(learnt, "score_of", lambda original, target: lambda truth, guess: guess)
    monkeypatch.setattr(learnt, "difference_interval", lambda *given: (0.1, 0.5))
    view: Any = SimpleNamespace(target=(*targets, "k"), has_holdout=True, seed=1)
    result = learnt._auroc(view)["auroc_diff"]
    assert result.value == pytest.approx(0.25)
    assert result.error == pytest.approx(error, nan_ok=True)
    view.target = ("k",)
    with pytest.raises(NotComputable, match="no target is a column of two levels"):
        learnt._auroc(view)


@pytest.mark.parametrize(("n", "of_replica", "size"), [(9, 20, 4), (9, 3, 3), (8, 4, 4)])
def test_importances_are_of_two_halves_and_as_many_of_the_replica(
    monkeypatch: Put, n: int, of_replica: int, size: int
) -> None:
    parts = records(n, g=[0, 1]), records(of_replica, 1000, g=[0, 1]), records(5, 2000, g=[0, 1])
    fits: list[Records] = []
    given = [[0.2, 0.4], [0.1, 0.4], [0.5, 0.8]]
    monkeypatch.setattr(learnt, "_records", lambda trio: parts)
    monkeypatch.setattr(learnt, "_fitted", lambda trio, training, *_: fits.append(training))
    monkeypatch.setattr(
        learnt,
        "permutation_importances",
        lambda *_, **seed: np.array(given[len(fits) - 1])[:, None] + [[-0.1, 0.1]],
    )
    view: Any = SimpleNamespace(
        target=("g",), has_holdout=True, seed=1, rng=lambda what: np.random.default_rng(1),
        drawn=lambda part, size, rng: rng.permutation(parts[part].n)[:size],
    )  # fmt: skip
    result = learnt._importances(view)
    assert [part.n for part in fits] == [size] * 3
    halves = [{*part.numbers["x"]} for part in fits]
    assert not halves[0] & halves[1]
    assert min(halves[2]) >= 1000
    assert result["fio_diff"].value == pytest.approx(0.35)
    assert result["fio_diff"].normalised == pytest.approx(0.65)
    assert result["fio_diff halves"].value == pytest.approx(0.05)


def test_what_is_inferred_of_the_original_is_less_that_of_the_holdout(monkeypatch: Put) -> None:
    original, test = records(4, g=[0, 1]), records(2, 2000, g=[0, 1])
    hits = [
        ([[1, 1, 1, 0], [0, 0, 0, 1]], [[0, 1], [1, 1]]),
        ([[1, 1, 0, 0], [0, 0, 0, 0]], [[0, 0], [0, 1]]),
    ]

    def guesses(*_: Any) -> Any:
        for pair in hits:
            yield lambda part, pair=pair: tuple(map(np.array, pair[0 if part is original else 1]))

    monkeypatch.setattr(learnt, "_records", lambda trio: (original, test, test))
    monkeypatch.setattr(learnt, "_guesses", guesses)
    result = learnt._inferred(SimpleNamespace(has_holdout=True))  # type: ignore[arg-type]
    first, other = np.array([1, 1, 0.5, 0]), np.array([0, 0.5])
    error = math.hypot(first.std(ddof=1) / 2, other.std(ddof=1) / math.sqrt(2))
    assert same(result["priv_loss"], Quantity(0.375, near(error), 0.625))
    values = [result[name].value for name in ("ADR", "ADR hout", "baseline")]
    assert values == [0.625, 0.25, 0.75]


def test_a_number_is_right_within_a_thirtieth_of_its_range(monkeypatch: Put) -> None:
    original = Records(
        {"g": np.array([1, 1, 0])},
        {"x": np.linspace(0, 100, 101)[[0, 50, 100]], "none": np.full(3, np.nan)},
        3,
    )
    replica = Records(
        {"g": np.array([0, 0, 1])}, {"x": np.array([5.0, 6, 7]), "none": np.full(3, np.nan)}, 3
    )
    near = 98 / 30  # of quantiles of 1 % and 99 %: 1 and 99
    guessed = {"g": np.array([1, 0, 0]), "x": np.array([near, 50 - near, 100 - 1.01 * near])}
    monkeypatch.setattr(
        learnt, "_fitted", lambda trio, part, name, learner: answers(lambda part: guessed[name])
    )
    monkeypatch.setattr(np, "nanquantile", lambda values, shares: np.array([1.0, 50.0, 99.0]))
    view: Any = SimpleNamespace(sensitive=())
    category, number = (
        right(original) for right in learnt._guesses(view, original, replica, "tree")
    )
    assert [hit.tolist() for hit in category] == [[1, 0, 1], [0, 0, 1]]  # 0 is usual in the replica
    assert [hit.tolist() for hit in number] == [[1, 1, 0], [0, 1, 0]]
    view.sensitive = ("g",)
    assert len([*learnt._guesses(view, original, replica, "tree")]) == 1


@pytest.mark.parametrize(
    ("values", "varies"), [([1, 2], True), ([1, 1], False), ([1, np.nan], False), ([np.nan], False)]
)
def test_a_target_has_two_values_in_the_holdout(values: list[float], *, varies: bool) -> None:
    test = Records({}, {"x": np.array(values)}, len(values))
    if varies:
        learnt._check_varies(test, "x")
        return
    with pytest.raises(NotComputable, match="'x' never varies in the holdout"):
        learnt._check_varies(test, "x")


def test_membership_is_of_original_replica_and_holdout(monkeypatch: Put) -> None:
    given: list[Any] = []

    def membership(*frames: Any, **said: Any) -> Any:
        given.append((frames, said))
        return SimpleNamespace(training=0.7, figures={"p_auc": 0.03})

    monkeypatch.setattr(risks, "membership", membership)
    view = trio((8, 6, 6), homes=True)
    result = risks._members(view)
    assert result["MIA AUC"].value == 0.7
    assert result["MIA AUC"].normalised == pytest.approx(0.6)
    assert result["MIA p"].value == 0.03
    ((frames, said),) = given
    assert [frame.table["x"][0].as_py() for frame in frames] == [0, 1000, 2000]
    assert said["household"] is view.households_of(0, 2)
    with pytest.raises(NotComputable, match="no holdout"):
        risks._members(trio((8, 6)))


@pytest.mark.parametrize("n", [6, 5])
def test_the_published_membership_draws_the_replica_once_where_it_is_long_enough(
    n: int, monkeypatch: Put
) -> None:
    fitted: list[Any] = []

    def model(*_: Any, **__: Any) -> Any:
        predicted = SimpleNamespace(predict=lambda rows: (rows[:, 0] < 2000).astype(int))
        predicted.fit = lambda rows, truth: fitted.append((rows[:, 0].tolist(), truth.tolist()))
        return predicted

    monkeypatch.setattr(published, "_model", model)
    sides = [start + np.arange(size)[:, None] for start, size in ((0, 9), (1000, n), (2000, 8))]
    monkeypatch.setattr(published, "_indicators", lambda _: sides)
    result = published.membership(trio((9, n, 8)))
    assert [result[f"MIA {name}"].value for name in ("precision", "recall", "macro F1")] == [1] * 3
    assert [result[f"MIA {name}"].normalised for name in ("precision", "recall")] == [0, 0]
    for rows, truth in fitted:  # a quarter of the holdout is set aside
        assert truth == [1] * 6 + [0] * 6
        assert {*rows[:6]} <= {*range(1000, 1000 + n)}
        assert (len({*rows[:6]}) == 6) == (n == 6)
        assert len({*rows[6:]} & {*range(2000, 2008)}) == 6
    assert len(fitted) == 5


def test_models_are_taught_as_many_records_as_the_larger_of_original_and_replica(
    monkeypatch: Put,
) -> None:
    sizes: list[int] = []
    sets = [(np.zeros((n, 1)), np.zeros(n)) for n in (6, 8, 50)]
    monkeypatch.setattr(published, "_targets", lambda _: ["y"])
    monkeypatch.setattr(published, "_without", lambda *_: sets)
    monkeypatch.setattr(published, "_drawn", lambda x, y, size, seed: sizes.append(size))
    monkeypatch.setattr(published, "_on_folds", lambda *_: ([0.5, 0.7], [0.6, 0.8]))
    aside: Any = SimpleNamespace(has_holdout=False)
    result = published.classification(aside, cls_models=("rf",))
    assert sizes == [8, 8]  # and not the 50 of the holdout
    assert next(iter(result.values())).value == near(0.1)


def test_what_is_published_of_membership_are_precision_and_recall_of_members_and_the_mean_f1(
    monkeypatch: Put,
) -> None:
    model = SimpleNamespace(fit=lambda *_: None, predict=lambda rows: rows[:, 0])
    monkeypatch.setattr(published, "_model", lambda *_, **__: model)
    # all three members and one of the two others (a quarter of eight) are taken for members
    sides = [np.ones((2, 1)), np.ones((8, 1)), np.ones((8, 1))]
    monkeypatch.setattr(published, "_indicators", lambda _: sides)
    result = published.membership(trio((2, 8, 8)))
    expected = {"precision": 0.5, "recall": 1.0, "macro F1": (2 / 3 + 0) / 2}
    for name, value in expected.items():
        assert result[f"MIA {name}"].value == pytest.approx(value), name
    # a coin's precision is the best; who names everybody names all members
    normalised = [result[f"MIA {name}"].normalised for name in ("precision", "recall")]
    assert normalised == pytest.approx([1.0, 0.0])


def test_records_are_told_apart_fold_by_fold() -> None:
    labels = np.repeat([1, 0], [32, 8])
    points = np.where(labels == 1, 1000.0, -1000.0)[:, None]
    pmse, f1 = propensity.scores_by_fold(points, labels, k=4, max_iter=100, solver="liblinear")
    # the replica's share is 1/5: (4/5)^2 of a fifth of the records, (1/5)^2 of the others
    assert pmse == pytest.approx([0.16] * 4, abs=1e-4)
    assert f1 == [1.0] * 4
    labels = np.repeat([1, 0], [30, 10])
    points = np.zeros((40, 1))
    pmse, f1 = propensity.scores_by_fold(points, labels, k=5, max_iter=100, solver="lbfgs")
    assert pmse == pytest.approx([0.0] * 5, abs=1e-6)
    assert f1 == pytest.approx([3 / 7] * 5)  # all are taken for originals: 2 * 6 / 14, and 0


def test_propensity_is_over_its_largest_value_and_needs_a_record_per_fold(monkeypatch: Put) -> None:
    view = trio((30, 10))
    result = propensity._pmse(view)["avg pMSE"]
    assert result.normalised == pytest.approx(1 - result.value / (300 / 1600))
    given: list[Any] = []

    def scores(points: np.ndarray, labels: np.ndarray, **options: Any) -> Any:
        given.append((points, labels))
        return [0.1, 0.2], [0.5, 0.7]

    monkeypatch.setattr(propensity, "scores_by_fold", scores)
    for sizes in ((5, 30), (30, 5)):
        both = propensity._published_pmse(trio(sizes))
        assert [both["avg pMSE"].value, both["avg pMSE"].normalised] == pytest.approx([0.15, 0.4])
        points, labels = given.pop()
        assert labels.tolist() == [1] * sizes[0] + [0] * sizes[1]
        x, g = points.T
        assert [x.mean(), x.std()] == pytest.approx([0, 1])
        assert g[:2].tolist() == [0, 1]
        with pytest.raises(NotComputable, match="fewer than 6 records, one per fold"):
            propensity._published_pmse(trio(sizes), k_folds=6)


class Pool:
    """Distances to the nearest by the names of both sides."""

    def __init__(self, **distances: list[Any]) -> None:
        self.distances = {name: np.array(values, float) for name, values in distances.items()}

    def compare(self, *sides: str) -> None:
        pass

    def to_nearest(self, queries: str, points: str) -> np.ndarray:
        return self.distances[f"{queries}_{points}"]

    def nearest(self, queries: str, points: str, k: int) -> Any:
        return SimpleNamespace(distances=self.distances[f"{queries}_{points}"][:, :k])


ALONE: Any = SimpleNamespace(has_holdout=False)
BESIDE: Any = SimpleNamespace(has_holdout=True)


def test_distances_are_in_medians_of_the_originals_own(monkeypatch: Put) -> None:
    pool = Pool(
        original_original=[1, 2, 9], synthetic_original=[0, 1, 7], holdout_original=[0, 0, 6, 8, 9]
    )
    monkeypatch.setattr(ratios, "searches", lambda trio: pool)
    values = {name: q.value for name, q in ratios._dcr(ALONE).items()}
    assert values == {"mDCR": 0.5, "copies": pytest.approx(1 / 3)}
    result = ratios._dcr(BESIDE)
    assert (result["holdout mDCR"].value, result["holdout copies"].value) == (3.0, 0.4)
    assert result["copies"].normalised == pytest.approx(2 / 3)
    monkeypatch.setattr(ratios, "published_points", lambda trio, distance: pool)
    published = ratios._published_dcr(ALONE)["mDCR"]
    assert (published.value, published.normalised) == (0.5, math.tanh(0.5))
    pool.distances["original_original"] = np.zeros(3)
    assert math.isnan(ratios._dcr(ALONE)["mDCR"].value)
    assert "have a duplicate" in ratios._dcr(ALONE)["mDCR"].reason
    assert ratios._published_dcr(ALONE)["mDCR"].value == 0.0
    pool.distances["synthetic_original"] = np.zeros(3)
    assert ratios._published_dcr(ALONE)["mDCR"].value == 1.0


@pytest.mark.parametrize(
    ("holdout", "value", "why"),
    [
        (np.full(399, 2.0), math.nan, "the holdout has fewer than 400 records"),
        (np.full(400, 2.0), 1.5, ""),
        (np.repeat([0.0, 2.0], [5, 395]), math.nan, "one holdout record in a hundred or more"),
        (np.repeat([0.0, 2.0], [1, 499]), 1.5, ""),
    ],
)
def test_low_quantiles_are_compared_where_the_holdout_has_enough(
    monkeypatch: Put, holdout: np.ndarray, value: float, why: str
) -> None:
    pool = Pool(original_original=[1, 2], synthetic_original=[3, 3], holdout_original=[*holdout])
    monkeypatch.setattr(ratios, "searches", lambda trio: pool)
    result = ratios._dcr(BESIDE)["q01 ratio"]
    assert result.value == pytest.approx(value, nan_ok=True)
    assert result.reason.startswith(why)
    assert bool(result.reason) == bool(why)


def test_ratios_of_the_nearest_to_the_next_and_what_the_holdout_loses(monkeypatch: Put) -> None:
    pool = Pool(
        original_synthetic=[[0, 0], [1, 4], [1, 2]],  # 0 1/4 1/2
        holdout_synthetic=[[1, 2], [3, 3]],  # 1/2 1
        synthetic_original=[[1, 5]],
    )
    monkeypatch.setattr(ratios, "searches", lambda trio: pool)
    monkeypatch.setattr(ratios, "published_points", lambda trio, distance: pool)
    result = ratios._nndr(BESIDE)
    errors = 0.25 / math.sqrt(3), math.sqrt(0.125 / 2)
    reason = "1 originals have two exact copies: ratio 0"
    assert same(result["avg"], Quantity(0.25, near(errors[0]), 0.25, "higher", reason))
    assert same(result["priv_loss"], Quantity(0.5, near(math.hypot(*errors)), 0.5))
    assert (result["holdout avg"].value, result["synthetic to original"].value) == (0.75, 0.2)
    assert [*ratios._nndr(ALONE)] == ["avg", "synthetic to original"]
    published = ratios._published_nndr(BESIDE)
    assert published["avg"].value == 0.25
    assert same(published["priv_loss"], Quantity(0.5, near(math.hypot(*errors)), 0.5))
    pool.distances["holdout_synthetic"] = np.array([[0.0, 1.0]])
    assert ratios._nndr(BESIDE)["priv_loss"].normalised == 1.0
    assert ratios._published_nndr(BESIDE)["priv_loss"].normalised == 0.75
    pool.distances["original_synthetic"] = np.array([[1.0, 2.0]])
    assert ratios._nndr(BESIDE)["avg"].reason == ""


def test_shares_have_errors_and_reaches_are_shares() -> None:
    assert risks._share(np.array([True, False, False, False])) == (0.25, math.sqrt(0.1875 / 4))
    assert [risks._thirtieth(share) for share in (0, 1)] == [0, 1]
    for share in (-0.01, 1.01):
        with pytest.raises(StudyError, match="expected a share from 0 to 1"):
            risks._thirtieth(share)


def test_identifiability_is_that_of_the_original_less_the_holdouts(monkeypatch: Put) -> None:
    pool = Pool(
        original_synthetic=[1, 2, 3, 1], original_original=[2, 2, 4, 4],
        holdout_synthetic=[1, 5], holdout_original=[2, 5], holdout_holdout=[1, 6],
    )  # fmt: skip
    monkeypatch.setattr(risks, "Searches", lambda points, distance: pool)
    view = trio((20, 12, 12))
    result = risks._epsilon(view)
    assert same(result["eps_risk"], Quantity(0.75, math.sqrt(0.1875 / 4), 0.25))
    assert result["holdout"].value == 0.5
    error = math.hypot(math.sqrt(0.1875 / 4), math.sqrt(0.25 / 2))
    assert same(result["priv_loss"], Quantity(0.25, near(error), 0.75))
    monkeypatch.setattr(risks, "_weighted", lambda trio, distance: pool)
    published = risks._published_epsilon(view)
    assert same(published["eps_risk"], Quantity(0.75, normalised=0.25))
    # one of the holdout, over the records of the original
    assert [published["priv_loss"].value, published["priv_loss"].normalised] == [0.5, 0.5]
    assert [*risks._epsilon(trio((20, 12)))] == ["eps_risk"]


def test_as_in_2024_who_is_as_near_to_an_original_is_not_identifiable(monkeypatch: Put) -> None:
    pool = Pool(original_synthetic=[1, 2, 3], original_original=[2, 2, 2])
    monkeypatch.setattr(risks, "Searches", lambda points, distance: pool)
    assert risks._in_2024(trio((20, 12))).tolist() == [True, False, False]
    result = risks._published_epsilon(trio((20, 12)), as_in_2024=True)["eps_risk"]
    assert [result.value, result.normalised] == [near(1 / 3), near(2 / 3)]


def test_hits_are_within_a_share_of_the_range(monkeypatch: Put) -> None:
    view = trio((101, 12, 12))  # x of the original: 0 to 100
    reaches: list[np.ndarray] = []
    flags = [np.array([True, True, True, False]), np.array([True, False])]

    def in_box(points: Any, others: Any, reach: np.ndarray) -> np.ndarray:
        reaches.append(reach)
        return flags[(len(reaches) - 1) % 2]

    monkeypatch.setattr(risks, "in_box", in_box)
    result = risks._hits(view, thres_percent=0.1)
    assert reaches[0] == pytest.approx([9.8])  # from 1 to 99
    assert same(result["hit rate"], Quantity(0.75, math.sqrt(0.1875 / 4), 0.25))
    assert result["holdout hit rate"].value == 0.5
    error = math.hypot(math.sqrt(0.1875 / 4), math.sqrt(0.25 / 2))
    assert same(result["priv_loss"], Quantity(0.25, near(error), 0.75))


def test_components_by_hand() -> None:
    assert components.least_gap(4, 8, 8) == 4.0
    assert components.least_gap(2, 4, 2) == pytest.approx(4 * math.sqrt(1.5))
    # 2 / (2 * 2 - 2) = 1 times |3/4 - 1/2| + |1/4 - 1/2|; 3 / 4 times 1/3 + 1/3
    assert components._share_difference(np.array([3.0, 1]), np.array([1.0, 1])) == 0.5
    three = np.array([2.0, 1, 1]), np.array([1.0, 1, 1])
    assert components._share_difference(*three) == pytest.approx(0.75 * (1 / 6 + 1 / 12 + 1 / 12))
    with_constant = np.array([[1.0, 2, 3], [5.0, 5, 5], [1.0, 2, 4]])
    matrix = components._correlation(with_constant)
    assert matrix[0, 2] == pytest.approx(np.corrcoef(with_constant[[0, 2]])[0, 1])
    assert matrix[1].tolist() == [0, 1, 0]


@pytest.mark.parametrize(("n", "clear"), [(79, False), (81, True)])
def test_an_angle_needs_a_gap(n: int, *, clear: bool) -> None:
    matrix = np.array([[1.0, 0.45], [0.45, 1.0]])  # a gap of 0.9 = 8 / sqrt(79.01)
    angle, k, gap = components.leading_angle(matrix, matrix, n=n, m=n)
    assert (k, gap) == (1, near(0.9))
    assert math.isnan(angle) == (not clear)
    if clear:
        assert angle == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("columns", ["corrected", "published"])
def test_a_column_of_two_has_moved(columns: str) -> None:
    # the numbers of the replica are all beyond the original's, the category is half and half
    view = trio((30, 14))
    result = getattr(distributions.KS, columns)(view)
    assert (result["num sigs"].value, result["frac sigs"].value) == (1, 0.5)
    assert result["frac sigs"].normalised == 0.5
    assert (result["avg ks"].value, result["avg tvd"].value) == (1, 0)
    assert result["avg stat"].value == 0.5


def test_areas_are_averaged_over_targets(monkeypatch: Put) -> None:
    areas = {"g": 0.1, "h": 0.4}
    monkeypatch.setattr(published, "_need_holdout", lambda trio: None)
    monkeypatch.setattr(published, "_targets", lambda trio, fewest: [*areas])
    monkeypatch.setattr(published, "_without", lambda trio, target: target)
    monkeypatch.setattr(published, "_areas", lambda sets, learner, boots: areas[sets])
    result = published.auroc_difference(SimpleNamespace())["auroc_diff"]  # type: ignore[arg-type]
    assert result.value == near(0.25)
    assert result.normalised == near(math.tanh(1.5))
    areas["h"] = math.nan
    with pytest.raises(NotComputable, match="never varies in the holdout"):
        published.auroc_difference(SimpleNamespace())  # type: ignore[arg-type]


def test_components_are_those_of_the_correlations_of_what_varies(monkeypatch: Put) -> None:
    rng = np.random.default_rng(3)
    parts = []
    for n, share in ((400, 0.9), (300, 0.5)):
        x = rng.normal(size=n)
        rows = [x, share * x + 0.4 * rng.normal(size=n), rng.normal(size=n), np.full(n, 2.0)]
        rows[2][:5] = np.nan
        parts.append(np.array(rows))
    monkeypatch.setattr(components, "numbers_of", lambda trio: (*parts, None))
    result = components._pca(SimpleNamespace())  # type: ignore[arg-type]
    first, other = (np.corrcoef(part[:3, 5:]) for part in parts)
    shares = [np.sort(np.linalg.eigvalsh(matrix))[::-1] / 3 for matrix in (first, other)]
    apart = [first[i, j] - other[i, j] for i, j in ((0, 1), (0, 2), (1, 2))]
    rms = math.sqrt(sum(gap**2 for gap in apart) / 3)
    assert result["rms correlation"] == Quantity(near(rms), normalised=near(1 - rms / 2))
    value = result["exp_var_diff"].value
    assert value == near(components._share_difference(*(3 * share for share in shares)))
    assert result["exp_var_diff"].normalised == near(1 - value)
    axes = [np.linalg.eigh(matrix)[1][:, -1] for matrix in (first, other)]
    angle = 2 / math.pi * math.acos(abs(axes[0] @ axes[1]))
    assert result["comp_angle_diff"].value == near(angle)
    assert result["comp_angle_diff"].normalised == near(1 - angle)


def test_means_differ_in_units_of_the_originals_deviation(monkeypatch: Put) -> None:
    first = np.array([[0.0, 0.5, 1.0], [10, 14, 18], [2, 2, 2], [1, 2, 3]])
    other = np.array([[0.75, 0.75], [16, 14], [3, 3], [math.nan, math.nan]])
    monkeypatch.setattr(moments, "numbers_of", lambda trio: (first, other))
    monkeypatch.setattr(moments, "_numeric", lambda parts: parts)
    result = moments._dwm(SimpleNamespace())["avg"]  # type: ignore[arg-type]
    # .25 of .5 and 1 of 4; the third is constant, the fourth empty
    words = "2 of 4 columns left out: constant or empty"
    assert result == Quantity(near(0.375), normalised=near(1 / 1.375), reason=words)
