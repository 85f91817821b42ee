"""Workers that wait for files in turns, and what the processes of each use meanwhile."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from bench.measure import REPOSITORY

_SAMPLE_SECONDS = 0.02
_QUIET_SECONDS, _LONGEST_SECONDS = 0.6, 60.0
_IDLE_SHARE = 0.05


@dataclass(frozen=True)
class Use:
    """Of one question: seconds to its answer, processor seconds of all processes until then and
    until they were quiet again, and the most memory (pages that several share counted once)."""

    seconds: float
    processor: float
    processor_in_all: float
    before_bytes: int
    peak_bytes: int
    response: Any


class Worker:
    """A process that answers about one file after another: `python -m bench.<module> --part …`."""

    def __init__(self, module: str, part: str, *arguments: str) -> None:
        command = [sys.executable, "-m", f"bench.{module}", "--part", part, *arguments]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=REPOSITORY, text=True
        )
        self._root = psutil.Process(self._process.pid)

    def ask(self, file: Path) -> Use:
        """Have it answer about a file. Raises RuntimeError when it ended instead."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        before, held = self._processor(), self._memory()
        with self._watched() as peak:
            start = time.perf_counter()
            print(file, file=self._process.stdin, flush=True)
            line = self._process.stdout.readline()
            seconds = time.perf_counter() - start
            used = self._processor() - before
        if not line:
            raise RuntimeError(f"a worker ended with {self._process.wait()}")
        in_all = self._when_quiet() - before
        return Use(seconds, used, in_all, held, max(held, *peak), json.loads(line))

    def close(self) -> None:
        """Have it end."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(60)

    @contextlib.contextmanager
    def _watched(self) -> Iterator[list[int]]:
        """The memory of the processes, sampled meanwhile."""
        seen, ended = [0], threading.Event()

        def watch() -> None:
            while not ended.wait(_SAMPLE_SECONDS):
                seen.append(self._memory())

        thread = threading.Thread(target=watch, daemon=True)
        thread.start()
        try:
            yield seen
        finally:
            ended.set()
            thread.join()

    def _when_quiet(self) -> float:
        """The processor seconds once next to nothing is used any more."""
        end, last = time.monotonic() + _LONGEST_SECONDS, self._processor()
        while time.monotonic() < end:
            time.sleep(_QUIET_SECONDS)
            now = self._processor()
            if now - last < _IDLE_SHARE * _QUIET_SECONDS:
                break
            last = now
        return now

    def _tree(self) -> list[psutil.Process]:
        return [self._root, *self._root.children(recursive=True)]

    def _processor(self) -> float:
        """User and system seconds of all its processes, those that ended among them."""
        total = 0.0
        for process in self._tree():
            with contextlib.suppress(psutil.Error):
                total += sum(process.cpu_times()[:4])
        return total

    def _memory(self) -> int:
        """Resident bytes of all its processes, where a page that n share counts for a nth."""
        total = 0
        for process in self._tree():
            with contextlib.suppress(OSError):
                for line in Path(f"/proc/{process.pid}/smaps_rollup").read_text().splitlines():
                    if line.startswith("Pss:"):
                        total += int(line.split()[1]) * 1024
        return total
