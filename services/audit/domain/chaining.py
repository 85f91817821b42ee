"""How drafts become chained entries, several callers' at a time.

Pure: what is already in the log is handed in, and nothing is written. The log makes a `Batch`
durable as a whole or throws it away, so a sequence number is never lost or given twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from mesh.errors import INVALID_ARGUMENT, NOT_FOUND, AssayError
from mesh.proof.chain import GENESIS_HASH, chain_json, entry_hash
from services.audit.domain.draft import Draft, LoggedEntry, Receipt


def no_chain(request_id: str) -> AssayError:
    """For whoever has no such chain, whether or not another tenant has."""
    shown = request_id[:40]
    return AssayError(NOT_FOUND, f"There is no request {shown}.", metadata={"job": request_id})


def no_entry(entry_id: str) -> AssayError:
    """For whoever has no such entry, whether or not another tenant has."""
    shown = entry_id[:40]
    return AssayError(NOT_FOUND, f"There is no audit entry {shown}.", metadata={"entry": entry_id})


class ChainHead(NamedTuple):
    """The last entry of a request's chain, and whose chain it is."""

    tenant: str
    sequence_number: int
    hash: str


class NewEntry(NamedTuple):
    """A draft in its place, with the exact bytes that the Merkle tree hashes."""

    draft: Draft
    receipt: Receipt
    leaf: bytes


class Batch:
    """Entries chained one after another that will become durable together.

    `logged` holds whichever of the drafts' ids are in the log already; `head` gives the end of a
    request's chain, or None before it has begun.
    """

    def __init__(
        self,
        logged: Mapping[str, LoggedEntry],
        head: Callable[[str], ChainHead | None],
        first_leaf: int,
        timestamp: str,
    ) -> None:
        self._logged = logged
        self._head = head
        self._first_leaf = first_leaf
        self._timestamp = timestamp
        self._by_id: dict[str, NewEntry] = {}
        self.new: list[NewEntry] = []
        self.heads: dict[str, ChainHead] = {}

    def add(self, drafts: Sequence[Draft]) -> list[Receipt]:
        """Chain one caller's drafts, all or none, and return where each stands.

        A draft whose entry_id is in the log already adds nothing and gets the first receipt.
        Raises AssayError INVALID_ARGUMENT when the id stands for another event, and NOT_FOUND
        when the id or the request's chain belongs to another tenant.
        """
        kept, heads = len(self.new), dict(self.heads) if len(drafts) > 1 else self.heads
        try:
            return [self._add(draft) for draft in drafts]
        except Exception:
            for entry in self.new[kept:]:
                del self._by_id[entry.draft.entry_id]
            del self.new[kept:]
            self.heads = heads
            raise

    def _add(self, draft: Draft) -> Receipt:
        pending = self._by_id.get(draft.entry_id)
        if pending:
            return _require_same(draft, pending.draft, pending.receipt)
        logged = self._logged.get(draft.entry_id)
        if logged:
            return _require_same(draft, _draft_of(logged), logged.receipt)
        head = self.heads.get(draft.request_id) or self._head(draft.request_id)
        if head and head.tenant != draft.tenant:
            raise no_chain(draft.request_id)
        new = self._chain(draft, head)
        receipt = new.receipt
        self.new.append(new)
        self._by_id[draft.entry_id] = new
        self.heads[draft.request_id] = ChainHead(
            draft.tenant, receipt.sequence_number, receipt.hash
        )
        return receipt

    def _chain(self, draft: Draft, head: ChainHead | None) -> NewEntry:
        parent_hash, last = (head.hash, head.sequence_number) if head else (GENESIS_HASH, 0)
        own_hash = entry_hash(parent_hash, self._timestamp, draft.event_type, draft.event_json)
        leaf_index = self._first_leaf + len(self.new)
        receipt = Receipt(draft.entry_id, last + 1, leaf_index, self._timestamp, own_hash)
        return NewEntry(draft, receipt, _leaf(draft, receipt, parent_hash))


def _leaf(draft: Draft, receipt: Receipt, parent_hash: str) -> bytes:
    """`mesh.proof.chain.leaf_bytes`, written around the data's JSON that is at hand already."""
    return (
        f'{{"actor": "{draft.actor}", "entry_id": "{draft.entry_id}", '
        f'"event_data": {draft.event_json}, "event_type": "{draft.event_type}", '
        f'"hash": "{receipt.hash}", "parent_hash": "{parent_hash}", '
        f'"request_id": "{draft.request_id}", "sequence_number": {receipt.sequence_number}, '
        f'"timestamp": "{receipt.timestamp}"}}'
    ).encode("ascii")


def _draft_of(logged: LoggedEntry) -> Draft:
    entry = logged.entry
    return Draft(
        logged.tenant,
        entry.entry_id,
        entry.request_id,
        entry.event_type,
        entry.actor,
        chain_json(entry.event_data),
    )


def _require_same(draft: Draft, earlier: Draft, receipt: Receipt) -> Receipt:
    if draft == earlier:
        return receipt
    if draft.tenant != earlier.tenant:
        raise no_entry(draft.entry_id)
    raise AssayError(
        INVALID_ARGUMENT,
        f"The entry id {draft.entry_id} already stands for another event.",
        "Give every event an id of its own, and repeat an event only unchanged.",
        {"entry_id": "already stands for another event"},
    )
