"""AuditService: the record of the caller's jobs, and its verification."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, nullcontext
from typing import Any

from grpc import aio

from assay.audit.v1 import audit_service_pb2 as audit_pb
from assay.audit.v1 import audit_service_pb2_grpc as audit_grpc
from assay.common.v1 import analysis_pb2, data_pb2, job_pb2
from assay.common.v1 import audit_pb2 as entries_pb2
from assay.gateway.v1 import audit_service_pb2 as pb
from assay.gateway.v1 import audit_service_pb2_grpc
from assay.planner.v1 import planner_service_pb2 as planner_pb
from assay.planner.v1 import planner_service_pb2_grpc
from gateway.admission.strangers import Strangers
from gateway.artifacts.answers import artifacts_of
from gateway.audit.chains import chain_entry, listed
from gateway.audit.recompute import Recomputation
from gateway.audit.verification import Verification
from gateway.domain.session import absent
from gateway.domain.verification import ArtifactRecord, SignedRoot, claimed_size
from gateway.forwarding import answered
from gateway.jobs.preparing import check_source
from gateway.jobs.submitting import Credentials
from mesh.errors import VERIFICATION_FAILED, AssayError
from mesh.ids import parse_id
from mesh.proof.chain import leaf_bytes
from mesh.proof.claims import ClaimRecord
from mesh.transport.patience import hurried, patient

Context = aio.ServicerContext[Any, Any]

EXPORT_PIECE_BYTES = 256 * 1024


class AuditServicer(audit_service_pb2_grpc.AuditServiceServicer):
    """Serves assay.gateway.v1.AuditService.

    The log itself knows no tenants: the planner says first whether a job is the caller's.
    """

    def __init__(
        self,
        planner: planner_service_pb2_grpc.PlannerServiceStub,
        strangers: Strangers,
        audit: audit_grpc.AuditServiceStub,
        verification: Verification,
        recomputation: Recomputation,
        credentials: Credentials,
        local_paths: Callable[[Context], bool],
    ) -> None:
        self._planner = planner
        self._strangers = strangers
        self._audit = audit
        self._verification = verification
        self._recomputation = recomputation
        self._credentials = credentials
        self._local_paths = local_paths

    async def ListEntries(
        self, request: pb.ListEntriesRequest, context: Context
    ) -> pb.ListEntriesResponse:
        """A page of a job's chain."""
        job = await self._job(request.job_id)
        wanted = audit_pb.ListRequest(
            request_id=job.job_id, page_size=request.page_size, page_token=request.page_token
        )
        page = await patient("audit", self._audit.List, wanted)
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
        with hurried("audit") if request.at_once else nullcontext():
            checks = await self._verification.checks(
                job.job_id,
                [_artifact(artifact) for artifact in artifacts_of(job)],
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
        return await self._checkpoint(audit_pb.CheckpointRequest())

    async def ExportProofs(
        self, request: pb.ExportProofsRequest, context: Context
    ) -> AsyncIterator[pb.ExportProofsResponse]:
        """One checkpoint, and every entry's path to its root."""
        job = await self._job(request.job_id)
        placed = [(e.sequence_number, e.leaf_index) async for e in listed(self._audit, job.job_id)]
        size = max((leaf for _, leaf in placed), default=-1) + 1
        checkpoint = await self._checkpoint(audit_pb.CheckpointRequest(witnessed_size=size))
        yield pb.ExportProofsResponse(checkpoint=checkpoint)
        tree_size = claimed_size(SignedRoot(checkpoint.note, checkpoint.verifier_key))
        for sequence_number, leaf in placed:
            wanted = audit_pb.InclusionProofRequest(leaf_index=leaf, tree_size=tree_size)
            proof = await patient("audit", self._audit.InclusionProof, wanted)
            yield pb.ExportProofsResponse(
                proof=pb.EntryProof(
                    sequence_number=sequence_number, leaf_index=leaf, hashes=proof.hashes
                )
            )

    async def RecomputeJob(
        self, request: pb.RecomputeJobRequest, context: Context
    ) -> AsyncIterator[pb.RecomputeJobResponse]:
        """Make the recorded calls again, one after another."""
        job = await self._job(request.job_id)
        local = self._local_paths(context)
        places = [data_pb2.DataSource(connection_string=one) for one in request.connection_strings]
        for number, source in enumerate(places):
            check_source(source, f"connection_strings[{number}]", local)
        await self._credentials.deposit(places, stranger=not local)
        databases = [source.connection_string for source in places]
        async with aclosing(self._recomputation.steps(job.job_id, databases)) as steps:
            async for step in steps:
                answer = pb.RecomputeJobResponse(
                    call_id=step.call_id,
                    task_id=step.task_id,
                    tool_name=step.tool_name,
                    same=not step.detail,
                    deterministic=not step.why_not,
                    why_not=step.why_not,
                    detail=step.detail,
                    recorded_digest=step.recorded_digest,
                    frame_digest=step.frame_digest,
                )
                answer.elapsed.FromNanoseconds(int(step.seconds * 1e9))
                yield answer

    async def AddCosignature(
        self, request: pb.AddCosignatureRequest, context: Context
    ) -> pb.AddCosignatureResponse:
        """A witness's line under a checkpoint; it tells nothing about any job."""
        wanted = audit_pb.AddCosignatureRequest(note=request.note, witness_key=request.witness_key)
        kept = await patient("audit", self._audit.AddCosignature, wanted)
        return pb.AddCosignatureResponse(note=kept.note)

    async def GetInclusionProof(
        self, request: pb.GetInclusionProofRequest, context: Context
    ) -> pb.GetInclusionProofResponse:
        """Where an entry of the job is in the tree, and the proof of it."""
        job = await self._job(request.job_id)
        entry = await self._entry(job.job_id, request.sequence_number)
        wanted = audit_pb.InclusionProofRequest(leaf_index=entry.leaf_index)
        proof = await patient("audit", self._audit.InclusionProof, wanted)
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
        proof = await patient("audit", self._audit.ConsistencyProof, wanted)
        return pb.GetConsistencyProofResponse(hashes=proof.hashes, new_size=proof.new_size)

    async def _checkpoint(self, wanted: audit_pb.CheckpointRequest) -> pb.GetCheckpointResponse:
        made = await patient("audit", self._audit.Checkpoint, wanted)
        return pb.GetCheckpointResponse(
            note=made.note, verifier_key=made.verifier_key, witness_keys=made.witness_keys
        )

    async def _job(self, job_id: str) -> job_pb2.Job:
        wanted = planner_pb.GetJobRequest(job_id=parse_id(job_id, "job_id"))
        with self._strangers.noticing("job", wanted.job_id):
            return (await answered(self._planner.GetJob(wanted), "planner")).job

    async def _entry(self, job_id: str, sequence_number: int) -> entries_pb2.AuditEntry:
        async for entry in listed(self._audit, job_id):
            if entry.sequence_number == sequence_number:
                return entry
        raise absent("entry", str(sequence_number))


def _line(entry: entries_pb2.AuditEntry) -> bytes:
    try:
        return leaf_bytes(chain_entry(entry)) + b"\n"
    except ValueError as error:
        raise AssayError(
            VERIFICATION_FAILED, f"entry {entry.sequence_number} cannot be exported: {error}"
        ) from error


def _artifact(artifact: analysis_pb2.Artifact) -> ArtifactRecord:
    return ArtifactRecord(artifact.artifact_id, artifact.content_ref, artifact.content_hash)


def _claim(claim: analysis_pb2.Claim) -> ClaimRecord:
    return ClaimRecord(
        claim_id=claim.claim_id,
        value=claim.value,
        text=claim.text,
        frame_digest=claim.frame_digest,
        row=claim.row,
        column=claim.column,
        call_id=claim.call_id,
        unit=claim.unit,
    )
