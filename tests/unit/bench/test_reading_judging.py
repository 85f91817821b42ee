"""When an answer's rows count as right, and when they do not."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest

from bench.reading.canonical import canonical, same
from bench.reading.judging import Judgement, Truth, canonical_rows, drawn_truth, judged
from bench.reading.protocol import Drawn, Rows

Table = list[tuple[Any, ...]]


def answer(*rows: tuple[Any, ...], chart: Drawn | None = None) -> Rows:
    wide = len(rows[0]) if rows else 1
    return Rows([f"c{n}" for n in range(wide)], rows, chart=chart)


def truth(*rows: tuple[Any, ...], ranks: tuple[int, ...] | None = None) -> list[Truth]:
    return [Truth(canonical_rows(rows), ranks)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, Decimal("1.00")),
        ("93191", 93191),
        (0.3333, 1 / 3),
        (None, ""),
        (float("nan"), None),
        ("New  York ", "new york"),
        (datetime(2024, 3, 4), "2024-03-04"),
        (datetime(2024, 3, 4, 12, 30), "2024-03-04T12:30"),
        (True, 1),
        ("False", 0),
        (date(2024, 3, 1), "2024-03"),
        (date(2024, 1, 1), 2024),
        ("March", "mar"),
        (22.0, 22.01),
    ],
)
def test_cells_that_say_the_same_are_the_same(one: Any, other: Any) -> None:
    assert same(canonical(one), canonical(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (2015, 2016),
        (0.333, 0.34),
        ("", 0),
        ("2024-03-04", "2024-03-05"),
        ("a", "b"),
        (0, 0.001),
        (datetime(2024, 3, 4, 12), "2024-03-04"),
    ],
)
def test_cells_that_differ_do_not(one: Any, other: Any) -> None:
    assert not same(canonical(one), canonical(other))


def test_rows_may_come_in_any_order_and_so_may_columns() -> None:
    got = answer((3, "bus"), (1, "car"))
    assert judged(got, truth(("car", 1), ("bus", 3))) is Judgement.RIGHT


def test_rows_count_as_often_as_they_are_there() -> None:
    assert judged(answer(("a",), ("b",), ("b",)), truth(("a",), ("a",), ("b",))) is Judgement.WRONG


def test_where_order_matters_the_other_way_round_is_wrong() -> None:
    wanted = truth(("a", 3), ("b", 2), ("c", 1), ranks=(0, 1, 2))
    assert judged(answer(("a", 3), ("b", 2), ("c", 1)), wanted) is Judgement.RIGHT
    assert judged(answer(("c", 1), ("b", 2), ("a", 3)), wanted) is Judgement.WRONG


def test_ties_may_come_in_any_order() -> None:
    wanted = truth(("a",), ("b",), ("c",), ranks=(0, 0, 1))
    assert judged(answer(("b",), ("a",), ("c",)), wanted) is Judgement.RIGHT
    assert judged(answer(("a",), ("c",), ("b",)), wanted) is Judgement.WRONG


def test_more_columns_are_harmless_fewer_are_wrong() -> None:
    assert judged(answer(("Ann", 7), ("Bob", 5)), truth(("Ann",), ("Bob",))) is Judgement.EXTRA
    assert judged(answer(("Ann",), ("Bob",)), truth(("Ann", 7), ("Bob", 5))) is Judgement.WRONG


def test_columns_are_right_only_together() -> None:
    """Each column alone holds the right values, but paired wrongly."""
    assert judged(answer(("a", 2), ("b", 1)), truth(("a", 1), ("b", 2))) is Judgement.WRONG


def test_more_rows_are_wrong_and_nothing_is_right_where_nothing_is_meant() -> None:
    assert judged(answer((1,), (2,)), truth((1,))) is Judgement.WRONG
    assert judged(answer(), truth()) is Judgement.RIGHT
    assert judged(None, truth()) is Judgement.WRONG


def test_an_answer_cut_at_its_bound_is_not_right() -> None:
    assert judged(Rows(["n"], [(1,)], cut=True), truth((1,))) is Judgement.WRONG


def test_the_best_of_several_truths_counts() -> None:
    wanted = [*truth(("Ann", 7)), *truth(("Ann",))]
    assert judged(answer(("Ann",)), wanted) is Judgement.RIGHT


def test_numbers_near_each_other_are_paired_whatever_their_order() -> None:
    got = answer((1.0004, 5.0), (1.0, 6.0))
    assert judged(got, truth((1.0, 5.0), (1.0003, 6.0))) is Judgement.RIGHT


BY_CITY = [drawn_truth([("Rome", 3, None), ("Oslo", 1, None)])]


def test_a_chart_is_judged_by_its_axes() -> None:
    got = answer(("Rome", 3), ("Oslo", 1))
    assert judged(got, BY_CITY, Drawn("Bar", "c0", "c1")) is Judgement.RIGHT
    assert judged(got, BY_CITY, Drawn("Bar", "c1", "c0")) is Judgement.SWAPPED
    assert judged(got, BY_CITY) is Judgement.RIGHT


def test_a_chart_that_draws_another_column_has_the_right_one_among_its_rows() -> None:
    got = answer(("Rome", 9.5, 3), ("Oslo", 8, 1))
    assert judged(got, BY_CITY, Drawn("Bar", "c0", "c1")) is Judgement.EXTRA
    assert judged(got, BY_CITY, Drawn("Bar", "c0", "c2")) is Judgement.RIGHT


def test_zeros_only_fill_a_stack() -> None:
    wanted = [drawn_truth([("Rome", 3, "bus"), ("Rome", 0, "car"), ("Oslo", 1, "car")])]
    got = answer(("Rome", 3, "bus"), ("Oslo", 1, "car"), ("Oslo", 0, "bus"))
    assert judged(got, wanted, Drawn("Stacked Bar", "c0", "c1", "c2")) is Judgement.RIGHT
    assert judged(got, wanted, Drawn("Bar", "c0", "c1")) is not Judgement.RIGHT


def test_a_candidate_says_itself_what_it_draws() -> None:
    got = answer((1, "Rome", 3), (2, "Oslo", 1), chart=Drawn("Bar", "c1", "c2"))
    assert judged(got, BY_CITY) is Judgement.RIGHT


TESTED = Rows(
    ["about", "statistic", "value", "text"],
    [("a", "mean", 4.5, None), ("b", "mean", 6.0, None), ("a", "sd", 1.25, None)],
    statistics=True,
)


def test_a_statistic_is_right_among_the_others_of_a_test() -> None:
    assert judged(TESTED, truth((1.25,))) is Judgement.EXTRA
    assert judged(TESTED, truth((1.35,))) is Judgement.WRONG
    assert judged(TESTED, truth(("b", 6), ("a", 4.5))) is Judgement.EXTRA
    assert judged(TESTED, truth(("a", 6), ("b", 4.5))) is Judgement.WRONG


def test_a_day_is_right_where_the_truth_has_a_moment_of_it() -> None:
    moment = truth((datetime(2024, 3, 4, 12, 30), 7))
    assert judged(answer((date(2024, 3, 4), 7)), moment) is Judgement.RIGHT
    assert judged(answer((date(2024, 3, 5), 7)), moment) is Judgement.WRONG
    assert judged(answer((datetime(2024, 3, 4, 13, 30), 7)), moment) is Judgement.WRONG


def test_the_truth_of_a_chart_tells_days_where_the_data_has_moments() -> None:
    moments = answer((datetime(2024, 3, 4, 12, 30), 7))
    assert judged(moments, [drawn_truth([("2024-03-04", 7, None)])]) is Judgement.RIGHT
    assert judged(moments, truth(("2024-03-04", 7))) is Judgement.WRONG
