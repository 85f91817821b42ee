"""Signing in and out over HTTP: a token, the start link, or an OpenID Connect provider."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from gateway.domain.sign_in import Attempt, How
from gateway.ports import SignInProvider
from gateway.sign_ins.app import SignIns, StartLink
from gateway.web.identity import Identity
from mesh.context import AUTHORIZATION_KEY, Principal
from mesh.errors import TOKEN_REFUSED, AssayError, Kind
from mesh.text.harmless import harmless_value
from mesh.transport.callers import EndUsers, Metadata, end_user

_PROBE = "/assay.gateway.v1.SessionService/ListSessions"
"""What a token is tried with: it must be good for reading at least."""

BACK = "/sign-in/back"
_ATTEMPT = "assay-attempt"
_ATTEMPT_SECONDS = 600
_LONGEST_BODY = 16_384
_STATUS = {Kind.IDENTITY: 401, Kind.POLICY: 403, Kind.LIMIT: 429, Kind.UNAVAILABLE: 503}
Handler = Callable[[Request], Awaitable[Response]]


class Signing:
    """The pages' way in and out. What needs a page of this site is checked by its origin."""

    def __init__(
        self,
        end_users: EndUsers,
        sign_ins: SignIns,
        start: StartLink,
        identity: Identity,
        provider: SignInProvider | None,
    ) -> None:
        self._end_users = end_users
        self._sign_ins = sign_ins
        self._start = start
        self._identity = identity
        self._provider = provider

    def routes(self) -> list[Route]:
        """Where each is asked for."""
        return [
            Route("/start", self._begin_here),
            Route("/sign-in", _told(self._begin), methods=["POST"]),
            Route("/sign-in/ways", self._ways),
            Route("/sign-in/provider", self._begin_at_provider),
            Route(BACK, self._come_back),
            Route("/sign-out", _told(self._end), methods=["POST"]),
            Route("/sign-out-everywhere", _told(self._end_all), methods=["POST"]),
            Route("/who", _told(self._who), methods=["POST"]),
        ]

    async def _ways(self, request: Request) -> Response:
        del request
        return JSONResponse({"provider": self._provider.issuer if self._provider else None})

    async def _begin_here(self, request: Request) -> Response:
        """Sign in whoever has the start link, which the mesh printed for its own user."""
        if not self._start.opens(request.query_params.get("key", "")):
            return RedirectResponse("/?reason=SIGN_IN_ENDED", 303)
        who = end_user([], local=True)
        return await self._signed_in(who, How.LOCAL, "", RedirectResponse("/", 303))

    async def _begin(self, request: Request) -> Response:
        self._identity.check_origin(request.headers)
        token = str((await _body(request)).get("token", "")).strip()
        if not token:
            raise AssayError(TOKEN_REFUSED, "no token was given")
        who = await self._bearer(request, token)
        return await self._signed_in(who, How.TOKEN, token, Response(status_code=204))

    async def _begin_at_provider(self, request: Request) -> Response:
        try:
            attempt = Attempt.fresh()
            url = await self._known_provider().begin(attempt, self._back(request))
        except AssayError as error:
            return _to_sign_in(error)
        response = RedirectResponse(url, 303)
        response.set_cookie(
            _ATTEMPT,
            str(attempt),
            max_age=_ATTEMPT_SECONDS,
            path="/sign-in",
            secure=self._identity.secure,
            httponly=True,
            samesite="lax",  # it must come along when the provider sends the browser back
        )
        return response

    async def _come_back(self, request: Request) -> Response:
        given = request.query_params
        attempt = Attempt.parse(request.cookies.get(_ATTEMPT, ""))
        try:
            if attempt is None:
                raise AssayError(TOKEN_REFUSED, "this sign-in was not started in this browser")
            token = await self._known_provider().finish(
                attempt, self._back(request), given.get("state", ""), given.get("code", "")
            )
            who = await self._bearer(request, token)
            home: Response = RedirectResponse("/", 303)
            response = await self._signed_in(who, How.PROVIDER, token, home)
        except AssayError as error:
            response = _to_sign_in(error)
        response.delete_cookie(_ATTEMPT, path="/sign-in")
        return response

    async def _end(self, request: Request) -> Response:
        self._identity.check_origin(request.headers)
        await self._sign_ins.end(self._identity.cookie_in(request.headers))
        return self._forgotten(Response(status_code=204))

    async def _end_all(self, request: Request) -> Response:
        _, sign_in = await self._identity.signed_in(request.headers)
        ended = await self._sign_ins.end_all(sign_in)
        return self._forgotten(JSONResponse({"ended": ended}))

    async def _who(self, request: Request) -> Response:
        cookie, sign_in = await self._identity.signed_in(request.headers)
        local = sign_in.how is How.LOCAL
        who = end_user([], local=True) if local else await self._bearer(request, cookie.token)
        return JSONResponse(
            {
                "user": who.user,
                "tenant": who.tenant,
                "role": who.role.word,
                "how": sign_in.how.value,
                "until": sign_in.expires_at.isoformat(),
            }
        )

    async def _bearer(self, request: Request, token: str) -> Principal:
        metadata: Metadata = [(AUTHORIZATION_KEY, f"Bearer {token}")]
        client = request.client
        peer = f"ipv4:{client.host}:{client.port}" if client else "unknown"
        return await self._end_users.admitted(_PROBE, metadata, peer)

    async def _signed_in(
        self, who: Principal, how: How, token: str, response: Response
    ) -> Response:
        cookie, sign_in = await self._sign_ins.begin(who, how, token)
        response.set_cookie(
            self._identity.cookie_name,
            str(cookie),
            max_age=int((sign_in.expires_at - sign_in.created_at).total_seconds()),
            path="/",
            secure=self._identity.secure,
            httponly=True,
            samesite="strict",
        )
        return response

    def _forgotten(self, response: Response) -> Response:
        response.delete_cookie(
            self._identity.cookie_name, path="/", secure=self._identity.secure, httponly=True
        )
        return response

    def _known_provider(self) -> SignInProvider:
        if self._provider is None:
            raise AssayError(TOKEN_REFUSED, "no sign-in provider is configured here")
        return self._provider

    def _back(self, request: Request) -> str:
        return self._identity.site(request.headers) + BACK


def _told(handler: Handler) -> Handler:
    """The handler, whose refusals are told in JSON."""

    async def answered(request: Request) -> Response:
        try:
            return await handler(request)
        except AssayError as error:
            body = {"reason": error.reason.code, "message": error.message, "remedy": error.remedy}
            return JSONResponse(harmless_value(body), _STATUS.get(error.reason.kind, 400))

    return answered


def _to_sign_in(error: AssayError) -> Response:
    told = {"reason": error.reason.code, "message": error.message}
    return RedirectResponse(f"/?{urlencode(told)}", 303)


async def _body(request: Request) -> dict[str, Any]:
    """A small JSON object; an empty one for anything else."""
    read = b""
    async for piece in request.stream():
        read += piece
        if len(read) > _LONGEST_BODY:
            return {}
    try:
        found = json.loads(read)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
