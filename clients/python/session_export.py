"""A session as a folder, laid out as seed 002 keeps one, with a bundle of every job beside.

    metadata.json  context.json  report.md        the session, and its newest investigation
    files/FILE.csv  files/FILE_meta.json          what was uploaded, with its schema
    analysis/  results/                           of that investigation
    chat/history.json                             what was said
    jobs/JOB/job.json  jobs/JOB/proof/            every job; its bundle, as `assay export` writes it
    jobs/JOB/artifacts/  jobs/JOB/frames/         its files; its frames as Parquet
    jobs/JOB/context.json  analysis/  results/    of an investigation, as above
    contents.json                                 the SHA-256 of every file that no bundle lists

What cannot be had any more is named in `gone` of metadata.json, with why.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from assay.common.v1.job_pb2 import Job
from clients.python import session_layout
from clients.python.export import export_job, require_free
from clients.python.files import DATA_SUFFIXES
from clients.python.verification import layout
from mesh.digest import file_digest
from mesh.errors import INVALID_ARGUMENT, AssayError, Kind
from mesh.ids import parse_id

if TYPE_CHECKING:
    from assay.gateway.v1.file_service_pb2 import File
    from clients.python.client import AssayClient

METADATA = "metadata.json"
CONTENTS = "contents.json"
JOBS = "jobs"
PROOF = "proof"
FORMAT = "assay-session/1"
# That something cannot be handed out is told in the export; that a service is away ends it.
_GONE = frozenset({Kind.NOT_FOUND, Kind.UNREADABLE, Kind.STATE})


async def export_session(client: AssayClient, session_id: str, place: Path) -> Path:
    """Write a session's folder, whole or not at all.

    One file or frame at a time is on its way, in pieces. Raises AssayError: NOT_FOUND,
    INVALID_ARGUMENT where there is something at `place` or it cannot be written,
    VERIFICATION_FAILED for bytes that are not those their hash names.
    """
    try:
        await asyncio.to_thread(require_free, place, folder=True)
        staging = Path(tempfile.mkdtemp(prefix=".assay-session-", dir=place.parent))
        try:
            await _Gathering(client, session_id, staging).gather()
            await asyncio.to_thread(_put, staging, place)
            return place
        finally:
            await asyncio.to_thread(shutil.rmtree, staging, True)
    except OSError as error:
        raise AssayError(
            INVALID_ARGUMENT,
            f"the session cannot be written to {place}: {error.strerror or error}",
            hint="Choose another place with --to.",
        ) from error


class _Gathering:
    def __init__(self, client: AssayClient, session_id: str, folder: Path) -> None:
        self._client = client
        self._session_id = session_id
        self._folder = folder
        self._gone: list[dict[str, str]] = []
        self._places: dict[str, str] = {}

    async def gather(self) -> None:
        """Everything of the session."""
        session = await self._client.sessions.get(self._session_id)
        jobs = await self._client.sessions.jobs(self._session_id)
        await self._files()
        newest: Job | None = None
        for listed in jobs:
            job = await self._client.get_job(listed.job_id)
            await self._job(job)
            if newest is None and job.HasField("investigation_result"):
                newest = job
        report = self._report(newest, jobs)
        if newest is not None:
            await self._investigation(newest, self._folder)
        await self._chat()
        if report is not None:
            shutil.copyfile(report, self._folder / "report.md")
        values = session_layout.session_object(session)
        _write(self._folder, {METADATA: {**values, "format": FORMAT, "gone": self._gone}})

    async def _files(self) -> None:
        """Uploaded files with their schemas."""
        try:
            found = await self._client.sessions.files(self._session_id)
        except AssayError as error:
            self._note("files", error)
            return
        folder = self._folder / "files"
        folder.mkdir()
        for file in found:
            name = f"{parse_id(file.file_id, 'file_id')}{_suffix(file.original_name)}"
            try:
                await self._client.sessions.download(file, folder / name)
            except AssayError as error:
                self._note(f"files/{name}", error)
                name = ""
            path = f"files/{name}" if name else ""
            tables = await self._tables(file)
            meta = session_layout.file_object(file, path, tables)
            _write(folder, {f"{file.file_id}_meta.json": meta})

    async def _tables(self, file: File) -> Any:
        """The tables of a file; none of one that no question can be asked of."""
        try:
            return (await self._client.sessions.preview(file.file_id)).tables
        except AssayError as error:
            self._note(f"schema of {file.original_name}", error)
            return ()

    async def _chat(self) -> None:
        """What was said, in the order of time."""
        values: list[dict[str, Any]] = []
        for talk in await self._client.sessions.conversations(self._session_id):
            messages = await self._client.sessions.messages(talk.conversation_id)
            values += [
                session_layout.message_object(m, talk.conversation_id, self._places)
                for m in messages
            ]
        values.sort(key=lambda one: (one["timestamp"], int(one["message_id"])))
        _write(self._folder, {"chat/history.json": values})

    async def _job(self, job: Job) -> None:
        """A job, its bundle, its files, its frames."""
        folder = self._folder / JOBS / parse_id(job.job_id, "job_id")
        await self._proof(job, folder)
        _write(
            folder,
            {"job.json": session_layout.placed(session_layout.job_object(job), self._places)},
        )
        if job.HasField("investigation"):
            await self._investigation(job, folder)

    async def _proof(self, job: Job, folder: Path) -> None:
        """The bundle of a job that has ended; what it holds for people beside it."""
        if job.state not in session_layout.ENDED:
            why = "it has not ended yet, and its record grows: export the session again"
            self._gone.append({"what": f"proof of job {job.job_id}", "why": why})
            return
        folder.mkdir(parents=True)
        try:
            proof = await export_job(self._client, job, folder / PROOF)
        except AssayError as error:
            self._note(f"proof of job {job.job_id}", error)
            return
        await asyncio.to_thread(_files_of, proof, folder)
        for artifact in (*job.answer.artifacts, *job.partial_artifacts):
            place = folder / "artifacts" / PurePosixPath(artifact.content_ref).name
            if place.is_file():
                text = place.relative_to(self._folder).as_posix()
                self._places[artifact.content_ref] = text

    async def _investigation(self, job: Job, folder: Path) -> None:
        """The documents of an investigation, with all that its iterations gave."""
        places = dict(self._places)
        outputs = session_layout.raw_outputs(job.investigation_result)
        for artifact in job.answer.artifacts:
            if (place := outputs.get(artifact.content_ref)) is None:
                continue
            wanted = folder / place
            try:
                came = await self._client.download(artifact, wanted.parent)
                came.rename(wanted)
            except AssayError as error:
                self._note(place, error)
                continue
            places[artifact.content_ref] = wanted.relative_to(self._folder).as_posix()
        documents = session_layout.investigation_documents(job, self._session_id)
        _write(folder, session_layout.placed(documents, places))

    def _report(self, investigation: Job | None, jobs: list[Job]) -> Path | None:
        """The report that the session shows: of its investigation, else of its newest answer."""
        for job in [investigation] if investigation is not None else jobs:
            folder = self._folder / JOBS / job.job_id / "artifacts"
            if found := sorted(folder.glob("*.md")):
                return found[0]
        return None

    def _note(self, what: str, error: AssayError) -> None:
        """That something is not to be had any more. Raises the error where it may be yet."""
        if error.reason.kind not in _GONE:
            raise error
        self._gone.append({"what": what, "why": f"{error.reason.code}: {error.message}"})


def _files_of(proof: Path, folder: Path) -> None:
    """What a bundle holds for people, under names of their own; frames as Parquet."""
    for path in sorted((proof / layout.ARTIFACTS).rglob("*")):
        if path.is_file():
            place = folder / "artifacts" / path.name
            place.parent.mkdir(exist_ok=True)
            shutil.copyfile(path, place)
    frames = sorted((proof / layout.FRAMES).glob("*.arrows"))
    if not frames:
        return
    (folder / "frames").mkdir()
    for path in frames:
        _as_parquet(path, folder / "frames" / f"{path.stem}.parquet")


def _as_parquet(frame: Path, place: Path) -> None:
    """The rows of a frame; the digest of what Parquet gives back is still the frame's name."""
    import pyarrow.parquet as pq

    from mesh.frames.codec import map_file

    pq.write_table(map_file(frame), place)


def _write(folder: Path, documents: Mapping[str, Any]) -> None:
    for name, value in documents.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(layout.document(value))


def _put(staging: Path, place: Path) -> None:
    """Write what there is into the list of contents, and move all to its place."""
    paths = sorted(path for path in staging.rglob("*") if path.is_file())
    listed = {}
    for path in paths:
        name = path.relative_to(staging).as_posix()
        if not listed_by_bundle(name):
            listed[name] = {"sha256": file_digest(path), "bytes": path.stat().st_size}
    _write(staging, {CONTENTS: {"format": FORMAT, "files": listed}})
    staging.chmod(0o755)
    staging.rename(place)


def listed_by_bundle(name: str) -> bool:
    """Whether a file of an exported session is listed by the manifest of a job's bundle."""
    parts = name.split("/")
    inside = len(parts) > 3 and parts[0] == JOBS and parts[2] == PROOF
    return inside and parts[3:] != [layout.MANIFEST]


def _suffix(name: str) -> str:
    """The ending of a file's name that says how it is read; empty where none does."""
    suffixes = [one.lower() for one in PurePosixPath(name).suffixes[-2:]]
    while suffixes and suffixes[0] not in DATA_SUFFIXES:
        suffixes.pop(0)
    return "".join(suffixes)
