"""What does a call of the gateway cost? `python -m bench.gateway_calls`

A whole mesh runs in a process of its own, with its traces to files as ever, and sixteen callers
call it over its socket by plain channels: a call that the gateway answers by itself (`Check` of its
health, behind all interceptors but the credentials'), one that reads its database
(`GetConversation`), one that is passed on to another service (`ListTools`), and one passed on that
reads that service's database (`ListJobs`). Beside them a bare grpc.aio server, also in a process of
its own, echoes. All in turns; told are medians of the rounds, with the processor time of the
serving process. Target of a unary call: p99 at 16 at most 1.5 times the echo's, and 0.7 of its
rate.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import psutil
from grpc import aio
from grpc_health.v1 import health_pb2, health_pb2_grpc

from assay.gateway.v1 import catalogue_service_pb2 as tools_pb
from assay.gateway.v1 import catalogue_service_pb2_grpc as tools_grpc
from assay.gateway.v1 import conversation_service_pb2 as talks_pb
from assay.gateway.v1 import conversation_service_pb2_grpc as talks_grpc
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from assay.gateway.v1 import job_service_pb2_grpc as jobs_grpc
from bench.measure import arguments, keep, print_table
from bench.support_served import at_once, processor_seconds, serve, served_mesh, served_part
from bench.support_talks import stored_talk

CALLS, CALLERS, WARM_UP, ROUNDS = 1_600, 16, 320, 3
RATE, TIMES = 0.7, 1.5
"""Targets: of the echo's rate, and times its p99."""

Call = Callable[[], Awaitable[Any]]
METADATA = (("x-assay-user", "ann"),)


async def echo_part(socket: str) -> None:
    """Serve what is compared with."""

    class Echo(tools_grpc.CatalogueServiceServicer):
        async def ListTools(  # noqa: N802 # the contract's name
            self, request: tools_pb.ListToolsRequest, context: Any
        ) -> tools_pb.ListToolsResponse:
            return tools_pb.ListToolsResponse()

    echo: Any = Echo()  # type: ignore[abstract]  # one method is asked
    await serve(
        socket, lambda server: tools_grpc.add_CatalogueServiceServicer_to_server(echo, server)
    )


def calls_of(mesh: aio.Channel, echo: aio.Channel, talk: str) -> dict[str, Call]:
    """What is measured, by name."""
    bare: Any = tools_grpc.CatalogueServiceStub(echo)
    health: Any = health_pb2_grpc.HealthStub(mesh)
    tools: Any = tools_grpc.CatalogueServiceStub(mesh)
    jobs: Any = jobs_grpc.JobServiceStub(mesh)
    talks: Any = talks_grpc.ConversationServiceStub(mesh)
    return {
        "bare echo": lambda: bare.ListTools(tools_pb.ListToolsRequest(), metadata=METADATA),
        "Check": lambda: health.Check(health_pb2.HealthCheckRequest(), metadata=METADATA),
        "GetConversation": lambda: talks.GetConversation(
            talks_pb.GetConversationRequest(conversation_id=talk), metadata=METADATA
        ),
        "ListTools": lambda: tools.ListTools(tools_pb.ListToolsRequest(), metadata=METADATA),
        "ListJobs": lambda: jobs.ListJobs(jobs_pb.ListJobsRequest(), metadata=METADATA),
    }


async def measured(call: Call, process: psutil.Process) -> dict[str, float]:
    """Rate, p99 and the serving process's processor time of one kind of call."""
    await at_once(CALLERS, WARM_UP, call)
    began, spent = time.perf_counter(), processor_seconds(process)
    taken = await at_once(CALLERS, CALLS, call)
    return {
        "rate": len(taken) / (time.perf_counter() - began),
        "p99_ms": quantiles(taken, n=100)[98] * 1e3,
        "processor_us": (processor_seconds(process) - spent) / len(taken) * 1e6,
    }


async def compared(folder: Path) -> dict[str, dict[str, float]]:
    """Medians of the rounds, by name."""
    taken: dict[str, list[dict[str, float]]] = {}
    async with (
        served_mesh(folder / "home") as (settings, mesh),
        served_part("gateway_calls", "echo", folder / "echo.sock") as (bare, echo),
        aio.insecure_channel(settings.address("gateway")) as channel,
    ):
        talk = await stored_talk(settings, "ann", 2)
        for _ in range(ROUNDS):
            for name, call in calls_of(channel, bare, talk).items():
                process = echo if name == "bare echo" else mesh
                taken.setdefault(name, []).append(await measured(call, process))
    return {
        name: {key: median(one[key] for one in values) for key in values[0]}
        for name, values in taken.items()
    }


def main() -> None:
    """Print the comparison."""
    options = arguments("gateway_calls", __doc__).parse_args()
    if options.part == "echo":
        asyncio.run(echo_part(options.rest[0]))
        return
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        seen = asyncio.run(compared(Path(folder)))
    echo, rows = seen["bare echo"], []
    for name, found in seen.items():
        found["of_rate"] = found["rate"] / echo["rate"]
        found["times_p99"] = found["p99_ms"] / echo["p99_ms"]
        met = found["of_rate"] >= RATE and found["times_p99"] <= TIMES
        rows.append(
            (
                name,
                round(found["rate"]),
                found["of_rate"],
                round(found["p99_ms"], 2),
                found["times_p99"],
                round(found["processor_us"]),
                "met" if met else "missed",
            )
        )
    heads = ["call", "calls/s at 16", "of bare", "p99 ms", "times bare", "CPU µs served"]
    print_table("calls of the gateway", [*heads, f"{RATE:g} and {TIMES:g}"], rows)
    keep(seen, options.json)


if __name__ == "__main__":
    main()
