"""What an investigation stands on, and what it is refused for, each with what can be done."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from mesh.errors import AssayError
from services.planner.domain.catalogue import Column, Relationship, Table
from services.planner.domain.investigation.ground import WHOLE, Ground
from services.planner.domain.investigation.grounding import ground_of
from services.planner.domain.investigation.hypothesis import Test
from services.planner.domain.investigation.hypothesising import first_hypotheses
from services.planner.domain.investigation.metric_text import of_sql
from services.planner.domain.investigation.period import DateRange
from tests.unit.investigation.shop import NOW, ORDERED, ORDERS, asked, column, shop, without


def _ground(**fields: Any) -> Ground:
    found = ground_of(asked(**fields), shop())
    assert found is not None
    return found


def _as_text(name: str) -> Column:
    return column(name, "string", 90, samples=("2024-01-05", "2024-03-01"))


def test_a_metric_is_split_by_its_own_columns_and_those_of_what_it_refers_to() -> None:
    ground = _ground()

    assert set(ground.dimensions) == {"region", "channel", "segment"}
    assert ground.tables == ("orders", "customers") and ground.time == "ordered_on"
    assert 'LEFT JOIN "customers"' in ground.relation
    assert (ground.first, ground.last) == (date(2024, 1, 1), date(2024, 3, 31))


def test_what_is_suspected_is_looked_at_first() -> None:
    by_column = _ground(investigation_prompt="perhaps a segment")
    by_value = _ground(business_context="the web shop was down")

    assert by_column.dimensions[0] == "segment" and by_column.suspected == ("segment",)
    assert by_value.suspected == ("channel",)


def test_columns_that_are_named_are_the_only_ones() -> None:
    assert _ground(dimensions=("channel",)).dimensions == ("channel",)


def test_the_key_of_a_file_that_others_refer_to_is_no_dimension_beside_its_names() -> None:
    catalogue = shop()
    tables = tuple(table.model_copy(update={"primary_key": ()}) for table in catalogue.tables)
    found = ground_of(asked(), catalogue.model_copy(update={"tables": tables}))
    assert found is not None and set(found.dimensions) == {"region", "channel", "segment"}


@pytest.mark.parametrize("name", ["bucket", "Rows", "squares", "numerator", "denominator"])
def test_a_column_called_as_one_of_the_cube_goes_by_another_name(name: str) -> None:
    found = ground_of(asked(), shop(*ORDERS, column(name, "string", 3)))

    assert found is not None and f"orders {name}" in found.dimensions
    assert f'"orders"."{name}" AS "orders {name}"' in found.relation


def test_columns_that_differ_in_case_alone_have_different_names() -> None:
    found = ground_of(asked(), shop(*ORDERS, column("Segment", "string", 3)))

    assert found is not None
    assert {"orders Segment", "customers segment"} <= set(found.dimensions)


def test_periods_of_other_lengths_and_overlaps_are_told() -> None:
    ground = _ground(comparison_period=DateRange.read("2024-01-20..2024-02-10", "x"))

    told = " · ".join(ground.said)
    assert "overlap" in told and "31 days, the comparison 22" in told


@pytest.mark.parametrize(
    ("sql", "ratio"),
    [
        ("sum(revenue)", False),
        ("revenue", False),
        ("count(*)", False),
        ("count(distinct customer_id)", False),
        ("avg(revenue)", True),
        ("sum(orders.revenue) / count(*)", True),
        ("sum(revenue) / nullif(count(distinct 1), 0)", None),
        ("count(*) filter (where region = 'North')", False),
    ],
)
def test_metrics_are_numerators_and_denominators_of_rows(sql: str, ratio: bool | None) -> None:
    if ratio is None:
        with pytest.raises(AssayError) as refused:
            _ground(metric_sql=sql)
        assert refused.value.reason.code == "METRIC_NOT_UNDERSTOOD"
    else:
        assert _ground(metric_sql=sql).ratio is ratio


@pytest.mark.parametrize(
    "sql",
    [
        "sum(nothing_there)",
        "median(revenue)",
        "sum(revenue); drop table orders",
        "(delete from orders)",
        "(select sum(revenue) from orders)",
        "sum(revenue) over (partition by region)",
        "sum(revenue), count(*)",
        "sum(revenue",
        "count(*) + 1",
    ],
)
def test_a_metric_that_fails_or_writes_is_refused_by_what_is_wrong(sql: str) -> None:
    with pytest.raises(AssayError) as refused:
        _ground(metric_sql=sql)

    assert refused.value.reason.code == "METRIC_NOT_UNDERSTOOD"
    assert refused.value.remedy.endswith(".") and "investigation.metric_sql" in refused.value.fields


def test_rows_without_a_forecast_are_not_taken_for_leaves() -> None:
    with pytest.raises(AssayError) as refused:
        _ground(leaf=True, metric_sql="")

    assert refused.value.reason.code == "LEAF_COLUMNS_NOT_FOUND"


def test_of_several_dates_the_one_that_rows_go_by_is_taken_and_told() -> None:
    found = ground_of(asked(), shop(*ORDERS, ORDERED.model_copy(update={"name": "required_on"})))

    assert found is not None and found.time == "ordered_on"
    assert "the time is ordered_on, not required_on: its rows go by that day" in found.said


def test_periods_end_where_the_data_end_and_that_is_told() -> None:
    found = _ground(comparison_period=DateRange.read("2024", "x"))

    assert str(found.comparison) == "2024-01-01 to 2024-03-31"
    assert "the comparison goes to 2024-03-31, where the data end" in found.said


def test_distinct_things_are_not_scaled_to_the_days_of_another_period() -> None:
    things = _ground(metric_sql="count(distinct customer_id)")

    assert f"{31 / 29!r}" in things.relation, "which undoes what the tools scale"
    assert any("different things are counted as they are" in said for said in things.said)
    assert repr(31 / 29) not in _ground().relation


def test_of_a_joined_table_one_column_tells_its_rows_and_none_how_to_reach_them() -> None:
    people = (
        column("person_id", "integer", 9),
        column("first_name", "string", 9, samples=("Ann", "Bob")),
        column("last_name", "string", 9, samples=("Archer", "Bell")),
        column("phone", "string", 8, samples=("555-01", "555-02")),
        column("city", "string", 4, samples=("Oslo", "Rome")),
    )
    clerks = Table(
        name="people", source_name="people.csv", rows=9, columns=people, primary_key=("person_id",)
    )
    known = shop(*ORDERS, column("person_id", "integer", 9))
    link = Relationship(
        from_table="orders", from_column="person_id", to_table="people", to_column="person_id"
    )
    known = known.model_copy(
        update={"tables": (*known.tables, clerks), "relationships": (*known.relationships, link)}
    )

    found = ground_of(asked(), known)

    assert found is not None
    assert set(found.dimensions) == {"region", "channel", "segment", "city", "first_name"}
    assert found.dimensions[:2] == ("channel", "region"), "what the rows have themselves goes first"


def test_pages_of_a_site_split_its_visits() -> None:
    known = shop(*ORDERS, column("page", "string", 3, samples=("home", "offer", "blog")))

    found = ground_of(asked(), known)

    assert found is not None
    assert "page" in found.dimensions


def test_words_that_count_rows_count_those_of_the_table_that_they_name() -> None:
    known = shop()

    assert of_sql("count(*)", known, "customers", "customers").table == "customers"
    assert of_sql("count(*)", known).table == "orders"


def test_words_are_left_to_the_reader_of_questions() -> None:
    assert ground_of(asked(metric_sql="what customers paid"), shop()) is None


@pytest.mark.parametrize(
    ("columns", "fields", "code", "said"),
    [
        (without("ordered_on"), {}, "NO_TIME_COLUMN", "orders.csv"),
        (ORDERS, {"time_column": "region"}, "NO_TIME_COLUMN", "holds no dates"),
        (ORDERS, {"time_column": "day"}, "NO_TIME_COLUMN", "dates are in ordered_on"),
        (
            (*without("ordered_on"), _as_text("ordered"), _as_text("paid")),
            {},
            "NO_TIME_COLUMN",
            "orders.ordered, orders.paid",
        ),
        (ORDERS, {"dimensions": ("colour",)}, "NO_DIMENSIONS", "colour"),
        (
            ORDERS,
            {"comparison_period": DateRange.read("2031-02", "x")},
            "NO_ROWS_IN_PERIOD",
            "2024-01-01 to 2024-03-31",
        ),
        (
            ORDERS,
            {"baseline_period": DateRange.read("1999", "x")},
            "NO_ROWS_IN_PERIOD",
            "the baseline period",
        ),
        (
            ORDERS,
            {
                "metric_sql": "count(distinct customer_id)",
                "comparison_period": DateRange.read("2024-01-20..2024-02-20", "x"),
            },
            "INVALID_DATE_RANGE",
            "overlap",
        ),
        (
            ORDERS,
            {
                "metric_sql": "count(distinct customer_id)",
                "comparison_period": DateRange.read("2024-02-01..2024-02-10", "x"),
            },
            "INVALID_DATE_RANGE",
            "over 31 and 10 days",
        ),
    ],
)
def test_what_cannot_be_investigated_is_refused_and_named(
    columns: tuple[Any, ...], fields: dict[str, Any], code: str, said: str
) -> None:
    with pytest.raises(AssayError) as refused:
        ground_of(asked(**fields), shop(*columns))

    assert refused.value.reason.code == code
    assert said in refused.value.message and refused.value.remedy


def test_the_date_that_covers_both_periods_is_taken_of_several_and_told() -> None:
    shipped = column("shipped_on", "date", 20, minimum="2024-03-01", maximum="2024-03-31")

    ground = ground_of(asked(), shop(*ORDERS, shipped))

    assert ground is not None and ground.time == "ordered_on"
    assert any("not shipped_on" in said for said in ground.said)


def test_one_dimension_is_enough_and_without_any_the_whole_is_grounded() -> None:
    bare = (ORDERS[0], ORDERED, ORDERS[5])
    lone = shop(*bare, ORDERS[3])
    only = lone.model_copy(update={"tables": lone.tables[:1], "relationships": ()})

    ground = ground_of(asked(), only)
    assert ground is not None and ground.dimensions == ("region",)

    none = shop(*bare)
    none = none.model_copy(update={"tables": none.tables[:1], "relationships": ()})
    whole = ground_of(asked(), none)
    assert whole is not None and whole.dimensions == ()
    assert whole.rows["dimensions"] == [WHOLE] and f'AS "{WHOLE}"' in whole.relation
    assert "has no column that splits its rows into segments" in whole.said[-1]
    tests = [one.test for one in first_hypotheses(whole, NOW)]
    assert tests == [Test.QUALITY, Test.CHANGE], "there is nothing to search"


def test_a_question_in_words_gets_its_periods_from_the_data() -> None:
    words = asked(
        asked="why did revenue drop in February?",
        metric_sql="revenue",
        baseline_period=None,
        comparison_period=None,
    )

    ground = ground_of(words.validated(), shop())

    assert ground is not None
    assert str(ground.baseline) == "2024-01-01 to 2024-01-31"
    assert str(ground.comparison) == "2024-02-01 to 2024-02-29"
    assert "February 2024 is read as 2024-02-01 to 2024-02-29" in ground.said


@pytest.mark.parametrize(
    ("fields", "code", "field"),
    [
        ({"metric_sql": "  "}, "METRIC_SQL_REQUIRED", "investigation.metric_sql"),
        ({"metric_sql": "x" * 2_001}, "QUESTION_TOO_LONG", "investigation.metric_sql"),
        ({"business_context": "x" * 5_001}, "QUESTION_TOO_LONG", "investigation.business_context"),
        (
            {"investigation_prompt": "x" * 2_001},
            "QUESTION_TOO_LONG",
            "investigation.investigation_prompt",
        ),
        ({"baseline_period": None}, "INVALID_DATE_RANGE", "investigation.baseline_period"),
        (
            {"comparison_period": DateRange(start=date(2024, 3, 1), end=date(2024, 2, 1))},
            "INVALID_DATE_RANGE",
            "investigation.comparison_period.end",
        ),
        ({"data_sources": ()}, "NO_DATA_SOURCES", "investigation.data_sources"),
    ],
)
def test_a_request_beyond_the_limits_names_the_field(
    fields: dict[str, Any], code: str, field: str
) -> None:
    with pytest.raises(AssayError) as refused:
        asked(**fields).validated()

    assert refused.value.reason.code == code and field in refused.value.fields
