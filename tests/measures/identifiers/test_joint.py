"""Quantities of one person of the original that stand together in records of a replica."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.stats import binomtest

import sdcmetrics as sdc
from sdcmetrics.measures.identifiers import joint as module
from sdcmetrics.measures.identifiers.candidates import Candidate
from sdcmetrics.measures.identifiers.joint import (
    _close,
    _follows,
    _p,
    _Quantity,
    _quantity,
    _whole,
    joint_of_units,
    joint_quantities,
    quantities_of,
)
from sdcmetrics.measures.identifiers.result import IdentifierHit
from sdcmetrics.measures.identifiers.search import share_of
from sdcmetrics.measures.identifiers.values import values_of
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.microdata.sources.large import of_memory

N = 200
MONEY = ["income", "tax", "wealth"]


def people(seed: int, n: int = N) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    ability = rng.normal(size=n)
    frame = pd.DataFrame({"age": rng.integers(18, 90, n), "sex": rng.choice(["f", "m"], n)})
    for name, level in zip(MONEY, (10, 8, 12), strict=True):
        frame[name] = np.round(np.exp(level + 0.6 * ability + 0.5 * rng.normal(size=n)), 1)
    return frame


ORIGINAL = people(1)


def block(share: float, columns: list[str], seed: int = 2) -> pd.DataFrame:
    """Return other people, a share of whom has these columns of one person of the original."""
    replica = people(seed)
    rows = np.random.default_rng(9).permutation(N)[: round(share * N)]
    replica.loc[: len(rows) - 1, columns] = ORIGINAL.loc[rows, columns].to_numpy()
    return replica


def joint(*files: pd.DataFrame, names: list[str] = MONEY) -> list[IdentifierHit]:
    data = [as_microdata(file, f"file {i}") for i, file in enumerate(files)]
    return joint_quantities(as_microdata(ORIGINAL, "original"), data, names)


@pytest.mark.parametrize("share", [0.05, 0.2, 1.0])
def test_quantities_of_one_person_are_a_hit(share: float) -> None:
    result = sdc.identifiers(ORIGINAL, block(share, MONEY))
    (hit,) = result.hits
    alone = ~ORIGINAL[MONEY].apply(lambda column: column.duplicated(keep=False)).any(axis=1)
    rows = np.random.default_rng(9).permutation(N)[: round(share * N)]
    assert hit.columns == ("income", "tax", "wealth")
    assert (hit.shared, hit.distinct, hit.records) == (int(alone[rows].sum()), int(alone.sum()), N)
    assert result.status == "review"


def test_quantities_that_a_replica_holds_as_texts_are_a_hit_too() -> None:
    fresh, copied = (block(share, MONEY).astype(dict.fromkeys(MONEY, str)) for share in (0, 0.2))
    assert sdc.identifiers(ORIGINAL, fresh).hits == ()
    (hit,) = sdc.identifiers(ORIGINAL, copied).hits
    assert set(hit.columns) == set(MONEY)


def households(seed: int, members: int) -> pd.DataFrame:
    """Return people of households, one to so many each, with the quantities of their household."""
    rng = np.random.default_rng(seed)
    rows = np.repeat(np.arange(N), rng.integers(1, members + 1, N))
    frame = people(seed)[MONEY].assign(household_id=rng.choice(10**7, N, replace=False))
    frame = frame.loc[rows].reset_index(drop=True)
    return frame.assign(age=rng.integers(0, 90, len(frame)))


@pytest.mark.parametrize("members", [2, 4])
def test_quantities_of_a_household_are_a_hit_and_those_of_five_records_are_none(
    members: int,
) -> None:
    original, fresh = households(1, members), households(2, members)
    copied = fresh.drop(columns="household_id")
    some = original[original["household_id"].isin(original["household_id"].unique()[:30])]
    copied.loc[: len(some) - 1, MONEY] = some[MONEY].to_numpy()
    (hit,) = sdc.identifiers(original, copied).hits
    assert (set(hit.columns), hit.shared, hit.records) == (
        set(MONEY),
        30,
        len(original),
    )
    assert sdc.identifiers(original, fresh).hits == ()
    # Leaves of five records, alike in income: members of a household are in one.
    drawn = original.sort_values("income", kind="stable").drop(columns="household_id")
    rng = np.random.default_rng(3)
    leaf = np.arange(len(drawn)) // 5 * 5
    for name in MONEY:
        places = np.minimum(leaf + rng.integers(0, 5, len(drawn)), len(drawn) - 1)
        drawn[name] = drawn[name].to_numpy()[places]
    assert sdc.identifiers(original, drawn).hits == ()


def test_a_quantity_that_follows_from_another_for_some_people_is_none() -> None:
    """As the time to a relapse is that to death for whoever has none, in R's rotterdam."""

    def drawn(seed: int) -> pd.DataFrame:
        rng = np.random.default_rng(seed)
        first = rng.integers(0, 400, 300)
        later = rng.integers(0, 100_000, 300)
        return pd.DataFrame({"a": first, "b": np.where(rng.random(300) < 0.3, first, later)})

    fresh, original = (as_microdata(drawn(seed), "x") for seed in (1, 2))
    copied = drawn(1)
    copied.loc[:99] = drawn(2).loc[:99]
    assert not joint_quantities(original, [fresh], ["a", "b"])
    assert joint_quantities(original, [as_microdata(copied, "y")], ["a", "b"])


