"""Which number of R's synthpop a measure equals, and what each version of synthpop calls it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from sdcmetrics.errors import StudyError

VERSIONS = ("1.9-2", "1.9-3")
"""Versions of synthpop whose names and definitions are known, oldest first."""

NEWEST = VERSIONS[-1]
SUPPORTED = " and ".join(VERSIONS)
"""The same in words, for every text that names them."""


def spelled(version: str) -> str:
    """Return a version as CRAN spells it; R prints it with dots.

    Examples
    --------
    >>> spelled("1.9.3")
    '1.9-3'
    """
    return re.sub(r"^(\d+\.\d+)\.(\d+)$", r"\1-\2", version)


def nearest(version: str) -> str:
    """Return the known version whose names and definitions are taken for this one.

    Examples
    --------
    >>> nearest("1.9.2"), nearest("2.0-1"), nearest("1.8-0")
    ('1.9-2', '1.9-3', '1.9-2')
    """
    older = [release for release in VERSIONS if _parts(release) <= _parts(version)]
    return older[-1] if older else VERSIONS[0]


def _parts(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version)))


def check_version(synthpop: str) -> str:
    """Return a version that was asked for, as CRAN spells it.

    Raises
    ------
    StudyError
        If it is not one of `VERSIONS`.
    """
    if spelled(str(synthpop)) not in VERSIONS:
        expected = " or ".join(map(repr, VERSIONS))
        msg = f"synthpop: expected {expected} but got {synthpop!r}."
        raise StudyError(msg)
    return spelled(synthpop)


@dataclass(frozen=True)
class Twin:
    """The measure's counterpart in R's synthpop.

    Attributes
    ----------
    name : what synthpop calls it
    function : the synthpop function that answers
    differs : intended differences, in words
    rtol : relative tolerance; synthpop's answers are recorded to 15 digits
    squared : whether squares are compared: of a root of a difference near 0, that is what rounds
    names : mapping of version to name, for a version that calls it otherwise; "" where that
        version does not have it
    """

    name: str
    function: str
    differs: str
    rtol: float = 1e-10
    squared: bool = False
    names: Mapping[str, str] = field(default_factory=dict)

    def name_in(self, version: str) -> str:
        """Return its name in a version of synthpop; "" where that does not have it."""
        return self.names.get(nearest(version), self.name)

    @property
    def words(self) -> str:
        """Its names and versions in words.

        Examples
        --------
        >>> Twin("DCAPd", "disclosure", "", names={"1.9-2": "DCAP"}).words
        "DCAP of R's synthpop 1.9-2, DCAPd of 1.9-3"
        """
        by_name: dict[str, list[str]] = {}
        for version in VERSIONS:
            by_name.setdefault(self.name_in(version), []).append(version)
        by_name.pop("", None)
        names = [f"{name} of {' and '.join(versions)}" for name, versions in by_name.items()]
        return ", ".join(names).replace(" of ", " of R's synthpop ", 1)
