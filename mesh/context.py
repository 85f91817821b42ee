"""Who is asking, for which request, and how long there is: carried along every call.

Set by the server interceptors from the call's metadata, read by the client interceptors that pass
them on. A background job sets them once for everything it does.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace

TENANT_KEY = "x-assay-user"
REQUEST_KEY = "x-assay-request"
LOCAL_TENANT = "local"


@dataclass(frozen=True, slots=True)
class CallContext:
    """What every call knows. `deadline` is in seconds of `time.monotonic`, None for no limit."""

    tenant: str = LOCAL_TENANT
    request_id: str = ""
    service: str = ""
    deadline: float | None = None

    def seconds_left(self, default: float) -> float:
        """Seconds until the deadline, at most `default`; never negative."""
        if self.deadline is None:
            return default
        return max(0.0, min(default, self.deadline - time.monotonic()))


def service_of(method: str) -> str:
    """The service a method belongs to: "/assay.planner.v1.PlannerService/Plan" gives "planner"."""
    package = method.lstrip("/").split(".")
    return package[1] if len(package) > 2 and package[0] == "assay" else package[0]


_NOBODY = CallContext()
_current: ContextVar[CallContext] = ContextVar("assay_call", default=_NOBODY)


def current() -> CallContext:
    """The context of the running call."""
    return _current.get()


@contextmanager
def entered(context: CallContext) -> Iterator[CallContext]:
    """Make `context` current inside the block."""
    token = _current.set(context)
    try:
        yield context
    finally:
        _current.reset(token)


@contextmanager
def changed(
    *,
    tenant: str | None = None,
    request_id: str | None = None,
    service: str | None = None,
    seconds: float | None = None,
) -> Iterator[CallContext]:
    """Change parts of the current context inside the block; `seconds` can only shorten it."""
    here = current()
    context = replace(
        here,
        tenant=here.tenant if tenant is None else tenant,
        request_id=here.request_id if request_id is None else request_id,
        service=here.service if service is None else service,
        deadline=here.deadline
        if seconds is None
        else time.monotonic() + here.seconds_left(seconds),
    )
    with entered(context):
        yield context
