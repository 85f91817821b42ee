"""What comes of a question: an answerable reading with its doubts, or a refusal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from bench.support_catalogue import Sources
from services.planner.domain.confidence import thresholds
from services.planner.domain.evidence import USUAL_LIMITS, Outcome, ProbedQuery, ProbeLimits
from services.planner.domain.query.intent import NotUnderstood, Understood
from services.planner.domain.query.planning.sql import render
from services.planner.domain.reader.understand import understand
from tests.unit.language.everyday_data import tea_shop
from tests.unit.language.truth_help import TODAY, Shop


class Asked:
    """A shop whose data can be probed; `batches` counts how often it was."""

    def __init__(self, folder: Path) -> None:
        self.shop: Shop = tea_shop(folder)
        self._evidence = Sources(folder / "probed").evidence(self.shop.path)
        self.batches = 0

    async def evidence(
        self, queries: Sequence[ProbedQuery], limits: ProbeLimits = USUAL_LIMITS
    ) -> Sequence[Outcome]:
        self.batches += 1
        return await self._evidence(queries, limits)

    async def understood(self, question: str) -> Understood | NotUnderstood:
        found = await understand(
            question, self.shop.catalogue, self.shop.lookup, today=TODAY, evidence=self.evidence
        )
        assert isinstance(found, Understood | NotUnderstood)
        return found


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Asked:
    return Asked(tmp_path_factory.mktemp("asked"))


async def test_what_both_readers_read_alike_is_told_as_sure_as_it_was_measured(
    asked: Asked,
) -> None:
    found = await asked.understood("number of customers by city")

    assert isinstance(found, Understood) and found.measured
    assert found.confidence >= thresholds.LIKELY
    assert found.summary.startswith("number of customers by city")


async def test_what_it_refuses_is_read_with_the_data_and_told_as_likely_as_it_is(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thresholds, "ANSWERED", 0.2)  # whatever the newest model thinks of it
    monkeypatch.setattr(thresholds, "SURE", 0.99)

    found = await asked.understood("Which payment is the most common?")

    assert isinstance(found, Understood) and found.measured
    assert thresholds.ANSWERED <= found.confidence < thresholds.SURE
    query = render(found.intent, asked.shop.catalogue)
    assert asked.shop.run(query.text, query.params)[1] == [("card", 5)]
    [doubt] = found.assumptions
    assert "this reading is" in doubt and "number of orders by payment" in doubt


async def test_a_refusal_offers_what_can_be_answered_in_its_place(asked: Asked) -> None:
    found = await asked.understood("number of orders by mood of the customer")

    if isinstance(found, Understood):  # then the word that it leaves out is told
        assert any('"mood"' in note for note in found.assumptions)
        return
    assert "mood" in found.message
    for question in found.nearest:
        assert isinstance(await asked.understood(question), Understood), question


async def test_an_answer_that_the_ranker_doubts_tells_the_other_reading_and_what_is_left_out(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thresholds, "ANSWERED", 1.1)
    monkeypatch.setattr(thresholds, "SURE", 1.1)

    found = await asked.understood("which customers complained")

    assert isinstance(found, NotUnderstood) or found.confidence < thresholds.LIKELY
    if isinstance(found, Understood):
        assert any('"complained"' in note for note in found.assumptions)


async def test_nonsense_stays_refused(asked: Asked) -> None:
    before = asked.batches

    found = await asked.understood("zealous frobnication of the quux")

    assert isinstance(found, NotUnderstood)
    assert asked.batches <= before + 1


async def test_a_reading_that_leaves_words_out_is_not_told_unless_it_is_sure(asked: Asked) -> None:
    found = await asked.understood("how many orders were about refunds of broken cups")

    assert isinstance(found, NotUnderstood) or found.confidence >= thresholds.SURE
