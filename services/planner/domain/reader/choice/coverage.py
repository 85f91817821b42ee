"""What a reading leaves unread: words, values, numbers, and columns that seemed to be meant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from services.planner.domain.lexicon.stop_words import PRESENTATION, STOP_WORDS
from services.planner.domain.reader.chart.asked import statistics_read
from services.planner.domain.reader.chart.calculated import read_of
from services.planner.domain.reader.chart.pieces import Role
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.chart.sketch import Sketch
from services.planner.domain.reader.chart.sketches import Draft
from services.planner.domain.reader.choice.candidate import Weighed
from services.planner.domain.reader.grammar import chart_words, ordering
from services.planner.domain.reader.grammar.rules import Cue
from services.planner.domain.reader.links.mentions import Tie

_READ, _READ_NAME, _NAMED_TABLE = 0.5, 0.95, 0.8


def unused(draft: Draft) -> dict[str, float]:
    """How many roles the sketch makes nothing of, and how many columns no role gave it."""
    used = draft.sketch.used
    played = {m.place.index for m, _ in draft.roles.played}
    return {"roles unused": len(played - used), "columns without role": len(used - played)}


def coverage(weighed: Weighed, sketch: Sketch) -> dict[str, float]:
    """How many words of the question the reading accounts for."""
    tables = frozenset((*sketch.tables(), sketch.missing_table))
    sorts = sketch.sorting is not None
    numbers = (sketch.worked, sketch.bins, sketch.limit, sketch.grain, sorts, *sketch.numbers)
    key = ("coverage", sketch.used, tables, sketch.conditions, *numbers)
    found = weighed.known.get(key)
    if found is None:
        found = weighed.known[key] = _coverage(weighed, sketch, tables)
    return found


def _coverage(weighed: Weighed, sketch: Sketch, tables: frozenset[str]) -> dict[str, float]:
    scene = weighed.scene
    used = scene.with_operands(sketch.used)
    read = [0.0] * len(scene.tokens)
    filtered = [False] * len(scene.tokens)
    for mention in scene.mentions:
        if mention.place.index in used and mention.tie is not Tie.IMPLIED:
            for at in range(mention.first, mention.last + 1):
                read[at] = max(read[at], mention.coverage)
    for table_mention in scene.tables:
        if table_mention.table.name in tables:
            for at in range(table_mention.first, table_mention.last + 1):
                read[at] = max(read[at], table_mention.coverage)
    missed = {
        known_table_mention.table.name
        for known_table_mention in scene.tables
        if known_table_mention.table.name not in tables
        and known_table_mention.coverage > _NAMED_TABLE
        and not any(
            read[at] >= _READ_NAME
            for at in range(known_table_mention.first, known_table_mention.last + 1)
        )
    }
    for first, last in statistics_read(scene, sketch, weighed.requirements.statistics):
        for at in range(first, last + 1):
            read[at] = 1.0
            filtered[at] = filtered[at] or scene.tokens[at].number is not None
    placed = scene.words.find(ordering.PLACES) if sketch.before else ()
    for one in (*sketch.conditions, *placed):
        for at in range(one.first, one.last + 1):
            read[at], filtered[at] = 1.0, True
    for cue in _of_order_and_grain(scene, sketch):
        read[cue.first : cue.last + 1] = [1.0] * (cue.last + 1 - cue.first)
    found = _unread(scene, sketch.limit, read, filtered) | _lost(weighed, used, read)
    return found | {"tables missed": len(missed)}


def _of_order_and_grain(scene: Scene, sketch: Sketch) -> list[Cue[Any]]:
    """The words of the order and of the unit of time that it heeds, and of what is worked out."""
    found: list[Cue[Any]] = [*read_of(scene, sketch)]
    if sketch.sorting is not None:
        found += [*scene.words.find(ordering.DIRECTIONS), *scene.words.find(ordering.SORTING)]
    return found + [c for c in scene.words.find(chart_words.GRAINS) if c.means is sketch.grain]


def _unread(
    scene: Scene, limit: int | None, read: Sequence[float], filtered: Sequence[bool]
) -> dict[str, float]:
    """Content words, and what seemed to be columns, values, numbers and quotes, not used."""
    words = unread = columns = values = numbers = quoted = 0
    for token in scene.tokens:
        at = token.index
        if token.mark:
            continue
        if token.number is not None:
            numbers += not filtered[at] and limit != token.number
            continue
        if token.lower in STOP_WORDS or token.lower in PRESENTATION:
            continue
        words += 1
        unread += read[at] < _READ
        columns += read[at] < _READ and scene.named[at] >= 0.8
        values += scene.valued[at] > 0.7 and not filtered[at] and read[at] < _READ_NAME
        quoted += token.quoted and not filtered[at]
    return {
        "unread": unread,
        "unread share": unread / max(1, words),
        "columns unread": columns,
        "values unread": values,
        "numbers unread": numbers,
        "quotes unread": quoted,
    }


def _lost(weighed: Weighed, used: frozenset[int], read: Sequence[float]) -> dict[str, float]:
    """How likely a column was meant that is not used: the likeliest one, and over all words."""
    scene, worst = weighed.scene, 0.0
    best = [0.0] * len(scene.tokens)
    for mention, odds in zip(scene.mentions, weighed.role_odds, strict=True):
        if mention.place.index in used:
            continue
        span = range(mention.first, mention.last + 1)
        intended = 1 - odds.get(Role.UNUSED, 0.0)
        if not any(read[at] >= 0.9 for at in span):
            worst = max(worst, intended - odds.get(Role.FILTERED, 0.0))
        if mention.tie is not Tie.IMPLIED:
            for at in span:
                best[at] = max(best[at], intended)
    lost = sum(value for at, value in enumerate(best) if read[at] < _READ)
    return {"role lost": worst, "roles lost": lost}
