"""What an executor stores for jobs, and when it may go."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class StoredKind(StrEnum):
    """What sort of thing is stored."""

    FRAME = "frame"
    ARTIFACT = "artifact"
    CALL = "call"
    SOURCE = "source"


class StoredItem(NamedTuple):
    """A stored thing: a frame or source by its digest, an artifact by its reference, a call by its
    id."""

    kind: StoredKind
    name: str


class StoredUse(NamedTuple):
    """How many things of a kind are stored, and those among them that nobody needs any more, of
    which the first may go at `goes_at`, in seconds since 1970; None where there are none."""

    kind: StoredKind
    items: int
    bytes: int
    going_items: int = 0
    going_bytes: int = 0
    goes_at: float | None = None


class Kept(NamedTuple):
    """What a holder needs on when it releases the rest: its artifacts or not, frames by digest."""

    artifacts: bool = False
    frames: frozenset[str] = frozenset()


NOTHING_KEPT = Kept()


class Going(NamedTuple):
    """A thing that one collector is to delete now, and since when that is."""

    item: StoredItem
    since: float


DELETING_SECONDS = 60.0
"""A collector that has not deleted a thing after so long is dead; anybody may have it again."""

BEGIN_SECONDS = DELETING_SECONDS / 4
"""A collector begins no deletion later than this after it took the thing."""


def job(request_id: str) -> str:
    """A job, as one who needs things."""
    return f"job:{request_id}"


UPLOADS = "uploads"
"""A tenant's uploads together, as one who needs the sources that they are."""


def uploaded(digest: str) -> str:
    """An uploaded file, as one who needs the frame that was made of it."""
    return f"file:{digest}"
