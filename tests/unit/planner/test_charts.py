"""Which chart an answer gets, from what its columns mean, and how it is drawn of very many rows."""

from __future__ import annotations

from typing import Any

import duckdb
import pytest

from services.planner.domain.catalogue import Catalogue, Column, ColumnRole, DataType, Table
from services.planner.domain.charts.labels import in_full, measure_label
from services.planner.domain.charts.table import LINES, TABLE, made_true, suited
from services.planner.domain.drafting.draft import draft_plan
from services.planner.domain.query.along import Along, along_of_column
from services.planner.domain.query.intent import (
    Aggregate,
    Bins,
    ChartType,
    Dimension,
    Field,
    Intent,
    Measure,
    Order,
    Understood,
)
from services.planner.domain.query.planning.fractions import is_fraction


def column(name: str, kind: DataType, distinct: int, *samples: str, comment: str = "") -> Column:
    return Column(
        name=name,
        data_type=kind,
        role=ColumnRole.DIMENSION,
        distinct=distinct,
        samples=samples,
        comment=comment,
    )


TRIPS = Table(
    name="trips",
    source_name="trips.csv",
    rows=300_000,
    columns=(
        column("trip", DataType.INTEGER, 2_000, "12", "17"),
        column("season", DataType.INTEGER, 3, "2022", "2023"),
        column("month", DataType.INTEGER, 12, "1", "2"),
        column("boat", DataType.STRING, 6, "Tern", "Wren"),
        column("crew_id", DataType.INTEGER, 40, "3", "8"),
        column("insured", DataType.INTEGER, 2, "0", "1"),
        column("load_kg", DataType.FLOAT, 900, "12.5", "70.25"),
        column("rounds", DataType.INTEGER, 6, "1", "2"),
        column("dep_delay", DataType.FLOAT, 500, "3.5", "-1.0"),
        column("population", DataType.INTEGER, 900, "1200", "56"),
        column("started", DataType.DATE, 300, "2023-01-02"),
    ),
)
DATA = Catalogue(tables=(TRIPS,))


def of(name: str) -> Field:
    return Field(table="trips", column=name)


def by(name: str, **more: Any) -> Dimension:
    return Dimension(expression=of(name), label=name.replace("_", " "), **more)


COUNT = Measure(aggregate=Aggregate.COUNT, table="trips", label="number of trips")
DELAY = Measure(
    aggregate=Aggregate.AVERAGE,
    table="trips",
    expression=of("dep_delay"),
    label="average dep delay",
    additive=False,
)
PEOPLE = Measure(
    aggregate=Aggregate.SUM, table="trips", expression=of("population"), label="total population"
)


def plan_of(row_limit: int = 1_000_000, **intent: Any) -> dict[str, Any]:
    """The plan's steps by name."""
    read = Understood(intent=Intent(base="trips", **intent), summary="", confidence=1.0)
    plan = draft_plan(
        read,
        DATA,
        deliverables=("charts", "summary", "tables"),
        row_limit=row_limit,
        timeout_seconds=30,
    )
    return {task.task_id: task for task in plan.subtasks}


def drawn(**intent: Any) -> dict[str, Any]:
    """The arguments of the chart's step."""
    return dict(plan_of(**intent)["chart"].arguments)


@pytest.mark.parametrize(
    ("name", "along"),
    [
        ("trip", Along.NAME),  # the number of a trip, as the number of a flight
        ("crew_id", Along.NAME),
        ("boat", Along.NAME),
        ("season", Along.YEAR),
        ("month", Along.CYCLE),
        ("insured", Along.FLAG),
        ("load_kg", Along.NUMBER),
        ("rounds", Along.STEPS),
        ("started", Along.TIME),
    ],
)
def test_what_lies_along_an_axis_follows_from_the_kind_of_the_column(
    name: str, along: Along
) -> None:
    found = TRIPS.column(name)
    assert found is not None
    assert along_of_column(found, TRIPS) is along


def test_the_table_speaks_of_every_axis_and_draws_no_line_where_there_is_no_order() -> None:
    assert set(TABLE) == set(Along)
    for along, row in TABLE.items():
        for series in (False, True):
            for additive in (False, True):
                chart = suited(along, series=series, additive=additive)
                assert row.lines or chart not in LINES
                assert additive or chart is not ChartType.STACKED_BAR
        if not row.lines:
            chart, why = made_true(ChartType.LINE, along, "it", series=False, additive=True)
            assert chart not in LINES and why.endswith(".")


