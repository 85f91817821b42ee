"""Has gRPC free what a call was given, also where the call ends early.

grpc.aio hands the steps of a call to its core in batches, and frees a batch (its operations, a
message on its way) in the coroutine that waits for it. Of a stream that its reader cancels that
coroutine is cancelled too, and of a caller who is gone the step fails: either way nothing was freed
(https://github.com/grpc/grpc/issues/43360; decision 85).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Generator
from typing import Any

import grpc
from grpc._cython import cygrpc  # type: ignore[attr-defined]  # the stubs leave it out

_LEAKING = ("1.85.",)
"""The versions whose batches were looked at; others are left as they are."""

Step = Callable[[Any, tuple[Any, ...], Any], Coroutine[Any, Any, None]]
"""What gRPC does: hands operations of a call to its core, waits for a future that it has the event
loop make, and frees them."""


class Batch:
    """Stands in for the future that a step waits for, and for the event loop that makes it.

    The core calls it when the operations have ended; then the step goes on to where it frees them,
    whether or not anybody waits any more.
    """

    __slots__ = ("_loop", "_step", "waited_for")

    def __init__(
        self,
        step: Step,
        call: Any,
        operations: tuple[Any, ...],
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        """Begin; raises what the core has against the operations."""
        self._loop = loop
        self.waited_for: asyncio.Future[None] = loop.create_future()
        self._step: Coroutine[Any, Any, None] | None = step(call, operations, self)
        self._step.send(None)

    def create_future(self) -> Batch:
        """What the step waits for."""
        return self

    def is_closed(self) -> bool:
        """Whether nothing can be told to the loop any more."""
        return self._loop.is_closed()

    def call_soon_threadsafe(self, tell: Callable[..., None], *what: Any) -> None:
        """Tell it in the loop that waits: the core is listened to by one loop of the process."""
        if asyncio.get_running_loop() is self._loop:
            tell(*what)
        else:
            self._loop.call_soon_threadsafe(tell, *what)

    def __await__(self) -> Generator[None, None, None]:
        """Stop until the core has called."""
        yield

    def cancelled(self) -> bool:
        """Never: the core is to call."""
        return False

    def set_result(self, _result: None) -> None:
        """The operations are done."""
        self._ended(None)

    def set_exception(self, error: BaseException) -> None:
        """The operations failed."""
        self._ended(error)

    def _ended(self, failure: BaseException | None) -> None:
        step, self._step = self._step, None
        try:
            if step is not None:
                step.send(None)
        except StopIteration:
            pass
        except Exception as error:  # whoever waits is told: the core could do nothing with it
            failure = failure or error
        if self.waited_for.done():  # cancelled
            return
        if failure is None:
            self.waited_for.set_result(None)
        else:
            self.waited_for.set_exception(failure)


def free_batches() -> None:
    """Have all batches of this process freed from now on; called again, it has no effect."""
    step: Any = cygrpc.execute_batch
    if hasattr(step, "frees") or not grpc.__version__.startswith(_LEAKING):
        return

    def execute_batch(call: Any, operations: tuple[Any, ...], loop: Any) -> asyncio.Future[None]:
        return Batch(step, call, operations, loop).waited_for

    execute_batch.frees = True  # type: ignore[attr-defined]
    cygrpc.execute_batch = execute_batch
