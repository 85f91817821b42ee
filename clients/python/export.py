"""A job as a bundle: everything that is needed to check it without any of us."""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
from collections.abc import AsyncIterable, Iterator
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.common.v1.job_pb2 import Answer, Artifact, Claim, EmptyReason, Job, JobState
from clients.python.verification import layout
from clients.python.verification.derived import calls_of, sources_of
from mesh.chain import parse_leaf
from mesh.digest import file_digest
from mesh.errors import INVALID_ARGUMENT, VERIFICATION_FAILED, AssayError
from mesh.recorded import Recorded, recorded

if TYPE_CHECKING:
    from clients.python.client import AssayClient

_PIECE_BYTES = 1 << 20


async def export_job(client: AssayClient, job: Job, place: Path) -> Path:
    """Write a job's bundle: an archive, or a folder when `place` does not end in .zip.

    The members are gathered in a folder beside `place`, so that the bundle appears as a whole and
    no member has to fit into memory. Raises AssayError: INVALID_ARGUMENT when `place` cannot be
    written, VERIFICATION_FAILED when the record cannot be read.
    """
    try:
        await asyncio.to_thread(_require_free, place)
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


async def _gather(client: AssayClient, job: Job, folder: Path) -> None:
    async with aclosing(client.records.chain(job.job_id)) as lines:
        await _write(folder / layout.ENTRIES, lines)
    found = await asyncio.to_thread(_recorded, folder / layout.ENTRIES)
    await _proofs(client, job.job_id, found.entries, folder)
    _told(job, found.content, folder)
    for artifact in (*job.answer.artifacts, *job.partial_artifacts):
        member = _member(layout.artifact_member(artifact.content_ref), folder)
        await client.download(artifact, member.parent)
    for digest in _frames(job.answer):
        member = _member(layout.frame_member(digest), folder)
        async with aclosing(client.frame_pieces(job.job_id, digest)) as pieces:
            await _write(member, pieces)


async def _proofs(client: AssayClient, job_id: str, entries: int, folder: Path) -> None:
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


def _told(job: Job, found: Recorded, folder: Path) -> None:
    """What is told of the job, apart from the chain, to be held against it."""
    documents: dict[str, Any] = {
        layout.JOB: _job_object(job),
        layout.CLAIMS: [_claim_object(claim) for claim in job.answer.claims],
        layout.CALLS: calls_of(found),
        layout.SOURCES: sources_of(found),
    }
    if job.HasField("plan"):
        documents[layout.PLAN] = _plan_object(job)
    for name, value in documents.items():
        (folder / name).write_bytes(layout.document(value))


def _job_object(job: Job) -> dict[str, Any]:
    answer = job.answer
    return {
        "job_id": job.job_id,
        "state": JobState.Name(job.state).removeprefix("JOB_STATE_").lower(),
        "question": job.request.intent,
        "understood": job.understood,
        "answer": {
            "text": answer.text,
            "caveats": list(answer.caveats),
            "empty_reason": _empty_reason(answer),
            "confidence": answer.confidence,
            "reasoner": answer.reasoner,
            "recipe": answer.recipe,
            "table": answer.table.digest or None,
            "display": answer.display.digest or None,
            "artifacts": [_artifact_object(artifact) for artifact in answer.artifacts],
        }
        if job.HasField("answer")
        else None,
        "failure": {"reason": job.failure.reason, "message": job.failure.message}
        if job.HasField("failure")
        else None,
        "partial_artifacts": [_artifact_object(artifact) for artifact in job.partial_artifacts],
    }


def _empty_reason(answer: Answer) -> str | None:
    if answer.empty_reason == EmptyReason.EMPTY_REASON_UNSPECIFIED:
        return None
    return EmptyReason.Name(answer.empty_reason).removeprefix("EMPTY_REASON_").lower()


def _artifact_object(artifact: Artifact) -> dict[str, Any]:
    return {
        "artifact_id": artifact.artifact_id,
        "artifact_type": artifact.artifact_type,
        "content_ref": artifact.content_ref,
        "media_type": artifact.media_type,
    }


def _plan_object(job: Job) -> dict[str, Any]:
    return {
        "plan_id": job.plan.plan_id,
        "reasoning": job.plan.reasoning,
        "answer_task": job.plan.answer_task,
        "subtasks": [
            {
                "task_id": step.task_id,
                "description": step.description,
                "tool_name": step.tool_name,
                "arguments": json.loads(step.arguments_json or "{}"),
                "dependencies": list(step.dependencies),
                "invariants": list(step.invariants),
                "estimated_cost_seconds": step.estimated_cost_seconds,
            }
            for step in job.plan.subtasks
        ],
    }


def _claim_object(claim: Claim) -> dict[str, Any]:
    return {
        "claim_id": claim.claim_id,
        "value": claim.value,
        "text": claim.text,
        "unit": claim.unit,
        "frame_digest": claim.frame_digest,
        "row": claim.row,
        "column": claim.column,
        "call_id": claim.call_id,
    }


def _frames(answer: Answer) -> list[str]:
    named = {answer.table.digest, answer.display.digest}
    named.update(claim.frame_digest for claim in answer.claims)
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


def _require_free(place: Path) -> None:
    """A bundle takes the place of an older archive, never of a folder."""
    place.parent.mkdir(parents=True, exist_ok=True)
    if place.is_dir() or (place.exists() and place.suffix != ".zip"):
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


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def _member(name: str, folder: Path) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    return path
