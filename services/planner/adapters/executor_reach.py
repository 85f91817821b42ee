"""Asking an executor that may die and come back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import grpc

from assay.executor.v1 import executor_service_pb2 as pb
from mesh.errors import EXECUTOR_LOST, SERVICE_UNAVAILABLE, AssayError
from mesh.transport.patience import patient
from mesh.transport.status import from_rpc_error

PEER = "executor"
MOST_ASKED = 4
"""How often one call is asked for. A call that ends every executor must not do so for ever."""

T = TypeVar("T")


class Reach:
    """Asks again for what was lost when the executor died.

    Every call carries an id or changes nothing, so asking again repeats nothing that completed.
    Bounded are the wait for an executor that is away (mesh.transport.patience), and how often one
    call is asked for, by MOST_ASKED.
    """

    def __init__(self, stub: Any) -> None:
        self._stub = stub  # the generated code has no types

    async def answer(self, what: str, ask: Callable[[], Awaitable[T]]) -> T:
        """The answer of `ask`; `what` says in messages what the executor was asked for.

        Raises AssayError: what the executor refused with, SERVICE_UNAVAILABLE, EXECUTOR_LOST.
        """
        asked = 0
        while True:
            asked += 1
            try:
                return await ask()
            except grpc.RpcError as error:
                await self.again(error, what, asked)

    async def again(self, error: grpc.RpcError, what: str, asked: int) -> None:
        """Return when a call that failed after it was `asked` so often should be asked again.

        Raises AssayError when it should not: see `answer`.
        """
        failure = from_rpc_error(error, PEER)
        if failure.reason is not SERVICE_UNAVAILABLE:
            raise failure from error
        await patient(PEER, self._stub.ListTools, pb.ListToolsRequest(), away=failure)
        if asked >= MOST_ASKED:
            raise AssayError(
                EXECUTOR_LOST, f"the executor was lost {asked} times while it {what}"
            ) from error
