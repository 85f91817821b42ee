"""Frames through the gateway: every type, both ways, slow readers, and what is no frame at all."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import grpc
import numpy as np
import psutil
import pyarrow as pa
import pytest
from grpc import aio

from assay.common.v1 import analysis_pb2, data_pb2, job_pb2
from assay.gateway.v1 import artifact_service_pb2 as artifacts_pb
from assay.gateway.v1 import catalogue_service_pb2 as catalogue_pb
from assay.gateway.v1 import session_service_pb2 as sessions_pb
from assay.planner.v1 import planner_service_pb2_grpc
from clients.python import frames
from clients.python.frame_wire import ArtifactStub
from gateway.artifacts import frames as forwarding_frames
from gateway.files.readers import Readers
from gateway.settings import GatewaySettings
from mesh.config import SERVICES, MeshSettings
from mesh.digest import frame_digest
from mesh.errors import (
    CANCELLED,
    INVALID_ARGUMENT,
    NOT_FOUND,
    READER_TOO_SLOW,
    RESOURCE_EXHAUSTED,
    AssayError,
)
from mesh.frames import codec
from mesh.frames.store import FrameStore
from mesh.ids import new_id
from mesh.storage.objects.folder import FolderObjects
from mesh.testing.mesh import running_mesh
from mesh.transport.server import HANDSHAKE_SECONDS
from mesh.transport.status import from_rpc_error
from services.__main__ import factories
from tests.mesh.held import hold
from tests.mesh.support import Caller, processes, question, refusal
from tests.unit.gateway.fake_peers import FakePlanner
from tests.unit.mesh.frames.cutting_proxy import cut_after, proxied
from tests.unit.mesh.frames.golden import ABSENT, STREAMS, assert_is_its_twin, opened

MEGABYTE = 1 << 20
SERVICE = "assay.gateway.v1.ArtifactService"


@dataclass
class FrameMesh:
    """A mesh whose planner says that one job of ann's has every frame that was put."""

    settings: MeshSettings
    planner: FakePlanner
    store: FrameStore
    job_id: str

    def put(self, table: pa.Table) -> str:
        digest = self.store.put(table).digest
        hold(self.settings.home, digest, "local", "ann")
        _, job = self.planner.jobs[self.job_id]
        job.answer.claims.append(analysis_pb2.Claim(frame_digest=digest))
        return digest


@asynccontextmanager
async def frame_mesh(home: Path, **settings: object) -> AsyncIterator[FrameMesh]:
    async with running_mesh(
        home, factories, apart=True, without=["planner"], **settings
    ) as running:
        planner, server = FakePlanner(), aio.server()
        planner_service_pb2_grpc.add_PlannerServiceServicer_to_server(planner, server)
        server.add_insecure_port(running.planner_address)
        await server.start()
        job = planner.put(job_pb2.Job(job_id=new_id()), tenant="local")
        store = FrameStore(FolderObjects(home / "executor" / "frames"))
        try:
            yield FrameMesh(running, planner, store, job.job_id)
        finally:
            await server.stop(0)


def artifacts(caller: Caller) -> ArtifactStub:
    return ArtifactStub(caller.channel("gateway"))


def from_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on the gateway is on another machine than the executor's files."""
    monkeypatch.setattr(forwarding_frames, "_here", lambda frame: None)


