"""What a notebook is written from, fetched from a mesh."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assay.common.v1.data_pb2 import FrameRef
from clients.python import words_of
from clients.python.cli.naming import whole_id
from clients.python.cli.result import gather
from clients.python.client import AssayClient
from clients.python.notebooks.jobs import RecordedJob
from mesh.errors import NOT_FOUND, SESSION_EXPIRED, AssayError
from mesh.proof.chain import parse_leaf
from mesh.proof.recorded import recorded

if TYPE_CHECKING:
    import pyarrow as pa


async def jobs_of(client: AssayClient, named: str) -> tuple[str, list[str]]:
    """The title and the jobs, in order, of a job, a conversation, or a session.

    Raises AssayError(NOT_FOUND) where there is none of them.
    """
    try:
        job = await client.get_job(await whole_id(client, named))
        return f"Job {job.job_id[:8]}", [job.job_id]
    except AssayError as error:
        if error.reason is not NOT_FOUND:
            raise
    for one in await client.conversations.newest(100):
        if one.conversation_id.startswith(named):
            return one.title, await _list_messages(client, one.conversation_id)
    found = [
        job.job_id
        for job in await client.list_jobs(1_000)
        if job.session_id and job.session_id.startswith(named)
    ]
    if found:
        return f"Session {named[:8]}", found[::-1]
    raise AssayError(
        NOT_FOUND,
        f"there is no job, conversation or session {named[:40]!r}",
        hint="`assay jobs` and `assay chat --list` name what there is.",
    )


async def _list_messages(client: AssayClient, conversation_id: str) -> list[str]:
    found: list[str] = []
    token = ""
    while True:  # the newest page comes first
        page = await client.conversations.messages(conversation_id, token)
        standing = (one for one in page.messages if not one.HasField("taken_back_at"))
        found = [message.job_id for message in standing] + found
        token = page.next_page_token
        if not token:
            return list(dict.fromkeys(job_id for job_id in found if job_id))


async def uploads(client: AssayClient, jobs: Sequence[RecordedJob], folder: Path) -> dict[str, str]:
    """Fetches the uploaded files that jobs read into a folder; where each lies, by its id.

    One that is gone, as with its session's time, is left out: the notebook then names it alone.
    """
    found: dict[str, str] = {}
    for one in jobs:
        wanted = {s.file_id for s in words_of.work(one.job).data_sources if s.file_id} - {*found}
        if not wanted or not one.job.session_id:
            continue
        try:
            for file in await client.sessions.files(one.job.session_id):
                if file.file_id in wanted:
                    folder.mkdir(parents=True, exist_ok=True)
                    place = folder / file.original_name
                    place = (
                        place if not place.exists() else folder / f"{file.file_id}{place.suffix}"
                    )
                    await client.sessions.download(file, place)
                    found[file.file_id] = f"{folder.name}/{place.name}"
        except AssayError as error:
            if error.reason not in (NOT_FOUND, SESSION_EXPIRED):
                raise
    return found


async def gather_job(client: AssayClient, job_id: str) -> RecordedJob:
    """A job with what is recorded of it. Raises AssayError."""
    job = await client.get_job(job_id)
    result = await gather(client, job, whole_table=True)
    lines = b"".join([piece async for piece in client.export_chain(job_id)]).splitlines()
    chain = recorded(map(parse_leaf, lines))
    digests = {call.tool_name: call.frame_digest for call in chain.calls.values() if call.succeeded}

    async def frame(tool: str) -> pa.Table | None:
        if not digests.get(tool) or not job.HasField("investigation_result"):
            return None
        try:
            return await client.read_frame(job_id, FrameRef(digest=digests[tool]))
        except AssayError as error:
            if error.reason is NOT_FOUND:  # it stands behind no number of the answer
                return None
            raise

    return RecordedJob(
        result,
        chain,
        str(json.loads(lines[-1])["hash"]) if lines else "",
        rows=result.table,
        searched=await frame("metric.search"),
        changed=await frame("metric.change"),
    )
