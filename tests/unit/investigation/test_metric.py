"""A metric is taken apart so that the sums over rows give the metric itself, whatever it is."""

from __future__ import annotations

import duckdb
import pytest

from mesh.errors import METRIC_NOT_UNDERSTOOD, AssayError
from services.planner.domain.investigation.metric import taken_apart

ROWS = """(VALUES (1, 10.0, 2, true, 'a'), (2, NULL, 3, false, 'a'), (3, 7.5, 0, true, 'b'),
 (4, -2.0, 5, NULL, NULL)) AS t(id, amount, items, won, who)"""


def _both(sql: str) -> tuple[float, float]:
    metric = taken_apart(sql)
    rows = f"sum({metric.numerator})"
    if metric.denominator:
        rows = f"({rows}) / sum({metric.denominator})"
    [(meant, made)] = duckdb.sql(f"SELECT {sql}, {rows} FROM {ROWS}").fetchall()
    return float(meant), float(made)


@pytest.mark.parametrize(
    "sql",
    [
        "sum(amount)",
        "count(*)",
        "count(amount)",
        "count(*) filter (where won)",
        "count_if(items > 2)",
        "sum(amount) - sum(items)",
        "sum(amount - items)",
        "sum(amount * items) * 1.5",
        "2 * sum(items) + count(*)",
        "avg(amount)",
        "avg(amount) filter (where items > 1)",
        "sum(amount) / count(*)",
        "sum(amount) / nullif(sum(items), 0)",
        "100.0 * count(*) filter (where won) / count(*)",
        "100.0 * (count(*) filter (where won) / count(*))",
        "count(*) filter (where won) * 100.0 / count(won)",
        "sum(case when won then amount else 0 end) / sum(items)",
        "-sum(amount)",
        "round(sum(amount) / 1000, 6)",
        "coalesce(sum(amount), 0)",
        "(sum(amount) - sum(items)) / sum(amount)",
    ],
)
def test_what_its_rows_add_up_to_is_the_metric(sql: str) -> None:
    meant, made = _both(sql)
    assert made == pytest.approx(meant)


def test_distinct_things_are_known_as_such() -> None:
    metric = taken_apart("count(distinct who)")
    assert metric.entity == "who"
    assert not metric.ratio


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("median(amount)", "cannot be taken apart"),
        ("max(amount)", "cannot be taken apart"),
        ("amount", "does not say what is made of the rows"),
        ("sum(amount), count(*)", "several expressions"),
        ("sum(amount) FROM t", "not one SQL expression"),
        ("sum(amount); drop table t", "not one SQL expression"),
        ("sum((select 1))", "holds a query"),
        ("sum(amount) over ()", "holds a window"),
        ("sum(", "no SQL expression"),
        ("sum(amount) + 1", "belongs to no row"),
    ],
)
def test_what_cannot_be_is_refused_by_name(sql: str, said: str) -> None:
    with pytest.raises(AssayError) as refused:
        taken_apart(sql)
    assert refused.value.reason is METRIC_NOT_UNDERSTOOD
    assert said in refused.value.message
