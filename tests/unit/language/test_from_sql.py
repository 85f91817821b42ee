"""Statements read back as intents: whatever they are written like, and only where it is proven."""

from __future__ import annotations

import pytest

from services.planner.domain.checks.examples import SHOP
from services.planner.domain.query.from_sql.recover import intent_of
from services.planner.domain.query.intent import Intent
from services.planner.domain.query.planning.sql import render
from services.planner.domain.query.planning.summary import summarise
from tests.unit.checks.small_data import SmallData

DATA = SmallData(SHOP)


def meant(statement: str) -> Intent:
    found = intent_of(statement, DATA.catalogue)
    assert found is not None, statement
    return found


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("SELECT count(*) AS n FROM orders", "n"),
        ("SELECT region, sum(freight) AS freight FROM orders GROUP BY 1", "freight by region"),
        ("SELECT REGION, sum(O.Freight) AS f FROM Orders AS O GROUP BY O.region", "f by region"),
        (
            "SELECT city, count(*) AS n FROM orders JOIN customers USING (customer_id) "
            "GROUP BY city HAVING n > 1 ORDER BY n DESC, city LIMIT 3",
            "n by city",
        ),
        (
            "SELECT c.city, avg(l.quantity) AS q FROM customers c, orders o, lines l "
            "WHERE l.order_id = o.order_id AND c.customer_id = o.customer_id GROUP BY c.city",
            "q by city",
        ),
        (
            "SELECT date_trunc('month', sent) AS m, median(freight) AS f FROM orders GROUP BY 1",
            "f by m",
        ),
        (
            "SELECT extract(year FROM ordered) AS y, max(freight) AS f FROM orders GROUP BY ALL",
            "f by y",
        ),
        ("SELECT count(DISTINCT product) AS n FROM lines WHERE unit_price < 5", "n"),
        (
            "WITH x AS (SELECT region, freight FROM orders WHERE freight > 6) "
            "SELECT region, sum(freight) AS f FROM x GROUP BY region",
            "f by region",
        ),
    ],
)
def test_a_statement_is_the_intent_whose_query_gives_the_same(statement: str, said: str) -> None:
    intent = meant(statement)

    assert summarise(intent, DATA.catalogue).startswith(said)
    query = render(intent, DATA.catalogue)
    assert DATA.sorted(query.text, query.params) == DATA.sorted(statement)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (
            "ordered >= '2024-01-01' AND ordered < '2024-02-01'",
            "ordered BETWEEN '2024-01-01' AND DATE '2024-01-31'",
        ),
        ("year(sent) = 2024 AND month(sent) = 1", "sent >= '2024-01-01' AND sent < '2024-02-01'"),
        (
            "date_trunc('month', sent) = DATE '2024-01-01'",
            "CAST(sent AS DATE) BETWEEN '2024-01-01' AND '2024-01-31'",
        ),
        ("year(ordered) IN (2023, 2024)", "ordered >= '2023-01-01' AND year(ordered) <= 2024"),
        ("region = 'North' OR region = 'South'", "region IN ('South', 'North')"),
        ("NOT (freight > 6 OR region IS NULL)", "region IS NOT NULL AND 6 >= freight"),
        (
            "customer_id IN (SELECT customer_id FROM customers WHERE city = 'Oslo')",
            "EXISTS (SELECT 1 FROM customers c WHERE c.customer_id = orders.customer_id "
            "AND city = 'Oslo')",
        ),
        (
            "freight < (SELECT avg(freight) FROM orders)",
            "(SELECT avg(o.freight) FROM orders o) > freight",
        ),
    ],
)
def test_one_condition_is_one_intent_however_it_is_written(ours: str, theirs: str) -> None:
    first, second = (meant(f"SELECT count(*) AS n FROM orders WHERE {w}") for w in (ours, theirs))

    assert first == second
    query = render(first, DATA.catalogue)
    counts = [DATA.sorted(f"SELECT count(*) AS n FROM orders WHERE {w}") for w in (ours, theirs)]
    assert DATA.sorted(query.text, query.params) == counts[0] == counts[1]


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT region, sum(freight) AS f, sum(freight) / sum(sum(freight)) OVER () AS share "
        "FROM orders GROUP BY region",
        "WITH g AS (SELECT region, sum(freight) AS f FROM orders GROUP BY 1) "
        "SELECT region, f / sum(f) OVER () AS share FROM g",
        "SELECT month(ordered) AS m, count(*) AS n, sum(count(*)) OVER (ORDER BY month(ordered)) "
        "AS so_far FROM orders GROUP BY 1 ORDER BY 1",
        "SELECT region, count(CASE WHEN freight > 6 THEN 1 END) / count(*) AS part FROM orders "
        "GROUP BY region",
        "SELECT region, rank() OVER (ORDER BY sum(freight) DESC) AS place, sum(freight) AS f "
        "FROM orders GROUP BY region",
        "SELECT region, order_id, freight FROM (SELECT *, rank() OVER (PARTITION BY region "
        "ORDER BY freight DESC) AS k FROM orders) WHERE k <= 1",
        "SELECT max(freight) - min(freight) AS spread FROM orders",
        "SELECT region, sum(freight) FILTER (WHERE ordered < '2024-02-01') AS before FROM orders "
        "GROUP BY region ORDER BY region",
    ],
)
def test_numbers_worked_out_of_those_of_groups_are_an_intents(statement: str) -> None:
    intent = meant(statement)
    query = render(intent, DATA.catalogue)

    assert intent.derived or intent.top_of_each or intent.measures[0].where
    assert DATA.sorted(query.text, query.params) == DATA.sorted(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT round(avg(freight), 1) AS f FROM orders",
        "SELECT region, 100 * sum(freight) / sum(sum(freight)) OVER () AS p FROM orders GROUP BY 1",
        "SELECT count(*) FROM orders",  # what the column is called would be a guess
        "SELECT strftime(ordered, '%Y-%m') AS m, count(*) AS n FROM orders GROUP BY 1",
        "SELECT month(ordered) AS m, sum(freight) - lag(sum(freight)) OVER (ORDER BY "
        "date_trunc('month', ordered)) AS d FROM orders GROUP BY 1, date_trunc('month', ordered)",
        "SELECT count(*) AS n FROM customers WHERE customer_id NOT IN "
        "(SELECT customer_id FROM orders)",  # of which some are missing: then there is no row
        "SELECT count(*) AS n FROM orders WHERE date_trunc('month', ordered) >= DATE '2024-01-15'",
        "SELECT count(*) AS n FROM lines WHERE product LIKE 'p%'",
        "SELECT count(*) AS n FROM orders JOIN lines ON orders.order_id = lines.quantity",
        "SELECT count(*) AS n FROM orders SEMI JOIN lines USING (order_id)",
        "SELECT count(*) AS n FROM orders NATURAL JOIN lines",
        "SELECT count(*) AS n FROM orders, customers",
        "SELECT region FROM orders LIMIT 10%",
        "SELECT region FROM orders USING SAMPLE 10%",
        "SELECT a AS region FROM orders AS o(a, b, region, d, e, f)",
        "SELECT region FROM orders UNION SELECT city FROM customers",
        "SELECT region, count(*) AS n FROM orders GROUP BY ROLLUP (region)",
        "SELECT nowhere FROM orders",
        "SELECT count(*) AS n FROM nothing",
        "SELECT sum(freight) AS f, sum(freight) AS again FROM orders",
        "SELECT f FROM (SELECT freight AS f FROM orders LIMIT 3) WHERE f > 1",
        "SELECT n / sum(n) OVER () AS share FROM (SELECT region, count(*) AS n FROM orders "
        "GROUP BY 1) WHERE n > 1",
        "SELECT count(*) AS n FROM orders WHERE freight > ?",
        "DROP TABLE orders",
        "SELECT (",
        "",
    ],
)
def test_what_no_intent_says_for_certain_stays_a_statement(statement: str) -> None:
    assert intent_of(statement, DATA.catalogue) is None


