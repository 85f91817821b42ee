"""Planners and workers in tables, field by field of seed 004, on SQLite and on PostgreSQL."""

from __future__ import annotations

import asyncio
import base64
import json
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pytest
from sqlalchemy import inspect, text

from mesh.clock import HeldClock
from mesh.ids import new_id
from mesh.storage.database import Database, open_database
from services.planner.adapters.job_store import SqlJobStore
from services.planner.domain.calls import Artifact, Frame, Observation, ObservationStatus, ToolCall
from services.planner.domain.decision import Decision, DecisionKind
from services.planner.domain.jobs.job import Job, JobState
from services.planner.domain.model_use import ModelUse
from services.planner.domain.plan import Plan, PlanDraft, Subtask
from services.planner.domain.step import Step, StepState
from services.planner.store_ports import JobWriter
from tests.contract.jobs import MIGRATIONS, NOW, created, new_job
from tests.migrated import migrated

FIELDS = {
    "planners": "planner_id planner_name user_question instruction execution_plan model "
    "temperature failed_task_limit status agent_metadata schema_version created_at updated_at",
    "workers": "worker_id worker_name planner_id task_status task_description acceptance_criteria "
    "user_request wip_answer_template task_result querying_structured_data image_keys "
    "variable_keys tools input_variable_filepaths input_image_filepaths output_variable_filepaths "
    "output_image_filepaths tables agent_metadata schema_version created_at updated_at",
    "planner_messages": "message_id agent_id role content image timestamp",
    "worker_messages": "message_id agent_id role content image timestamp",
}
SCHEMA = pa.schema([("region", pa.string()), ("revenue", pa.float64())])


@dataclass
class Store:
    """A store, with a way to look at its rows."""

    jobs: SqlJobStore
    database: Database

    async def rows(self, table: str) -> list[dict[str, Any]]:
        query = text(f"SELECT * FROM {table}")
        return await self.database.reading(
            lambda session: [dict(row) for row in session.execute(query).mappings()]
        )


@pytest.fixture(params=["sqlite", "postgresql"])
async def store(request: pytest.FixtureRequest) -> AsyncIterator[Store]:
    url = migrated(request, MIGRATIONS)
    database = await asyncio.to_thread(open_database, url, MIGRATIONS)
    yield Store(SqlJobStore(database, HeldClock(NOW)), database)
    await database.close()


async def working(store: Store) -> tuple[Job, JobWriter]:
    """A job of two steps, the second of which reads what the first makes."""
    asked = new_job()
    request = asked.request.model_copy(update={"corrections": ("no, net revenue",)})
    job, lease = await created(store.jobs, asked.model_copy(update={"request": request}))
    writer = store.jobs.under(lease)
    job = await writer.save(job.model_copy(update={"state": JobState.PLANNING}))
    subtasks = (
        Subtask(
            task_id="load",
            description="query orders",
            tool_name="sql.run",
            arguments={},
            invariants=("one row for each region",),
        ),
        Subtask(
            task_id="facts",
            description="totals",
            tool_name="df.transform",
            arguments={},
            dependencies=("load",),
            invariants=("exactly one row",),
        ),
    )
    draft = PlanDraft(subtasks=subtasks, reasoning="two steps will do", answer_task="load")
    plan = Plan(plan_id=new_id(), request_id=job.job_id, draft=draft, created_at=NOW)
    steps = tuple(
        Step(task_id=t.task_id, description=t.description, tool_name=t.tool_name) for t in subtasks
    )
    update = {"state": JobState.EXECUTING, "plan": plan, "steps": steps}
    return await writer.save(job.model_copy(update=update)), writer


def called(job: Job, task: str, tool: str) -> ToolCall:
    assert job.plan is not None
    return ToolCall(
        call_id=new_id(),
        plan_id=job.plan.plan_id,
        task_id=task,
        tool_name=tool,
        arguments={},
        timestamp=NOW,
    )


def gave(call: ToolCall, digest: str, rows: int) -> Observation:
    schema = base64.b64encode(SCHEMA.serialize().to_pybytes()).decode()
    frame = Frame(
        name=call.task_id, schema_base64=schema, rows=rows, columns=2, bytes=64, digest=digest
    )
    return Observation(
        observation_id=new_id(),
        call_id=call.call_id,
        status=ObservationStatus.SUCCESS,
        frame=frame,
        row_count=rows,
        summary=f"{rows} rows",
        execution_time_seconds=0.1,
        timestamp=NOW,
    )


