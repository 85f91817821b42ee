"""Jobs, sessions, pages and boards as people name them: by the beginning of their id."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from mesh.errors import INVALID_ARGUMENT, NOT_FOUND, AssayError

if TYPE_CHECKING:
    from clients.python.client import AssayClient

_BEGINNING = re.compile(r"[0-9a-f]{4,32}")
_WHOLE = 32
_MOST_SESSIONS = 1_000


async def whole_id(client: AssayClient, text: str) -> str:
    """The id of the job that a person means.

    Raises AssayError: INVALID_ARGUMENT for what cannot be an id, or begins several of them;
    NOT_FOUND.
    """
    return await whole_by("job", "`assay jobs` lists yours.", text, client.jobs_beginning_with)


async def whole_session_id(client: AssayClient, text: str) -> str:
    """The id of the session that a person means. Raises AssayError as `whole_id` does."""

    async def beginning(start: str) -> list[str]:
        listed = await client.sessions.newest(_MOST_SESSIONS)
        return [one.session_id for one in listed if one.session_id.startswith(start)]

    return await whole_by("session", "`assay session list` lists yours.", text, beginning)


async def whole_page_id(client: AssayClient, text: str) -> str:
    """The id of the published page that a person means. Raises AssayError as `whole_id` does."""

    async def beginning(start: str) -> list[str]:
        listed = await client.publications.list()
        return [one.publication_id for one in listed if one.publication_id.startswith(start)]

    return await whole_by("page", "`assay page list` lists them.", text, beginning)


async def whole_board_id(client: AssayClient, text: str) -> str:
    """The id of the board that a person means. Raises AssayError as `whole_id` does."""

    async def beginning(start: str) -> list[str]:
        return [one.board_id for one in await client.boards.all() if one.board_id.startswith(start)]

    return await whole_by("board", "`assay board list` lists them.", text, beginning)


async def whole_by(
    what: str, listed: str, text: str, beginning: Callable[[str], Awaitable[list[str]]]
) -> str:
    """The id of a `what` of which a person gives the beginning; `beginning` finds those that have
    it, and `listed` says where all are. Raises AssayError as `whole_id` does."""
    start = text.strip().lower().replace("-", "")
    if not _BEGINNING.fullmatch(start):
        raise AssayError(
            INVALID_ARGUMENT,
            f"{text[:40]!r} is not a {what}'s id",
            hint=f"Give the id, or at least its first four characters; {listed}",
        )
    if len(start) == _WHOLE:
        return start
    found = await beginning(start)
    if not found:
        raise AssayError(NOT_FOUND, f"there is no {what} {start!r}", hint=listed)
    if len(found) > 1:
        raise AssayError(
            INVALID_ARGUMENT,
            f"several {what}s begin with {start!r}",
            hint="Give more characters of the id.",
        )
    return found[0]
