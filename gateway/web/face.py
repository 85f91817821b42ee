"""What the gateway answers over HTTP: the contract, signing in, health, and the console's files."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from grpc import aio
from grpc_health.v1 import health_pb2, health_pb2_grpc
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route

from gateway.domain.sign_in import How
from gateway.sign_ins.app import SignIns, StartLink
from gateway.web.bridge import Bridge
from gateway.web.files import ConsoleFiles
from gateway.web.guards import Hosts, SecurityHeaders
from gateway.web.identity import Identity
from mesh.context import AUTHORIZATION_KEY, Principal
from mesh.errors import TOKEN_REFUSED, AssayError, Kind
from mesh.text.harmless import harmless_value
from mesh.transport.callers import EndUsers, Metadata, end_user

_PROBE = "/assay.gateway.v1.SessionService/ListSessions"
"""What a token is tried with: it must be good for reading at least."""

_LONGEST_BODY = 16_384
_STATUS = {Kind.IDENTITY: 401, Kind.POLICY: 403, Kind.LIMIT: 429, Kind.UNAVAILABLE: 503}
Handler = Callable[[Request], Awaitable[Response]]


class WebFace:
    """An ASGI application; `channel` reaches the gateway as this machine's own user."""

    def __init__(
        self,
        contracts: Iterable[str],
        channel: aio.Channel,
        end_users: EndUsers,
        sign_ins: SignIns,
        start: StartLink,
        identity: Identity,
        hosts: Hosts,
        origins: frozenset[str],
    ) -> None:
        self._channel = channel
        self._end_users = end_users
        self._sign_ins = sign_ins
        self._start = start
        self._identity = identity
        bridge = Bridge(contracts, channel, identity.metadata)
        calls = [Mount(f"/{name}", app=bridge) for name in contracts]
        self.app = Starlette(
            routes=[
                Route("/health", self._health),
                Route("/start", self._begin_here),
                Route("/sign-in", _told(self._begin), methods=["POST"]),
                Route("/sign-out", _told(self._end), methods=["POST"]),
                Route("/sign-out-everywhere", _told(self._end_all), methods=["POST"]),
                Route("/who", _told(self._who), methods=["POST"]),
                *calls,
                Mount("/", app=ConsoleFiles()),
            ],
            middleware=[
                Middleware(SecurityHeaders),
                hosts.middleware(),
                *([_cors(origins)] if origins else []),
            ],
        )

    async def _health(self, request: Request) -> Response:
        del request
        stub = health_pb2_grpc.HealthStub(self._channel)
        try:
            answer = await stub.Check(health_pb2.HealthCheckRequest(), timeout=2)  # type: ignore[attr-defined]
        except aio.AioRpcError:
            return JSONResponse({"status": "unavailable"}, 503)
        serving = answer.status == health_pb2.HealthCheckResponse.SERVING
        return JSONResponse(
            {"status": "serving" if serving else "stopping"}, 200 if serving else 503
        )

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
        metadata: Metadata = [(AUTHORIZATION_KEY, f"Bearer {token}")]
        who = await self._end_users.admitted(_PROBE, metadata, _peer(request))
        return await self._signed_in(who, How.TOKEN, token, Response(status_code=204))

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
        who = end_user([], local=True)
        if sign_in.how is not How.LOCAL:
            metadata: Metadata = [(AUTHORIZATION_KEY, f"Bearer {cookie.token}")]
            who = await self._end_users.admitted(_PROBE, metadata, _peer(request))
        return JSONResponse(
            {
                "user": who.user,
                "tenant": who.tenant,
                "role": who.role.word,
                "how": sign_in.how.value,
                "until": sign_in.expires_at.isoformat(),
            }
        )

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
            samesite="lax" if how is How.PROVIDER else "strict",
        )
        return response

    def _forgotten(self, response: Response) -> Response:
        response.delete_cookie(
            self._identity.cookie_name, path="/", secure=self._identity.secure, httponly=True
        )
        return response


def _told(handler: Handler) -> Handler:
    """The handler, whose refusals are told in JSON."""

    async def answered(request: Request) -> Response:
        try:
            return await handler(request)
        except AssayError as error:
            body = {"reason": error.reason.code, "message": error.message, "remedy": error.remedy}
            return JSONResponse(harmless_value(body), _STATUS.get(error.reason.kind, 400))

    return answered


async def _body(request: Request) -> dict[str, Any]:
    """A small JSON object; an empty one for anything else."""
    import json

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


def _peer(request: Request) -> str:
    """Where from, as gRPC spells it."""
    client = request.client
    return f"ipv4:{client.host}:{client.port}" if client else "unknown"


def _cors(origins: frozenset[str]) -> Middleware:
    return Middleware(
        CORSMiddleware,
        allow_origins=sorted(origins),
        allow_methods=["POST", "GET"],
        allow_headers=[
            *("authorization", "content-type", "connect-protocol-version"),
            *("connect-timeout-ms", "x-assay-request", "x-grpc-web", "x-user-agent"),
        ],
        expose_headers=["grpc-status", "grpc-message", "grpc-status-details-bin"],
        max_age=600,
    )
