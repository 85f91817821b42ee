"""The service's side of the process that holds the vectors.

Qdrant's engine writes through maps of sparse files. Where the disk has no block for a page, the
system sends the writer SIGBUS, which no check beforehand rules out: another program may take the
last block in between. So the engine has a process of its own, and its death is an answer.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from typing import Any

from mesh.errors import REASONS, SERVICE_UNAVAILABLE, AssayError

log = logging.getLogger("assay.memory")

_MODULE = "services.memory.adapters.edge_child"
# Building an index over a large collection takes longest.
_ANSWER_SECONDS = 120.0
_CLOSING_SECONDS = 30.0


class EdgeProcess:
    """Carries calls to a process that is started with the first, and again after it died.

    Calls are answered in order; one thread of its own makes them, and the event loop never waits.
    """

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="qdrant")
        self._channel: Connection | None = None
        self._child: subprocess.Popen[bytes] | None = None
        self._environment = dict(os.environ)
        self._closed = False

    @property
    def process_id(self) -> int | None:
        """The process as it runs now; None before the first call and after a death."""
        return self._child.pid if self._child else None

    async def call(self, request: dict[str, Any]) -> Any:
        """The value that a call gives.

        Raises the AssayError that it is refused with, and SERVICE_UNAVAILABLE when the process
        ends in the middle, or this one is closed.
        """
        loop = asyncio.get_running_loop()
        if self._closed:
            raise AssayError(SERVICE_UNAVAILABLE, f"memory in {request['folder']} is closed")
        return await loop.run_in_executor(self._thread, self._ask, request)

    async def close(self) -> None:
        """Have everything flushed and the process ended; may be called twice."""
        if not self._closed:
            self._closed = True
            await asyncio.get_running_loop().run_in_executor(self._thread, self._end)
            self._thread.shutdown(wait=False)

    def _ask(self, request: dict[str, Any]) -> Any:
        folder = Path(request["folder"])
        channel = self._channel or self._start()
        try:
            channel.send_bytes(json.dumps(request).encode())
            if not channel.poll(_ANSWER_SECONDS):
                raise EOFError
            answer = json.loads(channel.recv_bytes())
        except (EOFError, OSError):
            raise self._died(folder) from None
        if "refused" in answer:
            code, message, hint, metadata = answer["refused"]
            if metadata:
                log.warning("%s: %s", message, metadata)
            raise AssayError(REASONS[code], message, hint=hint, metadata=metadata)
        if "failed" in answer:
            log.warning("memory in %s failed: %s", folder, answer["failed"])
            raise AssayError(
                SERVICE_UNAVAILABLE,
                f"memory in {folder} failed",
                hint="See the server's log; if it is damaged, move the folder away: nothing else "
                "is lost.",
            )
        return answer["value"]

    def _start(self) -> Connection:
        ours, theirs = Pipe()
        with theirs:
            self._child = subprocess.Popen(
                [sys.executable, "-m", _MODULE, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                # Ctrl-C is for the service, which closes this one when it has ended.
                start_new_session=True,
                env={
                    **self._environment,
                    "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path)),
                },
            )
        self._environment.pop("ASSAY_FAILPOINT", None)  # one death was asked for, not one each
        self._channel = ours
        return ours

    def _died(self, folder: Path) -> AssayError:
        code = self._end(at_once=True)
        why = signal.strsignal(-code) if code < 0 else f"exit {code}"
        log.warning("the process that holds memory in %s ended: %s", folder, why)
        return AssayError(
            SERVICE_UNAVAILABLE,
            f"the process that holds memory in {folder} ended ({why})",
            hint="Make room if its disk is full; if it happens again, move the folder away: "
            "nothing else is lost.",
        )

    def _end(self, *, at_once: bool = False) -> int:
        """Close the connection, at which the process ends; its exit code, or minus the signal."""
        channel, child = self._channel, self._child
        self._channel = self._child = None
        if channel is not None:
            channel.close()
        if child is None:
            return 0
        try:
            return child.wait(1.0 if at_once else _CLOSING_SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()
            return child.wait()
