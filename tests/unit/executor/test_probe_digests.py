"""Rows agree where people would say that they do, and only there."""

from __future__ import annotations

import subprocess
import sys
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mesh.policy import Policy
from services.executor.probing.looking import seen
from services.executor.probing.outcome import Cell, QueryOutcome

MIDNIGHT, NOON = datetime(2024, 2, 29), datetime(2024, 2, 29, 12)


def told(*columns: list[Any], rows: int = 2_000) -> QueryOutcome:
    names = [f"column {place}" for place in range(len(columns))]
    return seen(pa.table([pa.array(column) for column in columns], names=names), rows, Policy())


def digest(*values: Any) -> str:
    return told(list(values)).multiset_digest


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (3, 3.0),
        (3, Decimal("3.00")),
        (1, True),
        (0, -0.0),
        (0.1 + 0.2, 0.3),
        (123_456.5, 123_456.499_999_999_99),
        (1_234_567, 1_234_571),
        (-1_234_567, -1_234_571),
        (999_999.9, 1_000_000),
        (Decimal(10**30), 1e30),
        (5e-324, 5e-324),
        (date(2024, 2, 29), MIDNIGHT),
        (date(1931, 2, 28), datetime(1931, 2, 28)),
        ("", None),
    ],
)
def test_values_that_count_as_one(one: Any, other: Any) -> None:
    assert digest(one) == digest(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (3, 3.000_01),
        (3, -3),
        (3, 30),
        (3, "3"),
        (0, None),
        (1_234_567, 1_234_582),
        (1e300, 1e-300),
        (float("inf"), float("-inf")),
        (float("nan"), None),
        (date(2024, 2, 29), NOON),
        (date(2024, 2, 29), date(2024, 3, 1)),
        (date(2024, 2, 29), "2024-02-29"),
        ("a", "A"),
        ("a", " a"),
    ],
)
def test_values_that_do_not(one: Any, other: Any) -> None:
    assert digest(one) != digest(other)


def test_order_counts_in_one_digest_alone() -> None:
    forth, back = told(["a", "b", "b"], [1, 2, 3]), told(["b", "a", "b"], [2, 1, 3])

    assert forth.multiset_digest == back.multiset_digest
    assert forth.ordered_digest != back.ordered_digest


def test_how_often_a_row_comes_counts() -> None:
    assert digest("a", "a", "b") != digest("a", "b", "b") != digest("a", "b")


def test_what_stands_in_one_row_counts() -> None:
    assert told(["a", "b"], [1, 2]).multiset_digest != told(["a", "b"], [2, 1]).multiset_digest
    assert told(["a"], ["b"]).multiset_digest != told(["b"], ["a"]).multiset_digest
    assert told(["a"], [None]).multiset_digest != told(["a"]).multiset_digest


def test_columns_count_by_their_place_and_not_by_their_name() -> None:
    one = seen(pa.table({"total": [1.5, 2.5]}), 10, Policy())
    other = seen(pa.table({"sum of price": [2.5, 1.5]}), 10, Policy())

    assert one.multiset_digest == other.multiset_digest
    assert one.columns[0].name == "total"


@given(st.lists(st.tuples(st.floats(), st.text(max_size=5), st.booleans()), min_size=1))
def test_any_order_of_any_rows_has_the_digest_of_all(rows: list[tuple[float, str, bool]]) -> None:
    forth = told(*map(list, zip(*rows, strict=True)))
    back = told(*map(list, zip(*reversed(rows), strict=True)))

    assert forth.multiset_digest == back.multiset_digest


@given(st.floats(min_value=1e-300, max_value=1e300))
def test_what_differs_in_its_last_bit_is_one_number(number: float) -> None:
    shaken = number * (1 + 2.3e-16)
    sixth = f"{number:.5e}"
    apart = f"{shaken:.5e}" != sixth and abs(float(f"{number:.12e}") - number) > 0

    assert digest(number) == digest(shaken) or apart


def test_digests_are_those_of_every_process() -> None:
    code = (
        "import pyarrow as pa; from mesh.policy import Policy; "
        "from services.executor.probing.looking import seen; "
        "print(seen(pa.table({'a': ['x', 'y'], 'b': [1.5, None]}), 9, Policy()).multiset_digest)"
    )
    elsewhere = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout

    assert elsewhere.strip() == told(["x", "y"], [1.5, None]).multiset_digest


def test_rows_above_the_limit_are_not_looked_at() -> None:
    cut, whole = told([1, 2, 3], rows=2), told([1, 2])

    assert (cut.rows, cut.more) == (2, True)
    assert (whole.rows, whole.more) == (2, False)
    assert cut.multiset_digest == whole.multiset_digest


def test_columns_tell_what_is_empty_and_what_differs() -> None:
    names, amounts, nothing = told(["a", "", None, "a"], [2, 2, 2, 2], [None] * 4).columns

    assert (names.empty_share, names.distinct_share) == (0.5, 0.5)
    assert (amounts.empty_share, amounts.distinct_share) == (0.0, 0.25)
    assert (nothing.empty_share, nothing.distinct_share) == (1.0, 0.25)
    assert told([]).columns[0].distinct_share == 0


def test_a_glimpse_is_three_rows_of_typed_cells() -> None:
    found = told([1, 2, 3, 4], ["x" * 500, "", None, "d"], [0.5, 1.0, None, 2.0], [MIDNIGHT] * 4)

    assert found.glimpse == (
        (
            Cell("whole", 1),
            Cell("text", "x" * 200),
            Cell("number", 0.5),
            Cell("moment", "2024-02-29T00:00:00"),
        ),
        (
            Cell("whole", 2),
            Cell("text", ""),
            Cell("number", 1.0),
            Cell("moment", "2024-02-29T00:00:00"),
        ),
        (Cell("whole", 3), Cell(), Cell(), Cell("moment", "2024-02-29T00:00:00")),
    )
    days = told([date(2024, 2, 29)], [True], [Decimal(10**30)])
    assert days.glimpse == ((Cell("day", "2024-02-29"), Cell("truth", True), Cell("number", 1e30)),)


def test_of_many_columns_a_few_are_told_and_all_are_counted() -> None:
    wide = [[place] for place in range(100)]
    other = [*wide[:99], [-1]]

    assert len(told(*wide).columns) == len(told(*wide).glimpse[0]) == 64
    assert told(*wide).multiset_digest != told(*other).multiset_digest
