"""A recipe whose plan fails on the way: the job plans afresh, once, and its record says so."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from assay.common.v1 import analysis_pb2, catalogue_pb2, job_pb2
from assay.gateway.v1 import audit_service_pb2 as records_pb
from assay.memory.v1 import memory_service_pb2 as pb
from assay.memory.v1 import memory_service_pb2_grpc as pb_grpc
from clients.python.cli.verifying import checked
from clients.python.client import AssayClient
from clients.python.verification.reading import Trust
from mesh.ids import new_id
from tests.fault.support import Ledger, Ward, died, the_ward
from tests.fault.test_recipe_quarantine import (
    QUESTION,
    answer,
    figure,
    forget_all_but,
    recipes,
    write,
)
from tests.mesh.support import question

pytestmark = pytest.mark.asyncio(loop_scope="module")

EVERYTHING = tuple(analysis_pb2.Deliverable.values())[1:]
FAILURE = 'step load (sql.run): the text "abc" cannot be read as INT64'
# The second decision on a plan, the second plan, the first step that follows.
EVERYWHERE = [
    "planner: plan-decided, uncommitted#2",
    "planner: plan-decided, committed#2",
    "planner: plan_created, appended#2",
    "planner: executing, uncommitted#2",
    "planner: executing, committed#2",
    "planner: step-failed, committed",
    "planner: narrate-decided, committed",
]
# `make fault` asks for many.
PLACES = EVERYWHERE if int(os.environ.get("ASSAY_FAULT_KILLS", "2")) > 2 else EVERYWHERE[::2]


def state_of(plan: analysis_pb2.Plan) -> str:
    return analysis_pb2.PlanState.Name(plan.state).removeprefix("PLAN_STATE_").lower()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def ward(ledger: Ledger) -> AsyncIterator[Ward]:
    with tempfile.TemporaryDirectory(prefix="a-") as folder:
        async with the_ward(Path(folder), ledger) as ward:
            yield ward


async def teach(ward: Ward, path: Path, change: Callable[[dict[str, Any]], None]) -> str:
    """Have memory recall a recipe whose intent was changed, and no other; its id."""
    await answer(ward.caller, path)
    taught = next(iter((await recipes(ward.caller)).values()))
    wrong = catalogue_pb2.Recipe()
    wrong.CopyFrom(taught)
    structure = json.loads(taught.plan_structure_json)
    change(structure["intent"])
    del structure["draft"]  # else the plan is taken as it is, and the intent is not read
    wrong.recipe_id, wrong.plan_structure_json = new_id(), json.dumps(structure)
    await forget_all_but(ward.caller, "")
    memory: Any = pb_grpc.MemoryServiceStub(ward.caller.channel("memory"))
    await memory.StoreRecipe(pb.StoreRecipeRequest(recipe=wrong))
    return wrong.recipe_id


def compare_numbers_with_a_word(intent: dict[str, Any]) -> None:
    """Its columns and values are there, so a trial finds nothing wrong; its query fails."""
    quantity = {**intent["filters"][0]["field"], "column": "quantity"}
    wrong = {**intent["filters"][0], "field": quantity, "operator": ">", "values": ["abc"]}
    intent["filters"].append(wrong)


async def check_planned_afresh(ward: Ward, job: job_pb2.Job, recipe_id: str, place: Path) -> None:
    """Everything that must hold of a job whose remembered plan failed on the way."""
    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    said = f"Planned afresh after a remembered plan failed: {FAILURE}."
    assert said in list(job.answer.caveats)
    assert job.answer.recipe == "recipe saved"
    entries = [
        (e.event_type, json.loads(e.event_data_json)) for e in await ward.entries(job.job_id)
    ]
    first, second = [data for kind, data in entries if kind == "plan_created"]
    assert (first["recipe"]["how"], second["recipe"]["how"]) == ("used", "refused")
    assert (second["abandons"], second["plan_id"]) == (first["plan_id"], job.plan.plan_id)
    assert first["plan_id"] != second["plan_id"]
    calls = [data["plan_id"] for kind, data in entries if kind == "tool_called"]
    assert calls.count(first["plan_id"]) == 1, "the step that failed was tried once"
    assert calls.count(second["plan_id"]) == len(job.steps)
    assert len({data["call_id"] for kind, data in entries if kind == "tool_called"}) == len(calls)
    assert second["recipe"]["failed"] == {recipe_id: f"{FAILURE}."}
    assert recipe_id in await recipes(ward.caller), "the plan made afresh took its place"
    verify = records_pb.VerifyJobRequest(job_id=job.job_id)
    assert (await ward.caller.records.VerifyJob(verify)).ok
    async with AssayClient(ward.settings.address("gateway"), "ann") as client:
        bundle = await client.export(job, place / f"{job.job_id}.zip")
    findings = checked(bundle, Trust())
    assert all(finding.ok for finding in findings), findings
    ward.fsck()


async def test_a_recipe_whose_plan_fails_on_the_way_gives_way_to_a_plan_made_afresh(
    ward: Ward, tmp_path: Path
) -> None:
    path = tmp_path / "sales.csv"
    total = write(path)
    recipe_id = await teach(ward, path, compare_numbers_with_a_word)
    job = await ward.caller.asked(question(QUESTION, path, deliverables=EVERYTHING))
    assert figure(job) == total
    await check_planned_afresh(ward, job, recipe_id, tmp_path)
    told = await ward.caller.watched(job.job_id)
    assert [event.sequence for event in told] == list(range(1, len(told) + 1))
    plans = [event.plan for event in told if event.HasField("plan")]
    first, second = plans[0].plan_id, job.plan.plan_id
    assert [(plan.plan_id, state_of(plan)) for plan in plans] == [
        (first, "validated"),
        (first, "executing"),
        (first, "abandoned"),
        (second, "validated"),
        (second, "executing"),
        (second, "completed"),
    ], "watchers are told of both"
    again = await answer(ward.caller, path)
    assert (figure(again), again.answer.recipe) == (total, "recipe used"), "the mended one"
    assert list(again.answer.caveats) == []


@pytest.mark.parametrize("place", PLACES)
async def test_a_planner_killed_while_it_plans_afresh_loses_and_repeats_nothing(
    ward: Ward, tmp_path: Path, place: str
) -> None:
    path = tmp_path / "sales.csv"
    total = write(path)
    recipe_id = await teach(ward, path, compare_numbers_with_a_word)
    request = question(QUESTION, path, deliverables=EVERYTHING)
    async with ward.victim(place) as (process, stub):
        await ward.create(stub, request)
        job = await ward.ended(request.request_id, await died(process))
    assert figure(job) == total
    await check_planned_afresh(ward, job, recipe_id, tmp_path)
