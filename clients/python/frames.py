"""Tables out of the Arrow IPC streams that `ReadFrame` sends in pieces."""

from __future__ import annotations

import io
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING

from assay.gateway.v1.artifact_service_pb2 import ReadFrameRequest
from assay.gateway.v1.artifact_service_pb2_grpc import ArtifactServiceStub
from clients.python.calls import streamed
from mesh.frames.codec import read_stream

if TYPE_CHECKING:
    import pyarrow as pa


async def read_frame(
    artifacts: ArtifactServiceStub, job_id: str, digest: str, at_least: int | None = None
) -> pa.Table:
    """A frame of a job as a table, validated in full.

    With `at_least`, reading stops once so many rows are here: enough for a preview of a frame of
    any size. Raises AssayError; SOURCE_NOT_READABLE when the pieces are no Arrow stream.
    """
    content = bytearray()
    try_at = 1 << 20
    async with aclosing(frame_pieces(artifacts, job_id, digest)) as pieces:
        async for piece in pieces:
            content += piece
            if at_least is not None and len(content) >= try_at:
                try_at *= 2
                table = _whole_batches(bytes(content))
                if table is not None and table.num_rows >= at_least:
                    return table
    return read_stream([bytes(content)])


async def frame_pieces(
    artifacts: ArtifactServiceStub, job_id: str, digest: str
) -> AsyncGenerator[bytes]:
    """A frame of a job as pieces that, joined, are an Arrow IPC stream. Raises AssayError."""
    request = ReadFrameRequest(job_id=job_id, digest=digest)
    async with aclosing(streamed(artifacts.ReadFrame(request))) as responses:
        async for response in responses:
            yield response.chunk.data


def _whole_batches(content: bytes) -> pa.Table | None:
    """The batches that are complete in the beginning of a stream; None while there is none."""
    import pyarrow as pa

    batches = []
    try:
        reader = pa.ipc.open_stream(io.BytesIO(content))
        for batch in reader:
            batch.validate(full=True)
            batches.append(batch)
    except (pa.ArrowException, OSError):  # the rest has not arrived yet
        pass
    return pa.Table.from_batches(batches) if batches else None
