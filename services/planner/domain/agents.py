"""Planners and workers as seed 004 keeps them: what their fields say of a job and its steps."""

from __future__ import annotations

from collections.abc import Sequence

from services.planner.domain.causal.request import CausalRequest
from services.planner.domain.investigation.iteration import MAX_ITERATIONS
from services.planner.domain.investigation.request import InvestigationRequest
from services.planner.domain.jobs.kinds import Work
from services.planner.domain.plan import Subtask
from services.planner.domain.step import Step, StepState

_FAILED_TASKS = 3
"""How many tasks of one part of a job's work may fail."""
_CAUSAL_AGENTS = 13
_TO_BE_FILLED = "[to be filled]"
_STATE_TEXTS = {StepState.FAILED: "It failed: ", StepState.SKIPPED: "It was left out: "}


def instruction_of(request: Work) -> str:
    """What a person said beside the question: background, suspicions, corrections."""
    if isinstance(request, InvestigationRequest):
        return "\n\n".join(filter(None, (request.business_context, request.investigation_prompt)))
    if isinstance(request, CausalRequest):
        return ""
    return "\n".join((*request.corrections, *([request.choice] if request.choice else [])))


def failed_task_limit_of(request: Work) -> int:
    """How many of a job's tasks may fail before it is given up: three for each domain that a
    question is put to, each iteration of an investigation, and each agent of a causal study."""
    if isinstance(request, InvestigationRequest):
        return _FAILED_TASKS * MAX_ITERATIONS
    if isinstance(request, CausalRequest):
        return _FAILED_TASKS * _CAUSAL_AGENTS
    return _FAILED_TASKS * max(1, len(request.domains))


def execution_plan_of(reasoning: str, subtasks: Sequence[Subtask]) -> str:
    """A plan in Markdown: why it is so, and its steps with what must hold of each."""
    lines = [reasoning, ""]
    for number, task in enumerate(subtasks, 1):
        after = f", after {', '.join(task.dependencies)}" if task.dependencies else ""
        lines.append(f"{number}. **{task.task_id}** ({task.tool_name}{after}): {task.description}")
        lines += [f"   - {criterion}" for criterion in task.invariants]
    return "\n".join(lines).strip()


def wip_answer(question: str, steps: Sequence[Step]) -> str:
    """The answer as far as it is: a heading a step, filled as steps end."""
    parts = [f"# {question}"]
    for step in steps:
        text = _TO_BE_FILLED
        if step.state.final:
            text = f"{_STATE_TEXTS.get(step.state, '')}{step.detail or 'done'}"
        parts.append(f"## {step.description}\n{text}")
    return "\n\n".join(parts)
