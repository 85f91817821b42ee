"""AuditService: the contract's methods, each a call of one use case."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp
from grpc import aio

from assay.audit.v1 import audit_service_pb2 as pb
from assay.audit.v1 import audit_service_pb2_grpc as pb_grpc
from assay.common.v1 import audit_pb2, operation_pb2
from mesh.context import current
from mesh.digest import sha256_hex
from mesh.errors import INVALID_ARGUMENT, AssayError
from mesh.paging import keys_of, page_size, token_of
from mesh.processes.failpoint import failpoint
from mesh.proof.chain import EventType, chain_json
from mesh.storage.files import folder_size
from mesh.text.json_text import read_json
from services.audit.app import Audit
from services.audit.domain.draft import Draft, LoggedEntry, Receipt, draft_event
from services.audit.domain.filtering import EntryFilter

Context = aio.ServicerContext[Any, Any]
_PAGE = 1_000


class AuditServicer(pb_grpc.AuditServiceServicer):
    """Turns messages into use cases and back, always for the calling tenant."""

    def __init__(self, audit: Audit, folder: Path) -> None:
        """`folder` is where the log lies."""
        self._audit = audit
        self._folder = folder

    async def Append(self, request: pb.AppendRequest, context: Context) -> pb.AppendResponse:
        """Durable when this returns."""
        if not request.entries:
            raise AssayError(
                INVALID_ARGUMENT, "there is nothing to append", fields={"entries": "is empty"}
            )
        receipts = await self._audit.append_many([_draft(entry) for entry in request.entries])
        failpoint("audit: append, unanswered")
        return pb.AppendResponse(receipts=[_receipt(receipt) for receipt in receipts])

    async def Get(self, request: pb.GetRequest, context: Context) -> pb.GetResponse:
        """One entry."""
        entry = await self._audit.entry(request.entry_id, tenant=current().tenant)
        return pb.GetResponse(entry=_entry(entry))

    async def List(self, request: pb.ListRequest, context: Context) -> pb.ListResponse:
        """A page of a chain."""
        size = page_size(request.page_size, _PAGE, _PAGE)
        listing = f"entries:{request.request_id}"
        keys = keys_of(listing, request.page_token, (int,))
        after = int(keys[0]) if keys else 0
        found = await self._audit.entries(
            request.request_id, tenant=current().tenant, after_sequence=after, limit=size + 1
        )
        page = found[:size]
        more = ""
        if len(found) > size:
            more = token_of(listing, (page[-1].entry.sequence_number,))
        return pb.ListResponse(entries=[_entry(item) for item in page], next_page_token=more)

    async def Checkpoint(
        self, request: pb.CheckpointRequest, context: Context
    ) -> pb.CheckpointResponse:
        """The newest signed root, or the newest witnessed one that is large enough."""
        size = request.witnessed_size
        note = await self._audit.witnessed(size) if size else None
        note = note or await self._audit.checkpoint()
        return pb.CheckpointResponse(
            note=note,
            verifier_key=self._audit.verifier_key,
            witness_keys=await self._audit.witness_keys(note),
        )

    async def AddCosignature(
        self, request: pb.AddCosignatureRequest, context: Context
    ) -> pb.AddCosignatureResponse:
        """One more witness under a checkpoint."""
        note = await self._audit.add_cosignature(request.note, request.witness_key)
        return pb.AddCosignatureResponse(note=note)

    async def InclusionProof(
        self, request: pb.InclusionProofRequest, context: Context
    ) -> pb.InclusionProofResponse:
        """The path from a leaf to the root."""
        size = request.tree_size or self._audit.size
        return pb.InclusionProofResponse(
            hashes=await self._audit.inclusion_proof(request.leaf_index, size),
            tree_size=size,
            root=await self._audit.root(size),
        )

    async def ConsistencyProof(
        self, request: pb.ConsistencyProofRequest, context: Context
    ) -> pb.ConsistencyProofResponse:
        """That a tree continues an older one."""
        size = request.new_size or self._audit.size
        hashes = await self._audit.consistency_proof(request.old_size, size)
        return pb.ConsistencyProofResponse(hashes=hashes, new_size=size)

    async def ListTenantEntries(
        self, request: pb.ListTenantEntriesRequest, context: Context
    ) -> pb.ListTenantEntriesResponse:
        """The tenant's, newest first, each page from where the last looked to."""
        size = page_size(request.page_size, 100, 200)
        wanted = _filter(request)
        kinds, *rest_of_it = wanted
        listing = f"newest:{sha256_hex(repr((sorted(kinds), rest_of_it)).encode())[:16]}"
        keys = keys_of(listing, request.page_token, (int,))
        before = int(keys[0]) if keys else None
        found, rest = await self._audit.newest(current().tenant, wanted, before, size)
        more = token_of(listing, (rest,)) if rest else ""
        return pb.ListTenantEntriesResponse(entries=map(_entry, found), next_page_token=more)

    async def GetStorage(
        self, request: pb.GetStorageRequest, context: Context
    ) -> pb.GetStorageResponse:
        """The log, which all tenants share."""
        _, size = await asyncio.to_thread(folder_size, self._folder)
        log = operation_pb2.StorageUse(
            kind=operation_pb2.STORAGE_KIND_LOG,
            service="audit",
            items=self._audit.size,
            bytes=size,
        )
        return pb.GetStorageResponse(whole=[log])

    async def Watch(
        self, request: pb.WatchRequest, context: Context
    ) -> AsyncIterator[pb.WatchResponse]:
        """The tenant's entries as they come."""
        async for item in self._audit.watch(
            tenant=current().tenant, after_leaf=request.from_leaf_index - 1
        ):
            yield pb.WatchResponse(entry=_entry(item))


