"""The levels of the four tests: 1 % together."""

from __future__ import annotations

from dataclasses import dataclass

_HOLDOUT = {"LE": 0.002, "TE": 0.004, "LN": 0.001, "TN": 0.003}
_ALONE = {"TE": 0.005, "TN": 0.005}


@dataclass(frozen=True)
class Levels:
    """The levels of one look: full ones times a weight.

    Examples
    --------
    >>> Levels().of(holdout=False)
    {'TE': 0.005, 'TN': 0.005}
    >>> Levels.of_file(1).weight, Levels.of_file(4).weight
    (1.0, 0.025)
    """

    weight: float = 1.0

    @classmethod
    def of_file(cls, number: int) -> Levels:
        """Return the levels of a file by its place, and of the union of the files up to it.

        The first has full levels, whatever follows; the weights of all add up to 1.5.
        """
        return cls() if number == 1 else cls(0.5 / (number * (number + 1)))

    def of(self, *, holdout: bool) -> dict[str, float]:
        """Return the level of each test that is made."""
        full = _HOLDOUT if holdout else _ALONE
        return {test: level * self.weight for test, level in full.items()}


FULL = Levels()
