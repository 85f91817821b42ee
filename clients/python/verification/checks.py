"""The checks of chain, tree, files and numbers.

Each is a function of the bundle and of what the checks before it established, and gives a line for
people or raises `Fault` with the first thing that is off, by name and place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from itertools import groupby
from typing import IO, Any, TypeVar, cast

import pyarrow as pa

from clients.python.verification import layout
from clients.python.verification.bundle import Bundle
from clients.python.verification.comparison import Comparison
from clients.python.verification.inclusion import Tree
from clients.python.verification.reading import (
    Fault,
    Reading,
    check_written,
    count,
    json_array,
    json_lines,
    json_object,
    member,
)
from mesh.digest import frame_digest
from mesh.errors import AssayError
from mesh.frames.codec import read_buffer
from mesh.frames.encoding import write_plainly
from mesh.proof.chain import GENESIS_HASH, AuditEntry, entry_fault, read_leaf
from mesh.proof.checkpoint import (
    Checkpoint,
    CheckpointError,
    SignedNote,
    VerifierKey,
    verify_checkpoint,
)
from mesh.proof.claims import ClaimRecord, claim_record, frame_fault, unrecorded_claim
from mesh.proof.cosignature import WitnessKey, witnesses
from mesh.proof.merkle import ProofError, leaf_hash
from mesh.proof.note import PublicKey
from mesh.proof.recorded import recorded

Key = TypeVar("Key", bound=PublicKey)
_PROOF_FIELDS = 3


def check_chain(reading: Reading) -> str:
    """Every entry is whole, and carries the hash of the one before it."""
    lines = reading.bundle.read(layout.ENTRIES).split(b"\n")
    if lines.pop():
        raise Fault(f"{layout.ENTRIES} does not end with a line feed")
    entries: list[AuditEntry] = []
    parent_hash = GENESIS_HASH
    for number, text in enumerate(lines, start=1):
        try:
            entry, data = read_leaf(text)
        except ValueError as error:
            raise Fault(f"entry {number}: it is not an entry ({_first_line(error)})") from error
        request_id = entries[0].request_id if entries else entry.request_id
        why = entry_fault(entry, number, parent_hash, request_id, data)
        if why:
            raise Fault(f"entry {number}: {why}")
        parent_hash = entry.hash
        entries.append(entry)
    if not entries:
        raise Fault(f"{layout.ENTRIES} has no entry")
    reading.leaves = lines
    reading.job_id = entries[0].request_id
    try:
        reading.recorded = recorded(entries)
    except ValueError as error:
        raise Fault(str(error)) from error
    return f"{count(len(entries), 'entry', 'entries')}, unbroken"


def check_tree(reading: Reading) -> str:
    """Every entry is in the tree whose root the log signed, and the witnesses cosigned."""
    checkpoint, signed = _checkpoint(reading)
    proofs = json_lines(reading.bundle, layout.PROOFS)
    if len(proofs) != len(reading.leaves):
        raise Fault(
            f"{layout.PROOFS} has {len(proofs):,} proofs, the chain {len(reading.leaves):,} entries"
        )
    tree = Tree(checkpoint.size, checkpoint.root)
    behind = -1
    for number, (leaf, proof) in enumerate(zip(reading.leaves, proofs, strict=True), start=1):
        try:
            index, hashes = int(proof["leaf_index"]), tuple(map(bytes.fromhex, proof["hashes"]))
            if [type(proof["leaf_index"]), type(proof["sequence_number"])] != [int, int]:
                raise TypeError("a place is a whole number")
            if (proof["sequence_number"], len(proof)) != (number, _PROOF_FIELDS):
                raise ProofError("it is of another entry")
            if index <= behind:
                raise ProofError(f"leaf {index} does not come after leaf {behind}")
            tree.check(leaf_hash(leaf), index, hashes)
        except ProofError as error:
            raise Fault(f"entry {number}: its proof does not hold: {error}") from error
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise Fault(
                f"entry {number}: its proof does not hold: {layout.PROOFS} has no leaf index with "
                "hashes in hexadecimal there"
            ) from error
        behind = index
    return f"included in checkpoint {checkpoint.size:,}, {signed}"


def check_artifacts(reading: Reading) -> str:
    """Every file of the job is the one that the chain records."""
    reading.job = json_object(reading.bundle, layout.JOB)
    try:
        files = [(str(f["artifact_id"]), str(f["content_ref"])) for f in files_of(reading.job)]
    except (KeyError, TypeError) as error:
        raise Fault(f"{layout.JOB} does not say what the answer is ({error!r})") from error
    for artifact_id, content_ref in files:
        record = reading.recorded.files.get(artifact_id)
        if record is None or record.content_ref != content_ref:
            raise Fault(f"{content_ref}: the chain does not record it")
        actual = reading.bundle.sha256(member(layout.artifact_member, content_ref))
        if actual != record.content_hash:
            raise Fault(
                f"{content_ref}: its content has SHA-256 {actual[:12]}…, "
                f"the chain says {record.content_hash[:12]}…"
            )
    if len(files) == 1:
        return "1 file matches its hash"
    return f"{len(files):,} files match their hashes"


def files_of(job: dict[str, Any]) -> list[dict[str, Any]]:
    """The files of a job's answer; without one, those that it had made. Raises KeyError."""
    answer = job["answer"] or {"artifacts": []}
    return [*answer["artifacts"], *job.get("partial_artifacts", [])]


