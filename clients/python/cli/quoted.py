"""What a finished job tells of itself: its words, with the claims that their numbers are."""

from __future__ import annotations

from typing import Any

from assay.common.v1.conversation_pb2 import AgentResponse
from clients.python import words_of
from clients.python.cli.screen import Screen
from clients.python.cli.words import count, short_id
from mesh.errors import INTERNAL, REASONS, AssayError, ExitCode


def show_quoted(screen: Screen, response: AgentResponse) -> int:
    """The words, and what they are from."""
    screen.row("told", response.answer)
    for artifact in response.artifacts:
        if artifact.local_path:
            screen.line("file", artifact.local_path)
    cited = f" · {count(len(response.claims), 'number')} cited" if response.claims else ""
    about = short_id(response.about_job_id)
    screen.line("from", f"job {about}, in its own words{cited} · assay verify {about}")
    screen.space()
    return ExitCode.ANSWERED


def refused(response: AgentResponse) -> AssayError | None:
    """Why it is not told, where it is not."""
    if not response.HasField("failure"):
        return None
    reason = REASONS.get(response.failure.reason, INTERNAL)
    return AssayError(reason, response.failure.message, hint=response.failure.hint)


def quoted_object(response: AgentResponse) -> dict[str, Any]:
    """The same for machines."""
    return {
        "about": response.about_job_id,
        "told": response.answer,
        "confidence": words_of.sureness(response),
        "confidence_reasons": list(response.confidence_reasons),
        "sources": list(response.sources),
        "claims": [
            {
                "claim_id": claim.claim_id,
                "text": claim.text,
                "value": claim.value,
                "frame": claim.frame_digest,
                "row": claim.row,
                "column": claim.column,
                "call": claim.call_id,
            }
            for claim in response.claims
        ],
        "files": [artifact.content_ref for artifact in response.artifacts],
        "failure": response.failure.reason or None,
    }
