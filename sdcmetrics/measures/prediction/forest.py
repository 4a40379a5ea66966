"""Random forests grown on distinct records with weights, as fast as these are few."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sdcmetrics.errors import NotComputable
from sdcmetrics.measures.prediction.records import Records
from sdcmetrics.microdata.arrays import Floats, Ints


class Forest:
    """A forest that learns a column from others and predicts it.

    A bootstrap draws how often each distinct record occurs, so that a file of 50,000 records,
    6,000 of them distinct, is learnt in the time of 6,000. Each tree has the levels of every
    column in an order of its own, drawn at random, instead of a column per level: a split then
    divides levels into two groups. Numbers are replaced by their ranks, which changes no tree.

    Parameters
    ----------
    training : Records
    target : str
        A column of levels, of which missing is one, or a number; records that lack a number to
        learn are left out.
    columns : names of the columns to predict it from
    asked : Records
        Of the same codebook: whom the target is to be predicted for.

    seed : int

    Raises
    ------
    NotComputable
        If there is nothing to learn from.

    References
    ----------
    Breiman (2001), Machine Learning 45. A split looks at as many columns as the root of their
    number, for a number at all.

    Examples
    --------
    >>> level = np.arange(40) % 2
    >>> training = Records({"t": level + 1, "x": 3 - level}, {}, 40)
    >>> asked = Records({"x": np.array([3, 2, 3])}, {}, 3)
    >>> forest = Forest(training, "t", ["x"], asked)
    >>> forest.grow(20)
    >>> forest.guess()
    array([1., 2., 1.])
    """

    def __init__(
        self,
        training: Records,
        target: str,
        columns: Sequence[str],
        queried: Records,
        *,
        seed: int = 1,
    ) -> None:
        taught = ~np.isnan(training.values(target))
        if not taught.any():
            msg = f"{target!r} is missing in every record to learn from"
            raise NotComputable(msg)
        training = training if taught.all() else training.taken(taught)
        self._is_number = target in training.numbers
        rows, _, self._counts = _distinct(_only(training, [*columns, target]))
        queries, self._query_of, _ = _distinct(_only(queried, columns))
        distinct, queried = training.taken(rows), queried.taken(queries)
        self._values, self._classes = distinct.values(target), np.zeros(0)
        if not self._is_number:
            self._classes, codes = np.unique(self._values, return_inverse=True)
            self._values = codes.ravel().astype(np.float64)
        places = [_places(distinct.values(name), queried.values(name)) for name in columns]
        self._x, self._asked = (np.column_stack(part) for part in zip(*places, strict=True))
        self._sizes = [
            int(max(self._x[:, i].max(), self._asked[:, i].max())) + 1
            if name in queried.codes
            else 0
            for i, name in enumerate(columns)
        ]
        self._votes = np.zeros((len(self._asked), max(len(self._classes), 1)))
        self._trees, self._rng = 0, np.random.default_rng(seed)

    def grow(self, trees: int) -> None:
        """Grow so many more trees."""
        n, maker = int(self._counts.sum()), tree_of(is_number=self._is_number)
        rng = self._rng
        single = len(self._classes) == 1  # all trees would say so
        self._votes += trees if single else 0
        for _ in range(0 if single else trees):
            drawn = rng.multinomial(n, self._counts / n).astype(np.float64)
            x, queried = self._reordered(rng)
            tree = maker(
                max_features=None if self._is_number else "sqrt",
                random_state=int(rng.integers(2**31)),
            )
            tree.fit(x, self._values, sample_weight=drawn, check_input=False)
            if self._is_number:
                self._votes[:, 0] += tree.predict(queried, check_input=False)
            else:
                self._votes += tree.predict_proba(queried, check_input=False)
        self._trees += trees

    def guess(self) -> Floats:
        """Return what the trees so far take each record for.

        Returns
        -------
        float array of shape (asked,)
            The code of the most likely level (the first of equally likely ones), or the number.
        """
        if self._is_number:
            guess = self._votes[:, 0] / self._trees
        else:
            guess = self._classes[np.argmax(self._votes, axis=1)]
        return np.asarray(guess[self._query_of], dtype=np.float64)

    def closeness(self, truth: Floats) -> Floats:
        """Return how near the trees so far are to the truth of each record, larger for nearer.

        Parameters
        ----------
        truth : float array of shape (asked,)

        Returns
        -------
        float array of shape (asked,)
            The share of the trees' votes for the true level; of a number the distance from it, with
            a minus sign. Where the truth is missing, or a level that nobody has taught, the least.
        """
        if self._is_number:
            away = -np.abs(self.guess() - truth)
            least = np.nanmin(away) if not np.isnan(away).all() else 0.0
            return np.where(np.isnan(away), least, away)
        place = np.searchsorted(self._classes, truth).clip(max=len(self._classes) - 1)
        votes = self._votes[self._query_of, place] / max(self._trees, 1)
        return np.where(self._classes[place] == truth, votes, 0.0)

    def _reordered(
        self, rng: np.random.Generator
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Return the columns with the levels of each in another order."""
        both = []
        orders = [rng.permutation(size) if size else None for size in self._sizes]
        for part in (self._x, self._asked):
            out = part.astype(np.float32)
            for i, order in enumerate(orders):
                if order is not None:
                    out[:, i] = order[part[:, i]]
            both.append(out)
        return both[0], both[1]


def tree_of(*, is_number: bool) -> Any:
    """Return the class of trees that are grown: scikit-learn's."""
    from sklearn import tree  # large: for a fast start, only when it is needed

    return tree.DecisionTreeRegressor if is_number else tree.DecisionTreeClassifier


def _only(records: Records, columns: Sequence[str]) -> Records:
    codes = {name: records.codes[name] for name in columns if name in records.codes}
    numbers = {name: records.numbers[name] for name in columns if name in records.numbers}
    return Records(codes, numbers, records.n)


def _distinct(records: Records) -> tuple[Ints, Ints, Ints]:
    """Return one record of each kind, of which kind every record is, and how many there are."""
    _, first, kind, counts = np.unique(
        records.identity, return_index=True, return_inverse=True, return_counts=True
    )
    return first, kind.ravel(), counts


def _places(here: Floats, there: Floats) -> tuple[Ints, Ints]:
    """Return the ranks of two parts of a column in the whole; missing is below every number."""
    both = np.concatenate([here, there])
    missing = np.isnan(both)
    values = np.unique(both[~missing])
    place = np.where(missing, 0, np.searchsorted(values, both) + 1)
    return place[: len(here)], place[len(here) :]
