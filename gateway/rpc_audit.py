"""AuditService: the record of the caller's jobs, and its verification."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from grpc import aio

from assay.audit.v1 import audit_service_pb2 as audit_pb
from assay.audit.v1 import audit_service_pb2_grpc as audit_grpc
from assay.common.v1 import job_pb2
from assay.gateway.v1 import audit_service_pb2 as pb
from assay.gateway.v1 import audit_service_pb2_grpc
from assay.planner.v1 import planner_service_pb2 as planner_pb
from assay.planner.v1 import planner_service_pb2_grpc
from gateway.app_verification import Verification
from gateway.chains import chain_entry, listed
from gateway.domain.references import job_reference
from gateway.domain.session import absent
from gateway.domain.verification import ArtifactRecord, ClaimRecord
from gateway.forwarding import answered
from mesh.chain import leaf_bytes
from mesh.errors import VERIFICATION_FAILED, AssayError

Context = aio.ServicerContext[Any, Any]

EXPORT_PIECE_BYTES = 256 * 1024


class AuditServicer(audit_service_pb2_grpc.AuditServiceServicer):
    """Serves assay.gateway.v1.AuditService.

    The log itself knows no tenants: the planner says first whether a job is the caller's.
    """

    def __init__(
        self,
        planner: planner_service_pb2_grpc.PlannerServiceStub,
        audit: audit_grpc.AuditServiceStub,
        verification: Verification,
    ) -> None:
        self._planner = planner
        self._audit = audit
        self._verification = verification

    async def ListEntries(
        self, request: pb.ListEntriesRequest, context: Context
    ) -> pb.ListEntriesResponse:
        """A page of a job's chain."""
        job = await self._job(request.job_id)
        wanted = audit_pb.ListRequest(
            request_id=job.job_id, page_size=request.page_size, page_token=request.page_token
        )
        page = await answered(self._audit.List(wanted), "audit")
        return pb.ListEntriesResponse(entries=page.entries, next_page_token=page.next_page_token)

    async def ExportChain(
        self, request: pb.ExportChainRequest, context: Context
    ) -> AsyncIterator[pb.ExportChainResponse]:
        """The chain as JSON Lines; each line is the entry's leaf in the tree, byte for byte."""
        job = await self._job(request.job_id)
        lines = bytearray()
        async for entry in listed(self._audit, job.job_id):
            lines += _line(entry)
            if len(lines) >= EXPORT_PIECE_BYTES:
                yield pb.ExportChainResponse(data=bytes(lines))
                lines.clear()
        if lines:
            yield pb.ExportChainResponse(data=bytes(lines))

    async def VerifyJob(
        self, request: pb.VerifyJobRequest, context: Context
    ) -> pb.VerifyJobResponse:
        """Check chain, tree, artifacts and claims, in this order, up to the first that fails."""
        job = await self._job(request.job_id)
        checks = await self._verification.checks(
            job.job_id,
            [_artifact(artifact) for artifact in job.answer.artifacts],
            [_claim(claim) for claim in job.answer.claims],
        )
        return pb.VerifyJobResponse(
            checks=[
                pb.Check(name=check.name, ok=check.ok, detail=check.detail) for check in checks
            ],
            ok=all(check.ok for check in checks),
        )

    async def GetCheckpoint(
        self, request: pb.GetCheckpointRequest, context: Context
    ) -> pb.GetCheckpointResponse:
        """The newest signed root; it tells nothing about any job."""
        made = await answered(self._audit.Checkpoint(audit_pb.CheckpointRequest()), "audit")
        return pb.GetCheckpointResponse(note=made.note, verifier_key=made.verifier_key)

    async def GetInclusionProof(
        self, request: pb.GetInclusionProofRequest, context: Context
    ) -> pb.GetInclusionProofResponse:
        """Where an entry of the job is in the tree, and the proof of it."""
        job = await self._job(request.job_id)
        entry = await self._entry(job.job_id, request.sequence_number)
        wanted = audit_pb.InclusionProofRequest(leaf_index=entry.leaf_index)
        proof = await answered(self._audit.InclusionProof(wanted), "audit")
        return pb.GetInclusionProofResponse(
            leaf_index=entry.leaf_index,
            hashes=proof.hashes,
            tree_size=proof.tree_size,
            root=proof.root,
        )

    async def GetConsistencyProof(
        self, request: pb.GetConsistencyProofRequest, context: Context
    ) -> pb.GetConsistencyProofResponse:
        """How the tree grew; it tells nothing about any job."""
        wanted = audit_pb.ConsistencyProofRequest(
            old_size=request.old_size, new_size=request.new_size
        )
        proof = await answered(self._audit.ConsistencyProof(wanted), "audit")
        return pb.GetConsistencyProofResponse(hashes=proof.hashes, new_size=proof.new_size)

    async def _job(self, job_id: str) -> job_pb2.Job:
        wanted = planner_pb.GetJobRequest(job_id=job_reference(job_id))
        return (await answered(self._planner.GetJob(wanted), "planner")).job

    async def _entry(self, job_id: str, sequence_number: int) -> audit_pb.Entry:
        async for entry in listed(self._audit, job_id):
            if entry.sequence_number == sequence_number:
                return entry
        raise absent("entry", str(sequence_number))


def _line(entry: audit_pb.Entry) -> bytes:
    try:
        return leaf_bytes(chain_entry(entry)) + b"\n"
    except ValueError as error:
        raise AssayError(
            VERIFICATION_FAILED, f"entry {entry.sequence_number} cannot be exported: {error}"
        ) from error


def _artifact(artifact: job_pb2.Artifact) -> ArtifactRecord:
    return ArtifactRecord(artifact.artifact_id, artifact.content_ref, artifact.content_hash)


def _claim(claim: job_pb2.Claim) -> ClaimRecord:
    return ClaimRecord(
        claim_id=claim.claim_id,
        value=claim.value,
        text=claim.text,
        frame_digest=claim.frame_digest,
        row=claim.row,
        column=claim.column,
        call_id=claim.call_id,
    )
