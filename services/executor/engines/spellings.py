"""Texts that every engine reads as the same value.

Engines agree on plain spellings (`2024-02-29`, `-1.5`) and part company on others: `24-02-09` is a
day of the year 24 or of 2024, `20240209` a day or an error, `today` another day every day, and of
`10:00+02:00` one heeds the zone and another drops it. A translation converts plain spellings; a
text in any other ends the statement there with `ELSEWHERE`, and DuckDB computes it instead.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sqlglot import exp

from services.executor.engines.expressible import NotExpressible

ELSEWHERE = "ASSAY-ELSEWHERE"
"""What an error says that a doubtful text was met."""

_TYPES = exp.DataType.Type
_TIME = r"([01]?[0-9]|2[0-3]):[0-5]?[0-9](:[0-5]?[0-9]([.][0-9]{1,6})?)?"
_DAY = r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}"


@dataclass(frozen=True)
class Spelling:
    """Regular expressions that mean the same in RE2, Java, PostgreSQL and Python.

    `plain`: all engines read it alike, or all refuse it. `doubtful`: what else one of them may read
    as a value; whatever is neither is no value for any.
    """

    plain: str
    doubtful: str


COMPARISONS = (
    "Between",
    "EQ",
    "GT",
    "GTE",
    "In",
    "LT",
    "LTE",
    "NEQ",
    "NullSafeEQ",
    "NullSafeNEQ",
)
_DATED = r"(?i)^\s*([-+]?[0-9]|[-+]?(epoch|inf))"
_NUMBER = r"(?i)^\s*([-+.]*[0-9][-+.0-9a-fox_\s]*|[-+]?(inf|nan).*)$"
_DATE = Spelling(rf"^ *{_DAY}([ T]{_TIME})? *$", _DATED)
_MOMENT = Spelling(rf"^ *{_DAY}([ T]{_TIME}Z?)? *$", _DATED)
_TRUTH = Spelling(r"(?i)^(true|false|t|f|yes|no|y|n|1|0)$", r"^$")
# Spark goes by way of ten digits after the point.
_WHOLE = Spelling(r"^ *[-+]?[0-9]{1,25}([.][0-9]{0,10})? *$", _NUMBER)
_DECIMAL = Spelling(r"^ *[-+]?([0-9]+([.][0-9]*)?|[.][0-9]+) *$", _NUMBER)
_FLOAT = Spelling(
    r"(?i)^ *([-+]?([0-9]+([.][0-9]*)?|[.][0-9]+)(e[-+]?[0-9]{1,2})?|[-+]?inf(inity)?|nan) *$",
    _NUMBER,
)
_SPELLINGS = {
    _TYPES.DATE: _DATE,
    _TYPES.BOOLEAN: _TRUTH,
    _TYPES.DECIMAL: _DECIMAL,
    _TYPES.DOUBLE: _FLOAT,
    _TYPES.FLOAT: _FLOAT,
    **dict.fromkeys((_TYPES.TIMESTAMP, _TYPES.DATETIME, _TYPES.TIMESTAMPNTZ), _MOMENT),
    **dict.fromkeys(exp.DataType.INTEGER_TYPES, _WHOLE),
}


def spelling(kind: exp.DType) -> Spelling:
    """How values of a type are spelled. Raises NotExpressible."""
    if kind not in _SPELLINGS:
        raise NotExpressible(f"a cast of text to {kind.value.lower()}")
    return _SPELLINGS[kind]


def written_plainly(value: exp.Expr, kind: exp.DType) -> bool:
    """Whether the value is a literal that all engines read alike.

    Raises NotExpressible for a literal in another spelling.
    """
    if not (isinstance(value, exp.Literal) and value.is_string):
        return False
    if not re.search(spelling(kind).plain, value.name, re.ASCII):
        raise NotExpressible(f"the text {value.name!r} as {kind.value.lower()}")
    return True


def comparable(node: exp.Expr) -> exp.Expr:
    """A comparison. Raises NotExpressible where text is compared with what is none.

    DuckDB converts the text, the others each in their own way or not at all.
    """
    ends = [end for end in node.iter_expressions() if isinstance(end, exp.Expr)]
    if any(isinstance(end, exp.Tuple) for end in ends):
        raise NotExpressible("a comparison of several values at once, where NULL means otherwise")
    kinds = {end.type.this for end in ends if end.type is not None} - {_TYPES.NULL, _TYPES.UNKNOWN}
    others = kinds - exp.DataType.TEXT_TYPES
    if len(others) == len(kinds) or not others:
        return node
    for end in ends:
        if end.type is not None and end.type.this in exp.DataType.TEXT_TYPES:
            plain = all(_compared(end, kind) for kind in others)
            if not plain:
                raise NotExpressible("text that is compared with another type")
    return node


def _compared(value: exp.Expr, kind: exp.DType) -> bool:
    """Whether a literal is that of a type; whole numbers are read without a point elsewhere."""
    if kind in exp.DataType.INTEGER_TYPES:
        return isinstance(value, exp.Literal) and bool(re.fullmatch("-?[0-9]+", value.name))
    return kind in _SPELLINGS and written_plainly(value, kind)


def counted_if(node: exp.Expr) -> exp.Expr:
    """count_if in DuckDB: NULL, not 0, where no row says yes or no."""
    no = exp.Not(this=exp.paren(node.this.copy()))
    value = exp.Case(
        ifs=[
            exp.If(this=node.this, true=exp.Literal.number(1)),
            exp.If(this=no, true=exp.Literal.number(0)),
        ]
    )
    return exp.Sum(this=value)


def matches(value: exp.Expr, pattern: str) -> exp.Expr:
    """Whether a text has a spelling."""
    return exp.RegexpLike(this=exp.paren(value.copy()), expression=exp.Literal.string(pattern))
