"""No reader of a job waits for the audit log: a length that is not told at once is left out."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest

from assay.audit.v1 import audit_service_pb2 as pb
from assay.audit.v1 import audit_service_pb2_grpc as pb_grpc
from assay.common.v1.audit_pb2 import AuditEntry
from mesh.errors import NOT_FOUND, AssayError
from mesh.transport.interceptors.incoming import abort
from services.planner.adapters.audit import RemoteAudit

JOB = "a" * 32
SOON_SECONDS = 10.0  # half of what a peer that is away is waited for elsewhere


class Log(pb_grpc.AuditServiceServicer):
    """Pages of two entries and of one; `silent` never answers."""

    def __init__(self, *, silent: bool = False) -> None:
        self.silent = silent

    async def List(self, request: pb.ListRequest, context: Any) -> pb.ListResponse:
        if self.silent:
            await asyncio.Event().wait()
        if request.request_id != JOB:
            await abort(context, AssayError(NOT_FOUND, "there is no such chain"))
        if request.page_token:
            return pb.ListResponse(entries=[AuditEntry()])
        return pb.ListResponse(entries=[AuditEntry(), AuditEntry()], next_page_token="more")


@asynccontextmanager
async def reaching(folder: Path, *, away: bool = False, silent: bool = False) -> AsyncIterator[Any]:
    """The planner's way to a log."""
    target = f"unix:{folder}/audit.sock"
    server = grpc.aio.server()
    if not away:
        log = Log(silent=silent)  # type: ignore[abstract]
        pb_grpc.add_AuditServiceServicer_to_server(log, server)
        server.add_insecure_port(target)
        await server.start()
    async with grpc.aio.insecure_channel(target) as channel:
        yield RemoteAudit(channel)
    await server.stop(None)


async def test_entries_are_counted_over_all_pages(tmp_path: Path) -> None:
    async with reaching(tmp_path) as audit:
        assert await audit.length(JOB) == 3


async def test_a_chain_of_somebody_else_is_not_found(tmp_path: Path) -> None:
    async with reaching(tmp_path) as audit:
        with pytest.raises(AssayError) as caught:
            await audit.length("b" * 32)
    assert caught.value.reason is NOT_FOUND


async def test_a_log_that_is_away_is_not_waited_for(tmp_path: Path) -> None:
    async with reaching(tmp_path, away=True) as audit, asyncio.timeout(SOON_SECONDS):
        assert await audit.length(JOB) is None


async def test_a_log_that_does_not_answer_is_not_waited_for(tmp_path: Path) -> None:
    async with reaching(tmp_path, silent=True) as audit, asyncio.timeout(SOON_SECONDS):
        assert await audit.length(JOB) is None
