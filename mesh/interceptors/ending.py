"""Client interceptors: a call that nobody waits for any more ends.

Telemetry waits inside its interceptor for the end of a call with one answer. Whoever cancels such
a call cancels that waiting, and gRPC would leave the call itself alone: its peer would go on, and
wait for the rest of an upload for as long as the deadline lets it. Telemetry would leave its span
open, which then is never told of, and what the peer did would hang in its trace without a parent.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import grpc
from grpc import aio
from opentelemetry import trace


class EndUnaryUnary(aio.UnaryUnaryClientInterceptor):
    """For calls with one request and one answer."""

    async def intercept_unary_unary(
        self, continuation: Callable[..., Any], client_call_details: Any, request: Any
    ) -> Any:
        """Tie the call to the task that waits for it."""
        return _tied(await continuation(client_call_details, request))


class EndStreamUnary(aio.StreamUnaryClientInterceptor):
    """For calls with a stream of requests and one answer."""

    async def intercept_stream_unary(
        self, continuation: Callable[..., Any], client_call_details: Any, request_iterator: Any
    ) -> Any:
        """Tie the call to the task that waits for it."""
        return _tied(await continuation(client_call_details, request_iterator))


def ending() -> list[aio.ClientInterceptor]:
    """One interceptor for each kind of call that telemetry waits for."""
    return [EndUnaryUnary(), EndStreamUnary()]


def _tied(call: Any) -> Any:
    """The call, which ends with its span when the task of its interceptors is cancelled."""
    span = trace.get_current_span()

    def ended(waiting: asyncio.Task[Any]) -> None:
        if waiting.cancelled():
            call.cancel()
            span.set_attribute("rpc.grpc.status_code", grpc.StatusCode.CANCELLED.value[0])
            span.end()

    task = asyncio.current_task()
    if task is not None:
        task.add_done_callback(ended)
    return call
