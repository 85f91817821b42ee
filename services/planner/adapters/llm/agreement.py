"""Whether two plans read a question alike: the same rows, grouped and computed the same way.

Names, order and spelling do not matter. Two queries that differ here may still give equal rows:
then their agreement goes unseen, and confidence is lower than it could be.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.normalize_identifiers import normalize_identifiers
from sqlglot.optimizer.qualify import qualify
from sqlglot.optimizer.simplify import simplify

from services.planner.domain.analysis.repairing.queries import DIALECT, statement
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.plan import PlanDraft

_SQL = "sql.run"


def agree(left: PlanDraft, right: PlanDraft, catalogue: Catalogue) -> bool:
    """Whether the queries of two plans read the question alike."""
    readings = [_reading(draft, catalogue) for draft in (left, right)]
    return None not in readings and readings[0] == readings[1]


def _reading(draft: PlanDraft, catalogue: Catalogue) -> frozenset[str] | None:
    queries = [task.arguments for task in draft.subtasks if task.tool_name == _SQL]
    if len(queries) != 1:
        return None
    tree = statement(str(queries[0].get("query", "")))
    if tree is None:
        return None
    _fill(tree, queries[0].get("params") or [])
    schema: dict[str, object] = {
        t.name: {c.name: "VARCHAR" for c in t.columns} for t in catalogue.tables
    }
    try:
        tree = qualify(normalize_identifiers(tree, dialect=DIALECT), schema=schema, dialect=DIALECT)
        return frozenset(_parts(tree))
    except (SqlglotError, RecursionError, ValueError):
        return None


def _fill(tree: exp.Expr, parameters: Sequence[Any]) -> None:
    """Put parameters where their question marks are."""
    places = sorted(tree.find_all(exp.Placeholder), key=lambda node: node.meta.get("start", 0))
    for place, value in zip(places, parameters, strict=False):
        place.replace(exp.convert(value))


def _parts(tree: exp.Expr) -> list[str]:
    names = {t.alias_or_name: t.name for t in tree.find_all(exp.Table)}
    for column in tree.find_all(exp.Column):
        column.set("table", exp.to_identifier(names.get(column.table, column.table)))
    parts = [f"table {name}" for name in names.values()]
    for select in tree.find_all(exp.Select):
        parts += [f"gives {_text(item.unalias())}" for item in select.expressions]
        group = select.args.get("group")
        parts += [f"by {_text(item)}" for item in (group.expressions if group else ())]
        for key in ("where", "having", "qualify"):
            if (condition := select.args.get(key)) is not None:
                whole = simplify(condition.this)
                each = whole.flatten() if isinstance(whole, exp.And) else [whole]
                parts += [f"{key} {_text(item)}" for item in each]
        if (limit := select.args.get("limit")) is not None:
            parts.append(f"limit {_text(limit)}")
            order = select.args.get("order")
            parts += [f"order {_text(item)}" for item in (order.expressions if order else ())]
    return parts


def _text(node: exp.Expr) -> str:
    return str(node.sql(dialect=DIALECT, comments=False)).casefold()
