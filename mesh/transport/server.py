"""Run any set of services on one gRPC server, with health, reflection and a graceful drain."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

from grpc import aio
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from mesh.config import SERVICES, MeshSettings
from mesh.errors import SERVICE_UNAVAILABLE, AssayError
from mesh.processes.beside import Beside
from mesh.storage.state_files import state_failures
from mesh.telemetry import metrics
from mesh.telemetry.instruments import SERVING
from mesh.transport import tls
from mesh.transport.dial import MAX_MESSAGE_BYTES, Dial
from mesh.transport.freeing import free_batches
from mesh.transport.interceptors import server_interceptors
from mesh.transport.interceptors.credentials import Credentials, FacesBrowsers, FacesPeople
from mesh.transport.interceptors.draining import LAST_ATTEMPT, NOBODY, Gate
from mesh.transport.interceptors.waking import Waking
from mesh.transport.on_demand import OnDemand
from mesh.transport.seal import require_key, seal_of
from mesh.transport.service import Service, ServiceFactory
from mesh.transport.standing import ThisProcess

LAST_WORDS_SECONDS = 0.5
LAST_CALLS_SECONDS = 3.0
"""For calls that came in while the server stopped, and that a busy machine had not taken up: gRPC
cancels those that are not answered by then. Without any, nothing is waited for."""
QUIET_SECONDS = 0.25
"""Longer than it takes until whoever was refused has come back twice (mesh.transport.dial): the
second time it is answered."""
SETTLING_SECONDS = 1.0
"""How long such a moment is looked for: where calls come without a pause, there is none."""
LULL_SECONDS, LULL_WITHIN_SECONDS = 0.02, 0.3
"""Then a short one will do, in which hardly a call is on its way in. It is looked for during less
time than passes between a caller's last two attempts."""

log = logging.getLogger("assay.server")

HANDSHAKE_SECONDS = 5.0
"""Whoever has connected must have begun to speak HTTP/2 within so long."""

CONNECTION_SECONDS = 300
"""For how long new calls come in by one connection."""

UNREAD_SECONDS = 600
"""For how long a call may wait until a busy event loop takes it up: its own deadline tells, where
gRPC would end it as CANCELLED, by nobody, after half a minute."""

_OPTIONS = [
    ("grpc.server_max_unrequested_time_in_server", UNREAD_SECONDS),
    ("grpc.server_handshake_timeout_ms", int(HANDSHAKE_SECONDS * 1000)),
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
    ("grpc.so_reuseport", 0),
    # Peers ping every half minute (mesh.transport.dial); without this a quiet stream is cut as
    # abuse.
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 10_000),
    ("grpc.http2.max_ping_strikes", 0),
    # Callers connect anew now and then, and so find replicas that came since; calls under way stay.
    ("grpc.max_connection_age_ms", CONNECTION_SECONDS * 1000),
]


@dataclass(frozen=True, slots=True)
class Listening:
    """Where a server is reached, with the ports it has; `public` is empty where strangers are not
    let in."""

    peers: str
    public: str
    web: str
    """Where browsers are answered; empty for nowhere."""

    at_work: Callable[[], bool]
    """Tells whether a call is under way, of this server or of a process beside it."""


@asynccontextmanager
async def running(
    factories: Sequence[ServiceFactory],
    settings: MeshSettings,
    listen: str,
    beside: Mapping[str, Beside] | None = None,
) -> AsyncIterator[Listening]:
    """Serve until the block ends; services `beside` are processes of their own, by their names.

    Peers call at `listen`; strangers at `settings.public`, where that is set. Port 0 is any that is
    free.
    Services start in the order given and stop in reverse, also when starting fails half way. On
    leaving, health turns NOT_SERVING at once and calls get `drain_seconds` to finish.
    """
    logging.getLogger("grpc._cython.cygrpc").addFilter(_of_ours)
    free_batches()
    async with AsyncExitStack() as stack:
        gate, waking = Gate(), Waking()
        with state_failures():
            seal = await asyncio.to_thread(seal_of, settings)
        credentials = Credentials(seal)
        interceptors = server_interceptors(
            gate,
            waking,
            credentials=credentials,
            public=bool(settings.public),
            slow_reader_seconds=settings.slow_reader_seconds,
        )
        server = aio.server(interceptors=interceptors, options=_OPTIONS)
        process = ThisProcess(gate.under_way)
        dial = await stack.enter_async_context(Dial(settings, seal, beside, process))
        with state_failures():
            services = [await stack.enter_async_context(make(settings, dial)) for make in factories]
        faces_people = all(service.name == "gateway" for service in services)
        require_key(settings, "" if faces_people else listen)
        certified = tls.for_people if faces_people else tls.between_services
        public = settings.public
        peers = _bind(server, listen, certified(settings, listen))
        strangers = _bind(server, public, tls.for_people(settings, public)) if public else ""
        healthy = health.aio.HealthServicer()
        health_pb2_grpc.add_HealthServicer_to_server(healthy, server)
        process.register(server)
        for service in services:
            service.register(server)
            if isinstance(service, FacesPeople):
                credentials.believe(service.end_users)
        waking.watch(service for service in services if isinstance(service, OnDemand))
        await _announce(server, healthy, services)
        if settings.health:
            await stack.enter_async_context(_probed(healthy, settings.health))
        await server.start()
        for service in services:
            stack.callback(metrics.observe(SERVING, service.name, lambda: [(1, {})]))
        try:
            for service in services:
                await service.started()
            yield Listening(
                peers,
                strangers,
                "".join(service.web for service in services if isinstance(service, FacesBrowsers)),
                lambda: gate.busy or any(each.calls for each in (beside or {}).values()),
            )
        finally:
            await healthy.enter_graceful_shutdown()
            for service in services:
                await service.drain()
            inward = not settings.public and all(
                settings.address(name) == listen for name in SERVICES
            )
            await _drained(server, gate, settings.drain_seconds, 0.0 if inward else QUIET_SECONDS)


