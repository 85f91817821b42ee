"""`assay status` and `assay down`: the mesh that serves a home, and its end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clients.python.cli.options import AsJson, Home

if TYPE_CHECKING:
    from pathlib import Path

    from clients.python.background.standing import Standing
    from clients.python.cli.screen import Screen
    from mesh.errors import ExitCode

_STOP_SECONDS = 30.0
_KINDS = {
    "background": "in the background",
    "up": "assay up",
    "mcp": "assay mcp",
    "ask": "of one command, which shares it with none",
}


def status(as_json: AsJson = False, home: Home = None) -> int:
    """Show which mesh serves the home.

    The first command starts one in the background, which later ones find; it ends by itself.
    ASSAY_BACKGROUND=0 has each command run its own.
    """
    from clients.python.cli.running import execute

    return execute(lambda screen: _status(screen, home), as_json=as_json)


def down(as_json: AsJson = False, home: Home = None) -> int:
    """Stop the mesh that serves the home.

    What it was doing goes on with the next command that starts one.
    """
    from clients.python.cli.running import execute

    return execute(lambda screen: _down(screen, home), as_json=as_json)


async def _status(screen: Screen, chosen: Path | None) -> ExitCode:
    from clients.python.background.standing import standing
    from clients.python.cli.words import short_path
    from mesh.errors import ExitCode
    from mesh.homes import home_folder

    home = home_folder(chosen)
    found = await standing(home)
    if screen.as_json:
        screen.object({"home": str(home), "mesh": _facts(found) if found else None})
        return ExitCode.ANSWERED
    if found is None:
        screen.line("mesh", "none runs")
    else:
        for label, text in _list_services(found):
            screen.line(label, text)
    screen.line("home", short_path(home))
    if found is not None:
        screen.line("log", short_path(home / "assay.log"))
    return ExitCode.ANSWERED


async def _down(screen: Screen, chosen: Path | None) -> ExitCode:
    from clients.python.background.standing import stop
    from clients.python.cli.words import short_path
    from mesh.errors import ExitCode
    from mesh.homes import home_folder

    home = home_folder(chosen)
    ended = await stop(home, _STOP_SECONDS)
    if screen.as_json:
        screen.object({"home": str(home), "stopped": ended.pid if ended else None})
    elif ended is None:
        screen.line("mesh", f"none runs · home {short_path(home)}")
    else:
        screen.line("stopped", f"pid {ended.pid} · home {short_path(home)}")
    return ExitCode.ANSWERED


def _list_services(found: Standing) -> list[tuple[str, str]]:
    from datetime import UTC, datetime

    from clients.python.cli.words import count, duration, moment

    owner = found.owner
    parts = [_KINDS.get(owner.kind, owner.kind), f"pid {owner.pid}"]
    if owner.began:
        parts.append(f"since {moment(datetime.fromtimestamp(owner.began, UTC))}")
    if not owner.target:
        parts.append("starting")
    elif not found.answers:
        parts.append("does not answer")
    rows = [("mesh", " · ".join(parts))]
    if owner.idle_seconds:
        ends = f"ends after {duration(owner.idle_seconds)} without use"
        rows.append(("", f"last used {duration(found.unused_seconds)} ago, {ends}"))
    if not found.fits:
        rows.append(("", "of other code or settings: the next command starts another"))
    megabytes = found.memory_bytes / 1e6
    rows.append(
        ("memory", f"{megabytes:,.0f} MB in {count(found.processes, 'process', 'processes')}")
    )
    return rows


def _facts(found: Standing) -> dict[str, object]:
    owner = found.owner
    return {
        "kind": owner.kind,
        "pid": owner.pid,
        "target": owner.target,
        "since": owner.began or None,
        "answers": found.answers,
        "fits": found.fits,
        "unused_seconds": round(found.unused_seconds, 1),
        "idle_seconds": owner.idle_seconds or None,
        "processes": found.processes,
        "memory_bytes": found.memory_bytes,
    }
