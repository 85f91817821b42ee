"""What rose, fell, doubled or stayed did so between the cells that are bound."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import pairwise

from mesh.prose.clauses import BoundValue, Clause, bound_word
from mesh.prose.compared import compared_pair
from mesh.prose.failures import Failure, FailureCode
from mesh.prose.ranked import LESS_IS_BETTER
from mesh.prose.references import Value
from mesh.prose.rules.comparisons import is_of_none
from mesh.prose.times import in_time, time_of
from mesh.prose.vocabulary import States
from mesh.prose.words import TIMES_OF, Word
from mesh.text.spelling import shown as as_shown

_DIRECTIONS = (States.UP, States.DOWN, States.UNCHANGED, States.TIMES)
_CHANGES = re.compile(
    r"change|growth|diff|delta|increase|decrease|yoy|mom|effect|estimate|lift|gain", re.IGNORECASE
)
_MORE_THAN = re.compile(r"\s+(?:more than|less than|as much|so much|as many|further)\b", re.I)
_PACE = re.compile(r"slow|cool|accelerat|decelerat|quicken|pace|speed|sped|momentum|steam", re.I)
_EARNED = re.compile(r"won|wins|add|put on|los(?:t|es)\b|shed|gave", re.IGNORECASE)
_QUALITY = re.compile(r"improv|worsen|deteriorat", re.IGNORECASE)
_SAME = 0.01
_TIMES = 0.05
_NEARLY = 0.15


def find_wrong_directions(clause: Clause) -> Iterator[Failure]:
    """Words of direction that the bound cells do not bear out, or that nothing bears."""
    for one in clause.values:
        word = bound_word(clause, one.bound, _DIRECTIONS) if one.value.pair is not None else None
        if word is not None and one.value.pair is not None:
            yield from _judged(word, _ends(*one.value.pair), one.bound.start, one.bound.end)
    for word in clause.words:
        if word.states in _DIRECTIONS and not (
            _is_named(word, clause) or _is_of_extreme(word, clause)
        ):
            start, end = clause.start + word.start, clause.start + word.end
            ends = _ends_said(clause, word)
            if ends is not None or not word.soft:
                yield from _judged(word, ends, start, end)


def _is_named(word: Word, clause: Clause) -> bool:
    """Whether the word is a column's name here: "growth was 3 %"."""
    columns = {cell.column.casefold() for one in clause.values for cell in one.value.cells[:4]}
    return any(word.text.casefold() in re.split(r"[\W_]+", column) for column in columns) and (
        word.text.casefold() in ("growth", "change", "gain", "drop", "top")
    )


def _is_of_extreme(word: Word, clause: Clause) -> bool:
    """Whether nothing is said to have done so more: "no school gained more than"."""
    return is_of_none(clause, word) and _MORE_THAN.match(clause.prose[word.end :]) is not None


def _judged(
    word: Word, ends: tuple[float, float] | None, start: int, end: int
) -> Iterator[Failure]:
    if ends is None:
        yield Failure(
            FailureCode.WORD_UNBOUND,
            word.text,
            "no two cells beside it say so",
            f"write {{{word.text}|FRAME.COLUMN[EARLIER] -> FRAME.COLUMN[LATER]}}",
            start,
            end,
        )
    elif _holds(word, *ends) == word.negated:
        text = f"it went from {as_shown(ends[0])} to {as_shown(ends[1])}"
        yield Failure(FailureCode.WORD_WRONG, word.text, text, f"say: {_true(*ends)}", start, end)


def _holds(word: Word, first: float, last: float) -> bool:
    same = math.isclose(first, last, rel_tol=_SAME)
    if word.states is States.UNCHANGED:
        return same
    if word.states is States.TIMES:
        times = next(value for stem, value in TIMES_OF.items() if stem in word.text.casefold())
        return first != 0 and _is_times(last / first, times, word.hedge)
    return last > first if word.states is States.UP else last < first


def _is_times(actual: float, times: float, hedge: str) -> bool:
    if times < 1:
        actual, times = 1 / actual if actual else 0.0, 1 / times
    if hedge in ("more", "over"):
        return actual >= times
    if hedge in ("less", "under"):
        return times * (1 - _NEARLY) <= actual <= times
    return abs(actual - times) <= (_NEARLY if hedge else _TIMES) * times


def _multiple(clause: Clause, word: Word) -> tuple[float, float] | None:
    """What "twice as many as" is between: the thing of which it is said last."""
    place = clause.start + word.end
    if word.states is not States.TIMES or not re.match(
        r"\s+(?:as|that of|the)\b", clause.behind(place)
    ):
        return None
    found = compared_pair(clause, (clause.start + word.start, place))
    return found and (found[1], found[0])


def _ends_said(clause: Clause, word: Word) -> tuple[float, float] | None:
    """What a word of prose is between, by what kind of word it is."""
    if word.soft and _PACE.search(word.text) and any(one.value.change for one in clause.values):
        return _of_pace(clause, word)
    if word.soft and _EARNED.match(word.text):
        changed = [one.value.picked[0] for one in clause.values if len(one.value.picked) == 1]
        changes = [cell for cell in changed if _CHANGES.search(cell.column)]
        return (0.0, float(changes[0].value)) if len(changes) == 1 else None
    ends = _multiple(clause, word) or _found_ends(clause, clause.start + word.start)
    if ends is not None and word.soft and _QUALITY.match(word.text):
        columns = [cell.column for one in clause.values for cell in one.value.picked]
        return ends[::-1] if any(LESS_IS_BETTER.search(column) for column in columns) else ends
    return ends


