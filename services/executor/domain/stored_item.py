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
