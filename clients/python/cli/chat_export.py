"""`/export FILE.md` in a conversation: what was said, as a page that can be passed on."""

from __future__ import annotations

import csv
import re
import shutil
from collections.abc import Iterable
from pathlib import Path

from assay.gateway.v1.conversation_service_pb2 import Message, MessageRole
from clients.python import words_of
from clients.python.cli.result import gather
from clients.python.cli.words import short_id
from clients.python.client import AssayClient
from mesh.errors import INVALID_ARGUMENT, AssayError
from mesh.text.markdown import plain_words

ROWS_SHOWN = 20
_FRACTION = re.compile(r"-?\d+\.\d{6,}")


async def export_conversation(client: AssayClient, conversation_id: str, path: Path) -> Path:
    """Write a conversation as Markdown, with its charts and tables in a folder beside it.

    Each answer stands below its doubts, above its table's first rows and how to check it. Raises
    AssayError: INVALID_ARGUMENT where there is something at the path, or it cannot be written.
    """
    if path.exists():
        raise AssayError(
            INVALID_ARGUMENT, f"there is something at {path} already", hint="Choose another name."
        )
    messages = await every_message(client, conversation_id)
    beside = path.with_name(f"{path.stem}_files")
    parts: list[str] = ["# Conversation"]
    try:
        for message in messages:
            if message.role == MessageRole.MESSAGE_ROLE_USER:
                taken = " (taken back)" if message.HasField("taken_back_at") else ""
                parts.append(f"## {plain_words(message.content)}{taken}")
            else:
                parts += await _answer(client, message, beside)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    except OSError as error:
        raise AssayError(
            INVALID_ARGUMENT, f"{path} cannot be written: {error.strerror or error}"
        ) from error
    return path


async def every_message(client: AssayClient, conversation_id: str) -> list[Message]:
    """All messages of a conversation, in order."""
    found: list[Message] = []
    token = ""
    while True:  # the newest page comes first
        page = await client.conversations.messages(conversation_id, token)
        found = [*page.messages, *found]
        token = page.next_page_token
        if not token:
            return found


async def _answer(client: AssayClient, message: Message, beside: Path) -> list[str]:
    response = message.response
    doubts = [f"> {plain_words(reason)}" for reason in response.confidence_reasons]
    parts = ["  \n".join(doubts)] if doubts else []
    parts.append(plain_words(message.content))
    if sure := words_of.sureness(response):
        parts.append(f"*Confidence: {sure}.*")
    if not response.job_id:
        return parts
    job = await client.get_job(response.job_id)
    if job.HasField("answer"):
        folder = beside / short_id(job.job_id)
        result = await gather(client, job, whole_table=False, folder=beside)
        parts += _shown([_copied(path, folder) for _, path in result.files], beside.parent)
    parts.append(f"`assay verify {short_id(job.job_id)}` checks this answer.")
    return parts


def _copied(path: Path, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    if path.parent == folder:
        return path
    return Path(shutil.copyfile(path, folder / path.name))


def _shown(files: Iterable[Path], root: Path) -> list[str]:
    """Pictures as pictures, tables by their first rows, all else by its name."""
    parts, others = [], []
    for path in files:
        place = path.relative_to(root).as_posix()
        if path.suffix == ".png":
            parts.append(f"![{path.stem.replace('_', ' ')}]({place})")
        elif path.suffix == ".csv":
            parts.append(f"{_first_rows(path)}\n\n[all rows]({place})")
        else:
            others.append(f"[{path.name}]({place})")
    return [*parts, *([" · ".join(others)] if others else [])]


def _first_rows(path: Path) -> str:
    with path.open(newline="", encoding="utf-8") as file:
        rows = [row for row, _ in zip(csv.reader(file), range(ROWS_SHOWN + 1), strict=False)]
    if not rows:
        return ""
    lines = [f"| {' | '.join(plain_words(_short(cell)) for cell in row)} |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]])


def _short(cell: str) -> str:
    """A number without the digits in which binary fractions differ from decimal ones."""
    return f"{float(cell):.12g}" if _FRACTION.fullmatch(cell) else cell
