"""The audit log over gRPC, as the planner's Audit port."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Sequence

import grpc

from assay.audit.v1 import audit_service_pb2 as pb
from assay.audit.v1 import audit_service_pb2_grpc as pb_grpc
from mesh.errors import TIMEOUT, Kind
from mesh.processes.failpoint import failpoint
from mesh.transport.patience import patient
from mesh.transport.status import from_rpc_error
from services.planner.ports import AuditEvent

PEER = "audit"
_COUNT_SECONDS = 0.4

log = logging.getLogger("assay.planner")


class RemoteAudit:
    """Appends to the log; nothing may be reported as done when this raises.

    A service that is away is waited for (mesh.transport.patience): entries carry ids, so a call
    whose answer was lost is repeated safely. One that answers that it cannot record
    (AUDIT_UNAVAILABLE) is not asked again.
    """

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
        answer = await patient(PEER, self._stub.Append, pb.AppendRequest(entries=entries))
        failpoint(f"planner: {events[-1].event_type}, appended")
        return int(answer.receipts[-1].sequence_number)

    async def publish(self) -> None:
        """Have the log's present root signed and published."""
        failpoint("planner: checkpoint, unpublished")
        try:
            await self._stub.Checkpoint(pb.CheckpointRequest())
        except grpc.RpcError as error:
            raise from_rpc_error(error, PEER) from error
        failpoint("planner: checkpoint, published")

    async def length(self, request_id: str) -> int | None:
        """Entries in a chain; None where the log does not say at once: nobody waits for a count.

        Raises AssayError(NOT_FOUND) for another tenant's chain.
        """
        try:
            async with asyncio.timeout(_COUNT_SECONDS):
                return await self._counted(request_id)
        except TimeoutError:
            return None
        except grpc.RpcError as error:
            failure = from_rpc_error(error, PEER)
            if failure.reason.kind is not Kind.UNAVAILABLE and failure.reason is not TIMEOUT:
                raise failure from error
            log.info("entries of job %s were not counted: %s", request_id, failure)
            return None

    async def _counted(self, request_id: str) -> int:
        total, token = 0, ""
        while True:
            answer = await self._stub.List(pb.ListRequest(request_id=request_id, page_token=token))
            total += len(answer.entries)
            token = answer.next_page_token
            if not token:
                return total
