"""What replicas share can be had of any of them, and who may call whom is held by certificates."""

from __future__ import annotations

import asyncio
import ssl
from contextlib import AsyncExitStack
from pathlib import Path

import grpc
import pyarrow as pa
import pytest
from cryptography import x509
from grpc import aio

from assay.audit.v1 import audit_service_pb2 as audit_pb
from assay.audit.v1 import audit_service_pb2_grpc as audit_grpc
from assay.executor.v1 import executor_service_pb2 as executor_pb
from assay.executor.v1 import executor_service_pb2_grpc as executor_grpc
from clients.python.client import AssayClient
from mesh import context as calls
from mesh.context import CallContext, Established
from mesh.errors import PEER_REFUSED
from mesh.roles import Role
from mesh.testing.certificates import Authority
from mesh.transport.dial import Dial
from mesh.transport.seal import seal_of
from mesh.transport.status import from_rpc_error
from tests.busy import allowing
from tests.scaled.asking import PATIENCE, QUESTIONS, Told, all_asked, ended, told_of
from tests.scaled.world import Replica, Scaled

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(900)]

ANN = CallContext(
    tenant="ann", request_id="ab" * 16, user="ann", how=Established.NAMED, role=Role.ANALYST
)


async def test_uploads_and_frames_are_had_of_every_executor(mesh: Scaled, sales: Path) -> None:
    async with AssayClient(mesh.target, "ann", resume_delays=PATIENCE) as client:
        job = await ended(client, sales, QUESTIONS[0])
        digest = job.answer.table.digest
        source = job.analysis.data_sources[0]
        file = next(
            each
            for each in await client.sessions.files(job.session_id)
            if each.file_id == source.file_id
        )
    wanted = executor_pb.ReadSourceRequest(digest=file.content_hash)
    for replica in mesh.replicas["executor"]:
        async with mesh.calling(replica, "gateway") as channel:
            stub = executor_grpc.ExecutorServiceStub(channel)
            with calls.entered(ANN):
                pieces = [piece.chunk.data async for piece in stub.ReadSource(wanted)]
                assert b"".join(pieces) == sales.read_bytes()
                frame = executor_pb.ReadFrameRequest(digest=digest)
                chunks = [piece.chunk.data async for piece in stub.ReadFrame(frame)]
        assert pa.ipc.open_stream(b"".join(chunks)).read_all().num_rows == 3


async def test_a_service_is_heard_by_those_alone_whom_the_house_lets_call_it(mesh: Scaled) -> None:
    audit = mesh.replicas["audit"][0]
    assert await asked(mesh, audit, "planner") == ""
    assert await asked(mesh, audit, "memory") == PEER_REFUSED.code


async def asked(mesh: Scaled, audit: Replica, caller: str) -> str:
    """The reason for which the log does not tell its checkpoint to a caller; empty where it does"""
    mesh.authority.issue(caller) if not mesh.authority.files(caller)["tls_key"].exists() else None
    async with mesh.calling(audit, caller) as channel:
        try:
            with calls.entered(ANN):
                await audit_grpc.AuditServiceStub(channel).Checkpoint(audit_pb.CheckpointRequest())
        except aio.AioRpcError as error:
            return from_rpc_error(error).reason.code
    return ""


async def test_certificates_are_renewed_while_questions_are_answered(
    mesh: Scaled, sales: Path, truth: dict[str, Told], tmp_path: Path
) -> None:
    """Every service's at once, as an operator renews a folder of secrets; nothing is restarted."""
    services = [each for each in mesh.all() if each.service != "gateway"]
    before = {each.pid: await asyncio.to_thread(shown, each.address) for each in services}
    async with AssayClient(mesh.target, "ann", resume_delays=PATIENCE) as client:
        waiting = all_asked(client, sales, QUESTIONS[:4])
        for name in mesh.replicas:
            mesh.authority.issue(name)
        async with asyncio.timeout(allowing(60)):
            for each in services:
                while await asyncio.to_thread(shown, each.address) == before[each.pid]:
                    await asyncio.sleep(0.2)
        jobs = await asyncio.gather(*waiting, *all_asked(client, sales, QUESTIONS[4:8]))
    assert [told_of(job) for job in jobs] == [truth[each] for each in QUESTIONS[:8]]
    assert {each.pid for each in services} == set(before)
    # Whoever has a certificate of another authority stays outside.
    audit = mesh.replicas["audit"][0]
    strange = audit.settings.model_copy(
        update={"audit_address": audit.address, **Authority(tmp_path, "mesh").issue("planner")}
    )
    async with AsyncExitStack() as stack:
        dial = await stack.enter_async_context(Dial(strange, seal_of(strange)))
        stack.enter_context(calls.entered(ANN))
        with pytest.raises(aio.AioRpcError) as refused:
            await audit_grpc.AuditServiceStub(dial.to("audit")).Checkpoint(
                audit_pb.CheckpointRequest(), timeout=10
            )
    assert refused.value.code() in (
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.DEADLINE_EXCEEDED,
    )


def shown(address: str) -> int:
    """The serial number of the certificate that a server shows whoever connects."""
    host, _, port = address.rpartition(":")
    found = ssl.get_server_certificate((host, int(port)))
    return x509.load_pem_x509_certificate(found.encode()).serial_number
