"""A plan's reasoning says why it looks as it does: tables, joins, order, steps."""

from __future__ import annotations

import pytest

from services.planner.domain.catalogue import Catalogue, ColumnRole, DataType, Relationship, Table
from services.planner.domain.drafting.draft import draft_plan
from services.planner.domain.plan import PlanDraft
from services.planner.domain.query.intent import (
    Aggregate,
    ChartType,
    Condition,
    Dimension,
    Field,
    Intent,
    Measure,
    Operator,
    Relation,
    Understood,
)
from tests.unit.planner.test_generalise import SALES, column

AGENTS = Table(
    name="agents",
    source_name="agents.csv",
    rows=12,
    columns=(
        column("agent", DataType.STRING, ColumnRole.ID, distinct=12),
        column("team", DataType.STRING, ColumnRole.DIMENSION, distinct=3),
    ),
)
LINK = Relationship(
    from_table="sales", from_column="agent", to_table="agents", to_column="agent", declared=True
)
AMOUNT = Measure(
    aggregate=Aggregate.SUM,
    table="sales",
    expression=Field(table="sales", column="amount"),
    label="amount",
)
BY_TEAM = Intent(
    base="sales",
    measures=(AMOUNT,),
    dimensions=(Dimension(expression=Field(table="agents", column="team"), label="team"),),
    filters=(
        Condition(
            field=Field(table="sales", column="state"), operator=Operator.EQUAL, values=("Texas",)
        ),
    ),
    joins=(
        Relation(
            left=Field(table="sales", column="agent"), right=Field(table="agents", column="agent")
        ),
    ),
    chart=ChartType.BAR,
)


def planned(intent: Intent, declared: bool = True) -> PlanDraft:
    link = LINK.model_copy(update={"declared": declared})
    catalogue = Catalogue(tables=(*SALES.tables, AGENTS), relationships=(link,))
    understood = Understood(intent=intent, summary="amount by team", confidence=1.0)
    return draft_plan(
        understood,
        catalogue,
        deliverables=["tables", "charts", "summary"],
        row_limit=100,
        timeout_seconds=30,
    )


def test_every_table_is_named_with_what_it_is_read_for() -> None:
    why = planned(BY_TEAM).reasoning
    assert "sales (500 rows) is read because it holds amount, state." in why
    assert "agents (12 rows) is read because it holds team." in why


@pytest.mark.parametrize(
    ("declared", "because"), [(True, "the data declares that key"), (False, "their values agree")]
)
def test_every_join_is_named_with_its_reason(declared: bool, because: str) -> None:
    why = planned(BY_TEAM, declared).reasoning
    assert f"agents is joined on sales.agent = agents.agent, because {because}." in why


def test_every_step_is_named_with_its_purpose_and_what_it_waits_for() -> None:
    draft = planned(BY_TEAM)
    for step in draft.subtasks:
        assert f"{step.task_id} " in draft.reasoning
        for need in step.dependencies:
            assert f"it needs {need} alone." in draft.reasoning
    assert "chart draws a bar chart, because names are compared; it needs load" in draft.reasoning
    assert "Rows are filtered before they are aggregated" in draft.reasoning


def test_the_reasons_are_those_of_this_plan_and_no_restatement_of_the_question() -> None:
    plain = BY_TEAM.model_copy(update={"filters": (), "joins": (), "dimensions": (), "chart": None})
    draft = planned(plain)
    assert "amount by team" not in draft.reasoning
    assert "filtered" not in draft.reasoning and "joined" not in draft.reasoning
    assert "agents" not in draft.reasoning and "chart" not in draft.reasoning
    assert draft.reasoning != planned(BY_TEAM).reasoning
