"""Whether two plans answer a question alike: by the rows of their queries, never by their text."""

from __future__ import annotations

from typing import Any

from services.planner.domain.analysis.planning import PlanningInput
from services.planner.domain.evidence import Outcome, ProbedQuery
from services.planner.domain.plan import PlanDraft
from services.planner.domain.proposals.agreeing import Beside, beside
from services.planner.domain.proposals.widening import widened

_SQL, _TEST = "sql.run", "stats.test"


async def compared(ours: PlanDraft, theirs: PlanDraft, given: PlanningInput) -> Beside:
    """What the second plan gives beside the first. Of a plan that does anything else to rows than
    to test them nothing can be compared."""
    first, second = _query(ours), _query(theirs)
    if first is None or second is None:
        return Beside("not_compared", "it takes more than one statement")
    own, (found,) = await beside(first, [second], given.evidence)
    if (
        found.agrees
        and (more := _more(own, found))
        and not await _also_computes(first, second, given)
    ):
        # What only the second tells may be what was asked for, and nothing bears it out.
        columns = f"{more} column{'s' if more > 1 else ''}"
        return Beside(
            "differs", f"the same and {columns} more", f"the same without {columns}", found.outcome
        )
    if found.agrees and _tested(ours) != _tested(theirs):
        other = "another test of the same rows"
        return Beside("differs", other, other, found.outcome)
    return found


def _more(own: Outcome | None, found: Beside) -> int:
    """How many columns the second gives that the first does not."""
    if own is None or found.outcome is None:
        return 0
    return max(0, len(found.outcome.columns) - len(own.columns))


async def _also_computes(first: ProbedQuery, second: ProbedQuery, given: PlanningInput) -> bool:
    """Whether all that the second shows is what the first shows, or chooses and orders its rows
    by."""
    wide = widened(first.sql)
    if not wide:
        return False
    asked = first.model_copy(update={"sql": wide})
    own, (found,) = await beside(asked, [second], given.evidence)
    return found.agrees and not _more(own, found)


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
