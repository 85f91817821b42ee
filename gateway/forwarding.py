"""Asking a peer on behalf of a caller: its errors pass through unchanged, no call is left behind.

What the gateway only passes on never leaves its protobuf messages: the servicers that use these
functions hold the peer's stub.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Generator
from typing import Any, Protocol, TypeVar

import grpc
from grpc import aio

from mesh.transport.status import from_rpc_error

T_co = TypeVar("T_co", covariant=True)
T = TypeVar("T")


class UnaryCall(Protocol[T_co]):
    """A running call with one answer."""

    def __await__(self) -> Generator[Any, None, T_co]:
        """Wait for it."""
        ...

    def cancel(self) -> bool:
        """End the call; without effect when it has ended."""
        ...


class StreamCall(Protocol[T_co]):
    """A running call with a stream of answers."""

    def __aiter__(self) -> AsyncIterator[T_co]:
        """Take the answers as they come."""
        ...

    def cancel(self) -> bool:
        """End the call; without effect when it has ended."""
        ...


async def answered(call: UnaryCall[T], peer: str) -> T:
    """The peer's answer. Raises the AssayError that the peer raised, or SERVICE_UNAVAILABLE."""
    try:
        return await call
    except grpc.RpcError as error:
        raise from_rpc_error(error, peer) from error
    finally:
        call.cancel()  # gRPC does not cancel a call that nobody awaits any more


async def streamed(call: StreamCall[T], peer: str) -> AsyncGenerator[T]:
    """The peer's answers as they come; the call is cancelled when this iterator ends or is closed.

    Raises the AssayError that the peer raised, or SERVICE_UNAVAILABLE.
    """
    try:
        async for item in call:
            yield item
    except grpc.RpcError as error:
        raise from_rpc_error(error, peer) from error
    finally:
        call.cancel()


async def relayed(
    call: StreamCall[T], peer: str, context: aio.ServicerContext[Any, Any]
) -> AsyncIterator[T]:
    """Like `streamed`, for a stream that answers the running call: they end together.

    A caller may go away while an item is being written, when this iterator does not run.
    """

    def ended(_: object) -> None:
        call.cancel()

    context.add_done_callback(ended)  # type: ignore[arg-type]  # the stub asks for its own class
    async for item in streamed(call, peer):
        yield item
