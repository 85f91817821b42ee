"""Signed notes and the Ed25519 keys that sign them (https://c2sp.org/signed-note).

A note is a text, a blank line, and one line a signature. Lines signed by keys the reader does not
know are kept and ignored, so others can add theirs. Keys of one algorithm never pass for another's:
the algorithm is part of the key's encoding and of the hash in each signature line.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from dataclasses import dataclass
from typing import ClassVar, Self

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

ED25519 = b"\x01"
"""Algorithm byte of a signed-note Ed25519 key."""
_KEY_HASH_BYTES = 4
_ED25519_BYTES = 32
_SIGNATURE_PREFIX = "\N{EM DASH} "


class CheckpointError(ValueError):
    """A note, checkpoint or key is malformed, or its signature does not hold."""


@dataclass(frozen=True, slots=True)
class NoteSignature:
    """One signature line: who, the hash that tells their keys apart, and the signature."""

    name: str
    key_hash: bytes
    signature: bytes

    def line(self) -> str:
        """The line as it stands in a note."""
        return f"{_SIGNATURE_PREFIX}{self.name} {encode(self.key_hash + self.signature)}\n"

    @classmethod
    def parse(cls, line: str) -> NoteSignature:
        """Read a line without its line feed. Raises CheckpointError when it is malformed."""
        if not line.startswith(_SIGNATURE_PREFIX):
            raise CheckpointError("a signature line does not begin with an em dash and a space")
        name, _, encoded = line.removeprefix(_SIGNATURE_PREFIX).partition(" ")
        decoded = decode(encoded, "signature")
        if len(decoded) <= _KEY_HASH_BYTES:
            raise CheckpointError(f"the signature by {name} is too short")
        return cls(_key_name(name), decoded[:_KEY_HASH_BYTES], decoded[_KEY_HASH_BYTES:])


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
        return cls(text + "\n", tuple(map(NoteSignature.parse, block[:-1].split("\n"))))

    def with_signature(self, signature: NoteSignature) -> SignedNote:
        """The note with one more line; one by the same key gives way to it."""
        key = (signature.name, signature.key_hash)
        others = tuple(s for s in self.signatures if (s.name, s.key_hash) != key)
        return SignedNote(self.text, (*others, signature))


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A public key with the name it signs under."""

    name: str
    public: bytes
    algorithm: ClassVar[bytes] = ED25519

    @property
    def key_hash(self) -> bytes:
        """First four bytes of SHA-256 over name, line feed, algorithm and key."""
        payload = self.name.encode() + b"\n" + self.algorithm + self.public
        return hashlib.sha256(payload).digest()[:_KEY_HASH_BYTES]

    def encode(self) -> str:
        """The key as people pass it on: name, key hash in hex, base64 of algorithm and key."""
        return f"{self.name}+{self.key_hash.hex()}+{encode(self.algorithm + self.public)}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read an encoded key. Raises CheckpointError when it is malformed."""
        parts = text.strip().split("+", 2)
        if len(parts) != 3:
            raise CheckpointError("a verifier key is name+hash+key")
        key = cls(_key_name(parts[0]), _key_material(parts[2], cls.algorithm))
        if key.key_hash.hex() != parts[1]:
            raise CheckpointError(f"the key hash {parts[1]} does not belong to this key")
        return key

    def own(self, note: SignedNote) -> list[NoteSignature]:
        """This key's lines in a note. Raises CheckpointError when there is none."""
        mine = (self.name, self.key_hash)
        own = [line for line in note.signatures if (line.name, line.key_hash) == mine]
        if not own:
            raise CheckpointError(f"the note is not signed by {self.name} ({self.key_hash.hex()})")
        return own

    def check(self, signature: bytes, message: bytes) -> None:
        """Raises CheckpointError unless the signature of exactly this message holds."""
        try:
            Ed25519PublicKey.from_public_bytes(self.public).verify(signature, message)
        except (InvalidSignature, ValueError) as error:
            raise CheckpointError(f"the signature by {self.name} does not hold") from error


@dataclass(frozen=True, slots=True, repr=False)
class PrivateKey:
    """A private key with the name it signs under. Its repr never shows the key."""

    name: str
    private: bytes
    public_type: ClassVar[type[PublicKey]] = PublicKey

    def __repr__(self) -> str:
        return f"{type(self).__name__}(name={self.name!r})"

    @classmethod
    def generate(cls, name: str) -> Self:
        """A new random key. Raises CheckpointError for a name that no key can have."""
        return cls(_key_name(name), Ed25519PrivateKey.generate().private_bytes_raw())

    @property
    def public(self) -> bytes:
        """The public half's 32 bytes."""
        return Ed25519PrivateKey.from_private_bytes(self.private).public_key().public_bytes_raw()

    def encode(self) -> str:
        """The key as it is kept in a file; secret."""
        public = self.public_type(self.name, self.public)
        secret = encode(public.algorithm + self.private)
        return f"PRIVATE+KEY+{self.name}+{public.key_hash.hex()}+{secret}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read an encoded key. Raises CheckpointError, without the key in it, when malformed."""
        parts = text.strip().split("+", 4)
        if len(parts) != 5 or parts[:2] != ["PRIVATE", "KEY"]:
            raise CheckpointError("a signing key is PRIVATE+KEY+name+hash+key")
        key = cls(_key_name(parts[2]), _key_material(parts[4], cls.public_type.algorithm))
        if cls.public_type(key.name, key.public).key_hash.hex() != parts[3]:
            raise CheckpointError(f"the key hash {parts[3]} does not belong to this key")
        return key

    def raw_signature(self, message: bytes) -> bytes:
        """The Ed25519 signature of exactly this message."""
        return Ed25519PrivateKey.from_private_bytes(self.private).sign(message)


def encode(data: bytes) -> str:
    """Plain base64."""
    return base64.b64encode(data).decode("ascii")


def decode(text: str, what: str) -> bytes:
    """The reverse; raises CheckpointError naming `what` for anything but its one spelling."""
    try:
        decoded = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise CheckpointError(f"the {what} is not base64") from error
    if encode(decoded) != text:
        raise CheckpointError(f"the {what} is not plain base64")
    return decoded


def _key_name(name: str) -> str:
    if not name or "+" in name or any(character.isspace() for character in name):
        raise CheckpointError(f"the key name {name!r} is empty or holds a space or a plus")
    return name


def _key_material(encoded: str, algorithm: bytes) -> bytes:
    decoded = decode(encoded, "key")
    if decoded[:1] != algorithm or len(decoded) != 1 + _ED25519_BYTES:
        what = "an Ed25519 key" if algorithm == ED25519 else f"a key of type {algorithm.hex()}"
        raise CheckpointError(f"the key is not {what}")
    return decoded[1:]
