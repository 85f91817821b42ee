"""How an answer was computed: each step in words, its attempts, and what it ran."""

from __future__ import annotations

import json
from collections.abc import Sequence

from mesh.text.spelling import capitalised
from services.planner.domain.calls import Observation, ToolCall
from services.planner.domain.reporting.blocks import Code, StepText
from services.planner.domain.reporting.prose import Origin, Prose, Quoted
from services.planner.domain.reporting.record import JobRecord
from services.planner.domain.statements.readable import statement_of
from services.planner.domain.step import Step, StepState

_ENDINGS = {
    StepState.FAILED: "failed",
    StepState.SKIPPED: "left out",
    StepState.RUNNING: "running",
    StepState.REPAIRING: "being repaired",
    StepState.WAITING: "waiting",
}


def proceedings(
    job: JobRecord, calls: Sequence[ToolCall], observations: Sequence[Observation]
) -> tuple[StepText, ...]:
    """The job's steps in the plan's order."""
    outcomes = {observation.call_id: observation for observation in observations}
    return tuple(
        _describe_step(
            step, [call for call in calls if call.task_id == step.task_id], job, outcomes
        )
        for step in job.steps
    )


def _describe_step(
    step: Step, calls: Sequence[ToolCall], job: JobRecord, outcomes: dict[str, Observation]
) -> StepText:
    ending = f" ({_ENDINGS[step.state]})" if step.state in _ENDINGS else ""
    title = Prose.of(_record(capitalised(step.description or step.task_id)), ending)
    details = [Prose.of(_record(_summary(step)))]
    details += [
        Prose.of("Must hold: ", _record("; ".join(task.invariants)), ".")
        for task in (job.plan.draft.subtasks if job.plan else ())
        if task.task_id == step.task_id and task.invariants
    ]
    for call in calls:
        if call.attempt_number > 1:
            details.append(
                Prose.of(_record(f"↻ attempt {call.attempt_number}: {call.change_reason}"))
            )
        outcome = outcomes.get(call.call_id)
        if outcome is not None and not outcome.succeeded:
            details.append(Prose.of("It failed: ", _record(outcome.error_message or "")))
    if step.state in (StepState.FAILED, StepState.SKIPPED) and step.detail:
        details.append(Prose.of(_record(step.detail)))
    return StepText(title, tuple(details), tuple(code for call in calls for code in _codes(call)))


def _summary(step: Step) -> str:
    parts = [f"{step.task_id}, {step.tool_name}"]
    if step.rows is not None:
        parts.append(f"{step.rows:,} {'row' if step.rows == 1 else 'rows'}")
        parts.append(f"{step.columns:,} {'column' if step.columns == 1 else 'columns'}")
    if step.attempt > 1:
        parts.append(f"{step.attempt} attempts")
    if step.state is StepState.DONE:
        parts.append(f"{step.elapsed_seconds * 1000:,.0f} ms")
    return " · ".join(parts)


def _codes(call: ToolCall) -> tuple[Code, ...]:
    """What a call ran; a query for reading first, then to the letter with its parameters."""
    name = f"call {call.call_id[:8]}, {call.tool_name}"
    statement = statement_of(call.tool_name, call.arguments)
    if statement is None:
        text = json.dumps(call.arguments, indent=2, sort_keys=True, ensure_ascii=False, default=str)
        return (Code(text, "json", folded=name),)
    others = {k: v for k, v in call.arguments.items() if k != "query" and v not in (None, [], {})}
    sentence = json.dumps(others, sort_keys=True, ensure_ascii=False, default=str)
    exact = f"{statement.query}\n-- {sentence}" if others else statement.query
    read = Code(statement.readable, "sql", folded=f"SQL of {name}")
    return (read, Code(exact, "sql", folded=f"{name}, to the letter"))


def _record(text: str) -> Quoted:
    return Quoted(text, Origin.RECORD)
