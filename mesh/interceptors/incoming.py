"""Server interceptors: context and errors. Their order is stated in `mesh.interceptors`."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from grpc import aio
from grpc_status import rpc_status

from mesh import context as calls
from mesh.errors import INTERNAL, AssayError
from mesh.ids import new_id
from mesh.interceptors.around import Around
from mesh.status import to_status

log = logging.getLogger("assay.rpc")


def service_of(method: str) -> str:
    """The service a method belongs to: "/assay.planner.v1.PlannerService/Plan" gives "planner"."""
    package = method.lstrip("/").split(".")
    return package[1] if len(package) > 2 and package[0] == "assay" else package[0]


class Context(Around):
    """Puts tenant, request id, deadline and the service's name where the code below finds them.

    Must come before Errors: an error's log line names the request.
    """

    @asynccontextmanager
    async def around(
        self, method: str, context: aio.ServicerContext[Any, Any]
    ) -> AsyncIterator[None]:
        """Read the metadata and the time that is left."""
        metadata = {key: value for key, value in context.invocation_metadata() or ()}
        left = context.time_remaining()
        call = calls.CallContext(
            tenant=str(metadata.get(calls.TENANT_KEY) or calls.LOCAL_TENANT),
            request_id=str(metadata.get(calls.REQUEST_KEY) or new_id()),
            service=service_of(method),
            deadline=None if left is None else time.monotonic() + left,
        )
        with calls.entered(call):
            yield


class Errors(Around):
    """Turns every exception into a status with a reason; nobody ever sees a traceback.

    Must be innermost, so that all others see the final status.
    """

    @asynccontextmanager
    async def around(
        self, method: str, context: aio.ServicerContext[Any, Any]
    ) -> AsyncIterator[None]:
        """Abort with the table's status; what is not an AssayError is logged and made safe."""
        try:
            yield
        except (aio.AbortError, asyncio.CancelledError):
            raise
        except AssayError as error:
            await _abort(context, error)
        except Exception:
            request = calls.current().request_id
            log.exception("%s failed (request %s)", method, request)
            text = f"something went wrong inside Assay (request {request})"
            await _abort(context, AssayError(INTERNAL, text, metadata={"request_id": request}))


async def _abort(context: aio.ServicerContext[Any, Any], error: AssayError) -> None:
    status = rpc_status.to_status(to_status(error))
    await context.abort(status.code, status.details, status.trailing_metadata)
