"""The audit service, as far as the executor tells it something."""

from __future__ import annotations

from assay.audit.v1 import audit_service_pb2, audit_service_pb2_grpc
from mesh.transport.patience import patient
from mesh.transport.trespass import Record


class AuditLog:
    """Appends to the log."""

    def __init__(self, stub: audit_service_pb2_grpc.AuditServiceStub) -> None:
        self._stub = stub

    async def append(self, record: Record) -> None:
        """Append a record. Raises AssayError."""
        entry = audit_service_pb2.NewEntry(**record._asdict())
        wanted = audit_service_pb2.AppendRequest(entries=[entry])
        await patient("audit", self._stub.Append, wanted)
