"""Who a request over HTTP is from: a token in its header, or the cookie of a signed-in browser."""

from __future__ import annotations

from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import urlsplit

from connectrpc.request import RequestContext

from gateway.domain.sign_in import Cookie, How, SignIn
from gateway.sign_ins.app import SignIns
from mesh.context import AUTHORIZATION_KEY, REQUEST_KEY
from mesh.errors import ORIGIN_REFUSED, AssayError
from mesh.transport.interceptors.public import STRANGER

_PASSED_ON = (REQUEST_KEY, "traceparent", "tracestate")


class Identity:
    """Reads requests; `url` is where people open the console, None for wherever it is asked at."""

    def __init__(self, sign_ins: SignIns, url: str, *, secure: bool = False) -> None:
        self._sign_ins = sign_ins
        self._url = url.rstrip("/")
        self.secure = secure or self._url.startswith("https://")
        # The prefix has browsers refuse the cookie from anything but this very host (RFC 6265bis).
        self.cookie_name = "__Host-assay" if self.secure else "assay"

    async def metadata(self, context: RequestContext[Any, Any]) -> list[tuple[str, str]]:
        """What the forwarded call says of its caller.

        A token is passed on, whose caller names no files of this machine; a browser is whom it was
        signed in as. Raises AssayError: TOKEN_REQUIRED, SIGN_IN_ENDED, ORIGIN_REFUSED.
        """
        headers = context.request_headers
        passed = [(key, value) for key in _PASSED_ON if (value := headers.get(key)) is not None]
        if (bearer := headers.get(AUTHORIZATION_KEY)) is not None:
            return [*passed, (AUTHORIZATION_KEY, bearer), STRANGER]
        cookie, sign_in = await self.signed_in(headers)
        if sign_in.how is How.LOCAL:
            return passed  # over the gateway's own socket: this machine's user
        return [*passed, (AUTHORIZATION_KEY, f"Bearer {cookie.token}"), STRANGER]

    async def signed_in(self, headers: Mapping[str, str]) -> tuple[Cookie, SignIn]:
        """Whose browser sent these headers. Raises as `metadata`."""
        if (cookie := self.cookie_in(headers)) != "":
            self.check_origin(headers)
        return await self._sign_ins.of(cookie)

    def cookie_in(self, headers: Mapping[str, str]) -> str:
        """The cookie's value; empty for none."""
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(self.cookie_name)
        except CookieError:
            return ""
        return "" if found is None else found.value

    def site(self, headers: Mapping[str, str]) -> str:
        """The address by which the console is open in the browser that sent these."""
        return self._url or f"http{'s' * self.secure}://{headers.get('host', '')}"

    def check_origin(self, headers: Mapping[str, str]) -> None:
        """Raises AssayError(ORIGIN_REFUSED) for a request that another site's page made.

        A cookie comes along whoever has a browser send a request; which page did is what `Origin`
        tells (Fetch standard), with every request that changes anything.
        """
        origin = headers.get("origin", "")
        own = self.site(headers)
        if origin and _site(origin) == _site(own):
            return
        if not origin and headers.get("sec-fetch-site") in ("same-origin", "none"):
            return
        raise AssayError(
            ORIGIN_REFUSED, f"the request comes from {origin or 'an unidentified page'}"
        )


def _site(url: str) -> tuple[str, str, int]:
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        port = -1
    return parts.scheme, parts.hostname or "", port or {"https": 443}.get(parts.scheme, 80)
