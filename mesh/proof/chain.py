"""The audit chain of seed 000, section 7: entries, their hashes, their export and their check.

One chain a request. Every entry carries the hash of the one before it, and its own hash covers
`parent_hash + timestamp + event_type + event_data`. That formula leaves out `entry_id`,
`request_id`, `sequence_number` and `actor`; those are covered by the Merkle leaf, which is the
canonical JSON of the whole entry. An exported line *is* the leaf, byte for byte, so whoever holds
an export can check both the chain and the tree with nothing but SHA-256.

Canonical JSON here means what seed 000 hashes: Python's `json.dumps(value, sort_keys=True)`. It
is ASCII, keeps integers exact at any size (readers with 64-bit floats lose digits above 2**53,
which changes the hash they compute), and writes floats in their shortest form that reads back
the same.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationInfo,
    field_validator,
)

GENESIS_HASH = "0" * 64
"""`parent_hash` of the first entry of every chain."""

Identifier = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Actor = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_.-]{0,63}$")]

_READ_FROM_JSON = {"read_from_json": True}
_ENCODER = json.JSONEncoder(sort_keys=True, allow_nan=False)


class EventType(StrEnum):
    """What an entry records; the six types of seed 000."""

    REQUEST_SUBMITTED = "request_submitted"
    PLAN_CREATED = "plan_created"
    TOOL_CALLED = "tool_called"
    OBSERVATION_RECORDED = "observation_recorded"
    ARTIFACT_GENERATED = "artifact_generated"
    POLICY_DECISION = "policy_decision"


class AuditEntry(BaseModel):
    """One record of a chain, exactly as it is exported, hashed and proven."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    entry_id: Identifier
    request_id: Identifier
    sequence_number: Annotated[int, Field(strict=True, ge=1)]
    parent_hash: Digest
    timestamp: str
    event_type: EventType
    event_data: dict[str, Any]
    actor: Actor
    hash: Digest

    @field_validator("timestamp")
    @classmethod
    def _is_utc(cls, value: str) -> str:
        if not value.endswith("Z") or datetime.fromisoformat(value).tzinfo is None:
            raise ValueError("must be an ISO 8601 time in UTC that ends in Z")
        return value

    @field_validator("event_data")
    @classmethod
    def _is_json(cls, value: dict[str, Any], info: ValidationInfo) -> dict[str, Any]:
        if info.context is _READ_FROM_JSON:
            return value
        copy: dict[str, Any] = json.loads(event_json(value))
        return copy


@dataclass(frozen=True, slots=True)
class ChainFault:
    """The first place where a chain does not hold."""

    sequence_number: int
    why: str

    def __str__(self) -> str:
        return f"entry {self.sequence_number}: {self.why}"


def chain_json(value: object) -> str:
    """The one JSON text of a value that is hashed. Raises ValueError for NaN and infinities."""
    return _ENCODER.encode(value)


def event_json(data: Mapping[str, Any]) -> str:
    """Canonical JSON of an event's data.

    Raises ValueError when reading the text back would not give the same value: NaN, infinities,
    keys that are not strings, tuples, split surrogate pairs, and objects JSON does not know.
    """
    if not isinstance(data, Mapping):
        raise ValueError("event data is not an object")
    try:
        text = chain_json(data)
        same = bool(json.loads(text) == data)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"event data is not JSON: {error}") from error
    if not same:
        raise ValueError("event data changes when written as JSON: use string keys and plain lists")
    return text


def format_timestamp(moment: datetime) -> str:
    """ISO 8601 in UTC with microseconds and a Z, as entries carry it."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def entry_hash(parent_hash: str, timestamp: str, event_type: str, event_json_text: str) -> str:
    """The hash of seed 000, over the canonical JSON of the event's data."""
    payload = f"{parent_hash}{timestamp}{event_type}{event_json_text}"
    return hashlib.sha256(payload.encode()).hexdigest()


def leaf_bytes(entry: AuditEntry) -> bytes:
    """What the Merkle tree hashes for this entry: canonical JSON of all its fields."""
    return chain_json(entry.model_dump(mode="json")).encode("ascii")


def parse_leaf(leaf: bytes) -> AuditEntry:
    """The entry in a leaf or an exported line.

    Raises ValueError when the bytes are not an entry, or not its canonical form.
    """
    return read_leaf(leaf)[0]


def read_leaf(leaf: bytes) -> tuple[AuditEntry, str]:
    """The entry in a leaf, and the canonical JSON of its data, which its hash covers.

    Raises as `parse_leaf`.
    """
    try:
        entry = AuditEntry.model_validate(json.loads(leaf.decode()), context=_READ_FROM_JSON)
    except RecursionError as error:
        raise ValueError("the entry is nested too deeply") from error
    try:
        data = chain_json(entry.event_data)
    except ValueError as error:
        raise ValueError(f"event data is not JSON: {error}") from error
    # The fields in their sorted order; only the data and the time can hold what JSON escapes.
    text = (
        f'{{"actor": "{entry.actor}", "entry_id": "{entry.entry_id}", "event_data": {data}, '
        f'"event_type": "{entry.event_type}", "hash": "{entry.hash}", '
        f'"parent_hash": "{entry.parent_hash}", "request_id": "{entry.request_id}", '
        f'"sequence_number": {entry.sequence_number}, "timestamp": {chain_json(entry.timestamp)}}}'
    )
    if text.encode() != leaf:
        raise ValueError("the entry is not written in canonical form")
    return entry, data


def export_jsonl(entries: Iterable[AuditEntry]) -> str:
    """JSON Lines that satisfy seed 000's `verify_audit_chain`; each line is the entry's leaf."""
    return "".join(leaf_bytes(entry).decode("ascii") + "\n" for entry in entries)


def verify_chain(entries: Iterable[AuditEntry]) -> ChainFault | None:
    """The first fault of one request's chain, or None when the chain holds from entry 1 on.

    A chain cannot show that its end was cut off: compare with a checkpoint for that.
    """
    parent_hash = GENESIS_HASH
    request_id: str | None = None
    for expected, entry in enumerate(entries, start=1):
        request_id = request_id or entry.request_id
        fault = entry_fault(entry, expected, parent_hash, request_id)
        if fault:
            return ChainFault(expected, fault)
        parent_hash = entry.hash
    return None


def entry_fault(
    entry: AuditEntry, sequence_number: int, parent_hash: str, request_id: str, data: str = ""
) -> str | None:
    """What is wrong with an entry at this place of this chain, or None.

    `data` is the canonical JSON of its data where the caller has it from `read_leaf`.
    """
    if entry.request_id != request_id:
        return f"it belongs to request {entry.request_id}, the chain to {request_id}"
    if entry.sequence_number != sequence_number:
        return f"it says it is entry {entry.sequence_number}"
    if entry.parent_hash != parent_hash:
        return f"its parent hash is {entry.parent_hash}, the entry before it has {parent_hash}"
    computed = entry_hash(
        entry.parent_hash, entry.timestamp, entry.event_type, data or chain_json(entry.event_data)
    )
    if entry.hash != computed:
        return f"its hash is {entry.hash}, its content gives {computed}"
    return None
