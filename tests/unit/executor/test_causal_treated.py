"""Which of two values counts as 1, by one rule for every tool."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from services.executor.causal.checking.groups import two_groups
from services.executor.causal.coding import treatment_numbers
from services.executor.causal.notebook.data import counts_as_one
from services.executor.causal.profiling.columns import read
from services.executor.causal.treated import one_of


@pytest.mark.parametrize(
    ("rows", "one", "certain"),
    [
        ({"yes": 90, "no": 10}, "yes", True),
        ({"placebo": 10, "drug": 90}, "drug", True),
        ({"Inactive": 50, "active ": 50}, "active ", True),
        ({"mail": 40, "phone": 60}, "mail", False),
        ({"a": 50, "b": 50}, "b", False),
    ],
)
def test_the_word_decides_and_else_the_rarer_value(
    rows: dict[str, int], one: str, certain: bool
) -> None:
    assert one_of(rows) == (one, certain)
    assert one_of(dict(reversed(rows.items()))) == (one, certain), "whatever came first"


@pytest.mark.parametrize(
    "values",
    [
        ["drug"] * 30 + ["placebo"] * 10,
        ["mail"] * 30 + ["phone"] * 20,
        ["active"] * 30 + ["idle"] * 5,
    ],
)
def test_estimates_overlap_and_notebook_mean_the_same_group(values: list[str]) -> None:
    table = pa.table({"t": values})

    numbers, binary, _ = treatment_numbers(table, "t", None)
    [column] = read(table)
    groups = two_groups(column, None)

    assert binary and np.array_equal(numbers, groups.treated)
    assert counts_as_one(table.column("t"), None) == groups.name
