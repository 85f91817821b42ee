"""A language model with a real endpoint, and a small shop it is asked about."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import httpcore2
import pytest

from mesh.clock import SystemClock
from mesh.ids import new_id
from mesh.policy import Policy
from mesh.storage.database import Database, open_database
from mesh.testing.model_server import Answered, ModelServer, model_server
from services.planner.adapters.llm.building import language_model
from services.planner.adapters.reasoner_llm import LanguageModel
from services.planner.adapters.reasoner_together import TogetherReasoner
from services.planner.domain.analysis.planning import Planning, PlanningInput, Repair, RepairInput
from services.planner.domain.analysis.recipe import Recipe
from services.planner.domain.calls import Observation, ObservationStatus, ToolCall
from services.planner.domain.catalogue import (
    Catalogue,
    Column,
    ColumnRole,
    DataType,
    Relationship,
    Table,
    ValueHit,
)
from services.planner.domain.data_source import DataSource
from services.planner.domain.investigation.iteration import NextStep
from services.planner.domain.investigation.metric_words import WordedMetric
from services.planner.domain.investigation.next_step import next_step
from services.planner.domain.investigation.request import InvestigationRequest
from services.planner.domain.investigation.step_calls import StepInput
from services.planner.domain.plan import PlanDraft, Subtask
from services.planner.domain.question import AnalysisRequest
from services.planner.domain.suggestions import Suggestions, SuggestionsInput
from services.planner.domain.thinking import Thinking
from services.planner.domain.tooling import ToolDescription
from services.planner.ports import RequestLookup
from services.planner.service import MIGRATIONS
from services.planner.settings import PlannerSettings
from tests.migrated import migrated_file

pytest.importorskip("pydantic_ai", reason="the extra `llm` is not installed")

MODEL = "openai:scripted"
KEY = "sk-secret-of-the-tests"
S, F, D = DataType.STRING, DataType.FLOAT, DataType.DATE
SHOP = Catalogue(
    tables=(
        Table(
            name="orders",
            source_name="shop.csv",
            rows=60,
            columns=(
                Column(name="order_id", data_type=DataType.INTEGER, role=ColumnRole.ID),
                Column(
                    name="region",
                    data_type=S,
                    role=ColumnRole.DIMENSION,
                    distinct=3,
                    samples=("North", "South", "West"),
                ),
                Column(name="amount", data_type=F, role=ColumnRole.MEASURE),
                Column(name="customer_id", data_type=DataType.INTEGER, role=ColumnRole.ID),
                Column(
                    name="sold_on",
                    data_type=D,
                    role=ColumnRole.TIMESTAMP,
                    minimum="2024-01-01",
                    maximum="2024-12-28",
                ),
            ),
        ),
        Table(
            name="customers",
            source_name="shop.csv",
            rows=9,
            columns=(
                Column(name="id", data_type=DataType.INTEGER, role=ColumnRole.ID),
                Column(name="email", data_type=S, role=ColumnRole.DIMENSION, samples=("a@b.org",)),
                Column(name="city", data_type=S, role=ColumnRole.DIMENSION, samples=("Bern",)),
            ),
        ),
    ),
    relationships=(
        Relationship(
            from_table="orders", from_column="customer_id", to_table="customers", to_column="id"
        ),
    ),
    fingerprint="ab" * 32,
)
BY_REGION = 'SELECT "region", sum("amount") AS "total" FROM "orders" GROUP BY 1 ORDER BY 1'
TESTS = ("correlation", "t_test", "one_sample_t", "missing")
CHOICES = {"test": TESTS, "method": ("pearson", "spearman")}
TOOLS = tuple(
    ToolDescription(
        name=name,
        description=f"The tool {name}.",
        arguments_schema={
            "properties": {
                name: {"enum": list(CHOICES[name])} if name in CHOICES else {}
                for name in arguments.split()
            },
            "required": arguments.split()[:1],
        },
    )
    for name, arguments in (
        ("sql.run", "query params timeout row_limit"),
        ("plot.render", "type input x_col y_col series_col title"),
        ("df.transform", "steps input"),
        ("stats.test", "test input columns by predictors method threshold"),
        ("python.run", "code input"),
    )
)


QUESTION = "how much did every region bring in?"


def answer_of(query: str = BY_REGION, words: str = QUESTION, **changes: Any) -> dict[str, Any]:
    """A filled form with one statement, to which `words` of the question are bound."""
    return {
        "kind": "answer",
        "interpretation": "total = sum of amount by region",
        "statement": query,
        "bindings": [{"words": words, "fragment": query[:200], "kind": "metric"}] if words else [],
        **changes,
    }


def answered(query: str = BY_REGION, words: str = QUESTION, **changes: Any) -> Answered:
    return Answered(answer_of(query, words, **changes))


def asked(question: str = QUESTION, **request: Any) -> AnalysisRequest:
    values: dict[str, Any] = {
        "request_id": new_id(),
        "intent": question,
        "data_sources": (DataSource(file_path="/data/shop.csv"),),
        "timestamp": datetime(2026, 1, 2, tzinfo=UTC),
        "deliverables": (),
        **request,
    }
    return AnalysisRequest(**values)


def given(
    request: AnalysisRequest | None = None, catalogue: Catalogue = SHOP, **changes: Any
) -> PlanningInput:
    async def lookup(phrases: Sequence[str]) -> Sequence[ValueHit]:
        return []

    values: dict[str, Any] = {"lookup": lookup, "today": date(2026, 1, 2), **changes}
    return PlanningInput(request=request or asked(), catalogue=catalogue, **values)


def recipe(question: str, by: str) -> Recipe:
    """What is remembered of a question that somebody answered by regions."""
    now = datetime(2026, 1, 2, tzinfo=UTC)
    task = {"task_id": "load", "tool_name": "sql.run", "dependencies": []}
    return Recipe(
        recipe_id="ab" * 16,
        schema_fingerprint="a" * 64,
        intent_template=question,
        plan_structure={"subtasks": [task], "decided_by": by, "confidence": "medium"},
        tool_argument_templates=[{"query": BY_REGION}],
        created_at=now,
        last_used_at=now,
    )


def failed_call(query: str, category: str, message: str, **changes: Any) -> RepairInput:
    """An attempt at `query` that failed."""
    now = datetime(2026, 1, 2, tzinfo=UTC)
    call = ToolCall(
        call_id=new_id(),
        plan_id=new_id(),
        task_id="load",
        tool_name="sql.run",
        arguments={"query": query, "timeout": 30, "row_limit": 1000},
        timestamp=now,
    )
    observation = Observation(
        observation_id=new_id(),
        call_id=call.call_id,
        status=ObservationStatus.ERROR,
        error_message=message,
        error_category=category,
        execution_time_seconds=0.1,
        timestamp=now,
    )
    values: dict[str, Any] = {"request": asked(), "catalogue": SHOP, "seconds_left": 20.0}
    return RepairInput(call=call, observation=observation, **{**values, **changes})


@dataclass
class Rules:
    """Rules that decide what a test says."""

    planning: Planning
    change: Repair | None = None
    asked: list[PlanningInput] = field(default_factory=list)
    name: str = "rules"

    @property
    def rules(self) -> Rules:
        """Itself: there is no model beside it."""
        return self

    async def plan(self, given: PlanningInput) -> Planning:
        self.asked.append(given)
        return self.planning

    async def again(self, planning: Planning, given: PlanningInput) -> Planning:
        return planning

    async def repair(self, given: RepairInput) -> Repair | None:
        return self.change

    async def next_step(self, given: StepInput) -> NextStep:
        return next_step(given)

    async def metric(
        self, request: InvestigationRequest, catalogue: Catalogue, lookup: RequestLookup
    ) -> WordedMetric | None:
        return None

    async def suggest(self, given: SuggestionsInput) -> Suggestions | None:
        return None


def by_rules(query: str = BY_REGION, confidence: Any = "medium") -> Planning:
    """What rules understood that made this query."""
    task = Subtask(
        task_id="load", description="query", tool_name="sql.run", arguments={"query": query}
    )
    draft = PlanDraft(subtasks=(task,), reasoning="rules", answer_task="load")
    return Planning(understood="the rules' reading", draft=draft, confidence=confidence)


@dataclass
class World:
    """A model, its endpoint, and the database that keeps what it took."""

    model: LanguageModel
    server: ModelServer
    database: Database

    def together(self, rules: Rules) -> TogetherReasoner:
        return TogetherReasoner(rules, self.model)


_authorities = cache(httpcore2.default_ssl_context)
"""Read once: the machine's list of them takes longer than a test, and none asks over TLS."""


