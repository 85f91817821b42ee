"""What ties a process to the one that started it: a socket between both.

By it the started one says that it is ready, or why it could not be; and who holds the other end,
and dies, however it dies, leaves an end of file behind.
"""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from mesh.errors import INTERNAL, REASONS, SERVICE_UNAVAILABLE, AssayError

VARIABLE = "ASSAY_LIFELINE"
"""Names the socket's descriptor in the surroundings of `python -m services`."""


def tell(line: socket.socket, facts: Mapping[str, Any]) -> None:
    """Say that this process is ready, with what whoever started it should know."""
    with suppress(OSError):  # nobody waits for it any more
        line.sendall(json.dumps(dict(facts)).encode() + b"\n")


def tell_failure(line: socket.socket, error: AssayError) -> None:
    """Say why this process does not become ready."""
    tell(
        line,
        {
            "reason": error.reason.code,
            "message": error.message,
            "hint": error.hint,
            "fields": error.fields,
            "metadata": error.metadata,
        },
    )


async def parse_ready_line(line: socket.socket, who: str) -> dict[str, Any]:
    """What the process says when it is ready.

    Raises the AssayError that it failed with; SERVICE_UNAVAILABLE where it ended without a word.
    """
    line.setblocking(False)
    loop, data = asyncio.get_running_loop(), b""
    while not data.endswith(b"\n"):
        try:
            piece = await loop.sock_recv(line, 1 << 16)
        except ConnectionError:
            piece = b""
        if not piece:
            raise AssayError(SERVICE_UNAVAILABLE, f"{who} ended while it was starting")
        data += piece
    facts: dict[str, Any] = json.loads(data)
    if "reason" not in facts:
        return facts
    reason = REASONS.get(facts.pop("reason"), INTERNAL)
    raise AssayError(reason, **facts)


async def broken(line: socket.socket) -> None:
    """Return when whoever started this process is gone."""
    line.setblocking(False)
    with suppress(ConnectionError):
        while await asyncio.get_running_loop().sock_recv(line, 1024):
            pass
