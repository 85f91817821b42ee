"""A witness remembers, cosigns what continues, and refuses a fork or a rollback for good."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

import pytest

from assay.gateway.v1 import audit_service_pb2 as pb
from clients.python.records import Records
from clients.python.witness.folder import WitnessFolder
from clients.python.witness.round import Witnessed, witness_once
from mesh.clock import HeldClock
from mesh.errors import (
    HOME_BUSY,
    INVALID_ARGUMENT,
    SERVICE_UNAVAILABLE,
    VERIFICATION_FAILED,
    AssayError,
)
from mesh.proof.chain import EventType
from mesh.proof.checkpoint import SignedNote, SigningKey, VerifierKey, sign_checkpoint
from mesh.proof.cosignature import WitnessKey
from mesh.proof.merkle import consistency_proof, root_of
from tests.unit.clients.proven import LOG_KEY, Log

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def found_in(root: Path, pattern: str) -> list[Path]:
    return sorted(root.rglob(pattern))


def log_of(entries: int, story: str = "told") -> Log:
    log = Log()
    for number in range(entries):
        log.add(EventType.POLICY_DECISION, {"number": number, "story": story}, "safety")
    return log


@dataclass
class Shown:
    """What a mesh shows: a log, as far as its owner wants it seen."""

    log: Log
    key: SigningKey = LOG_KEY
    size: int | None = None
    away: bool = False
    cosigned: list[str] = field(default_factory=list)

    async def checkpoint(self) -> pb.GetCheckpointResponse:
        if self.away:
            raise AssayError(SERVICE_UNAVAILABLE, "the mesh is away")
        note = sign_checkpoint(self.log.checkpoint(self.size), self.key)
        return pb.GetCheckpointResponse(note=note, verifier_key=self.key.verifier.encode())

    async def consistency(self, old_size: int, new_size: int) -> list[bytes]:
        leaves = self.log.leaves()
        return consistency_proof(
            old_size,
            new_size,
            lambda level, place: root_of(leaves[place << level : (place + 1) << level]),
        )

    async def add_cosignature(self, note: str, witness_key: str) -> str:
        self.cosigned.append(note)
        return note


async def seen(shown: Shown, root: Path, trusted: VerifierKey | None = None) -> Witnessed:
    """One round of a witness that keeps its memory in `root`."""
    folder = WitnessFolder(root)
    with folder.locked():
        key = folder.key("w1")
        return await witness_once(cast("Records", shown), folder, key, HeldClock(NOW), trusted)


async def test_what_grows_is_cosigned_again_and_again(tmp_path: Path) -> None:
    shown = Shown(log_of(5), size=0)
    sizes = []
    for size in (0, 1, 1, 3, 5):
        shown.size = size
        found = await seen(shown, tmp_path)
        sizes.append((found.before and found.before.size, found.checkpoint.size))
    assert sizes == [(None, 0), (0, 1), (1, 1), (1, 3), (3, 5)]
    key = WitnessKey.parse((tmp_path / "witness.vkey").read_text())
    for note in shown.cosigned:
        assert key.cosigned_at(SignedNote.parse(note)) == int(NOW.timestamp())


async def test_what_was_cosigned_is_kept_as_it_was_handed_over(tmp_path: Path) -> None:
    shown = Shown(log_of(3))
    found = await seen(shown, tmp_path)
    assert found.kept.read_text() == shown.cosigned[0] == found.note


async def refused(shown: Shown, root: Path) -> AssayError:
    """The refusal; nothing was cosigned, the note was kept, and the memory is as before."""
    before = list(shown.cosigned)
    latest = [path.read_text() for path in found_in(root, "latest")]
    with pytest.raises(AssayError) as error:
        await seen(shown, root)
    assert error.value.reason is VERIFICATION_FAILED
    assert shown.cosigned == before
    assert [path.read_text() for path in found_in(root, "latest")] == latest
    return error.value


async def test_two_trees_of_one_size_are_a_fork(tmp_path: Path) -> None:
    await seen(Shown(log_of(4)), tmp_path)
    error = await refused(Shown(log_of(4, "another story")), tmp_path)
    assert "forked: it shows another tree of 4 entries" in error.message
    kept = found_in(tmp_path, "refused/*")[0]
    assert str(kept) in error.hint


async def test_a_larger_tree_that_does_not_continue_is_a_fork(tmp_path: Path) -> None:
    await seen(Shown(log_of(4)), tmp_path)
    error = await refused(Shown(log_of(9, "another story")), tmp_path)
    assert "its tree of 9 entries does not continue the one of 4" in error.message


async def test_a_smaller_tree_is_a_rollback(tmp_path: Path) -> None:
    shown = Shown(log_of(6))
    await seen(shown, tmp_path)
    shown.size = 5
    error = await refused(shown, tmp_path)
    assert error.message == "assay-1 was rolled back: it shows 5 entries, 6 were seen before"
    shown.size = 6
    assert (await seen(shown, tmp_path)).checkpoint.size == 6


async def test_a_log_that_changes_its_key_is_another_log(tmp_path: Path) -> None:
    await seen(Shown(log_of(4)), tmp_path)
    error = await refused(Shown(log_of(5), key=SigningKey.generate("assay-1")), tmp_path)
    assert "now signs with key" in error.message


async def test_a_key_from_a_trusted_place_counts_from_the_first_time_on(tmp_path: Path) -> None:
    stranger = SigningKey.generate("assay-1")
    with pytest.raises(AssayError, match="not signed by assay-1"):
        await seen(Shown(log_of(4), key=stranger), tmp_path, LOG_KEY.verifier)


async def test_a_memory_that_was_changed_is_not_believed(tmp_path: Path) -> None:
    shown = Shown(log_of(4))
    await seen(shown, tmp_path)
    latest = found_in(tmp_path, "latest")[0]
    latest.write_text(latest.read_text().replace("\n4\n", "\n3\n"))
    error = await refused(shown, tmp_path)
    assert "latest does not hold" in error.message


async def test_a_mesh_that_is_away_changes_nothing(tmp_path: Path) -> None:
    with pytest.raises(AssayError) as error:
        await seen(Shown(log_of(1), away=True), tmp_path)
    assert error.value.reason is SERVICE_UNAVAILABLE


def test_a_key_is_made_once_and_for_its_owner_alone(tmp_path: Path) -> None:
    folder = WitnessFolder(tmp_path / "w")
    assert folder.key("w1") == folder.key("another name")
    assert (tmp_path / "w" / "witness.key").stat().st_mode & 0o077 == 0
    with pytest.raises(AssayError) as error:
        WitnessFolder(tmp_path / "x").key("two words")
    assert error.value.reason is INVALID_ARGUMENT


def test_one_memory_serves_one_witness_at_a_time(tmp_path: Path) -> None:
    with (
        WitnessFolder(tmp_path).locked(),
        pytest.raises(AssayError) as error,
        WitnessFolder(tmp_path).locked(),
    ):
        raise AssertionError("both hold the folder")
    assert error.value.reason is HOME_BUSY
