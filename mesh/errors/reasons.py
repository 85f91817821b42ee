"""What a reason is, and the table of all of them; `mesh.errors` names each."""

from __future__ import annotations

from dataclasses import dataclass

from mesh.errors.kinds import Kind


@dataclass(frozen=True, slots=True)
class Reason:
    """A stable code with its meaning and what a person can do about it."""

    code: str
    kind: Kind
    meaning: str
    remedy: str


REASONS: dict[str, Reason] = {}
"""By code."""


def reason(code: str, kind: Kind, meaning: str, remedy: str) -> Reason:
    """A new reason, put into the table."""
    REASONS[code] = Reason(code, kind, meaning, remedy)
    return REASONS[code]
