"""Values, totals, shares and lists are those of their cells, or are refused: one story a kind."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pyarrow as pa
import pytest

from mesh.proof.assertions import Stated
from tests.unit.mesh.told import HERE, SALES, Piece, fault, name, named, number, of

# --- all rows


def test_several_that_are_the_same_are_all_the_same() -> None:
    stated = of("same", (0,), "orders", by="country")
    assert fault(stated, number(0, "orders"), " throughout") is None
    assert fault(of("same", (0,), by="country"), number(0)) == (
        "column 'revenue' holds several numbers"
    )
    assert fault(stated, number(0, "orders"), here=SALES[:1]) is None
    empty = SALES.set_column(2, "orders", pa.nulls(5, pa.int64()))
    assert fault(stated, "throughout", here=empty) == "column 'orders' holds several numbers"
    assert fault(stated, number(1, "orders")) == "row 1 of column 'orders' is another's number"


def test_there_are_no_numbers_only_where_there_are_none() -> None:
    nothing = pa.table({"revenue": pa.nulls(2, pa.float64()), "country": ["USA", "Peru"]})
    assert fault(of("none", (), "revenue"), "no revenue", here=nothing) is None
    assert fault(of("none", (), "revenue", "country"), "none", here=nothing) is None
    assert fault(of("none", (), "revenue"), "no revenue") == "column 'revenue' holds numbers"
    assert fault(Stated("none", HERE), "no revenue", here=nothing) == "it names no column"


def test_nothing_matches_only_where_there_are_no_rows() -> None:
    assert fault(Stated("empty", HERE), "nothing", here=SALES[:0]) is None
    assert fault(Stated("empty", HERE), "nothing") == "the frame has 5 rows"
    assert fault(Stated("too_long", HERE), "too long") is None
    assert fault(Stated("too_long", HERE), "too long", here=SALES[:0]) == "the frame has no row"


def test_the_rows_that_are_listed_are_the_first_and_others_are_told_of() -> None:
    several: list[str | Piece] = [name(0), ", ", name(1)]
    first = of("listed", (0, 1))
    assert fault(first, *several, " and others") is None
    assert fault(first, *several) == "there are others"
    assert fault(first, *several, here=SALES[:2]) is None
    assert fault(first, *several, " and others", here=SALES[:2]) == "there are others"
    assert fault(Stated("listed", HERE), "others") is None
    assert fault(of("listed", (1, 0)), name(1), name(0), " and others") == (
        "these are not its first rows"
    )
    assert fault(of("listed", (1, 2)), name(1), name(3), " and others") == (
        "these are not its first rows"
    )
    assert fault(of("listed", (0,)), *several, " and others") == "these are not its first rows"


# --- values


def test_a_value_is_its_cells_and_nobody_elses() -> None:
    assert fault(of("value", (0,)), name(0), " at ", number(0)) is None
    assert fault(of("value", (0,)), name(0), " at ", number(1)) == "its numbers are other cells"
    assert fault(of("value", (0,)), name(0)) == "its numbers are other cells"
    assert fault(of("value", (0,)), name(0), number(0), number(0)) == "its numbers are other cells"
    assert fault(of("value", (0,)), name(1), " at ", number(0)) == "it names another row"
    assert fault(of("value", (0, 1)), number(1), number(0)) == "its numbers are other cells"
    other = {"other": pa.table({"land": ["Germany", "USA"]})}
    assert fault(of("value", (0,)), name(1, "land", "other"), number(0), **other) is None


BEHIND = {"behind": pa.table({"revenue": [1.0, 2.0, None, 4.0, float("nan")]})}


def about(column: str, *values: float) -> dict[str, pa.Table]:
    """A frame of one row with what was worked out from the one behind it."""
    names = [column] if len(values) == 1 else [f"{column}{n}" for n in range(len(values))]
    return {HERE: pa.table({name: [value] for name, value in zip(names, values, strict=True)})}


def worked_out(kind: str, *columns: str, column: str = "revenue") -> Stated:
    return of(kind, (0,), *columns, of_digest="behind", of_column=column)


def cited(*columns: str) -> list[str | Piece]:
    return [part for column in columns for part in (number(0, column), " ")]


def test_a_total_is_the_sum_of_the_column_behind_it() -> None:
    behind = {"behind": pa.table({"revenue": [1.0, 2.0, None, 4.0], "month": ["a", "b", "c", "d"]})}
    stated = worked_out("total", "total")
    assert fault(stated, *cited("total"), **about("total", 7.0), **behind) is None
    assert fault(stated, *cited("total"), **about("total", 7.000001), **behind) is None
    for false in (7.001, 6.0, 0.0):
        assert fault(stated, *cited("total"), **about("total", false), **behind) == (
            "column 'revenue' adds up to another number"
        )
    assert fault(stated, "a total", **about("total", 7.0), **behind) == (
        "its numbers are other cells"
    )


def test_a_total_of_what_is_no_number_is_none_either() -> None:
    stated = worked_out("total", "total")
    odd = {"behind": pa.table({"revenue": [1.0, float("nan")]})}
    assert fault(stated, *cited("total"), **about("total", float("nan")), **odd) is None
    another = "column 'revenue' adds up to another number"
    assert fault(stated, *cited("total"), **about("total", 1.0), **odd) == another
    even = {"behind": pa.table({"revenue": [0.1, 0.2, -0.3]})}
    assert fault(stated, *cited("total"), **about("total", 0.0), **even) is None
    assert fault(stated, *cited("total"), **about("total", float("inf")), **even) == another
    missing = {HERE: pa.table({"total": pa.nulls(1, pa.float64())})}
    assert fault(stated, *cited("total"), **missing, **even) == another


def test_a_count_is_that_of_the_rows_behind_it() -> None:
    stated = worked_out("count", "rows")
    assert fault(stated, *cited("rows"), **about("rows", 5), **BEHIND) is None
    assert fault(stated, *cited("rows"), **about("rows", 4), **BEHIND) == "the frame has 5 rows"
    assert fault(stated, "several", **about("rows", 5), **BEHIND) == "its numbers are other cells"


def test_a_range_has_the_smallest_and_the_largest_for_its_ends() -> None:
    two = ("end0", "end1")
    stated = worked_out("range", *two)
    assert fault(stated, *cited(*two), **about("end", 1.0, 4.0), **BEHIND) is None
    assert fault(stated, *cited(*two), **about("end", 4.0, 1.0), **BEHIND) == (
        "they are not the ends"
    )
    assert fault(stated, *cited(*two), **about("end", 1.0, 2.0), **BEHIND) == (
        "they are not the ends"
    )
    assert fault(stated, *cited(*two[::-1]), **about("end", 1.0, 4.0), **BEHIND) == (
        "its numbers are other cells"
    )
    none = {"behind": pa.table({"revenue": pa.nulls(2, pa.float64())})}
    assert fault(stated, *cited(*two), **about("end", 1.0, 4.0), **none) == "they are not the ends"
    own = of("range", (3, 4))
    assert fault(own, number(3), " to ", number(4)) is None
    assert fault(of("range", (3, 0)), number(3), " to ", number(0)) == "they are not the ends"


def test_quartiles_part_the_numbers_behind_them() -> None:
    columns = ("part0", "part1", "part2")
    stated = worked_out("quartiles", *columns)
    behind = {"behind": pa.table({"revenue": [*map(float, range(1, 102)), None, float("nan")]})}
    assert fault(stated, *cited(*columns), **about("part", 51.0, 26.0, 76.0), **behind) is None
    for false in (
        (48.0, 26.0, 76.0),
        (54.0, 26.0, 76.0),
        (51.0, 23.0, 76.0),
        (51.0, 29.0, 76.0),
        (51.0, 26.0, 73.0),
        (51.0, 26.0, 79.0),
        (51.0, 76.0, 26.0),
    ):
        assert fault(stated, *cited(*columns), **about("part", *false), **behind) == (
            "they do not part the numbers so"
        )
    assert fault(stated, *cited("part0"), **about("part", 51.0, 26.0, 76.0), **behind) == (
        "its numbers are other cells"
    )


def test_a_quartile_may_be_any_number_between_the_two_beside_it() -> None:
    columns = ("part0", "part1", "part2")
    stated = worked_out("quartiles", *columns)
    four = {"behind": pa.table({"revenue": [1.0, 2.0, 3.0, 4.0]})}
    for low in ((1.0, 0.5, 2.0), (4.0, 3.0, 9.0)):
        assert fault(stated, *cited(*columns), **about("part", *low), **four) is None
    for false in ((0.5, 0.5, 2.0), (4.5, 3.0, 9.0), (2.0, 3.5, 3.0), (2.0, 2.0, 1.5)):
        assert fault(stated, *cited(*columns), **about("part", *false), **four) is not None
    with pytest.raises(ValueError):
        fault(replace(stated, columns=columns[:2]), **about("part", 2.0, 1.0, 3.0), **four)


def test_a_share_of_several_together_is_the_last_of_those_that_add_up() -> None:
    shares = pa.table({"country": ["USA", "Peru"], "so far": [0.6, 0.8]})
    together = of("together", (1,), "so far")
    assert fault(together, number(1, "so far"), here=shares) is None
    false = replace(together, rows=(0,))
    assert fault(false, number(0, "so far"), here=shares) == "it is not the share of all of them"
    assert fault(together, number(0, "so far"), here=shares) == "its numbers are other cells"
    empty = shares.set_column(1, "so far", pa.nulls(2, pa.float64()))
    assert fault(together, "together", here=empty) == "it is not the share of all of them"


def related(value: float, words: str, *parts: str | Piece, what: str = "pearson") -> str | None:
    frame = pa.table({"column": ["age and fare"], "statistic": [what], "value": [value]})
    stated = of("related", (0,), "value")
    return fault(stated, words, number(0, "value"), *parts, here=frame)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0.0, "are hardly related "),
        (-0.0999, "are hardly related "),
        (0.1, "they rise weakly "),
        (-0.1, "move weakly against "),
        (0.2999, "they rise weakly "),
        (0.3, "they rise moderately "),
        (-0.4999, "move moderately against "),
        (0.5, "they rise strongly "),
        (-0.9, "move strongly against "),
    ],
)
def test_how_closely_two_numbers_go_together_is_said_by_one_scale(value: float, words: str) -> None:
    assert related(value, words) is None
    scale = [
        "hardly related",
        "rise weakly",
        "rise moderately",
        "rise strongly",
        "move weakly against",
        "move moderately against",
        "move strongly against",
    ]
    for other in scale:
        if other not in words:
            assert related(value, f"they {other} ") == f"the correlation is {value:.3g}"


def test_a_correlation_is_of_the_columns_that_are_named() -> None:
    words = "they rise weakly "
    assert related(0.2, words, named("age"), named("fare")) is None
    assert related(0.2, words, named("fare and age")) is None
    assert related(0.2, words, named("age"), named("cabin")) == (
        "the correlation is of other columns"
    )
    assert related(0.2, words, what="spearman") == "it is no correlation"
    assert related(0.2, words, number(0, "value")) == "its numbers are other cells"


def test_so_many_of_so_many_are_that_part_of_them() -> None:
    columns = ("n0", "n1", "n2")
    stated = of("part", (0,), *columns)
    assert fault(stated, *cited(*columns), **about("n", 3, 4, 0.75)) is None
    assert fault(stated, *cited(*columns), **about("n", 4, 4, 1.0)) is None
    assert fault(stated, *cited(*columns), **about("n", 0, 4, 0.0)) is None
    assert fault(stated, *cited(*columns), **about("n", 0, 0, 0.0)) is None
    for false in ((3, 4, 0.7), (5, 4, 1.25), (-1, 4, -0.25), (4, 3, 0.75), (1, 0, 0.0)):
        assert fault(stated, *cited(*columns), **about("n", *false)) == "that is another part"
    assert fault(stated, *cited(*columns[:2]), **about("n", 3, 4, 0.75)) == (
        "its numbers are other cells"
    )


def test_the_shares_of_a_curve_stand_beside_their_ages() -> None:
    curve = pa.table({"age": [0, 1], "share": [1.0, 0.5]})
    stated = of("curve", (0, 1), "share", "age")
    pairs: list[str | Piece] = [
        number(0, "share"),
        number(0, "age"),
        number(1, "share"),
        number(1, "age"),
    ]
    assert fault(stated, *pairs, here=curve) is None
    turned: list[str | Piece] = [pairs[0], pairs[3], pairs[2], pairs[1]]
    assert fault(stated, *turned, here=curve) == "its numbers are of other ages"
    assert fault(stated, *pairs[:2], here=curve) == "its numbers are of other ages"


def test_what_is_stated_of_dates_is_in_no_order() -> None:
    days = pa.table({"country": ["USA"], "day": [date(1997, 5, 1)]})
    assert "it is not highest" in str(fault(of("highest", (0,), "day"), name(0), here=days))


TESTED = pa.table(
    {
        "about": ["fare", "", "Ada", "fare", "", ""],
        "column": ["fare", "", "", "fare", "fare", ""],
        "statistic": ["mean", "conclusion", "outlier", "missing", "nulls", "rows"],
        "value": [3.0, None, 9.0, 2.0, 2.0, 2.0],
        "text": ["", "fares differ", "", "", "", ""],
    }
)


@pytest.mark.parametrize(
    ("kind", "rows", "parts"),
    [
        ("statistic", (0,), [name(0, "statistic"), " ", number(0, "value")]),
        ("conclusion", (1,), [name(1, "text")]),
        ("farthest", (2,), [name(2, "about"), " ", number(2, "value")]),
        ("lacking", (3, 5), [number(3, "value"), name(3, "about"), number(5, "value")]),
        ("missing_most", (4,), [named("fare"), " (", number(4, "value"), ")"]),
        ("profile", (0,), [named("fare"), " mean ", number(0, "value")]),
    ],
)
def test_what_tells_its_columns_in_cells_may_name_them(
    kind: str, rows: tuple[int, ...], parts: list[str | Piece]
) -> None:
    """The column of the assertion is `value`; the words name the one that the cell is about."""
    stated = of(kind, rows, "value")
    assert fault(stated, *parts, " of ", named("fare"), here=TESTED) is None
    assert fault(replace(stated, kind="value"), *parts, named("fare"), here=TESTED) is not None