@pytest.mark.skipif(not STREAMS, reason=ABSENT)
@pytest.mark.parametrize("near", [True, False], ids=["one_host", "two_hosts"])
async def test_every_type_survives_the_gateway(
    home: Path, near: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not near:
        from_elsewhere(monkeypatch)
    async with frame_mesh(home) as mesh, Caller(mesh.settings, "local") as caller:
        for stream in STREAMS:
            digest = mesh.put(opened(stream))
            table = await frames.read_frame(artifacts(caller), mesh.job_id, digest)
            assert_is_its_twin(table, stream)


@pytest.mark.skipif(not STREAMS, reason=ABSENT)
async def test_every_type_survives_being_written_and_read_back(home: Path) -> None:
    async with frame_mesh(home) as mesh, Caller(mesh.settings, "local") as caller:
        for number, stream in enumerate(STREAMS):
            if number % GatewaySettings().gateway_session_files == 0:
                create = sessions_pb.CreateSessionRequest(request_id=new_id())
                session_id = (await caller.sessions.CreateSession(create)).session.session_id
            table, name = opened(stream), f"{number}_{stream.stem}"
            written = await frames.write_frame(caller.artifacts, session_id, table, name)
            wanted = artifacts_pb.ReadFrameRequest(file_id=written.file.file_id)
            pieces = [answer.chunk.data async for answer in caller.artifacts.ReadFrame(wanted)]
            assert_is_its_twin(codec.read_stream(pieces), stream)
            assert written.frame.digest == frame_digest(table), name


@pytest.mark.parametrize("near", [True, False], ids=["one_host", "two_hosts"])
async def test_joined_chunks_are_a_valid_stream_from_any_batch_on(
    home: Path, near: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not near:
        from_elsewhere(monkeypatch)
    table = pa.table({"n": np.arange(2 * MEGABYTE), "c": ["x", "y"] * MEGABYTE})
    table = table.set_column(1, "c", table["c"].dictionary_encode())
    async with frame_mesh(home) as mesh, Caller(mesh.settings, "local") as caller:
        digest = mesh.put(table)
        pieces = [p async for p in frames.frame_pieces(caller.artifacts, mesh.job_id, digest)]
        whole = pa.ipc.open_stream(b"".join(pieces))
        batches = list(whole)
        assert pa.Table.from_batches(batches).equals(table)
        first = batches[0].num_rows + batches[1].num_rows
        rest = [p async for p in frames.frame_pieces(caller.artifacts, mesh.job_id, digest, first)]
        assert pa.ipc.open_stream(b"".join(rest)).read_all().equals(table.slice(first))
        with pytest.raises(AssayError) as refused:
            await anext(frames.frame_pieces(caller.artifacts, mesh.job_id, digest, 7))
        assert refused.value.reason is INVALID_ARGUMENT


async def test_a_client_goes_on_where_its_connection_broke(home: Path) -> None:
    table = pa.table({"n": np.random.default_rng(1).random(4 * MEGABYTE)})
    async with frame_mesh(home) as mesh:
        digest = mesh.put(table)
        gateway = mesh.settings.gateway_address.removeprefix("unix:")
        with proxied(gateway, cut_after(9 * MEGABYTE)) as (proxy, port):
            async with aio.insecure_channel(f"127.0.0.1:{port}") as channel:
                stub = ArtifactStub(channel)
                read = await frames.read_frame(stub, mesh.job_id, digest)
    assert read.equals(table)
    assert proxy.connections == 2
    assert sum(proxy.passed) < table.nbytes + 16 * MEGABYTE


async def test_a_frame_that_was_written_can_be_asked_about_and_read_back(
    mesh: MeshSettings, ann: Caller, bob: Caller
) -> None:
    sales = pa.table({"region": ["north", "south", "north"], "amount": [1.5, 2.0, 3.5]})
    session = await ann.sessions.CreateSession(
        sessions_pb.CreateSessionRequest(request_id=new_id())
    )
    session_id = session.session.session_id
    written = await frames.write_frame(ann.artifacts, session_id, sales, "sales")
    assert written.frame.rows == written.file.row_count == 3

    wanted = artifacts_pb.ReadFrameRequest(file_id=written.file.file_id)
    pieces = [answer.chunk.data async for answer in ann.artifacts.ReadFrame(wanted)]
    assert pa.ipc.open_stream(b"".join(pieces)).read_all().equals(sales)
    foreign = await refusal(anext(aiter(bob.artifacts.ReadFrame(wanted))))
    assert foreign.reason is NOT_FOUND

    asked = question("total amount by region")
    asked.analysis.data_sources.append(
        data_pb2.DataSource(file_id=written.file.file_id, name="sales")
    )
    asked.session_id = session_id
    job = await ann.asked(asked)
    assert job.state == job_pb2.JOB_STATE_COMPLETED, job
    paths = data_pb2.FRAME_LOCATION_KIND_PATH
    near = Path(next(p.uri for p in job.answer.table.locations if p.kind == paths))
    assert sorted(pa.ipc.open_file(near).read_all().columns[1].to_pylist()) == [2.0, 5.0]


@pytest.mark.parametrize("content", [b"no Arrow at all", b"\xff\xff\xff\xff\x10\0\0\0garbage!"])
async def test_what_is_no_arrow_stream_is_refused(
    mesh: MeshSettings, ann: Caller, content: bytes
) -> None:
    session = await ann.sessions.CreateSession(
        sessions_pb.CreateSessionRequest(request_id=new_id())
    )

    async def parts() -> AsyncIterator[artifacts_pb.WriteFrameRequest]:
        head = artifacts_pb.WriteFrameHead(session_id=session.session.session_id, name="sales")
        yield artifacts_pb.WriteFrameRequest(head=head)
        yield artifacts_pb.WriteFrameRequest(chunk=data_pb2.FrameChunk(data=content))
        yield artifacts_pb.WriteFrameRequest(end=artifacts_pb.WriteFrameEnd())

    refused = await refusal(ann.artifacts.WriteFrame(parts()))
    assert refused.reason.code in ("SOURCE_NOT_READABLE", "INVALID_FILE_TYPE")


async def test_a_frame_without_its_end_is_not_stored(mesh: MeshSettings, ann: Caller) -> None:
    session = await ann.sessions.CreateSession(
        sessions_pb.CreateSessionRequest(request_id=new_id())
    )

    async def parts() -> AsyncIterator[artifacts_pb.WriteFrameRequest]:
        head = artifacts_pb.WriteFrameHead(session_id=session.session.session_id, name="sales")
        yield artifacts_pb.WriteFrameRequest(head=head)

    assert (await refusal(ann.artifacts.WriteFrame(parts()))).reason is CANCELLED


def held_open(process: psutil.Process, digest: str) -> bool:
    """Whether somebody in the process still sends the frame."""
    return any(digest in file.path for file in process.open_files())


async def test_a_reader_that_stops_holds_the_producer_and_is_cut_off(home: Path) -> None:
    async with frame_mesh(home, slow_reader_seconds=2.0) as mesh:
        digest = mesh.put(pa.table({"n": np.random.default_rng(1).random(25 * MEGABYTE)}))
        async with Caller(mesh.settings, "local") as caller:
            await frames.read_frame(artifacts(caller), mesh.job_id, digest, at_least=1)
            process = psutil.Process()
            before = process.memory_info().rss
            request = artifacts_pb.ReadFrameRequest(job_id=mesh.job_id, digest=digest)
            call = caller.artifacts.ReadFrame(request)
            first = await call.read()
            assert isinstance(first, artifacts_pb.ReadFrameResponse)
            taken = len(first.chunk.data)
            assert held_open(process, digest)
            async with asyncio.timeout(30):
                while held_open(process, digest):
                    await asyncio.sleep(0.05)
                    assert process.memory_info().rss - before < 50 * MEGABYTE
            with pytest.raises(aio.AioRpcError) as cut:
                async for answer in call:
                    taken += len(answer.chunk.data)
    assert from_rpc_error(cut.value).reason is READER_TOO_SLOW
    assert taken < 50 * MEGABYTE


async def test_readers_that_stop_are_sent_little_from_another_host(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """gRPC's own window would grow to tens of megabytes for each of them, held by the relay.

    Seen 8 to 13 megabytes for each, the most on a busy machine, where the caller's own window grows
    too; 16 to 21 where the relay's window may grow.
    """
    from_elsewhere(monkeypatch)
    readers, sent = 6, 0

    def count(_way: str, amount: int) -> None:
        nonlocal sent
        sent += amount

    async with frame_mesh(home, slow_reader_seconds=2.0) as mesh:
        digest = mesh.put(pa.table({"n": np.random.default_rng(1).random(10 * MEGABYTE)}))
        async with Caller(mesh.settings, "local") as caller:
            for _ in range(3):
                await frames.read_frame(artifacts(caller), mesh.job_id, digest)
            monkeypatch.setattr("mesh.frames.sending.moved", count)
            request = artifacts_pb.ReadFrameRequest(job_id=mesh.job_id, digest=digest)
            calls = [caller.artifacts.ReadFrame(request) for _ in range(readers)]
            await asyncio.gather(*(call.read() for call in calls))
            async with asyncio.timeout(30):
                while held_open(psutil.Process(), digest):
                    await asyncio.sleep(0.05)
    assert sent < readers * 15 * MEGABYTE


async def test_streams_beyond_the_places_for_them_are_refused_in_words(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gateway.service.Readers", partial(Readers, wait_seconds=0.01))
    monkeypatch.setenv("ASSAY_GATEWAY_READERS", "2")
    async with frame_mesh(home) as mesh, Caller(mesh.settings, "local") as caller:
        digest = mesh.put(pa.table({"n": np.random.default_rng(1).random(10 * MEGABYTE)}))
        request = artifacts_pb.ReadFrameRequest(job_id=mesh.job_id, digest=digest)
        stopped = caller.artifacts.ReadFrame(request)
        await stopped.read()
        refused = await refusal(anext(aiter(caller.artifacts.ReadFrame(request))))
        assert refused.reason is RESOURCE_EXHAUSTED
        assert "1 of yours are being sent already" in refused.message
        stopped.cancel()
        async with asyncio.timeout(30):
            while not await answered(caller.artifacts.ReadFrame(request)):
                await asyncio.sleep(0.05)


async def answered(call: Any) -> bool:
    """Whether a stream begins."""
    try:
        return await call.read() is not aio.EOF
    except aio.AioRpcError:
        return False
    finally:
        call.cancel()


async def served(caller: Caller) -> None:
    """Fails unless the gateway and the executor answer."""
    assert (await caller.catalogue.ListTools(catalogue_pb.ListToolsRequest())).tools


async def test_a_message_of_a_gibibyte_is_refused_and_others_are_served(
    apart: MeshSettings,
) -> None:
    async with processes(apart, [[name] for name in SERVICES]) as running, Caller(apart) as caller:
        await served(caller)
        gateway = psutil.Process(running["gateway"].process.pid)
        before, peak = gateway.memory_info().rss, 0

        async def huge() -> AsyncIterator[bytes]:
            # Field 2, a chunk, of a gibibyte and its own tag: a message that would be valid.
            yield b"\x12\x86\x80\x80\x80\x04\x0a\x80\x80\x80\x80\x04" + bytes(1 << 30)

        options = [("grpc.max_send_message_length", -1)]
        async with aio.insecure_channel(apart.gateway_address, options=options) as channel:
            upload: Any = channel.stream_unary(f"/{SERVICE}/WriteFrame")
            call = upload(huge())
            while not call.done():
                await served(caller)
                peak = max(peak, gateway.memory_info().rss)
            with pytest.raises(aio.AioRpcError) as refused:
                await call
        assert refused.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert max(peak, gateway.memory_info().rss) - before < 20 * MEGABYTE
        await served(caller)


async def test_a_malformed_message_fails_alone(mesh: MeshSettings, ann: Caller) -> None:
    async with aio.insecure_channel(mesh.gateway_address) as channel:
        read: Any = channel.unary_stream(f"/{SERVICE}/ReadFrame")
        with pytest.raises(aio.AioRpcError) as refused:
            await read(b"\x0a\xff\xff\xff\xff\x0fnot protobuf").read()
        assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
        assert "Traceback" not in (refused.value.details() or "")
    await served(ann)


@pytest.mark.parametrize(
    "beginning",
    [b"GET / HTTP/1.1\r\n\r\n", bytes(4096), b"PRI * HTTP/2.0\r\n", b""],
    ids=["another_protocol", "garbage", "half_a_preface", "nothing"],
)
async def test_who_does_not_speak_the_protocol_is_hung_up_on(
    mesh: MeshSettings, ann: Caller, beginning: bytes
) -> None:
    reader, writer = await asyncio.open_unix_connection(mesh.gateway_address.removeprefix("unix:"))
    writer.write(beginning)
    async with asyncio.timeout(HANDSHAKE_SECONDS + 5):
        with suppress(ConnectionError):
            await reader.read()
    writer.close()
    await served(ann)
