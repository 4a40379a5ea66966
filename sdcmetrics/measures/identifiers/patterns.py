"""Patterns of values and names: e-mail addresses, national numbers, coordinates, ...

A pattern is a reason to ask, never a proof: whether values of real people stand in a replica is
tested, see `chance`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

_MOST_OF = 0.9
"""Share of values that must look alike; a random number passes a check digit once in ten."""
_FEWEST = 10
_LOOKED_AT = 200
"""Values that are enough to see how a column is written."""
_LATITUDE, _LONGITUDE = 90.0, 180.0
_DECIMALS = 4
"""Of a coordinate that is exact to some ten metres."""
_DIGITS_OF_PHONE = (7, 15)


@dataclass(frozen=True)
class Pattern:
    """A pattern that a column matches.

    Attributes
    ----------
    words : what its values are, such as "an e-mail address"
    share : of its values look so, 0 to 1; 0 where only the name of the column says so
    """

    words: str
    share: float

    @property
    def reason(self) -> str:
        """The reason to ask about the column, in words."""
        if self.share:
            return f"looks like {self.words}: {100 * self.share:.0f} % of values"
        return f"its name says that it is {self.words}"


def pattern_of(name: str, values: Sequence[str]) -> Pattern | None:
    """Return the pattern that a column's values, or else its name, match; None without one.

    Parameters
    ----------
    name : str
    values : sequence of str
        Different values of the column, or a sample of them, as text.

    Examples
    --------
    >>> pattern_of("v7", [f"p{i}@example.org" for i in range(20)]).reason
    'looks like an e-mail address: 100 % of values'
    >>> pattern_of("surname", ["Ito", "Roe"]).reason
    'its name says that it is a personal name'
    """
    texts = [text for value in values[:_LOOKED_AT] if (text := value.strip())]
    by_name = _by_name(name)
    if len(texts) >= _FEWEST:
        for words, is_like in _LIKE:
            if sum(map(is_like, texts[:_FEWEST])) < _FEWEST // 2:
                continue
            share = sum(map(is_like, texts)) / len(texts)
            if share >= _MOST_OF:
                return Pattern(words, share)
        if by_name == "a coordinate":
            share = sum(map(_is_coordinate, texts)) / len(texts)
            return Pattern(by_name, share) if share >= _MOST_OF else None
    elif by_name == "a coordinate":
        return None
    return Pattern(by_name, 0.0) if by_name else None


def is_named_identifier(name: str) -> bool:
    """Whether the name of a column says that it numbers or names records."""
    return bool(_NUMBERS_RECORDS.search(_words_of(name)))


_NUMBERS_RECORDS = re.compile(
    r"(^|_)(id|ids|uid|uuid|guid|pid|ident|identifier|nr|no|num|number|nummer|numero|nro|key|ref"
    r"|code|kennung|kennzeichen|matricule|pseudonym|hash)(_|$)|(^|_)\w+(id|nummer|number)(_|$)"
    r"|^row_?names?$|^index_level_\d+$"
)

_PEOPLE = (
    "person|patient|subject|respondent|individual|participant|insured|resident|citizen|pupil|student"
    "|household|haushalt|hhold|hh|dwelling|family|case"
)
_SHORT = "pers|resp|ind"
_HOLDERS = "client|customer|user|member|employee|worker|kunden|patienten|personen|personal"
_NAMES_PEOPLE = re.compile(
    rf"(^|_)(({_PEOPLE}|{_SHORT}|{_HOLDERS})_?(id|ids|uid|key|ref|hash|pseudonym)"
    rf"|(id|ids)_?({_PEOPLE}|{_SHORT}|{_HOLDERS}|p|h))(_|$)"
    r"|^(id|ids|idno|pid|uid|uuid|guid|hid|hhid|matricule|pseudonym)$"
)
_NUMBERS_PEOPLE = re.compile(
    rf"(^|_)({_PEOPLE}|{_SHORT}|kunden|patienten|personen|personal)_?(no|nr|num|number|nummer|code)"
    rf"(_|$)|^({_PEOPLE})$"
)


def names_people(name: str) -> bool:
    """Whether the name of a column says that it tells people or households apart.

    Examples
    --------
    >>> [names_people(name) for name in ("patientId", "pid", "id_household", "school_id")]
    [True, True, True, False]
    """
    return bool(_NAMES_PEOPLE.search(_words_of(name)))


def may_number_people(name: str) -> bool:
    """Whether a column of numbers with this name may tell people apart, or count them.

    Examples
    --------
    >>> [may_number_people(name) for name in ("patient", "household_no", "pct.resp", "patients")]
    [True, True, False, False]
    """
    return bool(_NUMBERS_PEOPLE.search(_words_of(name)))


_NAMES: tuple[tuple[str, str], ...] = (
    ("an e-mail address", r"e_?mail|courriel|correo"),
    ("a phone number", r"tel|phone|telephone|telefon\w*|mobile|handy|fax|cell|cellphone|movil"),
    ("a bank account", r"iban|bic|account_?(number|no|nr)|konto(nummer|nr)?"),
    (
        "a national number",
        (
            r"ssn|nino|nir|insee|dni|nie|bsn|pesel|cnp|egn|ahv|svnr|svn|nhs|sin|tin|steuer_?id|tax_?id"
            r"|national_?(id|number|no)|social_?security\w*|insurance_?(number|no|nr|id)|sozialvers\w*"
            r"|versicherungsn\w*|rentenversicherungsn\w*|passport\w*|reisepass\w*|personnummer|cpr"
            r"|codice_?fiscale|hetu|rijksregister\w*|personal_?(id|number|code)"
        ),
    ),
    (
        "a personal name",
        (
            r"(first|last|family|given|maiden|full|sur|fore)_?name|vor_?name|nach_?name|familienname"
            r"|nom|prenom|apellidos?|cognome|imie|nazwisko|patient_?name|person_?name"
        ),
    ),
    ("a postal address", r"address|adresse?|street|strasse|rue|direccion|indirizzo|anschrift"),
    ("a coordinate", r"lat|latitude|lon|lng|long|longitude|breite\w*|laenge\w*|geo_?[xy]|gps\w*"),
    ("a date of birth", r"dob|birth_?date|date_?of_?birth|birthday|geb(urts)?_?(datum|tag)"),
    ("a web address", r"url|homepage|website"),
    ("an address of a computer", r"ip|ip_?address|mac_?address"),
)
_NAMED = [(words, re.compile(rf"(^|_)({pattern})(_|\d*$)")) for words, pattern in _NAMES]


def _by_name(name: str) -> str:
    plain = _words_of(name)
    return next((words for words, pattern in _NAMED if pattern.search(plain)), "")


def _words_of(name: str) -> str:
    """Return a name in lower case, its parts divided by _: "BirthDate" is "birth_date"."""
    parts = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name)
    return re.sub(r"[^a-zà-ÿ0-9]+", "_", parts.lower()).strip("_")


def _matches(pattern: str) -> Callable[[str], bool]:
    compiled = re.compile(pattern, re.IGNORECASE)
    return lambda text: compiled.fullmatch(text) is not None


def _digits(text: str) -> list[int]:
    return [int(part) for part in text if part in "0123456789"]


def _weighted(text: str, weights: Sequence[int], modulus: int) -> bool:
    """Whether the weighted sum of the digits is a multiple of a number."""
    digits = _digits(text)
    return (
        len(digits) == len(weights)
        and sum(d * w for d, w in zip(digits, weights, strict=True)) % modulus == 0
    )


def _luhn(text: str) -> bool:
    """Whether the last digit of a card's number is right (ISO/IEC 7812)."""
    total = 0
    for place, digit in enumerate(reversed(_digits(text))):
        double = digit * 2 if place % 2 else digit
        total += double - 9 if double > 9 else double  # noqa: PLR2004  (the sum of its digits)
    return total % 10 == 0


