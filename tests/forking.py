"""The process that others are forked from: `python -m tests.forking SOCKET MODULE…`.

It imports the modules once and serves until its standard input closes; then it kills what still
runs. It has one thread and opens no channel, so that what it forks begins as a new process does.
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import importlib
import marshal
import os
import runpy
import selectors
import shutil
import signal
import socket
import sys
import traceback
from io import TextIOWrapper
from pathlib import Path
from typing import Literal, NoReturn

# Read when gRPC and pydantic are first imported, as `clients.python.cli.main` sets them.
os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "1")

from clients.python.cli import began
from mesh.processes import failpoint
from tests import children

_LENGTH = 4
_MOST_OPEN = 1 << 16
_STANDARD, _MOST_STREAMS = 3, 4
Given = tuple[str, list[str], str, dict[str, str]]
"""A module to run as a program, its arguments, its folder and its environment."""


class Server:
    """Forks a process for every connection, tells it the pid, and how the process ended."""

    def __init__(self, path: str) -> None:
        self._running: dict[socket.socket, int] = {}
        self._ways = selectors.DefaultSelector()
        self._door = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._door.bind(path)
        self._door.listen(64)

    def serve(self) -> None:
        """Until standard input closes."""
        self._ways.register(0, selectors.EVENT_READ, "end")
        self._ways.register(self._door, selectors.EVENT_READ, "begin")
        while True:
            for key, _ in self._ways.select():
                if key.data == "end":
                    return self._kill()
                if key.data == "begin":
                    self._begin(self._door.accept()[0])
                elif isinstance(key.data, int):
                    self._pass_on(key.fileobj, key.data)  # type: ignore[arg-type]
                else:
                    self._tell(key.fd, *key.data)

    def _begin(self, caller: socket.socket) -> None:
        length, streams, _, _ = socket.recv_fds(caller, _LENGTH, _MOST_STREAMS)
        with caller.makefile("rb") as stream:
            given = stream.read(int.from_bytes(length, "big"))
        process = os.fork()
        if process == 0:
            _run(marshal.loads(given), streams)
        for number in streams:
            os.close(number)
        with contextlib.suppress(OSError):
            caller.sendall(process.to_bytes(_LENGTH, "big"))
        self._running[caller] = process
        if len(streams) == _STANDARD:  # one that is given a line of its own ends with that
            self._ways.register(caller, selectors.EVENT_READ, process)
        ended = os.pidfd_open(process)
        self._ways.register(ended, selectors.EVENT_READ, (caller, process))

    def _pass_on(self, caller: socket.socket, process: int) -> None:
        """A signal, or the last of all where the caller is gone."""
        try:
            signals = caller.recv(1)
        except ConnectionResetError:
            signals = b""
        os.kill(process, signals[0] if signals else signal.SIGKILL)
        if not signals:
            self._ways.unregister(caller)

    def _tell(self, ended: int, caller: socket.socket, process: int) -> None:
        self._ways.unregister(ended)
        os.close(ended)
        _, status = os.waitpid(process, 0)
        del self._running[caller]
        with contextlib.suppress(KeyError):  # the caller is gone
            self._ways.unregister(caller)
        with caller, contextlib.suppress(OSError):
            code = os.waitstatus_to_exitcode(status)
            caller.sendall(code.to_bytes(_LENGTH, "big", signed=True))

    def _kill(self) -> None:
        for process in self._running.values():
            os.kill(process, signal.SIGKILL)


def _run(given: Given, streams: list[int]) -> NoReturn:
    """In the new process: the program, from its arguments to its exit code."""
    module, arguments, folder, environment = given
    aside = [fcntl.fcntl(stream, fcntl.F_DUPFD, _MOST_STREAMS) for stream in streams]
    for number, stream in enumerate(aside):
        os.dup2(stream, number)
    os.closerange(len(streams), _MOST_OPEN)
    os.setsid()
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    for looking in (began, failpoint):  # which look at the process and its environment
        importlib.reload(looking)
    children.fork_children()
    if environment.get("ASSAY_TEST_SELDOM"):
        _calibrate_seldom()
    sys.stdin, sys.stdout, sys.stderr = _stream(0, "r"), _stream(1, "w"), _stream(2, "w")
    sys.stdout.reconfigure(write_through=bool(environment.get("PYTHONUNBUFFERED")))
    sys.stderr.reconfigure(line_buffering=True, errors="backslashreplace")
    sys.argv = [module, *arguments]
    code = 1
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
        code = 0
    except SystemExit as end:
        code = _code(end)
    except BaseException:
        traceback.print_exc()
    for written in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):
            written.flush()
    os._exit(code)


def _calibrate_seldom() -> None:
    import pytest

    from tests.calibrating import calibrate_seldom

    calibrate_seldom(pytest.MonkeyPatch())


def _stream(number: int, way: Literal["r", "w"]) -> TextIOWrapper:
    """What the interpreter makes of a standard stream, which is not what it was at its start."""
    return open(number, way, encoding="utf-8", closefd=False)


def _code(end: SystemExit) -> int:
    """As the interpreter ends: a text is an error, which it prints."""
    if end.code is None or isinstance(end.code, int):
        return end.code or 0
    print(end.code, file=sys.stderr)
    return 1


def main() -> None:
    """Import, say so, and serve."""
    path, *modules = sys.argv[1:]
    gc.disable()
    for module in modules:
        importlib.import_module(module)
    gc.collect()
    gc.freeze()
    gc.enable()
    threads = len(list(Path("/proc/self/task").iterdir()))
    assert threads == 1 or "duckdb" in sys.modules, "what has threads cannot be forked"
    server = Server(path)
    print("ready", flush=True)
    server.serve()
    shutil.rmtree(Path(path).parent, ignore_errors=True)


if __name__ == "__main__":
    main()