def test_where_others_meet_as_often_a_pair_is_none() -> None:
    """Of n people two are a pair; a file of m has 2 m / n people who meet one of them."""

    def quantity(same: int, met: int, m: int, n: int = 40) -> _Quantity:
        twins = np.full(n, -1, np.int32)
        twins[: 2 * met] = np.arange(2 * met).reshape(-1, 2)[:, ::-1].ravel()
        owners = np.full(m, -1, np.int32)
        owners[:same] = np.arange(same) + 20
        return _Quantity("q", np.linspace(0, 1, n), twins < 0, twins, (owners,))

    for same, met, m in ((9, 4, 40), (9, 1, 20), (12, 0, 40)):
        owned = quantity(same, met, m)
        share = 2 * m / 40 / (1 + 2 * m / 40)
        others = stats.binom.sf(same - 1, same + met, share) / (1 if met else 5)
        expected = max(0.2**same, others) / share_of(1)
        assert _p(owned, owned, 1) == pytest.approx(expected)


def test_other_people_and_single_values_are_none() -> None:
    assert not joint(people(2))
    shuffled = ORIGINAL.copy()
    for i, name in enumerate(MONEY):
        shuffled[name] = ORIGINAL[name].sample(frac=1, random_state=i).to_numpy()
    assert not joint(shuffled)


