"""What has not happened, or is missing: "not returned yet", "never shipped", "without a manager".

A date that says when something was done is empty as long as it was not done.
"""

from __future__ import annotations

from services.planner.domain.catalogue import Column, ColumnRole, DataType
from services.planner.domain.language.conditions.text_conditions import condition_of
from services.planner.domain.language.normalising.cues import NEGATIONS
from services.planner.domain.language.scene import Scene
from services.planner.domain.lexicon.normalise import name_words, stem
from services.planner.domain.query.intent import Condition, Field, Operator

_REACH = 3
_FIRST_YEAR, _LAST_YEAR = 1000, 2100
_LACKING = frozenset(["without", "lacking", "no"])
_ARTICLES = frozenset(["a", "an", "any", "the"])
_NOW = frozenset(["yet", "still", "been", "were", "was", "is", "are", "have", "has"])
_NEW_CLAUSE = frozenset(["who", "that", "which", "whose", "but", ",", "and", "or"])
# "Not shipped to USA" denies where to, not that it was shipped.
COMPLEMENTS = frozenset("to from via with before after within during in on at".split())


def undone(scene: Scene) -> list[tuple[int, Condition]]:
    """Dates, and columns of things' own, that are empty, with the token where it is said."""
    return [*_not_done(scene), *_lacking(scene)]


def is_negated(scene: Scene, position: int) -> bool:
    """Whether a negation shortly before belongs to the word: "was never shipped"."""
    before = scene.words(position - _REACH, position)
    said = [place for place, word in enumerate(before) if word in NEGATIONS]
    return bool(said) and not _NEW_CLAUSE & set(before[said[-1] + 1 :])


def _not_done(scene: Scene) -> list[tuple[int, Condition]]:
    found: list[tuple[int, Condition]] = []
    for position, token in enumerate(scene.tokens):
        opposite = token.lower.startswith("un") and token.lower.endswith("ed")
        done = token.lower.endswith("ed") and is_negated(scene, position)
        if done and COMPLEMENTS.intersection(scene.words(position + 1, position + 2)):
            _say_denied(scene, position)
            continue
        if token.used or token.quoted or not (done or opposite):
            continue
        linked = next(
            (i for i, m in enumerate(scene.mentions) if m.first <= position < m.last), None
        )
        if linked is not None and not (
            scene.free(linked) and _is_date(scene.column(scene.mentions[linked]))
        ):
            continue
        target = date_of(scene, stem(token.lower[2:]) if opposite and not done else token.stem)
        if target is None:
            continue
        if linked is not None:
            scene.roles[linked] = "condition"
        first = position if opposite else max(0, position - _REACH)
        for near in scene.tokens[first : position + 2]:
            if near is token or near.lower in NEGATIONS | _NOW:
                near.used = near.used or "condition"
        found.append((position, condition_of(target, Operator.IS_NULL, ())))
    return found


def _say_denied(scene: Scene, position: int) -> None:
    """Takes the word of which only where to, or when, is denied, where a date tells of it."""
    token = scene.tokens[position]
    inside = any(m.first <= position < m.last for m in scene.mentions)
    if not inside and date_of(scene, token.stem, empty=False) is not None:
        token.used = token.used or "condition"


def date_of(scene: Scene, done: str, *, empty: bool = True) -> Field | None:
    """The date of the thing spoken of, or of what refers to it, that says when it was done.

    With `empty` only one that is empty for what was not.
    """
    spoken = list(dict.fromkeys(m.chosen.table for m in scene.mentions if m.chosen.table))
    links = scene.catalogue.relationships
    beside = [link.from_table for link in links if link.to_table in spoken]
    for name in dict.fromkeys([*spoken, *beside]):
        table = scene.catalogue.table(name)
        for column in table.columns if table is not None else ():
            timed = _is_date(column) or (not empty and is_year(column))
            if timed and (column.nulls or not empty) and done in name_words(column.name):
                return Field(table=name, column=column.name)
    return None


def _is_date(column: Column | None) -> bool:
    return column is not None and column.role is ColumnRole.TIMESTAMP


def is_year(column: Column) -> bool:
    """Whether a number is a year, by its name: the "built year", an "open date" of 1843."""
    words = name_words(column.name)
    if column.data_type is not DataType.INTEGER or not {"year", "date"} & set(words):
        return False
    low, high = (value.split(".")[0] for value in (column.minimum or "", column.maximum or ""))
    return low.isdigit() and high.isdigit() and _FIRST_YEAR <= int(low) <= int(high) <= _LAST_YEAR


def _lacking(scene: Scene) -> list[tuple[int, Condition]]:
    """ "Employees without a manager", "customers with no region": the column is empty."""
    found: list[tuple[int, Condition]] = []
    for index, mention in enumerate(scene.mentions):
        column = scene.column(mention)
        if mention.chosen.kind != "column" or column is None or not scene.free(index):
            continue
        start = mention.first
        while scene.words(start - 1, start) and scene.words(start - 1, start)[0] in _ARTICLES:
            start -= 1
        said = scene.words(start - 1, start)
        if not column.nulls or not said or said[0] not in _LACKING:
            continue
        scene.roles[index] = "condition"
        scene.tokens[start - 1].used = scene.tokens[start - 1].used or "condition"
        target = Field(table=mention.chosen.table, column=mention.chosen.column)
        found.append((mention.first, condition_of(target, Operator.IS_NULL, ())))
    return found
