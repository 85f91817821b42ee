"""What the gateway answers over HTTP: the contract, signing in, health, and the console's files."""

from __future__ import annotations

from collections.abc import Iterable

from grpc import aio
from grpc_health.v1 import health_pb2, health_pb2_grpc
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route

from gateway.web.bridge import Bridge
from gateway.web.files import ConsoleFiles
from gateway.web.guards import Hosts, SecurityHeaders
from gateway.web.identity import Identity
from gateway.web.signing import Signing

HEALTH_SECONDS = 2.0


def web_face(
    contracts: Iterable[str],
    channel: aio.Channel,
    signing: Signing,
    identity: Identity,
    hosts: Hosts,
    origins: frozenset[str],
) -> Starlette:
    """An ASGI application; `channel` reaches the gateway as this machine's own user, and pages of
    `origins` may call with a token of their own."""
    contracts = tuple(contracts)
    bridge = Bridge(contracts, channel, identity.metadata)

    async def health(request: Request) -> Response:
        del request
        return await _health(channel)

    return Starlette(
        routes=[
            Route("/health", health),
            *signing.routes(),
            *(Mount(f"/{name}", app=bridge) for name in contracts),
            Mount("/", app=GZipMiddleware(ConsoleFiles())),
        ],
        middleware=[
            Middleware(SecurityHeaders),
            hosts.middleware(),
            *([_cors(origins)] if origins else []),
        ],
    )


async def _health(channel: aio.Channel) -> Response:
    """Whether the gateway serves, as gRPC's health service tells."""
    stub = health_pb2_grpc.HealthStub(channel)
    try:
        answer = await stub.Check(  # type: ignore[attr-defined]
            health_pb2.HealthCheckRequest(), timeout=HEALTH_SECONDS
        )
    except aio.AioRpcError:
        return JSONResponse({"status": "unavailable"}, 503)
    serving = answer.status == health_pb2.HealthCheckResponse.SERVING
    return JSONResponse({"status": "serving" if serving else "stopping"}, 200 if serving else 503)


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
