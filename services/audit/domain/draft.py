"""What callers hand in, what they get back, and what the log keeps."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from mesh.errors import INVALID_ARGUMENT, RESOURCE_EXHAUSTED, AssayError
from mesh.ids import is_id
from mesh.proof.chain import AuditEntry, EventType, event_json

MAX_EVENT_BYTES = 1 << 20
"""Largest canonical JSON of an event's data. Rows belong in frames, not in the audit log."""
MAX_TENANT_BYTES = 255
_ACTOR = re.compile(r"[a-z][a-z0-9_.-]{0,63}")


class Draft(NamedTuple):
    """A checked event that has no place in a chain yet. Make one with `draft_event`."""

    tenant: str
    entry_id: str
    request_id: str
    event_type: EventType
    actor: str
    event_json: str


class Receipt(NamedTuple):
    """Where an entry stands. Whoever holds one can demand its proof later."""

    entry_id: str
    sequence_number: int
    leaf_index: int
    timestamp: str
    hash: str


class LoggedEntry(NamedTuple):
    """An entry in the log. The tenant stands beside it: it decides who may read the entry, and is
    neither hashed nor exported, so a proof can be shown to others without naming the tenant.
    """

    tenant: str
    leaf_index: int
    entry: AuditEntry

    @property
    def receipt(self) -> Receipt:
        """What the writer of this entry was told."""
        entry = self.entry
        return Receipt(
            entry.entry_id, entry.sequence_number, self.leaf_index, entry.timestamp, entry.hash
        )


def draft_event(
    *,
    tenant: str,
    entry_id: str,
    request_id: str,
    event_type: str,
    event_data: Mapping[str, Any],
    actor: str,
) -> Draft:
    """Check an event before it is queued.

    Raises AssayError INVALID_ARGUMENT naming every bad field, or RESOURCE_EXHAUSTED when the data
    is larger than MAX_EVENT_BYTES.
    """
    faults: dict[str, str] = {}
    if not 1 <= len(tenant.encode(errors="replace")) <= MAX_TENANT_BYTES:
        faults["tenant"] = f"must have 1 to {MAX_TENANT_BYTES} bytes"
    if not is_id(entry_id):
        faults["entry_id"] = "must be 32 lower-case hexadecimal characters"
    if not is_id(request_id):
        faults["request_id"] = "must be 32 lower-case hexadecimal characters"
    if event_type not in tuple(EventType):
        faults["event_type"] = f"must be one of {', '.join(EventType)}"
    if not _ACTOR.fullmatch(actor):
        faults["actor"] = "must be a lower-case name of at most 64 characters"
    text = ""
    try:
        text = event_json(event_data)
    except ValueError as error:
        faults["event_data"] = str(error)
    if faults:
        places = "; ".join(f"{name} {fault}" for name, fault in faults.items())
        raise AssayError(INVALID_ARGUMENT, f"The audit event cannot be kept: {places}.", "", faults)
    if len(text) > MAX_EVENT_BYTES:
        raise AssayError(
            RESOURCE_EXHAUSTED,
            f"The audit event's data has {len(text):,} bytes; {MAX_EVENT_BYTES:,} are allowed.",
            "Record a digest and keep the bulk in a frame or an artifact.",
        )
    return Draft(tenant, entry_id, request_id, EventType(event_type), actor, text)
