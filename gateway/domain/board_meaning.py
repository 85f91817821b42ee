"""What a run says beside the one before it: which number is watched, whether it means the same, and
what is told of that."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal, InvalidOperation

from gateway.domain.board import AlertKind, Number, Pin, Range, Result, Run, RunState

_DATE = re.compile(
    r"\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?"
)
_MONTH = re.compile(
    r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December|"
    r"Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec)\b\.?"
)
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Judged:
    """A run that ended, its pin after it, and what is to be told, in words."""

    run: Run
    pin: Pin
    alerts: tuple[tuple[AlertKind, str], ...]


def watched_number(numbers: tuple[Number, ...], wanted: Range | None) -> Number | None:
    """The number of an answer that a pin is about: its first, or the one that its range names."""
    asked = wanted or Range()
    found = [one for one in numbers if not asked.column or one.column == asked.column]
    at = max(asked.claim, 1) - 1
    return found[at] if at < len(found) else None


def side(number: Number | None, wanted: Range | None) -> int:
    """On which side of a range a number lies: -1 below, 1 above, 0 in it. A text that is no number
    lies nowhere."""
    if number is None or wanted is None:
        return 0
    try:
        value = Decimal(number.value)
    except InvalidOperation:
        return 0
    if not value.is_finite():
        return 0
    # As somebody wrote the limit: 0.1 is a tenth.
    if wanted.low is not None and value < Decimal(repr(wanted.low)):
        return -1
    return int(wanted.high is not None and value > Decimal(repr(wanted.high)))


def is_outside(number: Number | None, wanted: Range | None) -> bool:
    """Whether a number lies outside a range."""
    return side(number, wanted) != 0


def is_same_meaning(one: Result, other: Result) -> bool:
    """Whether two answers were computed alike. Dates in them may differ: "last month" is another
    one each month."""
    if one.statement_sha256 == other.statement_sha256 and one.understood == other.understood:
        return True
    same = _DATE.sub("DATE", one.statement) == _DATE.sub("DATE", other.statement)
    return same and _timeless(one.understood) == _timeless(other.understood)


def judge(
    run: Run, result: Result, at: datetime, pin: Pin, before: Run | None, base: Run | None
) -> Judged:
    """What a run that ended with `result` changes. `before` is the pin's answer before it, `base`
    the one whose meaning somebody last took for right, where it has changed since.

    An alert is told when it begins: not again while the pin is in it.
    """
    if result.reason:
        ended = replace(run, state=RunState.FAILED, ended_at=at, result=result)
        began = AlertKind.RUN_FAILED not in pin.alerting
        pin = replace(pin, alerting=pin.alerting | {AlertKind.RUN_FAILED})
        told = ((AlertKind.RUN_FAILED, f"{pin.title}: no answer: {result.failure}"),)
        return Judged(ended, pin, told if began else ())
    number = watched_number(result.numbers, pin.range)
    outside = is_outside(number, pin.range)
    changed = before is not None and not is_same_meaning(before.result, result)
    back = base is not None and is_same_meaning(base.result, result)
    ended = replace(
        run,
        state=RunState.ANSWERED,
        ended_at=at,
        result=result,
        number=number,
        meaning_changed=changed,
        out_of_range=outside,
    )
    alerts: list[tuple[AlertKind, str]] = []
    former = side(before.number, pin.range) if before is not None else 0
    crossed = AlertKind.OUT_OF_RANGE not in pin.alerting or former == -side(number, pin.range)
    if outside and crossed:
        alerts.append((AlertKind.OUT_OF_RANGE, f"{pin.title}: {_left(number, pin.range)}"))
    if changed and not back:
        words = f"{pin.title}: the question is computed differently than before."
        alerts.append((AlertKind.MEANING_CHANGED, words))
    standing = set(pin.alerting & {AlertKind.PAUSED})
    if outside:
        standing.add(AlertKind.OUT_OF_RANGE)
    if back:
        pin = replace(pin, changed="", before="")
    elif changed and before is not None:
        pin = replace(pin, changed=run.run_id, before=pin.before or before.run_id)
    if pin.changed:
        standing.add(AlertKind.MEANING_CHANGED)
    return Judged(ended, replace(pin, alerting=frozenset(standing)), tuple(alerts))


def in_sentences(*parts: str) -> str:
    """Messages one behind the other, each with its end. A beginning stays as it is: it may be the
    name of a file."""
    said = [" ".join(one.split()).rstrip(".") for one in parts if one.strip()]
    return " ".join(one if one.endswith(("!", "?")) else f"{one}." for one in said)


def watched_by(pin: Pin, wanted: Range | None, answer: Run | None) -> tuple[Pin, Run | None]:
    """A pin that watches another range, and its newest answer by that: whether this lies outside
    is no news."""
    outside = False
    if answer is not None:
        number = watched_number(answer.result.numbers, wanted)
        outside = is_outside(number, wanted)
        answer = replace(answer, number=number, out_of_range=outside)
    others = pin.alerting - {AlertKind.OUT_OF_RANGE}
    alerting = others | ({AlertKind.OUT_OF_RANGE} if outside else set())
    return replace(pin, range=wanted, alerting=alerting), answer


def accepted(pin: Pin) -> Pin:
    """A pin whose meaning is from now on what it has become."""
    return replace(pin, changed="", before="", alerting=pin.alerting - {AlertKind.MEANING_CHANGED})


def _left(number: Number | None, wanted: Range | None) -> str:
    if number is None or wanted is None:
        return "its number is out of range."
    text = f"{number.text} {number.unit}".strip()
    below = side(number, wanted) < 0
    limit = wanted.low if below else wanted.high
    return f"{text} is {'below' if below else 'above'} {limit:,.15g}."


def _timeless(words: str) -> str:
    return _DIGITS.sub("0", _MONTH.sub("MONTH", _DATE.sub("DATE", words)))
