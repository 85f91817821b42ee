"""`assay backup` and `assay restore`: copies of a home folder, and homes made of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clients.python.cli.options import AsJson, Home

if TYPE_CHECKING:
    from clients.python.cli.screen import Screen
    from mesh.errors import ExitCode
    from mesh.storage.backup import Copied

# What these name lies elsewhere, and is backed up there.
_ELSEWHERE = (
    "ASSAY_GATEWAY_DATABASE",
    "ASSAY_PLANNER_DATABASE",
    "ASSAY_EXECUTOR_DATABASE",
    "ASSAY_EXECUTOR_FOLDER",
    "ASSAY_EXECUTOR_STORE_URL",
    "ASSAY_MEMORY_QDRANT_URL",
    "ASSAY_AUDIT_FOLDER",
    "ASSAY_AUDIT_CHECKPOINTS",
)


def backup(
    to: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where to; a new folder.")],
    as_json: AsJson = False,
    home: Home = None,
) -> int:
    """Copy the home folder, also while a mesh works on it.

    Sessions and their files, jobs, frames, artifacts, recipes, tokens, named sources, the audit
    log, its checkpoints and all keys: keep it as you would keep passwords. What is built again
    (read sources, caches, traces) is left out. What settings put elsewhere is named, and not in it.

    \b
    Example: assay backup /backup/assay-$(date +%F)
    """
    from clients.python.cli.running import execute

    return execute(lambda screen: _backup(screen, to, home), as_json=as_json)


def restore(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="What assay backup wrote.")],
    as_json: AsJson = False,
    home: Home = None,
) -> int:
    """Make a home folder of a backup, where there is none or an empty one.

    Every file is held against what was backed up before anything is put in place.

    \b
    Example: assay restore /backup/assay-2026-03-01 --home /var/lib/assay
    """
    from clients.python.cli.running import execute

    return execute(lambda screen: _restore(screen, folder, home), as_json=as_json)


async def _backup(screen: Screen, to: Path, chosen: Path | None) -> ExitCode:
    import asyncio
    import os

    from clients.python.cli.words import short_path
    from mesh.errors import ExitCode
    from mesh.homes import home_folder
    from mesh.storage.backup import back_up

    home = home_folder(chosen)
    copied = await asyncio.to_thread(back_up, home, to)
    elsewhere = [name for name in _ELSEWHERE if os.environ.get(name)]
    if screen.as_json:
        screen.object({**_facts(copied, home, to), "not_in_it": elsewhere})
        return ExitCode.ANSWERED
    screen.line("backed up", f"{short_path(home)} · {_size(copied)}")
    screen.line("to", f"{short_path(to.absolute())} · holds all keys: keep it like a password")
    for name in elsewhere:
        screen.row("not in it", f"what {name} names: back that up where it is", "yellow")
    return ExitCode.ANSWERED


async def _restore(screen: Screen, folder: Path, chosen: Path | None) -> ExitCode:
    import asyncio

    from clients.python.cli.words import short_path
    from mesh.errors import ExitCode
    from mesh.homes import home_folder
    from mesh.storage.backup import restore as put_back

    home = home_folder(chosen)
    copied = await asyncio.to_thread(put_back, folder, home)
    if screen.as_json:
        screen.object(_facts(copied, home, folder))
        return ExitCode.ANSWERED
    screen.line("restored", f"{short_path(home)} · {_size(copied)} · as of {copied.made_at}")
    for label, command in zip(("check it", ""), _checks(home), strict=False):
        screen.line(label, command)
    return ExitCode.ANSWERED


def _checks(home: Path) -> list[str]:
    """Commands that hold a restored home against what was signed, to be copied as they are."""
    import os
    import shlex

    text = shlex.quote(str(home))
    checks = [f"assay verify JOB --home {text}"]
    log = home / "audit/log"
    if log.is_dir():
        signed = os.environ.get("ASSAY_AUDIT_CHECKPOINTS") or str(home / "audit/checkpoints")
        folders = f"{shlex.quote(str(log))} --checkpoints {shlex.quote(signed)}"
        checks.insert(0, f"python -m services.audit.fsck {folders}")
    return checks


def _facts(copied: Copied, home: Path, folder: Path) -> dict[str, object]:
    return {
        "home": str(home.absolute()),
        "backup": str(folder.absolute()),
        "made_at": copied.made_at,
        "files": len(copied.files),
        "bytes": copied.size,
    }


def _size(copied: Copied) -> str:
    from clients.python.cli.words import count

    return f"{count(len(copied.files), 'file')}, {count(copied.size, 'byte')}"
