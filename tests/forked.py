"""Processes of services that tests begin in milliseconds: forks of one that has imported them.

Each is a process of its own with its own environment, which is killed, stopped and looked at like
any other; only what it imports, which takes most of a second to some, was imported before. That a
service begins from nothing is seen by tests/scaled, tests/unit/test_services.py and the image.
"""

from __future__ import annotations

import atexit
import contextlib
import marshal
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import IO

from tests import children

HERE = Path(__file__).parent
_LENGTH = 4
# What services have imported when they have answered a first question, but for what begins threads
# (DuckDB does), which forks lack.
SERVICES = (
    "clients.python.cli.running",
    "clients.python.home",
    "gateway.service",
    "matplotlib.backends.backend_agg",
    "mesh.telemetry.tracing",
    "pyarrow.compute",
    "services.__main__",
    "services.audit.service",
    "services.executor.plotting.build",
    "services.executor.service",
    "services.executor.transforming.run",
    "services.memory.service",
    "services.planner.adapters.reasoner_rules",
    "services.planner.analysis.conclusion",
    "services.planner.service",
)


class Forked:
    """A program in a process of its own; what tests need of `subprocess.Popen`."""

    def __init__(
        self,
        module: str,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        output: IO[str],
        forker: str = "",
        line: int | None = None,
    ) -> None:
        """Run `module` as a program; what it prints goes to `output`.

        It is forked by the process that `forker` is the socket of, and has the descriptor `line` as
        its fourth.
        """
        surroundings = dict(environment)
        if not forker:
            surroundings.setdefault(children.VARIABLE, forking(children.IMPORTED))
        given = marshal.dumps((module, list(arguments), str(HERE.parent), surroundings))
        self._line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._line.connect(forker or forking(SERVICES))
        with Path(os.devnull).open() as nothing:
            streams = [nothing.fileno(), output.fileno(), output.fileno()]
            streams += [] if line is None else [line]
            length = len(given).to_bytes(_LENGTH, "big")
            socket.send_fds(self._line, [length], streams)
        self._line.sendall(given)
        self.pid = int.from_bytes(self._line.recv(_LENGTH), "big")
        self.returncode: int | None = None
        self._ending = threading.Lock()

    def poll(self) -> int | None:
        """How it ended; None while it runs."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """How it ended. Raises subprocess.TimeoutExpired."""
        if self.returncode is None and not select.select([self._line], [], [], timeout)[0]:
            raise subprocess.TimeoutExpired([str(self.pid)], timeout or 0)
        with self._ending:  # several may wait
            if self.returncode is None:
                told = self._line.recv(_LENGTH)
                # Where nothing is told, the process that forked it has ended, and it with that.
                self.returncode = (
                    int.from_bytes(told, "big", signed=True) if told else -signal.SIGKILL
                )
        return self.returncode

    def send_signal(self, number: signal.Signals) -> None:
        """Send a signal, unless it is known to have ended."""
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        """End it as a crash would."""
        self.send_signal(signal.SIGKILL)


@cache
def forking(modules: tuple[str, ...]) -> str:
    """The socket of a process that has imported these modules, and forks others (`tests.forking`);
    it lives as long as this one."""
    # They begin executors, by whatever surroundings they have.
    if modules != children.IMPORTED and os.environ.get(children.VARIABLE) != children.WHOLE:
        os.environ[children.VARIABLE] = forking(children.IMPORTED)
    folder = tempfile.mkdtemp(prefix="assay-")
    path = f"{folder}/socket"
    # What has threads cannot be forked, and linear algebra starts one for each processor.
    alone = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.forking", path, *modules],
        cwd=HERE.parent,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**alone, **os.environ, "JE_ARROW_MALLOC_CONF": "background_thread:false"},
    )
    atexit.register(_end, process)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n", "no process to fork others from"
    return path


def _end(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    process.stdin.close()
    process.wait()
