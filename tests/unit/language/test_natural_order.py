"""Months, weekdays and quarters that are texts go in the order of the calendar."""

from __future__ import annotations

import pytest

from services.planner.domain.catalogue import Catalogue, Column, ColumnRole, DataType, Table
from services.planner.domain.charts.choosing import charted
from services.planner.domain.query.calendars import calendar_ranks
from services.planner.domain.query.intent import (
    Aggregate,
    Dimension,
    Field,
    Intent,
    Measure,
    Order,
)


def column(values: list[str], distinct: int | None = None) -> Column:
    return Column(
        name="when",
        data_type=DataType.STRING,
        role=ColumnRole.DIMENSION,
        distinct=distinct or len(values),
        samples=tuple(values),
        minimum=min(values),
        maximum=max(values),
    )


@pytest.mark.parametrize(
    ("values", "distinct", "before"),
    [
        (["Oct", "Apr", "Jan"], 12, ["Jan", "Feb", "Apr", "Oct", "Dec"]),
        (["october", "april"], 9, ["january", "april", "october"]),
        (["SUN", "MON", "WED"], 7, ["MON", "WED", "SUN"]),
        (["Q3", "Q1", "Q4"], 4, ["Q1", "Q2", "Q3", "Q4"]),
        (["März", "Januar", "Dezember"], 12, ["Januar", "März", "Dezember"]),
        (["vendredi", "lundi", "mardi"], 7, ["lundi", "mardi", "vendredi", "dimanche"]),
        (["Do", "Mo", "So", "Di"], 7, ["Mo", "Di", "Do", "So"]),
        (["Sept.", "Oct."], 12, ["Jan.", "Sept.", "Oct."]),
    ],
)
def test_names_of_a_calendar_have_its_order_as_the_column_writes_them(
    values: list[str], distinct: int, before: list[str]
) -> None:
    ranks = calendar_ranks(column(values, distinct))
    assert [name for name in ranks if name in before] == before


@pytest.mark.parametrize(
    ("values", "distinct"),
    [(["May", "June", "Ann"], 3), (["May"], 1), (["Sat", "Sun"], 40), (["Jan", "Mon"], 2)],
)
def test_other_names_have_none(values: list[str], distinct: int) -> None:
    assert calendar_ranks(column(values, distinct)) == ()


def test_what_is_sorted_by_such_names_goes_by_the_calendar() -> None:
    visits = Table(name="t", source_name="t.csv", rows=50, columns=(column(["Oct", "Jan"], 12),))
    when = Dimension(expression=Field(table="t", column="when"), label="when")
    intent = Intent(
        base="t",
        measures=(Measure(aggregate=Aggregate.COUNT, table="t", label="number"),),
        dimensions=(when,),
        order=(Order(target="measure", descending=True), Order(target="dimension")),
    )
    by_number, by_name = charted(intent, Catalogue(tables=(visits,))).order
    assert not by_number.ranks
    assert by_name.ranks.index("Jan") < by_name.ranks.index("Oct")
