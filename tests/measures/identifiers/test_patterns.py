"""What columns look like, by their values and by their names."""

from __future__ import annotations

import numpy as np
import pytest

from sdcmetrics.measures.identifiers.patterns import (
    _LIKE,
    _are_coordinates,
    _is_coordinate,
    _is_phone,
    is_named_identifier,
    pattern_of,
)
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
    result = pattern_of("v1", VALUES[words])
    assert result is not None
    assert (result.words, result.share) == (words, 1.0)
    assert result.reason == f"looks like {words}: 100 % of values"


@pytest.mark.parametrize("decimals", [None, *range(13)])
def test_measured_numbers_have_no_pattern(decimals: int | None) -> None:
    rng = np.random.default_rng(8)
    for scale in (1e-3, 1.0, 1e3, 1e9):
        for law in (rng.uniform, rng.normal, rng.lognormal):
            drawn = law(0.0, 1.0, 400) * scale
            numbers = [float(x) if decimals is None else round(float(x), decimals) for x in drawn]
            result = pattern_of("x", [str(x) for x in numbers])
            assert result is None, (scale, law, result)


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
    result = pattern_of(name, [f"word {k}" for k in range(20)])
    assert result is not None
    assert (result.words, result.share) == (words, 0.0)


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
    result = pattern_of("lat", values)
    assert result is not None
    assert result.words == "a coordinate"
    assert pattern_of("v1", values) is None
    assert pattern_of("long", ["yes", "no"] * 10) is None


@pytest.mark.parametrize(
    ("words", "right", "wrong"),
    [
        ("a national number of France", "185057800608491", "185057800608492"),
        ("a national number of France", "2 55 08 14 168 025 38", "3 55 08 14 168 025 38"),
        ("a national number of Spain", "12345678-Z", "12345678-A"),
        ("a national number of Belgium", "85.07.30-033 28", "85.07.30-033 29"),
        ("a national number of Belgium", "17 07 30 033 84", "17 07 30 033 85"),  # born in 2017
        ("a national number of Poland", "44051401359", "44051401358"),
        ("a national number of Poland", "44151421358", "44151421359"),
        ("a national number of the Netherlands", "111222333", "111222334"),
        ("a bank account (IBAN)", "GB82 WEST 1234 5698 7654 32", "GB82 WEST 1234 5698 7654 33"),
        ("a bank account (IBAN)", "gb82west12345698765432", "GB82WEST123456987654321"),
        ("a number of a payment card", "4539 5787-6362 1486", "4539578763621487"),
        ("a national number of Italy", "RSSMRA85T10A562S", "RSSMRA85T10A5629"),
        ("a national number of Finland", "131052-308T", "131052-308G1"),
        ("a national number of the United Kingdom", "AB 12 34 56 C", "AB 12 34 56 E"),
        ("a national number of Germany", "12 345678 B 901", "12 345678 9 901"),
        ("a national number of Denmark", "070761-4285", "470761-4285"),
        ("a national number of Sweden", "19900101-1239", "19902101-1239"),
        ("an address of a computer", "00:1b:44:11:3a:b7", "00:1b:44:11:3a"),
        ("a web address", "www.example.org/x", "example/x"),
    ],
)
def test_check_digits_and_forms(words: str, right: str, wrong: str) -> None:
    is_like = dict(_LIKE)[words]
    assert is_like(right)
    assert not is_like(wrong)


@pytest.mark.parametrize(
    ("text", "phone"),
    [
        ("+491234", False),
        ("+4912345", True),  # seven digits
        ("(030) 1234567", True),
        ("0.472188534", False),
        ("030/1234567", True),
        ("+123456789012345", True),
        ("+1234567890123456", False),
        ("123456789", False),
    ],
)
def test_a_phone_has_seven_to_fifteen_digits(text: str, *, phone: bool) -> None:
    assert _is_phone(text) is phone


@pytest.mark.parametrize(
    ("text", "one", "pair"),
    [
        ("48.137", True, False),
        ("-179,1234", True, False),
        ("180.1234", True, False),
        ("181.1234", False, False),
        ("48.13", False, False),
        ("48.1374, 11.5755", False, True),
        ("(-90.0000;180.0000)", False, True),
        ("48.137, 11.5755", False, False),
        ("48.1374, 11.575", False, False),
        ("91.0000, 11.5755", False, False),
        ("48.1374, 181.0000", False, False),
        ("-91.0000, 11.5755", False, False),
    ],
)
def test_coordinates_lie_on_the_globe(text: str, *, one: bool, pair: bool) -> None:
    assert _is_coordinate(text) is one
    assert _are_coordinates(text) is pair


@pytest.mark.parametrize(
    ("like", "other", "share"),
    [(9, 1, 0.9), (89, 11, None), (90, 10, 0.9), (10, 0, 1.0), (9, 0, None)],
)
def test_nine_in_ten_of_ten_and_more_look_alike(like: int, other: int, share: float | None) -> None:
    result = pattern_of("v1", [*(f"p{k}@x.org" for k in range(like)), *["word"] * other])
    assert (result and result.share) == share


def test_of_the_first_ten_half_must_look_so_and_200_are_enough() -> None:
    mails = [f"p{k}@x.org" for k in range(300)]
    five = [*["word"] * 5, *mails[:60]]
    assert (result := pattern_of("v1", five)) is not None
    assert result.share == 60 / 65
    assert pattern_of("v1", [*["word"] * 6, *mails[:70]]) is None
    assert pattern_of("v1", [*mails[:200], *["word"] * 200]) is not None
    assert pattern_of("v1", [*mails[:179], *["word"] * 21, *mails]) is None
    assert pattern_of("v1", ["", " ", *mails[:9]]) is None  # blanks are no values


def test_a_coordinate_needs_nine_in_ten_too() -> None:
    values = [f"48.{k:05d}" for k in range(18)]
    result = pattern_of("lat", [*values, "x", "y"])
    assert result is not None
    assert result.share == 0.9
    assert pattern_of("lat", [*values, "x", "y", "z"]) is None
    assert pattern_of("lat", values[:9]) is None
