"""A question back names the words that can be read in several ways."""

from __future__ import annotations

import pytest

from services.planner.domain.confidence import thresholds
from services.planner.domain.query.intent import Clarification
from services.planner.domain.query.kinds import Aggregate
from services.planner.domain.reader.ambiguity import asked_about
from services.planner.domain.reader.asking import asked_back
from tests.unit.reader.apiary import Apiary, apiary


@pytest.fixture(scope="module")
def bees(tmp_path_factory: pytest.TempPathFactory) -> Apiary:
    return apiary(tmp_path_factory.mktemp("bees"))


async def test_the_number_that_is_made_of_a_column_is_named(bees: Apiary) -> None:
    choice = await bees.chosen("honey by nectar")
    made = {
        one.draft.sketch.numbers[0].aggregate: one
        for one in reversed(choice.ranked)
        if one.draft is not None
        and [getattr(n.place, "words", ())[:1] for n in one.draft.sketch.numbers] == [("honey",)]
    }

    asked = asked_about(choice.weighed.scene, [made[Aggregate.SUM], made[Aggregate.AVERAGE]])

    assert asked == 'by "honey" do you mean the total or the average?'


async def test_the_columns_that_a_word_may_mean_are_named(bees: Apiary) -> None:
    choice = await bees.chosen("harvests in March")
    by_column = {
        one.draft.sketch.rows[0].place.column.name: one
        for one in reversed(choice.ranked)
        if one.draft is not None
        and len(one.draft.sketch.rows) == 1
        and one.draft.sketch.rows[0].place is not None
    }
    assert len(by_column) > 1, list(by_column)
    first, second, *_ = by_column.values()

    asked = asked_about(choice.weighed.scene, [first, second])

    assert asked.startswith('by "March" do you mean ') and " or " in asked


async def test_the_words_stand_in_the_question_back(
    bees: Apiary, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("CLEAR", 1.1), ("RIVAL", 0.0), ("TOGETHER", 0.0)):
        monkeypatch.setattr(thresholds, name, value)
    choice = await bees.chosen("honey by nectar")
    of_honey = [
        one
        for one in choice.ranked
        if one.draft is not None
        and len(one.draft.sketch.numbers) == 1
        and one.draft.sketch.numbers[0].place is not None
    ][:2]

    found = asked_back(choice.weighed, of_honey, 0.1, bees.catalogue, lambda one: [])

    assert isinstance(found, Clarification)
    assert found.question.startswith("this can be read in 2 ways that give different answers")
    words = asked_about(choice.weighed.scene, of_honey)
    assert not words or found.question.endswith(words)


async def test_readings_that_differ_in_no_word_name_none(bees: Apiary) -> None:
    choice = await bees.chosen("honey by nectar")

    assert asked_about(choice.weighed.scene, [choice.best, choice.best]) == ""
