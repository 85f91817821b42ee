"""Every audit log keeps what `AuditLog` promises, in memory or in files."""

from __future__ import annotations

import asyncio
import itertools
import uuid
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import pytest_asyncio

from mesh.errors import AUDIT_UNAVAILABLE, INVALID_ARGUMENT, NOT_FOUND, AssayError
from mesh.proof.chain import EventType, leaf_bytes, verify_chain
from mesh.proof.merkle import EMPTY_ROOT, leaf_hash, verify_consistency, verify_inclusion
from services.audit.adapters.memory_log import MemoryLog
from services.audit.adapters.segment_log import SegmentLog
from services.audit.adapters.segments import Segments
from services.audit.domain.draft import Draft, draft_event
from services.audit.ports import AuditLog

REQUEST = "a" * 32
START = datetime(2026, 11, 21, tzinfo=UTC)


def event(
    number: int = 0, *, request_id: str = REQUEST, tenant: str = "t1", entry_id: str = ""
) -> Draft:
    return draft_event(
        tenant=tenant,
        entry_id=entry_id or uuid.uuid4().hex,
        request_id=request_id,
        event_type=EventType.TOOL_CALLED,
        event_data={"number": number},
        actor="actor",
    )


@pytest_asyncio.fixture(params=["memory", "segments", "tiny segments"])
async def log(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[AuditLog]:
    ticks = itertools.count()

    def clock() -> datetime:  # a clock that jumps back an hour at every other reading
        tick = next(ticks)
        return START + timedelta(seconds=tick) - timedelta(hours=tick % 2)

    opened: AuditLog
    if request.param == "memory":
        opened = MemoryLog(clock)
    else:
        size = 1024 if request.param == "tiny segments" else 64 << 20
        segments = Segments(tmp_path / "entries", segment_bytes=size)
        opened = await SegmentLog.open(tmp_path, clock=clock, segments=segments)
    yield opened
    await opened.close()


async def test_a_new_log_is_empty(log: AuditLog) -> None:
    assert log.size == 0
    assert await log.root(0) == EMPTY_ROOT
    assert await log.chain(REQUEST) == []
    assert await log.entries(0, 10) == []


async def test_entries_are_numbered_in_their_chain_and_in_the_log(log: AuditLog) -> None:
    other = "b" * 32
    receipts = [
        (await log.append([event(0, request_id=request)]))[0] for request in (REQUEST, other) * 2
    ]
    assert [receipt.leaf_index for receipt in receipts] == [0, 1, 2, 3]
    assert [receipt.sequence_number for receipt in receipts] == [1, 1, 2, 2]
    assert log.size == 4


async def test_order_is_by_sequence_however_the_clock_jumps(log: AuditLog) -> None:
    for number in range(6):
        await log.append([event(number)])
    entries = [logged.entry for logged in await log.chain(REQUEST)]
    assert [entry.event_data["number"] for entry in entries] == list(range(6))
    assert verify_chain(entries) is None
    times = [entry.timestamp for entry in entries]
    assert times != sorted(times)


async def test_a_batch_stands_together_in_its_order(log: AuditLog) -> None:
    receipts = await log.append([event(number) for number in range(20)])
    assert [receipt.sequence_number for receipt in receipts] == list(range(1, 21))
    assert [receipt.leaf_index for receipt in receipts] == list(range(20))


async def test_what_is_read_is_what_was_receipted(log: AuditLog) -> None:
    [receipt] = await log.append([event(7)])
    [logged] = await log.chain(REQUEST)
    assert logged.receipt == receipt
    assert logged.tenant == "t1"
    assert logged.entry.event_data == {"number": 7}
    assert await log.leaf_hash(0) == leaf_hash(leaf_bytes(logged.entry))


async def test_repeating_an_append_adds_nothing_and_gives_the_first_receipt(log: AuditLog) -> None:
    draft = event(1)
    first = await log.append([draft])
    await log.append([event(2)])
    assert await log.append([draft]) == first
    assert await log.append([draft, draft]) == first * 2
    assert log.size == 2


async def test_a_half_known_batch_is_completed(log: AuditLog) -> None:
    drafts = [event(number) for number in range(4)]
    await log.append(drafts[:2])
    receipts = await log.append(drafts)
    assert [receipt.sequence_number for receipt in receipts] == [1, 2, 3, 4]
    assert log.size == 4


async def test_simultaneous_repeats_of_one_append_are_one_entry(log: AuditLog) -> None:
    draft = event(1)
    receipts = await asyncio.gather(*(log.append([draft]) for _ in range(20)))
    assert {receipt.leaf_index for [receipt] in receipts} == {0}
    assert log.size == 1


async def test_an_id_that_stands_for_another_event_is_refused_without_a_trace(
    log: AuditLog,
) -> None:
    draft = event(1)
    await log.append([draft])
    with pytest.raises(AssayError) as caught:
        await log.append([event(5), event(2, entry_id=draft.entry_id)])
    assert caught.value.reason is INVALID_ARGUMENT
    assert "entry_id" in caught.value.fields
    assert log.size == 1
    [receipt] = await log.append([event(6)])
    assert (receipt.sequence_number, receipt.leaf_index) == (2, 1)


async def test_another_tenants_chain_does_not_exist(log: AuditLog) -> None:
    await log.append([event(1)])
    with pytest.raises(AssayError) as caught:
        await log.append([event(2, tenant="t2")])
    assert caught.value.reason is NOT_FOUND
    assert log.size == 1


async def test_one_callers_fault_does_not_touch_the_others(log: AuditLog) -> None:
    taken = event(0)
    await log.append([taken])
    calls = [log.append([event(number)]) for number in range(1, 10)]
    calls.insert(4, log.append([event(99, entry_id=taken.entry_id)]))
    outcomes = await asyncio.gather(*calls, return_exceptions=True)
    assert [isinstance(outcome, AssayError) for outcome in outcomes].count(True) == 1
    entries = [logged.entry for logged in await log.chain(REQUEST)]
    assert verify_chain(entries) is None
    assert len(entries) == 10


async def test_64_concurrent_appends_are_contiguous_unique_and_provable(log: AuditLog) -> None:
    requests = [f"{number:032x}" for number in range(5)]
    receipts = await asyncio.gather(
        *(log.append([event(number, request_id=requests[number % 5])]) for number in range(64))
    )
    flat = [receipt for [receipt] in receipts]
    assert sorted(receipt.leaf_index for receipt in flat) == list(range(64))
    root = await log.root(64)
    for receipt in flat:
        [logged] = await log.entries(receipt.leaf_index, 1)
        assert logged.receipt == receipt
        proof = await log.inclusion_proof(receipt.leaf_index, 64)
        verify_inclusion(leaf_hash(leaf_bytes(logged.entry)), receipt.leaf_index, 64, proof, root)
    for request_id in requests:
        chain = [logged.entry for logged in await log.chain(request_id)]
        assert len(chain) in (12, 13)
        assert verify_chain(chain) is None


async def test_every_earlier_size_begins_the_present_log(log: AuditLog) -> None:
    roots = [await log.root(0)]
    for number in range(17):
        await log.append([event(number)])
        roots.append(await log.root(number + 1))
    for old in range(1, 18):
        proof = await log.consistency_proof(old, 17)
        verify_consistency(old, 17, proof, roots[old], roots[17])
        assert await log.root(old) == roots[old]


async def test_proofs_of_what_is_not_there_are_refused(log: AuditLog) -> None:
    await log.append([event(1)])
    for ask in (
        log.root(2),
        log.inclusion_proof(1, 1),
        log.inclusion_proof(0, 2),
        log.consistency_proof(1, 2),
        log.consistency_proof(1, 0),
    ):
        with pytest.raises(AssayError) as caught:
            await ask
        assert caught.value.reason is INVALID_ARGUMENT
    with pytest.raises(AssayError) as caught:
        await log.leaf_hash(1)
    assert caught.value.reason is NOT_FOUND


async def test_an_entry_is_found_by_its_id(log: AuditLog) -> None:
    draft = event(3)
    [receipt] = await log.append([draft])
    found = await log.entry(draft.entry_id)
    assert found is not None
    assert found.receipt == receipt


async def test_what_cannot_be_there_is_simply_not_there(log: AuditLog) -> None:
    await log.append([event(1)])
    assert await log.entry("f" * 32) is None
    assert await log.entry("no id") is None
    assert await log.chain("no id") == []
    assert await log.chain(REQUEST, after_sequence=2**64) == []
    assert await log.entries(2**64 - 1, 10) == []


async def test_chains_and_the_log_are_read_in_pages(log: AuditLog) -> None:
    await log.append([event(number) for number in range(10)])
    page = await log.chain(REQUEST, after_sequence=4, limit=3)
    assert [logged.entry.sequence_number for logged in page] == [5, 6, 7]
    assert [logged.leaf_index for logged in await log.entries(8, 5)] == [8, 9]


async def test_a_reader_waits_until_the_log_grows(log: AuditLog) -> None:
    await log.append([event(1)])
    assert await log.wait_beyond(0) == 1
    waiting = asyncio.create_task(log.wait_beyond(1))
    await asyncio.wait([waiting], timeout=0)
    assert not waiting.done()
    await log.append([event(2)])
    assert await waiting == 2


async def test_a_closed_log_takes_nothing_and_wakes_who_waits(log: AuditLog) -> None:
    waiting = asyncio.create_task(log.wait_beyond(0))
    await asyncio.wait([waiting], timeout=0)
    await log.close()
    with pytest.raises(AssayError) as caught:
        await log.append([event(1)])
    assert caught.value.reason is AUDIT_UNAVAILABLE
    with pytest.raises(AssayError):
        await waiting
    await log.close()


async def test_a_caller_that_goes_away_does_not_hold_up_the_others(log: AuditLog) -> None:
    gone = asyncio.create_task(log.append([event(1)]))
    await asyncio.wait([gone], timeout=0)
    gone.cancel()
    [receipt] = await log.append([event(2)])
    assert receipt.leaf_index == log.size - 1
    assert verify_chain([logged.entry for logged in await log.chain(REQUEST)]) is None
