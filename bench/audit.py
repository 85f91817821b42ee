"""How fast is a durable audit append, and how dear a proof? `python -m bench.audit`

64 writers append ready events to the log, each waiting for its own to be durable. The target is at
most twice the time of a bare loop that writes the very bytes the log wrote and syncs them in the
very batches the log synced: what the disk alone allows. Beside it stand that loop in full groups of
64, and the floor of what the log must do besides in this language: chain and hash each entry (the
entry's hash, its leaf and one node of the tree), with nothing kept. Rounds of all take turns,
because disks change their mind; medians count. The ratio falls as the disk gets slower: above the
bare loop stands only what Python does an entry, which no disk changes.

A log of a million entries is then filled in a process of its own, for the cost of its proofs and
what its memory grows by.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import resource
import statistics
import tempfile
import time
import uuid
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from assay.audit.v1 import audit_service_pb2 as pb
from assay.audit.v1 import audit_service_pb2_grpc as pb_grpc
from bench.measure import arguments, keep, part, print_table, run
from mesh.clock import SystemClock
from mesh.config import MeshSettings, load
from mesh.proof.chain import GENESIS_HASH, entry_hash, format_timestamp
from mesh.transport.dial import open_channel
from mesh.transport.seal import seal_of
from mesh.transport.server import running
from services.audit.adapters.records import Record, decode_record
from services.audit.adapters.segment_log import SegmentLog
from services.audit.adapters.segments import FIRST_RECORD, segment_paths
from services.audit.domain.draft import Draft, draft_event
from services.audit.service import AuditService

TARGET, TARGET_A_SECOND, TARGET_PROOF_MS = 2.0, 1_000, 5.0
WRITERS, ROUNDS, APPENDS, SERVED_APPENDS = 64, 7, 12_800, 3_200
JOB_STEPS, JOBS = 20, 50
LEAVES, LEAVES_AT_ONCE, PROOFS = 1_000_000, 1_000, 200


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


def events(count: int) -> list[Draft]:
    """Events of one job."""
    request_id = uuid.uuid4().hex
    return [event(request_id) for _ in range(count)]


async def appended(log: SegmentLog) -> tuple[float, float]:
    """Microseconds, and those of CPU, of an append with all writers at once."""
    ready = [events(APPENDS // WRITERS) for _ in range(WRITERS)]

    async def write(drafts: Sequence[Draft]) -> None:
        for draft in drafts:
            await log.append((draft,))

    start, cpu = time.perf_counter(), time.process_time()
    await asyncio.gather(*map(write, ready))
    return (
        (time.perf_counter() - start) / APPENDS * 1e6,
        (time.process_time() - cpu) / APPENDS * 1e6,
    )


def bare(path: Path, batches: Sequence[bytes], entries: int) -> float:
    """Microseconds an entry of a loop that only writes and syncs batches."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    start = time.perf_counter()
    for batch in batches:
        os.write(descriptor, batch)
        os.fdatasync(descriptor)
    elapsed = time.perf_counter() - start
    os.close(descriptor)
    return elapsed / entries * 1e6


def hashed(records: Sequence[Record], drafts: Sequence[Draft]) -> float:
    """Microseconds an entry of chaining and hashing alone."""
    now = format_timestamp(SystemClock().now())
    last, node = GENESIS_HASH, bytes(32)
    start = time.perf_counter()
    for record, draft in zip(records, drafts, strict=True):
        last = entry_hash(last, now, draft.event_type, draft.event_json)
        leaf = hashlib.sha256(b"\x00" + record.leaf).digest()
        node = hashlib.sha256(b"\x01" + node + leaf).digest()
    return (time.perf_counter() - start) / len(records) * 1e6


