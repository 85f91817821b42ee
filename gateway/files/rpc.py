"""FileService: translates between the contract and the use cases of files."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp
from grpc import aio

from assay.executor.v1 import executor_service_pb2 as executor_pb
from assay.executor.v1 import executor_service_pb2_grpc
from assay.gateway.v1 import file_service_pb2 as pb
from assay.gateway.v1 import file_service_pb2_grpc
from gateway.domain.session import SessionFile
from gateway.files.app import Files
from gateway.files.previewing import previewed
from gateway.files.readers import Readers
from gateway.forwarding import relayed
from mesh.errors import CANCELLED, INVALID_ARGUMENT, AssayError
from mesh.ids import parse_id
from mesh.paging import page_size

Context = aio.ServicerContext[Any, Any]


class FileServicer(file_service_pb2_grpc.FileServiceServicer):
    """Serves assay.gateway.v1.FileService."""

    def __init__(
        self,
        files: Files,
        executor: executor_service_pb2_grpc.ExecutorServiceStub,
        readers: Readers,
    ) -> None:
        self._files = files
        self._readers = readers
        self._executor = executor

    async def UploadFile(
        self, request_iterator: AsyncIterator[pb.UploadFileRequest], context: Context
    ) -> pb.UploadFileResponse:
        """Store a file as it arrives."""
        head = await _head(request_iterator)
        stored = await self._files.upload(
            parse_id(head.session_id, "head.session_id"),
            head.name,
            head.description,
            _pieces(
                request_iterator, head.size_bytes if head.HasField("size_bytes") else None, context
            ),
        )
        return pb.UploadFileResponse(file=file_message(stored))

    async def UpdateFile(
        self, request: pb.UpdateFileRequest, context: Context
    ) -> pb.UpdateFileResponse:
        """Change a description."""
        file_id = parse_id(request.file_id, "file_id")
        changed = await self._files.describe(file_id, request.description)
        return pb.UpdateFileResponse(file=file_message(changed))

    async def GetFile(self, request: pb.GetFileRequest, context: Context) -> pb.GetFileResponse:
        """One file's particulars."""
        found = await self._files.get(parse_id(request.file_id, "file_id"))
        return pb.GetFileResponse(file=file_message(found))

    async def ListFiles(
        self, request: pb.ListFilesRequest, context: Context
    ) -> pb.ListFilesResponse:
        """A session's files, page by page."""
        session_id = parse_id(request.session_id, "session_id")
        size = page_size(request.page_size, 100, 100)
        found, more = await self._files.page(session_id, size, request.page_token)
        return pb.ListFilesResponse(
            files=[file_message(file) for file in found], next_page_token=more
        )

    async def PreviewFile(
        self, request: pb.PreviewFileRequest, context: Context
    ) -> pb.PreviewFileResponse:
        """What a file holds: tables, schemas, first rows."""
        file = await self._files.used(parse_id(request.file_id, "file_id"))
        return await previewed(self._executor, file, file_message(file))

    async def DownloadFile(
        self, request: pb.DownloadFileRequest, context: Context
    ) -> AsyncIterator[pb.DownloadFileResponse]:
        """A file's bytes, as they come from the executor."""
        file = await self._files.used(parse_id(request.file_id, "file_id"))
        wanted = executor_pb.ReadSourceRequest(
            digest=file.content.digest, first_byte=request.first_byte
        )
        async with self._readers.place():
            async for piece in relayed(self._executor.ReadSource(wanted), "executor", context):
                yield pb.DownloadFileResponse(chunk=piece.chunk)

    async def DeleteFile(
        self, request: pb.DeleteFileRequest, context: Context
    ) -> pb.DeleteFileResponse:
        """Take a file out of its session."""
        await self._files.remove(parse_id(request.file_id, "file_id"))
        return pb.DeleteFileResponse()


async def _head(requests: AsyncIterator[pb.UploadFileRequest]) -> pb.UploadFileHead:
    async for request in requests:
        if request.WhichOneof("part") == "head":
            return request.head
        break
    raise AssayError(
        INVALID_ARGUMENT,
        "an upload begins with a head that names its session and file",
        fields={"head": "must be the first message"},
    )


async def _pieces(
    requests: AsyncIterator[pb.UploadFileRequest], size_bytes: int | None, context: Context
) -> AsyncIterator[bytes]:
    """The pieces of an upload, which a caller who goes away may break off between any two.

    gRPC tells that like the end of the stream, and says only some time later that it was none.
    """
    received = 0
    async for request in requests:
        if request.WhichOneof("part") != "chunk":
            raise AssayError(
                INVALID_ARGUMENT,
                "after its head an upload holds only pieces",
                fields={"chunk": "missing"},
            )
        received += len(request.chunk.data)
        yield request.chunk.data
    if context.cancelled():
        raise AssayError(CANCELLED, "the upload broke off before its end")
    if size_bytes is not None and received != size_bytes:
        raise AssayError(
            INVALID_ARGUMENT,
            f"the upload was to bring {size_bytes:,} bytes, and brought {received:,}",
            hint="Upload the file again; it may have changed meanwhile.",
            fields={"head.size_bytes": "not the size of what followed"},
        )


def file_message(file: SessionFile) -> pb.File:
    """A file, for the contract."""
    uploaded, accessed = Timestamp(), Timestamp()
    uploaded.FromDatetime(file.uploaded_at)
    accessed.FromDatetime(file.last_accessed)
    return pb.File(
        file_id=file.file_id,
        session_id=file.session_id,
        original_name=file.original_name,
        description=file.description,
        row_count=file.content.row_count,
        size_bytes=file.content.size_bytes,
        content_hash=file.content.digest,
        mime_type=file.content.mime_type,
        uploaded_at=uploaded,
        duplicate=file.duplicate,
        last_accessed=accessed,
        reference_count=file.reference_count,
    )
