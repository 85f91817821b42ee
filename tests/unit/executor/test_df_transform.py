"""df.transform answers as a careful analyst would by hand."""

from __future__ import annotations

import datetime as dt
import decimal
from typing import Any

import pyarrow as pa
import pytest

from mesh.digest import frame_digest
from mesh.testing.tool_context import FakeToolContext
from mesh.tool import ToolResult
from services.executor.tools.df_transform import df_transform

SALES = pa.table(
    {
        "month": ["jan", "feb", "jan", "mar", "feb"],
        "region": ["north", "south", "north", None, "south"],
        "amount": [1, 2, 3, 4, 5],
        "price": [1.5, 2.5, None, 4.5, 0.0],
        "day": [dt.date(2020, 1, 5), dt.date(2020, 1, 30), dt.date(2020, 3, 1), None, None],
    }
)
MANAGERS = pa.table({"region": ["north", "south", "south", "west"], "amount": [10, 20, 30, 40]})


def run(*steps: dict[str, Any], table: pa.Table = SALES) -> ToolResult:
    arguments = df_transform.arguments.model_validate({"input": "sales", "steps": steps})
    context = FakeToolContext(inputs={"sales": table, "managers": MANAGERS})
    return df_transform.run(arguments, context)


def rows(*steps: dict[str, Any], table: pa.Table = SALES) -> list[tuple[Any, ...]]:
    frame = run(*steps, table=table).frame
    assert frame is not None
    return [tuple(row.values()) for row in frame.to_pylist()]


def pick(*columns: str) -> dict[str, Any]:
    return {"operation": "select", "columns": columns}


def total(column: str = "amount", function: str = "sum", **more: Any) -> dict[str, Any]:
    return {"function": function, "column": column, **more}


def derived(expression: str, table: pa.Table = SALES) -> list[Any]:
    step = {"operation": "derive", "column": "new", "expression": expression}
    return [row[0] for row in rows(step, pick("new"), table=table)]


def kept(*conditions: dict[str, Any], match: str = "all", table: pa.Table = SALES) -> list[Any]:
    step = {"operation": "filter", "conditions": conditions, "match": match}
    return [row[0] for row in rows(step, pick("amount"), table=table)]


def test_seed_000s_flat_form_groups_by_all_but_the_last_column() -> None:
    arguments = df_transform.arguments.model_validate(
        {"operation": "aggregate", "columns": ["month", "amount"], "aggregation": "sum"}
    )
    frame = df_transform.run(arguments, FakeToolContext(inputs={"sales": SALES})).frame
    assert frame is not None
    assert frame.to_pylist() == [
        {"month": "feb", "amount": 7},
        {"month": "jan", "amount": 4},
        {"month": "mar", "amount": 4},
    ]


def test_select_orders_and_renames() -> None:
    frame = run({**pick("amount", "region"), "rename": {"region": "area"}}).frame
    assert frame is not None
    assert frame.column_names == ["amount", "area"]


@pytest.mark.parametrize(
    ("operator", "column", "value", "expected"),
    [
        ("eq", "month", "jan", [1, 3]),
        ("ne", "region", "north", [2, 5]),
        ("lt", "amount", 3, [1, 2]),
        ("ge", "amount", "3", [3, 4, 5]),
        ("in", "amount", [1, 5], [1, 5]),
        ("in", "amount", [], []),
        ("not_in", "region", ["south"], [1, 3]),
        ("between", "amount", [2, 4], [2, 3, 4]),
        ("between", "day", ["2020-01-05", "2020-01-30"], [1, 2]),
        ("contains", "month", "a", [1, 3, 4]),
        ("starts_with", "month", "j", [1, 3]),
        ("ends_with", "month", "b", [2, 5]),
        ("is_null", "region", None, [4]),
        ("not_null", "price", None, [1, 2, 4, 5]),
        ("eq", "month", "'; drop table x; --", []),
    ],
)
def test_filter_compares(operator: str, column: str, value: Any, expected: list[int]) -> None:
    assert kept({"column": column, "operator": operator, "value": value}) == expected


def test_filter_can_ignore_case_and_match_any() -> None:
    shouting = {"column": "month", "operator": "eq", "value": "JAN"}
    assert kept(shouting) == []
    assert kept({**shouting, "ignore_case": True}) == [1, 3]
    five = {"column": "amount", "operator": "eq", "value": 5}
    assert kept({**shouting, "ignore_case": True}, five, match="any") == [1, 3, 5]


