"""Shows by name what a column refers to where it is only known by the role it plays.

"Support rep" of a customer is an employee: the key alone tells people nothing.
"""

from __future__ import annotations

import re

from services.planner.domain.catalogue import Catalogue, DataType, Relationship, Table
from services.planner.domain.lexicon.normalise import (
    name_words,
    readable,
    readable_table,
)
from services.planner.domain.query.filters import Copy
from services.planner.domain.query.intent import Dimension, Field, FullName, Intent, Relation
from services.planner.domain.query.joining.entities import naming
from services.planner.domain.query.joining.keys import key_of, spoken_words

_KEY_ASKED = re.compile(r"\b(?:ids?|codes?|numbers? of the|keys?|identifiers?)\b", re.IGNORECASE)
_KEY_ENDING = re.compile(r"\s+(?:id|key|no|nr|number|ref)$")

_WHOLE_ROWS = 4


def named_reference(field: Field, copy: Copy, table: Table, label: str) -> Dimension:
    """What a column refers to, by the name that people know it by, read from a copy."""
    name = naming(table)
    key = Field(table=copy.name, column=key_of(table)[0])
    parts = name.parts if isinstance(name, FullName) else (name,) if name is not None else ()
    fields = tuple(Field(table=copy.name, column=part.column) for part in parts)
    if not fields:
        return Dimension(expression=field, label=label)
    shown = FullName(parts=fields) if isinstance(name, FullName) else fields[0]
    return Dimension(expression=shown, label=label, identity=key)


def with_copy(intent: Intent, field: Field, copy: Copy, key: str) -> Intent:
    """The intent with a table read once more, for the rows that a column refers to."""
    reference = Relation(left=field, right=Field(table=copy.name, column=key))
    return intent.model_copy(
        update={"joins": (*intent.joins, reference), "copies": (*intent.copies, copy)}
    )


def with_names(intent: Intent, question: str, catalogue: Catalogue) -> Intent:
    """The intent with the names of what is known by its role alone; keys where these are asked."""
    if _KEY_ASKED.search(question) or intent.statistic or intent.cohort or intent.profile:
        return intent
    if not intent.measures and len(intent.dimensions) > _WHOLE_ROWS:
        return intent
    for index, dimension in enumerate(intent.dimensions):
        link = _by_role(dimension, catalogue)
        table = catalogue.table(link.to_table) if link is not None else None
        if link is None or table is None:
            continue
        field = Field(table=link.from_table, column=link.from_column)
        role = _KEY_ENDING.sub("", readable(link.from_column))
        copy = Copy(name=f"{readable_table(table.name)} ({role})", table=table.name)
        shown = list(intent.dimensions)
        shown[index] = named_reference(field, copy, table, role)
        if shown[index].identity is not None:
            intent = intent.model_copy(update={"dimensions": tuple(shown)})
            intent = with_copy(intent, field, copy, link.to_column)
    return intent


def _by_role(dimension: Dimension, catalogue: Catalogue) -> Relationship | None:
    """The reference that a plain column is, where its name says nothing of what it refers to."""
    field = dimension.expression
    if not isinstance(field, Field) or dimension.grain is not None or dimension.bins is not None:
        return None
    for link in catalogue.relationships:
        table = catalogue.table(link.to_table)
        if (link.from_table, link.from_column) != (field.table, field.column) or table is None:
            continue
        key = table.column(link.to_column)
        numbered = key is not None and key.data_type is DataType.INTEGER
        plain = key_of(table) == (link.to_column,) and naming(table) is not None
        words = spoken_words(link.from_column)
        role = bool(words) and not set(name_words(table.name)) & set(name_words(link.from_column))
        if link.declared and link.from_table != link.to_table and numbered and plain and role:
            return link
    return None
