"""The `assay` command, begun in milliseconds: a fork of a process that has imported it already.

Each command is a process of its own, with its own folder, environment, standard streams and exit
code; only what it imports was imported before, which takes a command half a second and a mesh, with
all it uses, three. What is started is a small program that stands for the command: it gives it its
streams, passes signals on, and ends as it ended. Killed, it takes the command with it a moment
later. Tests whose subject is the process (how it is killed, its terminal, what it imports) start
`python -m clients.python.cli.main` itself (`tests.serving.COMMAND`).
"""

from __future__ import annotations

import atexit
import os
import shlex
import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Literal

from tests.forked import SERVICES, forking

HERE = Path(__file__).parent
_OF_COMMANDS = (
    "clients.python.cli.asking",
    "clients.python.cli.credentials",
    "clients.python.cli.result",
    "clients.python.cli.running",
    "clients.python.client",
    "clients.python.frames",
    "clients.python.home",
    "mesh.transport.dial",
    "mesh.telemetry.tracing",
    "rich._emoji_codes",
    "services.__main__",
)
IMPORTED = {"command": _OF_COMMANDS, "mesh": SERVICES}
_MODULE = "clients.python.cli.main"


@cache
def command(of: Literal["command", "mesh"] = "command") -> list[str]:
    """What to start in place of `assay`; arguments follow. `of` says what was imported for it."""
    interpreter = os.path.realpath(sys.executable)
    stand_in = str(HERE / "standing_for.py")
    return [interpreter, "-I", "-S", stand_in, forking(IMPORTED[of]), _MODULE]


@cache
def folder_of_assay() -> str:
    """A folder for the PATH, in which `assay` is such a command."""
    folder = tempfile.mkdtemp(prefix="assay-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    program = Path(folder, "assay")
    program.write_text(f'#!/bin/sh\nexec {shlex.join(command())} "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    return folder
