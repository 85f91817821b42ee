"""A mesh that serves a home folder: commands reach it at once, where each would start its own.
And the command in the process of a test."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from clients.python.cli import main
from tests import commands
from tests.busy import allowing


@dataclass(frozen=True)
class Ran:
    """What a run of the command left."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def ran_here(arguments: Sequence[object], environment: Mapping[str, str]) -> Ran:
    """Run the command in this process, for tests of what it says: to import all of it anew takes
    most of a second, each time. Nothing is typed to it."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    with (
        patch.dict(os.environ, environment, clear=True),
        patch("sys.stdin", io.StringIO()),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        code = main.run([str(argument) for argument in arguments])
    return Ran(code, *(stream.buffer.getvalue().decode() for stream in (out, err)))


COMMAND = [sys.executable, "-m", "clients.python.cli.main"]


@contextmanager
def mesh_up(
    home: Path, environment: Mapping[str, str] | None = None, folder: Path | None = None
) -> Iterator[str]:
    """Serve `home` by `assay up`, started in `folder`; gives the address that it listens at."""
    command = [
        *commands.command("mesh"),
        "up",
        "--console",
        "",
        "--home",
        str(home),
        "--listen",
        "127.0.0.1:0",
    ]
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            cwd=folder,
            env={**(environment or os.environ), "PYTHONUNBUFFERED": "1"},
        )
        try:
            assert process.stdout is not None
            said = process.stdout.readline().split()
            if said[:1] != ["listening"]:
                log.seek(0)
                raise AssertionError(f"the mesh did not say where it listens: {said} {log.read()}")
            yield said[1]
        finally:
            process.send_signal(signal.SIGTERM)
            assert process.stdout is not None
            process.stdout.close()
            assert process.wait(allowing(60)) == 0
