"""What the measure of untidy data takes for right, for a doubt, and for wrong and sure."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

from bench.untidy.held import held
from bench.untidy.inputs import Asked, groups, value
from bench.untidy.judging import Reply, Verdict, holds, judged, same
from bench.untidy.keys import keys
from bench.untidy.layouts import layouts
from bench.untidy.times import times
from bench.untidy.values import values

BIG = 9007199254740993


def test_whole_numbers_are_held_exactly_and_codes_keep_their_zeros() -> None:
    assert same(BIG, BIG)
    assert same(str(BIG), BIG)
    assert not same(BIG - 1, BIG)
    assert not same(float(BIG), BIG)
    assert same("007", "007")
    assert not same("7", "007")
    assert not same(7, "007")


def test_numbers_may_be_rounded_and_shares_told_in_per_cent() -> None:
    assert same(Decimal("2.4542"), 2.45421)
    assert same(37.5, 0.375)
    assert not same(2.5, 2.4542)
    assert same(datetime(2025, 1, 1), date(2025, 1, 1))
    assert same(None, None)
    assert not same(0, None)


def test_rows_are_right_in_any_order_with_other_columns_beside_them() -> None:
    right = groups({"North": 34, "South": 10})

    assert holds([("South", 1, 10), ("North", 2, 34)], right)
    assert not holds([("South", 10), ("North", 35)], right)
    assert not holds([("South", 10), ("North", 34), ("Total", 44)], right)
    assert not holds([], right)


def test_a_wrong_number_is_worst_when_told_as_sure() -> None:
    asked = Asked("average age", (value(49.4),), doubt="may stand for")
    doubt = ("F08: 13 values are 999, which may stand for no value",)

    assert judged(asked, Reply(((49.4,),), confidence="likely")) is Verdict.RIGHT
    assert judged(asked, Reply(((152,),), confidence="likely", notes=doubt)) is Verdict.DOUBTED
    assert judged(asked, Reply(((152,),), confidence="sure", notes=doubt)) is Verdict.SURE
    assert judged(asked, Reply(((152,),), confidence="likely")) is Verdict.WRONG
    assert judged(asked, Reply(refused="asked: which?")) is Verdict.ASKED


def test_a_right_number_may_need_a_word_beside_it() -> None:
    asked = Asked("orders not from Paris", (value(4), value(2)), tell="empty")

    assert judged(asked, Reply(((2,),), confidence="sure", notes=("2 are empty",))) is Verdict.RIGHT
    assert judged(asked, Reply(((2,),), confidence="sure")) is Verdict.SURE


def test_every_kind_has_three_inputs_that_are_made_alike_each_time(tmp_path: Path) -> None:
    inputs = [*keys(), *layouts(), *times(), *values()]
    kinds = [one.kind for one in inputs]

    assert len(set(kinds)) == 16
    assert min(kinds.count(kind) for kind in set(kinds)) == 3
    assert len({(one.kind, one.name) for one in inputs}) == len(inputs)
    again = [*keys(), *layouts(), *times(), *values()]
    assert [one.files for one in again] == [one.files for one in inputs]
    assert all(one.laid(tmp_path).exists() for one in inputs)


def test_what_is_held_out_is_marked_and_named_once() -> None:
    names = [(one.kind, one.name) for one in held()]
    assert len(names) == len(set(names))
    assert all(one.held for one in held())
    assert all(asked.rights or asked.doubt for one in held() for asked in one.asked)
