"""One round of a witness: fetch, hold against memory, remember, cosign, hand over."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from clients.python.records import Records
from clients.python.witness.continuing import require_continuation
from clients.python.witness.folder import WitnessFolder
from mesh.clock import Clock
from mesh.errors import VERIFICATION_FAILED, AssayError
from mesh.proof.checkpoint import (
    Checkpoint,
    CheckpointError,
    SignedNote,
    VerifierKey,
    verify_checkpoint,
)
from mesh.proof.cosignature import WitnessSigningKey


@dataclass(frozen=True, slots=True)
class Witnessed:
    """A checkpoint that was cosigned, and the one seen before it."""

    checkpoint: Checkpoint
    before: Checkpoint | None
    note: str
    kept: Path


async def witness_once(
    records: Records,
    folder: WitnessFolder,
    key: WitnessSigningKey,
    clock: Clock,
    log_key: VerifierKey | None = None,
) -> Witnessed:
    """Cosign the newest checkpoint of a mesh's log if it continues the last one seen.

    The folder must be locked. What was cosigned is remembered before anybody hears of it. Raises
    AssayError: VERIFICATION_FAILED for a fork, a rollback or a signature that does not hold, after
    keeping the note as evidence; SERVICE_UNAVAILABLE when the mesh is away.
    """
    shown = await records.checkpoint()
    origin = _origin(shown.note)
    trusted = folder.log_key(origin, shown.verifier_key, log_key)
    try:
        checkpoint = verify_checkpoint(shown.note, trusted)
    except CheckpointError as error:
        raise AssayError(VERIFICATION_FAILED, f"the checkpoint does not hold: {error}") from error
    before = folder.seen(origin, trusted)
    await _require_continuation(records, folder, before, checkpoint, shown.note)
    own = SignedNote.parse(shown.note)
    line = key.cosign(own.text, int(clock.now().timestamp()))
    cosigned = own.with_signature(line).encode()
    kept = folder.keep(checkpoint, cosigned)
    await records.add_cosignature(cosigned, key.verifier.encode())
    return Witnessed(checkpoint, before, cosigned, kept)


async def _require_continuation(
    records: Records,
    folder: WitnessFolder,
    before: Checkpoint | None,
    checkpoint: Checkpoint,
    note: str,
) -> None:
    proof: list[bytes] = []
    if before is not None and 0 < before.size < checkpoint.size:
        proof = await records.consistency(before.size, checkpoint.size)
    try:
        require_continuation(before, checkpoint, proof)
    except AssayError as error:
        kept = folder.keep_refused(checkpoint.origin, note)
        raise AssayError(
            error.reason, error.message, hint=f"{error.hint} This one is in {kept}."
        ) from error


def _origin(note: str) -> str:
    """Who a note says it is of; believed by nobody yet."""
    try:
        return Checkpoint.parse(SignedNote.parse(note).text).origin
    except CheckpointError as error:
        raise AssayError(VERIFICATION_FAILED, f"the mesh shows no checkpoint: {error}") from error
