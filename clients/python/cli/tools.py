"""`assay tools`: what the mesh can do with data."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from clients.python.cli.options import AsJson, Home, Server, User

if TYPE_CHECKING:
    from clients.python.cli.connection import Place
    from clients.python.cli.screen import Screen


def tools(
    as_json: AsJson = False, server: Server = None, home: Home = None, user: User = None
) -> int:
    """List the tools that plans are made of.

    With --json, the schemas of their arguments too.
    """
    from clients.python.cli.connection import Place
    from clients.python.cli.running import execute

    place = Place(home, server, user)
    return execute(lambda screen: _list_tools(screen, place), as_json=as_json)


async def _list_tools(screen: Screen, place: Place) -> int:
    from rich.table import Table
    from rich.text import Text

    from clients.python.cli.connection import connected
    from mesh.errors import ExitCode

    async with connected(place, screen) as client:
        found = await client.list_tools()
    if screen.as_json:
        screen.object(
            {
                "tools": [
                    {
                        "name": tool.name,
                        "description": tool.description,
                        "arguments": json.loads(tool.arguments_schema_json or "{}"),
                        "deterministic": tool.deterministic,
                        "why_not": tool.why_not or None,
                    }
                    for tool in found
                ]
            }
        )
        return ExitCode.ANSWERED
    grid = Table.grid(padding=(0, 3, 0, 0), pad_edge=False)
    grid.add_column(no_wrap=True, style="bold cyan")
    grid.add_column()
    for tool in found:
        text = Text(tool.description.strip().partition("\n\n")[0].replace("\n", " "))
        if not tool.deterministic:
            text.append(f"\nnot the same every time: {tool.why_not}", "yellow")
        grid.add_row(tool.name, text)
    screen.show(grid)
    return ExitCode.ANSWERED
