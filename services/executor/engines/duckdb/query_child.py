"""The parent's side of a process that runs queries."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import select
import socket
import subprocess
import sys
import threading
import time
from typing import Any

from services.executor.engines.duckdb.query_process import ANSWER, CANCEL, HEADER, QUERY
from services.executor.sources.processes import engine_bytes

POLL_SECONDS = 0.02
_GRACE_SECONDS = 0.6  # a process interrupts its query in a few milliseconds, or is ended
_BEYOND_ENGINE_MEMORY = 3 << 30  # address space of code, buffers and threads
_MOST_KEYS = 64  # what is known of one takes 15 kB and more; telling it again a millisecond


class QueryChild:
    """One process, used by one thread at a time; `keys` are the sources it knows, oldest first."""

    def __init__(self, memory_limit: str) -> None:
        ours, theirs = socket.socketpair()
        space = engine_bytes(memory_limit) + _BEYOND_ENGINE_MEMORY
        with theirs:
            module = "services.executor.engines.duckdb.query_process"
            self._process = subprocess.Popen(
                [sys.executable, "-m", module, str(theirs.fileno()), memory_limit, str(space)],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))},
            )
        self._channel = ours
        self.keys: dict[str, None] = {}

    def ask(
        self, request: dict[str, Any], deadline: float, cancelled: threading.Event
    ) -> tuple[dict[str, Any], int | None]:
        """The answer and the file of rows.

        Raises EOFError when the process ended, TimeoutError when it does not stop in time.
        """
        body = pickle.dumps(request)
        try:
            self._channel.sendall(HEADER.pack(QUERY, len(body)) + body)
            self._wait(deadline, cancelled)
            header, files, _, _ = socket.recv_fds(self._channel, HEADER.size, 1)
            if len(header) < HEADER.size or header[:1] != ANSWER:
                raise EOFError
            answer: dict[str, Any] = json.loads(self._read(HEADER.unpack(header)[1]))
        except (BrokenPipeError, ConnectionResetError):
            raise EOFError from None
        return answer, files[0] if files else None

    def make_room(self) -> list[str]:
        """The keys that it must forget before it is told one more: those it was told first."""
        gone = list(self.keys)[: max(0, len(self.keys) - _MOST_KEYS + 1)]
        for key in gone:
            del self.keys[key]
        return gone

    @property
    def alive(self) -> bool:
        """Whether the process still runs."""
        return self._process.poll() is None

    def end(self) -> None:
        """End the process at once."""
        self._process.kill()
        self._channel.close()
        self._process.wait()

    @property
    def code(self) -> int | None:
        """The exit code of a process that ended."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self._process.wait(timeout=1)
        return None

    def _wait(self, deadline: float, cancelled: threading.Event) -> None:
        """Until there is an answer. The process knows its time; a cancel must be told to it."""
        is_mentioned = False
        end = deadline + _GRACE_SECONDS
        while not select.select([self._channel], [], [], POLL_SECONDS)[0]:
            if cancelled.is_set() and not is_mentioned:
                is_mentioned = True
                self._channel.sendall(HEADER.pack(CANCEL, 0))
                end = min(end, time.monotonic() + _GRACE_SECONDS)
            if time.monotonic() >= end:
                raise TimeoutError

    def _read(self, length: int) -> bytes:
        data = bytearray()
        while len(data) < length:
            piece = self._channel.recv(length - len(data))
            if not piece:
                raise EOFError
            data += piece
        return bytes(data)
