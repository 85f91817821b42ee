"""Where sessions and their files are kept, as protocols."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from gateway.domain.api_key import ApiKey
from gateway.domain.definition import Decision, Definition, DefinitionState
from gateway.domain.known_source import KnownSource
from gateway.domain.publication import Publication, Revocation
from gateway.domain.session import (
    Keeping,
    NewFile,
    Session,
    SessionFile,
    SessionJob,
)
from gateway.domain.sign_in import SignIn
from gateway.domain.standing import Seen
from gateway.domain.storage import Kept, KeptOfTenant


class SessionStore(Protocol):
    """Sessions in tables; every method is one transaction, every query names the tenant."""

    async def create(self, session: Session) -> Session:
        """Store a new session; an existing id returns the stored one.

        Raises AssayError(NOT_FOUND) when the id is another tenant's.
        """
        ...

    async def get(self, tenant: str, session_id: str) -> Session:
        """Raises AssayError(NOT_FOUND)."""
        ...

    async def page(self, tenant: str, size: int, token: str) -> tuple[list[Session], str]:
        """Newest first, and the token of the next page.

        Raises AssayError(INVALID_ARGUMENT) for a token that was never given.
        """
        ...

    async def expect_job(self, tenant: str, session_id: str, job_id: str, now: datetime) -> None:
        """Note, before there is one, that a job will belong to a session. Raises NOT_FOUND."""
        ...

    async def number_frame(self, tenant: str, session_id: str, job_id: str) -> int:
        """The number of the table of a job that is noted in a session: the next of the session,
        once; 0 for one that is noted elsewhere. Raises NOT_FOUND."""
        ...

    async def frames(self, tenant: str, session_id: str) -> dict[int, str]:
        """The jobs of a session whose tables have numbers, by these. Raises NOT_FOUND."""
        ...

    async def retitle(self, tenant: str, session_id: str, title: str, now: datetime) -> Session:
        """Change the title. Raises AssayError(NOT_FOUND, SESSION_EXPIRED)."""
        ...

    async def delete(self, tenant: str, session_id: str) -> list[str]:
        """Delete a session with its files; the digests of contents nobody refers to any more.

        Of its jobs nothing is wanted any more: they are unsettled from then on.
        """
        ...

    async def expired(self, now: datetime) -> list[tuple[str, str]]:
        """(tenant, session id) of every session past its time that still holds something."""
        ...

    async def release(self, tenant: str, session_id: str) -> list[str]:
        """Delete the files of an expired session and mark it; as `delete`, but it stays listed.

        Of its jobs only the proof is wanted any more.
        """
        ...

    async def over(self, before: datetime) -> list[tuple[str, str]]:
        """Tenants and ids of sessions that were released and whose time ended before then."""
        ...

    async def age_jobs(self, before: datetime, keeping: Keeping) -> None:
        """Of jobs without a session noted before then, want no more than `keeping` any more."""
        ...

    async def unsettled_jobs(self) -> list[SessionJob]:
        """Jobs of all tenants of which the executor may hold more than is wanted."""
        ...

    async def settle_job(self, job: SessionJob) -> None:
        """Note that no more of a job is held than `job.keeping` says.

        Without effect when less is wanted by now; with nothing kept the job is forgotten.
        """
        ...


class KnownSourceStore(Protocol):
    """Sources under the names that tenants gave them; every method is one transaction."""

    async def add(self, known: KnownSource) -> KnownSource:
        """Store a source, or give the one that the tenant has under its name already."""
        ...

    async def replace(self, known: KnownSource) -> KnownSource:
        """Put another description in place of that which the name stands for, if it still does."""
        ...

    async def get(self, tenant: str, name: str) -> KnownSource | None:
        """The tenant's source of that name."""
        ...

    async def page(self, tenant: str, size: int, token: str) -> tuple[list[KnownSource], str]:
        """By name, and the token of the next page.

        Raises AssayError(INVALID_ARGUMENT) for a token that was never given.
        """
        ...

    async def remove(self, tenant: str, name: str) -> bool:
        """Forget a source; whether there was one."""
        ...


