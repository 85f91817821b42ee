"""What a run says beside the one before it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from gateway.domain.board import AlertKind, Number, Pin, Range, Result, Run, RunState
from gateway.domain.board_meaning import (
    Judged,
    accepted,
    is_outside,
    is_same_meaning,
    judge,
    watched_by,
    watched_number,
)

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
ONE, TWO = Number("10", "10", "", "n"), Number("0.1", "0.1", "EUR", "mean")
PIN = Pin("p" * 32, "b" * 32, "ann", "Sales", "how many?", "{}", "", False, "ann", NOON, "j" * 32)
SOLD = Result(
    headline="10 were sold.",
    numbers=(ONE, TWO),
    understood="number of sales · in October 2026",
    statement="SELECT count(*) FROM sales WHERE day >= CAST('2026-10-01' AS DATE)",
    statement_sha256="a" * 64,
)
GONE = Result(reason="SOURCE_NOT_FOUND", failure="It is gone.")


def told(pin: Pin, result: Result, before: Run | None = None, base: Run | None = None) -> Judged:
    at = NOON if before is None else before.due_at + timedelta(hours=1)
    run = Run(f"{at.timestamp():032.0f}", "j" * 32, pin.pin_id, pin.board_id, at)
    return judge(run, result, at, pin, before, base)


def test_the_number_is_the_first_or_the_one_that_is_named() -> None:
    assert watched_number((ONE, TWO), None) == ONE
    assert watched_number((ONE, TWO), Range("mean")) == TWO
    assert watched_number((ONE, TWO), Range(claim=2)) == TWO
    assert watched_number((ONE, TWO), Range("mean", claim=2)) is None
    assert watched_number((), Range()) is None


@pytest.mark.parametrize(
    ("value", "outside"),
    [
        ("0.1", False),
        ("0.09999999999999999999", True),
        ("0.3", False),
        ("0.30000001", True),
        ("2026-01-01", False),
        ("NaN", False),
        ("-1e400", True),
    ],
)
def test_a_range_is_exact_and_its_ends_lie_in_it(value: str, outside: bool) -> None:
    number = Number(value, value, "", "n")
    assert is_outside(number, Range(low=0.1, high=0.3)) is outside
    assert not is_outside(number, None) and not is_outside(None, Range(low=1.0))


def test_dates_that_go_with_the_time_of_asking_change_no_meaning() -> None:
    later = replace(
        SOLD,
        understood="number of sales · in November 2026",
        statement=SOLD.statement.replace("2026-10-01", "2026-11-01"),
        statement_sha256="b" * 64,
    )
    assert is_same_meaning(SOLD, later)
    other = replace(later, statement=later.statement.replace("count(*)", "sum(n)"))
    assert not is_same_meaning(SOLD, other)
    assert not is_same_meaning(SOLD, replace(later, understood="number of returns"))


def test_an_alert_is_told_when_it_begins_and_again_once_it_was_over() -> None:
    pin = replace(PIN, range=Range(high=12.0))
    first = told(pin, SOLD)
    assert (first.run.state, first.run.number, first.alerts) == (RunState.ANSWERED, ONE, ())
    high = replace(SOLD, numbers=(Number("13", "13", "EUR", "n"),))
    second = told(first.pin, high, first.run)
    assert second.alerts == ((AlertKind.OUT_OF_RANGE, "Sales: 13 EUR is above 12."),)
    third = told(second.pin, high, second.run)
    assert third.alerts == () and third.run.out_of_range
    assert third.pin.alerting == {AlertKind.OUT_OF_RANGE}
    wide = replace(third.pin, range=Range(low=5.0, high=12.0))
    low = replace(SOLD, numbers=(Number("4", "4", "EUR", "n"),))
    other = told(wide, low, third.run)
    assert [words for _, words in other.alerts] == ["Sales: 4 EUR is below 5."]
    assert told(other.pin, low, other.run).alerts == ()
    fourth = told(third.pin, SOLD, third.run)
    assert fourth.pin.alerting == frozenset()
    assert told(fourth.pin, high, fourth.run).alerts != ()


def test_a_failure_is_told_once_and_says_nothing_of_the_number() -> None:
    pin = replace(PIN, range=Range(high=1.0), alerting=frozenset({AlertKind.OUT_OF_RANGE}))
    first = told(pin, GONE)
    assert first.alerts == ((AlertKind.RUN_FAILED, "Sales: no answer: It is gone."),)
    assert first.pin.alerting == {AlertKind.OUT_OF_RANGE, AlertKind.RUN_FAILED}
    assert told(first.pin, GONE).alerts == ()
    assert told(first.pin, SOLD).pin.alerting == {AlertKind.OUT_OF_RANGE}


def test_another_meaning_stands_until_somebody_accepts_it_or_it_is_as_it_was() -> None:
    first = told(PIN, SOLD).run
    other = replace(SOLD, statement="SELECT sum(n) FROM sales", statement_sha256="c" * 64)
    second = told(PIN, other, first)
    assert [kind for kind, _ in second.alerts] == [AlertKind.MEANING_CHANGED]
    assert (second.pin.before, second.pin.changed) == (first.run_id, second.run.run_id)
    third = told(second.pin, other, second.run, first)
    assert third.alerts == () and third.pin.alerting == {AlertKind.MEANING_CHANGED}
    back = told(third.pin, SOLD, third.run, first)
    assert back.run.meaning_changed and back.alerts == ()
    assert (back.pin.changed, back.pin.alerting) == ("", frozenset())
    assert accepted(third.pin).alerting == frozenset()
    assert told(accepted(third.pin), other, third.run).pin.alerting == frozenset()


def test_another_range_is_judged_by_the_newest_answer_and_is_no_news() -> None:
    answer = told(PIN, SOLD).run
    narrow, outside = watched_by(PIN, Range(low=11.0), answer)
    assert narrow.alerting == {AlertKind.OUT_OF_RANGE}
    assert outside is not None and outside.out_of_range
    free, inside = watched_by(narrow, None, outside)
    assert free.alerting == frozenset() and inside is not None and not inside.out_of_range
    assert watched_by(PIN, Range(low=11.0), None)[1] is None
