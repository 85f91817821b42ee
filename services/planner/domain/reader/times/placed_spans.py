"""Where the spans of time of a question stand among its words, and which go by a day that is not
said: "the last 3 months", "this year"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from services.planner.domain.lexicon import normalise
from services.planner.domain.lexicon.tokens import Token
from services.planner.domain.query.calendar import last_range
from services.planner.domain.reader.times.calendar_spans import by_the_data
from services.planner.domain.reader.times.times import TimeSpan, time_spans

_SET_AGAINST = frozenset(
    """compared comparing versus vs than against change changes changed growth grew grow difference
    increase increased decrease decreased rise rose fall fell""".split()
)
_EACH = re.compile(r"(?:of|per|for|in|by|on)? ?(?:each|every|per|of)\b")
_ENDS = frozenset(("first", "last"))
_LOOSE = frozenset(("latest", "recent"))


@dataclass(frozen=True, slots=True)
class PlacedSpan:
    """A span of time with the tokens `first` to `last` that tell it."""

    span: TimeSpan
    first: int
    last: int


def placed_spans(question: str, tokens: Sequence[Token], today: date) -> list[PlacedSpan]:
    """All spans of time, in the order of the question."""
    words = normalise.tokenise(question)
    found: list[PlacedSpan] = []
    for span in time_spans(question, words, today):
        covered = [word for word in words[span.first_token :] if word.used == "time"]
        start, end = words[span.first_token].start, covered[-1].end
        if not span.ends:  # the words of this span alone, and not those of the next
            end = min(end, start + _reach(question[start:], span))
        inside = [t.index for t in tokens if start <= t.start < end]
        if inside:
            found.append(PlacedSpan(span, inside[0], inside[-1]))
    return found


def _reach(question: str, span: TimeSpan) -> int:
    """How far a span's own words reach from where it begins."""
    at = question.lower().find(span.text.lower()) if span.text else -1
    return at + len(span.text) if at >= 0 else len(question)


def passing_words(spans: Sequence[PlacedSpan], tokens: Sequence[Token]) -> frozenset[int]:
    """The tokens of spans that go by the end of the data or by today: the 3 of "the last 3 months"
    asks for no three rows, and its months are no groups; those too that are the end of a longer
    time, "the last month of 2023"."""
    found: set[int] = set()
    for one in spans:
        texts = [token.lower for token in tokens]
        words = texts[one.first : one.last + 1]
        if one.span.last is None and one.span.calendar is None:
            if not _ENDS.isdisjoint(words):
                found.update(range(one.first, one.last + 1))
            continue
        bare = one.span.last is not None and not any(t.number for t in tokens[one.first : one.last])
        loose = bare and not _LOOSE.isdisjoint(words)
        against = one.span.calendar is not None and not _SET_AGAINST.isdisjoint(texts)
        each = _EACH.match(" ".join(texts[one.last + 1 : one.last + 4]))
        if not (loose or against or each):
            found.update(range(one.first, one.last + 1))
    return frozenset(found)


def as_the_data_ends(span: TimeSpan, latest: date | None, column: str) -> tuple[TimeSpan, str]:
    """The span with its first and last day, where they hang on the `latest` day of a column, and
    what to say of that; without days where the latest is not known."""
    if span.last is None:
        return by_the_data(span, latest, column)
    if latest is None:
        return span, ""
    start, end = last_range(*span.last, latest)
    text = f"{span.text} counted back from {latest.isoformat()}, the latest {column}"
    return TimeSpan(span.text, start, end, first_token=span.first_token), text