def test_a_bare_date_means_the_whole_day_in_a_column_of_times() -> None:
    times = [dt.datetime(2020, 1, 31, 18), dt.datetime(2020, 2, 1), dt.datetime(2020, 1, 30)]
    table = pa.table({"amount": [1, 2, 3], "at": times})
    january = {"column": "at", "operator": "between", "value": ["2020-01-31", "2020-01-31"]}
    assert kept(january, table=table) == [1]
    noon = {"column": "at", "operator": "lt", "value": "2020-01-31T12:00:00"}
    assert kept(noon, table=table) == [3]


def test_an_empty_filter_result_says_how_many_rows_there_were() -> None:
    condition = {"column": "region", "operator": "eq", "value": "Atlantis"}
    result = run({"operation": "filter", "conditions": [condition]})
    assert result.notes == ("filter: 0 of 5 rows match",)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("amount * 2 + 1", [3, 5, 7, 9, 11]),
        ("price / amount > 1", [True, True, None, True, False]),
        ("amount / 0", [None] * 5),
        ("case when amount > 2 then 'high' else 'low' end", ["low", "low"] + ["high"] * 3),
        ("coalesce(price, 0)", [1.5, 2.5, 0.0, 4.5, 0.0]),
        ("upper(substr(month, 1, 1)) || '!'", ["J!", "F!", "J!", "M!", "F!"]),
        ("extract(month from day)", [1, 1, 3, None, None]),
        ("date_part('year', day)", [2020, 2020, 2020, None, None]),
        ("cast(amount as varchar)", ["1", "2", "3", "4", "5"]),
        ("greatest(least(amount, 4), 2)", [2, 2, 3, 4, 4]),
        ("nullif(amount, 2)", [1, None, 3, 4, 5]),
        ("amount in (1, 2) or region is null", [True, True, False, True, False]),
        ("round(sqrt(amount), 1)", [1.0, 1.4, 1.7, 2.0, 2.2]),
    ],
)
def test_derive_computes(expression: str, expected: list[Any]) -> None:
    assert derived(expression) == expected


def test_derive_can_replace_a_column_in_its_place() -> None:
    frame = run({"operation": "derive", "column": "amount", "expression": "amount * 10"}).frame
    assert frame is not None
    assert frame.column_names == SALES.column_names
    assert frame["amount"].to_pylist() == [10, 20, 30, 40, 50]


def test_aggregates_skip_nulls_and_count_rows_without_a_column() -> None:
    measures = [
        total("price", function)
        for function in ("sum", "avg", "min", "max", "count", "count_distinct", "median")
    ]
    step = {"operation": "aggregate", "measures": [*measures, {"function": "count"}]}
    assert rows(step) == [(8.5, 2.125, 0.0, 4.5, 4, 4, 2.0, 5)]


def test_spread_and_quantiles_are_those_of_a_sample() -> None:
    measures = [
        total(function="variance"),
        total(function="stddev"),
        total(function="quantile", quantile=0.25, name="q1"),
    ]
    [(variance, deviation, quarter)] = rows({"operation": "aggregate", "measures": measures})
    assert (variance, quarter) == (2.5, 2.0)
    assert deviation == pytest.approx(2.5**0.5)


def test_first_last_and_the_label_of_an_extreme() -> None:
    measures = [
        total(function="first"),
        total("region", "last"),
        total("amount", "arg_max", of="month", name="best"),
        total("price", "arg_min", of="month", name="worst"),
    ]
    step = {"operation": "aggregate", "measures": measures}
    assert rows(step) == [(1, "south", "feb", "feb")]


def test_of_equal_extremes_the_first_label_by_value_is_given() -> None:
    table = pa.table({"name": ["z", "b", "a"], "score": [9, 9, 1]})
    step = {"operation": "aggregate", "measures": [total("score", "arg_max", of="name")]}
    assert rows(step, table=table) == [("b",)]


def test_sums_of_integers_stay_integers_and_decimals_stay_decimals() -> None:
    table = pa.table({"n": [2**40, 2**40], "d": [decimal.Decimal("1.10"), decimal.Decimal("2")]})
    step = {"operation": "aggregate", "measures": [total("n"), total("d")]}
    frame = run(step, table=table).frame
    assert frame is not None
    assert frame.schema.field("sum_n").type == pa.int64()
    assert frame["sum_d"].to_pylist() == [decimal.Decimal("3.10")]


