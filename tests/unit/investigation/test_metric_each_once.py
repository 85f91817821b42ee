"""What joins repeat counts once in a metric, and it is told; else the metric is refused."""

from __future__ import annotations

import duckdb
import pytest

from services.planner.domain.investigation.grounding import ground_of
from tests.unit.investigation.shop import asked, shop_of_lines

_ROWS = """
CREATE TABLE customers AS SELECT * FROM (VALUES (1, 'home'), (2, 'office')) t(customer_id, segment);
CREATE TABLE orders AS SELECT * FROM (VALUES
  (1, 1, DATE '2024-01-05', 'North', 'web', 10.0, 30.0),
  (2, 2, DATE '2024-01-09', 'South', 'web', 20.0, 10.0),
  (3, 1, DATE '2024-02-07', 'North', 'shop', 30.0, 50.0)
) t(order_id, customer_id, ordered_on, region, channel, revenue, freight);
CREATE TABLE lines AS SELECT * FROM (VALUES
  (1, 1, 'pen', 2), (2, 1, 'ink', 3), (3, 1, 'pad', 5), (4, 2, 'pen', 10), (5, 3, 'pen', 4),
  (6, 3, 'ink', 6)
) t(line_id, order_id, product, quantity);
"""


@pytest.mark.parametrize(
    ("metric", "january", "february"),
    [
        ("sum(freight) / sum(quantity)", 40 / 20, 50 / 10),
        ("sum(freight) + sum(quantity)", 60, 60),
        ("count(orders.freight) / sum(quantity)", 2 / 20, 1 / 10),
        ("sum(quantity) / count(*)", 20 / 4, 10 / 2),
    ],
)
def test_each_order_counts_once_beside_its_lines(
    metric: str, january: float, february: float
) -> None:
    ground = ground_of(asked(metric_sql=metric), shop_of_lines())
    assert ground is not None

    below = "sum(assay_denominator)" if ground.ratio else "1"
    with duckdb.connect() as database:
        database.execute(_ROWS)
        found = database.execute(
            f"SELECT sum(assay_numerator) / {below} FROM ({ground.relation}) "
            "GROUP BY month(assay_time) ORDER BY month(assay_time)"
        ).fetchall()

    assert [value for (value,) in found] == pytest.approx([january, february])


def test_what_counts_once_is_told_with_sizes_and_the_metric_as_it_was_asked() -> None:
    ground = ground_of(asked(metric_sql="sum(freight) / sum(quantity)"), shop_of_lines())

    assert ground is not None
    assert any(
        said == "sum(freight) counts each row of orders (5,000 rows) once: several rows of lines "
        "(13,000 rows) go with it, and each adds an equal part"
        for said in ground.said
    )
    assert "ASSAY" not in ground.metric


def test_a_condition_of_lines_on_freight_is_doubted() -> None:
    metric = "sum(case when quantity > 4 then freight end)"
    ground = ground_of(asked(metric_sql=metric), shop_of_lines())

    assert ground is not None
    assert any("once for every row of lines (13,000 rows)" in said for said in ground.said)
