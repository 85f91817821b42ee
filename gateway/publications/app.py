"""What the gateway does with publications: check, keep, show, take back."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from gateway.admission.strangers import Strangers
from gateway.domain.publication import (
    Publication,
    PublishedFrame,
    Revocation,
    check_failures,
    reason_of,
)
from gateway.domain.session import absent
from gateway.ports import PublicationLog
from gateway.store_ports import PublicationStore
from mesh import context as calls
from mesh.clock import Clock
from mesh.digest import sha256_hex
from mesh.errors import ID_REUSED, INVALID_ARGUMENT, AssayError
from mesh.prose.checking import CheckedText
from mesh.text.page import read_page

Check = Callable[[str, Mapping[str, str], str], Awaitable[tuple[CheckedText, Mapping[str, str]]]]
"""What a text, with its frames and session, says that does not hold, and its frames' jobs."""


@dataclass(frozen=True, slots=True)
class Draft:
    """What a caller wants published under an id of theirs, and the SHA-256 of its page."""

    publication_id: str
    text: str
    page_sha256: str
    frames: Mapping[str, str] = field(default_factory=dict)
    session_id: str = ""
    accepted: Mapping[str, str] = field(default_factory=dict)


class Publications:
    """The use cases of PublicationService, for the caller of the running call."""

    def __init__(
        self,
        store: PublicationStore,
        check: Check,
        record: PublicationLog,
        strangers: Strangers,
        clock: Clock,
    ) -> None:
        self._store = store
        self._check = check
        self._record = record
        self._strangers = strangers
        self._clock = clock

    async def publish(self, draft: Draft, page: bytes) -> Publication:
        """Keep a page whose text holds. It is on record before anybody can find it.

        Raises AssayError: TEXT_FAILS, PAGE_UNSAFE, ID_REUSED, NOT_FOUND, STORAGE_EXCEEDED,
        INVALID_ARGUMENT.
        """
        if sha256_hex(page) != draft.page_sha256:
            raise AssayError(
                INVALID_ARGUMENT,
                "the page is not the one that was announced, or broke off",
                hint="Send the page again, with the SHA-256 of its bytes.",
                fields={"head.page_sha256": "not the SHA-256 of what followed"},
            )
        accepted = {
            name: reason_of(reason, f"head.accepted[{name}]")
            for name, reason in draft.accepted.items()
        }
        read = await asyncio.to_thread(read_page, page)
        with self._strangers.noticing("publication", draft.publication_id):
            await self._store.require_room(calls.current().tenant, draft.publication_id)
        found, jobs = await self._check(draft.text, draft.frames, draft.session_id)
        check_failures(found.failures, accepted)
        caller = calls.current()
        new = Publication(
            publication_id=draft.publication_id,
            tenant=caller.tenant,
            title=read.title,
            published_at=self._clock.now(),
            published_by=caller.user,
            session_id=draft.session_id,
            frames=tuple(
                PublishedFrame(name, jobs[name], accepted.get(name, "")) for name in found.frames
            ),
            page_sha256=draft.page_sha256,
            text_sha256=sha256_hex(draft.text.encode()),
            page_bytes=len(page),
        )
        return await self._kept(new, read.html, draft.text)

    async def _kept(self, new: Publication, page: str, text: str) -> Publication:
        earlier = await self._store.get(new.tenant, new.publication_id)
        if earlier is None:
            await self._record.record_published(new)
            with self._strangers.noticing("publication", new.publication_id):
                earlier = await self._store.add(new, page, text)
        if not earlier.is_same(new):
            raise AssayError(
                ID_REUSED,
                f"request id {new.publication_id} was used before, for another page",
                fields={"head.request_id": "stands for another publication already"},
            )
        return earlier

    async def get(self, publication_id: str) -> tuple[Publication, str, str]:
        """A publication of the caller's, its page and its text: none of one that was revoked.

        Raises AssayError(NOT_FOUND).
        """
        found = await self._found(publication_id)
        if found.revocation is not None:
            return found, "", ""
        page, text = await self._store.content(found.tenant, publication_id)
        # It may have been revoked since.
        return (found, page, text) if page else (await self._found(publication_id), "", "")

    async def page(self, size: int, token: str) -> tuple[list[Publication], str]:
        """The tenant's publications, newest first, and the token of the next page."""
        return await self._store.page(calls.current().tenant, size, token)

    async def revoke(self, publication_id: str, reason: str) -> Publication:
        """Take a publication back; the first time counts. Raises AssayError: NOT_FOUND,
        INVALID_ARGUMENT.

        It ends first and is recorded then: repeating a call that failed records it.
        """
        caller = calls.current()
        revocation = Revocation(self._clock.now(), caller.user, reason_of(reason, "reason"))
        with self._strangers.noticing("publication", publication_id):
            ended = await self._store.revoke(caller.tenant, publication_id, revocation)
            if ended is None:
                raise absent("publication", publication_id)
        await self._record.record_revoked(ended)
        return ended

    async def _found(self, publication_id: str) -> Publication:
        with self._strangers.noticing("publication", publication_id):
            found = await self._store.get(calls.current().tenant, publication_id)
            if found is None:
                raise absent("publication", publication_id)
        return found
