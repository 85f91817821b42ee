"""A memory document: what a finished job leaves to be asked about later (seed 002)."""

from __future__ import annotations

import re
import textwrap

from pydantic import AwareDatetime, Field, JsonValue

from services.memory.domain.values import Frozen, Identifier, Tenant

PASSAGE_CHARACTERS = 900
"""Longest passage embedded as one: about the 256 tokens that a small model reads."""

EMBEDDED_PASSAGES = 32
"""Passages of a document that shape its embedding; what follows is kept but not embedded."""


class MemoryDocument(Frozen):
    """The compiled memory of an analysis, deleted with its session.

    `embedding` is written by the store and is empty before.
    """

    document_id: Identifier
    session_id: Identifier
    tenant: Tenant
    content: str = Field(min_length=1, max_length=1_000_000, pattern=r"\S")
    embedding: tuple[float, ...] = Field(default=(), repr=False)
    created_at: AwareDatetime
    metadata: dict[str, JsonValue] = Field(default_factory=dict)

    @property
    def passages(self) -> tuple[str, ...]:
        """The parts to embed: paragraphs packed up to a model's length, at least one."""
        packed: list[str] = []
        for paragraph in re.split(r"\n\s*\n", self.content):
            for piece in textwrap.wrap(paragraph, PASSAGE_CHARACTERS):
                if packed and len(packed[-1]) + 1 + len(piece) <= PASSAGE_CHARACTERS:
                    packed[-1] = f"{packed[-1]} {piece}"
                else:
                    packed.append(piece)
        return tuple(packed[:EMBEDDED_PASSAGES])


class RecalledDocument(Frozen):
    """A document found by a search; `similarity` is a cosine, from -1 to 1."""

    document: MemoryDocument
    similarity: float
