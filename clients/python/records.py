"""The record over the wire: checkpoints, proofs, and calls made again."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from assay.gateway.v1 import audit_service_pb2 as pb
from assay.gateway.v1.audit_service_pb2_grpc import AuditServiceStub
from clients.python.calls import answered, streamed


class Records:
    """What a mesh keeps of what it did, for those who check it. Every method raises AssayError."""

    def __init__(self, audit: AuditServiceStub) -> None:
        self._audit = audit

    async def verify(self, job_id: str, *, at_once: bool = False) -> pb.VerifyJobResponse:
        """Check a job's chain, its place in the tree, its artifacts and its claims.

        With `at_once` a record that cannot be asked now is not waited for: SERVICE_UNAVAILABLE.
        """
        request = pb.VerifyJobRequest(job_id=job_id, at_once=at_once)
        return await answered(self._audit.VerifyJob(request))

    async def chain(self, job_id: str) -> AsyncGenerator[bytes]:
        """The audit chain as JSON Lines, in pieces of whole lines."""
        request = pb.ExportChainRequest(job_id=job_id)
        async with aclosing(streamed(self._audit.ExportChain(request))) as responses:
            async for response in responses:
                yield response.data

    async def proofs(self, job_id: str) -> AsyncGenerator[pb.ExportProofsResponse]:
        """A checkpoint that covers the job, then the proof of every entry against it."""
        request = pb.ExportProofsRequest(job_id=job_id)
        async with aclosing(streamed(self._audit.ExportProofs(request))) as responses:
            async for response in responses:
                yield response

    async def recompute(
        self, job_id: str, databases: Sequence[str] = ()
    ) -> AsyncGenerator[pb.RecomputeJobResponse]:
        """Have the recorded calls made again; what each gave, as it comes.

        `databases` are the addresses of the job's databases, in its order: a mesh keeps none.
        """
        request = pb.RecomputeJobRequest(job_id=job_id, connection_strings=databases)
        async with aclosing(streamed(self._audit.RecomputeJob(request))) as responses:
            async for response in responses:
                yield response

    async def checkpoint(self) -> pb.GetCheckpointResponse:
        """The newest signed root."""
        return await answered(self._audit.GetCheckpoint(pb.GetCheckpointRequest()))

    async def consistency(self, old_size: int, new_size: int) -> list[bytes]:
        """The proof that the larger tree continues the smaller."""
        request = pb.GetConsistencyProofRequest(old_size=old_size, new_size=new_size)
        return list((await answered(self._audit.GetConsistencyProof(request))).hashes)

    async def add_cosignature(self, note: str, witness_key: str) -> str:
        """Hand a witness's cosignature over; the note as it is published then."""
        request = pb.AddCosignatureRequest(note=note, witness_key=witness_key)
        return (await answered(self._audit.AddCosignature(request))).note
