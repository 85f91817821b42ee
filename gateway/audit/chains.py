"""Audit chains as the audit service lists them: read page by page, turned into what was hashed."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

from pydantic import ValidationError

from assay.audit.v1 import audit_service_pb2 as audit_pb
from assay.audit.v1 import audit_service_pb2_grpc
from assay.common.v1 import audit_pb2
from mesh.proof.chain import AuditEntry, EventType
from mesh.transport.patience import patient

PAGE_ENTRIES = 200


async def listed(
    audit: audit_service_pb2_grpc.AuditServiceStub, request_id: str
) -> AsyncIterator[audit_pb2.AuditEntry]:
    """Every entry of a chain in order, one page held at a time."""
    token = ""
    while True:
        wanted = audit_pb.ListRequest(
            request_id=request_id, page_size=PAGE_ENTRIES, page_token=token
        )
        page = await patient("audit", audit.List, wanted)
        for entry in page.entries:
            yield entry
        token = page.next_page_token
        if not token:
            return


def chain_entry(entry: audit_pb2.AuditEntry) -> AuditEntry:
    """An entry as it is hashed and exported. Raises ValueError saying what is malformed."""
    try:
        return AuditEntry(
            entry_id=entry.entry_id,
            request_id=entry.request_id,
            sequence_number=entry.sequence_number,
            parent_hash=entry.parent_hash,
            timestamp=entry.timestamp,
            event_type=EventType(entry.event_type),
            event_data=json.loads(entry.event_data_json),
            actor=entry.actor,
            hash=entry.hash,
        )
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise ValueError(f"its {field} is malformed: {first['msg']}") from error
    except json.JSONDecodeError as error:
        raise ValueError(f"its event_data is not JSON: {error}") from error
