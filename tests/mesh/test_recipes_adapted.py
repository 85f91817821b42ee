"""A question that differs in its particulars from one before it adapts the recipe that this left.

Every answer is held against SQL of our own over the same file, every template against the tools.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest

from assay.common.v1 import job_pb2
from assay.gateway.v1 import catalogue_service_pb2 as catalogue_pb
from clients.python import frames
from clients.python.frame_wire import ArtifactStub
from services.executor.catalogue import ToolCatalogue
from services.planner.domain.analysis.templating import filled
from tests.mesh.support import Caller, question

STATES = ("Arizona", "Texas", "New Mexico", "North Dakota")


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sales with dates and states, rides with cities and distances, tickets with priorities."""
    folder, chance = tmp_path_factory.mktemp("tables"), random.Random(7)

    def write(name: str, header: str, rows: Sequence[Sequence[object]]) -> None:
        lines = [header, *(",".join(map(str, row)) for row in rows)]
        (folder / name).write_text("\n".join(lines) + "\n")

    def day(number: int) -> date:
        return date(2020, 1, 1) + timedelta(days=number % 1_000)

    write(
        "sales.csv",
        "sale_id,sold_on,state,product,amount",
        [
            (
                n + 1,
                day(n * 7),
                chance.choice(STATES),
                chance.choice(("chair", "desk")),
                chance.randint(10, 500),
            )
            for n in range(900)
        ],
    )
    write(
        "rides.csv",
        "ride_id,started_on,city,distance_km,fare,tip",
        [
            (
                n + 1,
                day(n * 3),
                chance.choice(("Berlin", "San Jose", "Oslo")),
                chance.randint(1, 40),
                chance.randint(5, 90),
                chance.randint(0, 20),
            )
            for n in range(600)
        ],
    )
    write(
        "tickets.csv",
        "ticket_id,opened_on,priority,team,hours",
        [
            (
                n + 1,
                day(n * 5),
                chance.choice(("high", "low")),
                chance.choice(("billing", "search")),
                chance.randint(1, 99),
            )
            for n in range(500)
        ],
    )
    return folder


SAME = "Analyze {} sales; trends + charts"
BY_MONTH = """
    SELECT date_trunc('month', sold_on)::DATE, sum(amount) FROM '{folder}/sales.csv'
    WHERE state = '{state}' AND sold_on >= '{start}' AND sold_on < '{end}' GROUP BY 1 ORDER BY 1
"""
# Table, a question, one that differs in its particulars, and the second one's rows by hand.
PAIRS: dict[str, tuple[str, str, str, str]] = {
    "the specification's own example": (
        "sales.csv",
        SAME.format("Q1 2021 Arizona"),
        SAME.format("Q2 2021 Texas"),
        BY_MONTH.replace("{state}", "Texas")
        .replace("{start}", "2021-04-01")
        .replace("{end}", "2021-07-01"),
    ),
    "a place of two words beside a year": (
        "sales.csv",
        SAME.format("2021 Arizona"),
        SAME.format("2020 New Mexico"),
        BY_MONTH.replace("{state}", "New Mexico")
        .replace("{start}", "2020-01-01")
        .replace("{end}", "2021-01-01"),
    ),
    "a place of two words before a quarter": (
        "sales.csv",
        SAME.format("New Mexico Q3 2021"),
        SAME.format("North Dakota Q4 2020"),
        BY_MONTH.replace("{state}", "North Dakota")
        .replace("{start}", "2020-10-01")
        .replace("{end}", "2021-01-01"),
    ),
    "names of months": (
        "sales.csv",
        "total amount by product in Arizona in March 2021",
        "total amount by product in Texas in August 2020",
        "SELECT product, sum(amount) FROM '{folder}/sales.csv' WHERE state = 'Texas' AND "
        "sold_on >= '2020-08-01' AND sold_on < '2020-09-01' GROUP BY 1 ORDER BY 2 DESC, 1",
    ),
    "between dates": (
        "rides.csv",
        "total fare by city between 2021-01-05 and 2021-03-10",
        "total fare by city between 2020-02-05 and 2020-06-30",
        "SELECT city, sum(fare) FROM '{folder}/rides.csv' WHERE started_on >= '2020-02-05' "
        "AND started_on < '2020-07-01' GROUP BY 1 ORDER BY 2 DESC, 1",
    ),
    "a threshold on rows and a place of two words": (
        "rides.csv",
        "average fare by month in Berlin where distance km is above 10",
        "average fare by month in San Jose where distance km is above 25",
        "SELECT date_trunc('month', started_on)::DATE, avg(fare) FROM '{folder}/rides.csv' "
        "WHERE city = 'San Jose' AND distance_km > 25 GROUP BY 1 ORDER BY 1",
    ),
    "another measure": (
        "rides.csv",
        "average fare by city in 2021",
        "average tip by city in 2022",
        "SELECT city, avg(tip) FROM '{folder}/rides.csv' WHERE started_on >= '2022-01-01' "
        "AND started_on < '2023-01-01' GROUP BY 1 ORDER BY 2 DESC, 1",
    ),
    "a threshold on a total": (
        "tickets.csv",
        "teams with total hours above 100 in 2020",
        "teams with total hours above 3000 in 2021",
        "SELECT team, sum(hours) FROM '{folder}/tickets.csv' WHERE opened_on >= '2021-01-01' AND "
        "opened_on < '2022-01-01' GROUP BY 1 HAVING sum(hours) > 3000 ORDER BY 2 DESC, 1",
    ),
    "a kind and a quarter": (
        "tickets.csv",
        "how many high tickets by team in Q1 2021",
        "how many low tickets by team in Q4 2020",
        "SELECT team, count(*) FROM '{folder}/tickets.csv' WHERE priority = 'low' AND "
        "opened_on >= '2020-10-01' AND opened_on < '2021-01-01' GROUP BY 1 ORDER BY 2 DESC, 1",
    ),
}


