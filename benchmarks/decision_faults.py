"""Populations whose truth is known, and replicas of them that have one fault: for decisions.py.

A population draws n records, or whole clusters until there are n; a fault takes a fresh sample of
the survey, or of any population, and spoils it in one way.
"""

# ruff: noqa: PLR2004  (people that never were are made of numbers)

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pandas as pd

Rng = np.random.Generator
Frame = pd.DataFrame
Values = npt.NDArray[np.generic]
Population = Callable[[Rng, int], Frame]
Fault = Callable[[Rng, Frame], Frame]

_DAY = 86_400


# Populations


def survey(rng: Rng, n: int) -> Frame:
    """Draw a household survey's persons: heaped incomes, blanks, an exclusive or, two dates."""
    age, sex = rng.integers(16, 90, n), rng.choice(["m", "f"], n)
    education = np.digitize(rng.normal(size=n) - 0.01 * (age - 50), [-1, 0, 1])
    wealthy = rng.normal(size=n)
    income = np.exp(9.5 + 0.25 * education + 0.5 * wealthy)
    heap = rng.choice([1, 100, 500, 1000], n, p=[0.1, 0.3, 0.3, 0.3])
    income = np.round(income / heap) * heap
    spending = np.round(np.exp(2 + 0.6 * np.log(income + 1) + 0.35 * rng.normal(size=n)), 1)
    wealth = np.round(np.exp(9 + 0.8 * wealthy + rng.normal(size=n)))
    wealth[rng.random(n) < 0.45] = 0.0
    first, second = rng.integers(0, 2, (2, n))
    admitted = rng.integers(0, 300 * _DAY, n)
    stay = rng.gamma(1.5, 5 * _DAY, n).astype(int)
    start = pd.Timestamp("2024-01-01")
    frame = pd.DataFrame(
        {
            "age": age,
            "sex": sex,
            "region": rng.choice(list("ABCDE"), n, p=[0.35, 0.25, 0.2, 0.15, 0.05]),
            "education": education,
            "income": income,
            "spending": spending,
            "wealth": wealth,
            "pregnant": ((sex == "f") & (age < 45) & (rng.random(n) < 0.12)).astype(int),
            "first": first,
            "second": second,
            "parity": np.where(rng.random(n) < 0.9, first ^ second, 1 - (first ^ second)),
            "admitted": start + pd.to_timedelta(admitted, unit="s"),
            "discharged": start + pd.to_timedelta(admitted + stay, unit="s"),
            "health": np.round(50 - 0.3 * (age - 50) + 8 * rng.normal(size=n)),
        }
    )
    silent = rng.random(n) < 0.12
    frame.loc[silent, "income"] = np.nan
    frame.loc[silent & (rng.random(n) < 0.8), "spending"] = np.nan
    return frame


def heavy_tails(rng: Rng, n: int) -> Frame:
    """Draw incomes and capital with tails of a power, most capital nothing."""
    age = rng.integers(16, 95, n)
    income = np.exp(rng.normal(9.5 - 0.01 * np.abs(age - 50), 0.9)) * (1 + 0.3 * rng.pareto(1.5, n))
    capital = np.round(rng.pareto(1.1, n) * 1000, -2)
    capital[rng.random(n) < 0.75] = 0.0
    poor = income < 9000
    return pd.DataFrame(
        {
            "age": age,
            "sex": rng.choice(["m", "f"], n),
            "region": _ranked(rng, n, 1.4, 60, "r"),
            "poor": np.where(rng.random(n) < 0.2, ~poor, poor).astype(int),
            "income": np.round(income, -2),
            "capital": capital,
        }
    )


def rare_categories(rng: Rng, n: int) -> Frame:
    """Draw occupations and places, most of which hardly anybody has."""
    occupation = np.minimum(rng.zipf(1.5, n), 500)
    return pd.DataFrame(
        {
            "occupation": _text("o", occupation),
            "place": _ranked(rng, n, 1.3, 200, "p"),
            "sex": rng.choice(["f", "m"], n),
            "disease": _text("d", np.minimum(1 + (occupation + rng.geometric(0.6, n)) % 9, 9)),
            "employer": _ranked(rng, n, 2.0, 30, "e"),
            "street": _ranked(rng, n, 1.2, 1000, "s"),
        }
    )


