"""Parts of canonical forms as people write them in SQL."""

from __future__ import annotations

from typing import Any

from services.planner.domain.query.from_sql import moments
from services.planner.domain.query.from_sql.nodes import Node

_SIGNS = {
    "eq": "=",
    "gt": ">",
    "ge": ">=",
    "lt": "<",
    "le": "<=",
    "over": "/",
    "minus": "-",
    "plus": "+",
}
_PATTERNS = {"contains": "%{}%", "starts": "{}%", "ends": "%{}"}


def spell(node: Any) -> str:
    """A node in one line."""
    if not isinstance(node, Node):
        return _literal(node)
    op, parts = node.op, node.parts
    if op == "column":
        return ".".join(parts)
    if op in ("number", "text", "flag"):
        return _literal(parts[0])
    if op == "moment":
        day = moments.day_of(node)
        return day.isoformat() if day is not None else str(parts[0])
    if op in _SIGNS:
        inner = _factor if op == "over" else spell
        return f"{inner(parts[0])} {_SIGNS[op]} {inner(parts[1])}"
    if op == "product":
        return " * ".join(map(_factor, parts))
    if op in ("and", "or"):
        return f" {op} ".join(map(spell, parts))
    if op == "in":
        return _among(parts[0], parts[1], "=", "in")
    if op == "not":
        inner = parts[0]
        if inner.op == "in":
            return _among(inner.parts[0], inner.parts[1], "<>", "not in")
        return f"not ({spell(inner)})"
    if op in ("missing", "present"):
        return f"{spell(parts[0])} is {'not ' if op == 'present' else ''}null"
    if op == "grain":
        return f"{parts[0]} of {spell(parts[1])}"
    if op == "like":
        return f"{spell(parts[0])} like '{_PATTERNS[parts[1][0]].format(parts[1][1])}'"
    return _called(op, parts)


def _factor(node: Any) -> str:
    """A part of a product or quotient, in brackets where it has parts of its own."""
    inner = isinstance(node, Node) and node.op in ("plus", "minus", "over")
    return f"({spell(node)})" if inner else spell(node)


def _called(op: str, parts: tuple[Any, ...]) -> str:
    """A number of groups, with the rows that count; anything else as a function."""
    if op == "count" and parts and parts[0] is None:
        return "count(*)" + _where(parts[1])
    if op == "distinct":
        return f"count(distinct {spell(parts[0])})" + _where(parts[1])
    if len(parts) == 2 and (parts[1] is None or isinstance(parts[1], Node)):
        return f"{op}({spell(parts[0])})" + _where(parts[1])
    return f"{op}({', '.join(map(spell, parts))})"


def _where(condition: Any) -> str:
    return f" where {spell(condition)}" if condition is not None else ""


def _among(of: Node, values: Any, one: str, several: str) -> str:
    texts = [spell(value) for value in values]
    if len(texts) == 1:
        return f"{spell(of)} {one} {texts[0]}"
    return f"{spell(of)} {several} ({', '.join(texts)})"


def _literal(value: Any) -> str:
    if isinstance(value, str):
        return f"'{value}'"
    if isinstance(value, tuple):
        return ", ".join(map(spell, value))
    return str(value)
