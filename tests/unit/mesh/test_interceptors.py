"""What surrounds every call: context, errors, spans, and the end of streams."""

from __future__ import annotations

import asyncio
import errno
import tempfile
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any

import grpc
import pytest
import pytest_asyncio
from grpc import aio

from assay.executor.v1 import executor_service_pb2 as pb
from assay.executor.v1 import executor_service_pb2_grpc as pb_grpc
from mesh import context as calls
from mesh.context import Established
from mesh.errors import DISK_FULL, INTERNAL, INVALID_ARGUMENT, NOT_FOUND, PEER_REFUSED, AssayError
from mesh.keys import new_key
from mesh.roles import Role
from mesh.transport.dial import open_channel
from mesh.transport.interceptors import server_interceptors
from mesh.transport.interceptors.incoming import Errors
from mesh.transport.seal import Seal
from mesh.transport.status import from_rpc_error


@dataclass
class Echo(pb_grpc.ExecutorServiceServicer):
    """One method of each kind that says what it knows of its caller."""

    seen: list[calls.CallContext] = field(default_factory=list)
    closed_in: list[str] = field(default_factory=list)
    closed: asyncio.Event = field(default_factory=asyncio.Event)
    fault: Exception | None = None

    def _note(self) -> None:
        self.seen.append(calls.current())
        if self.fault is not None:
            raise self.fault

    async def ListTools(self, request: pb.ListToolsRequest, context: Any) -> pb.ListToolsResponse:
        self._note()
        return pb.ListToolsResponse()

    async def PutSource(
        self, request_iterator: AsyncIterator[pb.PutSourceRequest], context: Any
    ) -> pb.PutSourceResponse:
        self._note()
        size = sum([len(part.chunk.data) async for part in request_iterator])
        return pb.PutSourceResponse(size_bytes=size)

    async def ReadFrame(
        self, request: pb.ReadFrameRequest, context: Any
    ) -> AsyncGenerator[pb.ReadFrameResponse]:
        self._note()
        try:
            while True:
                yield pb.ReadFrameResponse()
                await asyncio.sleep(0)
        finally:
            self.closed_in.append(calls.current().tenant)
            self.closed.set()


@dataclass
class Served:
    channel: aio.Channel
    echo: Echo
    stub: pb_grpc.ExecutorServiceStub
    target: str
    seal: Seal

    def channel_of_nobody(self) -> aio.Channel:
        """A service's own channel, on which it calls for whom it works."""
        return open_channel(self.target, seal=self.seal)

    def channel_of(self, seal: Seal | None) -> aio.Channel:
        return open_channel(self.target, "ann", seal=seal)


@pytest_asyncio.fixture
async def served() -> AsyncIterator[Served]:
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="assay-"))
        seal = Seal([new_key()])
        server, echo = aio.server(interceptors=server_interceptors(seal=seal)), Echo()  # type: ignore[abstract]
        pb_grpc.add_ExecutorServiceServicer_to_server(echo, server)
        server.add_insecure_port(f"unix:{folder}/echo.sock")
        await server.start()
        stack.push_async_callback(server.stop, None)
        channel = await stack.enter_async_context(
            open_channel(f"unix:{folder}/echo.sock", "ann", seal=seal)
        )
        yield Served(
            channel, echo, pb_grpc.ExecutorServiceStub(channel), f"unix:{folder}/echo.sock", seal
        )


async def each_kind_of_call(stub: pb_grpc.ExecutorServiceStub) -> None:
    await stub.ListTools(pb.ListToolsRequest())
    await stub.PutSource(iter([pb.PutSourceRequest()]))
    stream = stub.ReadFrame(pb.ReadFrameRequest())
    await anext(aiter(stream))
    stream.cancel()


async def test_every_kind_of_call_carries_its_caller_and_a_deadline(served: Served) -> None:
    await each_kind_of_call(served.stub)
    assert [call.tenant for call in served.echo.seen] == ["ann"] * 3
    assert [call.service for call in served.echo.seen] == ["executor"] * 3
    assert all(call.deadline is not None for call in served.echo.seen)


async def test_every_kind_of_call_passes_on_the_request_and_the_time_that_is_left(
    served: Served,
) -> None:
    here = calls.CallContext(tenant="bob", request_id="f" * 32, deadline=time.monotonic() + 5)
    with calls.entered(here):
        await each_kind_of_call(served.stub)
    assert [call.request_id for call in served.echo.seen] == ["f" * 32] * 3
    left = [call.seconds_left(60) for call in served.echo.seen]
    assert all(2 < seconds < 6 for seconds in left), left


async def test_a_timeout_of_ones_own_can_only_shorten_the_time(served: Served) -> None:
    with calls.entered(calls.CallContext(deadline=time.monotonic() + 5)):
        await served.stub.ListTools(pb.ListToolsRequest(), timeout=1)
        await served.stub.ListTools(pb.ListToolsRequest(), timeout=100)
    short, long = (call.seconds_left(60) for call in served.echo.seen)
    assert short < 1.5
    assert long < 6