def _of_pace(clause: Clause, word: Word) -> tuple[float, float] | None:
    """The first and the last of several rates, for growth that cools or quickens."""
    rates = [
        float(one.value.value) for one in clause.values if one.value.change and one.value.ratio
    ]
    return (rates[0], rates[-1]) if word.soft and len(rates) > 1 else None


def _true(first: float, last: float) -> str:
    return "rose" if last > first else "fell" if last < first else "stayed the same"


def _found_ends(clause: Clause, place: int) -> tuple[float, float] | None:
    """The two cells of one column that the clause binds, in the order of time, else of the text."""
    for one in clause.values:
        if one.value.pair is not None:
            return _ends(*one.value.pair)
    plain = [one for one in clause.values if one.value.cell is not None and _is_number(one.value)]
    for two in _twos(plain):
        if (ends := _between(two, clause)) is not None:
            return ends
    for one in sorted(clause.values, key=lambda one: abs(one.bound.start - place)):
        if one.value.change:
            return _from_to(clause) or _of_change(one.value)
        cell = one.value.picked[0] if len(one.value.picked) == 1 else None
        if cell is not None and _CHANGES.search(cell.column) and _is_number(one.value):
            return 0.0, float(cell.value)
    if len(plain) > 2:
        return _series(plain) or _from_to(clause)
    if len(plain) == 1:
        return _since_earlier(plain[0], clause)
    return _from_to(clause)


def _twos(plain: list[BoundValue]) -> list[list[BoundValue]]:
    """Two cells of a column, where one column alone has two here."""
    by_column: dict[str, list[BoundValue]] = {}
    for one in plain:
        if one.value.cell is not None and not _CHANGES.search(one.value.cell.column):
            by_column.setdefault(one.value.cell.column, []).append(one)
    found = [group for group in by_column.values() if len(group) > 1]
    return found if len(found) == 1 and len(found[0]) == 2 else []


def _series(plain: list[BoundValue]) -> tuple[float, float] | None:
    """The first and the last of several cells of a column that only rise, or only fall."""
    cells = [one.value.cell for one in plain if one.value.cell is not None]
    if len({(cell.frame.name, cell.column) for cell in cells}) != 1:
        return None
    times = [time.months for cell in cells if (time := time_of(cell)) is not None]
    if len(times) == len(cells) and None not in times:
        order = sorted(range(len(cells)), key=lambda at: times[at] or 0)
        cells = [cells[at] for at in order]
    values = [float(cell.value) for cell in cells]
    signs = {(later > earlier) - (later < earlier) for earlier, later in pairwise(values)}
    return (values[0], values[-1]) if len(signs) == 1 else None


def _from_to(clause: Clause) -> tuple[float, float] | None:
    """Two numbers that the text has as "from … to …"."""
    numbers = [one for one in clause.values if _is_number(one.value)]
    for one, other in pairwise(numbers):
        if re.search(r"\bfrom\s*$", clause.before(one.bound.start)) and re.search(
            r"\bto\s*$", clause.before(other.bound.start)
        ):
            return float(one.value.value), float(other.value.value)
    return None


def _since_earlier(one: BoundValue, clause: Clause) -> tuple[float, float] | None:
    """From the number of the same column before it in the sentence: "…, then dipped to …"."""
    for earlier in reversed((*clause.previous, *clause.earlier)):
        cell, own = earlier.value.cell, one.value.cell
        if cell is not None and own is not None and cell.column == own.column:
            return _between([earlier, one], clause)
    return None


def _between(bound_values: list[BoundValue], clause: Clause) -> tuple[float, float] | None:
    one, other = (item.value.cell for item in bound_values)
    if one is None or other is None or one.column != other.column:
        return None
    if (order := in_time(one, other)) is not None:
        first, last = order
        return float(first.value), float(last.value)
    to_first = re.search(r"\bto\s*$", clause.before(bound_values[0].bound.start))
    from_second = re.search(r"\bfrom\s*$", clause.before(bound_values[1].bound.start))
    if (to_first and from_second) or from_second:
        one, other = other, one
    return float(one.value), float(other.value)


def _ends(first: Value, last: Value) -> tuple[float, float] | None:
    if not (_is_number(first) and _is_number(last)):
        return None
    return float(first.value), float(last.value)


def _of_change(value: Value) -> tuple[float, float] | None:
    """The two cells of a difference in time, else nothing and the difference itself."""
    cells = list(dict.fromkeys((cell.frame.name, cell.column, cell.row) for cell in value.cells))
    kept = {(cell.frame.name, cell.column, cell.row): cell for cell in value.cells}
    if len(cells) == 2 and (order := in_time(kept[cells[0]], kept[cells[1]])) is not None:
        return float(order[0].value), float(order[1].value)
    return 0.0, float(value.value)


def _is_number(value: Value) -> bool:
    return isinstance(value.value, int | float) and not isinstance(value.value, bool)
