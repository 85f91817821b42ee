"""What would be done about a question, shown without doing it."""

from __future__ import annotations

from rich.text import Text

from assay.gateway.v1.job_service_pb2 import CreateJobRequest
from clients.python.cli.as_json import clarification_object, plan_object
from clients.python.cli.screen import Screen
from clients.python.cli.statements import show_statements
from clients.python.cli.unclear import asking_again, show_unclear
from clients.python.cli.words import duration, listed
from clients.python.client import AssayClient
from mesh.errors import ExitCode


async def show_plan(screen: Screen, client: AssayClient, request: CreateJobRequest) -> int:
    """Plan on the server and print the steps; the exit code. Raises AssayError."""
    planned = await client.plan(request)
    unclear = planned.HasField("clarification")
    if screen.as_json:
        screen.object(
            {
                "understood": planned.understood or None,
                "plan": plan_object(planned.plan) if planned.HasField("plan") else None,
                "clarification": clarification_object(planned.clarification) if unclear else None,
            }
        )
        return ExitCode.COULD_NOT_ANSWER if unclear else ExitCode.ANSWERED
    if planned.understood:
        screen.row("understood", planned.understood)
    if unclear:
        show_unclear(screen, planned.clarification, asking_again(planned.clarification))
        return ExitCode.COULD_NOT_ANSWER
    subtasks = planned.plan.subtasks
    task_width = max((len(subtask.task_id) for subtask in subtasks), default=0)
    tool_width = max((len(subtask.tool_name) for subtask in subtasks), default=0)
    for number, subtask in enumerate(subtasks):
        after = f"  after {listed(subtask.dependencies)}" if subtask.dependencies else ""
        line = Text.assemble(
            f"{number + 1:>2}  {subtask.task_id:<{task_width}}  ",
            (f"{subtask.tool_name:<{tool_width}}  ", "cyan"),
            subtask.description,
            (after, "dim"),
        )
        screen.row("" if number else "plan", line)
    show_statements(screen, subtasks)
    estimated = duration(planned.plan.total_estimated_cost.ToNanoseconds() / 1e9)
    screen.row("", f"nothing was run · estimated {estimated}", "dim")
    return ExitCode.ANSWERED
