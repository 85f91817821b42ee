"""`assay witness`: cosign what a log publishes, as long as it only grows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clients.python.cli.options import AsJson, Home, LogKey, Server, User

if TYPE_CHECKING:
    from clients.python.cli.connection import Place
    from clients.python.cli.screen import Screen
    from clients.python.witness.folder import WitnessFolder
    from clients.python.witness.round import Witnessed
    from mesh.errors import ExitCode
    from mesh.proof.checkpoint import VerifierKey
    from mesh.proof.cosignature import WitnessSigningKey

EVERY_SECONDS = 300.0


def witness(
    once: Annotated[bool, typer.Option("--once", help="One round, then end.")] = False,
    every: Annotated[
        float, typer.Option("--every", metavar="SECONDS", min=1.0, help="Time between rounds.")
    ] = EVERY_SECONDS,
    name: Annotated[
        str | None,
        typer.Option("--name", metavar="NAME", help="The name of a new key; else this host's."),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--folder", metavar="DIR", help="Where the witness keeps its key and what it saw."
        ),
    ] = None,
    log_key: LogKey = None,
    as_json: AsJson = False,
    server: Server = None,
    home: Home = None,
    user: User = None,
) -> int:
    """Cosign the checkpoints of a log.

    Remembers the last checkpoint it saw, asks for the proof that the newest continues it, and
    cosigns. Refuses a fork or a rollback and exits with 5. Run it where the log's owner cannot
    reach: its memory is what it is for.
    """
    from clients.python.cli.connection import Place
    from clients.python.cli.running import execute

    place = Place(home, server, user)
    seconds = None if once else every
    return execute(
        lambda screen: _witness(screen, place, folder, name, log_key, seconds), as_json=as_json
    )


async def _witness(
    screen: Screen,
    place: Place,
    chosen: Path | None,
    name: str | None,
    trusted_key: str | None,
    every: float | None,
) -> ExitCode:
    import asyncio

    from clients.python.cli.keys import log_key_of
    from clients.python.cli.words import short_path
    from clients.python.witness.folder import WitnessFolder
    from mesh.errors import AssayError, ExitCode, Kind

    root = chosen or _own_folder()
    folder = WitnessFolder(root)
    trusted = log_key_of(trusted_key) if trusted_key else None
    with folder.locked():
        key = folder.key(name or _host_name())
        screen.line("witness", f"{key.name} · {short_path(root)}")
        screen.line("key", key.verifier.encode())
        while True:
            try:
                _show(screen, key, await _round(screen, place, folder, key, trusted))
            except AssayError as error:
                if every is None or error.reason.kind is not Kind.UNAVAILABLE:
                    raise
                screen.remark(f"not reached, to be tried again in {every:g} s: {error}")
            if every is None:
                return ExitCode.ANSWERED
            await asyncio.sleep(every)


async def _round(
    screen: Screen,
    place: Place,
    folder: WitnessFolder,
    key: WitnessSigningKey,
    trusted: VerifierKey | None,
) -> Witnessed:
    """A connection for each round: nobody is kept from a home folder between two."""
    from clients.python.cli.connection import connected
    from clients.python.witness.round import witness_once
    from mesh.clock import SystemClock

    async with connected(place, screen) as client:
        return await witness_once(client.records, folder, key, SystemClock(), trusted)


def _show(screen: Screen, key: WitnessSigningKey, found: Witnessed) -> None:
    from clients.python.cli.words import short_path

    checkpoint, before = found.checkpoint, found.before
    if screen.as_json:
        screen.object(
            {
                "origin": checkpoint.origin,
                "size": checkpoint.size,
                "root": checkpoint.root.hex(),
                "size_before": before.size if before else None,
                "note": found.note,
                "path": str(found.kept.absolute()),
                "witness_key": key.verifier.encode(),
            }
        )
        return
    if before is None:
        text = "the first seen"
    elif before.size == checkpoint.size:
        text = "unchanged"
    else:
        text = f"continues {before.size:,}"
    size = f"checkpoint {checkpoint.size:,} of {checkpoint.origin}"
    screen.line("cosigned", f"{size}, {text} · {short_path(found.kept)}")


def _own_folder() -> Path:
    """Apart from the home of any mesh on this machine."""
    from platformdirs import user_data_path

    return user_data_path("assay-witness")


def _host_name() -> str:
    import re
    import socket

    return f"witness-{re.sub(r'[^A-Za-z0-9.-]+', '-', socket.gethostname()) or 'unnamed'}"
