"""Which columns name the things of a table, and which tables hold people."""

from __future__ import annotations

from functools import lru_cache

from services.planner.domain.lexicon.tokens import stem
from services.planner.domain.reader.links.schema import Place, Schema
from services.planner.domain.semantics.kinds import Kind

_FIRST = (
    ("first", "name"),
    ("forename",),
    ("fore", "name"),
    ("given", "name"),
    ("given", "names"),
    ("christian", "name"),
    ("name", "first"),
)
_LAST = (("last", "name"), ("surname",), ("family", "name"), ("name", "last"))
_UNIQUE, _SELDOM = 0.99, 0.5
_WHERE = (
    "city",
    "town",
    "site",
    "place",
    "location",
    "venue",
    "region",
    "state",
    "country",
    "address",
    "station",
    "street",
    "district",
)
_ENDS = (("origin", "destination"), ("from", "to"), ("start", "end"), ("source", "target"))
_NO_MEASURE = (Kind.ID, Kind.DATE_PART, Kind.FLAG)
_FEW = 12
_PEOPLE = frozenset(
    stem(word)
    for word in (
        "agent observer employee customer player driver student artist director author actor "
        "teacher patient doctor nurse user member manager owner person people staff respondent "
        "candidate buyer seller client guest pilot singer composer editor reporter winner "
        "assignee rep salesperson host captain skipper sailor rider runner swimmer jockey scorer "
        "referee coach trainer chef waiter farmer volunteer donor supplier vendor engineer "
        "technician mechanic inspector surgeon dentist lawyer judge speaker musician painter "
        "photographer translator supervisor professor tutor cashier courier "
        "batter hitter pitcher bowler goalkeeper striker climber cyclist racer contestant "
        "competitor participant subscriber learner applicant passenger tenant landlord borrower "
        "lender claimant voter attendee trainee intern clerk officer operator researcher "
        "scientist analyst publisher creator developer inventor designer architect contractor "
        "consultant freelancer adviser advisor assistant accountant auditor"
    ).split()
)

_ANYBODY = frozenset(stem(word) for word in "guy folk worker colleague kid adult guest".split())

_OF_PEOPLE = frozenset(
    """age sex gender birth born birthday birthdate salary hired education married marital income
    occupation religion""".split()
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
    named.sort(key=lambda p: (_is_of_other(p, own), p.index))
    keys = [p for p in places if p.kind is Kind.ID and p.unique > _UNIQUE]
    if named and not (keys and _is_of_other(named[0], own) and named[0].unique < _SELDOM):
        return tuple(named[:1])
    if keys:
        return tuple(keys[:1])
    called = [p for p in places if p.text and p.unique > _UNIQUE and p.kind is Kind.CATEGORY]
    called.sort(key=lambda p: (not {stem(word) for word in p.words} <= own, p.index))
    return tuple(called[:1])


def _is_of_other(place: Place, own: set[str]) -> bool:
    """Whether a name is called after something else than the table's things: the ship's name."""
    return len(place.words) > 1 and stem(place.words[0]) not in own


def is_person(word: str) -> bool:
    """Whether a word, told by its stem, is one for people: players, staff, guys."""
    return word in _PEOPLE or word in _ANYBODY


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


@lru_cache(maxsize=16)
def people_tables(schema: Schema) -> frozenset[str]:
    """Tables whose rows are people: called so, with two names, or with what only people have."""
    found: set[str] = set()
    for table in schema.catalogue.tables:
        words = {stem(word) for word in schema.table_words[table.name]}
        texts = {word for place in schema.of_table(table.name) for word in place.words}
        named = len(names_of(schema, table.name)) == 2
        if words & _PEOPLE or named or len(texts & _OF_PEOPLE) > 1:
            found.add(table.name)
    return frozenset(found)


@lru_cache(maxsize=16)
def places_of(schema: Schema) -> tuple[tuple[Place, ...], ...]:
    """What may answer "where", the narrowest first."""
    found = [p for p in schema.places if p.text and p.words[-1] in _WHERE]
    found.sort(key=lambda p: (_WHERE.index(p.words[-1]), p.index))
    return tuple((place,) for place in found)


@lru_cache(maxsize=16)
def routes_of(schema: Schema) -> tuple[tuple[Place, ...], ...]:
    """The two ends of a way, where a table has both."""
    found: list[tuple[Place, ...]] = []
    for table in schema.catalogue.tables:
        texts = [p for p in schema.of_table(table.name) if not p.number and not p.time]
        for first, last in _ENDS:
            ends = [next((p for p in texts if word in p.words), None) for word in (first, last)]
            if ends[0] is not None and ends[1] is not None:
                found.append((ends[0], ends[1]))
    return tuple(found)


@lru_cache(maxsize=16)
def sole_measures(schema: Schema) -> tuple[Place, ...]:
    """The number of each table that holds one alone, beside keys and what only tells apart."""
    found: list[Place] = []
    for table in schema.catalogue.tables:
        numbers = [
            p
            for p in schema.of_table(table.name)
            if p.number and p.kind not in _NO_MEASURE and not p.definition
        ]
        numbers = [p for p in numbers if p.column.distinct > _FEW] or numbers
        if len(numbers) == 1 and len(table.columns) > 2:
            found.append(numbers[0])
    return tuple(found)
