"""A mesh that serves a home folder: commands reach it at once, where each would start its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.busy import allowing

COMMAND = [sys.executable, "-m", "clients.python.cli.main"]


@contextmanager
def mesh_up(
    home: Path, environment: Mapping[str, str] | None = None, folder: Path | None = None
) -> Iterator[str]:
    """Serve `home` by `assay up`, started in `folder`; gives the address that it listens at."""
    command = [*COMMAND, "up", "--home", str(home), "--listen", "127.0.0.1:0"]
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=log, text=True, cwd=folder,
            env={**(environment or os.environ), "PYTHONUNBUFFERED": "1"},
        )  # fmt: skip
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
