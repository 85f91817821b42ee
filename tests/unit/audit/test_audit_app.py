"""The audit service shows entries to their tenant, and proves the log to everybody."""

from __future__ import annotations

import asyncio
import json
import stat
import uuid
from pathlib import Path
from typing import Any

import pytest

from mesh.errors import (
    AUDIT_UNAVAILABLE,
    INVALID_ARGUMENT,
    NOT_FOUND,
    RESOURCE_EXHAUSTED,
    VERIFICATION_FAILED,
    AssayError,
)
from mesh.proof.chain import parse_leaf, verify_chain
from mesh.proof.checkpoint import SigningKey, VerifierKey, verify_checkpoint
from mesh.proof.merkle import leaf_hash, verify_consistency, verify_inclusion
from services.audit.adapters.checkpoints import CheckpointFolder
from services.audit.adapters.key_file import load_or_make_key
from services.audit.adapters.memory_log import MemoryLog
from services.audit.app import Audit
from services.audit.domain.draft import Receipt
from services.audit.ports import AuditLog

ORIGIN = "assay.test/audit"
REQUEST = "a" * 32


def service(tmp_path: Path, log: AuditLog | None = None) -> Audit:
    key = load_or_make_key(tmp_path / "secret" / "log.key", ORIGIN)
    store = CheckpointFolder(tmp_path / "published", key.verifier)
    return Audit(log or MemoryLog(), store, key)


@pytest.fixture
def audit(tmp_path: Path) -> Audit:
    return service(tmp_path)


async def record(audit: Audit, **changes: Any) -> Receipt:
    event: dict[str, Any] = {
        "tenant": "t1",
        "request_id": REQUEST,
        "event_type": "policy_decision",
        "event_data": {"decision": "allow", "rule": "columns", "reason": "none is blocked"},
        "actor": "safety",
        "entry_id": uuid.uuid4().hex,
    }
    return await audit.append(**(event | changes))


def public_key(audit: Audit) -> VerifierKey:
    return VerifierKey.parse(audit.verifier_key)


async def test_an_export_is_the_chain_and_every_line_is_a_leaf(audit: Audit) -> None:
    receipts = [await record(audit) for _ in range(3)]
    lines = (await audit.export(REQUEST, tenant="t1")).splitlines()
    assert verify_chain([parse_leaf(line.encode()) for line in lines]) is None
    checkpoint = verify_checkpoint(await audit.checkpoint(), public_key(audit))
    for line, receipt in zip(lines, receipts, strict=True):
        assert json.loads(line)["hash"] == receipt.hash
        leaf = leaf_hash(line.encode())
        assert leaf == await audit.leaf_hash(receipt.leaf_index)
        proof = await audit.inclusion_proof(receipt.leaf_index, checkpoint.size)
        verify_inclusion(leaf, receipt.leaf_index, checkpoint.size, proof, checkpoint.root)


async def test_a_long_chain_is_exported_whole(audit: Audit) -> None:
    for _ in range(600):
        await record(audit)
    lines = (await audit.export(REQUEST, tenant="t1")).splitlines()
    assert [json.loads(line)["sequence_number"] for line in lines] == list(range(1, 601))


async def test_another_tenants_request_is_not_found(audit: Audit) -> None:
    await record(audit)
    receipt = await record(audit)
    for ask in (
        audit.export(REQUEST, tenant="t2"),
        audit.export("b" * 32, tenant="t1"),
        audit.entries("no id", tenant="t1"),
        audit.entry(receipt.entry_id, tenant="t2"),
        audit.entry("no id", tenant="t1"),
    ):
        with pytest.raises(AssayError) as caught:
            await ask
        assert caught.value.reason is NOT_FOUND


async def test_the_tenant_is_not_in_the_export(audit: Audit) -> None:
    await record(audit, tenant="acme-secret-project")
    assert "acme" not in await audit.export(REQUEST, tenant="acme-secret-project")


