"""Relations found without being named: each kind, and what is no finding."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import sdcmetrics as sdc
from sdcmetrics.errors import StudyError
from sdcmetrics.measures.rules import find_rules as find_rules_module
from sdcmetrics.measures.rules.candidate import (
    _remarkable,
    _sums_in,
    cells_to_test,
    find_domains,
    find_implications,
    find_orders,
    find_totals,
    least_expected,
)
from sdcmetrics.measures.rules.features import Feature
from sdcmetrics.measures.rules.parser import parse_rule
from sdcmetrics.measures.rules.tree import Text
from sdcmetrics.microdata.columns import Kind
from tests.recorded import SHARED

ADULT = SHARED.parents[1] / "data" / "platzer"
RNG = np.random.default_rng(5)
N = 200
X = RNG.integers(0, 60, N)
Y = RNG.integers(0, 60, N)


def fresh() -> np.random.Generator:
    """Randomness that does not depend on which tests ran before."""
    return np.random.default_rng(6)


def found(original: Any, synthetic: Any, **options: Any) -> dict[str, str]:
    table = sdc.find_rules(pd.DataFrame(original), pd.DataFrame(synthetic), **options).table
    return dict(zip(table.index, table["kind"], strict=True)) if len(table) else {}


class TestNumbers:
    def test_order(self) -> None:
        high = X + fresh().integers(0, 9, N)
        replica = {"x": X + 10, "y": high}
        assert found({"x": X, "y": high}, replica) == {"x <= y": "order"}
        assert found({"y": high, "x": X}, replica) == {"x <= y": "order"}

    def test_strict_order_where_ties_would_be_common(self) -> None:
        x = X % 5
        high = x + fresh().integers(1, 4, N)
        assert found({"x": x, "y": high}, {"x": x, "y": x}) == {"x < y": "order"}

    def test_order_of_dates_with_missing_values(self) -> None:
        days = pd.Series(pd.to_datetime("2020-01-01") + pd.to_timedelta(X, "D"))
        later = (days + pd.to_timedelta(Y % 7, "D")).where(X % 5 > 0)
        broken = {"a": later, "b": days}
        assert found({"a": days, "b": later}, broken)["a <= b"] == "order"

    def test_a_column_broken_throughout_hides_no_relation_of_it(self) -> None:
        high = X + fresh().integers(0, 9, N)
        replica = {"x": fresh().permutation(X) + 0.5, "y": high}
        assert found({"x": X, "y": high}, replica) == {
            "x == round(x)": "whole numbers",
            "x <= y": "order",
        }

    def test_a_total_broken_throughout_hides_no_relation_with_other_columns(self) -> None:
        original = pd.DataFrame({"a": X, "b": Y, "t": X + Y, "late": X + Y + fresh().integers(9)})
        replica = original.assign(t=original["t"] + 1 + fresh().permutation(X))
        rules = found(original, replica)
        assert rules["t == a + b"] == "total"
        assert any("late" in text for text in rules)
        assert "a <= t" not in rules

    def test_what_equal_columns_share_is_listed_once(self) -> None:
        high = X + fresh().integers(0, 9, N)
        original = pd.DataFrame({"x": X, "y": high, "again": high})
        replica = original.assign(x=fresh().permutation(X))
        assert len(found(original, replica)) == 1

    def test_a_total_of_columns_that_are_mostly_0_or_missing(self) -> None:
        few = np.arange(N) % 5 == 0
        a, b = np.where(few, X + 1.0, 0.0), np.where(few | (X > 50), Y + 1.0, np.nan)
        original = {"a": a, "b": b, "t": a + b}
        replica = {"a": a, "b": b, "t": fresh().permutation(a + b)}
        assert found(original, replica)["t == a + b"] == "total"

    def test_no_record_is_looked_at_for_totals_in_which_a_part_is_nothing(self) -> None:
        empty = np.zeros((1000, 3))
        empty[:2] = 1.0
        assert not list(_sums_in(empty, least=2))
        empty[:3] = [1.0, 2.0, 3.0]
        assert list(_sums_in(empty, least=2)) == [(0, 1, 2)]
        empty[1, 2] = np.nan
        assert not list(_sums_in(empty, least=2))

    @pytest.mark.parametrize("limit", [0, 1, 2, 3])
    def test_what_a_limit_leaves_out_is_counted(self, limit: int) -> None:
        original = pd.DataFrame({"x": X, "y": X + 7, "z": Y})
        replica = original.assign(y=X + 7 + (X[0] == X), z=Y + 0.5)
        result = sdc.find_rules(original, replica, limit=limit)
        assert [rule.alike for rule in result.rules] == [0, 0][:limit]
        assert result.left_out == max(0, 2 - limit)

    def test_a_limit_below_0_is_refused(self) -> None:
        with pytest.raises(StudyError, match="limit: expected a number of at least 0 but got -1"):
            found({"x": X}, {"x": Y}, limit=-1)

    def test_numbers_and_dates_are_not_compared(self) -> None:
        days = pd.to_datetime("2020-01-01") + pd.to_timedelta(X, "D")
        assert found({"a": X, "b": days}, {"a": Y, "b": days}) == {}

    def test_ranges_that_do_not_meet_are_no_finding(self) -> None:
        assert found({"x": X, "y": Y + 1000}, {"x": X, "y": Y - 1000}) == {
            "y >= 0": "no negative numbers"
        }

    @pytest.mark.parametrize(
        ("y", "rule", "kind"),
        [
            (X, "x == y", "equality"),
            (X + 7, "y == x + 7", "fixed difference"),
            (X - 0.5, "y == x - 0.5", "fixed difference"),
            (X + 0.5, "y == x + 0.5", "fixed difference"),
            (2011 - X, "x + y == 2011", "fixed sum"),
            (-99 - X, "x + y == -99", "fixed sum"),
        ],
    )
    def test_equations_of_two(self, y: Any, rule: str, kind: str) -> None:
        assert found({"x": X, "y": y}, {"x": X, "y": y + (X[0] == X)}) == {rule: kind}

    def test_dates_are_only_ordered_or_equal(self) -> None:
        days = pd.to_datetime("2020-01-01") + pd.to_timedelta(X, "D")
        later = days + pd.to_timedelta(3, "D")
        assert found({"a": days, "b": days}, {"a": days, "b": later}) == {"a == b": "equality"}
        assert found({"a": days, "b": later}, {"a": later, "b": days}) == {"a <= b": "order"}

    def test_what_is_nearly_equal_is_not_equal(self) -> None:
        x = X + 0.5
        rules = found({"x": x, "y": x * (1 + 1e-11)}, {"x": x, "y": x + 1})
        assert not any("==" in rule for rule in rules)

    def test_too_few_records_are_no_evidence(self) -> None:
        few = {"x": [3, 1, 2], "y": [3, 1, 2], "z": [6, 2, 4]}
        assert found(few, {"x": [3, 1, 2], "y": [1, 2, 3], "z": [1, 1, 1]}) == {}

    def test_totals_need_records_that_have_all_three(self) -> None:
        x, y = np.where(X % 2, X, np.nan), np.where(X % 2, np.nan, Y)
        rules = found({"x": x, "y": y, "z": X}, {"x": Y, "y": X, "z": Y})
        assert "if x is not missing then y is missing" in rules
        assert "z == x + y" not in rules

    def test_totals_need_no_record_that_has_everything(self) -> None:
        other = {"u": np.where(X % 2, X, np.nan), "v": np.where(X % 2, np.nan, fresh().random(N))}
        original = {"x": X, "y": Y, "z": X + Y, **other}
        assert found(original, {**original, "z": X + Y + 1})["z == x + y"] == "total"

    def test_totals_with_decimals(self) -> None:
        x, y = X / 10, Y / 10
        original = {"x": x, "y": y, "z": x + y, "other": fresh().normal(size=N)}
        replica = {**original, "z": x + y + np.where(X > 30, 0.1, 0)}
        assert found(original, replica) == {"z == x + y": "total"}

    def test_no_total_where_one_part_is_nearly_always_zero(self) -> None:
        y = np.where(np.arange(N) < 5, Y, 0)
        original = {"x": X, "y": y, "z": X + y}
        assert "z == x + y" not in found(original, {**original, "z": X + y + 1})

    def test_domains(self) -> None:
        rules = found({"x": X}, {"x": X - 0.5})
        assert rules == {"x == round(x)": "whole numbers", "x >= 0": "no negative numbers"}

    def test_what_the_original_itself_breaks_is_no_finding(self) -> None:
        original = {"x": np.append(X, [50]), "y": np.append(X + 2, [40])}
        assert found(original, {"x": Y, "y": X}) == {}


class TestLevels:
    JOB = np.repeat(["none", "clerk", "farmer"], [60, 80, 60])
    PAY = np.where(JOB == "none", 0, fresh().integers(1, 5000, 200))

    def test_a_level_that_fixes_a_number(self) -> None:
        replica = {"job": self.JOB, "pay": fresh().permutation(self.PAY)}
        rules = found({"job": self.JOB, "pay": self.PAY}, replica)
        assert set(rules) == {
            'if job == "none" then pay == 0',
            'if job != "none" then pay != 0',
        }

    def test_skip_patterns(self) -> None:
        pay = np.where(self.JOB == "none", np.nan, self.PAY)
        replica = {"job": self.JOB, "pay": fresh().permutation(pay)}
        rules = found({"job": self.JOB, "pay": pay}, replica)
        assert 'if job == "none" then pay is missing' in rules
        codes = np.where(self.JOB == "none", -8, self.PAY)
        replica = {"job": self.JOB, "pay": fresh().permutation(codes)}
        same = found({"job": self.JOB, "pay": codes}, replica, missing_codes={"pay": -8})
        assert 'if job == "none" then pay is missing' in same

    def test_levels_of_two_categories(self) -> None:
        sex = np.where(np.arange(N) % 2, "f", "m")
        role = np.where(sex == "m", "husband", np.where(np.arange(N) % 4 == 1, "wife", "other"))
        replica = {"sex": sex[::-1], "role": role}
        rules = found({"sex": sex, "role": role}, replica)
        assert set(rules) == {
            'if sex == "m" then role == "husband"',
            'if sex == "f" then role != "husband"',
        }

    def test_booleans(self) -> None:
        flag = self.JOB == "none"
        replica = {"job": self.JOB, "idle": fresh().permutation(flag)}
        assert set(found({"job": self.JOB, "idle": flag}, replica)) == {
            'if job == "none" then idle == true',
            'if job != "none" then idle == false',
        }

    def test_what_allows_the_fewest_levels_is_written_shortest(self) -> None:
        a = np.repeat([*"pqrst"], 60)
        b = np.where(a == "p", "one", np.tile(["one", "two", "three", "four", "five"], 60))
        replica = pd.DataFrame({"a": a, "b": fresh().permutation(b)})
        rules = found({"a": a, "b": b}, replica)
        assert list(rules) == ['if a == "p" then b == "one"']

    def test_a_function_of_many_levels_is_listed_by_its_worst_two(self) -> None:
        code = np.arange(300) % 6
        table = sdc.find_rules(
            pd.DataFrame({"code": code, "word": np.array([*"abcdef"])[code]}),
            pd.DataFrame({"code": code, "word": np.array([*"bacdfe"])[code]}),
        ).table
        assert len(table) == 2
        assert table["alike"].tolist() == [2, 0]
        assert table["broken"].tolist() == [50, 50]

    def test_rare_cells_are_no_finding(self) -> None:
        a = np.repeat(["u", "v"], [5, 195])
        b = np.repeat(["y", "z"], [100, 100])
        assert found({"a": a, "b": b}, {"a": a, "b": b[::-1]}) == {}

    def test_independent_columns_give_none_by_chance(self) -> None:
        for seed in range(15):
            rng = np.random.default_rng(seed)

            def draw(rng: np.random.Generator = rng) -> pd.DataFrame:
                return pd.DataFrame({f"v{i}": rng.choice([*"abcdefg"], 300) for i in range(8)})

            assert found(draw(), draw()) == {}

    def test_identifiers_are_not_cut_into_levels(self) -> None:
        names = [f"id {i}" for i in range(N)]
        assert found({"a": names, "b": self.JOB}, {"a": names, "b": self.JOB[::-1]}) == {}

    def test_expected_is_that_of_a_chi_squared_table(self) -> None:
        sex, role = np.repeat(["m", "f"], [120, 80]), np.repeat(["h", "w", "h"], [50, 60, 90])
        role[sex == "f"] = "h"
        original = pd.DataFrame({"sex": sex, "role": role})
        table = sdc.find_rules(original, pd.DataFrame({"sex": ["f"] * 9, "role": ["w"] * 9})).table
        by_scipy = stats.contingency.expected_freq(pd.crosstab(sex, role))[0, 1]
        assert table["expected"].tolist() == [pytest.approx(by_scipy)]
        assert table["broken"].tolist() == [9]


class TestList:
    def test_what_another_rule_implies_is_not_listed(self) -> None:
        x, y = X + 1, Y + 1
        original = {"x": x, "y": y, "z": x + y}
        rules = found(original, {**original, "z": x - 1})
        assert list(rules) == ["z == x + y"]

    def test_the_most_broken_comes_first_and_the_limit_is_kept(self) -> None:
        original = {"a": X, "b": Y, "c": fresh().integers(0, 60, N)}
        replica = {"a": X - 0.5 * (X > 50), "b": Y - 0.5, "c": original["c"] - 0.5 * (X > 30)}
        result = sdc.find_rules(pd.DataFrame(original), pd.DataFrame(replica), limit=2)
        assert result.rules[0].outcome.rule.text == "b == round(b)"
        assert result.table["broken"].is_monotonic_decreasing
        assert len(result.rules) == 2
        assert result.left_out > 0
        assert result.tested > 0

    def test_syntheses_are_averaged(self) -> None:
        original, bad = pd.DataFrame({"x": X}), pd.DataFrame({"x": -X - 1})
        table = sdc.find_rules(original, [original, bad]).table
        assert table["broken_percent"].tolist() == [50]
        assert math.isnan(table["expected"].iloc[0])

    def test_a_copy_breaks_nothing(self) -> None:
        result = sdc.find_rules(pd.DataFrame({"x": X}), pd.DataFrame({"x": X}))
        assert result.rules == ()
        assert len(result.table) == 0

    def test_columns_can_be_chosen(self) -> None:
        original, bad = {"x": X, "y": Y}, {"x": -X, "y": -Y}
        assert set(found(original, bad, variables=["y"])) == {"y >= 0"}

    def test_texts_are_rules_whatever_the_names(self) -> None:
        names = ['a "b"', "it's `so`"]
        levels = np.where(X > 30, 'say "x"', "y'z")
        original = {names[0]: levels, names[1]: np.where(X > 30, "if", "missing")}
        replica = {names[0]: levels, names[1]: fresh().permutation(original[names[1]])}
        for text in found(original, replica):
            assert set(sdc.Rule(text).columns) == set(names)
            check = sdc.check_rules(pd.DataFrame(original), pd.DataFrame(replica), text)
            assert check.outcomes[0].original.broken == 0
            assert check.outcomes[0].syntheses[0].broken > 0
            assert str(parse_rule(text)) == text

    @pytest.mark.parametrize("seed", range(8))
    def test_whatever_is_found_holds_in_the_original_and_breaks_in_the_replica(
        self, seed: int
    ) -> None:
        rng = np.random.default_rng(seed)
        n = 150
        a, b = rng.choice([*"uvwx"], n), rng.integers(0, 40, n).astype(float)
        original = pd.DataFrame(
            {
                "a": a,
                "b": b,
                "c": np.where(a == "u", 0, b + rng.integers(0, 9, n)),
                "d": np.where(np.isin(a, ["v", "w"]), None, rng.choice([*"yz"], n)),
                "e": np.where(rng.random(n) < 0.2, np.nan, np.round(b / 3, 1)),
                "f": a == "x",
            }
        )
        replica = original.apply(lambda column: column.sample(frac=1, random_state=rng).to_numpy())
        replica["b"] = rng.permutation(b) - 1
        table = sdc.find_rules(original, replica, limit=50).table
        assert len(table) > 3
        again = sdc.check_rules(original, replica, list(table.index)).table
        assert (again["original_broken"] == 0).all()
        assert (again["original_kept"] > 0).all()
        assert again["broken"].tolist() == table["broken"].tolist()
        assert (again["broken"] > 0).all()
        assert table["broken"].is_monotonic_decreasing

    def test_empty_columns_do_no_harm(self) -> None:
        nothing = np.full(N, np.nan)
        original = {"x": X, "gone": nothing, "text": [None] * N, "same": [1] * N}
        assert set(found(original, {**original, "x": -X - 1})) == {"x >= 0"}


@pytest.mark.skipif(not ADULT.is_dir(), reason="the shared data are not in this checkout")
class TestAdult:
    ORIGINAL = ADULT / "adult_trn.parquet"

    def test_a_broken_generator(self) -> None:
        original = pd.read_parquet(self.ORIGINAL)
        replica = pd.read_parquet(ADULT / "adult_ctgan.parquet")
        result = sdc.find_rules(original, replica)
        husbands = 'if relationship == "Husband" then sex == "Male"'
        workless = 'if occupation == "?" then workclass in ["?", "Never-worked"]'
        texts = list(result.table.index)
        assert {husbands, workless, "`capital-gain` >= 0"} <= {*texts}
        wrong = (replica["relationship"] == "Husband") & (replica["sex"] != "Male")
        assert result.table.loc[husbands, "broken"] == int(wrong.sum())
        again = sdc.check_rules(original, replica, texts).table
        assert (again["original_broken"] == 0).all()
        assert again["broken"].tolist() == result.table["broken"].tolist()


def test_cells_of_features_of_different_columns_are_looked_at() -> None:
    sizes = (("x", 2), ("x", 3), ("y", 4), ("z", 5))
    features: Any = [SimpleNamespace(column=column, size=size) for column, size in sizes]
    assert cells_to_test(features) == 2 * 4 + 2 * 5 + 3 * 4 + 3 * 5 + 4 * 5
    assert cells_to_test(features[:2]) == 0


def test_relations_of_numbers_and_dates_are_looked_at_in_pairs_and_sums(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(find_rules_module, "cells_to_test", lambda _: 100)
    rng = np.random.default_rng(1)
    frames = [
        pd.DataFrame(
            {
                "a": rng.integers(0, 99, 40),
                "b": rng.integers(0, 99, 40),
                "born": pd.Timestamp("2000-01-01") + pd.to_timedelta(rng.integers(0, 99, 40), "D"),
                "g": rng.choice(["u", "v"], 40),
            }
        )
        for _ in "ab"
    ]
    assert find_rules_module.find_rules(*frames).tested == 100 + 5 * 3**2 + 2**3


@pytest.mark.parametrize(
    ("total", "rule"), [(0, "x + y == 0"), (-3, "x + y == -3"), (7, "x + y == 7")]
)
def test_a_fixed_sum_is_written_with_its_sign(total: int, rule: str) -> None:
    replica = {"x": X, "y": total + 1 - X}
    assert found({"x": X, "y": total - X}, replica)[rule] == "fixed sum"


def test_a_cell_is_empty_on_purpose_where_more_is_expected_than_chance_leaves_out() -> None:
    original = np.array([[5, 0, 0, 0, 0], [1, 1, 1, 1, 0], [1, 1, 1, 1, 1]])
    expected = np.zeros((3, 5))
    expected[2, 0] = 9.0
    for value, marked in ((2.5, []), (2.5001, [[1, 4]])):
        expected[1, 4] = value
        assert np.argwhere(_remarkable(original, expected, 2.5)).tolist() == marked
    # a row that fills one of five cells: what is expected of the others, less log 5
    for more, whole in ((-1e-9, False), (1e-9, True)):
        expected[0] = [0, (2.5 + math.log(5) + more) / 2, (2.5 + math.log(5) + more) / 2, 0, 0]
        assert _remarkable(original, expected, 2.5)[0].tolist() == [False, *[whole] * 4]
    filled = np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 0]])
    expected = np.array([[0, 0, 0, 9.0, 0.1], [0, 0, 0, 0, 0.1]])
    assert _remarkable(filled, expected, 2.5).tolist() == [[False] * 3 + [True] * 2, [False] * 5]


@pytest.mark.parametrize(
    ("first", "second", "broken", "outside", "covered"),
    [
        ("ab", "ab", 20, 1, True),  # one in twenty
        ("ab", "ab", 20, 2, False),
        ("abc", "ab", 20, 1, True),
        ("ab", "bc", 10, 0, True),  # five of ten are expected outside a half
        ("ab", "bc", 9, 0, False),
        ("ab", "bc", 40, 1, True),  # one in twenty of the twenty expected
        ("ab", "bc", 40, 2, False),
        ("ab", "cd", 40, 0, False),
        ("a", "ab", 40, 0, False),
        ("ab", "a", 40, 0, False),
    ],
)
def test_whoever_breaks_a_relation_breaks_a_listed_one_and_by_no_coincidence(
    first: str, second: str, broken: int, outside: int, *, covered: bool
) -> None:
    records = np.arange(100)
    listed = records < 50
    breaks = (records < broken - outside) | (records >= 100 - outside)
    one, other = (SimpleNamespace(columns=frozenset(names)) for names in (first, second))
    assert find_rules_module._covers(one, listed, other, breaks) is covered  # type: ignore[arg-type]


def test_one_relation_in_a_hundred_at_most_is_an_accident() -> None:
    assert least_expected(0) == least_expected(1) == math.log(100)
    nothing, half = np.zeros((2, 2), dtype=np.int64), np.full((2, 2), 1.25)
    assert not _remarkable(nothing, half, 2.5).any()  # 2.5 of a row are just what chance leaves
    assert _remarkable(nothing, half, 2.49).all()


def test_the_original_is_looked_at_in_all_records() -> None:
    late = np.where(np.arange(N) < 150, X, X + 1.0)
    numbers = {"x": Kind.NUMBER, "y": Kind.NUMBER}
    columns = {"x": [X + 0.0, X + 0.0], "y": [late, Y + 0.0]}
    assert [c.kind for c in find_orders(columns, numbers, 10)] == ["order"]  # x <= y, and no more
    halves = {"x": [X + 0.5, X + 0.5], "y": [X + 0.5, X - 1.0]}
    assert [(c.kind, str(c.node)) for c in find_domains(halves)] == [
        ("no negative numbers", "y >= 0")
    ]


def test_what_is_constant_in_the_original_is_no_part_of_a_total() -> None:
    total = {"x": [X + 0.0, X + 0.0], "y": [Y + 0.0, Y + 0.0], "z": [X + Y + 0.0, X + 1.0]}
    assert [str(c.node) for c in find_totals(total, 10)] == ["z == x + y"]
    constant = {"x": [X + 0.0, X + 0.0], "y": [0.0 * X + 5, Y + 0.0], "z": [X + 5.0, X + 1.0]}
    assert [*find_totals(constant, 10)] == []


def test_a_cell_is_broken_by_the_mean_share_over_syntheses() -> None:
    original, replica = np.repeat([0, 1], 50), np.repeat([0, 1, 1, 1], 25)
    features = [
        Feature(name, parts, (Text(f"{name}0"), Text(f"{name}1")), 2)
        for name, parts in (
            ("a", (original, original, original)), ("b", (original, replica, original)),
        )
    ]  # fmt: skip
    [candidate] = find_implications(features, (100, 100, 100), 10)
    assert candidate.broken == pytest.approx(0.25 / 2)  # in the first of two 25 of 100