async def rows_of(ann: Caller, job: job_pb2.Job) -> list[tuple[Any, ...]]:
    stub = ArtifactStub(ann.channel("gateway"))
    table = await frames.read_frame(stub, job.job_id, job.answer.table.digest)
    return list(zip(*table.to_pydict().values(), strict=True))


async def recipes(ann: Caller) -> list[Any]:
    return list((await ann.catalogue.ListRecipes(catalogue_pb.ListRecipesRequest())).recipes)


@pytest.mark.parametrize("name", PAIRS)
async def test_a_question_of_other_particulars_adapts_the_recipe_and_is_right(
    ann: Caller, tables: Path, name: str
) -> None:
    file, first, second, sql = PAIRS[name]
    learnt = await ann.asked(question(first, tables / file))
    assert learnt.state == job_pb2.JOB_STATE_COMPLETED, learnt.failure
    assert learnt.answer.recipe == "recipe saved"
    job = await ann.asked(question(second, tables / file))
    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    assert job.answer.recipe == "recipe adapted"
    expected = duckdb.sql(sql.replace("{folder}", str(tables))).fetchall()
    assert [tuple(map(str, row)) for row in await rows_of(ann, job)] == [
        tuple(map(str, row)) for row in expected
    ]
    (recipe,) = await recipes(ann)
    assert recipe.success_count == 2
    check_templates(recipe, learnt, first)


def check_templates(recipe: Any, learnt: job_pb2.Job, asked: str) -> None:
    """Placeholders stand wherever a particular stood, and filling them gives the very calls."""
    parameters = json.loads(recipe.parameters_json)
    subtasks = json.loads(recipe.plan_structure_json)["subtasks"]
    arguments = json.loads(recipe.tool_argument_templates_json)
    assert [step["arguments"] for step in subtasks] == arguments
    told = json.dumps(
        [(step["description"], step["invariants"], step["arguments"]) for step in subtasks]
    )
    for parameter in parameters:
        if parameter["type"] in ("value", "time_range", "date"):
            left = re.search(rf"\b{re.escape(parameter['example'])}\b", told)
            assert left is None, "a particular is left in the templates"
    times = [p["name"] for p in parameters if p["type"] == "time_range"]
    for name in times:
        assert f"{{{name}_start}}" in told and f"{{{name}_end}}" in told
    texts = {p["name"]: p["example"] for p in parameters}
    assert recipe.intent_template.format(**texts).casefold() == asked.casefold()
    values = {p["name"]: _typed(p) for p in parameters}
    tools = ToolCatalogue()
    for template, step in zip(arguments, learnt.plan.subtasks, strict=True):
        call = filled(template, values)
        assert call == json.loads(step.arguments_json)
        tools.get(step.tool_name).arguments.model_validate(call)


def _typed(parameter: dict[str, str]) -> Any:
    return float(parameter["example"]) if parameter["type"] == "number" else parameter["example"]


async def test_a_piece_that_is_nothing_of_its_kind_is_planned_afresh(
    ann: Caller, tables: Path
) -> None:
    sales = tables / "sales.csv"
    await ann.asked(question(SAME.format("Q1 2021 Arizona"), sales))
    job = await ann.asked(question(SAME.format("Q1 2021 chair"), sales))
    assert job.answer.recipe in ("recipe saved", ""), "a product is no state"
    expected = duckdb.sql(
        f"SELECT sum(amount) FROM '{sales}' WHERE product = 'chair' AND "
        "sold_on >= '2021-01-01' AND sold_on < '2021-04-01'"
    ).fetchone()
    assert expected is not None
    assert sum(row[1] for row in await rows_of(ann, job)) == expected[0]


async def test_a_question_without_particulars_leaves_a_plan_for_itself_and_no_recipe(
    ann: Caller, tables: Path
) -> None:
    sales = tables / "sales.csv"
    first = await ann.asked(question("how many sales are there", sales))
    assert first.answer.recipe == "plan remembered"
    again = await ann.asked(question("How many sales are there?", sales))
    assert again.answer.recipe == "remembered plan used"
    assert again.answer.text == first.answer.text
    (kept,) = await recipes(ann)
    assert (kept.intent_template, kept.exact_question) == ("", "how many sales are there")
    other = await ann.asked(question("how many sales are there in Texas", sales))
    assert "remembered" not in other.answer.recipe
