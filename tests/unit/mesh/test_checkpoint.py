"""Notes and keys are those of C2SP, and only the right key's signature opens one."""

from __future__ import annotations

import base64
import hashlib

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from mesh.proof.checkpoint import (
    Checkpoint,
    CheckpointError,
    SignedNote,
    SigningKey,
    VerifierKey,
    sign_checkpoint,
    verify_checkpoint,
)

# The example of Go's golang.org/x/mod/sumdb/note, which C2SP signed-note is drawn from.
GO_SIGNING_KEY = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"
GO_VERIFIER_KEY = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
GO_NOTE = (
    "If you think cryptography is the answer to your problem,\n"
    "then you don't know what your problem is.\n"
    "\n"
    "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"  # noqa: E501
)

ORIGIN = "assay.example/log-1"
ROOT = hashlib.sha256(b"root").digest()


@pytest.fixture
def key() -> SigningKey:
    return SigningKey(ORIGIN, bytes(range(32)))


def test_gos_published_example_reads_verifies_and_signs_the_same() -> None:
    note = SignedNote.parse(GO_NOTE)
    VerifierKey.parse(GO_VERIFIER_KEY).verify(note)
    signing = SigningKey.parse(GO_SIGNING_KEY)
    assert signing.encode() == GO_SIGNING_KEY
    assert signing.verifier.encode() == GO_VERIFIER_KEY
    assert note.encode() == GO_NOTE
    assert SignedNote(note.text, (signing.sign(note.text),)).encode() == GO_NOTE


def test_a_checkpoint_is_written_byte_for_byte_as_the_specification_spells_it() -> None:
    private = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
    public = private.public_key().public_bytes_raw()
    text = f"{ORIGIN}\n21\n{base64.b64encode(ROOT).decode()}\n"
    key_hash = hashlib.sha256(ORIGIN.encode() + b"\x0a\x01" + public).digest()[:4]
    signature = base64.b64encode(key_hash + private.sign(text.encode())).decode()
    by_hand = f"{text}\n\u2014 {ORIGIN} {signature}\n"

    key = SigningKey(ORIGIN, bytes(range(32)))
    checkpoint = Checkpoint(ORIGIN, 21, ROOT)
    assert sign_checkpoint(checkpoint, key) == by_hand
    assert verify_checkpoint(by_hand, key.verifier) == checkpoint


def test_signatures_of_unknown_keys_are_kept_and_ignored(key: SigningKey) -> None:
    note = SignedNote.parse(sign_checkpoint(Checkpoint(ORIGIN, 3, ROOT), key))
    witness = SigningKey.generate("witness.example/w1")
    both = SignedNote(note.text, (*note.signatures, witness.sign(note.text))).encode()
    assert verify_checkpoint(both, key.verifier).size == 3
    witness.verifier.verify(SignedNote.parse(both))


def test_any_change_to_the_signed_lines_is_found(key: SigningKey) -> None:
    note = sign_checkpoint(Checkpoint(ORIGIN, 21, ROOT), key)
    for altered in (note.replace("\n21\n", "\n22\n"), note.replace("\n21\n", "\n21\n", 1) + "x\n"):
        with pytest.raises(CheckpointError):
            verify_checkpoint(altered, key.verifier)


def test_another_key_of_the_same_name_does_not_open_it(key: SigningKey) -> None:
    note = sign_checkpoint(Checkpoint(ORIGIN, 21, ROOT), key)
    with pytest.raises(CheckpointError, match="not signed by"):
        verify_checkpoint(note, SigningKey.generate(ORIGIN).verifier)


def test_a_log_cannot_sign_for_another_origin(key: SigningKey) -> None:
    note = sign_checkpoint(Checkpoint("assay.example/log-2", 21, ROOT), key)
    with pytest.raises(CheckpointError, match="is of"):
        verify_checkpoint(note, key.verifier)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "origin\n3\n",
        f"origin\n03\n{base64.b64encode(ROOT).decode()}\n",
        f"origin\n-3\n{base64.b64encode(ROOT).decode()}\n",
        f"origin\n\u0663\n{base64.b64encode(ROOT).decode()}\n",
        f"origin\n3\n{base64.b64encode(ROOT[:31]).decode()}\n",
        f"\n3\n{base64.b64encode(ROOT).decode()}\n",
        f"origin\n3\n{base64.b64encode(ROOT).decode()}",
        "origin\n3\nnot base64!\n",
    ],
)
def test_what_is_not_a_checkpoint_is_refused(text: str) -> None:
    with pytest.raises(CheckpointError):
        Checkpoint.parse(text)


def test_extension_lines_are_signed_and_read_back(key: SigningKey) -> None:
    checkpoint = Checkpoint(ORIGIN, 21, ROOT, ("entries-since-start 4",))
    assert verify_checkpoint(sign_checkpoint(checkpoint, key), key.verifier) == checkpoint


@pytest.mark.parametrize("name", ["", "two words", "a+b", "line\nfeed"])
def test_a_key_name_that_would_break_the_line_is_refused(name: str) -> None:
    with pytest.raises(CheckpointError):
        SigningKey.generate(name)


def test_a_keys_hash_must_be_its_own(key: SigningKey) -> None:
    encoded = key.verifier.encode()
    with pytest.raises(CheckpointError, match="key hash"):
        VerifierKey.parse(encoded.replace("log-1", "log-2"))
    assert VerifierKey.parse(encoded) == key.verifier


def test_a_signing_key_does_not_show_itself(key: SigningKey) -> None:
    assert key.encode().split("+")[-1] not in repr(key)
    assert str(list(key.private)) not in repr(key)
