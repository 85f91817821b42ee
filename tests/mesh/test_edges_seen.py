"""The edges that the house declares are those that calls go by."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from pathlib import Path

import grpc

from assay.executor.v1 import executor_service_pb2 as executor_pb
from assay.gateway.v1 import audit_service_pb2 as records_pb
from assay.gateway.v1 import session_service_pb2 as sessions_pb
from mesh.config import SERVICES, MeshSettings
from mesh.transport.edges import CALLERS
from tests.busy import allowing
from tests.mesh.owned import own_something
from tests.mesh.support import Caller, processes

DECLARED = {(caller, service) for service, callers in CALLERS.items() for caller in callers}
QUICK = {"OTEL_BSP_SCHEDULE_DELAY": "50", "ASSAY_GATEWAY_SWEEP_SECONDS": "1"}


def seen(traces: Path) -> set[tuple[str, str]]:
    """Which service's span hangs below which other's, in all traces kept."""
    spans = {}
    for path in traces.glob("*.jsonl"):
        for line in path.read_text().splitlines():
            with suppress(ValueError):  # the last line may still be on its way
                span = json.loads(line)
                spans[span["span_id"]] = span
    return {
        (parent["service"], span["service"])
        for span in spans.values()
        if (parent := spans.get(span["parent_span_id"])) and parent["service"] != span["service"]
    }


async def test_a_mesh_at_work_goes_by_the_declared_edges_and_by_each_of_them(
    apart: MeshSettings, sales: Path
) -> None:
    """A session with a file, a question, its proof and its end; and a stranger who names what is
    not his, which the executor puts on record."""
    traces = apart.home / "traces"
    async with (
        processes(apart, [[name] for name in SERVICES], QUICK),
        Caller(apart, "ann") as ann,
        Caller(apart, "bob") as bob,
    ):
        owned = await own_something(ann, sales)
        await ann.records.VerifyJob(records_pb.VerifyJobRequest(job_id=owned.job))
        with suppress(grpc.RpcError):
            await bob.executor.LocateFrame(executor_pb.LocateFrameRequest(frame=owned.frame))
        await ann.sessions.DeleteSession(sessions_pb.DeleteSessionRequest(session_id=owned.session))
        with suppress(TimeoutError):
            async with asyncio.timeout(allowing(30)):
                while not seen(traces) >= DECLARED:
                    await asyncio.sleep(0.1)
    assert seen(traces) == DECLARED
