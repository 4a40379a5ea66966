"""Rules as text to a tree, by recursive descent; nothing of a rule is ever executed as code.

::

    rule       = "if" condition "then" condition ["else" condition] | condition
    condition  = conjunction {"or" conjunction}
    conjunction = negation {"and" negation}
    negation   = "not" negation | test
    test       = sum [comparison {comparison} | ["not"] "in" "[" literal {"," literal} "]"
                      | "is" ["not"] "missing"]
    comparison = ("==" | "!=" | "<" | "<=" | ">" | ">=") sum
    operand    = literal | column | function "(" sum {"," sum} ")" | "(" rule ")"
    literal    = ["+" | "-"] number | text | "true" | "false"

What a sum is stands in `sdcmetrics.measures.expressions.parser`; ``:`` and powers are not known
here. A column is a word, or any name between backticks; a text stands in double or single quotes,
and dates are texts such as "2020-01-31". A quote or backtick within is doubled.
"""

from __future__ import annotations

from sdcmetrics.errors import SdcMetricsError, did_you_mean
from sdcmetrics.measures.expressions.parser import Parser
from sdcmetrics.measures.expressions.tokens import Language, Token
from sdcmetrics.measures.expressions.tree import RESERVED, Node, Number
from sdcmetrics.measures.rules import tree

_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")

LANGUAGE = Language(
    kind="rule",
    operators=frozenset((*"+-*/(),[]", *_COMPARISONS)),
    functions={
        "abs": (1, 1),
        "floor": (1, 1),
        "max": (2, 99),
        "min": (2, 99),
        "round": (1, 1),
        "year": (1, 1),
    },
    reserved=RESERVED,
    texts=True,
    instead={
        "=": "write == to compare",
        "<>": "write != for 'differs from'",
        "&": "write 'and'",
        "&&": "write 'and'",
        "|": "write 'or'",
        "||": "write 'or'",
        "!": "write 'not', or != to compare",
        "~": "write 'not'",
        "^": "powers are not known; multiply instead",
        "**": "powers are not known; multiply instead",
        "%": "remainders are not known",
    },
)
"""What a rule may hold, and what to write in place of what it may not."""

_INSTEAD = {
    "then": "'then' without an 'if' before it",
    "else": "'else' without an 'if' before it",
    "if": "put 'if ... then ...' between brackets, or at the beginning",
    "missing": "write 'is missing' after what is missing",
}


def parse_rule(text: str) -> Node:
    """Parse a rule.

    Raises
    ------
    StudyError
        If the text is no rule, with a pointer to the place.

    Examples
    --------
    >>> str(parse_rule("if employed == 'no' then income+benefits == 0"))
    'if employed == "no" then income + benefits == 0'
    >>> str(parse_rule("not (a < b <= c) or `d e` is missing"))
    'not a < b <= c or `d e` is missing'
    """
    rule = _Parser(text, LANGUAGE)
    if rule.now.kind == "end":
        what = "it is empty"
        raise rule.wrong(what)
    return rule.alone(rule.inside)


class _Parser(Parser):
    """What rules add to arithmetic: one method per line of the grammar."""

    def unexpected(self) -> SdcMetricsError:
        token = self.now
        if token.kind == "name" and token.text.lower() in RESERVED:
            return self.wrong(f"write {token.text.lower()!r} in small letters")
        if token.kind == "word" and token.text in _INSTEAD:
            return self.wrong(_INSTEAD[token.text])
        hint = ""
        if token.kind == "word":
            hint = "; a column of that name goes between backticks"
        elif token.kind == "name":
            hint = did_you_mean(token.text, RESERVED) or (
                "; a column whose name is no plain word goes between backticks, a text in quotes"
            )
        if not hint:
            return super().unexpected()
        return self.wrong(f"did not expect {token.text!r} there{hint}")

    def unknown(self, name: Token) -> SdcMetricsError:
        if name.text.lower() in RESERVED:
            return self.wrong(f"write {name.text.lower()!r} in small letters", name)
        return super().unknown(name)

    def inside(self) -> Node:
        at = self.now.at
        if not self.accept("if"):
            return self._condition()
        condition = self._condition()
        self.expect("then", "after the condition of 'if'")
        then = self._condition()
        otherwise = self._condition() if self.accept("else") else None
        return tree.IfThen(condition, then, otherwise, at=at)

    def _condition(self) -> Node:
        at = self.now.at
        operands = [self._conjunction()]
        while self.accept("or"):
            operands.append(self._conjunction())
        return operands[0] if len(operands) == 1 else tree.AnyOf(tuple(operands), at=at)

    def _conjunction(self) -> Node:
        at = self.now.at
        operands = [self._negation()]
        while self.accept("and"):
            operands.append(self._negation())
        return operands[0] if len(operands) == 1 else tree.AllOf(tuple(operands), at=at)

    def _negation(self) -> Node:
        at = self.now.at
        if self.accept("not"):
            return tree.Not(self.deeper(self._negation), at=at)
        return self._test()

    def _test(self) -> Node:
        at = self.now.at
        first = self.sum()
        if self.accept("is"):
            negated = self.accept("not")
            self.expect("missing", "after 'is'; write == to compare")
            return tree.Missing(first, negated, at=at)
        if self.sees("not", "in"):
            negated = self.accept("not")
            self.expect("in", "after 'not'")
            return tree.Membership(first, self._list(), negated, at=at)
        operators, operands = [], [first]
        while self.sees(*_COMPARISONS):
            operators.append(self.next().text)
            operands.append(self.sum())
        if not operators:
            return first
        return tree.Comparison(tuple(operators), tuple(operands), at=at)

    def _list(self) -> tuple[tree.Literal, ...]:
        self.expect("[", "after 'in'")
        members = [self._literal()]
        while self.accept(","):
            members.append(self._literal())
        self.expect("]", "at the end of the list")
        return tuple(members)

    def _literal(self) -> tree.Literal:
        at = self.now.at
        sign = 0.0
        if self.sees("+", "-"):
            sign = -1.0 if self.next().text == "-" else 1.0
        token = self.now
        if token.kind == "number":
            return Number((sign or 1.0) * self.number(self.next()), at=at)
        if sign:
            raise self.wrong(f"expected a number after the sign{self.got()}")
        if token.kind == "text":
            return tree.Text(self.next().text, at=at)
        if self.sees("true", "false"):
            return tree.Flag(self.next().text == "true", at=at)
        raise self.wrong(f"expected a number, or a text in quotes{self.got()}")

    def operand(self) -> Node:
        literal = self.now.kind == "text" or self.sees("true", "false")
        return self._literal() if literal else super().operand()
