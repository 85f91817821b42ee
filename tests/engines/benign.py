"""Over two hundred analytical queries of the usual kinds; hardly one may be refused."""

from __future__ import annotations

from itertools import product

from tests.engines.plans import PLANS

_MEASURES = (
    "count(*)",
    "sum(o.amount)",
    "avg(o.price)",
    "median(o.amount)",
    "count(DISTINCT o.note)",
    "sum(o.price * o.quantity)",
    "sum(o.price) / nullif(sum(o.quantity), 0)",
    "round(100.0 * count(o.amount) / count(*), 1)",
    "max(o.ordered_at)",
    "stddev(o.price)",
    "count(*) FILTER (WHERE o.amount > 10)",
    "sum(CASE WHEN c.vip THEN o.price ELSE 0 END)",
)
_DIMENSIONS = (
    "c.city",
    "c.vip",
    "year(o.ordered_at)",
    "date_trunc('month', o.ordered_at)",
    "strftime(o.ordered_at, '%Y-%m')",
    "extract(dow FROM o.ordered_at)",
    "upper(c.name)",
    "CASE WHEN o.amount > 12 THEN 'high' ELSE 'low' END",
    "coalesce(o.note, 'none')",
    "floor(o.price / 2) * 2",
)

GROUPED = tuple(
    f"SELECT {dimension} AS key, {measure} AS value FROM orders o JOIN customers c"
    f" ON c.customer_id = o.customer_id GROUP BY {dimension}"
    for dimension, measure in product(_DIMENSIONS, _MEASURES)
)
_BY_KEY = (
    "WITH t AS (SELECT {dimension} AS key, sum(o.price) AS value FROM orders o JOIN customers c"
    " USING (customer_id) GROUP BY 1) SELECT key, value, "
)
SHAPED = tuple(
    sql.format(dimension=dimension)
    for dimension in ("c.city", "year(o.ordered_at)")
    for sql in (
        "SELECT {dimension} AS key, sum(o.price) AS value FROM orders o JOIN customers c USING"
        " (customer_id) GROUP BY 1 HAVING sum(o.price) > 10 ORDER BY value DESC LIMIT 3",
        _BY_KEY + "value / sum(value) OVER () AS share FROM t ORDER BY share DESC",
        _BY_KEY + "sum(value) OVER (ORDER BY key) AS so_far FROM t ORDER BY key",
    )
)

BENIGN = (*PLANS, *GROUPED, *SHAPED)