def _is_iban(text: str) -> bool:
    plain = re.sub(r"\s", "", text).upper()
    if re.fullmatch(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}", plain) is None:
        return False
    turned = "".join(str(int(part, 36)) for part in plain[4:] + plain[:4])
    return int(turned) % 97 == 1


def _is_phone(text: str) -> bool:
    if re.fullmatch(r"(\+|\(|0(?!\.\d+$))[\d\s()/.\-]+", text) is None:  # 0.4721885 is a share
        return False
    low, high = _DIGITS_OF_PHONE
    return low <= len(_digits(text)) <= high


def _is_french(text: str) -> bool:
    plain = re.sub(r"\s", "", text)
    if re.fullmatch(r"[12]\d{14}", plain) is None:
        return False
    return 97 - int(plain[:13]) % 97 == int(plain[13:])


def _is_spanish(text: str) -> bool:
    match = re.fullmatch(r"(\d{8})-?([A-Z])", text.upper())
    return match is not None and "TRWAGMYFPDXBNJZSQVHLCKE"[int(match[1]) % 23] == match[2]


def _is_belgian(text: str) -> bool:
    plain = re.sub(r"[.\-\s]", "", text)
    if re.fullmatch(r"\d{11}", plain) is None:
        return False
    return int(plain[9:]) in {97 - int(head + plain[:9]) % 97 for head in ("", "2")}