def test_a_sum_beyond_64_bits_becomes_a_float_and_says_so() -> None:
    table = pa.table({"n": [2**63 - 1, 2**63 - 1]})
    result = run({"operation": "aggregate", "measures": [total("n")]}, table=table)
    assert result.frame is not None
    assert result.frame["sum_n"].to_pylist() == [float(2**64 - 2)]
    assert "floats" in result.notes[0]


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ("inner", [(1, 10), (2, 20), (2, 30), (3, 10), (5, 20), (5, 30)]),
        ("left", [(1, 10), (2, 20), (2, 30), (3, 10), (4, None), (5, 20), (5, 30)]),
        (
            "full",
            [(1, 10), (2, 20), (2, 30), (3, 10), (4, None), (5, 20), (5, 30), (None, 40)],
        ),
    ],
)
def test_joins_keep_the_left_order(how: str, expected: list[tuple[int, int]]) -> None:
    on = [{"left": "region", "right": "region"}]
    step = {"operation": "join", "right": "managers", "on": on, "how": how}
    assert rows(step, pick("amount", "amount_right")) == expected


@pytest.mark.parametrize(("how", "expected"), [("semi", [1, 2, 3, 5]), ("anti", [4])])
def test_joins_can_only_test_for_a_partner(how: str, expected: list[int]) -> None:
    on = [{"left": "region", "right": "region"}]
    step = {"operation": "join", "right": "managers", "on": on, "how": how}
    assert [row[0] for row in rows(step, pick("amount"))] == expected


def test_a_join_says_what_it_left_out_and_what_it_repeated() -> None:
    on = [{"left": "region", "right": "region"}]
    notes = run({"operation": "join", "right": "managers", "on": on}).notes
    assert notes == (
        "join: 1 of 5 rows have no partner in managers and are left out",
        "join: 5 rows became 6, because keys repeat in managers",
    )


@pytest.mark.parametrize(
    ("order", "names"),
    [
        ("value", ["month", "north", "south", "(none)"]),
        ("total", ["month", "south", "north", "(none)"]),
        ("appearance", ["month", "north", "south", "(none)"]),
    ],
)
def test_pivot_orders_its_columns(order: str, names: list[str]) -> None:
    step = {
        "operation": "pivot",
        "index": ["month"],
        "columns": "region",
        "values": "amount",
        "order": order,
    }
    frame = run(step).frame
    assert frame is not None
    assert frame.column_names == names
    assert frame.to_pylist()[0] == {"month": "feb", "north": None, "south": 7, "(none)": None}
    seen = run({**step, "rows": "appearance"}).frame
    assert seen is not None
    assert seen.column("month").to_pylist() == ["jan", "feb", "mar"]


@pytest.mark.parametrize(
    ("function", "more", "expected"),
    [
        ("rank", {}, [2, 2, 1, 1, 1]),
        ("row_number", {}, [2, 2, 1, 1, 1]),
        ("lag", {}, [3, 5, None, None, None]),
        ("lead", {}, [None, None, 1, None, 2]),
        ("cumulative_sum", {}, [4, 7, 3, 4, 5]),
        ("difference", {}, [-2, -3, None, None, None]),
        ("share", {}, [0.25, 2 / 7, 0.75, 1.0, 5 / 7]),
        ("growth", {}, [-2 / 3, -0.6, None, None, None]),
        ("moving_average", {"rows": 2, "partition_by": []}, [1.5, 2.5, 3.5, 4.5, None]),
        ("percent_rank", {"partition_by": []}, [1.0, 0.75, 0.5, 0.25, 0.0]),
    ],
)
def test_windows_add_a_column_and_keep_the_rows_in_place(
    function: str, more: dict[str, Any], expected: list[Any]
) -> None:
    step = {
        "operation": "window",
        "function": function,
        "column": "amount",
        "partition_by": ["month"],
        "order_by": [{"column": "amount", "descending": True}],
        "name": "w",
        **more,
    }
    found = rows(step, pick("amount", "w"))
    assert [row[0] for row in found] == [1, 2, 3, 4, 5]
    assert [row[1] for row in found] == pytest.approx(expected)


def test_equal_values_share_a_rank() -> None:
    table = pa.table({"v": [5, 5, 3]})
    keys = [{"column": "v", "descending": True}]
    step = {"operation": "window", "function": "rank", "order_by": keys}
    assert rows(step, table=table) == [(5, 1), (5, 1), (3, 3)]


