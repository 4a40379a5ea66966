"""The discrete Gaussian, drawn exactly: whole numbers and fractions only, no floating point.

Floating point gives noise away: which numbers near a count noise can reach depends on the count.
The algorithms are those of Canonne, Kamath and Steinke (2020), The Discrete Gaussian for
Differential Privacy, NeurIPS 33 (arXiv:2004.00010), algorithms 1 to 3, which need nothing but
uniform whole numbers.
"""

from __future__ import annotations

import hashlib
import hmac
import math
from fractions import Fraction
from typing import Protocol

_BLOCK = 256
"""Bits that SHA-256 gives at a time."""


class Bits(Protocol):
    """A source of random bits."""

    def draw_bits(self, width: int) -> int:
        """Return so many bits as a whole number of at least 0."""


class KeyedBits:
    """Bits that follow from a secret and a question: HMAC-SHA256 in counter mode.

    Whoever lacks the secret cannot tell them from coin tosses; whoever asks the same question with
    the same secret again gets the same bits.

    Parameters
    ----------
    secret : bytes
    question : bytes

    Examples
    --------
    >>> first, again = (KeyedBits(b"secret", b"question") for _ in range(2))
    >>> first.draw_bits(16) == again.draw_bits(16)
    True
    """

    def __init__(self, secret: bytes, question: bytes) -> None:
        # A key of its own for every question, so that no question followed by a counter is another.
        self._key = hmac.digest(secret, b"sdcmetrics noise\0" + question, hashlib.sha256)
        self._block = 0
        self._pool = 0
        self._left = 0

    def draw_bits(self, width: int) -> int:
        """Return so many bits as a whole number of at least 0."""
        while self._left < width:
            block = hmac.digest(self._key, self._block.to_bytes(8, "big"), hashlib.sha256)
            self._pool = self._pool << _BLOCK | int.from_bytes(block, "big")
            self._left += _BLOCK
            self._block += 1
        self._left -= width
        bits = self._pool >> self._left
        self._pool &= (1 << self._left) - 1
        return bits


def uniform(size: int, bits: Bits) -> int:
    """Draw a whole number from 0 to size - 1, each as likely."""
    width = (size - 1).bit_length()
    while True:
        number = bits.draw_bits(width)
        if number < size:
            return number


def bernoulli_exp(top: int, bottom: int, bits: Bits) -> bool:
    """Draw True with chance exp(-top / bottom), without a Fraction for each bit."""
    while top > bottom:
        if not _bernoulli_exp_up_to_1(1, 1, bits):
            return False
        top -= bottom
    return _bernoulli_exp_up_to_1(top, bottom, bits)


def _bernoulli_exp_up_to_1(top: int, bottom: int, bits: Bits) -> bool:
    """Draw as the series of exp(-top / bottom): the first k that fails is odd with that chance."""
    k = 1
    while True:
        common = math.gcd(top, bottom * k)  # in lowest terms, as few bits are drawn as can be
        if uniform(bottom * k // common, bits) >= top // common:
            return k % 2 == 1
        k += 1


def discrete_laplace(scale: int, bits: Bits) -> int:
    """Draw a whole number x with a chance in proportion to exp(-abs(x) / scale)."""
    while True:
        remainder = uniform(scale, bits)
        if not bernoulli_exp(remainder, scale, bits):
            continue
        times = 0
        while bernoulli_exp(1, 1, bits):
            times += 1
        size = remainder + scale * times
        negative = bool(bits.draw_bits(1))
        if not negative or size:  # or 0 would be drawn twice as often
            return -size if negative else size


def discrete_gaussian(variance: Fraction, bits: Bits) -> int:
    """Draw a whole number x with a chance in proportion to exp(-x^2 / (2 variance)).

    Parameters
    ----------
    variance : Fraction
        Above 0. It is a parameter of the law, and within a hair its variance from 1 on.
    bits : Bits

    Examples
    --------
    >>> discrete_gaussian(Fraction(9), KeyedBits(b"secret", b"n"))
    3
    >>> [discrete_gaussian(Fraction(9), KeyedBits(b"secret", bytes([i]))) for i in range(8)]
    [0, 3, -3, -3, -2, 6, 1, -3]
    """
    scale = _floor_root(variance) + 1
    top, bottom = variance.numerator, variance.denominator
    of_square = 2 * top * bottom * scale**2
    while True:
        proposal = discrete_laplace(scale, bits)
        # exp of minus (abs(proposal) - variance / scale)^2 / (2 variance)
        if bernoulli_exp((abs(proposal) * bottom * scale - top) ** 2, of_square, bits):
            return proposal


def _floor_root(variance: Fraction) -> int:
    """Return the largest whole number whose square is at most the variance."""
    # isqrt of the floor: a whole number's square is at most x where it is at most floor(x).
    return math.isqrt(variance.numerator // variance.denominator)
