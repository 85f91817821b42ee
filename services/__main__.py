"""Run services: `python -m services planner`, or `python -m services all` for the whole mesh.

`python -m services migrate` brings their databases to this version's schemas, and ends.

The only file that knows every service. The embedded mesh behind `assay ask` is the same code:
all services on one server on a local socket, every peer dialled there.
"""

from __future__ import annotations

import asyncio
import gc
import importlib
import logging
import os
import socket
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import (
    AbstractAsyncContextManager,
    AsyncExitStack,
    asynccontextmanager,
    contextmanager,
)
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from mesh.config import SERVICES, MeshSettings, load
from mesh.errors import SCHEMA_BEHIND, AssayError
from mesh.homes import home_folder
from mesh.processes.lifeline import VARIABLE, broken, tell, tell_failure
from mesh.telemetry import logs
from services.together import together

if TYPE_CHECKING:
    from mesh.processes.beside import Beside
    from mesh.storage.database import Database
    from mesh.transport.service import ServiceFactory

log = logging.getLogger("assay.services")

_MODULES = {
    "gateway": ("gateway.service", "GatewayService"),
    "planner": ("services.planner.service", "PlannerService"),
    "executor": ("services.executor.service", "ExecutorService"),
    "memory": ("services.memory.service", "MemoryService"),
    "audit": ("services.audit.service", "AuditService"),
}
# What is served by those that a command may do without, known without importing them.
ON_DEMAND = {
    "planner": ("assay.planner.v1.PlannerService",),
    "executor": ("assay.executor.v1.ExecutorService",),
    "memory": ("assay.memory.v1.MemoryService",),
    "audit": ("assay.audit.v1.AuditService",),
}
WITH_DATABASES = ("planner", "executor", "gateway")
# Those that others call start first and stop last.
START_ORDER = ("audit", "memory", "executor", "planner", "gateway")
_OBJECTS_BETWEEN_COLLECTIONS = 20_000


def factories(names: Sequence[str]) -> list[ServiceFactory]:
    """What makes the named services, in the order they start."""
    return [_imported(name) for name in START_ORDER if name in names]


def factories_on_demand(names: Collection[str] = SERVICES) -> list[ServiceFactory]:
    """What makes the named services: the gateway, and all others when they are first called."""
    from mesh.transport.on_demand import OnDemand

    return [
        partial(OnDemand, name, ON_DEMAND[name], partial(_imported, name))
        if name in ON_DEMAND
        else _imported(name)
        for name in START_ORDER
        if name in names
    ]


def _imported(name: str) -> ServiceFactory:
    module, factory = _MODULES[name]
    found: ServiceFactory = getattr(importlib.import_module(module), factory)
    return found


@dataclass(frozen=True, slots=True)
class Embedded:
    """A mesh that runs: the gRPC target of its gateway, the address that strangers may call and
    that of the console (empty where there is none), and what tells whether a call is under way."""

    target: str
    public: str
    web: str
    at_work: Callable[[], bool]


def embedded(
    home: Path,
    *,
    listen: str | None = None,
    web: str | None = None,
    soon: Collection[str] = (),
    apart: bool = False,
) -> AbstractAsyncContextManager[Embedded]:
    """The whole mesh in this process, or with `apart` all but the executor, which then has one of
    its own while it is needed. That may be forked from this one, which has no thread and no event
    loop yet.

    Listens on a socket that only this user can reach; with `listen` strangers may call its gateway
    there too, and name no files of this machine, and with `web` browsers; port 0 is any that is
    free. Services that are sure to be called `soon` are made meanwhile. The caller owns the home
    folder: two meshes on one home would share its files.
    """
    from services.apart import executor_beside, sockets

    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder = tempfile.TemporaryDirectory(prefix="assay-")
    places = sockets(home, Path(folder.name))
    targets = {
        name: places["executor" if apart and name == "executor" else "mesh"] for name in SERVICES
    }
    beside = executor_beside(targets, soon, _serve_forked) if apart else {}
    return _running(home, folder, targets, beside, listen, web, soon)


@asynccontextmanager
async def _running(
    home: Path,
    folder: tempfile.TemporaryDirectory[str],
    targets: Mapping[str, str],
    beside: Mapping[str, Beside],
    listen: str | None,
    web: str | None,
    soon: Collection[str],
) -> AsyncIterator[Embedded]:
    async with AsyncExitStack() as stack:
        stack.enter_context(folder)
        for name, process in beside.items():
            stack.push_async_callback(process.close)
            if name in soon:
                process.begin()
        from mesh.telemetry import tracing as telemetry
        from mesh.transport.server import running

        settings = load(
            MeshSettings,
            home=home,
            local_paths=True,
            public=listen or "",
            web=web or "",
            lasting=bool(listen),
            soon=frozenset(soon),
            **{f"{name}_address": target for name, target in targets.items()},
        )
        stack.enter_context(
            telemetry.configured(
                home / "traces", "assay", settings.trace_days, settings.trace_bytes
            )
        )
        # A command calls few services; a server that waits for callers has all of them ready.
        wanted = (
            factories(SERVICES) if listen else factories_on_demand(set(SERVICES) - beside.keys())
        )
        listening = await stack.enter_async_context(
            running(wanted, settings, targets["gateway"], beside)
        )
        yield Embedded(targets["gateway"], listening.public, listening.web, listening.at_work)


