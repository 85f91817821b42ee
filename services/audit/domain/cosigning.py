"""What must hold of a cosignature before it is kept under a checkpoint."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mesh.errors import INVALID_ARGUMENT, RESOURCE_EXHAUSTED, AssayError
from mesh.proof.checkpoint import CheckpointError, SignedNote, VerifierKey, verify_checkpoint
from mesh.proof.cosignature import WitnessKey
from mesh.proof.note import NoteSignature

MOST_WITNESSES = 16
"""More keys than this one log does not keep: anybody may be a witness, but not everybody."""


@dataclass(frozen=True, slots=True)
class Cosigning:
    """A witness's line, checked, and the checkpoint that it is for."""

    size: int
    text: str
    key: str
    line: NoteSignature

    def under(self, published: str | None) -> str:
        """The published note with the line under it.

        Raises AssayError INVALID_ARGUMENT when it is not the note that was cosigned.
        """
        note = None if published is None else SignedNote.parse(published)
        if note is None or note.text != self.text:
            raise _refused(
                f"this log published no such checkpoint of {self.size:,} entries", "note"
            )
        return note.with_signature(self.line).encode()


def cosigned_note(
    note: str, witness_key: str, log_key: VerifierKey, known: Sequence[str]
) -> Cosigning:
    """Read a cosigned checkpoint. Raises AssayError: INVALID_ARGUMENT, RESOURCE_EXHAUSTED."""
    try:
        key = WitnessKey.parse(witness_key)
    except CheckpointError as error:
        raise _refused(str(error), "witness_key") from error
    try:
        checkpoint = verify_checkpoint(note, log_key)
        signed = SignedNote.parse(note)
        key.cosigned_at(signed)
    except CheckpointError as error:
        raise _refused(str(error), "note") from error
    encoded = key.encode()
    if encoded not in known and len(known) >= MOST_WITNESSES:
        raise AssayError(
            RESOURCE_EXHAUSTED,
            f"this log keeps the cosignatures of {MOST_WITNESSES} witnesses and has them",
            hint="A witness keeps its own notes too: pass those on.",
        )
    return Cosigning(checkpoint.size, signed.text, encoded, key.own(signed)[-1])


def keys_under(note: str, known: Iterable[str]) -> list[str]:
    """Those of the known keys whose lines stand under a note."""
    lines = {(line.name, line.key_hash) for line in SignedNote.parse(note).signatures}
    keys = [WitnessKey.parse(text) for text in known]
    return [key.encode() for key in keys if (key.name, key.key_hash) in lines]


def _refused(why: str, field: str) -> AssayError:
    return AssayError(
        INVALID_ARGUMENT, f"the cosignature cannot be kept: {why}", fields={field: why}
    )
