"""One way to write a server interceptor: an async context manager around every kind of call."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, aclosing
from functools import cached_property, lru_cache
from typing import Any

import grpc
from grpc import aio

from mesh.errors import READER_TOO_SLOW, AssayError

_MOST_METHODS = 1_024


class Around(aio.ServerInterceptor):
    """Base of server interceptors; subclasses give `around`.

    `around(method, context)` is entered before the handler runs and left when it has ended, also
    by an exception, for unary and streaming calls alike.
    """

    patience_seconds = 60.0
    """How long a reader of a stream may take nothing."""

    def reading(self, handler: Any) -> tuple[Callable[[Any], Any], Callable[[bytes], Any] | None]:
        """What makes of a request what the handler gets, and what gRPC makes of its bytes before.

        By default gRPC reads the message and nothing else is done.
        """
        return _as_it_is, handler.request_deserializer

    def around(
        self, method: str, context: aio.ServicerContext[Any, Any]
    ) -> AbstractAsyncContextManager[None]:
        """What to do around one call of `method` ("/package.Service/Name")."""
        raise NotImplementedError

    async def intercept_service(
        self,
        continuation: Callable[
            [grpc.HandlerCallDetails], Awaitable[grpc.RpcMethodHandler[Any, Any] | None]
        ],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> grpc.RpcMethodHandler[Any, Any] | None:
        """The method with `around` around it."""
        handler: Any = await continuation(handler_call_details)
        if handler is None:  # unknown method: gRPC itself answers UNIMPLEMENTED
            return None
        method = handler_call_details.method
        return self._wrapping(method, handler)

    @cached_property
    def _wrapping(self) -> Callable[[str, Any], grpc.RpcMethodHandler[Any, Any]]:
        """`_wrap`, once for all calls of a method."""
        return lru_cache(_MOST_METHODS)(self._wrap)

    def _wrap(self, method: str, handler: Any) -> grpc.RpcMethodHandler[Any, Any]:
        """Whichever of the four handler functions the method has, wrapped."""
        kind = f"{'stream' if handler.request_streaming else 'unary'}_" + (
            "stream" if handler.response_streaming else "unary"
        )
        read, deserializer = self.reading(handler)
        inner = _reading(getattr(handler, kind), read)
        wrapped = (
            self._streaming(method, inner)
            if handler.response_streaming
            else self._unary(method, inner)
        )
        factory = getattr(grpc, f"{kind}_rpc_method_handler")
        result: grpc.RpcMethodHandler[Any, Any] = factory(
            wrapped, deserializer, handler.response_serializer
        )
        return result

    async def _write(self, response: Any, context: aio.ServicerContext[Any, Any]) -> None:
        """Hand a response to the connection, which takes it when the reader has room.

        Raises AssayError(READER_TOO_SLOW) when that takes too long, and CancelledError when the
        reader is gone. Not bounded is how long a handler may think before it has a response.
        """
        try:
            async with asyncio.timeout(self.patience_seconds):
                await context.write(response)
        except TimeoutError:
            raise AssayError(
                READER_TOO_SLOW, f"nothing was read for {self.patience_seconds:g} seconds"
            ) from None
        except aio.InternalError:
            # gRPC tells of a lost peer in two ways: most often it cancels the handler, but a
            # write that is under way just then fails with this.
            raise asyncio.CancelledError from None

    def _unary(self, method: str, inner: Callable[[Any, Any], Awaitable[Any]]) -> Any:
        async def call(request: Any, context: aio.ServicerContext[Any, Any]) -> Any:
            async with self.around(method, context):
                return await inner(request, context)

        return call

    def _streaming(self, method: str, inner: Callable[[Any, Any], Any]) -> Any:
        # A coroutine that writes, not a generator: gRPC drops the generator of a call that ends
        # early, and its clean-up would then run at some later time in some other task.
        async def call(request: Any, context: aio.ServicerContext[Any, Any]) -> None:
            async with self.around(method, context):
                answering = inner(request, context)
                if not hasattr(answering, "__aiter__"):  # wrapped by another interceptor already
                    await answering
                    return
                async with aclosing(answering) as responses:
                    async for response in responses:
                        await self._write(response, context)

        return call


def _as_it_is(request: Any) -> Any:
    return request


def _reading(inner: Callable[[Any, Any], Any], read: Callable[[Any], Any]) -> Any:
    return inner if read is _as_it_is else lambda request, context: inner(read(request), context)
