"""The record of alerts that were sent, or could not be, in the audit log; implements
`gateway.boards.ports.AlertLog`."""

from __future__ import annotations

from assay.audit.v1 import audit_service_pb2 as audit_pb
from assay.audit.v1 import audit_service_pb2_grpc
from gateway.boards.ports import Sending
from gateway.domain.board import DeliveryState
from mesh.digest import sha256_hex
from mesh.ids import derived_id
from mesh.proof.chain import EventType, event_json
from mesh.transport.patience import patient


class AuditedAlerts:
    """A chain for each board, with an entry for each alert that left it or could not. A target is
    recorded as its digest: a webhook's address is often a secret."""

    def __init__(self, audit: audit_service_pb2_grpc.AuditServiceStub) -> None:
        self._audit = audit

    async def record(self, one: Sending) -> None:
        """Append once what became of a delivery."""
        sent = one.delivery.state is DeliveryState.SENT
        rule = "ALERT_SENT" if sent else "ALERT_FAILED"
        chain = derived_id("board", one.board.tenant, one.board.board_id)
        said = {
            "decision": "allowed",
            "rule": rule,
            "reason": "an alert was sent" if sent else "an alert could not be sent",
            "board": one.board.board_id,
            "pin": one.alert.pin_id,
            "run": one.alert.run_id,
            "alert": one.alert.kind.value,
            "channel": one.delivery.channel,
            "target_sha256": sha256_hex(one.delivery.target.encode()),
            "attempts": str(one.delivery.attempts),
        }
        if one.delivery.why:
            said["because"] = one.delivery.why
        entry = audit_pb.NewEntry(
            entry_id=derived_id(chain, rule, one.delivery.delivery_id),
            request_id=chain,
            event_type=EventType.POLICY_DECISION.value,
            event_data_json=event_json(said),
            actor="safety",
        )
        await patient("audit", self._audit.Append, audit_pb.AppendRequest(entries=[entry]))
