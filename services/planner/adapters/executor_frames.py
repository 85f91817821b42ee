"""Fetching the rows of a frame that the executor made, by the nearest way there is."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from assay.common.v1 import data_pb2
from assay.executor.v1 import executor_service_pb2 as pb
from mesh.frames.plane import FramePlane
from mesh.frames.reference import FrameRef, Location, LocationKind
from mesh.transport.seal import Seal
from services.planner import contract
from services.planner.adapters.executor_reach import Reach
from services.planner.domain.calls import Frame

if TYPE_CHECKING:
    import pyarrow as pa

_PLACES = {
    data_pb2.FRAME_LOCATION_KIND_PATH: LocationKind.PATH,
    data_pb2.FRAME_LOCATION_KIND_FLIGHT: LocationKind.FLIGHT,
}


class Frames:
    """Reads frames over the frame plane, and where that does not reach by calls of the executor."""

    def __init__(self, stub: Any, reach: Reach, seal: Seal | None = None) -> None:
        self._stub = stub  # the generated code has no types
        self._reach = reach
        self._plane = FramePlane(seal=seal)

    async def close(self) -> None:
        """Close the connections by which frames were fetched."""
        await asyncio.to_thread(self._plane.close)

    async def read(self, frame: Frame) -> pa.Table:
        """The rows of a small result frame: mapped where its file is on this machine, else by
        Flight, else streamed."""
        wanted = contract.frame_to(frame)
        near = await asyncio.to_thread(self._plane.near, _reference(wanted))
        if near is not None:
            return near
        located = await self._reach.answer(
            "located a frame", lambda: self._stub.LocateFrame(pb.LocateFrameRequest(frame=wanted))
        )
        found = _reference(located.frame)
        if found.flights():
            return await asyncio.to_thread(self._plane.redeem, found)
        return await self._streamed(frame)

    async def _streamed(self, frame: Frame) -> pa.Table:
        """The rows as the executor's own call sends them, where there is no Flight."""
        wanted = pb.ReadFrameRequest(digest=frame.digest)
        pieces = await self._reach.answer(
            "read a frame", lambda: pieces_of(self._stub.ReadFrame(wanted))
        )
        return await asyncio.to_thread(_decoded, pieces)


def _decoded(pieces: list[bytes]) -> pa.Table:
    from mesh.frames.codec import read_stream

    return read_stream(pieces)


async def pieces_of(stream: Any) -> list[bytes]:
    """All that a stream brings."""
    try:
        return [piece.chunk.data async for piece in stream]
    finally:
        stream.cancel()


def _reference(message: data_pb2.FrameRef) -> FrameRef:
    """A frame's name as the frame plane knows it."""
    return FrameRef(
        name=message.name,
        schema_bytes=message.schema,
        rows=message.rows,
        bytes=message.bytes,
        digest=message.digest,
        locations=tuple(
            Location(kind=_PLACES[place.kind], uri=place.uri, ticket=place.ticket)
            for place in message.locations
        ),
    )