@pytest.mark.parametrize("name", ["trip", "crew_id", "load_kg", "insured"])
def test_a_line_over_ids_flags_or_measurements_is_another_chart_and_it_is_said(name: str) -> None:
    asked = drawn(measures=(DELAY,), dimensions=(by(name),), chart=ChartType.LINE, chart_named=True)
    assert asked["type"] == ("scatter" if name == "load_kg" else "bar")
    assert "not as a line" in asked["remark"]


def test_a_chart_that_is_true_is_drawn_as_it_was_asked_for() -> None:
    asked = drawn(
        measures=(COUNT,), dimensions=(by("season"),), chart=ChartType.BAR, chart_named=True
    )
    assert (asked["type"], asked["x_meaning"]) == ("bar", "year")
    assert "remark" not in asked


def test_time_goes_along_x_and_is_no_series() -> None:
    found = drawn(
        measures=(COUNT,),
        dimensions=(by("boat"), by("month")),
        series=1,
        chart=ChartType.STACKED_BAR,
    )
    assert (found["x_col"], found["series_col"], found["type"]) == ("month", "boat", "multi_line")


def test_populations_of_several_years_never_stand_on_each_other() -> None:
    found = drawn(
        measures=(PEOPLE,),
        dimensions=(by("boat"), by("season")),
        series=1,
        chart=ChartType.STACKED_BAR,
        chart_named=True,
    )
    assert (found["x_col"], found["series_col"], found["type"]) == ("season", "boat", "stacked_bar")


def test_populations_of_several_years_are_no_sum_that_a_sentence_could_tell() -> None:
    people = plan_of(measures=(PEOPLE,), dimensions=(by("season"), by("boat")), series=1)
    assert "leaders" not in people, "a boat's people of three years"
    assert "totals" in people, "those of all boats, year by year"
    assert "total total population" not in str(people["facts"].arguments)
    turned = plan_of(measures=(PEOPLE,), dimensions=(by("boat"), by("season")), series=1)
    assert "leaders" in turned and "totals" not in turned
    counted = plan_of(measures=(COUNT,), dimensions=(by("season"), by("boat")), series=1)
    assert {"leaders", "totals"} <= counted.keys()


def test_a_second_split_is_drawn_rather_than_added_up_unseen() -> None:
    found = drawn(measures=(COUNT,), dimensions=(by("boat"), by("insured")), chart=ChartType.BAR)
    assert (found["x_col"], found["series_col"], found["type"]) == (
        "boat",
        "insured",
        "stacked_bar",
    )
    timed = drawn(measures=(COUNT,), dimensions=(by("boat"), by("month")), chart=ChartType.BAR)
    assert (timed["x_col"], timed["series_col"], timed["type"]) == ("month", "boat", "multi_line")


def test_the_average_of_a_flag_is_a_share() -> None:
    flag = column("insured", DataType.INTEGER, 2, "0", "1").model_copy(
        update={"minimum": "0", "maximum": "1"}
    )
    known = Catalogue(tables=(TRIPS.model_copy(update={"columns": (flag,)}),))
    part = Measure(
        aggregate=Aggregate.AVERAGE,
        table="trips",
        expression=of("insured"),
        label="average insured",
        additive=False,
    )
    assert is_fraction(Intent(base="trips", measures=(part,)), "average insured", known)


def test_several_numbers_each_get_a_panel_and_the_title_names_what_is_drawn() -> None:
    found = drawn(measures=(DELAY, COUNT), dimensions=(by("boat"),), chart=ChartType.BAR)
    assert found["more_cols"] == ["number of trips"]
    assert found["title"] == "Average departure delay and number of trips by boat"
    with_series = drawn(
        measures=(DELAY, COUNT),
        dimensions=(by("boat"), by("insured")),
        series=1,
        chart=ChartType.GROUPED_BAR,
    )
    assert "more_cols" not in with_series
    assert with_series["title"] == "Average departure delay by boat and insured"
    assert with_series["series_meaning"] == "flag"


