"""`assay mcp`: Assay's own capabilities as tools for models, over MCP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from clients.python.cli.options import (
    AllowColumn,
    BlockPattern,
    Data,
    Database,
    Home,
    On,
    Server,
    User,
)

if TYPE_CHECKING:
    from clients.python.cli.connection import Place
    from clients.python.cli.screen import Screen
    from clients.python.mcp_server.offered import Offered


def mcp(
    data: Data = None,
    db: Database = None,
    on: On = None,
    http: Annotated[
        int | None,
        typer.Option(
            "--http",
            metavar="PORT",
            help="Serve HTTP on this machine instead; port 0 is any that is free.",
        ),
    ] = None,
    allow_column: AllowColumn = None,
    block_pattern: BlockPattern = None,
    server: Server = None,
    home: Home = None,
    user: User = None,
) -> int:
    """Serve tools for models and their clients, over MCP.

    A client starts this command and speaks over its streams. Tools reach the data that is named
    here, what lies in folders named here, and sources kept by `assay source add` (with --on, these
    alone); a model can name nothing else, and sees of it what --allow-column and --block-pattern
    leave. Over HTTP every request bears a token.

    \b
    Example: assay mcp --data ~/sales --db sqlite:///shop.sqlite
    """
    from clients.python.cli.connection import Place
    from clients.python.cli.running import execute
    from clients.python.mcp_server.offered import Offered

    place = Place(home, server, user)
    given = [tuple(one or ()) for one in (data, db, on, allow_column, block_pattern)]
    return execute(lambda screen: _serve(screen, place, Offered.of(*given), http))


async def _serve(screen: Screen, place: Place, offered: Offered, port: int | None) -> int:
    import asyncio

    from clients.python.cli.connection import reached
    from mesh.errors import ExitCode
    from mesh.homes import home_folder

    _check_installed()
    from clients.python.mcp_server.transports import serve_http, serve_streams

    folder = home_folder(place.home) / "fetched"
    try:
        async with reached(place, screen.remark, kind="mcp") as reach:
            if port is None:
                await serve_streams(reach, offered, folder)
            else:
                await serve_http(
                    reach, offered, folder, port, lambda url: screen.line("listening", url)
                )
    except asyncio.CancelledError:
        screen.remark("stopped")
    return ExitCode.ANSWERED


def _check_installed() -> None:
    """Raise AssayError where the library is absent that speaks MCP."""
    from importlib.util import find_spec

    from mesh.errors import INVALID_ARGUMENT, AssayError

    if find_spec("mcp") is None:
        raise AssayError(
            INVALID_ARGUMENT,
            "the library that speaks MCP is not installed",
            hint="Install assay[mcp], for instance with: pip install 'assay[mcp]'",
        )
