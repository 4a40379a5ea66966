"""What a formula means: a response, an intercept or none, and terms in R's order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.fits.expression import Binary, Name, Node, Number, Unary, names_in, parse

__all__ = ["Formula", "Term", "read_formula"]

Term = tuple[str, ...]
"""A term: the predictors that it multiplies, by their texts, in the formula's order."""


@dataclass(frozen=True)
class Formula:
    """A formula over the columns of a data set.

    Attributes
    ----------
    response : Node
    predictors : dict of text to Node
        Every predictor, such as ``age`` or ``I(age^2)``, in order of appearance.
    terms : tuple of Term
        Main effects first, then products of two, and so on; each in order of appearance.
    intercept : bool
    """

    response: Node
    predictors: dict[str, Node]
    terms: tuple[Term, ...]
    intercept: bool = True

    @property
    def columns(self) -> list[str]:
        """Names of the columns that the formula uses, the response first."""
        nodes = [self.response, *self.predictors.values()]
        return list(dict.fromkeys(name for node in nodes for name in names_in(node)))

    def __str__(self) -> str:
        """Return the formula with every term written out."""
        parts = [":".join(term) for term in self.terms]
        if not self.intercept:
            parts.insert(0, "0")
        return f"{self.response} ~ {' + '.join(parts) if parts else '1'}"

    def without(self, term: Term) -> Formula:
        """Return the formula without one of its terms."""
        terms = tuple(t for t in self.terms if t != term)
        used = {text for t in terms for text in t}
        kept = {text: node for text, node in self.predictors.items() if text in used}
        return Formula(self.response, kept, terms, self.intercept)

    @property
    def removable(self) -> tuple[Term, ...]:
        """Terms that no other term contains, so that leaving one out keeps the hierarchy."""
        return tuple(t for t in self.terms if not any(set(t) < set(other) for other in self.terms))


def read_formula(text: str, columns: Sequence[str]) -> Formula:
    """Read a formula in R's notation.

    Understands ``+ - : * / ^``, brackets, ``0``, ``1``, ``.`` for all other columns, and the
    functions log, log2, log10, log1p, exp, sqrt, abs, I and factor.

    Parameters
    ----------
    text : str
    columns : sequence of str
        What ``.`` stands for, less the columns of the response.

    Raises
    ------
    StudyError
        If the text is no formula of this kind.

    Examples
    --------
    >>> str(read_formula("income ~ age*sex - 1", ["income", "age", "sex"]))
    'income ~ 0 + age + sex + age:sex'
    >>> str(read_formula("income ~ .", ["income", "age", "sex"]))
    'income ~ age + sex'
    """
    response, right = parse(text)
    own = set(names_in(response))
    expansion = _Expansion(text, [name for name in columns if name not in own])
    terms = expansion.terms(right)
    for term in terms:
        for key in term:
            if own & set(names_in(expansion.predictors[key])):
                msg = f"formula {text!r}: the response is among the predictors. Remove it there."
                raise StudyError(msg)
    place = {key: i for i, key in enumerate(expansion.predictors)}
    ordered = [tuple(sorted(term, key=place.__getitem__)) for term in sorted(terms, key=len)]
    used = {key for term in terms for key in term}
    predictors = {key: node for key, node in expansion.predictors.items() if key in used}
    return Formula(response, predictors, tuple(ordered), expansion.intercept)


_Terms = dict[frozenset[str], None]


class _Expansion:
    def __init__(self, text: str, others: Sequence[str]) -> None:
        self._text = text
        self._others = others
        self.predictors: dict[str, Node] = {}
        self.intercept = True

    def terms(self, node: Node) -> _Terms:
        if isinstance(node, Number):
            if node.value not in (0.0, 1.0):
                raise self._wrong(f"the number {node} stands alone; use I() for arithmetic")
            self.intercept = node.value == 1.0
            return {}
        if isinstance(node, Name) and node.text == ".":
            found = [self._predictor(Name(name)) for name in self._others]
            return {term: None for part in found for term in part}
        if isinstance(node, Unary):
            return (
                self._subtract({}, node.operand)
                if node.operator == "-"
                else self.terms(node.operand)
            )
        if isinstance(node, Binary):
            return self._combine(node)
        return self._predictor(node)

    def _predictor(self, node: Node) -> _Terms:
        self.predictors.setdefault(str(node), node)
        return {frozenset([str(node)]): None}

    def _combine(self, node: Binary) -> _Terms:
        left = self.terms(node.left)
        if node.operator == "-":
            return self._subtract(left, node.right)
        if node.operator == "^":
            return self._power(left, node.right)
        right = self.terms(node.right)
        if node.operator == "+":
            return left | right
        if node.operator == ":":
            return _products(left, right)
        if node.operator == "*":
            return left | right | _products(left, right)
        whole = frozenset[str]().union(*left)
        return left | _products({whole: None}, right)

    def _subtract(self, left: _Terms, node: Node) -> _Terms:
        if isinstance(node, Number):
            if node.value not in (0.0, 1.0):
                raise self._wrong(f"the number {node} stands alone; use I() for arithmetic")
            self.intercept = node.value == 0.0
            return left
        out = self.terms(node)
        return {term: None for term in left if term not in out}

    def _power(self, left: _Terms, node: Node) -> _Terms:
        if not isinstance(node, Number) or node.value < 1 or node.value % 1:
            what = "^ needs a whole number; use I() for arithmetic"
            raise self._wrong(what)
        out = left
        for _ in range(int(node.value) - 1):
            out = out | _products(out, left)
        return out

    def _wrong(self, what: str) -> StudyError:
        return StudyError(f"formula {self._text!r}: {what}.")


def _products(left: _Terms, right: _Terms) -> _Terms:
    return {a | b: None for a in left for b in right}
