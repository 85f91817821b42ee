"""A recipe forgets the particulars of a question, and takes those of the next one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any

import pytest

from services.planner.adapters.reasoner_rules import RulesReasoner
from services.planner.domain.analysis.adapting import adapted, as_learnt
from services.planner.domain.analysis.deliver import TABLE_TASK
from services.planner.domain.analysis.generalise import generalised
from services.planner.domain.analysis.planning import Planning, PlanningInput
from services.planner.domain.analysis.recipe import Parameter, RecalledRecipe, Recipe
from services.planner.domain.catalogue import (
    Catalogue,
    Column,
    ColumnRole,
    DataType,
    Table,
    ValueHit,
)
from services.planner.domain.data_source import DataSource
from services.planner.domain.jobs.job import Job, JobState
from services.planner.domain.question import AnalysisRequest, Deliverable, analysis_of

NOW = datetime(2026, 1, 2, tzinfo=UTC)
TODAY = NOW.date()
STATES = ("Arizona", "Texas", "New Mexico")


def column(name: str, data_type: DataType, role: ColumnRole, **more: Any) -> Column:
    return Column(name=name, data_type=data_type, role=role, **more)


SALES = Catalogue(
    tables=(
        Table(
            name="sales",
            source_name="sales.csv",
            rows=500,
            columns=(
                column("state", DataType.STRING, ColumnRole.DIMENSION, distinct=3, samples=STATES),
                column("amount", DataType.FLOAT, ColumnRole.MEASURE, distinct=400),
                column("cost", DataType.FLOAT, ColumnRole.MEASURE, distinct=400),
                column("agent", DataType.STRING, ColumnRole.DIMENSION, distinct=3),
                column(
                    "sold_on",
                    DataType.DATE,
                    ColumnRole.TIMESTAMP,
                    distinct=300,
                    minimum="2020-01-01",
                    maximum="2022-12-31",
                ),
            ),
        ),
    ),
    fingerprint="a" * 64,
)


async def lookup(phrases: Sequence[str]) -> list[ValueHit]:
    return [
        ValueHit(phrase=phrase, table="sales", column="state", value=state, score=1.0)
        for phrase in phrases
        for state in STATES
        if phrase.casefold() == state.casefold()
    ]


def request(question: str) -> AnalysisRequest:
    return AnalysisRequest(
        request_id="0" * 32,
        intent=question,
        data_sources=(DataSource(file_path="sales.csv"),),
        timestamp=NOW,
    )


async def planning(question: str, *recipes: RecalledRecipe) -> Planning:
    given = PlanningInput(
        request=request(question), catalogue=SALES, lookup=lookup, today=TODAY, recipes=recipes
    )
    return await RulesReasoner().plan(given)


async def recipe_of(question: str) -> Recipe:
    job = Job(
        job_id="0" * 32,
        tenant="t",
        state=JobState.COMPLETED,
        request=request(question),
        created_at=NOW,
        updated_at=NOW,
    )
    recipe = generalised(job.job_id, analysis_of(job.request), await planning(question), SALES, NOW)
    assert recipe is not None
    return recipe


def query_of(found: Planning) -> tuple[str, list[Any]]:
    assert found.draft is not None, found
    load = next(task for task in found.draft.subtasks if task.tool_name == "sql.run")
    return load.arguments["query"], load.arguments["params"]


async def test_places_times_and_counts_become_placeholders() -> None:
    recipe = await recipe_of("total amount by month in Arizona in 2021")
    assert recipe.intent_template == "total {column} by month in {state} in {time_range}"
    assert {(p.name, p.type, p.column) for p in recipe.parameters} == {
        ("column", "column", "sales.amount"),
        ("state", "value", "sales.state"),
        ("time_range", "time_range", "sales.sold_on"),
        # What these come to in the plan:
        ("column_words", "text", "sales.amount"),
        ("time_range_start", "date", "sales.sold_on"),
        ("time_range_end", "date", "sales.sold_on"),
    }
    told = [str(recipe.tool_argument_templates), str(recipe.plan_structure["subtasks"])]
    for particular in ("Arizona", "2021", "2022", "amount"):
        assert not any(particular in text for text in told), particular


@pytest.mark.parametrize(
    ("name", "placeholder"),
    [("город", "value"), ("Größe", "gr_e"), ("2nd", "value"), ("%", "value")],
)
async def test_a_placeholder_is_called_by_letters_that_placeholders_have(
    name: str, placeholder: str
) -> None:
    (table,) = SALES.tables
    columns = (table.columns[0].model_copy(update={"name": name}), *table.columns[1:])
    catalogue = SALES.model_copy(
        update={"tables": (table.model_copy(update={"columns": columns}),)}
    )

    async def hits(phrases: Sequence[str]) -> list[ValueHit]:
        return [one.model_copy(update={"column": name}) for one in await lookup(phrases)]

    question = "total amount in Arizona"
    given = PlanningInput(request=request(question), catalogue=catalogue, lookup=hits, today=TODAY)
    job = Job(
        job_id="0" * 32,
        tenant="t",
        state=JobState.COMPLETED,
        request=request(question),
        created_at=NOW,
        updated_at=NOW,
    )
    recipe = generalised(
        job.job_id, analysis_of(job.request), await RulesReasoner().plan(given), catalogue, NOW
    )
    assert recipe is not None
    assert placeholder in {p.name for p in recipe.parameters}


async def test_the_same_question_uses_the_recipe_as_it_is() -> None:
    question = "total amount by month in Arizona in 2021"
    recipe = await recipe_of(question)
    found = await planning(question, RecalledRecipe(recipe=recipe, similarity=1.0, exact=True))
    assert found.recipe.how == "used"
    assert query_of(found) == query_of(await planning(question))


@pytest.mark.parametrize(
    "question",
    [
        "total amount by month in Texas in 2021",
        "total amount by month in New Mexico in 2022",
        "total cost by month in Texas in 2021",
        "Total amount by month in Arizona in Q1 2021?",
    ],
)
async def test_another_place_or_time_gives_the_plan_that_planning_afresh_gives(
    question: str,
) -> None:
    recipe = await recipe_of("total amount by month in Arizona in 2021")
    found = await planning(question, RecalledRecipe(recipe=recipe, similarity=0.9, exact=True))
    assert found.recipe.how == "adapted"
    assert query_of(found) == query_of(await planning(question))


async def test_how_many_come_first_is_a_particular_too() -> None:
    recipe = await recipe_of("top 2 agents by total amount")
    assert recipe.intent_template.startswith("top {limit} "), recipe.intent_template
    known = RecalledRecipe(recipe=recipe, similarity=0.9, exact=True)

    found = await planning("top 3 agents by total amount", known)

    assert found.recipe.how == "adapted"
    assert found.draft == (await planning("top 3 agents by total amount")).draft


async def test_another_column_of_its_kind_takes_the_place_of_a_column() -> None:
    question = "average amount by state"
    recipe = await recipe_of(question)
    assert recipe.intent_template == "average {column} by {column_2}"
    known = RecalledRecipe(recipe=recipe, similarity=0.9, exact=True)
    found = await planning("average cost by agent", known)
    afresh = await planning("average cost by agent")
    assert found.recipe.how == "adapted"
    assert (found.draft, found.understood) == (afresh.draft, afresh.understood)
    for other in ("average agent by state", "average sold on by state", "average amount by amount"):
        assert (await planning(other, known)).recipe.how in ("refused", "none"), other


async def test_a_repeated_question_gets_the_very_plan_unless_its_limits_changed() -> None:
    question = "standard deviation of amount by state in 2021"
    recipe = await recipe_of(question)
    again = await planning(question, RecalledRecipe(recipe=recipe, similarity=1.0, exact=True))
    first = await planning(question)
    assert again.proposal is not None and first.proposal is not None
    assert again.proposal["proposer"] == f"recipe:{recipe.recipe_id}"
    assert again.proposal["statement"] == first.proposal["statement"]
    assert [one.statement for one in again.others] == [one.statement for one in first.others]
    assert not any(one.glimpse for one in again.others), "nothing was run this time"
    same = {"recipe": first.recipe, "reason": first.reason, "proposal": first.proposal}
    same["others"] = first.others
    assert again.model_copy(update=same) == first
    smaller = request(question).model_copy(update={"deliverables": ("tables",)})
    assert as_learnt(recipe, smaller, again.intent) is None


async def test_a_question_that_might_be_split_in_countless_ways_is_another_question() -> None:
    recipe = await recipe_of("total amount by month in Arizona in 2021")
    template = " by ".join(f"{{p{n}}}" for n in range(8)) + " at the end"
    parameters = tuple(Parameter(name=f"p{n}", type="number") for n in range(8))
    hostile = recipe.model_copy(update={"intent_template": template, "parameters": parameters})
    for question in ("a by " * 90, "a by " * 2_000):
        found = await adapted(hostile, f"{question}x", SALES, lookup, TODAY)
        assert found.why_not == "the question is worded differently"


async def test_a_plan_that_was_a_guess_is_one_for_another_place_too() -> None:
    recipe = await recipe_of("total amount by month in Arizona in 2021")
    guess = {**recipe.plan_structure, "confidence": "low"}
    known = RecalledRecipe(
        recipe=recipe.model_copy(update={"plan_structure": guess}), similarity=0.9, exact=True
    )
    found = await planning("total amount by month in Texas in 2021", known)
    assert (found.recipe.how, found.confidence) == ("adapted", "low")


async def test_a_models_plan_serves_a_request_for_other_files_and_not_for_other_limits() -> None:
    recipe = await recipe_of("total amount by state")
    asked = request("total amount by state")
    steps = [str(step["task_id"]) for step in recipe.plan_structure["subtasks"]]
    assert steps[-1] == TABLE_TASK

    charts = asked.model_copy(update={"deliverables": (Deliverable.CHARTS,)})
    for others, wanted in ((asked, steps), (charts, steps[:-1])):
        found = as_learnt(recipe, others, {})
        assert found is not None
        assert found.draft is not None
        assert [task.task_id for task in found.draft.subtasks] == wanted
    tables = asked.model_copy(update={"deliverables": (Deliverable.TABLES,)})
    assert as_learnt(recipe, tables, {}) is None, "a chart is a part of what it drew up"


async def test_a_place_that_the_data_does_not_hold_refuses_the_recipe() -> None:
    recipe = await recipe_of("total amount by month in Arizona in 2021")
    found = await adapted(recipe, "total amount by month in Atlantis in 2021", SALES, lookup, TODAY)
    assert found.intent is None
    assert "Atlantis" in found.why_not


@pytest.mark.parametrize(
    ("learnt", "asked"),
    [
        ("amount by state in May and June 2021", "amount by state in July and August 2021"),
        (
            "how much did amount grow from 2020 to 2021",
            "how much did amount grow from 2021 to 2022",
        ),
        ("total amount by state in 2021", "total amount by state in 2020 and 2022"),
    ],
)
async def test_two_moments_are_never_taken_for_others(learnt: str, asked: str) -> None:
    recipe = await recipe_of(learnt)
    assert (await adapted(recipe, asked, SALES, lookup, TODAY)).intent is None
    assert (await adapted(recipe, learnt, SALES, lookup, TODAY)).intent is not None


async def test_another_wording_refuses_the_recipe_and_says_why() -> None:
    recipe = await recipe_of("total amount by month in Arizona in 2021")
    found = await planning(
        "average amount by state", RecalledRecipe(recipe=recipe, similarity=0.8, exact=True)
    )
    assert (found.recipe.how, found.recipe.reason) == (
        "refused",
        "the question is worded differently",
    )


async def test_a_recipe_of_another_schema_is_not_used() -> None:
    question = "total amount by state"
    recipe = await recipe_of(question)
    found = await planning(question, RecalledRecipe(recipe=recipe, similarity=1.0, exact=False))
    assert found.recipe.how == "none"


async def test_a_literal_brace_in_a_question_is_no_placeholder() -> None:
    recipe = await recipe_of("total amount by state {please}")
    found = await adapted(recipe, "total amount by state {please}", SALES, lookup, date(2026, 1, 2))
    assert found.intent is not None


async def test_a_recipe_of_another_reading_is_not_used() -> None:
    question = "total amount by state"
    recipe = await recipe_of(question)
    older = recipe.model_copy(update={"plan_structure": {**recipe.plan_structure, "reading": 0}})
    found = await adapted(older, question, SALES, lookup, TODAY)
    assert found.intent is None


async def test_the_plan_of_a_question_without_particulars_is_remembered_for_it_alone() -> None:
    question = "how many sales are there"
    recipe = await recipe_of(question)
    assert (recipe.intent_template, recipe.parameters) == ("", ())
    assert recipe.exact_question == question
    known = RecalledRecipe(recipe=recipe, similarity=1.0, exact=True)
    found = await planning("How many sales  are there?", known)
    assert (found.recipe.how, found.recipe.exact) == ("used", True)
    assert query_of(found) == query_of(await planning(question))
    other = await planning("how many sales are there in Texas", known)
    assert other.recipe.how == "refused"
