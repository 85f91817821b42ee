"""What `assay session` does and shows."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from assay.common.v1.job_pb2 import Job
from assay.gateway.v1 import file_service_pb2 as files_pb
from assay.gateway.v1 import session_service_pb2 as pb
from clients.python import words_of
from clients.python.cli.as_json import state_name
from clients.python.cli.naming import whole_session_id
from clients.python.cli.screen import Screen
from clients.python.cli.uploading import uploaded
from clients.python.cli.words import count, moment, short_id, short_path
from clients.python.client import AssayClient
from clients.python.files import data_files
from clients.python.session_layout import file_object, session_object, status_of
from mesh.errors import SESSION_EXPIRED, VERIFICATION_FAILED, AssayError, ExitCode


async def open_session(
    screen: Screen, client: AssayClient, title: str, places: tuple[str, ...], description: str
) -> int:
    """Open a session and store the files in it."""
    paths = data_files(places)  # a wrong path opens no session
    made = await client.sessions.create(title)
    stored = await uploaded(screen, client, made.session_id, paths, description)
    if screen.as_json:
        held = await client.sessions.get(made.session_id)  # as its files made it
        screen.object({**session_object(held), "files": [_file(one) for one in stored]})
        return ExitCode.ANSWERED
    until = moment(made.expires_at.ToDatetime(UTC))
    screen.line("session", f"{short_id(made.session_id)} · open until {until}")
    _show_files(screen, stored)
    screen.line("", f'assay ask "…" --session {short_id(made.session_id)}')
    return ExitCode.ANSWERED


async def add_files(
    screen: Screen,
    client: AssayClient,
    session_id: str,
    places: tuple[str, ...],
    description: str,
) -> int:
    """Store files in a session."""
    paths = data_files(places)
    session_id = await whole_session_id(client, session_id)
    stored = await uploaded(screen, client, session_id, paths, description)
    if screen.as_json:
        screen.object({"session_id": session_id, "files": [_file(one) for one in stored]})
    else:
        _show_files(screen, stored)
    return ExitCode.ANSWERED


async def list_sessions(screen: Screen, client: AssayClient, limit: int) -> int:
    """A line a session."""
    found = await client.sessions.newest(limit)
    if screen.as_json:
        screen.object({"sessions": [session_object(one) for one in found]})
        return ExitCode.ANSWERED
    if not found:
        screen.show("no sessions yet: assay session new FILE")
        return ExitCode.ANSWERED
    grid = _grid("session", "opened", "until", "state", "files", "jobs", "title")
    for one in found:
        jobs = one.job_counts
        grid.add_row(
            short_id(one.session_id),
            moment(one.created_at.ToDatetime(UTC)),
            moment(one.expires_at.ToDatetime(UTC)),
            status_of(one),
            str(one.file_count),
            str(jobs.active + jobs.waiting + jobs.answered + jobs.unanswered)
            if one.HasField("job_counts")
            else "?",
            Text(one.title, no_wrap=True, overflow="ellipsis"),
        )
    screen.show(grid)
    return ExitCode.ANSWERED


async def show_session(screen: Screen, client: AssayClient, session_id: str) -> int:
    """A session with its files, jobs and conversations."""
    found = await client.sessions.get(await whole_session_id(client, session_id))
    jobs = await client.sessions.jobs(found.session_id)
    talks = await client.sessions.conversations(found.session_id)
    try:
        previews = [
            await client.sessions.preview(file.file_id)
            for file in await client.sessions.files(found.session_id)
        ]
    except AssayError as error:
        if error.reason is not SESSION_EXPIRED:
            raise
        previews = []
    if screen.as_json:
        screen.object(
            {
                **session_object(found),
                "files": [_previewed(one) for one in previews],
                "jobs": [
                    {
                        "job": j.job_id,
                        "state": state_name(j.state),
                        "question": words_of.question(j),
                    }
                    for j in jobs
                ],
                "conversations": [
                    {"conversation": t.conversation_id, "title": t.title} for t in talks
                ],
            }
        )
        return ExitCode.ANSWERED
    _show_head(screen, found)
    for preview in previews:
        _show_preview(screen, preview)
    for job in jobs:
        screen.row("job", f"{short_id(job.job_id)} · {state_name(job.state)} · {_asked(job)}")
    for talk in talks:
        text = count(talk.message_count, "message")
        screen.row("talk", f"{short_id(talk.conversation_id)} · {text} · {talk.title}")
    return ExitCode.ANSWERED


async def delete_session(screen: Screen, client: AssayClient, session_id: str) -> int:
    """Delete a session."""
    session_id = await whole_session_id(client, session_id)
    await client.sessions.delete(session_id)
    if screen.as_json:
        screen.object({"deleted": session_id})
    text = (
        "its files, conversations, answers and pages go; the audit log keeps what it says of them"
    )
    screen.row("deleted", f"{short_id(session_id)} · {text}")
    return ExitCode.ANSWERED


async def export_to(screen: Screen, client: AssayClient, session_id: str, to: Path | None) -> int:
    """Write a session's folder, and check every proof in it."""
    from clients.python.cli.verifying_sessions import checked_session
    from clients.python.session_export import METADATA, export_session

    session_id = await whole_session_id(client, session_id)
    place = to or Path(f"assay-session-{short_id(session_id)}")
    path = await export_session(client, session_id, place)
    found = await asyncio.to_thread(checked_session, path)
    wrong = next((one for one in found if not one.ok), None)
    if wrong is not None:
        raise AssayError(
            VERIFICATION_FAILED, f"the session does not verify: {wrong.name}: {wrong.detail}"
        )
    gone: list[dict[str, str]] = json.loads((path / METADATA).read_bytes())["gone"]
    files = [one for one in path.rglob("*") if one.is_file()]
    size = sum(one.stat().st_size for one in files)
    if screen.as_json:
        screen.object(
            {
                "session_id": session_id,
                "path": str(path.absolute()),
                "files": len(files),
                "bytes": size,
                "gone": gone,
            }
        )
        return ExitCode.ANSWERED
    held = f"{count(len(files), 'file')}, {count(size, 'byte')}"
    screen.line("exported", f"{short_path(path.absolute())} · {held}")
    for one in gone:
        screen.row("not there", f"{one['what']}: {one['why']}", "yellow")
    screen.line("", f"assay verify {short_path(path.absolute())}")
    return ExitCode.ANSWERED


