"""How long things stay that nobody deletes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, slots=True)
class Retention:
    """How long things stay that nobody deletes; None for ever.

    `everything` counts from when a job without a session was asked for: after it, only what its
    answer is proved with stays. `proof` counts from there too, and from the end of a session's
    time: after it nothing stays but the audit log and what the planner knows. Pages are given out
    for as long, from when they were published.
    """

    everything: timedelta | None = None
    proof: timedelta | None = None


FOR_EVER = Retention()
