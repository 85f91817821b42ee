"""What does a client cost that asks for a frame and does not read? `python -m bench.slow_readers`

A gateway and an executor run as processes of their own; the planner is played. Readers ask for a
frame of 64 MB, each by a connection of its own, take one piece of it and then nothing; told is the
memory of the gateway for each of them, and what is left when they are gone, first with the frame's
file on the gateway's host, then relayed from an executor elsewhere. `--readers` says how many
(default 50 and 200).
"""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pyarrow as pa
from grpc import aio

from assay.gateway.v1 import artifact_service_pb2 as pb
from assay.gateway.v1 import artifact_service_pb2_grpc
from bench.measure import arguments, keep, print_table
from bench.support_frames import Planner, services
from mesh.frames.store import FrameStore
from mesh.ids import new_id
from mesh.storage.objects.folder import FolderObjects
from tests.mesh.held import hold

READERS = (50, 200)
ROWS = 8 << 20
STEADY_SECONDS, GONE_SECONDS = 5.0, 10.0
METADATA = (("x-assay-tenant", "bench"),)


async def slow(home: Path, digest: str, count: int, gateway: psutil.Process) -> dict[str, Any]:
    """What the gateway takes for so many readers that stop, and what it keeps afterwards."""
    before = gateway.memory_info().rss
    options = [("grpc.use_local_subchannel_pool", 1), ("grpc.max_receive_message_length", -1)]
    channels = [
        aio.insecure_channel(f"unix:{home}/gateway.sock", options=options) for _ in range(count)
    ]
    wanted = pb.ReadFrameRequest(job_id=new_id(), digest=digest)
    calls: list[Any] = [
        artifact_service_pb2_grpc.ArtifactServiceStub(channel).ReadFrame(wanted, metadata=METADATA)
        for channel in channels
    ]
    begun = await asyncio.gather(*(call.read() for call in calls), return_exceptions=True)
    await asyncio.sleep(STEADY_SECONDS)
    held = gateway.memory_info().rss
    for call in calls:
        call.cancel()
    for channel in channels:
        await channel.close()
    await asyncio.sleep(GONE_SECONDS)
    left = gateway.memory_info().rss
    return {
        "readers": count,
        "refused": sum(isinstance(one, aio.AioRpcError) for one in begun),
        "held_mb": (held - before) / 1e6,
        "each_mb": (held - before) / 1e6 / count,
        "left_mb": (left - before) / 1e6,
    }


async def measured(readers: list[int]) -> list[dict[str, Any]]:
    """Each number of readers, with the file here and elsewhere."""
    found = []
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
        home = Path(folder)
        async with services(home) as (planner, watched):
            digest = _stored(home, planner)
            for place in ("here", "elsewhere"):
                for count in readers:
                    seen = await slow(home, digest, count, watched["gateway"])
                    found.append({"file": place, **seen})
                    print(f"  {found[-1]}", flush=True)
                # A file that others may write is not read by the gateway, which then asks for it.
                _file(home, digest).chmod(0o666)
    return found


def _file(home: Path, digest: str) -> Path:
    return FrameStore(FolderObjects(home / "executor" / "frames")).file(digest)


def _stored(home: Path, planner: Planner) -> str:
    table = pa.table({"n": np.random.default_rng(1).random(ROWS)})
    digest = FrameStore(FolderObjects(home / "executor" / "frames")).put(table).digest
    hold(home, digest, "bench", "local")
    planner.digests.append(digest)
    return digest


def main() -> None:
    """Print what was seen."""
    parser = arguments("slow_readers", __doc__)
    parser.add_argument("--readers", type=int, nargs="*", default=list(READERS), help="how many")
    options = parser.parse_args()
    found = asyncio.run(measured(options.readers))
    head = ["file", "readers", "refused", "held, MB", "each, MB", "left, MB"]
    print_table("readers that stop", head, [list(each.values()) for each in found])
    keep({"slow_readers": found}, options.json)


if __name__ == "__main__":
    main()
