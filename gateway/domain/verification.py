"""Checking what was recorded about a job, without trusting those who recorded it.

Four checks in this order, each worth something only when those before it hold: the chain is
unbroken, its end is in the signed tree, the files are those of the chain, and every number is in
the frame it was cited from.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

import pyarrow as pa

from mesh.chain import GENESIS_HASH, AuditEntry, EventType, entry_fault, leaf_bytes
from mesh.checkpoint import (
    Checkpoint,
    CheckpointError,
    SignedNote,
    VerifierKey,
    verify_checkpoint,
)
from mesh.merkle import ProofError, leaf_hash, verify_inclusion


@dataclass(frozen=True, slots=True)
class ChainEntry:
    """An entry of a chain and its place in the tree over all chains."""

    entry: AuditEntry
    leaf_index: int


@dataclass(frozen=True, slots=True)
class SignedRoot:
    """A checkpoint as a signed note, with the key that verifies it."""

    note: str
    verifier_key: str


@dataclass(frozen=True, slots=True)
class InclusionProof:
    """Sibling hashes from a leaf up to the root of a tree."""

    hashes: tuple[bytes, ...]
    tree_size: int


@dataclass(frozen=True, slots=True)
class ArtifactRecord:
    """A file as the answer names it."""

    artifact_id: str
    content_ref: str
    content_hash: str


@dataclass(frozen=True, slots=True)
class ClaimRecord:
    """A number as the answer cites it: its exact value and the cell it came from."""

    claim_id: int
    value: str
    text: str
    frame_digest: str
    row: int
    column: str
    call_id: str

    @property
    def place(self) -> str:
        """The claim and its cell, for people."""
        cell = f"row {self.row}, column {self.column!r}"
        return f"claim {self.claim_id} (frame {self.frame_digest[:8]}, {cell})"


@dataclass(frozen=True, slots=True)
class Check:
    """One finding: what was checked, or the first thing that is off."""

    name: str
    ok: bool
    detail: str


@dataclass(slots=True)
class ChainReading:
    """A chain, checked entry by entry as it is read, and what it says of files and numbers.

    Holds the last entry, the recorded artifact hashes and the recorded claims; nothing else.
    """

    request_id: str
    count: int = 0
    last: ChainEntry | None = None
    fault: str = ""
    artifact_hashes: dict[str, str] = field(default_factory=dict)
    claims: frozenset[ClaimRecord] = frozenset()

    def add(self, item: ChainEntry) -> None:
        """Take in the next entry; nothing is taken in after a fault."""
        if self.fault:
            return
        parent_hash = self.last.entry.hash if self.last else GENESIS_HASH
        why = entry_fault(item.entry, self.count + 1, parent_hash, self.request_id)
        if why:
            self.fault = f"entry {self.count + 1}: {why}"
            return
        self.count += 1
        self.last = item
        if item.entry.event_type is EventType.ARTIFACT_GENERATED:
            try:
                self._record(item.entry.event_data)
            except (KeyError, TypeError, ValueError) as error:
                self.fault = f"entry {self.count}: its claims are malformed ({error})"

    def _record(self, data: Mapping[str, Any]) -> None:
        if "artifact_id" in data:
            self.artifact_hashes[str(data["artifact_id"])] = str(data.get("content_hash", ""))
        if "claims" in data:
            self.claims = frozenset(_claim_record(claim) for claim in data["claims"])


def check_chain(reading: ChainReading) -> Check:
    """Whether the chain has entries and every hash in it holds."""
    if reading.fault:
        return Check("chain", False, reading.fault)
    if not reading.count:
        return Check("chain", False, f"no entry of job {reading.request_id[:8]} is in the log")
    return Check("chain", True, f"{reading.count:,} entries, unbroken")


def claimed_size(root: SignedRoot) -> int:
    """The size of the tree a note speaks of, believed by nobody yet; 0 for a malformed note."""
    try:
        return Checkpoint.parse(SignedNote.parse(root.note).text).size
    except CheckpointError:
        return 0


def check_tree(last: ChainEntry, proof: InclusionProof, root: SignedRoot) -> Check:
    """Whether the chain's last entry is in the tree whose root is signed.

    The entries before it are covered by its hash.
    """
    try:
        checkpoint = verify_checkpoint(root.note, VerifierKey.parse(root.verifier_key))
        if proof.tree_size != checkpoint.size:
            raise ProofError(
                f"the proof is for a tree of {proof.tree_size:,} entries, the checkpoint for "
                f"{checkpoint.size:,}"
            )
        leaf = leaf_hash(leaf_bytes(last.entry))
        verify_inclusion(leaf, last.leaf_index, checkpoint.size, proof.hashes, checkpoint.root)
    except CheckpointError as error:
        return Check("tree", False, f"checkpoint: {error}")
    except ProofError as error:
        place = f"entry {last.entry.sequence_number}, leaf {last.leaf_index:,}"
        return Check("tree", False, f"{place}: {error}")
    signed = f"signed by {checkpoint.origin}"
    return Check("tree", True, f"included in checkpoint {checkpoint.size:,}, {signed}")


def artifact_fault(
    artifact: ArtifactRecord, actual_hash: str, recorded: Mapping[str, str]
) -> str | None:
    """What is wrong with a file's content, or None."""
    if actual_hash != artifact.content_hash:
        return (
            f"{artifact.content_ref}: its content has SHA-256 {actual_hash[:12]}…, "
            f"the answer says {artifact.content_hash[:12]}…"
        )
    in_chain = recorded.get(artifact.artifact_id)
    if in_chain is None:
        return f"{artifact.content_ref}: the chain does not record it"
    if in_chain != actual_hash:
        return (
            f"{artifact.content_ref}: its content has SHA-256 {actual_hash[:12]}…, "
            f"the chain says {in_chain[:12]}…"
        )
    return None


def unrecorded_claim(claims: Iterable[ClaimRecord], recorded: frozenset[ClaimRecord]) -> str | None:
    """The first claim of the answer that the chain does not record just so, or None."""
    for claim in claims:
        if claim not in recorded:
            return f"{claim.place}: the chain records no such claim"
    return None


def frame_fault(
    claims: Sequence[ClaimRecord], rows: pa.Table, actual_digest: str, digest: str
) -> str | None:
    """The first claim on the frame `digest` that does not hold, or None."""
    if actual_digest != digest:
        return f"frame {digest[:8]}: its rows have digest {actual_digest[:12]}…"
    for claim in claims:
        if claim.column not in rows.column_names:
            return f"{claim.place}: the frame has no such column"
        if not 0 <= claim.row < rows.num_rows:
            return f"{claim.place}: the frame has {rows.num_rows:,} rows"
        cell = cell_text(rows.column(claim.column)[claim.row].as_py())
        if cell != claim.value:
            return f"{claim.place}: the answer says {claim.value}, the frame {cell}"
    return None


def cell_text(value: Any) -> str:
    """A cell as claims write it: exact, as decimal text or ISO date."""
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    if isinstance(value, datetime | date):
        return value.isoformat()
    return repr(value) if isinstance(value, float) else str(value)


def _claim_record(claim: Mapping[str, Any]) -> ClaimRecord:
    return ClaimRecord(
        claim_id=int(claim["claim_id"]),
        value=str(claim["value"]),
        text=str(claim["text"]),
        frame_digest=str(claim["frame_digest"]),
        row=int(claim["row"]),
        column=str(claim["column"]),
        call_id=str(claim["call_id"]),
    )