class FileStore(Protocol):
    """Files of sessions in tables, with reference counts for their contents (seed 004)."""

    async def require_room(self, tenant: str) -> None:
        """Raises AssayError(STORAGE_EXCEEDED) when a tenant's files are as large as they may be."""
        ...

    async def add(self, tenant: str, file: NewFile, most_files: int, hold_id: str) -> SessionFile:
        """Put a file into a session, and end the hold on its content.

        Content the tenant had stored before is referred to once more. The same content under the
        same name in the same session is the file that is there already. Raises AssayError:
        NOT_FOUND, MAX_FILES_EXCEEDED, STORAGE_EXCEEDED, SERVICE_UNAVAILABLE when the hold ran out.
        """
        ...

    async def describe(self, tenant: str, file_id: str, description: str) -> SessionFile:
        """Change the description. Raises AssayError(NOT_FOUND)."""
        ...

    async def get(self, tenant: str, file_id: str) -> SessionFile:
        """Raises AssayError(NOT_FOUND)."""
        ...

    async def of_session(self, tenant: str, session_id: str) -> list[SessionFile]:
        """A session's files, oldest first. Raises AssayError(NOT_FOUND)."""
        ...

    async def page(
        self, tenant: str, session_id: str, size: int, token: str
    ) -> tuple[list[SessionFile], str]:
        """A page of a session's files, oldest first, and the token of the next.

        Raises AssayError: NOT_FOUND, INVALID_ARGUMENT for a token that was never given.
        """
        ...

    async def touch(self, tenant: str, file_ids: list[str], now: datetime) -> None:
        """Note that contents were used."""
        ...

    async def remove(self, tenant: str, file_id: str) -> str:
        """Take a file out of its session; the digest of its content if nobody, of any tenant,
        refers to it any more, else "". Raises AssayError(NOT_FOUND)."""
        ...


class ContentStore(Protocol):
    """Contents that may have to go, and who needs or deletes them; shared by all gateways."""

    async def hold(self, digest: str) -> str:
        """Keep a content, stored or not yet, from being deleted for a while.

        Gives the hold's id; "" while the content is being deleted.
        """
        ...

    async def give_up(self, digest: str, hold_id: str) -> None:
        """End a hold whose upload failed."""
        ...

    async def condemn(self, digest: str, seconds: float) -> bool:
        """Take a content for deletion, which must end within `seconds`.

        False when somebody refers to it, holds it or deletes it already.
        """
        ...

    async def settle(self, digest: str) -> None:
        """Forget a condemned content: it was deleted."""
        ...

    async def unsettled(self) -> list[str]:
        """Digests of contents that were held, condemned or given up, and not settled since."""
        ...


class ApiKeyStore(Protocol):
    """API keys; only `find`, which decides whose a key is, looks beyond one tenant."""

    async def add(self, key: ApiKey) -> None:
        """Store a new key."""
        ...

    async def find(self, key_id: str) -> ApiKey | None:
        """The key of that id, of any tenant."""
        ...

    async def page(self, tenant: str, size: int, token: str) -> tuple[list[ApiKey], str]:
        """A tenant's keys, newest first, and the token of the next page.

        Raises AssayError(INVALID_ARGUMENT) for a token that was never given.
        """
        ...

    async def revoke(self, tenant: str, key_id: str, now: datetime) -> ApiKey | None:
        """End a key; one that was revoked stays as it is. None where the tenant has no such."""
        ...

    async def used(self, key_id: str, now: datetime) -> None:
        """Note that a key was used."""
        ...


