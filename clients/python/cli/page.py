"""`assay page`: pages that were published, until they are taken back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clients.python.cli.completing import page_ids
from clients.python.cli.options import AsJson, Home, Server, User

if TYPE_CHECKING:
    from clients.python.cli.connection import Place
    from clients.python.cli.screen import Screen

page = typer.Typer(name="page", rich_markup_mode=None, invoke_without_command=True)

PageId = Annotated[
    str,
    typer.Argument(
        metavar="PAGE",
        help="Its id, or the first four or more characters.",
        autocompletion=page_ids,
    ),
]


@page.callback()
def only_with_a_command(context: typer.Context) -> None:
    """Find, read and take back pages that `assay publish` made."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@page.command("list")
def list_(
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=1, help="At most so many.")
    ] = 100,
    as_json: AsJson = False,
    server: Server = None,
    home: Home = None,
    user: User = None,
) -> int:
    """List published pages, newest first, also those that were revoked."""
    from clients.python.cli.connection import Place
    from clients.python.cli.running import execute

    place = Place(home, server, user)
    return execute(lambda screen: _list(screen, place, limit), as_json=as_json)


@page.command("show")
def show(
    page_id: PageId,
    to: Annotated[
        Path | None,
        typer.Option("--to", metavar="FILE.html", help="Where to; else assay-page-ID.html here."),
    ] = None,
    as_json: AsJson = False,
    server: Server = None,
    home: Home = None,
    user: User = None,
) -> int:
    """Write a page to a file; tell who published it, when, of which jobs.

    Of one that was revoked nothing is written: who did it, when, and why is told, and the exit
    code is 1.
    """
    from clients.python.cli.connection import Place
    from clients.python.cli.running import execute

    place = Place(home, server, user)
    return execute(lambda screen: _show(screen, place, page_id, to), as_json=as_json)


@page.command("revoke")
def revoke(
    page_id: PageId,
    because: Annotated[
        str,
        typer.Option("--because", metavar="REASON", help="Why; whoever asks for it is told."),
    ],
    as_json: AsJson = False,
    server: Server = None,
    home: Home = None,
    user: User = None,
) -> int:
    """Take a page back: nobody is given it any more. That it was published stays on record.

    Files that were written before, and their proofs, are not the mesh's to delete.

    \b
    Example: assay page revoke 1a2b3c4d --because "orders of May were counted twice"
    """
    from clients.python.cli.connection import Place
    from clients.python.cli.running import execute

    place = Place(home, server, user)
    return execute(lambda screen: _revoke(screen, place, page_id, because), as_json=as_json)


async def _list(screen: Screen, place: Place, limit: int) -> int:
    from clients.python.cli.connection import connected
    from clients.python.cli.pages_shown import page_object, pages_table
    from mesh.errors import ExitCode

    async with connected(place, screen) as client:
        found = await client.publications.list(limit)
    if screen.as_json:
        screen.object({"pages": [page_object(one) for one in found]})
    elif not found:
        screen.show("no pages yet: publish one, assay publish FILE")
    else:
        screen.show(pages_table(found))
    return ExitCode.ANSWERED


async def _show(screen: Screen, place: Place, page_id: str, to: Path | None) -> int:
    from clients.python.cli.connection import connected
    from clients.python.cli.naming import whole_page_id
    from clients.python.cli.pages_shown import page_object, revoked, show_page
    from clients.python.cli.words import short_id, short_path
    from clients.python.publishing.places import write_page
    from mesh.errors import ExitCode

    async with connected(place, screen) as client:
        kept = await client.publications.get(await whole_page_id(client, page_id))
    made = kept.publication
    if made.HasField("revocation"):
        raise revoked(made)
    path = to or Path(f"assay-page-{short_id(made.publication_id)}.html")
    path = path.expanduser().absolute()
    write_page(path, kept.page)
    if screen.as_json:
        screen.object({**page_object(made), "path": str(path)})
    else:
        show_page(screen, made)
        screen.line("written", short_path(path))
    return ExitCode.ANSWERED


async def _revoke(screen: Screen, place: Place, page_id: str, because: str) -> int:
    from clients.python.cli.connection import connected
    from clients.python.cli.naming import whole_page_id
    from clients.python.cli.pages_shown import page_object, show_revocation
    from mesh.errors import ExitCode

    async with connected(place, screen) as client:
        ended = await client.publications.revoke(await whole_page_id(client, page_id), because)
    if screen.as_json:
        screen.object(page_object(ended))
    else:
        show_revocation(screen, ended)
    return ExitCode.ANSWERED
