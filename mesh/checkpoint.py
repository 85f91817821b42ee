"""Signed checkpoints of a log: C2SP tlog-checkpoint in C2SP signed-note, with Ed25519.

A checkpoint says "the log `origin` had `size` entries, and this was the root over them". A note
is that text, a blank line, and one line a signature. Lines signed by keys the reader does not
know are kept and ignored, so witnesses can add theirs (https://c2sp.org/signed-note,
https://c2sp.org/tlog-checkpoint).
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from mesh.merkle import HASH_BYTES

ED25519 = b"\x01"
"""Algorithm byte of a signed-note Ed25519 key."""
_KEY_HASH_BYTES = 4
_ED25519_BYTES = 32
_SIGNATURE_PREFIX = "\N{EM DASH} "


class CheckpointError(ValueError):
    """A note, checkpoint or key is malformed, or its signature does not hold."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A log's size and root. `extensions` are further lines the log may add; none are needed."""

    origin: str
    size: int
    root: bytes
    extensions: tuple[str, ...] = ()

    def text(self) -> str:
        """The lines that are signed."""
        lines = [self.origin, str(self.size), _encode(self.root), *self.extensions]
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
        decoded = _decode(root, "root")
        if len(decoded) != HASH_BYTES:
            raise CheckpointError(f"the root has {len(decoded)} bytes instead of {HASH_BYTES}")
        return cls(origin, int(size), decoded, tuple(lines[3:]))


@dataclass(frozen=True, slots=True)
class NoteSignature:
    """One signature line: who, the hash that tells their keys apart, and the signature."""

    name: str
    key_hash: bytes
    signature: bytes

    def line(self) -> str:
        """The line as it stands in a note."""
        return f"{_SIGNATURE_PREFIX}{self.name} {_encode(self.key_hash + self.signature)}\n"


@dataclass(frozen=True, slots=True)
class SignedNote:
    """A text and the signatures under it."""

    text: str
    signatures: tuple[NoteSignature, ...]

    def encode(self) -> str:
        """The note as it is published."""
        return f"{self.text}\n{''.join(signature.line() for signature in self.signatures)}"

    @classmethod
    def parse(cls, note: str) -> SignedNote:
        """Read a note without trusting it. Raises CheckpointError when it is malformed."""
        if any(ord(character) < 0x20 and character != "\n" for character in note):
            raise CheckpointError("the note holds control characters")
        text, separator, block = note.rpartition("\n\n")
        if not separator or not block.endswith("\n"):
            raise CheckpointError("the note has no signature block after a blank line")
        return cls(text + "\n", tuple(_signature(line) for line in block[:-1].split("\n")))


@dataclass(frozen=True, slots=True)
class VerifierKey:
    """A public key with the name it signs under."""

    name: str
    public: bytes

    @property
    def key_hash(self) -> bytes:
        """First four bytes of SHA-256 over name, line feed, algorithm and key."""
        payload = self.name.encode() + b"\n" + ED25519 + self.public
        return hashlib.sha256(payload).digest()[:_KEY_HASH_BYTES]

    def encode(self) -> str:
        """The key as people pass it on: name, key hash in hex, base64 of algorithm and key."""
        return f"{self.name}+{self.key_hash.hex()}+{_encode(ED25519 + self.public)}"

    @classmethod
    def parse(cls, text: str) -> VerifierKey:
        """Read an encoded key. Raises CheckpointError when it is malformed."""
        parts = text.strip().split("+", 2)
        if len(parts) != 3:
            raise CheckpointError("a verifier key is name+hash+key")
        key = cls(_key_name(parts[0]), _key_material(parts[2]))
        if key.key_hash.hex() != parts[1]:
            raise CheckpointError(f"the key hash {parts[1]} does not belong to this key")
        return key

    def verify(self, note: SignedNote) -> None:
        """Raises CheckpointError unless the note carries this key's valid signature."""
        own = [s for s in note.signatures if (s.name, s.key_hash) == (self.name, self.key_hash)]
        if not own:
            raise CheckpointError(f"the note is not signed by {self.name} ({self.key_hash.hex()})")
        try:
            for signature in own:
                Ed25519PublicKey.from_public_bytes(self.public).verify(
                    signature.signature, note.text.encode()
                )
        except (InvalidSignature, ValueError) as error:
            raise CheckpointError(f"the signature by {self.name} does not hold") from error


@dataclass(frozen=True, slots=True, repr=False)
class SigningKey:
    """A private key with the name it signs under. Its repr never shows the key."""

    name: str
    private: bytes

    def __repr__(self) -> str:
        return f"SigningKey(name={self.name!r})"

    @classmethod
    def generate(cls, name: str) -> SigningKey:
        """A new random key."""
        return cls(_key_name(name), Ed25519PrivateKey.generate().private_bytes_raw())

    @property
    def verifier(self) -> VerifierKey:
        """The public half."""
        private = Ed25519PrivateKey.from_private_bytes(self.private)
        return VerifierKey(self.name, private.public_key().public_bytes_raw())

    def encode(self) -> str:
        """The key as it is kept in a file; secret."""
        key_hash = self.verifier.key_hash.hex()
        return f"PRIVATE+KEY+{self.name}+{key_hash}+{_encode(ED25519 + self.private)}"

    @classmethod
    def parse(cls, text: str) -> SigningKey:
        """Read an encoded key. Raises CheckpointError, without the key in it, when malformed."""
        parts = text.strip().split("+", 4)
        if len(parts) != 5 or parts[:2] != ["PRIVATE", "KEY"]:
            raise CheckpointError("a signing key is PRIVATE+KEY+name+hash+key")
        key = cls(_key_name(parts[2]), _key_material(parts[4]))
        if key.verifier.key_hash.hex() != parts[3]:
            raise CheckpointError(f"the key hash {parts[3]} does not belong to this key")
        return key

    def sign(self, text: str) -> NoteSignature:
        """This key's signature of a note's text, which must end with a line feed."""
        private = Ed25519PrivateKey.from_private_bytes(self.private)
        return NoteSignature(self.name, self.verifier.key_hash, private.sign(text.encode()))


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


def _signature(line: str) -> NoteSignature:
    if not line.startswith(_SIGNATURE_PREFIX):
        raise CheckpointError("a signature line does not begin with an em dash and a space")
    name, _, encoded = line.removeprefix(_SIGNATURE_PREFIX).partition(" ")
    decoded = _decode(encoded, "signature")
    if len(decoded) <= _KEY_HASH_BYTES:
        raise CheckpointError(f"the signature by {name} is too short")
    return NoteSignature(_key_name(name), decoded[:_KEY_HASH_BYTES], decoded[_KEY_HASH_BYTES:])


def _key_name(name: str) -> str:
    if not name or "+" in name or any(character.isspace() for character in name):
        raise CheckpointError(f"the key name {name!r} is empty or holds a space or a plus")
    return name


def _key_material(encoded: str) -> bytes:
    decoded = _decode(encoded, "key")
    if decoded[:1] != ED25519 or len(decoded) != 1 + _ED25519_BYTES:
        raise CheckpointError("the key is not an Ed25519 key")
    return decoded[1:]


def _encode(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _decode(text: str, what: str) -> bytes:
    try:
        decoded = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise CheckpointError(f"the {what} is not base64") from error
    if _encode(decoded) != text:
        raise CheckpointError(f"the {what} is not plain base64")
    return decoded
