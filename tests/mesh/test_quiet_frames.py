"""Whatever is done to frames on their way, services and clients say it in sentences."""

from __future__ import annotations

import asyncio
import os
import re
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from grpc import aio
from pyarrow import flight

from assay.common.v1 import analysis_pb2, data_pb2, job_pb2
from assay.executor.v1 import executor_service_pb2 as executor_pb
from assay.gateway.v1 import artifact_service_pb2 as artifacts_pb
from assay.gateway.v1 import session_service_pb2 as sessions_pb
from assay.planner.v1 import planner_service_pb2_grpc
from clients.python import frames
from clients.python.frame_wire import ArtifactStub
from mesh.config import MeshSettings
from mesh.context import FIRST_ROW_KEY, PRINCIPAL_KEY, Established, Principal
from mesh.errors import SERVICE_UNAVAILABLE, AssayError
from mesh.frames import codec
from mesh.frames.store import FrameStore
from mesh.frames.stored import StoredFrame
from mesh.ids import new_id
from mesh.keys import new_key
from mesh.storage.objects.folder import FolderObjects
from mesh.transport.seal import FLIGHT_METHOD, Seal, seal_of
from tests.mesh.held import hold
from tests.mesh.support import REPOSITORY, Caller, ServiceProcess, processes, refusal
from tests.unit.gateway.fake_peers import FakePlanner

# How Python, asyncio, gRPC's threads and C++ tell of what nobody caught.
_RAW = re.compile(
    r"Traceback|Exception ignored|Exception in |never retrieved|never awaited|was destroyed"
    r"|Fatal|terminate called|Segmentation"
)
_READ_IN_VAIN = """
import asyncio, sys
from grpc import aio
from clients.python import frames
from clients.python.frame_wire import ArtifactStub
from mesh.transport.dial import open_channel
from mesh.errors import AssayError

async def main(target, job, *digests):
    async with open_channel(target, "ann") as channel:
        for digest in digests:
            try:
                await frames.read_frame(ArtifactStub(channel), job, digest)
            except AssayError as error:
                print(error.reason.code)

asyncio.run(main(*sys.argv[1:]))
"""


@dataclass
class World:
    """A gateway and an executor in processes of their own, and a job of ann's."""

    settings: MeshSettings
    services: dict[str, ServiceProcess]
    planner: FakePlanner
    store: FrameStore
    job_id: str

    def put(self, rows: int) -> str:
        """The digest of a frame that is new."""
        table = pa.table({"n": np.random.default_rng(rows).random(rows)})
        digest = self.store.put(table).digest
        hold(self.settings.home, digest, "local", "ann")
        self.planner.jobs[self.job_id][1].answer.claims.append(
            analysis_pb2.Claim(frame_digest=digest)
        )
        return digest

    def file(self, digest: str) -> Path:
        return self.store.file(digest)

    def said(self) -> str:
        """All that the services wrote."""
        return "".join(path.read_text() for path in self.settings.home.glob("*.log"))


@asynccontextmanager
async def world(settings: MeshSettings) -> AsyncIterator[World]:
    planner, server = FakePlanner(), aio.server()
    planner_service_pb2_grpc.add_PlannerServiceServicer_to_server(planner, server)
    server.add_insecure_port(settings.planner_address)
    await server.start()
    folder = settings.home / "executor" / "frames"
    quick = {"ASSAY_SLOW_READER_SECONDS": "1"}
    try:
        async with processes(settings, [["audit"], ["executor"], ["gateway"]], quick) as services:
            job = planner.put(job_pb2.Job(job_id=new_id()), tenant="local")
            store = FrameStore(FolderObjects(folder))
            yield World(settings, services, planner, store, job.job_id)
    finally:
        await server.stop(0)


def relayed(world: World, digest: str) -> None:
    """From now on the gateway does not trust the frame's file, and has the executor send it."""
    world.file(digest).parent.chmod(0o770)


def garbled(world: World) -> str:
    """A frame that can be sent, being told apart message by message, and cannot be decoded."""
    digest = world.put(300)
    path = world.file(digest)
    content = path.read_bytes()
    for place in range(8, len(content)):
        damaged = bytearray(content)
        damaged[place] ^= 0x40
        path.write_bytes(damaged)
        try:
            with StoredFrame(path) as stored:
                pieces = [bytes(span) for span in stored.spans()]
        except AssayError:
            continue
        with suppress(AssayError):
            codec.read_stream(pieces)
            continue
        return digest
    raise AssertionError("every damage is noticed before it is sent, or none")


async def goes_away(world: World, digest: str) -> None:
    """Readers who leave in the middle: with a cancelled call, and with their connection."""
    async with Caller(world.settings) as caller:
        request = artifacts_pb.ReadFrameRequest(job_id=world.job_id, digest=digest)
        call = caller.artifacts.ReadFrame(request)
        await call.read()
        call.cancel()
        left = caller.artifacts.ReadFrame(request)
        await left.read()


