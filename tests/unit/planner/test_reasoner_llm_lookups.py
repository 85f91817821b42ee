"""What a model may look up before it answers, over real HTTP: bounded, counted, recorded."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from mesh.policy import Disclosure, Policy
from mesh.testing.model_server import Answered, TextReply
from services.planner.domain.catalogue import Catalogue, ValueHit
from services.planner.domain.evidence import (
    USUAL_LIMITS,
    Outcome,
    ProbedColumn,
    ProbedQuery,
    ProbeLimits,
    ProbeState,
)
from tests.unit.planner.llm_world import (
    BY_REGION,
    SHOP,
    World,
    answer_of,
    answered,
    asked,
    given,
    world,
)

RANGES = f'SELECT min("total"), max("total") FROM ({BY_REGION}) AS tried'
_FAR = 'SELECT count("field_1") AS "n" FROM "archive_3"'


@pytest_asyncio.fixture
async def shop(tmp_path: Path) -> AsyncIterator[World]:
    async with world(tmp_path, llm_disclosure="results") as made:
        yield made


def looks(call: str, **arguments: Any) -> Answered:
    return Answered(arguments, name=call)


async def _found(phrases: Sequence[str]) -> Sequence[ValueHit]:
    said = {"nort": [("orders", "region", "North")], "bern": [("customers", "email", "b@b.org")]}
    hits = [hit for phrase in phrases for hit in said.get(phrase.casefold(), [])]
    return [
        ValueHit(phrase="", table=table, column=column, value=value, score=1.0)
        for table, column, value in hits
    ]


async def _evidence(
    queries: Sequence[ProbedQuery], limits: ProbeLimits = USUAL_LIMITS
) -> Sequence[Outcome]:
    """Three regions whose totals go from 5 to 4711."""
    columns = tuple(
        ProbedColumn(name=name, empty_share=empty, distinct_share=1.0)
        for name, empty in (("region", 0.5), ("total", 0.0))
    )
    result = Outcome(
        state=ProbeState.OK, rows=3, columns=columns, glimpse=(("North", 4711), ("<b>", 5))
    )
    ends = Outcome(state=ProbeState.OK, rows=1, glimpse=((5, 4711),))
    told = {BY_REGION: result, RANGES: ends}
    return [told.get(query.sql, Outcome(state=ProbeState.NOT_PROBED)) for query in queries]


def _said(shop: World, request: int) -> str:
    """The last thing that a request said to the model."""
    return str(shop.server.asked[request]["messages"][-1]["content"])


async def test_it_may_look_for_values_and_they_count_as_known(shop: World) -> None:
    shop.server.will(looks("find_values", column="orders.region", text="nort"), answered())

    planning = await shop.model.plan(given(lookup=_found))

    assert _said(shop, 1) == '<data>\n"North"\n</data>'
    [look] = planning.lookups
    assert (look.call, look.asked, look.found) == (
        "find_values",
        "nort in orders.region",
        "1 value",
    )
    assert planning.disclosure == "results"
    assert planning.model_use is not None
    assert planning.model_use.requests == 2, "what it looks up is paid for as all else"


async def test_it_may_try_a_statement_and_learns_its_shape(tmp_path: Path) -> None:
    async with world(tmp_path) as shop:
        shop.server.will(looks("try_statement", statement=BY_REGION), answered())
        planning = await shop.model.plan(given(evidence=_evidence))
        said = _said(shop, 1)

    assert said.splitlines() == [
        "<data>",
        "3 rows",
        '"region" VARCHAR, 50 % empty',
        '"total" DOUBLE, 5 to 4711',
        "</data>",
    ]
    assert planning.lookups[0].found == "3 rows"


async def test_rows_are_told_at_the_level_of_results_alone(shop: World) -> None:
    shop.server.will(looks("try_statement", statement=BY_REGION), answered())
    await shop.model.plan(given(evidence=_evidence))

    assert 'row: "North", 4711\nrow: "\\u003cb>", 5' in _said(shop, 1)


async def test_the_shape_of_one_row_is_the_row_and_not_told(tmp_path: Path) -> None:
    async def single(queries: Sequence[ProbedQuery], limits: ProbeLimits = USUAL_LIMITS) -> Any:
        return [one.model_copy(update={"rows": 1}) for one in await _evidence(queries)]

    async with world(tmp_path) as shop:
        shop.server.will(looks("try_statement", statement=BY_REGION), answered())
        await shop.model.plan(given(evidence=single))
        assert "4711" not in shop.server.prompts[1]


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (looks("find_values", column="customers.email", text="bern"), "There is no column"),
        (looks("find_values", column="orders.region", text="zzz"), "No value of"),
        (looks("try_statement", statement="DROP TABLE orders"), "It cannot be used"),
        (looks("try_statement", statement='SELECT "email" FROM "customers"'), "email"),
        (looks("try_statement", statement='SELECT sum("amount") * 4712 AS x FROM orders'), "4712"),
        (looks("find_values", table="orders"), "Field required"),
        (looks("run_shell", command="id"), "Unknown tool name"),
    ],
)
async def test_what_cannot_be_looked_up_is_told_and_an_answer_still_made(
    shop: World, call: Answered, why: str
) -> None:
    shop.server.will(call, answered())
    request = asked(policy=Policy(blocked_patterns=("email",)))

    planning = await shop.model.plan(given(request, lookup=_found, evidence=_evidence))

    assert planning.draft is not None
    assert why in shop.server.prompts[1]
    assert "b@b.org" not in shop.server.prompts[1]


async def test_after_four_look_ups_it_must_answer(shop: World) -> None:
    again = looks("find_values", column="orders.region", text="nort")
    shop.server.will(*[again] * 6, answered())

    planning = await shop.model.plan(given(lookup=_found))

    assert planning.draft is not None
    assert len(planning.lookups) == 4
    assert "No look-ups are left" in _said(shop, 4)
    assert "North" not in _said(shop, 5)


async def test_one_that_looks_for_ever_is_ended(shop: World) -> None:
    shop.server.will(looks("find_values", column="orders.region", text="nort"))

    with pytest.raises(Exception, match="could not be used"):
        await shop.model.plan(given(lookup=_found))

    assert len(shop.server.asked) == 8


async def test_a_table_that_is_not_described_can_be_looked_at(tmp_path: Path) -> None:
    async with world(tmp_path, llm_prompt_tokens=1_000) as shop:
        shop.server.will(
            looks("describe_tables", tables=["archive_3", "nothing"]), answered(_FAR, "count")
        )
        planning = await shop.model.plan(given(asked("count the archived"), _many()))

        assert '"archive_3"' in _said(shop, 0), "it is named"
        assert '"field_1" key' in _said(shop, 1)
    assert planning.draft is not None
    assert planning.draft.subtasks[0].arguments["query"] == _FAR


def _many() -> Catalogue:
    (orders, customers) = SHOP.tables
    wide = orders.columns[0]
    columns = tuple(wide.model_copy(update={"name": f"field_{m}"}) for m in range(60))
    others = [
        customers.model_copy(update={"name": f"archive_{n}", "columns": columns}) for n in range(9)
    ]
    return SHOP.model_copy(update={"tables": (*SHOP.tables, *others)})


@pytest.mark.parametrize(
    ("level", "offered"),
    [
        (Disclosure.NAMES, []),
        (Disclosure.VALUES, ["find_values"]),
        (Disclosure.SHAPES, ["find_values", "try_statement"]),
    ],
)
async def test_a_request_lowers_what_may_be_looked_up_and_never_raises_it(
    tmp_path: Path, level: Disclosure, offered: list[str]
) -> None:
    async with world(tmp_path, llm_disclosure="shapes") as shop:
        shop.server.will(answered())
        request = asked(policy=Policy(disclosure=level))
        planning = await shop.model.plan(given(request, lookup=_found, evidence=_evidence))
        tools = [tool["function"] for tool in shop.server.asked[0]["tools"]]

    assert [tool["name"] for tool in tools] == [*offered, "decide"]
    assert len(json.dumps(tools[:-1])) < 1_000
    assert planning.disclosure == str(level)


async def test_of_names_alone_no_value_is_told(tmp_path: Path) -> None:
    question = "how much did the North bring in?"
    async with world(tmp_path) as shop:
        shop.server.will(answered(words=question))
        request = asked(question, policy=Policy(disclosure=Disclosure.NAMES))
        await shop.model.plan(given(request, lookup=_found, evidence=_evidence))
        prompt = _said(shop, 0).partition("</data>")[0]

    assert '"region" string\n' in prompt
    assert '"orders"."customer_id" refers to "customers"."id"' in prompt
    for value in ("North", "60 rows", "2024", "Bern"):
        assert value not in prompt


async def test_endpoints_that_know_no_functions_are_offered_none(tmp_path: Path) -> None:
    async with world(tmp_path, llm_output="native") as shop:
        shop.server.will(TextReply(json.dumps(answer_of())))
        await shop.model.plan(given(lookup=_found, evidence=_evidence))
        assert "tools" not in shop.server.asked[0]
        assert "You never see rows or results" in shop.server.prompts[0]
