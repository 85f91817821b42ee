"""Signed checkpoints of a log: C2SP tlog-checkpoint in C2SP signed-note, with Ed25519.

A checkpoint says "the log `origin` had `size` entries, and this was the root over them"
(https://c2sp.org/tlog-checkpoint). It is published as a signed note.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mesh.proof.merkle import HASH_BYTES
from mesh.proof.note import (
    ED25519,
    CheckpointError,
    NoteSignature,
    PrivateKey,
    PublicKey,
    SignedNote,
    decode,
    encode,
)

__all__ = [
    "ED25519",
    "Checkpoint",
    "CheckpointError",
    "NoteSignature",
    "SignedNote",
    "SigningKey",
    "VerifierKey",
    "sign_checkpoint",
    "verify_checkpoint",
]


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A log's size and root. `extensions` are further lines the log may add; none are needed."""

    origin: str
    size: int
    root: bytes
    extensions: tuple[str, ...] = ()

    def text(self) -> str:
        """The lines that are signed."""
        lines = [self.origin, str(self.size), encode(self.root), *self.extensions]
        return "".join(f"{line}\n" for line in lines)

    @classmethod
    def parse(cls, text: str) -> Checkpoint:
        """Read the signed lines. Raises CheckpointError when they are not a checkpoint's."""
        if not text.endswith("\n"):
            raise CheckpointError("the checkpoint does not end with a line feed")
        lines = text[:-1].split("\n")
        if len(lines) < 3 or not all(lines):
            raise CheckpointError("a checkpoint has an origin, a size and a root, one line each")
        origin, size, root = lines[:3]
        if not (size.isascii() and size.isdecimal()) or str(int(size)) != size:
            raise CheckpointError(f"the size {size!r} is not a plain decimal number")
        decoded = decode(root, "root")
        if len(decoded) != HASH_BYTES:
            raise CheckpointError(f"the root has {len(decoded)} bytes instead of {HASH_BYTES}")
        return cls(origin, int(size), decoded, tuple(lines[3:]))


@dataclass(frozen=True, slots=True)
class VerifierKey(PublicKey):
    """The public key that a log signs its checkpoints with."""

    def verify(self, note: SignedNote) -> None:
        """Raises CheckpointError unless the note carries this key's valid signature."""
        for line in self.own(note):
            self.check(line.signature, note.text.encode())


@dataclass(frozen=True, slots=True, repr=False)
class SigningKey(PrivateKey):
    """The private key that a log signs its checkpoints with."""

    public_type: ClassVar[type[PublicKey]] = VerifierKey

    @property
    def verifier(self) -> VerifierKey:
        """The public half."""
        return VerifierKey(self.name, self.public)

    def sign(self, text: str) -> NoteSignature:
        """This key's signature of a note's text, which must end with a line feed."""
        return NoteSignature(self.name, self.verifier.key_hash, self.raw_signature(text.encode()))


def sign_checkpoint(checkpoint: Checkpoint, key: SigningKey) -> str:
    """The note that publishes a checkpoint. Raises CheckpointError unless it reads back."""
    text = checkpoint.text()
    if Checkpoint.parse(text) != checkpoint:
        raise CheckpointError("the checkpoint cannot be written as lines")
    return SignedNote(text, (key.sign(text),)).encode()


def verify_checkpoint(note: str, key: VerifierKey) -> Checkpoint:
    """The checkpoint in a note, once the log's signature on it holds.

    Raises CheckpointError when it does not, or when the origin is not the key's name.
    """
    signed = SignedNote.parse(note)
    key.verify(signed)
    checkpoint = Checkpoint.parse(signed.text)
    if checkpoint.origin != key.name:
        raise CheckpointError(f"the checkpoint is of {checkpoint.origin!r}, not of {key.name!r}")
    return checkpoint