def test_parameters_are_read_in_their_places_and_labels_are_the_results_columns() -> None:
    text = "SELECT region, count(*), sum(freight) FROM orders WHERE region <> ? GROUP BY 1 LIMIT 2"
    found = intent_of(text, DATA.catalogue, ["North"], ["Region", "count_star()", "f"])

    assert found is not None
    assert [m.label for m in found.measures] == ["count_star()", "f"]
    assert found.dimensions[0].label == "Region"
    assert render(found, DATA.catalogue).params == ("North",)
    assert intent_of(text, DATA.catalogue, ["North"], ["Region", "f"]) is None, "one is not named"


def test_things_of_one_name_are_kept_apart_by_their_key_alone() -> None:
    joined = "FROM orders JOIN customers USING (customer_id)"
    by_key = meant(f"SELECT name, count(*) AS n {joined} GROUP BY name, customers.customer_id")

    assert by_key.dimensions[0].identity is not None
    assert by_key.dimensions[0].identity.column == "customer_id"
    unshown = f"SELECT name, count(*) AS n {joined} GROUP BY name, city"
    assert intent_of(unshown, DATA.catalogue) is None


def test_a_table_that_is_read_twice_is_a_copy() -> None:
    # No customer is another's friend: the reference is by the names of columns alone.
    people = SmallData({"people": "people_id,boss_id,name\n1,,Ada\n2,1,Bo\n3,1,Cy\n"})
    links = people.catalogue.relationships
    assert not links
    text = (
        "SELECT b.name AS boss, count(*) AS n FROM people p JOIN people b "
        "ON p.boss_id = b.people_id GROUP BY b.name"
    )
    assert intent_of(text, people.catalogue) is None, "nothing says that it refers to people"
