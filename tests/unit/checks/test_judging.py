"""A statement is judged as a whole: with and without the data's word, and mended step by step."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from mesh.errors import SERVICE_UNAVAILABLE, AssayError
from services.planner.domain.catalogue import Catalogue, ValueHit
from services.planner.domain.checks.examples import SHOP
from services.planner.domain.checks.finding import Severity, confidence_after
from services.planner.domain.checks.judging import Judgement, judge, mended
from services.planner.domain.evidence import Outcome, ProbedQuery, ProbeLimits
from tests.unit.checks.small_data import SmallData
from tests.unit.investigation.shop import shop_of_lines

_JOINED = "FROM orders o JOIN lines l ON l.order_id = o.order_id"
_SHOP = SmallData(SHOP)


def _unasked(sql: str) -> Judgement:
    return asyncio.run(judge(sql, shop_of_lines(), None))


@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT sum(o.freight) {_JOINED}",
        f"SELECT region, sum(freight) / sum(quantity) {_JOINED} GROUP BY region",
        f"SELECT avg(o.freight) {_JOINED} WHERE l.product = 'pen'",
        f"SELECT count(o.region) {_JOINED}",
        f"SELECT sum(CASE WHEN l.quantity > 3 THEN o.freight END) {_JOINED}",
        "SELECT sum(freight) FROM orders JOIN lines USING (order_id)",
        "SELECT sum(o.freight) FROM orders o, lines l WHERE o.order_id = l.order_id",
        "SELECT sum(o.freight) FROM orders o, lines l",
        f"WITH a AS (SELECT region, sum(freight) f {_JOINED} GROUP BY 1) SELECT max(f) FROM a",
        "SELECT sum(o.freight) FROM lines l JOIN orders o ON l.order_id = o.order_id "
        "JOIN customers c ON c.customer_id = o.customer_id",
    ],
)
def test_without_the_data_what_repeats_is_told_without_its_size(sql: str) -> None:
    found = [f for f in _unasked(sql).findings if f.code in ("J01", "J03")]

    assert "a row of orders comes once for every row of lines" in found[0].said
    assert "how often was not counted" in found[0].said


@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT sum(l.quantity) {_JOINED}",
        f"SELECT sum(l.quantity * o.freight) {_JOINED}",
        f"SELECT count(*), count(DISTINCT o.order_id), max(o.freight) {_JOINED}",
        "SELECT sum(freight) FROM orders",
        "SELECT sum(freight) FROM orders o JOIN customers c ON c.customer_id = o.customer_id",
        "SELECT sum(o.freight) FROM orders o WHERE EXISTS (SELECT 1 FROM lines l WHERE "
        "l.order_id = o.order_id)",
        f"SELECT sum(o.freight) {_JOINED} AND l.line_id = 7",
        "SELECT o.region, q FROM orders o JOIN (SELECT order_id, sum(quantity) q FROM lines GROUP "
        "BY 1) s ON s.order_id = o.order_id",
        "SELECT count(l.line_id) FROM orders o LEFT JOIN lines l ON l.order_id = o.order_id",
    ],
)
def test_what_each_row_adds_once_is_not_doubted(sql: str) -> None:
    assert not {f.code for f in _unasked(sql).findings} & {"J01", "J03", "J05"}


def test_a_join_that_nothing_needs_gives_way_to_a_condition() -> None:
    (found,) = _unasked(f"SELECT region, sum(freight) {_JOINED} GROUP BY region").findings

    assert found.fix == (
        "SELECT o.region AS region, SUM(o.freight) FROM orders AS o WHERE EXISTS(SELECT 1 FROM "
        "lines AS l WHERE l.order_id = o.order_id) GROUP BY o.region"
    )
    assert found.description.endswith(found.fix)


@pytest.mark.parametrize(
    "text",
    ["SELECT sum(", "DELETE FROM orders", "SELECT nothing FROM orders", "", "SELECT 1; SELECT 2"],
)
def test_what_is_no_single_query_over_what_there_is_is_not_readable(text: str) -> None:
    assert not asyncio.run(judge(text, _SHOP.catalogue, _SHOP.evidence)).readable


def test_brackets_around_a_column_change_nothing() -> None:
    told = asyncio.run(judge("SELECT sum((amount)) FROM payments", _SHOP.catalogue, _SHOP.evidence))

    assert [f.code for f in told.findings] == ["A05"]


def test_parameters_are_judged_in_their_places() -> None:
    sql = "SELECT count(*) FROM customers WHERE city = ?"
    wrong = asyncio.run(judge(sql, _SHOP.catalogue, _SHOP.evidence, params=["Osloo"]))
    right = asyncio.run(judge(sql, _SHOP.catalogue, _SHOP.evidence, params=["Oslo"]))

    assert [f.code for f in wrong.findings] == ["F01"]
    assert right.findings == ()


def test_that_a_text_is_not_empty_is_no_value_that_nobody_has() -> None:
    sql = "SELECT count(*) FROM customers WHERE city <> ''"
    told = asyncio.run(judge(sql, _SHOP.catalogue, _SHOP.evidence))

    assert "F01" not in [f.code for f in told.findings]


def test_parameters_go_where_the_text_has_them_however_deep_that_is() -> None:
    sql = (
        "SELECT city, count(*) AS n FROM customers WHERE city = ? AND customer_id > ? "
        "GROUP BY city HAVING count(*) > ?"
    )
    judged = asyncio.run(judge(sql, _SHOP.catalogue, _SHOP.evidence, params=["Oslo", 0, 0]))

    assert judged.readable and judged.findings == ()


def test_a_value_in_letters_of_its_words_is_the_nearest() -> None:
    data = SmallData(
        {
            "trips": "trip_id,country\n1,Austria\n2,USA\n3,Uganda\n"
            + "".join(f"{i},Land {i}\n" for i in range(4, 30))
        }
    )
    sql = "SELECT count(*) FROM trips WHERE country = 'United States'"

    (found,) = asyncio.run(judge(sql, data.catalogue, data.evidence)).findings

    assert "the nearest are 'USA'" in found.said


def test_data_that_are_away_leave_what_the_statement_alone_shows() -> None:
    async def away(queries: Sequence[ProbedQuery], limits: ProbeLimits = ...) -> list[Outcome]:  # type: ignore[assignment]
        raise AssayError(SERVICE_UNAVAILABLE, "the executor is away")

    told = asyncio.run(judge(f"SELECT sum(o.freight) {_JOINED}", _SHOP.catalogue, away))

    assert [f.code for f in told.findings] == ["J01"]
    assert told.unasked > 0


def test_the_gravest_comes_first_and_decides_how_sure_it_can_be() -> None:
    sql = f"SELECT sum(o.freight) {_JOINED} WHERE o.region <> 'North'"
    told = asyncio.run(judge(sql, _SHOP.catalogue, _SHOP.evidence))

    assert [f.severity for f in told.findings] == [Severity.ERROR, Severity.DOUBT]
    assert confidence_after(told.findings) == "low"
    assert confidence_after(told.findings[1:]) == "medium"
    assert confidence_after(()) == "high"


def test_very_large_tables_are_not_read_once_more_to_be_looked_at() -> None:
    data = SmallData({"sales": "region,amount\nNorth,10\nSouth,20\nTotal,30\n"})
    sql = "SELECT sum(amount) AS amount FROM sales WHERE amount < 0"
    whole = "SELECT sum(amount) FROM sales"
    (table,) = data.catalogue.tables
    large = data.catalogue.model_copy(
        update={"tables": (table.model_copy(update={"rows": 50_000_000}),)}
    )

    def codes(text: str, catalogue: Catalogue) -> set[str]:
        told = asyncio.run(judge(text, catalogue, data.evidence, codes=["D01", "S03"]))
        return {found.code for found in told.findings}

    assert codes(sql, data.catalogue) == {"S03"} and codes(whole, data.catalogue) == {"D01"}
    assert codes(sql, large) == codes(whole, large) == set()


def test_a_value_unasked_is_doubted_where_the_question_names_another() -> None:
    sql = "SELECT sum(freight) FROM orders WHERE region = 'North'"
    asked = "What is the total freight of orders in the South?"
    south = ValueHit(phrase="South", table="orders", column="region", value="South", score=1.0)

    def told(hits: Sequence[ValueHit]) -> list[Severity]:
        judged = asyncio.run(
            judge(sql, _SHOP.catalogue, _SHOP.evidence, question=asked, hits=hits, codes=["W02"])
        )
        return [found.severity for found in judged.findings]

    assert told([south]) == [Severity.DOUBT]
    assert told([]) == [Severity.NOTE]


@pytest.mark.parametrize(
    ("rest", "severity"),
    [
        ("", Severity.NOTE),
        ("ORDER BY 2 LIMIT 1", Severity.DOUBT),
        ("ORDER BY 2 DESC LIMIT 1", Severity.NOTE),
    ],
)
def test_a_part_of_a_month_is_doubted_where_it_is_the_answer(rest: str, severity: Severity) -> None:
    days = [f"2024-0{month}-{day:02},5" for month in (1, 2) for day in range(1, 29)]
    data = SmallData({"sales": "\n".join(["day,amount", *days, "2024-03-01,4", "2024-03-02,4"])})
    sql = f"SELECT date_trunc('month', day), sum(amount) FROM sales GROUP BY 1 {rest}"

    (found,) = asyncio.run(judge(sql, data.catalogue, data.evidence, codes=["T01"])).findings

    assert found.severity is severity
    assert "the last month is not whole: its days end with 2024-03-02" in found.said


def test_a_statement_is_mended_as_far_as_it_safely_can_be() -> None:
    sql = f"SELECT sum(o.freight) {_JOINED} WHERE o.region = 'north'"
    right = asyncio.run(mended(sql, _SHOP.catalogue, _SHOP.evidence))

    assert _SHOP.rows(right) == [(18.5,)]
    assert asyncio.run(mended("SELECT 1", _SHOP.catalogue, _SHOP.evidence)) == ""


def _with_hit(question: str, phrase: str, value: str, sql: str) -> set[str]:
    hit = ValueHit(phrase=phrase, value=value, table="lines", column="product", score=0.7)
    told = asyncio.run(judge(sql, _SHOP.catalogue, _SHOP.evidence, question=question, hits=[hit]))
    return {f.at for f in told.findings if f.code == "W01"}


def test_a_word_that_is_part_of_a_value_is_to_be_read() -> None:
    question = "How much of the Parker was sold?"
    without = "SELECT sum(quantity) FROM lines"
    with_it = f"{without} WHERE product = 'Parker pen'"

    assert _with_hit(question, "Parker", "Parker pen", without) == {"Parker"}
    assert _with_hit(question, "Parker", "Parker pen", with_it) == set()


def test_a_plain_word_that_a_value_happens_to_have_is_not() -> None:
    without = "SELECT sum(quantity) FROM lines"

    assert _with_hit("quantity of others", "others", "Other", without) == set()
    assert _with_hit("quantity of what was sold more", "more", "Moree ink", without) == set()
    assert _with_hit("quantity by manager", "manager", "Sales manager", without) == set()
