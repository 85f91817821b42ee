"""Puts what was said about a reference of a table to itself into the intent of the rest."""

from __future__ import annotations

import re

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.lexicon.normalise import name_words, readable_table, stem
from services.planner.domain.query.filters import Copy
from services.planner.domain.query.intent import (
    Condition,
    Dimension,
    Field,
    Filter,
    FullName,
    Group,
    Intent,
    Membership,
    Operator,
    Relation,
)
from services.planner.domain.query.joining.entities import entity_dimension
from services.planner.domain.query.joining.joins import graph_of
from services.planner.domain.reader.referring.names import named_reference, with_copy
from services.planner.domain.reader.referring.roles import Role
from services.planner.domain.reader.referring.spoken import Spoken

_LISTING = frozenset(map(stem, "which who what list show me name are is the all of".split()))
_LOST = 'What "{0}" refers to could not be placed in this question.'


def with_role(intent: Intent, spoken: Spoken, catalogue: Catalogue) -> Intent | str:
    """The whole intent, or why it cannot be had."""
    role = spoken.role
    if role is None:
        return intent
    if has_entities_alone(spoken):
        intent = _list_entities(intent, spoken, role, catalogue)
    if intent.statistic is not None or intent.cohort is not None or intent.profile:
        return _LOST.format(role.noun)
    reached = {intent.base, *(relation.right.table for relation in intent.joins)}
    if role.table not in reached:
        return _LOST.format(role.noun)
    if spoken.kind == "beside":
        return _beside(intent, role, catalogue)
    if spoken.kind == "each":
        return _apart(intent, role, catalogue)
    if spoken.who:
        return _around(intent, spoken, role)
    empty = Operator.IS_NULL if spoken.kind == "none" else Operator.NOT_NULL
    note = f"{'without' if spoken.kind == 'none' else 'with'} {role.noun}"
    own = Condition(field=_field(role), operator=empty, note=note)
    return intent.model_copy(update={"filters": (*intent.filters, own)})


def has_entities_alone(spoken: Spoken) -> bool:
    """Whether nothing but things of the table is asked for, beside what was taken out: which these
    are is then told by rule, whatever the rest alone would be taken for."""
    if spoken.role is None:
        return False
    own = {*name_words(spoken.role.table), *name_words(spoken.who), *_LISTING}
    own |= set(name_words(spoken.role.column)) if spoken.kind == "each" else set()
    return own.issuperset(name_words(spoken.question))


def _list_entities(intent: Intent, spoken: Spoken, role: Role, catalogue: Catalogue) -> Intent:
    """Things of the role's table by name, or whom they refer to, in the rows that are left."""
    table = catalogue.table(role.table)
    shown = entity_dimension(table, role.table, graph_of(catalogue)) if table is not None else None
    if spoken.kind == "each":
        shown = Dimension(expression=_field(role), label=role.noun)
    if shown is None:
        return intent
    rows = tuple(f for f in intent.filters if _is_of(f, role, set(_words(spoken.who))))
    return Intent(
        base=role.table, dimensions=(shown,), filters=rows, distinct=spoken.kind == "each"
    )


def _field(role: Role) -> Field:
    return Field(table=role.table, column=role.column)


def _around(intent: Intent, spoken: Spoken, role: Role) -> Intent | str:
    """Conditions on the row that was named, turned into ones on those that are tied to it."""
    words = set(_words(spoken.who))
    named = [f for f in intent.filters if _is_of(f, role, words)]
    texts = {word for wanted in named for word in _values(wanted)}
    if not named or words - texts:
        return f'"{spoken.who}" is not the name of one of {readable_table(role.table)}.'
    key = Field(table=role.table, column=role.key)
    below = spoken.kind == "below"
    path = (
        Relation(left=_field(role), right=key)
        if below
        else Relation(left=key, right=_field(role), fans_out=True)
    )
    where = named[0] if len(named) == 1 else Group(connective="and", members=tuple(named))
    tied = Membership(
        table=role.table,
        related=role.table,
        absent=False,
        where=where,
        path=(path,),
        note=f"{role.noun} is the one whose" if below else f"{role.noun} of those whose",
    )
    others = tuple(f for f in intent.filters if f not in named)
    return intent.model_copy(update={"filters": (*others, tied)})


def _is_of(wanted: Filter, role: Role, words: set[str]) -> bool:
    """Whether a condition only says which row of the table is the one named."""
    if isinstance(wanted, Group):
        return all(_is_of(member, role, words) for member in wanted.members)
    if not isinstance(wanted, Condition) or wanted.operator is not Operator.EQUAL:
        return False
    return wanted.field.table == role.table and set(_values(wanted)) <= words


def _values(wanted: Filter) -> list[str]:
    if isinstance(wanted, Group):
        return [word for member in wanted.members for word in _values(member)]
    values = wanted.values if isinstance(wanted, Condition) else ()
    return [word for value in values for word in _words(str(value))]


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _apart(intent: Intent, role: Role, catalogue: Catalogue) -> Intent | str:
    """Keys of rows of the same table shown by the names of these, read from a copy of it."""
    own = _field(role)
    if not any(d.expression == own for d in intent.dimensions):
        counted = any(m.expression == own for m in intent.measures)
        return intent if counted else _LOST.format(role.noun)
    named = _named(role, catalogue)
    shown = tuple(named if d.expression == own else d for d in intent.dimensions)
    some = Condition(field=own, operator=Operator.NOT_NULL, note=f"with {role.noun}")
    filters = intent.filters if intent.grouped else (*intent.filters, some)
    update = {"dimensions": shown, "filters": filters}
    return _copied(intent.model_copy(update=update), role)


def _beside(intent: Intent, role: Role, catalogue: Catalogue) -> Intent | str:
    """A list of things of the table with whom each refers to, be it nobody."""
    plain = intent.base == role.table and not intent.measures and intent.limit_per_series is None
    if not plain:
        return _LOST.format(role.noun)
    table = catalogue.table(role.table)
    own = entity_dimension(table, role.table, graph_of(catalogue)) if table is not None else None
    if own is None:
        return _LOST.format(role.noun)
    named = own.expression.parts if isinstance(own.expression, FullName) else (own.expression,)
    others = [d for d in intent.dimensions if d.expression not in (own.expression, *named)]
    shown = (own, *others, _named(role, catalogue))
    update = {"dimensions": shown, "distinct": False, "order": ()}
    return _copied(intent.model_copy(update=update), role)


def _copied(intent: Intent, role: Role) -> Intent:
    return with_copy(intent, _field(role), _copy(role), role.key)


def _copy(role: Role) -> Copy:
    return Copy(name=f"{readable_table(role.table)} ({role.noun})", table=role.table)


def _named(role: Role, catalogue: Catalogue) -> Dimension:
    """Whom a row refers to, by name or, where there is none, by key."""
    table = catalogue.table(role.table)
    if table is None:
        return Dimension(expression=_field(role), label=role.noun)
    return named_reference(_field(role), _copy(role), table, role.noun)
