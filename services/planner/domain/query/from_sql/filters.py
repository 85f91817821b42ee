"""Conditions of a form as the filters of an intent."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Any, Literal

from services.planner.domain.query.filters import (
    Against,
    Condition,
    Field,
    Filter,
    Group,
    Membership,
)
from services.planner.domain.query.from_sql import moments
from services.planner.domain.query.from_sql.nodes import Node, NotExpressibleError
from services.planner.domain.query.kinds import Operator

_OPERATORS = {
    "eq": Operator.EQUAL,
    "gt": Operator.GREATER,
    "ge": Operator.AT_LEAST,
    "lt": Operator.LESS,
    "le": Operator.AT_MOST,
}
_LIKE = {
    "contains": Operator.CONTAINS,
    "starts": Operator.STARTS_WITH,
    "ends": Operator.ENDS_WITH,
}


def field_of(node: Node) -> Field:
    """A column. Raises NotExpressibleError for anything else."""
    if node.op != "column":
        raise NotExpressibleError(f"{node.op} in place of a column")
    return Field(table=node.parts[0], column=node.parts[1])


def filters_of(conditions: Iterable[Node]) -> tuple[Filter, ...]:
    """The filters that all hold: the two ends of a span of time are one."""
    left = sorted(conditions, key=repr)
    found: list[Filter] = []
    while left:
        one = left.pop(0)
        other = next((two for two in left if _is_span(one, two)), None)
        if other is not None:
            left.remove(other)
            ends = sorted((one, other), key=lambda end: end.op != "ge")
            found.append(Group(connective="and", members=tuple(map(filter_of, ends))))
        else:
            found.append(filter_of(one))
    return tuple(found)


def filter_of(node: Node) -> Filter:
    """A condition as a filter. Raises NotExpressibleError for one that no intent says."""
    if node.op in ("and", "or"):
        connective: Literal["and", "or"] = "and" if node.op == "and" else "or"
        inner = node.parts if node.op == "or" else ()
        parts = tuple(map(filter_of, inner)) if inner else filters_of(node.parts)
        if len(parts) == 1:
            return parts[0]
        return Group(connective=connective, members=parts)
    if node.op == "not":
        return _absent(node.parts[0])
    if node.op == "in":
        of, values = node.parts
        contents = tuple(map(_value, values))
        if len(contents) == 1:
            field = field_of(of.parts[0] if of.op == "as number" else of)
            return Condition(field=field, operator=Operator.EQUAL, values=_exact(contents))
        return Condition(field=field_of(of), operator=Operator.IN, values=contents)
    if node.op in ("missing", "present"):
        return _there(node)
    if node.op == "like":
        of, (how, text) = node.parts
        return Condition(field=field_of(of), operator=_LIKE[how], values=(text,))
    if node.op == "related":
        return _membership(node, absent=False)
    if node.op in _OPERATORS:
        return _compared(node)
    raise NotExpressibleError(f"no condition: {node.op}")


def _there(node: Node) -> Filter:
    of: Node = node.parts[0]
    if of.op == "as number" and node.op == "missing":
        return Condition(field=field_of(of.parts[0]), operator=Operator.NOT_A_NUMBER)
    operator = Operator.IS_NULL if node.op == "missing" else Operator.NOT_NULL
    return Condition(field=field_of(of), operator=operator)


def _absent(node: Node) -> Filter:
    """What holds not."""
    if node.op == "related":
        return _membership(node, absent=True)
    if node.op == "in":
        of, values = node.parts
        contents = tuple(map(_value, values))
        operator = Operator.NOT_EQUAL if len(contents) == 1 else Operator.NOT_IN
        return Condition(field=field_of(of), operator=operator, values=contents)
    if node.op == "like" and node.parts[1][0] == "contains":
        of, (_, text) = node.parts
        return Condition(field=field_of(of), operator=Operator.NOT_CONTAINS, values=(text,))
    if node.op == "eq":
        return _set_against(Operator.NOT_EQUAL, *node.parts)
    raise NotExpressibleError(f"no condition: not {node.op}")


def _compared(node: Node) -> Filter:
    left, right = node.parts
    operator = _OPERATORS[node.op]
    if right.op == "overall":
        return _than_average(operator, left, right)
    if right.op in ("column", "product"):
        return _set_against(operator, left, right)
    of = left.parts[0] if left.op == "as number" else left
    value = _value(right)
    day = isinstance(value, date) and operator in (Operator.GREATER, Operator.AT_MOST)
    # A day means all of it there: what is compared with its first moment names that.
    values = _exact((value,)) if day else (value,)
    return Condition(field=field_of(of), operator=operator, values=values)


def _exact(values: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(f"{v} 00:00:00" if isinstance(v, date) else v for v in values)


def _set_against(operator: Operator, left: Node, right: Node) -> Filter:
    factor = 1.0
    if right.op == "product" and len(right.parts) == 2:
        numbers = [one for one in right.parts if one.op == "number"]
        if len(numbers) != 1:
            raise NotExpressibleError("a column beside several others")
        factor = float(numbers[0].parts[0])
        right = next(one for one in right.parts if one.op != "number")
    return Against(field=_number(left), operator=operator, other=_number(right), factor=factor)


def _number(node: Node) -> Field:
    return field_of(node.parts[0] if node.op == "as number" else node)


def _than_average(operator: Operator, left: Node, right: Node) -> Filter:
    whole, tables, where = right.parts
    field = _number(left)
    alone = tables == (field.table,) and whole == Node("avg", (left, None))
    if not alone:
        raise NotExpressibleError("a number over other rows")
    among = filters_of(where)
    tied: Filter | None = among[0] if among else None
    if len(among) > 1:
        tied = Group(connective="and", members=among)
    return Condition(field=field, operator=operator, than_average=True, among=tied)


def _membership(node: Node, *, absent: bool) -> Filter:
    """Whether there are related rows, by the reference between two tables."""
    left, gives, tables, where, _ = node.parts
    of, to = field_of(left), field_of(gives)
    if tables != (to.table,) or of.table == to.table:
        raise NotExpressibleError("rows related by way of others")
    inner = filters_of(where)
    tied: Filter | None = inner[0] if len(inner) == 1 else None
    if len(inner) > 1:
        tied = Group(connective="and", members=inner)
    return Membership(table=of.table, related=to.table, absent=absent, where=tied)


def _is_span(one: Node, other: Node) -> bool:
    if {one.op, other.op} != {"ge", "lt"} or one.parts[0] != other.parts[0]:
        return False
    return moments.span_of((one, other), one.parts[0]) is not None


def _value(node: Node) -> Any:
    """A number, a text, whether something holds, or a day; a moment of a day is its text."""
    if node.op == "moment":
        return moments.day_of(node) or node.parts[0]
    if node.op not in ("number", "text", "flag"):
        raise NotExpressibleError(f"{node.op} in place of a value")
    return node.parts[0]
