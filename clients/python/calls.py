"""How this library makes calls: errors become AssayErrors, and no stream is left running."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

import grpc
from grpc import aio

from mesh.context import changed
from mesh.errors import SERVICE_UNAVAILABLE, AssayError
from mesh.transport.status import WAITED, from_rpc_error

MessageT = TypeVar("MessageT")

CONNECT_SECONDS = 1.0


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Bound all calls that are made in the block, streams too; they raise AssayError(TIMEOUT).

    Elsewhere a call has four minutes, and a job is watched to its end.
    """
    with changed(seconds=seconds):
        yield


async def answered(call: Awaitable[MessageT]) -> MessageT:
    """The answer of a call with one answer. Raises AssayError."""
    try:
        return await call
    except grpc.RpcError as error:
        raise from_rpc_error(error) from error


async def persistently(
    make: Callable[[], Awaitable[MessageT]], delays: Sequence[float]
) -> MessageT:
    """The answer of a call that may be repeated, made again after each delay while nobody serves.

    Raises AssayError; SERVICE_UNAVAILABLE only after every delay was tried, or the mesh waited.
    """
    for delay in delays:
        try:
            return await make()
        except AssayError as error:
            if error.reason is not SERVICE_UNAVAILABLE or WAITED in error.metadata:
                raise
        await asyncio.sleep(delay)
    return await make()


class Persistent:
    """Makes calls that may be repeated, also through a gateway's death.

    A mesh that was never reached is not waited for: its address may be wrong.
    """

    def __init__(self, channel: aio.Channel, delays: Sequence[float]) -> None:
        self._channel = channel
        self._delays = delays
        self._reached = False

    async def __call__(self, make: Callable[[], Awaitable[MessageT]], /) -> MessageT:
        """The answer of such a call. Raises AssayError."""
        if not self._reached:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._channel.channel_ready(), CONNECT_SECONDS)
                self._reached = True
        return await persistently(make, self._delays if self._reached else ())


async def streamed(call: aio.UnaryStreamCall[Any, MessageT]) -> AsyncGenerator[MessageT]:
    """The answers of a streaming call; raises AssayError.

    grpc.aio lets a forgotten call run on, so leaving early, for any reason, cancels it.
    """
    try:
        async for message in call:
            yield message
    except grpc.RpcError as error:
        raise from_rpc_error(error) from error
    finally:
        call.cancel()
