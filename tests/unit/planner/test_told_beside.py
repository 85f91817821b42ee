"""What stands beside an answer: equals that a limit cut, rows that a join lost, its source."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest

from mesh.remarks import changes_reading, is_left_out, without_label
from services.planner.domain.catalogue import Catalogue, Column, ColumnRole, DataType, Table
from services.planner.domain.query.intent import ChartType, Field, Intent, Order, Relation
from services.planner.domain.question import Deliverable
from services.planner.domain.reporting.secondary_counts import remarks_beside
from services.planner.domain.reporting.source_text import source_of
from services.planner.domain.reporting.story import Story
from tests.unit.planner.stories import COUNTRY, ORDERS, story

TOP_3 = Intent(
    base="Orders",
    measures=(ORDERS,),
    dimensions=(COUNTRY,),
    limit=3,
    order=(Order(target="measure", descending=True),),
)
ROWS = {"ship country": ["A", "B", "C"], "number of orders": [9, 5, 5]}


def tied(place: int, rows: int, intent: Intent = TOP_3) -> Story:
    ties = {"tied place": [place], "tied rows": [rows]}
    return story("top 3 countries", intent, ROWS, ties=ties)


def test_a_tie_that_the_limit_cuts_is_told_with_how_many_are_shown() -> None:
    assert remarks_beside(tied(2, 4)) == ("4 tie for 2nd place, of which 2 are shown.",)
    assert remarks_beside(tied(3, 2)) == ("2 tie for 3rd place, of which 1 is shown.",)
    assert remarks_beside(tied(1, 12)) == ("12 tie for 1st place, of which 3 are shown.",)


@pytest.mark.parametrize(("place", "rows"), [(3, 1), (2, 2), (1, 3)])
def test_a_tie_that_is_shown_whole_is_none_of_the_limits_doing(place: int, rows: int) -> None:
    assert remarks_beside(tied(place, rows)) == ()


def test_an_offset_counts_the_places_before_it() -> None:
    second_page = TOP_3.model_copy(update={"offset": 3})
    assert remarks_beside(tied(5, 4, second_page)) == (
        "4 tie for 5th place, of which 2 are shown.",
    )


def used(lost: int, total: int = 830) -> Story:
    counted = {
        "of Orders": [total],
        "without Customers": [lost],
        "first time": [datetime(1996, 7, 4)],
        "last time": [datetime(1998, 5, 6)],
    }
    intent = Intent(base="Orders", measures=(ORDERS,), dimensions=(COUNTRY,))
    return story("orders by country", intent, ROWS, used=counted)


def test_rows_that_an_inner_join_loses_are_told() -> None:
    assert remarks_beside(used(12)) == ("12 of 830 orders have no customer and are left out.",)
    assert remarks_beside(used(1)) == ("1 of 830 orders has no customer and is left out.",)
    assert remarks_beside(used(0)) == ()


def test_rows_whose_name_is_not_there_are_told_from_rows_without_one() -> None:
    column = Column(name="customer", data_type=DataType.STRING, role=ColumnRole.DIMENSION)
    tables = [
        Table(name=name, source_name="shop", rows=9, columns=(column,))
        for name in ("Orders", "Customers")
    ]
    ends = [Field(table=table.name, column="customer") for table in tables]
    joined = Intent(
        base="Orders",
        measures=(ORDERS,),
        dimensions=(COUNTRY,),
        joins=(Relation(left=ends[0], right=ends[1]),),
    )
    given = replace(
        used(14), intent=joined.model_dump(mode="json"), catalogue=Catalogue(tables=tuple(tables))
    )
    told = "14 of 830 orders have no customer in Customers and are left out."
    assert remarks_beside(given) == (told,)


def test_such_remarks_change_the_reading_and_say_left_out_once() -> None:
    (lost,), (cut,) = remarks_beside(used(12)), remarks_beside(tied(2, 4))
    assert changes_reading(lost) and is_left_out(lost)
    assert changes_reading(cut) and not is_left_out(cut)
    assert without_label(lost) == "12 of 830 orders have no customer"
    assert without_label("left out as not understood: green") == "green"


def test_the_source_is_told() -> None:
    assert source_of(used(12)).plain.startswith("northwind")


def test_names_spelt_nearly_alike_are_pointed_out() -> None:
    rows = {"ship country": ["Spain", "spain ", "Peru"], "number of orders": [3, 2, 1]}
    intent = Intent(base="Orders", measures=(ORDERS,), dimensions=(COUNTRY,))
    (remark,) = remarks_beside(story("orders by country", intent, rows))
    assert "Spain" in remark and changes_reading(remark)


def test_a_chart_asked_of_one_number_is_said_not_to_be_drawn() -> None:
    one = Intent(base="Orders", measures=(ORDERS,), chart=ChartType.BAR, chart_named=True)
    told = story("a bar chart of the number of orders", one, {"number of orders": [830]})
    assert any(remark.startswith("No chart is drawn") for remark in remarks_beside(told))
    tables = told.request.model_copy(update={"deliverables": (Deliverable.TABLES,)})
    assert remarks_beside(replace(told, request=tables)) == ()
