"""Requests that come twice: the same makes nothing new, another under its id is refused."""

from __future__ import annotations

from typing import Any

from mesh.errors import ID_REUSED, AssayError
from services.planner.domain.jobs.job import Belonging, Job

# When it came is no part of what was asked; what the server found or filled in is not either.
_NOT_ASKED: Any = {
    "timestamp": True,
    "withheld": True,
    "data_sources": {"__all__": {"schema_fingerprint"}},
}


def differences(stored: Job, new: Job) -> list[str]:
    """The fields, as a caller names them, in which a request differs from the one of that id."""
    kind = new.kind.value
    if stored.kind is not new.kind:
        return [kind]
    before, after = (job.request.model_dump(exclude=_NOT_ASKED) for job in (stored, new))
    changed = [f"{kind}.{name}" for name in after if after[name] != before[name]]
    for name in Belonging.model_fields:
        if getattr(stored, name) != getattr(new, name):
            changed.append(name)
    return changed


def reused(request_id: str, changed: list[str]) -> AssayError:
    """The refusal of an id that stands for another request."""
    named = ", ".join(changed) or "what was asked"
    return AssayError(
        ID_REUSED,
        f"request id {request_id} was used before with another {named}",
        fields={"request_id": "stands for another request already"},
    )
