"""The methods of ExecutorService about stored files: uploads that come in, artifacts for people."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from pathlib import Path
from typing import Any, TypeVar

from grpc import aio

from assay.common.v1 import data_pb2
from assay.executor.v1 import executor_service_pb2 as pb
from mesh.errors import CANCELLED, INVALID_ARGUMENT, AssayError
from mesh.text.json_text import read_json
from services.executor.app import Executor
from services.executor.contract_artifacts import artifact_to, artifact_type_from
from services.executor.domain.artifact import Artifact
from services.executor.domain.stored_item import UPLOADS, StoredKind, job, uploaded
from services.executor.rpc_frames import FrameMethods
from services.executor.sources.kinds import Kind
from services.executor.sources.uploads import MIME_TYPES

Context = aio.ServicerContext[Any, Any]
T = TypeVar("T")
PIECE_BYTES = 1 << 20


class FileMethods(FrameMethods):
    """Turns messages about files into use cases and back; a file may be kept as a frame."""

    _executor: Executor
    _headers_required: bool

    async def PutSource(
        self, request_iterator: AsyncIterator[pb.PutSourceRequest], context: Context
    ) -> pb.PutSourceResponse:
        """Store a file and look at what it is.

        One that cannot be read stays too: somebody may just have stored the same content under
        another name. The gateway, which knows, deletes it.
        """
        first = await anext(request_iterator, None)
        if first is None or first.WhichOneof("part") != "head":
            raise AssayError(INVALID_ARGUMENT, "an upload begins with its head")
        digest, size, _ = await self._files.put(
            _whole(request_iterator),
            first.head.max_bytes,
            self._leases.admit(UPLOADS, StoredKind.SOURCE),
        )
        if first.head.frame:
            kept = await asyncio.to_thread(self._kept, digest, first.head.name)
            mime_type, rows = MIME_TYPES[Kind.ARROW], kept.rows
        else:
            # It blocks to fetch it from a bucket.
            place = await asyncio.to_thread(self._files.path, digest)
            mime_type, rows = await self._executor.examine(
                place, first.head.name, self._headers_required
            )
        return pb.PutSourceResponse(
            digest=digest, size_bytes=size, mime_type=mime_type, row_count=rows
        )

    async def DeleteSource(
        self, request: pb.DeleteSourceRequest, context: Context
    ) -> pb.DeleteSourceResponse:
        """Remove an uploaded file; a frame that was made of it may go too."""
        await asyncio.to_thread(self._delete, request.digest)
        return pb.DeleteSourceResponse()

    def _delete(self, digest: str) -> None:
        """The caller needs a file no more; it goes with the last tenant that needed it."""
        going = self._leases.let_go(StoredKind.SOURCE, digest)
        self._leases.release(uploaded(digest))
        if going is not None:
            self._files.delete(digest)
            self._leases.store.collected(going)

    async def ReadSource(
        self, request: pb.ReadSourceRequest, context: Context
    ) -> AsyncIterator[pb.ReadSourceResponse]:
        """The bytes of an uploaded file in pieces."""
        path = await asyncio.to_thread(self._stored_path, request.digest)
        async for data in _in_thread(_bytes_of(path, request.first_byte)):
            yield pb.ReadSourceResponse(chunk=data_pb2.FileChunk(data=data))

    async def PutArtifact(
        self, request: pb.PutArtifactRequest, context: Context
    ) -> pb.PutArtifactResponse:
        """Store a file for people."""
        artifact = await asyncio.to_thread(self._stored, request)
        return pb.PutArtifactResponse(artifact=artifact_to(artifact))

    def _stored(self, request: pb.PutArtifactRequest) -> Artifact:
        self._leases.require_job(request.request_id)
        return self._executor.artifacts.put(
            request.request_id,
            request.name,
            artifact_type_from(request.artifact_type),
            request.media_type,
            request.content,
            read_json(request.metadata_json, "metadata_json"),
            self._leases.admit(job(request.request_id), StoredKind.ARTIFACT),
        )

    async def GetArtifact(
        self, request: pb.GetArtifactRequest, context: Context
    ) -> AsyncIterator[pb.GetArtifactResponse]:
        """Its bytes in pieces."""
        await asyncio.to_thread(self._leases.require, StoredKind.ARTIFACT, request.content_ref)
        pieces = self._executor.artifacts.read(request.content_ref, PIECE_BYTES)
        async for data in _in_thread(pieces):
            yield pb.GetArtifactResponse(chunk=data_pb2.FileChunk(data=data))

    def _stored_path(self, digest: str) -> str:
        """Where an upload of the caller lies. Raises AssayError(NOT_FOUND)."""
        self._leases.require(StoredKind.SOURCE, digest)
        return str(self._files.path(digest))


def _bytes_of(path: str, first: int) -> Iterator[bytes]:
    """A file in pieces, from a byte on. Raises AssayError(INVALID_ARGUMENT) for one behind it."""
    with Path(path).open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        if not 0 <= first <= size:
            raise AssayError(
                INVALID_ARGUMENT,
                f"the file has {size:,} bytes, and {first:,} cannot have come already",
                fields={"first_byte": f"0 to {size}"},
            )
        file.seek(first)
        while data := file.read(PIECE_BYTES):
            yield data


async def _in_thread(pieces: Iterator[T]) -> AsyncIterator[T]:
    """The items of a blocking iterator, each fetched off the event loop."""
    end = object()
    while (item := await asyncio.to_thread(next, pieces, end)) is not end:
        yield item  # type: ignore[misc]


async def _whole(parts: AsyncIterator[pb.PutSourceRequest]) -> AsyncGenerator[bytes]:
    """The pieces of an upload. Raises AssayError(CANCELLED) when its end does not follow them."""
    async for part in parts:
        if part.WhichOneof("part") == "end":
            return
        yield part.chunk.data
    raise AssayError(CANCELLED, "the upload broke off before its end")
