"""Checkpoints are published as the log grows, kept for good, and cosigned by those who watch it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from mesh.config import MeshSettings
from mesh.errors import INVALID_ARGUMENT, RESOURCE_EXHAUSTED, AssayError
from mesh.proof.checkpoint import SignedNote, SigningKey, sign_checkpoint, verify_checkpoint
from mesh.proof.cosignature import WitnessKey, WitnessSigningKey
from mesh.transport.dial import Dial
from services.audit.adapters.checkpoints import CheckpointFolder, published_notes
from services.audit.adapters.memory_log import MemoryLog
from services.audit.adapters.segment_log import SegmentLog
from services.audit.app import Audit
from services.audit.domain.cosigning import MOST_WITNESSES
from services.audit.domain.draft import Draft
from services.audit.fsck import check_log, main, read_published
from services.audit.service import AuditService
from services.audit.settings import AuditSettings

Event = Callable[..., Draft]
LOG_KEY = SigningKey("assay-test", bytes(range(32)))
WITNESS = WitnessSigningKey("w1", bytes(range(1, 33)))
NOW = 1_790_000_000


@pytest.fixture
def audit(tmp_path: Path) -> Audit:
    return Audit(MemoryLog(), store(tmp_path), LOG_KEY)


def store(tmp_path: Path) -> CheckpointFolder:
    return CheckpointFolder(tmp_path / "checkpoints", LOG_KEY.verifier)


def sizes(tmp_path: Path) -> list[int]:
    return [int(path.name) for path in published_notes(tmp_path / "checkpoints")]


def cosigned(note: str, key: WitnessSigningKey = WITNESS, seconds: int = NOW) -> str:
    signed = SignedNote.parse(note)
    return signed.with_signature(key.cosign(signed.text, seconds)).encode()


async def test_every_published_note_is_kept(audit: Audit, event: Event, tmp_path: Path) -> None:
    notes = []
    for number in range(3):
        await audit.append_many([event(number)])
        notes.append(await audit.checkpoint())
    assert sizes(tmp_path) == [1, 2, 3]
    kept = store(tmp_path)
    assert [await kept.note(size) for size in (1, 2, 3)] == notes
    assert await kept.latest() == notes[-1]


async def test_nothing_is_published_while_the_log_does_not_grow(
    audit: Audit, event: Event, tmp_path: Path
) -> None:
    await audit.append_many([event()])
    assert await audit.checkpoint() == await audit.checkpoint()
    assert sizes(tmp_path) == [1]


async def test_a_note_that_was_kept_counts_though_a_crash_came_before_its_copy(
    audit: Audit, event: Event, tmp_path: Path
) -> None:
    await audit.append_many([event(1)])
    first = await audit.checkpoint()
    await audit.append_many([event(2)])
    second = await audit.checkpoint()
    (tmp_path / "checkpoints" / "checkpoint").write_text(first)
    assert await store(tmp_path).latest() == second
    assert store(tmp_path).published().size == 2


async def test_a_cosignature_stands_under_its_checkpoint_for_good(
    audit: Audit, event: Event, tmp_path: Path
) -> None:
    await audit.append_many([event(1)])
    note = cosigned(await audit.checkpoint())
    assert await audit.add_cosignature(note, WITNESS.verifier.encode()) == note
    assert await audit.checkpoint() == note
    assert (tmp_path / "checkpoints" / "checkpoint").read_text() == note
    assert verify_checkpoint(note, LOG_KEY.verifier).size == 1

    again = Audit(MemoryLog(), store(tmp_path), LOG_KEY)
    assert await again.witnessed(1) == note
    assert await again.witnessed(2) is None
    assert await again.witness_keys(note) == [WITNESS.verifier.encode()]


async def test_a_job_gets_the_newest_witnessed_checkpoint_that_covers_it(
    audit: Audit, event: Event
) -> None:
    for number in range(3):
        await audit.append_many([event(number)])
        note = await audit.checkpoint()
        if number < 2:
            await audit.add_cosignature(cosigned(note), WITNESS.verifier.encode())
    assert verify_checkpoint(await audit.witnessed(1) or "", LOG_KEY.verifier).size == 2
    assert await audit.witnessed(3) is None


async def test_witnesses_stand_side_by_side_and_renew_their_lines(
    audit: Audit, event: Event
) -> None:
    await audit.append_many([event()])
    published = await audit.checkpoint()
    other = WitnessSigningKey("w2", bytes(range(2, 34)))
    for key, seconds in ((WITNESS, NOW), (other, NOW), (WITNESS, NOW + 60)):
        note = await audit.add_cosignature(cosigned(published, key, seconds), key.verifier.encode())
    signed = SignedNote.parse(note)
    assert len(signed.signatures) == 3
    assert WitnessKey.parse(WITNESS.verifier.encode()).cosigned_at(signed) == NOW + 60


async def refused(audit: Audit, note: str, key: str) -> str:
    with pytest.raises(AssayError) as error:
        await audit.add_cosignature(note, key)
    assert error.value.reason is INVALID_ARGUMENT
    return error.value.message


async def test_only_what_this_log_published_can_be_cosigned(audit: Audit, event: Event) -> None:
    await audit.append_many([event()])
    note = await audit.checkpoint()
    key = WITNESS.verifier.encode()
    assert "not signed by w1" in await refused(audit, note, key)
    assert "verifier key is" in await refused(audit, cosigned(note), "w1")
    assert "not a key of type 04" in await refused(audit, cosigned(note), LOG_KEY.verifier.encode())
    other = cosigned(note).replace("\n1\n", "\n2\n")
    assert "signature by assay-test does not hold" in await refused(audit, other, key)
    await audit.append_many([event()])
    unpublished = verify_checkpoint(note, LOG_KEY.verifier)
    larger = sign_checkpoint(type(unpublished)("assay-test", 9, unpublished.root), LOG_KEY)
    assert "no such checkpoint of 9 entries" in await refused(audit, cosigned(larger), key)


async def test_a_log_keeps_the_lines_of_so_many_witnesses(audit: Audit, event: Event) -> None:
    await audit.append_many([event()])
    note = await audit.checkpoint()
    keys = [WitnessSigningKey.generate(f"w{number}") for number in range(MOST_WITNESSES + 1)]
    for key in keys[:-1]:
        await audit.add_cosignature(cosigned(note, key), key.verifier.encode())
    with pytest.raises(AssayError) as error:
        await audit.add_cosignature(cosigned(note, keys[-1]), keys[-1].verifier.encode())
    assert error.value.reason is RESOURCE_EXHAUSTED
    await audit.add_cosignature(cosigned(note, keys[0], NOW + 1), keys[0].verifier.encode())


async def test_the_service_publishes_at_its_interval_and_when_it_stops(
    tmp_path: Path, event: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    published = asyncio.Event()
    publish = CheckpointFolder.publish

    async def told(self: CheckpointFolder, note: str) -> None:
        await publish(self, note)
        published.set()

    monkeypatch.setattr(CheckpointFolder, "publish", told)
    settings = AuditSettings(home=tmp_path, audit_checkpoint_seconds=0.001)
    service = AuditService(settings, Dial(MeshSettings(home=tmp_path)))
    async with service:
        await service._audit.append_many([event(1)])
        await service.started()
        await asyncio.wait_for(published.wait(), 30)
        await service.drain()
        assert max(kept(tmp_path)) == 1
        await service._audit.append_many([event(2), event(3)])
    assert max(kept(tmp_path)) == 3


def kept(home: Path) -> list[int]:
    notes = published_notes(AuditSettings(home=home).checkpoint_folder())
    return [int(path.name) for path in notes]


async def test_fsck_holds_the_entries_against_every_published_checkpoint(
    tmp_path: Path, folder: Path, event: Event, capsys: pytest.CaptureFixture[str]
) -> None:
    log = await SegmentLog.open(folder)
    audit = Audit(log, store(tmp_path), LOG_KEY)
    for number in range(4):
        await log.append([event(number)])
        await audit.checkpoint()
    await log.close()
    published = read_published(tmp_path / "checkpoints")
    assert [checkpoint.size for checkpoint in published] == [1, 2, 3, 4]
    assert check_log(folder, earlier=published).fault is None
    arguments = [str(folder), "--checkpoints", str(tmp_path / "checkpoints")]
    assert main(arguments) == 0
    assert "published    4 checkpoints, each with the root of its entries: ok" in (
        capsys.readouterr().out
    )

    forged = [type(one)(one.origin, one.size, bytes(32)) for one in published[1:2]]
    report = check_log(folder, published[-1], [published[0], *forged])
    assert "the first 2 entries have the root" in str(report.fault)
