"""Which entries of a log somebody wants to see."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from mesh.proof.chain import AuditEntry, EventType

_NAMING = ("by", "user", "caller", "proposed_by")
"""Where the data of an entry name a user: who did it, for whom, or who was refused."""


class EntryFilter(NamedTuple):
    """What is not set does not matter; `until` is the first time that is too late."""

    event_types: frozenset[EventType] = frozenset()
    since: datetime | None = None
    until: datetime | None = None
    user: str = ""

    def holds(self, entry: AuditEntry) -> bool:
        """Whether the entry is wanted."""
        if self.event_types and entry.event_type not in self.event_types:
            return False
        if self.user and self.user not in (entry.event_data.get(key) for key in _NAMING):
            return False
        if self.since is None and self.until is None:
            return True
        at = datetime.fromisoformat(entry.timestamp)
        return (self.since is None or at >= self.since) and (self.until is None or at < self.until)
