"""Columns and rows of a pivot in the order that words have, and columns for spellings of one."""

from __future__ import annotations

import pyarrow as pa

from tests.unit.executor.test_df_transform import run


def test_sizes_and_steps_of_words_have_their_own_order_in_a_pivot() -> None:
    people = pa.table(
        {
            "size": ["XL", "S", "M", "L", None],
            "income": ["high", "low", "medium", None, "low"],
            "n": [1, 2, 3, 4, 5],
        }
    )
    step = {
        "operation": "pivot",
        "index": ["size"],
        "columns": "income",
        "values": "n",
        "order": "natural",
        "rows": "natural",
    }
    found = run(step, table=people).frame
    assert found is not None
    assert found.column_names == ["size", "low", "medium", "high", "(none)"]
    assert found.column("size").to_pylist() == ["S", "M", "L", "XL", None]
    names = run({**step, "index": ["n"], "columns": "size"}, table=people).frame
    assert names is not None and names.column("n").to_pylist() == [1, 2, 3, 4, 5]


def test_values_that_differ_by_case_alone_are_two_columns_of_a_pivot() -> None:
    people = pa.table({"size": ["S", "S", "L"], "gender": ["F", "f", "f"], "n": [1, 2, 3]})
    step = {
        "operation": "pivot",
        "index": ["size"],
        "columns": "gender",
        "values": "n",
        "function": "sum",
        "fill": "zero",
    }
    found = run(step, table=people).frame
    assert found is not None
    assert found.column_names == ["size", "F", "f_2"]
    assert {row["size"]: (row["F"], row["f_2"]) for row in found.to_pylist()} == {
        "S": (1, 2),
        "L": (0, 3),
    }
