"""What does a question leave behind, and what does it take? `python -m bench.capacity`

A server of its own (`assay up`) is asked the example data's questions one after the other, some
first to warm it up. Told are the bytes that each store grew by a question, the processor that all
its processes took, and the memory that they hold: what docs/operations.md plans capacity by.
Databases are counted as they are when everything is written to their files.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

import psutil

from bench.measure import arguments, keep, print_table
from clients.python.client import AssayClient
from clients.python.question import Question
from examples.retailer import write_retailer

STORES = {
    "planner/": "planner's database",
    "gateway/": "gateway's database",
    "executor/executor.sqlite": "executor's database",
    "executor/frames/": "frames",
    "executor/calls/": "records of calls",
    "artifacts/": "artifacts",
    "audit/log/entries/": "audit log",
    "audit/log/cache/": "audit log's cache",
    "audit/checkpoints/": "checkpoints",
    "traces/": "traces",
    "memory/": "memory",
}
SPLITS = ("region", "channel", "month", "quarter", "weekday", "customer segment", "product")
MEASURES = ("total net_amount", "average quantity", "number of orders", "total quantity")
WARM_UP = 6


def questions(number: int) -> list[str]:
    """So many, no two alike but for numbers."""
    return [
        f"{MEASURES[at % len(MEASURES)]} by {SPLITS[at // len(MEASURES) % len(SPLITS)]}"
        f"{' in 2025' if at // (len(MEASURES) * len(SPLITS)) % 2 else ''}"
        for at in range(number)
    ]


def held(home: Path) -> dict[str, int]:
    """Bytes in use by each store."""
    for database in home.glob("*/*.sqlite"):
        with closing(sqlite3.connect(database)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    found = dict.fromkeys(STORES.values(), 0)
    for path in home.rglob("*"):
        name = path.relative_to(home).as_posix()
        for start, store in STORES.items():
            if name.startswith(start) and path.is_file():
                found[store] += path.stat().st_blocks * 512
    return found


def processor(process: psutil.Process) -> float:
    """Seconds of processor that a process and all below it took so far."""
    return sum(sum(each.cpu_times()[:4]) for each in (process, *process.children(recursive=True)))


def resident(process: psutil.Process) -> int:
    """Bytes that they hold, shared pages once."""
    return sum(each.memory_full_info().pss for each in (process, *process.children(recursive=True)))


async def asked(address: str, data: Path, texts: list[str]) -> int:
    """Ask each of a file in a session; how many were answered."""
    answered = 0
    async with AssayClient(address, "ann") as client:
        session = (await client.sessions.create()).session_id
        await client.sessions.upload(session, data)
        for text in texts:
            wanted = Question(text, session=session, assume=True, timeout_seconds=170)
            async for event in client.ask(wanted):
                answered += event.WhichOneof("event") == "answer"
    return answered


def main() -> None:
    """Measure, print, keep."""
    parser = arguments("capacity", __doc__)
    parser.add_argument("--number", type=int, default=40, help="how many questions are counted")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        home, data = Path(folder) / "home", Path(folder) / "data"
        data.mkdir()
        write_retailer(data)
        server = subprocess.Popen(
            [sys.executable, "-m", "clients.python.cli.main", "up", "--listen", "127.0.0.1:0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "ASSAY_HOME": str(home), "PYTHONUNBUFFERED": "1"},
        )
        try:
            assert server.stdout
            found = re.search(r"127\.0\.0\.1:\d+", server.stdout.readline())
            assert found
            process = psutil.Process(server.pid)
            orders = data / "orders.csv"
            asyncio.run(asked(found[0], orders, questions(WARM_UP)))
            before, cpu, began = held(home), processor(process), time.monotonic()
            texts = questions(WARM_UP + options.number)[WARM_UP:]
            answered = asyncio.run(asked(found[0], orders, texts))
            seconds, cpu = time.monotonic() - began, processor(process) - cpu
            after, memory = held(home), resident(process)
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(60)
    grown = {store: (after[store] - before[store]) / options.number for store in after}
    rows = [[store, f"{size / 1024:,.1f} kB"] for store, size in grown.items()]
    print_table("What a question leaves behind", ["store", "grows by"], rows)
    print(
        f"{answered} of {options.number} answered in {seconds:.0f} s, {cpu / options.number:.2f} s "
        f"of processor each; {memory / 2**20:,.0f} MB held by all processes"
    )
    keep(
        {
            "questions": options.number,
            "answered": answered,
            "seconds": round(seconds, 1),
            "processor_seconds_a_question": round(cpu / options.number, 3),
            "memory_bytes": memory,
            "bytes_a_question": {store: round(size) for store, size in grown.items()},
        },
        options.json,
    )


if __name__ == "__main__":
    main()
