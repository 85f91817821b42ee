"""A small shop, asked as the executor asks its sources: each statement with all of its rows."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime

from services.planner.domain.catalogue import Catalogue, Column, ColumnRole, DataType
from services.planner.domain.checks.examples import SHOP
from services.planner.domain.evidence import (
    USUAL_LIMITS,
    Evidence,
    Outcome,
    ProbedColumn,
    ProbedQuery,
    ProbeLimits,
    ProbeState,
    Value,
)
from tests.unit.checks.small_data import SmallData

DATA = SmallData(SHOP)


async def asked(
    queries: Sequence[ProbedQuery], limits: ProbeLimits = USUAL_LIMITS
) -> list[Outcome]:
    """What the shop says."""
    return [_outcome(query.sql, DATA) for query in queries]


def asking(data: SmallData) -> Evidence:
    """What other tables say."""

    async def ask(
        queries: Sequence[ProbedQuery], limits: ProbeLimits = USUAL_LIMITS
    ) -> list[Outcome]:
        return [_outcome(query.sql, data) for query in queries]

    return ask


def _outcome(sql: str, data: SmallData) -> Outcome:
    told = data._data.execute(sql)
    names = [column[0] for column in told.description]
    rows = told.fetchall()
    return Outcome(
        state=ProbeState.OK,
        rows=len(rows),
        columns=tuple(
            ProbedColumn(name=name, empty_share=0.0, distinct_share=0.0) for name in names
        ),
        glimpse=tuple(tuple(map(_value, row)) for row in rows),
    )


def _value(cell: object) -> Value:
    plain = isinstance(cell, bool | int | float | str | datetime | date) or cell is None
    return cell if plain else float(str(cell))  # type: ignore[return-value]


def with_metric(name: str, table: str, formula: str, kind: str) -> Catalogue:
    """The shop with a metric that a semantic model declares."""
    column = Column(
        name=name, data_type=DataType.FLOAT, role=ColumnRole.MEASURE, kind=kind, formula=formula
    )
    tables = tuple(
        one.model_copy(update={"columns": (*one.columns, column)}) if one.name == table else one
        for one in DATA.catalogue.tables
    )
    return DATA.catalogue.model_copy(update={"tables": tables})
