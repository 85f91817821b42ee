"""The web face put together: where it listens, how it reaches the gateway, and its start link."""

from __future__ import annotations

import asyncio
import secrets
import tempfile
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from grpc import aio

from gateway.settings import GatewaySettings, listed
from gateway.sign_ins.app import SignIns, StartLink
from mesh.transport.dial import CHANNEL_OPTIONS

if TYPE_CHECKING:
    from gateway.ports import SignInProvider
    from mesh.transport.callers import EndUsers

START_FILE = "console"
"""In the home: the start link of the console that runs there, for this machine's user alone."""


class WebRunning:
    """The web face of one gateway, where settings say where it listens; else nothing."""

    def __init__(self, settings: GatewaySettings, contracts: Sequence[str]) -> None:
        self._settings = settings
        self._contracts = contracts
        self._stack = AsyncExitStack()
        self._socket = ""
        self.address = ""
        """Where it listens, with the port it has; empty where it does not."""

    def register(self, server: aio.Server) -> None:
        """Have the server listen on a socket that nobody but this process's user can reach."""
        if not self._settings.web:
            return
        folder = tempfile.TemporaryDirectory(prefix="assay-", ignore_cleanup_errors=True)
        self._socket = f"unix:{self._stack.enter_context(folder)}/web"
        server.add_insecure_port(self._socket)

    async def start(
        self, end_users: EndUsers, sign_ins: SignIns, provider: SignInProvider | None
    ) -> None:
        """Listen. Raises AssayError(SERVICE_UNAVAILABLE) for an address that cannot be had."""
        settings = self._settings
        if not settings.web:
            return
        await asyncio.to_thread(_imported)
        from gateway.web.face import web_face
        from gateway.web.guards import Hosts, is_loopback
        from gateway.web.identity import Identity
        from gateway.web.serving import serving
        from gateway.web.signing import Signing

        channel = aio.insecure_channel(self._socket, options=CHANNEL_OPTIONS)
        await self._stack.enter_async_context(channel)
        local = settings.gateway_auth == "local" and is_loopback(settings.web)
        key = secrets.token_urlsafe(32) if local else ""
        secure = settings.public_certificate is not None
        identity = Identity(sign_ins, settings.gateway_web_url, secure=secure)
        face = web_face(
            self._contracts,
            channel,
            Signing(end_users, sign_ins, StartLink(key), identity, provider),
            identity,
            Hosts(settings.web, settings.gateway_web_url),
            listed(settings.gateway_web_origins),
        )
        self.address = await self._stack.enter_async_context(
            serving(face, settings.web, settings.public_certificate, settings.public_key)
        )
        scheme = "https" if secure else "http"
        start = f"{scheme}://{self.address}/" + (f"start?key={key}" if key else "")
        self._stack.callback((await asyncio.to_thread(self._note, start)).unlink, missing_ok=True)

    async def stop(self) -> None:
        """Close every connection."""
        await self._stack.aclose()

    def _note(self, start: str) -> Path:
        path = self._settings.folder() / START_FILE
        path.unlink(missing_ok=True)
        path.touch(mode=0o600)
        path.write_text(f"{start}\n", encoding="utf-8")
        return path


def _imported() -> None:
    """Import what the web face needs, which takes most of a second, beside the event loop."""
    import uvicorn  # noqa: F401

    import gateway.web.face  # noqa: F401
