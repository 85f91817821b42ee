"""`assay verify`: check the record of a job, in a mesh or in a bundle."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clients.python.cli.options import AsJson, Home, LogKey, Server, User

if TYPE_CHECKING:
    from clients.python.cli.connection import Place
    from clients.python.cli.screen import Screen
    from clients.python.client import AssayClient
    from clients.python.verification.reading import Finding, Trust
    from mesh.errors import ExitCode


_LISTS = ("manifest.json", "contents.json")
"""What lists the contents of a bundle, and of an exported session."""


def verify(
    job: Annotated[
        str,
        typer.Argument(
            metavar="JOB|BUNDLE|SESSION",
            help="A job's id, or its first four or more characters; or what `assay export` or "
            "`assay session export` wrote.",
        ),
    ],
    recompute: Annotated[
        bool,
        typer.Option("--recompute", help="Also make the calls again on the sources; needs a mesh."),
    ] = False,
    db: Annotated[
        list[str] | None,
        typer.Option(
            "--db",
            metavar="URL",
            help="For --recompute: a database of the question, in its order; repeatable.",
        ),
    ] = None,
    log_key: LogKey = None,
    witness_key: Annotated[
        list[str] | None,
        typer.Option(
            "--witness-key",
            metavar="KEY",
            help="A witness that must have cosigned, or a file with its key; repeatable.",
        ),
    ] = None,
    as_json: AsJson = False,
    server: Server = None,
    home: Home = None,
    user: User = None,
) -> int:
    """Check the proof of a job.

    Its audit chain, its place in the signed tree, its files, its numbers, and that plan, calls and
    answer are those of the chain. A bundle is checked with no mesh running, to the last byte. Keys
    are the mesh's or the bundle's own unless you give them.

    Exits with 5 at the first thing that is off, and shows nothing after it.
    """
    from clients.python.cli.connection import Place
    from clients.python.cli.running import execute

    place = Place(home, server, user)
    databases = list(db or ()) if recompute else None

    async def check(screen: Screen) -> int:
        path, trust = _bundle(job), _trust(log_key, witness_key)
        if path is not None and (path / "contents.json").exists():
            return await _verify_session(screen, path, trust, databases)
        if path is None:
            return await _verify_job(screen, place, job, trust, databases)
        return await _verify_bundle(screen, place, path, trust, databases)

    return execute(check, as_json=as_json)


async def _verify_session(
    screen: Screen, path: Path, trust: Trust, databases: list[str] | None
) -> ExitCode:
    import asyncio

    from clients.python.cli.verifying_sessions import checked_session
    from mesh.errors import INVALID_ARGUMENT, AssayError

    if databases is not None:
        raise AssayError(
            INVALID_ARGUMENT,
            "--recompute is for one job, and this is a session",
            hint=f"assay verify {path.name}/jobs/JOB/proof --recompute",
        )
    found = await asyncio.to_thread(checked_session, path, trust)
    return _print_report(screen, {"session": str(path)}, found)


async def _verify_bundle(
    screen: Screen, place: Place, path: Path, trust: Trust, databases: list[str] | None
) -> ExitCode:
    import asyncio

    from clients.python.cli.connection import connected
    from clients.python.cli.verifying import checked, recorded_frames
    from clients.python.verification import layout
    from clients.python.verification.bundle import open_bundle

    found = await asyncio.to_thread(checked, path, trust)
    if databases is not None and found[-1].ok:
        import json

        job_id = str(json.loads(open_bundle(path).read(layout.JOB))["job_id"])
        async with connected(place, screen) as client:
            found.append(await _recompute(client, job_id, databases, recorded_frames(path)))
    return _print_report(screen, {"bundle": str(path)}, found)


async def _verify_job(
    screen: Screen, place: Place, job_id: str, trust: Trust, databases: list[str] | None
) -> ExitCode:
    from clients.python.cli.as_json import entries_of
    from clients.python.cli.connection import connected
    from clients.python.cli.naming import whole_id
    from clients.python.cli.verifying import verified

    async with connected(place, screen) as client:
        job = await client.get_job(await whole_id(client, job_id))
        found, frames = await verified(client, job, trust)
        if databases is not None and found[-1].ok:
            found.append(await _recompute(client, job.job_id, databases, frames or None))
    return _print_report(screen, {"job": job.job_id, "entries": entries_of(job)}, found)


async def _recompute(
    client: AssayClient, job_id: str, databases: list[str], known: dict[str, str] | None
) -> Finding:
    from contextlib import aclosing

    from clients.python.cli.verifying import recomputed

    async with aclosing(client.recompute(job_id, databases)) as steps:
        return recomputed([step async for step in steps], known)


def _print_report(screen: Screen, what: dict[str, object], found: list[Finding]) -> ExitCode:
    from clients.python.cli.verifying import findings_object, show_findings
    from mesh.errors import ExitCode

    if screen.as_json:
        screen.object({**what, **findings_object(found)})
    else:
        show_findings(screen, found)
    good = all(finding.ok for finding in found)
    return ExitCode.ANSWERED if good else ExitCode.VERIFICATION_FAILED


def _bundle(name: str) -> Path | None:
    """The bundle of that name, or None for what can only be a job's id.

    Raises AssayError INVALID_ARGUMENT for an archive that is not there.
    """
    from mesh.errors import INVALID_ARGUMENT, AssayError

    path = Path(name).expanduser().absolute()
    if path.is_file() or any((path / name).exists() for name in _LISTS):
        return path
    if path.suffix == ".zip" or "/" in name:
        raise AssayError(
            INVALID_ARGUMENT,
            f"there is no bundle at {name}",
            hint="`assay export JOB --to FILE.zip` writes one.",
        )
    return None


def _trust(log_key: str | None, witness_keys: list[str] | None) -> Trust:
    from clients.python.cli.keys import log_key_of, witness_key_of
    from clients.python.verification.reading import Trust

    return Trust(
        log_key_of(log_key) if log_key else None,
        tuple(witness_key_of(key) for key in witness_keys or ()),
    )
