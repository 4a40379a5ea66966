"""What whoever has a release and the replicas can solve for."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import lil_array

from sdcmetrics.report import write_csv
from sdcmetrics.report.judging import judged
from sdcmetrics.report.safety.cells import Mode
from sdcmetrics.report.safety.protect.protected import Protected
from sdcmetrics.report.safety.protect.protection import protect
from sdcmetrics.report.safety.protect.rounding import Rounding
from sdcmetrics.report.safety.protect.tables import one_way, two_way
from sdcmetrics.review.conduct import conduct
from sdcmetrics.review.judge import Status
from sdcmetrics.review.review import Review
from sdcmetrics.study.demo.review import study as demo
from sdcmetrics.study.profile import Profile, load_profile
from sdcmetrics.study.study import Study
from tests.report.conftest import NOW
from tests.report.protect.solving import all_hold, solve, statistics_of

Ints = npt.NDArray[np.int64]
ADULT = Path(__file__).parents[4] / "shared" / "data" / "platzer"
VIEWS = "selfLR"
TARGET = "vote"
MODES: tuple[Mode, ...] = ("internal", "checker")


@pytest.fixture(scope="module")
def demo_review() -> Review:
    return conduct(demo(), now=NOW, holdout=False)


def counted(frame: pd.DataFrame, levels: list[tuple[str, str]]) -> npt.NDArray[np.float64]:
    return np.array(
        [((frame[VIEWS] == a) & (frame[TARGET] == b)).sum() for a, b in levels], dtype=float
    )


def test_statistics_of_a_release_are_not_those_of_the_original(
    demo_review: Review, tmp_path: Path
) -> None:
    # With exact statistics of four public replicas, each small cell of this table has one value.
    original = demo_review.study.original.table.to_pandas()
    replicas = {
        name: [item.table.to_pandas() for item in many]
        for name, many in demo_review.study.replicas.items()
    }
    levels = list(itertools.product(sorted(original[VIEWS].unique()), ["Clinton", "Dole"]))
    exact = counted(original, levels)
    counts = {r: [counted(item, levels) for item in many] for r, many in replicas.items()}
    sums = [
        ([i for i, level in enumerate(levels) if level[k] == value], n, n)
        for k, name in enumerate((VIEWS, TARGET))
        for value, n in original[name].value_counts().items()
    ]
    most = original[VIEWS].value_counts()
    ranges = [range(int(most[level[0]]) + 1) for level in levels]

    def shown_in(table: pd.DataFrame) -> dict[str, tuple[float | None, float | None]]:
        rows = table[(table["variable_1"] == VIEWS) & (table["variable_2"] == TARGET)]
        return {
            row.replica: tuple(None if pd.isna(x) else float(x) for x in (row.TVD, row.S_pMSE))
            for row in rows.itertuples()
        }

    small = [int(i) for i in np.flatnonzero(exact < 10)]
    frame = demo_review.mean_rows()
    rows = frame[frame["variables"] == (VIEWS, TARGET)].set_index(["replica", "metric"])["value"]
    entries = {r: (round(rows[r, "TVD"], 2), float(f"{rows[r, 'S_pMSE']:.3g}")) for r in replicas}
    attack = statistics_of(counts, entries, len(original))
    assert all_hold({cell: int(exact[cell]) for cell in small}, ranges, attack, sums)
    assert not all_hold({small[0]: int(exact[small[0]]) + 1}, ranges, attack, sums)

    write_csv(demo_review, tmp_path, mode="checker", profile=load_profile("illustration"))
    attack = statistics_of(
        counts, shown_in(pd.read_csv(tmp_path / "utility_twoway.csv")), len(original)
    )
    for cell in small:
        ends = solve(ranges, attack, sums, cell)
        assert ends is None or ends[1] - ends[0] >= 4


def survey(n: int, seed: int) -> Study:
    """Return a survey with many cells that hold few records."""
    rng = np.random.default_rng(seed)

    def frame() -> pd.DataFrame:
        school = rng.choice(list("abcdef"), n, p=[0.03, 0.3, 0.2, 0.15, 0.27, 0.05])
        party = rng.choice(list("ABCDEFG"), n, p=[0.2, 0.2, 0.1, 0.05, 0.1, 0.15, 0.2])
        vote = np.where(rng.random(n) < 0.05 + 0.9 * (party > "D"), "yes", "no")
        return pd.DataFrame({"school": school, "party": party, "vote": vote})

    replicas = {name: frame() for name in ("r", "s", "t")}
    return Study(frame(), replicas, keys=["school"], targets=["vote"])


def together(study: Study, profile: Profile) -> list[int]:
    """Return how many values each small cell may have, given all tables of a release at once.

    The levels of a variable are the same unknowns in every table that has it.
    """
    rounding = Rounding.of(profile)
    variables, inside = one_way(study, rounding)
    tables = list(two_way(variables, inside, rounding.records(study.original.n), rounding))
    bounds: list[tuple[int, int]] = []
    rows: list[dict[int, int]] = []
    limits: list[tuple[int, int]] = []
    margins: dict[str, list[int]] = {}

    def unknowns(low: Ints, high: Ints) -> Ints:
        start = len(bounds)
        bounds.extend(zip(low.ravel(), high.ravel(), strict=True))
        return np.arange(start, len(bounds)).reshape(low.shape)

    for table in tables:
        ends = table.ends
        assert ends is not None
        for name, of in zip(table.variables, (ends.rows, ends.columns), strict=True):
            if name not in margins:
                margins[name] = unknowns(*of).tolist()
                rows.append(dict.fromkeys(margins[name], 1))
                limits.append(ends.total)
        cells = unknowns(ends.low, ends.high)
        for name, lines in zip(table.variables, (cells, cells.T), strict=True):
            for line, margin in zip(lines, margins[name], strict=True):
                rows.append(dict.fromkeys(line.tolist(), 1) | {margin: -1})
                limits.append((0, 0))
    matrix = lil_array((len(rows), len(bounds)))
    for i, row in enumerate(rows):
        matrix[i, list(row)] = list(row.values())
    sums = LinearConstraint(matrix.tocsr(), *np.array(limits).T)
    return spans(*np.array(bounds, dtype=float).T, sums, rounding)


def spans(
    low: npt.NDArray[np.float64],
    high: npt.NDArray[np.float64],
    sums: LinearConstraint,
    rounding: Rounding,
) -> list[int]:
    """Return how many values small cells are seen to have, within their bounds and sums."""
    least, most = high.copy(), low.copy()
    rng = np.random.default_rng(1)
    small = rng.permutation(np.flatnonzero((low == 0) & (high < rounding.least)))[:60]

    def solved(weights: npt.NDArray[np.float64], cells: Ints) -> bool:
        nonlocal least, most
        wanted = np.zeros(len(low))
        wanted[cells] = weights
        result = milp(
            wanted,
            constraints=sums,
            bounds=Bounds(low, high),
            integrality=np.ones(len(low)),
            options={"time_limit": 20.0},
        )
        if result.x is None:
            return False
        least, most = np.minimum(least, result.x), np.maximum(most, result.x)
        return True

    for _ in range(4):  # what is far out in some direction shows an end of many cells
        weights = rng.standard_normal(len(small))
        if not solved(weights, small) or not solved(-weights, small):
            break
    for cell in small:
        for sign in (1.0, -1.0):
            if most[cell] - least[cell] >= rounding.base - 1:
                break  # another cell's solution has shown enough
            if not solved(np.array([sign]), np.array([cell])):
                break
    return [round(most[cell] - least[cell]) + 1 for cell in small]


@pytest.mark.parametrize("seed", [1, 11, 21])
def test_all_tables_of_a_survey_together_leave_every_small_cell_open(seed: int) -> None:
    result = together(survey(500, seed), Profile("p", "P", "u", {}))
    assert len(result) > 5
    assert min(result) >= 5


def test_all_tables_of_the_demo_together_leave_every_small_cell_open() -> None:
    result = together(demo(), load_profile())
    assert len(result) > 50
    assert min(result) >= 5


@pytest.mark.skipif(not ADULT.is_dir(), reason="the shared data are not in this checkout")
def test_all_tables_of_adult_together_leave_every_small_cell_open() -> None:
    # All 15 columns span 5 as well, and take a minute and a half.
    columns = ["workclass", "education", "race", "native-country", "occupation", "income"]
    replicas = {name: ADULT / f"adult_{name}.parquet" for name in ("synthpop", "mostly")}
    result = together(
        Study(
            ADULT / "adult_trn.parquet",
            replicas,
            keys=["education"],
            targets=["income"],
            variables=columns,
        ),
        load_profile(),
    )
    assert len(result) > 20
    assert min(result) >= 5


def test_protected_statistics_are_near_the_exact_ones(demo_review: Review) -> None:
    result: Protected = protect(demo_review, load_profile())
    keys = ["replica", "metric", "variables"]
    shown = result.frame[(result.frame["shown"] == "")].set_index(keys)["value"].to_dict()
    exact = demo_review.mean_rows().set_index(keys)["value"].to_dict()
    for metric, ways, median in (("TVD", 1, 0.01), ("TVD", 2, 0.02), ("S_pMSE", 1, 0.2)):
        places = [k for k in shown if k[1] == metric and len(k[2]) == ways]
        gaps = [abs(shown[k] - exact[k]) for k in places]
        assert float(np.median(gaps)) < median, (metric, ways)


def test_both_editions_give_one_answer_on_the_demo(demo_review: Review) -> None:
    profile = load_profile("illustration")
    inside, outside = (judged(demo_review, profile, x) for x in MODES)
    for first, other in zip(inside, outside, strict=True):
        assert (other.risk.status, other.utility.status) == (
            first.risk.status,
            first.utility.status,
        )
        assert (other.risk.statements, other.utility.statements) == ((), ())
    result = {item.replica: item.utility.status for item in outside}
    assert result["independent"] is Status.FAIL
    assert result["parametric"] is Status.REVIEW
