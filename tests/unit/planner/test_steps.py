"""A step that fails: at most three attempts, each with a changed call and the reason for it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import pytest_asyncio

from mesh.clock import HeldClock
from mesh.errors import AssayError
from mesh.ids import new_id
from mesh.storage.database import open_database
from services.planner.adapters.job_store import SqlJobStore
from services.planner.domain.analysis.past import Evidence
from services.planner.domain.analysis.planning import Repair, RepairInput
from services.planner.domain.calls import Frame, Observation, ObservationStatus, ToolCall
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.data_source import DataSource
from services.planner.domain.jobs.job import Job, JobState
from services.planner.domain.jobs.lease import Holder
from services.planner.domain.plan import Plan, PlanDraft, Subtask
from services.planner.domain.question import AnalysisRequest
from services.planner.domain.step import Step, StepState
from services.planner.jobs.collaborators import Collaborators, JobContext
from services.planner.jobs.steps import StepRunner
from services.planner.ports import AuditEvent
from services.planner.service import MIGRATIONS

NOW = datetime(2026, 3, 1, tzinfo=UTC)
CATEGORIES = ("sql_syntax", "type_mismatch", "missing_column", "resource_exhausted")
NO_TABLES = Catalogue(tables=())

Answering = Callable[[ToolCall], Observation]


def observed(call: ToolCall, category: str = "") -> Observation:
    """What a call gives: a frame of three rows, or a failure of that category."""
    failed = {"error_category": category, "error_message": f"bad: {call.arguments['query']}"}
    frame = Frame(
        name=call.task_id, schema_base64="", rows=3, columns=1, bytes=8, digest=call.call_id * 2
    )
    return Observation(
        observation_id=new_id(),
        call_id=call.call_id,
        status=ObservationStatus.ERROR if category else ObservationStatus.SUCCESS,
        execution_time_seconds=0.01,
        timestamp=NOW,
        **(failed if category else {"frame": frame, "row_count": 3}),
    )


class ScriptedTools:
    """An executor that answers as it is told; a call without an answer runs until it is stopped."""

    def __init__(self, answer: Callable[[ToolCall], Observation | None]) -> None:
        self.answer = answer
        self.ran: list[ToolCall] = []
        self.stopped: list[str] = []
        self.busy = asyncio.Event()
        self.rows: pa.Table | None = None

    async def read(self, frame: Frame) -> pa.Table | None:
        return self.rows

    async def execute(
        self, request: AnalysisRequest, call: ToolCall, inputs: Mapping[str, Frame]
    ) -> AsyncGenerator[str | Observation]:
        self.ran.append(call)
        yield "working"
        answer = self.answer(call)
        if answer is None:
            self.busy.set()
            await asyncio.Event().wait()
        else:
            yield answer

    async def cancel(self, call_id: str) -> None:
        self.stopped.append(call_id)


class ScriptedReasoner:
    """Repairs by counting up, `repairs` times; then knows no better."""

    name = "scripted"

    def __init__(self, repairs: int = 9) -> None:
        self.repairs = repairs
        self.asked: list[RepairInput] = []

    async def repair(self, given: RepairInput) -> Repair | None:
        self.asked.append(given)
        if len(self.asked) > self.repairs:
            return None
        query = f"try {len(self.asked) + 1}"
        reason = f"{given.observation.error_category}: {given.call.arguments['query']} → {query}"
        return Repair(arguments={"query": query}, reason=reason, caveat=f"changed to {query}")


class Recorded:
    """An audit log that keeps what is appended, once an id."""

    def __init__(self) -> None:
        self.events: dict[str, AuditEvent] = {}

    async def append(self, request_id: str, events: Sequence[AuditEvent]) -> int:
        for event in events:
            self.events.setdefault(event.entry_id, event)
        return len(self.events)

    def of(self, event_type: str) -> list[dict[str, Any]]:
        return [e.event_data for e in self.events.values() if e.event_type == event_type]


class Bench:
    """A job with one step `load`, or more, and everything its runner works with."""

    def __init__(self, jobs: SqlJobStore) -> None:
        self.jobs = jobs
        self.audit = Recorded()
        self.reasoner = ScriptedReasoner()
        self.parallel_steps = 4
        self.job = Job(
            job_id="",
            tenant="ann",
            state=JobState.SUBMITTED,
            request=_request(new_id()),
            created_at=NOW,
            updated_at=NOW,
        )

    async def planned(self, *subtasks: Subtask) -> None:
        draft = PlanDraft(subtasks=subtasks, reasoning="as asked", answer_task="load")
        request = self.job.request
        job = self.job.model_copy(update={"job_id": request.request_id})
        job, lease = await self.jobs.create(job, Holder("a" * 32, 3.0))
        assert lease is not None
        self.writer = self.jobs.under(lease)
        job = await self.writer.save(job.model_copy(update={"state": JobState.PLANNING}))
        plan = Plan(plan_id=new_id(), request_id=job.job_id, draft=draft, created_at=NOW)
        steps = tuple(
            Step(task_id=t.task_id, description=t.description, tool_name=t.tool_name)
            for t in subtasks
        )
        update = {"state": JobState.EXECUTING, "plan": plan, "steps": steps}
        self.job = await self.writer.save(job.model_copy(update=update))

    async def run(self, tools: ScriptedTools) -> dict[str, Evidence]:
        with_ = Collaborators(
            self.jobs,
            tools,  # type: ignore[arg-type]
            None,  # type: ignore[arg-type]
            self.audit,  # type: ignore[arg-type]
            self.reasoner,  # type: ignore[arg-type]
            parallel_steps=self.parallel_steps,
        )
        runner = StepRunner(with_, JobContext(self.writer, HeldClock(NOW), lambda: None))
        job = await self.jobs.get("ann", self.job.job_id)
        self.job, evidence = await runner.run(job, NO_TABLES)
        return evidence


def _request(request_id: str) -> AnalysisRequest:
    source = DataSource(file_path="orders.csv")
    return AnalysisRequest(
        request_id=request_id, intent="how many", data_sources=(source,), timestamp=NOW
    )


def subtask(task_id: str = "load", *needs: str) -> Subtask:
    return Subtask(
        task_id=task_id,
        description=f"do {task_id}",
        tool_name="sql.run",
        arguments={"query": "try 1"},
        dependencies=needs,
    )


@pytest_asyncio.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    url = f"sqlite:///{tmp_path / 'jobs.sqlite'}"
    database = await asyncio.to_thread(open_database, url, MIGRATIONS)
    yield Bench(SqlJobStore(database, HeldClock(NOW)))
    await database.close()


@pytest.mark.parametrize("category", CATEGORIES)
async def test_a_failed_call_is_changed_and_tried_again_with_the_reason(
    bench: Bench, category: str
) -> None:
    await bench.planned(subtask())
    tools = ScriptedTools(lambda call: observed(call, category if call.attempt_number < 3 else ""))
    evidence = await bench.run(tools)
    assert [call.arguments["query"] for call in tools.ran] == ["try 1", "try 2", "try 3"]
    assert [call.attempt_number for call in tools.ran] == [1, 2, 3]
    assert tools.ran[0].change_reason == ""
    assert all(call.change_reason.startswith(category) for call in tools.ran[1:])
    assert evidence["load"].caveats == ("changed to try 2", "changed to try 3")
    assert bench.job.steps[0].state is StepState.DONE
    assert bench.job.steps[0].attempt == 3
    decisions = await bench.jobs.decisions(bench.job.job_id)
    assert [decision.reason for decision in decisions] == [c.change_reason for c in tools.ran[1:]]
    told = [(d["attempt_number"], d["change_reason"]) for d in bench.audit.of("tool_called")]
    assert told == [(call.attempt_number, call.change_reason) for call in tools.ran]


@pytest.mark.parametrize("category", CATEGORIES)
async def test_after_three_attempts_a_step_has_failed(bench: Bench, category: str) -> None:
    await bench.planned(subtask(), subtask("chart", "load"))
    tools = ScriptedTools(lambda call: observed(call, category))
    assert await bench.run(tools) == {}
    assert len(tools.ran) == 3
    assert len(bench.reasoner.asked) == 2
    states = {step.task_id: step.state for step in bench.job.steps}
    assert states == {"load": StepState.FAILED, "chart": StepState.SKIPPED}
    seen = bench.audit.of("observation_recorded")
    assert [entry["error_category"] for entry in seen] == [category] * 3


async def test_a_step_that_no_change_could_mend_is_not_tried_again(bench: Bench) -> None:
    bench.reasoner.repairs = 0
    await bench.planned(subtask())
    tools = ScriptedTools(lambda call: observed(call, "policy_denied"))
    await bench.run(tools)
    assert len(tools.ran) == 1
    assert bench.job.steps[0].state is StepState.FAILED


async def test_a_runner_that_was_stopped_goes_on_with_the_call_it_was_at(bench: Bench) -> None:
    await bench.planned(subtask())
    first = ScriptedTools(
        lambda call: observed(call, "sql_syntax") if call.attempt_number == 1 else None
    )
    running = asyncio.create_task(bench.run(first))
    await first.busy.wait()
    running.cancel("stopping")
    await asyncio.wait([running])
    assert first.stopped == [first.ran[1].call_id]
    second = ScriptedTools(observed)
    evidence = await bench.run(second)
    assert [call.call_id for call in second.ran] == [first.ran[1].call_id]
    assert evidence["load"].caveats == ("changed to try 2",)
    assert len(bench.reasoner.asked) == 1
    assert len(bench.audit.of("tool_called")) == 2


async def test_a_step_that_was_completed_does_not_run_again(bench: Bench) -> None:
    await bench.planned(subtask(), subtask("chart", "load"))
    first = ScriptedTools(lambda call: observed(call) if call.task_id == "load" else None)
    running = asyncio.create_task(bench.run(first))
    await first.busy.wait()
    running.cancel("stopping")
    await asyncio.wait([running])
    second = ScriptedTools(observed)
    evidence = await bench.run(second)
    assert list(evidence) == ["load", "chart"]
    assert Counter(call.task_id for call in first.ran + second.ran) == {"load": 1, "chart": 2}
    assert bench.job.steps[1].state is StepState.DONE


async def test_steps_that_do_not_need_each_other_run_at_the_same_time(bench: Bench) -> None:
    await bench.planned(subtask(), subtask("left", "load"), subtask("right", "load"))
    meeting = asyncio.Barrier(2)

    class Meeting(ScriptedTools):
        async def execute(
            self, request: AnalysisRequest, call: ToolCall, inputs: Mapping[str, Frame]
        ) -> AsyncGenerator[str | Observation]:
            if call.task_id != "load":
                assert set(inputs) == {"load"}
                async with asyncio.timeout(10):
                    await meeting.wait()
            yield observed(call)

    evidence = await bench.run(Meeting(observed))
    assert list(evidence) == ["load", "left", "right"]


async def test_a_result_of_several_rows_where_one_was_to_come_is_not_accepted(bench: Bench) -> None:
    one = subtask().model_copy(update={"invariants": ("exactly one row",)})
    await bench.planned(one, subtask("chart", "load"))
    tools = ScriptedTools(observed)
    assert await bench.run(tools) == {}
    assert len(tools.ran) == 1  # the call was right: another would give the same
    load, chart = bench.job.steps
    assert load.state is StepState.FAILED and chart.state is StepState.SKIPPED
    assert load.detail == "it was to give exactly one row, and gave 3"
    again = await bench.run(ScriptedTools(observed))  # after a crash it is judged the same
    assert again == {} and bench.job.steps[0].state is StepState.FAILED


async def test_rows_are_read_where_a_criterion_is_about_them(bench: Bench) -> None:
    grain = subtask().model_copy(update={"invariants": ("one row for each region",)})
    await bench.planned(grain)
    tools = ScriptedTools(observed)
    tools.rows = pa.table({"region": ["North", "North", "South"]})
    assert await bench.run(tools) == {}
    (load,) = bench.job.steps
    assert load.detail == "it was to have one row for each region, and has 3 rows for 2"


@pytest.mark.parametrize("failing", [3, 4])
async def test_a_job_is_given_up_when_more_tasks_failed_than_may(
    bench: Bench, failing: int
) -> None:
    parts = [subtask(f"part_{number}") for number in range(failing)]
    await bench.planned(*parts, subtask(), subtask("chart", "load"))
    bench.reasoner.repairs, bench.parallel_steps = 0, 1  # one after the other, as they are planned
    tools = ScriptedTools(
        lambda call: observed(call, "sql_syntax" if call.task_id.startswith("part") else "")
    )
    if failing == 3:
        assert set(await bench.run(tools)) == {"load", "chart"}
        return
    with pytest.raises(AssayError, match="4 steps failed, where at most 3 may; step part_0"):
        await bench.run(tools)
    ended = await bench.jobs.get("ann", bench.job.job_id)
    states = {step.task_id: step.state for step in ended.steps}
    assert states["load"] is StepState.DONE and states["chart"] is StepState.SKIPPED
