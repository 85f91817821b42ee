"""What the columns of a statement's result are, and how they are called and told."""

from __future__ import annotations

from datetime import date
from typing import Any

import pyarrow as pa
import pytest

from clients.python.cli.cells import columns_of as cells_of
from services.planner.adapters.llm.rehearsal import rehearse
from services.planner.domain.analysis.narrate import Narration, narrate
from services.planner.domain.catalogue import Catalogue, Column, ColumnRole, DataType, Table
from services.planner.domain.data_source import DataSource
from services.planner.domain.proposals.charting import chart_of
from services.planner.domain.proposals.naming import named, with_names
from services.planner.domain.proposals.roles import columns_of, with_roles
from services.planner.domain.question import AnalysisRequest
from services.planner.domain.reporting.evidence import ClaimBook, EvidenceTable
from services.planner.domain.reporting.grid import grid_of
from services.planner.domain.reporting.story import Story
from services.planner.domain.reporting.units import headed, parted
from services.planner.domain.statements.column import ResultColumn
from services.planner.domain.statements.proposal import Proposal
from tests.unit.planner.stories import NOW, REQUEST_ID

ASKED = AnalysisRequest(
    request_id=REQUEST_ID,
    intent="how is it",
    timestamp=NOW,
    data_sources=(DataSource(file_path="/d"),),
)
T, N, F, D = DataType.STRING, DataType.INTEGER, DataType.FLOAT, DataType.DATE
SHOP = Catalogue(
    tables=(
        Table(
            name="sales",
            source_name="shop.csv",
            rows=9,
            columns=(
                Column(name="sale_id", data_type=N, role=ColumnRole.ID),
                Column(name="Country", data_type=T, role=ColumnRole.DIMENSION),
                Column(name="season", data_type=N, role=ColumnRole.DIMENSION),
                Column(name="sold_on", data_type=D, role=ColumnRole.TIMESTAMP),
                Column(name="Price", data_type=F, role=ColumnRole.MEASURE, unit="EUR"),
                Column(name="Quantity", data_type=N, role=ColumnRole.MEASURE),
                Column(name="body_mass_g", data_type=F, role=ColumnRole.MEASURE),
                Column(name="FirstName", data_type=T, role=ColumnRole.DIMENSION),
                Column(name="LastName", data_type=T, role=ColumnRole.DIMENSION),
            ),
        ),
    )
)


def roles(sql: str, *said: ResultColumn) -> list[str]:
    types, why_not = rehearse(sql, (), SHOP)
    assert not why_not
    return [
        " ".join(filter(None, (c.role, c.grain, c.unit, "fraction" if c.fraction else "")))
        for c in columns_of(sql, types, SHOP, said)
    ]


@pytest.mark.parametrize(
    ("columns", "found"),
    [
        ("year(sold_on) AS y", "date year"),
        ("extract(year FROM sold_on) AS y", "date year"),
        ("date_part('month', sold_on) AS m", "date month_of_year"),
        ("date_trunc('quarter', sold_on) AS q", "date quarter"),
        ("strftime(sold_on, '%Y-%m') AS m", "date month"),
        ("year(sold_on) // 10 * 10 AS decade", "date year"),
        ("floor(season / 10) * 10 AS d", "date year"),
        ("season", "date year"),
        ("sale_id", "key"),
        ("max(sale_id) AS newest", "key"),
        ("Country", "label"),
        ("sold_on", "date"),
        ("Price", "measure EUR"),
        ("sum(Price * Quantity) AS revenue", "measure EUR"),
        ("avg(Price) / 2 AS half", "measure"),
        ("avg(date_diff('day', sold_on, DATE '2024-01-01')) AS age", "measure days"),
        ("rank() OVER (ORDER BY Price) AS place", "rank"),
        ("count(*) AS number", "measure"),
        ("Price / sum(Price) OVER () AS part", "share fraction"),
        ("avg(CASE WHEN Quantity > 1 THEN 1 ELSE 0 END) AS many", "share fraction"),
        ("100.0 * count(*) FILTER (WHERE Quantity > 1) / count(*) AS many", "measure %"),
        ("Price / Quantity AS fraction", "measure"),
    ],
)
def test_what_a_column_is_follows_from_the_statement(columns: str, found: str) -> None:
    grouped = " GROUP BY ALL" if "count(" in columns or "avg(" in columns else ""
    assert roles(f"SELECT {columns} FROM sales{grouped}") == [found]


