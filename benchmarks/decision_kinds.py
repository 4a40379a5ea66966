"""Populations, replicas and holdouts by which decisions are tested: see decisions.py.

Everything is drawn here, from laws that are written down here. A population is a function of a
generator and a size; a replica of a `Draw`: the original, a generator, and the population.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

Rng = np.random.Generator
Population = Callable[[Rng, int], pd.DataFrame]

POPULATIONS: dict[str, Population] = {}
CLUSTERED = {"panel": "person", "households": "home"}
"""Populations whose rows belong together, and the column that says so."""


def population(function: Population) -> Population:
    """List a population under its name."""
    POPULATIONS[function.__name__] = function
    return function


@population
def wages(rng: Rng, n: int) -> pd.DataFrame:
    """Heaped wages with a heavy tail, hours, and savings that most do not have."""
    skill = rng.normal(size=n)
    wage = np.exp(7.5 + 0.5 * skill + rng.standard_t(4, n) * 0.3)
    unit = rng.choice([1, 10, 50, 100], n, p=[0.2, 0.3, 0.2, 0.3])
    savings = np.where(rng.random(n) < 0.6, 0, np.round(rng.lognormal(8, 1.6, n), -2))
    return pd.DataFrame(
        {
            "age": np.clip(np.round(rng.normal(42, 13, n)), 16, 75),
            "sex": rng.choice(["f", "m"], n),
            "trade": rng.choice([f"t{i}" for i in range(12)], n),
            "hours": rng.choice([20, 30, 35, 38, 40, 48], n, p=[0.1, 0.1, 0.15, 0.2, 0.35, 0.1]),
            "wage": np.round(wage / unit) * unit,
            "savings": savings,
        }
    )


@population
def long_lists(rng: Rng, n: int) -> pd.DataFrame:
    """Occupations, towns and diagnoses with hundreds of levels, few of them frequent."""

    def level(power: float, most: int) -> np.ndarray:
        share = np.arange(1, most + 1) ** -power
        return rng.choice(most, n, p=share / share.sum())

    occupation, town = level(1.1, 400), level(1.0, 250)
    return pd.DataFrame(
        {
            "occupation": [f"o{i}" for i in occupation],
            "town": [f"t{i}" for i in town],
            "diagnosis": [
                f"d{(i + j) % 90}" for i, j in zip(occupation, level(1.6, 60), strict=True)
            ],
            "sex": rng.choice(["f", "m"], n),
            "age": rng.integers(0, 100, n),
        }
    )


@population
def functional(rng: Rng, n: int) -> pd.DataFrame:
    """Columns that follow from others: birth year, district, band, tax."""
    age, street = rng.integers(18, 95, n), rng.integers(0, 300, n)
    income = np.round(rng.gamma(3, 9000, n), -1)
    return pd.DataFrame(
        {
            "age": age,
            "born": 2025 - age,
            "street": [f"s{i}" for i in street],
            "district": [f"d{i // 20}" for i in street],
            "income": income,
            "band": pd.cut(income, [-1, 12e3, 24e3, 48e3, 1e9], labels=list("abcd")).astype(str),
            "tax": np.round(income * 0.25),
        }
    )


@population
def missing(rng: Rng, n: int) -> pd.DataFrame:
    """Wages with values missing here and there, and people who answer hardly anything."""
    frame = wages(rng, n).astype(object)
    silent = rng.random(n) < 0.15
    for name in frame:
        frame.loc[(rng.random(n) < 0.1) | (silent & (rng.random(n) < 0.85)), name] = None
    for name in ("age", "hours", "wage", "savings"):
        frame[name] = pd.to_numeric(frame[name])
    return frame


@population
def stamps(rng: Rng, n: int) -> pd.DataFrame:
    """Times of arrival and departure to the second."""
    start = pd.Timestamp("2024-03-01") + pd.to_timedelta(rng.integers(0, 86_400 * 200, n), unit="s")
    stay = rng.gamma(1.5, 50_000, n).astype(int)
    return pd.DataFrame(
        {
            "ward": rng.choice([f"w{i}" for i in range(9)], n),
            "arrival": start,
            "departure": start + pd.to_timedelta(stay, unit="s"),
            "cost": np.round(stay * rng.uniform(0.01, 0.05, n), 2),
            "died": np.where(rng.random(n) < 0.07, "yes", "no"),
        }
    )


@population
def blanks(rng: Rng, n: int) -> pd.DataFrame:
    """A business survey in which about one unit in 300 left everything blank."""
    size = rng.normal(size=n)
    frame = pd.DataFrame(
        {
            f"x{i}": np.round(np.exp(4 + size * (i % 3) / 2 + 0.6 * rng.normal(size=n)), i % 2)
            for i in range(6)
        }
    )
    frame.loc[rng.random(n) < 1 / 300] = np.nan
    return frame


@population
def all_zero(rng: Rng, n: int) -> pd.DataFrame:
    """The same, reported as zero throughout."""
    return blanks(rng, n).fillna(0.0)


@population
def rare_flags(rng: Rng, n: int) -> pd.DataFrame:
    """Sixteen rare conditions that come together."""
    frailty = rng.gamma(0.4, 1, n)
    flags = {
        f"f{i}": (rng.random(n) < np.clip(0.12 * frailty * (1 + i % 3) / 2, 0, 0.9)).astype(int)
        for i in range(16)
    }
    return pd.DataFrame(
        {"age": 5 * rng.integers(0, 19, n), "sex": rng.choice(["f", "m"], n), **flags}
    )


@population
def likert(rng: Rng, n: int) -> pd.DataFrame:
    """Twelve answers from 1 to 5, of three attitudes."""
    attitude = rng.normal(size=(n, 3))
    answers = {
        f"q{i}": np.digitize(
            0.8 * attitude[:, i % 3] + 0.6 * rng.normal(size=n), [-1.3, -0.4, 0.4, 1.3]
        )
        for i in range(12)
    }
    return pd.DataFrame(answers).astype(str)


@population
def census(rng: Rng, n: int) -> pd.DataFrame:
    """Categories with structural zeros."""
    age = np.clip((rng.beta(1.4, 1.7, n) * 18).astype(int), 0, 17)
    young = age < 3
    school = np.clip(np.round(3 + rng.normal(0, 1.2, n)), 0, 6).astype(int)
    return pd.DataFrame(
        {
            "age": [f"a{i}" for i in age],
            "sex": rng.choice(["f", "m"], n),
            "married": np.where(
                young, "no", rng.choice(["no", "yes", "was"], n, p=[0.3, 0.55, 0.15])
            ),
            "school": np.where(young, "none", [f"s{i}" for i in school]),
            "work": np.where(
                young, "child", rng.choice(["work", "home", "none"], n, p=[0.6, 0.3, 0.1])
            ),
            "region": rng.choice([f"r{i}" for i in range(25)], n),
            "rooms": [f"{i}" for i in np.clip(rng.poisson(3, n) + 1, 1, 8)],
        }
    )


@population
def few_cells(rng: Rng, n: int) -> pd.DataFrame:
    """Five columns, some sixty combinations."""
    trait = rng.random(n)
    return pd.DataFrame(
        {
            **{name: (rng.random(n) < trait).astype(int) for name in "abc"},
            "group": rng.choice(list("xyz"), n),
            "rare": (rng.random(n) < 0.08).astype(int),
        }
    )


@population
def business(rng: Rng, n: int) -> pd.DataFrame:
    """Firms: a few large ones, turnover and wages that follow size, exports mostly zero."""
    sector, size = rng.choice(20, n), np.exp(rng.normal(2, 1.3, n))
    turnover = np.round(size * 70 * np.exp(rng.normal(0, 0.5, n)), 1)
    return pd.DataFrame(
        {
            "sector": [f"s{i}" for i in sector],
            "legal": rng.choice(["ltd", "plc", "sole"], n, p=[0.5, 0.1, 0.4]),
            "staff": np.maximum(1, np.round(size)),
            "turnover": turnover,
            "wages": np.round(size * 30 * np.exp(rng.normal(0, 0.2, n)), 1),
            "exports": np.where(rng.random(n) < 0.7, 0, np.round(turnover * rng.beta(1, 3, n), 1)),
        }
    )


@population
def atoms(rng: Rng, n: int) -> pd.DataFrame:
    """People, 5 % of whom live in one of 40 institutions and have its values throughout."""
    frame = functional(rng, n)
    institutions = functional(np.random.default_rng(40), 40).assign(born=1900, district="home")
    rows = np.flatnonzero(rng.random(n) < 0.05)
    drawn = institutions.iloc[rng.integers(0, 40, len(rows))]
    for name in frame:
        values = frame[name].to_numpy(copy=True)
        values[rows] = drawn[name].to_numpy()
        frame[name] = values
    return frame


@population
def two_columns(rng: Rng, n: int) -> pd.DataFrame:
    """Wage and sex, with language: a narrow table."""
    return pd.DataFrame(
        {
            "wage": np.round(rng.lognormal(2.7, 0.5, n), 2),
            "sex": rng.choice(["f", "m"], n),
            "language": rng.choice(["de", "fr", "it"], n, p=[0.6, 0.3, 0.1]),
        }
    )


@population
def wide(rng: Rng, n: int) -> pd.DataFrame:
    """Forty columns of all kinds."""
    factor = rng.normal(size=(n, 5))
    out = {}
    for j in range(40):
        x = 0.6 * factor[:, j % 5] + 0.8 * rng.normal(size=n)
        out[f"x{j}"] = (np.round(np.exp(x), 2), np.round(x, 1), x > 1, np.digitize(x, [-1, 0, 1]))[
            j % 4
        ]
    return pd.DataFrame({name: np.asarray(x, float) for name, x in out.items()})


@population
def panel(rng: Rng, n: int) -> pd.DataFrame:
    """Five rows per person, nearly all alike, and the person's number."""
    people = business(rng, -(-n // 5)).loc[np.repeat(np.arange(-(-n // 5)), 5)[:n]]
    people = people.reset_index(drop=True)
    people["turnover"] = np.round(people["turnover"] * rng.normal(1, 0.05, n), 1)
    return people.assign(wave=np.arange(n) % 5, person=rng.integers(10**8) + np.arange(n) // 5)


@population
def households(rng: Rng, n: int) -> pd.DataFrame:
    """Households that share region and income; members with an age and a sex of their own."""
    home = np.repeat(np.arange(n), rng.integers(1, 6, n))[:n]
    income = np.round(rng.lognormal(10, 0.6, n), -2)[home]
    return pd.DataFrame(
        {
            "region": rng.choice([f"r{i}" for i in range(30)], n)[home],
            "income": income,
            "age": rng.integers(0, 95, n),
            "sex": rng.choice(["f", "m"], n),
            "works": np.where(rng.random(n) < 0.6, "yes", "no"),
            "home": rng.integers(10**8) + home,
        }
    )


WEIGHT = "design_weight"
"""The column of weights of a weighted sample."""
_PEOPLE, _LARGER = 40_000.0, 12


def weighted(kind: str, rng: Rng, n: int) -> pd.DataFrame:
    """Draw some n people of a population, some five times as often as others, with their weights.

    Those of the highest values of a number (or the last levels of a category) are drawn most.
    """
    frame = POPULATIONS[kind](rng, _LARGER * n)
    number = next((name for name in numbers(frame)), str(frame.columns[0]))
    place = frame[number].rank(pct=True).fillna(0.5).to_numpy()
    size = np.select([place < 0.25, place < 0.6], [0.4, 1.0], 2.2)
    chance = size * n / size.sum()
    drawn = rng.random(len(frame)) < chance
    weights = np.round(_PEOPLE / len(frame) / chance[drawn], 4)
    sample: pd.DataFrame = frame[drawn].assign(**{WEIGHT: weights})
    return sample.reset_index(drop=True)


@dataclass(frozen=True)
class Draw:
    """What a replica is made from."""

    original: pd.DataFrame
    rng: Rng
    fresh: Callable[[int], pd.DataFrame] = field(repr=False)
    m: int
    people: Callable[[int], pd.DataFrame] | None = field(default=None, repr=False)


Replica = Callable[[Draw], pd.DataFrame]

REPLICAS: dict[str, Replica] = {}
"""By name. Those of `HONEST` hold nobody."""

HONEST = ("fresh", "people", "weights shuffled", "weights forgotten", "shuffled")


def mixed(rng: Rng, frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows in random order."""
    return frame.iloc[rng.permutation(len(frame))].reset_index(drop=True)


def numbers(frame: pd.DataFrame) -> list[str]:
    """Return the columns that are numbers with more than a few values."""
    return [
        str(name)
        for name in frame
        if pd.api.types.is_numeric_dtype(frame[name]) and frame[name].nunique() > 10
    ]


def replica(name: str) -> Callable[[Replica], Replica]:
    """List a way to make a replica."""

    def add(function: Replica) -> Replica:
        REPLICAS[name] = function
        return function

    return add


@replica("fresh")
def _fresh(draw: Draw) -> pd.DataFrame:
    return draw.fresh(draw.m)


@replica("people")
def _people(draw: Draw) -> pd.DataFrame:
    """Return people of the population, each as often as any other, beside a weighted sample."""
    return (draw.people or draw.fresh)(draw.m)


@replica("weights shuffled")
def _weights_shuffled(draw: Draw) -> pd.DataFrame:
    """Return a fresh sample whose weights belong to others of it."""
    out = draw.fresh(draw.m)
    return out.assign(**{WEIGHT: out[WEIGHT].to_numpy()[draw.rng.permutation(len(out))]})


@replica("weights forgotten")
def _weights_forgotten(draw: Draw) -> pd.DataFrame:
    """Return a fresh sample without its weights."""
    return draw.fresh(draw.m).drop(columns=WEIGHT)


WEIGHTED = ("people", "weights shuffled", "weights forgotten")
"""Replicas that are beside a weighted sample only."""


@replica("shuffled")
def _shuffled(draw: Draw) -> pd.DataFrame:
    rows = draw.rng.integers(0, len(draw.original), draw.m)
    rows = rows if draw.m != len(draw.original) else np.arange(draw.m)
    frame: pd.DataFrame = draw.original.iloc[rows].reset_index(drop=True)
    for name in frame:
        frame[name] = frame[name].to_numpy()[draw.rng.permutation(len(frame))]
    return frame


@replica("verbatim")
def _verbatim(draw: Draw) -> pd.DataFrame:
    return mixed(draw.rng, draw.original)


def _copied(draw: Draw, share: float) -> pd.DataFrame:
    count = round(share * len(draw.original))
    some = mixed(draw.rng, draw.original).iloc[:count]
    return mixed(draw.rng, pd.concat([some, draw.fresh(draw.m - count)], ignore_index=True))


for percent in (2, 5, 15, 60):
    REPLICAS[f"{percent} % copied"] = partial(_copied, share=percent / 100)


def _jittered(draw: Draw, share: float) -> pd.DataFrame:
    out = mixed(draw.rng, draw.original)
    for name in numbers(out):
        values = out[name].astype(float)
        out[name] = values + share * values.std() * draw.rng.normal(size=len(out))
    for name in map(str, out.select_dtypes("datetime")):
        seconds = draw.rng.normal(0, share * out[name].astype("int64").std() / 1e9, len(out))
        out[name] += pd.to_timedelta(np.nan_to_num(seconds), unit="s").round("s")
    return out


REPLICAS["jitter 1 %"] = lambda draw: _jittered(draw, 0.01)
REPLICAS["jitter 10 %"] = lambda draw: _jittered(draw, 0.1)


@replica("SMOTE")
def _smote(draw: Draw) -> pd.DataFrame:
    """Between a person and one of its two nearest."""
    frame, rng = draw.original, draw.rng
    codes = [
        frame[c].rank().fillna(0) / len(frame)
        if c in numbers(frame)
        else pd.Series(pd.factorize(frame[c].astype(str))[0] * 1.0)
        for c in frame
    ]
    far = np.zeros((len(frame), len(frame)))
    for x in codes:
        far += np.minimum(np.abs(x.to_numpy()[:, None] - x.to_numpy()), 1)
    np.fill_diagonal(far, np.inf)
    first = rng.integers(0, len(frame), draw.m)
    second = np.argsort(far, 1)[first, rng.integers(0, 2, draw.m)]
    share = rng.random(draw.m)
    out = frame.iloc[first].reset_index(drop=True)
    for name in frame:
        a, b = frame[name].to_numpy()[first], frame[name].to_numpy()[second]
        if name in numbers(frame):
            between = a + share * (b - a)
            out[name] = np.round(between) if (frame[name].dropna() % 1 == 0).all() else between
        else:
            out[name] = np.where(rng.random(draw.m) < 0.5, a, b)
    return out


@replica("recoded copy")
def _recoded(draw: Draw) -> pd.DataFrame:
    out = mixed(draw.rng, draw.original)
    for name in out:
        if name in numbers(out):
            out[name] = out[name] * 1.1
        elif not pd.api.types.is_datetime64_any_dtype(out[name]):
            out[name] = "new " + out[name].astype(str)
    return out


@replica("masked in order")
def _masked(draw: Draw) -> pd.DataFrame:
    out = draw.original.copy()
    for name in numbers(out):
        out[name] = out[name] * draw.rng.normal(1, 0.1, len(out))
    for name in map(str, out):
        rows = np.flatnonzero(draw.rng.random(len(out)) < 0.3)
        values = out[name].to_numpy(copy=True)
        values[rows] = values[draw.rng.permutation(rows)]
        out[name] = values
    return out


REAL: dict[str, pd.DataFrame] = {}


def add_real(folder: Path) -> list[str]:
    """List the real tables of a folder as populations of people drawn without replacement."""
    names = []
    for path in sorted(folder.glob("*/table.csv")):
        frame = pd.read_csv(path)
        if len(frame) >= 120:
            REAL[path.parent.name] = frame
            names.append(path.parent.name)
    return names
