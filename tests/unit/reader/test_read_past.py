"""Words that say nothing are read past, those that belong to what is read are no loss, and all
others are told."""

from __future__ import annotations

import pytest

from services.planner.domain.confidence import thresholds
from services.planner.domain.query.intent import Clarification, NotUnderstood, Understood
from services.planner.domain.reader.choice.alike import by_name, holds
from services.planner.domain.reader.politeness import without_politeness
from services.planner.domain.reader.unread import unread_words
from services.planner.domain.semantics.units import unit_of_name
from tests.unit.reader.apiary import Apiary, apiary

JOINED = "harvests join hives using (hive_id) join keepers using (keeper_id)"


@pytest.fixture(scope="module")
def bees(tmp_path_factory: pytest.TempPathFactory) -> Apiary:
    return apiary(tmp_path_factory.mktemp("bees"))


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("please, how many hives are there overall?", "how many hives are there?"),
        ("I want to know the honey by nectar in our data", "the honey by nectar"),
        ("hi there, could you tell me who was born first, thanks!", "who was born first, !"),
        ("basically, honey by village", "honey by village"),
    ],
)
def test_politeness_is_no_part_of_a_question(bees: Apiary, said: str, left: str) -> None:
    found = without_politeness(said, bees.catalogue)

    assert found.rstrip(" ,!") == left.rstrip(" ,!")


@pytest.mark.parametrize("said", ["please", "thanks a lot", 'nectar called "please"'])
def test_what_is_quoted_or_all_there_is_stays(bees: Apiary, said: str) -> None:
    assert without_politeness(said, bees.catalogue) == said


def test_what_the_data_is_called_by_is_no_aside(bees: Apiary) -> None:
    hives = bees.catalogue.table("hives")
    assert hives is not None
    scored = hives.columns[1].model_copy(update={"name": "overall_score"})
    renamed = hives.model_copy(update={"columns": (*hives.columns, scored)})
    known = bees.catalogue.model_copy(update={"tables": (renamed,)})

    assert without_politeness("average overall score", known) == "average overall score"
    assert without_politeness("average height overall", known) == "average height overall"


@pytest.mark.parametrize(
    ("asked", "sql"),
    [
        ("how many hives do we have overall, please?", "select count(*) from hives"),
        (
            "average number of litres of water by nectar",
            "select nectar, avg(water_l) from harvests group by 1",
        ),
        (
            "total honey by nectar in our data",
            "select nectar, sum(honey_kg) from harvests group by 1",
        ),
        (
            "how many harvests over 20 kg of honey",
            "select count(*) from harvests where honey_kg > 20",
        ),
        (
            "total profit by nectar",
            "select nectar, sum(revenue_eur - cost_eur) from harvests group by 1",
        ),
    ],
)
async def test_a_right_answer_is_not_refused_for_such_words(
    bees: Apiary, asked: str, sql: str
) -> None:
    found = await bees.read(asked, assume=True)

    assert isinstance(found, Understood), found
    rounded = [
        tuple(round(c, 6) if isinstance(c, float) else c for c in r) for r in bees.rows(found)
    ]
    wanted = [tuple(round(c, 6) if isinstance(c, float) else c for c in r) for r in bees.truth(sql)]
    assert sorted(rounded) == sorted(wanted)
    assert not any("not used" in note or "left out" in note for note in found.assumptions)


@pytest.mark.parametrize(
    ("asked", "lost"),
    [
        ("how many angry hives are there", "angry"),
        ("total honey by nectar among strangers", "strangers"),
        ("how many hives in gallons", "gallons"),
        ("how many people have hives taller than 3 litres", "litres"),
    ],
)
async def test_a_word_that_matters_is_never_read_past(bees: Apiary, asked: str, lost: str) -> None:
    found = await bees.read(asked, assume=True)

    if isinstance(found, Understood):
        assert found.confidence < thresholds.SURE, found.summary
        assert any(lost in note for note in found.assumptions), found
    else:
        assert isinstance(found, NotUnderstood | Clarification)


async def test_units_are_read_only_where_the_column_is_told_in_them(bees: Apiary) -> None:
    litres = await bees.chosen("total litres of water")
    gallons = await bees.chosen("total gallons of water")

    assert unread_words(litres.weighed.scene, litres.best) == []
    best = gallons.best
    worked_out = best.draft is not None and any(
        p.definition is not None for p in best.draft.sketch.places()
    )
    assert worked_out or "gallons" in unread_words(gallons.weighed.scene, best)


@pytest.mark.parametrize(
    ("name", "unit"),
    [("water_l", "l"), ("length_m", "m"), ("fuel (l)", "l"), ("col_l", None), ("section_m", None)],
)
def test_a_letter_is_a_unit_after_what_is_told_in_it(name: str, unit: str | None) -> None:
    found = unit_of_name(name)

    assert (found.name if found is not None else None) == unit


async def test_a_deed_that_one_table_alone_can_tell_is_counted_and_told_as_a_guess(
    bees: Apiary,
) -> None:
    found = await bees.read("which hive swarmed most often", assume=True)

    assert isinstance(found, Understood), found
    assert found.confidence <= thresholds.DOUBTFUL
    assert any('"swarmed"' in note and "harvests" in note for note in found.assumptions)


async def test_of_two_readings_the_one_that_calls_things_by_name_is_told(bees: Apiary) -> None:
    choice = await bees.chosen("average honey by keeper")
    shown = choice.best.intent.dimensions

    assert [d.expression.column for d in shown if hasattr(d.expression, "column")] == ["name"]
    assert by_name(choice.ranked, choice.weighed.scene)[0] is choice.best


async def test_who_asks_for_the_key_gets_the_key(bees: Apiary) -> None:
    choice = await bees.chosen("average honey by hive id")

    columns = [getattr(d.expression, "column", "") for d in choice.best.intent.dimensions]
    assert "hive_id" in columns


async def test_an_answer_with_a_column_more_is_no_rival(bees: Apiary) -> None:
    choice = await bees.chosen("keepers born before 1965")
    lists = [c for c in choice.ranked if not c.intent.grouped and c.outcome is not None]

    wide = [a for a in lists for b in lists if a is not b and holds(a, b)]
    for one in wide:
        assert len(one.intent.dimensions) + len(one.intent.measures) > 1
