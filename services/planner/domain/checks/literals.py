"""Values that a condition compares columns of the data with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from services.planner.domain.checks.statement import Block, Judged, Origin


@dataclass(frozen=True)
class Compared:
    """A column compared with a literal. `node` is the comparison, `literal` the value in it."""

    block: Block
    node: exp.Expr
    column: exp.Column
    origin: Origin
    literal: exp.Literal

    @property
    def negated(self) -> bool:
        """Whether rows that fulfil it are those that are left out."""
        above = self.node.parent
        while isinstance(above, exp.Paren):
            above = above.parent
        negative = isinstance(self.node, exp.NEQ) or bool(self.node.args.get("negate"))
        return negative or isinstance(above, exp.Not)


def compared(judged: Judged, *kinds: type[exp.Expr]) -> Iterator[Compared]:
    """Every comparison of these kinds of a column of the data with a literal, anywhere but over
    aggregates. For IN and BETWEEN each of the values is one."""
    for block in judged.blocks:
        for node in block.own(*kinds):
            for column, literal in _pairs(node):
                origin = block.origin(column)
                if origin is not None and not origin.through:
                    yield Compared(block, node, column, origin, literal)


def _pairs(node: exp.Expr) -> Iterator[tuple[exp.Column, exp.Literal]]:
    if isinstance(node, exp.In):
        others = list(node.expressions)
    elif isinstance(node, exp.Between):
        others = [node.args["low"], node.args["high"]]
    else:
        others = [node.expression] if isinstance(node.expression, exp.Expr) else []
    here = _bare(node.this)
    for other in others:
        there = _bare(other)
        if isinstance(here, exp.Column) and isinstance(there, exp.Literal):
            yield here, there
        elif isinstance(there, exp.Column) and isinstance(here, exp.Literal):
            yield there, here


def _bare(node: exp.Expr) -> exp.Expr:
    """What a comparison is about: without brackets, casts and a change of case."""
    inner = node.unnest()
    while isinstance(inner, exp.Cast | exp.TryCast | exp.Lower | exp.Upper | exp.Trim | exp.Date):
        inner = inner.this.unnest()
    return inner


def table_asked(origin: Origin, what: str, where: str = "", rest: str = "") -> str:
    """A question to the table of a column of the data."""
    condition = f" WHERE {where}" if where else ""
    return f"SELECT {what} FROM {quoted(origin.table.name)}{condition}{rest}"


def quoted(name: str) -> str:
    """A name as SQL has it."""
    return '"' + name.replace('"', '""') + '"'


def text(value: str) -> str:
    """A text as SQL has it."""
    return "'" + value.replace("'", "''") + "'"
