"""The audit service over real gRPC: many callers at once, and a log that refuses."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
import pytest_asyncio

from assay.audit.v1 import audit_service_pb2 as pb
from assay.audit.v1 import audit_service_pb2_grpc as pb_grpc
from mesh.config import MeshSettings, load
from mesh.errors import AUDIT_UNAVAILABLE, AssayError
from mesh.ids import new_id
from mesh.proof.chain import export_jsonl, parse_leaf, verify_chain
from mesh.proof.checkpoint import VerifierKey, verify_checkpoint
from mesh.proof.merkle import leaf_hash, verify_inclusion
from mesh.transport.dial import open_channel
from mesh.transport.seal import seal_of
from mesh.transport.server import running
from services.audit.app import Audit
from services.audit.domain.draft import Draft, Receipt
from services.audit.fsck import check_log
from services.audit.service import AuditService
from tests.mesh.support import refusal

CALLERS, EACH, CHAINS = 64, 5, 7
CALLED = "tool_called"


@pytest_asyncio.fixture
async def served() -> AsyncIterator[MeshSettings]:
    """The service on a socket; in a short folder, because a socket's path must be short."""
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        address = f"unix:{folder}/audit.sock"
        settings = load(MeshSettings, home=Path(folder), audit_address=address)
        async with running([AuditService], settings, address):
            yield settings


def an_entry(request_id: str, caller: int, number: int) -> pb.NewEntry:
    return pb.NewEntry(
        entry_id=new_id(),
        request_id=request_id,
        event_type=CALLED,
        event_data_json=json.dumps({"caller": caller, "number": number}),
        actor="actor",
    )


async def append(settings: MeshSettings, requests: list[str], caller: int) -> list[pb.Receipt]:
    """One caller, on a connection of its own."""
    async with open_channel(settings.audit_address, "ann", seal=seal_of(settings)) as channel:
        stub = pb_grpc.AuditServiceStub(channel)
        receipts: list[pb.Receipt] = []
        for number in range(EACH):
            entry = an_entry(requests[caller % CHAINS], caller, number)
            answer = await stub.Append(pb.AppendRequest(entries=[entry]))
            receipts += answer.receipts
        return receipts


async def leaf_of(stub: pb_grpc.AuditServiceStub, entry_id: str) -> bytes:
    entry = (await stub.Get(pb.GetRequest(entry_id=entry_id))).entry
    fields = {
        "actor": entry.actor,
        "entry_id": entry.entry_id,
        "event_data": json.loads(entry.event_data_json),
        "event_type": entry.event_type,
        "hash": entry.hash,
        "parent_hash": entry.parent_hash,
        "request_id": entry.request_id,
        "sequence_number": entry.sequence_number,
        "timestamp": entry.timestamp,
    }
    return json.dumps(fields, sort_keys=True).encode()


async def test_64_concurrent_appends_over_grpc_are_contiguous_unique_and_provable(
    served: MeshSettings,
) -> None:
    requests = [new_id() for _ in range(CHAINS)]
    told = await asyncio.gather(*(append(served, requests, caller) for caller in range(CALLERS)))
    receipts = [receipt for one in told for receipt in one]
    total = CALLERS * EACH
    assert sorted(receipt.leaf_index for receipt in receipts) == list(range(total))
    for one in told:
        assert [r.sequence_number for r in one] == sorted(r.sequence_number for r in one)

    async with AsyncExitStack() as stack:
        channel = await stack.enter_async_context(
            open_channel(served.audit_address, "ann", seal=seal_of(served))
        )
        stub = pb_grpc.AuditServiceStub(channel)
        published = await stub.Checkpoint(pb.CheckpointRequest())
        root = verify_checkpoint(published.note, VerifierKey.parse(published.verifier_key))
        assert root.size == total
        leaves = {receipt.entry_id: await leaf_of(stub, receipt.entry_id) for receipt in receipts}
        for receipt in receipts:
            proof = await stub.InclusionProof(
                pb.InclusionProofRequest(leaf_index=receipt.leaf_index, tree_size=root.size)
            )
            leaf = leaf_hash(leaves[receipt.entry_id])
            verify_inclusion(leaf, receipt.leaf_index, root.size, proof.hashes, root.root)
        for request_id in requests:
            listed = await stub.List(pb.ListRequest(request_id=request_id))
            chain = [parse_leaf(leaves[entry.entry_id]) for entry in listed.entries]
            assert verify_chain(chain) is None
            assert [entry.sequence_number for entry in chain] == list(range(1, len(chain) + 1))
            assert len(export_jsonl(chain).splitlines()) == len(chain)
    assert check_log(served.home / "audit" / "log").fault is None


async def test_a_log_that_says_why_it_cannot_record_is_asked_once(
    served: MeshSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    async def refuse(self: Audit, drafts: Sequence[Draft]) -> list[Receipt]:
        asked.append(drafts)
        raise AssayError(AUDIT_UNAVAILABLE, "The audit log cannot grow.")

    monkeypatch.setattr(Audit, "append_many", refuse)
    refused = await refusal(append(served, [new_id()] * CHAINS, 0))
    assert refused.reason is AUDIT_UNAVAILABLE
    assert len(asked) == 1
