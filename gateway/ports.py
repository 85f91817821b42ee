"""What the gateway needs from the outside, as protocols its use cases are written against."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from gateway.domain.api_key import ApiKey
from gateway.domain.publication import Publication
from gateway.domain.recompute import Replayed
from gateway.domain.refusal import Refusal
from gateway.domain.session import (
    JobCounts,
    JobOutcome,
    StoredContent,
)
from gateway.domain.sign_in import Attempt
from gateway.domain.verification import ChainEntry, InclusionProof, SignedRoot
from mesh.context import Principal
from mesh.proof.recorded import RecordedCall

if TYPE_CHECKING:
    import pyarrow as pa


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

    async def counts(self, session_ids: Sequence[str]) -> Mapping[str, JobCounts]:
        """Jobs of the caller's sessions, each with its counts. Raises AssayError."""
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

    async def damaged_records(
        self, call_ids: Sequence[str], digests: Sequence[str], seals: Mapping[str, str]
    ) -> list[str]:
        """What is not as it was written, in words, of records of calls and of sources by digest,
        nor as their seals in the chain say."""
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

    async def findings(
        self, job_id: str, databases: Sequence[str], statement: str, question: str
    ) -> list[tuple[str, str]]:
        """What checks find in a statement over the job's sources now: codes with parts of it.

        Raises AssayError for what cannot be judged any more.
        """
        ...


@dataclass(frozen=True, slots=True)
class Believed:
    """Who calls with a token, and until when it is good: seconds since 1970. `key_id` is that of an
    API key."""

    principal: Principal
    until: float
    key_id: str = ""


class Verifier(Protocol):
    """Tells whose a token is; it is believed for some seconds (`gateway.admission.app`)."""

    async def verified(self, token: str) -> Believed:
        """Raises AssayError: TOKEN_REFUSED, whose cause says why and is for the log alone;
        TOKEN_EXPIRED for one that was good and is over."""
        ...


class AccessLog(Protocol):
    """The record of callers who were refused, and of keys."""

    async def record_refusal(self, refusal: Refusal, hour: int) -> None:
        """Append once, however often it is said in that hour. Raises AssayError."""
        ...

    async def record_key(self, rule: str, key: ApiKey, by: str) -> None:
        """Append once that a key was made or revoked.

        `rule` is TOKEN_CREATED or TOKEN_REVOKED, `by` the user who did it. Raises AssayError.
        """
        ...


class PublicationLog(Protocol):
    """The record of pages that were published and taken back."""

    async def record_published(self, made: Publication) -> None:
        """Append once who published what, of which jobs. Raises AssayError."""
        ...

    async def record_revoked(self, ended: Publication) -> None:
        """Append once who took it back, and why. Raises AssayError."""
        ...


class SignInProvider(Protocol):
    """Where people sign in elsewhere: an OpenID Connect provider."""

    @property
    def issuer(self) -> str:
        """Its address."""
        ...

    async def begin(self, attempt: Attempt, back: str) -> str:
        """Where the browser goes to sign in. Raises AssayError(SERVICE_UNAVAILABLE)."""
        ...

    async def finish(self, attempt: Attempt, back: str, state: str, code: str) -> str:
        """The token of whoever signed in; its signature is not checked here.

        Raises AssayError: TOKEN_REFUSED, SERVICE_UNAVAILABLE.
        """
        ...
