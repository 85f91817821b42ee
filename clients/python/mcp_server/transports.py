"""How the MCP server is reached: over this process's streams, or over HTTP on this machine."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clients.python.cli.connection import Reach
from clients.python.mcp_server.offered import Offered
from clients.python.mcp_server.server import made_server
from clients.python.mcp_server.tools import ToolContext
from clients.python.mcp_server.work import Progress
from clients.python.mcp_server.workspace import Workspace, Workspaces
from mesh.digest import sha256_hex
from mesh.errors import TOKEN_REFUSED, TOKEN_REQUIRED, AssayError, Kind
from mesh.text.harmless import harmless_value

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

ADDRESS = "127.0.0.1"
_BEARER, _SESSION = "bearer ", "mcp-session-id"


async def serve_streams(reach: Reach, offered: Offered, folder: Path) -> None:
    """Serve whoever started this process, as this process's own caller, until its input ends."""
    from mcp.server.stdio import stdio_server

    async with reach.client() as client:
        workspace = Workspace()

        @asynccontextmanager
        async def open_context(
            headers: Mapping[str, str], progress: Progress
        ) -> AsyncGenerator[ToolContext]:
            yield ToolContext(client, offered, folder, progress, workspace)

        server = made_server(open_context)
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())


async def serve_http(
    reach: Reach, offered: Offered, folder: Path, port: int, listening: Callable[[str], object]
) -> None:
    """Serve HTTP on this machine until cancelled; `listening` is told the URL.

    Every request is its token's: that is passed on to the mesh, which decides. Without one a mesh
    that was named is asked as a caller without; the home's own would take anybody for its user,
    and so is not. Raises AssayError for a port that cannot be had.
    """
    import uvicorn

    workspaces = Workspaces()

    @asynccontextmanager
    async def open_context(
        headers: Mapping[str, str], progress: Progress
    ) -> AsyncGenerator[ToolContext]:
        header = headers.get("authorization")
        who = sha256_hex(f"{header}\n{headers.get(_SESSION) or ''}".encode())
        async with _caller(reach, header) as client:
            yield ToolContext(client, offered, folder, progress, workspaces.of(who))

    app = Admitted(made_server(open_context).streamable_http_app(host=ADDRESS), reach)
    with contextlib.closing(_bound(port)) as socket:
        listening(f"http://{ADDRESS}:{socket.getsockname()[1]}/mcp")
        settings = uvicorn.Config(
            app, log_config=None, access_log=False, ws="none", timeout_graceful_shutdown=1
        )
        server = uvicorn.Server(settings)
        server.capture_signals = contextlib.nullcontext  # type: ignore[method-assign,assignment]  # ours
        serving = asyncio.ensure_future(server.serve(sockets=[socket]))
        try:
            await asyncio.shield(serving)
        finally:
            server.should_exit = True
            with contextlib.suppress(asyncio.CancelledError):
                await serving


class Admitted:
    """An HTTP application for those alone whom the mesh lets in: others get 401 or 403.

    A session belongs to the token it was opened with.
    """

    def __init__(self, app: ASGIApp, reach: Reach) -> None:
        self._app = app
        self._reach = reach

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        from starlette.requests import Request

        header = Request(scope).headers.get("authorization")
        try:
            async with _caller(self._reach, header) as client:
                await client.sources.first()
        except AssayError as error:
            await _refused(error)(scope, receive, send)
            return
        await self._app({**scope, "user": _session_owner(header)}, receive, send)


def _caller(reach: Reach, header: str | None) -> AbstractAsyncContextManager[Any]:
    """A client for whoever sent this header. Raises AssayError: TOKEN_REQUIRED, TOKEN_REFUSED."""
    if header is None:
        if reach.mine or reach.same_machine:
            raise AssayError(
                TOKEN_REQUIRED,
                "over HTTP a token says who asks",
                hint="Make one with `assay token create`, and send it as Authorization: Bearer.",
            )
        return reach.client()
    token = header[len(_BEARER) :].strip()
    if not header.lower().startswith(_BEARER) or not token:
        raise AssayError(TOKEN_REFUSED, "the header Authorization holds no bearer token")
    return reach.client(token)


def _session_owner(header: str | None) -> Any:
    """Whose a session is, as the SDK compares it."""
    from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
    from mcp.server.auth.provider import AccessToken

    digest = sha256_hex((header or "").encode())
    return AuthenticatedUser(AccessToken(token="", client_id=digest, scopes=[]))


def _refused(error: AssayError) -> Callable[[Scope, Receive, Send], Awaitable[None]]:
    from starlette.responses import JSONResponse

    status = {Kind.IDENTITY: 401, Kind.POLICY: 403, Kind.UNAVAILABLE: 503}.get(
        error.reason.kind, 400
    )
    body = {"reason": error.reason.code, "message": error.message, "hint": error.remedy}
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else {}
    return JSONResponse(harmless_value(body), status, headers)


def _bound(port: int) -> Any:
    import socket

    from mesh.errors import INVALID_ARGUMENT

    try:
        return socket.create_server((ADDRESS, port))
    except (OSError, OverflowError) as error:
        raise AssayError(
            INVALID_ARGUMENT,
            f"port {port} cannot be listened on: {getattr(error, 'strerror', None) or error}",
            hint="Choose another; 0 is any that is free.",
        ) from error
