"""Waiting for a peer that is away, as one is that restarts: bounded, and never past a deadline.

Only for calls that may be repeated: those that carry an id, or change nothing.
"""

from __future__ import annotations

import logging
import time
from dataclasses import replace
from typing import Any

import grpc

from mesh.context import current
from mesh.errors import SERVICE_UNAVAILABLE, TIMEOUT, AssayError
from mesh.status import WAITED, from_rpc_error

PATIENCE_SECONDS = 20.0
"""How long a peer that cannot be reached is waited for: longer than a restart takes."""

log = logging.getLogger("assay.patience")


async def patient(peer: str, method: Any, request: Any, away: AssayError | None = None) -> Any:
    """The answer of a stub's unary method, asked again while the peer is away.

    `away` is how the peer was found to be away already, by another call. Raises AssayError: what
    the peer refused with, and SERVICE_UNAVAILABLE when it stays away for PATIENCE_SECONDS, which
    nobody then waits for again (mesh.status.WAITED). Why is logged.
    """
    why = ""
    until = time.monotonic() + PATIENCE_SECONDS
    while True:
        waiting = {"wait_for_ready": True, "timeout": until - time.monotonic()} if away else {}
        call = method(request, **waiting)
        try:
            return await call
        except grpc.RpcError as error:
            failure = from_rpc_error(error, peer)
            if away and failure.reason is TIMEOUT and current().seconds_left(1.0) > 0.0:
                log.warning("the %s service was not reached: %s", peer, why or away.message)
                waited = f"{PATIENCE_SECONDS:g}"
                raise replace(
                    away,
                    hint=f"The mesh waited {waited} seconds for it; its log says why.",
                    metadata={**away.metadata, WAITED: waited},
                ) from error
            if failure.reason is not SERVICE_UNAVAILABLE or WAITED in failure.metadata:
                raise failure from error
            if not why and isinstance(error, grpc.aio.AioRpcError):
                why = error.details() or ""
            away = failure
