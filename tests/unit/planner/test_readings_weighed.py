"""A model's reading, proposed over HTTP, is weighed against the rules' over real tables."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from mesh.testing.model_server import Answered
from services.planner.domain.language.intent import NotUnderstood, Understood
from services.planner.domain.reader.choice import thresholds
from services.planner.domain.reader.proposed import ALONE, Found, Weighing, weighed
from tests.unit.planner.llm_world import MODEL, World, asked, given, world
from tests.unit.reader.apiary import TODAY, Apiary, apiary

HONEY = {"aggregate": "sum", "column": "harvests.honey_kg"}
NECTAR, VILLAGE = {"column": "harvests.nectar"}, {"column": "keepers.village"}


@pytest_asyncio.fixture
async def model(tmp_path: Path) -> AsyncIterator[World]:
    async with world(tmp_path, llm_seconds=20.0) as made:
        yield made


@pytest.fixture(scope="module")
def bees(tmp_path_factory: pytest.TempPathFactory) -> Apiary:
    return apiary(tmp_path_factory.mktemp("bees"))


async def both(bees: Apiary, model: World, question: str, found: Found, **form: Any) -> Weighing:
    """What comes of the rules' `found` and of the reading that the endpoint answers with."""
    reading = {"kind": "reading", "base": "harvests", "measures": [HONEY], **form}
    model.server.will_read(Answered(reading))
    put = given(
        asked(question), bees.catalogue, lookup=bees.lookup, evidence=bees.evidence, today=TODAY
    )
    read = await model.model.read(put)
    assert read.proposed is not None
    return await weighed(
        found, read.proposed, question, bees.catalogue, bees.lookup, bees.evidence, today=TODAY
    )


async def rules(bees: Apiary, question: str, confidence: float) -> Understood:
    """The rules' reading, as sure as a test has it."""
    found = await bees.read(question, assume=True)
    assert isinstance(found, Understood), found
    return found.model_copy(update={"confidence": confidence})


@pytest.mark.parametrize(("before", "after"), [(0.5, 0.75), (0.7, 0.85), (0.88, 0.89)])
async def test_agreement_halves_the_doubt_and_makes_nothing_sure(
    bees: Apiary, model: World, before: float, after: float
) -> None:
    question = "total honey by nectar"
    found = await rules(bees, question, before)

    told = await both(bees, model, question, found, dimensions=[NECTAR])

    assert isinstance(told.outcome, Understood)
    assert told.outcome.intent == found.intent, "the rules' layout stays"
    assert told.outcome.confidence == pytest.approx(after)
    assert told.outcome.confidence < thresholds.SURE
    assert (told.by, told.caveats) == ("", ())


async def test_agreement_on_a_reading_that_leaves_a_word_out_is_likely_at_most(
    bees: Apiary, model: World
) -> None:
    found = await rules(bees, "total honey by nectar", 0.6)

    told = await both(bees, model, "total moonlit honey by nectar", found, dimensions=[NECTAR])

    assert isinstance(told.outcome, Understood)
    assert told.outcome.confidence <= 0.7


async def test_in_dispute_the_rules_stand_where_the_model_accounts_for_less(
    bees: Apiary, model: World
) -> None:
    question = "total honey by nectar and village"
    found = await rules(bees, question, 0.7)

    told = await both(bees, model, question, found, dimensions=[NECTAR])

    assert told.outcome == found
    assert told.by == ""
    [caveat] = told.caveats
    assert "makes no use of" in caveat and "village" in caveat


async def test_in_dispute_the_model_is_taken_where_the_rules_left_a_word_out(
    bees: Apiary, model: World
) -> None:
    found = await rules(bees, "total honey by nectar", 0.7)

    told = await both(
        bees, model, "total honey by nectar and village", found, dimensions=[NECTAR, VILLAGE]
    )

    assert isinstance(told.outcome, Understood)
    assert told.by == MODEL
    assert told.outcome.confidence == ALONE
    [caveat] = told.caveats
    assert "rules read the question otherwise" in caveat and found.summary in caveat


async def test_in_dispute_that_no_word_settles_the_model_stands_and_the_rules_reading_is_told(
    bees: Apiary, model: World
) -> None:
    question = "honey by nectar"
    found = await rules(bees, question, 0.8)
    average = {"aggregate": "avg", "column": "harvests.honey_kg"}

    told = await both(
        bees, model, question, found, dimensions=[NECTAR],
        measures=[average if "total" in found.summary else HONEY],
    )  # fmt: skip

    assert isinstance(told.outcome, Understood)
    assert told.by == MODEL
    assert told.outcome.intent != found.intent
    assert any("otherwise" in caveat for caveat in told.caveats)


async def test_a_reading_that_finds_nothing_is_told_and_not_taken(
    bees: Apiary, model: World
) -> None:
    question = "total honey by nectar before 1999"
    found = await rules(bees, "total honey by nectar", 0.6)
    nothing = [{"column": "harvests.gathered_on", "operator": "<", "values": ["1999-01-01"]}]

    told = await both(bees, model, question, found, dimensions=[NECTAR], filters=nothing)

    assert told.outcome == found
    assert any("finds nothing" in caveat for caveat in told.caveats)


async def test_what_the_rules_refuse_is_answered_with_the_proposers_name_and_doubt(
    bees: Apiary, model: World
) -> None:
    refused = NotUnderstood(message='Nothing in the data is called "sweetness".', available=())

    told = await both(bees, model, "total sweetness by nectar", refused, dimensions=[NECTAR])

    if isinstance(told.outcome, Understood):
        assert told.by == MODEL
        assert told.outcome.confidence < thresholds.SURE
        assert any("sweetness" in note for note in told.outcome.assumptions)
    else:
        assert "language model read it as" in told.outcome.message  # type: ignore[union-attr]