def test_sorting_breaks_ties_by_the_remaining_columns() -> None:
    table = pa.table({"k": [1, 1, 0, None], "v": ["b", "a", "z", "n"]})
    step = {"operation": "sort", "by": [{"column": "k"}]}
    assert rows(step, table=table) == [(0, "z"), (1, "a"), (1, "b"), (None, "n")]


def test_limit_takes_the_best_of_each_group() -> None:
    keys = [{"column": "amount", "descending": True}]
    best = {"operation": "limit", "rows": 1, "per": ["month"], "order_by": keys}
    assert rows(pick("month", "amount"), best) == [("feb", 5), ("jan", 3), ("mar", 4)]
    assert rows(pick("amount"), {"operation": "limit", "rows": 2}) == [(1,), (2,)]


@pytest.mark.parametrize(
    ("fill", "february"),
    [("none", []), ("null", [(dt.date(2020, 2, 1), None)]), ("zero", [(dt.date(2020, 2, 1), 0)])],
)
def test_resample_makes_gaps_explicit(fill: str, february: list[Any]) -> None:
    step = {
        "operation": "resample",
        "column": "day",
        "grain": "month",
        "measures": [total()],
        "fill": fill,
    }
    assert rows(step) == [(dt.date(2020, 1, 1), 3), *february, (dt.date(2020, 3, 1), 3)]
    assert run(step).notes == ("resample: 2 rows without day are left out",)


def test_resample_reads_dates_kept_as_text() -> None:
    table = pa.table({"d": ["1997-01-03 00:00:00", "1997-05-30"], "v": [1, 2]})
    step = {"operation": "resample", "column": "d", "grain": "quarter", "measures": [total("v")]}
    assert rows(step, table=table) == [(dt.date(1997, 1, 1), 1), (dt.date(1997, 4, 1), 2)]


def test_resample_fills_every_group() -> None:
    table = pa.table(
        {"d": [dt.date(2020, 1, 1), dt.date(2020, 3, 1)], "g": ["a", "b"], "v": [1, 2]}
    )
    step = {
        "operation": "resample",
        "column": "d",
        "grain": "month",
        "by": ["g"],
        "measures": [total("v")],
        "fill": "zero",
    }
    assert [row[1:] for row in rows(step, table=table)] == [
        ("a", 1),
        ("b", 0),
        ("a", 0),
        ("b", 0),
        ("a", 0),
        ("b", 2),
    ]


def test_repeated_column_names_are_told_apart_and_noted() -> None:
    table = pa.table([[1], [2], [3]], names=["x", "x", "X"])
    result = run({"operation": "select"}, table=table)
    assert result.frame is not None
    assert result.frame.column_names == ["x", "x_2", "X_3"]
    assert len(result.notes) == 2


@pytest.mark.parametrize("size", [0, 1])
def test_tables_with_no_or_one_row_pass_through_every_operation(size: int) -> None:
    small = SALES.slice(0, size)
    keys = [{"column": "amount"}]
    on = [{"left": "region", "right": "region"}]
    steps: list[dict[str, Any]] = [
        {"operation": "select"},
        {"operation": "derive", "column": "x", "expression": "amount + 1"},
        {"operation": "aggregate", "by": ["month"], "measures": [total()]},
        {"operation": "join", "right": "managers", "on": on, "how": "left"},
        {"operation": "window", "function": "share", "column": "amount"},
        {"operation": "sort", "by": keys},
        {"operation": "limit", "rows": 3, "per": ["month"]},
        {
            "operation": "resample",
            "column": "day",
            "grain": "week",
            "measures": [total()],
            "fill": "zero",
        },
    ]
    for step in steps:
        assert len(rows(step, table=small)) == size, step


def test_the_same_call_gives_the_same_digest_however_its_input_is_chunked() -> None:
    values = [0.1 * n for n in range(20_000)]
    whole = pa.table({"g": [n % 7 for n in range(20_000)], "v": values})
    cut = pa.concat_tables([whole.slice(0, 77), whole.slice(77, 10_000), whole.slice(10_077)])
    step = {"operation": "aggregate", "by": ["g"], "measures": [total("v"), total("v", "stddev")]}
    frames = [run(step, table=table).frame for table in (whole, cut, whole)]
    assert len({frame_digest(frame) for frame in frames if frame is not None}) == 1
