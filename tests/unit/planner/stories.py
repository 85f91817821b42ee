"""Finished analyses in small, for tests of words and reports."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

import pyarrow as pa

from services.planner.domain.analysis.narrate import Story, narrate
from services.planner.domain.analysis.report import Report
from services.planner.domain.calls import Artifact, Observation, ObservationStatus, ToolCall
from services.planner.domain.catalogue import Catalogue, Column, ColumnRole, DataType, Table
from services.planner.domain.data_source import DataSource
from services.planner.domain.jobs.job import Job, JobState
from services.planner.domain.plan import Plan, PlanDraft, Subtask
from services.planner.domain.query.intent import (
    Aggregate,
    Condition,
    Dimension,
    Field,
    Grain,
    Group,
    Intent,
    Measure,
    Operator,
)
from services.planner.domain.question import AnalysisRequest
from services.planner.domain.reporting.evidence import ClaimBook, EvidenceTable
from services.planner.domain.step import Step, StepState

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
REQUEST_ID = "7c1e" * 8
CALL_ID = "77aa" * 8
PNG = b"\x89PNG not really"

CATALOGUE = Catalogue(
    tables=(
        Table(
            name="Orders",
            source_name="northwind",
            rows=830,
            columns=(
                Column(
                    name="ShipCountry",
                    data_type=DataType.STRING,
                    role=ColumnRole.DIMENSION,
                    samples=("Germany", "USA", "Austria"),
                ),
                Column(name="OrderDate", data_type=DataType.DATE, role=ColumnRole.TIMESTAMP),
            ),
        ),
    )
)


def column(name: str) -> Field:
    return Field(table="Orders", column=name)


REVENUE = Measure(
    aggregate=Aggregate.SUM, table="Orders", expression=column("Amount"), label="revenue"
)
ORDERS = Measure(aggregate=Aggregate.COUNT, table="Orders", label="number of orders")
COUNTRY = Dimension(expression=column("ShipCountry"), label="ship country")
CATEGORY = Dimension(expression=column("CategoryName"), label="category")
MONTH = Dimension(expression=column("OrderDate"), label="month", grain=Grain.MONTH)
YEAR = Dimension(expression=column("OrderDate"), label="year", grain=Grain.YEAR)

IN_1997 = Group(
    connective="and",
    members=(
        Condition(
            field=column("OrderDate"),
            operator=Operator.AT_LEAST,
            values=(date(1997, 1, 1),),
            note="1997",
        ),
        Condition(
            field=column("OrderDate"),
            operator=Operator.LESS,
            values=(date(1998, 1, 1),),
            note="1997",
        ),
    ),
)
TO_ATLANTIS = Condition(field=column("ShipCountry"), operator=Operator.EQUAL, values=("Atlantis",))


def raw(name: str) -> Measure:
    return Measure(aggregate=None, table="Orders", expression=column(name), label=name)


def story(
    question: str,
    intent: Intent | None,
    answer: Mapping[str, Any],
    understood: str = "",
    **others: Mapping[str, Any],
) -> Story:
    """A story whose answer is step "load"; `others` are frames of other steps by task id."""
    frames = {"load": answer, **others}
    tables = {
        task_id: EvidenceTable(task_id, f"{i:032x}", f"{i + 1:064x}", pa.table(dict(data)))
        for i, (task_id, data) in enumerate(frames.items())
    }
    request = AnalysisRequest(
        request_id=REQUEST_ID,
        intent=question,
        data_sources=(DataSource(file_path="northwind.sqlite"),),
        timestamp=NOW,
    )
    return Story(
        request=request,
        understood=understood,
        intent=intent.model_dump(mode="json") if intent else {},
        answer_task="load",
        tables=tables,
        catalogue=CATALOGUE,
        answer_rows=tables["load"].rows.num_rows,
    )


MONTHS = [date(1997, month, 1) for month in range(1, 13)]
MONTHLY = [
    61258.1,
    38483.6,
    38547.2,
    53033,
    53781.3,
    36362.8,
    51021,
    47288,
    55629,
    66749,
    43533.8,
    71398.4,
]


def revenue_by_month_and_category() -> Story:
    """The question of the README: twelve months, two categories, totals, leaders, a pivot."""
    return story(
        "revenue by month in 1997, by category",
        Intent(
            base="Orders",
            measures=(REVENUE,),
            dimensions=(MONTH, CATEGORY),
            series=1,
            filters=(IN_1997,),
        ),
        {
            "month": [month for month in MONTHS for _ in range(2)],
            "category": ["Beverages", "Dairy Products"] * 12,
            "revenue": [value / 2 for value in MONTHLY for _ in range(2)],
        },
        understood="revenue = unit price × quantity, summed by month and category · 1997",
        facts={"rows": [24], "total revenue": [617085.2]},
        leaders={
            "category": ["Dairy Products", "Beverages"],
            "revenue": [115387.6, 103924.3],
            "share": [0.187, 0.168],
        },
        totals={"month": MONTHS, "revenue": MONTHLY},
        shape={"month": MONTHS, "Beverages": MONTHLY, "Dairy Products": MONTHLY},
    )


def chart() -> Artifact:
    return Artifact(
        artifact_id="c" * 32,
        request_id=REQUEST_ID,
        artifact_type="chart",
        content_ref=f"artifacts/charts/{REQUEST_ID}/revenue by month.png",
        content_hash="0" * 64,
        size_bytes=len(PNG),
        created_at=NOW,
        media_type="image/png",
    )


def report(
    told: Story,
    caveats: tuple[str, ...] = (),
    query: str = "SELECT 1",
    change_reason: str = "",
    with_chart: bool = True,
) -> Report:
    """The report of a story whose step "load" ran `query`."""
    book = ClaimBook()
    narration = narrate(told, book)
    subtask = Subtask(
        task_id="load",
        description="query Orders",
        tool_name="sql.run",
        arguments={"query": query},
        invariants=("filter before aggregate",),
    )
    draft = PlanDraft(subtasks=(subtask,), reasoning="", answer_task="load")
    attempt = 2 if change_reason else 1
    call = ToolCall(
        call_id=CALL_ID,
        plan_id="d" * 32,
        task_id="load",
        tool_name="sql.run",
        arguments={"query": query},
        timestamp=NOW,
        attempt_number=attempt,
        change_reason=change_reason,
    )
    observation = Observation(
        observation_id="b" * 32,
        call_id=CALL_ID,
        status=ObservationStatus.SUCCESS,
        artifacts=(chart(),),
        execution_time_seconds=0.1,
        row_count=24,
        timestamp=NOW,
    )
    job = Job(
        job_id=REQUEST_ID,
        tenant="t",
        state=JobState.EXECUTING,
        request=told.request,
        understood=told.understood,
        plan=Plan(plan_id="p" * 32, request_id=REQUEST_ID, draft=draft, created_at=NOW),
        steps=(
            Step(
                task_id="load",
                description="query Orders",
                tool_name="sql.run",
                state=StepState.DONE,
                attempt=attempt,
                rows=24,
                columns=3,
                elapsed_seconds=0.038,
            ),
        ),
        created_at=NOW,
        updated_at=NOW,
    )
    return Report(
        job=job,
        narration=narration,
        story=told,
        book=book,
        caveats=caveats,
        calls=(call,),
        observations=(observation,),
        chart=chart() if with_chart else None,
        chart_bytes=PNG if with_chart else b"",
    )
