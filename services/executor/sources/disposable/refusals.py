"""A refusal on its way from one process to another."""

from __future__ import annotations

from typing import Any

from mesh.errors import REASONS, AssayError


def refusal(error: AssayError) -> dict[str, Any]:
    """The error as a job's answer."""
    texts = [error.reason.code, error.message, error.hint, error.fields, error.metadata]
    return {"refused": texts}


def raise_refusal(answer: dict[str, Any]) -> None:
    """Raise the AssayError that a job gave, if it gave one."""
    if "refused" in answer:
        code, message, hint, fields, metadata = answer["refused"]
        raise AssayError(REASONS[code], message, hint=hint, fields=fields, metadata=metadata)
