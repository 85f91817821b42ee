"""A real executor in a process of its own, spoken to over gRPC as the planner does."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from types import TracebackType

import psutil
from google.protobuf.duration_pb2 import Duration

from assay.common.v1 import analysis_pb2, data_pb2
from assay.executor.v1 import executor_service_pb2 as pb
from assay.executor.v1 import executor_service_pb2_grpc as pb_grpc
from bench.measure import REPOSITORY, peak_bytes
from bench.support_peers import peer_channel
from mesh.config import SERVICES
from mesh.ids import new_id

_READING_SECONDS = 3_600


class ExecutorAlone:
    """The executor service of a home folder, without the others."""

    def __init__(self, home: Path, **settings: str) -> None:
        self._home = home
        self._environment = {
            **os.environ,
            "ASSAY_HOME": str(home),
            "ASSAY_LOCAL_PATHS": "true",
            "ASSAY_EXECUTOR_READING_SECONDS": str(_READING_SECONDS),
            **{f"ASSAY_{name.upper()}_ADDRESS": f"unix:{home}/{name}.sock" for name in SERVICES},
            **settings,
        }

    async def __aenter__(self) -> ExecutorAlone:
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "services", "executor"),
            cwd=REPOSITORY,
            env=self._environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._channel = peer_channel(self._home, "executor", "bench")
        await asyncio.wait_for(self._channel.channel_ready(), 60)
        self._stub = pb_grpc.ExecutorServiceStub(self._channel)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._channel.close()
        self._process.terminate()
        await self._process.wait()

    async def described(self, path: Path) -> pb.DescribeSourceResponse:
        """A file's tables; the first time it is taken in."""
        wanted = pb.DescribeSourceRequest(sources=[_source(path)])
        return await self._stub.DescribeSource(wanted, timeout=_READING_SECONDS)

    async def sql(self, path: Path, query: str) -> analysis_pb2.Observation:
        """What a call of `sql.run` gives. Raises RuntimeError where it fails."""
        call = analysis_pb2.ToolCall(
            call_id=new_id(),
            task_id="query",
            tool_name="sql.run",
            arguments_json=json.dumps({"query": query}),
            attempt_number=1,
        )
        request = pb.ExecuteRequest(
            call=call,
            request_id=new_id(),
            sources=[_source(path)],
            constraints=data_pb2.Constraints(row_limit=200_000, timeout=Duration(seconds=180)),
        )
        observed = analysis_pb2.Observation()
        async for update in self._stub.Execute(request):
            observed = update.observation
        if observed.error_message or not observed.HasField("frame"):
            raise RuntimeError(observed.error_message or "the call gave no frame")
        return observed

    def processor_seconds(self) -> float:
        """Seconds of processors that all its living processes have used."""
        return sum(sum(process.cpu_times()[:2]) for process in self._all())

    def peaks(self) -> tuple[int, int]:
        """Most resident bytes of the process that runs queries, and of all added up."""
        found = {process.pid: peak_bytes(str(process.pid)) for process in self._all()}
        running = [p.pid for p in self._all() if any("query_process" in a for a in p.cmdline())]
        return max(found[pid] for pid in running), sum(found.values())

    def _all(self) -> list[psutil.Process]:
        root = psutil.Process(self._process.pid)
        return [root, *root.children(recursive=True)]


def _source(path: Path) -> pb.Source:
    return pb.Source(file_path=str(path))
