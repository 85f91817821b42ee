"""The record of pages that were published and taken back, in the audit log; implements
`gateway.ports.PublicationLog`."""

from __future__ import annotations

from assay.audit.v1 import audit_service_pb2 as audit_pb
from assay.audit.v1 import audit_service_pb2_grpc
from gateway.domain.publication import Publication
from mesh.ids import derived_id
from mesh.proof.chain import EventType, event_json
from mesh.transport.patience import patient


class AuditedPublications:
    """A chain for each publication, with an entry when it was published and one when revoked."""

    def __init__(self, audit: audit_service_pb2_grpc.AuditServiceStub) -> None:
        self._audit = audit

    async def record_published(self, made: Publication) -> None:
        """Append once what was published, and of which jobs."""
        texts = {
            "reason": "a page was published",
            "by": made.published_by,
            "page_sha256": made.page_sha256,
            "text_sha256": made.text_sha256,
            "jobs": ",".join(one.job_id for one in made.frames),
        }
        for one in made.frames:
            if one.accepted:
                texts[f"accepted {one.name}"] = one.accepted
        await self._append(made, "PAGE_PUBLISHED", texts)

    async def record_revoked(self, ended: Publication) -> None:
        """Append once who took it back, and why."""
        if ended.revocation is not None:
            texts = {
                "reason": "a page was revoked",
                "by": ended.revocation.by,
                "because": ended.revocation.reason,
            }
            await self._append(ended, "PAGE_REVOKED", texts)

    async def _append(self, about: Publication, rule: str, texts: dict[str, str]) -> None:
        chain = derived_id("publication", about.tenant, about.publication_id)
        said = {"decision": "allowed", "rule": rule, "publication": about.publication_id, **texts}
        entry = audit_pb.NewEntry(
            entry_id=derived_id(chain, rule, about.page_sha256),
            request_id=chain,
            event_type=EventType.POLICY_DECISION.value,
            event_data_json=event_json(said),
            actor="safety",
        )
        await patient("audit", self._audit.Append, audit_pb.AppendRequest(entries=[entry]))
