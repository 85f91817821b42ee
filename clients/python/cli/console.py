"""`assay console`: open the console of a home in a browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from clients.python.cli.options import Home

if TYPE_CHECKING:
    from pathlib import Path

    from clients.python.cli.screen import Screen


def console(
    print_only: Annotated[
        bool, typer.Option("--print", help="Print the link, and open nothing.")
    ] = False,
    home: Home = None,
) -> int:
    """Open the console that `assay up` serves on this home.

    The link signs you in as this machine's user: give it to nobody.
    """
    from clients.python.cli.running import execute

    return execute(lambda screen: _open(screen, home, print_only=print_only))


async def _open(screen: Screen, chosen: Path | None, *, print_only: bool) -> int:
    import asyncio
    import webbrowser

    from clients.python.consoles import start_link
    from mesh.errors import SERVICE_UNAVAILABLE, AssayError, ExitCode
    from mesh.homes import home_folder

    link = start_link(home_folder(chosen))
    if not link:
        raise AssayError(
            SERVICE_UNAVAILABLE,
            "no console is served on this home",
            hint="Start one with `assay up`, and leave it running.",
        )
    screen.line("console", link)
    if not print_only and not await asyncio.to_thread(webbrowser.open, link):
        screen.line("", "no browser was found here: open the link in yours")
    return ExitCode.ANSWERED
