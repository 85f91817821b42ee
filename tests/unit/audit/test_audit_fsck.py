"""The independent checker finds what was changed and names it, trusting no cache."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from mesh.proof.chain import entry_hash, event_json
from mesh.proof.checkpoint import Checkpoint, SigningKey, sign_checkpoint
from services.audit.adapters.checkpoints import CheckpointFolder
from services.audit.adapters.records import decode_record, encode_record
from services.audit.adapters.segment_log import SegmentLog
from services.audit.adapters.segments import FIRST_RECORD
from services.audit.domain.draft import Draft
from services.audit.fsck import Fault, check_log, main

Event = Callable[..., Draft]
ORIGIN = "assay.test/audit"
REQUESTS = ["a" * 32, "b" * 32]


def last_segment(folder: Path) -> Path:
    """The file that was written last."""
    return sorted((folder / "entries").glob("*.log"))[-1]


@pytest.fixture
async def checkpoint(folder: Path, event: Event) -> Checkpoint:
    """The checkpoint of a log with two interleaved chains of four entries."""
    log = await SegmentLog.open(folder)
    for number in range(8):
        await log.append([event(number, REQUESTS[number % 2])])
    checkpoint = Checkpoint(ORIGIN, 8, await log.root(8))
    await log.close()
    return checkpoint


def record_bounds(folder: Path) -> list[tuple[int, int]]:
    data = last_segment(folder).read_bytes()
    bounds = []
    offset = FIRST_RECORD
    while offset < len(data):
        end = decode_record(data, offset).end
        bounds.append((offset, end))
        offset = end
    return bounds


def flip(folder: Path, offset: int, bit: int) -> None:
    data = bytearray(last_segment(folder).read_bytes())
    data[offset] ^= 1 << bit
    last_segment(folder).write_bytes(data)


def rewrite(folder: Path, leaf_index: int, **changes: object) -> None:
    """What someone with the file and this program's source could do."""
    data = last_segment(folder).read_bytes()
    offset, end = record_bounds(folder)[leaf_index]
    record = decode_record(data, offset)
    entry = json.loads(record.leaf) | changes
    entry["hash"] = entry_hash(
        entry["parent_hash"],
        entry["timestamp"],
        entry["event_type"],
        event_json(entry["event_data"]),
    )
    leaf = json.dumps(entry, sort_keys=True).encode()
    forged = encode_record(record.tenant, leaf, record.batch_first_leaf)
    last_segment(folder).write_bytes(data[:offset] + forged + data[end:])


def fault_of(folder: Path, checkpoint: Checkpoint | None = None) -> Fault:
    fault = check_log(folder, checkpoint).fault
    assert fault is not None
    return fault


async def test_an_untouched_log_adds_up(folder: Path, checkpoint: Checkpoint) -> None:
    report = check_log(folder, checkpoint)
    assert report.fault is None
    assert (report.entries, report.chains, report.torn_bytes) == (8, 2, 0)
    assert report.root == checkpoint.root


async def test_one_flipped_bit_anywhere_is_named_by_sequence_number(
    folder: Path, checkpoint: Checkpoint
) -> None:
    chance = random.Random(14)
    for leaf_index, (offset, end) in enumerate(record_bounds(folder)[:6]):
        for _ in range(25):
            place, bit = chance.randrange(offset, end), chance.randrange(8)
            flip(folder, place, bit)
            fault = fault_of(folder)
            assert fault.leaf_index == leaf_index
            assert fault.request_id == REQUESTS[leaf_index % 2]
            assert fault.sequence_number == leaf_index // 2 + 1
            flip(folder, place, bit)
    assert check_log(folder, checkpoint).fault is None


async def test_a_flipped_bit_in_the_last_entry_shows_against_the_checkpoint(
    folder: Path, checkpoint: Checkpoint
) -> None:
    offset, end = record_bounds(folder)[7]
    flip(folder, (offset + end) // 2, 0)
    assert check_log(folder).torn_bytes == end - offset
    assert fault_of(folder, checkpoint).leaf_index == 7


async def test_a_forged_entry_breaks_the_chain_after_it(
    folder: Path, checkpoint: Checkpoint
) -> None:
    rewrite(folder, 2, event_data={"number": 99})
    fault = fault_of(folder)
    assert (fault.leaf_index, fault.request_id, fault.sequence_number) == (4, "a" * 32, 3)


async def test_a_forgery_that_the_chain_does_not_cover_breaks_the_root(
    folder: Path, checkpoint: Checkpoint
) -> None:
    rewrite(folder, 7, actor="nobody")
    assert check_log(folder).fault is None
    assert "some entry among them was replaced" in fault_of(folder, checkpoint).why


async def test_a_deleted_tail_shows_against_the_checkpoint_only(
    folder: Path, checkpoint: Checkpoint
) -> None:
    segment = last_segment(folder)
    segment.write_bytes(segment.read_bytes()[: record_bounds(folder)[5][0]])
    assert check_log(folder).fault is None
    assert "its tail was deleted" in fault_of(folder, checkpoint).why


async def test_an_entry_cut_out_of_the_middle_is_named(
    folder: Path, checkpoint: Checkpoint
) -> None:
    data = last_segment(folder).read_bytes()
    offset, end = record_bounds(folder)[3]
    last_segment(folder).write_bytes(data[:offset] + data[end:])
    fault = fault_of(folder)
    assert (fault.request_id, fault.sequence_number) == ("b" * 32, 2)


async def test_the_command_says_what_holds_and_what_does_not(
    folder: Path, checkpoint: Checkpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key = SigningKey.generate(ORIGIN)
    store = CheckpointFolder(tmp_path / "published", key.verifier)
    await store.publish(sign_checkpoint(checkpoint, key))
    command = [str(folder), "--checkpoints", str(tmp_path / "published")]

    assert main([*command, "--key", key.verifier.encode()]) == 0
    assert "8 in 2 chains" in capsys.readouterr().out

    assert main([*command, "--key", SigningKey.generate(ORIGIN).verifier.encode()]) == 5
    assert "not signed by" in capsys.readouterr().out

    flip(folder, record_bounds(folder)[4][0] + 60, 2)
    assert main(command) == 5
    assert f"entry 3 of request {'a' * 32}" in capsys.readouterr().out

    assert main([str(tmp_path / "nowhere")]) == 2
