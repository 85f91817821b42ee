"""What does telemetry cost a call? `python -m bench.telemetry`

One method that does nothing, behind the mesh's own interceptors on a unix socket, is called one at
a time by a channel of the mesh's; twenty calls are a trace. Compared in turns, each in an
interpreter of its own: nothing told (OTEL_SDK_DISABLED), traces to files as ever, and traces and
metrics sent by OTLP besides, to a collector in another process. What is told in the background
counts, as it takes its time from the same process, which serves both ends of the call.
Target: sending everything at most 1.5 times the time of a call of which nothing is told.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from bench.measure import arguments, keep, part, print_table, run

TARGET = 1.5
CALLS, A_TRACE, WARM_UP, ROUNDS = 100, 20, 10, 3
WAYS = ("nothing", "files", "sent")


async def calls_part(way: str, endpoint: str, folder: Path) -> dict[str, Any]:
    """Microseconds of a call."""
    if way == "nothing":
        os.environ["OTEL_SDK_DISABLED"] = "true"
    if way == "sent":
        os.environ |= {
            "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint,
            "OTEL_EXPORTER_OTLP_INSECURE": "true",
            "OTEL_METRIC_EXPORT_INTERVAL": "1000",
        }
    from grpc import aio

    from assay.executor.v1 import executor_service_pb2 as pb
    from assay.executor.v1 import executor_service_pb2_grpc as pb_grpc
    from mesh.telemetry import tracing as telemetry
    from mesh.transport.dial import open_channel
    from mesh.transport.interceptors import server_interceptors

    class Idle(pb_grpc.ExecutorServiceServicer):
        async def ListTools(  # noqa: N802 # the contract's name
            self, request: pb.ListToolsRequest, context: Any
        ) -> pb.ListToolsResponse:
            return pb.ListToolsResponse()

    with telemetry.configured(folder / "traces", "executor"):
        server = aio.server(interceptors=server_interceptors())
        pb_grpc.add_ExecutorServiceServicer_to_server(Idle(), server)  # type: ignore[abstract]
        server.add_insecure_port(f"unix:{folder}/peer.sock")
        await server.start()
        async with open_channel(f"unix:{folder}/peer.sock") as channel:
            stub = pb_grpc.ExecutorServiceStub(channel)
            began = 0.0
            for number in range(WARM_UP + CALLS):
                if number == WARM_UP:
                    began = time.perf_counter()
                with telemetry.span("bench"):
                    for _ in range(A_TRACE):
                        await stub.ListTools(pb.ListToolsRequest())
            seconds = time.perf_counter() - began
        await server.stop(None)
    return {"microseconds": seconds / (CALLS * A_TRACE) * 1e6}


async def compared(folder: Path) -> dict[str, list[float]]:
    """Microseconds of a call of each way, round by round."""
    from tests.mesh.otlp import receiving

    taken: dict[str, list[float]] = {way: [] for way in WAYS}
    async with receiving() as (_, endpoint):
        for _ in range(ROUNDS):
            for way in WAYS:
                with tempfile.TemporaryDirectory(dir=folder) as place:
                    ended = await asyncio.to_thread(
                        part, "telemetry", "calls", way, endpoint, place
                    )
                taken[way].append(ended.report["microseconds"])
    return taken


def main() -> None:
    """Print the comparison."""
    options = arguments("telemetry", __doc__).parse_args()
    if options.part == "calls":
        way, endpoint, place = options.rest
        run(calls_part(way, endpoint, Path(place)))
        return
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        taken = asyncio.run(compared(Path(folder)))
    least = median(taken["nothing"])
    rows = [
        (way, round(median(times)), round(min(times)), round(max(times)), median(times) / least)
        for way, times in taken.items()
    ]
    print_table("a call", ["told", "median µs", "fastest", "slowest", "times nothing"], rows)
    ratio = median(taken["sent"]) / least
    print(f"target {TARGET}: {'met' if ratio <= TARGET else 'missed'}, {ratio:.2f}")
    keep({"microseconds": taken, "ratio": ratio}, options.json)


if __name__ == "__main__":
    main()
