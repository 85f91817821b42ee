"""A log in a folder, filled, copied, torn and flipped as the tests need it."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

from mesh.proof.chain import EventType
from services.audit.domain.draft import Draft, draft_event


@pytest.fixture
def event() -> Callable[..., Draft]:
    """Makes an event of a request, with an id of its own unless one is given."""

    def make(number: int = 0, request_id: str = "a" * 32, entry_id: str = "") -> Draft:
        return draft_event(
            tenant="t1",
            entry_id=entry_id or uuid.uuid4().hex,
            request_id=request_id,
            event_type=EventType.OBSERVATION_RECORDED,
            event_data={"number": number},
            actor="actor",
        )

    return make


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the log of a test lives."""
    return tmp_path / "log"