class DefinitionStore(Protocol):
    """Definitions in tables; every method is one transaction, every query names the tenant."""

    async def add(self, definition: Definition) -> Definition:
        """Store a new definition; an existing id returns the stored one.

        Raises AssayError(NOT_FOUND) when the id is another tenant's.
        """
        ...

    async def get(self, tenant: str, definition_id: str) -> Definition:
        """Raises AssayError(NOT_FOUND)."""
        ...

    async def page(
        self, tenant: str, state: DefinitionState | None, size: int, token: str
    ) -> tuple[list[Definition], str]:
        """Newest first, and the token of the next page.

        Raises AssayError(INVALID_ARGUMENT) for a token that was never given.
        """
        ...

    async def approved(self, tenant: str, places: Sequence[str]) -> list[Definition]:
        """What is approved of sources that are all at these places (digests), in the order of its
        approval."""
        ...

    async def decide(
        self, tenant: str, definition_id: str, state: DefinitionState, decision: Decision
    ) -> tuple[Definition, list[Definition]]:
        """Put a definition into another state, and retire what it says anew; it, and these.

        A decision that changes what is approved makes the source's next version. Raises
        AssayError: NOT_FOUND, DEFINITION_DECIDED.
        """
        ...


class PublicationStore(Protocol):
    """Publications in tables; every method is one transaction. What is revoked keeps its record
    and loses page and text."""

    async def require_room(self, tenant: str, publication_id: str) -> None:
        """Raises AssayError: NOT_FOUND for an id of another tenant's, STORAGE_EXCEEDED when the
        tenant's files and pages are as large as they may be."""
        ...

    async def add(self, new: Publication, page: str, text: str) -> Publication:
        """Store a publication, or give the one that the tenant has under its id already.

        Raises AssayError: NOT_FOUND for another tenant's id and for a session that is not there,
        STORAGE_EXCEEDED.
        """
        ...

    async def get(self, tenant: str, publication_id: str) -> Publication | None:
        """A publication of the tenant's."""
        ...

    async def content(self, tenant: str, publication_id: str) -> tuple[str, str]:
        """Page and text of a publication of the tenant's that stands; else twice nothing."""
        ...

    async def page(self, tenant: str, size: int, token: str) -> tuple[list[Publication], str]:
        """A tenant's publications, newest first, and the token of the next page.

        Raises AssayError(INVALID_ARGUMENT) for a token that was never given.
        """
        ...

    async def revoke(
        self, tenant: str, publication_id: str, revocation: Revocation
    ) -> Publication | None:
        """Take one back; one that was revoked stays as it is. None where the tenant has no such."""
        ...

    async def revoke_of_session(self, session_id: str, revocation: Revocation) -> None:
        """Take back all of a session that was deleted."""
        ...

    async def revoke_stray(self, revocation: Revocation) -> None:
        """Take back all, of any tenant, whose session is deleted."""
        ...

    async def revoke_before(self, before: datetime, revocation: Revocation) -> None:
        """Take back all, of any tenant, that were published before then."""
        ...


class SignInStore(Protocol):
    """Signed-in browsers of all tenants."""

    async def add(self, sign_in: SignIn) -> None:
        """Store a new one."""
        ...

    async def find(self, sign_in_id: str) -> SignIn | None:
        """The one of that id, over or not."""
        ...

    async def end(self, sign_in_id: str) -> None:
        """Forget one."""
        ...

    async def end_all(self, tenant: str, user: str) -> int:
        """Forget all of a user; returns how many."""
        ...

    async def forget(self, before: datetime) -> None:
        """Forget those whose time ended by then."""
        ...


class StandingStore(Protocol):
    """What is known of people's leave to ask."""

    async def seen(self, tenant: str, user: str) -> Seen | None:
        """When somebody was last here with a signed token."""
        ...

    async def note(self, tenant: str, user: str, seen: Seen) -> None:
        """Note that somebody is here."""
        ...

    async def has_key(self, tenant: str, user: str, now: datetime) -> bool:
        """Whether somebody has a key that is valid and may ask."""
        ...


class StorageFigures(Protocol):
    """How much the gateway keeps."""

    async def of(self, tenant: str) -> KeptOfTenant:
        """What a tenant has, and the first of it to go."""
        ...

    async def whole(self) -> tuple[Kept, Kept]:
        """Files and pages of all tenants; a content that several have is counted with each."""
        ...

    async def database_bytes(self) -> int:
        """How large the database is."""
        ...
