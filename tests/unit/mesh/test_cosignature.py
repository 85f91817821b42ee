"""Cosignatures are those of C2SP: a real witness's reads and holds, and ours are spelled alike."""

from __future__ import annotations

import hashlib
import struct

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
from mesh.proof.cosignature import WitnessKey, WitnessSigningKey, witnesses

# A checkpoint of the staging log Arche 2025h1 as it was published, cosigned by several witnesses.
REAL_NOTE = """\
arche2025h1.staging.ct.transparency.dev
1432088532
U7WM79jrzyhGZ5/GUBTpM7NzwdyfFx61t3RovgcC4Ro=

— arche2025h1.staging.ct.transparency.dev zTM8sQAAAZ5W0WdjBAMARjBEAiBjW5IQf9pvsYLfQFX6hoGREPMHbdQ3urbllzalApkptQIgIpwtEroeW2BXaHAI4kJXFbon5Ch9MNL5zRNZ55lvGt0=
— arche2025h1.staging.ct.transparency.dev ui8GwCF1+kWqZrxGdhj4aX3gcw7XUlXQQabg/27lefwhUkzbC3NygNI75MdhL1bfTW9g8Ei59RA23oHP7Ry1k3ZFWwQ=
— transparency.dev/DEV:witness-little-garden 2AQqhwAAAABqEiEgzgFIqqhbUoDwjMWE6UP8nd8/KYTzwZ2rhIgcqoXHAwVkjZr4AscylP3v7sEodkRAErumC2q44vdgJY096st5BQ==
— remora.n621.de 2net5wAAAABqEiEgPlfF3V06o0Y+fHM+J5J9s27wgxxcOVSpZ/2g/KSiXCg9DEZI+aVCIobWX9sXTynk5XeU/zZ0WBxtqB0DrAWfBw==
"""  # noqa: E501
REAL_LOG = (
    "arche2025h1.staging.ct.transparency.dev+ba2f06c0+AU0vHmlGCS/PdN8b2OaGmKprLI8HKM+dJ472xgFYh15f"
)
REAL_WITNESS = "remora.n621.de+da77ade7+BOvN63jn/bLvkieywe8R6UYAtVtNbZpXh34x7onlmtw2"

NOW = 1_790_000_000


@pytest.fixture
def witness() -> WitnessSigningKey:
    return WitnessSigningKey("witness.example/w1", bytes(range(32)))


@pytest.fixture
def note() -> SignedNote:
    key = SigningKey("assay.example/log-1", bytes(range(1, 33)))
    checkpoint = Checkpoint("assay.example/log-1", 21, hashlib.sha256(b"root").digest())
    return SignedNote.parse(sign_checkpoint(checkpoint, key))


def test_a_real_logs_note_verifies_with_its_key_and_with_its_witness() -> None:
    assert verify_checkpoint(REAL_NOTE, VerifierKey.parse(REAL_LOG)).size == 1_432_088_532
    key = WitnessKey.parse(REAL_WITNESS)
    assert key.encode() == REAL_WITNESS
    assert key.cosigned_at(SignedNote.parse(REAL_NOTE)) == 0x6A122120
    assert SignedNote.parse(REAL_NOTE).encode() == REAL_NOTE


def test_a_real_cosignature_does_not_hold_under_another_size() -> None:
    note = SignedNote.parse(REAL_NOTE.replace("1432088532", "1432088533"))
    with pytest.raises(CheckpointError, match=r"by remora\.n621\.de does not hold"):
        WitnessKey.parse(REAL_WITNESS).cosigned_at(note)


def test_a_cosignature_is_written_byte_for_byte_as_the_specification_spells_it(
    note: SignedNote, witness: WitnessSigningKey
) -> None:
    private = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
    public = private.public_key().public_bytes_raw()
    message = f"cosignature/v1\ntime {NOW}\n{note.text}".encode()

    line = witness.cosign(note.text, NOW)

    assert line.signature == struct.pack(">Q", NOW) + private.sign(message)
    named = witness.name.encode() + b"\n\x04" + public
    assert line.key_hash == hashlib.sha256(named).digest()[:4]
    assert witness.verifier.cosigned_at(note.with_signature(line)) == NOW


def test_a_later_cosignature_takes_the_place_of_an_earlier_one(
    note: SignedNote, witness: WitnessSigningKey
) -> None:
    once = note.with_signature(witness.cosign(note.text, NOW))
    twice = once.with_signature(witness.cosign(note.text, NOW + 60))
    assert len(twice.signatures) == 2
    assert witness.verifier.cosigned_at(twice) == NOW + 60


def test_only_witnesses_that_are_known_and_signed_are_named(
    note: SignedNote, witness: WitnessSigningKey
) -> None:
    other = WitnessSigningKey("witness.example/w2", bytes(range(2, 34)))
    cosigned = note.with_signature(witness.cosign(note.text, NOW))
    assert witnesses(cosigned, [other.verifier, witness.verifier]) == ["witness.example/w1"]
    assert witnesses(note, [witness.verifier]) == []


@pytest.mark.parametrize("place", range(0, 72, 5))
def test_any_changed_byte_of_a_cosignature_is_found(
    note: SignedNote, witness: WitnessSigningKey, place: int
) -> None:
    line = witness.cosign(note.text, NOW)
    changed = bytearray(line.signature)
    changed[place] ^= 0x10
    forged = note.with_signature(type(line)(line.name, line.key_hash, bytes(changed)))
    with pytest.raises(CheckpointError):
        witness.verifier.cosigned_at(forged)


def test_a_cosignature_without_room_for_its_time_is_refused(
    note: SignedNote, witness: WitnessSigningKey
) -> None:
    line = witness.cosign(note.text, NOW)
    short = note.with_signature(type(line)(line.name, line.key_hash, line.signature[:8]))
    with pytest.raises(CheckpointError, match="no time in it"):
        witness.verifier.cosigned_at(short)


def test_a_logs_key_does_not_pass_for_a_witnesss(witness: WitnessSigningKey) -> None:
    with pytest.raises(CheckpointError, match="not a key of type 04"):
        WitnessKey.parse(REAL_LOG)
    with pytest.raises(CheckpointError, match="not an Ed25519 key"):
        VerifierKey.parse(witness.verifier.encode())
    assert WitnessSigningKey.parse(witness.encode()) == witness
    assert "AAEC" not in repr(witness)