def test_what_a_column_is_follows_through_queries_inside() -> None:
    inside = "SELECT year(sold_on) AS y, row_number() OVER (ORDER BY Price) AS k FROM sales"
    assert roles(f"WITH t AS ({inside}) SELECT y, k FROM t") == ["date year", "rank"]


def test_what_is_said_of_a_column_stands_where_the_statement_does_not_know_better() -> None:
    said = (
        ResultColumn(name="y", role="measure", additive=True),
        ResultColumn(name="part", role="share"),
        ResultColumn(name="mass", role="measure", unit="g"),
    )
    sql = "SELECT year(sold_on) AS y, Price AS part, body_mass_g AS mass FROM sales"
    assert roles(sql, *said) == ["date year", "share EUR fraction", "measure g"]


@pytest.mark.parametrize(
    ("columns", "names"),
    [
        ("count(*)", "number of sales"),
        ("count(DISTINCT Country)", "number of different countries"),
        ("Country, sum(Price)", "Country / total price"),
        ("avg(body_mass_g)", "average body mass g"),
        ("min(sold_on), max(Price)", "first sold on / highest price"),
        ("100.0 * sum(Price) / sum(sum(Price)) OVER ()", "share"),
        ("sum(Price) - sum(Quantity)", "difference"),
        ("sum(Price) / sum(Quantity)", "ratio"),
        ("sum(Price) * 2, sum(Quantity * 2)", "total price / total quantity"),
        ("median(Price) AS middle", "middle"),
        ("sum(Price) OVER (ORDER BY sold_on)", "running total"),
    ],
)
def test_what_is_worked_out_gets_a_name_in_words(columns: str, names: str) -> None:
    sql = f"SELECT {columns} FROM sales{' GROUP BY ALL' if 'Country,' in columns else ''}"
    text, _ = named(sql, _types(sql))
    types = rehearse(text, (), SHOP)[0]
    assert " / ".join(types) == names


def test_a_name_stands_for_nothing_else_in_the_statement() -> None:
    sql = "SELECT lower(Country), count(*) FROM sales GROUP BY lower(Country) ORDER BY 2"
    text, names = named(sql, _types(sql))
    assert names == {"lower(Country)": "the country", "count_star()": "number of sales"}
    assert text.startswith('SELECT lower(Country) AS "the country", count(*) AS "number of sales" ')


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM sales",
        "SELECT count(*) FROM sales UNION ALL SELECT 1",
        "SELECT Country, Price AS p FROM sales",
    ],
)
def test_what_needs_no_name_or_could_change_stays_as_it_is(sql: str) -> None:
    assert named(sql, _types(sql)) == (sql, {})


def _types(sql: str) -> dict[str, str]:
    return rehearse(sql, (), SHOP)[0]


def told(sql: str, rows: dict[str, Any], *said: ResultColumn) -> Narration:
    """The sentences of a statement's rows."""
    return narrate(story(sql, rows, *said), ClaimBook())


def story(sql: str, rows: dict[str, Any], *said: ResultColumn) -> Story:
    columns = columns_of(sql, _types(sql), SHOP, said)
    table = EvidenceTable("load", "c" * 32, "d" * 64, pa.table(rows))
    return Story(
        request=ASKED,
        understood="",
        intent={},
        answer_task="load",
        tables={"load": table},
        catalogue=SHOP,
        answer_rows=table.rows.num_rows,
        answer_digest=table.digest,
        columns=columns,
    )


BY_DECADE = "SELECT year(sold_on) // 10 * 10 AS decade, sum(Price) AS revenue FROM sales GROUP BY 1"


def test_a_decade_is_a_time_and_no_range() -> None:
    rows = {"decade": [1890, 1990, 2000], "revenue": [1.5, 9.0, 2.25]}
    text = told(BY_DECADE, rows).text
    assert text == (
        "Revenue peaked in 1990 (9 EUR) and was lowest in 1890 (1.50 EUR). "
        "It ended at 2.25 EUR in 2000."
    )
    assert told(BY_DECADE, rows).formats == {"decade": "year"}


