"""Emulators of services that nobody can install, each in an environment of its own, since their
libraries are other versions than ours (`make emulators`)."""

from __future__ import annotations

import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
HERE = Path(__file__).parent
_START_SECONDS = 60.0


@contextmanager
def emulator(name: str, script: str) -> Iterator[int]:
    """The port of an emulator that runs; skips where it is not installed.

    `script` is a file beside this one, run by the emulator's own Python with a port.
    """
    python = python_of(name)
    port = _free_port()
    with subprocess.Popen(
        [python, HERE / script, str(port)],
        env={"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/")},
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as running:
        try:
            _wait_for(port, running)
            yield port
        finally:
            running.kill()


def python_of(name: str) -> Path:
    """The Python that has an emulator; skips where there is none."""
    folder = Path(os.environ.get("ASSAY_TEST_EMULATORS") or ROOT / ".assay" / "emulators")
    python = folder / name / "bin" / "python"
    if not python.exists():
        pytest.skip(f"needs the emulator of {name}: make emulators")
    return python


def _wait_for(port: int, running: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + _START_SECONDS
    while time.monotonic() < until:
        if running.poll() is not None:
            pytest.fail("the emulator ended at once")
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=1).close()
            return
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.05)
    pytest.fail("the emulator does not answer")


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
