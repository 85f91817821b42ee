"""Files to a server and back: uploads of what a question reads, downloads of what it made."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import aclosing
from pathlib import Path, PurePosixPath

from assay.common.v1.analysis_pb2 import Artifact
from assay.common.v1.data_pb2 import FileChunk
from assay.gateway.v1.artifact_service_pb2 import DownloadArtifactRequest
from assay.gateway.v1.artifact_service_pb2_grpc import ArtifactServiceStub
from assay.gateway.v1.file_service_pb2 import File, UploadFileHead, UploadFileRequest
from assay.gateway.v1.file_service_pb2_grpc import FileServiceStub
from clients.python.calls import answered, streamed
from mesh.errors import (
    SOURCE_EMPTY,
    SOURCE_NOT_FOUND,
    SOURCE_NOT_READABLE,
    SOURCE_NOT_SUPPORTED,
    VERIFICATION_FAILED,
    AssayError,
)

CHUNK_BYTES = 1 << 19
DATA_SUFFIXES = frozenset(
    ".csv .tsv .tab .psv .json .jsonl .ndjson .parquet .pq .arrow .arrows .ipc .feather .xlsx "
    ".xlsm .xls .xlsb .ods .gz .bz2 .xz .zst .zip".split()
)


def data_files(places: Iterable[str]) -> list[Path]:
    """The files that `places` name; a folder stands for the data files in it, by name.

    Raises AssayError: SOURCE_NOT_FOUND, SOURCE_EMPTY for a folder without data files,
    SOURCE_NOT_SUPPORTED for one that is one table, whose files mean nothing by themselves.
    """
    files: list[Path] = []
    for place in places:
        path = Path(place).expanduser()
        if not path.exists():
            raise AssayError(SOURCE_NOT_FOUND, f"there is nothing at {place}")
        if not path.is_dir():
            files.append(path)
            continue
        inside = sorted(file for file in path.iterdir() if file.suffix.lower() in DATA_SUFFIXES)
        if any("=" in entry.name or entry.name == "_delta_log" for entry in path.iterdir()):
            raise AssayError(
                SOURCE_NOT_SUPPORTED,
                f"the folder {place} is one table of many files, which cannot be uploaded",
                hint="Have the server read it from a bucket (s3://BUCKET/PREFIX/), or write it as "
                "one file.",
            )
        if not inside:
            raise AssayError(SOURCE_EMPTY, f"the folder {place} holds no data file")
        files.extend(inside)
    return files


async def upload(
    service: FileServiceStub,
    session_id: str,
    path: Path,
    sent: Callable[[int], None] | None = None,
) -> File:
    """Store a file in a session; `sent` is told how many bytes were handed over so far.

    Raises AssayError; SOURCE_NOT_READABLE when it cannot be read.
    """

    async def parts() -> AsyncIterator[UploadFileRequest]:
        with path.open("rb") as file:
            head = UploadFileHead(
                session_id=session_id, name=path.name, size_bytes=os.fstat(file.fileno()).st_size
            )
            yield UploadFileRequest(head=head)
            while piece := file.read(CHUNK_BYTES):
                yield UploadFileRequest(chunk=FileChunk(data=piece))
                if sent is not None:
                    sent(file.tell())

    try:
        with path.open("rb"):  # an error inside the stream would only say "cancelled"
            pass
    except OSError as error:
        raise AssayError(SOURCE_NOT_READABLE, f"{path}: {error.strerror}") from error
    call = service.UploadFile(parts())
    try:
        return (await answered(call)).file
    finally:
        call.cancel()


async def download(service: ArtifactServiceStub, artifact: Artifact, folder: Path) -> Path:
    """Fetch an artifact into `folder` under its own name, whole or not at all.

    Raises AssayError; VERIFICATION_FAILED when the bytes do not match the artifact's hash.
    """
    await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
    path = folder / PurePosixPath(artifact.content_ref).name
    beside = path.with_name(f".{path.name}.part")
    digest = hashlib.sha256()
    request = DownloadArtifactRequest(job_id=artifact.job_id, artifact_id=artifact.artifact_id)
    try:
        with beside.open("wb") as file:
            async with aclosing(streamed(service.DownloadArtifact(request))) as responses:
                async for response in responses:
                    digest.update(response.chunk.data)
                    file.write(response.chunk.data)
        if digest.hexdigest() != artifact.content_hash:
            raise AssayError(
                VERIFICATION_FAILED,
                f"{path.name} arrived with other bytes than its hash names",
                hint="Download it again; if it stays so, the server's store was changed.",
            )
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    return path
