"""Witnesses' cosignatures of checkpoints: C2SP tlog-cosignature v1, Ed25519 with a timestamp.

A cosignature says "at this time, this was the largest tree I had seen of this log, and it continues
every tree of it that I had seen before" (https://c2sp.org/tlog-cosignature). It stands as one more
signature line under the checkpoint. Its message does not name the witness, so one key must never
serve two witnesses.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from mesh.proof.note import CheckpointError, NoteSignature, PrivateKey, PublicKey, SignedNote

COSIGNATURE = b"\x04"
"""Algorithm byte of a tlog-cosignature Ed25519 key."""
_TIME_BYTES = 8
_LATEST = (1 << 63) - 1


@dataclass(frozen=True, slots=True)
class WitnessKey(PublicKey):
    """The public key of a witness."""

    algorithm: ClassVar[bytes] = COSIGNATURE

    def cosigned_at(self, note: SignedNote) -> int:
        """When this witness cosigned the note, in seconds since 1970; the latest if it did twice.

        Raises CheckpointError when it did not, or when a line of its does not hold.
        """
        return max(self._time(line, note.text) for line in self.own(note))

    def _time(self, line: NoteSignature, text: str) -> int:
        seconds = int.from_bytes(line.signature[:_TIME_BYTES], "big")
        if len(line.signature) <= _TIME_BYTES or seconds > _LATEST:
            raise CheckpointError(f"the cosignature by {self.name} has no time in it")
        self.check(line.signature[_TIME_BYTES:], _message(text, seconds))
        return seconds


@dataclass(frozen=True, slots=True, repr=False)
class WitnessSigningKey(PrivateKey):
    """The private key of a witness."""

    public_type: ClassVar[type[PublicKey]] = WitnessKey

    @property
    def verifier(self) -> WitnessKey:
        """The public half."""
        return WitnessKey(self.name, self.public)

    def cosign(self, text: str, seconds: int) -> NoteSignature:
        """The cosignature of a checkpoint's text at a time, in seconds since 1970."""
        signature = self.raw_signature(_message(text, seconds))
        stamped = seconds.to_bytes(_TIME_BYTES, "big") + signature
        return NoteSignature(self.name, self.verifier.key_hash, stamped)


def witnesses(note: SignedNote, keys: Iterable[WitnessKey]) -> list[str]:
    """Names of those among `keys` that cosigned the note, in their order.

    Raises CheckpointError for a line of theirs that does not hold; lines of others are ignored.
    """
    names = []
    for key in keys:
        if any((s.name, s.key_hash) == (key.name, key.key_hash) for s in note.signatures):
            key.cosigned_at(note)
            names.append(key.name)
    return names


def _message(text: str, seconds: int) -> bytes:
    return f"cosignature/v1\ntime {seconds}\n{text}".encode()
