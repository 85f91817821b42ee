"""The warm interpreter: everything imported, and a fresh process forked for every run.

It runs nothing foreign itself. It is told what to do over a socket by the executor, dies with the
executor, and ends a run that takes too long or is no longer wanted.
"""

from __future__ import annotations

import contextlib
import encodings.idna  # noqa: F401 - imported so that runs find it imported
import gc
import json
import mmap
import os
import select
import signal
import socket
import sys
import time
from dataclasses import dataclass
from typing import Any

import statsmodels.api
import statsmodels.formula.api  # noqa: F401
from scipy import optimize, stats  # noqa: F401

from services.executor.sandbox.inside import foreign, kernel, relay, reply
from services.executor.sandbox.inside.confine import Bounds, Surroundings, confine

MAX_MESSAGE_BYTES = 1 << 16
MAX_FILES = 120

_PRINTED, _REPLY, _FIRST_INPUT = 1, 3, 4
_COULD_NOT_CONFINE, _COULD_NOT_RELAY, _FAILED = 81, 82, 1


@dataclass(frozen=True)
class Work:
    """One request: run the code in the first file over the others, or renew a reply."""

    kind: str
    seconds: float
    bounds: Bounds
    names: tuple[str, ...]


def main(control: int, surroundings: dict[str, Any]) -> None:
    """Serve requests until the executor closes the socket."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    around = Surroundings(**surroundings)
    foreign.warm_up()
    used = kernel.address_space()
    gc.collect()
    gc.freeze()
    with socket.socket(fileno=control) as channel:
        channel.send(json.dumps({"ready": True, "bytes": used}).encode())
        while True:
            message, files, _, _ = socket.recv_fds(channel, MAX_MESSAGE_BYTES, MAX_FILES)
            if not message:
                return
            try:
                asked = json.loads(message)
                if asked.pop("cancel", False):
                    continue  # it came after the end of what it was meant for
                asked["bounds"] = Bounds(**asked["bounds"])
                ended = _serve(channel, around, Work(**asked), files, used)
            finally:
                for file in files:
                    os.close(file)
            channel.send(json.dumps(ended).encode())


def _serve(
    channel: socket.socket,
    around: Surroundings,
    work: Work,
    files: list[int],
    used: int,
) -> dict[str, Any]:
    parent = os.getpid()
    confined = mmap.mmap(-1, 1)  # shared: tells whose an exit code is
    child = os.fork()
    if child == 0:
        code = _COULD_NOT_CONFINE
        try:
            _arrange(files)
            confine(around, work.bounds, used, parent, foreign=work.kind == "run")
            confined[0], code = 1, _FAILED
            confined.close()
            code = _WORK[work.kind](work)
        except BaseException as error:
            with contextlib.suppress(OSError):
                os.write(2, f"{type(error).__name__}: {error}\n".encode())
        finally:
            os._exit(code)
    cause = _watch(channel, child, work.seconds)
    _, status, usage = os.wait4(child, 0)
    if cause == "gone":
        sys.exit(0)
    code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else 0
    with confined:
        if confined[0] and code == _COULD_NOT_CONFINE:
            code = _FAILED
    return {
        "cause": cause,
        "code": code,
        "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0,
        "cpu_seconds": usage.ru_utime + usage.ru_stime,
        "peak_bytes": usage.ru_maxrss * 1024,
    }


def _arrange(files: list[int]) -> None:
    """Files in their places, and none else: no way back to the executor stays open."""
    printed, *others = [os.dup(file) for file in files]
    others = [_above(file, 2 * MAX_FILES) for file in others]
    os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
    os.dup2(printed, _PRINTED)
    os.dup2(printed, 2)
    for place, file in enumerate(others, start=_REPLY):
        os.dup2(file, place)
    os.closerange(_REPLY + len(others), 1 << 12)


def _above(file: int, lowest: int) -> int:
    import fcntl

    return fcntl.fcntl(file, fcntl.F_DUPFD, lowest)


def _watch(channel: socket.socket, child: int, seconds: float) -> str:
    """Wait for the child's end, and bring it about where it must: why it ended."""
    ends = time.monotonic() + seconds
    cause = ""
    with contextlib.closing(_File(os.pidfd_open(child))) as watched:
        poll = select.poll()
        poll.register(watched.number, select.POLLIN)
        poll.register(channel, select.POLLIN)
        while not cause:
            left = ends - time.monotonic()
            events = dict(poll.poll(max(0.0, left) * 1000))
            if watched.number in events:
                return "ended"
            if channel.fileno() in events:
                cause = "cancelled" if channel.recv(MAX_MESSAGE_BYTES) else "gone"
            elif left <= 0:
                cause = "time"
        os.kill(child, signal.SIGKILL)
    return cause


@dataclass
class _File:
    number: int

    def close(self) -> None:
        os.close(self.number)


def _run(work: Work) -> int:
    with os.fdopen(_FIRST_INPUT, "rb") as file:
        code = file.read().decode()
    tables = {
        name: foreign.open_frame(_FIRST_INPUT + 1 + number)
        for number, name in enumerate(work.names)
    }
    given = foreign.run(code, tables)
    with contextlib.suppress(Exception):
        sys.stdout.flush()
        sys.stderr.flush()
    try:
        reply.write(given, _REPLY)
    except OSError:
        too_large = reply.Failure("ResultTooLarge", "the result is larger than a result may be")
        reply.write(reply.Reply(failure=too_large), _REPLY)
    return 0


def _relay(work: Work) -> int:
    try:
        reply.write(relay.renewed(_FIRST_INPUT, work.bounds.file_bytes), _REPLY)
    except (reply.BadReply, OSError, MemoryError) as error:
        failure = reply.Failure("BadReply", f"the code's reply cannot be used: {error}")
        reply.write(reply.Reply(failure=failure), _REPLY)
        return _COULD_NOT_RELAY
    return 0


_WORK = {"run": _run, "relay": _relay}
