"""The audit log over gRPC, as the planner's Audit port."""

from __future__ import annotations

import json
from collections.abc import Sequence

import grpc

from assay.audit.v1 import audit_service_pb2 as pb
from assay.audit.v1 import audit_service_pb2_grpc as pb_grpc
from mesh.failpoint import failpoint
from mesh.status import from_rpc_error
from services.planner.ports import AuditEvent

PEER = "audit"


class RemoteAudit:
    """Appends to the log; nothing may be reported as done when this raises."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub = pb_grpc.AuditServiceStub(channel)

    async def append(self, request_id: str, events: Sequence[AuditEvent]) -> int:
        """Append in order; returns the chain's length."""
        entries = [
            pb.NewEntry(
                entry_id=event.entry_id,
                request_id=request_id,
                event_type=event.event_type,
                event_data_json=json.dumps(event.event_data, sort_keys=True),
                actor=event.actor,
            )
            for event in events
        ]
        try:
            answer = await self._stub.Append(pb.AppendRequest(entries=entries))
        except grpc.RpcError as error:
            raise from_rpc_error(error, PEER) from error
        failpoint(f"planner: {events[-1].event_type}, appended")
        return answer.receipts[-1].sequence_number

    async def length(self, request_id: str) -> int:
        """Entries in a chain."""
        total, token = 0, ""
        while True:
            try:
                answer = await self._stub.List(
                    pb.ListRequest(request_id=request_id, page_token=token)
                )
            except grpc.RpcError as error:
                raise from_rpc_error(error, PEER) from error
            total += len(answer.entries)
            token = answer.next_page_token
            if not token:
                return total
