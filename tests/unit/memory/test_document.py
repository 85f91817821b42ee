"""What a memory document must be, and what of it is embedded."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from services.memory.domain.document import (
    EMBEDDED_PASSAGES,
    PASSAGE_CHARACTERS,
    MemoryDocument,
)


def document(content: str) -> MemoryDocument:
    return MemoryDocument(
        document_id=uuid4().hex,
        session_id=uuid4().hex,
        tenant="acme",
        content=content,
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


@pytest.mark.parametrize("content", ["", "  \n\t "])
def test_a_document_without_words_is_refused(content: str) -> None:
    with pytest.raises(ValidationError):
        document(content)


def test_short_paragraphs_share_a_passage() -> None:
    assert document("Metric: revenue.\n\nIt fell in\nMarch.").passages == (
        "Metric: revenue. It fell in March.",
    )


def test_long_paragraphs_and_long_words_are_cut() -> None:
    passages = document("word " * 400 + "\n\n" + "x" * 2_000).passages
    assert len(passages) > 3
    assert all(len(passage) <= PASSAGE_CHARACTERS for passage in passages)
    assert "".join(passages).count("x") == 2_000


def test_a_very_long_document_is_embedded_by_its_beginning() -> None:
    assert len(document("finding " * 50_000).passages) == EMBEDDED_PASSAGES


@given(st.text(min_size=1, max_size=3_000).filter(lambda text: text.strip() != ""))
def test_every_document_has_passages_that_keep_its_words(content: str) -> None:
    passages = document(content).passages
    assert passages
    assert "".join("".join(passages).split()) == "".join(content.split())
