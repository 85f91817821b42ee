"""What every answer over HTTP has around it: which hosts are answered, and what pages may do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# Nothing runs but the console's own files, and nothing is loaded from elsewhere (CSP level 3).
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data: blob:",
        "font-src 'self'",
        "connect-src 'self'",
        "worker-src 'self'",
        "manifest-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
    )
)
HEADERS = {
    "content-security-policy": POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
_LOOPBACK = ("localhost", "127.0.0.1", "[::1]")


class SecurityHeaders:
    """Adds HEADERS to every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer as the application does, with the headers."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, sent)


class Hosts:
    """The names by which the console may be asked for; any other page's name that leads here (DNS
    rebinding) is refused."""

    def __init__(self, listen: str, url: str) -> None:
        host = listen.rpartition(":")[0]
        named = urlsplit(url).hostname
        self._names: Iterable[str] = (
            [named] if named else ["*"] if _anywhere(host) else [*_LOOPBACK, host]
        )

    def middleware(self) -> Middleware:
        """What refuses the others."""
        options: dict[str, Any] = {"allowed_hosts": list(self._names), "www_redirect": False}
        return Middleware(TrustedHostMiddleware, **options)


def is_loopback(listen: str) -> bool:
    """Whether an address to listen on is this machine's own."""
    host = listen.rpartition(":")[0]
    return host in _LOOPBACK or host.startswith("127.")


def _anywhere(host: str) -> bool:
    return host in ("", "0.0.0.0", "[::]")
