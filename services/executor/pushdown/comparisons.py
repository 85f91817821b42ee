"""Comparisons and choices, of values of one kind each."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from services.executor.engines.expressible import NotExpressible
from services.executor.engines.spellings import comparable
from services.executor.pushdown import times
from services.executor.pushdown.target import Target
from services.executor.pushdown.words import (
    is_day,
    is_float,
    is_moment,
    is_nothing,
    is_number,
    is_text,
    is_truth,
    kind_of,
)

_TYPES = exp.DataType.Type
_MOST_LISTED = 500


def sort_of(value: exp.Expr) -> str:
    """text, time, truth or number; nothing for NULL. Raises NotExpressible for others."""
    if is_nothing(value):
        return "nothing"
    for name, test in (("text", is_text), ("truth", is_truth), ("number", is_number)):
        if test(value):
            return name
    if is_day(value) or is_moment(value):
        return "time"
    raise NotExpressible("a value whose type is not known")


def alike(target: Target, values: Iterable[exp.Expr]) -> None:
    """Make values that stand in one place of one type. Raises NotExpressible."""
    given = [value for value in values if not is_nothing(value)]
    sorts = {sort_of(value) for value in given}
    if len(sorts) > 1:
        raise NotExpressible("values of several kinds in one place")
    to = ""
    if sorts == {"number"} and len({kind_of(v) for v in given}) > 1:
        mixed = any(is_float(value) for value in given)
        to = "double" if mixed else ""
    elif sorts == {"time"} and any(is_moment(value) for value in given):
        to = "moment"
    for value in given if to else ():
        already = is_float(value) if to == "double" else is_moment(value)
        if not already:
            value.replace(target.cast(value.copy(), to))


def compared(target: Target, node: exp.Expr) -> exp.Expr:
    """A comparison, with texts that stand for a time or number made one. Raises NotExpressible."""
    comparable(node)
    for name in ("this", "expression"):
        value, other = node.args[name], node.args["this" if name == "expression" else "expression"]
        if is_text(value) and not is_text(other) and not is_nothing(other):
            node.set(name, _coerce_value(target, value, other))
    ends = [node.this, node.expression]
    if "truth" in {sort_of(end) for end in ends} and type(node) not in (exp.EQ, exp.NEQ):
        raise NotExpressible("truths in an order")
    alike(target, ends)
    return exp.paren(node)


def _coerce_value(target: Target, value: exp.Expr, other: exp.Expr) -> exp.Expr:
    if is_day(other) or is_moment(other):
        return times.moment_of(target, value.name)
    if is_number(other) and isinstance(value, exp.Literal):
        return target.cast(value, "double")
    raise NotExpressible("text that is compared with another type")


def between(target: Target, node: exp.Expr) -> exp.Expr:
    """BETWEEN, as two comparisons."""
    low = exp.GTE(this=node.this.copy(), expression=node.args["low"])
    high = exp.LTE(this=node.this.copy(), expression=node.args["high"])
    return exp.paren(exp.And(this=compared(target, low), expression=compared(target, high)))


def within(target: Target, node: exp.Expr) -> exp.Expr:
    """IN a list, as comparisons; IN the rows of a query where only what holds counts."""
    if node.args.get("query") is not None:
        if not _only_what_holds(node):
            raise NotExpressible("IN the rows of a query, where NULL may mean otherwise")
        inner = node.args["query"].unnest().selects
        if len(inner) != 1 or sort_of(node.this) != sort_of(inner[0].unalias()):
            raise NotExpressible("IN rows of another type")
        return node
    if not node.expressions or len(node.expressions) > _MOST_LISTED:
        raise NotExpressible("IN a list of this length")
    tests = [
        compared(target, exp.EQ(this=node.this.copy(), expression=one.copy()))
        for one in node.expressions
    ]
    return exp.paren(_joined(tests))


def _joined(tests: list[exp.Expr]) -> exp.Expr:
    """Tests of which one is to hold, no deeper than need be."""
    if len(tests) == 1:
        return tests[0]
    half = len(tests) // 2
    return exp.Or(this=_joined(tests[:half]), expression=_joined(tests[half:]))


def _only_what_holds(node: exp.Expr) -> bool:
    above = node.parent
    while isinstance(above, (exp.And, exp.Or, exp.Paren)):
        above = above.parent
    return isinstance(above, (exp.Where, exp.Having))


def first_there(target: Target, node: exp.Expr) -> exp.Expr:
    """COALESCE."""
    alike(target, [node.this, *node.expressions])
    return node


def nothing_where(target: Target, node: exp.Expr) -> exp.Expr:
    """NULLIF."""
    if sort_of(node.this) != sort_of(node.expression) or is_truth(node.this):
        raise NotExpressible("nullif of values of several kinds")
    same = compared(target, exp.EQ(this=node.this.copy(), expression=node.expression.copy()))
    return exp.paren(exp.Case(ifs=[exp.If(this=same, true=exp.Null())], default=node.this))


def cases(target: Target, node: exp.Expr) -> exp.Expr:
    """CASE with conditions, or with a value that is compared."""
    subject = node.args.get("this")
    if subject is not None:
        for one in node.args["ifs"]:
            test = exp.EQ(this=subject.copy(), expression=one.this.copy())
            one.set("this", compared(target, test))
        node.set("this", None)
    default = node.args.get("default")
    results = [one.args["true"] for one in node.args["ifs"]]
    alike(target, [*results, *([default] if default is not None else [])])
    return exp.paren(node)


def case_of(target: Target, node: exp.Expr) -> exp.Expr:
    """if(condition, value, other), as CASE; what belongs to a CASE stays."""
    if isinstance(node.parent, exp.Case):
        return node
    made = exp.Case(
        ifs=[exp.If(this=node.this, true=node.args["true"])], default=node.args.get("false")
    )
    return cases(target, made)
