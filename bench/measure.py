"""Measuring: medians of repeated work, peak memory of a process of its own, tables of figures."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

if TYPE_CHECKING:
    from assay.gateway.v1.job_service_pb2 import Span

_SAMPLE_SECONDS = 0.05
REPOSITORY = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Child:
    """How a process ended: what it printed as JSON, its seconds, its peak memory in bytes.

    The peak is that of the process and all below it: resident bytes added up every 50 ms, or of the
    process alone if that is more. `peak_bytes` counts pages that processes share for each of them,
    `peak_shared_once_bytes` once (their proportional set sizes); 0 where the system does not tell.
    """

    report: Any
    seconds: float
    peak_bytes: int
    peak_shared_once_bytes: int = 0


def milliseconds(times: Sequence[float]) -> dict[str, float]:
    """Seconds of repeated work as milliseconds: median, fastest, slowest."""
    return {
        "median_ms": round(statistics.median(times) * 1e3, 1),
        "fastest_ms": round(min(times) * 1e3, 1),
        "slowest_ms": round(max(times) * 1e3, 1),
    }


def nanoseconds(span: Span) -> tuple[int, int]:
    """When a span of a trace began and ended, since 1970."""
    return span.started_at.ToNanoseconds(), span.ended_at.ToNanoseconds()


def repeated(work: Callable[[], object], times: int, warm_up: int = 0) -> list[float]:
    """Seconds of each round after `warm_up` rounds that do not count."""
    taken = []
    for number in range(warm_up + times):
        start = time.perf_counter()
        work()
        if number >= warm_up:
            taken.append(time.perf_counter() - start)
    return taken


async def repeated_async(
    work: Callable[[], Awaitable[object]], times: int, warm_up: int = 0
) -> list[float]:
    """Like `repeated`, for work that is awaited."""
    taken = []
    for number in range(warm_up + times):
        start = time.perf_counter()
        await work()
        if number >= warm_up:
            taken.append(time.perf_counter() - start)
    return taken


def child(command: Sequence[str]) -> Child:
    """Run a process to its end; raises RuntimeError with its errors when it fails."""
    start = time.perf_counter()
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=REPOSITORY, text=True
    )
    assert process.stdout is not None
    assert process.stderr is not None
    watch = _TreeWatch(process.pid)
    watch.start()
    printed, errors = process.stdout.read(), process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    watch.stop()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} failed:\n{errors[-2000:]}")
    lines = printed.strip().splitlines()
    value = json.loads(lines[-1]) if lines and lines[-1].startswith("{") else None
    peak = max(usage.ru_maxrss * 1024, watch.peak_bytes)
    return Child(value, seconds, peak, watch.peak_shared_once_bytes)


class _TreeWatch(threading.Thread):
    """Samples the resident memory of a process and of all it started."""

    def __init__(self, process_id: int) -> None:
        super().__init__(daemon=True)
        self.peak_bytes = 0
        self.peak_shared_once_bytes = 0
        self._root = psutil.Process(process_id)
        self._ended = threading.Event()

    def run(self) -> None:
        """Add up until stopped."""
        while not self._ended.wait(_SAMPLE_SECONDS):
            total = shared_once = 0
            with contextlib.suppress(psutil.Error):
                for process in (self._root, *self._root.children(recursive=True)):
                    with contextlib.suppress(psutil.Error):
                        total += process.memory_info().rss
                    with contextlib.suppress(OSError):
                        shared_once += _proportional_bytes(process.pid)
            self.peak_bytes = max(self.peak_bytes, total)
            self.peak_shared_once_bytes = max(self.peak_shared_once_bytes, shared_once)

    def stop(self) -> None:
        """End the sampling."""
        self._ended.set()
        self.join()


def _proportional_bytes(process_id: int) -> int:
    """A process's resident bytes, where a page that n processes share counts for a nth part."""
    for line in Path(f"/proc/{process_id}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    return 0


def part(module: str, name: str, *arguments: str) -> Child:
    """Run one part of a benchmark in a fresh interpreter: `python -m bench.<module> --part …`."""
    return child([sys.executable, "-m", f"bench.{module}", "--part", name, *arguments])


def peak_bytes(process: str) -> int:
    """The most resident memory a process has had; "self" is this one."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError("this system does not tell peak memory")


def print_table(title: str, head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Figures in columns, numbers to the right."""
    cells = [list(map(_text, row)) for row in rows]
    widths = [max(map(len, column)) for column in zip(head, *cells, strict=True)]
    print(title)
    for line in [list(head), *cells]:
        first, *rest = (
            text.ljust(width) if number == 0 else text.rjust(width)
            for number, (text, width) in enumerate(zip(line, widths, strict=True))
        )
        print("  " + "  ".join([first, *rest]))


def _text(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.2f}" if abs(value) < 10 else f"{value:,.0f}"
    return str(value)


def arguments(module: str, description: str | None) -> argparse.ArgumentParser:
    """The options every benchmark has."""
    parser = argparse.ArgumentParser(f"python -m bench.{module}", description=description)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    parser.add_argument("--part", help=argparse.SUPPRESS)
    parser.add_argument("rest", nargs="*", help=argparse.SUPPRESS)
    return parser


def keep(figures: dict[str, Any], path: Path | None) -> None:
    """Write the figures as JSON where asked."""
    if path is not None:
        path.write_text(json.dumps(figures, indent=2) + "\n")


def tell(figures: dict[str, Any]) -> None:
    """Hand a part's figures to the process that started it."""
    print(json.dumps(figures), flush=True)


def run(work: Awaitable[dict[str, Any]]) -> None:
    """Run an asynchronous part and tell its figures."""

    async def main() -> None:
        tell(await work)

    asyncio.run(main())