async def test_every_table_has_every_field_of_the_specification(store: Store) -> None:
    def names(session: Any) -> dict[str, set[str]]:
        looked = inspect(session.connection())
        return {t: {c["name"] for c in looked.get_columns(t)} for t in FIELDS}

    found = await store.database.reading(names)
    for table, fields in FIELDS.items():
        assert set(fields.split()) <= found[table], table


async def test_what_has_a_default_in_the_specification_has_it_in_the_table(store: Store) -> None:
    job, _ = await working(store)

    def added(session: Any) -> dict[str, Any]:
        session.execute(
            text(
                "INSERT INTO workers (worker_id, worker_name, planner_id, task_status, plan_id, "
                "task_id, position, step) VALUES ('w', 'Bo', :job, 'pending', '', 't', 9, '{}')"
            ),
            {"job": job.job_id},
        )
        session.execute(
            text("INSERT INTO worker_messages (agent_id, role) VALUES ('w', 'developer')")
        )
        found = session.execute(text("SELECT * FROM workers WHERE worker_id = 'w'"))
        return dict(found.mappings().one())

    row = await store.database.in_transaction(added)
    assert row["schema_version"] == 1 and not row["querying_structured_data"]
    assert row["created_at"] and row["updated_at"]
    assert {
        str(_json(row[f"{way}_{what}_filepaths"]))
        for way in ("input", "output")
        for what in ("variable", "image")
    } == {"{}"}
    assert (await store.rows("worker_messages"))[-1]["timestamp"]


async def test_a_planner_says_what_was_asked_beside_the_question_and_how_it_goes_about(
    store: Store,
) -> None:
    await working(store)
    (planner,) = await store.rows("planners")
    assert planner["instruction"] == "no, net revenue" and planner["failed_task_limit"] == 3
    assert planner["status"] == "executing" and planner["schema_version"] == 1
    assert re.fullmatch(r"[0-9a-f]{32}", planner["planner_id"]) and planner["planner_name"]
    plan = planner["execution_plan"]
    assert plan.startswith("two steps will do")
    assert "2. **facts** (df.transform, after load): totals\n   - exactly one row" in plan
    said = await store.rows("planner_messages")
    assert {row["role"] for row in said} <= {"system", "user", "assistant", "developer"}


async def test_a_worker_goes_through_its_states_and_its_answer_fills(store: Store) -> None:
    job, writer = await working(store)

    async def workers() -> dict[str, dict[str, Any]]:
        return {row["task_id"]: row for row in await store.rows("workers")}

    before = await workers()
    assert {row["task_status"] for row in before.values()} == {"pending"}
    assert before["facts"]["wip_answer_template"].count("[to be filled]") == 2
    assert "## query orders" in before["load"]["wip_answer_template"]

    load = called(job, "load", "sql.run")
    running = job.steps[0].model_copy(update={"state": StepState.RUNNING, "attempt": 1})
    await writer.save_step(job, running, call=load)
    assert (await workers())["load"]["task_status"] == "in_progress"
    observation = gave(load, "a" * 64, 3)
    await writer.keep_observation(job, load, observation)
    assert (await workers())["load"]["task_status"] == "completed"  # and not taken up yet
    done = running.model_copy(update={"state": StepState.DONE, "detail": "3 regions"})
    await writer.save_step(job, done, call=load, observation=observation)
    loaded = (await workers())["load"]
    assert loaded["task_status"] == "recorded" and loaded["task_result"] == "3 regions"
    assert "## query orders\n3 regions" in loaded["wip_answer_template"]

    facts = called(job, "facts", "df.transform")
    running = job.steps[1].model_copy(update={"state": StepState.RUNNING, "attempt": 1})
    await writer.save_step(job, running, call=facts)
    reading = (await workers())["facts"]
    assert "3 regions" in reading["wip_answer_template"]
    assert reading["wip_answer_template"].count("[to be filled]") == 1
    failed = running.model_copy(update={"state": StepState.FAILED, "detail": "three rows"})
    await writer.save_step(job, failed)
    ended = (await workers())["facts"]
    assert ended["task_status"] == "failed_validation"
    assert "It failed: three rows" in ended["wip_answer_template"]


MODEL = "openai:small"