def _serve_forked(name: str, surroundings: Mapping[str, str], line: socket.socket) -> None:
    os.environ.update(surroundings)
    _run_reporting(line, lambda: asyncio.run(serve([name], line)))


async def serve(names: Sequence[str], line: socket.socket | None = None) -> None:
    """Run the named services until the process is asked to stop, or whoever started it is gone,
    which `line` tells."""
    from mesh.telemetry import tracing as telemetry
    from mesh.transport.server import running, until_stopped

    home = home_folder()
    settings = load(MeshSettings, home=home)
    listen = settings.listen or settings.address(names[0])
    settings = together(settings, names, listen)
    text = names[0] if len(names) == 1 else "assay"
    # Imports make objects by the hundred thousand that all stay: looking through them is vain.
    gc.disable()
    try:
        with telemetry.configured(home / "traces", text, settings.trace_days, settings.trace_bytes):
            await _wait_for_schemas(names, settings)
            async with running(factories(names), settings, listen) as listening:
                gc.freeze()
                gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
                gc.enable()
                print(f"assay: {', '.join(names)} on {listening.peers}", flush=True)
                if line is None:
                    await until_stopped()
                else:
                    tell(line, {"listening": listening.peers})
                    await broken(line)
    finally:
        gc.enable()


async def _wait_for_schemas(names: Sequence[str], settings: MeshSettings) -> None:
    """Let whoever migrates the databases of these services do so first, where they may not."""
    if settings.migrations != "check":
        return
    from mesh.storage.schema_wait import until_migrated
    from mesh.transport.server import alive

    async with alive(settings.health):
        for name in WITH_DATABASES:
            if name in names:
                opened = partial(asyncio.to_thread, _open_store, name, settings)
                await until_migrated(opened, settings.migrations_wait_seconds)


def migrate() -> None:
    """Bring the databases of all services to this version's schemas, whoever may do that else.

    All of them are looked at before one is changed: what stands in the way of one, as a newer
    version's schema does, leaves the others to the version that still works with them.
    """
    settings = load(MeshSettings, home=home_folder(), migrations="check")
    for name in WITH_DATABASES:
        with _unless_behind():
            _open_store(name, settings)
    for name in WITH_DATABASES:
        _open_store(name, settings.model_copy(update={"migrations": "run"}))
        print(f"assay: the {name}'s database is ready", flush=True)


def _open_store(name: str, settings: MeshSettings) -> None:
    database: Database = importlib.import_module(_MODULES[name][0]).open_store(settings)
    asyncio.run(database.close())


@contextmanager
def _unless_behind() -> Iterator[None]:
    try:
        yield
    except AssayError as error:
        if error.reason is not SCHEMA_BEHIND:
            raise


def main() -> None:
    """Read the command line, and serve or migrate."""
    # Read when gRPC is first imported. Its own lines are text among lines that are JSON, and news
    # of connections that come to nothing, as a port scan makes them.
    os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
    wanted = sys.argv[1:]
    if wanted == ["migrate"]:
        return _run_logging(migrate)
    names = list(SERVICES) if wanted == ["all"] else wanted
    if not names or any(name not in SERVICES for name in names):
        raise SystemExit(f"usage: python -m services all | {' | '.join(SERVICES)} … | migrate")
    if lifeline := os.environ.pop(VARIABLE, ""):
        with socket.socket(fileno=int(lifeline)) as line:
            _run_reporting(line, lambda: asyncio.run(serve(names, line)))
        os._exit(0)  # everything is closed, and taking modules down one by one is vain
    _run_logging(lambda: asyncio.run(serve(names)))


def _run_reporting(line: socket.socket, work: Callable[[], None]) -> None:
    """Do it; what stops it is told to whoever started this process."""
    try:
        logs.set_up()
        work()
    except AssayError as error:
        tell_failure(line, error)
        raise SystemExit(1) from error


def _run_logging(work: Callable[[], None]) -> None:
    """Do it; what stops it is the log's last line, in the log's own form."""
    in_json = False
    try:
        in_json = logs.set_up()
        work()
    except AssayError as error:
        if not in_json:
            texts = (error.reason.code, error.message)
            raise SystemExit(f"error   {'   '.join(texts)}\n        {error.remedy}") from error
        fields = {"reason": error.reason.code, "remedy": error.remedy}
        log.error("stopped: %s", error.message, extra={"fields": fields})
        raise SystemExit(1) from error


if __name__ == "__main__":
    main()
