"""`assay up`: the mesh of a home folder as a server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from clients.python.cli.options import Home

if TYPE_CHECKING:
    from pathlib import Path

    from clients.python.cli.screen import Screen

DEFAULT_LISTEN = "127.0.0.1:7400"
DEFAULT_CONSOLE = "127.0.0.1:7480"


def up(
    listen: Annotated[
        str,
        typer.Option(
            "--listen",
            metavar="HOST:PORT",
            help="Where the gateway listens; port 0 is any that is free.",
        ),
    ] = DEFAULT_LISTEN,
    console: Annotated[
        str | None,
        typer.Option(
            "--console",
            metavar="HOST:PORT",
            help=f"Where browsers find the console; port 0 is any that is free, '' is nowhere. "
            f"Without it {DEFAULT_CONSOLE}, or any free port where that is taken.",
        ),
    ] = None,
    home: Home = None,
) -> int:
    """Run the mesh as a server.

    Until Ctrl-C or SIGTERM. Questions asked on the same home meanwhile go to it.
    """
    from clients.python.cli.running import execute

    return execute(lambda screen: _serve(screen, home, listen, console))


async def _serve(screen: Screen, chosen: Path | None, listen: str, console: str | None) -> int:
    import asyncio
    import os

    from clients.python.cli.logs import show_logs
    from clients.python.cli.words import short_path
    from clients.python.consoles import start_link
    from clients.python.home import mesh_at
    from mesh.errors import ExitCode
    from mesh.homes import home_folder

    home = home_folder(chosen)
    show_logs()
    try:
        async with mesh_at(
            home, kind="up", listen=listen, web=_place(console), function=screen.remark
        ) as mesh:
            address = mesh.public
            screen.line("listening", f"{address} · home {short_path(home)} · pid {os.getpid()}")
            if mesh.web:
                screen.line("console", start_link(home))
            secure = "https://" if os.environ.get("ASSAY_PUBLIC_CERTIFICATE") else ""
            screen.line("", f'assay ask "…" --data FILE --server {secure}{address}')
            screen.line("", "Ctrl-C stops it")
            await asyncio.Event().wait()
    except asyncio.CancelledError:
        screen.show("stopped")
    return ExitCode.ANSWERED


def _place(console: str | None) -> str:
    """Where the console is to listen: where it was said, else at its usual port if that is free."""
    if console is not None:
        return console
    import socket

    host, _, port = DEFAULT_CONSOLE.rpartition(":")
    try:
        socket.create_server((host, int(port))).close()
    except OSError:
        return f"{host}:0"
    return DEFAULT_CONSOLE
