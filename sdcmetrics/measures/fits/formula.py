"""What a formula means: a response, an intercept or none, and terms in R's order.

A formula may come from a study file, so it is parsed and never handed to `eval`. It is
``sum "~" sum`` in the grammar of `sdcmetrics.measures.expressions.parser`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sdcmetrics.errors import SdcMetricsError
from sdcmetrics.measures.expressions.parser import Parser
from sdcmetrics.measures.expressions.tokens import Language
from sdcmetrics.measures.expressions.tree import (
    Arithmetic,
    Call,
    Name,
    Node,
    Number,
    Sign,
    columns_of,
)

_FUNCTIONS = ("log", "log2", "log10", "log1p", "exp", "sqrt", "abs", "I", "factor")

LANGUAGE = Language(
    kind="formula",
    operators=frozenset((*"~+-*/:^(),", "**")),
    functions=dict.fromkeys(_FUNCTIONS, (1, 1)),
    points=True,
    remedy="Write it as in R, such as 'income ~ age + sex'; put a column whose name is no plain "
    "word between backticks.",
)
"""What a formula may hold."""

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
        return list(dict.fromkeys(name for node in nodes for name in columns_of(node)))

    def __str__(self) -> str:
        """Return the formula with every term written out."""
        parts = [":".join(term) for term in self.terms]
        if not self.intercept:
            parts.insert(0, "0")
        return f"{as_in_r(self.response)} ~ {' + '.join(parts) if parts else '1'}"

    def without(self, term: Term) -> Formula:
        """Return the formula without one of its terms."""
        terms = tuple(t for t in self.terms if t != term)
        used = {text for t in terms for text in t}
        predictors = {text: node for text, node in self.predictors.items() if text in used}
        return Formula(self.response, predictors, terms, self.intercept)

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
    own = set(columns_of(response))
    expansion = _Expansion(text, [name for name in columns if name not in own])
    terms = expansion.terms(right)
    for term in terms:
        for key in term:
            if own & set(columns_of(expansion.predictors[key])):
                what = "the response is among the predictors. Remove it there"
                raise LANGUAGE.wrong(text, what, expansion.predictors[key].at)
    place = {key: i for i, key in enumerate(expansion.predictors)}
    ordered = [tuple(sorted(term, key=place.__getitem__)) for term in sorted(terms, key=len)]
    used = {key for term in terms for key in term}
    predictors = {key: node for key, node in expansion.predictors.items() if key in used}
    return Formula(response, predictors, tuple(ordered), expansion.intercept)


def parse(text: str) -> tuple[Node, Node]:
    """Parse ``response ~ predictors`` into two trees.

    Raises
    ------
    StudyError
        If the text is no formula.

    Examples
    --------
    >>> response, predictors = parse("log(income) ~ age + I(age^2)*sex")
    >>> as_in_r(response), as_in_r(predictors)
    ('log(income)', 'age + I(age^2) * sex')
    """
    parser = Parser(text, LANGUAGE)
    response = parser.sum()
    if not parser.accept("~"):
        what = "expected 'response ~ predictors'"
        raise parser.wrong(what)
    return response, parser.alone(parser.sum)


def as_in_r(node: Node) -> str:
    """Return the text that R prints, with spaces around + - * only; coefficients are named so."""

    def within(inner: Node, level: int) -> str:
        return f"({as_in_r(inner)})" if inner.level < level else as_in_r(inner)

    if isinstance(node, Name):
        plain = re.fullmatch(r"(?:[^\W\d_]|\.(?!\d))[\w.]*", node.text)
        return node.text if plain else str(node)
    if isinstance(node, Number):
        return f"{node.value:.15g}"
    if isinstance(node, Sign):
        return f"{node.operator}{within(node.operand, node.level)}"
    if isinstance(node, Call):
        return f"{node.function}({', '.join(map(as_in_r, node.arguments))})"
    if not isinstance(node, Arithmetic):
        return str(node)
    # powers go from right to left, everything else from left to right
    power = node.operators[0] == "^"
    out = within(node.operands[0], node.level + power)
    for operator, operand in zip(node.operators, node.operands[1:], strict=True):
        space = " " if operator in "+-*" else ""
        out += f"{space}{operator}{space}{within(operand, node.level + (not power))}"
    return out


_Terms = dict[frozenset[str], None]


class _Expansion:
    """The terms of the right side of a formula, by its operators."""

    def __init__(self, text: str, others: Sequence[str]) -> None:
        self._text = text
        self._others = others
        self.predictors: dict[str, Node] = {}
        self.intercept = True

    def terms(self, node: Node) -> _Terms:
        if isinstance(node, Number):
            return self._intercept(node, {}, present=True)
        if isinstance(node, Name) and node.text == ".":
            predictors = [self._predictor(Name(name, at=node.at)) for name in self._others]
            return {term: None for part in predictors for term in part}
        if isinstance(node, Sign):
            minus = node.operator == "-"
            return self._subtract({}, node.operand) if minus else self.terms(node.operand)
        if not isinstance(node, Arithmetic):
            return self._predictor(node)
        out = self.terms(node.operands[0])
        for operator, operand in zip(node.operators, node.operands[1:], strict=True):
            out = self._combine(operator, out, operand)
        return out

    def _predictor(self, node: Node) -> _Terms:
        text = as_in_r(node)
        self.predictors.setdefault(text, node)
        return {frozenset([text]): None}

    def _combine(self, operator: str, left: _Terms, node: Node) -> _Terms:
        if operator == "-":
            return self._subtract(left, node)
        if operator == "^":
            return self._power(left, node)
        right = self.terms(node)
        if operator == "+":
            return left | right
        if operator == ":":
            return _products(left, right)
        if operator == "*":
            return left | right | _products(left, right)
        whole = frozenset[str]().union(*left)
        return left | _products({whole: None}, right)

    def _subtract(self, left: _Terms, node: Node) -> _Terms:
        if isinstance(node, Number):
            return self._intercept(node, left, present=False)
        out = self.terms(node)
        return {term: None for term in left if term not in out}

    def _intercept(self, node: Number, left: _Terms, *, present: bool) -> _Terms:
        if node.value not in (0.0, 1.0):
            raise self._wrong(f"the number {node} stands alone; use I() for arithmetic", node)
        self.intercept = (node.value == 1.0) is present
        return left

    def _power(self, left: _Terms, node: Node) -> _Terms:
        if not isinstance(node, Number) or node.value < 1 or node.value % 1:
            what = "^ needs a whole number; use I() for arithmetic"
            raise self._wrong(what, node)
        out = left
        for _ in range(int(node.value) - 1):
            out = out | _products(out, left)
        return out

    def _wrong(self, problem: str, node: Node) -> SdcMetricsError:
        return LANGUAGE.wrong(self._text, problem, node.at)


def _products(left: _Terms, right: _Terms) -> _Terms:
    return {a | b: None for a in left for b in right}
