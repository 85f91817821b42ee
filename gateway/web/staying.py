"""Calls that last end with the sign-in that they were made by, however long they had still to go.

A token that comes with a call is asked about again by `mesh.transport.interceptors.incoming`; a
browser's sign-in is known here alone.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Protocol

from mesh.errors import AssayError, Kind

AGAIN_SECONDS = 5.0
"""How often it is asked whether a browser is still signed in: so long a stream outlasts that."""

log = logging.getLogger("assay.gateway")


class Call(Protocol):
    """A running call."""

    def cancel(self) -> bool:
        """End it; without effect when it has ended."""
        ...


@asynccontextmanager
async def ending_with_sign_in(
    call: Call, identify: Callable[[], Awaitable[object]], seconds: float = AGAIN_SECONDS
) -> AsyncIterator[None]:
    """Cancel `call`, which is waited for within, once `identify` refuses its caller.

    Raises what that raised. A caller of whom it cannot be found out goes on.
    """
    refused: list[AssayError] = []

    async def ask() -> None:
        while True:
            await asyncio.sleep(seconds)
            try:
                await identify()
            except AssayError as error:
                if error.reason.kind in (Kind.IDENTITY, Kind.POLICY):
                    refused.append(error)
                    call.cancel()
                    return
            except Exception:
                log.exception("whether a browser is still signed in could not be found out")

    asking = asyncio.create_task(ask())
    try:
        yield
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if not refused or (task is not None and task.cancelling()):
            raise
        raise refused[0] from None
    finally:
        asking.cancel()
