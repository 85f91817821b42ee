"""Declarations compiled: names exactly as they stand, and nothing that is not declared."""

from __future__ import annotations

from typing import Any

import pytest

from services.planner.domain.meaning import Meaning, NotCompiledError
from services.planner.domain.twin.compiling import compile_twin
from tests.unit.planner.twin.world import DATA, with_metric


@pytest.mark.parametrize(
    ("means", "same"),
    [
        ({"metric": "count(orders)"}, "select count(*) from orders"),
        (
            {"metric": "count(distinct orders.customer_id)", "by": ("region",)},
            "select region, count(distinct customer_id) from orders group by 1",
        ),
        (
            {"metric": "sum(quantity * unit_price)", "by": ("customers.city",)},
            "select city, sum(quantity * unit_price) from lines join orders using (order_id) "
            "join customers using (customer_id) group by 1",
        ),
        (
            {
                "metric": "sum(lines.quantity * lines.unit_price) / sum(quantity)",
                "by": ("product",),
            },
            "select product, sum(quantity * unit_price) / sum(quantity) from lines group by 1",
        ),
        (
            {"metric": "SUM(Freight)", "time": "ordered", "period": "2024-01"},
            "select sum(freight) from orders where ordered between '2024-01-01' and '2024-01-31'",
        ),
        (
            {"metric": "sum(freight)", "time": "orders.sent", "grain": "month"},
            "select date_trunc('month', sent)::date, sum(freight) from orders group by 1",
        ),
        (
            {"metric": "avg(freight)", "filter": ("region in ('North', 'South')", "freight > 6")},
            "select avg(freight) from orders where region in ('North', 'South') and freight > 6",
        ),
        (
            {"metric": "max(freight)", "by": ("product",)},
            "select product, max(freight) from orders join lines using (order_id) group by 1",
        ),
    ],
)
def test_declared_parts_are_a_statement(means: dict[str, Any], same: str) -> None:
    twin = compile_twin(Meaning(**means), DATA.catalogue)

    assert sorted(DATA.rows(twin.statement), key=repr) == sorted(DATA.rows(same), key=repr)
    assert not twin.declared


@pytest.mark.parametrize(
    ("means", "why"),
    [
        ({"metric": ""}, "`metric` is not declared"),
        ({"metric": "revenue"}, "neither a declared metric nor an aggregate"),
        ({"metric": "freight"}, "neither a declared metric nor an aggregate"),
        ({"metric": "count(*)"}, "count(*) of which table?"),
        ({"metric": "sum(freigt)"}, 'no table has a column "freigt"'),
        ({"metric": "sum(orders.price)"}, "orders has no column"),
        ({"metric": "count(distinct customer_id)"}, "say customers.customer_id, orders."),
        ({"metric": "sum(freight)", "by": ("product",)}, "a row of orders has several of lines"),
        ({"metric": "sum(freight)", "period": "2024"}, "orders has orders.ordered, orders.sent"),
        ({"metric": "sum(freight)", "time": "region", "grain": "month"}, "holds no dates"),
        ({"metric": "sum(freight)", "time": "sent", "grain": "fortnight"}, "`grain` is one of"),
        ({"metric": "sum(freight)", "time": "sent", "period": "spring"}, "is no period"),
        ({"metric": "sum(freight)", "filter": ("order_id in (select 1)",)}, "holds a query"),
        ({"metric": "sum(freight * (select 1))"}, "holds a query"),
        ({"metric": "sum(lines.quantity * payments.amount)"}, "what is one row of the number?"),
    ],
)
def test_what_is_not_said_exactly_is_not_compiled(means: dict[str, Any], why: str) -> None:
    with pytest.raises(NotCompiledError) as told:
        compile_twin(Meaning(**means), DATA.catalogue)

    assert why in str(told.value)


def test_a_declared_metric_is_computed_as_it_was_declared() -> None:
    formula = '"lines"."quantity" * "lines"."unit_price"'
    catalogue = with_metric("revenue", "lines", formula, "amount")

    twin = compile_twin(Meaning(metric="Revenue", by=("product",)), catalogue)

    assert twin.declared
    same = "select product, sum(quantity * unit_price) from lines group by 1"
    assert sorted(DATA.rows(twin.statement)) == sorted(DATA.rows(same))


def test_a_level_is_not_added_over_time_in_silence() -> None:
    catalogue = with_metric("stock", "lines", '"lines"."quantity" * 2', "level")

    with pytest.raises(NotCompiledError, match="is of kind level"):
        compile_twin(Meaning(metric="stock"), catalogue)


def test_the_declared_time_of_a_table_tells_when() -> None:
    orders = DATA.catalogue.table("orders")
    assert orders is not None
    dated = orders.model_copy(update={"time_column": "sent"})
    tables = tuple(dated if one.name == "orders" else one for one in DATA.catalogue.tables)
    catalogue = DATA.catalogue.model_copy(update={"tables": tables})

    twin = compile_twin(Meaning(metric="sum(freight)", period="2024-02"), catalogue)

    assert twin.interpretation == "sum(freight) in 2024-02 (time: orders.sent)"
    assert DATA.rows(twin.statement) == [(5.5,)]
