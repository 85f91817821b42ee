"""Records and contents for verification, from audit and executor; implements `Evidence`."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import TYPE_CHECKING

from assay.audit.v1 import audit_service_pb2 as audit_pb
from assay.audit.v1 import audit_service_pb2_grpc
from assay.executor.v1 import executor_service_pb2 as executor_pb
from assay.executor.v1 import executor_service_pb2_grpc
from gateway.audit.chains import chain_entry, listed
from gateway.domain.verification import ChainEntry, InclusionProof, SignedRoot
from gateway.forwarding import streamed
from mesh.errors import RESOURCE_EXHAUSTED, AssayError
from mesh.transport.patience import patient

if TYPE_CHECKING:
    import pyarrow as pa


class MeshEvidence:
    """What audit and executor hold about a job."""

    def __init__(
        self,
        audit: audit_service_pb2_grpc.AuditServiceStub,
        executor: executor_service_pb2_grpc.ExecutorServiceStub,
        most_frame_bytes: int,
    ) -> None:
        self._audit = audit
        self._executor = executor
        self._most_frame_bytes = most_frame_bytes

    async def entries(self, job_id: str) -> AsyncIterator[ChainEntry]:
        """A chain, a page at a time."""
        async for entry in listed(self._audit, job_id):
            yield ChainEntry(chain_entry(entry), entry.leaf_index)

    async def signed_root(self, least_size: int) -> SignedRoot:
        """The newest witnessed checkpoint that is large enough, else the newest."""
        wanted = audit_pb.CheckpointRequest(witnessed_size=least_size)
        made = await patient("audit", self._audit.Checkpoint, wanted)
        return SignedRoot(made.note, made.verifier_key, tuple(made.witness_keys))

    async def inclusion(self, leaf_index: int, tree_size: int) -> InclusionProof:
        """A proof; its root is not used, the signed one is."""
        wanted = audit_pb.InclusionProofRequest(leaf_index=leaf_index, tree_size=tree_size)
        proof = await patient("audit", self._audit.InclusionProof, wanted)
        return InclusionProof(tuple(proof.hashes), proof.tree_size)

    async def artifact_digest(self, content_ref: str) -> str:
        """SHA-256 of an artifact, hashed as it comes."""
        digest = hashlib.sha256()
        call = self._executor.GetArtifact(executor_pb.GetArtifactRequest(content_ref=content_ref))
        async for piece in streamed(call, "executor"):
            digest.update(piece.chunk.data)
        return digest.hexdigest()

    async def damaged_records(
        self, call_ids: Sequence[str], digests: Sequence[str], seals: Mapping[str, str]
    ) -> list[str]:
        """What the executor finds when it reads them."""
        wanted = executor_pb.CheckRecordsRequest(
            call_ids=call_ids, source_digests=digests, seals=seals
        )
        return list((await patient("executor", self._executor.CheckRecords, wanted)).damages)

    async def frame(self, digest: str) -> tuple[pa.Table, str]:
        """A frame and its digest. Raises AssayError(RESOURCE_EXHAUSTED) when it is too large."""
        pieces: list[bytes] = []
        size = 0
        call = self._executor.ReadFrame(executor_pb.ReadFrameRequest(digest=digest))
        async for piece in streamed(call, "executor"):
            size += len(piece.chunk.data)
            if size > self._most_frame_bytes:
                call.cancel()
                raise AssayError(
                    RESOURCE_EXHAUSTED,
                    f"frame {digest[:8]} is larger than {self._most_frame_bytes:,} bytes",
                    hint="Raise ASSAY_GATEWAY_VERIFIED_FRAME_BYTES.",
                )
            pieces.append(piece.chunk.data)
        return await asyncio.to_thread(_decoded, pieces)


def _decoded(pieces: list[bytes]) -> tuple[pa.Table, str]:
    from mesh.digest import frame_digest
    from mesh.frames.codec import read_stream

    rows = read_stream(pieces)
    return rows, frame_digest(rows)
