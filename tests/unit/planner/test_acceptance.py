"""Results held against each criterion: one that it lets pass, and one that breaks it."""

from __future__ import annotations

import pyarrow as pa
import pytest

from services.planner.domain.acceptance import (
    CRITERIA,
    ONE_ROW,
    Result,
    a_share,
    asks_for_rows,
    at_most,
    broken_by,
    has_columns,
    never_negative,
    one_row_each,
)

TABLE = pa.table(
    {
        "region": ["North", "North", None],
        "town, old": ["Kiel", "Oslo", None],
        "orders": [3, 0, 2],
        "share": [0.6, 0.0, 0.4],
        "balance": [-1.5, 2.0, 0.0],
    }
)


def result(table: pa.Table = TABLE) -> Result:
    return Result(table.num_rows, tuple(table.column_names), table)


@pytest.mark.parametrize("rule", CRITERIA, ids=lambda rule: rule.examples[0])
def test_a_criterion_reads_its_examples_alone(rule: object) -> None:
    for example in rule.examples:  # type: ignore[attr-defined]
        assert [other for other in CRITERIA if other.pattern.fullmatch(example)] == [rule]


@pytest.mark.parametrize(
    ("holds", "broken", "told"),
    [
        (at_most(3), at_most(2), "it was to give at most 2 rows, and gave 3"),
        (
            has_columns(["region", "town, old", "orders"]),
            has_columns(["region", "revenue"]),
            "it was to have the columns region, revenue, and has region, town, old, orders",
        ),
        (
            one_row_each(["region", "town, old"]),
            one_row_each(["region"]),
            "it was to have one row for each region, and has 3 rows for 2",
        ),
        (never_negative("orders"), never_negative("balance"), "balance counts, and is -1.5"),
        (a_share("share"), a_share("orders"), "orders is a share, and runs from 0 to 3"),
    ],
)
def test_a_result_is_held_against_it(holds: str, broken: str, told: str) -> None:
    assert broken_by([holds, "only rows where year is 2024"], result()) == ""
    assert told in broken_by([holds, broken], result())


def test_what_cannot_be_checked_breaks_nothing() -> None:
    unread = Result(3, None)
    assert broken_by([one_row_each(["region"]), has_columns(["revenue"])], unread) == ""
    assert broken_by([one_row_each(["month"]), "one row for each column"], result()) == ""
    assert broken_by([never_negative("month"), never_negative("region")], result()) == ""
    assert broken_by([ONE_ROW, one_row_each(["region"])], result(TABLE.slice(0, 0))) == ""
    assert asks_for_rows([one_row_each(["region"])]) and not asks_for_rows([at_most(5), ONE_ROW])


@pytest.mark.parametrize(
    ("columns", "groups"),
    [
        ({"a": [1.5, float("nan"), float("nan"), None, None]}, 3),
        ({"a": ["x", None, "x", ""], "b": [True, True, True, None]}, 3),
        ({"a": pa.array(["x", "y", "x", None]).dictionary_encode()}, 3),
    ],
)
def test_rows_are_the_same_where_all_values_are(columns: dict[str, object], groups: int) -> None:
    table = pa.table(columns)

    assert broken_by([one_row_each(table.column_names)], result(table)).endswith(f"for {groups}")
