"""An audit service in memory, behind the real contract."""

from __future__ import annotations

import asyncio
from typing import Any

from grpc import aio

from assay.audit.v1 import audit_service_pb2 as audit_pb
from assay.audit.v1 import audit_service_pb2_grpc
from assay.common.v1 import audit_pb2
from gateway.audit.chains import chain_entry
from mesh import context as calls
from mesh.errors import NOT_FOUND, AssayError
from mesh.ids import new_id
from mesh.proof.chain import GENESIS_HASH, chain_json, entry_hash, leaf_bytes
from mesh.proof.checkpoint import Checkpoint, SigningKey, sign_checkpoint
from mesh.proof.merkle import inclusion_proof, leaf_hash, root_of
from mesh.transport.trespass import Trespass

Context = aio.ServicerContext[Any, Any]


class FakeAudit(audit_service_pb2_grpc.AuditServiceServicer):
    """A log of one tree with pages of three entries, so that every chain spans several."""

    def __init__(self) -> None:
        self.entries: list[audit_pb2.AuditEntry] = []
        self.owners: dict[str, str] = {}
        self.key = SigningKey.generate("assay-test")
        self.signer = self.key
        self.hanging = ""
        """The method that does not answer."""

    async def _answers(self, method: str) -> None:
        if method == self.hanging:
            await asyncio.Event().wait()

    def append(
        self, request_id: str, event_type: str, data: dict[str, Any], tenant: str = "ann"
    ) -> audit_pb2.AuditEntry:
        self.owners.setdefault(request_id, tenant)
        chain = [entry for entry in self.entries if entry.request_id == request_id]
        parent = chain[-1].hash if chain else GENESIS_HASH
        stamp, text = "2026-03-01T12:00:00.000000Z", chain_json(data)
        entry = audit_pb2.AuditEntry(
            entry_id=new_id(),
            request_id=request_id,
            sequence_number=len(chain) + 1,
            parent_hash=parent,
            timestamp=stamp,
            event_type=event_type,
            event_data_json=text,
            actor="planner",
            hash=entry_hash(parent, stamp, event_type, text),
            leaf_index=len(self.entries),
        )
        self.entries.append(entry)
        return entry

    async def Append(
        self, request: audit_pb.AppendRequest, context: Context
    ) -> audit_pb.AppendResponse:
        known = {entry.entry_id for entry in self.entries}
        for new in request.entries:
            if new.entry_id not in known:
                text, caller = {"text": new.event_data_json}, calls.current().tenant
                entry = self.append(new.request_id, new.event_type, text, caller)
                entry.entry_id = new.entry_id
        return audit_pb.AppendResponse()

    async def List(self, request: audit_pb.ListRequest, context: Context) -> audit_pb.ListResponse:
        await self._answers("List")
        chain = [entry for entry in self.entries if entry.request_id == request.request_id]
        caller = calls.current().tenant
        if chain and caller != self.owners[request.request_id]:
            record = Trespass(caller, "job", request.request_id).record()
            await self.Append(
                audit_pb.AppendRequest(entries=[audit_pb.NewEntry(**record._asdict())]), context
            )
            raise AssayError(NOT_FOUND, "There is no request.")
        start = int(request.page_token or 0)
        more = str(start + 3) if len(chain) > start + 3 else ""
        return audit_pb.ListResponse(entries=chain[start : start + 3], next_page_token=more)

    async def Checkpoint(
        self, request: audit_pb.CheckpointRequest, context: Context
    ) -> audit_pb.CheckpointResponse:
        await self._answers("Checkpoint")
        checkpoint = Checkpoint("assay-test", len(self.entries), root_of(self._leaves()))
        return audit_pb.CheckpointResponse(
            note=sign_checkpoint(checkpoint, self.signer), verifier_key=self.key.verifier.encode()
        )

    async def InclusionProof(
        self, request: audit_pb.InclusionProofRequest, context: Context
    ) -> audit_pb.InclusionProofResponse:
        await self._answers("InclusionProof")
        leaves = self._leaves()
        size = request.tree_size or len(leaves)
        if request.leaf_index >= size:
            raise AssayError(NOT_FOUND, f"a log of {size} entries has no leaf {request.leaf_index}")
        hashes = inclusion_proof(
            request.leaf_index,
            size,
            lambda level, index: root_of(leaves[index << level : (index + 1) << level]),
        )
        return audit_pb.InclusionProofResponse(
            hashes=hashes, tree_size=size, root=root_of(leaves[:size])
        )

    async def ConsistencyProof(
        self, request: audit_pb.ConsistencyProofRequest, context: Context
    ) -> audit_pb.ConsistencyProofResponse:
        return audit_pb.ConsistencyProofResponse(hashes=[b"\x01" * 32], new_size=request.new_size)

    def _leaves(self) -> list[bytes]:
        return [leaf_hash(leaf_bytes(chain_entry(entry))) for entry in self.entries]
