"""`assay export`: a job as a bundle that anybody can check."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clients.python.cli.options import AsJson, Home, JobId, Server, User

if TYPE_CHECKING:
    from clients.python.cli.connection import Place
    from clients.python.cli.screen import Screen
    from mesh.errors import ExitCode


def export(
    job: JobId,
    to: Annotated[
        Path | None,
        typer.Option(
            "--to", metavar="FILE.zip", help="Where to; a name without .zip becomes a folder."
        ),
    ] = None,
    as_json: AsJson = False,
    server: Server = None,
    home: Home = None,
    user: User = None,
) -> int:
    """Write a job with its proofs as one file.

    Its audit entries and their proofs, the signed checkpoint, plan, calls, claims, files and
    frames: what `assay verify FILE.zip` needs to check it with no mesh running. The sources are not
    in it, only their digests. It is checked once when it is written.
    """
    from clients.python.cli.connection import Place
    from clients.python.cli.running import execute

    place = Place(home, server, user)
    return execute(lambda screen: _export(screen, place, job, to), as_json=as_json)


async def _export(screen: Screen, place: Place, job_id: str, to: Path | None) -> ExitCode:
    import asyncio

    from clients.python.cli.connection import connected
    from clients.python.cli.naming import whole_id
    from clients.python.cli.verifying import checked
    from clients.python.cli.words import count, short_path
    from clients.python.verification.bundle import open_bundle
    from clients.python.verification.reading import Trust
    from mesh.errors import VERIFICATION_FAILED, AssayError, ExitCode

    async with connected(place, screen) as client:
        job = await client.get_job(await whole_id(client, job_id))
        path = await client.export(job, to or Path(f"assay-{job.job_id[:8]}.zip"))
    found = await asyncio.to_thread(checked, path, Trust())
    if not found[-1].ok:
        raise AssayError(
            VERIFICATION_FAILED, f"the bundle does not verify: {found[-1].name}: {found[-1].detail}"
        )
    bundle = open_bundle(path)
    size = sum(bundle.content(name).size for name in bundle.names)
    if screen.as_json:
        screen.object(
            {
                "job": job.job_id,
                "path": str(path.absolute()),
                "members": bundle.names,
                "bytes": size,
                "sha256": {name: bundle.sha256(name) for name in bundle.names},
            }
        )
        return ExitCode.ANSWERED
    text = f"{count(len(bundle.names), 'member')}, {count(size, 'byte')}"
    screen.line("exported", f"{short_path(path.absolute())} · {text}")
    screen.line("", f"assay verify {short_path(path.absolute())}")
    return ExitCode.ANSWERED
