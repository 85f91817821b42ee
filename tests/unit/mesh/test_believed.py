"""A stream ends when its caller's token does; a call that is short is never asked about again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import grpc
import pytest
from grpc import aio

from assay.gateway.v1 import job_service_pb2 as pb
from assay.gateway.v1 import job_service_pb2_grpc as pb_grpc
from mesh.context import Established, Principal
from mesh.errors import SERVICE_UNAVAILABLE, TOKEN_REFUSED, AssayError, Reason
from mesh.transport.callers import Metadata
from mesh.transport.interceptors.credentials import Credentials
from mesh.transport.interceptors.incoming import Context, Errors
from mesh.transport.status import from_rpc_error


@dataclass
class Door:
    """Lets callers in until they have asked so often, and then not for `reason`."""

    how: Established = Established.KEY
    most: int = 3
    reason: Reason = TOKEN_REFUSED
    asked: int = 0
    enough: asyncio.Event = field(default_factory=asyncio.Event)

    async def admitted(self, method: str, metadata: Metadata, peer: str) -> Principal:
        self.asked += 1
        if self.asked > self.most:
            self.enough.set()
            raise AssayError(self.reason, "not any more")
        return Principal("acme", "ann", self.how)

    def taken(self, who: Principal) -> AbstractContextManager[None]:
        return nullcontext()


class Watched(pb_grpc.JobServiceServicer):
    def __init__(self) -> None:
        self.ended = asyncio.Event()

    async def GetJob(self, request: pb.GetJobRequest, context: Any) -> pb.GetJobResponse:
        return pb.GetJobResponse()

    async def WatchJob(
        self, request: pb.WatchJobRequest, context: Any
    ) -> AsyncGenerator[pb.WatchJobResponse]:
        try:
            yield pb.WatchJobResponse()
            await asyncio.Event().wait()
        finally:
            self.ended.set()


async def watching(door: Door, work: Any) -> None:
    credentials = Credentials()
    credentials.believe(door)
    server = aio.server(interceptors=[Context(credentials, 0.01), Errors()])
    watched = Watched()  # type: ignore[abstract]
    pb_grpc.add_JobServiceServicer_to_server(watched, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        async with aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            async with asyncio.timeout(20):
                await work(pb_grpc.JobServiceStub(channel), watched)
    finally:
        await server.stop(None)


async def test_a_stream_ends_when_its_token_does_and_says_so() -> None:
    door = Door()

    async def work(stub: Any, watched: Watched) -> None:
        stream = stub.WatchJob(pb.WatchJobRequest())
        with pytest.raises(grpc.RpcError) as refused:
            async for _ in stream:
                pass
        assert from_rpc_error(refused.value).reason is TOKEN_REFUSED
        await watched.ended.wait()

    await watching(door, work)
    assert door.asked == 4


async def test_a_stream_goes_on_while_it_cannot_be_found_out() -> None:
    door = Door(reason=SERVICE_UNAVAILABLE)

    async def work(stub: Any, watched: Watched) -> None:
        stream = stub.WatchJob(pb.WatchJobRequest())
        await anext(aiter(stream))
        await door.enough.wait()
        assert not watched.ended.is_set()
        stream.cancel()
        await watched.ended.wait()

    await watching(door, work)


async def is_quiet(stream: Any) -> None:
    """The stream is alive: it neither ends nor has anything more to say."""
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(anext(aiter(stream)), 0.1)


async def test_whoever_sent_no_token_is_not_asked_about_again() -> None:
    door = Door(how=Established.SOCKET, most=1)

    async def work(stub: Any, watched: Watched) -> None:
        stream = stub.WatchJob(pb.WatchJobRequest())
        await anext(aiter(stream))
        await is_quiet(stream)

    await watching(door, work)
    assert door.asked == 1
