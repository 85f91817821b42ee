"""Tables out of the Arrow IPC streams that `ReadFrame` sends in pieces, and back."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import TYPE_CHECKING

from assay.common.v1.data_pb2 import FrameChunk
from assay.gateway.v1.artifact_service_pb2 import (
    ReadFrameRequest,
    WriteFrameEnd,
    WriteFrameHead,
    WriteFrameRequest,
    WriteFrameResponse,
)
from assay.gateway.v1.artifact_service_pb2_grpc import ArtifactServiceStub
from clients.python.calls import answered, streamed
from clients.python.frame_wire import ArtifactStub
from mesh.errors import (
    INVALID_ARGUMENT,
    SERVICE_UNAVAILABLE,
    SOURCE_NOT_READABLE,
    VERIFICATION_FAILED,
    AssayError,
)
from mesh.frames.codec import stream_chunks
from mesh.frames.decoding import decoding
from mesh.frames.sending import ahead

if TYPE_CHECKING:
    import pyarrow as pa

BREAKS_IN_A_ROW = 3
"""How often a transfer may break without a batch between before it is given up."""

log = logging.getLogger("assay.client")


async def read_frame(
    artifacts: ArtifactStub,
    job_id: str,
    digest: str,
    at_least: int | None = None,
    *,
    verify: bool = True,
) -> pa.Table:
    """A frame of a job as a table; with `verify`, checked against its digest.

    A transfer that breaks is resumed after the last batch that came whole, one that arrives
    damaged is made once more. With `at_least`, reading stops once so many rows are here: enough
    for a preview of a frame of any size, which is not checked against the digest. Raises
    AssayError: VERIFICATION_FAILED, SOURCE_NOT_READABLE, SERVICE_UNAVAILABLE, NOT_FOUND.
    """
    wanted = ReadFrameRequest(job_id=job_id, digest=digest)
    return await _read_twice(artifacts, wanted, at_least, verify)


async def read_file(artifacts: ArtifactStub, file_id: str) -> pa.Table:
    """An Arrow file of a session as a table. Raises AssayError as `read_frame`."""
    return await _read_twice(artifacts, ReadFrameRequest(file_id=file_id), None, False)


async def _read_twice(
    artifacts: ArtifactStub, wanted: ReadFrameRequest, at_least: int | None, verify: bool
) -> pa.Table:
    try:
        return await _read(artifacts, wanted, at_least, verify)
    except AssayError as error:
        if error.reason not in (VERIFICATION_FAILED, SOURCE_NOT_READABLE):
            raise
        log.warning("frame %s came damaged and is read again: %s", wanted.digest[:12], error)
        return await _read(artifacts, wanted, at_least, verify)


async def _read(
    artifacts: ArtifactStub, wanted: ReadFrameRequest, at_least: int | None, verify: bool
) -> pa.Table:
    with decoding(wanted.digest, verify=verify) as decoder:
        breaks = 0
        while True:
            before = decoder.rows
            try:
                wanted.first_row = before
                async with aclosing(streamed(artifacts.ReadFrameData(wanted))) as pieces:
                    async for piece in pieces:
                        await decoder.feed(piece)
                        if at_least is not None and decoder.rows >= at_least:
                            return decoder.so_far()
                return await decoder.table()
            except AssayError as error:
                await decoder.broke_off()
                if error.reason is INVALID_ARGUMENT and before:
                    # Whoever serves now has the frame in other batches.
                    return await _read(artifacts, wanted, at_least, verify)
                breaks = breaks + 1 if decoder.rows == before else 1
                if error.reason is not SERVICE_UNAVAILABLE or breaks >= BREAKS_IN_A_ROW:
                    raise


async def frame_pieces(
    artifacts: ArtifactServiceStub, job_id: str, digest: str, first_row: int = 0
) -> AsyncGenerator[bytes]:
    """A frame of a job as pieces that, joined, are an Arrow IPC stream. Raises AssayError.

    `first_row` is how many rows are here already, in whole batches.
    """
    request = ReadFrameRequest(job_id=job_id, digest=digest, first_row=first_row)
    async with aclosing(streamed(artifacts.ReadFrame(request))) as responses:
        async for response in responses:
            yield response.chunk.data


async def write_frame(
    artifacts: ArtifactServiceStub, session_id: str, table: pa.Table, name: str
) -> WriteFrameResponse:
    """Store a table in a session: the frame, and the file that questions may name.

    Raises AssayError: NOT_FOUND, SESSION_EXPIRED, MAX_FILES_EXCEEDED, FILE_TOO_LARGE.
    """

    async def parts() -> AsyncIterator[WriteFrameRequest]:
        yield WriteFrameRequest(head=WriteFrameHead(session_id=session_id, name=name))
        async with aclosing(ahead(stream_chunks(table))) as pieces:
            async for data in pieces:
                yield WriteFrameRequest(chunk=FrameChunk(data=data))
        yield WriteFrameRequest(end=WriteFrameEnd())

    call = artifacts.WriteFrame(parts())
    try:
        return await answered(call)
    finally:
        call.cancel()
