"""One warm sandbox, as seen from the executor: started, asked, ended."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import select
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from services.executor.sandbox.isolation import CannotIsolate, Launch
from services.executor.sandbox.limits import SandboxLimits

_START_SECONDS = 60.0
_GRACE_SECONDS = 2.0
_LOOK_MILLISECONDS = 50
_MESSAGE_BYTES = 1 << 16
_PIPE_BYTES = 1 << 18


class SlotLost(Exception):
    """The sandbox is no longer there, or answers nothing sensible."""


@dataclass(frozen=True)
class Ended:
    """How a run's process ended, and the first of what it printed.

    `cause` is "ended" when it did so by itself, "time" or "cancelled" when it was made to.
    """

    cause: str
    code: int
    signal: int
    cpu_seconds: float
    peak_bytes: int
    printed: bytes
    printed_more: bool


class Slot:
    """A sandbox that runs one thing at a time, each in a fresh process.

    It must be started by a thread that lives as long as it: the kernel ends it with that thread.
    """

    def __init__(self, launch: Launch, control: socket.socket, far: socket.socket) -> None:
        self._control = control
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the sandbox
        self.process = subprocess.Popen(
            launch.command,
            env=launch.environment,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._errors,
            pass_fds=(far.fileno(),),
            start_new_session=True,
        )
        far.close()

    def wait_until_ready(self) -> None:
        """Raises CannotIsolate with what it said when it ended instead."""
        self._control.settimeout(_START_SECONDS)
        try:
            ready = self._control.recv(_MESSAGE_BYTES)
        except OSError as error:
            ready = b""
            reason = f"it did not start ({error})"
        else:
            reason = "it did not start"
        if not ready:
            self.process.kill()
            self.process.wait()
            self._errors.seek(0)
            texts = self._errors.read().decode(errors="replace").strip().splitlines()
            self.close()
            raise CannotIsolate(texts[-1][:500] if texts else reason)

    def run(
        self,
        kind: str,
        files: Sequence[int],
        names: Sequence[str],
        limits: SandboxLimits,
        extra_memory: int,
        seconds: float,
        cancelled: threading.Event,
    ) -> Ended:
        """Run one thing to its end. `files` are reply and inputs. Raises SlotLost."""
        reading, writing = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
        os.set_blocking(writing, True)
        asked = {
            "kind": kind,
            "seconds": seconds,
            "names": list(names),
            "bounds": {
                "memory": limits.memory_bytes + extra_memory,
                "cpu_seconds": max(1, int(seconds) + 1) * 2,
                "scratch_bytes": limits.scratch_bytes,
                "file_bytes": limits.result_bytes,
            },
        }
        printed = _Printed(reading, limits.printed_bytes)
        try:
            try:
                socket.send_fds(self._control, [json.dumps(asked).encode()], [writing, *files])
            finally:
                os.close(writing)
            answer = self._wait(printed, seconds, cancelled)
            printed.drain()
        except OSError as error:
            raise SlotLost(f"the sandbox is gone ({error})") from error
        finally:
            os.close(reading)
        return Ended(**answer, printed=bytes(printed.kept), printed_more=printed.more)

    def _wait(
        self, printed: _Printed, seconds: float, cancelled: threading.Event
    ) -> dict[str, Any]:
        gives_up = time.monotonic() + seconds + _GRACE_SECONDS
        poll = select.poll()
        poll.register(self._control, select.POLLIN)
        poll.register(printed.file, select.POLLIN)
        asked_to_stop, listening = False, True
        while True:
            events = dict(poll.poll(_LOOK_MILLISECONDS))
            open_still = printed.drain()
            if listening and (printed.more or not open_still):
                poll.unregister(printed.file)  # a flood is taken slowly: it costs others time
                listening = False
            if self._control.fileno() in events:
                answer = self._control.recv(_MESSAGE_BYTES)
                if not answer:
                    raise SlotLost("the sandbox ended")
                return dict(json.loads(answer))
            if cancelled.is_set() and not asked_to_stop:
                asked_to_stop = True
                gives_up = time.monotonic() + _GRACE_SECONDS
                self._control.send(json.dumps({"cancel": True}).encode())
            if time.monotonic() > gives_up:
                raise SlotLost("the sandbox did not end its run in time")

    def close(self) -> None:
        """End it and all that runs in it, at once."""
        self._control.close()
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        self.process.wait()
        self._errors.close()


class _Printed:
    """The first bytes of what comes through a pipe; the others are counted as too many."""

    def __init__(self, file: int, limit: int) -> None:
        self.file = file
        self.kept = bytearray()
        self.more = False
        self._limit = limit

    def drain(self) -> bool:
        """Take what is there, a bounded amount; False at the end."""
        for _ in range(64):
            try:
                part = os.read(self.file, 1 << 16)
            except BlockingIOError:
                return True
            if not part:
                return False
            room = self._limit - len(self.kept)
            self.kept += part[:room]
            self.more = self.more or len(part) > room
        return True
