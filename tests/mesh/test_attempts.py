"""Attempts at a step come in their order, whoever calls, and across restarts of the executor."""

from __future__ import annotations

import json
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from assay.common.v1 import analysis_pb2
from assay.executor.v1 import executor_service_pb2 as pb
from mesh.errors import ATTEMPT_OUT_OF_ORDER, INVALID_ARGUMENT, AssayError
from mesh.ids import new_id
from mesh.testing.mesh import running_mesh
from mesh.transport.status import from_rpc_error
from services.__main__ import factories
from tests.mesh import shared
from tests.mesh.support import Caller

pytestmark = shared.ON_ONE_LOOP
ann = shared.ann

GOOD, BAD = "SELECT count(*) AS n FROM sales", "SELECT nothing FROM sales"
MISSING = analysis_pb2.ERROR_CATEGORY_MISSING_COLUMN


@asynccontextmanager
async def an_executor(home: Path) -> AsyncIterator[Caller]:
    async with running_mesh(home, factories) as settings, Caller(settings) as caller:
        yield caller


def call(
    sales: Path, attempt: int, query: str = GOOD, job: str = "a" * 32, task: str = "load"
) -> pb.ExecuteRequest:
    return pb.ExecuteRequest(
        call=analysis_pb2.ToolCall(
            call_id=new_id(),
            task_id=task,
            tool_name="sql.run",
            arguments_json=json.dumps({"query": query}),
            attempt_number=attempt,
        ),
        request_id=job,
        sources=[pb.Source(file_path=str(sales), name="sales")],
    )


async def made(caller: Caller, request: pb.ExecuteRequest) -> analysis_pb2.Observation:
    updates = [update async for update in caller.executor.Execute(request)]
    return updates[-1].observation


async def refused(caller: Caller, request: pb.ExecuteRequest) -> AssayError:
    try:
        seen = await made(caller, request)
    except Exception as error:
        return from_rpc_error(error)  # type: ignore[arg-type]
    raise AssertionError(f"the call was made: {seen}")


@pytest.mark.parametrize("attempt", [-1, 0, 4])
async def test_an_attempt_that_may_never_be_is_refused(
    ann: Caller, sales: Path, attempt: int
) -> None:
    found = await refused(ann, call(sales, attempt))
    assert found.reason is INVALID_ARGUMENT
    assert found.fields == {"call.attempt_number": "must lie between 1 and 3"}
    assert "from 1 to 3" in found.message


async def test_a_next_attempt_needs_the_one_before_it_to_have_failed(
    home: Path, sales: Path
) -> None:
    async with an_executor(home) as caller:
        found = await refused(caller, call(sales, 2))
        assert found.reason is ATTEMPT_OUT_OF_ORDER
        assert "no attempt 1 at it is on record as failed" in found.message
        first = call(sales, 1, BAD)
        assert (await made(caller, first)).error_category == MISSING
        assert (await made(caller, first)).error_category == MISSING, "may be repeated"
        assert (await refused(caller, call(sales, 3))).reason is ATTEMPT_OUT_OF_ORDER
        for other in (call(sales, 2, job="b" * 32), call(sales, 2, task="another")):
            assert (await refused(caller, other)).reason is ATTEMPT_OUT_OF_ORDER
        assert (await made(caller, call(sales, 2, BAD))).error_category == MISSING
    async with an_executor(home) as caller:  # started again, it knows
        third = call(sales, 3)
        answered = await made(caller, third)
        assert answered.status == analysis_pb2.OBSERVATION_STATUS_SUCCESS
        assert await made(caller, third) == answered, "answered from its record"


async def test_an_attempt_after_one_that_worked_is_refused(ann: Caller, sales: Path) -> None:
    await made(ann, call(sales, 1))
    assert (await refused(ann, call(sales, 2))).reason is ATTEMPT_OUT_OF_ORDER


async def test_an_executor_whose_records_were_lost_says_what_to_do(home: Path, sales: Path) -> None:
    async with an_executor(home) as caller:
        await made(caller, call(sales, 1, BAD))
    [records] = [path for path in (home / "executor").rglob("calls") if path.is_dir()]
    shutil.rmtree(records)
    async with an_executor(home) as caller:
        found = await refused(caller, call(sales, 2))
        assert found.reason is ATTEMPT_OUT_OF_ORDER
        assert "ask the question again" in found.remedy
