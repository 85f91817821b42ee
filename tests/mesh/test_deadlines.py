"""Time limits and cancelling: what is left is passed on, and nobody works for nobody."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import grpc
import pytest
import pytest_asyncio
from assay.common.v1 import data_pb2, job_pb2
from assay.executor.v1 import executor_service_pb2 as executor_pb
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from assay.planner.v1 import planner_service_pb2 as planner_pb

from mesh import context as calls
from mesh.config import MeshSettings
from mesh.dial import Dial
from mesh.errors import CANCELLED, TIMEOUT
from mesh.ids import new_id
from mesh.service import Service
from mesh.status import from_rpc_error
from mesh.testing.mesh import running_mesh
from mesh.tool import ToolContext, ToolResult
from services.__main__ import factories
from services.executor.app import Call, Executor, Outcome
from services.executor.service import ExecutorService
from services.planner.service import PlannerService
from tests.mesh.heavy import heavy_call
from tests.mesh.support import Caller, question, refusal

pytestmark = pytest.mark.parametrize("apart", [False, True], ids=["together", "apart"])
STOP_SECONDS = 2.0


@pytest_asyncio.fixture
async def caller(home: Path, apart: bool) -> AsyncIterator[Caller]:
    async with running_mesh(home, factories, apart=apart) as settings, Caller(settings) as caller:
        yield caller


async def until(happened: Callable[[], bool | Awaitable[bool]], seconds: float) -> None:
    """Return when it has happened; fail when it has not within `seconds`."""
    async with asyncio.timeout(seconds):
        while True:
            answer = happened()
            if answer if isinstance(answer, bool) else await answer:
                return
            await asyncio.sleep(0.02)
