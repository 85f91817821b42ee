"""A recipe is tried on today's data before it is used."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from services.planner.adapters.reasoner_rules import RulesReasoner
from services.planner.domain.analysis.planning import Planning, PlanningInput
from services.planner.domain.analysis.recipe import RecalledRecipe, Recipe
from services.planner.domain.analysis.trial import misfit
from services.planner.domain.analysis.way_of_reading import READING, digest_of
from services.planner.domain.catalogue import Catalogue, DataType, ValueHit
from tests.unit.planner.test_generalise import SALES, TODAY, lookup, recipe_of, request

QUESTION = "total amount by month in Arizona in 2021"
NO_AMOUNT = Catalogue(
    tables=tuple(
        table.model_copy(update={"columns": tuple(c for c in table.columns if c.name != "amount")})
        for table in SALES.tables
    ),
    fingerprint=SALES.fingerprint,
)


async def nothing_found(phrases: Sequence[str]) -> list[ValueHit]:
    return []


async def tried(recipe: Recipe, catalogue: Catalogue = SALES) -> str:
    return await misfit(recipe, recipe.plan_structure["intent"], catalogue, lookup)


async def planned(recipe: Recipe, question: str = QUESTION) -> Planning:
    recalled = (RecalledRecipe(recipe=recipe, similarity=1.0, exact=True),)
    given = PlanningInput(
        request=request(question), catalogue=SALES, lookup=lookup, today=TODAY, recipes=recalled
    )
    return await RulesReasoner().plan(given)


async def test_a_recipe_fits_the_data_it_was_made_for() -> None:
    assert await tried(await recipe_of(QUESTION)) == ""


async def test_a_column_that_is_gone_is_named() -> None:
    recipe = await recipe_of(QUESTION)
    assert await tried(recipe, NO_AMOUNT) == "there is no column sales.amount any more"


async def test_a_column_of_another_type_is_named() -> None:
    recipe = await recipe_of(QUESTION)
    texts = SALES.tables[0].model_copy(
        update={
            "columns": tuple(
                c.model_copy(update={"data_type": DataType.STRING}) if c.name == "amount" else c
                for c in SALES.tables[0].columns
            )
        }
    )
    found = await tried(recipe, SALES.model_copy(update={"tables": (texts,)}))
    assert found == "sales.amount is string now, not float"


async def test_a_value_that_is_gone_is_named() -> None:
    recipe = await recipe_of(QUESTION)
    found = await misfit(recipe, recipe.plan_structure["intent"], SALES, nothing_found)
    assert found == "'Arizona' is no value of sales.state any more"


async def test_only_texts_are_looked_up() -> None:
    recipe = await recipe_of("total amount by state in 2021")
    found = await misfit(recipe, recipe.plan_structure["intent"], SALES, nothing_found)
    assert found == ""


async def test_a_recipe_that_cannot_be_read_has_failed_and_the_question_is_planned_afresh() -> None:
    recipe = await recipe_of(QUESTION)
    for structure in ({"reading": READING}, {"reading": READING, "intent": {"x": 1}, "places": {}}):
        broken = recipe.model_copy(update={"plan_structure": structure})
        found = await planned(broken)
        assert found.draft == (await planned(recipe)).draft
        assert found.recipe.how == "refused"
        assert list(found.recipe.failed) == [recipe.recipe_id]


async def test_a_question_that_does_not_fit_is_not_the_recipe_s_failure() -> None:
    recipe = await recipe_of(QUESTION)
    for question in ("average amount by state", "total amount by month in Atlantis in 2021"):
        assert (await planned(recipe, question)).recipe.failed == {}


async def test_the_same_words_about_another_time_are_read_by_today_s_calendar() -> None:
    question = "total amount by month in Arizona this year"
    recipe = await recipe_of(question)
    recalled = (RecalledRecipe(recipe=recipe, similarity=1.0, exact=True),)
    later = PlanningInput(
        request=request(question),
        catalogue=SALES,
        lookup=lookup,
        today=TODAY.replace(year=TODAY.year + 1),
    )
    reused = PlanningInput(**{**vars(later), "recipes": recalled})
    reasoner = RulesReasoner()
    assert (await reasoner.plan(reused)).draft == (await reasoner.plan(later)).draft


def test_the_way_of_reading_changes_with_any_source_that_reads(tmp_path: Path) -> None:
    source = tmp_path / "reading.py"
    source.write_text("one")
    before = digest_of([source], tmp_path)
    assert digest_of([source], tmp_path) == before
    source.write_text("another")
    assert digest_of([source], tmp_path) != before