def written(folder: Path, first_leaf: int) -> tuple[list[Record], list[bytes], dict[int, bytes]]:
    """What lies in a log's files from a leaf on: records, their bytes, the bytes of each batch."""
    records: list[Record] = []
    pieces: list[bytes] = []
    batches: dict[int, bytes] = {}
    for path in segment_paths(folder / "entries"):
        data = path.read_bytes()
        offset = FIRST_RECORD
        while offset < len(data):
            record = decode_record(data, offset)
            if record.batch_first_leaf >= first_leaf:
                piece = data[offset : record.end]
                records.append(record)
                pieces.append(piece)
                batches[record.batch_first_leaf] = batches.get(record.batch_first_leaf, b"") + piece
            offset = record.end
    return records, pieces, batches


async def one_round(folder: Path, log: SegmentLog) -> dict[str, float]:
    """Microseconds an entry of everything that is compared."""
    before = log.size
    append, cpu = await appended(log)
    records, pieces, batches = written(folder, before)
    groups = [b"".join(pieces[first : first + WRITERS]) for first in range(0, len(pieces), WRITERS)]
    return {
        "append": append,
        "append_cpu": cpu,
        "bare_same_batches": bare(folder / "bare", list(batches.values()), len(pieces)),
        "bare_groups_of_64": bare(folder / "bare", groups, len(pieces)),
        "bare_single": bare(folder / "bare", pieces[:500], 500),
        "chain_and_hash": hashed(records, events(len(records))),
        "entries_a_sync": len(pieces) / len(batches),
        "bytes_an_entry": statistics.mean(map(len, pieces)),
    }


async def job_latency(log: SegmentLog) -> dict[str, float]:
    """Milliseconds of a job's appends, one after another, and as one batch."""
    apart, together = [], []
    for _ in range(JOBS):
        one_by_one, at_once = events(JOB_STEPS), events(JOB_STEPS)
        start = time.perf_counter()
        for draft in one_by_one:
            await log.append((draft,))
        apart.append((time.perf_counter() - start) * 1e3)
        start = time.perf_counter()
        await log.append(at_once)
        together.append((time.perf_counter() - start) * 1e3)
    return {"one_by_one": statistics.median(apart), "at_once": statistics.median(together)}