def _show_head(screen: Screen, found: pb.Session) -> None:
    status = status_of(found)
    until = moment(found.expires_at.ToDatetime(UTC))
    ends = f"ended {until}" if status == "expired" else f"open until {until}"
    screen.line("session", f"{found.session_id} · {status} · {ends}")
    if found.title:
        screen.row("title", found.title)
    if status == "expired":
        text = "its files and documents are gone; answers and their proofs stay until it is deleted"
        screen.row("", text, "yellow")


def _show_files(screen: Screen, stored: list[files_pb.PreviewFileResponse]) -> None:
    for preview in stored:
        _show_preview(screen, preview)


def _show_preview(screen: Screen, preview: files_pb.PreviewFileResponse) -> None:
    file = preview.file
    again = " · its content was there already" if file.duplicate else ""
    rows = f" · {count(file.row_count, 'row')}" if file.row_count else ""
    text = f"{short_id(file.file_id)} · {count(file.size_bytes, 'byte')}{rows}{again}"
    screen.line("file", f"{file.original_name} · {text}")
    if file.description:
        screen.row("", file.description)
    for table in preview.tables:
        grid = _grid("column", "is a", "of", "kinds", "empty", "such as")
        for column in _file(preview, table)["schema"]["columns"]:
            grid.add_row(
                Text(column["name"]),
                column["inferred_type"],
                column["data_type"],
                f"{column['cardinality']:,}",
                "some" if column["nullable"] else "none",
                Text(", ".join(column["sample_values"]), no_wrap=True, overflow="ellipsis"),
            )
        screen.row("", grid)


def _previewed(preview: files_pb.PreviewFileResponse) -> dict[str, Any]:
    first = {
        table.name: [
            [cell.text if cell.HasField("text") else None for cell in row.cells]
            for row in table.rows
        ]
        for table in preview.tables
    }
    return {**_file(preview), "first_rows": first, "notes": list(preview.notes)}


def _file(
    preview: files_pb.PreviewFileResponse, table: files_pb.FileTable | None = None
) -> dict[str, Any]:
    tables = [table] if table is not None else preview.tables
    values = file_object(preview.file, "", tables)
    values["schema"] = values["schema"] or {"columns": []}
    return values


def _asked(job: Job) -> str:
    return " ".join(words_of.question(job).split())


def _grid(*columns: str) -> Table:
    grid = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    for name in columns:
        grid.add_column(name, justify="right" if name in ("kinds", "files", "jobs") else "left")
    return grid
