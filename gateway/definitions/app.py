"""What the gateway does with definitions: keep, show, decide, and put in force."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from gateway.domain.definition import (
    MOST_MODEL_BYTES,
    MOST_WORDS,
    Decision,
    Definition,
    DefinitionState,
)
from gateway.store_ports import DefinitionStore
from mesh import context as calls
from mesh.clock import Clock
from mesh.errors import INVALID_ARGUMENT, AssayError


class DecisionLog(Protocol):
    """Where decisions about definitions are on record."""

    async def record_definition(self, definition: Definition, by: str) -> None:
        """Append once for each definition and state. Raises AssayError(AUDIT_UNAVAILABLE)."""
        ...


class Definitions:
    """The use cases of DefinitionService, for the caller of the running call."""

    def __init__(self, store: DefinitionStore, log: DecisionLog, clock: Clock) -> None:
        self._store = store
        self._log = log
        self._clock = clock

    async def propose(self, definition: Definition) -> Definition:
        """Keep a definition that fits its sources, pending; again the one that was kept."""
        caller = calls.current()
        return await self._store.add(
            replace(
                definition,
                tenant=caller.tenant,
                proposed_by=caller.user or caller.tenant,
                proposed_at=self._clock.now(),
            )
        )

    async def get(self, definition_id: str) -> Definition:
        """One of the tenant's. Raises AssayError(NOT_FOUND)."""
        return await self._store.get(calls.current().tenant, definition_id)

    async def page(
        self, state: DefinitionState | None, size: int, token: str
    ) -> tuple[list[Definition], str]:
        """The tenant's, newest first, and the token of the next page."""
        return await self._store.page(calls.current().tenant, state, size, token)

    async def decide(
        self, definition_id: str, state: DefinitionState, reason: str
    ) -> tuple[Definition, list[Definition]]:
        """Decide; the definition, and those that it retires.

        Raises AssayError: INVALID_ARGUMENT, NOT_FOUND, DEFINITION_DECIDED.
        """
        check_words(reason, "reason")
        if not reason.strip() and state is not DefinitionState.APPROVED:
            raise AssayError(
                INVALID_ARGUMENT,
                f"nobody says why the definition is {state}",
                hint="Give a reason: whoever proposed it reads it.",
                fields={"reason": "must not be empty"},
            )
        caller = calls.current()
        decision = Decision(caller.user or caller.tenant, self._clock.now(), reason.strip())
        decided, retired = await self._store.decide(caller.tenant, definition_id, state, decision)
        for one in (decided, *retired):
            await self._log.record_definition(one, decision.by)
        return decided, retired

    async def in_force(self, places: Sequence[str]) -> list[Definition]:
        """What is approved of sources that are all at these places, in the order of approval."""
        return await self._store.approved(calls.current().tenant, places) if places else []


def check_words(text: str, field: str) -> None:
    """Raises AssayError(INVALID_ARGUMENT) for words that are too many."""
    if len(text) > MOST_WORDS:
        raise AssayError(
            INVALID_ARGUMENT,
            f"{field} has {len(text):,} characters; {MOST_WORDS:,} are the most",
            fields={field: f"at most {MOST_WORDS:,} characters"},
        )


def check_model(text: str) -> None:
    """Raises AssayError(INVALID_ARGUMENT) for a part that says nothing, or too much."""
    if not text.strip():
        raise AssayError(
            INVALID_ARGUMENT,
            "the definition says nothing",
            hint="Give a part of a semantic model: docs/semantic_model.md tells the form.",
            fields={"model": "must not be empty"},
        )
    if len(text.encode()) > MOST_MODEL_BYTES:
        raise AssayError(
            INVALID_ARGUMENT,
            f"the definition is larger than {MOST_MODEL_BYTES // 1024} KiB",
            hint="Propose what belongs together, each by itself.",
            fields={"model": f"at most {MOST_MODEL_BYTES // 1024} KiB"},
        )
