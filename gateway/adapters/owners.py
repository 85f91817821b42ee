"""Whose things are, and the record of who named another's; implements two ports of the gateway."""

from __future__ import annotations

from sqlalchemy import Select, select

from assay.audit.v1 import audit_service_pb2 as audit_pb
from assay.audit.v1 import audit_service_pb2_grpc
from gateway.adapters.board_tables import BoardRow, PinRow
from gateway.adapters.conversation_tables import RouterRow
from gateway.adapters.publication_tables import PublicationRow
from gateway.adapters.tables import DefinitionRow, SessionFileRow, SessionRow
from gateway.forwarding import answered
from mesh.errors import NOT_FOUND, AssayError
from mesh.storage.database import Database
from mesh.transport.trespass import Trespass


class KnownOwners:
    """Sessions, files, conversations, publications, boards and definitions are looked up in tables.
    Jobs are looked up in the log, which has a chain of each, and itself records who asks for
    another's.

    Artifacts, frames and recipes are kept by services that tell each tenant of its own alone. Their
    ids are random or digests, so nobody names one by chance: who names one that is not theirs had
    it from somebody, or has deleted it. That counts as another's.
    """

    def __init__(self, database: Database, audit: audit_service_pb2_grpc.AuditServiceStub) -> None:
        self._database = database
        self._audit = audit

    async def is_anothers(self, kind: str, identifier: str, tenant: str) -> bool:
        """Whether something exists that `tenant` was told does not, and nobody else records it."""
        if kind == "job":
            await self._ask_for(identifier)
            return False
        if kind == "conversation":
            wanted = select(RouterRow.tenant).where(RouterRow.router_id == identifier)
            return await self._is_other(wanted, tenant)
        if kind == "publication":
            wanted = select(PublicationRow.tenant).where(
                PublicationRow.publication_id == identifier
            )
            return await self._is_other(wanted, tenant)
        if kind == "board":
            wanted = select(BoardRow.tenant).where(BoardRow.board_id == identifier)
            return await self._is_other(wanted, tenant)
        if kind == "pin":
            wanted = select(PinRow.tenant).where(PinRow.pin_id == identifier)
            return await self._is_other(wanted, tenant)
        if kind == "definition":
            named = select(DefinitionRow.tenant).where(DefinitionRow.definition_id == identifier)
            return await self._is_other(named, tenant)
        if kind not in ("session", "file"):
            return True
        wanted = select(SessionRow.tenant)
        if kind == "file":
            wanted = wanted.join(
                SessionFileRow, SessionFileRow.session_id == SessionRow.session_id
            ).where(SessionFileRow.file_id == identifier)
        else:
            wanted = wanted.where(SessionRow.session_id == identifier)
        return await self._is_other(wanted, tenant)

    async def _is_other(self, wanted: Select[str], tenant: str) -> bool:
        owner = await self._database.reading(lambda transaction: transaction.scalar(wanted))
        return owner is not None and owner != tenant

    async def _ask_for(self, job_id: str) -> None:
        """Ask for a job's chain in the caller's name; the log notices whose it is."""
        try:
            wanted = audit_pb.ListRequest(request_id=job_id, page_size=1)
            await answered(self._audit.List(wanted), "audit")
        except AssayError as error:
            if error.reason is not NOT_FOUND:
                raise


class AuditedTrespasses:
    """Records who named what of another tenant's."""

    def __init__(self, audit: audit_service_pb2_grpc.AuditServiceStub) -> None:
        self._audit = audit

    async def record(self, tenant: str, kind: str, identifier: str) -> None:
        """Append the refusal."""
        record = Trespass(tenant, kind, identifier).record()
        entry = audit_pb.NewEntry(**record._asdict())
        await answered(self._audit.Append(audit_pb.AppendRequest(entries=[entry])), "audit")
