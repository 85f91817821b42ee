"""What a statement does, part by part, so that two statements can be told apart in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from sqlglot import exp

from services.planner.domain.catalogue import Catalogue, ColumnRole, Table
from services.planner.domain.checks.statement import Block, Judged, taken_apart
from services.planner.domain.proposals.worded import worded

PartKind = Literal["number", "split", "condition", "limit", "order"]


@dataclass(frozen=True)
class Part:
    """A number that a statement gives, what it is split by, a condition on rows or groups, how many
    rows are left, or what comes first. `text` is what two statements are compared by, `said` the
    same for people, `columns` which columns it is about."""

    kind: PartKind
    text: str
    wording: str
    columns: frozenset[str] = frozenset()


def parts_of(text: str, catalogue: Catalogue) -> tuple[Part, ...]:
    """The parts of a statement, each once; none of what cannot be taken apart."""
    judged = taken_apart(text, catalogue)
    if judged is None or not judged.blocks:
        return ()
    found = {(one.kind, one.text): one for one in _parts(judged)}
    return tuple(found.values())


def _parts(judged: Judged) -> Iterator[Part]:
    outer = judged.blocks[-1]
    groups = [node for block in judged.blocks for node in block.groups]
    split = {_text(block, node) for block in judged.blocks for node in block.groups}
    for item in outer.select.expressions:
        part = _part("number", outer, item.unalias(), judged)
        if part.text not in split:
            computed = "(" in part.wording and isinstance(item, exp.Alias)
            yield replace(part, wording=item.alias) if computed else part
    for block in judged.blocks:
        for node in block.groups:
            if not _only_tells_apart(block, node):
                yield _part("split", block, node, judged)
        for node in (*block.conditions, *_after_grouping(block)):
            if not _joins(node):
                yield _part("condition", block, node, judged)
        limit = block.select.args.get("limit")
        if limit is not None and limit.expression is not None:
            number = limit.expression.name
            yield Part("limit", number, f"the first {number}" if number != "1" else "the first")
    order = outer.select.args.get("order")
    if order is not None and (groups or outer.select.args.get("limit") is not None):
        for node in order.expressions:
            if _text(outer, node.this) not in split:
                yield _part("order", outer, node, judged)


def _only_tells_apart(block: Block, node: exp.Expr) -> bool:
    """Whether a group is the key of things that another group names."""
    origin = block.origin(node)
    if origin is None or origin.column.role is not ColumnRole.ID:
        return False
    others = (block.origin(other) for other in block.groups if other is not node)
    return any(
        one is not None and one.table is origin.table and one.column.role is not ColumnRole.ID
        for one in others
    )


def _part(kind: PartKind, block: Block, node: exp.Expr, judged: Judged) -> Part:
    whole = _whole(block, node)
    columns = frozenset(column.sql().casefold() for column in whole.find_all(exp.Column))
    return Part(kind, _sql(whole), worded(whole, judged.spelled), columns)


def _text(block: Block, node: exp.Expr) -> str:
    return _sql(_whole(block, node))


def _whole(block: Block, node: exp.Expr) -> exp.Expr:
    """A part with columns of queries inside put in their places, and tables by their own names."""
    copied = exp.Paren(this=node.copy())  # so that the node itself can be replaced
    for column in list(copied.find_all(exp.Column)):
        source = block.sources.get(column.table)
        if isinstance(source, Table):
            column.replace(exp.column(column.name.casefold(), table=source.name.casefold()))
        elif isinstance(source, Block) and (item := source.projection(column.name)) is not None:
            column.replace(_whole(source, item.unalias()))
        elif not column.table and (item := block.projection(column.name)) is not None:
            column.replace(_whole(block, item.unalias()))
    whole: exp.Expr = copied.this
    return whole


def _sql(node: exp.Expr) -> str:
    return str(node.sql(dialect="duckdb", comments=False)).casefold()


def _after_grouping(block: Block) -> Iterator[exp.Expr]:
    for key in ("having", "qualify"):
        if (condition := block.select.args.get(key)) is not None:
            yield from _and(condition.this)


def _and(node: exp.Expr) -> Sequence[exp.Expr]:
    inner = node.unnest()
    return [part.unnest() for part in inner.flatten()] if isinstance(inner, exp.And) else [inner]


def _joins(node: exp.Expr) -> bool:
    """Whether a condition only says which rows of two tables belong together."""
    sides = (node.this, node.expression) if isinstance(node, exp.EQ) else ()
    return bool(sides) and all(isinstance(side, exp.Column) for side in sides)