def test_the_chance_is_that_of_one_of_five_donors() -> None:
    pair = MONEY[:2]
    rows = np.arange(N)
    donors = rows.copy()
    donors[: 6 * N // 10] = np.roll(donors[: 6 * N // 10], 1)  # four of ten are their own
    replica = pd.DataFrame(
        {"income": ORIGINAL["income"], "tax": ORIGINAL["tax"].to_numpy()[donors]}
    )
    # Whose income comes with a tax of nobody shows nothing.
    replica = pd.concat([replica, ORIGINAL[["income"]].head(20).assign(tax=-1.0)])
    alone = [~ORIGINAL[name].duplicated(keep=False).to_numpy() for name in pair]
    able = alone[0][rows] & alone[1][donors]
    same = int((able & (rows == donors)).sum())
    p = binomtest(same, int(able.sum()), 0.2, alternative="greater").pvalue
    (hit,) = joint(replica, names=pair)
    assert hit.p == pytest.approx(p, rel=1e-9, abs=0)
    assert hit.by_file == (same,)
    # Of three quantities there are three pairs.
    (hit,) = joint(replica.assign(wealth=np.arange(len(replica)) / 7 - 99))
    assert hit.p == pytest.approx(p * 3, rel=1e-9, abs=0)
    # A second file has a twelfth of the level: half of one of 2 x 3.
    (hit,) = joint(people(3), replica, names=pair)
    assert hit.p == pytest.approx(p * 12, rel=1e-9, abs=0)
    assert hit.by_file == (0, same)


def test_other_people_meet_as_often_as_two_of_the_original_do() -> None:
    pair = MONEY[:2]
    replica = block(0.1, pair)
    rows = np.random.default_rng(9).permutation(N)[: N // 10]
    alone = ~ORIGINAL[pair].apply(lambda column: column.duplicated(keep=False)).any(axis=1)
    same = int(alone[rows].sum())
    # No two people of the original alone have two values together: two of three meetings would
    # be those of other people, and the level is 5 %.
    (hit,) = joint(replica, names=pair)
    assert hit.p == pytest.approx((2 / 3) ** same / 5, rel=1e-9, abs=0)


@pytest.mark.parametrize(("donors", "is_hit"), [(1, True), (2, True), (5, False), (10, False)])
def test_a_value_of_one_of_five_donors_is_none(donors: int, is_hit: bool) -> None:
    original = people(4, 600)
    rng = np.random.default_rng(5)
    order = np.argsort(original["income"].to_numpy())
    rows = rng.integers(0, 600, 600)
    place = np.empty(600, dtype=int)
    place[order] = np.arange(600)
    donor = order[place[rows] // donors * donors + rng.integers(0, donors, 600)]
    replica = original.loc[rows, ["income"]].assign(tax=original["tax"].to_numpy()[donor])
    data = as_microdata(original, "original"), [as_microdata(replica, "replica")]
    assert bool(joint_quantities(*data, ["income", "tax"])) is is_hit


@pytest.mark.parametrize("classes", [1, 3])
def test_what_follows_from_a_quantity_is_none(classes: int) -> None:
    rng = np.random.default_rng(6)

    def tax(income: np.ndarray, status: np.ndarray) -> np.ndarray:
        return np.round(income * (0.3 + 0.1 * status), 2)

    income = np.round(rng.lognormal(9, 0.5, 600), 2)
    original = pd.DataFrame({"income": income, "tax": tax(income, rng.integers(0, classes, 600))})
    drawn = rng.choice(income, 600)
    replica = pd.DataFrame({"income": drawn, "tax": tax(drawn, rng.integers(0, classes, 600))})
    data = as_microdata(original, "original"), [as_microdata(replica, "replica")]
    assert not joint_quantities(*data, ["income", "tax"])
    assert not joint_quantities(*data, ["tax", "income"])


@pytest.mark.parametrize("n", [1, 2, 4, 5, 6, 7, 60])
def test_a_rank_is_close_if_one_of_the_five_places_on_either_side_has_one_as_near(n: int) -> None:
    ranks = np.random.default_rng(n).permutation(3 * n)[:n].astype(float)
    for near in range(1, 12):
        close = [
            any(0 < abs(i - j) <= 5 and abs(ranks[i] - ranks[j]) <= near for j in range(n))
            for i in range(n)
        ]
        assert _close(ranks, near) == pytest.approx(np.mean(close), abs=0)


def ranked(ranks: list[float]) -> _Quantity:
    none = np.full(len(ranks), -1, np.int32)
    return _Quantity("q", np.array(ranks), none < 0, none, ())


def test_of_few_people_a_quantity_follows_from_any_other() -> None:
    assert _follows(ranked([np.nan, 0.2, np.nan]), ranked([0.5, np.nan, 0.1]))
    assert not _follows(ranked([np.nan, 0.2]), ranked([0.5, 1.0]))  # of one person nothing is close
    assert _follows(ranked([0.2, 0.4, np.nan, 1.0]), ranked([1.0, 0.2, 0.4, 0.6]))
    rest = ranked((np.arange(1, 601) / 600).tolist())
    assert not _follows(rest, ranked((np.arange(600) * 7 % 600 / 600).tolist()))


@pytest.mark.parametrize(("shared", "joined"), [(4, False), (5, True), (10, True)])
def test_pairs_with_a_column_in_common_are_one_if_half_the_people_have_all_of_it(
    shared: int, *, joined: bool
) -> None:
    def quantity(*files: np.ndarray) -> _Quantity:
        return replace(ranked([0.5] * 30), owners=tuple(part.astype(np.int32) for part in files))

    ten, less = np.arange(10), np.full(3, -1)
    a = quantity(ten[:6], np.r_[ten[6:], less])  # ten people in two files
    b = quantity(ten[:6], np.r_[ten[6:], 20, 21, 22])
    some = np.where(ten < shared, ten, 25)
    c = quantity(some[:6], np.r_[some[6:], 20, 21, 22])
    names = dict(zip("abc", (a, b, c), strict=True))
    for p in (0.001, 0.003):
        groups = _whole({("a", "b"): 0.002, ("b", "c"): p}, names)
        apart = {("a", "b"): 0.002, ("b", "c"): p}
        assert groups == ({("a", "b", "c"): min(p, 0.002)} if joined else apart)
    pairs = {("a", "b"): 0.001, ("c", "d"): 0.002}  # they have none in common
    assert _whole(pairs, dict.fromkeys("abcd", a)) == pairs


def test_pairs_of_other_people_stay_apart() -> None:
    replica = block(1.0, ["income", "tax"])
    more = pd.DataFrame({"a": ORIGINAL["wealth"] * 3 + ORIGINAL["age"], "b": people(7)["tax"]})
    rows = np.random.default_rng(8).permutation(N)
    original = ORIGINAL.join(more)
    data = replica.join(more.loc[rows].reset_index(drop=True))
    hits = joint_quantities(
        as_microdata(original, "o"), [as_microdata(data, "s")], ["income", "tax", "a", "b"]
    )
    assert sorted(hit.columns for hit in hits) == [("a", "b"), ("income", "tax")]


def test_missing_values_and_codes_belong_to_nobody() -> None:
    replica = block(1.0, MONEY[:2])
    original = ORIGINAL.copy()
    original.loc[:149, "income"] = np.nan
    original.loc[:149, "tax"] = -9.0
    replica.loc[:149, ["income", "tax"]] = [np.nan, -9.0]
    data = as_microdata(original, "original"), [as_microdata(replica, "replica")]
    (hit,) = joint_quantities(*data, MONEY[:2], missing_codes={"tax": -9})
    assert hit.records == 50
    few = as_microdata(original.assign(tax=np.arange(N) // 2), "original"), data[1]
    assert not joint_quantities(*few, MONEY[:2])  # nobody has a tax of their own


def test_a_text_is_no_quantity() -> None:
    texts = ORIGINAL.assign(tax=ORIGINAL["tax"].map(str))
    assert not joint_quantities(
        as_microdata(texts, "o"), [as_microdata(texts, "s")], ["income", "tax"]
    )


def test_a_record_that_is_repeated_counts_once() -> None:
    replica = people(2)
    replica.loc[: N // 2, MONEY] = ORIGINAL.loc[0, MONEY].to_numpy()
    assert not joint(replica)


def test_values_that_two_people_have_belong_to_nobody() -> None:
    rng = np.random.default_rng(10)
    income, tax = rng.random(400), rng.random(400)
    income[200:300], tax[200:300] = income[300:], rng.permutation(tax[300:])  # of other pairs
    original = pd.DataFrame({"income": income, "tax": tax})
    data = as_microdata(original, "o"), [as_microdata(original.iloc[300:], "s")]
    assert not joint_quantities(*data, ["income", "tax"])
    assert joint_quantities(data[0], [data[0]], ["income", "tax"])[0].distinct == 200


@pytest.mark.parametrize("names", [["x", "y"], ["y", "x"]])
def test_it_is_enough_that_one_follows_from_the_other(names: list[str]) -> None:
    rng = np.random.default_rng(11)
    x = rng.random(8_000)
    original = pd.DataFrame({"x": x, "y": np.sin(60 * x)})  # of a y, x has twenty branches
    drawn = rng.choice(x, 8_000)
    replica = pd.DataFrame({"x": drawn, "y": np.sin(60 * drawn)})
    data = as_microdata(original, "o"), [as_microdata(replica, "s")]
    assert not joint_quantities(*data, names)


def test_quantities_are_those_of_which_three_in_ten_are_different() -> None:
    candidates = [Candidate(("id",), None, measured=False), Candidate(("a",), None, measured=True)]
    shares = {"b": 0.29, "a": 0.3, "id": 0.9, "c": 0.5}
    assert quantities_of(candidates, shares) == ["c", "a"]


@pytest.mark.parametrize("which", ["original", "replica"])
def test_what_is_counted_in_batches_has_no_records_to_tell(which: str) -> None:
    original = as_microdata(ORIGINAL, "original")
    sides = {"original": original, "replica": original, which: of_memory(original)}
    assert joint_quantities(original, [original], MONEY)
    assert not joint_quantities(sides["original"], [sides["replica"]], MONEY)


@pytest.mark.parametrize(("alone", "is_hit"), [(29, False), (30, True)])
def test_three_of_ten_people_have_values_of_their_own(alone: int, is_hit: bool) -> None:
    rng = np.random.default_rng(12)
    original = pd.DataFrame(rng.random((100, 2)), columns=["income", "tax"])
    original.loc[alone:] = 0.0
    data = as_microdata(original, "o"), [as_microdata(original, "s")]
    assert bool(joint_quantities(*data, ["income", "tax"])) is is_hit


def test_a_twin_is_the_other_of_two_with_a_value() -> None:
    frame = as_microdata(pd.DataFrame({"x": [5.0, 7, 5, 9, 7, 3, np.nan, 1, 1, 1]}), "o")
    values = values_of("x", [frame, frame])
    assert values is not None
    quantity = _quantity("x", values)
    assert quantity is None  # two of nine are alone
    frame = as_microdata(pd.DataFrame({"x": [5.0, 7, 5, 9, 7, 3, np.nan, 2]}), "o")
    values = values_of("x", [frame, frame])
    assert values is not None
    quantity = _quantity("x", values)
    assert quantity is not None
    assert quantity.twins.tolist() == [2, 4, 0, -1, 1, -1, -1, -1]
    assert quantity.owners[0].tolist() == [-1, -1, -1, 3, -1, 5, -1, 7]
    assert np.flatnonzero(quantity.alone).tolist() == [3, 5, 7]


@pytest.mark.parametrize("first", [True, False])
def test_a_file_that_lacks_a_quantity_hides_none_in_another(first: bool) -> None:
    others = [people(2).drop(columns="tax"), people(3).assign(tax="none")]
    for other in others:
        files = [block(1.0, MONEY), other]
        hits = joint(*(files if first else files[::-1]), names=MONEY[:2])
        assert [hit.columns for hit in hits] == [("income", "tax")]
        assert sorted(count > 0 for count in hits[0].by_file) == [False, True]


def test_nothing_prints_a_value() -> None:
    frame = as_microdata(pd.DataFrame({"x": [5.125, 7.125]}), "o")
    values = values_of("x", [frame, frame])
    assert values is not None
    assert "array" not in repr(_quantity("x", values))


def test_only_so_many_quantities_make_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    replica = block(0.2, MONEY)
    two = joint(replica, names=MONEY[:2])
    monkeypatch.setattr(module, "_MOST", 2)
    assert joint(replica) == two
    monkeypatch.setattr(module, "_MOST", 3)
    assert [hit.columns for hit in joint(replica)] == [("income", "tax", "wealth")]


def test_a_p_of_the_level_is_a_hit() -> None:
    data = as_microdata(ORIGINAL, "original"), [as_microdata(block(0.2, MONEY), "replica")]
    (hit,) = joint_quantities(*data, MONEY[:2])
    assert joint_quantities(*data, MONEY[:2], level=hit.p) == [replace(hit, level=hit.p)]
    assert not joint_quantities(*data, MONEY[:2], level=np.nextafter(hit.p, 0))


@pytest.mark.parametrize(
    ("sizes", "copied", "others"), [([1] * 40 + [3] * 20, 30, 200), ([3] * 50, 38, 0)]
)
def test_households_are_drawn_by_their_records(sizes: list[int], copied: int, others: int) -> None:
    """Of five records, each of another household, as many are of one as it is large on average."""
    n = len(sizes)
    rng = np.random.default_rng(14)
    income, tax = rng.random(n), rng.random(n)
    tax[0] = np.nan
    rows = np.repeat(np.arange(n), sizes)
    original = pd.DataFrame({"hh": rows, "income": income[rows], "tax": tax[rows]})
    original["age"] = rng.random(len(rows))
    alone = original.tail(2).assign(hh=np.nan)  # of no household, and as one there
    files = pd.concat([original, alone.assign(income=0.5, tax=0.25)], ignore_index=True)
    # Some households as they are, with whoever stands first; of others the tax of the next.
    heads = original.drop_duplicates("hh").reset_index(drop=True)
    replica = heads.tail(40).reset_index(drop=True)
    replica.loc[copied:, "tax"] = np.roll(replica["tax"][copied:], 1)
    replica.loc[copied:, "age"] = rng.random(40 - copied)
    nobody = pd.DataFrame(2 + rng.random((others, 4)), columns=list(original))
    replica = pd.concat([replica, nobody])
    names = ["income", "hh", "age", "tax"]
    data = as_microdata(files, "original"), [as_microdata(replica, "replica")]
    (hit,) = joint_of_units(*data, names, "hh")
    size = np.square(sizes).sum() / sum(sizes)
    meetings = 2 * (40 + others) / sum(sizes)
    one_of_five = stats.binom.sf(copied - 1, 40, size / 5)
    met = (meetings / (1 + meetings)) ** copied / 5
    assert (met > one_of_five) == (others > 0)
    assert hit.p == pytest.approx(max(one_of_five, met) / share_of(1), rel=1e-9, abs=0)
    assert (hit.columns, hit.shared, hit.distinct) == (("income", "tax"), copied, n - 1)
    assert hit.records == len(files) - sizes[0]
    assert not joint_of_units(*data, names, "hh", level=hit.p / 2)
