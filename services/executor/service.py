"""The executor, put together."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grpc import aio

from assay.audit.v1 import audit_service_pb2_grpc
from assay.executor.v1 import executor_service_pb2
from mesh.clock import SystemClock
from mesh.config import SERVICES, MeshSettings, load
from mesh.frames.store import FrameStore
from mesh.frames.tickets import Tickets
from mesh.keys import shared_key
from mesh.storage.database import Database, open_database
from mesh.storage.files import sweep
from mesh.transport.dial import Dial
from mesh.transport.trespass import Trespasses
from services.executor import frame_keeping
from services.executor.adapters.audited import AuditLog
from services.executor.adapters.lease_store import SqlLeases
from services.executor.adapters.object_stores import object_stores
from services.executor.adapters.storage_figures import SqlStorageFigures
from services.executor.adapters.stored_artifacts import StoredArtifacts
from services.executor.adapters.stored_calls import StoredCalls
from services.executor.adapters.stored_files import StoredFiles
from services.executor.app import Executor
from services.executor.app_frames import Frames
from services.executor.catalogue import ToolCatalogue
from services.executor.collection import Collector
from services.executor.databases.library import DatabaseLibrary
from services.executor.domain.stored_item import StoredKind
from services.executor.domains.asking import DomainTools
from services.executor.domains.client import McpClient
from services.executor.domains.servers import McpServers
from services.executor.engines.workspace import WorkspacePool
from services.executor.frame_leases import Leases
from services.executor.masking_key import MaskingKey
from services.executor.remote.bucket import Store
from services.executor.remote.fetching import RemoteSources
from services.executor.remote.hosts import WebHosts
from services.executor.rpc import ExecutorServicer
from services.executor.rpc_frames import serve_executor
from services.executor.rpc_storage import Keeping
from services.executor.sandbox.limits import SandboxLimits
from services.executor.sandbox.runner import PythonSandbox
from services.executor.settings import ExecutorSettings
from services.executor.sources.disposable.pool import DisposableProcesses
from services.executor.sources.library import SourceLibrary
from services.executor.sources.turns import ReadingTurns

if TYPE_CHECKING:
    from services.executor.engines.engines import Engines
    from services.executor.flight import FlightEndpoint

MIGRATIONS = Path(__file__).parent / "adapters" / "migrations"


def open_store(settings: MeshSettings) -> Database:
    """Its database, at the newest schema or as `open_database` raises. Blocks."""
    own = load(ExecutorSettings, **settings.model_dump())
    return open_database(own.database_url(), MIGRATIONS, migrate=own.migrations == "run")


class ExecutorService:
    """Sources, tools, frames and artifacts, behind executor.v1."""

    name = "executor"
    contracts = (executor_service_pb2.DESCRIPTOR.services_by_name["ExecutorService"].full_name,)

    def __init__(self, settings: MeshSettings, dial: Dial) -> None:
        self._settings = load(ExecutorSettings, **settings.model_dump())
        self._seal = dial.seal
        self._audit = AuditLog(audit_service_pb2_grpc.AuditServiceStub(dial.to("audit")))

    async def __aenter__(self) -> ExecutorService:
        """Find the tools and open the stores."""
        settings, clock = self._settings, SystemClock()
        root = settings.root()
        root.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._database = await asyncio.to_thread(open_store, settings)
        stores = object_stores(settings)
        frames = FrameStore(stores["frames"])
        artifacts = StoredArtifacts(stores["artifacts"], clock)
        calls = StoredCalls(stores["calls"])
        files = StoredFiles(stores["files"])
        self._trespasses = Trespasses(self._audit.append, self.name)
        leases = SqlLeases(self._database, clock, settings.executor_store_bytes)
        grace = settings.executor_grace_seconds
        held = Leases(leases, grace, self._trespasses)
        self._collector = Collector(
            leases,
            {
                StoredKind.FRAME: frames.delete,
                StoredKind.ARTIFACT: artifacts.delete,
                StoredKind.CALL: calls.delete,
                StoredKind.SOURCE: files.delete,
            },
            [
                partial(sweep, root),
                partial(sweep, settings.folder("artifacts")),
                self._sweep_vault,
                self._sweep_sources,
                *(partial(store.sweep, grace) for store in stores.values() if store.remote),
            ],
            clock,
            settings.executor_collect_seconds,
        )
        self._collecting: asyncio.Task[None] | None = None
        self._closing: asyncio.Task[None] | None = None
        self._preparing: asyncio.Task[Engines] | None = None
        memory = settings.executor_memory_limit
        self._threads = ThreadPoolExecutor(settings.executor_threads, "tool")
        masking = MaskingKey(root, settings.executor_masking_key.get_secret_value())
        self._library = SourceLibrary(
            root,
            memory_limit=memory,
            limits=settings.reading_limits(),
            seconds=settings.executor_reading_seconds,
            masking=masking,
        )
        self._sandbox = PythonSandbox(
            SandboxLimits(
                memory_bytes=settings.executor_sandbox_memory_bytes,
                seconds=settings.executor_sandbox_seconds,
            ),
            settings.executor_sandboxes,
        )
        self._keepers = DisposableProcesses(frame_keeping.WORK, frame_keeping.LIMITS)
        self._frames = Frames(
            frames,
            held,
            Tickets(self._ticket_keys(), settings.executor_ticket_seconds, clock),
            self._keepers,
            root,
            self._seal,
        )
        self._endpoint: FlightEndpoint | None = None
        self._databases = DatabaseLibrary(
            root,
            connections={
                name: url.get_secret_value() for name, url in settings.executor_connections.items()
            },
            own_surroundings=settings.local_paths,
            hosts=settings.executor_database_hosts,
            kept_seconds=settings.executor_database_seconds,
            masking=masking,
        )
        self._remote = RemoteSources(
            root,
            self._databases.vault,
            hosts=WebHosts(settings.executor_web_hosts, plain=settings.executor_web_plain),
            store=Store(settings.executor_s3_endpoint, settings.executor_s3_region),
            connections={
                name: url.get_secret_value() for name, url in settings.executor_connections.items()
            },
            own_surroundings=settings.local_paths,
            most_bytes=settings.executor_remote_bytes,
            seconds=settings.executor_reading_seconds,
            kept_seconds=settings.executor_remote_seconds,
            authority=str(settings.executor_web_authority or ""),
        )
        self._opening = threading.Lock()
        self._engines: Engines | None = None
        tools = ToolCatalogue()
        if settings.lasting:  # for one command, these are made when something is asked of them
            tools.all()
            await asyncio.to_thread(self._the_engines)
            self._library.start()
        elif self.name in settings.soon:  # their processes import what they need beside this one
            self._preparing = asyncio.create_task(asyncio.to_thread(self._the_engines))
        executor = Executor(
            tools=tools,
            library=self._library,
            frames=self._frames,
            artifacts=artifacts,
            leases=held,
            threads=self._threads,
            pool=WorkspacePool(memory_limit=memory),
            sandbox=self._sandbox,
            databases=self._databases,
            remote=self._remote,
            turns=ReadingTurns(settings.executor_readings),
            engines=self._the_engines,
            domains=DomainTools(
                McpServers(settings.executor_mcp_servers, settings.executor_mcp_hosts),
                McpClient(settings.executor_mcp_bytes, settings.executor_mcp_seconds),
            ),
        )
        if settings.lasting:
            executor.make_ready()
        self._tools, self._facts = tools, executor.facts
        self._servicer = ExecutorServicer(
            executor,
            calls,
            files,
            clock,
            settings.local_paths,
            self._library.folder,
            SqlStorageFigures(self._database),
            Keeping(grace, settings.executor_source_days * 86_400),
            settings.executor_headers_required,
        )
        return self

    def register(self, server: aio.Server) -> None:
        """Serve executor.v1, and frames by Flight before any reference to one can be given out."""
        self._serve_flight()
        serve_executor(self._servicer, server)

    async def started(self) -> None:
        """Clean up behind an executor that was killed, beside the first calls, and from then on."""
        self._collecting = asyncio.create_task(self._collector.run())
        self._tools.make_ready(name for name in self._settings.soon if "." in name)
        self._sandbox.warm(self._settings.executor_sandboxes_warm)

    async def drain(self) -> None:
        """Calls in flight get the server's grace, transfers by Flight are waited for."""
        if self._collecting is not None:
            self._collecting.cancel()
        endpoint, self._endpoint, self._frames.flight_uri = self._endpoint, None, ""
        if endpoint is not None:
            grace = self._settings.drain_seconds
            self._closing = asyncio.create_task(asyncio.to_thread(endpoint.close, grace))

    async def __aexit__(self, *exception: Any) -> bool | None:
        """Wait for no tool: whoever called has gone by now."""
        await self._trespasses.settled()
        if self._closing is not None:
            await self._closing
        if self._preparing is not None:
            await asyncio.wait([self._preparing])
        await asyncio.to_thread(self._facts.close)
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._sandbox.close()
        await asyncio.to_thread(self._frames.close)
        await asyncio.to_thread(self._keepers.close)
        await asyncio.to_thread(self._library.close)
        if self._engines is not None:
            await asyncio.to_thread(self._engines.close)
        await asyncio.to_thread(self._databases.close)
        await self._database.close()
        return None

    def _the_engines(self) -> Engines:
        """The engines: made, with their parsers and drivers, when first asked for. Blocks."""
        with self._opening:
            if self._engines is None:
                from services.executor.opening import open_engines

                self._engines = open_engines(self._settings, self._databases.sessions)
            return self._engines

    def _sweep_vault(self) -> int:
        return self._databases.vault.sweep()

    def _sweep_sources(self) -> int:
        days = self._settings.executor_source_days
        return self._library.sweep(days) + self._remote.sweep(min(1.0, days)) if days else 0

    def _ticket_keys(self) -> list[str]:
        given = self._settings.executor_ticket_keys.get_secret_value()
        if given:
            return [key.strip() for key in given.split(",")]
        return [shared_key(self._settings.folder("executor") / "tickets.key")]

    def _serve_flight(self) -> None:
        """Serve frames to other processes, where there are any."""
        settings = self._settings
        alone = all(settings.address(name) == settings.executor_address for name in SERVICES)
        if alone or not settings.executor_flight or self._seal is None:
            return
        from services.executor.flight import FlightEndpoint

        self._endpoint = FlightEndpoint(
            settings.executor_flight,
            settings.executor_flight_host,
            self._frames.file,
            self._frames.tickets,
            self._seal,
            settings.slow_reader_seconds,
        )
        self._frames.flight_uri = self._endpoint.uri