async def writes(world: World) -> None:
    """Streams that are none, that end early, and that nobody ends."""
    whole = b"".join(codec.stream_chunks(pa.table({"n": list(range(10_000))})))
    async with Caller(world.settings) as caller:
        create = sessions_pb.CreateSessionRequest(request_id=new_id())
        session_id = (await caller.sessions.CreateSession(create)).session.session_id
        for content in (b"no Arrow", b"\xff\xff\xff\xff\x10\0\0\0garbage!", whole[:-9_000]):
            with suppress(aio.AioRpcError):
                await caller.artifacts.WriteFrame(parts(session_id, content))
        breaking = caller.artifacts.WriteFrame(parts(session_id, whole, ends=False))
        await asyncio.sleep(0)
        breaking.cancel()


async def parts(
    session_id: str, content: bytes, *, ends: bool = True
) -> AsyncIterator[artifacts_pb.WriteFrameRequest]:
    head = artifacts_pb.WriteFrameHead(session_id=session_id, name="sales")
    yield artifacts_pb.WriteFrameRequest(head=head)
    yield artifacts_pb.WriteFrameRequest(chunk=data_pb2.FrameChunk(data=content))
    if ends:
        yield artifacts_pb.WriteFrameRequest(end=artifacts_pb.WriteFrameEnd())


async def located(world: World, digest: str) -> data_pb2.FrameLocation:
    wanted = executor_pb.LocateFrameRequest(frame=data_pb2.FrameRef(name="rows", digest=digest))
    async with Caller(world.settings) as caller:
        found = (await caller.executor.LocateFrame(wanted)).frame
    return next(
        place for place in found.locations if place.kind == data_pb2.FRAME_LOCATION_KIND_FLIGHT
    )


def by_flight(
    place: data_pb2.FrameLocation,
    seal: Seal,
    *,
    ticket: bytes = b"",
    first_row: str = "0",
    tenant: str = "ann",
    most: int = 1_000,
) -> None:
    """Read a frame, at most so many batches of it; then leave."""
    caller = Principal(tenant, tenant, Established.NAMED)
    sealed = seal.sealed(caller, FLIGHT_METHOD, 60)
    headers = [
        (PRINCIPAL_KEY.encode(), sealed.encode()),
        (FIRST_ROW_KEY.encode(), first_row.encode()),
    ]
    options = flight.FlightCallOptions(headers=headers, timeout=20)
    with flight.connect(place.uri) as client:
        reader = client.do_get(flight.Ticket(ticket or place.ticket), options)
        for _ in zip(range(most), reader, strict=False):
            pass


async def flights(world: World, whole: str, *damaged: str) -> None:
    place = await located(world, whole)
    seal = seal_of(world.settings)
    by_flight(place, seal, most=1)
    attempts: list[dict[str, Any]] = [{"ticket": b"forged"}, {"tenant": "bob"}, {"first_row": "x"}]
    refused = [(place, attempt) for attempt in attempts]
    refused += [(await located(world, digest), {}) for digest in damaged]
    for where, attempt in refused:
        with pytest.raises(flight.FlightError):
            by_flight(where, seal, **attempt)
    with pytest.raises(flight.FlightError):
        by_flight(place, Seal([new_key()]))
    host, _, port = place.uri.removeprefix("grpc+tcp://").rpartition(":")
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\n\r\n")


async def read_in_vain(world: World, *digests: str) -> list[str]:
    """The reasons that a client in a process of its own is given; it must say nothing else."""
    program = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        _READ_IN_VAIN,
        world.settings.gateway_address,
        world.job_id,
        *digests,
        cwd=REPOSITORY,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    reasons, said = await asyncio.wait_for(program.communicate(), 60)
    assert program.returncode == 0 and not _RAW.search(said.decode()), said.decode()
    return reasons.decode().split()


async def read_on(call: Any) -> None:
    async for _ in call:
        pass


async def test_no_way_of_breaking_a_frame_makes_anybody_print_a_raw_error(
    apart: MeshSettings,
) -> None:
    async with world(apart) as there:
        near, far = there.put(6 << 20), there.put(6 << 20 | 1)
        relayed(there, far)
        for digest in (near, far):
            await goes_away(there, digest)
        await writes(there)
        cut, noise, changed = (there.put(rows) for rows in (200_000, 200_001, 200_002))
        os.truncate(there.file(cut), 900_000)
        there.file(noise).write_bytes(b"ARROW1\0\0" + bytes(range(256)) * 400)
        content = bytearray(there.file(changed).read_bytes())
        content[800_000] ^= 1
        there.file(changed).write_bytes(content)
        unread = garbled(there)
        reasons = await read_in_vain(there, cut, noise, unread, changed)
        assert reasons == ["SOURCE_NOT_READABLE"] * 3 + ["VERIFICATION_FAILED"]
        await flights(there, near, cut, noise)
        async with Caller(there.settings) as caller:
            call = caller.artifacts.ReadFrame(
                artifacts_pb.ReadFrameRequest(job_id=there.job_id, digest=far)
            )
            await call.read()
            there.services["executor"].kill()
            assert (await refusal(read_on(call))).reason is SERVICE_UNAVAILABLE
            stub = ArtifactStub(caller.channel("gateway"))
            reading = asyncio.create_task(frames.read_frame(stub, there.job_id, near))
            await asyncio.to_thread(there.services["gateway"].stop)
            await asyncio.gather(reading, return_exceptions=True)
    said = there.said()
    assert not _RAW.search(said), said
