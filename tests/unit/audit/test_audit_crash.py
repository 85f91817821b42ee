"""A process that is killed loses nothing it acknowledged and repeats nothing."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mesh.proof.chain import verify_chain
from services.audit.adapters.segment_log import SegmentLog
from services.audit.domain.draft import Draft
from services.audit.fsck import check_log

Event = Callable[..., Draft]
ROOT = Path(__file__).parents[3]
REQUESTS = [f"{number:032x}" for number in range(4)]

# Appends from 16 writers to 4 chains; says the id of each entry once it is acknowledged. With a
# number, it kills itself right after that many syncs: durable, but not acknowledged yet.
CHILD = """
import asyncio, os, signal, sys
from collections.abc import Callable
from pathlib import Path
from services.audit.adapters.segment_log import SegmentLog
from services.audit.adapters.segments import Segments
from services.audit.domain.draft import draft_event

folder, deadly = Path(sys.argv[1]), int(sys.argv[2])
syncs = 0

def sync(descriptor):
    global syncs
    os.fdatasync(descriptor)
    syncs += 1
    if syncs == deadly:
        os.kill(os.getpid(), signal.SIGKILL)

async def write(log, writer):
    for number in range(100_000):
        entry_id = f"{writer:016x}{number:016x}"
        await log.append([draft_event(
            tenant="t1", entry_id=entry_id, request_id=f"{writer % 4:032x}",
            event_type="observation_recorded", event_data={"number": number}, actor="actor",
        )])
        os.write(1, (entry_id + "\\n").encode())

async def main():
    log = await SegmentLog.open(folder, segments=Segments(folder / "entries", sync=sync))
    await asyncio.gather(*(write(log, writer) for writer in range(16)))

asyncio.run(main())
"""


def run_and_kill(folder: Path, after_lines: int, deadly_sync: int = 0) -> list[str]:
    """Ids that were acknowledged before the child died."""
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(folder), str(deadly_sync)],
        stdout=subprocess.PIPE,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    with child:
        assert child.stdout is not None
        acknowledged = [line for _, line in zip(range(after_lines), child.stdout, strict=False)]
        child.kill()
        acknowledged += list(child.stdout)
    assert child.returncode == -signal.SIGKILL
    return [line.decode().strip() for line in acknowledged if line.endswith(b"\n")]


@pytest.mark.parametrize("seed", range(5))
async def test_kill_9_while_appending_loses_no_acknowledged_entry(
    folder: Path, event: Event, seed: int
) -> None:
    acknowledged = run_and_kill(folder, after_lines=random.Random(seed).randrange(1, 3000))
    log = await SegmentLog.open(folder)
    entries = []
    for request_id in REQUESTS:
        chain = [logged.entry for logged in await log.chain(request_id)]
        assert verify_chain(chain) is None
        entries += chain
    ids = [entry.entry_id for entry in entries]
    assert set(acknowledged) <= set(ids)
    assert len(ids) == len(set(ids)) == log.size
    await log.append([event(1, request_id=REQUESTS[0])])
    await log.close()
    report = check_log(folder)
    assert (report.fault, report.entries) == (None, len(ids) + 1)


@pytest.mark.parametrize("deadly_sync", [1, 7])
async def test_killed_between_sync_and_reply_a_retry_makes_no_second_entry(
    folder: Path, event: Event, deadly_sync: int
) -> None:
    acknowledged = run_and_kill(folder, after_lines=10**9, deadly_sync=deadly_sync)
    log = await SegmentLog.open(folder)
    size = log.size
    assert size > len(acknowledged)
    for logged in await log.entries(0, size):
        entry = logged.entry
        retry = event(entry.event_data["number"], entry.request_id, entry.entry_id)
        assert await log.append([retry]) == [logged.receipt]
    assert log.size == size
    await log.close()
    assert check_log(folder).fault is None