def test_what_looks_like_a_year_and_is_none_is_measured() -> None:
    sql = "SELECT season AS s, sum(Price) AS revenue FROM sales GROUP BY 1"
    rows = {"s": [3, 12_000], "revenue": [1.0, 2.0]}
    assert "ranges from 3 to 12,000" in told(sql, rows).text


def test_a_title_that_ends_in_its_unit_ends_in_no_preposition() -> None:
    sql = 'SELECT season, sum(Price) AS "share of renewables in percent" FROM sales GROUP BY 1'
    rows = {"season": [2020, 2021], "share of renewables in percent": [41.5, 45.25]}
    assert told(sql, rows).title.startswith("Share of renewables rose from 41.50 % in 2020")
    assert parted("price per kg") == ("price per kg", "")
    assert parted("weight (kg)") == ("weight", "kg")
    assert parted("share of renewables in %") == ("share of renewables", "%")
    assert headed("days", "days") == "days"
    assert headed("lifeExp", "years") == "life exp (years)"


def test_shares_are_told_in_per_cent_and_fractions_as_such() -> None:
    rows = {"Country": ["Chile", "Peru"], "part": [0.6, 0.4]}
    sql = "SELECT Country, Price / sum(Price) OVER () AS part FROM sales"
    assert "Chile (60 %)" in told(sql, rows).text
    rows = {"Country": ["Chile", "Peru"], "fraction": [0.6, 0.4]}
    sql = "SELECT Country, Price / sum(Price) OVER () AS fraction FROM sales"
    assert "Chile (0.6)" in told(sql, rows).text


def test_people_are_called_by_both_names_and_keys_by_none() -> None:
    sql = "SELECT sale_id, FirstName, LastName, count(*) AS n FROM sales GROUP BY ALL"
    rows = {"sale_id": [1, 2], "FirstName": ["Ada", "Bo"], "LastName": ["Ash", "Elm"], "n": [3, 2]}
    assert told(sql, rows).title == "Ada Ash has the highest n (3)"


def test_places_in_an_order_are_no_amounts() -> None:
    sql = "SELECT Country, row_number() OVER (ORDER BY Price) AS k FROM sales"
    text = told(sql, {"Country": ["Chile", "Peru"], "k": [1, 2]}).text
    assert text == "Country: Chile and Peru."


def test_a_table_says_years_units_and_shares_as_sentences_do() -> None:
    rows = {"y": [2023, 2024], "revenue": [1234.5, 99.0], "part": [0.6, 0.4]}
    sql = (
        "SELECT year(sold_on) AS y, sum(Price) AS revenue, "
        "sum(Price) / sum(sum(Price)) OVER () AS part FROM sales GROUP BY 1"
    )
    given = story(sql, rows)
    grid = grid_of(given.tables["load"], None, 2, SHOP, given.columns)
    assert grid.columns == ("y", "revenue (EUR)", "part")
    assert grid.rows[0] == ("2023", "1,234.5", "60.0 %")
    formats = narrate(given, ClaimBook()).formats
    cells = cells_of(given.tables["load"].rows, formats)
    assert [column.cells[0] for column in cells] == ["2023", "1,234.5", "60.0 %"]


def test_axes_and_title_of_a_chart_are_words() -> None:
    sql = "SELECT LastName, FirstName, avg(body_mass_g) FROM sales GROUP BY ALL"
    types = _types(sql)
    proposal = Proposal(proposer="model:x", interpretation="mass", statement=sql)
    proposal = with_names(proposal, types)
    types = _types(proposal.statement)
    chart = chart_of(with_roles(proposal, types, SHOP), types, "how heavy", "load")
    assert chart is not None
    shown = chart.arguments
    assert shown["title"] == "Average body mass by last name and first name"
    assert (shown["x_label"], shown["y_label"], shown["unit"]) == (
        "last name",
        "average body mass",
        "g",
    )


def test_a_day_is_told_by_the_grain_that_it_was_cut_to() -> None:
    sql = "SELECT date_trunc('month', sold_on) AS m, sum(Price) AS revenue FROM sales GROUP BY 1"
    rows = {"m": [date(2024, n, 1) for n in (1, 2, 3)], "revenue": [3.0, 1.0, 2.0]}
    assert told(sql, rows).text.startswith("Revenue peaked in January 2024 (3 EUR)")
