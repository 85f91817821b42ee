"""The record of who was refused, of keys and of decisions on definitions: in the audit log."""

from __future__ import annotations

from assay.audit.v1 import audit_service_pb2 as audit_pb
from assay.audit.v1 import audit_service_pb2_grpc
from gateway.domain.api_key import ApiKey
from gateway.domain.definition import Definition, DefinitionState
from gateway.domain.refusal import Refusal
from mesh.digest import sha256_hex
from mesh.ids import derived_id
from mesh.proof.chain import EventType, event_json
from mesh.transport.patience import patient


class AuditedAccess:
    """Implements `gateway.ports.AccessLog`."""

    def __init__(self, audit: audit_service_pb2_grpc.AuditServiceStub) -> None:
        self._audit = audit

    async def record_refusal(self, refusal: Refusal, hour: int) -> None:
        """Append once an hour, whichever gateway refused; a chain for each tenant and rule."""
        chain = derived_id("refused", refusal.tenant, refusal.rule)
        sentences = {
            "decision": "refused",
            "rule": refusal.rule,
            "reason": refusal.reason,
            "from": refusal.host,
            "method": refusal.method,
        }
        texts = {name: text for name, text in sentences.items() if text}
        entry_id = derived_id(chain, str(hour), *(f"{name}={texts[name]}" for name in texts))
        await self._append(chain, entry_id, texts)

    async def record_key(self, rule: str, key: ApiKey, by: str) -> None:
        """Append once for each key and rule; a chain for each key."""
        chain = derived_id("api key", key.key_id)
        texts = {
            "decision": "allowed",
            "rule": rule,
            "reason": "a key was made" if rule == "TOKEN_CREATED" else "a key was revoked",
            "key": key.key_id,
            "user": key.user,
            "role": key.role.word,
            "expires_at": key.expires_at.isoformat(),
            "by": by,
        }
        await self._append(chain, derived_id(chain, rule), texts)

    async def record_definition(self, definition: Definition, by: str) -> None:
        """Append once for each definition and state; a chain for each definition."""
        chain = derived_id("definition", definition.definition_id)
        decision = definition.decision
        texts = {
            "decision": "allowed" if definition.state is DefinitionState.APPROVED else "refused",
            "rule": f"DEFINITION_{definition.state.upper()}",
            "reason": (decision.reason if decision else "") or "a person decided",
            "definition": definition.definition_id,
            "subjects": ", ".join(definition.subjects),
            "model_sha256": sha256_hex(definition.model.encode()),
            "version": str(decision.version if decision else 0),
            "proposed_by": definition.proposed_by,
            "by": by,
        }
        await self._append(chain, derived_id(chain, definition.state), texts)

    async def _append(self, chain: str, entry_id: str, texts: dict[str, str]) -> None:
        entry = audit_pb.NewEntry(
            entry_id=entry_id,
            request_id=chain,
            event_type=EventType.POLICY_DECISION.value,
            event_data_json=event_json(texts),
            actor="safety",
        )
        await patient("audit", self._audit.Append, audit_pb.AppendRequest(entries=[entry]))
