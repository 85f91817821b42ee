"""What several domains are asked becomes one plan, and each domain only what it can be asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from services.planner.domain.analysis.parts import planned_call, planned_parts
from services.planner.domain.analysis.planning import Planning
from services.planner.domain.catalogue import Catalogue, Relationship, Table
from services.planner.domain.data_source import DataSource
from services.planner.domain.plan import PlanDraft, Subtask
from services.planner.domain.question import AnalysisRequest
from services.planner.domain.routing.asked import (
    AskedDomain,
    DomainCallSpec,
    chosen_of,
    narrowed,
    prefixes,
)
from services.planner.domain.routing.candidate import Candidate, CandidateTool
from services.planner.domain.routing.decision import DomainRoutingDecision
from services.planner.domain.routing.domain import Domain
from services.planner.ports import Described
from services.planner.routing.deciding import Routing
from services.planner.routing.putting import Nowhere, Putting

REQUEST = AnalysisRequest(
    request_id="1" * 32, intent="sales and stock", timestamp=datetime(2026, 3, 1, tzinfo=UTC)
)
TRADE = AskedDomain(name="trade", display_name="Trade", question="sales", sources=(0,))
CALL = DomainCallSpec(
    server="warehouse", tool="levels", digest="a" * 64, arguments={"question": "stock"}
)
STOCK = AskedDomain(name="stock", display_name="Stock", question="stock", call=CALL)


def step(task_id: str, tool: str, needs: tuple[str, ...] = (), **arguments: Any) -> Subtask:
    return Subtask(
        task_id=task_id,
        description=task_id,
        tool_name=tool,
        arguments=arguments,
        dependencies=needs,
    )


def test_steps_of_two_domains_bear_their_names_wherever_they_are_named() -> None:
    joins = [{"operation": "join", "right": "load", "on": [{"left": "load", "right": "load"}]}]
    draft = PlanDraft(
        subtasks=(
            step("load", "sql.run", query="select 'load'"),
            step("facts", "df.transform", ("load",), input="load", steps=joins),
            step("chart", "plot.render", ("load",), input="load"),
            step("table", "table.write", ("load",), input="load", file_name="result.csv"),
        ),
        reasoning="",
        answer_task="load",
    )
    data = Planning(understood="sales", draft=draft, intent={"base": "sales"})
    call = planned_call(STOCK, REQUEST, 7.0)

    parts, whole = planned_parts([(TRADE, data), (STOCK, call)], prefixes([TRADE, STOCK]))

    steps = {task.task_id: task for task in whole.subtasks}
    assert not whole.problems({task.tool_name for task in whole.subtasks}, 60.0)
    assert "trade_chart" not in steps and steps["trade_load"].arguments["query"] == "select 'load'"
    assert steps["trade_facts"].arguments["input"] == "trade_load"
    assert steps["trade_facts"].arguments["steps"][0]["right"] == "trade_load"
    assert steps["trade_facts"].dependencies == ("trade_load",)
    assert steps["trade_table"].arguments["file_name"] == "trade.csv"
    assert steps["stock_load"].arguments["seconds"] == 7.0
    assert steps["stock_facts"].arguments["input"] == "stock_load"
    assert [part.answer_task for part in parts] == ["trade_load", "stock_load"]
    assert whole.answer_task == "trade_load" and parts[0].intent == {"base": "sales"}


def test_steps_are_told_apart_however_long_names_are() -> None:
    long = [TRADE.model_copy(update={"name": "a" * 50 + end}) for end in ("x", "y")]

    found = prefixes(long)

    assert len(set(found.values())) == 2
    assert all(len(f"{prefix}_leaders") <= 63 for prefix in found.values())


def test_a_tool_that_does_not_hear_the_question_is_said_not_to() -> None:
    heard = planned_call(STOCK, REQUEST, 50.0)
    deaf = STOCK.model_copy(update={"call": CALL.model_copy(update={"arguments": {}})})
    unheard = planned_call(deaf, REQUEST, 50.0)

    assert heard.caveats == () and heard.confidence == "medium"
    assert "takes no question" in unheard.caveats[0] and unheard.confidence == "low"


def test_a_domain_is_chosen_by_its_title_or_name_and_by_nothing_else() -> None:
    domains = (TRADE, STOCK)
    assert chosen_of(domains, " stock ") == STOCK and chosen_of(domains, "TRADE") == TRADE
    assert chosen_of(domains, "neither") is None


def test_a_part_sees_the_tables_of_its_domain_alone() -> None:
    tables = [
        Table(name=name, source_name=source, rows=1, columns=())
        for name, source in (("orders", "shop"), ("items", "shop"), ("visits", "harbour"))
    ]
    links = [
        Relationship(from_table="items", from_column="o", to_table="orders", to_column="o"),
        Relationship(from_table="items", from_column="v", to_table="visits", to_column="v"),
    ]
    whole = Catalogue(tables=tuple(tables), relationships=tuple(links))

    seen = narrowed(whole, frozenset({"shop"}))

    assert [table.name for table in seen.tables] == ["orders", "items"]
    assert seen.relationships == (links[0],)


class Words:
    """No vectors: words alone are compared."""

    async def vectors(self, texts: Sequence[str]) -> Mapping[str, Any]:
        return {}


class Readable:
    """Sources that can all be described."""

    async def describe(self, request: AnalysisRequest) -> Described:
        return Described(catalogue=Catalogue(tables=()))


def candidate(name: str, says: str, **made_of: Any) -> Candidate:
    return Candidate(domain=Domain(name=name, display_name=name, capabilities=(says,)), **made_of)


async def put(intent: str, *candidates: Candidate) -> AnalysisRequest | Nowhere:
    putting = Putting(Routing(Words(), 1.0), Readable(), 50.0)  # type: ignore[arg-type]
    return await putting.put(REQUEST.model_copy(update={"intent": intent}), candidates)


async def test_each_part_of_a_question_goes_to_its_domain_with_its_own_words() -> None:
    sold, more = (DataSource(file_path=path, name="same") for path in ("a.csv", "b.csv"))
    found = await put(
        "total sales and visits of ships",
        candidate("trade", "total sales", data_sources=(sold,)),
        candidate("harbours", "visits of ships", data_sources=(more,)),
    )

    assert isinstance(found, AnalysisRequest)
    assert [(d.name, d.question, d.sources) for d in found.domains] == [
        ("trade", "total sales", (0,)),
        ("harbours", "visits of ships", (1,)),
    ]
    # Tables are told apart by the names of their sources.
    assert [source.label for source in found.data_sources] == ["same", "harbours same"]


async def test_a_tool_that_needs_more_than_a_question_is_not_called() -> None:
    needs = '{"properties": {"city": {"type": "string"}, "day": {"type": "string"}}, "required": ["city", "day"]}'  # noqa: E501
    tool = CandidateTool(name="levels", input_schema_json=needs, digest="a" * 64)
    found = await put(
        "units in stock", candidate("stock", "units in stock", mcp_server="w", tools=(tool,))
    )

    assert isinstance(found, AnalysisRequest) and found.domains[0].call is None
    assert found.domains[0].unasked is not None
    assert found.domains[0].unasked.reason == "TOOL_ARGUMENTS_INVALID"


async def test_of_several_tools_the_nearest_is_called() -> None:
    tools = [
        CandidateTool(name=name, description=says, input_schema_json="{}", digest="a" * 64)
        for name, says in (("levels", "Units on shelves."), ("late", "Deliveries that are late."))
    ]
    found = await put(
        "which deliveries are late?",
        candidate("stock", "late deliveries", mcp_server="w", tools=tuple(tools)),
    )

    assert isinstance(found, AnalysisRequest)
    assert found.domains[0].call is not None and found.domains[0].call.tool == "late"


async def test_what_is_about_no_domain_is_told_with_what_they_can() -> None:
    found = await put("who wrote Hamlet?", candidate("trade", "total sales by region"))

    assert isinstance(found, Nowhere)
    assert isinstance(found.routing, DomainRoutingDecision)
    assert "trade (total sales by region)" in found.message