@asynccontextmanager
async def alive(address: str) -> AsyncIterator[None]:
    """Tell at an address that the process lives, and of no service that it serves: for probes,
    while it waits for what it cannot start without. Where the address is empty, nothing."""
    if not address:
        yield
        return
    healthy = health.aio.HealthServicer()
    await healthy.set("", health_pb2.HealthCheckResponse.SERVING)
    async with _probed(healthy, address):
        yield


@asynccontextmanager
async def _probed(healthy: health.aio.HealthServicer, address: str) -> AsyncIterator[None]:
    """Tell health, and nothing else, at an address of its own, without TLS.

    Kubernetes' gRPC probes speak no TLS (its documentation of probes), and come from the node.
    """
    probes = aio.server(options=_OPTIONS)
    health_pb2_grpc.add_HealthServicer_to_server(healthy, probes)
    _bind(probes, address)
    await probes.start()
    try:
        yield
    finally:
        await probes.stop(0)


def _of_ours(record: logging.LogRecord) -> bool:
    """Leaves out what gRPC logs, with a traceback, where a peer goes before it has its answer."""
    return not record.getMessage().startswith("ExecuteBatchError raised in core")


async def _drained(server: aio.Server, gate: Gate, seconds: float, quiet: float) -> None:
    """Stop the server once the calls it has are answered, after `seconds` at the latest.

    Before, for `quiet` seconds nobody should have called: a server that stops cancels what just
    comes in, and who knows of no other replica comes back. Callers who never pause are not waited
    for: they are refused, but of last attempts, and what was taken up meanwhile is finished.
    """
    gate.close()
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await gate.finished()
            if not await _within(SETTLING_SECONDS, gate.idle(quiet)):
                gate.close(LAST_ATTEMPT)
                await gate.finished()
                await _within(LULL_WITHIN_SECONDS, gate.idle(min(quiet, LULL_SECONDS)))
                gate.close(NOBODY)
                await gate.finished()
    await gate.end(LAST_WORDS_SECONDS)
    # Of those that were answered, some may still be on their way; of those that were not, none.
    await server.stop(min(seconds, LAST_CALLS_SECONDS))


async def _within(seconds: float, waiting: Coroutine[Any, Any, None]) -> bool:
    """Whether it came in that time."""
    try:
        async with asyncio.timeout(seconds):
            await waiting
    except TimeoutError:
        return False
    return True


async def _announce(
    server: aio.Server, healthy: health.aio.HealthServicer, services: Sequence[Service]
) -> None:
    names = [name for service in services for name in service.contracts]
    for name in ["", *names]:
        await healthy.set(name, health_pb2.HealthCheckResponse.SERVING)
    reflection.enable_server_reflection(
        [*names, health.SERVICE_NAME, reflection.SERVICE_NAME], server
    )


def _bind(server: aio.Server, address: str, certificates: tls.Certificates | None = None) -> str:
    """The address that is listened on."""
    try:
        if certificates is None:
            bound = server.add_insecure_port(address)
        else:
            bound = server.add_secure_port(address, certificates.of_a_server())
    except RuntimeError as error:
        raise _cannot_listen(address) from error
    if bound == 0:
        raise _cannot_listen(address)
    host, _, port = address.rpartition(":")
    return f"{host}:{bound}" if port == "0" else address


def _cannot_listen(listen: str) -> AssayError:
    return AssayError(
        SERVICE_UNAVAILABLE,
        f"cannot listen on {listen}",
        hint="Another process may hold it; choose another with --listen.",
    )


async def until_stopped() -> None:
    """Return when the process is asked to stop (SIGTERM or SIGINT)."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    await stop.wait()
