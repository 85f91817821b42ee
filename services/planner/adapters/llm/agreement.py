"""Whether two plans answer a question alike: by the rows of their queries, where these can be run.

Names, order and spelling do not matter. Where the data cannot be asked the queries themselves are
compared: two that differ may still give equal rows, and then their agreement goes unseen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.normalize_identifiers import normalize_identifiers
from sqlglot.optimizer.qualify import qualify
from sqlglot.optimizer.simplify import simplify

from mesh.errors import AssayError
from services.planner.domain.analysis.planning import PlanningInput
from services.planner.domain.analysis.repairing.queries import DIALECT, statement
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.evidence import PATIENT_LIMITS, ProbedQuery, ProbeState
from services.planner.domain.plan import PlanDraft

_SQL = "sql.run"


@dataclass(frozen=True, slots=True)
class Compared:
    """What came of two plans: whether they give the same, and why the second fails, if it does."""

    same: bool
    fails: str = ""


async def compared(left: PlanDraft, right: PlanDraft, given: PlanningInput) -> Compared:
    """Run the query of each plan, where each has one, and compare what they give."""
    queries = [_query(draft) for draft in (left, right)]
    first, second = queries
    if given.evidence is None or first is None or second is None:
        return Compared(agree(left, right, given.catalogue))
    try:
        ours, theirs = await given.evidence([first, second], PATIENT_LIMITS)
    except AssayError:
        return Compared(agree(left, right, given.catalogue))
    if theirs.state is ProbeState.FAILED:
        return Compared(same=False, fails=theirs.reason)
    if ours.state is not ProbeState.OK or theirs.state is not ProbeState.OK:
        return Compared(agree(left, right, given.catalogue))
    results = {(told.rows, told.multiset_digest, len(told.columns)) for told in (ours, theirs)}
    return Compared(len(results) == 1)


def agree(left: PlanDraft, right: PlanDraft, catalogue: Catalogue) -> bool:
    """Whether the queries of two plans read the question alike."""
    readings = [_reading(draft, catalogue) for draft in (left, right)]
    return None not in readings and readings[0] == readings[1]


def _query(draft: PlanDraft) -> ProbedQuery | None:
    """The one query of a plan that does nothing else to rows; None for any other."""
    queries = [task.arguments for task in draft.subtasks if task.tool_name == _SQL]
    reshaped = any(task.tool_name == "df.transform" for task in draft.subtasks)
    if len(queries) != 1 or reshaped:
        return None
    return ProbedQuery(
        sql=str(queries[0].get("query", "")), params=tuple(queries[0].get("params") or ())
    )


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
