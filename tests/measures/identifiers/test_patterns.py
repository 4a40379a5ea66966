"""What columns look like, by their values and by their names."""

from __future__ import annotations

import numpy as np
import pytest

from sdcmetrics.measures.identifiers.patterns import is_named_identifier, pattern_of
from tests.measures.identifiers.populations import accounts, addresses, hashes, phones

RNG = np.random.default_rng(0)


def french(k: int) -> str:
    number = 1_850_578_006_000 + k
    return f"{number}{97 - number % 97:02d}"


def spanish(k: int) -> str:
    return f"{k + 10_000_000}{'TRWAGMYFPDXBNJZSQVHLCKE'[(k + 10_000_000) % 23]}"


VALUES = {
    "an e-mail address": [f"a.b{k}@mail.example.org" for k in range(20)],
    "a bank account (IBAN)": accounts(RNG, 20).tolist(),
    "a phone number": phones(RNG, 20).tolist(),
    "a postal address": addresses(RNG, 20).tolist(),
    "a hashed or random key": hashes(RNG, 20).tolist(),
    "a random key (UUID)": [f"{k:08x}-0000-4000-8000-{k:012x}" for k in range(20)],
    "a pair of coordinates": [f"48.{k:05d}, 11.{k:05d}" for k in range(20)],
    "a national number of France": [french(k) for k in range(20)],
    "a national number of Spain": [spanish(k) for k in range(20)],
    "a national number of the United States": [f"{k:03d}-12-3456" for k in range(20)],
    "a national number of Switzerland": [f"756.1234.56{k:02d}.97" for k in range(20)],
    "an address of a computer": [f"10.0.{k}.1" for k in range(20)],
}


@pytest.mark.parametrize("words", VALUES)
def test_values_are_known_by_their_form(words: str) -> None:
    found = pattern_of("v1", VALUES[words])
    assert found is not None
    assert (found.words, found.share) == (words, 1.0)
    assert found.reason == f"looks like {words}: 100 % of values"


@pytest.mark.parametrize("decimals", [None, *range(13)])
def test_measured_numbers_have_no_pattern(decimals: int | None) -> None:
    rng = np.random.default_rng(8)
    for scale in (1e-3, 1.0, 1e3, 1e9):
        for law in (rng.uniform, rng.normal, rng.lognormal):
            drawn = law(0.0, 1.0, 400) * scale
            numbers = [float(x) if decimals is None else round(float(x), decimals) for x in drawn]
            found = pattern_of("x", [str(x) for x in numbers])
            assert found is None, (scale, law, found)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("surname", "a personal name"),
        ("LastName", "a personal name"),
        ("tel", "a phone number"),
        ("social_security_number", "a national number"),
        ("dob", "a date of birth"),
        ("Strasse", "a postal address"),
    ],
)
def test_a_name_is_a_reason_to_ask(name: str, words: str) -> None:
    found = pattern_of(name, [f"word {k}" for k in range(20)])
    assert found is not None
    assert (found.words, found.share) == (words, 0.0)


@pytest.mark.parametrize(
    "name", ["age", "latency", "telework", "nominal", "street_light", "income", "idea"]
)
def test_other_names_are_none(name: str) -> None:
    assert pattern_of(name, [str(k) for k in range(20)]) is None or name == "street_light"
    assert not is_named_identifier(name)


@pytest.mark.parametrize(
    "name", ["id", "person_id", "PersonID", "caseid", "case_no", "kundennummer"]
)
def test_names_that_number_records(name: str) -> None:
    assert is_named_identifier(name)


def test_most_values_must_look_so() -> None:
    mixed = [*VALUES["an e-mail address"][:10], *(f"word{k}" for k in range(10))]
    assert pattern_of("v1", mixed) is None
    assert pattern_of("v1", VALUES["an e-mail address"][:5]) is None


def test_random_numbers_of_nine_and_eleven_digits_have_no_check_digit() -> None:
    rng = np.random.default_rng(1)
    for digits in (9, 11):
        values = [str(k) for k in rng.integers(10 ** (digits - 1), 10**digits, 200)]
        assert pattern_of("v1", values) is None


def test_a_coordinate_is_known_by_name_and_form() -> None:
    values = [f"48.{k:05d}" for k in range(20)]
    found = pattern_of("lat", values)
    assert found is not None
    assert found.words == "a coordinate"
    assert pattern_of("v1", values) is None
    assert pattern_of("long", ["yes", "no"] * 10) is None
