"""The calls that the script knows, with the Python client; README.md says what each gives."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa

from assay.common.v1.analysis_pb2 import AnalysisRequest
from assay.common.v1.data_pb2 import Constraints, DataSource, Policy
from assay.common.v1.job_pb2 import Job, JobState
from assay.gateway.v1.file_service_pb2 import ColumnDataType, File
from assay.gateway.v1.job_service_pb2 import CreateJobRequest
from clients.python.client import AssayClient
from mesh.ids import new_id

Object = dict[str, Any]
Verb = Callable[[AssayClient, Object, Path], Awaitable[Object]]

OUTCOMES = ("answer", "failure", "clarification")


async def make_id(client: AssayClient, given: Object, fixtures: Path) -> Object:
    return {"id": new_id()}


async def session(client: AssayClient, given: Object, fixtures: Path) -> Object:
    opened = await client.sessions.create(given["title"])
    return {"session": opened.session_id, "title": opened.title}


def told(file: File) -> Object:
    """What the script looks at of a file."""
    return {
        "file": file.file_id,
        "name": file.original_name,
        "rows": file.row_count,
        "duplicate": file.duplicate,
        "sha256": file.content_hash,
        "bytes": file.size_bytes,
    }


async def upload(client: AssayClient, given: Object, fixtures: Path) -> Object:
    return told(await client.sessions.upload(given["session"], fixtures / given["name"]))


async def upload_made(client: AssayClient, given: Object, fixtures: Path) -> Object:
    # This client uploads files alone, whose sizes are known.
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / given["name"]
        path.write_text(given["head"] + given["line"] * given["times"], encoding="utf-8")
        return told(await client.sessions.upload(given["session"], path))


async def preview(client: AssayClient, given: Object, fixtures: Path) -> Object:
    seen = await client.sessions.preview(given["file"])
    tables = []
    for table in seen.tables:
        kinds = [ColumnDataType.Name(column.data_type) for column in table.columns]
        names = [
            f"{column.name} {kind.removeprefix('COLUMN_DATA_TYPE_')}"
            for column, kind in zip(table.columns, kinds, strict=True)
        ]
        first = [
            [cell.text if cell.HasField("text") else None for cell in row.cells]
            for row in table.rows
        ]
        tables.append({"rows": table.row_count, "columns": names, "first": first})
    return {"tables": tables}


def request_of(given: Object) -> CreateJobRequest:
    """What a step asks, of uploaded files."""
    constraints = Constraints()
    if "timeout" in given:
        constraints.timeout.FromSeconds(given["timeout"])
    return CreateJobRequest(
        request_id=given.get("request") or new_id(),
        session_id=given.get("session", ""),
        analysis=AnalysisRequest(
            intent=given.get("question", ""),
            statement=given.get("statement", ""),
            data_sources=[DataSource(file_id=one) for one in given.get("files", ())],
            constraints=constraints,
            policy=Policy(blocked_patterns=given.get("blocked", ())),
            assume=given.get("assume", False),
        ),
    )


async def ask(client: AssayClient, given: Object, fixtures: Path) -> Object:
    job = await client.submit(request_of(given))
    async with aclosing(client.watch(job.job_id)) as events:
        async for _ in events:
            pass
    return of_job(await client.get_job(job.job_id))


async def submit(client: AssayClient, given: Object, fixtures: Path) -> Object:
    return {"job": (await client.submit(request_of(given))).job_id}


async def watch(client: AssayClient, given: Object, fixtures: Path) -> Object:
    sequences, last = [], ""
    async with aclosing(client.watch(given["job"], given.get("after", 0))) as events:
        async for event in events:
            sequences.append(event.sequence)
            kind = str(event.WhichOneof("event"))
            last = kind if kind in OUTCOMES else last
    return {"sequences": sequences, "last": last, "end": sequences[-1] if sequences else 0}


async def leave(client: AssayClient, given: Object, fixtures: Path) -> Object:
    sequences = []
    async with aclosing(client.watch(given["job"])) as events:
        async for event in events:
            sequences.append(event.sequence)
            if len(sequences) == given["events"]:
                break
    return {"sequences": sequences, "last": sequences[-1]}


async def job(client: AssayClient, given: Object, fixtures: Path) -> Object:
    return of_job(await client.get_job(given["job"]))


async def cancel(client: AssayClient, given: Object, fixtures: Path) -> Object:
    return {"job": (await client.cancel(given["job"])).job_id}


async def answer(client: AssayClient, given: Object, fixtures: Path) -> Object:
    return {"job": (await client.answer(given["job"], option_id=given["option"])).job_id}


async def verify(client: AssayClient, given: Object, fixtures: Path) -> Object:
    found = await client.verify(given["job"])
    return {"ok": found.ok, "checks": {check.name: check.ok for check in found.checks}}


async def download(client: AssayClient, given: Object, fixtures: Path) -> Object:
    ended = await client.get_job(given["job"])
    for artifact in ended.answer.artifacts:
        if artifact.media_type == given["type"]:
            with tempfile.TemporaryDirectory() as folder:
                content = (await client.download(artifact, Path(folder))).read_bytes()
            return {"bytes": len(content), "first": content.decode().splitlines()[0]}
    return {"missing": given["type"]}


async def downloaded(client: AssayClient, given: Object, fixtures: Path) -> Object:
    digest = hashlib.sha256()
    async with aclosing(client.sessions.pieces(given["file"])) as pieces:
        async for piece in pieces:
            digest.update(piece)
    return {"sha256": digest.hexdigest()}


async def say(client: AssayClient, given: Object, fixtures: Path) -> Object:
    kinds, conversation, job_id = [], "", ""
    said = client.conversations.send(
        given["content"],
        conversation_id=given.get("conversation", ""),
        terms=request_of(given) if "files" in given else None,
    )
    async with aclosing(said) as messages:
        async for one in messages:
            kind = str(one.WhichOneof("told"))
            if kind != "event":
                kinds.append(kind)
            if kind == "asked":
                conversation = one.asked.conversation.conversation_id
            elif kind == "response":
                job_id = one.response.job_id
    turn = of_job(await client.get_job(job_id))
    return {"conversation": conversation, "kinds": kinds, "turn": turn}


async def frame(client: AssayClient, given: Object, fixtures: Path) -> Object:
    if "file" in given:
        table = await client.read_file_frame(given["file"])
    else:
        ended = await client.get_job(given["job"])
        table = await client.read_frame(ended.job_id, ended.answer.table)
    columns = [f"{field.name} {type_name(field.type)}" for field in table.schema]
    if given.get("brief"):
        return {"columns": columns, "count": table.num_rows}
    cells = [[cell(value) for value in column.to_pylist()] for column in table.columns]
    return {"columns": columns, "rows": [list(row) for row in zip(*cells, strict=True)]}


def type_name(kind: pa.DataType) -> str:
    """A type as the script writes it."""
    names = {
        "integer": pa.types.is_integer,
        "float": pa.types.is_floating,
        "text": lambda one: pa.types.is_string(one) or pa.types.is_large_string(one),
        "boolean": pa.types.is_boolean,
        "date": pa.types.is_date,
        "timestamp": pa.types.is_timestamp,
    }
    if pa.types.is_decimal(kind):
        return f"decimal({kind.precision},{kind.scale})"
    return next((name for name, fits in names.items() if fits(kind)), str(kind))


def cell(value: Any) -> Any:
    """A value as the script writes it."""
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds")
    if isinstance(value, date):
        return value.isoformat()
    return str(value) if isinstance(value, Decimal) else value


def of_job(job: Job) -> Object:
    """What the script looks at of a job."""
    return {
        "job": job.job_id,
        "state": JobState.Name(job.state).removeprefix("JOB_STATE_"),
        "answer": job.answer.text,
        "claims": [claim.value for claim in job.answer.claims],
        "rows": job.answer.table.rows,
        "options": [
            {"id": option.option_id, "text": option.text} for option in job.clarification.options
        ],
        "reason": job.failure.reason,
        "understood": job.understood,
    }


VERBS: dict[str, Verb] = {
    "id": make_id,
    "session": session,
    "upload": upload,
    "upload_made": upload_made,
    "preview": preview,
    "ask": ask,
    "submit": submit,
    "watch": watch,
    "leave": leave,
    "job": job,
    "cancel": cancel,
    "answer": answer,
    "verify": verify,
    "download": download,
    "file": downloaded,
    "say": say,
    "frame": frame,
}