async def test_a_stream_that_is_given_up_is_closed_where_it_ran(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    stream = served.stub.ReadFrame(pb.ReadFrameRequest())
    await anext(aiter(stream))
    stream.cancel()
    await asyncio.wait_for(served.echo.closed.wait(), 5)
    assert served.echo.closed_in == ["ann"]
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


async def test_a_known_failure_leaves_with_its_reason(served: Served) -> None:
    served.echo.fault = AssayError(
        NOT_FOUND, "there is no frame", hint="look again", fields={"digest": "unknown"}
    )
    for call in (
        served.stub.ListTools(pb.ListToolsRequest()),
        served.stub.PutSource(iter([pb.PutSourceRequest()])),
    ):
        with pytest.raises(aio.AioRpcError) as refused:
            await call
        assert refused.value.code() is grpc.StatusCode.NOT_FOUND
        error = from_rpc_error(refused.value)
        assert (error.reason, error.message) == (NOT_FOUND, "there is no frame")
        assert (error.remedy, error.fields) == ("look again", {"digest": "unknown"})
    with pytest.raises(aio.AioRpcError) as broken:
        await anext(aiter(served.stub.ReadFrame(pb.ReadFrameRequest())))
    assert from_rpc_error(broken.value).reason is NOT_FOUND


async def test_any_other_failure_is_logged_with_the_request_and_told_without_its_words(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    served.echo.fault = KeyError("a secret")
    here = calls.CallContext(request_id="e" * 32)
    with calls.entered(here), pytest.raises(aio.AioRpcError) as refused:
        await served.stub.ListTools(pb.ListToolsRequest())
    error = from_rpc_error(refused.value)
    assert error.reason is INTERNAL
    assert error.metadata == {"request_id": "e" * 32}
    assert "secret" not in str(refused.value.trailing_metadata())
    assert "a secret" in caplog.text
    assert "e" * 32 in caplog.text


async def test_a_full_disk_behind_any_failure_leaves_as_that_and_names_the_file(
    served: Served,
) -> None:
    full = OSError(errno.ENOSPC, "No space left on device", "/data/frames/ab.arrow")
    served.echo.fault = RuntimeError("a library's words")
    served.echo.fault.__cause__ = full
    with pytest.raises(aio.AioRpcError) as refused:
        await served.stub.ListTools(pb.ListToolsRequest())
    error = from_rpc_error(refused.value)
    assert error.reason is DISK_FULL
    assert "/data/frames/ab.arrow" in error.message
    assert "library" not in error.message


class Lost:
    """The server's side of a call whose peer went while something was being sent."""

    def __init__(self, *, before: int = 0) -> None:
        self.left = before

    def invocation_metadata(self) -> tuple[()]:
        return ()

    def time_remaining(self) -> None:
        return None

    async def write(self, response: Any) -> None:
        self.left -= 1
        if self.left < 0:
            raise aio.InternalError("execute_batch")

    async def abort(self, *status: Any) -> None:
        raise aio.InternalError("execute_batch")


@pytest.mark.parametrize("fault", [None, AssayError(NOT_FOUND, "no frame"), KeyError("lost")])
async def test_a_peer_that_goes_during_a_send_is_no_failure_of_ours(
    fault: Exception | None, caplog: pytest.LogCaptureFixture
) -> None:
    echo = Echo(fault=fault)  # type: ignore[abstract]

    async def found(details: Any) -> Any:
        return grpc.unary_stream_rpc_method_handler(echo.ReadFrame)

    details: Any = type("Details", (), {"method": "/assay.executor.v1.ExecutorService/ReadFrame"})
    handler: Any = await Errors().intercept_service(found, details)
    with pytest.raises(asyncio.CancelledError):
        await handler.unary_stream(pb.ReadFrameRequest(), Lost(before=3))
    assert "execute_batch" not in caplog.text
    assert echo.closed.is_set() is (fault is None)


async def test_a_method_that_is_not_served_is_unimplemented(served: Served) -> None:
    with pytest.raises(aio.AioRpcError) as refused:
        call: Any = served.channel.unary_unary("/assay.executor.v1.ExecutorService/Fly")
        await call(b"")
    assert refused.value.code() is grpc.StatusCode.UNIMPLEMENTED


def test_a_method_names_its_service() -> None:
    assert calls.service_of("/assay.planner.v1.PlannerService/Plan") == "planner"
    assert calls.service_of("assay.gateway.v1.JobService/GetJob") == "gateway"
    assert calls.service_of("/grpc.health.v1.Health/Check") == "grpc"


@pytest.mark.parametrize("kind", ["one request", "a stream of requests"])
async def test_bytes_that_are_no_message_are_refused_in_our_words(
    served: Served, kind: str
) -> None:
    name = "ListTools" if kind == "one request" else "PutSource"
    method = f"/assay.executor.v1.ExecutorService/{name}"
    with pytest.raises(aio.AioRpcError) as refused:
        if kind == "one request":
            one: Any = served.channel.unary_unary(method)
            await one(b"\xff\xff")
        else:
            many: Any = served.channel.stream_unary(method)
            await many(iter([b"\xff\xff"]))
    assert from_rpc_error(refused.value).reason is INVALID_ARGUMENT
    assert "Decode" not in str(refused.value.details())


async def test_a_service_behind_the_gateway_answers_its_peers_alone(served: Served) -> None:
    bare = served.channel_of(None)
    async with bare as channel:
        with pytest.raises(aio.AioRpcError) as refused:
            await pb_grpc.ExecutorServiceStub(channel).ListTools(pb.ListToolsRequest())
    assert refused.value.code() is grpc.StatusCode.UNAUTHENTICATED
    assert from_rpc_error(refused.value).reason is PEER_REFUSED
    assert served.echo.seen == []


async def test_what_a_caller_may_is_told_to_the_next_service(served: Served) -> None:
    here = calls.CallContext(tenant="acme", user="bob", how=Established.KEY, role=Role.ANALYST)
    channel = served.channel_of_nobody()
    with calls.entered(here):
        await pb_grpc.ExecutorServiceStub(channel).ListTools(pb.ListToolsRequest())
    await channel.close()
    assert [call.principal for call in served.echo.seen] == [here.principal]
