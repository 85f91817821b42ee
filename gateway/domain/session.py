"""A session and its files (seed 002), and what may be done with them when."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from mesh.errors import MAX_FILES_EXCEEDED, NOT_FOUND, SESSION_EXPIRED, AssayError


class SessionStatus(StrEnum):
    """Where a session is.

    created → has_files with the first file → running while its newest job runs → completed or
    failed when that ended → running again with the next job. A session past its time is expired
    whatever it was before.
    """

    CREATED = "created"
    HAS_FILES = "has_files"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True)
class Session:
    """A user's workspace. `last_job_id` is the newest job that was started in it."""

    session_id: str
    tenant: str
    created_at: datetime
    expires_at: datetime
    status: SessionStatus = SessionStatus.CREATED
    file_count: int = 0
    report_ready: bool = False
    last_job_id: str = ""

    def at(self, now: datetime) -> Session:
        """The session as it stands at `now`."""
        if now < self.expires_at:
            return self
        return replace(self, status=SessionStatus.EXPIRED)

    def require_open(self, now: datetime) -> Session:
        """The session itself. Raises AssayError(SESSION_EXPIRED) when its time is over."""
        if self.at(now).status is SessionStatus.EXPIRED:
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
    answered: bool = False
    report_ready: bool = False
    known: bool = True
    frames: frozenset[str] = frozenset()

    @property
    def status(self) -> SessionStatus:
        """The status it gives its session."""
        if not self.ended:
            return SessionStatus.RUNNING
        return SessionStatus.COMPLETED if self.answered else SessionStatus.FAILED


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
    """A file in a session. `duplicate` says that the user had stored the same content before."""

    file_id: str
    session_id: str
    original_name: str
    description: str
    content: StoredContent
    uploaded_at: datetime
    duplicate: bool = False


def absent(what: str, identifier: str) -> AssayError:
    """There is no such thing, or it is somebody else's: the two look the same from outside."""
    return AssayError(NOT_FOUND, f"there is no {what} {identifier[:8]}")
