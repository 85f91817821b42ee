"""A number stands beside the time of its own row, in whatever way that is called."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mesh.prose.clauses import BoundValue, Clause
from mesh.prose.failures import Failure, FailureCode
from mesh.prose.number_words import SMALL
from mesh.prose.times import Time, mentioned, time_of

_BESIDE = re.compile(
    r"\s*\)?\s*(?:(?!than|as|from|to|since|until|against|compared)[a-z]+\s+)?(?:in|for|during|of|on)\s+(?:the\s+)?$",
    re.I,
)
_APART = re.compile(
    r"\b(?P<count>a|one|two|three|four|five|six|ten|the)\s+(?P<unit>year|quarter|month)s?\s+"
    r"(?:earlier|before|later|after|on\b|previous)|\bthe (?:previous|following|next|preceding) "
    r"(?P<alone>year|quarter|month)\b",
    re.IGNORECASE,
)
_SET_AGAINST = re.compile(
    r"\b(?:as|since|until|till|before|after|like|unlike|against|compared (?:with|to)) "
    r"(?:in |the |early |late )*$",
    re.IGNORECASE,
)
_MONTHS_OF = {"year": 12, "quarter": 3, "month": 1}


def find_wrong_times(clause: Clause) -> Iterator[Failure]:
    """Numbers whose clause mentions another time than that of their row."""
    times = [(one, time) for one in clause.values if (time := _own(one)) is not None]
    told = list(mentioned(clause.prose))
    yield from _another(clause, times, told)
    if not times:
        return
    yield from _beside(clause, times, told)
    yield from _apart(clause, times)


def _own(one: BoundValue) -> Time | None:
    """The time of the rows that a binding picks, if it is one."""
    found = {time_of(cell) for cell in one.value.picked}
    return found.pop() if len(found) == 1 else None


def _each(clause: Clause) -> Iterator[tuple[BoundValue, Time]]:
    """The times of cells, and of both sides of a comparison."""
    for one in clause.values:
        if one.value.cell is not None or one.value.sign or one.value.pair:
            for cell in one.value.picked:
                if (time := time_of(cell)) is not None:
                    yield one, time


def _beside(
    clause: Clause, times: list[tuple[BoundValue, Time]], told: list[Time]
) -> Iterator[Failure]:
    """ "12 in June" of a row of May."""
    for one, own in times:
        behind = one.bound.end - clause.start
        for time in told:
            if time.start < behind:
                continue
            if _BESIDE.fullmatch(clause.prose[behind : time.start]) and time.denies(own):
                yield _failure(one, time.text)
            break


def _another(
    clause: Clause, times: list[tuple[BoundValue, Time]], told: list[Time]
) -> Iterator[Failure]:
    """A time that no number of the sentence is from, where a number's own is not mentioned."""
    earlier = [time for each in clause.earlier if (time := _own(each)) is not None]
    there = [time for _, time in times] + earlier
    cells = [time_of(cell) for one in clause.values for cell in one.value.cells[:400]]
    there += [time for time in cells if time is not None]
    said = [*mentioned(clause.sentence), *told]
    said += [time for one in clause.values for time in mentioned(one.bound.shown)]
    for one, own in _each(clause):
        if any(not time.denies(own) for time in said):
            continue
        strange = [
            time
            for time in told
            if all(time.denies(each) for each in there)
            and not _SET_AGAINST.search(clause.prose[: time.start])
        ]
        if strange:
            yield _failure(one, strange[0].text)
            return


def _apart(clause: Clause, times: list[tuple[BoundValue, Time]]) -> Iterator[Failure]:
    """ "Two years later" between rows that are so far apart."""
    found = list(_APART.finditer(clause.prose))
    own = [time.months for _, time in times]
    own += [time.months for each in clause.earlier if (time := _own(each)) is not None]
    places = sorted({at for at in own if at is not None})
    if len(found) != 1 or len(places) != 2:
        return
    unit = _MONTHS_OF[(found[0]["unit"] or found[0]["alone"]).casefold()]
    count = SMALL.get((found[0]["count"] or "").casefold(), 1)
    if places[1] - places[0] != unit * count:
        yield _failure(times[0][0], found[0].group())


def _failure(one: BoundValue, claimed: str) -> Failure:
    cell = one.value.picked[0]
    names = [str(cell.frame.values[name][cell.row]) for name in cell.frame.labels]
    found = f"the number is that of {', '.join(names[:3])}"
    mend = "name its own time, or take the number of that one"
    return Failure(FailureCode.NAME_WRONG, claimed, found, mend, one.bound.start, one.bound.end)
