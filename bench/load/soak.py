"""Whether a mesh at work stays as it is: `python -m bench.load.soak` (`make soak`).

Two callers ask one question of the mix after another, upload files and take them away, for an
hour. Of each of the five processes, and all below it, memory, open files, threads and tasks are
looked at all the while. What a process has after it was warmed up, in the second third, it may have
at the end, and little more: targets are a tenth of its memory (or 25 MB), four open files, threads
and tasks. Told is also how memory grows with the hours and with the answers, by a line through the
samples.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from assay.common.v1 import data_pb2, job_pb2
from assay.gateway.v1 import file_service_pb2 as files_pb
from assay.gateway.v1 import session_service_pb2 as sessions_pb
from bench.load.world import World, world
from bench.measure import keep, print_table
from mesh.config import SERVICES
from mesh.ids import new_id

SAMPLE_SECONDS = 2.0
CALLERS = 2
MORE_MEMORY, MORE_BYTES = 0.10, 25 << 20
MORE_OBJECTS = 4
KINDS = ("bytes", "files", "threads", "tasks")


@dataclass
class Samples:
    """What one service's processes held at each moment, and how many answers there were by then."""

    at: list[float] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)
    held: dict[str, list[float]] = field(default_factory=lambda: {kind: [] for kind in KINDS})

    def take(self, process: psutil.Process, counts: Path, answers: int) -> None:
        """Look once."""
        found: dict[str, float] = dict.fromkeys(KINDS, 0.0)
        for each in (process, *process.children(recursive=True)):
            with suppress(psutil.Error):
                found["bytes"] += each.memory_full_info().uss
                found["files"] += each.num_fds()
        with suppress(OSError, json.JSONDecodeError):
            found |= json.loads(counts.read_text())
        self.at.append(time.monotonic())
        self.answers.append(answers)
        for kind, value in found.items():
            self.held[kind].append(value)

    def before_and_after(self, kind: str) -> tuple[float, float]:
        """The median of the second third, and of the last; the first is for warming up."""
        values, third = self.held[kind], len(self.at) // 3
        return statistics.median(values[third : 2 * third]), statistics.median(values[2 * third :])

    def slope(self, kind: str, over: Sequence[float]) -> float:
        """By how much it grows with what it is held against, after warming up (least squares)."""
        third = len(self.at) // 3
        if len(set(over[third:])) < 2:
            return 0.0
        return statistics.linear_regression(over[third:], self.held[kind][third:]).slope

    def grown(self, slack: float = 1.0) -> list[str]:
        """What there is more of at the end than there may be; `slack` times as much more may be
        there where the time is too short for a mesh to have come to rest."""
        faults = []
        for kind in KINDS:
            before, after = self.before_and_after(kind)
            room = max(MORE_BYTES, MORE_MEMORY * before) if kind == "bytes" else MORE_OBJECTS
            if after > before + slack * room:
                faults.append(f"{kind} {before:,.0f} to {after:,.0f}")
        return faults


async def at_work(mesh: World, over: asyncio.Event, answered: list[int], first: int) -> None:
    """Ask, upload and take away, without end."""
    number = first
    while not over.is_set():
        job = await mesh.answered(number)
        if job.state != job_pb2.JOB_STATE_COMPLETED:
            raise RuntimeError(f"a question was not answered: {job.failure}")
        answered[0] += 1
        await came_and_went(mesh, number)
        number += CALLERS


async def came_and_went(mesh: World, number: int) -> None:
    """A session with a file, opened and deleted: what nobody wants any more must go."""
    caller = mesh.callers[number % len(mesh.callers)]
    create = sessions_pb.CreateSessionRequest(request_id=new_id())
    session = (await caller.sessions.CreateSession(create)).session.session_id
    content = b"a,b\n" + b"".join(b"%d,%d\n" % (number, line) for line in range(2_000))
    parts = [
        files_pb.UploadFileRequest(
            head=files_pb.UploadFileHead(session_id=session, name=f"{number}.csv")
        ),
        files_pb.UploadFileRequest(chunk=data_pb2.FileChunk(data=content)),
    ]
    await caller.files.UploadFile(iter(parts))
    await caller.sessions.DeleteSession(sessions_pb.DeleteSessionRequest(session_id=session))


async def soaked(seconds: float, slack: float = 1.0) -> dict[str, Any]:
    """Run for so long; what each service held, and what grew, as `Samples.grown`."""
    samples = {name: Samples() for name in SERVICES}
    answered, over = [0], asyncio.Event()
    async with world(module="bench.load.observed") as mesh:
        processes = {
            name: psutil.Process(started.process.pid) for name, started in mesh.started.items()
        }
        load = [
            asyncio.create_task(at_work(mesh, over, answered, number)) for number in range(CALLERS)
        ]
        until = time.monotonic() + seconds
        try:
            while time.monotonic() < until and not any(task.done() for task in load):
                for name, process in processes.items():
                    counts = mesh.settings.home / f"observed-{name}.json"
                    await asyncio.to_thread(samples[name].take, process, counts, answered[0])
                await asyncio.sleep(SAMPLE_SECONDS)
        finally:
            over.set()
        await asyncio.gather(*load)
    return {
        "seconds": seconds,
        "answers": answered[0],
        "grown": {name: faults for name, each in samples.items() if (faults := each.grown(slack))},
        "services": {name: summarise_samples(each) for name, each in samples.items()},
    }


def summarise_samples(samples: Samples) -> dict[str, float]:
    """Figures of one service."""
    figures = {}
    for kind in KINDS:
        figures[f"{kind}_before"], figures[f"{kind}_after"] = samples.before_and_after(kind)
    figures["bytes_an_hour"] = samples.slope("bytes", samples.at) * 3600
    figures["bytes_an_answer"] = samples.slope("bytes", samples.answers)
    return figures


def main() -> int:
    """Soak, print what each service held, and say whether it stayed so; 1 where it did not."""
    parser = argparse.ArgumentParser("python -m bench.load.soak", description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    parser.add_argument("--minutes", type=float, default=60.0)
    options = parser.parse_args()
    figures = asyncio.run(soaked(options.minutes * 60))
    rows = [
        (
            name,
            *(f"{each[f'bytes_{when}'] / 1e6:,.0f}" for when in ("before", "after")),
            f"{each['bytes_an_hour'] / 1e6:+,.1f}",
            f"{each['bytes_an_answer'] / 1e3:+,.1f}",
            *(
                f"{each[f'{kind}_before']:.0f}→{each[f'{kind}_after']:.0f}"
                for kind in ("files", "threads", "tasks")
            ),
        )
        for name, each in figures["services"].items()
    ]
    head = ("service", "MB", "later", "MB/hour", "KB/answer", "files", "threads", "tasks")
    print_table(f"{figures['answers']} answers in {options.minutes:g} minutes", head, rows)
    for name, faults in figures["grown"].items():
        print(f"  grown: {name}: {', '.join(faults)}")
    print("  stayed as it was" if not figures["grown"] else "  missed: it grew")
    keep(figures, options.json)
    return bool(figures["grown"])


if __name__ == "__main__":
    raise SystemExit(main())
