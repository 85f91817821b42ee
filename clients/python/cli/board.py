"""`assay board`: pinned answers that are asked again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from clients.python.cli.completing import board_ids, job_ids
from clients.python.cli.options import AsJson, Home, Server, User

if TYPE_CHECKING:
    from clients.python.cli.board_work import Work

board = typer.Typer(name="board", rich_markup_mode=None, invoke_without_command=True)

BoardId = Annotated[
    str,
    typer.Argument(
        metavar="BOARD",
        help="Its id, or the first four or more characters.",
        autocompletion=board_ids,
    ),
]
PinId = Annotated[
    str,
    typer.Argument(metavar="PIN", help="Its id, or its first characters, as `show` tells it."),
]


@board.callback()
def only_with_a_command(context: typer.Context) -> None:
    """Answers on boards: look at them, pin more, have them asked again."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@board.command("list")
def list_(
    as_json: AsJson = False, server: Server = None, home: Home = None, user: User = None
) -> int:
    """List boards, newest first."""
    from clients.python.cli import board_work

    return _run(board_work.listed, as_json, server, home, user)


@board.command("show")
def show(
    board_id: BoardId,
    version: Annotated[
        int, typer.Option("--version", metavar="N", min=0, help="As it was set in this version.")
    ] = 0,
    changes: Annotated[bool, typer.Option("--changes", help="How it was changed, too.")] = False,
    as_json: AsJson = False,
    server: Server = None,
    home: Home = None,
    user: User = None,
) -> int:
    """Show a board's answers, and what there is to tell of them."""
    from clients.python.cli import board_work

    work = board_work.shown(board_id, version, changes=changes)
    return _run(work, as_json, server, home, user)


@board.command("create")
def create(
    title: Annotated[str, typer.Argument(metavar="TITLE", help="1 to 200 characters.")],
    as_json: AsJson = False,
    server: Server = None,
    home: Home = None,
    user: User = None,
) -> int:
    """Make an empty board."""
    from clients.python.cli import board_work

    return _run(board_work.created(title), as_json, server, home, user)


@board.command("pin")
def pin(
    board_id: BoardId,
    job_id: Annotated[
        str,
        typer.Argument(metavar="JOB", help="Whose answer it is.", autocompletion=job_ids),
    ],
    title: Annotated[str, typer.Option("--title", metavar="TEXT", help="Else the question.")] = "",
    low: Annotated[
        float | None, typer.Option("--low", metavar="NUMBER", help="Less is an alert.")
    ] = None,
    high: Annotated[
        float | None, typer.Option("--high", metavar="NUMBER", help="More is an alert.")
    ] = None,
    as_json: AsJson = False,
    server: Server = None,
    home: Home = None,
    user: User = None,
) -> int:
    """Pin the answer of a job: it is asked again whenever its board is.

    \b
    Example: assay board pin 1a2b3c4d 5e6f7a8b --low 100
    """
    from clients.python.cli import board_work

    work = board_work.pinned(board_id, job_id, title, low, high)
    return _run(work, as_json, server, home, user)


@board.command("unpin")
def unpin(
    board_id: BoardId,
    pin_id: PinId,
    as_json: AsJson = False,
    server: Server = None,
    home: Home = None,
    user: User = None,
) -> int:
    """Take an answer off a board. Restoring a version brings it back for 30 days."""
    from clients.python.cli import board_work

    return _run(board_work.unpinned(board_id, pin_id), as_json, server, home, user)


@board.command("take")
def take(
    board_id: BoardId,
    pin_id: PinId,
    as_json: AsJson = False,
    server: Server = None,
    home: Home = None,
    user: User = None,
) -> int:
    """Take a pin over: it is asked on your behalf from now on."""
    from clients.python.cli import board_work

    return _run(board_work.taken(board_id, pin_id), as_json, server, home, user)


@board.command("refresh")
def refresh(
    board_id: BoardId,
    wait: Annotated[
        bool, typer.Option("--wait", help="Until all is answered; 1 where something is not.")
    ] = False,
    as_json: AsJson = False,
    server: Server = None,
    home: Home = None,
    user: User = None,
) -> int:
    """Ask again for all that is on a board, now."""
    from clients.python.cli import board_work

    return _run(board_work.refreshed(board_id, wait=wait), as_json, server, home, user)


@board.command("restore")
def restore(
    board_id: BoardId,
    version: Annotated[int, typer.Argument(metavar="VERSION", min=1, help="Which it is to be.")],
    as_json: AsJson = False,
    server: Server = None,
    home: Home = None,
    user: User = None,
) -> int:
    """Have a board set as in a version: title, schedule, alerts, pins. It is one more change."""
    from clients.python.cli import board_work

    return _run(board_work.restored(board_id, version), as_json, server, home, user)


def _run(work: Work, as_json: bool, server: str | None, home: Home, user: str | None) -> int:
    from clients.python.cli.connection import Place, connected
    from clients.python.cli.running import execute
    from clients.python.cli.screen import Screen

    async def on(screen: Screen) -> int:
        async with connected(Place(home, server, user), screen) as client:
            return await work(client, screen)

    return execute(on, as_json=as_json)
