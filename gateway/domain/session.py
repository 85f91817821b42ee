"""A session and its files (seed 002), and what may be done with them when."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from mesh.errors import (
    INVALID_ARGUMENT,
    MAX_FILES_EXCEEDED,
    NOT_FOUND,
    SESSION_EXPIRED,
    STORAGE_EXCEEDED,
    AssayError,
)


class SessionState(StrEnum):
    """Where a session itself is; what its jobs do is theirs.

    created → has_files with the first file → expired when its time is over.
    """

    CREATED = "created"
    HAS_FILES = "has_files"
    EXPIRED = "expired"


class SessionStatus(StrEnum):
    """Where a session is with its jobs (seed 002)."""

    CREATED = "created"
    HAS_FILES = "has_files"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    EXPIRED = "expired"


_BY_NEWEST = {
    "active": SessionStatus.RUNNING,
    "waiting": SessionStatus.RUNNING,
    "answered": SessionStatus.COMPLETED,
    "unanswered": SessionStatus.FAILED,
}


@dataclass(frozen=True, slots=True)
class JobCounts:
    """How many jobs of a session are where; `with_report` of those that were answered.

    `newest` is where the newest of them is, "" without jobs, and `newest_at` when it was asked for.
    """

    active: int = 0
    waiting: int = 0
    answered: int = 0
    unanswered: int = 0
    with_report: int = 0
    newest: str = ""
    newest_at: int = 0


@dataclass(frozen=True, slots=True)
class Session:
    """A user's workspace. `jobs` is None where the planner could not be asked.

    `opened_title` is the title it was opened with, whatever it was changed to.
    """

    session_id: str
    tenant: str
    created_at: datetime
    updated_at: datetime
    expires_at: datetime
    state: SessionState = SessionState.CREATED
    title: str = ""
    opened_title: str = ""
    file_count: int = 0
    jobs: JobCounts | None = None

    @property
    def report_ready(self) -> bool:
        """Whether a job of it has a report (seed 002)."""
        return self.jobs is not None and self.jobs.with_report > 0

    @property
    def status(self) -> SessionStatus | None:
        """Where it is with its jobs, by the newest; None where they are not known."""
        if self.state is SessionState.EXPIRED:
            return SessionStatus.EXPIRED
        if self.jobs is None:
            return None
        return _BY_NEWEST.get(self.jobs.newest, SessionStatus(self.state.value))

    def at(self, now: datetime) -> Session:
        """The session as it stands at `now`."""
        if now < self.expires_at:
            return self
        return replace(self, state=SessionState.EXPIRED)

    def require_open(self, now: datetime) -> Session:
        """The session itself. Raises AssayError(SESSION_EXPIRED) when its time is over."""
        if self.at(now).state is SessionState.EXPIRED:
            raise AssayError(
                SESSION_EXPIRED,
                f"session {self.session_id[:8]} ended at {self.expires_at:%Y-%m-%d %H:%M} UTC",
            )
        return self

    def require_room(self, most: int) -> Session:
        """The session itself. Raises AssayError(MAX_FILES_EXCEEDED) when no file more fits."""
        if self.file_count >= most:
            raise AssayError(
                MAX_FILES_EXCEEDED,
                f"session {self.session_id[:8]} holds {self.file_count} files, at most {most}",
                metadata={"limit": str(most)},
            )
        return self


class Keeping(StrEnum):
    """What is wanted of all that a session's job made.

    everything while the session lasts → proof when its time is over: the files, and the frames that
    the answer is proved with → nothing when it is deleted, whether its time was over or not.
    """

    EVERYTHING = "everything"
    PROOF = "proof"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class SessionJob:
    """A job that was asked for in a session; `noted_at` is just before the planner was told."""

    tenant: str
    job_id: str
    keeping: Keeping
    noted_at: datetime


@dataclass(frozen=True, slots=True)
class JobOutcome:
    """What a session needs to know of a job; `frames` are the digests that its answer names."""

    ended: bool
    known: bool = True
    frames: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class StoredContent:
    """Bytes that the executor keeps, by their SHA-256."""

    digest: str
    size_bytes: int
    mime_type: str
    row_count: int


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file to be put into a session once its content is stored."""

    file_id: str
    session_id: str
    original_name: str
    description: str
    content: StoredContent
    uploaded_at: datetime


@dataclass(frozen=True, slots=True)
class SessionFile:
    """A file in a session. `duplicate` says that the user had stored the same content before.

    Of its content: when it was last used, and how many files of the user show it.
    """

    file_id: str
    session_id: str
    original_name: str
    description: str
    content: StoredContent
    uploaded_at: datetime
    last_accessed: datetime
    reference_count: int
    duplicate: bool = False


MAX_TITLE_CHARACTERS = 200


def checked_title(title: str) -> str:
    """A title as it is kept. Raises AssayError(INVALID_ARGUMENT) for one that is too long."""
    title = " ".join(title.split())
    if len(title) > MAX_TITLE_CHARACTERS:
        raise AssayError(
            INVALID_ARGUMENT,
            f"the title has {len(title):,} characters, at most {MAX_TITLE_CHARACTERS} are kept",
            fields={"title": f"at most {MAX_TITLE_CHARACTERS} characters"},
        )
    return title


def absent(what: str, identifier: str) -> AssayError:
    """There is no such thing, or it is somebody else's: the two look the same from outside."""
    return AssayError(NOT_FOUND, f"there is no {what} {identifier[:8]}")


def storage_exceeded(used: int, most: int) -> AssayError:
    """How a file is refused with which a tenant's would be `used` bytes, above `most`."""
    return AssayError(
        STORAGE_EXCEEDED,
        f"your files and pages would take {used:,} bytes, of at most {most:,}",
        metadata={"limit": str(most)},
    )
