"""Waiting for a peer that is away, as one is that restarts: bounded, and never past a deadline.

Only for calls that may be repeated: those that carry an id, or change nothing.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

import grpc

from mesh.context import current
from mesh.errors import SERVICE_UNAVAILABLE, TIMEOUT, AssayError
from mesh.transport.status import WAITED, from_rpc_error

PATIENCE_SECONDS = 20.0
"""How long a peer that cannot be reached is waited for: longer than a restart takes."""

AT_ONCE_SECONDS = 1.0
"""How long a peer has for each answer where nobody wants to wait for it."""

log = logging.getLogger("assay.patience")

_hurried: ContextVar[frozenset[str]] = ContextVar("assay_hurried", default=frozenset())


@contextmanager
def hurried(peer: str) -> Iterator[None]:
    """Inside, a peer that has not answered in AT_ONCE_SECONDS is away: also one that hangs."""
    token = _hurried.set(_hurried.get() | {peer})
    try:
        yield
    finally:
        _hurried.reset(token)


async def patient(peer: str, method: Any, request: Any, away: AssayError | None = None) -> Any:
    """The answer of a stub's unary method, asked again while the peer is away.

    `away` is how the peer was found to be away already, by another call. Raises AssayError: what
    the peer refused with, and SERVICE_UNAVAILABLE when it stays away for PATIENCE_SECONDS (less
    where it is `hurried`), which nobody then waits for again (mesh.transport.status.WAITED). Why is
    logged.
    """
    why = ""
    in_a_hurry = peer in _hurried.get()
    patience = AT_ONCE_SECONDS if in_a_hurry else PATIENCE_SECONDS
    until = time.monotonic() + patience
    while True:
        waiting: dict[str, Any] = {"wait_for_ready": True} if away else {}
        if away or in_a_hurry:
            waiting["timeout"] = until - time.monotonic()
        call = method(request, **waiting)
        try:
            return await call
        except grpc.RpcError as error:
            failure = from_rpc_error(error, peer)
            late = failure.reason is TIMEOUT and current().seconds_left(1.0) > 0.0
            if late and in_a_hurry and not away:
                away = AssayError(SERVICE_UNAVAILABLE, f"the {peer} service does not answer")
            if late and away:
                log.warning("the %s service was not reached: %s", peer, why or away.message)
                waited = f"{patience:g} second{'' if patience == 1.0 else 's'}"
                raise replace(
                    away,
                    hint=f"The mesh waited {waited} for it; its log says why.",
                    metadata={**away.metadata, WAITED: f"{patience:g}"},
                ) from error
            if failure.reason is not SERVICE_UNAVAILABLE or WAITED in failure.metadata:
                raise failure from error
            if not why and isinstance(error, grpc.aio.AioRpcError):
                why = error.details() or ""
            away = failure
