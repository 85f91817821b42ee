"""`assay jobs`: what was asked before."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, Annotated

import typer

from clients.python.cli.options import AsJson, Home, Server, User

if TYPE_CHECKING:
    from clients.python.cli.connection import Place
    from clients.python.cli.screen import Screen


def jobs(
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=1, help="At most so many.")
    ] = 20,
    as_json: AsJson = False,
    server: Server = None,
    home: Home = None,
    user: User = None,
) -> int:
    """List your jobs, newest first."""
    from clients.python.cli.connection import Place
    from clients.python.cli.running import execute

    place = Place(home, server, user)
    return execute(lambda screen: _list_jobs(screen, place, limit), as_json=as_json)


async def _list_jobs(screen: Screen, place: Place, limit: int) -> int:
    from rich.table import Table
    from rich.text import Text

    from clients.python import words_of
    from clients.python.cli.as_json import clarification_object, sources_of, state_name
    from clients.python.cli.connection import connected
    from clients.python.cli.unclear import readings
    from clients.python.cli.words import duration, moment, short_id
    from mesh.errors import ExitCode

    async with connected(place, screen) as client:
        found = await client.list_jobs(limit)
    if screen.as_json:
        screen.object(
            {
                "jobs": [
                    {
                        "job": job.job_id,
                        "state": state_name(job.state),
                        "question": words_of.question(job),
                        "sources": sources_of(words_of.work(job)),
                        "created_at": job.created_at.ToJsonString(),
                        "clarification": clarification_object(job.clarification)
                        if job.HasField("clarification")
                        else None,
                        "seconds": job.elapsed.ToTimedelta().total_seconds(),
                    }
                    for job in found
                ]
            }
        )
        return ExitCode.ANSWERED
    if not found:
        screen.show('no jobs yet: ask something, assay ask "…" --data FILE')
        return ExitCode.ANSWERED
    grid = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    grid.add_column("job", no_wrap=True)
    grid.add_column("asked", no_wrap=True)
    grid.add_column("state", no_wrap=True)
    grid.add_column("time", justify="right", no_wrap=True)
    grid.add_column("question")
    for job in found:
        grid.add_row(
            short_id(job.job_id),
            moment(job.created_at.ToDatetime(UTC)),
            state_name(job.state),
            duration(job.elapsed.ToTimedelta().total_seconds()),
            Text(" ".join(words_of.question(job).split()), no_wrap=True, overflow="ellipsis"),
        )
        if job.HasField("clarification"):
            grid.add_row("", "", "", "", readings(job.clarification))
    screen.show(grid)
    return ExitCode.ANSWERED