def check_claims(reading: Reading) -> str:
    """Every number is in the frame it cites, and the frame is what its call gave."""
    try:
        values = json_array(reading.bundle, layout.CLAIMS)
        claims = [claim_record(claim) for claim in values]
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise Fault(f"{layout.CLAIMS}: a claim is malformed ({error!r})") from error
    fault = unrecorded_claim(claims, frozenset(reading.recorded.claims))
    if fault:
        raise Fault(fault)
    left_out = frozenset(reading.recorded.claims) - frozenset(claims)
    if left_out:
        first = min(left_out, key=lambda claim: claim.claim_id)
        raise Fault(f"{first.place}: the chain records it, {layout.CLAIMS} does not")
    known_claims = [asdict(claim) for claim in reading.recorded.claims]
    if known_claims != values:
        raise Fault(f"{layout.CLAIMS}: it tells more, or in another order, than the chain records")
    check_written(reading.bundle, layout.CLAIMS, known_claims)
    for claim in claims:
        call = reading.recorded.calls.get(claim.call_id)
        if call is None or call.frame_digest != claim.frame_digest:
            raise Fault(f"{claim.place}: the call it names gave no such frame")
    for digest, cited in groupby(sorted(claims, key=_frame), key=_frame):
        fault = frame_fault(list(cited), sound_frame(reading, digest))
        if fault:
            raise Fault(fault)
    return f"{count(len(claims), 'number')} found in the frames they cite"


def _checkpoint(reading: Reading) -> tuple[Checkpoint, str]:
    """The checkpoint, once its signatures hold, and who signed it."""
    bundle, trust = reading.bundle, reading.trust
    note = bundle.text(layout.CHECKPOINT)
    try:
        own = _keys(bundle, layout.LOG_KEY, VerifierKey)
        cosigners = _witness_keys(bundle)
        checkpoint = verify_checkpoint(note, trust.log_key or own[0])
        keys = trust.witness_keys or cosigners
        names = witnesses(SignedNote.parse(note), keys)
    except CheckpointError as error:
        raise Fault(f"checkpoint: {error}") from error
    missing = [key.name for key in keys if key.name not in names]
    if missing:
        raise Fault(f"checkpoint {checkpoint.size:,}: it is not cosigned by {missing[0]}")
    if len(own) != 1 or (trust.log_key and own[0] != trust.log_key):
        raise Fault(f"{layout.LOG_KEY}: it is not the one key that signed the checkpoint")
    _check_signatures(note, own[0], cosigners)
    signed, own_keys = f"signed by {checkpoint.origin}", int(trust.log_key is None)
    if names:
        signed += f", witnessed by {' and '.join(names)}"
        own_keys += not trust.witness_keys
    if own_keys:
        signed += f" ({'key' if own_keys == 1 else 'keys'} from the {trust.bundle_from})"
    return checkpoint, signed