def derived_values(rng: Rng, n: int) -> Frame:
    """Draw columns that follow from others: a year of birth, a district, a tax."""
    age, post = rng.integers(0, 100, n), np.minimum(rng.zipf(1.2, n), 300)
    income = np.round(np.exp(rng.normal(10, 0.8, n)), -2)
    return pd.DataFrame(
        {
            "age": age,
            "born": 2026 - age - (rng.random(n) < 0.3),
            "post": _text("p", post),
            "district": _text("d", post // 10),
            "band": np.digitize(income, [1e4, 2e4, 4e4]),
            "income": income,
            "tax": np.round(0.3 * income),
        }
    )


def few_answers(rng: Rng, n: int) -> Frame:
    """Draw five questions with two or three answers each."""
    trait = rng.random(n)
    yes = {name: (rng.random(n) < trait).astype(int) for name in ("a", "b", "t")}
    return pd.DataFrame(
        {**yes, "c": rng.choice(list("xyz"), n), "e": (rng.random(n) < 0.1).astype(int)}
    )


def blanks(rng: Rng, n: int) -> Frame:
    """Draw a file in which a third of the people leave half of the questions out."""
    frame = heavy_tails(rng, n).astype({"age": float, "poor": float})
    reluctant = rng.random(n) < 0.3
    for name in frame.columns:
        frame[name] = frame[name].mask(rng.random(n) < 0.15 + 0.5 * reluctant)
    return frame


def stays(rng: Rng, n: int) -> Frame:
    """Draw hospital stays: seconds of admission and discharge, costs that follow the days."""
    admitted, length = rng.integers(0, 300 * _DAY, n), rng.exponential(5 * _DAY, n).astype(int)
    start, age = pd.Timestamp("2025-01-01"), rng.integers(0, 100, n)
    return pd.DataFrame(
        {
            "age": age,
            "ward": rng.choice(list("ABCDEFG"), n),
            "outcome": np.where(rng.random(n) < age / 150, "dead", "alive"),
            "admitted": start + pd.to_timedelta(admitted, unit="s"),
            "discharged": start + pd.to_timedelta(admitted + length, unit="s"),
            "cost": np.round(length / 3600 * rng.gamma(2, 20, n), 2),
        }
    )


def businesses(rng: Rng, n: int) -> Frame:
    """Draw a business survey, numbers only; a few units leave all of it blank."""
    size = rng.normal(size=n)
    scale = {"staff": (3, 1, 0.0), "shops": (1, 0.5, 1.0), "turnover": (5, 1, 0.4)}
    scale |= {"wages": (8, 1, 0.4), "stock": (4, 0, 0.5), "waste": (2, 0, 0.5)}
    frame = pd.DataFrame(
        {
            name: np.round(np.exp(mean + slope * size + noise * rng.normal(size=n)), 1)
            for name, (mean, slope, noise) in scale.items()
        }
    )
    frame.loc[rng.random(n) < 1 / 300] = np.nan
    return frame


def reported_nothing(rng: Rng, n: int) -> Frame:
    """Draw the business survey with 0 for what was left blank, and half of the stocks 0."""
    frame = businesses(rng, n).fillna(0.0)
    frame.loc[rng.random(n) < 0.5, "stock"] = 0.0
    return frame


def rare_flags(rng: Rng, n: int) -> Frame:
    """Draw eighteen rare diseases, which the same people have."""
    frailty = rng.gamma(0.3, 1, n) / 0.3
    flags = {
        f"disease_{i}": (rng.random(n) < np.minimum(0.025 * frailty * (1 + i % 4), 0.9)).astype(int)
        for i in range(18)
    }
    return pd.DataFrame(
        {"age": rng.integers(0, 18, n) * 5, "sex": rng.choice(["m", "f"], n)} | flags
    )


def institutions(rng: Rng, n: int) -> Frame:
    """Draw people of whom one in 25 is one of sixty institutions, records all alike."""
    frame = derived_values(rng, n)
    alike = derived_values(np.random.default_rng(99), 60)
    alike["income"], alike["born"], alike["district"] = 7 * alike["income"] + 13, 1900, "inst"
    chosen = np.flatnonzero(rng.random(n) < 0.04)
    rows = alike.iloc[rng.integers(0, 60, len(chosen))].set_index(chosen)
    frame.loc[chosen] = rows
    return frame


def agreement_scales(rng: Rng, n: int) -> Frame:
    """Draw ten questions from 1 (disagree) to 5, which share one attitude."""
    attitude = rng.normal(size=(n, 1))
    answers = np.clip(np.round(3.2 + 0.8 * (attitude + rng.normal(size=(n, 10)))), 1, 5)
    return pd.DataFrame(answers.astype(int), columns=[f"item_{i}" for i in range(10)])


def many_regions(rng: Rng, n: int) -> Frame:
    """Draw people of two hundred regions that differ in income and education."""
    chance = 1.0 / np.arange(1, 201) ** 0.9
    region = rng.choice(200, n, p=chance / chance.sum())
    education = np.digitize(rng.normal(size=n) + 0.5 * np.cos(region), [-1, 0, 1])
    income = np.exp(9.8 + 0.3 * np.sin(region) + 0.6 * rng.normal(size=n))
    return pd.DataFrame(
        {
            "region": _text("r", region),
            "age": rng.integers(18, 90, n),
            "sex": rng.choice(["m", "f"], n),
            "education": education,
            "income": np.round(income, -2),
            "votes": np.where(rng.random(n) < 0.2 + 0.5 * (education > 1), "yes", "no"),
        }
    )


def alike_flags(rng: Rng, n: int) -> Frame:
    """Draw twenty symptoms that nearly always come together."""
    ill = rng.random(n) < 0.12
    return pd.DataFrame(
        {f"symptom_{i}": (ill ^ (rng.random(n) < 0.03)).astype(int) for i in range(20)}
    )


def correlated(rng: Rng, n: int) -> Frame:
    """Draw ten columns of all kinds that hang together."""
    return _mixed(rng, n, 10)


def wide(rng: Rng, n: int) -> Frame:
    """Draw thirty columns of all kinds, for which there are tables of two ways only."""
    return _mixed(rng, n, 30)


def _mixed(rng: Rng, n: int, columns: int) -> Frame:
    common = rng.normal(size=n)
    drawn = {}
    for i in range(columns):
        x = 0.5 * common + 0.87 * rng.normal(size=n)
        kinds = (np.round(50 + 10 * x), (x > 0.3).astype(int), np.digitize(x, [-0.7, 0.2, 1]))
        drawn[f"x{i}"] = kinds[i % 3]
    return pd.DataFrame(drawn)


POPULATIONS: dict[str, Population] = {
    each.__name__.replace("_", " "): each
    for each in (
        survey,
        heavy_tails,
        rare_categories,
        derived_values,
        few_answers,
        blanks,
        stays,
        businesses,
        reported_nothing,
        rare_flags,
        institutions,
        agreement_scales,
        many_regions,
        alike_flags,
        correlated,
        wide,
    )
}


# Clusters: a column says which records belong together; numbers of two samples may be equal.


def households(rng: Rng, n: int) -> Frame:
    """Draw households of three to five, who share region, tenure and income."""
    home = np.repeat(np.arange(n), rng.integers(3, 6, n))[:n]
    region, tenure = np.minimum(rng.zipf(1.4, n), 60)[home], rng.choice(list("abc"), n)[home]
    income = np.round(np.exp(rng.normal(10, 0.7, n)), -2)[home]
    return pd.DataFrame(
        {
            "hid": home,
            "region": _text("r", region),
            "tenure": tenure,
            "income": income,
            "age": rng.integers(0, 95, n),
            "sex": rng.choice(["m", "f"], n),
            "saves": (rng.random(n) < 0.2 + 0.5 * (income > 25_000)).astype(int),
        }
    )


def schools(rng: Rng, n: int) -> Frame:
    """Draw thirty pupils of each school, of whose marks a fifth is the school's."""
    school = np.arange(n) // 30
    level = np.sqrt(0.2) * rng.normal(size=n)[school]

    def mark() -> npt.NDArray[np.float64]:
        return np.asarray(level + np.sqrt(0.8) * rng.normal(size=n))

    return pd.DataFrame(
        {
            "school": school,
            "type": rng.choice(list("xyz"), n)[school],
            "mathematics": np.round(500 + 100 * mark()),
            "reading": np.round(500 + 100 * mark()),
            "background": np.digitize(mark(), [-1, 0, 1]),
            "sex": rng.choice(["m", "f"], n),
        }
    )


def panel(rng: Rng, n: int) -> Frame:
    """Draw five years of each person, in which little changes."""
    person = np.arange(n) // 5
    income = np.exp(rng.normal(10, 0.8, n))[person] * np.exp(rng.normal(0, 0.05, n))
    return pd.DataFrame(
        {
            "person": person,
            "age": rng.integers(18, 80, n)[person] + np.arange(n) % 5,
            "sex": rng.choice(["m", "f"], n)[person],
            "trade": _ranked(rng, n, 1.4, 60, "t")[person],
            "income": np.round(income, -2),
            "unemployed": (rng.random(n) < 0.1).astype(int),
        }
    )


CLUSTERED: dict[str, tuple[Population, str]] = {
    "households": (households, "hid"),
    "schools": (schools, "school"),
    "panel": (panel, "person"),
}


# Faults of a fresh sample of the survey


def exclusive_or_lost(rng: Rng, fresh: Frame) -> Frame:
    """Draw the third of three columns, of which any two tell nothing, by itself."""
    return fresh.assign(parity=rng.integers(0, 2, len(fresh)))


def heaping_removed(rng: Rng, fresh: Frame) -> Frame:
    """Move incomes off the round numbers that people report."""
    return fresh.assign(income=np.round(fresh.income + rng.uniform(-400, 400, len(fresh)), 2))


def order_broken(rng: Rng, fresh: Frame) -> Frame:
    """Swap admission and discharge of one stay in ten."""
    swapped = rng.random(len(fresh)) < 0.1
    return fresh.assign(
        admitted=fresh.admitted.where(~swapped, fresh.discharged),
        discharged=fresh.discharged.where(~swapped, fresh.admitted),
    )


def small_group_wrong(rng: Rng, fresh: Frame) -> Frame:
    """Shuffle most columns within the region of 5 % of the people, and turn their health round."""
    out, rows = fresh.copy(), np.flatnonzero(fresh.region == "E")
    for name in ("age", "education", "income", "spending"):
        out[name] = _shuffled_rows(rng, out[name], rows)
    out.loc[rows, "health"] = 100 - out.loc[rows, "health"]
    out.loc[rows, "wealth"] = 0.0
    out.loc[rows, "spending"] *= 3
    return out


def repeated(rng: Rng, fresh: Frame) -> Frame:
    """Have every record five times."""
    rows = rng.integers(0, len(fresh), len(fresh) // 5 + 1).repeat(5)[: len(fresh)]
    return fresh.iloc[rows].reset_index(drop=True)


SURVEY_FAULTS: dict[str, Fault] = {
    each.__name__.replace("_", " "): each
    for each in (exclusive_or_lost, heaping_removed, order_broken, small_group_wrong, repeated)
}


# Faults of a fresh sample of any population


def all_relations_lost(rng: Rng, fresh: Frame) -> Frame:
    """Shuffle every column by itself."""
    out = {name: fresh[name].to_numpy()[rng.permutation(len(fresh))] for name in fresh}
    return pd.DataFrame(out)


def one_relation_lost(rng: Rng, fresh: Frame) -> Frame:
    """Shuffle a column that hangs together with others."""
    related = ("spending", "disease", "poor", "t", "outcome", "votes", "band")
    name = next((name for name in related if name in fresh), fresh.columns[-2])
    return fresh.assign(**{name: _shuffled_rows(rng, fresh[name], np.arange(len(fresh)))})


def shifted(by: float) -> Fault:
    """Return the fault that moves the number with most values by so many standard deviations.

    On its own grid, so that nothing but the shift tells: on average, where it is coarse.
    """

    def shift(rng: Rng, fresh: Frame) -> Frame:
        numbers = fresh.select_dtypes("number")
        name = str(numbers.nunique().idxmax())
        values = numbers[name]
        steps = np.diff(np.unique(values.dropna()))
        step = steps.min() if len(steps) else 1.0
        moves = np.floor(by * values.std() / step + rng.random(len(fresh)))
        return fresh.assign(**{name: np.round(values + step * moves, 6)})

    return shift


FAULTS: dict[str, Fault] = {
    "all relations lost": all_relations_lost,
    "one relation lost": one_relation_lost,
    "shift .2 sd": shifted(0.2),
}


def _shuffled_rows(rng: Rng, column: pd.Series, rows: npt.NDArray[np.int64]) -> pd.Series:
    out = column.copy()
    out.iloc[rows] = out.iloc[rng.permutation(rows)].to_numpy()
    return out


def _text(letter: str, numbers: npt.NDArray[np.int64]) -> Values:
    return np.array([f"{letter}{number}" for number in numbers])


def _ranked(rng: Rng, n: int, power: float, most: int, letter: str) -> Values:
    """Draw texts of which the first is by far the most frequent."""
    return _text(letter, np.minimum(rng.zipf(power, n), most))