@asynccontextmanager
async def world(folder: Path, **settings: Any) -> AsyncIterator[World]:
    """A model as the planner builds one, at an endpoint on this machine."""
    thinking: Thinking | None = settings.pop("thinking", None)
    async with AsyncExitStack() as stack:
        stack.enter_context(patch.object(httpcore2, "default_ssl_context", _authorities))
        server = await stack.enter_async_context(model_server())
        url = migrated_file(folder / "planner.sqlite", MIGRATIONS)
        database = open_database(url, MIGRATIONS)
        stack.push_async_callback(database.close)
        family = settings.get("llm", MODEL).partition(":")[0]
        place = f"http://{server.address}" if family == "anthropic" else server.base_url
        values = {
            "llm": MODEL,
            "llm_key": KEY,
            "llm_seconds": 5.0,
            "llm_base_url": place,
            "llm_answer_tokens": 4_000,
            "llm_job_tokens": 60_000,
        }
        complete = PlannerSettings(**{**values, **settings})

        async def tools() -> Sequence[ToolDescription]:
            return TOOLS

        model = language_model(complete, tools, database, SystemClock(), thinking)
        yield World(await stack.enter_async_context(model), server, database)


def known_policy() -> Policy:
    """Hides addresses of e-mail."""
    return Policy(blocked_patterns=("email",))
