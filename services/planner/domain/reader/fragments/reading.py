"""Reads a fragment over the links and the grammar that questions are read with."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from services.planner.domain.catalogue import Catalogue, ValueLookup
from services.planner.domain.lexicon import normalise
from services.planner.domain.lexicon.stop_words import PRESENTATION, STOP_WORDS
from services.planner.domain.lexicon.tokens import stem
from services.planner.domain.query.intent import Field, Intent
from services.planner.domain.reader import read
from services.planner.domain.reader.fragments.cues import IDLE, MOVES, Move
from services.planner.domain.reader.fragments.entities import (
    read_counted,
    read_entities,
    read_every,
    read_guessed,
    read_in_sight,
)
from services.planner.domain.reader.fragments.forms import read_forms, speaks_of_number
from services.planner.domain.reader.fragments.fragment import Fragment, Split
from services.planner.domain.reader.fragments.moved import moved_span
from services.planner.domain.reader.fragments.naming import read_columns
from services.planner.domain.reader.fragments.progress import Progress
from services.planner.domain.reader.fragments.together import read_apart, read_compared, read_ranges
from services.planner.domain.reader.fragments.wanted import read_empty, read_limits, read_values
from services.planner.domain.reader.grammar import aggregation, chart_words
from services.planner.domain.reader.links.mentions import Tie
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.reader.times.times import time_spans
from services.planner.domain.semantics.kinds import Kind

_OF_ONE_KIND = frozenset("cheapest lightest slowest tallest heaviest fastest youngest".split())
"""Extremes that say of what they are: the cheapest is no fewest seats."""
_OVER_ALL = ("over", "through", "across")
_WHOLE = 0.95  # of a name, be it in the plural
_CHANGES = (
    "instead",
    "rather",
    "as well",
    "too",
    "also",
    "of them",
    "that",
    "these",
    "those",
    "each",
)
"""Words that say that something before is changed: "total freight" alone may be a question."""


async def fragment_of(
    words: str, intent: Intent, catalogue: Catalogue, lookup: ValueLookup, today: date
) -> Fragment:
    """The fragment read over the data of the reading that it changes.

    Form goes before content: "top 5" is no condition on a column.
    """
    scene = await read.scene_of(words, catalogue, lookup, today=today)
    got = Progress(scene, intent, words)
    read_forms(scene, words, intent, got.found, got.read)
    _times(got)
    got.moved = moves = _moves(got)
    read_in_sight(got, moves)
    _gone_times(got)
    read_every(got, moves)
    _aggregates(got, moves)
    read_counted(got)
    read_limits(got)
    read_empty(got)
    read_columns(got, moves)
    read_values(got, moves)
    read_ranges(got)
    read_apart(got)
    read_compared(got)
    read_entities(got)
    read_guessed(got)
    if got.whole and (got.found.counts or any(n.aggregate for n in got.found.numbers)):
        got.found.doubts.append(f"“{words.strip()}” is taken as a change of what was asked before")
    left = [t for t in scene.tokens if t.index not in got.done and not t.mark]
    idle = IDLE | STOP_WORDS | (PRESENTATION if got.found.chart else frozenset())
    got.found.unread = tuple(t.text for t in left if t.lower not in idle)
    return got.found


def _times(got: Progress) -> None:
    """Units of time that numbers are split by, and spans of time."""
    if (moved := moved_span(got.scene.question, got.intent)) is not None:
        start, end, there = moved
        inside = [t.index for t in got.scene.tokens if start <= t.start < end]
        got.found.spans.append(there)
        got.read(inside[0], inside[-1])
    for cue in got.scene.words.find(chart_words.GRAINS):
        if cue.first not in got.done:
            own = _column_of_times(got, cue.first, cue.last)
            got.found.splits.append(Split(own) if own is not None else Split(None, cue.means))
            if own is not None and got.scene.tokens[cue.first].lower in _OVER_ALL:
                got.found.lifted.append(own)  # "over the years", not over the one in sight
            got.read(cue.first, cue.last)
    tokens = normalise.tokenise(got.scene.question)
    for span in time_spans(got.scene.question, tokens, got.scene.today):
        covered = [t for t in tokens[span.first_token :] if t.used == "time"]
        start, end = tokens[span.first_token].start, covered[-1].end
        inside = [t.index for t in got.scene.tokens if start <= t.start < end]
        if inside and not got.done & set(inside):
            got.found.spans.append(span)
            got.read(inside[0], inside[-1])
            for mention in got.scene.mentions:  # "built after 2005" speaks of the year, and no more
                leads = mention.last == inside[0] - 1 and mention.tie is Tie.ADJECTIVE
                if leads and (mention.place.time or mention.place.kind is Kind.DATE_PART):
                    got.read(mention.first, mention.last)


def _gone_times(got: Progress) -> None:
    """A unit of time that nothing is split by any more: "forget the months"."""
    for token in got.scene.tokens:
        if token.index in got.done or got.moved[token.index] is not Move.GONE:
            continue
        for one in got.intent.dimensions:
            if one.grain is None or stem(token.lower) != one.grain.value:
                continue
            place = (
                got.scene.schema.of_field.get((one.expression.table, one.expression.column))
                if isinstance(one.expression, Field)
                else None
            )
            if place is not None:
                got.found.gone.append(place)
                got.read(token.index, token.index)


def _column_of_times(got: Progress, first: int, last: int) -> Place | None:
    """The one column that is called as a unit of time is, as an `hour` beside a time stamp."""
    called = [
        m.place
        for m in got.scene.mentions
        if m.tie is Tie.NAME
        and m.coverage >= _WHOLE
        and first <= m.first
        and m.last <= last
        and m.place.kind is Kind.DATE_PART
        and m.place.table.name in got.tables
    ]
    return called[0] if len(called) == 1 else None


def _moves(got: Progress) -> list[Move]:
    """What is done with each word: what the last cue before it says."""
    cues = sorted(got.scene.words.find(MOVES), key=lambda c: (c.first, -c.last))
    found, now, gone, until = [Move.PLAIN] * len(got.scene.tokens), Move.PLAIN, False, -1
    for token in got.scene.tokens:
        if token.mark:
            now, gone = Move.PLAIN, False
        begins = [c for c in cues if c.first == token.index and c.first > until]
        if begins:
            # "not by city": what is split by is what is gone
            gone = begins[0].means is Move.GONE or (gone and begins[0].means is Move.SPLIT)
            now, until = begins[0].means, begins[0].last
            got.read_idle(begins[0].first, until)
        found[token.index] = Move.GONE if gone else now
    return found


def _aggregates(got: Progress, moves: Sequence[Move]) -> None:
    text = got.words.casefold()
    alone = any(c.first == 0 for c in got.scene.words.find(aggregation.RULES))
    got.whole = alone and not any(word in text for word in _CHANGES)
    got.cues = [
        c
        for c in got.scene.words.find(aggregation.RULES)
        if not got.done & set(range(c.first, c.last + 1))
        and all(got.scene.named[at] < 1 for at in range(c.first, c.last + 1))
        and got.scene.between(c.first - 1, c.first) != "at"
        and (
            got.scene.tokens[c.first].lower not in _OF_ONE_KIND
            or speaks_of_number(got.scene, c.first, c.last, got.intent)
        )
    ]
    for cue in got.cues:
        got.read(cue.first, cue.last)
    # "the maximum instead of the average"
    text = got.words.casefold()
    alone = any(c.first == 0 for c in got.scene.words.find(aggregation.RULES))
    got.whole = alone and not any(word in text for word in _CHANGES)
    got.cues = [cue for cue in got.cues if moves[cue.first] is not Move.GONE]
