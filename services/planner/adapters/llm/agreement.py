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
from services.planner.domain.evidence import PATIENT_LIMITS, Outcome, ProbedQuery, ProbeState
from services.planner.domain.plan import PlanDraft

_SQL, _TEST = "sql.run", "stats.test"


@dataclass(frozen=True, slots=True)
class Compared:
    """What came of two plans: whether they give the same, and what is wrong with the second, if
    anything: that it cannot be run, or finds nothing where the first finds something."""

    same: bool
    fails: str = ""


async def compared(left: PlanDraft, right: PlanDraft, given: PlanningInput) -> Compared:
    """Run the query of each plan, where each has one, and compare what they give."""
    first, second = _query(left), _query(right)
    if given.evidence is None or first is None or second is None:
        return Compared(agree(left, right, given.catalogue))
    try:
        ours, theirs = await given.evidence([first, second], PATIENT_LIMITS)
    except AssayError:
        return Compared(agree(left, right, given.catalogue))
    if theirs.state is ProbeState.FAILED:
        return Compared(same=False, fails=f"cannot be run: {theirs.reason}")
    if ours.state is not ProbeState.OK or theirs.state is not ProbeState.OK:
        return Compared(agree(left, right, given.catalogue))
    if _finds_nothing(theirs) and not _finds_nothing(ours):
        return Compared(same=False, fails="finds nothing")
    if _tested(left) != _tested(right):
        return Compared(same=False)
    results = {(told.rows, told.multiset_digest, len(told.columns)) for told in (ours, theirs)}
    return Compared(len(results) == 1)


def agree(left: PlanDraft, right: PlanDraft, catalogue: Catalogue) -> bool:
    """Whether the queries of two plans read the question alike."""
    readings = [_reading(draft, catalogue) for draft in (left, right)]
    same_test = _tested(left) == _tested(right)
    return same_test and None not in readings and readings[0] == readings[1]


def _query(draft: PlanDraft) -> ProbedQuery | None:
    """The query that a plan's answer is, or that it is tested on; None where anything else is done
    to rows. Steps beside the answer tell of it and do not count."""
    arguments = _asked(draft)
    if arguments is None:
        return None
    return ProbedQuery(
        sql=str(arguments.get("query", "")), params=tuple(arguments.get("params") or ())
    )


def _asked(draft: PlanDraft) -> dict[str, Any] | None:
    tasks = {task.task_id: task for task in draft.subtasks}
    answer = tasks.get(draft.answer_task)
    if answer is not None and answer.tool_name == _TEST:
        answer = tasks.get(str(answer.arguments.get("input", "")))
    return answer.arguments if answer is not None and answer.tool_name == _SQL else None


def _tested(draft: PlanDraft) -> str:
    """The test that a plan's answer is; empty for rows as they are."""
    answer = next((task for task in draft.subtasks if task.task_id == draft.answer_task), None)
    tested = answer is not None and answer.tool_name == _TEST
    return str(answer.arguments.get("test", "")) if answer is not None and tested else ""


def _finds_nothing(told: Outcome) -> bool:
    """No row, or one that is empty."""
    empty = all(column.empty_share == 1 for column in told.columns)
    return told.rows == 0 or (told.rows == 1 and bool(told.columns) and empty)


def _reading(draft: PlanDraft, catalogue: Catalogue) -> frozenset[str] | None:
    arguments = _asked(draft)
    tree = statement(str(arguments.get("query", ""))) if arguments is not None else None
    if arguments is None or tree is None:
        return None
    _fill(tree, arguments.get("params") or [])
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
