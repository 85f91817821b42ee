"""Frames that a text cites, as its page shows them: job, rows, charts, and the bundle beside."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.common.v1.analysis_pb2 import Artifact, ArtifactType
from assay.common.v1.job_pb2 import Job
from clients.python.cli.verifying import checked
from clients.python.client import AssayClient
from clients.python.publishing.draft import Draft
from clients.python.verification import layout
from clients.python.verification.bundle import open_bundle
from clients.python.verification.reading import Finding, Trust
from mesh.digest import file_digest
from mesh.errors import NOT_FOUND, VERIFICATION_FAILED, AssayError
from mesh.prose.frames import Frame

if TYPE_CHECKING:
    import pyarrow as pa

_PNG = "image/png"
_LARGEST_CHART = 4 << 20


@dataclass(frozen=True, slots=True)
class Proof:
    """A job's bundle: where it lies, its SHA-256, and what verifying it found.

    `head` is the hash of the last of the job's `entries`; `checkpoint` what the log signed.
    """

    file: str
    sha256: str
    checks: tuple[Finding, ...]
    head: str
    entries: int
    checkpoint: str
    sources: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True)
class CitedFrame:
    """A frame by its name in the text. `accepted` says why it is published though contested."""

    name: str
    job: Job
    frame: Frame
    table: pa.Table | None
    charts: tuple[bytes, ...]
    proof: Proof
    accepted: str = ""


async def gather_frames(
    client: AssayClient, draft: Draft, names: Iterable[str], folder: Path
) -> list[CitedFrame]:
    """What belongs to the named frames; bundles are written into `folder`, and verified.

    Raises AssayError, VERIFICATION_FAILED for a bundle that does not hold.
    """
    jobs = await _jobs(client, draft, list(names))
    return [await _gather(client, draft, name, jobs[name], folder) for name in jobs]


async def _jobs(client: AssayClient, draft: Draft, names: list[str]) -> dict[str, str]:
    """Whole ids of jobs by frame: those that are given go before those of the session."""
    known: dict[str, str] = {}
    if draft.session and any(name not in draft.frames for name in names):
        listed = await client.sessions.jobs(draft.session)
        known = {one.analysis.frame: one.job_id for one in listed if one.analysis.frame}
    known |= draft.frames
    lost = [name for name in names if name not in known]
    if lost:
        raise AssayError(NOT_FOUND, f"there is no frame {lost[0]} any more")
    return {name: known[name] for name in names}


async def _gather(
    client: AssayClient, draft: Draft, name: str, job_id: str, folder: Path
) -> CitedFrame:
    job = await client.get_job(job_id)
    place = await client.export(job, folder / f"{name}.zip")
    proof = await asyncio.to_thread(_proof, place)
    digest = job.answer.table.digest
    table = await client.read_frame(job.job_id, job.answer.table) if digest else None
    columns = [] if table is None else list(map(str, table.column_names))
    values = {} if table is None else {one: table.column(one).to_pylist() for one in columns}
    return CitedFrame(
        name=name,
        job=job,
        frame=Frame(name, columns, values, {one.code: one.said for one in _findings(job)}),
        table=table,
        charts=await _charts(client, job),
        proof=proof,
        accepted=draft.accepted.get(name, ""),
    )


def _findings(job: Job) -> Any:
    return job.plan.proposal.findings


def _proof(place: Path) -> Proof:
    """What a bundle proves. Raises AssayError(VERIFICATION_FAILED) where that is nothing."""
    found = checked(place, Trust())
    if not found[-1].ok:
        raise AssayError(
            VERIFICATION_FAILED,
            f"the bundle of {place.stem} does not verify: {found[-1].name}: {found[-1].detail}",
        )
    bundle = open_bundle(place)
    entries = bundle.read(layout.ENTRIES).splitlines()
    return Proof(
        file=place.name,
        sha256=file_digest(place),
        checks=tuple(found),
        head=str(json.loads(entries[-1])["hash"]) if entries else "",
        entries=len(entries),
        checkpoint=bundle.text(layout.CHECKPOINT),
        sources=tuple(json.loads(bundle.read(layout.SOURCES))),
    )


async def _charts(client: AssayClient, job: Job) -> tuple[bytes, ...]:
    """Pictures that the job drew, each as its hash names it."""
    found = [one for one in job.answer.artifacts if _is_picture(one)]
    if not found:
        return ()
    with tempfile.TemporaryDirectory(prefix="assay-charts-") as folder:
        paths = [
            await client.download(one, Path(folder) / str(number))
            for number, one in enumerate(found)
        ]
        return tuple(path.read_bytes() for path in paths)


def _is_picture(one: Artifact) -> bool:
    chart = one.artifact_type == ArtifactType.ARTIFACT_TYPE_CHART
    return chart and one.media_type == _PNG and one.size_bytes <= _LARGEST_CHART
