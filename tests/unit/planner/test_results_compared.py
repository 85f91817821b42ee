"""Two results are one answer by what they hold, whatever columns are called, in any order."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.planner.domain.evidence import Outcome, ProbedColumn, ProbeState
from services.planner.domain.proposals.comparing import Rows, compare, rows_of
from services.planner.domain.proposals.separating import describe_difference


def result(names: str, *rows: Sequence[Any], by: int | None = None) -> Rows:
    columns = tuple(ProbedColumn(name=n, empty_share=0, distinct_share=1) for n in names.split())
    told = Outcome(
        state=ProbeState.OK, rows=len(rows), columns=columns, glimpse=tuple(map(tuple, rows))
    )
    return rows_of(told, by)


def many(digest: str, *digests: str, rows: int = 900) -> Rows:
    columns = tuple(
        ProbedColumn(name=d, empty_share=0, distinct_share=1, digest=d) for d in digests
    )
    return rows_of(
        Outcome(
            state=ProbeState.OK,
            rows=rows,
            columns=columns,
            content_digest=digest,
            glimpse=(tuple(range(len(digests))),),
        )
    )


TWO = result("c t", ("USA", 1200.123), ("France", 900.5))


@pytest.mark.parametrize(
    ("left", "right", "kind"),
    [
        (TWO, result("money land", (900.5, "France"), (1200.123, "USA")), "same"),
        (TWO, result("c t", ("USA", 1200.1), ("France", 900.5)), "same"),  # rounded
        (TWO, result("t", (900.5,), (1200.123,)), "subset"),
        (TWO, result("t c n", (900.5, "France", 1), (1200.123, "USA", 7)), "subset"),
        (TWO, result("c t", ("USA", 900.5), ("France", 1200.123)), "differs"),  # the wrong rows
        (TWO, result("c t", ("USA", 1200.123)), "differs"),
        (result("p", (0.123,), (0.877,)), result("p", (12.3,), (87.7,)), "scaled"),
        (result("n", (3,)), result("n", (3.0,)), "same"),
        (result("n", (14,)), result("n", (13.7,)), "differs"),  # too few digits to be rounded
        (result("n", (10_000_001,)), result("n", (10_000_002,)), "differs"),
        (result("d", (date(2024, 1, 1),)), result("d", (datetime(2024, 1, 1),)), "same"),
        (result("d", (date(2024, 1, 1),)), result("d", (datetime(2024, 1, 1, 8),)), "differs"),
        (result("s", ("",)), result("s", (None,)), "same"),
        (result("s"), result("t n"), "same"),
        (result("n", (1,), (2,), by=0), result("n", (2,), (1,), by=0), "differs"),
        (result("n", (1,), (2,), by=0), result("n", (2,), (1,)), "same"),
        (many("a", "x", "y"), many("a", "y", "x"), "same"),
        (many("a", "x", "y"), many("b", "x"), "subset"),
        (many("a", "x", "y"), many("b", "x", "z"), "differs"),
    ],
)
def test_what_counts_as_the_same(left: Rows, right: Rows, kind: str) -> None:
    assert compare(left, right).kind == kind
    assert compare(right, left).kind == kind, "it does not matter which is which"


@pytest.mark.parametrize(
    ("left", "right", "told"),
    [
        (result("a", (46166,)), result("b", (13771,)), "13,771 instead of 46,166"),
        (
            result("c t", ("A", 2.5)),
            result("c t", ("B", 3.75)),
            "B instead of A, 3.75 instead of 2.50",
        ),
        (
            TWO,
            result("t c", (900.5, "France"), (1300, "USA")),
            "other numbers in 1 of 2 rows, most where USA is 1,300 instead of 1,200.12",
        ),
        (TWO, result("c t", ("USA", 1200.123)), "1 row instead of 2: France left out"),
        (
            result("m n", ("2020-02", 1)),
            result("m n", ("2020-01", 4), ("2020-02", 1)),
            "2 rows instead of 1: 2020-01 too",
        ),
        (
            TWO,
            result("c t", ("USA", 1200.123), ("Peru", 900.5)),
            "other rows: Peru too, France left out",
        ),
        (
            result("year t", (1996, 5.5), (1997, 6.5), (1998, 7)),
            result("month t", ("1996-01", 2.5)),
            "1 row by month instead of 3 rows by year",
        ),
        (
            result("n", (1,), (2,), by=0),
            result("n", (2,), (1,), by=0),
            "the same rows in another order",
        ),
        (TWO, result("c t"), "no rows instead of 2 rows"),
        (many("a", "x"), many("b", "y", rows=800), "800 rows instead of 900"),
        (many("a", "x"), many("b", "y"), "other values in 900 rows"),
        (TWO, TWO, ""),
    ],
)
def test_what_separates_two_is_told_with_numbers(left: Rows, right: Rows, told: str) -> None:
    assert describe_difference(left, right, compare(left, right)) == told
    assert bool(describe_difference(right, left, compare(right, left))) == bool(told)


CELLS = st.one_of(
    st.none(),
    st.integers(-50, 50),
    st.floats(-1e6, 1e6),
    st.sampled_from(["a", "b", "c"]),
    st.dates(date(2020, 1, 1), date(2020, 2, 1)),
)
COLUMNS = st.sampled_from(
    [st.integers(-50, 50), st.floats(-1e6, 1e6), st.sampled_from(["a", "b", "c"]), CELLS]
)


@st.composite
def tables(draw: st.DrawFn) -> list[list[Any]]:
    width, height = draw(st.integers(1, 4)), draw(st.integers(1, 7))
    kinds = [draw(COLUMNS) for _ in range(width)]
    return [[draw(kind) for kind in kinds] for _ in range(height)]


def named(rows: Sequence[Sequence[Any]]) -> Rows:
    return result(" ".join(f"c{n}" for n in range(len(rows[0]))), *rows)


@settings(max_examples=60, deadline=None)
@given(tables(), st.randoms(use_true_random=False))
def test_the_order_of_rows_and_columns_does_not_matter(rows: list[list[Any]], random: Any) -> None:
    order = list(range(len(rows[0])))
    random.shuffle(order)
    shuffled = [[row[n] for n in order] for row in rows]
    random.shuffle(shuffled)

    assert compare(named(rows), named(shuffled)).kind == "same"
    fewer = [row[:1] for row in shuffled]
    assert compare(named(rows), named(fewer)).kind in ("same", "subset")


@settings(max_examples=60, deadline=None)
@given(tables(), tables())
def test_it_does_not_matter_which_is_compared_with_which(
    left: list[list[Any]], right: list[list[Any]]
) -> None:
    ours, theirs = named(left), named(right)
    found, other = compare(ours, theirs), compare(theirs, ours)
    assert found.kind == other.kind
    assert bool(describe_difference(ours, theirs, found)) == bool(
        describe_difference(theirs, ours, other)
    )
