"""How fast is a durable audit append, and how dear a proof? `python -m bench.audit`

Prints one JSON object. The bare loop writes the very bytes the log wrote, in groups of as many
records as there were writers, with one fdatasync a group: what the disk alone allows.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import statistics
import tempfile
import time
import uuid
from collections.abc import Sequence
from pathlib import Path

from mesh.merkle import consistency_proof, inclusion_proof, leaf_hash
from services.audit.adapters.nodes import NodeFile
from services.audit.adapters.records import decode_record
from services.audit.adapters.segment_log import SegmentLog
from services.audit.adapters.segments import FIRST_RECORD, segment_paths
from services.audit.domain.draft import Draft, draft_event

WRITERS = 64
JOB_STEPS = 20


def event(request_id: str) -> Draft:
    """An entry of usual size: a query with its arguments."""
    return draft_event(
        tenant="local",
        entry_id=uuid.uuid4().hex,
        request_id=request_id,
        event_type="tool_called",
        event_data={
            "call_id": uuid.uuid4().hex,
            "tool_name": "sql.run",
            "arguments": {
                "query": "SELECT category, SUM(amount) AS revenue FROM orders GROUP BY category",
                "params": [],
                "row_limit": 50_000,
                "timeout": 30,
            },
        },
        actor="actor",
    )


async def grouped(log: SegmentLog, appends: int) -> float:
    """Appends a second with all writers at once, each waiting for its own."""

    async def write() -> None:
        request_id = uuid.uuid4().hex
        for _ in range(appends // WRITERS):
            await log.append((event(request_id),))

    start = time.perf_counter()
    await asyncio.gather(*(write() for _ in range(WRITERS)))
    return appends // WRITERS * WRITERS / (time.perf_counter() - start)


def bare(folder: Path, records: Sequence[bytes], group: int) -> float:
    """Records a second of a loop that only writes and syncs the given bytes in groups."""
    descriptor = os.open(folder / "bare", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    start = time.perf_counter()
    for first in range(0, len(records), group):
        os.write(descriptor, b"".join(records[first : first + group]))
        os.fdatasync(descriptor)
    elapsed = time.perf_counter() - start
    os.close(descriptor)
    return len(records) / elapsed


def written_records(folder: Path, first_leaf: int) -> tuple[list[bytes], float]:
    """A log's records from a leaf on, as they lie in its files, and how many went in one write."""
    records: list[bytes] = []
    batches: set[int] = set()
    leaf_index = 0
    for path in segment_paths(folder / "entries"):
        data = path.read_bytes()
        offset = FIRST_RECORD
        while offset < len(data):
            record = decode_record(data, offset)
            if leaf_index >= first_leaf:
                records.append(data[offset : record.end])
                batches.add(record.batch_first_leaf)
            offset, leaf_index = record.end, leaf_index + 1
    return records, len(records) / len(batches)


async def job_latency(log: SegmentLog, jobs: int) -> tuple[list[float], list[float]]:
    """Milliseconds of a job's appends, one after another, and as one batch."""
    apart, together = [], []
    for _ in range(jobs):
        request_id = uuid.uuid4().hex
        start = time.perf_counter()
        for _ in range(JOB_STEPS):
            await log.append((event(request_id),))
        apart.append((time.perf_counter() - start) * 1e3)
        start = time.perf_counter()
        await log.append([event(request_id) for _ in range(JOB_STEPS)])
        together.append((time.perf_counter() - start) * 1e3)
    return apart, together


def proof_cost(folder: Path, leaves: int) -> dict[str, float]:
    """Milliseconds of CPU for the slower of the two proofs over a large tree."""
    nodes = NodeFile(folder / "nodes")
    for first in range(0, leaves, 4096):
        count = min(4096, leaves - first)
        nodes.add(
            [leaf_hash(index.to_bytes(8, "big")) for index in range(first, first + count)], first
        )
    rounds = 200
    start = time.process_time()
    for number in range(rounds):
        inclusion_proof(number * leaves // rounds, leaves - 1, nodes.node)
    inclusion = (time.process_time() - start) * 1e3 / rounds
    start = time.process_time()
    for number in range(1, rounds):
        consistency_proof(number * leaves // rounds, leaves - 1, nodes.node)
    consistency = (time.process_time() - start) * 1e3 / rounds
    nodes.close()
    return {"leaves": leaves, "inclusion_ms": inclusion, "consistency_ms": consistency}


async def measure(folder: Path, appends: int, leaves: int) -> dict[str, object]:
    """Everything, in one run."""
    log = await SegmentLog.open(folder / "log")
    apart, together = await job_latency(log, jobs=50)
    await grouped(log, WRITERS * 20)
    before = log.size
    memory_before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    rate = await grouped(log, appends)
    memory_after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    await log.close()
    records, group = written_records(folder / "log", before)
    bare_rate = bare(folder, records, WRITERS)
    start = time.perf_counter()
    await (await SegmentLog.open(folder / "log")).close()
    reopen = time.perf_counter() - start
    return {
        "writers": WRITERS,
        "mean_entries_a_sync": round(group, 1),
        "appends_per_second": round(rate),
        "bare_grouped_fdatasync_per_second": round(bare_rate),
        "bare_single_fdatasync_per_second": round(bare(folder, records[:500], 1)),
        "times_slower_than_bare_grouped": round(bare_rate / rate, 2),
        "job_of_20_appends_ms": {
            "one_by_one_median": round(statistics.median(apart), 2),
            "one_by_one_p95": round(statistics.quantiles(apart, n=20)[-1], 2),
            "append_many_median": round(statistics.median(together), 2),
        },
        "bytes_per_entry": round(statistics.mean(map(len, records))),
        "peak_memory_growth_mb": round((memory_after - memory_before) / 1024, 1),
        "reopen_seconds": round(reopen, 3),
        "proofs_cpu": proof_cost(folder, leaves),
    }


def main() -> None:
    """Read the sizes from the command line and print the figures."""
    parser = argparse.ArgumentParser("python -m bench.audit", description=__doc__)
    parser.add_argument("--appends", type=int, default=20_000)
    parser.add_argument("--leaves", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path, help="a folder on the disk to measure")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        print(
            json.dumps(
                asyncio.run(measure(Path(folder), options.appends, options.leaves)), indent=2
            )
        )


if __name__ == "__main__":
    main()
