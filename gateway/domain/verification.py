"""Checking what was recorded about a job, without trusting those who recorded it.

Four checks in this order, each worth something only when those before it hold: the chain is
unbroken, its end is in the signed tree, the files are those of the chain, and every number is in
the frame it was cited from. Of a job that reads tables of earlier ones, a fifth: their chains hold
too, and made these tables, back to the first sources.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mesh.proof.chain import GENESIS_HASH, AuditEntry, EventType, entry_fault, leaf_bytes
from mesh.proof.checkpoint import (
    Checkpoint,
    CheckpointError,
    SignedNote,
    VerifierKey,
    verify_checkpoint,
)
from mesh.proof.claims import ClaimRecord, claim_record
from mesh.proof.cosignature import WitnessKey, witnesses
from mesh.proof.merkle import ProofError, leaf_hash, verify_inclusion


@dataclass(frozen=True, slots=True)
class ChainEntry:
    """An entry of a chain and its place in the tree over all chains."""

    entry: AuditEntry
    leaf_index: int


@dataclass(frozen=True, slots=True)
class SignedRoot:
    """A checkpoint as a signed note, with the keys that verify it."""

    note: str
    verifier_key: str
    witness_keys: tuple[str, ...] = ()


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
class Check:
    """One finding: what was checked, or the first thing that is off."""

    name: str
    ok: bool
    detail: str


@dataclass(slots=True)
class ChainReading:
    """A chain, checked entry by entry as it is read, and what it says of files and numbers.

    Holds the last entry, the recorded artifact hashes and claims, the names of calls and sources,
    and their seals, by which what is kept of them is told; `unsealed` names those that an older
    version recorded without. `read_frames` are the tables of earlier jobs that it reads, each with
    its job, and `frames` those that it made. Nothing else.
    """

    request_id: str
    count: int = 0
    last: ChainEntry | None = None
    fault: str = ""
    artifact_hashes: dict[str, str] = field(default_factory=dict)
    claims: frozenset[ClaimRecord] = frozenset()
    call_ids: list[str] = field(default_factory=list)
    source_digests: list[str] = field(default_factory=list)
    seals: dict[str, str] = field(default_factory=dict)
    unsealed: dict[str, str] = field(default_factory=dict)
    read_frames: dict[str, str] = field(default_factory=dict)
    frames: set[str] = field(default_factory=set)

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
        data = item.entry.event_data
        if item.entry.event_type is EventType.REQUEST_SUBMITTED:
            for source in data.get("data_sources") or ():
                if digest := str(source.get("frame_digest") or ""):
                    self.read_frames[digest] = str(source.get("job_id") or "")
        if item.entry.event_type is EventType.TOOL_CALLED:
            self.call_ids.append(str(data.get("call_id", "")))
        elif item.entry.event_type is EventType.PLAN_CREATED:
            self._rest_on(data)
        elif item.entry.event_type is EventType.OBSERVATION_RECORDED:
            if data.get("status") == "success" and "call_id" in data:
                self.frames.add(str(data.get("frame_digest") or ""))
                self._seal(str(data["call_id"]), data.get("record_seal") or None, "call")
        elif item.entry.event_type is EventType.ARTIFACT_GENERATED:
            try:
                self._record(item.entry.event_data)
            except (KeyError, TypeError, ValueError) as error:
                self.fault = f"entry {self.count}: its claims are malformed ({error})"

    def _rest_on(self, data: Mapping[str, Any]) -> None:
        digests = list(map(str, data.get("source_digests") or ()))
        seals = data.get("source_seals") or [None] * len(digests)
        self.source_digests += digests
        for digest, seal in zip(digests, seals, strict=False):
            self._seal(digest, seal, "source")

    def _seal(self, name: str, seal: Any, what: str) -> None:
        """An empty seal says that nothing is kept."""
        if seal:
            self.seals[name] = str(seal)
            self.unsealed.pop(name, None)
        elif seal is None and name not in self.seals:
            self.unsealed[name] = what

    def _record(self, data: Mapping[str, Any]) -> None:
        if "artifact_id" in data:
            self.artifact_hashes[str(data["artifact_id"])] = str(data.get("content_hash", ""))
        if "claims" in data:
            self.claims = frozenset(claim_record(claim) for claim in data["claims"])


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
        keys = [WitnessKey.parse(key) for key in root.witness_keys]
        cosigned = witnesses(SignedNote.parse(root.note), keys)
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
    if cosigned:
        signed += f", witnessed by {' and '.join(cosigned)}"
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


def not_covered(reading: ChainReading) -> str:
    """What is kept of a job that its chain says nothing of: an older version recorded it."""
    kinds = list(reading.unsealed.values())
    texts = [
        f"{number:,} {what}{'' if number == 1 else 's'}"
        for what in ("call", "source")
        if (number := kinds.count(what))
    ]
    return f"; not covered by the chain: what is kept of {' and '.join(texts)}" if texts else ""
