"""Names near in meaning: each text is embedded once, and two embedders are never mixed."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from services.planner.adapters.meanings import TEXTS_AT_ONCE, RemoteMeanings
from services.planner.domain.catalogue import Likeness
from services.planner.ports import Embedded

pytestmark = pytest.mark.asyncio

STAFF, SOLD = (1.0, 0.0), (0.0, 1.0)
MADE = {"staff": STAFF, "employees": (0.8, 0.6), "orders": SOLD, "workers": (0.8, 0.6)}


class Counting:
    """An embedder of two dimensions that counts what it is asked."""

    def __init__(self, name: str = "plain", knows: bool = True) -> None:
        self.name, self.knows = name, knows
        self.asked: list[Sequence[str]] = []

    async def embed(self, texts: Sequence[str]) -> Embedded:
        self.asked.append(list(texts))
        vectors = tuple(MADE.get(text, SOLD) for text in texts) if self.knows else ()
        return Embedded(embedder=self.name, vectors=vectors)


async def test_the_nearest_come_first_and_equally_near_ones_by_name() -> None:
    found = await RemoteMeanings(Counting())(["staff"], ["orders", "workers", "employees"])
    assert found == [
        Likeness(phrase="staff", name=name, similarity=cosine)
        for name, cosine in (("employees", 0.8), ("workers", 0.8), ("orders", 0.0))
    ]


async def test_names_are_embedded_once_in_batches() -> None:
    source = Counting()
    meanings = RemoteMeanings(source)
    names = [f"column {i}" for i in range(TEXTS_AT_ONCE + 1)]
    await meanings(["staff"], names)
    assert [len(batch) for batch in source.asked] == [1, TEXTS_AT_ONCE, 1]
    await meanings(["staff"], names)
    await meanings(["workers"], names)
    assert source.asked[3:] == [["workers"]]


async def test_where_no_model_is_set_up_nothing_is_alike_and_no_name_is_sent() -> None:
    source = Counting(knows=False)
    assert not await RemoteMeanings(source)(["staff"], ["employees"])
    assert source.asked == [["staff"]]


async def test_another_embedder_makes_every_vector_anew() -> None:
    source = Counting()
    meanings = RemoteMeanings(source)
    await meanings(["staff"], ["employees"])
    source.name = "other"
    await meanings(["workers"], ["employees"])
    assert source.asked[2:] == [["workers"], ["employees"]]
