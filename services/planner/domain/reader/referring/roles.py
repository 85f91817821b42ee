"""Which columns refer to rows of their own table, and what people call the row referred to."""

from __future__ import annotations

from dataclasses import dataclass

from services.planner.domain.catalogue import Catalogue, Column, Table
from services.planner.domain.lexicon.normalise import (
    name_words,
    readable,
    readable_table,
    stem,
)
from services.planner.domain.query.joining.keys import key_of, spoken_words, within

_HEADS = ("manager", "boss", "supervisor", "superior")
_REPORTING = (stem("reports"), "to")
_LEADING = frozenset(stem(word) for word in (*_HEADS, "mgr"))
_VERBS = (r"report(?:s|ed|ing)?(?:\s+directly)?\s+to",)
_PASSIVES = (r"(?:managed|supervised)\s+by",)
_TEAMS = r"(?:team|subordinates|direct\s+reports)"
_ACTIVES = (r"manag(?:e|es|ed|ing)", r"supervis(?:e|es|ed|ing)")


@dataclass(frozen=True, slots=True)
class Role:
    """A column of a table that holds keys of that table.

    `nouns` are regular expressions of what the row referred to is called; `leads` says that it is a
    person in charge, so that the words of reporting and managing are about it.
    """

    table: str
    column: str
    key: str
    noun: str
    nouns: tuple[str, ...]
    leads: bool

    @property
    def verbs(self) -> tuple[str, ...]:
        """Expressions between who refers and who is referred to."""
        return _VERBS if self.leads else ()

    @property
    def passives(self) -> tuple[str, ...]:
        """Expressions that follow who refers and go before who is referred to."""
        return (*_VERBS, *_PASSIVES) if self.leads else ()

    @property
    def team(self) -> str:
        """An expression of all that refer to one."""
        return _TEAMS if self.leads else r"(?!)"

    @property
    def actives(self) -> tuple[str, ...]:
        """Expressions between who is referred to and who refers."""
        return _ACTIVES if self.leads else ()


def roles_of(catalogue: Catalogue) -> tuple[Role, ...]:
    """Every reference of a table to itself that is declared, or that the name of one in charge
    suggests where the values are those of the key."""
    links = catalogue.relationships
    elsewhere = {(k.from_table, k.from_column) for k in links if k.from_table != k.to_table}
    own = {
        (k.from_table, k.from_column) for k in links if k.from_table == k.to_table and k.declared
    }
    found = []
    for table in catalogue.tables:
        keys = key_of(table)
        key = table.column(keys[0]) if len(keys) == 1 else None
        for column in table.columns if key is not None else ():
            place = (table.name, column.name)
            if key is None or column.name == key.name or place in elsewhere:
                continue
            if place in own or (_leads(column) and within(column, key)):
                found.append(_role(table, column, key.name, catalogue))
    return tuple(found)


def _leads(column: Column) -> bool:
    """Whether a column's name speaks of one in charge."""
    words = name_words(column.name)
    return bool(set(words) & _LEADING) or words[:2] == _REPORTING


def _role(table: Table, column: Column, key: str, catalogue: Catalogue) -> Role:
    leads = _leads(column)
    own = spoken_words(column.name) - set(name_words(table.name))
    texts = [word for word in readable(column.name).split() if stem(word) in own]
    nouns = list(_HEADS) if leads else [" ".join(texts)] if texts else []
    free = [noun for noun in nouns if not _is_name(noun, column, catalogue)]
    return Role(
        table.name,
        column.name,
        key,
        nouns[0] if nouns else readable(column.name),
        tuple(rf"{noun}(?:e?s)?" for noun in free),
        leads,
    )


def _is_name(noun: str, column: Column, catalogue: Catalogue) -> bool:
    """Whether something else of the data is called so, which is then meant."""
    wanted = name_words(noun)
    return any(
        name_words(table.name) == wanted
        or any(name_words(c.name) == wanted and c.name != column.name for c in table.columns)
        for table in catalogue.tables
    )


def why_not(role: Role) -> str:
    """What can be told of a role, said where something else was asked."""
    entities = readable_table(role.table)
    return (
        f'Of "{readable(role.column)}" of {entities} only this can be told: the {entities} of one'
        f" {role.noun}, the {role.noun} of one, those without one, and numbers per {role.noun}."
    )
