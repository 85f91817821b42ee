"""`assay session`: workspaces with files, questions and conversations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clients.python.cli.options import AsJson, Home, Server, User

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from clients.python.cli.screen import Screen
    from clients.python.client import AssayClient

session = typer.Typer(name="session", rich_markup_mode=None, invoke_without_command=True)

SessionId = Annotated[
    str, typer.Argument(metavar="SESSION", help="Its id, or the first four or more characters.")
]
Description = Annotated[
    str, typer.Option("--describe", metavar="WORDS", help="What the files hold, in your words.")
]


@session.callback()
def only_with_a_command(context: typer.Context) -> None:
    """Keep files, what was asked of them, and the answers together, for a while."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@session.command("new")
def new(
    data: Annotated[list[str] | None, typer.Argument(metavar="[FILE]...")] = None,
    title: Annotated[str, typer.Option("--title", help="What to call it.")] = "",
    describe: Description = "",
    as_json: AsJson = False,
    server: Server = None,
    home: Home = None,
    user: User = None,
) -> int:
    """Open a session, with files if any are named.

    \b
    Example: assay session new orders.csv customers.csv --title "spring sale"
             assay ask "revenue by month" --session 4f2a
    """
    from clients.python.cli.sessions_shown import open_session

    paths = tuple(data or ())
    return _run(
        lambda s, c: open_session(s, c, title, paths, describe), as_json, server, home, user
    )


@session.command("add")
def add(
    session_id: SessionId,
    data: Annotated[list[str], typer.Argument(metavar="FILE...")],
    describe: Description = "",
    as_json: AsJson = False,
    server: Server = None,
    home: Home = None,
    user: User = None,
) -> int:
    """Upload files into a session, and show what is in them."""
    from clients.python.cli.sessions_shown import add_files

    paths = tuple(data)
    return _run(
        lambda s, c: add_files(s, c, session_id, paths, describe), as_json, server, home, user
    )


@session.command("list")
def list_(
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=1, help="At most so many.")
    ] = 20,
    as_json: AsJson = False,
    server: Server = None,
    home: Home = None,
    user: User = None,
) -> int:
    """List your sessions, newest first."""
    from clients.python.cli.sessions_shown import list_sessions

    return _run(lambda s, c: list_sessions(s, c, limit), as_json, server, home, user)


@session.command("show")
def show(
    session_id: SessionId,
    as_json: AsJson = False,
    server: Server = None,
    home: Home = None,
    user: User = None,
) -> int:
    """Show a session: its files with their columns, its jobs and conversations."""
    from clients.python.cli.sessions_shown import show_session

    return _run(lambda s, c: show_session(s, c, session_id), as_json, server, home, user)


@session.command("delete")
def delete(
    session_id: SessionId,
    as_json: AsJson = False,
    server: Server = None,
    home: Home = None,
    user: User = None,
) -> int:
    """Delete a session with its files, conversations, documents, pages, and what its jobs made.

    The audit log keeps what it says of them.
    """
    from clients.python.cli.sessions_shown import delete_session

    return _run(lambda s, c: delete_session(s, c, session_id), as_json, server, home, user)


@session.command("export")
def export(
    session_id: SessionId,
    to: Annotated[
        Path | None, typer.Option("--to", metavar="DIR", help="A folder that is not there yet.")
    ] = None,
    as_json: AsJson = False,
    server: Server = None,
    home: Home = None,
    user: User = None,
) -> int:
    """Write all of a session into a folder: files, answers, reports, conversations, proofs.

    Every proof in it is checked once when it is written; `assay verify DIR` checks it again with
    no mesh running. What cannot be had any more is named.
    """
    from clients.python.cli.sessions_shown import export_to

    return _run(lambda s, c: export_to(s, c, session_id, to), as_json, server, home, user)


def _run(
    main: Callable[[Screen, AssayClient], Awaitable[int]],
    as_json: bool,
    server: str | None,
    home: Path | None,
    user: str | None,
) -> int:
    from clients.python.cli.connection import Place, connected
    from clients.python.cli.running import execute

    async def connecting(screen: Screen) -> int:
        async with connected(Place(home, server, user), screen) as client:
            return await main(screen, client)

    return execute(connecting, as_json=as_json)
