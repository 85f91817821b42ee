"""What the benchmark of frames measures with: tables, a Flight server, services, peak memory."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.compute as pc
from grpc import aio
from pyarrow import flight

from assay.common.v1 import analysis_pb2, job_pb2
from assay.planner.v1 import planner_service_pb2 as planner_pb
from assay.planner.v1 import planner_service_pb2_grpc
from bench.measure import REPOSITORY
from mesh.config import SERVICES
from mesh.transport.dial import open_channel

BATCH_ROWS = 1 << 16


def floats() -> pa.Table:
    """256 MB of doubles."""
    numbers = np.random.default_rng(1).random((8, 4 << 20))
    return pa.table({f"n{i}": row for i, row in enumerate(numbers)})


def mixed() -> pa.Table:
    """About 160 MB: integers, doubles, times, short and long text, some of it missing."""
    rows, random = 2_400_000, np.random.default_rng(2)
    words = pa.array(["north", "south", "a longer name of a region", "été", None])
    ids = pa.array(np.arange(rows))
    return pa.table(
        {
            "id": ids,
            "sold_at": pa.array(random.integers(0, 2**50, rows)).cast(pa.timestamp("us")),
            "amount": random.random(rows),
            "region": words.take(pa.array(random.integers(0, 5, rows))),
            "note": pc.binary_join_element_wise("order", ids.cast(pa.string()), " "),
        }
    )


class _Plain(flight.FlightServerBase):  # type: ignore[misc]  # pyarrow has no types
    """pyarrow Flight alone: the table in memory, in the batches that suit Flight best."""

    def __init__(self, table: pa.Table) -> None:
        super().__init__("grpc+tcp://127.0.0.1:0")
        self._table, self._batches = table, table.to_batches(max_chunksize=BATCH_ROWS)

    def do_get(self, context: Any, ticket: flight.Ticket) -> flight.RecordBatchStream:
        """The table."""
        reader = pa.RecordBatchReader.from_batches(self._table.schema, self._batches)
        return flight.RecordBatchStream(reader)


def serve_plain(path: str) -> None:
    """The part of this benchmark that is the Flight server."""
    with pa.memory_map(path) as source, pa.ipc.open_file(source) as reader:
        table = pa.concat_tables([reader.read_all()]).combine_chunks()
    server = _Plain(table)
    print(server.port, flush=True)
    server.serve()


@contextmanager
def plain_flight(path: Path) -> Iterator[str]:
    """A Flight server in a process of its own; gives its address."""
    command = [sys.executable, "-m", "bench.frames", "--part", "plain", str(path)]
    process = subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield f"grpc+tcp://127.0.0.1:{process.stdout.readline().strip()}"
    finally:
        process.terminate()
        process.wait()


class Planner(planner_service_pb2_grpc.PlannerServiceServicer):
    """Says that a job has whatever frames this benchmark stored."""

    def __init__(self) -> None:
        self.digests: list[str] = []

    async def GetJob(  # noqa: N802  # the contract's name
        self, request: planner_pb.GetJobRequest, context: Any
    ) -> planner_pb.GetJobResponse:
        """A job whose claims name the frames."""
        claims = [analysis_pb2.Claim(frame_digest=digest) for digest in self.digests]
        answer = analysis_pb2.Answer(claims=claims)
        return planner_pb.GetJobResponse(job=job_pb2.Job(job_id=request.job_id, answer=answer))


@asynccontextmanager
async def services(home: Path) -> AsyncIterator[tuple[Planner, dict[str, psutil.Process]]]:
    """A gateway and an executor as real processes; the planner is played."""
    environment = {
        **os.environ,
        "ASSAY_HOME": str(home),
        **{f"ASSAY_{name.upper()}_ADDRESS": f"unix:{home}/{name}.sock" for name in SERVICES},
    }
    planner, server = Planner(), aio.server()  # type: ignore[abstract]  # one method is asked
    planner_service_pb2_grpc.add_PlannerServiceServicer_to_server(planner, server)
    server.add_insecure_port(f"unix:{home}/planner.sock")
    await server.start()
    started = _started(environment)
    try:
        for name in started:
            async with open_channel(f"unix:{home}/{name}.sock", "bench") as channel:
                await asyncio.wait_for(channel.channel_ready(), 60)
        yield planner, {name: psutil.Process(process.pid) for name, process in started.items()}
    finally:
        for process in started.values():
            process.terminate()
        for process in started.values():
            process.wait()
        await server.stop(0)


def _started(environment: dict[str, str]) -> dict[str, subprocess.Popen[bytes]]:
    return {
        name: subprocess.Popen(
            [sys.executable, "-m", "services", name],
            cwd=REPOSITORY,
            env=environment,
            stderr=subprocess.DEVNULL,
        )
        for name in ("audit", "executor", "gateway")
    }


class Peak:
    """The most resident memory of processes above what they began with, in megabytes."""

    def __init__(self, watched: dict[str, psutil.Process]) -> None:
        self._before = {name: process.memory_info().rss for name, process in watched.items()}
        self._watched = watched
        self.megabytes = dict.fromkeys(watched, 0.0)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self) -> Peak:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stop.wait(0.01):
            for name, process in self._watched.items():
                grown = (process.memory_info().rss - self._before[name]) / 1e6
                self.megabytes[name] = max(self.megabytes[name], grown)
