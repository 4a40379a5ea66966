"""Numbers as texts: significant digits, percentages without false zeros, safe roundings."""

from __future__ import annotations

import math

_TINY = 1e-6
"""What is nearer to 0 is a p, or a rounding error: its zeros would fill lines."""


def significant(value: float, digits: int = 3) -> float:
    """Round to a number of significant digits.

    Examples
    --------
    >>> significant(43217.0), significant(0.012345), significant(0.0)
    (43200.0, 0.0123, 0.0)
    """
    if value == 0 or not math.isfinite(value):
        return value
    return round(value, digits - 1 - math.floor(math.log10(abs(value))))


def with_commas(value: float, digits: int = 3) -> str:
    """Write a number with so many significant digits, and commas instead of powers of ten.

    Examples
    --------
    >>> with_commas(43217.0), with_commas(1.0), with_commas(0.51234), with_commas(12.349)
    ('43,200', '1.00', '0.512', '12.3')
    >>> with_commas(0.00004), with_commas(2.0, digits=1)
    ('0.00004', '2')
    >>> with_commas(1e-20).replace("\N{NO-BREAK SPACE}", " ")
    '< 0.000001'
    """
    if not math.isfinite(value):
        return "\N{INFINITY}" if value > 0 else "\N{MINUS SIGN}\N{INFINITY}"
    if 0.0 < abs(value) < _TINY:
        space = "\N{NO-BREAK SPACE}"
        sign = f"<{space}" if value > 0 else f">{space}\N{MINUS SIGN}"
        return f"{sign}{_TINY:.6f}"
    rounded = significant(value, digits)
    if rounded == 0:
        return "0"
    exponent = math.floor(math.log10(abs(rounded)))
    decimals = max(digits - 1 - exponent, 0)
    text = f"{abs(rounded):,.{decimals}f}"
    if exponent < -2:  # noqa: PLR2004  (0.0040 says no more than 0.004)
        text = text.rstrip("0")
    return f"\N{MINUS SIGN}{text}" if rounded < 0 else text


def with_decimals(value: float, decimals: int) -> str:
    r"""Write a number with so many decimals and a true minus; what rounds to 0 has no sign.

    Examples
    --------
    >>> [with_decimals(value, 2) for value in (0.126, -0.001, -1.5)]
    ['0.13', '0.00', '\u22121.50']
    """
    # Adding 0 takes the sign from what is 0.
    return f"{round(value, decimals) + 0.0:.{decimals}f}".replace("-", "\N{MINUS SIGN}")


def with_minus(value: float) -> str:
    r"""Write a number as short as it is, with a true minus; 0 has no sign.

    Examples
    --------
    >>> with_minus(-0.50), with_minus(12.0), with_minus(-0.0)
    ('\u22120.5', '12', '0')
    """
    return f"{value + 0.0:g}".replace("-", "\N{MINUS SIGN}")  # adding 0 takes the sign from 0


def percent_text(percent: float, decimals: int = 1) -> str:
    r"""Write a percentage; what is not 0 or 100 never reads as 0 or 100, nor with a minus.

    Examples
    --------
    >>> texts = [percent_text(value) for value in (21.34, 0.01, 99.99, 0.0, -0.01)]
    >>> [text.replace("\N{NO-BREAK SPACE}", " ") for text in texts]
    ['21.3 %', '< 0.1 %', '> 99.9 %', '0 %', '> \u22120.1 %']
    """
    step = 10.0**-decimals
    space = "\N{NO-BREAK SPACE}"
    if abs(percent) in (0.0, 100.0):
        return f"{with_minus(percent)}{space}%"
    text = f"{abs(percent):.{decimals}f}"
    below, above, sign = ("<", ">", "") if percent > 0 else (">", "<", "\N{MINUS SIGN}")
    if float(text) == 0:
        return f"{below}{space}{sign}{step:.{decimals}f}{space}%"
    if float(text) == 100:  # noqa: PLR2004  (percent)
        end = 100 if abs(percent) > 100 else 100 - step  # noqa: PLR2004
        return f"{above}{space}{sign}{end:.{decimals}f}{space}%"
    return f"{sign}{text}{space}%"


def round_to_base(count: float, base: int, least: int = 0) -> int:
    """Round a count half up to a multiple of `base`, but not below `least` where the count is not.

    Examples
    --------
    >>> round_to_base(12, 5), round_to_base(13, 5), round_to_base(10, 7, least=10)
    (10, 15, 14)
    """
    rounded = base * math.floor(count / base + 0.5)
    if rounded < least <= count:
        rounded = base * math.ceil(least / base)
    return rounded


def step_for(base: float, total: float) -> float:
    """Return the least power of ten, in points, that is at least `base` of `total` records.

    Examples
    --------
    >>> step_for(5, 944), step_for(5, 24421), step_for(10, 100)
    (1.0, 0.1, 10.0)
    """
    if total <= 0:
        return 100.0
    share = 100.0 * base / total
    return float(10.0 ** math.ceil(math.log10(share) - 1e-12))


def decimals_for(step: float) -> int:
    """Return the decimals that a step of a power of ten supports.

    Examples
    --------
    >>> decimals_for(0.1), decimals_for(1.0), decimals_for(10.0)
    (1, 0, 0)
    """
    return max(0, -round(math.log10(step)))


def plural(count: float, noun: str, nouns: str = "") -> str:
    """Write a count with its noun.

    Examples
    --------
    >>> plural(1, "table"), plural(1200, "table")
    ('1 table', '1,200 tables')
    """
    return f"{count_text(count)} {noun if count == 1 else nouns or f'{noun}s'}"


def count_text(count: float) -> str:
    """Write a count; a mean of counts with one decimal.

    Examples
    --------
    >>> count_text(1200), count_text(1200.5), count_text(0.1 * 3 * 10)
    ('1,200', '1,200.5', '3')
    """
    return f"{count:,.1f}".removesuffix(".0")
