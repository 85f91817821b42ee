"""All columns worked out that a question asks for, beside those of the data."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from services.planner.domain.lexicon.tokens import Token
from services.planner.domain.reader.grammar.rules import Words
from services.planner.domain.reader.links.calculations import find_calculations
from services.planner.domain.reader.links.date_parts import date_parts
from services.planner.domain.reader.links.durations import durations
from services.planner.domain.reader.links.mentions import Mention, Tie
from services.planner.domain.reader.links.schema import Schema

_MOST = 8


def with_worked_out(
    tokens: Sequence[Token], schema: Schema, mentions: Sequence[Mention], today: date
) -> tuple[Schema, list[Mention]]:
    """The schema with what is worked out for this question, and all mentions with those of it."""
    found = [
        *durations(tokens, Words(tokens), schema, today),
        *find_calculations(tokens, schema, mentions),
        *date_parts(tokens, schema),
    ]
    if not found:
        return schema, list(mentions)
    places = list(dict.fromkeys(one.place for one in found))[:_MOST]
    wider = schema.having(places)
    made = dict(zip(places, wider.places[len(schema.places) :], strict=True))
    more = [
        Mention(
            made[one.place],
            one.first,
            one.last,
            one.coverage,
            0.9,
            Tie.NAME,
            one.last - one.first + 1,
        )
        for one in found
        if one.place in made and one.first >= 0
    ]
    kept = sorted((*mentions, *more), key=lambda m: (m.first, -m.coverage, m.place.index))
    return wider, kept
