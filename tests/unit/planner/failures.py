"""Failed calls over two small tables, for tests of repairs."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import duckdb
import pytest

from services.planner.domain.analysis.planning import Repair, RepairInput
from services.planner.domain.analysis.repair import repair
from services.planner.domain.calls import Observation, ObservationStatus, ToolCall
from services.planner.domain.catalogue import Catalogue, Column, ColumnRole, DataType, Table
from services.planner.domain.data_source import DataSource
from services.planner.domain.question import AnalysisRequest

NOW = datetime(2026, 1, 2, tzinfo=UTC)


def column(name: str, kind: DataType = DataType.STRING) -> Column:
    return Column(name=name, data_type=kind, role=ColumnRole.DIMENSION)


CATALOGUE = Catalogue(
    tables=(
        Table(
            name="Categories",
            source_name="northwind",
            rows=8,
            columns=(column("CategoryID", DataType.INTEGER), column("CategoryName")),
        ),
        Table(
            name="Products",
            source_name="northwind",
            rows=77,
            columns=(
                column("ProductName"),
                column("CategoryID", DataType.INTEGER),
                column("UnitPrice", DataType.FLOAT),
                column("Weight"),
                column("Added"),
            ),
        ),
    )
)


@pytest.fixture
def database() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.execute(
            'CREATE TABLE "Categories" AS SELECT 1 AS "CategoryID", \'Seafood\' AS "CategoryName"'
        )
        connection.execute(
            'CREATE TABLE "Products" AS SELECT \'Chai\' AS "ProductName", 1 AS "CategoryID", '
            '18.0 AS "UnitPrice", w AS "Weight", \'1997-05-03\' AS "Added" '
            "FROM (VALUES ('10'), ('12.5'), ('n/a')) AS t(w)"
        )
        yield connection


def failed(
    category: str,
    arguments: dict[str, Any],
    details: dict[str, Any],
    tool: str = "sql.run",
    seconds_left: float = 20.0,
    change_reason: str = "",
) -> RepairInput:
    request = AnalysisRequest(
        request_id="r" * 32,
        intent="?",
        data_sources=(DataSource(file_path="northwind.sqlite"),),
        timestamp=NOW,
    )
    call = ToolCall(
        call_id="c" * 32,
        plan_id="d" * 32,
        task_id="load",
        tool_name=tool,
        arguments=arguments,
        timestamp=NOW,
        change_reason=change_reason,
    )
    observation = Observation(
        observation_id="o" * 32,
        call_id="c" * 32,
        status=ObservationStatus.ERROR,
        error_message="it failed",
        error_category=category,
        error_details=details,
        execution_time_seconds=0.01,
        timestamp=NOW,
    )
    return RepairInput(
        request=request,
        catalogue=CATALOGUE,
        call=call,
        observation=observation,
        seconds_left=seconds_left,
    )


def mended(given: RepairInput) -> Repair:
    found = repair(given)
    assert found is not None
    assert found.arguments != given.call.arguments
    assert repair(given) == found, "the same failure is mended the same way"
    return found
