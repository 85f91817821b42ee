"""`assay notebook`: a job or a conversation as a notebook that computes its rows again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clients.python.cli.options import AsJson, Home, Server, User

if TYPE_CHECKING:
    from clients.python.cli.connection import Place
    from clients.python.cli.screen import Screen
    from mesh.errors import ExitCode


def notebook(
    what: Annotated[
        str,
        typer.Argument(
            metavar="JOB|CONVERSATION|SESSION", help="An id, or its first four or more characters."
        ),
    ],
    to: Annotated[
        Path | None,
        typer.Option("--to", metavar="FILE.ipynb", help="Where to; else a name by the id."),
    ] = None,
    as_json: AsJson = False,
    server: Server = None,
    home: Home = None,
    user: User = None,
) -> int:
    """Write a Jupyter notebook that computes recorded rows again, without Assay.

    Each question with its reading, its query over the source files, its chart, its proof, and a
    cell that fails where rows differ from the recorded ones. A causal job hands over its own.
    """
    from clients.python.cli.connection import Place
    from clients.python.cli.running import execute

    place = Place(home, server, user)
    return execute(lambda screen: _write(screen, place, what, to), as_json=as_json)


async def _write(screen: Screen, place: Place, what: str, to: Path | None) -> ExitCode:
    import shutil

    from clients.python.cli.connection import connected
    from clients.python.cli.words import short_path
    from clients.python.notebooks.gathering import gather_job, jobs_of, uploads
    from clients.python.notebooks.jobs import causal_files, written
    from mesh.errors import INVALID_ARGUMENT, AssayError, ExitCode

    path = (to or Path(f"assay-{what[:8]}.ipynb")).expanduser().absolute()
    if path.exists():
        raise AssayError(
            INVALID_ARGUMENT,
            f"there is something at {path} already",
            hint="Choose another place with --to.",
        )
    async with connected(place, screen) as client:
        title, ids = await jobs_of(client, what)
        jobs = [await gather_job(client, job_id) for job_id in ids]
        made = causal_files(jobs[0].result) if len(jobs) == 1 else []
        rows = path.with_name(f"{path.stem}_rows")
        brought = {} if made else await uploads(client, jobs, rows)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if made:
            places = [path if one.suffix == ".ipynb" else path.parent / one.name for one in made]
            if taken := [place for place in places if place.exists()]:
                raise AssayError(
                    INVALID_ARGUMENT,
                    f"there is something at {taken[0]} already",
                    hint="Name a file in a folder of its own with --to.",
                )
            for one, its_place in zip(made, places, strict=True):
                shutil.copyfile(one, its_place)
        else:
            written(title, jobs, rows.name, brought).write(path)
    except OSError as error:
        raise AssayError(
            INVALID_ARGUMENT, f"{path} cannot be written: {error.strerror or error}"
        ) from error
    if screen.as_json:
        screen.object({"path": str(path), "jobs": ids})
    else:
        screen.line("written", short_path(path))
    return ExitCode.ANSWERED
