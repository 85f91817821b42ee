"""Who is asking, for which request, and how long there is: carried along every call.

Set by the server interceptors from the call's metadata, read by the client interceptors that pass
them on. A background job sets them once for everything it does.

All metadata that Assay's calls carry is named here, and explained in docs/operations.md.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from mesh.roles import Role

AUTHORIZATION_KEY = "authorization"
"""At the gateway: `Bearer` and a token, which says who calls, whatever TENANT_KEY says."""

TENANT_KEY = "x-assay-user"
"""Who calls, as callers of the gateway say it: once, 1 to 100 printable ASCII characters."""

REQUEST_KEY = "x-assay-request"
"""The request that a call belongs to: at most once, 1 to 100 letters, digits, dots, dashes."""

JOB_KEY = "x-assay-job"
"""The job that a call is made for, told in log lines; it decides nothing."""

PRINCIPAL_KEY = "x-assay-principal"
"""Who calls, as the services tell one another: sealed by the caller (`mesh.transport.seal`)."""

FIRST_ROW_KEY = "x-assay-first-row"
"""On Arrow Flight: from which row on a frame is wanted."""

LOCAL_TENANT = "local"

MESH_TENANT = ""
"""The mesh's own housekeeping, which no tenant asked for. No user can have this name."""

STRANGERS_TENANT = ",strangers"
"""Under whom it is recorded that somebody was refused who is nobody. No user can have this name."""


class Established(StrEnum):
    """How it was established who calls."""

    SOCKET = "socket"  # over a socket that only this machine's user can reach
    NAMED = "named"  # the caller said so; whoever lets callers in vouches for it
    TOKEN = "token"  # a signed token of an issuer that the gateway trusts
    KEY = "key"  # an API key of this mesh
    MESH = "mesh"  # a service of the mesh, of its own accord


class Principal(NamedTuple):
    """Who calls: on whose behalf, by whose hand, how that was established, and what they may."""

    tenant: str
    user: str
    how: Established
    role: Role = Role.NONE


@dataclass(frozen=True, slots=True)
class CallContext:
    """What every call knows. `deadline` is in seconds of `time.monotonic`, None for no limit.

    `job_id` is told in logs and decides nothing: what is done for a job outside it has none.
    `user` is empty where a service acts for a tenant of its own accord.
    """

    tenant: str = LOCAL_TENANT
    request_id: str = ""
    service: str = ""
    deadline: float | None = None
    job_id: str = ""
    user: str = ""
    how: Established = Established.MESH
    role: Role = Role.NONE

    @property
    def principal(self) -> Principal:
        """Who calls."""
        return Principal(self.tenant, self.user, self.how, self.role)

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
    """Change parts of the current context inside the block; `seconds` can only shorten it.

    Who acts for a tenant that is given does so of its own accord, for no user.
    """
    here = current()
    if tenant is not None:
        here = replace(here, user="", how=Established.MESH, role=Role.NONE)
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
