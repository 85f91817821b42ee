"""`assay verify`: check the record of a job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clients.python.cli.options import AsJson, Home, JobId, Server, User

if TYPE_CHECKING:
    from clients.python.cli.connection import Place
    from clients.python.cli.screen import Screen


def verify(
    job: JobId,
    as_json: AsJson = False,
    server: Server = None,
    home: Home = None,
    user: User = None,
) -> int:
    """Check the proof of a job.

    Its audit chain, its place in the tree, its files and its numbers.

    Exits with 5 at the first thing that is off, and shows nothing after it.
    """
    from clients.python.cli.connection import Place
    from clients.python.cli.running import execute

    place = Place(home, server, user)
    return execute(lambda screen: _verify_job(screen, place, job), as_json=as_json)


async def _verify_job(screen: Screen, place: Place, job_id: str) -> int:
    from rich.table import Table
    from rich.text import Text

    from clients.python.cli.as_json import proof_object
    from clients.python.cli.connection import connected
    from mesh.errors import VERIFICATION_FAILED, AssayError, ExitCode

    async with connected(place, screen) as client:
        job = await client.get_job(job_id)
        proof = await client.verify(job.job_id)
    code = ExitCode.ANSWERED if proof.ok else ExitCode.VERIFICATION_FAILED
    if screen.as_json:
        screen.object({"job": job.job_id, **proof_object(proof, job.audit_entries)})
        return code
    grid = Table.grid(padding=(0, 3, 0, 0), pad_edge=False)
    grid.add_column(no_wrap=True, style="bold")
    grid.add_column()
    grid.add_column(no_wrap=True)
    for check in proof.checks:
        verdict = Text("ok", "green") if check.ok else Text("WRONG", "bold red")
        grid.add_row(check.name, Text(check.detail, "" if check.ok else "red"), verdict)
        if not check.ok:
            break
    screen.show(grid)
    if not proof.ok and all(check.ok for check in proof.checks):
        return screen.error(AssayError(VERIFICATION_FAILED, "the server says that it is not"))
    return code
