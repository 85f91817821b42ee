"""What canonical forms of statements are made of, and the error of what has none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple


class NotExpressibleError(Exception):
    """A statement, or a part of one, that no intent says."""


class Node(NamedTuple):
    """An operation over other nodes, texts and numbers. Equal ones mean the same."""

    op: str
    parts: tuple[Any, ...] = ()


AGGREGATES = frozenset(
    (
        "count",
        "distinct",
        "sum",
        "avg",
        "min",
        "max",
        "median",
        "stddev",
        "variance",
        "quantile",
        "corr",
    )
)
"""Numbers of groups: each has what it is of, and the condition of the rows that count or None."""


def column(table: str, name: str) -> Node:
    """A column of a table, or of a copy of one."""
    return Node("column", (table, name))


def several(op: str, parts: Iterable[Node]) -> Node:
    """An operation in which the order of its parts means nothing."""
    return Node(op, tuple(sorted(parts, key=repr)))


def conjunction(parts: Iterable[Node]) -> Node:
    """All of these hold; of several equal ones each once."""
    flat = set[Node]()
    for part in parts:
        flat |= set(part.parts) if part.op == "and" else {part}
    return next(iter(flat)) if len(flat) == 1 else several("and", flat)


def members(node: Node) -> tuple[Node, ...]:
    """The conditions that all have to hold for one to hold."""
    return node.parts if node.op == "and" else (node,)


def within(node: Any) -> Iterator[Node]:
    """A node and every node in it."""
    if isinstance(node, Node):
        yield node
    for part in (node.parts if isinstance(node, Node) else node) if isinstance(node, tuple) else ():
        yield from within(part)


def has(node: Any, *ops: str) -> bool:
    """Whether any of these operations is in it."""
    return any(one.op in ops for one in within(node))


def tables_in(node: Any) -> frozenset[str]:
    """The tables whose columns it names."""
    return frozenset(one.parts[0] for one in within(node) if one.op == "column")


def aggregated(node: Any) -> bool:
    """Whether it is a number of groups."""
    return has(node, *AGGREGATES)
