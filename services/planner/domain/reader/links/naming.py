"""Which columns name the things of a table, and which tables hold people."""

from __future__ import annotations

from functools import lru_cache

from services.planner.domain.reader.links.schema import Place, Schema
from services.planner.domain.reader.links.semantics import Kind
from services.planner.domain.reader.words.tokens import stem

_FIRST = (("first", "name"), ("forename",), ("given", "name"), ("name", "first"))
_LAST = (("last", "name"), ("surname",), ("family", "name"), ("name", "last"))
_PEOPLE = frozenset(
    stem(word)
    for word in (
        "agent observer employee customer player driver student artist director author actor "
        "teacher patient doctor nurse user member manager owner person people staff respondent "
        "candidate buyer seller client guest pilot singer composer editor reporter winner "
        "assignee rep salesperson host captain"
    ).split()
)


@lru_cache(maxsize=64)
def names_of(schema: Schema, table: str) -> tuple[Place, ...]:
    """The columns that name the things of a table: a first and a last name, or one name."""
    places = schema.of_table(table)
    first = next((p for p in places if p.words in _FIRST), None)
    last = next((p for p in places if p.words in _LAST), None)
    if first is not None and last is not None:
        return first, last
    own = {stem(word) for word in schema.table_words[table]}
    named = [p for p in places if p.kind is Kind.NAME and p.text]
    named.sort(key=lambda p: (len(p.words) > 1 and stem(p.words[0]) not in own, p.index))
    return tuple(named[:1])


@lru_cache(maxsize=16)
def people_of(schema: Schema) -> tuple[tuple[Place, ...], ...]:
    """What may answer "who": names of tables of people, and columns that say who it was."""
    found: list[tuple[Place, ...]] = []
    for table in schema.catalogue.tables:
        names = names_of(schema, table.name)
        words = {stem(word) for word in schema.table_words[table.name]}
        words |= {stem(word) for place in names for word in place.words}
        if len(names) == 2 or (names and words & _PEOPLE):
            found.append(names)
    for place in schema.places:
        if place.text and place.kind is Kind.CATEGORY and stem(place.words[-1]) in _PEOPLE:
            found.append((place,))
    return tuple(found)