def _check_signatures(note: str, key: VerifierKey, cosigners: Sequence[WitnessKey]) -> None:
    """Every line below the checkpoint is by the log or by a witness that is named, and holds."""
    signed = SignedNote.parse(note)
    try:
        found = witnesses(signed, cosigners)
    except CheckpointError as error:
        raise Fault(f"checkpoint: {error}") from error
    for cosigner in cosigners:
        if cosigner.name not in found:
            raise Fault(f"{layout.WITNESS_KEYS}: {cosigner.name} has not cosigned the checkpoint")
    lines = [(line.name, line.key_hash) for line in signed.signatures]
    known = [(known.name, known.key_hash) for known in (key, *cosigners)]
    for line in lines:
        if line not in known or lines.count(line) > 1:
            raise Fault(
                f"checkpoint: a signature by {line[0]} is of no key in {layout.LOG_KEY} or "
                f"{layout.WITNESS_KEYS}, or is there twice"
            )
    if signed.encode() != note:
        raise Fault("checkpoint is not in its one spelling")


def _witness_keys(bundle: Bundle) -> tuple[WitnessKey, ...]:
    return _keys(bundle, layout.WITNESS_KEYS, WitnessKey) if bundle.has(layout.WITNESS_KEYS) else ()


def _keys(bundle: Bundle, name: str, kind: type[Key]) -> tuple[Key, ...]:
    text = bundle.text(name)
    try:
        keys = tuple(kind.parse(line) for line in text.split("\n") if line)
    except CheckpointError as error:
        raise Fault(f"{name}: {error}") from error
    if not keys:
        raise Fault(f"{name} holds no key")
    if "".join(f"{key.encode()}\n" for key in keys) != text:
        raise Fault(f"{name} is not in its one spelling")
    return keys


def sound_frame(reading: Reading, digest: str) -> pa.Table:
    """A frame's rows, once they have its digest and are written as all frames are."""
    if digest in reading.frames:
        return reading.frames[digest]
    rows = _frame_rows(reading, digest)
    actual = frame_digest(rows)
    if actual != digest:
        raise Fault(f"frame {digest[:8]}: its rows have digest {actual[:12]}…")
    name = member(layout.frame_member, digest)
    sink = Comparison(reading.bundle.content(name))
    write_plainly(rows, cast("IO[bytes]", sink))
    if not sink.same:
        raise Fault(f"{name} is not in its one encoding: other bytes hold the same rows")
    reading.frames[digest] = rows
    return rows


def _frame_rows(reading: Reading, digest: str) -> pa.Table:
    """A frame, once its bytes are those of the manifest: strange bytes are not parsed."""
    name = member(layout.frame_member, digest)
    actual = reading.bundle.sha256(name)
    try:
        listed = reading.listed[name]["sha256"]
    except (KeyError, TypeError) as error:
        raise Fault(f"{name}: {layout.MANIFEST} does not list it") from error
    if actual != listed:
        raise Fault(
            f"{name}: its content has SHA-256 {actual[:12]}…, "
            f"{layout.MANIFEST} says {str(listed)[:12]}…"
        )
    try:
        return read_buffer(reading.bundle.content(name))
    except AssayError as error:
        raise Fault(f"{name}: {error.message}") from error


def _frame(claim: ClaimRecord) -> str:
    return claim.frame_digest


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
