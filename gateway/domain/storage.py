"""What the gateway keeps for a tenant, and what of it goes next."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Kept:
    """How many things of a sort there are, their bytes, and when the oldest of them came."""

    items: int
    bytes: int
    oldest_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class EndingSession:
    """A session whose time will be over, with the files that go then."""

    session_id: str
    title: str
    expires_at: datetime
    files: int
    bytes: int


@dataclass(frozen=True, slots=True)
class AgingJob:
    """A job without a session, of which everything is still kept."""

    job_id: str
    noted_at: datetime


@dataclass(frozen=True, slots=True)
class KeptOfTenant:
    """All of a tenant; what ends and ages is the first of it, the first first."""

    files: Kept
    pages: Kept
    ending: tuple[EndingSession, ...]
    aging: tuple[AgingJob, ...]
