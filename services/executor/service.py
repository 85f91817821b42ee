"""The executor, put together."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from grpc import aio

from assay.executor.v1 import executor_service_pb2, executor_service_pb2_grpc
from mesh.clock import SystemClock
from mesh.config import MeshSettings
from mesh.dial import Dial
from mesh.frames.store import FrameStore
from services.executor.adapters.artifact_folder import ArtifactFolder
from services.executor.adapters.call_folder import CallFolder
from services.executor.adapters.stored_files import StoredFiles
from services.executor.app import Executor
from services.executor.catalogue import ToolCatalogue
from services.executor.engines.workspace import WorkspacePool
from services.executor.rpc import ExecutorServicer
from services.executor.settings import ExecutorSettings
from services.executor.sources.library import SourceLibrary


class ExecutorService:
    """Sources, tools, frames and artifacts, behind executor.v1."""

    name = "executor"
    contracts = (executor_service_pb2.DESCRIPTOR.services_by_name["ExecutorService"].full_name,)

    def __init__(self, settings: MeshSettings, dial: Dial) -> None:
        self._settings = ExecutorSettings.model_validate(settings.model_dump())

    async def __aenter__(self) -> ExecutorService:
        """Find the tools and open the stores."""
        settings, clock = self._settings, SystemClock()
        root = settings.root()
        memory = settings.executor_memory_limit
        self._threads = ThreadPoolExecutor(settings.executor_threads, "tool")
        executor = Executor(
            tools=ToolCatalogue(),
            library=SourceLibrary(root, memory_limit=memory),
            frames=FrameStore(root / "frames"),
            artifacts=ArtifactFolder(settings.folder("artifacts"), clock),
            threads=self._threads,
            pool=WorkspacePool(memory_limit=memory),
        )
        self._servicer = ExecutorServicer(
            executor,
            CallFolder(root / "calls"),
            StoredFiles(root / "files"),
            clock,
            settings.local_paths,
        )
        return self

    def register(self, server: aio.Server) -> None:
        """Serve executor.v1."""
        executor_service_pb2_grpc.add_ExecutorServiceServicer_to_server(self._servicer, server)

    async def started(self) -> None:
        """Nothing runs in the background."""

    async def drain(self) -> None:
        """Calls in flight get the server's grace."""

    async def __aexit__(self, *exception: Any) -> bool | None:
        """Wait for no tool: whoever called has gone by now."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        return None
