"""A job as a bundle: everything that is needed to check it without any of us."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterable, Iterator
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from assay.common.v1.analysis_pb2 import Answer
from assay.common.v1.job_pb2 import Job
from clients.python.bundle_documents import documents
from clients.python.verification import layout
from mesh.digest import file_digest
from mesh.errors import INVALID_ARGUMENT, VERIFICATION_FAILED, AssayError
from mesh.proof.chain import parse_leaf
from mesh.proof.recorded import recorded

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from assay.common.v1.analysis_pb2 import Artifact
    from clients.python.records import Records


class Mesh(Protocol):
    """What of a client an export needs."""

    @property
    def records(self) -> Records:
        """The job's chain and proofs."""
        ...

    async def download(self, artifact: Artifact, folder: Path) -> Path:
        """Fetch an artifact into a folder."""
        ...

    def frame_pieces(self, job_id: str, digest: str) -> AsyncGenerator[bytes]:
        """A frame as pieces of an Arrow stream."""
        ...


_PIECE_BYTES = 1 << 20


async def export_job(client: Mesh, job: Job, place: Path) -> Path:
    """Write a job's bundle: an archive, or a folder when `place` does not end in .zip.

    The members are gathered in a folder beside `place`, so that the bundle appears as a whole and
    no member has to fit into memory. Raises AssayError: INVALID_ARGUMENT when `place` cannot be
    written, VERIFICATION_FAILED when the record cannot be read.
    """
    try:
        await asyncio.to_thread(require_free, place)
        staging = Path(tempfile.mkdtemp(prefix=".assay-export-", dir=place.parent))
        try:
            await _gather(client, job, staging)
            await asyncio.to_thread(_seal, staging, job.job_id)
            return await asyncio.to_thread(_put, staging, place)
        finally:
            await asyncio.to_thread(shutil.rmtree, staging, True)
    except OSError as error:
        raise AssayError(
            INVALID_ARGUMENT,
            f"the bundle cannot be written to {place}: {error.strerror or error}",
            hint="Choose another place with --to.",
        ) from error


async def _gather(client: Mesh, job: Job, folder: Path) -> None:
    async with aclosing(client.records.chain(job.job_id)) as lines:
        await _write(folder / layout.ENTRIES, lines)
    found = await asyncio.to_thread(_recorded, folder / layout.ENTRIES)
    await _proofs(client, job.job_id, found.entries, folder)
    for name, value in documents(job, found.content).items():
        (folder / name).write_bytes(layout.document(value))
    for artifact in (*job.answer.artifacts, *job.partial_artifacts):
        member = _member(layout.artifact_member(artifact.content_ref), folder)
        await client.download(artifact, member.parent)
    for digest in _frames(job.answer):
        member = _member(layout.frame_member(digest), folder)
        sent = member.with_suffix(".sent")
        async with aclosing(client.frame_pieces(job.job_id, digest)) as pieces:
            await _write(sent, pieces)
        await asyncio.to_thread(_write_frame, sent, member)


async def _proofs(client: Mesh, job_id: str, entries: int, folder: Path) -> None:
    """The checkpoint and a proof for each exported entry; those appended since are left out."""
    with (folder / layout.PROOFS).open("wb") as file:
        async with aclosing(client.records.proofs(job_id)) as parts:
            async for part in parts:
                if part.WhichOneof("part") == "checkpoint":
                    checkpoint = part.checkpoint
                    _write_text(folder / layout.CHECKPOINT, checkpoint.note)
                    _write_text(folder / layout.LOG_KEY, checkpoint.verifier_key + "\n")
                    keys = "".join(f"{key}\n" for key in checkpoint.witness_keys)
                    if keys:
                        _write_text(folder / layout.WITNESS_KEYS, keys)
                elif part.proof.sequence_number <= entries:
                    proof = part.proof
                    file.write(
                        layout.line(
                            {
                                "sequence_number": proof.sequence_number,
                                "leaf_index": proof.leaf_index,
                                "hashes": [value.hex() for value in proof.hashes],
                            }
                        )
                    )


def _frames(answer: Answer) -> list[str]:
    named = {answer.table.digest, answer.display.digest}
    named.update(claim.frame_digest for claim in answer.claims)
    named.update(
        digest for one in answer.assertions for digest in (one.frame_digest, one.of_digest)
    )
    return sorted(named - {""})


class _Chain:
    def __init__(self, path: Path) -> None:
        lines = path.read_bytes().splitlines()
        self.entries = len(lines)
        self.content = recorded(map(parse_leaf, lines))


def _recorded(path: Path) -> _Chain:
    try:
        return _Chain(path)
    except ValueError as error:
        raise AssayError(
            VERIFICATION_FAILED, f"the exported chain cannot be read: {error}"
        ) from error


def _seal(folder: Path, job_id: str) -> None:
    """Write the manifest over everything that was gathered."""
    members = {name: (file_digest(path), path.stat().st_size) for name, path in _files(folder)}
    (folder / layout.MANIFEST).write_bytes(layout.manifest(job_id, members))


def _put(folder: Path, place: Path) -> Path:
    """Move what was gathered to its place, as an archive or as the folder it is."""
    if place.suffix != ".zip":
        folder.rename(place)
        place.chmod(0o755)
        return place
    beside = place.with_name(f".{place.name}.part")
    try:
        with beside.open("wb") as file:
            layout.write_archive(
                file, ((name, path.stat().st_size, _pieces(path)) for name, path in _files(folder))
            )
        beside.replace(place)
    finally:
        beside.unlink(missing_ok=True)
    return place


def require_free(place: Path, *, folder: bool = False) -> None:
    """A bundle takes the place of an older archive, never of a folder; a `folder` that of nothing.

    Raises AssayError(INVALID_ARGUMENT) where something is there already.
    """
    place.parent.mkdir(parents=True, exist_ok=True)
    if place.is_dir() or (place.exists() and (folder or place.suffix != ".zip")):
        raise AssayError(
            INVALID_ARGUMENT,
            f"there is something at {place} already",
            hint="Choose another place with --to.",
        )


def _files(folder: Path) -> list[tuple[str, Path]]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    return sorted((path.relative_to(folder).as_posix(), path) for path in paths)


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(_PIECE_BYTES):
            yield piece


async def _write(path: Path, pieces: AsyncIterable[bytes]) -> None:
    with path.open("wb") as file:
        async for piece in pieces:
            file.write(piece)


def _write_frame(sent: Path, place: Path) -> None:
    """Write a frame that came as a stream of any batches in its one encoding."""
    from mesh.frames.codec import map_file
    from mesh.frames.encoding import write_plainly

    with place.open("wb") as file:
        write_plainly(map_file(sent), file)
    sent.unlink()


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def _member(name: str, folder: Path) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    return path
