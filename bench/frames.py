"""How fast is a frame? Against pyarrow's Flight alone, on the same table and in the same run.

Between services: an executor's Flight endpoint to the frame plane of another process. Same host:
by memory map. Through the gateway: `ReadFrame`'s protobuf chunks from a real gateway to the client
library, with the frame's file on the gateway's host and, relayed, from another. Each with and
without the digest check on arrival. Then the memory of the services while a frame of 4 GB passes.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import flight

from assay.common.v1 import data_pb2
from assay.executor.v1 import executor_service_pb2 as executor_pb
from assay.executor.v1 import executor_service_pb2_grpc as executor_grpc
from bench.measure import arguments, keep, print_table
from bench.support_frames import (
    BATCH_ROWS,
    Peak,
    Planner,
    floats,
    mixed,
    plain_flight,
    serve_plain,
    services,
)
from bench.support_peers import mesh_seal, peer_channel
from clients.python import frames
from clients.python.frame_wire import ArtifactStub
from mesh.context import PRINCIPAL_KEY, Established, Principal
from mesh.frames.plane import FramePlane
from mesh.frames.reference import FrameRef
from mesh.frames.store import FrameStore
from mesh.ids import new_id
from mesh.storage.objects.folder import FolderObjects
from mesh.transport.dial import open_channel
from mesh.transport.seal import FLIGHT_METHOD
from services.executor.contract import locations_from
from tests.mesh.held import hold

ROUNDS = 5
TARGETS = {
    "between services": 0.95,
    "between services, checked": 0.95,
    "same host": 10.0,
    "through the gateway": 0.75,
}
MOST_MEGABYTES = 300


class Bench:
    """One table through every way, in turns, so that all meet the same machine."""

    def __init__(self, home: Path, planner: Planner, table: pa.Table, plain: str) -> None:
        seal = mesh_seal(home)
        self.megabytes = table.nbytes / 1e6
        self._home = home
        self._store = FrameStore(FolderObjects(home / "executor" / "frames"))
        self._ref = self._store.put(table)
        hold(home, self._ref.digest, "bench", "local")
        planner.digests.append(self._ref.digest)
        self._plain = flight.connect(plain)
        self._planes = {
            True: FramePlane(seal=seal),
            False: FramePlane(seal=seal, verify=False),
        }
        self.path = self._store.file(self._ref.digest)

    async def run(self) -> dict[str, float]:
        """Median megabytes a second of every way; of the map also with every page touched."""
        gateway = open_channel(f"unix:{self._home}/gateway.sock", "bench")
        stub = ArtifactStub(gateway)
        located = await self._located()
        by_path = self._ref
        by_flight = located.model_copy(update={"locations": located.flights()})
        redeem = self._planes[True].redeem
        unchecked = self._planes[False].redeem
        ways: dict[str, Callable[[], Any]] = {
            "pyarrow Flight alone": lambda: asyncio.to_thread(self._alone),
            "between services": lambda: asyncio.to_thread(unchecked, by_flight),
            "between services, checked": lambda: asyncio.to_thread(redeem, by_flight),
            "same host": lambda: asyncio.to_thread(redeem, by_path),
            "same host, every page touched": lambda: asyncio.to_thread(_touched, redeem, by_path),
            "Flight alone, every page touched": lambda: asyncio.to_thread(_summed, self._alone),
            "through the gateway": lambda: frames.read_frame(
                stub, new_id(), self._ref.digest, verify=False
            ),
            "through the gateway, checked": lambda: frames.read_frame(
                stub, new_id(), self._ref.digest
            ),
        }
        seconds: dict[str, list[float]] = {name: [] for name in ways}
        for number in range(ROUNDS + 1):
            for name, way in ways.items():
                start = time.perf_counter()
                await way()
                if number:
                    seconds[name].append(time.perf_counter() - start)
        await gateway.close()
        return {
            name: self.megabytes / sorted(taken)[ROUNDS // 2] for name, taken in seconds.items()
        }

    async def _located(self) -> FrameRef:
        async with peer_channel(self._home, "executor", "local") as channel:
            stub = executor_grpc.ExecutorServiceStub(channel)
            wanted = data_pb2.FrameRef(digest=self._ref.digest)
            found = (await stub.LocateFrame(executor_pb.LocateFrameRequest(frame=wanted))).frame
        return self._ref.model_copy(update={"locations": locations_from(found.locations)})

    def _alone(self) -> pa.Table:
        return self._plain.do_get(flight.Ticket(b"")).read_all()


def _touched(redeem: Callable[[FrameRef], pa.Table], ref: FrameRef) -> None:
    _summed(lambda: redeem(ref))


def _summed(get: Callable[[], pa.Table]) -> None:
    for column in get().itercolumns():
        pc.count(column, mode="only_null")
        for chunk in column.chunks:
            for buffer in chunk.buffers():
                if buffer is not None:
                    np.frombuffer(buffer, np.uint8)[::4096].sum()


async def passing(
    home: Path, planner: Planner, watched: dict[str, psutil.Process]
) -> dict[str, float]:
    """Peak growth of the services while 4 GB go through the gateway, and by Flight."""
    numbers = np.random.default_rng(3).random(4 << 20)
    column = pa.chunked_array([pa.array(numbers + shift) for shift in range(128)])
    store = FrameStore(FolderObjects(home / "executor" / "frames"))
    digest = store.put(pa.table({"n": column})).digest
    hold(home, digest, "bench", "local")
    planner.digests.append(digest)
    size = 0
    services_watched = {name: watched[name] for name in ("gateway", "executor")}
    gateway = open_channel(f"unix:{home}/gateway.sock", "bench")
    executor = peer_channel(home, "executor", "local")
    stub = ArtifactStub(gateway)
    found: dict[str, float] = {}
    with Peak(services_watched) as peak:
        async for piece in frames.frame_pieces(stub, new_id(), digest):
            size += len(piece)
    found |= {f"{name}, to a client": grown for name, grown in peak.megabytes.items()}
    execution = executor_grpc.ExecutorServiceStub(executor)
    located = await execution.LocateFrame(
        executor_pb.LocateFrameRequest(frame=data_pb2.FrameRef(digest=digest))
    )
    flights = data_pb2.FRAME_LOCATION_KIND_FLIGHT
    place = next(place for place in located.frame.locations if place.kind == flights)
    with Peak({"executor": watched["executor"]}) as peak:
        await asyncio.to_thread(_drained, home, place.uri, place.ticket)
    found["executor, by Flight"] = peak.megabytes["executor"]
    with Peak({"executor": watched["executor"]}) as peak:
        async for _ in execution.ReadFrame(executor_pb.ReadFrameRequest(digest=digest)):
            pass
    found["executor, to a gateway elsewhere"] = peak.megabytes["executor"]
    await gateway.close()
    await executor.close()
    store.delete(digest)
    return {name: round(grown, 1) for name, grown in found.items()} | {"passed_mb": size / 1e6}


def _drained(home: Path, uri: str, ticket: bytes) -> None:
    caller = Principal("local", "local", Established.SOCKET)
    sealed = mesh_seal(home).sealed(caller, FLIGHT_METHOD, 60)
    options = flight.FlightCallOptions(headers=[(PRINCIPAL_KEY.encode(), sealed.encode())])
    with flight.connect(uri) as client:
        for _ in client.do_get(flight.Ticket(ticket), options):
            pass


async def main(path: Path | None) -> None:
    """All of it, as tables."""
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
        home = Path(folder)
        async with services(home) as (planner, watched):
            for title, make in (("256 MB of floats", floats), ("160 MB mixed", mixed)):
                table = make()
                file = home / "plain.arrow"
                with pa.OSFile(str(file), "wb") as sink, pa.ipc.new_file(sink, table.schema) as out:
                    out.write_table(table, max_chunksize=BATCH_ROWS)
                with plain_flight(file) as plain:
                    rates = await Bench(home, planner, table, plain).run()
                figures[title] = _shown(title, rates)
            figures["memory"] = await passing(home, planner, watched)
    print_table(
        f"Memory while 4 GB pass (at most {MOST_MEGABYTES} MB)",
        ["service", "grew by MB", "met"],
        [
            [name, grown, "yes" if grown <= MOST_MEGABYTES else "NO"]
            for name, grown in figures["memory"].items()
            if name != "passed_mb"
        ],
    )
    keep(figures, path)


def _shown(title: str, rates: dict[str, float]) -> dict[str, Any]:
    alone = rates["pyarrow Flight alone"]
    ratios = {name: rate / alone for name, rate in rates.items()}
    rows = []
    for name, rate in rates.items():
        target = TARGETS.get(name)
        met = (
            "" if target is None else f"{'met' if ratios[name] >= target else 'MISSED'}: {target:g}"
        )
        rows.append([name, round(rate), round(ratios[name], 2), met])
    print_table(title, ["way", "MB/s", "of Flight", "target"], rows)
    return {"megabytes_a_second": rates, "ratios": ratios}


if __name__ == "__main__":
    given = arguments("frames", __doc__).parse_args()
    if given.part == "plain":
        serve_plain(given.rest[0])
    else:
        asyncio.run(main(given.json))
