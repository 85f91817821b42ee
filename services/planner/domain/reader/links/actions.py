"""Words for what things do, where only one table can tell of it: who "sailed" most often.

Which verb tells of which table no name says. Where the rows of one table alone belong to the things
that are spoken of, counting those is the only thing that can be meant; it stays a guess, and is
told as one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from services.planner.domain.lexicon.stop_words import PRESENTATION, STOP_WORDS
from services.planner.domain.lexicon.tokens import Token
from services.planner.domain.query.joining.references import references_of
from services.planner.domain.query.kinds import Aggregate
from services.planner.domain.reader.grammar import aggregation, fillers, ordering
from services.planner.domain.reader.grammar.rules import Words
from services.planner.domain.reader.links.mentions import Mention, TableMention
from services.planner.domain.reader.links.schema import Schema

_READ, _SPOKEN_OF, _COVERAGE, _NEAR = 0.5, 0.6, 0.72, 2
_SALES = frozenset(("sales",))  # the one word for money that things are called by as well
GUESSED = 0.3
"""The quality of a mention that is a guess: nothing in its name bears it out."""


def find_actions(
    tokens: Sequence[Token],
    schema: Schema,
    mentions: Sequence[Mention],
    tables: Sequence[TableMention],
) -> Iterator[TableMention]:
    """Unknown words between things and how often they did it, for the only table of deeds."""
    words = Words(tokens)
    often = [cue.first for cue in words.find(ordering.DIRECTIONS)]
    often += [cue.first for cue in words.find(fillers.TIMES)]
    spans = [(m.first, m.last) for m in mentions if m.coverage >= _READ]
    spans += [(t.first, t.last) for t in tables if t.coverage >= _READ]
    named = {at for first, last in spans for at in range(first, last + 1)}
    for token in tokens:
        at = token.index
        common = token.lower in STOP_WORDS or token.lower in PRESENTATION
        if common or token.mark or token.number is not None or token.quoted or at in named:
            continue
        if not any(at < other <= at + _NEAR for other in often):
            continue
        doer = next((t for t in tables if t.last == at - 1 and t.coverage >= _SPOKEN_OF), None)
        done = _only_child(schema, doer.table.name) if doer is not None else None
        if done is not None and not any(t.table.name == done for t in tables):
            table = schema.catalogue.table(done)
            if table is not None:
                yield TableMention(table, at, at, _COVERAGE, GUESSED)


def sales_counted(
    tokens: Sequence[Token], schema: Schema, mentions: Sequence[Mention]
) -> Iterator[TableMention]:
    """The "sales" of "number of sales" where they are money that is worked out of lines: what was
    sold at once, the rows of the dated table that these lines refer to, else the lines."""
    counted = {
        cue.last + 1
        for cue in Words(tokens).find(aggregation.RULES)
        if cue.means is Aggregate.COUNT
    }
    for one in mentions:
        place, at = one.place, one.first
        asked = at in counted or (tokens[at - 1].lower == "of" and at - 1 in counted)
        worked_out = place.definition is not None or place.column.formula
        if not (at and asked and worked_out and tokens[at].lower in _SALES and at == one.last):
            continue
        links = references_of(schema.catalogue).all
        parents = {r.parent.table for r in links if r.child.table == place.table.name}
        dated = {p.table.name for p in schema.places if p.time and p.table.name in parents}
        name = next(iter(dated)) if len(dated) == 1 else place.table.name
        table = schema.catalogue.table(name)
        if table is not None:
            yield TableMention(table, at, at, _COVERAGE, GUESSED)


def _only_child(schema: Schema, table: str) -> str | None:
    """The one table whose rows refer to this one; None where there is none, or several."""
    references = references_of(schema.catalogue).all
    found = {r.child.table for r in references if r.parent.table == table} - {table}
    return next(iter(found)) if len(found) == 1 else None
