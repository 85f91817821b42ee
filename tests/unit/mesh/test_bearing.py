"""What is stated of cells is refused wherever the cells say otherwise: one story a kind."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from mesh.proof.assertions import Known, Span, Stated
from mesh.proof.named_cells import compared, finite
from mesh.proof.statements import statement_fault
from mesh.proof.wording import STATING
from tests.unit.mesh.told import HERE, SALES, Piece, fault, name, named, number, of

YEARS = pa.table(
    {
        "year": [1997, 1995, 1996, None],
        "revenue": [30.0, 10.0, 20.0, 5.0],
        "orders": [5, 9, None, 1],
    }
)


def test_every_kind_that_words_can_be_borne_by_is_held_against_cells() -> None:
    kinds = {kind for several in STATING.values() for kind in several}
    for kind in kinds | {"value", "count", "statistic", "conclusion"}:
        assert statement_fault(Stated(kind), Span("", 0, []), Known({}, {})) == "it names no cells"
    assert fault(of("champion", (0,)), name(0)) == "there is no kind of assertion 'champion'"


@pytest.mark.parametrize("kind", ["highest", "rose", "value", "first"])
def test_what_names_no_rows_states_nothing(kind: str) -> None:
    assert fault(of(kind), name(0), " led") == "it names no cells"


@pytest.mark.parametrize(
    ("value", "comparable"),
    [
        (1, True),
        (1.5, True),
        (Decimal("1.5"), True),
        (None, False),
        (True, False),
        ("1", False),
        (float("nan"), False),
        (float("inf"), False),
        (Decimal("nan"), False),
    ],
)
def test_only_finite_numbers_are_in_an_order(value: Any, comparable: bool) -> None:
    assert finite(value) is comparable


def test_rows_without_number_or_name_are_not_compared_unless_none_is_named() -> None:
    known = Known({}, {HERE: SALES, "nameless": SALES.set_column(0, "country", [[None] * 5])})
    assert compared(of("highest", (0,), by="country"), known) == {0: 30.0, 1: 20.0, 3: 10.0}
    everyone = {0: 30.0, 1: 20.0, 3: 10.0, 4: 99.0}
    assert compared(of("highest", (0,)), known) == everyone
    assert compared(replace(of("highest", (0,), by="country"), frame_digest="nameless"), known) == (
        everyone
    )


# --- extremes

EQUAL = pa.table({"country": ["USA", "Chile", "Peru"], "revenue": [7.0, 7.0, 1.0]})


def best(kind: str, *rows: int, **more: Any) -> Stated:
    return of(kind, rows, **{"by": "country", **more})


def test_the_highest_and_the_lowest_are_those_of_the_frame() -> None:
    for kind, row, other in (("highest", 0, 1), ("lowest", 3, 0)):
        told = (name(row), " at ", number(row))
        assert fault(best(kind, row), *told) is None
        assert fault(best(kind, other), name(other), " at ", number(other)) == (
            f"it is not {kind} in column 'revenue'"
        )
        assert fault(best(kind, row), name(other), " at ", number(row)) == (
            "it names another row than it is stated of"
        )
        assert fault(best(kind, row), name(row), " at ", number(other)) == (
            f"row {other} of column 'revenue' is another's number"
        )
        assert fault(best(kind, row), "it is ", number(row)) == "it does not name its rows"


def test_one_of_several_that_are_equal_is_not_the_highest_alone() -> None:
    orders = ("orders",)
    alone = replace(best("highest", 0), columns=orders)
    assert fault(alone, name(0)) == "4 rows are highest in column 'orders'"
    assert fault(best("highest_shared", 0, 1), name(0), name(1), here=EQUAL) is None
    shared = replace(best("highest_shared", 0, 1), columns=orders)
    assert fault(shared, name(0), " and ", name(1)) is None
    assert fault(replace(shared, kind="lowest_shared"), name(0)) is None
    assert fault(shared, name(0), " and ", name(3)) == "it names another row than it is stated of"
    assert fault(best("highest_shared", 0), name(0)) == (
        "one row alone is highest in column 'revenue'"
    )
    assert fault(best("lowest_shared", 0, 1), name(0)) == "it is not lowest in column 'revenue'"


CHANGES = pa.table({"country": ["USA", "Chile", "Peru"], "change": [5.0, 2.0, 1.0]})
LOSSES = pa.table({"country": ["USA", "Chile", "Peru"], "change": [-5.0, -2.0, -1.0]})
NOTHING = pa.table({"country": ["USA", "Chile"], "change": [0.0, 0.0]})


@pytest.mark.parametrize(
    ("kind", "row", "rows"),
    [
        ("rose_most", 0, CHANGES),
        ("rose_least", 2, CHANGES),
        ("fell_most", 0, LOSSES),
        ("fell_least", 2, LOSSES),
    ],
)
def test_what_changed_most_or_least_changed_that_way(kind: str, row: int, rows: pa.Table) -> None:
    stated = replace(best(kind, row), columns=("change",))
    assert fault(stated, name(row), here=rows) is None
    assert fault(replace(stated, rows=(1,)), name(1), here=rows) is not None
    turned = rows.set_column(1, "change", pa.array([-v for v in rows["change"].to_pylist()]))
    way = "highest" if kind in ("rose_most", "fell_least") else "lowest"
    opposite = {0: 2, 2: 0}[row]
    assert f"it is not {way}" in str(fault(stated, name(row), here=turned))
    assert fault(replace(stated, rows=(opposite,)), name(opposite), here=turned) == (
        "column 'change' changed the other way there"
    )


def test_an_extreme_of_no_numbers_is_none() -> None:
    empty = SALES.set_column(1, "revenue", pa.nulls(5, pa.float64()))
    assert fault(best("highest", 0), name(0), here=empty) == "it is not highest in column 'revenue'"


def test_what_is_not_a_change_has_no_way_to_be_wrong_about() -> None:
    below = replace(best("highest", 2), columns=("change",))
    assert fault(below, name(2), here=LOSSES) is None
    shared = replace(best("rose_most", 0, 1), columns=("change",))
    assert fault(shared, name(0), " and ", name(1), here=NOTHING) is None


def test_a_share_may_be_cited_from_a_frame_where_a_row_bears_the_same_name() -> None:
    shares = pa.table({"land": ["Germany", "USA"], "share": [0.3, 0.5]})
    told = (name(0), " at ", number(0), " and ")
    assert fault(best("highest", 0), *told, number(1, "share", "other"), other=shares) is None
    assert fault(best("highest", 0), *told, number(0, "share", "other"), other=shares) == (
        "row 0 of column 'share' is another's number"
    )
    both = (*told, number(1, "share", "other"), number(1))
    assert fault(best("highest", 0), *both, other=shares) == (
        "row 1 of column 'revenue' is another's number"
    )
    elsewhere = (name(0), " or ", name(1, "land", "other"))
    assert fault(best("highest", 0), *elsewhere, other=shares) == (
        "it names another row than it is stated of"
    )


def test_a_number_of_the_same_frame_is_another_rows_though_it_bears_the_same_name() -> None:
    twice = pa.table({"country": ["USA", "USA"], "revenue": [30.0, 20.0]})
    assert fault(best("highest", 0), name(0), number(1), here=twice) == (
        "row 1 of column 'revenue' is another's number"
    )


def test_a_column_that_is_named_is_one_that_is_stated_of() -> None:
    about = best("highest", 0)
    assert fault(about, named("revenue"), " of ", name(0)) is None
    assert fault(about, named("orders"), " of ", name(0)) == "it is about revenue, not 'orders'"
    assert fault(about, named("country"), " of ", name(0)) is None, "the column of names"
    assert fault(best("highest", 0, by=""), named("country"), name(0), here=SALES[:2]) is None
    assert fault(of("value", (0,)), named("revenue"), number(0)) is None
    assert fault(of("value", (0,), by="country"), named("country"), number(0)) is None
    assert fault(Stated("empty", HERE), "no ", named("revenue"), here=SALES[:0]) is None
    derived = best("highest", 0, of_column="orders")
    assert fault(derived, named("orders"), " of ", name(0)) is None, "what it was worked out from"


# --- order


def listing(*rows: int, up: bool = False) -> Stated:
    return of("following", rows, by="country", of_column="up" if up else "")


def test_those_that_follow_stand_in_their_order() -> None:
    assert fault(listing(0, 1, 3), name(0), name(1), name(3)) is None
    assert fault(listing(0, 1, 3), "followed by ", name(1), name(3)) is None
    assert fault(listing(3, 1, 0, up=True), name(3), name(1), name(0)) is None
    wrong = "this is not their order in column 'revenue'"
    assert fault(listing(1, 0, 3), name(1), name(0), name(3)) == wrong
    assert fault(listing(0, 1, 3, up=True), name(0), name(1), name(3)) == wrong
    assert fault(listing(0, 3), name(0), name(3)) == wrong, "Germany is passed over"
    assert fault(listing(3, 0, up=True), name(3), name(0)) == wrong
    unordered = "the rows are not named in their order"
    assert fault(listing(0, 1, 3), name(1), name(0), name(3)) == unordered
    assert fault(listing(0, 1, 3), name(0), name(1)) == unordered
    assert fault(listing(0, 1), "followed by others") == unordered
    assert fault(listing(0, 2), name(0), name(2)) == "a row of it has no number"
    assert fault(listing(0, 1), name(0), name(1), number(3)) == (
        "row 3 of column 'revenue' is another's number"
    )


def test_equal_numbers_follow_one_another_in_any_order() -> None:
    equal = replace(listing(1, 0), columns=("orders",))
    assert fault(equal, name(1), name(0)) is None


# --- directions


def moved(kind: str, rows: tuple[int, ...], *columns: str, **more: Any) -> Stated:
    return of(kind, rows, *columns, **more)


def test_a_number_rose_fell_or_stayed_from_its_first_cell_to_its_second() -> None:
    up = ("from ", number(1), " to ", number(0))
    down = ("from ", number(0), " to ", number(1))
    same = ("from ", number(0, "orders"), " to ", number(1, "orders"))
    assert fault(moved("rose", (1, 0)), *up) is None
    assert fault(moved("fell", (0, 1)), *down) is None
    assert fault(moved("unchanged", (0, 1), "orders"), *same) is None
    assert fault(moved("fell", (1, 0)), *up) == "the frame says 20.0 and then 30.0"
    assert fault(moved("rose", (0, 1)), *down) == "the frame says 30.0 and then 20.0"
    assert fault(moved("unchanged", (0, 1)), *down) == "the frame says 30.0 and then 20.0"
    assert fault(moved("rose", (0, 1), "orders"), *same) == "the frame says 3 and then 3"
    assert fault(moved("rose", (1, 2)), *up) == "the frame says 20.0 and then None"
    other = "its numbers are not those two, the earlier first"
    assert fault(moved("rose", (1, 0)), *down) == other
    assert fault(moved("rose", (1, 0)), "from ", number(1)) == other
    assert fault(moved("rose", (3, 1)), *up) == other
    assert fault(moved("rose", (1,)), *up) == "it names no two cells"
    assert fault(moved("rose", (1, 0, 0)), *up) == "it names no two cells"


def test_the_times_that_are_named_are_those_of_the_numbers() -> None:
    course = moved("rose", (1, 0), by="year")
    years: list[str | Piece] = [name(row, "year") for row in range(3)]
    told: list[str | Piece] = [number(1), " in ", years[1], " to ", number(0), " in ", years[0]]
    assert fault(course, *told, here=YEARS) is None
    assert fault(course, number(1), " to ", number(0), here=YEARS) is None
    turned: list[str | Piece] = [number(1), " in ", years[0], " to ", number(0), " in ", years[1]]
    assert fault(course, *turned, here=YEARS) == "its times are not those of its numbers"


def test_a_course_goes_from_the_first_time_to_the_last_unless_it_says_of_which() -> None:
    told: list[str | Piece] = ["from ", number(1), " to ", number(2)]
    part = moved("rose", (1, 2), by="year")
    assert fault(part, *told, here=YEARS) == "they are not the first and the last"
    assert fault(replace(part, of_column="chosen"), *told, here=YEARS) is None
    assert fault(replace(part, by=""), *told, here=YEARS) is None
    late: list[str | Piece] = ["from ", number(2), " to ", number(0)]
    assert fault(moved("rose", (2, 0), by="year"), *late, here=YEARS) == (
        "they are not the first and the last"
    )


def test_a_course_that_tells_its_growth_goes_from_the_first_time_to_the_last() -> None:
    grew = YEARS.append_column("change", pa.array([20.0, None, None, None]))
    grew = grew.append_column("growth", pa.array([2.0, None, None, None]))
    course = of("rose", (1, 0, 0, 0), "revenue", "revenue", "change", "growth", by="year")
    assert fault(course, number(1), " to ", number(0), here=grew) is None


GROWTH = pa.table(
    {
        "country": ["USA", "Peru"],
        "revenue in 1996": [10.0, 0.0],
        "revenue in 1997": [15.0, 5.0],
        "change": [5.0, 5.0],
        "growth": [0.5, None],
    }
)
PERIODS = ("revenue in 1996", "revenue in 1997", "change", "growth")


def grown(row: int = 0) -> Stated:
    return of("rose", (row,), *PERIODS)


def test_the_difference_and_the_growth_beside_two_numbers_are_theirs() -> None:
    two: list[str | Piece] = [number(0, PERIODS[0]), " to ", number(0, PERIODS[1])]
    all_of_it: list[str | Piece] = [*two, " by ", number(0, "change"), " or ", number(0, "growth")]
    assert fault(grown(), *two, here=GROWTH) is None
    assert fault(grown(), *all_of_it, here=GROWTH) is None
    assert fault(grown(), name(0), " from ", *two, here=GROWTH) is None, "it is one row's"
    for column, false, why in (
        ("change", 6.0, "its difference is another"),
        ("change", None, "its difference is another"),
        ("growth", 0.6, "its growth is another"),
        ("growth", -0.5, "its growth is another"),
    ):
        place = GROWTH.column_names.index(column)
        lying = GROWTH.set_column(place, column, pa.array([false, 1.0], pa.float64()))
        assert fault(grown(), *two, here=lying) == why
    third: list[str | Piece] = [*two, " by ", number(0, "growth")]
    assert fault(grown(), *third, here=GROWTH) == "its numbers are not those two, the earlier first"


def test_from_nothing_no_growth_is_told() -> None:
    two: list[str | Piece] = [number(1, PERIODS[0]), " to ", number(1, PERIODS[1])]
    assert fault(grown(1), *two, here=GROWTH) is None
    lying = GROWTH.set_column(4, "growth", pa.array([0.5, 1.0]))
    assert fault(grown(1), *two, here=lying) == "its growth is another"


def test_periods_are_named_in_the_order_of_their_numbers() -> None:
    two: list[str | Piece] = [number(0, PERIODS[0]), " to ", number(0, PERIODS[1])]
    periods: list[str | Piece] = [named("1996"), " and ", named("1997")]
    assert fault(grown(), *two, *periods, here=GROWTH) is None
    assert fault(grown(), *two, *periods[::-1], here=GROWTH) == (
        "its times are not those of its numbers"
    )
    assert fault(grown(), named("revenue"), *two, *periods, here=GROWTH) is None
    alone = of("rose", (0,), *PERIODS[:2])
    assert fault(alone, *two, *periods, here=GROWTH) is None
    assert fault(alone, *two, *periods[::-1], here=GROWTH) == (
        "its times are not those of its numbers"
    )


# --- times


def test_the_first_and_the_last_are_those_of_their_time() -> None:
    for kind, row, other in (("first", 1, 0), ("last", 0, 1)):
        stated = of(kind, (row,), by="year")
        told: list[str | Piece] = [name(row, "year"), " at ", number(row)]
        assert fault(stated, *told, here=YEARS) is None
        assert fault(replace(stated, rows=(other,)), *told, here=YEARS) == f"it is not the {kind}"
        assert fault(replace(stated, rows=(row, other)), *told, here=YEARS) == (
            f"it is not the {kind}"
        )
        assert fault(stated, "at ", number(row), here=YEARS) == "it does not name its rows"
        assert fault(stated, *told, number(2), here=YEARS) == (
            "row 2 of column 'revenue' is another's number"
        )


def test_a_time_without_a_number_is_neither_first_nor_last() -> None:
    stated = of("last", (0,), "orders", by="year")
    assert fault(stated, name(0, "year"), here=YEARS) is None
    ended = YEARS.set_column(0, "year", pa.array([1996, 1995, 1997, None]))
    assert fault(stated, name(0, "year"), here=ended) is None
