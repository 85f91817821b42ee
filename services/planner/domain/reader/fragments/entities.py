"""What a fragment calls the rows, and the columns in sight: "how many flights", "not by city"."""

from __future__ import annotations

from collections.abc import Sequence

from services.planner.domain.lexicon.stop_words import STOP_WORDS
from services.planner.domain.query.intent import Aggregate, Field
from services.planner.domain.reader.chart.sketch import COUNT
from services.planner.domain.reader.fragments.cues import IDLE, Move
from services.planner.domain.reader.fragments.parts import columns_compared
from services.planner.domain.reader.fragments.progress import PARTLY, SPOKEN, Progress
from services.planner.domain.reader.links.mentions import TableMention, Tie

_BEFORE_ENTITIES = frozenset("only just for the those many about".split())


def read_in_sight(got: Progress, moves: Sequence[Move]) -> None:
    """What goes: part of a name will do for a column that the reading uses so."""
    compared = {f for one in got.intent.filters for f in columns_compared(one)}
    used = {Move.LIFTED: compared, Move.GONE: got.fields - compared}
    for mention in got.scene.mentions:
        span = range(mention.first, mention.last + 1)
        move = moves[mention.first]
        if mention.tie is Tie.IMPLIED or any(moves[at] is not move for at in span):
            continue
        if got.in_value(mention.first, mention.last):
            continue
        known = mention.place.field in used.get(move, ())
        if known and mention.coverage >= PARTLY and not got.done & set(span):
            (got.found.lifted if move is Move.LIFTED else got.found.gone).append(mention.place)
            got.read(mention.first, mention.last)


def read_every(got: Progress, moves: Sequence[Move]) -> None:
    """All groups again, where the first few are in sight: "back to all categories"."""
    fields = {d.expression for d in got.intent.dimensions if isinstance(d.expression, Field)}
    if not (fields and (got.intent.limit or got.intent.having)):
        return
    called = [
        *(
            (t.first, t.last)
            for t in got.scene.tables
            if t.coverage >= SPOKEN and t.table.name in {field.table for field in fields}
        ),
        *(
            (m.first, m.last)
            for m in got.scene.mentions
            if m.coverage >= PARTLY and m.place.field in fields
        ),
    ]
    for first, last in called:
        if moves[first] is Move.LIFTED and not got.done & set(range(first, last + 1)):
            got.found.every = True
            got.read(first, last)


def read_counted(got: Progress) -> None:
    """Rows are counted by what they are called: "how many flights", "number of orders"."""
    for cue in [c for c in got.cues if c.means is Aggregate.COUNT]:
        near = [
            mention
            for mention in got.scene.tables
            if 0 <= mention.first - cue.last <= 2
            and mention.coverage >= SPOKEN
            and not _is_column(got, mention.first, mention.last)
        ]
        if not near:
            continue
        table_mention = max(near, key=lambda one: _spoken_of(got, one))
        if table_mention.table.name == got.base:
            got.found.numbers = [COUNT]
        else:
            got.found.counts = table_mention.table.name
        got.cues.remove(cue)
        got.read(table_mention.first, table_mention.last)


def _is_column(got: Progress, first: int, last: int) -> bool:
    """Whether words that may name a table begin the whole name of a column."""
    return any(
        m.tie is Tie.NAME and m.coverage >= 1 and m.first == first and m.last > last
        for m in got.scene.mentions
    )


def _spoken_of(got: Progress, table_mention: TableMention) -> tuple[bool, float, bool]:
    return (
        table_mention.table.name == got.base,
        table_mention.coverage,
        table_mention.table.name in got.tables,
    )


def read_entities(got: Progress) -> None:
    """What the rows are called says nothing more: "only people hired before 2016"."""
    tables = got.tables | {p.table.name for n in got.found.numbers for p in n.places}
    for table_mention in got.scene.tables:
        if table_mention.coverage >= SPOKEN and table_mention.table.name in tables:
            got.read(table_mention.first, table_mention.last)


def read_guessed(got: Progress) -> None:
    """One unknown word may stand for the rows of the only table: "only films after 2005"."""
    tables = got.scene.schema.catalogue.tables
    left = [t for t in got.scene.tokens if t.index not in got.done and not t.mark]
    unknown = [t for t in left if t.lower not in IDLE | STOP_WORDS]
    if len(tables) != 1 or len(unknown) != 1 or got.found.empty:
        return
    [word] = unknown
    before = got.scene.tokens[word.index - 1].lower if word.index else ""
    plural = word.lower.isalpha() and word.lower.endswith("s") and not word.capital
    if plural and before in _BEFORE_ENTITIES:
        got.read(word.index, word.index)
        got.found.doubts.append(f"“{word.text}” is taken for the rows of {tables[0].name}")