def asked_a_model(job: Job, kind: DecisionKind, tokens: int) -> Decision:
    """A decision that a model was asked for, which read so many tokens in half a second."""
    use = ModelUse(model=MODEL, requests=1, input_tokens=tokens, output_tokens=10, seconds=0.5)
    return Decision(
        decision_id=new_id(),
        job_id=job.job_id,
        kind=kind,
        reasoner=MODEL,
        reason="",
        given={},
        decided={"model_use": use.model_dump(mode="json")},
        timestamp=NOW,
    )


async def test_what_a_model_took_is_told_of_the_agent_that_asked_it(store: Store) -> None:
    job, writer = await working(store)
    (planner,) = await store.rows("planners")
    assert (planner["model"], planner["agent_metadata"]) == (None, None), "none was asked"

    planned = asked_a_model(job, "plan", 900)
    await writer.save(job, decisions=[planned])
    await writer.save(job, decisions=[planned])  # told twice, it was asked once
    repairing = job.steps[0].model_copy(update={"state": StepState.REPAIRING, "attempt": 1})
    await writer.save_step(job, repairing, decision=asked_a_model(job, "repair", 100))

    def used(row: dict[str, Any]) -> Any:
        kept = row["agent_metadata"]
        return json.loads(kept) if isinstance(kept, str) else kept

    took = {"model": MODEL, "cost": None, "currency": "", "fell_back": ""}
    (planner,) = await store.rows("planners")
    assert planner["model"] == MODEL
    assert planner["temperature"] is None, "none is sent to it"
    whole = {"requests": 2, "input_tokens": 1000, "output_tokens": 20, "seconds": 1.0}
    assert used(planner) == {"model_use": took | whole}
    workers = {row["task_id"]: row for row in await store.rows("workers")}
    part = {"requests": 1, "input_tokens": 100, "output_tokens": 10, "seconds": 0.5}
    assert used(workers["load"]) == {"model_use": took | part}
    assert used(workers["facts"]) is None


async def test_a_message_of_a_worker_shows_the_chart_that_it_made(store: Store) -> None:
    job, writer = await working(store)
    load = called(job, "load", "plot.render")
    running = job.steps[0].model_copy(update={"state": StepState.RUNNING, "attempt": 1})
    await writer.save_step(job, running, call=load)
    chart = Artifact(
        artifact_id=new_id(),
        request_id=job.job_id,
        artifact_type="chart",
        content_ref="charts/x.png",
        content_hash="c" * 64,
        size_bytes=1,
        created_at=NOW,
    )
    seen = gave(load, "a" * 64, 3).model_copy(update={"artifacts": (chart,)})
    await writer.keep_observation(job, load, seen)
    said = await store.rows("worker_messages")
    assert [row["image"] for row in said] == [None, "charts/x.png"]


async def test_the_json_fields_of_a_worker_name_what_it_reads_and_makes(store: Store) -> None:
    job, writer = await working(store)
    load, facts = called(job, "load", "sql.run"), called(job, "facts", "df.transform")
    for step, call, digest in zip(job.steps, (load, facts), ("a" * 64, "b" * 64), strict=True):
        running = step.model_copy(update={"state": StepState.RUNNING, "attempt": 1})
        await writer.save_step(job, running, call=call)
        done = running.model_copy(update={"state": StepState.DONE, "detail": "done"})
        await writer.save_step(job, done, call=call, observation=gave(call, digest, 2))
    read = await store.jobs.get("ann", job.job_id)
    assert [step.state for step in read.steps] == [StepState.DONE, StepState.DONE]
    rows = {row["task_id"]: row for row in await store.rows("workers")}
    as_json = {task: {k: _json(v) for k, v in row.items()} for task, row in rows.items()}
    assert as_json["facts"]["variable_keys"] == ["load"]
    assert as_json["facts"]["input_variable_filepaths"] == {"load": "a" * 64}
    assert as_json["facts"]["output_variable_filepaths"] == {"facts": "b" * 64}
    assert as_json["load"]["input_variable_filepaths"] == {}
    assert as_json["load"]["acceptance_criteria"] == ["one row for each region"]
    assert as_json["load"]["tables"] == [
        {
            "table_name": "load",
            "row_count": 2,
            "columns": [
                {"name": "region", "type": "string"},
                {"name": "revenue", "type": "double"},
            ],
        }
    ]
    assert bool(rows["load"]["querying_structured_data"])
    assert not bool(rows["facts"]["querying_structured_data"])


def _json(value: Any) -> Any:
    if isinstance(value, str) and value[:1] in "[{":
        return json.loads(value)
    return value
