"""What the audit service does: record, show, prove, publish."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence

from mesh.clock import Clock, SystemClock
from mesh.errors import NOT_FOUND, VERIFICATION_FAILED, AssayError
from mesh.proof.chain import export_jsonl
from mesh.proof.checkpoint import Checkpoint, SigningKey, sign_checkpoint, verify_checkpoint
from mesh.proof.merkle import ProofError, verify_consistency
from services.audit.domain.chaining import no_chain, no_entry
from services.audit.domain.cosigning import cosigned_note, keys_under
from services.audit.domain.draft import Draft, LoggedEntry, Receipt, draft_event
from services.audit.domain.filtering import EntryFilter
from services.audit.domain.lag import Lag
from services.audit.ports import AuditLog, CheckpointStore

_PAGE = 256

MOST_LOOKED_AT = 2_560
"""How many entries one list looks through: a tenant's may lie far apart."""


class Audit:
    """The audit service without its transport. It only ever adds: nothing updates or deletes.

    Proofs and checkpoints hold hashes alone and are for everybody; entries are shown to the
    tenant that wrote them, and a chain of another tenant is NOT_FOUND.
    """

    def __init__(
        self,
        log: AuditLog,
        checkpoints: CheckpointStore,
        key: SigningKey,
        *,
        covered: int = 0,
        clock: Clock | None = None,
        noticed: Callable[[str, str, str], object] = lambda tenant, kind, identifier: None,
    ) -> None:
        """`covered` is the size of the last checkpoint that was published; `noticed` is told of a
        tenant that named another's entry or chain: kind and id."""
        self._log = log
        self._noticed = noticed
        self._checkpoints = checkpoints
        self._key = key
        self._publishing = asyncio.Lock()
        self._clock = clock or SystemClock()
        self._lag = Lag(log.size, covered, self._clock.monotonic())

    @property
    def size(self) -> int:
        """How many entries the log holds."""
        return self._log.size

    @property
    def lag(self) -> tuple[int, float]:
        """Entries that no checkpoint covers, and for how many seconds the oldest has waited."""
        return self._lag.entries, self._lag.seconds(self._clock.monotonic())

    @property
    def verifier_key(self) -> str:
        """The encoded key that checks this log's checkpoints; public."""
        return self._key.verifier.encode()

    async def append(
        self,
        *,
        tenant: str,
        request_id: str,
        event_type: str,
        event_data: dict[str, object],
        actor: str,
        entry_id: str,
    ) -> Receipt:
        """Record one event; returns when it is durable. Repeating it with its id is harmless.

        Raises AssayError INVALID_ARGUMENT, RESOURCE_EXHAUSTED, NOT_FOUND or AUDIT_UNAVAILABLE as
        `draft_event` and `AuditLog.append` do.
        """
        draft = draft_event(
            tenant=tenant,
            entry_id=entry_id,
            request_id=request_id,
            event_type=event_type,
            event_data=event_data,
            actor=actor,
        )
        return (await self.append_many((draft,)))[0]

    async def append_many(self, drafts: Sequence[Draft]) -> list[Receipt]:
        """Record events in order with one sync for all; raises as `append`."""
        try:
            receipts = await self._log.append(drafts)
        except AssayError as error:
            for kind, identifier in error.metadata.items() if error.reason is NOT_FOUND else ():
                self._noticed(drafts[0].tenant, kind, identifier)
            raise
        self._lag.grown(self._log.size, self._clock.monotonic())
        return receipts

    async def entry(self, entry_id: str, *, tenant: str) -> LoggedEntry:
        """One entry. Raises AssayError NOT_FOUND when the tenant has no such entry."""
        logged = await self._log.entry(entry_id)
        if not logged or logged.tenant != tenant:
            if logged:
                self._noticed(tenant, "entry", entry_id)
            raise no_entry(entry_id)
        return logged

    async def entries(
        self, request_id: str, *, tenant: str, after_sequence: int = 0, limit: int | None = None
    ) -> list[LoggedEntry]:
        """Entries of a request's chain behind a sequence number; empty past its end.

        Raises AssayError NOT_FOUND when the tenant has no such chain.
        """
        first = await self._log.chain(request_id, 0, 1)
        if not first or first[0].tenant != tenant:
            if first:
                self._noticed(tenant, "job", request_id)
            raise no_chain(request_id)
        return await self._log.chain(request_id, after_sequence, limit)

    async def export(self, request_id: str, *, tenant: str) -> str:
        """A request's chain as JSON Lines for seed 000's `verify_audit_chain`; raises as
        `entries`."""
        lines: list[str] = []
        page = await self.entries(request_id, tenant=tenant, limit=_PAGE)
        while page:
            lines.append(export_jsonl(logged.entry for logged in page))
            page = await self._log.chain(request_id, page[-1].entry.sequence_number, _PAGE)
        return "".join(lines)

    async def checkpoint(self) -> str:
        """Publish the log's present size and root as a signed note, and return the note.

        Returns the note that is published already when the log has not grown since. Raises
        AssayError VERIFICATION_FAILED rather than sign a log that does not extend the last note.
        """
        async with self._publishing:
            size, began = self._log.size, self._clock.monotonic()
            root = await self._log.root(size)
            latest = await self._checkpoints.latest()
            if latest is not None:
                published = verify_checkpoint(latest, self._key.verifier)
                if (published.size, published.root) == (size, root):
                    self._lag.cover(size, began)
                    return latest
                await self._require_extension(published, size, root)
            note = sign_checkpoint(Checkpoint(self._key.name, size, root), self._key)
            await self._checkpoints.publish(note)
            self._lag.cover(size, began)
            return note

    async def witnessed(self, least_size: int) -> str | None:
        """The largest checkpoint that a witness has cosigned, if it covers so many entries."""
        note = await self._checkpoints.cosigned()
        if note is None or verify_checkpoint(note, self._key.verifier).size < least_size:
            return None
        return note

    async def add_cosignature(self, note: str, witness_key: str) -> str:
        """Put a witness's cosignature under the checkpoint it is for; the note as published now.

        Whether a witness is to be trusted is not decided here: whoever verifies names its key.
        Raises AssayError INVALID_ARGUMENT when this log published no such checkpoint or the
        cosignature does not hold, RESOURCE_EXHAUSTED when there are too many witnesses.
        """
        async with self._publishing:
            known = await self._checkpoints.witness_keys()
            cosigning = cosigned_note(note, witness_key, self._key.verifier, known)
            published = await self._checkpoints.note(cosigning.size)
            merged = cosigning.under(published)
            await self._checkpoints.cosign(merged, cosigning.key)
            return merged

    async def witness_keys(self, note: str) -> list[str]:
        """Encoded keys of the witnesses whose lines stand under a note."""
        return keys_under(note, await self._checkpoints.witness_keys())

    async def leaf_hash(self, leaf_index: int) -> bytes:
        """The Merkle leaf hash of an entry. Raises AssayError NOT_FOUND past the end."""
        return await self._log.leaf_hash(leaf_index)

    async def root(self, size: int) -> bytes:
        """Merkle root of the first `size` entries; raises as `AuditLog.root`."""
        return await self._log.root(size)

    async def inclusion_proof(self, leaf_index: int, size: int) -> list[bytes]:
        """Proof that an entry is in the log at `size`; raises as `AuditLog.inclusion_proof`."""
        return await self._log.inclusion_proof(leaf_index, size)

    async def consistency_proof(self, old_size: int, new_size: int) -> list[bytes]:
        """Proof that the log only grew; raises as `AuditLog.consistency_proof`."""
        return await self._log.consistency_proof(old_size, new_size)

    async def watch(
        self, *, tenant: str, after_leaf: int = -1, request_id: str | None = None
    ) -> AsyncIterator[LoggedEntry]:
        """A tenant's entries behind a leaf, then each new one as soon as it is durable; endless.

        Entries are read from the log as the reader asks for them, so a slow reader costs no
        memory. Resume with the last leaf that was seen.
        """
        next_leaf = after_leaf + 1
        while True:
            page = await self._log.entries(next_leaf, _PAGE)
            for logged in page:
                if logged.tenant == tenant and request_id in (None, logged.entry.request_id):
                    yield logged
            next_leaf += len(page)
            if not page:
                await self._log.wait_beyond(next_leaf)

    async def newest(
        self, tenant: str, wanted: EntryFilter, before: int | None, limit: int
    ) -> tuple[list[LoggedEntry], int]:
        """A tenant's entries that are wanted, newest first, at most `limit` of those before a leaf;
        and the leaf to go on before, 0 where there are no more.

        At most MOST_LOOKED_AT entries are looked at, whosever they are: fewer than `limit` may be
        given where more come after.
        """
        found: list[LoggedEntry] = []
        end = self._log.size if before is None else min(before, self._log.size)
        last = max(0, end - MOST_LOOKED_AT)
        while end > last:
            first = max(last, end - _PAGE)
            for logged in reversed(await self._log.entries(first, end - first)):
                if logged.tenant == tenant and wanted.holds(logged.entry):
                    found.append(logged)
                    if len(found) == limit:
                        return found, logged.leaf_index
            end = first
        return found, end

    async def _require_extension(self, published: Checkpoint, size: int, root: bytes) -> None:
        if not published.size:
            return
        try:
            proof = await self._log.consistency_proof(published.size, size)
            verify_consistency(published.size, size, proof, published.root, root)
        except (ProofError, AssayError) as error:
            raise AssayError(
                VERIFICATION_FAILED,
                f"The log of {size:,} entries does not extend the checkpoint published at "
                f"{published.size:,}: {error}.",
            ) from error