def _filter(request: pb.ListTenantEntriesRequest) -> EntryFilter:
    known = {kind.value: kind for kind in EventType}
    if unknown := [name for name in request.event_types if name not in known]:
        raise AssayError(
            INVALID_ARGUMENT,
            f"there is no event type {unknown[0]!r}",
            fields={"event_types": f"must be some of {', '.join(known)}"},
        )
    return EntryFilter(
        frozenset(known[name] for name in request.event_types),
        _moment(request.since, "since") if request.HasField("since") else None,
        _moment(request.until, "until") if request.HasField("until") else None,
        request.user,
    )


def _moment(stamp: Timestamp, field: str) -> datetime:
    """A time of the contract. Raises AssayError(INVALID_ARGUMENT) where it can be none."""
    try:
        return stamp.ToDatetime(tzinfo=UTC)
    except (ValueError, OverflowError) as error:
        raise AssayError(
            INVALID_ARGUMENT, f"{field} is no time", fields={field: "must be a time"}
        ) from error


def _draft(entry: pb.NewEntry) -> Draft:
    return draft_event(
        tenant=current().tenant,
        entry_id=entry.entry_id,
        request_id=entry.request_id,
        event_type=entry.event_type,
        event_data=read_json(entry.event_data_json, "entries.event_data_json"),
        actor=entry.actor,
    )


def _receipt(receipt: Receipt) -> pb.Receipt:
    stamp = Timestamp()
    stamp.FromDatetime(datetime.fromisoformat(receipt.timestamp))
    return pb.Receipt(
        entry_id=receipt.entry_id,
        sequence_number=receipt.sequence_number,
        leaf_index=receipt.leaf_index,
        hash=receipt.hash,
        timestamp=stamp,
    )


def _entry(item: LoggedEntry) -> audit_pb2.AuditEntry:
    entry = item.entry
    return audit_pb2.AuditEntry(
        entry_id=entry.entry_id,
        request_id=entry.request_id,
        sequence_number=entry.sequence_number,
        parent_hash=entry.parent_hash,
        timestamp=entry.timestamp,
        event_type=entry.event_type.value,
        event_data_json=chain_json(entry.event_data),
        actor=entry.actor,
        hash=entry.hash,
        leaf_index=item.leaf_index,
    )
