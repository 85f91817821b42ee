"""What stands before a time."""

from __future__ import annotations


def preposition(grain: str) -> str:
    """What stands before a time: in December, on 4 July, at 14:00."""
    return {"day": "on", "weekday": "on", "hour": "at", "": "on"}.get(grain, "in")