async def served(home: Path) -> float:
    """Appends a second of the service over gRPC, callers and service in one process."""
    address = f"unix:{home}/audit.sock"
    settings = load(MeshSettings, home=home, audit_address=address)

    async def write(stub: pb_grpc.AuditServiceStub) -> None:
        for draft in events(SERVED_APPENDS // WRITERS):
            entry = pb.NewEntry(
                entry_id=draft.entry_id,
                request_id=draft.request_id,
                event_type=draft.event_type,
                event_data_json=draft.event_json,
                actor=draft.actor,
            )
            await stub.Append(pb.AppendRequest(entries=[entry]))

    async with AsyncExitStack() as stack:
        await stack.enter_async_context(running([AuditService], settings, address))
        channel = await stack.enter_async_context(
            open_channel(address, "local", seal=seal_of(settings))
        )
        stub = pb_grpc.AuditServiceStub(channel)
        start = time.perf_counter()
        await asyncio.gather(*(write(stub) for _ in range(WRITERS)))
        return SERVED_APPENDS / (time.perf_counter() - start)


async def compare(folder: Path) -> dict[str, Any]:
    """Appends against the bare disk, in one run."""
    log = await SegmentLog.open(folder)
    jobs = await job_latency(log)
    await appended(log)
    rounds = [await one_round(folder, log) for _ in range(ROUNDS)]
    await log.close()
    figures: dict[str, Any] = {
        name: round(statistics.median(one[name] for one in rounds), 2) for name in rounds[0]
    }
    home = folder / "home"
    home.mkdir()
    return figures | {
        "appends_a_second": round(1e6 / figures["append"]),
        "served_appends_a_second": round(await served(home)),
        "times_bare_same_batches": round(figures["append"] / figures["bare_same_batches"], 2),
        "times_bare_groups_of_64": round(figures["append"] / figures["bare_groups_of_64"], 2),
        "sync_of_64_ms": round(figures["bare_groups_of_64"] * WRITERS / 1e3, 2),
        "job_of_20_ms": {name: round(value, 2) for name, value in jobs.items()},
    }


async def large(folder: Path) -> dict[str, Any]:
    """A log of a million entries: what a proof costs, and what memory it came to."""
    log = await SegmentLog.open(folder)
    peaks = {}
    for first in range(0, LEAVES, LEAVES_AT_ONCE):
        await log.append(events(LEAVES_AT_ONCE))
        if log.size in (LEAVES // 10, LEAVES):
            peaks[log.size] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        assert log.size == first + LEAVES_AT_ONCE
    cpu = time.process_time()
    for number in range(PROOFS):
        await log.inclusion_proof(number * LEAVES // PROOFS, LEAVES - 1)
    inclusion = (time.process_time() - cpu) * 1e3 / PROOFS
    cpu = time.process_time()
    for number in range(1, PROOFS):
        await log.consistency_proof(number * LEAVES // PROOFS, LEAVES - 1)
    consistency = (time.process_time() - cpu) * 1e3 / PROOFS
    await log.close()
    start = time.perf_counter()
    await (await SegmentLog.open(folder)).close()
    return {
        "leaves": LEAVES,
        "inclusion_proof_cpu_ms": round(inclusion, 3),
        "consistency_proof_cpu_ms": round(consistency, 3),
        "peak_mb_at_a_tenth": round(peaks[LEAVES // 10], 1),
        "peak_mb_at_all": round(peaks[LEAVES], 1),
        "reopen_ms": round((time.perf_counter() - start) * 1e3, 1),
    }


def print_figures(figures: dict[str, Any]) -> None:
    """Print the figures against their targets."""
    names = ("append", "append_cpu", "chain_and_hash", "bare_same_batches", "bare_groups_of_64")
    print_table(
        f"{WRITERS} writers, {figures['bytes_an_entry']:.0f} bytes an entry, "
        f"{figures['entries_a_sync']:.0f} entries a sync, "
        f"{figures['sync_of_64_ms']} ms to write and sync 64",
        ["", "µs an entry", "times an append"],
        [[name, figures[name], figures["append"] / figures[name]] for name in names],
    )
    grown = figures["peak_mb_at_all"] - figures["peak_mb_at_a_tenth"]
    proof = max(figures["inclusion_proof_cpu_ms"], figures["consistency_proof_cpu_ms"])
    rate, ratio = figures["appends_a_second"], figures["times_bare_same_batches"]
    for text, met in (
        (f"{rate:,} appends a second; at least {TARGET_A_SECOND:,}", rate >= TARGET_A_SECOND),
        (f"{ratio} times the bare loop; at most {TARGET:.0f}", ratio <= TARGET),
        (f"{proof} ms of CPU a proof; less than {TARGET_PROOF_MS:.0f}", proof < TARGET_PROOF_MS),
        (f"{grown:.1f} MB more at {LEAVES:,} entries than at a tenth; about none", grown < 8.0),
    ):
        print(f"{'met   ' if met else 'MISSED'}  {text}")
    print(
        f"over gRPC, callers in the same process: {figures['served_appends_a_second']:,} a second"
    )


def main() -> None:
    """Measure, print, keep."""
    parser = arguments("audit", __doc__)
    parser.add_argument("--folder", type=Path, help="a folder on the disk to measure")
    options = parser.parse_args()
    if options.part == "large":
        run(large(Path(options.rest[0])))
        return
    with tempfile.TemporaryDirectory(dir=options.folder, prefix="assay-") as folder:
        figures = asyncio.run(compare(Path(folder) / "log"))
        figures |= part("audit", "large", str(Path(folder) / "large")).report
    print_figures(figures)
    keep(figures, options.json)


if __name__ == "__main__":
    main()
