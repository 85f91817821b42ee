"""The statement in sight: the one that an earlier answer was, for what is said after it."""

from __future__ import annotations

from services.planner.domain.analysis.planning import Planning
from services.planner.domain.plan import Subtask
from services.planner.domain.statements.readable import QUERYING_TOOL, filled_in

_TEST = "stats.test"


def statement_in_sight(planning: Planning) -> str:
    """The query that a decision's answer is, or that it is tested on, with its parameters in their
    places, whoever proposed it; empty where the answer is no query's."""
    load = _asked(planning)
    if load is None:
        return ""
    query, params = str(load.arguments.get("query", "")), load.arguments.get("params") or ()
    return filled_in(query, params) if params else query


def _asked(planning: Planning) -> Subtask | None:
    draft = planning.draft
    tasks = {task.task_id: task for task in draft.subtasks} if draft is not None else {}
    answer = tasks.get(draft.answer_task) if draft is not None else None
    if answer is not None and answer.tool_name == _TEST:
        answer = tasks.get(str(answer.arguments.get("input", "")))
    return answer if answer is not None and answer.tool_name == QUERYING_TOOL else None