def _is_card(text: str) -> bool:
    plain = re.sub(r"[\s\-]", "", text)
    return re.fullmatch(r"\d{13,19}", plain) is not None and _luhn(plain)


def _is_coordinate(text: str) -> bool:
    match = re.fullmatch(r"-?(\d{1,3})[.,](\d+)", text)
    return match is not None and int(match[1]) <= _LONGITUDE and len(match[2]) >= _DECIMALS - 1


def _are_coordinates(text: str) -> bool:
    match = re.fullmatch(r"\(?(-?\d{1,2}\.\d+)\s*[,; ]\s*(-?\d{1,3}\.\d+)\)?", text)
    if match is None or min(len(part.partition(".")[2]) for part in match.groups()) < _DECIMALS:
        return False
    return abs(float(match[1])) <= _LATITUDE and abs(float(match[2])) <= _LONGITUDE


def _is_dutch(text: str) -> bool:
    return text.isdigit() and _weighted(text, (9, 8, 7, 6, 5, 4, 3, 2, -1), 11)


def _is_polish(text: str) -> bool:
    return text.isdigit() and _weighted(text, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1), 10)


_STREETS = re.compile(
    r"street\b|stra(ss|ß)e\b|str\.|\b(str|st|rd|ave|road|avenue|lane|drive|square|boulevard|rue|via)\b"
    r"|\b(calle|plaza|rua|ul|ulica)\b|(weg|platz|allee|gasse|ufer|damm|straat|laan|gatan|vej)\b"
    r"|postfach|\bp\. ?o\. ?box\b",
    re.IGNORECASE,
)


def _is_address(text: str) -> bool:
    return bool(re.search(r"\d", text)) and _STREETS.search(text) is not None


_NATIONAL: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("Italy", _matches(r"[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]")),
    ("Finland", _matches(r"\d{6}[-+A-FU-Y]\d{3}[0-9A-Y]")),
    ("the United Kingdom", _matches(r"[A-CEGHJ-PR-TW-Z]{2}\s?\d{2}\s?\d{2}\s?\d{2}\s?[A-D]")),
    ("the United States", _matches(r"\d{3}-\d{2}-\d{4}")),
    ("Switzerland", _matches(r"756\.?\d{4}\.?\d{4}\.?\d{2}")),
    ("Germany", _matches(r"\d{2}\s?\d{6}\s?[A-Z]\s?\d{3}")),
    ("Denmark", _matches(r"[0-3]\d[01]\d{3}-\d{4}")),
    ("Sweden", _matches(r"(\d{2})?\d{2}[01]\d[0-3]\d[-+]\d{4}")),
    ("France", _is_french),
    ("Spain", _is_spanish),
    ("Belgium", _is_belgian),
    ("Poland", _is_polish),
    ("the Netherlands", _is_dutch),
)

_LIKE: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("an e-mail address", _matches(r"[^@\s]+@[^@\s]+\.[^@\s.]{2,}")),
    ("a web address", _matches(r"(https?://|www\.)\S+")),
    ("a bank account (IBAN)", _is_iban),
    *((f"a national number of {country}", check) for country, check in _NATIONAL),
    ("a number of a payment card", _is_card),
    (
        "a random key (UUID)",
        _matches(r"\{?[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}\}?"),
    ),
    ("a hashed or random key", _matches(r"(?=.*\d)[0-9a-f]{16,128}")),
    ("an address of a computer", _matches(r"\d{1,3}(\.\d{1,3}){3}|([0-9a-f]{2}:){5}[0-9a-f]{2}")),
    ("a pair of coordinates", _are_coordinates),
    ("a phone number", _is_phone),
    (
        "a postal address",
        _is_address,
    ),
)