async def test_every_bad_field_is_named_at_once(audit: Audit) -> None:
    with pytest.raises(AssayError) as caught:
        await record(
            audit,
            tenant="",
            request_id="A" * 32,
            event_type="coffee_made",
            event_data={"x": float("nan")},
            actor="Some One",
            entry_id="1",
        )
    assert caught.value.reason is INVALID_ARGUMENT
    assert set(caught.value.fields) == {
        "tenant",
        "request_id",
        "event_type",
        "event_data",
        "actor",
        "entry_id",
    }


async def test_bulk_does_not_belong_in_the_log(audit: Audit) -> None:
    with pytest.raises(AssayError) as caught:
        await record(audit, event_data={"rows": "x" * (1 << 20)})
    assert caught.value.reason is RESOURCE_EXHAUSTED
    assert audit.size == 0


async def test_checkpoints_follow_the_log_and_prove_that_it_only_grew(audit: Audit) -> None:
    await record(audit)
    first = verify_checkpoint(await audit.checkpoint(), public_key(audit))
    assert await audit.checkpoint() == await audit.checkpoint()
    for _ in range(4):
        await record(audit)
    second = verify_checkpoint(await audit.checkpoint(), public_key(audit))
    assert (first.size, second.size) == (1, 5)
    proof = await audit.consistency_proof(1, 5)
    verify_consistency(1, 5, proof, first.root, second.root)


async def test_an_empty_log_has_a_checkpoint_and_grows_past_it(audit: Audit) -> None:
    assert verify_checkpoint(await audit.checkpoint(), public_key(audit)).size == 0
    await record(audit)
    assert verify_checkpoint(await audit.checkpoint(), public_key(audit)).size == 1


@pytest.mark.parametrize("entries", [1, 2, 5])
async def test_a_log_that_does_not_extend_its_checkpoint_is_never_signed(
    tmp_path: Path, entries: int
) -> None:
    before = service(tmp_path)
    for _ in range(2):
        await record(before)
    note = await before.checkpoint()
    replaced = service(tmp_path)
    for _ in range(entries):
        await record(replaced)
    with pytest.raises(AssayError) as caught:
        await replaced.checkpoint()
    assert caught.value.reason is VERIFICATION_FAILED
    assert (tmp_path / "published" / "checkpoint").read_text() == note


async def test_a_watcher_gets_the_past_then_the_present_and_can_resume(audit: Audit) -> None:
    for _ in range(3):
        await record(audit)
    await record(audit, tenant="t2", request_id="b" * 32)
    watching = audit.watch(tenant="t1", after_leaf=0)
    seen = [(await anext(watching)).leaf_index for _ in range(2)]
    coming = asyncio.ensure_future(anext(watching))
    await asyncio.wait([coming], timeout=0)
    assert not coming.done()
    await record(audit)
    seen.append((await coming).leaf_index)
    assert seen == [1, 2, 4]


async def test_the_key_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "log.key"
    key = load_or_make_key(path, ORIGIN)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert load_or_make_key(path, ORIGIN) == key
    path.chmod(0o644)
    with pytest.raises(AssayError) as caught:
        load_or_make_key(path, ORIGIN)
    assert caught.value.reason is AUDIT_UNAVAILABLE
    assert "chmod 600" in caught.value.remedy


async def test_a_key_of_another_log_is_refused(tmp_path: Path) -> None:
    load_or_make_key(tmp_path / "log.key", "assay.test/other")
    with pytest.raises(AssayError, match="signs for"):
        load_or_make_key(tmp_path / "log.key", ORIGIN)


async def test_a_checkpoint_by_a_strange_key_is_not_believed(tmp_path: Path) -> None:
    audit = service(tmp_path)
    await record(audit)
    await audit.checkpoint()
    stranger = CheckpointFolder(tmp_path / "published", SigningKey.generate(ORIGIN).verifier)
    with pytest.raises(AssayError) as caught:
        stranger.published()
    assert caught.value.reason is VERIFICATION_FAILED