def test_an_order_is_passed_on_only_where_it_was_asked_for() -> None:
    usual = (Order(target="measure", descending=True), Order(target="dimension"))
    plain = drawn(measures=(COUNT,), dimensions=(by("boat"),), order=usual, chart=ChartType.BAR)
    assert "sort" not in plain
    asked = drawn(measures=(COUNT,), dimensions=(by("boat"),), order=usual[:1], chart=ChartType.BAR)
    assert asked["sort"] == "none"
    top = drawn(
        measures=(COUNT,), dimensions=(by("boat"),), order=usual, limit=3, chart=ChartType.BAR
    )
    assert top["sort"] == "none"


def test_rows_of_their_own_are_never_added_up() -> None:
    raw = DELAY.model_copy(update={"aggregate": None, "label": "dep delay"})
    found = drawn(measures=(raw,), dimensions=(by("boat"),), chart=ChartType.BAR)
    assert found["each_row"] is True and found["additive"] is False


def test_points_of_rows_get_their_line_but_not_points_of_groups() -> None:
    raw = tuple(
        Measure(aggregate=None, table="trips", expression=of(name), label=name)
        for name in ("load_kg", "dep_delay")
    )
    assert drawn(measures=raw, chart=ChartType.SCATTER)["trend"] is True
    grouped = drawn(measures=(DELAY,), dimensions=(by("load_kg"),), chart=ChartType.SCATTER)
    assert "trend" not in grouped


def test_ranges_of_numbers_are_bars() -> None:
    bins = Bins(width=10)
    found = drawn(measures=(COUNT,), dimensions=(by("load_kg", bins=bins),), chart=ChartType.BAR)
    assert found["type"] == "bar"


@pytest.mark.parametrize(
    ("label", "full"),
    [
        ("average arr delay", "average arrival delay"),
        ("life exp", "life expectancy"),
        ("gdp percap", "GDP per capita"),
        ("commute min", "commute min"),
        ("no", "no"),
    ],
)
def test_labels_are_in_full_where_a_short_form_stands_for_one_word(label: str, full: str) -> None:
    assert in_full(label) == full


def test_a_unit_goes_from_the_name_to_the_axis() -> None:
    load = Measure(
        aggregate=Aggregate.AVERAGE,
        table="trips",
        expression=of("load_kg"),
        label="average load kg",
    )
    assert measure_label(load, DATA) == ("average load", "kg")
    assert measure_label(COUNT, DATA) == ("number of trips", "")


def test_a_histogram_of_more_rows_than_a_query_gives_counts_them_all_in_the_engine() -> None:
    raw = DELAY.model_copy(update={"aggregate": None, "label": "dep delay"})
    steps = plan_of(row_limit=1_000, measures=(raw,), chart=ChartType.HISTOGRAM)
    engine = duckdb.connect()
    engine.execute(
        "create table trips as select (i * 7919 % 100000) / 500.0 as dep_delay "
        "from range(300000) t(i)"
    )
    load = steps["load"].arguments
    ranges = engine.execute(load["query"], list(load["params"])).fetchall()
    assert sum(rows for *_, rows in ranges) == 300_000
    assert len(ranges) <= 51
    assert all(low < high for low, high, _ in ranges)
    facts = steps["facts"].arguments
    [(rows, median, low, high)] = engine.execute(facts["query"], list(facts["params"])).fetchall()
    assert (rows, round(median), round(low), round(high)) == (300_000, 100, 50, 150)
    chart = steps["chart"].arguments
    assert (chart["x_col"], chart["x_end_col"], chart["y_col"]) == ("from", "to", "number of rows")


def test_points_of_more_rows_than_a_query_gives_are_an_even_sample_that_says_so() -> None:
    raw = tuple(
        Measure(aggregate=None, table="trips", expression=of(name), label=name)
        for name in ("load_kg", "dep_delay")
    )
    steps = plan_of(row_limit=1_000, measures=raw, chart=ChartType.SCATTER)
    assert steps["chart"].arguments["total_col"] == "rows in all"
    whole = plan_of(measures=raw, chart=ChartType.SCATTER)
    assert "total_col" not in whole["chart"].arguments


def test_a_table_of_hundreds_of_columns_is_not_made() -> None:
    wide = plan_of(measures=(COUNT,), dimensions=(by("boat"), by("trip")), series=1)
    assert "shape" not in wide
    narrow = plan_of(measures=(COUNT,), dimensions=(by("trip"), by("boat")), series=1)
    assert "shape" in narrow
