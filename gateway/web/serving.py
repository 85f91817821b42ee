"""Serves the web face beside gRPC, in the same process and event loop."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from mesh.errors import SERVICE_UNAVAILABLE, AssayError

CLOSING_SECONDS = 2


@asynccontextmanager
async def serving(
    app: Any, listen: str, certificate: Path | None, key: Path | None
) -> AsyncGenerator[str]:
    """Serve an ASGI application until the block ends; yields the address, with the port it has.

    Raises AssayError(SERVICE_UNAVAILABLE) for an address that cannot be had.
    """
    import uvicorn

    with contextlib.closing(_bound(listen)) as listening:
        settings = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            ws="none",
            server_header=False,
            ssl_certfile=certificate,
            ssl_keyfile=key,
            timeout_graceful_shutdown=CLOSING_SECONDS,
        )
        server = uvicorn.Server(settings)
        server.capture_signals = contextlib.nullcontext  # type: ignore[method-assign,assignment]
        task = asyncio.create_task(server.serve(sockets=[listening]), name="gateway-web")
        try:
            yield f"{listen.rpartition(':')[0]}:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            await asyncio.wait([task])


def _bound(listen: str) -> socket.socket:
    host, _, port = listen.rpartition(":")
    bare = host.strip("[]")
    try:
        family = socket.AF_INET6 if ":" in bare else socket.AF_INET
        listening = socket.create_server((bare, int(port)), family=family)
    except (OSError, OverflowError, ValueError) as error:
        raise AssayError(
            SERVICE_UNAVAILABLE,
            f"the console cannot listen on {listen}",
            hint="Another process may hold it; choose another with --console.",
        ) from error
    # Answers in two pieces would wait 40 ms for a delayed acknowledgement of the first (RFC 1122,
    # 4.2.3); what is accepted inherits this. asyncio sets it on sockets that name their protocol.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening
