"""A file for people, with its hash (seed 000, section 6)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from services.executor.domain.source import Frozen

KINDS = {"table": "tables", "chart": "charts", "report": "reports", "summary": "summaries"}
"""Artifact types and the folders that hold them."""


class Artifact(Frozen):
    """`content_ref` is the place below the store: charts/<request_id>/<name>."""

    artifact_id: str
    request_id: str
    artifact_type: str
    content_ref: str
    content_hash: str
    metadata: dict[str, Any]
    size_bytes: int
    created_at: datetime
    local_path: str = ""
    media_type: str
