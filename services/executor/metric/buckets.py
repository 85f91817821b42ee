"""Buckets of days that no period straddles: days, weeks, months, as numbers and as dates."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from services.executor.metric.arguments import Bucket, MetricRows

_WEEK = 7


@dataclass(frozen=True)
class Buckets:
    """How days are put together from `first` to `last`.

    `cuts` are the days at which a stretch begins: where a period begins, or has just ended. A week
    is seven days counted from such a day, a month is a calendar month as far as it lies in one
    stretch. So no bucket is of two periods, and the last of a stretch may be shorter. With
    `history` the first stretch lies before both periods, and its weeks are counted backwards.
    """

    kind: Bucket
    first: date
    last: date
    cuts: tuple[date, ...]
    history: bool = False

    @property
    def count(self) -> int:
        """How many buckets there are."""
        return len(self.starts())

    def starts(self) -> list[date]:
        """The first day of each, in order."""
        return sorted({self.start_of(day) for day in _days(self.first, self.last)})

    def within(self, first: date, last: date) -> int:
        """How many there are from one day to another."""
        return len({self.start_of(day) for day in _days(first, last)})

    def start_of(self, day: date) -> date:
        """The first day of the bucket that a day is in."""
        if self.kind == "day":
            return day
        cut = max((c for c in self.cuts if c <= day), default=self.first)
        if self.kind == "month":
            return max(day.replace(day=1), cut, self.first)
        if cut == self.first and self.history:
            back = -(-(self.cuts[1] - day).days // _WEEK)
            return max(self.cuts[1] - timedelta(days=back * _WEEK), self.first)
        return cut + timedelta(days=(day - cut).days // _WEEK * _WEEK)

    def number(self, day: str) -> str:
        """SQL of the number of the bucket of a row's day; rows of one bucket have one number."""
        if self.kind == "day":
            return f"date_diff('day', DATE '{self.first}', {day})"
        if self.kind == "month":
            return f"{self._stretch(day)} * 100000 + YEAR({day}) * 12 + MONTH({day})"
        cases = []
        for place in range(len(self.cuts) - 1, -1, -1):
            cut = self.cuts[place]
            weeks = f"date_diff('day', DATE '{cut}', {day}) // {_WEEK}"
            if place == 0 and self.history:
                days_back = f"date_diff('day', {day}, DATE '{self.cuts[1]}')"
                weeks = f"99999 - ({days_back} + {_WEEK - 1}) // {_WEEK}"
            cases.append(f"WHEN {day} >= DATE '{cut}' THEN {place * 100_000} + {weeks}")
        return f"CASE {' '.join(cases)} END"

    def _stretch(self, day: str) -> str:
        cases = [
            f"WHEN {day} >= DATE '{self.cuts[place]}' THEN {place}"
            for place in range(len(self.cuts) - 1, -1, -1)
        ]
        return f"CASE {' '.join(cases)} END"

    def by_number(self) -> dict[int, date]:
        """The first day of each bucket by its number, as `number` gives it."""
        return {self._number_of(day): self.start_of(day) for day in _days(self.first, self.last)}

    def _number_of(self, day: date) -> int:
        if self.kind == "day":
            return (day - self.first).days
        place = max((p for p, c in enumerate(self.cuts) if c <= day), default=0)
        if self.kind == "month":
            return place * 100_000 + day.year * 12 + day.month
        if place == 0 and self.history:
            return 99_999 - ((self.cuts[1] - day).days + _WEEK - 1) // _WEEK
        return place * 100_000 + (day - self.cuts[place]).days // _WEEK


def buckets_of(rows: MetricRows, kind: Bucket, first: date) -> Buckets:
    """The buckets from a first day to the later period's end."""
    marks = {rows.baseline.start, rows.baseline.after, rows.comparison.start, rows.comparison.after}
    cuts = tuple(sorted({first, *(mark for mark in marks if first < mark <= rows.last)}))
    return Buckets(kind, first, rows.last, cuts, history=first < rows.first)


def _days(first: date, last: date) -> list[date]:
    return [first + timedelta(days=number) for number in range((last - first).days + 1)]
