"""Plans for questions that are put to domains: the call of a tool, and several parts as one plan.

Pure. What joins the parts' answers is decided once they are there (`joining_steps`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from services.planner.domain.analysis.deliver import with_files
from services.planner.domain.analysis.own_statement import rows_counted
from services.planner.domain.analysis.planning import PartPlan, Planning
from services.planner.domain.plan import PlanDraft, Subtask
from services.planner.domain.question import AnalysisRequest, Deliverable
from services.planner.domain.routing.asked import CALL_TOOL, AskedDomain
from services.planner.domain.routing.merging import JoinPlan

LOAD, FACTS = "load", "facts"
_LEFT_OUT = frozenset({"plot.render"})
"""Tools whose steps are for one answer alone: of several there is no chart."""
_NAMES_A_STEP = frozenset({"input", "right", "frame", "task"})
"""Arguments by which steps name the frames of others."""


def planned_call(domain: AskedDomain, request: AnalysisRequest, seconds: float) -> Planning:
    """The plan of a question that a tool elsewhere answers: one call, its rows counted, their file.

    A tool that takes no question gives all that it has, whatever was asked, which is said first.
    """
    call = domain.call
    if call is None:
        raise ValueError(f"{domain.name} is no tool")
    load = Subtask(
        task_id=LOAD,
        description=f"ask {domain.name}: {call.tool}",
        tool_name=CALL_TOOL,
        arguments={
            "domain": domain.name,
            "server": call.server,
            "tool": call.tool,
            "digest": call.digest,
            "arguments": call.arguments,
            "seconds": seconds,
        },
        invariants=("as the server answered",),
        estimated_cost_seconds=1.0,
    )
    draft = PlanDraft(
        subtasks=(load, rows_counted()),
        answer_task=LOAD,
        reasoning=f"{call.tool} of {domain.name} is asked, and its answer shown as it came.",
    )
    unheard = domain.question not in call.arguments.values()
    caveat = f"{call.tool} takes no question: this is all that it gives, whatever was asked."
    return Planning(
        understood=f"{domain.called}: {call.tool}",
        reason="a tool of the domain answers",
        # Whether it answers what was asked, nobody here can tell.
        confidence="low" if unheard else "medium",
        draft=with_files(draft, request.deliverables),
        domain=domain.name,
        decided_by="rules",
        caveats=(caveat,) if unheard else (),
    )


def planned_parts(
    parts: Sequence[tuple[AskedDomain, Planning]], prefix_of: Mapping[str, str]
) -> tuple[tuple[PartPlan, ...], PlanDraft]:
    """The plans of several domains as one, whose parts do not wait for one another.

    Until it is known what they gave, its answer is that of the first.
    """
    subtasks: list[Subtask] = []
    plans: list[PartPlan] = []
    for domain, planning in parts:
        if planning.draft is None:
            raise ValueError(f"there is no plan for {domain.name}")
        prefix = prefix_of[domain.name]
        kept = [task for task in planning.draft.subtasks if task.tool_name not in _LEFT_OUT]
        subtasks += [_renamed(task, prefix, {one.task_id for one in kept}) for task in kept]
        plans.append(
            PartPlan(
                domain=domain.name,
                prefix=prefix,
                understood=planning.understood,
                answer_task=f"{prefix}_{planning.draft.answer_task}",
                intent=planning.intent,
            )
        )
    why = f"{' and '.join(plan.domain for plan in plans)} are asked at the same time."
    draft = PlanDraft(
        subtasks=tuple(subtasks), reasoning=why, answer_task=plans[0].answer_task if plans else ""
    )
    return tuple(plans), draft


def _renamed(task: Subtask, prefix: str, ids: Collection[str]) -> Subtask:
    arguments = _with_names(task.arguments, prefix, ids)
    if task.tool_name == "table.write":
        arguments["file_name"] = f"{prefix}.csv"
    return task.model_copy(
        update={
            "task_id": f"{prefix}_{task.task_id}",
            "description": f"{prefix.replace('_', ' ')}: {task.description}",
            "arguments": arguments,
            "dependencies": tuple(f"{prefix}_{name}" for name in task.dependencies),
        }
    )


def _with_names(value: Any, prefix: str, ids: Collection[str]) -> Any:
    """Arguments in which the steps of a part are named as they are among all."""
    if isinstance(value, Mapping):
        return {
            name: f"{prefix}_{held}"
            if name in _NAMES_A_STEP and isinstance(held, str) and held in ids
            else _with_names(held, prefix, ids)
            for name, held in value.items()
        }
    if isinstance(value, list | tuple):
        return [_with_names(held, prefix, ids) for held in value]
    return value


def join_step(number: int, join: JoinPlan, left: str, right: str, suffix: str) -> Subtask:
    """The step that joins the frames of two others, keeping all rows of both."""
    on = [{"left": one, "right": other} for one, other in join.on]
    step = {"operation": "join", "right": right, "how": "full", "on": on, "suffix": f"_{suffix}"}
    names = " and ".join(one for one, _ in join.on)
    return Subtask(
        task_id=f"joined_{number}",
        description=f"{join.left} and {join.right} by {names}",
        tool_name="df.transform",
        arguments={"input": left, "steps": [step]},
        dependencies=(left, right),
        invariants=("all rows of both",),
        estimated_cost_seconds=0.05,
    )


def joined_file(answer_task: str, deliverables: Collection[Deliverable]) -> tuple[Subtask, ...]:
    """The step that writes a joined answer's table, where tables were asked for."""
    nothing = PlanDraft(subtasks=(), reasoning="", answer_task=answer_task)
    return with_files(nothing, deliverables).subtasks
