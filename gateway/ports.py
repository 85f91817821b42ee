"""What the gateway needs from the outside, as protocols its use cases are written against."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime
from typing import Protocol

import pyarrow as pa

from gateway.domain.recompute import Replayed
from gateway.domain.session import (
    JobOutcome,
    NewFile,
    Session,
    SessionFile,
    SessionJob,
    SessionStatus,
    StoredContent,
)
from gateway.domain.verification import ChainEntry, InclusionProof, SignedRoot
from mesh.recorded import RecordedCall


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

    async def start_job(self, tenant: str, session_id: str, job_id: str) -> None:
        """Make `job_id` the session's newest job, and the session running."""
        ...

    async def end_job(
        self, tenant: str, session_id: str, job_id: str, status: SessionStatus, report_ready: bool
    ) -> Session:
        """Record how the newest job ended; changes nothing when another job came after it."""
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

    async def unsettled_jobs(self) -> list[SessionJob]:
        """Jobs of all tenants of which the executor may hold more than is wanted."""
        ...

    async def settle_job(self, job: SessionJob) -> None:
        """Note that no more of a job is held than `job.keeping` says.

        Without effect when less is wanted by now; with nothing kept the job is forgotten.
        """
        ...


class FileStore(Protocol):
    """Files of sessions in tables, with reference counts for their contents (seed 004)."""

    async def add(self, tenant: str, file: NewFile, most_files: int, hold_id: str) -> SessionFile:
        """Put a file into a session, and end the hold on its content.

        Content the tenant had stored before is referred to once more. The same content under the
        same name in the same session is the file that is there already. Raises AssayError:
        NOT_FOUND, MAX_FILES_EXCEEDED, SERVICE_UNAVAILABLE when the hold ran out.
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


class Sources(Protocol):
    """The executor's store of files."""

    async def put(
        self, name: str, max_bytes: int, pieces: AsyncIterator[bytes], *, frame: bool
    ) -> StoredContent:
        """Store a file as its pieces arrive; a `frame` need not be one that can be asked about.

        Raises AssayError: FILE_TOO_LARGE, INVALID_FILE_TYPE, NO_HEADERS, and whatever `pieces`
        raises; nothing is stored then.
        """
        ...

    async def delete(self, digest: str) -> None:
        """Delete a stored file; one that is gone already is no error."""
        ...


class Documents(Protocol):
    """Memory, as far as sessions are concerned."""

    async def forget(self, session_id: str) -> None:
        """Delete all documents of a session."""
        ...


class Jobs(Protocol):
    """The planner, as far as sessions are concerned."""

    async def outcome(self, job_id: str) -> JobOutcome:
        """How a job of the caller stands; one that is not known has ended without an answer."""
        ...

    async def cancel(self, job_id: str) -> None:
        """Stop a job of the caller; without effect on one that has ended."""
        ...


class Results(Protocol):
    """What the executor keeps of jobs: frames, artifacts and records of calls."""

    async def release(self, job_id: str, frames: frozenset[str] | None) -> None:
        """Let everything of a job go; with `frames`, all but its artifacts and those digests.

        Repeating it changes nothing.
        """
        ...


class Owners(Protocol):
    """Whose things are."""

    async def is_anothers(self, kind: str, identifier: str, tenant: str) -> bool:
        """Whether something that `tenant` was told does not exist does, for somebody else.

        Where nobody can tell, it counts as another's: see the implementation.
        """
        ...


class Trespasses(Protocol):
    """The record of those who named what is another tenant's."""

    async def record(self, tenant: str, kind: str, identifier: str) -> None:
        """Append a refusal. Raises AssayError when the log is away."""
        ...


class Evidence(Protocol):
    """The records and contents that a verification reads; each content is read once."""

    def entries(self, job_id: str) -> AsyncIterator[ChainEntry]:
        """A job's chain in order of sequence. Raises ValueError for a malformed entry."""
        ...

    async def signed_root(self, least_size: int) -> SignedRoot:
        """A checkpoint of at least so many entries: one that a witness cosigned, if there is."""
        ...

    async def inclusion(self, leaf_index: int, tree_size: int) -> InclusionProof:
        """The proof that a leaf is in the tree of that size."""
        ...

    async def artifact_digest(self, content_ref: str) -> str:
        """SHA-256 of an artifact's bytes. Raises AssayError when it cannot be read."""
        ...

    async def frame(self, digest: str) -> tuple[pa.Table, str]:
        """A frame's rows with the digest they have. Raises AssayError when it cannot be read."""
        ...


class Replay(Protocol):
    """The executor, as far as making recorded calls again is concerned."""

    async def source_digests(self, job_id: str, databases: Sequence[str]) -> list[str]:
        """SHA-256 of each source of the job as it is now; `databases` are their addresses.

        Raises AssayError when one is gone, INVALID_ARGUMENT when not all addresses were given.
        """
        ...

    async def not_deterministic(self) -> Mapping[str, str]:
        """Tools that do not promise equal results for equal calls, with why."""
        ...

    async def run(
        self, job_id: str, databases: Sequence[str], call: RecordedCall, inputs: Mapping[str, str]
    ) -> Replayed:
        """Make a recorded call again under an id of its own, on frames by step and digest."""
        ...
