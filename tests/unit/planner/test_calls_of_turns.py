"""The calls of a turn as a conversation tells them: by their server's names, running or pending."""

from __future__ import annotations

from datetime import UTC, datetime

from services.planner.domain.calls import ToolCall, call_id_of
from services.planner.domain.conversation.response import response_of
from services.planner.domain.jobs.job import Job, JobEvent, JobState
from services.planner.domain.plan import Plan, PlanDraft, Subtask
from services.planner.domain.question import AnalysisRequest
from services.planner.domain.routing.asked import CALL_TOOL, AskedDomain, DomainCallSpec
from services.planner.domain.step import Step, StepState

NOW = datetime(2026, 1, 2, tzinfo=UTC)
ASKED = AskedDomain(
    name="stock",
    display_name="Stock",
    question="units in stock",
    call=DomainCallSpec(server="warehouse", tool="stock_levels", digest="d" * 64),
)
LOAD = Subtask(
    task_id="load",
    description="ask stock",
    tool_name=CALL_TOOL,
    arguments={"domain": "stock", "tool": "stock_levels", "arguments": {"question": "units"}},
)
COUNT = Subtask(
    task_id="count",
    description="count",
    tool_name="df.transform",
    arguments={"operation": "count"},
    dependencies=("load",),
)


def test_a_turn_that_is_under_way_tells_calls_that_run_and_that_wait() -> None:
    plan = Plan(
        plan_id="1" * 32,
        request_id="0" * 32,
        created_at=NOW,
        draft=PlanDraft(subtasks=(LOAD, COUNT), reasoning="", answer_task="load"),
    )
    request = AnalysisRequest(
        request_id="0" * 32, intent="units in stock", timestamp=NOW, domains=(ASKED,)
    )
    steps = tuple(
        Step(task_id=one.task_id, description="", tool_name=one.tool_name, state=state)
        for one, state in ((LOAD, StepState.RUNNING), (COUNT, StepState.WAITING))
    )
    job = Job(
        job_id="0" * 32,
        tenant="ann",
        state=JobState.EXECUTING,
        request=request,
        created_at=NOW,
        updated_at=NOW,
        plan=plan,
        steps=steps,
    )
    running = ToolCall(
        call_id=call_id_of(plan.plan_id, "load", 1),
        plan_id=plan.plan_id,
        task_id="load",
        tool_name=CALL_TOOL,
        arguments=LOAD.arguments,
        timestamp=NOW,
    )
    told = JobEvent(
        sequence=1,
        timestamp=NOW,
        kind="progress",
        data={"percent": 10, "reason": "planned"},
    )
    response = response_of(job, [told], [(running, None)], None, since=0)
    assert response.partial
    first, second = response.tool_calls
    assert (first.tool_name, first.status) == ("stock_levels", "in_progress")
    assert first.input_params == {"question": "units"} and first.domain == "stock.stock_levels"
    assert (second.tool_name, second.status) == ("df.transform", "pending")
    assert second.tool_id == call_id_of(plan.plan_id, "count", 1)
