"""What things of the data are called: one, several, and short forms written out."""

from __future__ import annotations

import pytest

from services.planner.domain.lexicon.wording import (
    is_plural,
    plural,
    rows_of,
    singular,
    worded,
)


@pytest.mark.parametrize(
    ("one", "several"),
    [
        ("movie", "movies"),
        ("category", "categories"),
        ("species", "species"),
        ("status", "statuses"),
        ("person", "people"),
        ("analysis", "analyses"),
        ("lens", "lenses"),
        ("cookie", "cookies"),
        ("bus", "buses"),
        ("address", "addresses"),
        ("bias", "biases"),
        ("different flight", "different flights"),
        ("clutch", "clutches"),
        ("day", "days"),
        ("line of order", "lines of order"),
        ("series", "series"),
        ("data", "data"),
    ],
)
def test_one_and_several(one: str, several: str) -> None:
    assert plural(one) == several
    assert plural(several) == several, "what is several stays"
    assert singular(several) == one
    assert singular(one) == one, "what is one stays"


def test_only_names_of_several_things_are_plural() -> None:
    assert all(map(is_plural, ("total sales", "stars", "men", "orders of 1997", "movies")))
    alone = ("share of sales", "gas", "lens", "status", "revenue", "average body mass", "gross")
    assert not any(map(is_plural, alone))


def test_rows_of_a_table_are_called_without_what_tables_are_called() -> None:
    assert rows_of("penguins_raw") == "penguins"
    assert rows_of("sales_2023") == "sales"
    assert rows_of("OrderItem") == "order items"
    assert rows_of("data") == "data"


def test_short_forms_are_written_out_only_where_they_mean_one_thing() -> None:
    assert worded("lifeExp") == "life expectancy"
    assert worded("dep_delay") == "departure delay"
    assert worded("pop") == "population" and worded("pop_density") == "population density"
    assert worded("gdpPercap") == "gdp per capita"
    assert worded("order_qty") == "order quantity"
    assert worded("years_exp") == "years exp", "experience, or expectancy: nobody knows"
    assert worded("dep_id") == "dep id", "a department, maybe"
    assert worded(worded("lifeExp")) == "life expectancy"
