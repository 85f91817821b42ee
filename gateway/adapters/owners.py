"""Whose things are, and the record of who named another's; implements two ports of the gateway."""

from __future__ import annotations

import hashlib
import time

from sqlalchemy import select

from assay.audit.v1 import audit_service_pb2 as audit_pb
from assay.audit.v1 import audit_service_pb2_grpc
from gateway.adapters.tables import SessionFileRow, SessionRow
from gateway.forwarding import answered
from mesh.chain import EventType, event_json
from mesh.database import Database

HOUR_SECONDS = 3600


class KnownOwners:
    """Sessions and files are looked up in tables, jobs in the log, which has a chain of each.

    Artifacts, frames and recipes are kept by services that tell each tenant of its own alone. Their
    ids are random or digests, so nobody names one by chance: who names one that is not theirs had
    it from somebody, or has deleted it. That counts as another's.
    """

    def __init__(self, database: Database, audit: audit_service_pb2_grpc.AuditServiceStub) -> None:
        self._database = database
        self._audit = audit

    async def is_anothers(self, kind: str, identifier: str, tenant: str) -> bool:
        """Whether something exists that `tenant` was told does not."""
        if kind == "job":
            return await self._is_job(identifier)
        if kind not in ("session", "file"):
            return True
        wanted = select(SessionRow.tenant)
        if kind == "file":
            wanted = wanted.join(
                SessionFileRow, SessionFileRow.session_id == SessionRow.session_id
            ).where(SessionFileRow.file_id == identifier)
        else:
            wanted = wanted.where(SessionRow.session_id == identifier)
        owner = await self._database.reading(lambda transaction: transaction.scalar(wanted))
        return owner is not None and owner != tenant

    async def _is_job(self, job_id: str) -> bool:
        """Whether a chain begins as one of a job does: refused requests have chains too."""
        wanted = audit_pb.ListRequest(request_id=job_id, page_size=1)
        found = (await answered(self._audit.List(wanted), "audit")).entries
        return bool(found) and found[0].event_type == EventType.REQUEST_SUBMITTED


class AuditedTrespasses:
    """Records in a chain of its own who named what of another tenant's.

    Neither in the owner's chain, which strangers must not be able to write to, nor in one that the
    caller chose. Once an hour each, through whichever gateway: guessing does not fill the log.
    """

    def __init__(self, audit: audit_service_pb2_grpc.AuditServiceStub) -> None:
        self._audit = audit

    async def record(self, tenant: str, kind: str, identifier: str) -> None:
        """Append the refusal."""
        chain = _identifier(f"trespass:{tenant}:{kind}:{identifier}")
        entry = audit_pb.NewEntry(
            entry_id=_identifier(f"{chain}:{int(time.time()) // HOUR_SECONDS}"),
            request_id=chain,
            event_type=EventType.POLICY_DECISION,
            event_data_json=event_json(
                {
                    "decision": "refused",
                    "rule": "NOT_FOUND",
                    "reason": f"the {kind} is not the caller's",
                    "caller": tenant,
                    kind: identifier,
                }
            ),
            actor="safety",
        )
        await answered(self._audit.Append(audit_pb.AppendRequest(entries=[entry])), "audit")


def _identifier(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]
