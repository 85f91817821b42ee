"""What a shell may complete: names of sources, ids of jobs, pages and boards, as the home's mesh
has them.

Whatever fails, and whatever takes longer than a moment, completes nothing: a person is typing.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING

import typer

from mesh.text.harmless import harmless, is_harmless

if TYPE_CHECKING:
    from clients.python.client import AssayClient

_SECONDS = 3.0
_MOST_JOBS = 30
_MOST_PAGES = 30
Words = list[tuple[str, str]]


def source_names(context: typer.Context, incomplete: str) -> Words:
    """Names of kept sources, with where they are."""

    async def found(client: AssayClient) -> Words:
        from clients.python.known_sources import place_of

        return [(one.name, place_of(one.source)) for one in await client.sources.all()]

    return _beginning(context, incomplete, found)


def job_ids(context: typer.Context, incomplete: str) -> Words:
    """The newest jobs, with what was asked."""

    async def found(client: AssayClient) -> Words:
        from clients.python import words_of
        from clients.python.cli.words import short_id

        jobs = await client.list_jobs(_MOST_JOBS)
        return [(short_id(one.job_id), words_of.question(one).partition("\n")[0]) for one in jobs]

    return _beginning(context, incomplete, found)


def page_ids(context: typer.Context, incomplete: str) -> Words:
    """The newest published pages, with their titles."""

    async def found(client: AssayClient) -> Words:
        from clients.python.cli.words import short_id

        pages = await client.publications.list(_MOST_PAGES)
        return [(short_id(one.publication_id), one.title) for one in pages]

    return _beginning(context, incomplete, found)


def board_ids(context: typer.Context, incomplete: str) -> Words:
    """The boards, with their titles."""

    async def found(client: AssayClient) -> Words:
        from clients.python.cli.words import short_id

        return [(short_id(one.board_id), one.title) for one in await client.boards.all()]

    return _beginning(context, incomplete, found)


def _beginning(
    context: typer.Context, incomplete: str, ask: Callable[[AssayClient], Awaitable[Words]]
) -> Words:
    import asyncio

    async def asked() -> Words:
        from clients.python.cli.connection import Place, reached

        given = context.params
        place = Place(given.get("home"), given.get("server"), given.get("user"))
        async with (
            asyncio.timeout(_SECONDS),
            reached(place, lambda _: None) as reach,
            reach.client() as client,
        ):
            return await ask(client)

    with suppress(Exception):
        return [
            (word, harmless(text))
            for word, text in asyncio.run(asked())
            if word.startswith(incomplete) and is_harmless(word)
        ]
    return []
